import re
from typing import get_args

import pytest
from stage import Canned, fact, perform

from signalbox.agents.base import find_agents
from signalbox.agents.general import GeneralAgent
from signalbox.agents.general_text import _SAID, COMMANDS, UNAVAILABLE, GeneralFacts, compose
from signalbox.agents.small_talk import Topic, topic_of
from signalbox.envelope import INTENTS
from signalbox.llm.scripted import ScriptedModel
from signalbox.retrieval.index import IndexStats
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.update_profile import UpdatedProfile


@pytest.mark.parametrize(
    ("message", "topic"),
    [
        ("hello", "greeting"),
        ("¡Buenas!", "greeting"),
        ("thanx for teh help ur grate", "thanks"),
        ("What can you do?", "capabilities"),
        ("What do you know about me?", "know_me"),
        ("Can you forget everything I've said?", "forget_all"),
        ("What should I tell you about me?", "tell_me"),
        ("Who made you?", "identity"),
        ("Is what I tell you kept private?", "privacy"),
        ("How many jobs do you have in your database?", "catalogue"),
        ("where did you get that from?", "sources"),
        ("Could I talk to a human adviser?", "human"),
        ("👍", "acknowledged"),
        ("???", "unclear"),
        ("What does a new kitchen cost?", "out_of_scope"),
        ("Thanks! Now how about the weather in Split?", "out_of_scope"),
        ("/nonsense", "command"),
    ],
)
def test_a_message_is_told_by_its_topic(message, topic):
    assert topic_of(message) == topic


def test_every_topic_and_every_missing_specialist_has_words():
    specialists = set(find_agents())
    assert set(UNAVAILABLE) == set(INTENTS) - specialists
    for topic in get_args(Topic):
        for intent in UNAVAILABLE if topic == "unavailable" else ["general"]:
            assert compose(GeneralFacts(topic=topic, intent=intent))
    assert set(_SAID) < set(get_args(Topic))


def test_every_agent_has_a_command_and_every_command_an_agent():
    assert {name for name, _, _ in COMMANDS} == {f"/{name}" for name in find_agents()}


@pytest.mark.parametrize("intent", sorted(UNAVAILABLE))
async def test_what_cannot_be_done_is_said_with_what_can(intent):
    answer, recorder = await perform(GeneralAgent(), "please do", intent=intent, profile=[fact("title", "nurse")])
    assert answer.text.startswith("I cannot")
    assert "What I can do" in answer.text
    replies = recorder.one("suggestions").suggestions
    assert 1 <= len(replies) <= 3
    assert any("nurse" in reply.message for reply in replies)
    assert recorder.types() == ["chunk", "usage", "message", "suggestions"]


async def test_an_unknown_command_gets_the_list_and_nothing_else():
    answer, recorder = await perform(GeneralAgent(), "/frobnicate now")
    assert recorder.types() == ["chunk", "usage", "message"]
    assert "`/frobnicate`" in answer.text
    assert "/job_search" in answer.text


async def test_ticks_are_streamed_by_the_scripted_model_alone():
    answer, recorder = await perform(GeneralAgent(), "/ticks 3 0 0", model=ScriptedModel())
    assert recorder.types() == ["chunk", "usage", "message"]
    assert re.findall(r"@(\d{6})@", answer.text) == ["000000", "000001", "000002"]


async def test_the_profile_is_listed_as_it_is():
    tool = Canned("read_profile", Ok((fact("skill", "SQL"), fact("exclude_term", "travel", "constraint"))))
    answer, _ = await perform(GeneralAgent(), "What do you know about me?", [tool])
    assert "2 facts" in answer.text
    assert "**Skills:** SQL" in answer.text
    assert "**Never show anything with:** travel" in answer.text


@pytest.mark.parametrize(
    ("result", "says", "never"),
    [
        (Empty("empty"), "stored nothing about you", "could not"),
        (Err("timeout", "slow"), "could not read", "stored nothing"),
    ],
)
async def test_an_empty_profile_and_an_unread_one_are_not_confused(result, says, never):
    answer, _ = await perform(GeneralAgent(), "What do you know about me?", [Canned("read_profile", result)])
    assert says in answer.text
    assert never not in answer.text


async def test_forgetting_everything_says_what_was_removed():
    tool = Canned("update_profile", Ok(UpdatedProfile((), (fact("skill", "SQL"),), ())))
    answer, recorder = await perform(GeneralAgent(), "Forget everything", [tool])
    assert tool.asked[0].everything
    assert recorder.one("profile_updated").removed[0].value == "SQL"
    assert "removed 1 fact " in answer.text


async def test_a_temporary_chat_neither_reads_nor_forgets():
    for message in ("What do you know about me?", "forget everything"):
        answer, recorder = await perform(GeneralAgent(), message, temporary=True)
        assert "tool_call" not in recorder.types()
        assert "temporary chat" in answer.text


async def test_the_catalogue_is_counted_and_its_samples_are_named():
    tool = Canned("count_jobs", Ok(IndexStats(278, 278, {"sample": 278}, None)))
    answer, _ = await perform(GeneralAgent(), "How many jobs do you have in your database?", [tool])
    assert "**278 postings**, all of them fictional samples" in answer.text


@pytest.mark.parametrize(
    "message",
    [
        "I want to kill myself",
        "i dont want to live any more",
        "Hi, I can't go on",
        "What's the point, I want to die",
        "I hate my life and want to end it",
    ],
)
@pytest.mark.parametrize("intent", ["general", "salary"])
async def test_despair_is_answered_with_care_and_a_way_to_help_and_nothing_is_offered(message, intent):
    if intent == "salary" and intent not in UNAVAILABLE:
        intent = "general"
    answer, recorder = await perform(GeneralAgent(), message, intent=intent)
    assert "findahelpline.com" in answer.text
    assert "emergency services" in answer.text
    assert "outside what I can help with" not in answer.text
    assert "suggestions" not in recorder.types()


@pytest.mark.parametrize(
    "message",
    [
        "I can't go on holiday",
        "what does a suicide prevention adviser do",
        "I don't want to live in London any more",
        "hello",
    ],
)
def test_everyday_words_are_no_cry_for_help(message):
    assert topic_of(message) != "crisis"


@pytest.mark.parametrize("message", ["I got fired today, I am sad", "they laid me off", "I lost my job"])
async def test_bad_news_gets_sympathy_and_a_next_step(message):
    answer, recorder = await perform(GeneralAgent(), message)
    assert answer.text.startswith("I am sorry")
    assert recorder.one("suggestions").suggestions
