"""Blocks cut into passages: the unit that is embedded, found and cited.

A passage is one section or several small neighbours under one heading. A list item, a code block or a table row is
cut only if it is too long by itself.
"""

import functools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources

from tokenizers import Tokenizer

from signalbox.retrieval.documents.blocks import Block, ParsedDocument

Counter = Callable[[Sequence[str]], list[int]]

# In tokens of the encoder. A section up to MAX stays whole; a longer one is cut as soon as a passage has TARGET.
TARGET_TOKENS = 256
MAX_TOKENS = 512
# A section under SMALL goes together with its neighbour up to GATHERED. Measured with 169 help pages found by their
# titles: sections alone MRR 0.72 by meaning, gathered up to 256 tokens 0.76, up to 400 tokens 0.78.
SMALL_TOKENS = 128
GATHERED_TOKENS = 400
# A last piece smaller than this joins the one before it, if both fit.
MIN_TOKENS = 64
# A paragraph up to this long is repeated at the start of the next passage of its section.
OVERLAP_TOKENS = 80
_SENTENCE = re.compile(r"(?<=[.!?;:])\s+|\n")
_MAX_DEPTH = 6


@dataclass(frozen=True, slots=True)
class Cut:
    """A passage before it is stored. ``headings`` lead to it from the title, which is not among them."""

    headings: tuple[str, ...]
    content: str


@dataclass(frozen=True, slots=True)
class _Unit:
    """``alone``: a part of something too long, which shares a passage with no other part."""

    block: Block
    tokens: int
    alone: bool = False


@dataclass(frozen=True, slots=True)
class _Section:
    headings: tuple[str, ...]
    units: list[_Unit]

    @property
    def tokens(self) -> int:
        return sum(unit.tokens for unit in self.units)


@functools.cache
def packaged_tokenizer() -> Tokenizer:
    """The encoder's tokenizer, counting all of a text."""
    text = (resources.files("signalbox.data") / "tokenizer.json").read_text(encoding="utf-8")
    tokenizer = Tokenizer.from_str(text)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def count_tokens(texts: Sequence[str]) -> list[int]:
    """Without the two marks that frame every text."""
    found = packaged_tokenizer().encode_batch_fast(list(texts), add_special_tokens=False)
    return [len(each.ids) for each in found]


def windows(content: str, tokens: int) -> list[str]:
    """The text in equal parts of up to ``tokens``: what an encoder with a window of that size can read whole."""
    marks = packaged_tokenizer().encode(content, add_special_tokens=False).offsets
    if len(marks) <= tokens:
        return [content]
    size = math.ceil(len(marks) / math.ceil(len(marks) / tokens))
    parts = (marks[start : start + size] for start in range(0, len(marks), size))
    return [content[part[0][0] : part[-1][1]] for part in parts]


def cut(document: ParsedDocument, title: str, count: Counter = count_tokens) -> list[Cut]:
    """The passages of a document in reading order. The same content twice in one document is one passage."""
    found: dict[str, Cut] = {}
    sections = (_Section(path, _units(blocks, count)) for path, blocks in _sections(document.blocks, title))
    for section in _gathered(sections):
        for content in _pack(section.units):
            if any(char.isalnum() for char in content):
                found.setdefault(content, Cut(section.headings, content))
    return list(found.values())


def _sections(blocks: Sequence[Block], title: str) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
    """What stands under each heading, with the headings above it. The title itself is no section."""
    path: list[tuple[int, str]] = []
    section: list[Block] = []
    for block in blocks:
        if block.kind != "heading":
            section.append(block)
            continue
        if section:
            yield tuple(text for _, text in path), section
            section = []
        path = [(level, text) for level, text in path if level < block.level][:_MAX_DEPTH]
        if block.text and block.text.casefold() != title.casefold():
            path.append((block.level, block.text))
    if section:
        yield tuple(text for _, text in path), section


def _gathered(sections: Iterable[_Section]) -> Iterator[_Section]:
    """Small neighbours as one section under the heading they share; their own headings go into the text."""
    held: _Section | None = None
    whole = True  # whether ``held`` is a section as it was written
    for section in sections:
        if held is None:
            held, whole = section, True
            continue
        parent = _shared(held.headings, section.headings)
        small = min(held.tokens, section.tokens) < SMALL_TOKENS
        if parent is None or not small or held.tokens + section.tokens > GATHERED_TOKENS:
            yield held
            held, whole = section, True
            continue
        before = _titled(held, parent) if whole else held.units
        held, whole = _Section(parent, [*before, *_titled(section, parent)]), False
    if held is not None:
        yield held


def _shared(before: tuple[str, ...], after: tuple[str, ...]) -> tuple[str, ...] | None:
    """The path two neighbours go under, or None: a section joins its sisters and daughters, not its aunts."""
    if len(after) > len(before) and after[: len(before)] == before:
        return before
    parent = before[:-1]
    return parent if len(after) > len(parent) and after[: len(parent)] == parent else None


def _titled(section: _Section, parent: tuple[str, ...]) -> list[_Unit]:
    names = section.headings[len(parent) :]
    return [*(_Unit(Block("paragraph", f"**{name}**"), len(name) // 4 + 2) for name in names), *section.units]


def _units(blocks: list[Block], count: Counter) -> list[_Unit]:
    sizes = count([block.text for block in blocks])
    units: list[_Unit] = []
    for block, size in zip(blocks, sizes, strict=True):
        units += [_Unit(block, size)] if size <= MAX_TOKENS else _split(block, count)
    return units


def _split(block: Block, count: Counter) -> list[_Unit]:
    """A block too long for a passage, by lines and sentences, and where there are none by words."""
    fenced = block.kind == "code" and "\n" in block.text
    body = block.text.split("\n", 1)[1].rsplit("\n", 1)[0] if fenced else block.text
    pieces = body.split("\n") if fenced else [piece for piece in _SENTENCE.split(body) if piece]
    joint = "\n" if fenced else " "
    opening = block.text.split("\n", 1)[0]
    closing = opening.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+#-_.")
    out: list[_Unit] = []
    for text, size in _filled(_short(pieces, count), joint):
        whole = f"{opening}\n{text}\n{closing}" if fenced else text
        out.append(_Unit(Block(block.kind, whole, lead=block.lead), size, alone=fenced))
    return out


def _short(pieces: Sequence[str], count: Counter) -> Iterator[tuple[str, int]]:
    for piece, size in zip(pieces, count(pieces), strict=True):
        if size <= TARGET_TOKENS:
            yield piece, size
            continue
        # A text without blanks is cut by characters: four of them are about one token, and never less than a third.
        step = max(1, len(piece) * TARGET_TOKENS // size)
        for start in range(0, len(piece), step):
            yield piece[start : start + step], TARGET_TOKENS


def _filled(pieces: Iterator[tuple[str, int]], joint: str) -> Iterator[tuple[str, int]]:
    held: list[str] = []
    total = 0
    for piece, size in pieces:
        if held and total + size > TARGET_TOKENS:
            yield joint.join(held), total
            held, total = [], 0
        held.append(piece)
        total += size
    if held:
        yield joint.join(held), total


def _pack(units: list[_Unit]) -> list[str]:
    """Neighbours joined to passages; a cut inside the section repeats the paragraph before it."""
    if sum(unit.tokens for unit in units) <= MAX_TOKENS:
        return [_text(units)] if units else []
    groups: list[list[_Unit]] = []
    held: list[_Unit] = []
    fresh = 0
    for unit in units:
        total = sum(each.tokens for each in held)
        full = total >= TARGET_TOKENS or total + unit.tokens > MAX_TOKENS
        if fresh and (full or unit.alone or held[-1].alone):
            groups.append(held)
            held, fresh = _overlap(held, unit), 0
        held = [*held, unit]
        fresh += unit.tokens
    if groups and fresh < MIN_TOKENS and not held[-1].alone:
        last = groups[-1]
        new = held[1:] if held[0] is last[-1] else held
        if sum(unit.tokens for unit in [*last, *new]) <= MAX_TOKENS:
            groups[-1], held = [*last, *new], []
    return [_text(group) for group in [*groups, held] if group]


def _overlap(held: list[_Unit], following: _Unit) -> list[_Unit]:
    last = held[-1]
    fits = last.tokens <= OVERLAP_TOKENS and last.tokens + following.tokens <= MAX_TOKENS
    return [last] if last.block.kind == "paragraph" and fits else []


def _text(units: list[_Unit]) -> str:
    parts: list[str] = []
    before: Block | None = None
    for unit in units:
        block = unit.block
        text = block.text
        continues = before is not None and before.kind == block.kind and before.lead == block.lead
        if block.lead and not continues:
            text = f"{block.lead}\n{text}"
        if parts:
            parts.append("\n" if continues and block.kind in {"item", "row"} else "\n\n")
        parts.append(text)
        before = block
    return "".join(parts).strip()
