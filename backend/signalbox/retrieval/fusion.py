"""Reciprocal rank fusion: several rankings of the same things made into one, by place and not by score."""

from collections.abc import Sequence

# Cormack, Clarke and Büttcher (2009): 60 keeps the first place of one ranking from outweighing agreement of all.
K = 60


def reciprocal_ranks(*rankings: Sequence[str], k: int = K) -> list[tuple[str, float]]:
    """Ids with the sum of ``1 / (k + rank)`` over the rankings that hold them, best first; ranks count from 1.

    Ties keep the order of first appearance, so the result is the same on every run.
    """
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking, start=1):
            scores[key] = scores.get(key, 0.0) + 1.0 / (k + rank)
    return sorted(scores.items(), key=lambda item: -item[1])
