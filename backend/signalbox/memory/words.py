"""Word lists written as text, and numbers written as words."""

from typing import Final

_NUMBER_WORDS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
# A pattern of a number up to 99, in digits or in words.
NUMBER: Final = rf"(?:\d{{1,2}}|{'|'.join(sorted(_NUMBER_WORDS[1:], key=len, reverse=True))})"


def words_in(text: str) -> frozenset[str]:
    """The words of ``text``, parted by blanks."""
    return frozenset(text.split())


def number_of(text: str) -> int:
    """The number that something matched by ``NUMBER`` says."""
    return int(text) if text.isdigit() else _NUMBER_WORDS.index(text.casefold())
