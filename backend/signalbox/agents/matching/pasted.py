"""A posting that stands in the message itself, read as a feed's row would be. Pure; nothing of it is stored."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from pydantic import ValidationError

from signalbox.agents.matching.advert import PART_END, TALK, advert_in
from signalbox.agents.words.phrases import without_command
from signalbox.agents.words.shown_names import PASTED_ID
from signalbox.blocks import Job, Salary
from signalbox.memory.conversation import PastMessage
from signalbox.retrieval.index import JobHit
from signalbox.retrieval.pay import find_pay
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.posting import UNNAMED_COMPANY, RawPosting, normalise
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.retrieval.terms import HYBRID, employment_kind

_MOST_CHARS: Final = 20_000
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
_TITLE_END = re.compile(r"\s+(?:at|@|in|with|for|–|—|-|·|•|/|\|)\s.*$|\s*[(|].*$|[.!].*$")
_YEARS = re.compile(
    r"\b(?P<years>\d{1,2}\s*\+?)\s*(?:years?|yrs?)\b(?:\W*(?:min(?:imum)?|exp\w*))?(?=\s*(?:[,.;)|·•/]|$))",
    re.IGNORECASE | re.MULTILINE,
)
_LONGEST_TITLE: Final = 80


@dataclass(frozen=True, slots=True)
class Pasted:
    """The posting, its ``text`` as it was pasted, and the rest of the message, which is the user's own. ``titled``: it
    says what the job is.
    """

    hit: JobHit
    text: str
    question: str
    titled: bool

    @property
    def job(self) -> Job:
        """The posting as a card shows it, unjudged."""
        hit = self.hit
        stated = hit.salary_min is not None or hit.salary_max is not None
        pay = Salary(min=hit.salary_min, max=hit.salary_max, currency=hit.currency, period=hit.salary_period)
        return Job(
            job_id=hit.job_id,
            title=hit.title,
            company=hit.company,
            location=hit.location,
            remote=hit.remote,
            salary=pay if stated else None,
            source=hit.source,
        )


def pasted_posting(message: str, vocabulary: SkillVocabulary, *, today: date) -> Pasted | None:
    """The posting in ``message``, or None where there is none. What it does not state stays unknown."""
    found = advert_in(message)
    if found is None:
        return None
    text, question = found
    title = _title(text)
    try:
        raw = RawPosting.model_validate(_row(text[:_MOST_CHARS], title or "this posting", question))
    except ValidationError:
        # A line longer or odder than any posting's: then it is no posting that could be judged.
        return None  # truth: what is no posting cannot be judged as one
    posting = normalise(raw, vocabulary, today=today, tenant="public", sample=False)
    row = posting.model_dump(exclude={"tenant", "digest"})
    return Pasted(JobHit.of({**row, "job_id": PASTED_ID}), text, question, bool(title))


def pasted_before(history: Sequence[PastMessage], vocabulary: SkillVocabulary, *, today: date) -> Pasted | None:
    """The newest posting that an earlier message of the user held: it is stored nowhere else."""
    said = (past.content for past in reversed(history) if past.role == "user")
    read = (pasted_posting(without_command(content), vocabulary, today=today) for content in said)
    return next((pasted for pasted in read if pasted), None)


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
    if years := _YEARS.search(text):
        # "5+ years," in a list of demands says of what.
        row["description"] = f"{years['years']} years of experience"
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
    sound = 0 < len(short.split()) <= 8 and not TALK.search(short) and not _NO_TITLE.search(short)
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
    first = re.split(r"\.\s", next(_lines(text), ""), maxsplit=1)[0]
    parts = [part.strip() for part in PART_END.split(first)]
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
