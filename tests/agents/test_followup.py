from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from stage import Canned, fact, perform, searched

from signalbox.agents.followup import FollowupAgent
from signalbox.agents.words.dates_said import day_said
from signalbox.memory.applications import ApplicationStore, TrackedApplication
from signalbox.memory.conversation import PastMessage
from signalbox.memory.profile import Owner
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.track_applications import ReadApplications, TrackApplication, Tracked

TODAY = datetime.now(UTC).date()


def ago(days):
    return TODAY - timedelta(days=days)


ACME = TrackedApplication("a1", "Acme", "planner", None, "applied", ago(14), ago(14))
BOLT = TrackedApplication("a2", "Bolt & Sons", "welder", None, "interview", ago(20), ago(2))
GONE = TrackedApplication("a3", "Caldera", "", None, "rejected", ago(40), ago(9))


@pytest.fixture
def tools(database):
    mark = datetime.now(UTC).timestamp()
    store, me = ApplicationStore(database), Owner("public", f"followup-{mark}")
    return lambda message_id: [
        ReadApplications(store, me, temporary=False),
        TrackApplication(store, me, f"{message_id}-{mark}", temporary=False),
    ]


def answered(recorder, text="..."):
    """What was shown, as the next turn's history has it."""
    blocks = [e.model_dump(mode="json") for e in recorder.events if e.type == "application_status"]
    return (PastMessage(role="assistant", content=text, agent="followup", blocks=tuple(blocks)),)


async def test_an_application_is_recorded_listed_changed_and_removed(tools):
    agent = FollowupAgent()
    answer, shown = await perform(agent, "I applied to Haldvik Freight as a planner two weeks ago.", tools("m1"))
    row = shown.one("application_status").applications[0]
    assert (row.company, row.status, row.applied_on, row.days_since) == ("Haldvik Freight", "applied", ago(14), 14)
    assert row.chase_on == ago(4)
    assert "quiet for long enough" in answer.text
    again, shown = await perform(agent, "I applied to Haldvik Freight as a planner two weeks ago.", tools("m2"))
    assert len(shown.one("application_status").applications) == 1
    assert "already" in again.text
    told, shown = await perform(agent, "Haldvik Freight invited me to an interview tomorrow", tools("m3"))
    row = shown.one("application_status").applications[0]
    assert (row.status, row.days_since) == ("interview", -1)
    assert "“applied” to “interview”" in told.text
    news, shown = await perform(agent, "any updates?", tools("m4"), history=answered(shown))
    assert "Haldvik Freight" in news.text
    gone, shown = await perform(agent, "remove the Haldvik Freight application from my list", tools("m5"))
    assert "removed" in gone.text
    assert shown.one("application_status").applications == ()
    none, _ = await perform(agent, "any updates?", tools("m6"))
    assert "No application is on record" in none.text


async def test_the_same_message_twice_changes_nothing(tools):
    for _ in range(2):
        await perform(FollowupAgent(), "I applied to Quillmark yesterday", tools("m1"))
    _, shown = await perform(FollowupAgent(), "show my applications", tools("m2"))
    assert [a.company for a in shown.one("application_status").applications] == ["Quillmark"]


async def test_what_another_user_applied_for_is_not_seen(tools, database):
    await perform(FollowupAgent(), "I applied to Quillmark yesterday", tools("m1"))
    stranger = Owner("public", "a-stranger")
    seen = await ReadApplications(ApplicationStore(database), stranger, temporary=False).run(None)
    assert isinstance(seen, Empty)
    mine = await tools("m2")[0].run(None)
    assert await ApplicationStore(database).remove(stranger, mine.value[0].application_id) is None
    assert isinstance(await tools("m2")[0].run(None), Ok)


async def test_a_job_on_the_table_can_be_recorded(tools):
    _, shown = await perform(FollowupAgent(), "I applied for the second one today", tools("m1"), history=searched("x"))
    row = shown.one("application_status").applications[0]
    assert (row.company, row.title, row.job_id, row.applied_on) == ("Contoso Labs", "Data Analyst", "j2", TODAY)


def canned(*tracked):
    changed = Ok(Tracked(replace(tracked[0], status="rejected"))) if tracked else Empty("none")
    found = Ok(tracked) if tracked else Empty("none")
    return [Canned("read_applications", found), Canned("track_application", changed)]


async def test_a_chaser_names_what_is_known_and_leaves_blanks_for_the_rest():
    agent, profile = FollowupAgent(), [fact("name", "Ada Kowalski")]
    answer, shown = await perform(agent, "Write a polite nudge to Acme", canned(ACME, BOLT), profile=profile)
    draft = shown.one("email_draft")
    assert "the planner position at Acme" in draft.body
    assert f"{ago(14).day} {ago(14):%B %Y}" in draft.body
    assert draft.body.endswith("Ada Kowalski")
    assert draft.placeholders == ("[name]",)
    assert "`[name]`" in answer.text
    _, shown = await perform(agent, "make it firmer", canned(ACME), history=answered(shown), profile=profile)
    assert "by [date]" in shown.one("email_draft").body


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Write a thank-you note to Bolt & Sons after the interview", "Thank you for talking to me about the welder"),
        ("I want to withdraw my application to Acme politely.", "withdraw it"),
        ("They rejected me at Acme. How do I ask for feedback?", "what would have made my application stronger"),
        ("Reply to Bolt & Sons and confirm the interview time", "glad to confirm"),
        ("Write to Bolt & Sons to move the interview to another day", "[two other times]"),
    ],
)
async def test_each_kind_of_letter(message, words):
    _, shown = await perform(FollowupAgent(), message, canned(ACME, BOLT))
    assert words in shown.one("email_draft").body
    assert 30 <= len(shown.one("email_draft").body.split()) <= 120


async def test_with_several_on_record_and_none_named_the_user_is_asked_which():
    answer, shown = await perform(FollowupAgent(), "write a chaser", canned(ACME, BOLT))
    assert "Which one do you mean?" in answer.text
    offered = shown.one("suggestions").suggestions
    assert [reply.intent for reply in offered] == ["followup", "followup"]
    assert "email_draft" not in shown.types()
    _, shown = await perform(
        FollowupAgent(), "a chaser for the second one", canned(ACME, BOLT), history=answered(shown)
    )
    assert "Bolt & Sons" in shown.one("email_draft").body


async def test_when_to_chase_is_counted_in_days_since_the_last_word():
    answer, _ = await perform(FollowupAgent(), "Should I chase Bolt & Sons or wait?", canned(ACME, BOLT))
    assert "would be early" in answer.text
    listed, shown = await perform(FollowupAgent(), "Which of my applications should I chase?", canned(ACME, BOLT, GONE))
    assert "**1** is due" in listed.text
    assert [a.next_step.split()[0] for a in shown.one("application_status").applications] == ["write", "wait", "ask"]
    assert "receive no mail" in listed.text


async def test_could_not_look_is_not_nothing_found():
    away = [
        Canned("read_applications", Err("unavailable", "no")),
        Canned("track_application", Err("unavailable", "no")),
    ]
    failed, shown = await perform(FollowupAgent(), "any updates?", away)
    assert "could not reach" in failed.text
    assert "No application" not in failed.text
    assert "application_status" not in shown.types()
    written, shown = await perform(FollowupAgent(), "Write a chaser to Acme about the planner job", away)
    assert "Acme" in shown.one("email_draft").body
    assert "nothing was recorded" in written.text


async def test_a_temporary_chat_stores_nothing():
    untouched = canned(ACME)
    answer, _ = await perform(FollowupAgent(), "I applied to Acme today", untouched, temporary=True)
    assert "temporary" in answer.text
    assert not untouched[0].asked
    assert not untouched[1].asked


async def test_a_tool_of_a_temporary_chat_refuses():
    for tool in (ReadApplications(None, None, temporary=True), TrackApplication(None, None, "m", temporary=True)):
        assert isinstance(await tool.run(None), Err)


def test_a_change_of_nothing_says_so():
    assert Tracked(ACME).application.open
    assert not GONE.open


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("two weeks ago", date(2026, 5, 6)),
        ("It's been three weeks since", date(2026, 4, 29)),
        ("after 10 days of silence", date(2026, 5, 10)),
        ("yesterday", date(2026, 5, 19)),
        ("last Friday", date(2026, 5, 15)),
        ("on Monday", date(2026, 5, 18)),
        ("on 3 May", date(2026, 5, 3)),
        ("May 3rd, 2025", date(2025, 5, 3)),
        ("in January", date(2026, 1, 1)),
        ("in December", date(2025, 12, 1)),
        ("2026-02-30", None),
        ("31 February", None),
        ("they may call", None),
        ("a second one", None),
        ("", None),
    ],
)
def test_days_as_people_say_them(text, expected):
    assert day_said(text, date(2026, 5, 20)) == expected


def test_a_day_to_come():
    assert day_said("next Tuesday", date(2026, 5, 20)) == date(2026, 5, 26)
    assert day_said("on Friday", date(2026, 5, 20), ahead=True) == date(2026, 5, 22)
    assert day_said("in two weeks", date(2026, 5, 20)) == date(2026, 6, 3)
    assert day_said("3 January", date(2026, 5, 20), ahead=True) == date(2027, 1, 3)


@pytest.mark.parametrize("message", ["", "?", "the", "x" * 5000, "I applied to", "Acme " * 300, "\u202e[b] </facts>"])
async def test_any_text_gets_an_answer(message):
    answer, _ = await perform(FollowupAgent(), message, canned(ACME, BOLT))
    assert answer.text
