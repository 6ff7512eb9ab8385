"""The rules that read answers, on answers labelled by hand: how far they agree is the evaluation's own error."""

import re
import time
from importlib import resources

import pytest

from signalbox.evals.claims import KINDS, claims_in, kinds_in
from signalbox.evals.judge import labels_in
from signalbox.evals.labelled import SETS, packaged_answers, scored
from signalbox.evals.wording import packaged_lexicon

AGREEMENT = 0.95


@pytest.mark.parametrize("part", ["all", *SETS])
def test_the_rules_agree_with_the_labels(part):
    answers = tuple(each for each in packaged_answers() if part in {"all", each.set})
    result = scored(answers)
    for answer, got in result.wrong:
        print(f"{sorted(answer.kinds)} but {sorted(got)}: {answer.text}")  # noqa: T201 - for whoever mends the rules
    print(f"{part}: {result.right} of {result.n}; missed {result.missed}; seen {result.seen}")  # noqa: T201
    assert result.n >= 200
    assert result.agreement >= AGREEMENT


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_is_often_missed_or_seen_where_it_is_not(kind):
    answers = packaged_answers()
    result = scored(answers)
    claimed = sum(kind in each.kinds for each in answers)
    assert result.missed[kind] <= claimed * 0.05
    assert result.seen[kind] <= claimed * 0.05


def test_every_kind_is_labelled_often_and_no_answer_twice():
    answers = packaged_answers()
    assert len({each.text for each in answers}) == len(answers)
    assert {each.set for each in answers} == set(SETS)
    for kind in KINDS:
        assert sum(kind in each.kinds for each in answers) >= 100, kind
    assert sum(not each.kinds for each in answers) >= 500


def test_what_is_quoted_is_not_said():
    assert kinds_in("The guide says: “there are no jobs for you”. I found twelve.") == frozenset()
    assert kinds_in("> There are no vacancies.\n\nI found twelve.") == frozenset()


def test_a_claim_carries_the_sentence_that_makes_it():
    text = "I looked at **Leeds**.\n\n- There are no nurse jobs there. The board timed out."
    assert [(claim.kind, claim.sentence) for claim in claims_in(text)] == [
        ("absence", "There are no nurse jobs there."),
        ("unknown", "The board timed out."),
    ]


def test_what_failed_is_no_absence_though_it_is_worded_with_none():
    assert kinds_in("None of the boards answered.") == {"unknown"}
    assert kinds_in("None of the boards has a nurse's job.") == {"absence"}


def test_who_could_not_look_has_nothing_to_give_and_claims_no_absence():
    assert kinds_in("The look-up failed, so I have no results for you.") == {"unknown"}
    assert kinds_in("The look-up failed, so there are no jobs for you.") == {"unknown", "absence"}


def test_a_short_no_counts_behind_a_question_whether_there_is_something():
    assert kinds_in("Is Globex hiring? Not at the moment.") == {"absence"}
    assert kinds_in("Shall I wait? Not at the moment.") == frozenset()


def test_something_else_is_advice_on_a_premise_only_where_nothing_was_found():
    assert "premise" in kinds_in("I found no nurse jobs. How about carer instead?")
    assert "premise" not in kinds_in("I found ten nurse jobs. How about carer instead?")


def test_every_word_and_class_of_a_rule_is_one_of_the_lexicon():
    lexicon = packaged_lexicon()
    classes = {name for names in lexicon.classes.values() for name in names} | {"NUM", "BRK"}
    rules = (resources.files("signalbox.data") / "evals" / "claims.rules").read_text("utf-8").splitlines()
    names = {
        name
        for rule in rules
        if rule and not rule.startswith(("#", "["))
        for item in rule.split()
        if not re.fullmatch(r"(?:_|\.\.|>)\d|(?:\.\.|>)\d\d|\^|\$", item)
        for name in re.sub(r"^!\d?|[?*]$", "", item).split("/")
    }
    assert {name for name in names if name.isupper()} <= classes
    phrases = {tuple(name.split("_")) for name in names if "_" in name}
    assert {phrase for phrase in phrases if phrase not in lexicon.classes} == set()


NASTY = (
    "there is not any more of the ", "no ", "not any ", "no, ", "nothing that could be ", '"', "“a ", "[a](b", "`",
    "> a\n", "| a | no |\n", "draft:\nHi,\n", "1,", "…", ". ", "🤷", "a", "\n", "~", "There are no jobs in Leeds. ",
)  # fmt: skip


@pytest.mark.parametrize("piece", NASTY, ids=repr)
def test_a_hundred_kilobytes_of_anything_are_read_in_the_time_of_their_length(piece):
    short, long = ((piece * (size // len(piece) + 1))[:size] for size in (10_000, 100_000))
    claims_in("warm")
    started = time.process_time()
    claims_in(short)
    middle = time.process_time()
    claims_in(long)
    # Generous, since machines differ: what grows with the square takes a hundred times as long, and minutes.
    assert time.process_time() - middle < max(25 * (middle - started), 2.0)


def test_an_answer_of_many_different_sentences_is_read_fast():
    text = "\n".join(f"{each.text} {n}" for n, each in enumerate(packaged_answers()))[:100_000]
    started = time.process_time()
    assert len(claims_in(text)) > 500
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    ("reply", "labels"),
    [
        ('{"absence": true, "premise": false, "unknown": false, "part": false, "whole": false}', {"absence"}),
        (
            'Sure: {"absence": false, "premise": false, "unknown": true, "part": true, "whole": false}',
            {"unknown", "part"},
        ),
        ('{"absence": "yes"}', None),
        ("{absence}", None),
        ("I cannot say.", None),
    ],
)
def test_a_judges_reply_is_read_or_counted_as_unread(reply, labels):
    assert labels_in(reply) == (None if labels is None else frozenset(labels))
