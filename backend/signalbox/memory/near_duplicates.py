"""Finds texts that say nearly the same as an earlier one, by words and their neighbours. Pure and deterministic."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

# "No, remote" is not "no remote", C is not C++, and £ is not $.
_WORD = re.compile(r"\b(?:no|not),|\w+[+#]*|[£$€]")
_NEGATED = re.compile(r"n['’]t\b")
_DECIDING = re.compile(r"[\d£$€]|(?:no|not|nor|never|neither|without|except|only|cannot)\b")


def near_duplicates(texts: Sequence[str], least: float) -> Iterator[int]:
    """Indexes of the texts that an earlier one which stays is like: by ``least`` or more of Jaccard's measure of their
    words and pairs of neighbours. Two texts whose numbers, currencies or negations differ are never alike: they state
    different things.
    """
    exact: set[str] = set()
    seen: list[tuple[frozenset[str], frozenset[str]]] = []
    for index, text in enumerate(texts):
        words = _WORD.findall(_NEGATED.sub(" not", text.casefold()))
        folded = " ".join(words) or text
        if folded in exact:
            yield index
            continue
        exact.add(folded)
        if least >= 1:
            continue
        shingles = frozenset((*words, *map(" ".join, pairwise(words))))
        deciding = frozenset(filter(_DECIDING.match, words))
        if any(deciding == theirs and _jaccard(shingles, other) >= least for other, theirs in seen):
            yield index
        else:
            seen.append((shingles, deciding))


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    # Sets of very different sizes cannot share enough: most pairs end here.
    if not one or not other:
        return 0.0
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)
