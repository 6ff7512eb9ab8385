"""Rules over classes of words: what a rule matches in a tagged sentence (``wording.Lexicon.tagged``).

A rule is a row of items: ``CLASS`` or ``word`` is one token, ``A/b`` one of several; ``x?`` may be missing, ``x*``
comes up to three times, ``!A/b`` must not come next, nor ``!3A`` among the next four; ``_3`` is up to three words of a
noun phrase, ``..3`` of the clause, ``>3`` of the sentence, ``^`` and ``$`` the clause's beginning and end. All gaps are
bounded, so that a search takes time in proportion to the text.
"""

import re
from typing import Final

_ITEM: Final = re.compile(r"(?P<not>!(?P<within>\d)?)?(?P<names>[^?*!]+)(?P<many>[?*])?")
_TIMES: Final = {"?": "?+", "*": "{0,3}"}
_GAP: Final = re.compile(r"(?P<kind>_|\.\.|>)(?P<most>\d+)")
_START: Final = r"(?<![^ ])"
_ANY_WORD: Final = "[^~ ]+~(?:[A-Z]+~)*+ "
# What ends a clause, and what a noun phrase does not contain.
_BREAK: Final = "BRK"
_NOT_WITHIN: Final = {"_": ("BRK", "PREP", "BE", "AUX", "THAT"), "..": ("BRK",), ">": ()}


def rules_of(text: str) -> dict[str, re.Pattern[str]]:
    """By section: all its rules, one a line, as one pattern."""
    sections: dict[str, list[str]] = {}
    section: list[str] = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if heading := re.fullmatch(r"\[(\w+)\]", line):
            section = sections.setdefault(heading[1], [])
        else:
            section.append(pattern_of(line))
    return {name: re.compile(rf"{_START}(?:{'|'.join(rules)})") for name, rules in sections.items()}


def pattern_of(rule: str) -> str:
    """Raises ``ValueError`` for an item that is none."""
    return "".join(map(_item, rule.split()))


def _item(item: str) -> str:
    if item == "^":
        return "(?:^|(?<=~BRK~ )(?<!~COLON~BRK~ ))"
    if item == "$":
        return rf"(?=$|{_one((_BREAK,))})"
    if gap := _GAP.fullmatch(item):
        return _gap(_NOT_WITHIN[gap["kind"]], int(gap["most"]))
    match = _ITEM.fullmatch(item)
    if match is None:
        raise ValueError(f"no item of a rule: {item}")
    one = _one(tuple(match["names"].split("/")))
    if match["not"]:
        return f"(?!{_gap((_BREAK,), int(match['within'] or 0))}{one})"
    return f"(?:{one}){_TIMES[match['many']]}" if match["many"] else one


def _gap(without: tuple[str, ...], most: int) -> str:
    barred = f"(?!{_one(without)})" if without else ""
    return f"(?:{barred}{_ANY_WORD}){{0,{most}}}"


def _one(names: tuple[str, ...]) -> str:
    """One token that is one of these words, or in one of these classes."""
    words = [re.escape(name) for name in names if not name.isupper()]
    classes = [name for name in names if name.isupper()]
    options = []
    if words:
        options.append(f"(?:{'|'.join(words)})~(?:[A-Z]+~)*+ ")
    if classes:
        options.append(f"[^~ ]+~(?:[A-Z]+~)*?(?:{'|'.join(classes)})~(?:[A-Z]+~)*+ ")
    return f"(?:{'|'.join(options)})"
