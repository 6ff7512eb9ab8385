"""How long a letter becomes that follows another: a third shorter, two fifths longer, or as it was. Pure."""

from typing import Final

from signalbox.agents.letters.plan import MAX_WORDS, PLACEHOLDER, mentions
from signalbox.agents.letters.wish import Kind, LetterWish
from signalbox.blocks import CoverLetter

# Below these a letter, an e-mail or an answer has no room left for what makes it one.
_FLOORS: Final[dict[Kind, int]] = {"email": 45, "answer": 40}
_FLOOR: Final = 90
MENDED_FLOOR: Final = 40
# What was asked for may be added to a letter that is to stay as long as it was; another tone has longer words.
_ROOM_FOR_ONE: Final = 22
_ROOM_FOR_TONE: Final = 8
_ROOM_FOR_A_PARAGRAPH: Final = 28
# A letter that is added to need not be filled up to the word.
_ABOUT_AS_LONG: Final = 0.85
# Who asks for less within this of the floor gets nothing that they would notice.
_NOTICED: Final = 8


def shorter_by(steps: int) -> float:
    """The share that is left: two thirds, or half where it was to be much shorter."""
    return 2 / 3 if steps > -2 else 1 / 2


def bounds_after(last: CoverLetter, wish: LetterWish) -> tuple[int, int] | None:
    """The least and the most words of the letter that takes the place of ``last``; None where its kind decides."""
    now = wish.now
    if now is None or (wish.kind or "letter") != kind_of(last) or now.max_words is not None:
        return None
    if now.steps < 0:
        most = max(min(floor_of(last), last.words), int(last.words * shorter_by(now.steps)))
        return int(most * 0.8), most
    if now.steps > 0:
        most = min(MAX_WORDS, int(last.words * 1.4) + 10)
        return min(most, int(last.words * 1.25)), most
    if wish.steps == 0 and wish.max_words is None:
        return None
    # With no room at all the same sentences are chosen again.
    said = PLACEHOLDER.sub("", last.body)
    added = sum(not mentions(said, (what,)) for what in now.mention) + sum(text not in said for text in now.told)
    most = last.words + _ROOM_FOR_ONE * added + _ROOM_FOR_TONE * (now.tone not in {None, last.tone})
    if wish.max_words is not None and last.words <= wish.max_words:
        most = min(most, wish.max_words)
    if wish.cut and not now.cut:
        # Sentences are chosen before paragraphs are cut.
        most += _ROOM_FOR_A_PARAGRAPH * len(wish.cut)
    least = last.words if most == last.words and not now.without else int(last.words * _ABOUT_AS_LONG)
    return min(least, most), most


def kind_of(last: CoverLetter) -> Kind:
    """As a request would name it: that a letter is internal follows from its company."""
    return "letter" if last.kind == "internal" else last.kind


def floor_of(last: CoverLetter) -> int:
    return MENDED_FLOOR if last.kind == "mended" else _FLOORS.get(last.kind, _FLOOR)


def is_shortest(letter: CoverLetter) -> bool:
    """Whether "shorter" could take nothing noticeable away from it."""
    return letter.words <= floor_of(letter) + _NOTICED
