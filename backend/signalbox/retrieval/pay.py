"""Pay: amounts in messages, and every period brought to a year so that two figures can be compared.

No exchange rates: an amount is only ever compared with one of its own currency. A wish that names none is compared
with currencies whose unit is worth about as much (``LARGE_UNIT``): 200k is not met by 200,000 Danish crowns.
"""

import re
from dataclasses import dataclass
from typing import Literal

Period = Literal["year", "month", "week", "day", "hour"]

# A full-time year as pay statistics count it: 52 paid weeks of 5 days and 40 hours, holidays included.
# Part-time and contract rates come out as their full-time equivalent, which is what makes them comparable.
PER_YEAR: dict[Period, int] = {"year": 1, "month": 12, "week": 52, "day": 260, "hour": 2080}

# A figure without a period is read by its size: nobody is paid $50 a year or $80,000 an hour.
_HOURLY_BELOW = 200
_DAILY_BELOW = 1_500
_MONTHLY_BELOW = 10_000
# A bare number is pay only beside a word for pay, and even after "over" only when it could be a year's pay.
_BARE_MINIMUM = 10_000
_MOST_PER_YEAR = 100_000_000.0

_CURRENCIES = {
    "$": "USD", "us$": "USD", "usd": "USD", "dollar": "USD", "dollars": "USD", "bucks": "USD",
    "£": "GBP", "gbp": "GBP", "pound": "GBP", "pounds": "GBP", "quid": "GBP",
    "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR",
    "¥": "JPY", "jpy": "JPY", "yen": "JPY", "₹": "INR", "inr": "INR", "rupees": "INR",
    "a$": "AUD", "aud": "AUD", "c$": "CAD", "ca$": "CAD", "cad": "CAD", "nz$": "NZD", "nzd": "NZD",
    "s$": "SGD", "sgd": "SGD", "hk$": "HKD", "hkd": "HKD", "chf": "CHF", "sek": "SEK", "nok": "NOK",
    "dkk": "DKK", "pln": "PLN", "zł": "PLN", "czk": "CZK", "zar": "ZAR", "brl": "BRL", "r$": "BRL",
    "mxn": "MXN", "aed": "AED",
}  # fmt: skip

# Pay asked for without a currency is held against these and against postings that state none, and against no other:
# in crowns, rupees or yen the same figure means far less.
LARGE_UNIT = frozenset({"USD", "EUR", "GBP", "CAD", "AUD", "NZD", "CHF", "SGD"})

# "$" is the local dollar where a place is named.
LOCAL_DOLLAR = {"CA": "CAD", "AU": "AUD", "NZ": "NZD", "SG": "SGD", "HK": "HKD"}

_PERIODS: dict[str, Period] = {
    "hour": "hour", "hr": "hour", "hrs": "hour", "h": "hour", "hourly": "hour", "ph": "hour",
    "day": "day", "daily": "day", "pd": "day", "week": "week", "weekly": "week", "wk": "week", "pw": "week",
    "month": "month", "mo": "month", "mth": "month", "monthly": "month", "pm": "month", "pcm": "month",
    "year": "year", "yr": "year", "annum": "year", "annually": "year", "yearly": "year", "pa": "year",
    "annual": "year", "p.a.": "year",
}  # fmt: skip

_NUMBER = r"\d{1,3}(?:[,.'  ]\d{3})+(?:\.\d{1,2})?(?!\d)|\d{1,9}(?:[.,]\d{1,2})?(?!\d)"
_SIGN = r"(?:us|ca|nz|hk|[acsr])?\$|[£€¥₹]|\b(?:usd|gbp|eur|chf|aud|cad|sek|nok|dkk|pln|inr|sgd|nzd|zar|aed)\b"
_CODE = (
    r"usd|gbp|eur|chf|aud|cad|nzd|sgd|hkd|sek|nok|dkk|pln|czk|inr|jpy|zar|brl|mxn|aed|"
    r"dollars?|bucks|euros?|pounds?|quid|rupees|yen|€|£|\$"
)
_PERIOD = (
    r"(?:(?:per|an?|each|/)\s*(?:hour|hr|h|day|week|wk|month|mth|mo|year|yr|annum)\b"
    r"|\b(?:hourly|daily|weekly|monthly|yearly|annually|annual|ph|pd|pw|pcm|pa)\b|p\.a\.)"
)
_AMOUNT = re.compile(
    rf"(?<![\w.,'])(?P<sign>{_SIGN})?\s?(?P<number>{_NUMBER})(?P<kilo>\s?(?:k|thousand|grand)\b)?"
    rf"(?:\s?(?P<code>{_CODE})(?!\w))?\s?(?P<plus>\+)?(?:\s*(?P<period>{_PERIOD}))?",
    re.IGNORECASE,
)
_AT_MOST = re.compile(r"\b(?:up to|under|below|less than|at most|no more than|max(?:imum)?(?: of)?)\s*$", re.IGNORECASE)
_AT_LEAST = re.compile(
    r"\b(?:over|above|at least|more than|from|min(?:imum)?(?: of)?|starting at|north of|or more than)\s*$",
    re.IGNORECASE,
)
_PAY_WORD = re.compile(
    r"\b(?:salar(?:y|ies)|pay(?:s|ing)?|paid|earn(?:s|ing)?|wages?|compensation|income|rate|ote)\b[^.,;\d]{0,20}$",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(
    r"(?:\b(?:with|and|that|which|offering|a|an|the|salary|salaries|pay|pays|paying|paid|earn|earning|earns|wage|wages|"
    r"compensation|rate|of|over|above|at least|more than|from|min|minimum|starting at|north of|up to|under|below|"
    r"less than|at most|no more than|max|maximum|between|around|about|for)\b\s*)+$",
    re.IGNORECASE,
)
_TRAIL = re.compile(r"\s*(?:or more|or above|and up|upwards|minimum|salary|or higher|a year)\b", re.IGNORECASE)
_OTHER_UNIT = re.compile(
    r"\s*(?:%|[-–]?\s*(?:hours?|hrs|days?|weeks?|months?|years?|yrs|people|employees|users|jobs?|roles?|positions?|miles|"
    r"km|results|openings|followers|subscribers|customers|records|minutes|beds?)\b)",
    re.IGNORECASE,
)
_JOINED = re.compile(r"\s*(?:-|–|—|to|and)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PayWish:
    """Yearly bounds a message asks for; ``spans`` are the stretches of the message that said so."""

    minimum: float | None
    maximum: float | None
    currency: str | None
    bare_dollar: bool
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Amount:
    value: float
    kilo: bool
    currency: str | None
    sign: str
    period: Period | None
    plus: bool
    start: int
    end: int


def yearly(amount: float, period: Period) -> float:
    return amount * PER_YEAR[period]


def guess_period(amount: float) -> Period:
    """The period of a figure that states none, by its size."""
    if amount < _HOURLY_BELOW:
        return "hour"
    if amount < _DAILY_BELOW:
        return "day"
    return "month" if amount < _MONTHLY_BELOW else "year"


def period_named(text: str) -> Period | None:
    """The period a posting's field names ("Annual", "per hour", "HOURLY")."""
    for word in re.findall(r"[a-z.]+", text.casefold()):
        if period := _PERIODS.get(word):
            return period
    return None


def currency_named(text: str) -> str | None:
    """The ISO code of a sign, word or three-letter code."""
    key = text.strip().casefold()
    if key in _CURRENCIES:
        return _CURRENCIES[key]
    return key.upper() if re.fullmatch("[a-z]{3}", key) else None


def find_pay(message: str) -> PayWish | None:
    """What a message says about pay, or None. A bare number is pay only where words or signs make it so."""
    amounts = [amount for match in _AMOUNT.finditer(message) if (amount := _read(match, message))]
    if not amounts:
        return None
    first = amounts[0]
    second = amounts[1] if len(amounts) > 1 and _JOINED.fullmatch(message[first.end : amounts[1].start]) else None
    end = second.end if second else first.end
    if trail := _TRAIL.match(message, end):
        end = trail.end()
    lead_in = _LEAD_IN.search(message, 0, first.start)
    span = (lead_in.start() if lead_in else first.start, end)
    low, high = _bounds(first, second, at_most=bool(_AT_MOST.search(message[: first.start])))
    known = next((each for each in (first, second) if each and each.currency), first)
    return PayWish(low, high, known.currency, known.sign == "$", (span,))


def _bounds(first: _Amount, second: _Amount | None, *, at_most: bool) -> tuple[float | None, float | None]:
    if second is None:
        bound = _per_year(first, first)
        return (None, bound) if at_most else (bound, None)
    high = _per_year(second, second)
    low = _per_year(first, second)
    return min(low, high), max(low, high)


def _per_year(amount: _Amount, unit: _Amount) -> float:
    """``unit`` lends period and thousands: in "60-80k a year" the first figure has neither."""
    value = amount.value * (1_000 if unit.kilo and not amount.kilo and amount.value < 1_000 else 1)
    period = amount.period or unit.period or ("year" if amount.kilo or unit.kilo else guess_period(value))
    return min(yearly(value, period), _MOST_PER_YEAR)


def _read(match: re.Match[str], message: str) -> _Amount | None:
    number, kilo = _number(match["number"]), bool(match["kilo"])
    sign = (match["sign"] or match["code"] or "").casefold()
    period = (
        _PERIODS.get(re.sub(r"^(?:per|an?|each|/)\s*", "", match["period"].casefold())) if match["period"] else None
    )
    if not number or (kilo and number == 401) or _OTHER_UNIT.match(message, match.end()):
        return None
    before = message[: match.start()]
    worded = bool(_PAY_WORD.search(before)) and number >= 10
    bounded = bool(_AT_LEAST.search(before) or _AT_MOST.search(before)) and number >= _BARE_MINIMUM
    after = _JOINED.match(message, match.end())
    ranged = bool(after and re.match(rf"(?:{_NUMBER})\s?k\b", message[after.end() :], re.IGNORECASE))
    spoken_rate = period is not None and number >= 5
    if not (sign or kilo or worded or bounded or ranged or spoken_rate):
        return None
    currency = _CURRENCIES.get(sign)
    value = number * (1_000 if kilo else 1)
    return _Amount(value, kilo, currency, sign, period, bool(match["plus"]), match.start(), match.end())


def _number(text: str) -> float:
    """Reads "60,000", "60.000", "60 000" and "1.5": three digits after a mark are thousands, one or two are cents."""
    whole = re.sub(r"[,.'  ](?=\d{3}(?:\D|$))", "", text)
    return float(whole.replace(",", "."))
