"""Lays out what a model is told: what never changes first, then what is known, the conversation, and the message last.

Providers keep the beginning of a prompt they have seen: not a byte of what varies stands before ``<profile>``. Pure.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from signalbox.agents.budget import Budget
from signalbox.agents.turn import Facts, Turn
from signalbox.encoding import clean_json
from signalbox.llm.base import ChatMessage
from signalbox.llm.tokens import PER_MESSAGE, PER_REQUEST, Count
from signalbox.memory.contact_data import without_contact_data
from signalbox.memory.context import MESSAGE, Fitted, Item, Part, fit
from signalbox.memory.conversation import PastMessage
from signalbox.memory.fencing import defused, fenced
from signalbox.memory.pieces import Piece, pieces_of, whole_of
from signalbox.memory.repair import repaired
from signalbox.memory.selection import is_needed, select_facts

Shown: TypeAlias = Callable[[str], str]

# Of the facts of a profile that need not be told, the best so many go before the next so many.
TIERS: Final = (5, 15, 60)
# A fence's two tags, and the note on what was left out of it.
_FRAME: Final = 40
# What JSON puts around an entry: quotes, comma, indentation.
_ENTRY: Final = 4


@dataclass(frozen=True, slots=True)
class Layout:
    """Shares of the room for input. Floors are kept whatever the others need; caps are never exceeded but for hard
    constraints and pinned facts. What is left over goes to the parts in their order.
    """

    profile: tuple[float, float] = (0.04, 0.15)
    summary: tuple[float, float] = (0.06, 0.2)
    facts: tuple[float, float] = (0.25, 1.0)
    history: tuple[float, float] = (0.1, 1.0)


@dataclass(frozen=True, slots=True)
class Told:
    """``messages``: the system prompt, the history, the message."""

    messages: tuple[ChatMessage, ...]
    fitted: Fitted


def told(
    static: str,
    turn: Turn,
    facts: Facts,
    budget: Budget,
    count: Count,
    *,
    plain: bool = False,
    layout: Layout | None = None,
) -> Told:
    """What fits of all that ``turn`` brings, behind ``static``. ``plain``: the messages stand without fences, for a
    model that obeys nothing.

    Raises ``MessageTooLong`` and ``PromptTooLong``, as ``fit`` does; a long message is shortened where that is of use.
    """
    turn = turn.model_copy(update={"history": repaired(turn.history)})
    shown: Shown = _same if budget.contact_data or plain else without_contact_data
    pieces = pieces_of(clean_json(facts))
    parts = _parts(static, turn, pieces, budget, layout or Layout())

    def within(room: int) -> Told:
        fitted = fit(parts, room, budget.output, count, shorten=True)
        return Told(_laid_out(static, fitted, pieces, turn.history, shown, plain=plain), fitted)

    return _whole_within(budget.room, budget.output, within, count)


def facts_told(static: str, ask: str, facts: Any, budget: Budget, output: int, count: Count) -> Told:
    """The same for a text that is made from facts alone: no profile, no history, and ``ask`` as the message.

    Raises ``PromptTooLong``.
    """
    shown: Shown = _same if budget.contact_data else without_contact_data
    pieces = pieces_of(clean_json(facts))
    parts = (_static(static), _facts_part(pieces, 5, 0, None), _message(ask, plain=True))

    def within(room: int) -> Told:
        fitted = fit(parts, room, output, count)
        system = f"{static}\n\n{_facts_block(fitted, pieces, shown)}"
        return Told((ChatMessage("system", system), ChatMessage("user", ask)), fitted)

    return _whole_within(min(budget.window, budget.prompt + output), output, within, count)


def _whole_within(room: int, output: int, within: Callable[[int], Told], count: Count) -> Told:
    """What fits of all, put together: parts can take a little more than apart, so it may take less room to fit them."""
    fits = room
    for tries in itertools.count():  # ends: with too little room nothing fits, and that is raised
        asked = within(fits)
        over = _size(asked.messages, count) - (room - output)
        if over <= 0:
            return replace(asked, fitted=replace(asked.fitted, window=room))
        fits -= over << tries
    raise AssertionError("unreachable")


def _same(text: str) -> str:
    return text


def _masked(value: Any, shown: Shown) -> Any:
    match value:
        case str():
            return shown(value)
        case dict():
            return {key: _masked(each, shown) for key, each in value.items()}
        case list():
            return [_masked(each, shown) for each in value]
        case _:
            return value


def _parts(
    static: str,
    turn: Turn,
    pieces: Sequence[Piece],
    budget: Budget,
    layout: Layout,
) -> tuple[Part, ...]:
    room = budget.room - budget.output

    def bounds(share: tuple[float, float]) -> tuple[int, int]:
        return int(room * share[0]), int(room * share[1])

    lines = tuple(turn.summary.lines()) if turn.summary is not None else ()
    summary = tuple(
        Item(defused(f"{kind}: {text}"), what=kind, relevance=1 / (1 + place), pinned=kind == "hard constraint")
        for place, (kind, text) in enumerate(lines)
    )
    floor, cap = bounds(layout.profile)
    known = Part("profile", 3, _profile(turn), floor, cap, frame=_FRAME, each=_ENTRY, order="edges", same=0.85)
    floor, cap = bounds(layout.summary)
    earlier = Part("summary", 4, summary, floor, cap, frame=_FRAME, each=_ENTRY, same=0.85)
    floor, cap = bounds(layout.facts)
    retrieved = _facts_part(pieces, 5, floor, cap)
    floor, cap = bounds(layout.history)
    history = Part("history", 6, _history(turn.history), floor, cap, each=PER_MESSAGE + _ENTRY, order="newest")
    return (_static(static), known, earlier, retrieved, history, _message(turn.message))


def _profile(turn: Turn) -> tuple[Item, ...]:
    """The facts that a prompt must not be without, then those that matter most for this message."""
    needed = len([fact for fact in turn.profile if is_needed(fact)])
    tiers = [select_facts(turn.profile, turn.message, turn.today, needed + most) for most in TIERS]
    return tuple(
        Item(
            defused(f"{fact.kind} {fact.key}: {fact.value}"),
            what=fact.key,
            relevance=sum(fact in tier for tier in tiers),
            recency=place,
            pinned=is_needed(fact),
        )
        for place, fact in enumerate(tiers[-1])
    )


def _static(static: str) -> Part:
    item = Item(static, what="rules and instructions", pinned=True)
    return Part("system", 1, (item,), frame=PER_REQUEST + PER_MESSAGE)


def _facts_part(pieces: Sequence[Piece], priority: int, floor: int, cap: int | None) -> Part:
    items = tuple(Item(defused(piece.text), what=piece.name, relevance=piece.relevance) for piece in pieces)
    # They stay in their order: lists are best first, and people say "the second one".
    return Part("facts", priority, items, floor, cap, frame=_FRAME, each=_ENTRY)


def _message(text: str, *, plain: bool = False) -> Part:
    item = Item(text if plain else defused(text), what="the message", pinned=True)
    return Part(MESSAGE, 0, (item,), each=PER_MESSAGE + (0 if plain else _ENTRY))


def _history(history: Sequence[PastMessage]) -> tuple[Item, ...]:
    """Messages without text are left out: providers refuse every later call because of one."""
    said = [past for past in history if past.content.strip()]
    return tuple(
        Item(
            defused(past.content),
            what=f"{past.role}, {len(said) - place} back",
            recency=place,
            answers=past.role == "assistant",
        )
        for place, past in enumerate(said)
    )


def _laid_out(
    static: str,
    fitted: Fitted,
    pieces: Sequence[Piece],
    history: Sequence[PastMessage],
    shown: Shown,
    *,
    plain: bool,
) -> tuple[ChatMessage, ...]:
    # Contact data is looked for in what is told alone: that is dear, and most of a long history is not told.
    blocks = [static]
    blocks += [
        fenced(name, [shown(line) for line in lines])
        for name in ("profile", "summary")
        if (lines := fitted.texts(name))
    ]
    blocks.append(_facts_block(fitted, pieces, shown))
    said = [past for past in history if past.content.strip()]
    earlier = [
        ChatMessage(said[item.recency].role, _as_said(said[item.recency].role, shown(item.text), plain=plain))
        for item in fitted.kept["history"]
    ]
    (message,) = fitted.texts(MESSAGE)
    asked = ChatMessage("user", _as_said("user", shown(message), plain=plain))
    return (ChatMessage("system", "\n\n".join(blocks)), *earlier, asked)


def _as_said(role: str, text: str, *, plain: bool) -> str:
    return text if plain or role == "assistant" else fenced("message", text)


def _facts_block(fitted: Fitted, pieces: Sequence[Piece], shown: Shown) -> str:
    kept = {item.what for item in fitted.kept["facts"]}
    return fenced("facts", _masked(whole_of(pieces, kept), shown))


def _size(messages: Sequence[ChatMessage], count: Count) -> int:
    return PER_REQUEST + sum(PER_MESSAGE + count(message.content) for message in messages)
