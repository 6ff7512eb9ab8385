"""How long a provider asks to be left alone: every form that headers and error texts say it in, read into seconds."""

import email.utils
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,9})?")
# Units by their first letters; "m" is a minute unless "s" follows.
_PART = (
    r"(\d{1,9}(?:\.\d{1,9})?)\s?"
    r"(milliseconds?|ms|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)(?![a-z])[\s,]*(?:and\s)?"
)
_DURATION = re.compile(_PART, re.IGNORECASE)
_ASKED = re.compile(rf"(?:try again|retry)(?: your request)? (?:in|after) ((?:{_PART})+)", re.IGNORECASE)
_SECONDS: Final = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0}


def wait_in_headers(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds by ``retry-after-ms``, by ``retry-after`` (a number, a duration or an HTTP date), or by when the limit
    that has nothing left is filled again; None where no header says.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    found = _number(value)
    if found is None:
        found = _duration(value)
    if found is None and value:
        found = _until_date(value, now or datetime.now(UTC))
    return found if found is not None else _until_filled(headers)


def wait_in_text(message: object) -> float | None:
    """Seconds by words like "Please try again in 1m2.5s" or "retry after 6 seconds"; None where none are said."""
    found = _ASKED.search(message[:4_000]) if isinstance(message, str) else None
    return _duration(found[1]) if found else None


def spoken(seconds: float) -> str:
    if seconds < 90:
        return f"{math.ceil(seconds)} seconds"
    return f"{math.ceil(seconds / 60)} minutes"


def _until_filled(headers: Mapping[str, str]) -> float | None:
    """Groq and OpenAI tell of each limit what is left and when it is filled again."""
    waits = [
        _duration(headers.get(f"x-ratelimit-reset-{limit}", ""))
        for limit in ("requests", "tokens")
        if headers.get(f"x-ratelimit-remaining-{limit}") == "0"
    ]
    return max((wait for wait in waits if wait is not None), default=None)


def _number(value: str | None) -> float | None:
    return float(value) if value and _NUMBER.fullmatch(value.strip()) else None


def _duration(value: str) -> float | None:
    if not re.fullmatch(rf"(?:{_PART})+", value.strip(), re.IGNORECASE):
        return None
    return sum(float(number) * _unit(unit.lower()) for number, unit in _DURATION.findall(value))


def _unit(name: str) -> float:
    return 0.001 if name.startswith(("ms", "milli")) else _SECONDS[name[0]]


def _until_date(value: str, now: datetime) -> float | None:
    """A date that cannot be read is as good as none."""
    try:
        date = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None  # truth: a date that cannot be read is as good as none given
    return max(0.0, (date.replace(tzinfo=date.tzinfo or UTC) - now).total_seconds())
