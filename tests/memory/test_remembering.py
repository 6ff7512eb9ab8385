"""What is to be kept, and how long: corrections within a sentence, "remember that", rules stated for good, secrets."""

import pytest

from signalbox.blocks import ProfileFact
from signalbox.memory.statements import lasting_rules, read
from signalbox.retrieval.skills import SkillVocabulary


@pytest.fixture(scope="module")
def vocabulary() -> SkillVocabulary:
    return SkillVocabulary.load()


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("I said 50k, make that 60k", {"preference salary_min=60000"}),
        ("Sorry, I told you 50k - make it 60k", {"preference salary_min=60000"}),
        ("I need at least £50k, make that 60k", {"constraint salary_min=60000", "fact currency=GBP"}),
        ("I want £50k a year, no, make that £60k a year", {"preference salary_min=60000", "fact currency=GBP"}),
        ("I have 10 years of experience, make that 12", {"fact years=12"}),
        ("I have 10 years of experience", {"fact years=10"}),
        ("I need at least £50k", {"constraint salary_min=50000", "fact currency=GBP"}),
    ],
)
def test_what_a_sentence_takes_back_itself_is_not_stored(message, expected, vocabulary):
    assert {f"{fact.kind} {fact.key}={fact.value}" for fact in read(message, (), vocabulary).add} == expected


def test_a_rule_that_is_corrected_stays_a_rule(vocabulary):
    held = (ProfileFact(fact_id="p", kind="constraint", key="salary_min", value="50000"),)
    for message in ("I said 50k, make that 60k", "make that 60k"):
        assert [(fact.kind, fact.value) for fact in read(message, held, vocabulary).add] == [("constraint", "60000")]


@pytest.mark.parametrize(
    ("message", "notes"),
    [
        ("remember that I like tea", ["I like tea"]),
        ("remember that I feel sick in open-plan offices", ["I feel sick in open-plan offices"]),
        ("Remember that I applied to Acme yesterday", ["I applied to Acme yesterday"]),
        ("remember that what I want is calm", ["what I want is calm"]),
        ("Remember that interviews at Acme are on Fridays", ["interviews at Acme are on Fridays"]),
        ("Remember that my brother hates ties", ["my brother hates ties"]),
    ],
)
def test_what_is_to_be_remembered_is_kept_whatever_it_is_about(message, notes, vocabulary):
    assert [(fact.value, fact.pinned) for fact in read(message, (), vocabulary).add] == [(note, True) for note in notes]


@pytest.mark.parametrize(
    ("message", "kept", "refused"),
    [
        (
            "My name is Ann and my email is ann@example.com, phone +44 7700 900123",
            ["Ann"],
            ("e-mail addresses", "phone numbers"),
        ),
        ("remember my passport number is 533401234", [], ("numbers of documents",)),
        ("remember that my password is hunter2", [], ("passwords and numbers of documents or accounts",)),
        ("my phone is 07700 900123", [], ("phone numbers",)),
        ("ann@example.com", [], ("e-mail addresses",)),
        (
            "remember that I am allergic to latex and my phone is 07700 900123",
            ["I am allergic to latex"],
            ("phone numbers",),
        ),
        ("remember that I like tea", ["I like tea"], ()),
        (
            "remember that I know Python since 2019 at a good level",
            ["I know Python since 2019 at a good level", "Python"],
            (),
        ),
        ("I need at least 40000 a year", ["40000"], ()),
    ],
)
def test_contact_data_and_secrets_are_no_facts_and_what_is_left_out_is_told(message, kept, refused, vocabulary):
    statements = read(message, (), vocabulary)
    assert sorted(fact.value for fact in statements.add) == kept
    assert statements.refused == refused


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("I only want remote jobs", {"constraint remote=only"}),
        ("I'm only looking for remote roles", {"constraint remote=only"}),
        (
            "I only want remote jobs and no less than GBP 50k a year",
            {"constraint remote=only", "constraint salary_min=50000", "fact currency=GBP"},
        ),
        ("I can only work part-time", {"constraint work_time=part-time"}),
        ("I only want the remote ones", set()),
        ("find me data jobs, I only want remote ones", set()),
        ("only remote please", set()),
        ("I only want Python jobs", set()),
        ("do I only want remote jobs?", set()),
    ],
)
def test_what_somebody_only_wants_at_all_outlasts_the_search_and_what_narrows_one_does_not(
    message, expected, vocabulary
):
    assert {f"{fact.kind} {fact.key}={fact.value}" for fact in lasting_rules(message, vocabulary)} == expected
