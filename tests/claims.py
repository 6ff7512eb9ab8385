"""What a text claims, held against the facts it was made from: its numbers, companies, skills and titles."""

import re
from collections.abc import Iterable

from signalbox.retrieval.skills import SkillVocabulary

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LIST_MARK = re.compile(r"^\s*(?:\d+[.)]|\[\d+\])\s", re.MULTILINE)
_CITE = re.compile(r"\[\d+\]")


def numbers_of(text: str) -> set[float]:
    """Figures as values: ``80,000``, ``80000.0`` and ``80k`` are one. Numbers of list items and citations are none."""
    text = _CITE.sub(" ", _LIST_MARK.sub(" ", text))
    found = set()
    for match in _NUMBER.finditer(text):
        figure = match[0].rstrip(".,")
        value = float(figure.replace(",", "")) if figure.count(".") <= 1 else 0.0
        after = text[match.end() : match.end() + 1]
        found.add(value * 1000 if after in {"k", "K"} and value < 1000 else value)
    return found


def unsupported_numbers(text: str, facts: str) -> set[float]:
    """Numbers in ``text`` that are in no fact, nor a percentage or count of one."""
    known = numbers_of(facts)
    # A date in facts is 2026-11-03; a share of 0.35 is told as 35 %; small numbers count what is listed.
    known |= {float(part) for part in re.findall(r"\d+", facts) if len(part) < 16}
    known |= {float(round(100 * value)) for value in known if 0 < value <= 1}
    known |= {float(round(value)) for value in known} | {float(number) for number in range(11)}
    return {value for value in numbers_of(text) if value not in known}


def unsupported_names(text: str, facts: str, names: Iterable[str]) -> set[str]:
    """Those of ``names`` (companies, titles) that stand in ``text`` and in no fact."""
    said, known = text.casefold(), facts.casefold()
    return {
        name
        for name in names
        if len(name) > 3
        and name.casefold() in said
        and name.casefold() not in known
        and re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", said)
    }


def unsupported_skills(text: str, facts: str, vocabulary: SkillVocabulary) -> set[str]:
    return (
        set(vocabulary.extract(text))
        - set(vocabulary.extract(facts, loose=True))
        - {skill for skill in vocabulary.extract(text) if skill.casefold() in facts.casefold()}
    )
