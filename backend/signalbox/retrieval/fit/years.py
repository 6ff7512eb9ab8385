"""The years of experience a posting asks for. Pure; it reads what stands there and concludes nothing from titles."""

import re
from typing import Final

_WORDS: Final = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_ASKED = re.compile(
    rf"\b(?P<number>\d{{1,2}}|{'|'.join(_WORDS)})\s*(?:\(\d{{1,2}}\)\s*)?(?:(?:[-–]|to)\s*\d{{1,2}}\s*)?\+?\s*"
    r"(?:\(\d{1,2}\)\s*)?(?:or more )?(?:years?|yrs)\b['’]?(?P<rest>[^.;\n]{0,110})",
    re.IGNORECASE,
)
_OF_WORK = re.compile(r"\bexperience\b|^\s+(?:of\s+)?(?:working|developing|building|managing|in|as)\b", re.IGNORECASE)
_NOT_OF_WORK = re.compile(r"^\s*(?:old|ago|of age|contract|program(?:me)?|warranty|high school)\b", re.IGNORECASE)
# A figure above it counts a company's history.
_MOST: Final = 20


def asked_years(text: str) -> int | None:
    """The first number of years asked for: of alternatives the leading one. None: the text does not say."""
    for match in _ASKED.finditer(text):
        number = match["number"].casefold()
        years = int(number) if number.isdecimal() else _WORDS.index(number) + 1
        if 0 < years <= _MOST and _OF_WORK.search(match["rest"]) and not _NOT_OF_WORK.match(match["rest"]):
            return years
    return None
