"""What stands in a list of skills and the vocabulary does not know: "Python, Spark and Looker". Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from signalbox.memory.found import Span
from signalbox.memory.noteworthy import EMPTY_WORDS
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.retrieval.words import word_list

# Products that people call without their maker's name.
_MAKERS: Final = ("Apache", "Microsoft", "Adobe", "Google", "Amazon", "IBM", "Oracle", "SAP")
_MOST: Final = 12
_SHORTEST: Final = 2
_COMMON: Final = EMPTY_WORDS | word_list("noise") | word_list("calendar")
_LEAD = re.compile(
    r"\b(?P<plain>(?:experience|experienced|skilled|proficient|expert|expertise)\s+(?:in|with|using|of)\s+|"
    r"(?:my\s+)?skills?(?:\s+are|\s+include|:)\s+)|\b(?:i|and|also)\s+(?:can\s+|do\s+|mostly\s+|also\s+)*"
    r"(?:know|use|learn(?:ed|t))\s+",
    re.IGNORECASE,
)
_JOINT = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|plus|as well as)\s+(?:also\s+)?|\s*[/&+]\s*", re.IGNORECASE)
_ITEM = re.compile(
    r"(?P<item>[^\W\d_][\w#+-]*(?:\.\w+)*(?:\s+[A-Z0-9][\w#+-]*)?)"
    r"(?=\s*(?:$|[,.;!?)/&+]|\b(?:and|or|plus|as well as|for|at|in|but|too|as|since|from|which|so|please|also)\b))"
)


@dataclass(frozen=True, slots=True)
class Listed:
    """``name``: as it is to be stored. ``sure``: written as a name, so that it is one of a thing to be good at."""

    name: str
    span: Span
    sure: bool


def listed_beside(
    sentence: str, known: Sequence[tuple[str, int, int]], vocabulary: SkillVocabulary
) -> tuple[Listed, ...]:
    """What is listed with the ``known`` skills of ``sentence`` (each with where it starts and ends), or alone behind
    "experience with": places, languages and common words are none.
    """
    ends = {start: end for _, start, end in known}
    found: dict[int, Listed] = {}
    starts = [(lead.end(), bool(lead["plain"])) for lead in _LEAD.finditer(sentence)]
    starts += [(start, True) for _, start, _ in known]
    for start, alone in starts[:_MOST]:
        chain = list(_chain(sentence, start, ends, vocabulary))
        if alone or None in chain:
            found |= {each.span[0]: each for each in chain if each is not None}
    return tuple(found[at] for at in sorted(found))


def _chain(sentence: str, at: int, ends: dict[int, int], vocabulary: SkillVocabulary) -> Iterator[Listed | None]:
    """The items of the list that starts ``at``; None for one that is known."""
    for _ in range(_MOST):
        if at in ends:
            yield None
            at = ends[at]
        elif (match := _ITEM.match(sentence, at)) and (item := _listed(match, vocabulary)):
            yield item
            at = match.end("item")
        else:
            return
        joint = _JOINT.match(sentence, at)
        if joint is None:
            return
        at = joint.end()


def _listed(match: re.Match[str], vocabulary: SkillVocabulary) -> Listed | None:
    text = match["item"]
    first = text.split()[0].casefold()
    if len(text) < _SHORTEST or first in _COMMON or gazetteer().find(text) is not None:
        return None
    name = next((known for maker in _MAKERS if (known := vocabulary.canonical(f"{maker} {text}"))), text)
    return Listed(name, match.span("item"), sure=text[0].isupper() and text != text.casefold())


def is_list(sentence: str, vocabulary: SkillVocabulary) -> bool:
    """Two or more skills and nothing else: "Python, SQL and Docker"."""
    spans = vocabulary.spans(sentence, loose=True)
    rest = list(sentence)
    for _, start, end in spans:
        rest[start:end] = " " * (end - start)
    return len(spans) > 1 and not re.search(r"\w", re.sub(r"\b(?:and|plus|also)\b", "", "".join(rest)))
