"""Rules over classes of words, and the words."""

import re

import pytest

from signalbox.evals.grammar import pattern_of, rules_of
from signalbox.evals.passages import sentences_of
from signalbox.evals.wording import lexicon_of

WORDS = """
# a comment
cant = can not
BRK: but, and
COLON: :
PREP: in
BE: is, are
ZERO: no, not a single
THING: job+, vacancy+,
  position+
FIND: find*, turn* up
"""


def matches(rule: str, sentence: str) -> bool:
    rules = rules_of(f"[a]\n{rule}\n")
    return rules["a"].search(lexicon_of(WORDS).tagged(sentence)) is not None


@pytest.mark.parametrize(
    ("rule", "sentence", "yes"),
    [
        ("ZERO THING", "There are no jobs.", True),
        ("ZERO THING", "There is not a single vacancy.", True),
        ("ZERO THING", "There are no nurse jobs.", False),
        ("ZERO _2 THING", "There are no nurse jobs.", True),
        ("ZERO _4 THING", "There is no limit in jobs.", False),
        ("ZERO ..4 THING", "There is no limit in jobs.", True),
        ("ZERO ..4 THING", "There is no limit, and jobs abound.", False),
        ("ZERO >6 THING", "There is no limit, and jobs abound.", True),
        ("^ ZERO", "I see: no.", False),
        ("^ ZERO", "I see; no.", True),
        ("THING $", "no jobs", True),
        ("THING $", "no jobs today", False),
        ("THING !today", "no jobs today", False),
        ("THING !2today", "no jobs here today", False),
        ("can not FIND", "I cant find it", True),
        ("FIND", "nothing turned up", True),
        ("THING", "two postions", True),
        ("THING", "two portions", False),
        ("ZERO nice? THING", "no nice jobs", True),
        ("ZERO nice/bad* THING", "no bad nice jobs", True),
    ],
)
def test_a_rule_matches_what_it_says(rule, sentence, yes):
    assert matches(rule, sentence) is yes


def test_short_forms_are_read_in_full():
    tagged = lexicon_of(WORDS).tagged("It isn’t there and can't be, they’ve gone.")
    assert re.findall(r"(?:^| )([^~ ]+)~", tagged)[:5] == ["it", "is", "not", "there", "and"]
    assert " can~ not~ be~ " in tagged


def test_an_item_that_is_none_is_refused():
    with pytest.raises(ValueError, match="no item of a rule"):
        pattern_of("ZERO !")


def test_a_row_of_a_table_is_read_with_its_headings():
    table = "| City | Jobs |\n|---|--:|\n| Leeds | 9 |\n| York | none |\n\nThat is it."
    assert sentences_of(table) == ["Leeds; Jobs: 9", "York; Jobs: none", "That is it."]


def test_a_drafted_letter_is_the_users_and_not_read():
    text = "Here is a draft:\n\nDear Ms Lee,\n\nthere are no jobs.\n\nKind regards\nAda\n\nShall I send it?"
    assert sentences_of(text) == ["Here is a draft:", "Ada", "Shall I send it?"]
    assert sentences_of("Hello Ada,\nthere are no jobs.") == ["Hello Ada,", "there are no jobs."]


def test_links_quotes_and_markup_are_taken_out():
    assert sentences_of("I **looked** at [the guide](https://x.example): “no jobs”.") == ["I looked at the guide: “…”."]
