"""What a letter is settled to be, and how its sentences are fitted into the length asked for. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from signalbox.agents.letters.background import Background
from signalbox.agents.letters.post import Post
from signalbox.agents.letters.wish import Kind, Tone
from signalbox.memory.words import words_in
from signalbox.tools.vocabulary import packaged_vocabulary

T = TypeVar("T")

_SHORTEST_WORD: Final = 2

PLACEHOLDER: Final = re.compile(r"\[[^\[\]]+\]")
MIN_WORDS: Final = 180
MAX_WORDS: Final = 350
# From the fewest to the most words, by how many times it was made shorter or longer.
_RANGES: Final = {-2: (60, 130), -1: (120, 190), 0: (MIN_WORDS, 290), 1: (270, MAX_WORDS)}
_EMAIL_RANGE: Final = (60, 130)


@dataclass(frozen=True, slots=True)
class Line:
    """``rank`` 0 is always there; of the others the highest go first when room is short. ``filler``: only there
    to reach the least length. ``paragraph`` is its place in the letter. ``needs``: a line without which it
    means nothing.
    """

    paragraph: int
    rank: int
    text: str
    filler: bool = False
    needs: str = ""


@dataclass(frozen=True, slots=True)
class LetterPlan:
    """What is to be written, settled. ``told``: sentences of the writer's that were asked for by name. ``bounds``: the
    least and the most words where they follow from the letter before.
    """

    kind: Kind
    tone: Tone
    background: Background
    post: Post
    steps: int = 0
    max_words: int | None = None
    mention: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    keen_to_learn: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    change: bool = False
    question: str = ""
    told: tuple[str, ...] = ()
    bounds: tuple[int, int] | None = None
    signature: str = ""


def bounds_of(plan: LetterPlan) -> tuple[int, int]:
    """The least and the most words."""
    if plan.bounds is not None:
        return plan.bounds
    low, high = _RANGES[max(-2, min(1, plan.steps))]
    if plan.kind == "email":
        low, high = _EMAIL_RANGE if plan.steps >= 0 else (40, 80)
    if plan.max_words is not None:
        # A limit is a wish for about that length, within what a letter is.
        high = min(plan.max_words, MAX_WORDS)
        low = min(int(high * 0.8), max(low, MIN_WORDS))
    return low, high


def fitted(lines: Sequence[Line], low: int, high: int) -> list[Line]:
    """As many lines as fit into ``high`` words, the weightiest first; fillers only up to ``low``. In their order."""
    kept = {place for place, line in enumerate(lines) if line.rank == 0}
    words = sum(len(lines[place].text.split()) for place in kept)
    there = {lines[place].text for place in kept}
    for place in sorted(set(range(len(lines))) - kept, key=lambda p: (lines[p].filler, lines[p].rank, p)):
        line = lines[place]
        more = len(line.text.split())
        if words + more > high or (line.filler and words >= low) or (line.needs and line.needs not in there):
            continue
        kept.add(place)
        there.add(line.text)
        words += more
    return [line for place, line in enumerate(lines) if place in kept]


def paragraphs(lines: Sequence[Line]) -> list[str]:
    numbers = sorted({line.paragraph for line in lines})
    return [" ".join(line.text for line in lines if line.paragraph == number) for number in numbers]


def mentions(text: str, mention: Sequence[str]) -> bool:
    """Whether ``text`` is about one of the things to be mentioned."""
    low = text.casefold()
    return any(
        all(word[:6] in low for word in words)
        for what in mention
        if (words := [w for w in re.findall(r"[\w+#]{2,}", what.casefold()) if w not in _SMALL])
    )


_SMALL: Final = words_in(
    "my the of at in with and as experience skills work certificate years language i also a an to was am have"
)


def says(text: str, phrase: str) -> bool:
    """Whether ``text`` holds ``phrase`` as whole words. One or two letters ("R", "Go") are a skill's name only where
    the words beside them make them one.
    """
    if len(phrase) <= _SHORTEST_WORD and phrase.isalpha():
        return phrase in packaged_vocabulary().extract(text)
    return re.search(rf"(?<![\w+#]){re.escape(phrase)}(?![\w+#])", text, re.IGNORECASE) is not None


def same_company(one: str, other: str) -> bool:
    a, b = one.casefold().strip(), other.casefold().strip()
    return bool(a and b) and (a == b or a.startswith(f"{b} ") or b.startswith(f"{a} "))


_PLACES: Final = {"first": 0, "second": 1, "third": 2, "fourth": 3, "last": -1}


def without_paragraphs(parts: Sequence[T], cut: Sequence[str]) -> list[T]:
    """``parts`` without the "first", "last" and so on of them; one always stays."""
    left = list(parts)
    for which in cut:
        place = _PLACES.get(which, -1)
        if len(left) > 1 and place < len(left):
            left.pop(place)
    return left
