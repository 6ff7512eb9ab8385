"""A message as agents read it: without the filling that says nothing and that patterns would stumble over. Pure.

What is stored and shown is the message itself; this is only what rules are held against.
"""

import re
from typing import Final

# A pasted CV and an advert together fit in. Of what is longer, rules look at the beginning and at the end, where people
# say what they want of what they pasted.
MAX_READ_CHARS: Final = 16_000
END_CHARS: Final = 4_000
_LEFT_OUT: Final = "\n\n…\n\n"  # no sentence is made of two halves
BEGINNING_CHARS: Final = MAX_READ_CHARS - END_CHARS  # with that mark
# However long a message may be, no more of it is held against patterns, at either end.
_MOST_CHARS: Final = 4 * MAX_READ_CHARS
LONGEST_FIGURE: Final = 30

_SPACES = re.compile(r"[^\S\n]{2,}")
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n){2,}")
# Lines without a letter or digit are rulers; of rows of signs only the first few mean anything.
_RULERS = re.compile(r"(?m)^[^\w\n]+$\n?")
_SIGNS = re.compile(r"((?:[^\w\s]|_){6})(?:[^\w\s]|_)+")
# The same few characters over and over: three of them tell as much as three thousand.
_AGAIN = re.compile(r"(\S.{0,39}?)\1{9,}", re.DOTALL)


def as_read(message: str) -> str:
    """``message`` with runs of blanks, rulers and repetitions cut short, and no longer than rules may read: then its
    beginning and its end.
    """
    if len(message) > 2 * _MOST_CHARS:
        message = f"{message[:_MOST_CHARS]}{_LEFT_OUT}{message[-_MOST_CHARS:]}"
    text = _SPACES.sub(" ", message.strip().replace("\r\n", "\n"))
    if "\n" in text:
        text = _BLANK_LINES.sub("\n\n", _RULERS.sub("\n", text))
    text = _SIGNS.sub(r"\1", _AGAIN.sub(_thrice, text)).strip()
    if len(text) <= MAX_READ_CHARS:
        return text
    beginning, end = text[: BEGINNING_CHARS - len(_LEFT_OUT)], text[-END_CHARS:]
    return f"{beginning.rsplit(None, 1)[0]}{_LEFT_OUT}{end.split(None, 1)[-1]}"


def _thrice(again: re.Match[str]) -> str:
    """A figure of many noughts is one all the same."""
    whole = again[0]
    return whole if whole.isdigit() and len(whole) <= LONGEST_FIGURE else again[1] * 3
