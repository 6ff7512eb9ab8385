"""A person's hard limits against one posting: which are broken, and which cannot be told from what it states. Pure.

A limit that a posting is not known to break does not rule it out, with two exceptions that err the other way, since
what they ask for is always stated where it is so: "remote only" and "part-time only".
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from signalbox.retrieval.facts.companies import name_key
from signalbox.retrieval.fit.pay import is_part_time_rate, same_currency, top_pay
from signalbox.retrieval.fit.person import Candidate
from signalbox.retrieval.fit.places import within, within_reach
from signalbox.retrieval.index import JobHit
from signalbox.retrieval.terms import HYBRID, LEVELS, Employment, employment_kind, title_level

LimitName = Literal[
    "remote_only", "on_site_only", "salary_min", "excluded_company", "excluded_term", "level", "employment", "place",
    "office_days", "company_size", "agency", "part_time_pay",
]  # fmt: skip
# Numbers of people at a company, least and most, by ``name_key``; None is unknown on that side.
Sizes = Mapping[str, tuple[int | None, int | None]]

# What a posting that breaks a limit is, to be said behind a number of postings.
LIMIT_WORDS: Final[dict[LimitName, str]] = {
    "remote_only": "not remote",
    "on_site_only": "remote",
    "salary_min": "below your least pay",
    "excluded_company": "from a company you ruled out",
    "excluded_term": "with something you ruled out",
    "level": "at a level you ruled out",
    "employment": "not the kind of employment you want",
    "place": "outside where you would work",
    "office_days": "with more days in the office than you want",
    "company_size": "at a company of a size you ruled out",
    "agency": "from an agency",
}
# And one that may break it, as it does not say.
UNKNOWN_WORDS: Final[dict[LimitName, str]] = {
    "salary_min": "pay not stated or in another currency",
    "part_time_pay": "a part-time rate of pay that reaches it only at full-time hours",
    "place": "place not known to be within reach",
    "office_days": "days in the office not stated",
    "company_size": "company size not known",
    "employment": "kind of employment not stated",
}

_AGENCY_NAME = re.compile(
    r"\b(?:recruit\w*|staffing|resourcing|headhunt\w*|talent (?:solutions|partners)|personnel|employment agency|"
    r"search (?:partners|group)|manpower|randstad|adecco|hays|michael page)\b",
    re.IGNORECASE,
)
_FOR_A_CLIENT = re.compile(
    r"\b(?:on behalf of (?:our|a|my) client|our client,? (?:is|are|has|have|a|an|seeks|needs|requires)|"
    r"(?:acting as|we are|is) an? (?:\w+ )?(?:employment|recruitment|staffing) (?:agency|business|company|"
    r"consultancy|firm))\b",
    re.IGNORECASE,
)
# "No travel" and "travel is not required" say the opposite of the word; "no experience in sales needed" does not.
_DENIED_BEFORE = re.compile(
    r"\b(?:no|without|zero|never)\s+(?:(?!experience)[\w'-]+\s+(?:or\s+)?){0,2}$", re.IGNORECASE
)
_DENIED_AFTER = re.compile(
    r"^(?:\s+is|\s+are)?\s+(?:not (?:required|needed|necessary|involved)|unnecessary)\b", re.IGNORECASE
)
_DAY_WORDS: Final = ("one", "two", "three", "four", "five")
_DAYS = rf"(?P<days>[1-5]|{'|'.join(_DAY_WORDS)})"
_OFFICE_DAYS: Final = (
    re.compile(
        rf"\b{_DAYS}\s+days?\s*(?:(?:a|per|each|/)\s*week\s*)?(?:(?:in|at|from|on)\s+(?:the\s+|our\s+|an\s+)?"
        r"(?:\w+\s+)?(?:office|site)|on[- ]?site)\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:office|on[- ]?site|hybrid)\b[^.;\n]{{0,25}}?\b{_DAYS}\s+days?\b(?!\s+(?:\w+\s+)?(?:from home|remote|"
        r"holiday|leave))",
        re.IGNORECASE,
    ),
)
_WHOLE_WEEK: Final = 5


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit and, in words fit to show, what the posting says to it."""

    name: LimitName
    reason: str


@dataclass(frozen=True, slots=True)
class Held:
    """``broken``: limits the posting is known to break. ``unknown``: those that what it states cannot decide."""

    broken: tuple[Limit, ...] = ()
    unknown: tuple[Limit, ...] = ()


Verdict = tuple[bool | None, str]


def held_against(hit: JobHit, person: Candidate, sizes: Sizes) -> Held:
    """Every limit of ``person`` against ``hit``."""
    broken, unknown = [], []
    for name, test in _tests(hit, person, sizes):
        holds, reason = test()
        if holds is False:
            broken.append(Limit(name, reason))
        elif holds is None:
            unknown.append(
                _part_time_pay(hit) if name == "salary_min" and reason == _rate(hit) else Limit(name, reason)
            )
    return Held(tuple(broken), tuple(unknown))


def _tests(hit: JobHit, person: Candidate, sizes: Sizes) -> Iterator[tuple[LimitName, Callable[[], Verdict]]]:
    """The limits that are set, cheap ones first."""
    office = person.office_days_max
    tests: tuple[tuple[LimitName, bool, Callable[[], Verdict]], ...] = (
        ("remote_only", person.remote_only, lambda: (hit.remote is True, "it is not stated to be remote")),
        ("on_site_only", person.on_site_only, lambda: (hit.remote is not True, "it is remote")),
        ("salary_min", bool(person.salary_min), lambda: _pay(hit, person)),
        ("level", bool(person.excluded_levels or person.level_min), lambda: _level(hit, person)),
        ("employment", bool(person.employment or person.excluded_employment), lambda: _employment(hit, person)),
        ("place", bool(person.only_in or person.home), lambda: _place(hit, person)),
        ("company_size", person.wants_size, lambda: _size(hit, person, sizes)),
        ("excluded_company", bool(person.excluded_companies), lambda: _company(hit, person)),
        ("agency", person.no_agencies, lambda: _agency(hit)),
        ("office_days", office is not None, lambda: _office(hit, office or 0)),
        ("excluded_term", bool(person.excluded_terms), lambda: _term(hit, person)),
    )
    return ((name, test) for name, is_set, test in tests if is_set)


def _pay(hit: JobHit, person: Candidate) -> Verdict:
    top = top_pay(hit)
    if top is None:
        return None, "its pay is not stated"
    if not same_currency(hit, person):
        return None, f"it pays in {hit.currency}, which is not compared with your least pay"
    if top < (person.salary_min or 0):
        return False, "it pays less than your least"
    return (None, _rate(hit)) if is_part_time_rate(hit) else (True, "")


def asked_pay_unknown(hit: JobHit, least: float | None) -> tuple[Limit, ...]:
    """For a search that asks for so much a year: what the posting leaves open of that."""
    return (_part_time_pay(hit),) if least and is_part_time_rate(hit) else ()


def _part_time_pay(hit: JobHit) -> Limit:
    return Limit("part_time_pay", _rate(hit))


def _rate(hit: JobHit) -> str:
    return f"it is part-time and paid by the {hit.salary_period}, so what it pays in a year is not known"


def _level(hit: JobHit, person: Candidate) -> Verdict:
    stated = title_level(hit.title)
    level = hit.seniority or (stated[0] if stated else None)
    if level not in LEVELS:
        return True, ""
    too_low = person.level_min is not None and LEVELS.index(level) < LEVELS.index(person.level_min)
    return not (too_low or level in person.excluded_levels), f"it is at {level} level"


def _employment(hit: JobHit, person: Candidate) -> Verdict:
    titled = employment_kind(hit.title)
    stated: set[str] = {hit.employment_type} if hit.employment_type else set()
    if titled:
        stated.add(titled[0])
    if unwanted := sorted(stated & set(person.excluded_employment)):
        return False, f"it is {_article(unwanted[0])}"
    wanted: set[str] = set(person.employment)
    if not wanted or stated & wanted:
        return True, ""
    if stated:
        return False, f"it is {_article(min(stated))}"
    kinds = " or ".join(person.employment)
    usual: Employment = "full-time"
    return (
        (None, "its kind of employment is not stated")
        if usual in wanted
        else (False, f"it is not stated to be {kinds}")
    )


def _article(kind: str) -> str:
    return {"contract": "contract work", "temporary": "temporary work", "internship": "an internship"}.get(kind, kind)


def _place(hit: JobHit, person: Candidate) -> Verdict:
    where = hit.location or hit.country
    if person.only_in and (inside := within(hit, person.only_in)) is not True:
        return inside, f"it is in {where}" if inside is False else "its place is not stated"
    if person.home and (near := within_reach(hit, person.home)) is not True:
        return near, f"it is in {where}" if where else "its place is not stated"
    return True, ""


def _size(hit: JobHit, person: Candidate, sizes: Sizes) -> Verdict:
    """A band that ends at the limit breaks it: of companies of 11 to 50 people few have exactly 50."""
    low, high = sizes.get(name_key(hit.company), (None, None))
    if low is None and high is None:
        return None, "the company's size is not known"
    band = (
        f"{low:,}–{high:,}" if low is not None and high is not None else f"up to {high:,}" if high else f"over {low:,}"
    )
    reason = f"the company has {band} people"
    least, most = person.company_size_min, person.company_size_max
    if least is not None and (low is None or low < least):
        return (False if high is not None and high <= least else None), reason
    if most is not None and (high is None or high > most):
        return (False if low is not None and low >= most else None), reason
    return True, ""


def _company(hit: JobHit, person: Candidate) -> Verdict:
    company = hit.company.casefold()
    named = next((name for name in person.excluded_companies if name and name.casefold() in company), None)
    return named is None, f"you ruled out {named}"


def _agency(hit: JobHit) -> Verdict:
    text = f"{hit.description}\n{hit.requirements}"
    known = _AGENCY_NAME.search(hit.company) or _FOR_A_CLIENT.search(text)
    return known is None, "an agency advertises it for somebody else"


def _office(hit: JobHit, most: int) -> Verdict:
    text = f"{hit.title}\n{hit.location or ''}\n{hit.requirements}\n{hit.description}"
    days = office_days(text)
    if days is not None:
        return days <= most, f"it asks for {days} days a week in the office"
    if hit.remote or most >= _WHOLE_WEEK:
        return True, ""
    if hit.remote is None or HYBRID.search(text):
        return None, "its days in the office are not stated"
    return False, "it is on site"


def office_days(text: str) -> int | None:
    """Days a week in the office, as a posting states them."""
    for pattern in _OFFICE_DAYS:
        if match := pattern.search(text):
            word = match["days"].casefold()
            return int(word) if word.isdecimal() else _DAY_WORDS.index(word) + 1
    return None


def _term(hit: JobHit, person: Candidate) -> Verdict:
    text = f"{hit.title}\n{hit.company}\n{hit.requirements}\n{hit.description}".casefold()
    terms = (term.casefold() for term in person.excluded_terms if term.strip())
    named = next((term for term in terms if _mentions(text, term)), None)
    return named is None, f"it mentions “{named}”"


def _mentions(text: str, term: str) -> bool:
    """Whole words only, and not where they are denied: who excludes "sales" still sees "Salesforce"."""
    start = text.find(term)
    while start >= 0:
        end = start + len(term)
        before, after = text[start - 1 : start], text[end : end + 1]
        denied = _DENIED_BEFORE.search(text[max(0, start - 40) : start]) or _DENIED_AFTER.match(text[end : end + 40])
        if not before.isalnum() and not after.isalnum() and not denied:
            return True
        start = text.find(term, end)
    return False
