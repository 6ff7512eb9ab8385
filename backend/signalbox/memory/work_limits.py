"""The rules that read hard limits no other fact holds: how large a company, how high a level, nowhere but one place."""

import re
from collections.abc import Iterator
from typing import Final

from signalbox.memory.found import Found, Span, found
from signalbox.memory.profile import Kind
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.retrieval.terms import Seniority

_PEOPLE: Final = r"(?:people|persons?|employees|staff|heads|headcount|workers|colleagues)"
_COMPANY: Final = (
    r"(?:compan(?:y|ies)|start-?\s?ups?|employers?|firms?|business(?:es)?|corporations?|corporates?|organi[sz]ations?|"
    r"places?|shops?|headcount)"
)
_COUNT: Final = r"(?P<count>\d{1,3}(?:,\d{3})+|\d{1,6})(?P<kilo>k)?"
_FEWER: Final = r"(?:under|below|beneath|fewer than|less than|smaller than|up to|<)"
_MORE: Final = r"(?:over|above|more than|bigger than|larger than|greater than|>)"
_AT_LEAST: Final = r"(?:at least|min(?:imum)?(?: of)?|no (?:fewer|less|smaller) than|>=|≥)"
_AT_MOST: Final = r"(?:at most|max(?:imum)?(?: of)?|no (?:more|bigger|larger) than|<=|≤)"
_NOT: Final = (
    r"\b(?:no|nothing|not|never|don'?t|do not|won'?t|can'?t|cannot|avoid|exclude|without|refuse)\b"
    r"(?!\s+(?:more|fewer|less|bigger|larger|smaller)\b)"
)
_SIZE = re.compile(
    rf"(?P<how>{_AT_LEAST}|{_AT_MOST}|{_FEWER}|{_MORE})?\s*(?:an?\s+)?{_COUNT}(?P<plus>\+|\s+or more)?"
    rf"(?:[- ]{_PEOPLE}\b|(?=\W*$))",
    re.IGNORECASE,
)
_RANGE = re.compile(
    rf"\b(?:between\s+)?(?P<low>\d{{1,6}})\s*(?:-|–|to|and)\s*(?P<high>\d{{1,6}})[- ]{_PEOPLE}\b", re.IGNORECASE
)
# Told of a job that was or is, or of people led: no wish.
_TOLD = re.compile(
    r"\b(?:worked|was|were|had|been|currently|used to|experience|managed?|managing|led|lead(?:ing)?|supervis\w+|my "
    r"(?:current |last |old |previous )?(?:team|company|job|employer|startup))\b",
    re.IGNORECASE,
)
_TOLD_LEVEL = re.compile(r"\b(?:worked|was|were|had|been|currently|used to|experience)\b", re.IGNORECASE)
_ABOUT_SIZE = re.compile(rf"\b(?:{_COMPANY}|company size|size|nothing|employees)\b", re.IGNORECASE)
_HARD = re.compile(
    rf"\b(?:only|must|needs?|never|exclusively|has to|have to)\b|{_AT_LEAST}|{_AT_MOST}|\d\+", re.IGNORECASE
)

_LEVELS: Final[dict[str, Seniority]] = {
    "intern": "intern", "junior": "junior", "entry": "junior", "graduate": "junior", "mid": "mid",
    "intermediate": "mid", "senior": "senior", "sr": "senior", "lead": "lead", "principal": "lead", "staff": "lead",
    "director": "executive", "executive": "executive", "head": "executive", "vp": "executive",
}  # fmt: skip
_LEVEL: Final = rf"(?P<level>{'|'.join(_LEVELS)})(?:[- ]?level)?(?:\s+(?:roles?|jobs?|positions?|posts?|work|titles?))?"
_FLOORS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:nothing|not|no|never|won'?t|don'?t)\b[^.;,]{{0,30}}?\b(?:below|under|beneath)\s+(?:an?\s+)?{_LEVEL}\b",
        rf"\b{_LEVEL}\s+(?:or|and)\s+(?:above|higher|up(?:wards)?|more senior|better)\b",
        rf"\bat least\s+(?:an?\s+)?{_LEVEL}(?=\W*$|\s*[,;.]|\s+and\b)",
        rf"\bmin(?:imum)?(?: level)?(?: is|:)?\s+{_LEVEL}(?=\W*$|\s*[,;.])",
        rf"(?:^|[,;]\s*|\bwant\s+|\bfor\s+){_LEVEL}[\s,]+(?:only|or nothing)\b",
        rf"\bonly\s+(?:(?:want|interested in|looking (?:for|at)|show me)\s+)?{_LEVEL}(?=\W*$|\s*[,;.]|\s+and\b)",
    )
)
# A sentence that goes on for longer is a pasted list.
_LONGEST_WISH: Final = 600
# Nobody lists more places than fit in this; a longer sentence is pasted.
_LONGEST_PLACES: Final = 200
_NO_LEVEL = re.compile(
    r"\bnothing\s+(?:too\s+)?(?P<level>junior|entry[- ]level|senior|lead|executive)\b", re.IGNORECASE
)
_NOWHERE_ELSE = re.compile(
    r"^\W*(?:(?:i\s+)?(?:only|just)(?:\s+(?:want|looking|look|work|consider|jobs?|roles?))*(?:\s+(?:for|at))?(?!\s+in\b)|"
    r"max(?:imum)?|at most|no (?:further|farther) than|nowhere but|anywhere but not outside|"
    r"(?:nothing|not|never) outside(?: of)?)\s+(?:the\s+)?(?P<behind>.+?)(?:\s+or (?:fully )?remote)?"
    r"(?:\s+(?:only|please|at most))*\W*$"
    r"|^\W*(?:(?:jobs?|roles?|work|positions?)\s+)?(?:in\s+)?(?:the\s+)?(?P<before>.+?)(?:\s+or (?:fully )?remote)?\s+"
    r"(?:only|at most|max|or nothing|or nowhere)\W*$",
    re.IGNORECASE,
)


def company_size(sentence: str, _: SkillVocabulary) -> Iterator[Found]:
    """How many people a company must have or may have. "No startups under 50 people": at least 50."""
    if len(sentence) > _LONGEST_WISH or _TOLD.search(sentence) or not _ABOUT_SIZE.search(sentence):
        return
    if between := _RANGE.search(sentence):
        kind: Kind = "constraint" if _HARD.search(sentence) else "preference"
        yield found(kind, "company_size_min", str(int(between["low"])), between.span())
        yield found(kind, "company_size_max", str(int(between["high"])), between.span())
        return
    for match in _SIZE.finditer(sentence):
        if yielded := _one_size(sentence, match):
            yield yielded


def _one_size(sentence: str, match: re.Match[str]) -> Found | None:
    how = (match["how"] or "").casefold()
    counts_people = re.search(_PEOPLE, match.group(), re.IGNORECASE) or re.search(r"\bsize\b", sentence, re.IGNORECASE)
    if not counts_people or not (how or match["plus"]):
        return None
    number = int(match["count"].replace(",", "")) * (1_000 if match["kilo"] else 1)
    clause = sentence[max(sentence.rfind(mark, 0, match.start()) for mark in ",;") + 1 : match.start()]
    refused = re.search(_NOT, clause, re.IGNORECASE)
    at_least = bool(match["plus"]) or re.fullmatch(f"{_AT_LEAST}|{_MORE}", how, re.IGNORECASE) is not None
    if refused:
        at_least = not at_least
    kind: Kind = "constraint" if refused or _HARD.search(sentence) else "preference"
    start = match.start() if not refused else match.start() - len(clause) + refused.start()
    named = re.search(rf"\b{_COMPANY}\b", clause, re.IGNORECASE)
    if named and not refused:
        start = match.start() - len(clause) + named.start()
    return found(kind, "company_size_min" if at_least else "company_size_max", str(number), (start, match.end()))


def level_floor(sentence: str, _: SkillVocabulary) -> Iterator[Found]:
    """The lowest level somebody would take, and levels they would not."""
    if len(sentence) > _LONGEST_WISH or _TOLD_LEVEL.search(sentence):
        return
    for pattern in _FLOORS:
        if match := pattern.search(sentence):
            yield found("constraint", "seniority_min", _LEVELS[match["level"].casefold()], match.span())
            return
    if match := _NO_LEVEL.search(sentence):
        yield found("constraint", "exclude_term", match["level"].casefold(), match.span())


def only_place(sentence: str, vocabulary: SkillVocabulary) -> Iterator[Found]:
    """Nowhere but: "Germany only", "max Leeds", "nothing outside Porto or Lisbon"; of places that are known."""
    if len(sentence) > _LONGEST_PLACES:
        return
    for start, end in _stretches(sentence):
        match = _NOWHERE_ELSE.match(sentence[start:end])
        if not match:
            continue
        text = match["behind"] or match["before"]
        names = [re.sub(r"^(?:the|in)\s+", "", part.strip()) for part in re.split(r"\bor\b|\band\b|[/,]", text)]
        places = [gazetteer().find(name) for name in names if name]
        if places and all(places) and not any(vocabulary.canonical(name) for name in names):
            value = ", ".join(place.name for place in places if place)
            yield found("constraint", "location", value, (start, end))
            return


def _stretches(sentence: str) -> Iterator[Span]:
    """The sentence, then its clauses. "Leeds, York or Porto only" is one list: its end alone would say less than the
    writer did.
    """
    yield 0, len(sentence)
    before = ""
    for clause in re.finditer(r"[^,;]+", sentence):
        if gazetteer().find(before) is None:
            yield clause.span()
        before = clause.group()
