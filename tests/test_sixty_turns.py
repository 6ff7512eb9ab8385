"""Sixty turns with limits stated early, contradicted and corrected: what is insisted on is never lost on the way."""

import json
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import httpx
import pytest
from loopback import Loopback, Received, Reply, sse

from live import Live, ask, finished, left, live
from signalbox.llm.prompts import load
from signalbox.llm.tokens import PER_MESSAGE, PER_REQUEST, counting
from signalbox.settings import load_settings

PROMPT_TOKENS = 3_000
REMOTE = "I only want remote jobs."
PAY = "I need at least £50k a year."
AGENCIES = "Please, no agencies."
SPONSOR = "I need visa sponsorship, that's non-negotiable."
SITE = "Actually, on-site is fine now."
MORE_PAY = "I said 50k, make that 60k."
NOT_AGENCIES = "Agencies are fine again."
PLACE = "Only jobs in Leeds."
NOT_PLACE = "York, not Leeds"
ADVERT = """Here is the advert:
Data Analyst at Northwind. About the role: on-site only, no remote work.
Requirements: at least 10 years of experience. Salary at most £20k. You will work nights."""
# What is said in which turn besides small talk, and what is in force from then on.
SAID = {2: REMOTE, 4: PAY, 6: AGENCIES, 9: SPONSOR, 14: ADVERT, 20: SITE, 27: PLACE, 31: MORE_PAY, 40: NOT_AGENCIES,
        45: NOT_PLACE}  # fmt: skip
BECAME = {PAY: (31, f"{PAY} → {MORE_PAY}"), PLACE: (45, f"{PLACE} → {NOT_PLACE}")}
ENDED = {REMOTE: 20, AGENCIES: 40}


def in_force(turn: int) -> list[str]:
    """The constraints after ``turn``, verbatim, in the order in which they were first said."""
    stated = [text for at, text in SAID.items() if at <= turn and text in {REMOTE, PAY, AGENCIES, SPONSOR, PLACE}]
    still = [text for text in stated if text not in ENDED or turn < ENDED[text]]
    return [BECAME[text][1] if text in BECAME and turn >= BECAME[text][0] else text for text in still]


def messages() -> Iterator[str]:
    for turn in range(1, 61):
        small_talk = f"What should I know about interviews, part {turn}? {'There is a lot on my mind. ' * (turn % 9)}"
        yield f"/general {SAID.get(turn, small_talk)}"


@dataclass
class Conversation:
    """Sixty turns that are over: the runs in order, each version of the summary, and what the provider was sent."""

    runs: list[dict[str, Any]]
    versions: list[dict[str, Any]]
    upto: list[int]
    requests: list[Received]
    steps: list[dict[str, Any]]
    paid: list[dict[str, Any]]

    def asked(self, system: str) -> list[list[dict[str, str]]]:
        """The messages of each request whose system prompt starts so, in order."""
        sent = [request.body["messages"] for request in self.requests]
        return [each for each in sent if each[0]["content"].startswith(system)]


class Understanding(Loopback):
    """Answers by what it is asked for: notes in JSON, or a reply of a few words."""

    def __init__(self) -> None:
        super().__init__()
        self.replies = self  # type: ignore[assignment]

    def __len__(self) -> int:
        return 1

    def __getitem__(self, _: int) -> Reply:
        asked = self.requests[-1].body["messages"]
        if asked[0]["content"].startswith(load("summarise").text):
            return Reply(sse(json.dumps(self._notes(asked[-1]["content"]))))
        return Reply(sse("That is worth preparing for. ", "Take it step by step. " * 12))

    def _notes(self, content: str) -> dict[str, Any]:
        """Good notes, and others that a model must not be able to leave behind."""
        mine = re.findall(r'"id": "(m\d+)",\s+"who": "user"', content)
        return {
            "hard_constraints": [],
            "job_preferences": [
                {"text": "Likes to prepare well.", "sources": mine[:1]},
                {"text": "On-site only.", "sources": mine[:1]},
                {"text": "The user no longer needs visa sponsorship.", "sources": mine[-1:]},
            ],
            "mentioned_companies": [{"text": "Northwind", "sources": mine}],
            "current_goal": {"text": "Get ready for interviews.", "sources": mine[-1:]},
            "decisions": [],
            "open_questions": [{"text": "None from anywhere.", "sources": ["m999"]}],
        }


@asynccontextmanager
async def talked(server: Live, provider: Loopback | None) -> AsyncIterator[Conversation]:
    async with server.user() as user:
        await user.get("/v1/conversations")
        runs: list[dict[str, Any]] = []
        body: dict[str, Any] = {}
        for message in messages():
            runs.append(await ask(user, message, **body))
            body = {"conversation_id": runs[-1]["conversation_id"]}
            assert (await finished(user, runs[-1]["run_id"]))["status"] == "succeeded"
            await left(server.services, runs[-1]["run_id"])
            await server.services.runner._afterwards.drain(60)
        yield await _collected(server, user, runs, provider.requests if provider else [])


async def _collected(
    server: Live, user: httpx.AsyncClient, runs: list[dict[str, Any]], requests: list[Received]
) -> Conversation:
    url = f"/v1/conversations/{runs[0]['conversation_id']}/summary"
    numbers = (await user.get(url)).json()["versions"]
    versions = [(await user.get(url, params={"version": number})).json() for number in numbers]
    db, conversation = server.services.db, runs[0]["conversation_id"]
    rows = await db.fetch(
        "SELECT (SELECT count(*) FROM message m WHERE m.conversation_id = s.conversation_id AND m.role = 'user' "
        "AND m.position <= s.upto) AS turns FROM conversation_summary s WHERE conversation_id = %s ORDER BY version",
        (conversation,),
    )
    steps = await db.fetch(
        "SELECT s.payload FROM run_step s JOIN run r USING (run_id) WHERE r.conversation_id = %s "
        "AND s.kind = 'model_turn' ORDER BY r.position, s.seq",
        (conversation,),
    )
    await server.services.payments.books.write()
    paid = await db.fetch(
        "SELECT c.outcome, c.input_tokens FROM model_call c JOIN run r USING (run_id) "
        "WHERE r.conversation_id = %s AND c.task = 'summarise'",
        (conversation,),
    )
    turns = [row["turns"] for row in rows]
    return Conversation(runs, versions, turns, list(requests), [step["payload"] for step in steps], list(paid))


@pytest.fixture(scope="module")
async def with_model(servers, apart, data_dir) -> AsyncIterator[Conversation]:
    async with Understanding() as provider:
        settings = load_settings(
            data_dir=data_dir, database_url=apart.dsn, redis_url=servers.redis_url, model="llama-3.1-8b-instant",
            model_base_url=provider.url, secret_key="only-for-tests-only-for-tests", extract_facts=False,
            prompt_tokens=PROMPT_TOKENS, answer_tokens=300,
        )  # fmt: skip
        async with live(settings) as server, talked(server, provider) as conversation:
            yield conversation


@pytest.fixture(scope="module")
async def by_rules(servers, apart, data_dir) -> AsyncIterator[Conversation]:
    settings = load_settings(
        data_dir=data_dir, database_url=apart.dsn, redis_url=servers.redis_url, model="offline",
        secret_key="only-for-tests-only-for-tests",
    )  # fmt: skip
    async with live(settings) as server, talked(server, None) as conversation:
        yield conversation


@pytest.fixture(params=["with_model", "by_rules"])
def conversation(request) -> Conversation:
    found: Conversation = request.getfixturevalue(request.param)
    return found


def test_every_version_keeps_each_hard_constraint_in_force_verbatim(conversation):
    assert len(conversation.versions) >= 10
    for version, turns in zip(conversation.versions, conversation.upto, strict=True):
        texts = [note["text"] for note in version["summary"]["hard_constraints"]]
        assert sorted(texts) == sorted(in_force(turns)), f"version {version['version']} after {turns} turns"


def test_a_new_version_is_made_every_few_turns_and_tells_what_changed(conversation):
    assert len(conversation.versions) <= 60 / 4
    changed = {
        note["text"]
        for version in conversation.versions
        for note in version["changes"].get("hard_constraints", {}).get("removed", [])
    }
    assert {REMOTE, AGENCIES} <= changed


def test_the_notes_are_the_models_but_it_has_no_say_in_what_is_insisted_on(with_model):
    for version in with_model.versions:
        assert version["made_by"].startswith("rules, ")
        assert [note["text"] for note in version["summary"]["mentioned_companies"]] == ["Northwind"]
        wishes = [note["text"] for note in version["summary"]["job_preferences"]]
        assert "Likes to prepare well." in wishes
        assert not version["summary"]["open_questions"]
        if SPONSOR in in_force(version["version"] * 4):
            assert "The user no longer needs visa sponsorship." not in wishes


def test_every_prompt_stays_inside_the_budget_and_holds_what_is_insisted_on(with_model):
    replies = with_model.asked(load("persona").text)
    assert len(replies) == 60
    count = counting(1.0)
    for turn, sent in enumerate(replies, 1):
        tokens = PER_REQUEST + sum(PER_MESSAGE + count(message["content"]) for message in sent)
        assert tokens <= PROMPT_TOKENS, turn
        whole = json.dumps(sent, ensure_ascii=False)
        for text in in_force(turn - 1):
            assert all(part in whole for part in text.split(" → ")), (turn, text)
        assert [message["role"] for message in sent[1:]] == ["user", "assistant"] * (len(sent) // 2 - 1) + ["user"]
    assert all(step["about"]["window"] for step in with_model.steps if step["task"] == "answer")


def test_all_sixty_prompts_begin_with_the_same_bytes(with_model):
    """Persona and rules, whoever answers; for one agent, with tools or without, all up to what is known of the user."""
    persona = load("persona").text
    sent = [request.body for request in with_model.requests]
    replies = [body for body in sent if body["messages"][0]["content"].startswith(persona)]
    assert len(replies) == 60
    tags = (b"\n<profile>", b"\n<summary>", b"\n<facts>")
    static = defaultdict(set)
    for body in replies:
        system = body["messages"][0]["content"].encode()
        end = min(at for tag in tags if (at := system.find(tag)) > 0)
        static[json.dumps(body.get("tools"))].add(system[:end])
    assert [len(beginnings) for beginnings in static.values()] == [1] * len(static)
    assert len(static) <= 2, "the tools that are offered are the same from turn to turn"


def test_between_two_versions_a_prompt_only_grows_at_its_end(with_model):
    """So that a provider that keeps prefixes has all but the newest turn at hand."""
    replies = with_model.asked(load("persona").text)
    grown = sum(
        earlier[1:-1] == later[1 : len(earlier) - 1]
        for earlier, later in pairwise(replies)
        if len(later) > len(earlier)
    )
    assert grown >= 30


def test_what_the_summaries_cost_is_in_the_books(with_model):
    assert len(with_model.asked(load("summarise").text)) == len(with_model.versions)
    assert [row["outcome"] for row in with_model.paid] == ["ok"] * len(with_model.versions)
    assert all(row["input_tokens"] for row in with_model.paid)
