"""Job search over the catalogue and live boards: what is merged, what is said when some of them fail."""

import time
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, date, datetime, timedelta

import pytest
from stage import Canned, fact, hit, hits, perform

from board_server import Reply, arbeitnow, arbeitnow_job, as_json, board_server, boards_at, remotive, remotive_job
from signalbox.agents.job_search import JobSearchAgent
from signalbox.agents.searching.sources import kinds_ruled_out
from signalbox.agents.words.postings import age_text
from signalbox.llm.scripted import ScriptedModel
from signalbox.tools.boards.kept import LIVE_TENANT, KeptPostings
from signalbox.tools.keep_postings import KeepPostings
from signalbox.tools.result import Empty, Err, Ok

REMOTIVE, ARBEITNOW, LEVER = "/api/remote-jobs", "/api/job-board-api", "/v0/postings/acme"
ALL = "remotive,arbeitnow,lever:acme"
NOTHING = Empty("no posting meets all of it")


@asynccontextmanager
async def stage(embedder, catalogue, replies, entries=ALL, timeout_s=20.0):
    """The tools of a search: a canned catalogue, real boards over real HTTP, a store that says what it kept."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(board_server(replies))
        boards = await stack.enter_async_context(boards_at(server.url, entries, embedder, timeout_s=timeout_s))
        yield [Canned("search_jobs", catalogue), Canned("keep_postings", Ok(1)), *boards]


def statuses(recorder):
    return {source.name: source.status for source in recorder.one("jobs_data").sources}


async def test_one_board_hangs_and_one_breaks_and_the_third_is_shown_in_time_as_a_partial_list(embedder):
    replies = {
        REMOTIVE: Reply(hang=True),
        ARBEITNOW: as_json(arbeitnow(arbeitnow_job(1))),
        LEVER: Reply(status=500),
    }
    async with stage(embedder, NOTHING, replies, timeout_s=2) as tools:
        started = time.monotonic()
        answer, recorder = await perform(JobSearchAgent(), "python developer jobs in Berlin", tools)
        assert time.monotonic() - started < 30, "the one that hangs never answers"
    shown = recorder.one("jobs_data")
    assert [job.company for job in shown.jobs] == ["Seewind 1 GmbH"]
    assert {source.name: (source.status, source.note) for source in shown.sources} == {
        "job catalogue": ("empty", "no posting meets all of it"),
        "Remotive": ("error", "no answer within 2 seconds"),
        "Arbeitnow": ("ok", ""),
        "Acme (Lever)": ("error", "it answered with status 500"),
    }
    assert (
        "2 sources could not be asked, so this is a partial list: Remotive timed out and Acme (Lever) failed."
        in answer.text
    )
    assert "on Arbeitnow" in answer.text


async def test_nothing_found_while_a_board_fails_is_no_proof_that_there_is_nothing(embedder):
    replies = {REMOTIVE: Reply(status=429, headers={"Retry-After": "30"}), ARBEITNOW: as_json(arbeitnow())}
    async with stage(embedder, NOTHING, replies, "remotive,arbeitnow") as tools:
        answer, recorder = await perform(JobSearchAgent(), "zookeeper jobs in Leeds", tools)
    assert "I searched the job catalogue and Arbeitnow, and no posting meets all of this" in answer.text
    assert "Remotive could not be asked (asked us to wait), so there may be some there." in answer.text
    assert statuses(recorder) == {"job catalogue": "empty", "Remotive": "error", "Arbeitnow": "empty"}
    assert "30 seconds" in recorder.one("jobs_data").sources[1].note


async def test_when_no_source_answers_it_could_not_look(embedder):
    replies = {REMOTIVE: Reply(status=401), ARBEITNOW: Reply(status=502)}
    async with stage(embedder, Err("unavailable", "away"), replies, "remotive,arbeitnow") as tools:
        answer, recorder = await perform(JobSearchAgent(), "python jobs", tools)
    assert answer.text.startswith("I could not look for “python” postings: none of my sources could be asked")
    assert "Remotive refused access" in answer.text
    assert set(statuses(recorder).values()) == {"error"}
    assert "keep_postings" not in [event.tool for event in recorder.events if event.type == "tool_call"]


async def test_boards_answer_while_the_catalogue_is_away(embedder):
    replies = {REMOTIVE: as_json(remotive(remotive_job(1)))}
    async with stage(embedder, Err("unavailable", "the database cannot be reached"), replies, "remotive") as tools:
        answer, recorder = await perform(JobSearchAgent(), "python jobs", tools)
    assert len(recorder.one("jobs_data").jobs) == 1
    assert "The job catalogue could not be asked (did not answer), so this is a partial list." in answer.text


async def test_a_vacancy_in_two_sources_is_shown_once_and_counted_once(embedder):
    same = {"title": "Python Developer", "company_name": "Seewind", "candidate_required_location": "Berlin"}
    replies = {
        REMOTIVE: as_json(remotive(remotive_job(1, **same), remotive_job(2, **same), remotive_job(3))),
        ARBEITNOW: as_json(arbeitnow(arbeitnow_job(1, company_name="Seewind GmbH", remote=True))),
    }
    catalogue = Ok(hits(hit(1, title="python developer", company="SEEWIND", remote=True), hit(2)), total=2)
    async with stage(embedder, catalogue, replies, "remotive,arbeitnow") as tools:
        answer, recorder = await perform(JobSearchAgent(), "python jobs", tools)
    shown = recorder.one("jobs_data")
    assert sorted(job.job_id for job in shown.jobs) == [
        "j2", "live_remotive_1900000001", "live_remotive_1900000002", "live_remotive_1900000003",
    ]  # fmt: skip
    assert (shown.total, shown.truncated) == (4, False)
    assert "**4 postings** fit" in answer.text
    assert answer.text.count("(sample)") == 1


async def test_hard_rules_hold_for_live_postings(embedder):
    rows = [
        remotive_job(1, salary="$30k - $40k"),
        remotive_job(2, company_name="Badger Betting"),
        remotive_job(3, description="Python, with some gambling"),
        remotive_job(4),
    ]
    profile = [
        fact("salary_min", "100000", "constraint"),
        fact("currency", "USD"),
        fact("exclude_company", "Badger Betting", "constraint"),
        fact("exclude_term", "gambling", "constraint"),
        fact("remote", "only", "constraint"),
    ]
    replies = {REMOTIVE: as_json(remotive(*rows)), ARBEITNOW: as_json(arbeitnow(arbeitnow_job(1)))}
    async with stage(embedder, NOTHING, replies, "remotive,arbeitnow") as tools:
        answer, recorder = await perform(JobSearchAgent(), "python jobs", tools, profile=profile)
    shown = recorder.one("jobs_data")
    assert [job.job_id for job in shown.jobs] == ["live_remotive_1900000004"]
    assert shown.total == 1
    for part in ("1 below your least pay", "1 from a company", "1 with something", "1 not remote"):
        assert part in answer.text


async def test_live_postings_that_are_shown_are_kept_and_a_failure_to_keep_them_changes_nothing(embedder, database):
    replies = {REMOTIVE: as_json(remotive(*(remotive_job(n) for n in range(12))))}
    async with stage(embedder, NOTHING, replies, "remotive") as tools:
        _, failed = await perform(
            JobSearchAgent(), "python jobs", [tools[0], Canned("keep_postings", Err("unavailable", "x")), tools[2]]
        )
        keeping = KeepPostings(KeptPostings(database), (tools[2],))
        try:
            _, recorder = await perform(JobSearchAgent(), "python jobs", [tools[0], keeping, tools[2]])
            rows = await database.fetch("SELECT job_id FROM job WHERE tenant = %s", [LIVE_TENANT])
        finally:
            await database.execute("DELETE FROM job WHERE tenant = %s", [LIVE_TENANT])
    assert failed.one("jobs_data").jobs == recorder.one("jobs_data").jobs
    assert {row["job_id"] for row in rows} == {job.job_id for job in recorder.one("jobs_data").jobs}
    assert len(rows) == 10


async def test_more_pages_through_live_postings(embedder):
    from signalbox.memory.conversation import PastMessage

    replies = {REMOTIVE: as_json(remotive(*(remotive_job(n) for n in range(14))))}
    history, seen = (), []
    async with stage(embedder, NOTHING, replies, "remotive") as tools:
        for message in ("python jobs", "show 3 more", "show more"):
            answer, recorder = await perform(JobSearchAgent(), message, tools, history=history)
            block = recorder.one("jobs_data")
            seen.append([job.job_id for job in block.jobs])
            history += (
                PastMessage(role="user", content=message, intent="job_search"),
                PastMessage(
                    role="assistant", content=answer.text, agent="job_search", blocks=(block.model_dump(mode="json"),)
                ),
            )
    assert [len(page) for page in seen] == [10, 3, 1]
    assert len({job_id for page in seen for job_id in page}) == 14


async def test_a_board_that_cannot_read_some_rows_says_so_in_its_source(embedder):
    replies = {REMOTIVE: as_json(remotive(remotive_job(1), {"id": 2}))}
    async with stage(embedder, NOTHING, replies, "remotive") as tools:
        _, recorder = await perform(JobSearchAgent(), "python jobs", tools)
    assert recorder.one("jobs_data").sources[1].note == "1 of 2 rows could not be read"


async def test_a_model_is_told_which_sources_could_not_be_asked(embedder):
    model = ScriptedModel()
    replies = {REMOTIVE: Reply(status=500)}
    async with stage(embedder, Ok(hits(hit(1)), total=1), replies, "remotive") as tools:
        await perform(JobSearchAgent(), "python jobs", tools, model=model)
    prompt = " ".join(str(model.requests[-1].messages[0].content).split())
    assert '"unasked": { "Remotive": "failed"' in prompt
    assert '"board_remotive: COULD NOT LOOK (server_error: it answered with status 500)"' in prompt


async def test_no_part_time_rules_out_the_kind_of_post_and_not_only_the_words(embedder):
    found = hits(hit(1, employment_type="part-time"), hit(2, employment_type="full-time"), hit(3))
    async with stage(embedder, Ok(found, total=3), {}, "remotive") as tools:
        answer, recorder = await perform(JobSearchAgent(), "python jobs, no part-time", tools[:1])
    shown = recorder.one("jobs_data")
    assert [job.job_id for job in shown.jobs] == ["j2", "j3"]
    assert shown.total == 2
    assert "not part-time" in answer.text


def test_only_a_term_that_is_a_kind_of_employment_rules_one_out():
    assert kinds_ruled_out(["part time", "contract", "contract law", "java"]) == {"part-time", "contract"}


async def test_a_line_tells_how_old_a_posting_is_and_repeats_no_reason(embedder):
    today = datetime.now(UTC).date()
    found = hits(hit(1, posted_at=today - timedelta(days=3)), hit(2, posted_at=date(2020, 3, 4)), hit(3))
    answer, _ = await perform(JobSearchAgent(), "python jobs", [Canned("search_jobs", Ok(found, total=3))])
    assert "posted 3 days ago." in answer.text
    assert "posted on 4 March 2020." in answer.text
    assert "posted today." in answer.text
    assert "Title or skills" not in answer.text
    assert "(sample)" not in answer.text


async def test_words_that_are_repeated_are_echoed_once_and_in_part():
    answer, _ = await perform(
        JobSearchAgent(), "python " * 60 + "jobs", [Canned("search_jobs", Ok(hits(hit(1)), total=1))]
    )
    assert "“python” postings" in answer.text
    long = " ".join(f"gadget{n}" for n in range(60))
    answer, _ = await perform(JobSearchAgent(), f"{long} jobs", [Canned("search_jobs", Ok(hits(hit(1)), total=1))])
    assert "gadget3" in answer.text
    assert "gadget30" not in answer.text


@pytest.mark.parametrize(
    ("days", "text"),
    [(0, "posted today"), (1, "posted yesterday"), (30, "posted 30 days ago"), (31, "posted on 1 March 2026"),
     (-2, "posted on 3 April 2026")],
)  # fmt: skip
def test_the_age_of_a_posting_in_words(days, text):
    today = date(2026, 4, 1)
    assert age_text(today - timedelta(days=days), today) == text


async def test_one_source_that_is_missing_is_named_with_its_reason(embedder):
    replies = {REMOTIVE: Reply(hang=True)}
    async with stage(embedder, Ok(hits(hit(1)), total=1), replies, "remotive", timeout_s=0.2) as tools:
        answer, _ = await perform(JobSearchAgent(), "python jobs", tools)
    assert "Remotive could not be asked (timed out), so this is a partial list." in answer.text


async def test_a_skill_that_the_words_say_themselves_is_no_condition_of_its_own():
    answer, _ = await perform(
        JobSearchAgent(), "data engineer jobs", [Canned("search_jobs", Ok(hits(hit(1)), total=1))]
    )
    assert "asking for" not in answer.text


async def test_nothing_found_says_what_of_a_board_was_not_looked_through(embedder):
    replies = {f"{ARBEITNOW}#{n}": as_json(arbeitnow(arbeitnow_job(n), more=True)) for n in (1, 2, 3)}
    async with stage(embedder, NOTHING, replies, "arbeitnow") as tools:
        answer, _ = await perform(JobSearchAgent(), "zookeeper jobs in Leeds", tools)
    assert "Of Arbeitnow, only its newest 3 postings were looked through." in answer.text
