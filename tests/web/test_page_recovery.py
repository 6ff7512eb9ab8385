"""A reader that was cut off, frozen, reloaded or kept elsewhere ends up with the very view of one that never was.

Every test has a witness: another browser of the same user that follows the same conversation undisturbed.
"""

import asyncio
import functools
import re
import time

import pytest
from browsing import best_of, tab
from line import line_to
from playwright.async_api import expect
from told import UNTIL_ENOUGH

BACK_S = 2.5
"""A view is right within two seconds after the reader is back; the rest is for looking."""


CUT = "ERR_INTERNET_DISCONNECTED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED|ERR_NETWORK_CHANGED"


@pytest.fixture
async def line(scripted, faults, close_pages):
    """What a page is connected by; that requests fail while it is cut is what these tests are about."""
    faults.allow(CUT)
    async with line_to(scripted.port) as line:
        yield line
        await close_pages()


async def lose(chat, line):
    line.cut()
    await chat.page.context.set_offline(True)


async def regain(chat, line):
    line.mend()
    await chat.page.context.set_offline(False)


def kept_all(seen, since=0):
    """Nothing that was shown was taken away again, even for a moment."""
    shown = [each for each in seen if each.at >= since]
    begun = next((i for i, each in enumerate(shown) if each.ticks), len(shown))
    ticks = [each.ticks for each in shown[begun:]]
    assert ticks == sorted(ticks), f"text was shown and then gone: {shown[begun : begun + 30]}"
    assert all(each.messages for each in shown[begun:])


def in_time(scenario):
    """A test of what ``scenario`` returns: how long it took until the view was right."""

    @functools.wraps(scenario)
    async def test(**given):
        await best_of(3, functools.partial(scenario, **given), BACK_S)

    return test


async def same_end(chat, witness):
    await asyncio.gather(chat.answered(), witness.answered())
    assert await chat.ticks() == await witness.ticks()
    await chat.shows(await witness.final())


async def witnessed(visit, server, enough, *, over=None):
    """A chat in which an answer is coming until it is ``enough``, by the line ``over`` if there is one; its witness."""
    enough.clear()
    chat = await visit(over.url if over else server)
    await chat.send(UNTIL_ENOUGH)
    await chat.until_ticks(5)
    witness = await visit(server, f"/c/{await chat.conversation_id()}", like=chat)
    await witness.until_ticks(5)
    return chat, witness


async def listen(chat):
    """Keep what is told of the connection: that it is back is told for a few seconds only."""
    await chat.page.evaluate(
        """() => {
          const told = (window.told = []);
          new MutationObserver(() =>
            told.push(document.querySelector("[data-testid=connection]")?.textContent ?? "")
          ).observe(document.body, { subtree: true, childList: true, characterData: true });
        }"""
    )


async def until_told(chat, what):
    await chat.page.wait_for_function("(what) => new RegExp(what).test(window.told.join(' '))", arg=what)


async def right_in_time(chat, witness, since):
    """How long it takes until the chat shows what the witness showed when it came back."""
    await chat.until_ticks(await witness.ticks())
    return time.monotonic() - since


@in_time
async def test_a_network_that_goes_and_comes_back_in_mid_answer(visit, scripted, enough, line):
    chat, witness = await witnessed(visit, scripted, enough, over=line)
    await listen(chat)
    await lose(chat, line)
    await expect(chat.part("connection")).to_contain_text(re.compile("offline", re.IGNORECASE))
    before = await chat.ticks()
    await witness.until_ticks(before + 40)
    assert await chat.ticks() <= before + 2, "it really was cut off"
    await regain(chat, line)
    back = time.monotonic()
    took = await right_in_time(chat, witness, back)
    await until_told(chat, r"Back: \d+ missed events")
    enough.set()
    await same_end(chat, witness)
    kept_all(await chat.seen())
    return took


@in_time
async def test_a_network_that_flaps(visit, scripted, enough, line):
    chat, witness = await witnessed(visit, scripted, enough, over=line)
    for off_s in (0.05, 0.3, 0.02, 0.15, 0.4):
        await lose(chat, line)
        await asyncio.sleep(off_s)
        await regain(chat, line)
        await asyncio.sleep(0.2)
    took = await right_in_time(chat, witness, time.monotonic())
    enough.set()
    await same_end(chat, witness)
    kept_all(await chat.seen())
    return took


@in_time
async def test_an_answer_that_ended_while_the_reader_was_away(visit, scripted, enough, line):
    chat, witness = await witnessed(visit, scripted, enough, over=line)
    await lose(chat, line)
    enough.set()
    await witness.answered()
    await regain(chat, line)
    took = await right_in_time(chat, witness, time.monotonic())
    await same_end(chat, witness)
    kept_all(await chat.seen())
    return took


async def test_a_message_written_offline_is_not_lost(visit, scripted, line):
    chat = await visit(line.url)
    await chat.ask("/general other words")
    await lose(chat, line)
    await expect(chat.part("connection")).to_contain_text(re.compile("offline", re.IGNORECASE))
    composer = chat.part("composer")
    await composer.fill("/general a plan for me")
    await composer.press("Enter")
    await asyncio.sleep(0.5)
    await regain(chat, line)
    if await composer.input_value():  # it was refused and left for another try
        await composer.press("Enter")
    await expect(chat.turn.get_by_role("heading", name="A plan")).to_be_visible()
    await chat.answered()
    await expect(chat.questions).to_have_count(2)
    stored = [each["content"] for each in (await chat.stored())["messages"] if each["role"] == "user"]
    assert stored == ["/general other words", "/general a plan for me"], "once"


@in_time
async def test_a_page_that_is_frozen_and_woken(visit, scripted, enough):
    """As phones do to a page in the background."""
    chat, witness = await witnessed(visit, scripted, enough)
    await chat.freeze()
    await witness.until_ticks(await witness.ticks() + 50)
    await chat.wake()
    back = time.monotonic()
    took = await right_in_time(chat, witness, back)
    enough.set()
    await same_end(chat, witness)
    kept_all(await chat.seen())
    return took


@in_time
async def test_a_page_frozen_while_its_network_was_taken_away(visit, scripted, enough, line):
    chat, witness = await witnessed(visit, scripted, enough, over=line)
    await chat.freeze()
    line.cut()
    await witness.until_ticks(await witness.ticks() + 30)
    line.mend()
    await chat.wake()
    took = await right_in_time(chat, witness, time.monotonic())
    enough.set()
    await same_end(chat, witness)
    kept_all(await chat.seen())
    return took


@in_time
async def test_a_connection_that_went_dead_without_a_word_is_given_up_when_the_page_wakes(
    visit, scripted, enough, line
):
    chat, witness = await witnessed(visit, scripted, enough, over=line)
    await chat.freeze()
    line.hush()
    await witness.until_ticks(await witness.ticks() + 20)
    line.mend()
    await chat.wake()
    took = await right_in_time(chat, witness, time.monotonic())
    enough.set()
    await same_end(chat, witness)
    kept_all(await chat.seen())
    return took


@in_time
async def test_a_dead_connection_is_given_up_when_the_network_changes(visit, scripted, enough, line):
    chat, witness = await witnessed(visit, scripted, enough, over=line)
    line.hush()
    await witness.until_ticks(await witness.ticks() + 20)
    await chat.page.context.set_offline(True)
    line.mend()
    await chat.page.context.set_offline(False)
    took = await right_in_time(chat, witness, time.monotonic())
    enough.set()
    await same_end(chat, witness)
    kept_all(await chat.seen())
    return took


async def test_reloads_at_twenty_points_of_an_answer(visit, scripted, enough, faults):
    faults.allow("ERR_ABORTED|ERR_NETWORK_CHANGED")
    chat, witness = await witnessed(visit, scripted, enough)

    async def reloaded():
        stood = await witness.ticks()
        back = time.monotonic()
        await chat.page.reload(wait_until="commit")
        await chat.until_ticks(stood)
        took = time.monotonic() - back
        kept_all(await chat.seen())
        return took

    for _ in range(20):
        await best_of(3, reloaded, BACK_S)
    await chat.part("stop").click()  # it was going all the time
    await same_end(chat, witness)
    kept_all(await chat.seen())


@in_time
async def test_two_tabs_of_one_browser_show_the_same_over_one_connection(visit, scripted, enough):
    enough.clear()
    chat = await visit(scripted)
    await chat.send(UNTIL_ENOUGH)
    await chat.until_ticks(5)
    conversation = await chat.conversation_id()
    other = await tab(chat.page.context, chat.url, f"/c/{conversation}")
    took = await right_in_time(other, chat, time.monotonic())
    readers = len(scripted.services.hub._tails[conversation].readers)  # and not those that other tests had
    enough.set()
    await same_end(chat, other)
    assert 0 < readers <= 2
    await other.ask("/general other words")
    await expect(chat.turn).to_contain_text("Other words.")
    await chat.ask("/general a plan for me")
    await expect(other.turn.get_by_role("heading", name="A plan")).to_be_visible()
    await same_end(chat, other)
    return took


@in_time
async def test_the_tab_that_held_the_connection_closes_and_the_other_goes_on(visit, scripted, enough):
    chat, witness = await witnessed(visit, scripted, enough)
    other = await tab(chat.page.context, chat.url, f"/c/{await chat.conversation_id()}")
    await other.until_ticks(10)
    await chat.page.close()
    took = await right_in_time(other, witness, time.monotonic())
    enough.set()
    await same_end(other, witness)
    kept_all(await other.seen())
    return took


@in_time
async def test_leaving_the_page_and_coming_back_by_the_back_button(visit, scripted, enough, faults):
    faults.allow("ERR_ABORTED")
    chat, witness = await witnessed(visit, scripted, enough)
    await chat.page.goto("about:blank")
    await witness.until_ticks(await witness.ticks() + 20)
    back = time.monotonic()
    await chat.page.go_back(wait_until="commit")
    took = await right_in_time(chat, witness, back)
    enough.set()
    await same_end(chat, witness)
    return took


@in_time
async def test_another_conversation_and_back_in_mid_answer(visit, scripted, enough):
    chat, witness = await witnessed(visit, scripted, enough)
    address = chat.page.url
    await (
        chat.page.get_by_role("link", name=re.compile("new", re.IGNORECASE))
        .or_(chat.page.get_by_role("button", name=re.compile("new", re.IGNORECASE)))
        .first.click()
    )
    await chat.ask("/general other words")
    await chat.page.go_back()
    if chat.page.url != address:
        await chat.page.go_back()
    took = await right_in_time(chat, witness, time.monotonic())
    enough.set()
    await same_end(chat, witness)
    return took


@pytest.mark.parametrize("ended", [False, True])
@in_time
async def test_a_buffer_that_expired_while_the_reader_was_away(visit, scripted, enough, redis, line, ended):
    chat, witness = await witnessed(visit, scripted, enough, over=line)
    await lose(chat, line)
    if ended:
        enough.set()
        await witness.answered()
    else:
        await witness.until_ticks(await witness.ticks() + 30)
    conversation = await chat.conversation_id()
    keys = [key async for key in redis.scan_iter(match=f"*{conversation}*")]
    assert keys
    await redis.delete(*keys)
    await regain(chat, line)
    took = await right_in_time(chat, witness, time.monotonic())
    enough.set()
    await same_end(chat, witness)
    kept_all(await chat.seen())
    return took


@in_time
async def test_what_is_told_of_a_connection(visit, scripted, enough, line):
    """Live, then offline, then how much was made up for; and never only by a colour."""
    chat, witness = await witnessed(visit, scripted, enough, over=line)
    connection = chat.part("connection")
    await listen(chat)
    await lose(chat, line)
    await expect(connection).to_contain_text(re.compile("offline", re.IGNORECASE))
    await witness.until_ticks(await witness.ticks() + 20)
    await regain(chat, line)
    took = await right_in_time(chat, witness, time.monotonic())
    await until_told(chat, r"Offline.*Back: \d+ missed events")
    enough.set()
    await chat.answered()
    states = await chat.page.evaluate("() => window.told")
    assert "Back" in states[-1] or states[-1] == "", "and nothing is said while all is well"
    return took


async def test_a_window_made_smaller_keeps_the_end_in_view(visit, scripted):
    """As when a phone's keyboard opens, in mid-answer and after it."""
    chat = await visit(scripted)
    await chat.send("/ticks 150 15 0")
    await chat.until_ticks(60)
    for height in (450, 900, 300, 2_000, 700):
        await chat.page.set_viewport_size({"width": 500, "height": height})
        await chat.page.wait_for_timeout(250)
        await chat.until_at_end()
    await chat.answered()
    for height in (400, 3_000, 500):
        await chat.page.set_viewport_size({"width": 500, "height": height})
        await chat.page.wait_for_timeout(250)
        await chat.until_at_end()


async def test_a_long_conversation_loads_at_its_end(visit, scripted):
    chat = await visit(scripted)
    await chat.ask("/general other words")
    conversation = await chat.conversation_id()
    for _ in range(8):
        await chat.api("POST", "/v1/chat", message="/general a plan for me", conversation_id=conversation)
    await chat.answered()
    await expect(chat.answers.filter(has_text="A plan")).not_to_have_count(0)
    await chat.page.reload()
    await chat.turn.wait_for()
    await chat.page.wait_for_timeout(300)
    await chat.until_at_end()
