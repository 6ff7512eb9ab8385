"""Finds what a message was pasted with: the user's own letter, or a posting. Pure."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Final

from signalbox.agents.matching.pasted import pasted_posting
from signalbox.retrieval.posting import UNNAMED_COMPANY
from signalbox.tools.vocabulary import packaged_vocabulary

_DEAR = re.compile(
    r"(?:^|[\n\"“'‘:.]\s*)(?P<start>(?:Dear\b|To whom(?:soever)? it may concern|Sehr geehrte|Hello [A-Z]|"
    r"Hi [A-Z]|Sir or Madam)[^\n]{0,80})",
    re.IGNORECASE,
)
_LEAST_LETTER: Final = 20
_LEAST_POSTING: Final = 30
_CUES = re.compile(
    r"\b(?:requirements?|responsibilit\w+|qualifications?|we(?:'re| are) (?:looking|hiring|seeking)|you will|"
    r"you have|you bring|"
    r"what we offer|we offer|about (?:us|the role|you)|apply (?:by|now|before)|salary|per (?:year|hour)|full[- ]time|"
    r"part[- ]time|essential|desirable|must have|nice to have|your (?:profile|tasks|role)|years? of experience|"
    r"they (?:want|ask))\b",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"\b(?:posting|advert|ad|job description|description|vacancy|listing|jd)\b[^:\n]{0,40}:\s*|\n\s*\n|\n(?=[A-Z*•-])",
    re.IGNORECASE,
)

_ANNOUNCED = re.compile(
    r"\b(?:ad|advert\w*|posting|vacancy|job description|jd|listing|opening|spec|job|role|post)\b[^:?\n]{0,40}[:?]|"
    r"\b(?:for|to) (?:this|it)\s*:|^\W*here (?:it is|you go)\s*:",
    re.IGNORECASE,
)
_LONGEST_LINE: Final = 2_000


@dataclass(frozen=True, slots=True)
class Pasted:
    """``start``: where in the message it begins; what stands before is the user's request. ``role`` and ``company`` are
    the posting's, where a line of it names them.
    """

    letter: str | None = None
    posting: str | None = None
    start: int | None = None
    end: int | None = None
    role: str | None = None
    company: str | None = None


def tidied(message: str) -> str:
    """Without runs of blanks: patterns that skip blanks cost the square of such a run."""
    return re.sub(r"\n(?: ?\n)+", "\n\n", re.sub(r"[^\S\n]+", " ", message)).strip()


def pasted_in(message: str) -> Pasted:
    """A letter begins with a salutation; a posting is longer text that speaks as employers do."""
    dear = _DEAR.search(message)
    if dear:
        start = dear.start("start")
        end = _end(message, start)
        text = message[start:end].strip(" \n\"“”'‘’")
        if len(text.split()) >= _LEAST_LETTER:
            before = _posting(message[:start])
            return Pasted(text, before[0] if before else None, start if before is None else before[1], end)
    found = _posting(message)
    return Pasted(None, found[0], found[1]) if found else _in_a_line(message) or Pasted()


def words_before(message: str, pasted: Pasted) -> str:
    """The user's own words around what was pasted."""
    if pasted.start is None:
        return message
    behind = message[pasted.end :] if pasted.end is not None else ""
    return f"{message[: pasted.start]} {behind}".strip(" \"“”'\n")


def _end(message: str, start: int) -> int:
    """Where the letter ends: at the quote that closes it, else with the message."""
    before = message[:start].rstrip()
    if before.endswith(('"', "“")):
        closing = max(message.rfind('"'), message.rfind("”"))
        return closing if closing > start else len(message)
    if before.endswith(("'", "‘")):
        closing = max(message.rfind("'"), message.rfind("’"))
        return closing if closing > start + 80 else len(message)
    return len(message)


def _in_a_line(message: str) -> Pasted | None:
    """An advert too short to speak as employers do: "Here is a job ad: Senior Accountant, Brightwater Ltd, ..."."""
    if len(message) > _LONGEST_LINE or not _ANNOUNCED.search(message):
        return None
    # What the advert says of days is not asked for here, so any day may stand for today.
    found = pasted_posting(message, packaged_vocabulary(), today=date.max)
    if found is None or not found.titled:
        return None
    start = message.find(found.text)
    if start < 0:
        return None
    company = None if found.hit.company == UNNAMED_COMPANY else found.hit.company
    return Pasted(None, found.text, start, start + len(found.text), found.hit.title, company)


def _posting(text: str) -> tuple[str, int] | None:
    """The posting and where it starts."""
    if len(text.split()) < _LEAST_POSTING or len({match.casefold() for match in _CUES.findall(text)}) < 2:
        return None
    mark = _MARK.search(text)
    start = mark.end() if mark else 0
    if not mark:
        ends = re.search(r"[.:!]\s+", text)
        start = ends.end() if ends else 0
    body = text[start:].strip()
    return (body, start) if len(body.split()) >= _LEAST_POSTING - 10 else None
