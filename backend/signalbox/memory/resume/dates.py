"""Dates as CVs write them: one moment, or a stretch from one to another. Pure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

# A longer line is prose: its dates date nothing.
LONGEST_LINE: Final = 400
_MONTHS: Final = (
    "jan|januar|january|janvier|enero|ene|gennaio|gen|januari",
    "feb|febr|februar|february|février|fevrier|fév|febrero|febbraio|februari",
    "mar|march|märz|maerz|mär|mrz|mars|marzo|maart|mrt",
    "apr|april|avril|avr|abril|abr|aprile",
    "may|mai|mayo|maggio|mag|mei",
    "jun|june|juni|juin|junio|giugno|giu",
    "jul|july|juli|juillet|juil|julio|luglio|lug",
    "aug|august|août|aout|agosto|ago|augustus",
    "sep|sept|september|septembre|septiembre|settembre|set",
    "oct|okt|october|oktober|octobre|octubre|ottobre|ott",
    "nov|november|novembre|noviembre",
    "dec|dez|december|dezember|décembre|decembre|déc|diciembre|dic|dicembre",
)
_NUMBER_OF: Final = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names.split("|")}
_SEASONS: Final = {"spring": 4, "summer": 7, "autumn": 10, "fall": 10, "winter": 1}
_QUARTERS: Final = {"q1": 1, "q2": 4, "q3": 7, "q4": 10}

_YEAR: Final = r"(?:19|20)\d\d"
_NAMES: Final = "|".join(sorted({*_NUMBER_OF, *_SEASONS, *_QUARTERS}, key=len, reverse=True))
_MOMENT: Final = (
    rf"(?:(?P<{{0}}iso>{_YEAR}[-/.](?:0[1-9]|1[0-2]))(?:[-/.](?:0[1-9]|[12]\d|3[01]))?(?!\d)"
    rf"|(?:(?:0?[1-9]|[12]\d|3[01])[./-])?(?P<{{0}}month>0?[1-9]|1[0-2])\s?[/.-]\s?(?P<{{0}}of>{_YEAR})"
    rf"|(?:\d{{{{1,2}}}}(?:st|nd|rd|th)?\.?\s+)?(?P<{{0}}name>{_NAMES})\b\.?,?\s*(?:of\s+)?(?P<{{0}}in>{_YEAR}|['’]\d\d)"
    rf"|(?P<{{0}}year>{_YEAR}))(?!\d)"
)
_NOW: Final = (
    r"present(?: day)?|now|today|current(?:ly)?|to date|date|ongoing|on-going|heute|aktuell|jetzt|laufend|"
    r"aujourd['’]hui|présent|actualidad|actualmente|actual|presente|oggi|attuale|heden|nu"
)
_TO: Final = r"\s*(?:[-–—−‒~→>]{1,2}|\b(?:to|until|till|til|through|up to|bis|à|au|a|al|hasta|tot)\b)\s*"
_RANGE = re.compile(
    rf"(?<![\w/.])(?:\b(?:from|von|de|du|since|seit|depuis|desde|dal)\s+)?{_MOMENT.format('a')}{_TO}"
    rf"(?:(?P<now>{_NOW})\b|{_MOMENT.format('b')}|(?P<short>\d\d)(?![\d.,%/]))",
    re.IGNORECASE,
)
# "May to Aug 2019": the year is said once.
_ONE_YEAR = re.compile(
    rf"(?<!\w)(?P<from>{_NAMES})\b\.?{_TO}(?:\d{{1,2}}\.?\s+)?(?P<name>{_NAMES})\b\.?,?\s+(?P<in>{_YEAR})",
    re.IGNORECASE,
)
_SINCE = re.compile(
    rf"(?<!\w)(?:since|seit|depuis|desde|dal|from|ab)\s+{_MOMENT.format('a')}|"
    rf"(?<![\w/.]){_MOMENT.format('b')}\s*[-–—]\s*(?=$|[|,;)\]])",
    re.IGNORECASE,
)
_ALONE = re.compile(rf"(?<![\w/.]){_MOMENT.format('a')}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Moments are "2021-03" or "2021". ``current``: it goes on. ``at``: where in the line it was said."""

    start: str | None
    end: str | None
    current: bool
    at: tuple[int, int]


def find_stretch(line: str) -> Stretch | None:
    """The stretch of time that ``line`` states, as "Mar 2019 – present", "03/2019-2021", "2018-22" or "since 2020"."""
    if len(line) > LONGEST_LINE:
        return None
    for match in _RANGE.finditer(line):
        start = _moment(match, "a")
        if match["now"]:
            return Stretch(start, None, True, match.span())
        end = f"{start[:2]}{match['short']}" if match["short"] else _moment(match, "b")
        if end[: len(start)] >= start[: len(end)]:
            return Stretch(start, end, False, match.span())
    if once := _ONE_YEAR.search(line):
        start, end = (f"{once['in']}-{_month(once[side]):02}" for side in ("from", "name"))
        return Stretch(start, end, False, once.span()) if start <= end else None
    if since := _SINCE.search(line):
        return Stretch(_moment(since, "a") or _moment(since, "b"), None, True, since.span())
    return None


def find_moment(line: str) -> Stretch | None:
    """The one moment that ``line`` states: when something ended or was awarded."""
    match = _ALONE.search(line) if len(line) <= LONGEST_LINE else None
    return Stretch(None, _moment(match, "a"), False, match.span()) if match else None


def moment_of(text: str) -> str | None:
    """A moment that is all there is, as forms and JSON give it: "2019-03-01", "03/2019", "2019"."""
    match = _ALONE.match(text.strip())
    return _moment(match, "a") if match else None


def _moment(match: re.Match[str], side: str) -> str:
    if match[f"{side}iso"]:
        return match[f"{side}iso"][:4] + "-" + match[f"{side}iso"][5:7]
    if match[f"{side}month"]:
        return f"{match[f'{side}of']}-{int(match[f'{side}month']):02}"
    if match[f"{side}name"]:
        number = _month(match[f"{side}name"])
        said = match[f"{side}in"]
        year = said if len(said) == len("2019") else ("20" if int(said[1:]) < 50 else "19") + said[1:]
        return f"{year}-{number:02}"
    return match[f"{side}year"] or ""


def _month(name: str) -> int:
    key = name.casefold()
    return _NUMBER_OF.get(key) or _SEASONS.get(key) or _QUARTERS[key]


def month_number(moment: str, *, end: bool = False) -> int:
    """Months since year 0. Of a bare year the first month, or the last if it is an ``end``."""
    year, _, month = moment.partition("-")
    return int(year) * 12 + (int(month) - 1 if month else 11 if end else 0)


def months_between(stretches: Iterable[tuple[str | None, str | None, bool]], today: date) -> int:
    """Months covered by (start, end, current), overlaps counted once. What has no two ends counts nothing."""
    total, reached = 0, 0
    for first, last in sorted(_spans(stretches, today)):
        total += max(0, last + 1 - max(first, reached))
        reached = max(reached, last + 1)
    return total


def gaps(stretches: Iterable[tuple[str | None, str | None, bool]], today: date) -> list[tuple[str, str, int]]:
    """Stretches with nothing in them: after which moment, before which, and how many months at the least.

    A bare year is taken to its full length, so a gap is only reported where there surely is one.
    """
    found: list[tuple[str, str, int]] = []
    reached, until = 0, ""
    for first, last, start, end in sorted(_named_spans(stretches, today)):
        if reached and first - reached > 1:
            found.append((until, start, first - reached - 1))
        if last > reached:
            reached, until = last, end
    return found


def _spans(stretches: Iterable[tuple[str | None, str | None, bool]], today: date) -> Iterator[tuple[int, int]]:
    return ((first, last) for first, last, _, _ in _named_spans(stretches, today))


def _named_spans(
    stretches: Iterable[tuple[str | None, str | None, bool]], today: date
) -> Iterator[tuple[int, int, str, str]]:
    for start, end, current in stretches:
        until = f"{today:%Y-%m}" if current else end
        if start and until and month_number(until, end=True) >= month_number(start):
            yield month_number(start), month_number(until, end=True), start, until
