"""Several users talk at once through one server: a model is never told anything of the one when it answers another."""

import asyncio
import secrets

import pytest

from live import Live, ask, finished, live
from oracle import Oracle
from signalbox.settings import load_settings

SAID = (
    "I have {mark}title experience and live in Leeds. Remember that I keep a {mark}pinned in my shed at work",
    "I have always enjoyed the {mark}learned part of my work, and never want to see {mark}never Ltd",
    "What should I do about {mark}asked at my next interview?",
    "find {mark}wanted jobs",
    "Write me a cover letter for a {mark}letter job",
    "I applied to {mark}applied Ltd yesterday",
    "What do you know about me?",
    "hello again, how do I negotiate pay?",
)
CV = """Sam Example
Data Engineer

Work experience
Data Engineer, {mark}corp Ltd   2019 - 2024
- Built {mark}built things

Skills
Python, SQL, Kafka, Airflow, Docker, Linux, Git, Terraform
"""


@pytest.fixture
async def oracle():
    async with Oracle() as provider:
        yield provider


@pytest.fixture
async def server(servers, apart, data_dir, oracle):
    settings = load_settings(
        data_dir=data_dir, database_url=apart.dsn, redis_url=servers.redis_url, model="m", model_base_url=oracle.url,
        secret_key="only-for-tests-only-for-tests",
    )  # fmt: skip
    async with live(settings) as running:
        yield running


async def talk(server: Live, mark: str) -> None:
    async with server.user() as client:
        await client.get("/v1/conversations")
        conversation = None
        for number, text in enumerate(SAID):
            if number == len(SAID) - 1:  # what was said is looked through for facts behind the answers
                async with asyncio.timeout(60):
                    while f"{mark}pinned" not in (await client.get("/v1/profile")).text:  # noqa: ASYNC110
                        await asyncio.sleep(0.05)
            run = await ask(
                client, text.format(mark=mark), **({"conversation_id": conversation} if conversation else {})
            )
            row = await finished(client, run["run_id"], timeout=60)
            assert row["status"] == "succeeded", row
            # The second half is another conversation, which knows the first only by the profile.
            conversation = run["conversation_id"] if number not in {3, 7} else None
            if number == 2:
                response = await client.post("/v1/profile/resume", json={"text": CV.format(mark=mark)})
                assert response.status_code == 201, response.text


async def test_nothing_of_a_user_is_ever_in_a_prompt_for_another(server, oracle):
    marks = [f"zq{name}{secrets.token_hex(3)}" for name in ("ada", "bob", "cyd")]
    await asyncio.gather(*(talk(server, mark) for mark in marks))
    await server.services.runner._afterwards.drain(60)
    bodies = oracle.bodies
    mixed = [body for body in bodies if sum(mark in body for mark in marks) > 1]
    assert mixed == []
    for mark in marks:
        own = [body for body in bodies if mark in body]
        assert len(own) >= len(SAID)
        assert any(f"{mark}title" in body for body in oracle.asked("answer"))
        # What the first conversation said is told in the second one: the search above could have failed.
        later = [body for body in oracle.asked("answer") if "negotiate pay" in body and mark in body]
        assert any(f"{mark}pinned" in body for body in later), "the profile is told to its own user"
    assert any(mark in body for mark in marks for body in oracle.asked("extract"))
