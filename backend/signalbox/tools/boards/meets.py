"""The conditions of a ``JobQuery`` held against one posting in memory, as ``retrieval/filters`` holds them in SQL.

Whoever changes one changes the other; a test compares the two over the sample catalogue.
"""

import functools
import re
from collections.abc import Iterable
from typing import Final

from signalbox.retrieval.fields import numbers_of, words_of_field
from signalbox.retrieval.index import JobHit
from signalbox.retrieval.locations import lies_abroad, located
from signalbox.retrieval.pay import LARGE_UNIT
from signalbox.retrieval.places import Place, gazetteer
from signalbox.retrieval.query import REMOTE, JobQuery
from signalbox.tools.boards.stems import phrase_in, stems_of, words_of

_BEGINNERS: Final = frozenset({None, "intern", "junior"})
_DEGREE: Final = ("degree", "baccalaureate", "bachelor", "bachelor's", "master's", "university")
_WORLDWIDE: Final = r"\b(?:worldwide|anywhere|global|globally|any location)\b"
_UNSTATED: Final = re.compile(r"\s*(?:fully |100% )?(?:remote|home[ -]based|work from home)?\s*", re.IGNORECASE)


def meets(query: JobQuery, hit: JobHit) -> bool:
    """Whether the posting meets every condition. An unknown pay, level or date does not meet a condition on it,
    except that beginners see postings of no stated level; nor does an unknown level or place break an exclusion.
    """
    return meets_but_for_terms(query, hit) and not asks_for_excluded(query, hit)


def meets_but_for_terms(query: JobQuery, hit: JobHit) -> bool:
    """The conditions on a posting's fields: all but the excluded terms, which take a look at its whole text."""
    return (
        _meets_plain(query, hit)
        and _meets_pay(query, hit)
        and _meets_company(query, hit)
        and (not query.locations or _in_any(query.locations, hit, query.home_country, remote=bool(query.remote)))
        and not _is_avoided(query, hit)
    )


def asks_for_excluded(query: JobQuery, hit: JobHit) -> bool:
    return any(_asks_for(term, hit) for term in query.exclude)


def _meets_plain(query: JobQuery, hit: JobHit) -> bool:
    return (
        (query.remote is None or (hit.remote is True) == query.remote)
        and not (query.real_only and hit.sample)
        and (query.posted_after is None or (hit.posted_at is not None and hit.posted_at >= query.posted_after))
        and (not query.sources or hit.source in query.sources)
        and (query.seniority is None or hit.seniority == query.seniority)
        and (not query.entry_level or hit.seniority in _BEGINNERS)
        and (query.employment_type is None or hit.employment_type == query.employment_type)
    )


def _meets_pay(query: JobQuery, hit: JobHit) -> bool:
    if query.salary_min is None and query.salary_max is None:
        return True
    low, high = hit.salary_year_min, hit.salary_year_max
    top, bottom = (high if high is not None else low), (low if low is not None else high)
    if query.salary_min is not None and (top is None or top < query.salary_min):
        return False
    if query.salary_max is not None and (bottom is None or bottom > query.salary_max):
        return False
    return hit.currency == query.currency if query.currency else hit.currency is None or hit.currency in LARGE_UNIT


def _meets_company(query: JobQuery, hit: JobHit) -> bool:
    """After "at" stands an employer more often than a place, but "at Cape Canaveral" is one: both count."""
    if not query.companies:
        return True
    patterns = [_whole_word(name) for name in query.companies]
    return any(pattern.search(hit.company) or pattern.search(hit.location or "") for pattern in patterns)


def _is_avoided(query: JobQuery, hit: JobHit) -> bool:
    if query.not_locations and _in_any(query.not_locations, hit, query.home_country, remote=False):
        return True
    named = " | ".join(part for part in (hit.company, hit.location) if part is not None)
    return hit.seniority in query.not_seniority or any(_whole_word(name).search(named) for name in query.not_companies)


def _in_any(names: Iterable[str], hit: JobHit, home_country: str | None, *, remote: bool) -> bool:
    for name in names:
        if name == REMOTE:
            if hit.remote is True:
                return True
            continue
        where = located(name, home_country)
        if where is None:
            found = _whole_word(name).search(hit.location or "") is not None
        else:
            abroad = lies_abroad(where, hit.location or "", hit.country)
            found = _in_place(where.place, hit, remote=remote) and not abroad
        if found:
            return True
    return False


def _in_place(place: Place, hit: JobHit, *, remote: bool) -> bool:
    """A remote posting fits a known place if its region holds it, but only for who asks for remote work."""
    where, inside = hit.location or "", hit.country in place.countries
    wide = place.kind in {"country", "region"}
    if (wide and inside) or ((hit.country is None or not wide) and _names_of(place).search(where)):
        return True
    if place.abbreviation and inside:
        abbreviated = rf",\s*{re.escape(place.abbreviation)}(?:\s*\d{{5}})?\s*(?:,|\Z)"
        if re.search(abbreviated, where):
            return True
    return remote and (
        inside
        or _wider_names_of(place).search(where) is not None
        or (hit.country is None and _UNSTATED.fullmatch(where) is not None)
    )


def _asks_for(term: str, hit: JobHit) -> bool:
    """Mentioned, and not only as something not asked for ("no travel", "degree not needed")."""
    mentions = _Exclusion.of(term)
    if mentions is None:
        return False
    parts = (hit.title, hit.company, hit.category, hit.location, hit.requirements, hit.description)
    text = ". ".join(part for part in parts if part is not None)
    if not mentions.worth_reading.search(text):
        return False
    stems = stems_of(text)
    if not any(phrase_in(phrase, stems) for phrase in mentions.phrases):
        return False
    return mentions.named.search(mentions.negated.sub("", text)) is not None


class _Exclusion:
    """A term to leave out, made ready once."""

    def __init__(self, terms: tuple[str, ...]) -> None:
        either = "|".join(re.escape(form) for term in terms for form in numbers_of(term))
        self.phrases = [phrase for each in terms if (phrase := stems_of(each))]
        self.worth_reading = re.compile("|".join(re.escape(phrase[0][:4]) for phrase in self.phrases), re.IGNORECASE)
        self.named = re.compile(rf"\b(?:{either})", re.IGNORECASE)
        self.negated = re.compile(
            rf"\b(?:no|not|without|never|nor|don't|doesn't|isn't|rather than)(?:\s+[\w'-]+){{0,5}}\s+(?:{either})\w*"
            rf"|(?:{either})\w*(?:\s+[\w'-]+){{0,3}}\s+(?:not|unnecessary|optional)\b"
            r"|\b(?:high|some|any|large|varying) degree of",
            re.IGNORECASE,
        )

    @staticmethod
    @functools.lru_cache(maxsize=256)
    def of(term: str) -> "_Exclusion | None":
        if not words_of(term):
            return None
        return _Exclusion(_DEGREE if term.rstrip("s") == "degree" else words_of_field(term))


@functools.lru_cache(maxsize=512)
def _whole_word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)


@functools.lru_cache(maxsize=512)
def _names_of(place: Place) -> re.Pattern[str]:
    return re.compile(_either(_name_pattern(name) for name in gazetteer().names_in_postings(place)), re.IGNORECASE)


@functools.lru_cache(maxsize=512)
def _wider_names_of(place: Place) -> re.Pattern[str]:
    wider = [name for region in gazetteer().holding(place) for name in gazetteer().names_in_postings(region)]
    names = [*gazetteer().names_in_postings(place), *wider]
    return re.compile(_either([_WORLDWIDE, *map(_name_pattern, names)]), re.IGNORECASE)


def _name_pattern(name: str) -> str:
    """York, but not in New York, which is another place."""
    others = "".join(rf"(?<!\b{re.escape(prefix)} )" for prefix in gazetteer().prefixes_of_others(name))
    return rf"{others}(?<!\w){re.escape(name)}(?!\w)"


def _either(patterns: Iterable[str]) -> str:
    return "|".join(patterns) or r"(?!)"
