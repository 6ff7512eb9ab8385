"""What postings for a role pay: figures of one source, currency and kind together, never across.

A posting counts with the middle of the range it states, per year. Percentiles are interpolated linearly between the
ranked postings (Hyndman and Fan's type 7). No currency is converted; rates by the hour, day or month are brought to a
year as ``pay`` defines it, and their number is told. Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

import numpy as np

from signalbox.retrieval.facts.role_words import fits
from signalbox.retrieval.index import JobHit
from signalbox.retrieval.skills import SkillVocabulary

# Below this many, percentiles would only dress up single figures.
FEW: Final = 5


@dataclass(frozen=True, slots=True)
class PostedPay:
    """What one posting states, per year."""

    job_id: str
    title: str
    company: str
    location: str | None
    low: float
    high: float
    period: str
    posted_at: date | None
    url: str | None

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2


@dataclass(frozen=True, slots=True)
class PayGroup:
    """Postings of one ``source`` in one ``currency``, best paid first; ``converted`` state no yearly figure."""

    source: str
    sample: bool
    currency: str
    pays: tuple[PostedPay, ...]

    @property
    def n(self) -> int:
        return len(self.pays)

    @property
    def converted(self) -> int:
        return sum(pay.period != "year" for pay in self.pays)

    @property
    def dates(self) -> tuple[date | None, date | None]:
        known = [pay.posted_at for pay in self.pays if pay.posted_at]
        return min(known, default=None), max(known, default=None)

    def examples(self, few: int = 4) -> tuple[PostedPay, ...]:
        """All of a small group up to ``few``; of a larger one the three nearest its median."""
        if self.n < FEW:
            return self.pays[:few]
        median = float(np.median([pay.middle for pay in self.pays]))
        return tuple(sorted(self.pays, key=lambda pay: abs(pay.middle - median))[:3])

    def percentile(self, share: int) -> float | None:
        """None for too few postings."""
        if self.n < FEW:
            return None
        return round(float(np.percentile([pay.middle for pay in self.pays], share)), 2)

    def share_below(self, amount: float) -> float:
        """The fraction of the postings whose middle lies below ``amount``; ties count half."""
        middles = np.array([pay.middle for pay in self.pays])
        return float((middles < amount).mean() + (middles == amount).mean() / 2)


@dataclass(frozen=True, slots=True)
class PayOfPostings:
    """``matched`` postings are for the role; ``unstated`` of them state no pay that could be counted."""

    matched: int
    unstated: int
    groups: tuple[PayGroup, ...]


def pay_of(role: str, hits: Sequence[JobHit], vocabulary: SkillVocabulary) -> PayOfPostings:
    """The postings among ``hits`` whose title names the role, by source and currency, the largest group first and
    fictional samples last.
    """
    fitting = [hit for hit in hits if fits(role, hit.title, hit.skills, vocabulary)]
    found: dict[tuple[bool, str, str], list[PostedPay]] = {}
    for hit in fitting:
        if hit.currency and (pay := _stated(hit)):
            found.setdefault((hit.sample, hit.source, hit.currency), []).append(pay)
    groups = [
        PayGroup(source, sample, currency, tuple(sorted(pays, key=lambda pay: -pay.middle)))
        for (sample, source, currency), pays in found.items()
    ]
    groups.sort(key=lambda group: (group.sample, -group.n, group.source, group.currency))
    return PayOfPostings(len(fitting), len(fitting) - sum(group.n for group in groups), tuple(groups))


def _stated(hit: JobHit) -> PostedPay | None:
    bounds = [bound for bound in (hit.salary_year_min, hit.salary_year_max) if bound]
    if not bounds or hit.salary_period is None:
        return None
    return PostedPay(
        hit.job_id, hit.title, hit.company, hit.location, min(bounds), max(bounds), hit.salary_period, hit.posted_at,
        hit.url,
    )  # fmt: skip
