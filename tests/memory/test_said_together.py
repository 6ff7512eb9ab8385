"""Facts that stand beside others in one sentence, and what somebody is paid today: each is kept for what it is."""

import time

import pytest

from signalbox.blocks import ProfileFact
from signalbox.memory.pay_now import tells_pay_now
from signalbox.memory.statements import read
from signalbox.tools.vocabulary import packaged_vocabulary

RULE = ProfileFact(fact_id="f1", kind="constraint", key="salary_min", value="50000")


def facts(message, profile=()):
    return {f"{fact.key}={fact.value}" for fact in read(message, profile, packaged_vocabulary()).add}


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "I'm a Python developer with 6 years of experience in Python and Spark",
            {"title=Python developer", "years=6", "skill=Python", "skill=Apache Spark"},
        ),
        (
            "remember I have 6 years of experience with Python and Spark",
            {"years=6", "skill=Python", "skill=Apache Spark"},
        ),
        ("I have 6 years of experience with Spark", {"years=6", "skill=Apache Spark"}),
        ("6 years of Python and Spark", {"years=6", "skill=Python", "skill=Apache Spark"}),
        ("my skills are Python, Spark and Looker", {"skill=Python", "skill=Apache Spark", "skill=Looker"}),
        ("I know Python and Spark", {"skill=Python", "skill=Apache Spark"}),
        ("experienced in Salesforce and Pardot", {"skill=Salesforce", "skill=Pardot"}),
        ("I have a driving licence and 3 years as a cook", {"certificate=driving licence", "years=3", "title=cook"}),
        (
            "I have 3 years as receptionist, and a driving licence",
            {"title=receptionist", "years=3", "skill=Driving Licence"},
        ),
        ("I've done 4 years as nurse in A&E", {"title=nurse", "years=4"}),
        ("I speak German and live in Leeds", {"language=German", "location=Leeds"}),
        ("I'm a nurse and live in York", {"title=nurse", "location=York"}),
    ],
)
def test_every_fact_of_a_sentence_is_kept(message, kept):
    assert kept <= facts(message)


@pytest.mark.parametrize(
    "message",
    [
        "i have 6 years of experience with python and spark", "I'm a chef and a trained butcher",
        "I have worked as a receptionist for 3 years and I have a driving licence",
        "I have experience as barista and waiter",
    ],
)  # fmt: skip
def test_what_no_rule_can_name_is_kept_as_a_note_beside_the_rest(message):
    kept = facts(message)
    assert f"note={message}" in kept
    assert len(kept) > 1


@pytest.mark.parametrize(
    ("message", "none"),
    [
        ("I know Python, and Peter told me to ask you", "skill=Peter"),
        ("I know Anna and Peter", "skill=Peter"),
        ("I know Python and London", "skill=London"),
        ("I have experience in Berlin and Munich", "skill=Munich"),
        ("I want to learn Python and Spark", "skill=Apache Spark"),
        ("I don't know Python and Spark", "skill=Apache Spark"),
        ("I have Python and Monday meetings", "skill=Monday"),
        ("I know Python and speak French", "skill=French"),
        ("I have 2 years in sales and 3 in marketing", "years=2"),
    ],
)
def test_what_only_stands_beside_a_skill_is_none(message, none):
    assert none not in facts(message)


EARNS = [
    "I actually earn 42,000 now", "actually I earn 42k", "I now earn 42k", "I currently make 42,000",
    "I'm on 42k at the moment", "I'm earning 42,000 a year", "my salary is 42,000 now", "My salary right now is 42k",
    "I only get 42k", "I'm paid 42k", "they pay me 42k", "my boss pays me 42k", "in fact I earn only 42k",
    "I take home 42k", "I've been earning 42k", "well, I still make about 42,000",
]  # fmt: skip


@pytest.mark.parametrize("message", EARNS)
def test_what_somebody_earns_is_no_limit_and_replaces_none(message):
    for profile in ((), (RULE,)):
        statements = read(message, profile, packaged_vocabulary())
        assert statements.remove == ()
        assert not {fact.key for fact in statements.add} & {"salary_min", "currency"}
    assert tells_pay_now(message)


@pytest.mark.parametrize(
    "message",
    [
        "make that 42k", "actually 42k", "I'd take 42k", "42k is enough", "I want to earn 42k", "my minimum is 42k",
        "I need to earn at least 42k", "my salary should be at least 42k", "my salary is 42k minimum",
        "I earn 35k but want 42k",
    ],
)  # fmt: skip
def test_what_somebody_wants_to_earn_still_is_one(message):
    assert "salary_min=42000" in facts(message, (RULE,))


def test_long_sentences_are_read_in_a_moment():
    begun = time.thread_time()
    for text in ("i just really ", "Python and Spark, ", "experience in A and ", "my salary right now "):
        tells_pay_now(text * 500)
        read(text * 500, (), packaged_vocabulary())
    assert time.thread_time() - begun < 3
