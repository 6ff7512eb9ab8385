"""A posting that stands in the message itself, read as a feed's row would be. Pure; nothing of it is stored."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from pydantic import ValidationError

from signalbox.retrieval.index import JobHit
from signalbox.retrieval.pay import find_pay
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.posting import UNNAMED_COMPANY, RawPosting, normalise
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.retrieval.terms import HYBRID, employment_kind

PASTED_ID: Final = "pasted"
_LONG: Final = 350
_LEAST_WORDS: Final = 4
_LEAST_QUOTED: Final = 8
# A message that is a posting from its first word may still open with a question.
_QUESTION: Final = 120
_MOST_CHARS: Final = 20_000
_SIGNS = re.compile(
    r"\b(?:requirements?|responsibilit(?:y|ies)|about (?:the role|us|you)|we(?:'re| are) (?:looking|hiring|seeking)|"
    r"you will|you have|qualifications|what you(?:'ll| will) (?:do|bring)|must[- ]haves?|nice[- ]to[- ]haves?|"
    r"apply (?:now|by)|(?:title|company|salary|location)(?=:)|benefits|years?(?:'| of)? experience|essential|desirable|"
    r"a plus)\b",
    re.IGNORECASE,
)
# "Am I a fit for this? …", "Here is the advert: …": what stands before the posting.
_LEAD = re.compile(
    r"^(?P<lead>[^\n]{0,200}?(?:\?|:|\bbelow\b[^\n.:?]{0,40}[.?]?|"
    r"\b(?:this|here)\b[^\n:?.]{0,30}[.])\s*)(?=[\"“”'A-Z0-9\n*#])",
    re.DOTALL,
)
_QUOTED = re.compile(r"[\"“](?P<text>[^\"“”]{30,})[\"”]", re.DOTALL)
_ANNOUNCED = re.compile(
    r"\b(?:job description|jd|spec|advert|posting|vacancy|listing)\s*:\s*(?P<text>[^\"“”]{60,})$",
    re.IGNORECASE | re.DOTALL,
)
# "Worth applying? barber chair, croydon, 2yrs exp min": one line of parts behind a question or a colon.
_INLINE = re.compile(r"(?:\?|:)\s*(?P<text>[^?:\n]{15,}?,[^?\n]{3,})\s*(?:\?|$)")
_TALK = re.compile(
    r"\b(?:i|i'm|i've|me|my|we|they|which|where|would|should|both|you)\b|^(?:the|both|one)\b", re.IGNORECASE
)
_FIELD: Final = r"^\W*(?:{name})\W*[:\-–]\s*(?P<value>[^\n]{{2,120}})"
_TITLE_FIELD = re.compile(_FIELD.format(name="job title|title|role|position|vacancy|job"), re.IGNORECASE | re.MULTILINE)
_COMPANY_FIELD = re.compile(
    _FIELD.format(name="company|employer|organi[sz]ation|hiring company"), re.IGNORECASE | re.MULTILINE
)
_PLACE_FIELD = re.compile(_FIELD.format(name="location|place|where|based in|office"), re.IGNORECASE | re.MULTILINE)
_AT_COMPANY = re.compile(
    r"\b(?:at|@|with) (?P<company>[A-Z][\w&'’.-]*(?: (?:& |of )?[A-Z][\w&'’.-]*){0,3})(?! \d)(?=[\s,.;:|()–-]|$)"
)
_SEEKS = re.compile(
    r"\b(?:(?:we(?:'re| are)|is|are) (?:looking for|hiring|seeking|recruiting)|join (?:us|our team) as|"
    r"as our(?: new)?)\s+(?:an?\s+)?"
    r"(?P<title>[^\n.,;:(]{3,60}?)(?=\s+(?:to|who|with|for|in|at|on|based|and you)\b|[.,;:(\n]|$)",
    re.IGNORECASE,
)
# "As Laboratory Technician (m/f/d) you prepare samples".
_AS_TITLE = re.compile(r"^\W*As (?:an? |our )?(?P<title>[A-Z][\w /&-]{3,60}?)(?= \(| you\b|,)")
_NO_TITLE = re.compile(r"\d|\b(?:years?'?|experience|essential|obligatory|required|degree|must)\b", re.IGNORECASE)
_COMPANY_SEEKS = re.compile(
    r"^\W*(?P<company>[A-Z][\w&'’.-]*(?: [A-Z][\w&'’.-]*){0,3}) (?:is|are) (?:looking|hiring|seeking|recruiting)\b",
    re.MULTILINE,
)
_NAME_ALONE = re.compile(r"[A-Z][\w&'’.-]*(?: (?:& |of )?[A-Z][\w&'’.-]*){0,3}")
_TITLE_END = re.compile(r"\s+(?:at|@|in|with|for|–|-|\|)\s.*$|\s*[(|].*$|[.!].*$")
_LONGEST_TITLE: Final = 80


@dataclass(frozen=True, slots=True)
class Pasted:
    """The posting and what is left of the message around it. ``titled``: it says what the job is."""

    hit: JobHit
    question: str
    titled: bool


def pasted_posting(message: str, vocabulary: SkillVocabulary, *, today: date) -> Pasted | None:
    """The posting in ``message``, or None where there is none. What it does not state stays unknown."""
    found = _posting_text(message)
    if found is None:
        return None
    text, question = found
    title = _title(text)
    try:
        raw = RawPosting.model_validate(_row(text[:_MOST_CHARS], title or "this posting", question))
    except ValidationError:
        # A line longer or odder than any posting's: then it is no posting that could be judged.
        return None
    posting = normalise(raw, vocabulary, today=today, tenant="public", sample=False)
    row = posting.model_dump(exclude={"tenant", "digest"})
    return Pasted(JobHit.of({**row, "job_id": PASTED_ID}), question, bool(title))


def _posting_text(message: str) -> tuple[str, str] | None:
    """The stretch of ``message`` that is a posting, and the rest."""
    signs = len(_SIGNS.findall(message))
    if len(message) > _LONG and (signs >= 1 or message.count("\n") > 3):
        start = _lead_end(message)
        return message[start:].strip(' "“”\n'), message[:start] or message[:_QUESTION]
    if announced := _ANNOUNCED.search(message):
        return announced["text"].strip(), message[: announced.start("text")]
    for pattern in (_QUOTED, _INLINE):
        match = pattern.search(message)
        if match:
            text = match["text"].strip() if pattern is _QUOTED else _one_line(match["text"])
            if len(text.split()) >= (_LEAST_QUOTED if pattern is _QUOTED else _LEAST_WORDS):
                return text, message.replace(text, " ")
    if signs >= 2 and message.count("\n") >= 2:
        start = _lead_end(message)
        return message[start:].strip(), message[:start]
    return None


def _one_line(text: str) -> str:
    """The parts of an advert in one line; empty where it is somebody talking."""
    line = re.split(r"[.!]\s+(?=[a-z])", text.strip(), maxsplit=1)[0]
    return "" if _TALK.search(line) or "," not in line else line


def _lead_end(message: str) -> int:
    """Where the posting starts: behind a question or "here it is:", but not behind a heading of its own."""
    lead = _LEAD.match(message)
    return lead.end() if lead and not _SIGNS.search(lead["lead"]) else 0


def _row(text: str, title: str, question: str) -> dict[str, object]:
    pay = find_pay(text)
    place = _place(text)
    kind = employment_kind(text[:600])
    row: dict[str, object] = {
        "id": PASTED_ID,
        "source": PASTED_ID,
        "title": title[:_LONGEST_TITLE],
        "company": _company(text) or _company(question) or UNNAMED_COMPANY,
        "location": place,
        "employment_type": kind[0] if kind else None,
        "requirements": text,
    }
    if pay and (pay.minimum or pay.maximum):
        row |= {"salary_min": pay.minimum, "salary_max": pay.maximum, "salary_period": "year", "currency": pay.currency}
    return row


def _title(text: str) -> str:
    """What the job is called: in a field, behind "we are looking for", or as the first line or part of one."""
    if field := _TITLE_FIELD.search(text):
        return _cut(field["value"])
    first = next(_lines(text), "")
    if named := _AS_TITLE.match(first):
        return named["title"]
    if seeks := _SEEKS.search(text[:600]):
        short = _cut(first)
        if len(short.split()) > 7 or _COMPANY_SEEKS.match(first) or _SEEKS.search(first):
            return _cut(seeks["title"])
    short = _cut(first.partition(",")[0] if len(first) > 40 or first.count(",") > 1 else first)
    sound = 0 < len(short.split()) <= 8 and not _TALK.search(short) and not _NO_TITLE.search(short)
    return short if sound else ""


def _cut(line: str) -> str:
    bare = _TITLE_END.sub("", line.strip(' *#"“”-–:')).strip(" ,;")
    return bare if len(bare) <= _LONGEST_TITLE else ""


def _company(text: str) -> str | None:
    if field := _COMPANY_FIELD.search(text):
        return field["value"].strip(" *")
    if seeks := _COMPANY_SEEKS.search(text[:600]):
        return seeks["company"]
    head = "\n".join(line for line, _ in zip(_lines(text), range(3), strict=False))
    for match in _AT_COMPANY.finditer(head):
        if gazetteer().find(match["company"]) is None:
            return match["company"].strip(" .")
    parts = [part.strip() for part in re.split(r"\.\s", next(_lines(text), ""), maxsplit=1)[0].split(",")]
    named = [part for part in parts[1:] if _NAME_ALONE.fullmatch(part)]
    return next((part.rstrip(".") for part in named if gazetteer().find(part.rstrip(".")) is None), None)


def _place(text: str) -> str | None:
    if field := _PLACE_FIELD.search(text):
        return field["value"].strip(" *")
    head = "\n".join(line for line, _ in zip(_lines(text), range(6), strict=False))
    match = gazetteer().pattern.search(head)
    remote = re.search(r"\b(?:fully |100% )?remote\b", head, re.IGNORECASE)
    hybrid = HYBRID.search(head)
    named = [match.group()] if match else []
    way = ["hybrid"] if hybrid else ["Remote"] if remote else []
    return ", ".join([*named, *way]) or None


def _lines(text: str) -> Iterator[str]:
    return (line.strip() for line in text.splitlines() if line.strip())
