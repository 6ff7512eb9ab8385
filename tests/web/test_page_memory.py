"""What is remembered of a user and of a conversation, what it costs, and what may fail on purpose: seen and decided."""

import asyncio
import json
import re

import psycopg
from playwright.async_api import expect
from test_page_access import LOOKS, axe, faults_of  # noqa: F401 - a fixture
from test_page_panels import fact, said

from resume_samples import JANE

ME = "My name is Ada Lovelace and I live in London. I will not work nights."
LONG = (
    ME, "Hello", "What does a nurse earn?", "Thanks", "How do I write a good CV?", "Thanks",
    "How do I negotiate pay?", "Thanks", "Hello again", "Thanks", "How do I prepare for an interview?",
)  # fmt: skip


async def test_a_fact_is_pinned_and_corrected_and_the_correction_can_be_undone(visit, offline):
    chat = await visit(offline)
    await chat.opened_after(ME)
    panel = await chat.panel("profile")
    await expect(fact(panel, "location")).to_contain_text("You said")
    await fact(panel, "location").get_by_test_id("pin-fact").click()
    await expect(fact(panel, "location").get_by_test_id("pin-fact")).to_have_attribute("aria-pressed", "true")
    await fact(panel, "location").get_by_test_id("edit-fact").click()
    await panel.get_by_test_id("fact-value").fill("Leeds")
    await panel.get_by_test_id("fact-value").press("Enter")
    await expect(fact(panel, "location")).to_contain_text("Leeds")
    await expect(fact(panel, "location")).to_contain_text("Changed by you")
    await expect(fact(panel, "location").get_by_test_id("pin-fact")).to_have_attribute("aria-pressed", "true")
    await panel.get_by_test_id("undo-change").click()
    await expect(fact(panel, "location")).to_contain_text("London")


async def test_a_correction_that_is_refused_stays_in_its_field(visit, offline, faults):
    faults.allow("status of 400")
    chat = await visit(offline)
    await chat.opened_after("I have 6 years of experience as a data engineer")
    panel = await chat.panel("profile")
    await fact(panel, "years").get_by_test_id("edit-fact").click()
    field = panel.get_by_test_id("fact-value")
    await field.fill("a lot")
    await field.press("Enter")
    await expect(panel.get_by_role("alert")).to_contain_text("whole number")
    await expect(field).to_have_value("a lot")
    await field.press("Escape")
    await expect(field).to_have_count(0)
    await expect(fact(panel, "years")).to_contain_text("6")
    await expect(fact(panel, "years").get_by_test_id("edit-fact")).to_be_focused()


async def test_nothing_is_remembered_while_the_user_does_not_want_it(visit, offline):
    chat = await visit(offline)
    await chat.opened_after(ME)
    panel = await chat.panel("profile")
    await panel.get_by_test_id("remember").uncheck()
    await expect(panel).to_contain_text("Not used at the moment")
    await chat.page.reload()
    await chat.part("composer").wait_for()
    await chat.ask("I know Python and SQL")
    panel = await chat.panel("profile")
    await expect(panel.get_by_test_id("remember")).not_to_be_checked()
    await expect(fact(panel, "location")).to_be_visible()
    await expect(fact(panel, "skill")).to_have_count(0)
    await panel.get_by_test_id("remember").check()
    await expect(panel).not_to_contain_text("Not used at the moment")
    assert (await chat.api("GET", "/v1/profile/settings")) == {"remember": True}


async def test_everything_can_be_taken_along_as_a_file(visit, offline):
    chat = await visit(offline)
    await chat.opened_after(ME)
    panel = await chat.panel("profile")
    async with chat.page.expect_download() as downloading:
        await panel.get_by_test_id("export-all").click()
    download = await downloading.value
    assert re.fullmatch(r"signalbox-\d{4}-\d\d-\d\d\.json", download.suggested_filename)
    content = json.loads(await asyncio.to_thread((await download.path()).read_text))
    assert "London" in str(content["facts"])
    assert ME in str(content["messages"])


async def test_everything_is_erased_after_the_word_and_every_tab_starts_over(visit, offline):
    chat = await visit(offline)
    conversation = await chat.talk(ME)
    await chat.open(conversation)
    other = await chat.page.context.new_page()
    await other.goto(f"{offline.url}/c/{conversation}")
    await other.get_by_test_id("message-assistant").first.wait_for()
    panel = await chat.panel("profile")
    await panel.get_by_test_id("upload-input").set_input_files(
        {"name": "jane.txt", "mimeType": "text/plain", "buffer": JANE.encode()}
    )
    await expect(panel.get_by_test_id("resume")).to_be_visible()
    await panel.get_by_test_id("erase-all").click()
    dialog = chat.page.get_by_role("dialog").last
    await expect(dialog).to_contain_text("every CV you sent")
    await expect(dialog.get_by_test_id("confirm")).to_be_disabled()
    await dialog.get_by_test_id("confirm-word").fill("erase")
    await dialog.get_by_test_id("confirm").click()
    for page in (chat.page, other):
        await page.wait_for_url(f"{offline.url}/")
        await expect(page.get_by_test_id("composer")).to_be_visible()
        await expect(page.get_by_test_id("conversation-item")).to_have_count(0)
    assert (await chat.api("GET", "/v1/profile"))["facts"] == []
    await expect((await chat.panel("profile")).get_by_test_id("fact")).to_have_count(0)


async def long_talk(chat):
    """A conversation that is long enough to be summarised, and is: that is done when its run is over."""
    conversation = await chat.talk(*LONG)
    async with asyncio.timeout(60):
        while not (await chat.api("GET", f"/v1/conversations/{conversation}/summary"))["version"]:  # noqa: ASYNC110 - as a page would
            await asyncio.sleep(0.05)
    return conversation


async def in_mind(chat):
    menu = chat.part("conversation-menu")
    await (menu if await menu.is_visible() else chat.part("open-more")).click()
    await chat.page.get_by_role("button", name="What is kept in mind").click()
    view = chat.part("in-mind")
    await expect(view).to_be_visible()
    return view


async def test_what_is_kept_in_mind_of_a_long_conversation_can_be_looked_at(visit, offline):
    chat = await visit(offline)
    await chat.open(await long_talk(chat))
    await expect(await in_mind(chat)).to_contain_text("I will not work nights.")
    await chat.page.keyboard.press("Escape")
    await chat.open(await chat.talk("Hello"))
    await expect((await in_mind(chat)).get_by_test_id("in-mind-empty")).to_be_visible()


async def test_no_serious_fault_in_what_is_kept_in_mind_and_in_the_last_question(visit, offline, axe):  # noqa: F811
    chat = await visit(offline, **LOOKS["phone"])
    await chat.open(await long_talk(chat))
    await in_mind(chat)
    assert await faults_of(chat, axe) == []
    await chat.page.keyboard.press("Escape")
    panel = await chat.panel("profile")
    await panel.get_by_test_id("edit-fact").first.click()
    assert await faults_of(chat, axe) == []
    await panel.get_by_test_id("erase-all").click()
    await chat.part("confirm-word").wait_for()
    assert await faults_of(chat, axe) == []


async def test_faults_on_purpose_are_told_and_no_failure_reads_like_nothing(
    visit,
    serve,
    own_database,
    web_settings,
    axe,  # noqa: F811
):
    faulty = ("search_jobs=partial", "find_wages=connection")
    settings = web_settings(await own_database("web_faults"), faults=",".join(faulty))
    async with serve(settings) as server:
        chat = await visit(server, color_scheme="dark", viewport={"width": 320, "height": 640})
        notice = chat.part("faults-notice")
        await expect(notice).to_contain_text("on purpose")
        await notice.locator("summary").press("Enter")
        for fault in faulty:
            await expect(notice).to_contain_text(fault)
        assert await faults_of(chat, axe) == []
        # Nothing is on record here, but it could be looked in part only.
        search = await chat.ask("Find nurse jobs in Leeds")
        await expect(search).not_to_contain_text(said("no jobs found"))
        await search.get_by_test_id("run-details").locator("summary").click()
        await expect(search.get_by_test_id("run-details")).to_contain_text("could look only in part")
        wages = await chat.ask("What does a nurse earn?")
        await expect(wages.get_by_test_id("lookup-failed")).to_contain_text("Wage tables")


async def test_no_notice_of_faults_where_there_are_none(visit, offline):
    chat = await visit(offline)
    await expect(chat.part("faults-notice")).to_have_count(0)


async def test_a_spent_budget_is_told_with_the_answer_and_what_is_left_in_the_settings(
    visit, serve, own_database, web_settings, faults
):
    faults.allow("BudgetSpent|budget")
    url = await own_database("web_budget")
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as conn:
        await conn.execute(
            "INSERT INTO model_call (run_id, position, number, tenant, user_id, provider, model, tier, task, agent, "
            "outcome, escalated, control, duration_s, input_tokens, cached_tokens, output_tokens, estimated, cost_usd) "
            "VALUES ('r_1', '1', 1, 'default', '', 'groq', 'large', 'standard', 'answer', 'general', 'ok', false, "
            "false, 1, 10, 0, 10, false, 9)"
        )
    settings = web_settings(url, model="scripted", budget_day_usd=5, budget_user_usd=0.5)
    async with serve(settings) as server:
        chat = await visit(server)
        await chat.ask("/general other words")
        await expect(chat.turn.get_by_test_id("budget-spent")).to_contain_text("budget for language models is used up")
        panel = await chat.panel("settings")
        await expect(panel.get_by_test_id("budget")).to_contain_text("$0.50 of $0.50 are left")
