"""The rules that read answers, on answers labelled by hand: how far they agree is the evaluation's own error."""

import pytest

from signalbox.evals.claims import KINDS, claims_in, kinds_in, rules_of, sentences_of
from signalbox.evals.judge import labels_in
from signalbox.evals.labelled import SETS, packaged_answers, scored

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


def test_every_kind_is_labelled_often_and_no_answer_twice():
    answers = packaged_answers()
    assert len({each.text for each in answers}) == len(answers)
    for kind in KINDS:
        assert sum(kind in each.kinds for each in answers) >= 25, kind
    assert sum(not each.kinds for each in answers) >= 100


def test_what_is_quoted_is_not_said():
    assert kinds_in("The guide says: “there are no jobs for you”. I found twelve.") == frozenset()
    assert kinds_in("> There are no vacancies.\n\nI found twelve.") == frozenset()


def test_a_claim_carries_the_sentence_that_makes_it():
    text = "I looked at **Leeds**.\n\n- There are no nurse jobs there. The board timed out."
    assert [(claim.kind, claim.sentence) for claim in claims_in(text)] == [
        ("absence", "There are no nurse jobs there."),
        ("unknown", "The board timed out."),
    ]
    assert sentences_of(text)[0] == "I looked at Leeds."


def test_definitions_stand_in_for_their_names():
    rules = rules_of("[definitions]\nthing = (?:job|gig)s?\n# a comment\n[absence]\nno <thing>\nnothing\n")
    assert rules["absence"].search("NO GIGS")
    assert rules["absence"].search("nothing")
    assert not rules["absence"].search("no thing")


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
