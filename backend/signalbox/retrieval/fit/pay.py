"""Whether a posting's pay can be held against what a person asks for. Pure."""

from signalbox.retrieval.fit.person import Candidate
from signalbox.retrieval.index import JobHit
from signalbox.retrieval.pay import LARGE_UNIT


def top_pay(hit: JobHit) -> float | None:
    """The most a posting pays in a year, None if it states no pay."""
    return hit.salary_year_max or hit.salary_year_min or None


def same_currency(hit: JobHit, person: Candidate) -> bool:
    """Where one side names none, the figures are taken to be in the same: a limit errs on the side of holding.
    Not so for a posting in a small unit, whose figures are far larger for the same pay.
    """
    if hit.currency and not person.currency:
        return hit.currency in LARGE_UNIT
    return not hit.currency or hit.currency == person.currency
