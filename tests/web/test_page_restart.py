"""The server under the page is killed or replaced in mid-answer: the page waits, comes back, and is right."""

import asyncio
import re
import time

import pytest
from playwright.async_api import expect
from serving_process import Served

DOWN = "ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED|ERR_SOCKET|status of 50"


@pytest.fixture(scope="module")
async def where(own_database):
    return await own_database("web_restart")


@pytest.fixture
async def served(servers, where, data_dir, built, free_port, close_pages):
    process = Served(
        free_port(), database_url=where, redis_url=servers.redis_url, data_dir=str(data_dir), web_dir=str(built),
        model="scripted", secret_key="only-for-tests-only-for-tests", heartbeat_s="0.5", lease_s="2", grace_s="1",
    )  # fmt: skip
    await process.start()
    yield process
    await close_pages()
    process.kill()


async def ended_right(chat, visit, served, ticks):
    """The whole answer, once; as it is for one who comes only now."""
    await chat.answered()
    assert await chat.ticks() == ticks
    newcomer = await visit(served.url, f"/c/{await chat.conversation_id()}", like=chat)
    await newcomer.until_ticks(ticks)
    assert await chat.final() == await newcomer.final()
    stored = await chat.stored()
    assert [run["status"] for run in stored["runs"]] == ["succeeded"]


async def test_a_killed_server_in_mid_answer(visit, served, faults):
    faults.allow(DOWN)
    chat = await visit(served.url)
    await chat.send("/ticks 200 20 0")
    await chat.until_ticks(30)
    served.kill()
    await asyncio.sleep(0.3)
    stood = await chat.ticks()
    assert stood >= 30, "what was shown stays"
    await expect(chat.part("connection")).to_contain_text(re.compile("Reconnecting"))
    await expect(chat.questions.last).to_contain_text("/ticks 200")
    await served.start()
    back = time.monotonic()
    await expect(chat.part("connection")).to_have_attribute("data-state", "live")
    await chat.until_ticks(stood)
    assert time.monotonic() - back < 20, "the lease of the killed one, and a moment"
    seen = await chat.seen()
    begun = next(i for i, each in enumerate(seen) if each.ticks)
    assert all(each.messages for each in seen[begun:]), "the answer never vanishes"
    await ended_right(chat, visit, served, 200)


async def test_a_deploy_in_mid_answer(visit, served, faults):
    faults.allow(DOWN)
    chat = await visit(served.url)
    await chat.send("/ticks 200 20 0")
    await chat.until_ticks(30)
    await served.stop()
    await served.start()
    await chat.until_ticks(40)
    await ended_right(chat, visit, served, 200)


async def test_a_reload_while_the_server_is_away_and_a_message_sent_then(visit, served, faults):
    faults.allow(DOWN)
    chat = await visit(served.url)
    await chat.ask("/ticks 20 0 0")
    served.kill()
    composer = chat.part("composer")
    await composer.fill("/ticks 10 0 0")
    await composer.press("Enter")
    await asyncio.sleep(0.4)
    await expect(chat.questions.first).to_contain_text("/ticks 20")
    await served.start()
    if await composer.input_value():
        await composer.press("Enter")
    await chat.page.wait_for_function(
        "() => document.querySelectorAll('[data-testid=message-assistant]').length === 2", timeout=60_000
    )
    await chat.until_ticks(10)
    await chat.answered()
    assert len((await chat.stored())["messages"]) == 4, "the message was taken once"
