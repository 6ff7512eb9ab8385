"""Words cut to their stems as PostgreSQL's ``english`` configuration cuts them, so that both searches read alike."""

import functools
import re
from collections.abc import Sequence

import snowballstemmer  # type: ignore[import-untyped]

_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def stems_of(text: str) -> list[str]:
    """The stems of a text's words, in order."""
    return [_stem(word) for word in words_of(text)]


def phrase_in(phrase: Sequence[str], stems: Sequence[str]) -> bool:
    """Whether the stems of ``phrase`` follow one another somewhere."""
    wanted, first, length = list(phrase), phrase[0], len(phrase)
    return any(stem == first and list(stems[at : at + length]) == wanted for at, stem in enumerate(stems))


@functools.lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    # A stemmer holds the word it works on, so threads must not share one; making one costs microseconds.
    return str(snowballstemmer.stemmer("english").stemWord(word))
