"""A message as agents read it: without the filling that says nothing and that patterns would stumble over. Pure.

What is stored and shown is the message itself; this is only what rules are held against.
"""

import re
from typing import Final

# A pasted CV and an advert together fit in; what comes later is not looked at by rules.
MAX_READ_CHARS: Final = 16_000
LONGEST_FIGURE: Final = 30

_SPACES = re.compile(r"[^\S\n]{2,}")
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n){2,}")
# Lines without a letter or digit are rulers; of rows of signs only the first few mean anything.
_RULERS = re.compile(r"(?m)^[^\w\n]+$\n?")
_SIGNS = re.compile(r"((?:[^\w\s]|_){6})(?:[^\w\s]|_)+")
# The same few characters over and over: three of them tell as much as three thousand.
_AGAIN = re.compile(r"(\S.{0,39}?)\1{9,}", re.DOTALL)


def as_read(message: str) -> str:
    """``message`` with runs of blanks, rulers and repetitions cut short, and no longer than rules may read."""
    text = _SPACES.sub(" ", message.strip().replace("\r\n", "\n"))
    if "\n" in text:
        text = _BLANK_LINES.sub("\n\n", _RULERS.sub("\n", text))
    text = _SIGNS.sub(r"\1", _AGAIN.sub(_thrice, text)).strip()
    return text if len(text) <= MAX_READ_CHARS else text[:MAX_READ_CHARS].rsplit(None, 1)[0]


def _thrice(again: re.Match[str]) -> str:
    """A figure of many noughts is one all the same."""
    whole = again[0]
    return whole if whole.isdigit() and len(whole) <= LONGEST_FIGURE else again[1] * 3
