"""What is known of the pay for a role, as facts and as the events that show it. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Final, Literal

from signalbox.agents.pay.context import Basis
from signalbox.agents.pay.counter import DraftFact
from signalbox.agents.pay.figures import Figure
from signalbox.agents.pay.offers import ConversionFact, OffersFact
from signalbox.agents.turn import Facts
from signalbox.agents.words.guides import GuideFacts
from signalbox.retrieval.facts.posting_pay import FEW, PayGroup
from signalbox.retrieval.facts.wage_rows import NATIONAL
from signalbox.retrieval.facts.wages import WageRow, percentile_of
from signalbox.retrieval.pay import PER_YEAR, Period
from signalbox.retrieval.places import gazetteer
from signalbox.tools.find_wages import Wages
from signalbox.tools.pay_of_postings import RolePay
from signalbox.tools.result import Empty, Err, Ok, Result

Outcome = Literal["told", "no_role", "offers", "table", "convert", "advice", "net", "draft", "not_held"]
Looked = Literal["found", "nothing", "unavailable", "not_asked"]

MOST_GROUPS: Final = 3
# Pay moves by some per cent a year: figures older than this are history.
_OLD: Final = timedelta(days=2 * 365)
# The money of a place, for a figure without a sign.
_EURO: Final = "AT BE HR CY EE FI FR DE GR IE IT LV LT LU MT NL PT SK SI ES"
_MONEY: Final = {
    "GB": "GBP", "US": "USD", "CA": "CAD", "AU": "AUD", "NZ": "NZD", "CH": "CHF", "SE": "SEK", "NO": "NOK",
    "DK": "DKK", "PL": "PLN", "CZ": "CZK", "IN": "INR", "JP": "JPY", "SG": "SGD", "ZA": "ZAR",
    **dict.fromkeys(_EURO.split(), "EUR"),
}  # fmt: skip


class AskedFact(Facts):
    """The pay to judge, per year. ``assumed``: the message names no currency, and it is read in the place's.
    ``posting``: it is the middle of what the posting pointed at states.
    """

    stated: str
    yearly: float
    currency: str | None
    assumed: bool
    hourly: bool
    posting: bool = False


class PostedFact(Facts):
    job_id: str
    title: str
    company: str
    low: float
    high: float
    posted_at: date | None


class RangeFact(Facts):
    """Pay that ``n`` postings of one source state per year; percentiles only from five postings on, and ``figures``
    are then examples near the median. ``hour_p50`` is the median at 2,080 hours, where pay by the hour is asked for.
    """

    source: str
    sample: bool
    currency: str
    n: int
    p10: float | None
    p25: float | None
    p50: float | None
    p75: float | None
    p90: float | None
    converted: int
    date_from: date | None
    date_to: date | None
    old: bool
    figures: tuple[PostedFact, ...]
    asked_below_percent: int | None = None
    hour_p50: float | None = None


class StepFact(Facts):
    where: str
    level: bool
    matched: int
    stated: int


class WageFact(Facts):
    """A line of a wage table; ``hour_p50`` is the median at 2,080 hours, where pay by the hour is asked for."""

    wage_id: str
    occupation: str
    closeness: Literal["same", "near"]
    area: str
    country: str | None
    source: str
    as_of: date | None
    currency: str
    period: str
    employed: int | None
    p10: float | None
    p25: float | None
    p50: float | None
    p75: float | None
    p90: float | None
    asked_between: tuple[str, str] | None = None
    asked_per_period: float | None = None
    hour_p50: float | None = None


class TableJobFact(Facts):
    """A posting on the table: its yearly pay, or None if it states none."""

    place: int
    job_id: str
    title: str
    company: str
    low: float | None
    high: float | None
    currency: str | None
    period: str | None
    sample: bool


class SlipFact(Facts):
    """What was typed, and what it was read as."""

    typed: str
    read: str


class SalaryFacts(Facts):
    """All that the reply may claim. ``basis``: where the role is from. ``near``: the user's own place, for an example
    where a role is asked for. ``not_held``: what was asked for is in no source: pay that a law sets, or ``no_role``,
    which neither the vocabulary of titles nor a posting nor a wage table knows. ``also``: the same for the other roles
    that were asked about.
    """

    outcome: Outcome
    role: str | None = None
    location: str | None = None
    level: str | None = None
    asked: AskedFact | None = None
    postings: Looked = "not_asked"
    matched: int = 0
    unstated: int = 0
    steps: tuple[StepFact, ...] = ()
    ranges: tuple[RangeFact, ...] = ()
    hidden_ranges: int = 0
    samples_left_out: bool = False
    wages: Looked = "not_asked"
    wage_note: str = ""
    wage_rows: tuple[WageFact, ...] = ()
    local_line_missing: bool = False
    occupations: tuple[str, ...] = ()
    offers: OffersFact | None = None
    conversion: ConversionFact | None = None
    table: tuple[TableJobFact, ...] = ()
    table_best: str | None = None
    guides: GuideFacts | None = None
    roles: tuple[str, ...] = ()
    posting: TableJobFact | None = None
    basis: Basis = "message"
    years: int | None = None
    slips: tuple[SlipFact, ...] = ()
    near: str | None = None
    draft: DraftFact | None = None
    no_role: str | None = None
    also: tuple["SalaryFacts", ...] = ()


def asked_fact(figure: Figure | None, location: str | None, currency: str | None = None) -> AskedFact | None:
    """The pay to judge. ``currency``: that of the pay told last, for want of a sign and of a place that has one."""
    if figure is None:
        return None
    read = figure.currency or currency_at(location) or currency
    assumed = figure.currency is None and read is not None
    return AskedFact(stated=figure.text, yearly=figure.yearly, currency=read, assumed=assumed, hourly=figure.hourly)


def currency_at(location: str | None) -> str | None:
    """The money of a place, if it has one."""
    place = gazetteer().find(location) if location else None
    local = {code for country in (place.countries if place else ()) if (code := _MONEY.get(country))}
    return local.pop() if len(local) == 1 else None


def with_figures(facts: SalaryFacts, postings: Result[RolePay], wages: Result[Wages], today: date) -> SalaryFacts:
    """What postings and wage tables say. Fictional samples are left out where there is anything real, and figures in
    other currencies where an amount is judged and there are some in its own.
    """
    groups = postings.value.pay.groups if isinstance(postings, Ok) else ()
    rows = wages.value.rows if isinstance(wages, Ok) else ()
    real = [group for group in groups if not group.sample]
    counted = real or (() if rows else groups)
    known = {group.currency for group in counted} | {row.currency for row in rows}
    if facts.asked and facts.asked.currency is None and len(known) == 1:
        asked = facts.asked.model_copy(update={"currency": known.pop(), "assumed": True})
        facts = facts.model_copy(update={"asked": asked})
    facts = with_wages(with_postings(facts, postings, today), wages)
    ranges = [each for each in facts.ranges if not (each.sample and (real or rows))]
    money = facts.asked.currency if facts.asked else None
    if money in {each.currency for each in ranges} | {row.currency for row in facts.wage_rows}:
        ranges = [each for each in ranges if each.currency == money]
        kept = tuple(row for row in facts.wage_rows if row.currency == money)
        facts = facts.model_copy(update={"wage_rows": kept or facts.wage_rows})
    left_out = not ranges and any(group.sample for group in groups)
    return facts.model_copy(update={"ranges": tuple(ranges), "samples_left_out": left_out})


def without_posting(result: Result[RolePay], job_id: str) -> Result[RolePay]:
    """The market without the posting that is held against it."""
    if not isinstance(result, Ok):
        return result
    pay = result.value.pay
    kept = [(group, tuple(each for each in group.pays if each.job_id != job_id)) for group in pay.groups]
    groups = tuple(replace(group, pays=pays) for group, pays in kept if pays)
    fewer = sum(len(group.pays) for group in pay.groups) - sum(len(group.pays) for group in groups)
    return replace(result, value=replace(result.value, pay=replace(pay, matched=pay.matched - fewer, groups=groups)))


def with_postings(facts: SalaryFacts, result: Result[RolePay], today: date) -> SalaryFacts:
    """The figures that postings state, as far as they help to answer."""
    match result:
        case Err():
            return facts.model_copy(update={"postings": "unavailable"})
        case Empty():
            return facts.model_copy(update={"postings": "nothing"})
        case Ok(found):
            groups = _worth_telling(found)
            asked = _in_currency(facts.asked, groups)
            ranges = tuple(range_fact(group, asked, today) for group in groups[:MOST_GROUPS])
            return facts.model_copy(
                update={
                    "postings": "found",
                    "matched": found.pay.matched,
                    "unstated": found.pay.unstated,
                    "steps": tuple(
                        StepFact(where=step.where, level=step.level, matched=step.matched, stated=step.stated)
                        for step in found.steps
                    ),
                    "ranges": ranges,
                    "hidden_ranges": len(found.pay.groups) - len(ranges),
                    "asked": asked,
                }
            )


def _worth_telling(found: RolePay) -> list[PayGroup]:
    """Samples are left out beside real postings that suffice, small groups beside larger ones of their kind, and of
    another part of the world one group is enough.
    """
    groups = list(found.pay.groups)
    if any(group.n >= FEW and not group.sample for group in groups):
        groups = [group for group in groups if not group.sample]
    ample = {group.sample for group in groups if group.n >= FEW}
    groups = [group for group in groups if group.n >= FEW or group.sample not in ample]
    last = found.steps[-1]
    return groups[:1] if last.scope == "everywhere" and found.steps[0].scope != "everywhere" else groups


def _in_currency(asked: AskedFact | None, groups: Sequence[PayGroup]) -> AskedFact | None:
    """A figure that names no currency, and no place that has one, is read in the only one the postings know."""
    currencies = {group.currency for group in groups}
    if asked is None or asked.currency or len(currencies) != 1:
        return asked
    return asked.model_copy(update={"currency": currencies.pop(), "assumed": True})


def range_fact(group: PayGroup, asked: AskedFact | None, today: date) -> RangeFact:
    oldest, newest = group.dates
    comparable = asked is not None and asked.currency == group.currency and group.n >= FEW
    return RangeFact(
        source=group.source,
        sample=group.sample,
        currency=group.currency,
        n=group.n,
        p10=group.percentile(10),
        p25=group.percentile(25),
        p50=group.percentile(50),
        p75=group.percentile(75),
        p90=group.percentile(90),
        converted=group.converted,
        date_from=oldest,
        date_to=newest,
        old=newest is not None and today - newest > _OLD,
        figures=tuple(
            PostedFact(
                job_id=pay.job_id,
                title=pay.title,
                company=pay.company,
                low=pay.low,
                high=pay.high,
                posted_at=pay.posted_at,
            )
            for pay in group.examples()
        ),
        asked_below_percent=round(100 * group.share_below(asked.yearly)) if asked and comparable else None,
    )


def with_wages(facts: SalaryFacts, result: Result[Wages]) -> SalaryFacts:
    match result:
        case Err():
            return facts.model_copy(update={"wages": "unavailable"})
        case Empty(note):
            return facts.model_copy(update={"wages": "nothing", "wage_note": note})
        case Ok(found):
            rows = tuple(_wage_fact(row, found, facts.asked) for row in found.rows)
            return facts.model_copy(
                update={
                    "wages": "found" if rows else "nothing",
                    "wage_note": "" if rows else "they have no occupation of that name",
                    "wage_rows": rows,
                    "local_line_missing": bool(rows)
                    and _is_local(facts.location)
                    and all(row.area == NATIONAL for row in rows),
                    "occupations": found.others,
                }
            )


def with_hourly(facts: SalaryFacts) -> SalaryFacts:
    """Yearly medians brought to an hour, beside the yearly ones."""

    def hourly(each: RangeFact | WageFact, period: str) -> dict[str, float | None]:
        yearly = period == "year" and each.p50 is not None
        return {"hour_p50": round((each.p50 or 0) / PER_YEAR["hour"], 2) if yearly else None}

    return facts.model_copy(
        update={
            "ranges": tuple(each.model_copy(update=hourly(each, "year")) for each in facts.ranges),
            "wage_rows": tuple(row.model_copy(update=hourly(row, row.period)) for row in facts.wage_rows),
        }
    )


def _is_local(location: str | None) -> bool:
    place = gazetteer().find(location) if location else None
    return location is not None and (place is None or place.kind not in {"country", "region"})


def _wage_fact(row: WageRow, found: Wages, asked: AskedFact | None) -> WageFact:
    period = _period(row.period)
    amount = asked.yearly / PER_YEAR[period] if asked and asked.currency == row.currency else None
    return WageFact(
        wage_id=row.wage_id,
        occupation=row.occupation,
        closeness=found.closeness,
        area=row.area,
        country=row.country,
        source=row.source,
        as_of=row.as_of,
        currency=row.currency,
        period=row.period,
        employed=row.employed,
        p10=row.p10,
        p25=row.p25,
        p50=row.p50,
        p75=row.p75,
        p90=row.p90,
        asked_between=percentile_of(amount, row) if amount is not None else None,
        asked_per_period=round(amount, 2) if amount is not None else None,
    )


def _period(text: str) -> Period:
    return next((period for period in PER_YEAR if period == text), "year")
