"""Takes a JSON value apart into pieces that can be left out one by one, and puts those that stay together. Pure."""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

# A piece of about a posting's size: smaller ones would leave postings in tatters, larger ones be dropped whole.
PIECE_CHARS: Final = 600
DEEPEST: Final = 6
LEFT_OUT: Final = "left_out"
_GAP: Final = " [...] "

_BREAK = re.compile(r"\n\s*|(?<=[.!?;])\s+|\s+")


@dataclass(frozen=True, slots=True)
class Cut:
    """One of the stretches of a long text."""

    at: int
    of: int


Step: TypeAlias = str | int | Cut


@dataclass(frozen=True, slots=True)
class Piece:
    """``relevance`` falls with the place in a list: lists come best first. ``name`` is unique within its value."""

    path: tuple[Step, ...]
    value: Any
    relevance: float

    @property
    def name(self) -> str:
        return "".join(map(_named, self.path)).removeprefix(".")

    @property
    def text(self) -> str:
        """As it will stand in the whole."""
        key = next((step for step in reversed(self.path) if isinstance(step, str)), "")
        return json.dumps({key: self.value}, ensure_ascii=False, indent=1)


def pieces_of(value: dict[str, Any]) -> tuple[Piece, ...]:
    """All of ``value``, in its order."""
    return tuple(piece for key, each in value.items() for piece in _split(each, (key,), 1.0))


def whole_of(pieces: Sequence[Piece], kept: Collection[str]) -> dict[str, Any]:
    """The value of the pieces whose names are in ``kept``; what that leaves out is said under ``left_out``."""
    tree: dict[Any, Any] = {}
    for piece in pieces:
        if piece.name in kept:
            node = tree
            for step in piece.path[:-1]:
                node = node.setdefault(step, {})
            node[piece.path[-1]] = _Leaf(piece.value)
    whole = {key: _joined(each) for key, each in tree.items()}
    missing = dict(_missing(pieces, kept))
    return {**whole, LEFT_OUT: missing} if missing else whole


@dataclass(frozen=True, slots=True)
class _Leaf:
    value: Any


def _split(value: Any, path: tuple[Step, ...], relevance: float) -> Iterator[Piece]:
    if len(path) > DEEPEST or len(json.dumps(value, ensure_ascii=False)) <= PIECE_CHARS:
        yield Piece(path, value, relevance)
        return
    match value:
        case dict():
            for key, each in value.items():
                yield from _split(each, (*path, str(key)), relevance)
        case list():
            for index, each in enumerate(value):
                yield from _split(each, (*path, index), relevance / (1 + index))
        case str():
            stretches = list(_stretches(value))
            for index, stretch in enumerate(stretches):
                yield Piece((*path, Cut(index, len(stretches))), stretch, relevance / (1 + index))
        case _:
            yield Piece(path, value, relevance)


def _stretches(text: str) -> Iterator[str]:
    """``text`` in parts of at most ``PIECE_CHARS``, ending at a line, a sentence or a word where there is one."""
    start = 0
    while len(text) - start > PIECE_CHARS:
        ends = [found.end() for found in _BREAK.finditer(text, start, start + PIECE_CHARS)]
        end = ends[-1] if ends else start + PIECE_CHARS
        better = [found.end() for found in re.finditer(r"\n\s*|[.!?;]\s+", text[start:end])]
        if better and better[-1] > PIECE_CHARS // 2:
            end = start + better[-1]
        yield text[start:end]
        start = end
    yield text[start:]


def _joined(node: Any) -> Any:
    if isinstance(node, _Leaf):
        return node.value
    steps = list(node)
    if isinstance(steps[0], Cut):
        return _text(sorted(node.items(), key=lambda each: each[0].at))
    if isinstance(steps[0], int):
        return [_joined(node[index]) for index in sorted(steps)]
    return {key: _joined(each) for key, each in node.items()}


def _text(stretches: Sequence[tuple[Cut, _Leaf]]) -> str:
    told, following = "", 0
    for cut, leaf in stretches:
        told += (_GAP if cut.at != following else "") + leaf.value
        following = cut.at + 1
    return told + (_GAP.rstrip() if following < stretches[0][0].of else "")


def _missing(pieces: Sequence[Piece], kept: Collection[str]) -> Iterator[tuple[str, str]]:
    """By key: "7 of 20" of a list, or "in part"."""
    for key in dict.fromkeys(str(piece.path[0]) for piece in pieces):
        mine = [piece for piece in pieces if piece.path[0] == key]
        gone = [piece for piece in mine if piece.name not in kept]
        if not gone:
            continue
        indexes = {piece.path[1] for piece in mine if len(piece.path) > 1}
        stay = {piece.path[1] for piece in mine if len(piece.path) > 1 and piece.name in kept}
        if len(gone) == len(mine):
            yield key, "all of it"
        elif indexes and all(isinstance(index, int) for index in indexes) and len(stay) < len(indexes):
            yield key, f"{len(indexes) - len(stay)} of {len(indexes)}"
        else:
            yield key, "in part"


def _named(step: Step) -> str:
    match step:
        case Cut(at):
            return f"~{at}"
        case int():
            return f"[{step}]"
        case _:
            return f".{step}" if step.isidentifier() else f".{json.dumps(step)}"
