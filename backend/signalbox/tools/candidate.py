"""A profile as the ranking of postings takes it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from signalbox.blocks import ProfileFact
from signalbox.retrieval.fields import words_of_field
from signalbox.retrieval.fit.person import Candidate
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.terms import LEVELS, Employment, Seniority, employment_kind, title_level

# Kinds of employment that end, or are none: what "permanent only" rules out.
_PASSING: Final[tuple[Employment, ...]] = ("contract", "temporary", "internship")
_NIGHTS: Final = ("night shift", "night shifts", "nights", "night work", "overnight")
_WEEKENDS: Final = ("weekend", "weekends", "saturdays", "sundays")
# Other words for the same thing, by how the excluded term begins.
_SAME: Final[tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]] = tuple(
    (re.compile(pattern), forms)
    for pattern, forms in (
        (r"nights?\b|overnight", _NIGHTS),
        (r"weekends?\b", _WEEKENDS),
        (r"(?:business )?travel", ("travel", "travels", "travelling", "traveling", "business trips")),
        (r"on[- ]call", ("on-call", "on call")),
        (r"shift(?: work|s)$", ("shift work", "rotating shifts", "shift pattern", "shift patterns")),
        (r"start-?\s?ups?\b", ("startup", "startups", "start-up", "start-ups")),
    )
)
_AGENCIES = re.compile(
    r"(?:(?:recruit\w+|staffing|employment|temp\w*|job) )?(?:agenc(?:y|ies)|recruiters?|headhunters?)$"
)
_DAYS = re.compile(r"(\d+) at most")


def candidate_of(profile: Sequence[ProfileFact]) -> Candidate:
    """What ``profile`` says that a posting can be held against.

    Only constraints become hard limits; pay that is merely wished for, or remote work that is preferred, is
    none. A value that cannot be read (years and pay are numbers) is left out. Of a limit said twice the last holds.
    """
    hard = [fact for fact in profile if fact.kind == "constraint"]
    terms = _Terms(tuple(_values(hard, "exclude_term")), tuple(_values(hard, "work_time")))
    places = [_alternatives(value) for value in _values(hard, "location")]
    wished = [fact for fact in profile if fact.kind == "preference"]
    titles = dict.fromkeys((*_values(wished, "title"), *_values(profile, "title")))
    return Candidate(
        skills=tuple(dict.fromkeys((*_values(profile, "skill"), *_values(profile, "certificate")))),
        titles=tuple(titles),
        years=_last_number(profile, "years"),
        seniority=next(_values(profile, "seniority"), None),
        locations=tuple(part.strip() for value in _values(profile, "location") for part in value.split(",")),
        remote_only="only" in _values(hard, "remote"),
        on_site_only="no" in _values(hard, "remote"),
        salary_min=next((float(value) for value in _values(hard, "salary_min") if _is_number(value)), None),
        currency=next(_values(profile, "currency"), None),
        excluded_companies=tuple(_values(hard, "exclude_company")),
        excluded_terms=terms.words,
        excluded_levels=terms.levels,
        excluded_employment=terms.unwanted,
        employment=terms.wanted,
        level_min=next((level for level in LEVELS if level in _values(hard, "seniority_min")), None),
        only_in=places[-1] if places else (),
        home=_home(profile, moves="no" not in _values(hard, "relocation")),
        office_days_max=next(
            (int(days[1]) for value in _values(hard, "office_days") if (days := _DAYS.match(value))), None
        ),
        company_size_min=_last_number(hard, "company_size_min"),
        company_size_max=_last_number(hard, "company_size_max"),
        no_agencies=terms.no_agencies,
    )


class _Terms:
    """Excluded terms and working times, sorted by what of a posting they are about."""

    def __init__(self, excluded: Sequence[str], times: Sequence[str]) -> None:
        words: list[str] = []
        levels: list[Seniority] = []
        unwanted: list[Employment] = []
        wanted: list[Employment] = []
        self.no_agencies = False
        for term in excluded:
            kind, level = employment_kind(term), title_level(re.sub(r"s$", "", term))
            if _AGENCIES.match(term):
                self.no_agencies = True
            elif kind and kind[1] == (0, len(term)):
                unwanted.append(kind[0])
            elif level and level[1][0] == 0 and level[1][1] >= len(term) - 1:
                levels.append(level[0])
            else:
                words += _forms(term)
        for time in times:
            if time.startswith("permanent"):
                unwanted += _PASSING
            elif time.startswith(("day", "weekdays", "mornings")):
                words += _WEEKENDS if time.startswith("weekdays") else _NIGHTS
            elif kind := employment_kind(time.replace("contract work", "contract")):
                wanted.append(kind[0])
        self.words = tuple(dict.fromkeys(words))
        self.levels = tuple(dict.fromkeys(levels))
        self.unwanted = tuple(dict.fromkeys(unwanted))
        self.wanted = tuple(dict.fromkeys(wanted))


def _values(facts: Iterable[ProfileFact], key: str) -> Iterator[str]:
    return (fact.value for fact in facts if fact.key == key)


def _last_number(facts: Iterable[ProfileFact], key: str) -> int | None:
    numbers = [int(value) for value in _values(facts, key) if value.isdecimal() and len(value) < 10]
    return numbers[-1] if numbers else None


def _forms(term: str) -> tuple[str, ...]:
    """Singular, plural and other words for it: who rules out night shifts rules out a night shift."""
    if (field := words_of_field(term)) != (term,):
        return tuple(dict.fromkeys(form for word in field for form in (word, f"{word}s")))
    for pattern, forms in _SAME:
        if pattern.match(term):
            return forms
    if term.endswith("ies") and len(term) > 4:
        return term, f"{term[:-3]}y"
    return (term, term[:-1]) if term.endswith("s") and not term.endswith("ss") else (term, f"{term}s")


def _alternatives(value: str) -> tuple[str, ...]:
    """The places of a location: "Leeds, York" are two, "Munich, Germany" is one and where it lies."""
    parts = [part.strip() for part in value.split(",") if part.strip()]
    known = [(part, gazetteer().find(part)) for part in parts]
    towns = {code for _, place in known if place and place.kind == "city" for code in place.countries}
    narrow = [part for part, place in known if not (place and place.kind != "city" and towns & set(place.countries))]
    return tuple(narrow or parts)


def _home(profile: Sequence[ProfileFact], *, moves: bool) -> tuple[str, ...]:
    """Where someone lives who will not move."""
    if moves:
        return ()
    lives = [fact.value for fact in profile if fact.key == "location" and fact.kind != "preference"]
    return _alternatives(lives[0])[:1] if lives else ()


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()
