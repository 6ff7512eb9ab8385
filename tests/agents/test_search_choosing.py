"""Replies to "shall I drop the remote condition, the location condition or the pay condition?"."""

import time
from datetime import date

import pytest
from stage import Canned, fact, hit, hits, perform, searched

from signalbox.agents.job_search import JobSearchAgent
from signalbox.agents.profile_update import ProfileUpdateAgent
from signalbox.agents.searching.choosing import Choice, choice_of, offered_in
from signalbox.agents.searching.conditions import conditions_of
from signalbox.agents.searching.wish import read_wish
from signalbox.memory.conversation import PastMessage
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.vocabulary import packaged_vocabulary

OFFERED = ("remote", "location", "pay")
OFFER = "Shall I drop the remote condition, the location condition or the pay condition and look again?"


def asked(answer=OFFER, message="find remote nurse jobs in Leeds paying at least 60k"):
    return (
        PastMessage(role="user", content=message, intent="job_search"),
        PastMessage(role="assistant", content=answer, agent="job_search"),
    )


@pytest.mark.parametrize(
    ("reply", "dropped"),
    [
        ("drop the pay condition", ["pay"]),
        ("the remote one", ["remote"]),
        ("Yes, drop the salary one", ["pay"]),
        ("place please", ["location"]),
        ("hm, the city I guess", ["location"]),
        ("I'd drop the location", ["location"]),
        ("let’s drop the pay one", ["pay"]),
        ("leave the pay out", ["pay"]),
        ("no, the pay one", ["pay"]),
        ("ok, drop pay first", ["pay"]),
        ("drop remote and pay", ["remote", "pay"]),
        ("both remote and pay", ["remote", "pay"]),
        ("pay and the place", ["pay", "location"]),
        ("the first one", ["remote"]),
        ("2", ["location"]),
        ("drop 1 and 3", ["remote", "pay"]),
        ("the second one please", ["location"]),
        ("the last", ["pay"]),
        ("drop the first two", ["remote", "location"]),
        ("the last two", ["location", "pay"]),
        ("all of them", OFFERED),
        ("drop everything", OFFERED),
        ("remove all three", OFFERED),
        ("ok go ahead and drop all of the conditions", OFFERED),
        ("drop pay, keep the rest", ["pay"]),
        ("keep the pay, drop the rest", ["remote", "location"]),
        ("everything but the pay", ["remote", "location"]),
        ("keep both remote and pay", ["location"]),
        ("not both, just the pay", ["pay"]),
        ("not all of them, just the location", ["location"]),
        ("the pay but not both", ["pay"]),
        ("either", ["remote"]),
        ("you choose", ["remote"]),
        ("it doesn't matter", ["remote"]),
    ],
)
def test_a_reply_names_conditions_by_their_words_their_place_or_all_at_once(reply, dropped):
    choice = choice_of(reply, OFFERED)
    assert choice is not None
    assert choice.names == tuple(dropped)
    assert JobSearchAgent().holds(reply, asked())
    wish = read_wish(reply, asked(), (), None, today=date(2026, 3, 2), vocabulary=packaged_vocabulary())
    assert set(conditions_of(wish.query)) == set(OFFERED) - set(dropped)


@pytest.mark.parametrize(
    "reply", ["yes", "yes please", "sure, go ahead", "drop both", "both of them", "keep the pay", "no, not both"]
)
def test_a_reply_that_leaves_open_which_of_several_is_to_be_asked_again(reply):
    assert JobSearchAgent().holds(reply, asked())
    wish = read_wish(reply, asked(), (), None, today=date(2026, 3, 2), vocabulary=packaged_vocabulary())
    assert (wish.undecided, wish.dropped) == (OFFERED, ())
    assert set(conditions_of(wish.query)) == set(OFFERED)


@pytest.mark.parametrize(
    "reply",
    [
        "no", "no thanks", "none of them", "do not drop anything", "thanks", "the remote ones", "only remote", "2 more",
        "remote jobs in York", "what does it pay?", "write to the first one", "nurse jobs", "all nurse jobs",
        "show more", "keep both", "no, keep both", "leave both", "please keep both of them", "ok, keep all of them",
        "ok no", "no, forget it",
        "first aid jobs", "the company Acme", "I like the pay", "a better place", "not remote after all", "x" * 9_000,
    ],
)  # fmt: skip
def test_other_replies_choose_nothing(reply):
    assert choice_of(reply, OFFERED) is None


@pytest.mark.parametrize("offered", [("pay",), ("remote", "pay")])
@pytest.mark.parametrize("reply", ["keep both", "no, keep both", "leave both", "ok no", "no, forget it", "keep it"])
def test_what_is_to_stay_is_not_dropped(reply, offered):
    offer = " or ".join(f"the {name} condition" for name in offered)
    history = asked(f"Shall I drop {offer} and look again?", "remote nurse jobs over 90k")
    wish = read_wish(reply, history, (), None, today=date(2026, 3, 2), vocabulary=packaged_vocabulary())
    assert (wish.query.text, set(conditions_of(wish.query))) == ("nurse", {"remote", "pay"})
    assert choice_of(reply, offered) in {None, Choice()}
    assert choice_of("drop both" if len(offered) > 1 else "no, the pay one", offered) == Choice(offered)


def test_not_remote_is_a_wish_of_its_own_where_the_remote_condition_is_offered():
    history = asked("Shall I drop the remote condition and look again?", "remote nurse jobs")
    wish = read_wish("not remote", history, (), None, today=date(2026, 3, 2), vocabulary=packaged_vocabulary())
    assert conditions_of(wish.query).get("remote") != "that are remote"


@pytest.mark.parametrize("reply", ["ok, thanks", "thanks", "great, thank you very much", "no thanks"])
def test_thanks_end_the_talk_and_drop_nothing(reply):
    history = asked("Shall I drop the pay condition and look again?", "nurse jobs over 90k")
    assert not JobSearchAgent().holds(reply, history)
    assert JobSearchAgent().holds("ok", history)


@pytest.mark.parametrize(
    ("said", "offered"),
    [
        (OFFER, OFFERED),
        ("Shall I drop the location condition and look again?", ("location",)),
        ("Which shall I drop: the pay condition or the date condition? Name one.", ("pay", "date")),
        ("Search again without the pay condition", ("pay",)),
        ("Without the pay condition, **1 posting** fits: “nurse” postings that are remote.", ()),
    ],
)
def test_what_an_answer_offers_is_read_from_its_words(said, offered):
    assert offered_in([said]) == offered


async def test_yes_to_several_is_answered_by_asking_which_and_the_reply_to_that_is_understood():
    search = Canned("search_jobs", Ok(hits(hit(1))))
    answer, recorder = await perform(JobSearchAgent(), "yes", [search], history=asked())
    assert search.asked == []
    assert "Which shall I drop: the remote condition, the location condition or the pay condition?" in answer.text
    buttons = recorder.one("suggestions").suggestions
    assert [button.message for button in buttons][2] == "Search again without the pay condition"
    history = (*asked(), *asked(answer.text, "yes"))
    again, _ = await perform(JobSearchAgent(), "the last two", [search], history=history)
    assert again.text.startswith("Without the location and pay conditions, **1 posting** fits")
    assert search.asked[0].query.locations == ()
    assert search.asked[0].query.salary_min is None
    assert search.asked[0].query.remote is True


def test_what_stays_after_all_is_not_asked_about_again():
    history = (*asked(), *asked("Which shall I drop: the remote condition or the pay condition? Name one.", "yes"))
    wish = read_wish("keep both", history, (), None, today=date(2026, 3, 2), vocabulary=packaged_vocabulary())
    assert (wish.undecided, wish.dropped, set(conditions_of(wish.query))) == ((), (), set(OFFERED))


async def test_yes_to_the_only_condition_offered_drops_it():
    search = Canned("search_jobs", Ok(hits(hit(1))))
    history = asked("Shall I drop the pay condition and look again?", "nurse jobs over 90k")
    answer, _ = await perform(JobSearchAgent(), "yes", [search], history=history)
    assert answer.text.startswith("Without the pay condition, **1 posting** fits")


async def test_a_condition_of_the_search_is_dropped_though_it_was_taken_for_a_rule_of_the_profile():
    kept = Canned("update_profile", Err("bug", "must not be called"))
    read = Canned("read_profile", Empty("nothing is stored"))
    history = searched("find nurse jobs over 35k")
    answer, _ = await perform(ProfileUpdateAgent(), "remove that pay limit", [kept, read], history=history)
    assert (answer.hand_over.to, kept.asked) == ("job_search", [])
    for message, past in (("remove that pay limit", ()), ("remove that location limit", history)):
        stays, _ = await perform(ProfileUpdateAgent(), message, [kept, read], history=past)
        assert stays.hand_over is None
    rule = [fact("salary_min", "50000", "constraint")]
    gone = Canned("update_profile", Err("unavailable", "down"))
    of_profile, _ = await perform(ProfileUpdateAgent(), "remove that pay limit", [gone], history=history, profile=rule)
    assert of_profile.hand_over is None


def test_a_long_reply_is_read_in_a_moment():
    begun = time.thread_time()
    for text in ("drop the pay and ", "first two ", "all but ", "either of them "):
        choice_of(text * 5_000, OFFERED)
        choice_of((text * 30)[:150], OFFERED)
    assert time.thread_time() - begun < 0.3
