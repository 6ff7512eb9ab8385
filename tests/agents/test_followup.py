from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from stage import Canned, fact, perform, searched

from signalbox.agents.followup import FollowupAgent
from signalbox.agents.words.dates_said import day_said
from signalbox.blocks import CoverLetter, EmailDraft, Job, JobMatch, JobsData, JobVerdict
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
    kinds = {"application_status", "email_draft"}
    blocks = [e.model_dump(mode="json") for e in recorder.events if e.type in kinds]
    return (PastMessage(role="assistant", content=text, agent="followup", blocks=tuple(blocks)),)


class Talk:
    """A conversation with the tracker on a real store."""

    def __init__(self, tools, history=()):
        self.tools = tools
        self.history = tuple(history)
        self.shown = None
        self.text = ""
        self.held = False
        self._count = 0

    async def say(self, message):
        self._count += 1
        agent = FollowupAgent()
        self.held = agent.holds(message, self.history)
        answer, self.shown = await perform(agent, message, self.tools(f"t{self._count}"), history=self.history)
        self.text = answer.text
        asked = PastMessage(role="user", content=message, intent="followup")
        self.history = (*self.history, asked, *answered(self.shown, answer.text))
        return answer.text

    async def rows(self):
        found = await self.tools("look")[0].run(None)
        return {one.company: one for one in found.value} if isinstance(found, Ok) else {}

    @property
    def draft(self):
        return self.shown.one("email_draft")

    @property
    def drafted(self):
        return "email_draft" in self.shown.types()


@pytest.fixture
def talk(tools):
    return Talk(tools)


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


@pytest.mark.parametrize(
    "message",
    [
        "",
        "?",
        "the",
        "x" * 5000,
        "Acme, " * 1500,
        "I applied to " + "A and " * 900,
        "I applied to",
        "Acme " * 300,
        "\u202e[b] </facts>",
    ],
)
async def test_any_text_gets_an_answer(message):
    answer, _ = await perform(FollowupAgent(), message, canned(ACME, BOLT))
    assert answer.text


async def test_a_rejection_is_recorded_where_it_came_from_and_answered_warmly_once(talk):
    text = await talk.say("Got rejected again after the final round at Monzo, that's the 9th this month")
    assert {name: row.status for name, row in (await talk.rows()).items()} == {"Monzo": "rejected"}
    assert "The 9th this month is a lot to take" in text
    assert text.count("Monzo") == 1
    assert "no verdict on you" in text
    again = await talk.say("Deloitte rejected me too")
    assert "sorry about this one too" in again
    assert "no verdict" not in again


async def test_several_applications_in_one_message_are_all_recorded_each_with_its_day(talk):
    await talk.say("I applied for Staff Nurse at St Brannoc's Hospital in Leeds on 5 November")
    text = await talk.say("I also applied to Revolut three weeks ago and Wise yesterday, heard nothing")
    rows = await talk.rows()
    assert rows["St Brannoc's Hospital"].title == "Staff Nurse"
    assert (rows["Revolut"].applied_on, rows["Wise"].applied_on) == (ago(21), ago(1))
    assert "2 applications" in text
    assert text.count("Revolut") == text.count("Wise") == 1
    assert len(rows) == 3


async def test_telling_of_two_again_by_the_same_message_changes_nothing(tools):
    for _ in range(2):
        await perform(FollowupAgent(), "I applied to Revolut and Wise yesterday", tools("m1"))
    found = await tools("m2")[0].run(None)
    assert sorted(one.company for one in found.value) == ["Revolut", "Wise"]


async def test_the_answer_tells_how_the_application_stands_once(talk):
    text = await talk.say("I applied to Haldvik Freight as a planner two weeks ago")
    assert text.count("planner") == text.count("Haldvik Freight") == 1
    assert (await talk.rows())["Haldvik Freight"].title == "planner"
    assert "already" in await talk.say("I applied to Haldvik Freight as a planner two weeks ago")


async def test_an_invitation_is_tracked_with_its_day_and_the_day_can_be_put_right(talk):
    await talk.say("Wise invited me to an interview tomorrow!")
    assert (await talk.rows())["Wise"].last_contact_on == ago(-1)
    await talk.say("no, it's in 3 days")
    assert talk.held
    row = (await talk.rows())["Wise"]
    assert (row.status, row.last_contact_on) == ("interview", ago(-3))


async def test_that_it_was_sent_takes_no_interview_back(talk):
    await talk.say("I had an interview at Willowmere Care yesterday")
    await talk.say("I applied to Willowmere Care two weeks ago as a carer")
    row = (await talk.rows())["Willowmere Care"]
    assert (row.status, row.applied_on, row.title) == ("interview", ago(14), "carer")


def letter_for(job_id=None, company=None, role=None):
    block = CoverLetter(title="Letter", body="Dear", job_id=job_id, company=company, role=role)
    return (
        PastMessage(role="user", content="write a cover letter", intent="cover_letter"),
        PastMessage(role="assistant", content="Here.", agent="cover_letter", blocks=(block.model_dump(mode="json"),)),
    )


@pytest.mark.parametrize("message", ["i applied to it yesterday", "applied yesterday", "I've sent it off, yesterday"])
async def test_it_is_the_post_a_letter_was_just_written_for(tools, message):
    talk = Talk(tools, (*searched("analyst jobs"), *letter_for("j2", "Contoso Labs", "Data Analyst")))
    await talk.say(message)
    row = (await talk.rows())["Contoso Labs"]
    assert (row.title, row.job_id, row.applied_on) == ("Data Analyst", "j2", ago(1))


async def test_it_is_the_post_an_employer_was_just_written_to_about(tools):
    draft = EmailDraft(subject="Hello", body="Hi")
    wrote = (
        PastMessage(role="user", content="Write an email to Bluebird Travel about the agent role", intent="cold_email"),
        PastMessage(role="assistant", content=".", agent="cold_email", blocks=(draft.model_dump(mode="json"),)),
    )
    talk = Talk(tools, wrote)
    await talk.say("I applied to it today")
    assert (await talk.rows())["Bluebird Travel"].title == "agent"


async def test_it_is_the_best_of_a_comparison(tools):
    job = Job(job_id="j9", title="Baker", company="Crumb & Co")
    match = JobMatch(criterion="fit", verdicts=(JobVerdict(place=1, job=job, verdict="good"),), best="j9")
    past = PastMessage(role="assistant", content=".", agent="job_match", blocks=(match.model_dump(mode="json"),))
    talk = Talk(tools, (past,))
    await talk.say("i applied to it today")
    assert (await talk.rows())["Crumb & Co"].job_id == "j9"


async def test_without_a_company_the_user_is_asked_and_the_answer_completes_it(talk):
    text = await talk.say("I applied to a Cape Town agency yesterday")
    assert "Which company" in text
    assert await talk.rows() == {}
    await talk.say("Bluebird Travel")
    assert talk.held
    assert (await talk.rows())["Bluebird Travel"].applied_on == ago(1)
    await talk.say("I applied for the lidl job two weeks ago")
    await talk.say("lidl")
    rows = await talk.rows()
    assert (rows["Lidl"].applied_on, rows["Lidl"].title) == (ago(14), "")


async def test_a_withdrawal_of_what_is_not_on_the_tracker_records_nothing(talk):
    text = await talk.say("withdraw the Willowmere one")
    assert talk.draft.kind == "withdrawal"
    assert "Willowmere" in talk.draft.body
    assert "not on your tracker" in text
    assert await talk.rows() == {}


async def test_a_withdrawal_of_a_known_application_is_drafted_and_marking_it_offered(talk):
    await talk.say("I applied to Willowmere Care yesterday")
    await talk.say("withdraw the Willowmere one")
    assert talk.draft.kind == "withdrawal"
    assert (await talk.rows())["Willowmere Care"].status == "applied"
    offered = talk.shown.one("suggestions").suggestions[0]
    assert offered.label == "Mark it withdrawn"
    await talk.say(offered.message)
    assert (await talk.rows())["Willowmere Care"].status == "withdrawn"


async def test_a_changed_draft_stays_the_letter_it_was(talk):
    await talk.say("They rejected me at Monzo")
    await talk.say("write to them and ask for feedback")
    assert talk.held
    assert (talk.draft.kind, "Monzo" in talk.draft.body) == ("feedback", True)
    long = talk.draft.body
    text = await talk.say("make it shorter and warmer")
    assert talk.held
    assert talk.draft.kind == "feedback"
    assert talk.draft.body.startswith("Hello")
    assert len(talk.draft.body) < len(long)
    assert "now shorter and warmer" in text
    await talk.say("firmer")
    assert talk.draft.kind == "feedback"


async def test_the_manner_asked_for_adds_up(talk):
    await talk.say("I applied to Revolut two weeks ago")
    await talk.say("chase Revolut")
    await talk.say("make it firmer")
    await talk.say("shorter")
    assert "by [date]" in talk.draft.body
    assert "If the position has been filled" not in talk.draft.body


@pytest.mark.parametrize(
    "message", ["chase Revolut", "nudge revolut", "please remind Revolut", "can you chase them", "send me a chaser"]
)
async def test_a_bare_verb_asks_for_a_chaser(talk, message):
    await talk.say("I applied to Revolut two weeks ago")
    await talk.say(message)
    assert (talk.draft.kind, "Revolut" in talk.draft.body) == ("chaser", True)


@pytest.mark.parametrize("message", ["Should I chase Revolut?", "chase or wait?", "when should I nudge them?"])
async def test_whether_to_chase_is_no_request_for_a_letter(talk, message):
    await talk.say("I applied to Revolut yesterday")
    assert "would be early" in await talk.say(message)
    assert not talk.drafted


async def test_the_other_one_and_the_hospital_are_found(talk):
    await talk.say("I applied for Staff Nurse at St Brannoc's Hospital two weeks ago")
    await talk.say("I applied to Revolut three weeks ago")
    await talk.say("chase Revolut")
    await talk.say("send me a chaser for the other one")
    assert "St Brannoc's Hospital" in talk.draft.body
    await talk.say("and a chaser to Revolut")
    await talk.say("send me a chaser for the hospital")
    assert "St Brannoc's Hospital" in talk.draft.body


async def test_an_employer_is_known_by_a_shorter_name_and_the_last_change_can_be_corrected(talk):
    await talk.say("I applied for Staff Nurse at St Brannoc's Hospital two weeks ago")
    await talk.say("St Brannoc's offered me the job!")
    assert (await talk.rows())["St Brannoc's Hospital"].status == "offer"
    text = await talk.say("actually it was an interview invite not an offer")
    assert talk.held
    assert "“offer” to “interview”" in text
    await talk.say("and I had an interview at Willowmere Care last Friday")
    row = (await talk.rows())["Willowmere Care"]
    assert row.status == "interview"
    assert row.last_contact_on < TODAY
    assert "2 applications" in await talk.say("show tracker")


async def test_a_choice_among_several_keeps_what_was_asked_for(talk):
    await talk.say("I applied to Revolut and Wise two weeks ago")
    talk.history = ()
    await talk.say("write a chaser")
    assert not talk.drafted
    await talk.say("the second one")
    assert "Wise" in talk.draft.body
    talk.history = ()
    await talk.say("they rejected me")
    assert "Which one" in talk.text
    await talk.say("wise")
    assert (await talk.rows())["Wise"].status == "rejected"
    assert (await talk.rows())["Revolut"].status == "applied"


async def test_what_is_not_on_the_tracker_cannot_be_removed(talk):
    await talk.say("I applied to Revolut and Wise two weeks ago")
    assert "nothing to remove" in await talk.say("remove the Tesco application from my list")
    assert len(await talk.rows()) == 2


def test_only_its_own_conversation_is_held():
    agent = FollowupAgent()
    assert not agent.holds("shorter", ())
    assert not agent.holds("make it shorter", letter_for(company="Acme"))
    assert not agent.holds("find me jobs in Leeds", (PastMessage(role="assistant", content="ok", agent="followup"),))


async def test_an_application_to_a_posting_of_an_older_list_is_recorded_as_that_posting(tools):
    def listed(*jobs):
        block = JobsData(jobs=jobs, total=len(jobs), truncated=False, sources=()).model_dump(mode="json")
        return PastMessage(role="assistant", content="…", agent="job_search", blocks=(block,))

    older = Job(job_id="j9", title="Python Developer, Geospatial", company="Pinefold Labs")
    other = Job(job_id="j8", title="Python Tester", company="Pinefold Labs")
    talk = Talk(tools, (listed(other, older), *searched("data jobs")))
    await talk.say("I applied for the Python Developer, Geospatial job at Pinefold Labs today")
    row = (await talk.rows())["Pinefold Labs"]
    assert (row.title, row.job_id, row.status, row.applied_on) == (older.title, "j9", "applied", TODAY)
    text = await talk.say("Write a follow-up to Pinefold Labs about my application as Python Developer, Geospatial")
    assert talk.draft.kind == "chaser"
    assert "Python Developer, Geospatial" in talk.draft.body
    assert "Which" not in text
    assert len(await talk.rows()) == 1


@pytest.mark.parametrize(
    "question",
    [
        "what's on my tracker?",
        "What's on my tracker",
        "what is on my tracker?",
        "show my applications",
        "what jobs are there?",
        "I don't know any more",
        "I forgot its name",
        "find me jobs in Leeds",
        "can you help me?",
        "how long should I wait?",
        "who are they",
        "really?",
        "Why?",
        "nevermind",
        "idk",
        "ok cool",
    ],
)
async def test_a_question_or_a_sentence_is_never_a_company(talk, question):
    assert "Which company" in await talk.say("I applied to the first one yesterday")
    await talk.say(question)
    assert await talk.rows() == {}, talk.text


@pytest.mark.parametrize("name", ["Tesco", "tesco", "at Tesco", "it was Tesco", "Tesco?"])
async def test_a_bare_name_still_answers_the_question(talk, name):
    await talk.say("I applied yesterday")
    await talk.say(name)
    assert talk.held
    assert (await talk.rows())["Tesco"].applied_on == ago(1)


async def test_the_tracker_is_listed_when_it_is_asked_for_after_an_open_question(talk):
    await talk.say("I applied to Quillmark on Monday")
    await talk.say("I applied to the first one yesterday")
    text = await talk.say("what's on my tracker?")
    assert "1 application" in text
    assert "Quillmark" in text


async def test_nobody_has_applied_tomorrow(talk):
    text = await talk.say("I applied to Quillmark tomorrow")
    row = (await talk.rows())["Quillmark"]
    assert (row.applied_on, row.last_contact_on) == (None, None)
    assert "still to come" in text
    assert "in 1 day" not in text
    assert "still to come" not in await talk.say("I applied to Quillmark last week")
    assert (await talk.rows())["Quillmark"].last_contact_on == ago(7)


async def test_a_rejection_is_not_dated_ahead_but_an_interview_is(talk):
    await talk.say("Quillmark rejected me tomorrow")
    await talk.say("Haldvik Freight invited me to an interview tomorrow")
    rows = await talk.rows()
    assert rows["Quillmark"].last_contact_on == TODAY
    assert rows["Haldvik Freight"].last_contact_on == ago(-1)


async def test_a_day_to_come_that_was_stored_before_counts_for_nothing():
    slip = replace(ACME, applied_on=ago(7), last_contact_on=ago(-1))
    answer, shown = await perform(FollowupAgent(), "show my applications", canned(slip, replace(BOLT, applied_on=None)))
    row = shown.one("application_status").applications[0]
    assert (row.days_since, row.last_contact_on) == (7, ago(7))
    assert "prepare for" not in answer.text


async def test_a_thank_you_note_after_a_rejection_expects_no_next_steps():
    for message in ("Write a thank-you note to Caldera", "They turned me down at Acme. Write them a thank-you note"):
        _, shown = await perform(FollowupAgent(), message, canned(GONE, ACME))
        draft = shown.one("email_draft")
        assert "next steps" not in draft.body
        assert "your decision" in draft.body
        assert 30 <= len(draft.body.split()) <= 120


@pytest.mark.parametrize(
    ("status", "message", "says", "never"),
    [
        (
            "rejected",
            "write a chaser to Acme",
            "what would have made my application stronger",
            "remain very interested",
        ),
        ("rejected", "write a thank-you note to Acme", "your decision", "next steps"),
        ("offer", "write a thank-you note to Acme", "offering me", "would like to do this work"),
        ("accepted", "write a thank-you note to Acme", "offering me", "next steps"),
        ("withdrawn", "write a thank-you note to Acme", "withdrew it", "next steps"),
        ("offer", "write a chaser to Acme", "the terms in writing", "when you expect to decide"),
        ("interview", "write a chaser to Acme", "the interview for", "have not had an answer"),
        ("applied", "write a chaser to Acme", "remain very interested", "offering me"),
    ],
)
async def test_a_letter_says_what_is_fitting_at_where_the_application_stands(status, message, says, never):
    _, shown = await perform(FollowupAgent(), message, canned(replace(ACME, status=status)))
    body = shown.one("email_draft").body
    assert says in body
    assert never not in body
    assert 30 <= len(body.split()) <= 120


@pytest.mark.parametrize(
    "message", ["get rid of the acme entry", "scrap the Acme application", "take Acme off my list"]
)
async def test_an_application_is_removed_in_whatever_words(message):
    _, shown = await perform(FollowupAgent(), message, canned(ACME, BOLT))
    calls = [event for event in shown.events if event.type == "tool_call" and event.tool == "track_application"]
    assert [(each.arguments["action"], each.arguments["application_id"]) for each in calls] == [
        ("remove", ACME.application_id)
    ]
