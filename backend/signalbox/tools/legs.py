"""Ways of looking that failed, as a tool's result names them. Pure."""

from collections.abc import Iterable
from typing import Final

from signalbox.retrieval.index import Leg
from signalbox.tools.result import Missed

_NAMES: Final = {
    "text": "the search by words",
    "meaning": "the search by meaning",
    "recent": "the list of the newest",
}


def missed_of(legs: Iterable[Leg]) -> tuple[Missed, ...]:
    """Each way of looking that failed, once."""
    failed = {leg.name: leg for leg in legs if leg.status == "failed"}
    return tuple(Missed(_NAMES[name], "unavailable", leg.note) for name, leg in failed.items())
