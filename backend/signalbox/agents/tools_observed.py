"""What a model reads of the calls it made: each outcome in its fixed form, fenced as data, and all of them fitted into
their room. Pure: the same exchanges give the same messages.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from signalbox.encoding import clean_json
from signalbox.llm.base import ChatMessage, ToolRequest
from signalbox.llm.tokens import PER_MESSAGE, Count
from signalbox.memory.fencing import defused
from signalbox.tools.base import Effect
from signalbox.tools.calling import canonical
from signalbox.tools.result import Empty, Err, Missed, Ok, Result
from signalbox.tools.telling import shown_of, told

Shown: TypeAlias = Callable[[str], str]
# What was written before and its tokens, by call and bound: most of a prompt stays the same from turn to turn.
Written: TypeAlias = dict[tuple[str, int], tuple[str, int]]

# Characters of a result's data, from the most that is told of any down to its outcome alone.
BOUNDS: Final = (8_000, 4_000, 1_500, 400, 0)
# Before a result is cut, the longest texts in it are: a list of ten with short descriptions tells more than two whole.
_TEXTS: Final = (2_000, 600, 200, 80)
# No tokenizer makes fewer tokens of a text than one for so many characters.
_MOST_CHARS: Final = 8
_LONGEST_ECHO: Final = 1_000
_MOST_EDITED: Final = 1_500
_WHOLE: Final = 100_000_000
_LONGEST_PROBLEM: Final = 700
_LONGEST_TEXT: Final = 2_000
_UNNAMED = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class Observation:
    """What came of one call. ``told``: its value as ``kept``; ``refusal``: why it was not carried out; ``edited``: the
    arguments that the user changed before they approved it.
    """

    request: ToolRequest
    result: Result[Any] | None = None
    told: Any = None
    effect: Effect = "read"
    refusal: str = ""
    edited: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn of the model: what it said, and what came of each call it made."""

    text: str
    observations: tuple[Observation, ...]

    @property
    def asked(self) -> ChatMessage:
        return ChatMessage("assistant", self.text[:_LONGEST_TEXT], tuple(map(_echo, self.observations)))

    def without_refused(self) -> "Exchange":
        kept = tuple(each for each in self.observations if not each.refusal)
        return replace(self, observations=kept or self.observations[:1])


def laid_out(
    exchanges: Sequence[Exchange], room: int, count: Count, shown: Shown, written: Written | None = None
) -> tuple[ChatMessage, ...]:
    """All that was called and what came of it, in ``room`` tokens: older results are shortened before newer ones, and
    to their outcome alone before an exchange is left out. ``written`` is kept by the caller between turns.
    """
    told_so_far = _Fitting(exchanges, count, _Writing(shown, count, {} if written is None else written))
    told_so_far.shorten_until(room)
    while told_so_far.size > room and len(told_so_far.exchanges) > 1:
        told_so_far.drop_oldest()
    if told_so_far.size > room and exchanges:
        last = exchanges[-1].without_refused()
        return _messages([last], {place: _text(each, 0, shown) for place, each in _places([last])})
    return _messages(told_so_far.exchanges, told_so_far.texts)


Place: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Writing:
    """An observation within a bound, and its tokens."""

    shown: Shown
    count: Count
    written: Written

    def __call__(self, observation: Observation, bound: int) -> tuple[str, int]:
        key = (observation.request.call_id, bound)
        if key not in self.written:
            text = _text(observation, bound, self.shown)
            self.written[key] = (text, self.count(text) + PER_MESSAGE)
        return self.written[key]


class _Fitting:
    def __init__(self, exchanges: Sequence[Exchange], count: Count, write: _Writing) -> None:
        self.exchanges = list(exchanges)
        self._write = write
        self._observations = dict(_places(exchanges))
        self._frames = [_frame(exchange, count) for exchange in exchanges]
        self._told: dict[Place, tuple[str, int]] = {}

    def shorten_until(self, room: int) -> None:
        """As far as it must; what is sure not to fit is not even written, since writing and counting are dear."""
        steps = _steps(self.exchanges)
        bounds = dict.fromkeys(self._observations, BOUNDS[0])
        sizes = {place: len(_json(each.told)) for place, each in self._observations.items()}
        least = {place: min(size, BOUNDS[0]) // _MOST_CHARS for place, size in sizes.items()}
        while sum(least.values()) > room and (step := next(steps, None)) is not None:
            place, bound = step
            bounds[place] = bound
            least[place] = min(sizes[place], bound) // _MOST_CHARS
        self._told = {place: self._write(each, bounds[place]) for place, each in self._observations.items()}
        while self.size > room and (step := next(steps, None)) is not None:
            place, bound = step
            self._told[place] = self._write(self._observations[place], bound)

    @property
    def size(self) -> int:
        return sum(size for _, size in self._told.values()) + sum(self._frames)

    @property
    def texts(self) -> dict[Place, str]:
        return {place: text for place, (text, _) in self._told.items()}

    def drop_oldest(self) -> None:
        del self.exchanges[0], self._frames[0]
        self._told = {(n - 1, at): told for (n, at), told in self._told.items() if n}


def _steps(exchanges: Sequence[Exchange]) -> Iterator[tuple[Place, int]]:
    """Which result is shortened next, and to what."""
    places = [place for place, _ in _places(exchanges)]
    newest = len(exchanges) - 1
    for part in ([each for each in places if each[0] < newest], [each for each in places if each[0] == newest]):
        for bound in BOUNDS[1:-1]:
            yield from ((place, bound) for place in part)
    yield from ((place, BOUNDS[-1]) for place in places)


def _places(exchanges: Sequence[Exchange]) -> Iterator[tuple[Place, Observation]]:
    for number, exchange in enumerate(exchanges):
        for at, observation in enumerate(exchange.observations):
            yield (number, at), observation


def _messages(exchanges: Sequence[Exchange], texts: Mapping[Place, str]) -> tuple[ChatMessage, ...]:
    messages: list[ChatMessage] = []
    for number, exchange in enumerate(exchanges):
        messages.append(exchange.asked)
        messages += [
            ChatMessage("tool", texts[number, at], tool_call_id=each.request.call_id)
            for at, each in enumerate(exchange.observations)
        ]
    return tuple(messages)


def _frame(exchange: Exchange, count: Count) -> int:
    asked = exchange.asked
    return PER_MESSAGE + count(
        asked.content + "".join(f"{call.call_id} {call.name} {call.arguments} " for call in asked.tool_calls)
    )


def _echo(observation: Observation) -> ToolRequest:
    """The call as the model is shown it again: providers refuse a conversation with names and sizes beyond theirs."""
    request = observation.request
    arguments = request.arguments
    if len(arguments) > _LONGEST_ECHO:
        arguments = json.dumps({"shortened": arguments[:200]}, ensure_ascii=False)
    return ToolRequest(request.call_id, _UNNAMED.sub("_", request.name)[:64] or "unnamed", arguments)


def _text(observation: Observation, bound: int, shown: Shown) -> str:
    name = _echo(observation).name
    result = observation.result
    if observation.refusal or result is None:
        return f"[NOT CARRIED OUT: {name}]\n{_shown_line(observation.refusal, _LONGEST_PROBLEM)}"
    edited = _edited(observation.edited, bound, shown) if observation.edited else ""
    if not isinstance(result, Ok):
        return told(name, _defused(result), effect=observation.effect) + edited
    data, whole = _data(observation.told, bound, shown)
    if not whole:
        total = result.total if result.total is not None else None if result.truncated else shown_of(result.value)
        result = replace(result, value="", truncated=True, total=total)
    return told(name, _defused(result), data, effect=observation.effect) + edited


def changed_in(asked: Mapping[str, Any], used: Mapping[str, Any]) -> Mapping[str, Any]:
    """Those of ``used`` that are others than were ``asked`` for, in an order that does not hang on how they were
    kept.
    """
    asked = clean_json(asked, longest=_WHOLE, most=_WHOLE)  # as the user was asked
    changed = {name: value for name, value in used.items() if name not in asked or asked[name] != value}
    told: Mapping[str, Any] = json.loads(canonical(clean_json(changed, longest=2 * BOUNDS[0], most=BOUNDS[0])))
    return told


def _edited(changed: Mapping[str, Any], bound: int, shown: Shown) -> str:
    """The model's own arguments stand beside the result, so it has to read which of them were not used."""
    names = _shown_line(", ".join(changed), _LONGEST_PROBLEM)
    data, _ = _data(changed, min(bound, _MOST_EDITED), shown)
    return (
        f"\nThe user changed arguments of your call before they approved it ({names}): the outcome above is that of "
        f"theirs. Never tell yours as what was used; these were:\n<data>\n{data}\n</data>"
    )


def kept(value: Any) -> Any:
    """A result's value, JSON, as far as any of it can ever be told."""
    return _without_blanks(clean_json(value, longest=2 * BOUNDS[0], most=BOUNDS[0]))


def _data(value: Any, bound: int, shown: Shown) -> tuple[str, bool]:
    """``value`` as fenced JSON within about ``bound`` characters, and whether all of it is there. What is not told is
    not looked through either: that is dear, and results can be huge.
    """
    size = len(_json(value))
    if size <= bound:
        return _written(value, shown), True
    if not bound:
        return f"(trimmed: the data, {size:,} characters, is left out here to make room)", False
    for longest in _TEXTS:
        shorter = clean_json(value, longest=longest, most=bound)
        text = _json(shorter)
        if len(text) <= bound:
            text = _written(shorter, shown)
            break
    cut = shown(defused(text[:bound]))
    return f"{cut}\n(trimmed: {len(cut):,} of {size:,} characters are shown; it is not all there was)", False


def _json(value: Any) -> str:
    # Texts as well: within JSON none has a line of its own that could pass for an outcome.
    return json.dumps(value, ensure_ascii=False, separators=(",", ": "))


def _written(value: Any, shown: Shown) -> str:
    return _json(_each(value, lambda text: shown(defused(text))))


def _each(value: Any, do: Shown) -> Any:
    match value:
        case str():
            return do(value)
        case dict():
            return {defused(str(key)): _each(each, do) for key, each in value.items()}
        case list():
            return [_each(each, do) for each in value]
        case _:
            return value


def _without_blanks(value: Any) -> Any:
    """Without fields that say nothing: ``null``, and lists and texts without content within a record."""
    match value:
        case dict():
            return {key: _without_blanks(each) for key, each in value.items() if each not in (None, "", [], {})}
        case list():
            return [_without_blanks(each) for each in value]
        case _:
            return value


def _defused(result: Result[Any]) -> Result[Any]:
    """With every note of it fenced as its data is: a foreign server may have written it."""
    missed = tuple(Missed(defused(each.source), each.kind, defused(each.note)) for each in result.missed)
    match result:
        case Ok():
            return replace(result, missed=missed)
        case Empty(note):
            return Empty(defused(note), missed)
        case Err():
            return replace(result, note=defused(result.note), missed=missed)


def _shown_line(text: str, most: int) -> str:
    line = defused(" ".join(text.split()))
    return line if len(line) <= most else line[: most - 1] + "…"
