"""Tells messages in other languages by their small words. Pure; it translates nothing."""

import re
from collections.abc import Mapping
from typing import Final

from signalbox.retrieval.words import word_list

_LEAST: Final = 2
_WORD = re.compile(r"[^\W\d_]+")

# Small words and words of searches, by language.
_LANGUAGES: Final = ("German", "French", "Spanish", "Portuguese", "Italian", "Dutch", "Polish")
_SMALL: Final[Mapping[str, frozenset[str]]] = {name: word_list(f"small_words_{name.lower()}") for name in _LANGUAGES}
_ENGLISH: Final = word_list("small_words_english")


def other_language(text: str) -> str | None:
    """The language of a message that is plainly not English."""
    words = [word.casefold() for word in _WORD.findall(text)]
    scores = {name: sum(word in small for word in words) for name, small in _SMALL.items()}
    best = max(scores, key=lambda name: scores[name])
    english = sum(word in _ENGLISH for word in words)
    return best if scores[best] > max(_LEAST, english) and scores[best] * 3 >= len(words) else None


def without_small_words(text: str, language: str) -> str:
    """``text`` without the small words of ``language``, but for "in", which says where in several of them."""
    small = _SMALL[language] - {"in", "a", "at"}
    places = re.sub(r"\b(?:en|em|à|w|près de|nahe|cerca de|perto de|vicino a)\s+(?=[A-ZÀ-Ý])", "in ", text)
    kept = [match for match in re.findall(r"\S+", places) if match.strip(".,;:!?¿¡").casefold() not in small]
    return " ".join(kept)
