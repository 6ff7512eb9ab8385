"""Offers read from a message and compared per year; pay brought from one period to another. Pure.

Counts what can be counted (base, a bonus or pension stated in per cent) and names what cannot (equity, leave, titles).
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from signalbox.agents.pay.figures import Figure
from signalbox.agents.turn import Facts
from signalbox.agents.words.phrases import counted, listed, money, plain
from signalbox.memory.words import words_in
from signalbox.retrieval.pay import PER_YEAR
from signalbox.retrieval.places import gazetteer

WEEKS: Final = 52
_ASKED_FOR: Final = ("bonus", "pension", "days of leave", "weekly hours", "remote or office")
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
_LABEL = re.compile(r"\b(?P<kind>offer|option|job|company)\s+(?P<label>[A-Z]|\d|one|two)\b", re.IGNORECASE)
_NAME: Final = r"[^\W\d_a-zà-ÿ][\w&'’-]*(?:\s+[^\W\d_a-zà-ÿ][\w&'’-]*){0,3}"
# "At Acme", "Acme offers me", "Acme:", and a name right before its figure.
_AT_COMPANY = re.compile(rf"\b(?i:at|from|with|by)\s+(?P<name>{_NAME})")
_COMPANY_OFFERS = re.compile(rf"(?P<name>{_NAME})\s*(?i:\b(?:offer\w*|pays?|gives?|is|would pay|proposed)\b|[:(=–-]|$)")
_LOWER_COMPANY = re.compile(
    r"\b(?:one|offer|job|other|another)\s+(?:is\s+)?(?:at|from|with)\s+(?P<name>[\w&'’-]{2,30})", re.IGNORECASE
)
_BARE_COMPANY = re.compile(
    r"(?:^|,|\b(?:vs\.?|versus|or|and|compare))\s*(?P<name>[^\W\d_][\w&'’-]{2,30})\s*$", re.IGNORECASE
)
_NO_COMPANY: Final = words_in(
    """i one two the other first second offer offers option job company my they it and or both a an we which what is
    base salary pay an offer"""
)
_SENTENCE_ENDS = re.compile(r"[.;\n!?]\s")
_CLAUSE_ENDS = re.compile(r",|\band\b|\bor\b|\bvs\.?|\bversus\b|\bwhile\b|\bbut\b", re.IGNORECASE)
_ARRANGEMENTS: Final = (
    ("hybrid", re.compile(r"\bhybrid\b", re.IGNORECASE)),
    ("remote", re.compile(r"\b(?:remote(?:ly)?|wfh|(?:work(?:ing)? )?from home)\b", re.IGNORECASE)),
    ("on site", re.compile(r"\b(?:on[ -]?site|in[ -](?:the )?office|office[ -]based)\b", re.IGNORECASE)),
)
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
    company: str | None = None
    place: str | None = None
    arrangement: str | None = None

    @property
    def not_stated(self) -> tuple[str, ...]:
        known = {
            "bonus": self.bonus,
            "pension": self.pension,
            "days of leave": self.leave_days,
            "weekly hours": self.hours,
            "remote or office": self.arrangement,
        }
        return tuple(name for name, value in known.items() if value is None)


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
    """The offers of a message, each by its base pay and what its part of the message says."""
    bases = [figure for figure in figures if not figure.extra]
    known = next((figure.currency for figure in bases if figure.currency), None)
    offers = [
        _offer(number, figure, part, figure.currency or known)
        for number, (figure, part) in enumerate(_parts(message, bases), start=1)
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
        parts.append(f"You named a {listed(facts.one_sided)} for one of them only; I counted nothing for the other.")
    if questions := _open_questions(facts):
        parts.append(questions)
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


def _parts(message: str, bases: Sequence[Figure]) -> list[tuple[Figure, tuple[str, str]]]:
    """Each figure with what its part of the message says before and behind it: parts end with a sentence, else with
    the last clause before the next figure.
    """
    cuts = [0]
    for one, other in pairwise(bases):
        between = message[one.end : other.start]
        ends = list(_SENTENCE_ENDS.finditer(between)) or list(_CLAUSE_ENDS.finditer(between.rstrip(" ,")))
        cuts.append(one.end + ends[-1].start() if ends else other.start)
    cuts.append(len(message))
    return [
        (figure, (message[start : figure.start], message[figure.end : end]))
        for figure, start, end in zip(bases, cuts, cuts[1:], strict=False)
    ]


def _offer(number: int, figure: Figure, part: tuple[str, str], currency: str | None) -> OfferFact:
    before, behind = part
    # A question behind the last offer is none of it.
    behind = re.split(r"[.!?]\s+(?=(?:which|what|should|is|can|do)\b)", behind, maxsplit=1, flags=re.IGNORECASE)[0]
    said = f"{before} {figure.text} {behind}"
    company = _company(before, behind)
    hours = _number(_HOURS.search(said))
    bonus, pension = (_number(pattern.search(said)) for pattern in _SHARES.values())
    sums = {"bonus": bonus, "pension": pension}
    amounts = {name: round(figure.yearly * share / 100, 2) for name, share in sums.items() if share is not None}
    leave = _number(_LEAVE.search(behind) or _LEAVE.search(before))
    return OfferFact(
        label=company or _numbered(before, number),
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
        company=company,
        place=_place(said.replace(company, " ") if company else said),
        arrangement=next((name for name, pattern in _ARRANGEMENTS if pattern.search(said)), None),
    )


def _numbered(before: str, number: int) -> str:
    named = list(_LABEL.finditer(before[-40:]))
    return f"{named[-1]['kind'].capitalize()} {named[-1]['label'].upper()}" if named else f"Offer {number}"


def _company(before: str, behind: str) -> str | None:
    """Who makes the offer, as the message names them."""
    if _LABEL.search(before[-40:]):
        return None
    for pattern, text in (
        (_AT_COMPANY, before),
        (_COMPANY_OFFERS, before.strip()),
        (_AT_COMPANY, behind),
        (_LOWER_COMPANY, before),
        (_BARE_COMPANY, before),
    ):
        for match in pattern.finditer(text):
            words = [word for word in match["name"].split() if word.casefold() not in _NO_COMPANY]
            name = " ".join(words)
            if name and gazetteer().find(name) is None and not re.search(r"\d", name):
                return name
    return None


def _place(text: str) -> str | None:
    found = (
        gazetteer().find(match.group()) for match in gazetteer().pattern.finditer(text) if match.group()[0].isupper()
    )
    return next((place.name for place in found if place), None)


def _number(match: re.Match[str] | None) -> float | None:
    found = next((group for group in match.groups() if group), None) if match else None
    return float(found.replace(",", ".")) if found else None


def _line(offer: OfferFact) -> str:
    parts = [f"base {money(offer.base, offer.currency)}"]
    if offer.bonus is not None:
        parts.append(f"bonus {offer.bonus_percent:g}% = {money(offer.bonus, offer.currency)}")
    if offer.pension is not None:
        parts.append(f"pension {offer.pension_percent:g}% = {money(offer.pension, offer.currency)}")
    text = f"- **{plain(offer.label)}:** {', '.join(parts)}"
    if len(parts) > 1:
        text += f"; together **{money(offer.total, offer.currency)}**"
    if offer.per_hour is not None:
        text += f". At {offer.hours:g} hours a week the base is {money(offer.per_hour, offer.currency)} an hour"
    beside = [offer.arrangement or "", f"in {plain(offer.place)}" if offer.place else ""]
    beside.append(f"{counted(offer.leave_days, 'day')} of leave" if offer.leave_days else "")
    if said := [each for each in beside if each]:
        text += f". {listed(said)[:1].upper()}{listed(said)[1:]}"
    return f"{text}."


def _open_questions(facts: OffersFact) -> str:
    """What to ask each before deciding: all that one has told and the other has not comes first."""
    told = {name for offer in facts.offers for name in _ASKED_FOR if name not in offer.not_stated}
    asked = []
    for offer in facts.offers:
        missing = sorted(offer.not_stated, key=lambda name: name not in told)
        if missing:
            asked.append(f"- **{plain(offer.label)}:** {listed(missing)}")
    return "\n".join(["You did not say, so ask before you decide:", *asked]) if asked else ""


def _verdict(facts: OffersFact) -> str:
    if not facts.comparable:
        return "They are in different currencies. I do not convert currencies, so I cannot say which is more."
    if facts.best is None:
        return "On these figures they pay the same a year."
    currency = facts.offers[0].currency
    text = f"**{plain(facts.best)} pays {money(facts.difference or 0, currency)} more a year.**"
    if currency is None:
        text += " You named no currency, so I take both to be in the same one."
    if facts.best_per_hour and facts.best_per_hour != facts.best:
        return f"{text} For each hour worked, though, **{plain(facts.best_per_hour)}** pays better."
    if facts.best_per_hour:
        return f"{text} It is also ahead for each hour worked."
    return text
