"""Offers read from a message and compared per year; pay brought from one period to another. Pure.

Counts what can be counted (base, a bonus or pension stated in per cent) and names what cannot (equity, leave, titles).
"""

import re
from collections.abc import Sequence
from typing import Final

from signalbox.agents.base import Facts
from signalbox.agents.pay.ask import Figure
from signalbox.agents.words.phrases import counted, listed, money, plain
from signalbox.retrieval.pay import PER_YEAR

WEEKS: Final = 52
FULL_WEEK_HOURS: Final = 40.0

_PERCENT = r"(\d{1,2}(?:[.,]\d{1,2})?)\s?%"
_SHARES: Final = {
    "bonus": re.compile(
        rf"{_PERCENT}\s*(?:annual |yearly |target )?bonus|bonus\W{{1,3}}(?:of |is )?{_PERCENT}", re.IGNORECASE
    ),
    "pension": re.compile(
        rf"{_PERCENT}\s*(?:employer )?(?:pension|401k|super\b)|(?:pension|401k)(?: match| contribution)?\W{{1,3}}"
        rf"(?:of |is )?{_PERCENT}",
        re.IGNORECASE,
    ),
}  # fmt: skip
_HOURS = re.compile(r"\b(\d{2}(?:[.,]\d)?)\s*[- ]?(?:hours?|hrs?|h)\b(?!\s*(?:of|notice))", re.IGNORECASE)
_LEAVE = re.compile(r"\b(\d{2})\s*days?\b", re.IGNORECASE)
_LABEL = re.compile(r"\b(?:offer|option|job)\s+(?P<label>[A-Z]|\d|one|two)\b", re.IGNORECASE)
_UNCOUNTED: Final = {
    "equity": r"\b(?:equity|rsus?|stock|shares|options)\b",
    "remote work": r"\b(?:remote|hybrid|wfh|work(?:ing)? from home)\b",
    "a sign-on bonus": r"\bsign(?:ing)?[ -]?(?:on)?[ -]?bonus\b",
    "a car": r"\bcompany car\b",
    "health cover": r"\b(?:health|medical|dental)\b",
}


class OfferFact(Facts):
    """One offer, per year. ``bonus`` and ``pension`` are paid out in full and by the employer."""

    label: str
    stated: str
    currency: str | None
    base: float
    hours: float | None = None
    per_hour: float | None = None
    bonus_percent: float | None = None
    bonus: float | None = None
    pension_percent: float | None = None
    pension: float | None = None
    total: float
    leave_days: int | None = None


class OffersFact(Facts):
    """``difference`` is between the two highest totals; None if currencies differ or are equal in pay."""

    offers: tuple[OfferFact, ...]
    comparable: bool
    best: str | None
    difference: float | None
    best_per_hour: str | None
    uncounted: tuple[str, ...]
    one_sided: tuple[str, ...]


class ConversionFact(Facts):
    """``amount`` as stated per year, week and hour of 2,080 and month."""

    stated: str
    currency: str | None
    year: float
    month: float
    hour: float
    from_hourly: bool


def compare(message: str, figures: Sequence[Figure]) -> OffersFact:
    """The offers of a message, each by its base pay; what stands between two figures belongs to the first."""
    bases = [figure for figure in figures if not figure.extra]
    known = next((figure.currency for figure in bases if figure.currency), None)
    ends = [*(figure.start for figure in bases[1:]), len(message)]
    offers = [
        _offer(number, figure, message[figure.start : end], message[: figure.start], figure.currency or known)
        for number, (figure, end) in enumerate(zip(bases, ends, strict=True), start=1)
    ]
    comparable = len({offer.currency for offer in offers}) == 1
    ranked = sorted(offers, key=lambda offer: -offer.total)
    difference = round(ranked[0].total - ranked[1].total, 2) if comparable and len(ranked) > 1 else None
    hourly = [offer for offer in offers if offer.per_hour is not None]
    by_hour = max(hourly, key=lambda offer: offer.per_hour or 0) if len(hourly) == len(offers) and comparable else None
    return OffersFact(
        offers=tuple(offers),
        comparable=comparable,
        best=ranked[0].label if difference else None,
        difference=difference or None,
        best_per_hour=by_hour.label if by_hour else None,
        uncounted=tuple(name for name, pattern in _UNCOUNTED.items() if re.search(pattern, message, re.IGNORECASE)),
        one_sided=tuple(
            name for name in ("bonus", "pension") if 0 < sum(getattr(o, name) is not None for o in offers) < len(offers)
        ),
    )


def convert(figure: Figure) -> ConversionFact:
    year = figure.yearly
    return ConversionFact(
        stated=figure.text,
        currency=figure.currency,
        year=round(year, 2),
        month=round(year / PER_YEAR["month"], 2),
        hour=round(year / PER_YEAR["hour"], 2),
        from_hourly=figure.hourly,
    )


def offers_text(facts: OffersFact) -> str:
    """The comparison in Markdown."""
    lines = [_line(offer) for offer in facts.offers]
    parts = ["Per year, before tax, this is what you wrote down:", "\n".join(lines), _verdict(facts)]
    if facts.one_sided:
        parts.append(
            f"You named a {listed(facts.one_sided)} for one of them only; I counted nothing for the other, so ask "
            f"before you decide."
        )
    bonuses = any(offer.bonus for offer in facts.offers)
    left = [*facts.uncounted, *(["leave"] if any(offer.leave_days for offer in facts.offers) else [])]
    if left:
        paid = " Bonuses are counted as if paid in full." if bonuses else ""
        parts.append(f"Not in these sums: {listed(left)}.{paid}")
    elif bonuses:
        parts.append("Bonuses are counted as if paid in full; ask how often they were.")
    return "\n\n".join(parts)


def conversion_text(facts: ConversionFact) -> str:
    year, month, hour = (money(value, facts.currency) for value in (facts.year, facts.month, facts.hour))
    how = "counting a full-time year as 2,080 hours (52 weeks of 40 hours), before tax"
    if facts.from_hourly:
        return f"{plain(facts.stated)} is **{year} a year** ({month} a month), {how}."
    return f"{plain(facts.stated)} is **{hour} an hour** ({month} a month, {year} a year), {how}."


def _offer(number: int, figure: Figure, part: str, before: str, currency: str | None) -> OfferFact:
    named = list(_LABEL.finditer(before[-40:]))
    label = f"Offer {named[-1]['label'].upper()}" if named else f"Offer {number}"
    hours = _number(_HOURS.search(part))
    bonus, pension = (_number(pattern.search(part)) for pattern in _SHARES.values())
    sums = {"bonus": bonus, "pension": pension}
    amounts = {name: round(figure.yearly * share / 100, 2) for name, share in sums.items() if share is not None}
    leave = _number(_LEAVE.search(part))
    return OfferFact(
        label=label,
        stated=figure.text,
        currency=currency,
        base=figure.yearly,
        hours=hours,
        per_hour=round(figure.yearly / (hours * WEEKS), 2) if hours else None,
        bonus_percent=bonus,
        bonus=amounts.get("bonus"),
        pension_percent=pension,
        pension=amounts.get("pension"),
        total=round(figure.yearly + sum(amounts.values()), 2),
        leave_days=int(leave) if leave is not None else None,
    )


def _number(match: re.Match[str] | None) -> float | None:
    found = next((group for group in match.groups() if group), None) if match else None
    return float(found.replace(",", ".")) if found else None


def _line(offer: OfferFact) -> str:
    parts = [f"base {money(offer.base, offer.currency)}"]
    if offer.bonus is not None:
        parts.append(f"bonus {offer.bonus_percent:g}% = {money(offer.bonus, offer.currency)}")
    if offer.pension is not None:
        parts.append(f"pension {offer.pension_percent:g}% = {money(offer.pension, offer.currency)}")
    text = f"- **{offer.label}:** {', '.join(parts)}"
    if len(parts) > 1:
        text += f"; together **{money(offer.total, offer.currency)}**"
    if offer.per_hour is not None:
        text += f". At {offer.hours:g} hours a week the base is {money(offer.per_hour, offer.currency)} an hour"
    if offer.leave_days:
        text += f". {counted(offer.leave_days, 'day')} of leave"
    return f"{text}."


def _verdict(facts: OffersFact) -> str:
    if not facts.comparable:
        return "They are in different currencies. I do not convert currencies, so I cannot say which is more."
    if facts.best is None:
        return "On these figures they pay the same a year."
    currency = facts.offers[0].currency
    text = f"**{facts.best} pays {money(facts.difference or 0, currency)} more a year.**"
    if facts.best_per_hour and facts.best_per_hour != facts.best:
        return f"{text} For each hour worked, though, **{facts.best_per_hour}** pays better."
    if facts.best_per_hour:
        return f"{text} It is also ahead for each hour worked."
    return text
