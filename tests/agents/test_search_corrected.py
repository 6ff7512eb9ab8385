"""A correction right after a search changes that search and is searched for again; a rule goes, none comes of it."""

import time
from datetime import date

import pytest
from stage import Canned, fact, hit, hits, perform, searched

from signalbox.agents.job_search import JobSearchAgent
from signalbox.agents.profile_update import ProfileUpdateAgent
from signalbox.agents.searching.conditions import conditions_of, subject_of
from signalbox.agents.searching.wish import read_wish
from signalbox.memory.conversation import PastMessage
from signalbox.tools.result import Err, Ok
from signalbox.tools.update_profile import UpdatedProfile
from signalbox.tools.vocabulary import packaged_vocabulary

TODAY = date(2026, 3, 2)
REMOTE_ONLY = fact("remote", "only", "constraint")
PART_TIME = fact("work_time", "part-time", "constraint")


def after(*messages, profile=()):
    """The last of these searches of one conversation."""
    history = tuple(past for message in messages[:-1] for past in searched(message))
    return read_wish(messages[-1], history, profile, None, today=TODAY, vocabulary=packaged_vocabulary())


def told(wish):
    return subject_of(wish.query), conditions_of(wish.query, wish.limits)


@pytest.mark.parametrize(
    ("searches", "subject", "conditions"),
    [
        (
            (
                "find me remote data engineer jobs paying at least 120k",
                "not remote after all, Berlin or London is fine",
            ),
            "“data engineer” postings",
            {"location": "in Berlin or London", "pay": "paying at least 120,000 a year"},
        ),
        (("find Python jobs", "not remote after all, London is fine"), "“Python” postings", {"location": "in London"}),
        (
            ("find python jobs in Berlin", "remote is fine too"),
            "“python” postings",
            {"location": "in Berlin or remote"},
        ),
        (
            ("find python jobs in Berlin", "remote is fine too", "London is ok too"),
            "“python” postings",
            {"location": "in Berlin or London, or remote"},
        ),
        (
            ("find python jobs in Berlin", "remote is fine too", "not remote after all"),
            "“python” postings",
            {"location": "in Berlin"},
        ),
        (("find remote python jobs", "on-site is fine now"), "“python” postings", {}),
        (
            ("find remote python jobs", "on-site is fine now", "only in Leeds"),
            "“python” postings",
            {"location": "in Leeds"},
        ),
        (("find remote python jobs", "London is fine too"), "“python” postings", {"location": "in London or remote"}),
        (("find on-site jobs in Leeds", "actually remote is fine too"), "postings", {"location": "in Leeds or remote"}),
        (("find part-time nurse jobs", "ok full-time is fine too"), "“nurse” postings", {}),
        (("find nurse jobs in Leeds", "also Sheffield"), "“nurse” postings", {"location": "in Leeds or Sheffield"}),
        (("find nurse jobs in Leeds", "and York too"), "“nurse” postings", {"location": "in Leeds or York"}),
        *(
            (("find nurse jobs in Leeds", also), "“nurse” postings", {"location": "in Leeds or Sheffield"})
            for also in (
                "also in Sheffield",
                "and Sheffield",
                "or in Sheffield",
                "add Sheffield",
                "include Sheffield please",
                "what about Sheffield too?",
                "show me Sheffield as well",
                "can you show me ones in Sheffield too?",
                "extend it to Sheffield",
                "also search in Sheffield",
                "plus Sheffield",
            )
        ),
        *(
            (("find nurse jobs in Leeds", also), "“nurse” postings", {"location": "in Leeds or remote"})
            for also in ("also remote", "remote as well", "or remote ones", "include remote jobs")
        ),
        *(
            (("find nurse jobs in Leeds", instead), "“nurse” postings", {"location": "in Sheffield"})
            for instead in ("what about Sheffield?", "and in Sheffield?", "Sheffield instead", "in Sheffield")
        ),
        *(
            (("find nurse jobs in Leeds", also), f"“{role}” postings", {"location": "in Leeds"})
            for also, role in (
                ("also teachers", "teachers"),
                ("teachers too", "teachers"),
                ("and doctors as well", "doctors"),
                ("and cooks", "cooks"),
            )
        ),
        (("junior nurse jobs in Leeds", "also senior ones"), "“nurse” postings", {"location": "in Leeds"}),
        (("part-time nurse jobs", "also full-time"), "“nurse” postings", {}),
        (("remote nurse jobs", "also on-site ones"), "“nurse” postings", {}),
        (("remote nurse jobs", "on-site as well"), "“nurse” postings", {}),
        (("remote nurse jobs", "only on-site ones"), "“nurse” postings", {"remote": "that are on site"}),
        (("junior nurse jobs", "only senior ones"), "“nurse” postings", {"level": "at senior level"}),
        (
            ("find nurse jobs", "also over 30k"),
            "“nurse” postings",
            {"pay": "paying at least 30,000 a year"},
        ),
        (
            ("find nurse jobs in Leeds", "actually anywhere in the UK is fine"),
            "“nurse” postings",
            {"location": "in United Kingdom"},
        ),
        (
            ("find nurse jobs in Leeds", "London is fine too, only senior ones"),
            "“nurse” postings",
            {"location": "in Leeds or London", "level": "at senior level"},
        ),
        (("find jobs over 50k", "I'd take less"), "postings", {}),
        (("find jobs with no nights", "nights are fine"), "postings", {}),
        (("find python jobs, remote is fine",), "“python” postings", {"remote": "that are remote"}),
    ],
)
def test_a_correction_changes_the_search_just_made(searches, subject, conditions):
    assert told(after(*searches)) == (subject, conditions)


def test_a_search_changed_by_a_correction_goes_on_from_there():
    wish = after("find remote jobs in nursing over 40k", "not remote after all, Leeds is fine", "only full-time ones")
    assert conditions_of(wish.query) == {
        "location": "in Leeds", "pay": "paying at least 40,000 a year", "employment": "as full-time work",
    }  # fmt: skip
    assert wish.refines


def test_places_that_would_do_too_stand_beside_the_place_of_a_rule():
    rule = fact("location", "Berlin", "constraint")
    assert after("find python jobs", "London is fine too", profile=[rule]).query.locations == ("Berlin", "London")


HOLDS = [
    "not remote after all, Berlin or London is fine", "actually remote is fine too", "on-site is fine now",
    "ok full-time is fine too", "weekends are fine", "London is fine too", "also Sheffield", "I'd take less",
    "it doesn't have to be in Leeds", "and Sheffield", "or in York", "what about York too?", "also remote",
    "only remote", "just the remote ones", "ok, only part-time please", "only in York", "only senior ones",
]  # fmt: skip
ELSEWHERE = [
    "thanks", "is remote fine?", "write to the first one", "remember that I like tea", "I'm fine", "me too",
    "forget my salary", "forget the remote rule",
    "only the first one", "I only want remote jobs", "only two of them", "just in case", "just kidding",
    "show me the first one too", "add it to my tracker", "and write to Reading", "or not", "include salary",
    "the first one is fine", "what do nurses earn?", "my wife thinks the office is fine",
]  # fmt: skip


OFFER = PastMessage(
    role="assistant",
    content="Shall I drop the remote condition, the location condition or the pay condition and look again?",
    agent="job_search",
)
ASKED = PastMessage(role="user", content="find remote nurse jobs in Leeds paying at least 60k", intent="job_search")


@pytest.mark.parametrize(
    ("message", "left"),
    [
        ("drop the pay condition", {"remote", "location"}),
        ("the remote one", {"location", "pay"}),
        ("place please", {"remote", "pay"}),
        ("Yes, drop the salary one", {"remote", "location"}),
    ],
)
def test_the_condition_to_drop_may_be_named_where_the_answer_asked_for_it(message, left):
    assert JobSearchAgent().holds(message, (ASKED, OFFER))
    assert JobSearchAgent().holds(message, searched(ASKED.content)) == ("condition" in message)
    wish = read_wish(message, (ASKED, OFFER), (), None, today=TODAY, vocabulary=packaged_vocabulary())
    assert set(conditions_of(wish.query)) == left
    assert subject_of(wish.query) == "“nurse” postings"


@pytest.mark.parametrize("message", HOLDS)
def test_a_correction_right_after_a_search_is_the_searchs(message):
    history = searched("find remote nurse jobs in Leeds")
    assert JobSearchAgent().holds(message, history)
    said_between = (
        PastMessage(role="user", content="hi"),
        PastMessage(role="assistant", content="Hi", agent="general"),
    )
    assert not JobSearchAgent().holds(message, (*history, *said_between))
    assert not JobSearchAgent().holds(message, ())


@pytest.mark.parametrize(
    "dense", ["on-site and ", "not remote after all, ", "London too ", "i'd also also ", "x" * 500]
)
def test_a_long_message_is_told_in_a_moment(dense):
    begun = time.thread_time()
    JobSearchAgent().holds(dense * 1_000, searched("find remote nurse jobs in Leeds"))
    JobSearchAgent().holds((dense * 30)[:400], searched("find remote nurse jobs in Leeds"))
    assert time.thread_time() - begun < 0.5


def test_another_figure_is_the_searchs_only_where_it_asked_for_pay():
    assert JobSearchAgent().holds("make that 60k", searched("find nurse jobs over 50k"))
    assert not JobSearchAgent().holds("actually 35k would be enough", searched("find nurse jobs"))


@pytest.mark.parametrize("message", ELSEWHERE)
def test_other_messages_after_a_search_are_not(message):
    assert not JobSearchAgent().holds(message, searched("find remote nurse jobs in Leeds"))


async def test_nothing_is_kept_of_a_correction_where_the_profile_has_no_rule():
    kept = Canned("update_profile", Err("bug", "must not be called"))
    search = Canned("search_jobs", Ok(hits(hit(1))))
    history = searched("find me remote data engineer jobs")
    message = "not remote after all, Berlin or London is fine"
    _, recorder = await perform(JobSearchAgent(), message, [search, kept], history=history)
    assert kept.asked == []
    assert "profile_updated" not in recorder.types()
    assert search.asked[0].query.remote is None
    assert search.asked[0].query.locations == ("Berlin", "London")


async def test_a_rule_that_the_correction_takes_back_goes_and_the_answer_says_so():
    kept = Canned("update_profile", Ok(UpdatedProfile((), (REMOTE_ONLY,), ())))
    search = Canned("search_jobs", Ok(hits(hit(1))))
    history = searched("find nurse jobs")
    answer, recorder = await perform(
        JobSearchAgent(), "on-site is fine now", [search, kept], history=history, profile=[REMOTE_ONLY]
    )
    assert [(one.key, one.value) for one in kept.asked[0].remove] == [("remote", "only")]
    assert kept.asked[0].add == ()
    assert answer.text.startswith("I no longer hold you to remote only. Say “undo that” to take it back.")
    assert recorder.one("profile_updated").removed == (REMOTE_ONLY,)
    assert recorder.one("jobs_data").total == 1


async def test_a_rule_that_could_not_be_taken_out_holds_no_more_in_this_search_and_the_answer_says_so():
    kept = Canned("update_profile", Err("unavailable", "down"))
    search = Canned("search_jobs", Ok(hits(hit(1, remote=False))))
    answer, _ = await perform(
        JobSearchAgent(), "on-site is fine now", [search, kept], history=searched("nurse jobs"), profile=[REMOTE_ONLY]
    )
    assert "I do not hold you to remote only in this search" in answer.text
    assert "rule still stands" in answer.text


async def test_the_condition_of_a_search_that_is_dropped_leaves_the_rule():
    kept = Canned("update_profile", Err("bug", "must not be called"))
    search = Canned("search_jobs", Ok(hits(hit(1))))
    history = searched("remote nurse jobs")
    await perform(
        JobSearchAgent(),
        "search again without the remote condition",
        [search, kept],
        history=history,
        profile=[REMOTE_ONLY],
    )
    assert kept.asked == []


async def test_a_lasting_rule_beside_which_another_cannot_stand_takes_its_place():
    full_time = fact("work_time", "full-time", "constraint")
    kept = Canned("update_profile", Ok(UpdatedProfile((full_time,), (PART_TIME,), (full_time,))))
    search = Canned("search_jobs", Ok(hits(hit(1))))
    answer, _ = await perform(
        JobSearchAgent(), "find nurse jobs, from now on only full-time work", [search, kept], profile=[PART_TIME]
    )
    assert [(one.key, one.value) for one in kept.asked[0].remove] == [("work_time", "part-time")]
    assert "no longer hold you to part-time only" in answer.text


async def test_words_that_may_loosen_a_rule_leave_it_and_the_answer_says_how_to_lift_it():
    note = fact("note", "on-site is fine if it's in Leeds")
    kept = Canned("update_profile", Ok(UpdatedProfile((note,), (), (REMOTE_ONLY, note))))
    answer, _ = await perform(ProfileUpdateAgent(), note.value, [kept], profile=[REMOTE_ONLY])
    assert kept.asked[0].remove == ()
    assert "I still hold you to remote only. If that is over, say “forget my remote setting”." in answer.text
    answer, _ = await perform(ProfileUpdateAgent(), "I like tea a lot in the morning", [kept], profile=[REMOTE_ONLY])
    assert "still hold you" not in answer.text


@pytest.mark.parametrize(
    ("message", "rule", "words"),
    [
        ("on-site is fine now", REMOTE_ONLY, "I no longer hold you to remote only."),
        ("actually remote is fine too", fact("remote", "no", "constraint"), "I no longer hold you to on site only."),
        ("ok full-time is fine too", PART_TIME, "I no longer hold you to part-time only."),
        ("weekends are fine", fact("exclude_term", "weekends", "constraint"), "I no longer hold you to no weekends."),
    ],
)
async def test_the_profile_lets_a_rule_go_by_the_same_words_and_says_so(message, rule, words):
    kept = Canned("update_profile", Ok(UpdatedProfile((), (rule,), ())))
    answer, _ = await perform(ProfileUpdateAgent(), message, [kept], profile=[rule])
    assert [(one.key, one.value) for one in kept.asked[0].remove] == [(rule.key, rule.value)]
    assert kept.asked[0].add == ()
    assert answer.text.startswith(words)
    assert "“undo that”" in answer.text
