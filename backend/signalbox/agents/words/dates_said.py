"""The day a message speaks of: "two weeks ago", "last Friday", "on 3 May", "tomorrow". Pure."""

import re
from datetime import date, timedelta
from typing import Final

_NUMBERS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "three": 3, "a few": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
}  # fmt: skip
_UNITS: Final = {"day": 1, "week": 7, "wk": 7, "fortnight": 14, "month": 30}
_NEAR_DAYS: Final = {
    "day before yesterday": -2, "yesterday": -1, "last night": -1, "tomorrow": 1, "day after tomorrow": 2,
}  # fmt: skip
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_COUNTS: Final = r"\d{1,3}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True))
_COUNT: Final = rf"(?P<count>{_COUNTS})"
_UNIT: Final = r"(?P<unit>day|week|wk|fortnight|month)s?"
_MONTH = r"(?P<month>" + "|".join(f"{name[:3]}(?:{name[3:]})?" if len(name) > 3 else name for name in _MONTHS) + r")\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"

_AGO = re.compile(
    rf"\b(?:{_COUNT}\s+{_UNIT}\s+(?:ago|back|now|since|without|of silence)"
    r"|(?:for|after|been|over|almost|nearly|about|around)\s+(?:the (?:last|past)\s+)?"
    rf"(?P<count2>{_COUNTS})\s+(?P<unit2>day|week|wk|fortnight|month)s?)\b",
    re.IGNORECASE,
)
_IN = re.compile(rf"\bin\s+{_COUNT}\s+{_UNIT}(?:'s time|' time)?\b", re.IGNORECASE)
_NEAR = re.compile(
    r"\b(?P<word>day before yesterday|day after tomorrow|today|yesterday|tomorrow|tonight|"
    r"this (?:morning|afternoon|evening)|last night|just now)\b",
    re.IGNORECASE,
)
_LAST = re.compile(r"\blast\s+(?P<unit>week|month)\b", re.IGNORECASE)
_WEEKDAY = re.compile(
    rf"\b(?P<which>last|this|next|on|for|by|to|until|since)?\s*(?P<weekday>{'|'.join(_WEEKDAYS)})\b", re.IGNORECASE
)
_ISO = re.compile(r"\b(?P<year>20\d\d)-(?P<month>\d\d)-(?P<day>\d\d)\b")
_DAY_MONTH = re.compile(
    rf"\b(?:{_DAY}\s+(?:of\s+)?{_MONTH}|{_MONTH.replace('month', 'month2')}\s+{_DAY.replace('day', 'day2')})"
    r"(?:,?\s+(?P<year>20\d\d))?\b",
    re.IGNORECASE,
)
# "The 12th", but not "the 9th rejection" or "the 2nd round".
_DAY_ONLY = re.compile(
    r"\b(?:on|the)\s+(?:the\s+)?(?P<day>\d{1,2})(?:st|nd|rd|th)\b(?!\s+(?:of|this|in|one|rejection|round|time|interview|"
    r"stage|application|job|role|posting|floor|century|no)\b)",
    re.IGNORECASE,
)
_NUMERIC = re.compile(r"(?<![\d./-])(?P<first>\d{1,2})[./](?P<second>\d{1,2})(?:[./](?P<year>(?:20)?\d\d))?(?![\d/])")
_IN_MONTH = re.compile(rf"\b(?:in|since|back in)\s+{_MONTH}\b", re.IGNORECASE)


def day_said(text: str, today: date, *, ahead: bool = False) -> date | None:
    """The first day named. One without a year is the last that has passed, or with ``ahead`` the next to come."""
    for read in (_iso, _day_month, _numeric, _relative, _weekday, _day_only, _month):
        if (found := read(text, today, ahead)) is not None:
            return found
    return None


def _iso(text: str, today: date, ahead: bool) -> date | None:  # noqa: ARG001, FBT001 - one shape for all readers
    match = _ISO.search(text)
    return _date(int(match["year"]), int(match["month"]), int(match["day"])) if match else None


def _day_month(text: str, today: date, ahead: bool) -> date | None:  # noqa: FBT001
    match = _DAY_MONTH.search(text)
    if match is None:
        return None
    month = _month_number(match["month"] or match["month2"])
    day = int(match["day"] or match["day2"])
    if match["year"]:
        return _date(int(match["year"]), month, day)
    return _nearest(today, month, day, ahead)


def _relative(text: str, today: date, ahead: bool) -> date | None:  # noqa: ARG001, FBT001
    if match := _AGO.search(text):
        count, unit = match["count"] or match["count2"], match["unit"] or match["unit2"]
        return today - timedelta(days=_number(count) * _days(unit))
    if match := _IN.search(text):
        return today + timedelta(days=_number(match["count"]) * _days(match["unit"]))
    if match := _NEAR.search(text):
        away = _NEAR_DAYS.get(" ".join(match["word"].casefold().split()), 0)
        return today + timedelta(days=away)
    if match := _LAST.search(text):
        return today - timedelta(days=_days(match["unit"]))
    return None


def _weekday(text: str, today: date, ahead: bool) -> date | None:  # noqa: FBT001
    match = _WEEKDAY.search(text)
    if match is None:
        return None
    apart = (_WEEKDAYS.index(match["weekday"].casefold()) - today.weekday()) % 7
    which = (match["which"] or "").casefold()
    if which == "next" or (which != "last" and ahead):
        return today + timedelta(days=apart or 7)
    # Who speaks on a Monday of "Monday" means another one: of today one says "today".
    return today - timedelta(days=(7 - apart) if apart or which != "this" else 0)


def _numeric(text: str, today: date, ahead: bool) -> date | None:  # noqa: FBT001
    """As in "5/11", "5.11.2026": day and month in the order that makes a day; if both do, the nearer day."""
    match = _NUMERIC.search(text)
    if match is None or ("/" not in match.group() and not match["year"]):
        return None
    first, second = int(match["first"]), int(match["second"])
    found = [_of_numbers(day, month, match["year"], today, ahead) for day, month in ((first, second), (second, first))]
    days = [day for day in found if day is not None]
    return min(days, key=lambda day: abs(day - today)) if days else None


def _of_numbers(day: int, month: int, year: str | None, today: date, ahead: bool) -> date | None:  # noqa: FBT001
    if not 1 <= month <= len(_MONTHS):
        return None
    return _date(int(year) % 100 + 2000, month, day) if year else _nearest(today, month, day, ahead)


def _day_only(text: str, today: date, ahead: bool) -> date | None:  # noqa: FBT001
    match = _DAY_ONLY.search(text)
    if match is None:
        return None
    months = [(today.year + (today.month - 1 + n) // 12, (today.month - 1 + n) % 12 + 1) for n in (-1, 0, 1)]
    days = [day for year, month in months if (day := _date(year, month, int(match["day"]))) is not None]
    if ahead:
        return next((day for day in days if day >= today), None)
    return next((day for day in reversed(days) if day <= today), None)


def _month(text: str, today: date, ahead: bool) -> date | None:  # noqa: FBT001
    match = _IN_MONTH.search(text)
    return _nearest(today, _month_number(match["month"]), 1, ahead) if match else None


def _nearest(today: date, month: int, day: int, ahead: bool) -> date | None:  # noqa: FBT001
    this_year = _date(today.year, month, day)
    if this_year is None:
        return None
    if ahead and this_year < today:
        return _date(today.year + 1, month, day)
    return _date(today.year - 1, month, day) if not ahead and this_year > today else this_year


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None  # truth: no such day, so the text names none


def _number(word: str) -> int:
    word = " ".join(word.casefold().split())
    return int(word) if word.isdecimal() else _NUMBERS[word]


def _days(unit: str) -> int:
    return _UNITS[unit.casefold()]


def _month_number(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, start=1) if month.startswith(name.casefold()[:3]))
