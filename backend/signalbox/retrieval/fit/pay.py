"""Whether a posting's pay can be held against what a person asks for. Pure."""

from typing import Final

from signalbox.retrieval.fit.person import Candidate
from signalbox.retrieval.index import JobHit
from signalbox.retrieval.pay import LARGE_UNIT
from signalbox.retrieval.terms import employment_kind

# Their year is counted in full-time hours and days; a week's or month's pay is what is paid, however long one works.
_RATES: Final = frozenset({"hour", "day"})


def top_pay(hit: JobHit) -> float | None:
    """The most a posting pays in a year, None if it states no pay. Where ``is_part_time_rate`` holds, it pays less."""
    return hit.salary_year_max or hit.salary_year_min or None


def is_part_time_rate(hit: JobHit) -> bool:
    """Its pay is a rate for part-time work: what a year brings depends on hours that nobody states, and the yearly
    figures are those of a full-time year.
    """
    if hit.salary_period not in _RATES or top_pay(hit) is None:
        return False
    titled = employment_kind(hit.title)
    return "part-time" in {hit.employment_type, titled[0] if titled else None}


def same_currency(hit: JobHit, person: Candidate) -> bool:
    """Where one side names none, the figures are taken to be in the same: a limit errs on the side of holding.
    Not so for a posting in a small unit, whose figures are far larger for the same pay.
    """
    if hit.currency and not person.currency:
        return hit.currency in LARGE_UNIT
    return not hit.currency or hit.currency == person.currency
