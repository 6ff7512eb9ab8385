"""Asking and reading: text that streams, a scroll that yields to the reader, stop, retry, edit, copy, and failures."""

import re

import pytest
from browsing import best_of
from playwright.async_api import expect
from told import MARKDOWN, SLOWLY, UNTIL_ENOUGH

LOW = {"width": 1280, "height": 500}


async def roles(chat):
    return [kind.removeprefix("message-") for kind, *_ in await chat.final() if kind.startswith("message-")]


async def test_an_answer_streams_in_as_markdown(visit, scripted, enough):
    chat = await visit(scripted)
    await chat.send(f"/general a plan for me, {SLOWLY}")
    await expect(chat.turn.get_by_role("heading", name="A plan")).to_be_visible()
    assert await chat.part("stop").is_visible(), "it is shown while it comes"
    enough.set()
    answer = await chat.answered()
    await expect(answer.locator("strong", has_text="in this order")).to_be_visible()
    await expect(answer.get_by_role("cell", name="39,000")).to_be_visible()
    await expect(answer.locator("ol > li")).to_have_count(3)
    await expect(answer.locator("pre")).to_contain_text("return hours * 40")
    await expect(answer.locator("blockquote")).to_have_text("Quoted words.")
    await expect(answer.locator("input[type=checkbox]").first).to_be_checked()
    link = answer.get_by_role("link", name="Ask")
    assert await link.get_attribute("href") == "https://example.org/ask"
    assert "noopener" in (await link.get_attribute("rel") or "")
    assert "**" not in await answer.inner_text()
    assert "~~" not in await answer.inner_text()


async def test_text_that_stands_never_flickers_away_while_more_comes(visit, scripted):
    """Words that were shown stay; half a mark is never taken for something else that is then taken back."""

    async def measure():
        return -len(set(await shown_and_never_taken_back(await visit(scripted))))

    await best_of(5, measure, -11)  # a busy machine draws fewer of the states that a text goes through


async def shown_and_never_taken_back(chat):
    """The texts that the page went through while an answer came."""
    await chat.page.evaluate(
        """() => {
          const seen = (window.texts = []);
          new MutationObserver(() => {
            const node = [...document.querySelectorAll("[data-testid=message-assistant]")].at(-1);
            if (node) seen.push(node.textContent.replace(/\\s+/g, ""));
          }).observe(document.body, { subtree: true, childList: true, characterData: true });
        }"""
    )
    answer = await chat.ask("/general a plan for me")
    whole = re.sub(r"\s+", "", await answer.text_content() or "")
    seen = await chat.page.evaluate("() => window.texts")
    words = [re.sub(r"\s+", "", word) for word in ("A plan", "Three steps", "in this order", "Read the", "Baker")]
    for word in words:
        assert word in whole
        since = next(i for i, text in enumerate(seen) if word in text)
        assert all(word in text for text in seen[since:]), f"{word} was shown, and gone, and shown again"
    assert not [text for text in seen if "**" in text or "](" in text or "|--" in text], "raw marks are never shown"
    return seen


async def at_rest(chat):
    """Where the view stands, once a turn of the wheel has come to its end."""
    before, top = None, await chat.scroll_top()
    while top != before:
        await chat.page.wait_for_timeout(200)
        before, top = top, await chat.scroll_top()
    return top


async def test_the_end_stays_in_view_until_the_reader_scrolls_away(visit, scripted, enough):
    chat = await visit(scripted, viewport=LOW)
    await chat.send(UNTIL_ENOUGH)
    await chat.until_ticks(120)
    for _ in range(5):
        await chat.page.wait_for_timeout(60)
        await chat.until_at_end()
    await chat.turn.hover()
    await chat.page.mouse.wheel(0, -400)
    await expect(chat.part("jump-to-newest")).to_be_visible()
    top, ticks = await at_rest(chat), await chat.ticks()
    await chat.until_ticks(ticks + 60)
    assert abs(await chat.scroll_top() - top) < 3, "a reader is left where they are"
    assert await chat.from_bottom() > 200
    await chat.part("jump-to-newest").click()
    await chat.until_ticks(ticks + 100)
    await chat.until_at_end()
    await expect(chat.part("jump-to-newest")).to_be_hidden()
    assert await chat.part("stop").is_visible(), "it came all the time"


async def test_scrolling_back_to_the_end_follows_it_again(visit, scripted, enough):
    chat = await visit(scripted, viewport=LOW)
    await chat.send(UNTIL_ENOUGH)
    await chat.until_ticks(120)
    await chat.turn.hover()
    await chat.page.mouse.wheel(0, -300)
    await expect(chat.part("jump-to-newest")).to_be_visible()
    await chat.page.mouse.wheel(0, 30_000)
    await expect(chat.part("jump-to-newest")).to_be_hidden()
    await chat.until_ticks(await chat.ticks() + 60)
    await chat.until_at_end()
    assert await chat.part("stop").is_visible(), "it came all the time"


async def test_stop_ends_an_answer_and_keeps_what_it_said(visit, scripted):
    chat = await visit(scripted)
    await chat.send("/ticks 5000 20 0")
    await chat.until_ticks(10)
    await chat.part("stop").click()
    answer = await chat.answered(timeout=30)
    ticks = await chat.ticks()
    assert 10 <= ticks < 2_500
    assert (await chat.stored())["runs"][-1]["status"] == "cancelled"
    await expect(answer).to_contain_text(re.compile("stopped", re.IGNORECASE))
    await chat.page.reload()
    await expect(chat.turn).to_contain_text("@000009@")
    assert await chat.ticks() == ticks


async def test_retry_asks_the_same_again_and_replaces_the_answer(visit, scripted):
    chat = await visit(scripted)
    await chat.ask("/general other words first")
    await chat.ask("/general a plan for me")
    before, run = await chat.final(), await chat.turn.get_attribute("data-run")
    await chat.turn.hover()
    await chat.turn.get_by_test_id("retry").click()
    await chat.another_run(run)
    await chat.answered()
    await chat.shows(before)
    assert await roles(chat) == ["user", "assistant"] * 2
    assert len((await chat.stored())["messages"]) == 4


async def test_a_failed_answer_says_so_and_can_be_asked_again(visit, scripted):
    chat = await visit(scripted)
    answer = await chat.ask("/general please break down")
    await expect(answer.get_by_test_id("run-error")).to_contain_text(re.compile("[a-z]{3}"))
    await expect(answer).to_contain_text("This begins well,")
    run = await answer.get_attribute("data-run")
    await answer.get_by_test_id("retry-error").click()
    await chat.another_run(run)
    await chat.answered()
    await expect(chat.questions).to_have_count(1)


async def test_edit_and_resend_takes_back_what_followed(visit, scripted):
    chat = await visit(scripted)
    await chat.ask("/general a plan for me")
    await chat.ask("/general now in other words")
    first = chat.questions.first
    await first.hover()
    await first.get_by_test_id("edit").click()
    box = first.get_by_test_id("editor")
    await expect(box).to_have_value("/general a plan for me")
    await box.fill("/general other words at once")
    await first.get_by_role("button", name=re.compile("send", re.IGNORECASE)).click()
    await chat.page.get_by_test_id("confirm-take-back").click()  # an answer and a question after it go with it
    await expect(chat.questions).to_have_count(1)
    await expect(chat.questions.first).to_contain_text("/general other words at once")
    await chat.answered()
    await expect(chat.answers).to_have_count(1)
    await expect(chat.turn).to_contain_text("Other words.")
    await chat.page.reload()
    await expect(chat.turn).to_contain_text("Other words.")
    await expect(chat.questions).to_have_count(1)


async def test_an_edit_can_be_called_off(visit, scripted):
    chat = await visit(scripted)
    await chat.ask("/general other words")
    await chat.questions.first.hover()
    await chat.questions.first.get_by_test_id("edit").click()
    await chat.part("editor").fill("Never sent")
    await chat.page.keyboard.press("Escape")
    await expect(chat.questions.first).to_contain_text("/general other words")
    await expect(chat.part("editor")).to_have_count(0)


async def test_copy_takes_the_markdown_of_an_answer_and_the_code_of_a_block(visit, scripted):
    chat = await visit(scripted, permissions=["clipboard-read", "clipboard-write"])
    answer = await chat.ask("/general a plan for me")
    await answer.hover()
    await answer.get_by_role("button", name=re.compile("copy", re.IGNORECASE)).last.click()
    await chat.until_copied(MARKDOWN.strip())
    assert (await chat.page.evaluate("navigator.clipboard.readText()")).strip() == MARKDOWN.strip()
    await answer.locator("pre").hover()
    await answer.get_by_role("button", name=re.compile("copy.*code|code.*copy", re.IGNORECASE)).click()
    await chat.until_copied("return hours * 40")


async def test_shift_and_enter_makes_a_line_and_nothing_empty_is_sent(visit, scripted):
    chat = await visit(scripted)
    composer = chat.part("composer")
    await composer.press("Enter")
    await composer.fill("   ")
    await composer.press("Enter")
    await expect(chat.questions).to_have_count(0)
    await composer.fill("other words,")
    await composer.press("Shift+Enter")
    await composer.press_sequentially("in two lines")
    assert await composer.input_value() == "other words,\nin two lines"
    await composer.press("Enter")
    await expect(chat.questions.last).to_contain_text("in two lines")
    await expect(composer).to_have_value("")
    await chat.answered()


async def test_a_message_too_long_is_told_before_it_is_sent_and_not_lost(visit, scripted):
    chat = await visit(scripted)
    about = await chat.api("GET", "/v1/about")
    text = "x" * (about["limits"]["message_chars"] + 5)
    composer = chat.part("composer")
    await composer.fill(text)
    await expect(chat.page.get_by_text("5 characters too many")).to_be_visible()
    await expect(chat.part("send")).to_be_disabled()
    await composer.press("Enter")
    assert await composer.input_value() == text
    await composer.fill(text[:-5])
    await expect(chat.part("send")).to_be_enabled()


async def test_a_second_question_waits_its_turn(visit, scripted):
    chat = await visit(scripted)
    await chat.send("/ticks 40 20 0")
    await chat.until_ticks(5)
    await chat.send("/general other words")
    await expect(chat.questions).to_have_count(2)
    await expect(chat.answers.filter(has_text="Other words.")).to_have_count(1)
    await chat.answered()
    assert await roles(chat) == ["user", "assistant"] * 2
    await expect(chat.answers.first).to_contain_text("@000039@")


@pytest.mark.parametrize("words", ["/nonsense", "🙂" * 50, "a\u0000b", "\u202e?"])
async def test_odd_messages_are_answered(visit, scripted, words):
    chat = await visit(scripted)
    composer = chat.part("composer")
    await composer.fill(words)
    await composer.press("Enter")
    await expect(chat.questions).to_have_count(1)
    await chat.answered()


async def test_a_message_that_nobody_could_read_is_refused_in_words(visit, scripted, faults):
    faults.allow("Failed to load resource.*400")
    chat = await visit(scripted)
    composer = chat.part("composer")
    await composer.fill("\u202e\u0007")
    await composer.press("Enter")
    await expect(chat.page.get_by_text("The message is empty").first).to_be_visible()
    await expect(chat.part("stop")).to_have_count(0)
    await chat.ask("/general other words")
