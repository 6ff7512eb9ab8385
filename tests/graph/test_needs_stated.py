"""What somebody says they cannot do without is the profile's, where the classifier would ask or chat."""

import pytest
from test_orchestrator import Speaker, Words, agents, run

from signalbox.blocks import ProfileFact
from signalbox.graph.intent_data import load_examples, packaged_examples
from signalbox.graph.plain_words import states_a_need

STATED = [
    "I want to earn at least £40k", "I need at least £50k", "i'd like to make at least 45k a year",
    "I want at least 30 an hour",
    "My name is Zoe and I'm deaf; I need captioned meetings", "I'm deaf; I need captioned meetings",
    "I use a wheelchair, so step-free offices only", "I'm blind and use a screen reader",
]  # fmt: skip
OTHERS = [
    "I want at least three jobs to choose from", "find me jobs paying at least £40k", "Is £40k realistic?",
    "I want to earn more",
    "I'm deaf, which employers are good?", "find step-free offices", "I want at least 40k, find me something", "",
    "what is a wheelchair user entitled to?", "I'm a nurse", "I have at least 5 years of experience",
]  # fmt: skip


@pytest.mark.parametrize("message", STATED)
def test_a_need_that_is_stated_is_known_by_its_words(message):
    assert states_a_need(message)


@pytest.mark.parametrize("message", OTHERS)
def test_what_asks_for_something_or_says_less_is_none(message):
    assert not states_a_need(message)


def test_the_words_contradict_few_labelled_messages():
    spoken = {one.intent for one in load_examples(packaged_examples()) if states_a_need(one.text)}
    assert "profile_update" in spoken


@pytest.mark.parametrize(("intent", "confidence"), [("profile_update", 0.4), ("general", 0.95), ("job_search", 0.4)])
async def test_the_profile_is_told_of_it_where_the_classifier_is_unsure_or_would_chat(intent, confidence):
    speakers = agents(Speaker("profile_update"))
    _, told = await run("I'm deaf; I need captioned meetings", speakers, Words(deaf=(intent, confidence)))
    verdict = told.of("intent")[0]
    assert (verdict.intent, verdict.source) == ("profile_update", "rule")


async def test_words_that_take_a_rule_of_the_profile_back_are_the_profiles():
    rule = ProfileFact(fact_id="f", kind="constraint", key="remote", value="only")
    speakers = agents(Speaker("profile_update"))
    _, told = await run("hybrid would be fine too", speakers, Words(hybrid=("general", 0.4)), profile=(rule,))
    assert told.of("intent")[0].intent == "profile_update"
    least = ProfileFact(fact_id="f", kind="constraint", key="salary_min", value="40000")
    _, told = await run("actually 35k would be enough", speakers, Words(k=("salary", 0.4)), profile=(least,))
    assert told.of("intent")[0].intent == "profile_update"
    _, told = await run("hybrid would be fine too", speakers, Words(hybrid=("general", 0.4)))
    assert told.of("intent")[0].intent != "profile_update"
