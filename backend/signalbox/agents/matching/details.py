"""What one posting says to a question about it: its pay, its place, how it asks for a skill, what it demands. Pure."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Final, Literal

from signalbox.agents.matching.places import asks_whether_inside, place_named
from signalbox.agents.matching.wish import Aspect
from signalbox.agents.turn import Facts
from signalbox.blocks import Salary
from signalbox.retrieval.fit.limits import office_days
from signalbox.retrieval.fit.pay import is_part_time_rate
from signalbox.retrieval.fit.person import Candidate
from signalbox.retrieval.fit.places import within
from signalbox.retrieval.fit.skills import kin_of
from signalbox.retrieval.index import JobHit
from signalbox.retrieval.pay import find_pay
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.posting import UNNAMED_COMPANY
from signalbox.retrieval.rerank import RankedJob
from signalbox.retrieval.terms import HYBRID, employment_kind

_MOST_QUOTED: Final = 180
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+|\s[•*·-]\s")
_WISHED = re.compile(
    r"\b(?:nice[- ]to[- ]have|a plus|bonus|preferred|desirable|advantage\w*|ideally|optional|"
    r"would be (?:great|good|nice)|beneficial|helpful|asset)\b",
    re.IGNORECASE,
)
_REQUIRED = re.compile(
    r"\b(?:must|required|requires|requirements?|essential|mandatory|minimum|at least|need(?:s|ed)? to|necessary|"
    r"\d+\+? years)\b",
    re.IGNORECASE,
)
# What a posting may demand by law or rule, and how it is called.
_FORMAL: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("a degree", r"\b(?:bachelor|master'?s|baccalaureate|degree (?:in|from|required)|university degree|ph\.?d)\b"),
        ("a security clearance", r"\b(?:security|sc|dv) clearance\b"),
        ("citizenship", r"\b(?:u\.?s\.? )?citizens?(?:hip)?\b(?! services)"),
        ("a driving licence", r"\bdriv(?:ing|er'?s?) licen[cs]e\b"),
    )
)
_ASKS_TOLD: Final = 8
_MOST_OPENED: Final = 320
_LINK = re.compile(r"https?://[^\s<>\"]+")
# How working times and terms are called, and how a posting's text says them where its fields do not.
_TERMS: Final[dict[str, re.Pattern[str]]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in (
        ("permanent", r"\bpermanent\b|\bindefinite\b|\bopen[- ]ended\b"),
        ("part-time", r"\bpart[- ]?time\b"),
        ("full-time", r"\bfull[- ]?time\b"),
        ("temporary", r"\btemporary\b|\bseasonal\b|\btemp\b"),
        ("contract", r"\bfreelanc\w+\b|\bfixed[- ]term\b|\bcontractors?\b|\b\d+[- ]month contract\b|\bcontract\b"),
        ("internship", r"\binternships?\b|\binterns?\b"),
    )
}
_ASKS_END = re.compile(r"\b(?:clos\w+|deadline|still open|apply by|expir\w+)\b", re.IGNORECASE)
_PASSING: Final = frozenset({"temporary", "contract", "internship"})
_FIXED: Final = {
    "temporary": re.compile(r"\btemporary (?:contract|post|position|role|job)\b|\bseasonal\b", re.IGNORECASE),
    "contract": re.compile(r"\bfixed[- ]term\b|\b\d+[- ]month (?:contract|post)\b|\bmaternity cover\b", re.IGNORECASE),
}
_BENEFITS = re.compile(
    r"\b(?:holidays?|paid leave|annual leave|vacation|pension|bonus\w*|insurance|allowance|learning budget|parental|"
    r"benefits?|discounts?|stock|equity)\b",
    re.IGNORECASE,
)


class AskedSkill(Facts):
    """A requirement the message asks about. ``held``: by the user; ``half`` through ``through``. ``weight`` is how the
    posting asks for it, ``quote`` where.
    """

    skill: str
    held: Literal["have", "half", "missing"]
    through: str | None = None
    weight: Literal["required", "wished", "named", "not_named"]
    quote: str = ""


class Detail(Facts):
    """What a single posting says to one question: ``stated`` is None where it does not say. ``asked`` is the pay asked
    about, per year; ``enough`` tells whether the posting reaches it, None where that cannot be said, and ``by_hours``
    where it would at full-time hours and is part-time.
    For employment ``term`` is what is asked about and ``enough`` whether it is that; for a place, the one asked about
    and whether the posting lies in it, with ``near`` where it would do to be near it.
    """

    about: Aspect
    stated: str | None = None
    quote: str = ""
    term: str | None = None
    closed: bool = False
    asked: float | None = None
    enough: bool | None = None
    by_hours: bool = False
    near: bool = False


class PostingText(Facts):
    """A posting as it stands now, in what people want to know before they open it."""

    place: int
    title: str
    company: str
    location: str | None
    remote: bool | None
    hybrid: bool
    employment: str | None
    seniority: str | None
    salary: Salary | None
    skills: tuple[str, ...]
    requirements: str
    work: str
    posted_at: date | None
    closes_at: date | None
    closed: bool
    url: str | None
    sample: bool


def text_of(place: int, hit: JobHit, today: date, *, whole: bool) -> PostingText:
    """``whole``: with the openings of what it asks for and of what the work is."""
    stated = hit.salary_min is not None or hit.salary_max is not None
    pay = Salary(min=hit.salary_min, max=hit.salary_max, currency=hit.currency, period=hit.salary_period)
    return PostingText(
        place=place,
        title=hit.title,
        company=hit.company,
        location=hit.location or hit.country,
        remote=hit.remote,
        hybrid=HYBRID.search(f"{hit.title} {hit.location or ''}") is not None,
        employment=hit.employment_type,
        seniority=hit.seniority,
        salary=pay if stated else None,
        skills=hit.skills[:_ASKS_TOLD] if whole else (),
        requirements=opening(hit.requirements) if whole else "",
        work=opening(hit.description) if whole else "",
        posted_at=hit.posted_at,
        closes_at=hit.closes_at,
        closed=hit.closes_at is not None and hit.closes_at < today,
        url=hit.url if hit.url and _LINK.fullmatch(hit.url) else None,
        sample=hit.sample,
    )


def opening(text: str) -> str:
    """The first sentences of ``text``, as many as fit."""
    line = " ".join(text.split())
    if len(line) <= _MOST_OPENED:
        return line
    end = max(line.rfind(mark, 0, _MOST_OPENED) for mark in (". ", "; ", "! "))
    return line[: end + 1] if end > _MOST_OPENED // 3 else f"{line[: _MOST_OPENED - 1].rstrip()}…"


def _quote(hit: JobHit, pattern: re.Pattern[str]) -> str:
    text = f"{hit.title}\n{hit.requirements}\n{hit.description}"
    sentence = next((part for part in _SENTENCE.split(text) if pattern.search(part)), "")
    return " ".join(sentence.split())[:_MOST_QUOTED]


def asked_term(question: str) -> str | None:
    """The kind of employment a question names: "permanent", "part-time"."""
    return next((name for name, pattern in _TERMS.items() if pattern.search(question)), None)


def is_of_term(hit: JobHit, term: str) -> tuple[bool | None, str]:
    """Whether a posting is of that kind and the words of its text that say so; None where it does not say."""
    stated = hit.employment_type
    if stated == term:
        return True, ""
    if term == "permanent":
        if stated in _PASSING:
            return False, ""
        if quote := _quote(hit, _TERMS["permanent"]):
            return True, quote
        passing = next((quote for name in ("temporary", "contract") if (quote := _quote(hit, _FIXED[name]))), "")
        return (False, passing) if passing else (None, "")
    if stated is not None:
        # What is stated as full-time may be a contract all the same, but not part-time.
        apart = {stated, term} <= {"full-time", "part-time"}
        return (False, "") if apart or stated in _PASSING else (None, "")
    kind = employment_kind(hit.title)
    return (True, hit.title) if kind and kind[0] == term else (None, "")


def _employment_detail(hit: JobHit, question: str) -> Detail:
    term = asked_term(question)
    if term is None:
        return Detail(about="employment", stated=hit.employment_type)
    enough, quote = is_of_term(hit, term)
    return Detail(about="employment", stated=hit.employment_type, term=term, enough=enough, quote=quote)


def formal_demands(ranked: RankedJob, owned: str) -> list[str]:
    """Degrees, licences and the like that the posting names and that ``owned`` (what is known of the user) does not."""
    text = f"{ranked.hit.requirements}\n{ranked.hit.description}"
    return [name for name, pattern in _FORMAL if pattern.search(text) and not pattern.search(owned)]


def detail_of(about: Aspect, ranked: RankedJob, question: str, today: date) -> Detail:
    """The posting's line that answers a question about it."""
    hit = ranked.hit
    match about:
        case "posted":
            return _dates_detail(hit, question, today)
        case "pay":
            return _pay_detail(ranked, question)
        case "employment":
            return _employment_detail(hit, question)
        case "asks" | "duties" | "benefits":
            return _text_detail(about, hit)
        case "remote":
            stated = None if hit.remote is None else "remote" if hit.remote else "not remote"
        case "office":
            days = office_days(f"{hit.title}\n{hit.location or ''}\n{hit.requirements}\n{hit.description}")
            stated = None if days is None else f"{days} days a week in the office"
        case "place":
            return _place_detail(hit, question)
        case "company":
            stated = hit.company if hit.company != UNNAMED_COMPANY else None
        case "link":
            stated = hit.url if hit.url and _LINK.fullmatch(hit.url) else None
    return Detail(about=about, stated=stated)


def _text_detail(about: Literal["asks", "duties", "benefits"], hit: JobHit) -> Detail:
    match about:
        case "asks":
            return Detail(
                about=about, stated=", ".join(hit.skills[:_ASKS_TOLD]) or None, quote=opening(hit.requirements)
            )
        case "duties":
            return Detail(about=about, quote=opening(hit.description))
        case "benefits":
            return Detail(about=about, quote=_quote(hit, _BENEFITS))


def _place_detail(hit: JobHit, question: str) -> Detail:
    asked, stated = place_named(question), hit.location or hit.country
    if asked is None:
        return Detail(about="place", stated=stated)
    inside = within(hit, [asked])
    there = gazetteer().find(asked)
    abroad = there is not None and hit.country is not None and hit.country not in there.countries
    # Of two towns in one country names do not tell how far they lie apart.
    near = not (inside or abroad or asks_whether_inside(question))
    return Detail(about="place", stated=stated, term=asked, enough=inside, near=near)


def _dates_detail(hit: JobHit, question: str, today: date) -> Detail:
    """When it was posted and when it closes; how long it is open still, if that is what is asked."""
    closed = hit.closes_at is not None and hit.closes_at < today
    parts = []
    closes = f"{'closed on' if closed else 'is open until'} {_day(hit.closes_at)}" if hit.closes_at else ""
    if hit.posted_at and not (closes and _ASKS_END.search(question)):
        days = (today - hit.posted_at).days
        ago = "today" if days == 0 else f"{days} day{'' if days == 1 else 's'} ago"
        parts.append(f"was posted on {_day(hit.posted_at)}{f' ({ago})' if days >= 0 else ''}")
    if closes or (parts and _ASKS_END.search(question)):
        parts.append(closes or "names no closing date")
    return Detail(about="posted", stated=" and ".join(parts) or None, closed=closed)


def _day(stated: date) -> str:
    return f"{stated.day} {stated:%B %Y}"


def _pay_detail(ranked: RankedJob, question: str) -> Detail:
    hit, wish = ranked.hit, find_pay(question)
    asked = wish and (wish.minimum or wish.maximum)
    top = hit.salary_year_max or hit.salary_year_min
    same = wish is None or wish.currency in {None, hit.currency}
    enough = top >= asked if asked and top and same else None
    by_hours = bool(enough) and is_part_time_rate(hit)
    enough = None if by_hours else enough
    return Detail(about="pay", stated="stated" if top else None, asked=asked, enough=enough, by_hours=by_hours)


def asked_skill(skill: str, ranked: RankedJob, person: Candidate, names: Sequence[str], *, lacks: bool) -> AskedSkill:
    """How the posting asks for ``skill`` (in any of its ``names``) and whether the user has it; ``lacks``: no."""
    own = {each.casefold() for each in person.skills} if not lacks else set()
    through = kin_of(skill, [each for each in person.skills if each != skill])
    held: Literal["have", "half", "missing"] = "have" if skill.casefold() in own else "half" if through else "missing"
    text = f"{ranked.hit.requirements}\n{ranked.hit.description}"
    sentence = next((part for part in _SENTENCE.split(text) if _names(part, names)), "")
    weight: Literal["required", "wished", "named", "not_named"] = "not_named"
    if sentence or skill in ranked.hit.skills:
        weight = "wished" if _WISHED.search(sentence) else "required" if _REQUIRED.search(sentence) else "named"
    quote = " ".join(sentence.split())
    if len(quote) > _MOST_QUOTED:
        at = max(0, quote.casefold().find(names[0].casefold()) - _MOST_QUOTED // 2)
        quote = ("… " if at else "") + quote[at : at + _MOST_QUOTED].strip() + " …"
    return AskedSkill(skill=skill, held=held, through=through if held == "half" else None, weight=weight, quote=quote)


def _names(text: str, names: Sequence[str]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in names)
