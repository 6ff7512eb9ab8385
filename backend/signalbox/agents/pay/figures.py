"""Every pay that a message names, per year, as it was written. Pure."""

import re
from dataclasses import dataclass
from itertools import islice
from typing import Final

from signalbox.retrieval.pay import PER_YEAR, find_pay
from signalbox.retrieval.query import MAX_CHARS

_EXTRA = re.compile(
    r"\b(?:rsus?|equity|stocks?|shares|options|sign[ -]?on|signing|relocation|bonus of)\W*(?:\w+\W+){0,2}$",
    re.IGNORECASE,
)
_EXTRA_AFTER = re.compile(
    r"^\s*(?:in |of )?(?:rsus?|equity|stocks?|shares|options|sign|bonus|over \w+ years)\b", re.IGNORECASE
)
_MOST_FIGURES: Final = 6
_MOST_NUMBERS: Final = 24
_ABSURD_YEAR: Final = 10_000_000.0
_PER_HOUR = re.compile(r"\s*(?:per|an?|/)\s*(?:hour|hr|h)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Figure:
    """A pay in a message: per year, as it was written (``text``), and where. ``extra`` is no base pay (equity ...)."""

    yearly: float
    currency: str | None
    text: str
    start: int
    end: int
    extra: bool = False

    @property
    def hourly(self) -> bool:
        return re.search(r"\b(?:hour|hr|h|hourly|ph)\b", self.text, re.IGNORECASE) is not None


def figures_in(message: str) -> tuple[Figure, ...]:
    """Every pay that the message names, in its order; ranges count as their lower end."""
    found: list[Figure] = []
    numbers = list(islice(re.finditer(r"\d+", message[:MAX_CHARS]), _MOST_NUMBERS + 1))
    rest = message[: numbers[-1].start() if len(numbers) > _MOST_NUMBERS else MAX_CHARS]
    while len(found) < _MOST_FIGURES and (pay := find_pay(rest)):
        start, end = pay.spans[0]
        yearly = pay.minimum or pay.maximum
        if yearly:
            extra = bool(_EXTRA.search(message[:start]) or _EXTRA_AFTER.match(message[end:]))
            text = re.sub(r"^[^\d£$€¥₹]+", "", message[start:end]).strip()
            if yearly > _ABSURD_YEAR:
                # "What is 45k per hour?" asks for another period than the one the figure is in.
                yearly, text = yearly / PER_YEAR["hour"], _PER_HOUR.sub("", text)
            found.append(Figure(yearly, pay.currency, text, start, end, extra))
        rest = rest[:start] + " " * (end - start) + rest[end:]
    return tuple(sorted(found, key=lambda figure: figure.start))
