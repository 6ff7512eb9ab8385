"""What stands beside the chat: profile and CV, applications, the events drawer, settings, and a server with keys."""

import re

import pytest
from playwright.async_api import expect

from resume_samples import JANE


def said(words: str) -> re.Pattern[str]:
    return re.compile(words, re.IGNORECASE)


def fact(panel, key):
    return panel.locator(f"[data-testid=fact][data-key={key}]")


async def test_facts_are_listed_can_be_forgotten_and_undone(visit, offline):
    chat = await visit(offline)
    await chat.opened_after("My name is Ada Lovelace and I live in London. I will not work nights.")
    panel = await chat.panel("profile")
    for key, value in (("name", "Ada Lovelace"), ("location", "London"), ("exclude_term", "nights")):
        await expect(fact(panel, key)).to_contain_text(value)
    await fact(panel, "location").get_by_role("button", name=said("forget")).click()
    await expect(fact(panel, "location")).to_have_count(0)
    await panel.get_by_test_id("undo-forget").click()
    await expect(fact(panel, "location")).to_contain_text("London")
    assert "London" in str(await chat.api("GET", "/v1/profile"))


async def test_the_profile_follows_what_was_said_elsewhere(visit, offline):
    chat = await visit(offline)
    panel = await chat.panel("profile")
    await expect(panel.get_by_test_id("fact")).to_have_count(0)
    await chat.talk("My name is Grace Hopper and I live in London")
    await chat.page.keyboard.press("Escape")
    await expect(panel).to_be_hidden()
    await expect(fact(await chat.panel("profile"), "name")).to_contain_text("Grace Hopper")


async def test_a_cv_is_uploaded_by_choosing_it_and_understood(visit, offline):
    chat = await visit(offline)
    panel = await chat.panel("profile")
    await panel.get_by_test_id("upload-input").set_input_files(
        {"name": "jane.txt", "mimeType": "text/plain", "buffer": JANE.encode()}
    )
    await expect(panel).to_contain_text("jane.txt")
    await expect(panel.get_by_test_id("fact").filter(has_text="Airflow").first).to_be_visible(timeout=15_000)


async def test_a_cv_is_dropped_and_its_progress_is_shown(visit, offline):
    chat = await visit(offline)
    panel = await chat.panel("profile")
    await chat.page.evaluate(
        """() => {
          window.progress = [];
          new MutationObserver(() => {
            const bar = document.querySelector("[data-testid=upload-progress]");
            if (bar) window.progress.push(bar.getAttribute("aria-valuenow") ?? bar.value ?? bar.textContent);
          }).observe(document.body, { subtree: true, childList: true, attributes: true });
        }"""
    )
    dropped = await chat.page.evaluate_handle(
        """(text) => {
          const files = new DataTransfer();
          files.items.add(new File([text], "jane.md", { type: "text/markdown" }));
          return files;
        }""",
        JANE,
    )
    drop = panel.get_by_test_id("upload-drop")
    for event in ("dragenter", "dragover", "drop"):
        await drop.dispatch_event(event, {"dataTransfer": dropped})
    await expect(panel).to_contain_text("Your CV was read")
    assert await chat.page.evaluate("() => window.progress.length") > 0
    resume = await chat.api("GET", "/v1/profile/resume")
    assert "Northwind" in str(resume)


@pytest.mark.parametrize(
    ("file", "told"),
    [
        (("picture.png", "image/png", b"\x89PNG\r\n\x1a\n" + b"\0" * 200), "PDF"),
        (("empty.pdf", "application/pdf", b""), "empty"),
        (("broken.pdf", "application/pdf", b"%PDF-1.7 this is none"), "PDF"),
        (("huge.txt", "text/plain", b"word " * 1_200_000), "at most"),
    ],
    ids=["picture", "empty", "broken", "huge"],
)
async def test_what_is_no_cv_is_refused_in_words_and_another_can_be_tried(visit, offline, faults, file, told):
    faults.allow("status of 4(00|04|13|15|22)")
    chat = await visit(offline)
    panel = await chat.panel("profile")
    upload = panel.get_by_test_id("upload-input")
    name, kind, content = file
    await upload.set_input_files({"name": name, "mimeType": kind, "buffer": content})
    refusal = panel.get_by_role("alert").or_(panel.get_by_role("status")).filter(has_text=told)
    await expect(refusal).to_be_visible(timeout=15_000)
    await upload.set_input_files({"name": "jane.txt", "mimeType": "text/plain", "buffer": JANE.encode()})
    await expect(panel).to_contain_text("jane.txt")
    await expect(refusal).to_have_count(0)


async def test_a_cv_can_be_erased(visit, offline):
    chat = await visit(offline)
    panel = await chat.panel("profile")
    upload = panel.get_by_test_id("upload-input")
    await upload.set_input_files({"name": "jane.txt", "mimeType": "text/plain", "buffer": JANE.encode()})
    await expect(panel).to_contain_text("jane.txt")
    await panel.get_by_test_id("erase-resume").click()
    await chat.page.get_by_role("dialog").last.get_by_test_id("confirm").click()
    await expect(panel).not_to_contain_text("jane.txt")
    response = await chat.page.context.request.get(f"{chat.url}/v1/profile/resume")
    assert response.status == 404


async def test_an_application_can_be_forgotten(visit, offline):
    chat = await visit(offline)
    await chat.opened_after("I applied for the data engineer job at Acme yesterday")
    panel = await chat.panel("applications")
    application = panel.get_by_test_id("application").filter(has_text="Acme")
    await application.get_by_role("button", name=said("forget")).click()
    await chat.page.get_by_role("dialog").last.get_by_test_id("confirm").click()
    await expect(application).to_have_count(0)
    assert (await chat.api("GET", "/v1/applications"))["applications"] == []


async def test_the_drawer_shows_every_event_as_it_came_and_filters_by_type(visit, scripted):
    chat = await visit(scripted)
    panel = await chat.panel("events")
    await chat.send("/general other words")
    rows = panel.get_by_test_id("event-row")
    await expect(rows.filter(has_text="complete").first).to_be_visible()
    await panel.get_by_role("button", name=said("^run_started")).click()
    await expect(rows).to_have_count(1)
    await rows.first.get_by_role("button").first.click()
    await expect(rows.first).to_contain_text('"type": "run_started"')
    await expect(rows.first).to_contain_text("/general other words")
    await panel.get_by_role("button", name=said("^run_started")).click()
    await panel.get_by_role("searchbox").fill("no such thing anywhere")
    await expect(rows).to_have_count(0)


async def test_what_a_conversation_cost_is_told(visit, offline):
    chat = await visit(offline)
    await chat.opened_after("What does a nurse earn?")
    panel = await chat.panel("events")
    await panel.get_by_role("tab", name=said("usage")).click()
    await expect(panel).to_contain_text("offline")
    await expect(panel).to_contain_text(said("free|nothing|no cost|0"))


async def test_the_colours_chosen_outlast_a_reload(visit, scripted):
    chat = await visit(scripted, color_scheme="light")
    panel = await chat.panel("settings")
    white = "rgb(255, 255, 255)"
    await expect(chat.page.locator("body")).to_have_css("background-color", white)
    await panel.get_by_test_id("theme-dark").check()
    await expect(chat.page.locator("body")).not_to_have_css("background-color", white)
    await chat.page.reload()
    await chat.part("composer").wait_for()
    assert await chat.page.evaluate("document.documentElement.dataset.theme") == "dark"
    await expect(chat.page.locator("body")).not_to_have_css("background-color", white)


async def test_a_server_with_keys_asks_for_one_and_keeps_it(visit, serve, own_database, web_settings, faults):
    faults.allow("Failed to load resource.*401")
    settings = web_settings(await own_database("web_keys"), model="scripted", api_keys="k-right-key-1:ada")
    async with serve(settings) as server:
        chat = await visit(server, wait=False)
        key = chat.page.get_by_label(said("key"))
        await key.first.fill("k-wrong")
        await key.first.press("Enter")
        await expect(chat.page.get_by_role("alert").first).to_be_visible()
        await key.first.fill("k-right-key-1")
        await key.first.press("Enter")
        await chat.part("composer").wait_for()
        await expect(await chat.ask("hello there")).to_contain_text("Signalbox")
        assert "k-right-key-1" not in chat.page.url
        await chat.page.reload()
        await expect(chat.turn).to_be_visible()
