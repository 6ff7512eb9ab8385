"""Typed results of the offline model: what each shows, what can be done with it, and that it outlasts a reload."""

import re

import pytest
from playwright.async_api import expect

from board_server import as_json, board_server, remotive


def said(words: str) -> re.Pattern[str]:
    return re.compile(words, re.IGNORECASE)


async def test_job_cards_tell_pay_place_source_and_that_they_are_samples(visit, offline):
    chat = await visit(offline)
    answer = await chat.ask("Find nursing jobs")
    cards = answer.get_by_test_id("job-card")
    await expect(cards.nth(2)).to_be_visible()
    card = cards.filter(has_text="Registered Nurse").first
    for words in ("Sundial Senior Living", "Phoenix", "78,000", "92,000"):
        await expect(card).to_contain_text(words)
    await expect(card).to_contain_text(said("sample"))
    jobs = [
        block
        for message in (await chat.stored())["messages"]
        for block in message["blocks"]
        if block["type"] == "jobs_data"
    ]
    for job in jobs[0]["jobs"][: await cards.count()]:
        await expect(cards.filter(has_text=job["title"]).filter(has_text=job["company"])).not_to_have_count(0)
    before = await chat.final()
    await chat.page.reload()
    await expect(chat.turn.get_by_test_id("job-card").first).to_be_visible()
    await chat.shows(before)


async def test_a_score_is_explained_with_the_skills_that_match_and_those_that_miss(visit, offline):
    chat = await visit(offline)
    await chat.talk("I am a data engineer with Python and SQL")
    answer = await chat.opened_after("Find data engineer jobs")
    card = answer.get_by_test_id("job-card").first
    jobs = next(b["jobs"] for b in (await chat.stored())["messages"][-1]["blocks"] if b["type"] == "jobs_data")
    job = jobs[0]
    assert job["score_parts"], "the profile is known, so there is a score"
    await expect(card).to_contain_text(str(round(job["match_score"])))
    await card.get_by_role("button", name=said("why|score")).first.click()
    for part in job["score_parts"]:
        await expect(card).to_contain_text(part["reason"])
    for skill in (*job["matched_skills"][:3], *job["missing_skills"][:3]):
        await expect(card).to_contain_text(skill)


async def test_chosen_cards_are_compared_side_by_side(visit, offline):
    chat = await visit(offline)
    answer = await chat.opened_after("Find nursing jobs")
    cards = answer.get_by_test_id("job-card")
    titles = []
    for number in (0, 1):
        card = cards.nth(number)
        await card.get_by_role("checkbox").check()
        titles.append((await card.get_by_role("heading").inner_text()).strip())
    await chat.part("compare").click()
    table = chat.page.get_by_role("dialog").get_by_role("table")
    for title in titles:
        await expect(table).to_contain_text(title)
    await expect(table).to_contain_text(said("pay|salary"))


async def test_a_judged_table_of_jobs_is_shown(visit, offline):
    chat = await visit(offline)
    answer = await chat.opened_after("Find nursing jobs", "Which of these pays best?")
    block = answer.locator("[data-testid=block-job_match]")
    await expect(block).to_be_visible()
    blocks = (await chat.stored())["messages"][-1]["blocks"]
    match = next(b for b in blocks if b["type"] == "job_match")
    for verdict in match["verdicts"][:3]:
        await expect(block).to_contain_text(verdict["job"]["title"])


async def test_a_skill_gap_is_a_chart_that_says_its_numbers(visit, offline):
    chat = await visit(offline)
    answer = await chat.opened_after("What skills do I need to become a nurse?")
    block = answer.locator("[data-testid=block-skill_gap]")
    gap = next(b for b in (await chat.stored())["messages"][-1]["blocks"] if b["type"] == "skill_gap")
    for demand in gap["skills"][:4]:
        await expect(block).to_contain_text(demand["skill"])
        await expect(block).to_contain_text(f"{round(demand['share'] * 100)}")
    await expect(block).to_contain_text(gap["learn_next"][0])
    await expect(block).to_contain_text(said("sample"))


async def test_pay_is_a_plot_with_its_percentiles_in_words(visit, offline):
    chat = await visit(offline)
    answer = await chat.opened_after("What does a nurse earn?")
    block = answer.locator("[data-testid=block-salary_range]").first
    pay = next(b for b in (await chat.stored())["messages"][-1]["blocks"] if b["type"] == "salary_range")
    for value in (pay["p10"], pay["p50"], pay["p90"]):
        await expect(block).to_contain_text(f"{round(value):,}")
    await expect(block.locator("svg").first).to_be_visible()
    assert await block.get_by_role("img").first.get_attribute("aria-label"), "the plot says what it shows"


async def test_quick_replies_lock_here_in_the_other_browser_and_after_a_reload(visit, offline):
    chat = await visit(offline)
    await chat.ask("hmm")
    conversation = await chat.conversation_id()
    other = await visit(offline, f"/c/{conversation}", like=chat)
    replies = chat.part("quick-reply")
    await expect(replies).not_to_have_count(0)
    await expect(other.part("quick-reply")).to_have_count(await replies.count())
    label = (await replies.first.inner_text()).strip()
    await replies.first.click()
    for each in (chat, other):
        await expect(each.part("quick-reply").filter(has_text=label).first).to_be_disabled()
        await expect(each.part("quick-reply").filter(has_text=label).first).to_have_attribute("aria-pressed", "true")
        await expect(each.questions).to_have_count(2)
        await each.answered()
    await other.shows(await chat.final())
    await chat.page.reload()
    await expect(chat.part("quick-reply").filter(has_text=label).first).to_be_disabled()
    await expect(chat.answers).to_have_count(2)


async def test_an_application_is_put_on_the_tracker(visit, offline):
    chat = await visit(offline)
    answer = await chat.ask("I applied for the data engineer job at Acme yesterday")
    await expect(answer.locator("[data-testid=block-application_status]")).to_contain_text("Acme")
    panel = await chat.panel("applications")
    await expect(panel).to_contain_text("Acme")
    await expect(panel).to_contain_text(said("data engineer"))
    await expect(panel).to_contain_text(said("applied"))


async def test_how_an_answer_came_about_is_told_on_demand(visit, offline):
    """Which agent, which intent and how sure, which lookups, what it cost."""
    chat = await visit(offline)
    answer = await chat.ask("Find nursing jobs")
    for _ in range(2):
        details = answer.get_by_test_id("run-details")
        await details.locator("summary").click()
        await expect(details.get_by_test_id("intent")).to_contain_text(re.compile(r"9\d\s?%|100\s?%"))
        for words in ("job.?search|find.*jobs|jobs", "14 in all", "offline"):
            await expect(details).to_contain_text(said(words))
        await chat.page.reload()  # it is still known then
        await answer.wait_for()


async def test_nothing_found_and_could_not_look_read_differently(visit, serve, offline, catalogue, web_settings):
    """A job board that breaks is a notice on what was found, and never 'there is nothing'."""
    chat = await visit(offline)
    nothing = await chat.ask("Find me remote rust jobs on Mars")
    empty = nothing.locator("[data-testid=block-jobs_data]")
    await expect(empty.locator("[data-status=empty]").or_(empty).first).to_be_visible()
    empty_text = await empty.inner_text()
    async with board_server({"/api/remote-jobs": as_json({}, status=500)}) as broken:
        settings = web_settings(
            catalogue, job_boards="remotive", board_urls=f"remotive={broken.url}", board_timeout_s=1
        )
        async with serve(settings) as server:
            partial = await visit(server)
            answer = await partial.ask("Find nursing jobs")
            assert broken.asked, "the board was asked"
            block = answer.locator("[data-testid=block-jobs_data]")
            await expect(block.get_by_test_id("job-card").first).to_be_visible()
            await expect(block).to_contain_text(said("could not"))
            await expect(block).to_contain_text(said("remotive"))
            missed = await partial.ask("Find me remote rust jobs on Mars")
            await expect(missed.locator("[data-testid=block-jobs_data]")).to_contain_text(said("could not"))
    assert not re.search("could not", empty_text, re.IGNORECASE)


async def test_a_board_that_answers_nothing_is_no_fault(visit, serve, catalogue, web_settings):
    async with board_server({"/api/remote-jobs": as_json(remotive())}) as quiet:
        settings = web_settings(catalogue, job_boards="remotive", board_urls=f"remotive={quiet.url}")
        async with serve(settings) as server:
            chat = await visit(server)
            answer = await chat.ask("Find nursing jobs")
            await expect(answer.get_by_test_id("job-card").first).to_be_visible()
            await expect(answer).not_to_contain_text(said("could not"))


@pytest.mark.parametrize(
    ("message", "block"),
    [
        ("Write an e-mail to Jane Doe at Acme about the data engineer role", "email_draft"),
        ("Write a cover letter for a nurse job at Northbeam Health", "cover_letter"),
        ("Prepare me for an interview as a nurse", "interview_questions"),
        ("Tell me about Northbeam Health", "company_profile"),
        ("My name is Ada and I live in Leeds", "profile_updated"),
    ],
)
async def test_every_other_result_has_a_place_on_the_page(visit, offline, message, block):
    chat = await visit(offline)
    answer = await chat.opened_after(message)
    types = [b["type"] for b in (await chat.stored())["messages"][-1]["blocks"]]
    assert block in types
    for each in types:
        if each not in {"suggestions", "suggestion_chosen", "approval_resolved"}:
            await expect(answer.locator(f"[data-testid=block-{each}]").first).to_be_visible()


async def test_a_hand_over_between_agents_is_told_and_still_is_after_a_reload(visit, offline):
    chat = await visit(offline)
    answer = await chat.ask("Find nursing jobs in Leeds and write a cover letter for the first one")
    note = answer.get_by_test_id("handoff")
    await expect(note).to_contain_text("hands over to")
    told = await note.inner_text()
    await chat.page.reload()
    await expect(note).to_be_visible()
    assert told.startswith(await note.inner_text()), "why it was is not kept"
