"""Places: which words name a place, what it is also called, and which countries it lies in.

It knows names only. Whether a posting fits a place is decided in ``filters``.
"""

import functools
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from typing import Literal, Self

Kind = Literal["country", "region", "area", "city"]

# "LA" is also Louisiana and "SF" a company's initials: such short names are read in messages, never in postings.
_SHORTEST_IN_POSTINGS = 3
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Place:
    """``countries`` are ISO 3166 codes; ``needs_preposition`` marks names that are also plain words (Reading, Bath)."""

    name: str
    kind: Kind
    countries: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    abbreviation: str | None = None
    needs_preposition: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)


class Gazetteer:
    """Looks names up, without regard to case. Immutable and safe to share."""

    def __init__(self, places: Iterable[Place]) -> None:
        self._by_name: dict[str, Place] = {}
        self._codes: dict[str, Place] = {}
        for place in places:
            for name in place.names:
                self._by_name.setdefault(_key(name), place)
            if place.kind == "country":
                self._codes[place.countries[0]] = place
        # Longest first, or "York" would be found inside "New York".
        names = sorted(self._by_name, key=len, reverse=True)
        self.pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)", re.IGNORECASE)

    @classmethod
    def load(cls) -> Self:
        """The packaged list."""
        text = (resources.files("signalbox.data") / "places.json").read_text(encoding="utf-8")
        return cls(
            Place(
                row["name"],
                row["kind"],
                tuple(row["countries"]),
                tuple(row.get("aliases", ())),
                row.get("abbreviation"),
                row.get("needs_preposition", False),
            )
            for row in json.loads(text)["places"]
        )

    def find(self, name: str) -> Place | None:
        return self._by_name.get(_key(name))

    def country_code(self, text: str) -> str | None:
        """The code of a country given by code or name ("uk", "Germany"), or of the last named part of an address."""
        whole = text.strip()
        if whole.upper() in self._codes:
            return whole.upper()
        for part in reversed(whole.split(",")):
            place = self.find(part)
            if place and len(place.countries) == 1:
                return place.countries[0]
        return None

    def holding(self, place: Place) -> list[Place]:
        """The countries and regions that hold all of a place."""
        inside = set(place.countries)
        wider = {id(each): each for each in self._by_name.values() if each.kind in {"country", "region"}}
        return [each for each in wider.values() if inside <= set(each.countries)]

    def names_in_postings(self, place: Place) -> list[str]:
        return [name for name in place.names if len(name) >= _SHORTEST_IN_POSTINGS]

    def prefixes_of_others(self, name: str) -> list[str]:
        """What must not stand before ``name``: "New" for "York", since New York is another place."""
        tail = " " + _key(name)
        return sorted({other[: -len(tail)] for other in self._by_name if other.endswith(tail)})


@functools.cache
def gazetteer() -> Gazetteer:
    """The packaged list, read once per process."""
    return Gazetteer.load()


def _key(name: str) -> str:
    return _SPACES.sub(" ", name.strip().casefold())
