"""Messages about an application whose title and employer mislead a classifier."""

import time

import pytest
from test_orchestrator import Speaker, Words, agents, run

from signalbox.agents.followup import FollowupAgent
from signalbox.agents.general import GeneralAgent
from signalbox.agents.talk.small_talk import topic_of
from signalbox.blocks import ProfileFact, ProfileUpdated
from signalbox.graph.intent_data import load_examples, packaged_examples
from signalbox.graph.plain_words import (
    asks_for_a_cover_letter,
    asks_for_the_tracker,
    asks_to_follow_up,
    is_about_an_application,
    is_about_the_profile,
    news_and_request,
    takes_off_the_tracker,
    tells_of_an_answer,
)
from signalbox.graph.several import parts_of
from signalbox.memory.conversation import PastMessage


@pytest.mark.parametrize(
    "message",
    [
        "I applied for Cloud Engineer (Python, OpenStack) at Zephyr Cloudworks",
        "I applied for the Python Developer, Geospatial job at Pinefold Labs today",
        "i just applied for data analyst at contoso labs",
        "Applied for Staff Nurse at St Brannoc's yesterday",
        "Good news! I’ve submitted my application for Practice Nurse to Northbeam Health",
        "Write a follow-up to Pinefold Labs about my application as Python Developer, Geospatial",
        "Can you draft a follow up email for my Data Analyst application at Contoso?",
        "Please send a reminder to Contoso, I applied for Data Analyst two weeks ago",
        "Follow up with Northbeam Health about my Practice Nurse application",
        "A chaser to Contoso about my application, please",
    ],
)
def test_news_of_an_application_and_letters_after_it_are_told_by_their_words(message):
    assert is_about_an_application(message)


@pytest.mark.parametrize(
    "message",
    [
        "I applied for Data Analyst at Contoso. Is my CV good enough?",
        "I want to apply for Data Analyst at Contoso",
        "I haven't applied to Contoso yet",
        "I applied for a loan at Barclays",
        "I applied for forty jobs and nobody answers",
        "I applied for Data Analyst at Contoso, find me similar jobs",
        "Should I write a follow-up about my application?",
        "Write a follow-up to my cold email to Contoso",
        "Write a cover letter for my application to Contoso",
        "Write to the recruiter at Contoso about the Data Analyst job",
        "I applied for Data Analyst at Contoso " + "and then we talked about it " * 20,
        "",
    ],
)
def test_whatever_asks_for_more_is_left_to_the_classifier(message):
    assert not is_about_an_application(message)


def test_the_words_contradict_no_labelled_message():
    spoken = [one for one in load_examples(packaged_examples()) if is_about_an_application(one.text)]
    assert spoken
    assert {one.intent for one in spoken} == {"followup"}


async def test_the_tracker_is_told_of_it_whatever_the_classifier_makes_of_the_title():
    speakers = agents(Speaker("followup"))
    words = Words(Python=("job_search", 0.9))
    final, told = await run("I applied for Python Developer at Pinefold Labs", speakers, words)
    assert [turn.agent for turn in final.turns] == ["followup"]
    intent = told.of("intent")[0]
    assert (intent.intent, intent.source) == ("followup", "rule")
    assert intent.alternatives[0].intent == "job_search"


async def test_a_story_told_in_an_interview_stays_there():
    speakers = agents(Speaker("followup"), Speaker("interview_prep", holding=True))
    final, _ = await run("I applied for Python Developer at Pinefold Labs", speakers, Words())
    assert [turn.agent for turn in final.turns] == ["interview_prep"]


@pytest.mark.parametrize("joint", [". ", " and ", ", so "])
async def test_news_and_a_request_behind_it_are_two_turns(joint):
    news, request = "I applied for Python Developer at Pinefold Labs", "find me similar jobs"
    assert news_and_request(news + joint + request) == (news, request)
    speakers = agents(Speaker("followup"))
    final, _ = await run(news + joint + request, speakers)
    assert [(turn.agent, turn.message) for turn in final.turns] == [("followup", news), ("job_search", request)]


def test_a_list_of_words_is_not_parted_because_a_request_follows_later():
    assert parts_of("Note that I know Python and SQL. Find remote Python jobs") == (
        "Note that I know Python and SQL",
        "Find remote Python jobs",
    )


class Noting(Speaker):
    async def respond(self, turn, ctx):
        fact = ProfileFact(fact_id="f", kind="fact", key="skill", value="Python")
        await ctx.emit(ProfileUpdated(added=(fact,), profile=(fact,)))
        return await super().respond(turn, ctx)


async def test_the_second_of_two_turns_knows_what_the_first_has_stored():
    speakers = agents(Noting("profile_update"))
    words = Words(Note=("profile_update", 0.9), jobs=("job_search", 0.9))
    await run("Note that I know Python. Find remote jobs", speakers, words)
    assert [fact.value for fact in speakers["job_search"].turns[0].profile] == ["Python"]
    assert speakers["profile_update"].turns[0].profile == ()


@pytest.mark.parametrize(
    "message",
    [
        "remember that I like tea",
        "remember that I hate ties",
        "Remember that interviews at Acme are on Fridays",
        "Please remember I use a wheelchair and need step-free access",
        "Can you remember that I have a dog?",
        "remember my passport number is 533401234",
        "Don't forget that I can't do nights",
        "Note: I have a dog",
        "remember no agencies",
        "forget that I am allergic to latex",
        "Please forget I’m a nurse",
        "Delete my note about latex",
    ],
)
def test_what_is_to_be_remembered_or_forgotten_in_so_many_words_goes_to_the_profile(message):
    assert is_about_the_profile(message)


@pytest.mark.parametrize(
    "message",
    [
        "do you remember that I like tea?",
        "remember that job you showed me?",
        "remember me?",
        "Remember the second one",
        "Make a note that the orchestra has asked for my references",
        "note that the wifi password is on the fridge",
        "remember to apply tomorrow",
        "remember that I hate agencies and find me nurse jobs",
        "Remember that I know Python. Find me jobs",
        "forget it",
        "forget that",
        "forget that I said that",
        "forget my last answer",
        "Find jobs in Leeds",
        "",
    ],
)
def test_other_messages_are_not_taken_for_the_profile_by_these_words(message):
    assert not is_about_the_profile(message)


def test_no_labelled_errand_speaks_of_the_profile_so():
    spoken = {one.intent for one in load_examples(packaged_examples()) if is_about_the_profile(one.text)}
    assert "profile_update" in spoken
    assert spoken <= {"profile_update", "general"}  # "remember that I parked on level 3" is to be remembered, too


@pytest.mark.parametrize("word", ["please ", "remember that ", "ok, and then ", "don't "])
def test_a_long_message_is_looked_at_in_a_moment(word):
    begun = time.process_time()  # what a busy machine does meanwhile is no time of its
    is_about_the_profile(word * 5_000)
    assert time.process_time() - begun < 1


@pytest.mark.parametrize("message", ["remember that I like tea", "forget that I am allergic to latex"])
async def test_the_profile_is_told_whatever_the_classifier_makes_of_the_subject(message):
    speakers = agents(Speaker("profile_update"))
    _, told = await run(message, speakers, Words(tea=("general", 0.9), latex=("general", 0.9)))
    intent = told.of("intent")[0]
    assert (intent.intent, intent.source) == ("profile_update", "rule")


@pytest.mark.parametrize(
    "message",
    [
        "what's on my tracker?",
        "What is on my tracker?",
        "show me the tracker",
        "my tracker",
        "remove Acme from my tracker",
        "what's in my application tracker",
        "show my applications",
        "what have I applied to so far?",
        "where did I apply?",
    ],
)
async def test_the_tracker_is_its_agents_by_name(message):
    assert asks_for_the_tracker(message)
    final, told = await run(message, agents(Speaker("followup")), Words(r=("general", 0.99), a=("general", 0.99)))
    assert [turn.agent for turn in final.turns] == ["followup"]
    assert told.of("intent")[0].source == "rule"


@pytest.mark.parametrize(
    "message",
    [
        "I built an issue tracker in Python",
        "is a tracker mortgage a good idea?",
        "jobs at a company that makes the tracker app",
        "where do I apply for a visa?",
        "which jobs have I looked at?",
        "Review my applications for grammar",
        "what can I apply for?",
    ],
)
def test_other_trackers_and_applications_are_left_to_the_classifier(message):
    assert not asks_for_the_tracker(message)


CRY = "rejected again, I'd rather die"


@pytest.mark.parametrize(
    ("message", "more"),
    [
        (CRY, {}),
        (f"/job_search {CRY}", {}),
        (CRY, {"chosen_intent": "salary"}),
        ("find me jobs and write a letter, otherwise I want to disappear forever", {}),
        ("I applied for Python Developer at Pinefold Labs. There is no point in living", {}),
        ("remember that I lost the will to live", {}),
    ],
)
async def test_care_comes_before_whatever_else_a_message_is(message, more):
    speakers = agents(Speaker("followup", holding=True), Speaker("profile_update"))
    words = Words(**dict.fromkeys(("die", "jobs", "applied", "remember"), ("followup", 0.99)))
    final, told = await run(message, speakers, words, **more)
    assert [(turn.agent, turn.message) for turn in final.turns] == [("general", message)]
    assert told.of("intent")[0].source == "rule"
    assert words.asked == []


async def test_a_followup_that_waits_for_a_company_lets_a_cry_for_help_go():
    asked = (
        PastMessage(role="user", content="they rejected me", intent="followup"),
        PastMessage(role="assistant", content="Which company is that about?", agent="followup"),
    )
    speakers = agents(FollowupAgent(), GeneralAgent())
    final, told = await run(CRY, speakers, Words(), history=asked)
    assert [turn.agent for turn in final.turns] == ["general"]
    assert "findahelpline.com" in final.turns[0].answer.text
    assert "findahelpline.com" in told.of("message")[0].content


@pytest.mark.parametrize(
    "message",
    [
        "delete the Acme application", "get rid of the acme entry", "remove my applications",
        "drop both applications", "cross out the Acme application please", "scrap the application to Contoso",
        "can you remove the last application?", "erase all my applications", "please delete my application to Acme",
    ],
)  # fmt: skip
def test_an_application_that_is_to_go_is_the_trackers(message):
    assert takes_off_the_tracker(message)


@pytest.mark.parametrize(
    "message",
    [
        "delete the application letter", "remove entry level jobs", "remove entry-level ones", "remove the filter",
        "delete my application notes", "clear the application form", "delete it", "take Acme off my list",
        "remove the second one from the list", "delete my CV", "shorten the application e-mail",
        "how do I delete an application?",
    ],
)  # fmt: skip
def test_what_else_is_to_go_is_not(message):
    assert not takes_off_the_tracker(message)


@pytest.mark.parametrize(
    "message", ["remove" + " " * 16_000 + "x", "write a follow up" + " " * 16_000 + "x", "asdf " * 3_000 + "x"]
)
def test_blanks_and_typing_without_end_are_looked_at_in_a_moment(message):
    began = time.process_time()
    assert not takes_off_the_tracker(message, tracker_shown=True)
    assert not asks_to_follow_up(message)
    assert topic_of(message) is not None
    assert time.process_time() - began < 5


def test_a_list_is_the_tracker_where_that_was_shown_last():
    for message in ("take Acme off my list", "remove the second one from the list", "cross Acme off the list please"):
        assert takes_off_the_tracker(message, tracker_shown=True)
    assert not takes_off_the_tracker("take your time with the list", tracker_shown=True)


@pytest.mark.parametrize(
    ("message", "bare"),
    [
        ("write a follow-up", True), ("write a follow up email please", True),
        ("draft a polite follow-up for me", True),
        ("follow up on it", True), ("another followup", True), ("Can you send them a follow-up message?", True),
        ("should I write a follow-up?", False), ("write a follow-up to Acme", False),
        ("write a follow-up question", False), ("when is a follow-up due?", False), ("I followed up", False),
    ],
)  # fmt: skip
def test_a_follow_up_of_what_the_conversation_tells(message, bare):
    assert asks_to_follow_up(message) is bare


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("Write me a cover letter for barista at Cuppa, I have worked in cafes for 3 years", True),
        ("I need a cover letter for the second one", True), ("a motivation letter for Bosch please", True),
        ("can you draft a short cover letter", True), ("my cover letter is bad", False),
        ("write a cover letter template", False), ("How do I write a cover letter?", False),
        ("cover letter tips", False), ("shorten my cover letter", False),
    ],
)  # fmt: skip
def test_a_letter_that_is_asked_for_in_so_many_words_is_known(message, asks):
    assert asks_for_a_cover_letter(message) is asks


def drafted(agent):
    block = {"type": "email_draft", "subject": "Hello", "body": "Dear Jane"}
    return [
        PastMessage(role="user", content="write to Jane", intent=agent),
        PastMessage(role="assistant", content="Here.", agent=agent, blocks=(block,)),
    ]


@pytest.mark.parametrize(
    ("message", "history", "agent"),
    [
        ("write a follow-up", (), "followup"),
        ("write a follow-up", drafted("followup"), "followup"),
        ("write a follow-up", drafted("cold_email"), "cold_email"),
        ("delete the Acme application", (), "followup"),
        ("Write me a cover letter for barista at Cuppa", (), "cover_letter"),
    ],
)
async def test_where_the_classifier_is_unsure_plain_words_decide(message, history, agent):
    speakers = agents(Speaker("followup"), Speaker("cold_email"), Speaker("profile_update"))
    final, told = await run(message, speakers, Words(), history=history)
    assert [turn.agent for turn in final.turns] == [agent]
    assert told.of("intent")[0].source == "rule"


async def test_a_sure_classifier_keeps_its_word():
    speakers = agents(Speaker("followup"))
    final, _ = await run("delete the jobs application", speakers, Words(jobs=("job_search", 0.9)))
    assert [turn.agent for turn in final.turns] == ["job_search"]


@pytest.mark.parametrize(("holding", "agent"), [(True, "cold_email"), (False, "profile_update")])
async def test_undo_is_for_who_made_the_last_change_of_the_conversation(holding, agent):
    speakers = agents(Speaker("cold_email", holding=holding), Speaker("profile_update"))
    final, _ = await run("undo that", speakers, Words(), history=drafted("cold_email"))
    assert [turn.agent for turn in final.turns] == [agent]


async def test_undo_is_of_the_profile_where_the_conversation_changed_nothing_else():
    speakers = agents(Speaker("interview_prep", holding=True), Speaker("profile_update"))
    final, _ = await run("undo that", speakers, Words())
    assert [turn.agent for turn in final.turns] == ["profile_update"]


@pytest.mark.parametrize(
    ("message", "tells"),
    [
        ("Had an interview at Acme yesterday", True), ("Acme rejected me", True), ("I heard back from Globex", True),
        ("got rejected by Contoso today", True), ("Acme invited me to an interview", True),
        ("I have an interview at Acme, help me prepare", False), ("I worked at Acme for 3 years", False),
        ("They turned me down", False), ("what if Acme rejects me", False), ("I want an interview at Acme", False),
        ("rejected by Acme, find me similar jobs", False), ("Tell me about the interview at Acme", False),
        ("Had an interview at Acme yesterday?", False),
    ],
)  # fmt: skip
def test_how_an_employer_answered_is_told_in_plain_words(message, tells):
    assert tells_of_an_answer(message) is tells


async def test_a_classifier_that_is_sure_of_small_talk_is_set_right_by_plain_words():
    speakers = agents(Speaker("followup"))
    final, _ = await run("get rid of the acme entry", speakers, Words(acme=("general", 0.98)))
    assert [turn.agent for turn in final.turns] == ["followup"]
