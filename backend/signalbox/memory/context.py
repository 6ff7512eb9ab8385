"""Fits what a model is told into its window: which parts, how much of each, and what is left out. Pure."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from signalbox.errors import MessageTooLong, PromptTooLong
from signalbox.llm.tokens import Count
from signalbox.memory.near_duplicates import near_duplicates

Order = Literal["kept", "edges", "newest"]
Why = Literal["room", "cap", "duplicate", "order"]

# The user's message, by name: the only part that may be shortened, and then never in silence.
MESSAGE: Final = "message"
LEAST_MESSAGE: Final = 120
_NOTE: Final = "\n[... {count} characters of this message were left out here because it is too long ...]\n"
_MOST_NAMED: Final = 5
_LONGEST_NAME: Final = 60


@dataclass(frozen=True, slots=True)
class Item:
    """What is kept or dropped as one. ``what`` names it in the record, without its content. ``pinned``: never dropped.

    Greater ``relevance``, then greater ``recency``, is kept longer. ``answers``: it makes no sense without the item
    before it.
    """

    text: str
    what: str = ""
    relevance: float = 0.0
    recency: int = 0
    pinned: bool = False
    answers: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """Items of one kind. Parts of a smaller ``priority`` get their room first.

    ``floor``: tokens that no other part can take from it; ``cap``: tokens it never exceeds but for what is pinned.
    ``frame``: tokens around it if it holds anything, ``each``: around every item. ``order``: as given ("kept"), the
    most relevant at both edges ("edges"), or an unbroken run of the last items ("newest"). ``same``: how alike (0 to 1)
    two items are when one of them is left out; None: all are kept.
    """

    name: str
    priority: int
    items: tuple[Item, ...]
    floor: int = 0
    cap: int | None = None
    frame: int = 0
    each: int = 0
    order: Order = "kept"
    same: float | None = None


@dataclass(frozen=True, slots=True)
class Dropped:
    """``tokens``: what it would have taken. ``why``: no room left, over the part's cap, said already, or it stood
    before (or answered) something that was dropped.
    """

    part: str
    what: str
    tokens: int
    why: Why


@dataclass(frozen=True, slots=True)
class Shortened:
    """The message was told in part: ``kept`` of ``of`` characters, from its beginning and its end."""

    kept: int
    of: int


@dataclass(frozen=True, slots=True)
class Fitted:
    """``kept`` by part, in the order to be told. ``tokens`` by part, frames included."""

    window: int
    output: int
    kept: Mapping[str, tuple[Item, ...]]
    tokens: Mapping[str, int]
    dropped: tuple[Dropped, ...] = ()
    shortened: Shortened | None = None

    @property
    def input(self) -> int:
        return sum(self.tokens.values())

    def texts(self, part: str) -> tuple[str, ...]:
        return tuple(item.text for item in self.kept.get(part, ()))

    def about(self) -> dict[str, Any]:
        """For the record: sizes, and by part what was left out and why. Names, never contents."""
        told: dict[str, Any] = {
            "window": self.window,
            "output": self.output,
            "tokens": {name: count for name, count in self.tokens.items() if count},
        }
        if self.dropped:
            told["dropped"] = list(_told(self.dropped))
        if self.shortened is not None:
            told["shortened"] = {"kept": self.shortened.kept, "of": self.shortened.of}
        return told


def fit(parts: Sequence[Part], window: int, output: int, count: Count, *, shorten: bool = False) -> Fitted:
    """What of ``parts`` is told to a model whose window is ``window`` tokens, of which ``output`` are its answer's.

    First come the pinned items of every part (the message is one), then each part's floor, then the rest by priority,
    relevance and recency. The same input gives the same result. ``input + output <= window`` always.

    Raises ``MessageTooLong`` when the message does not fit beside what must be told (with ``shorten`` it is cut in its
    middle instead, visibly, down to ``LEAST_MESSAGE`` tokens), ``PromptTooLong`` when the rest alone does not fit.
    """
    room = window - output
    parts, shortened = _with_message(parts, room, count, shorten=shorten)
    fitting = _Fitting(parts, room, count)
    fitting.take_floors()
    fitting.take_rest()
    kept, dropped = fitting.outcome()
    return Fitted(window, output, kept, fitting.sizes(kept), dropped, shortened)


def _with_message(
    parts: Sequence[Part], room: int, count: Count, *, shorten: bool
) -> tuple[tuple[Part, ...], Shortened | None]:
    """The parts with a message that fits beside everything that must be told."""
    must = {part.name: _pinned_size(part, count) for part in parts}
    message = next((part for part in parts if part.name == MESSAGE), None)
    others = sum(must.values()) - must.get(MESSAGE, 0)
    if sum(must.values()) <= room:
        return tuple(parts), None
    if message is None or others + message.frame + message.each + LEAST_MESSAGE > room:
        raise PromptTooLong(
            f"What must be told to the model takes {others} tokens, and there is room for {max(room, 0)}. You can "
            "unpin or forget some of what your profile holds; the operator can raise SIGNALBOX_PROMPT_TOKENS or choose "
            "a model with a larger window."
        )
    text = message.items[0].text
    # Floors are other parts' due, so the message is cut to what they leave, if that is enough to be of use.
    floors = sum(min(part.floor, _whole_size(part, count)) for part in parts if part.name != MESSAGE)
    free = room - others - message.frame - message.each
    free = max(free - floors, min(free, LEAST_MESSAGE))
    fits = _fitting_chars(text, free, count)
    if not shorten:
        raise MessageTooLong(
            f"This message is too long for the language model: it has {len(text):,} characters and about "
            f"{_fitting_chars(text, room - others - message.frame - message.each, count, note=False):,} fit. Please "
            "send it in parts, or only what matters."
        )
    cut = replace(message, items=(replace(message.items[0], text=_shortened(text, fits)),))
    return tuple(cut if part is message else part for part in parts), Shortened(fits, len(text))


def _shortened(text: str, chars: int) -> str:
    head = math.ceil(chars * 2 / 3)
    tail = text[len(text) - (chars - head) :] if chars > head else ""
    return f"{text[:head]}{_NOTE.format(count=f'{len(text) - chars:,}')}{tail}"


def _fitting_chars(text: str, tokens: int, count: Count, *, note: bool = True) -> int:
    """The most characters of ``text`` that take no more than ``tokens``, by halving."""
    least, most = 0, len(text)
    while least < most:
        middle = (least + most + 1) // 2
        fits = count(_shortened(text, middle) if note else text[:middle]) <= tokens
        least, most = (middle, most) if fits else (least, middle - 1)
    return least


def _pinned_size(part: Part, count: Count) -> int:
    pinned = [item for item in part.items if item.pinned]
    return part.frame + sum(count(item.text) + part.each for item in pinned) if pinned else 0


def _whole_size(part: Part, count: Count) -> int:
    return sum(count(item.text) + part.each for item in part.items if not item.pinned)


@dataclass(slots=True)
class _State:
    """One part while it is being fitted; items by their index."""

    part: Part
    sizes: tuple[int, ...]
    ranked: tuple[int, ...]
    taken: set[int] = field(default_factory=set)
    out: dict[int, Why] = field(default_factory=dict)
    used: int = 0

    def cost(self, index: int) -> int:
        return self.sizes[index] + (0 if self.taken else self.part.frame)

    def take(self, index: int) -> int:
        cost = self.cost(index)
        self.taken.add(index)
        self.used += cost
        return cost

    def open(self) -> Iterator[int]:
        """What is neither taken nor out, best first; of a run what comes next to it."""
        for index in self.ranked:
            if index not in self.taken and index not in self.out:
                yield index


class _Fitting:
    def __init__(self, parts: Sequence[Part], room: int, count: Count) -> None:
        # By priority, and among equals as given: a stable sort.
        self._parts = parts
        self._states = [_state(part, count) for part in sorted(parts, key=lambda part: part.priority)]
        self._left = room
        for state in self._states:
            for index in state.ranked:
                if state.part.items[index].pinned:
                    self._left -= state.take(index)

    def take_floors(self) -> None:
        for state in self._states:
            if state.part.floor:
                self._fill(state, min(self._left, state.part.floor), "floor")

    def take_rest(self) -> None:
        for state in self._states:
            cap = math.inf if state.part.cap is None else max(state.part.cap, state.part.floor)
            capped = cap - state.used < self._left
            self._fill(state, max(0, int(cap - state.used)) if capped else self._left, "cap" if capped else "room")

    def _fill(self, state: _State, most: int, why: Literal["floor", "room", "cap"]) -> None:
        """Take the best items into ``most`` tokens. A run ends at the first that does not fit."""
        for index in list(state.open()):
            cost = state.cost(index)
            if cost <= most:
                most -= cost
                self._left -= state.take(index)
            elif why == "floor":
                if state.part.order == "newest":
                    return
            else:
                state.out[index] = why
                if state.part.order == "newest":
                    state.out |= dict.fromkeys(state.open(), "order")
                    return

    def outcome(self) -> tuple[dict[str, tuple[Item, ...]], tuple[Dropped, ...]]:
        kept: dict[str, tuple[Item, ...]] = {}
        dropped: list[Dropped] = []
        for state in self._states:
            _without_orphans(state)
            kept[state.part.name] = tuple(state.part.items[index] for index in _placed(state))
            dropped += [
                Dropped(state.part.name, state.part.items[index].what, state.sizes[index], state.out[index])
                for index in sorted(state.out)
            ]
        return {part.name: kept[part.name] for part in self._parts}, tuple(dropped)

    def sizes(self, kept: Mapping[str, tuple[Item, ...]]) -> dict[str, int]:
        sizes = {
            state.part.name: sum(state.sizes[index] for index in state.taken) + (state.part.frame if state.taken else 0)
            for state in self._states
        }
        return {name: sizes[name] for name in kept}


def _state(part: Part, count: Count) -> _State:
    sizes = tuple(count(item.text) + part.each for item in part.items)
    ranked: Iterable[int] = range(len(part.items))
    if part.order == "newest":
        ranked = reversed(range(len(part.items)))
    else:
        ranked = sorted(ranked, key=lambda index: _rank(part.items[index], index))
    state = _State(part, sizes, tuple(ranked))
    if part.same is not None:
        for index in near_duplicates([part.items[index].text for index in state.ranked], part.same):
            twin = state.ranked[index]
            if not part.items[twin].pinned:
                state.out[twin] = "duplicate"
    return state


def _rank(item: Item, index: int) -> tuple[bool, float, int, int]:
    return (not item.pinned, -item.relevance, -item.recency, index)


def _without_orphans(state: _State) -> None:
    """An answer whose question was dropped tells a story without its beginning."""
    for index in sorted(state.taken):
        item = state.part.items[index]
        if not item.answers or index - 1 in state.taken or item.pinned:
            if state.part.order == "newest":
                break
            continue
        state.taken.discard(index)
        state.out[index] = "order"


def _placed(state: _State) -> list[int]:
    if state.part.order != "edges":
        return sorted(state.taken)
    # What stands in the middle of a long prompt is read least well.
    best = [index for index in state.ranked if index in state.taken]
    return best[0::2] + best[1::2][::-1]


def _told(dropped: Sequence[Dropped]) -> Iterator[dict[str, Any]]:
    groups: dict[tuple[str, Why], list[Dropped]] = {}
    for each in dropped:
        groups.setdefault((each.part, each.why), []).append(each)
    for (part, why), members in groups.items():
        named = [member.what[:_LONGEST_NAME] for member in members if member.what]
        told: dict[str, Any] = {
            "part": part,
            "why": why,
            "items": len(members),
            "tokens": sum(member.tokens for member in members),
        }
        yield told | ({"what": named[:_MOST_NAMED]} if named else {})
