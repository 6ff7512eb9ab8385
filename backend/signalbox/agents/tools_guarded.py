"""Which look-ups on external servers the user is asked about first, though nothing changes there: what they are given
goes out, and a text that others wrote may have asked for it. Pure.

A net, not a wall: it knows words as they are written, and neither paraphrases nor ciphers.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from signalbox.agents.tools_planned import Planned
from signalbox.agents.turn import Turn
from signalbox.tools.base import Arguments, Guard
from signalbox.tools.result import Ok, Result

WHY_ASKED: Final = (
    "You are asked, though nothing is changed there, because {why}: a text that others wrote was read before, and it "
    "may have suggested this."
)
_PERSONAL: Final = "what you see above holds something that is known of you and that you did not write just now"
_ALWAYS: Final = "the operator of this assistant wants it so"

# A message this long may be a posting or a page that was pasted, whoever sends it.
PASTED_CHARS: Final = 600
# Of a fact in a few words each counts; of a sentence a few of its words must come together.
_FEW_WORDS: Final = 4
_TOGETHER: Final = 2
_WORD: Final = re.compile(r"\d+(?:[.,' ]\d{3})+(?!\d)|\d+|\w+")
_THOUSANDS: Final = re.compile(r"(?<=\d)\s?k\b", re.IGNORECASE)
# In a fact of a few words a short one may be a name.
_LEAST_LETTERS: Final = 4
_LEAST_OF_A_NAME: Final = 2
_LEAST_DIGITS: Final = 3
_COMMON_WORDS: Final = """
about also and answer anything apply available based because been before career city company could does each every find
first from good have hours into jobs just know large least less like list live looking make many more most must need
never note only other over part people place please position prefer query really remote role same search should small
some team that their them then there these they this time true false type want well what when where which while will
with work working would year years your
all am an any are as at be but by can do for go had has he her him his how if in is it its me my new no not now of off
old on one or our out own per she so the to two up us was we who why you
"""
_COMMON: Final = frozenset(_COMMON_WORDS.split())


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the user, as sets of words: of each so many must stand in a text for it to tell of them."""

    notes: tuple[tuple[frozenset[str], int], ...]

    def told_in(self, arguments: Any) -> bool:
        words = _words(json.dumps(arguments, ensure_ascii=False), _LEAST_OF_A_NAME)
        return any(len(note & words) >= least for note, least in self.notes)


@dataclass(frozen=True, slots=True)
class Watch:
    """Over the look-ups of one answer. ``guards``: of each tool by its name."""

    turn: Turn
    guards: Mapping[str, Guard]

    def over(self, call: Planned) -> bool:
        return call.reads and self.guards.get(call.request.name, "never") != "never"

    def reasons(self, calls: Sequence[Planned], found: Sequence[Result[Any] | None]) -> dict[str, str]:
        """By the id of a call that the user is asked about first, why. ``found``: what came of the calls before."""
        if not (read_others(self.turn) or found_others(found)):
            return {}
        known = known_of(self.turn)
        why = {
            each.request.call_id: why_asked(self.guards[each.request.name], each.arguments, known)
            for each in calls
            if self.over(each)
        }
        return {call_id: reason for call_id, reason in why.items() if reason}


def known_of(turn: Turn) -> Known:
    """From the profile, the summary and the user's earlier messages; not what stands in the message to be answered,
    unless that is so long that it may be a pasted text.
    """
    said = frozenset() if len(turn.message) > PASTED_CHARS else _words(turn.message, _LEAST_OF_A_NAME)
    notes = []
    for text, brief in _texts(turn):
        few = brief and len(text.split()) <= _FEW_WORDS
        words = _words(text, _LEAST_OF_A_NAME if few else _LEAST_LETTERS) - said
        notes.append((words, 1 if few else _TOGETHER))
        notes += [(frozenset({word}), 1) for word in words if word.isdigit()]
    return Known(tuple(notes))


def read_others(turn: Turn) -> bool:
    """Whether the prompt may hold a text that others wrote, before anything is looked up: results shown earlier, or a
    pasted text.
    """
    pasted = (past.content for past in turn.history if past.role == "user" and not past.summarised)
    return any(past.blocks for past in turn.history) or any(
        len(text) > PASTED_CHARS for text in (turn.message, *pasted)
    )


def found_others(results: Sequence[Result[Any] | None]) -> bool:
    """Whether anything came back that others may have written: a value found, or a failing server's own words."""
    return any(result is not None and (isinstance(result, Ok) or bool(result.note)) for result in results)


def why_asked(guard: Guard, arguments: Arguments | None, known: Known) -> str:
    """As the end of the risk that the user is told; "" if they are not asked."""
    if guard == "always":
        return WHY_ASKED.format(why=_ALWAYS)
    given = arguments.model_dump(mode="json") if arguments is not None else {}
    return WHY_ASKED.format(why=_PERSONAL) if known.told_in(given) else ""


def _texts(turn: Turn) -> Iterator[tuple[str, bool]]:
    """Each with whether it was made to say one thing: a message of a few words may be about anything."""
    yield from ((fact.value, True) for fact in turn.profile)
    if turn.summary is not None:
        yield from ((text, True) for _, text in turn.summary.lines())
    yield from ((past.content, False) for past in turn.history if past.role == "user")


def _words(text: str, least: int) -> frozenset[str]:
    """Those of ``least`` letters that tell somebody apart, in one spelling: numbers without what parts their digits."""
    found = set()
    for match in _WORD.finditer(_THOUSANDS.sub("000", text.casefold())):
        word = match[0]
        if word[0].isdigit():
            digits = re.sub(r"\D", "", word)
            found |= {digits} if len(digits) >= _LEAST_DIGITS else set()
        elif len(word) >= least and word not in _COMMON:
            found.add(word)
    return frozenset(found)
