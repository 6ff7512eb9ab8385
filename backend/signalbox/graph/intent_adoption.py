"""Training on further labelled messages, and keeping the outcome only if it is no worse than what there was.

A few wrong labels hardly move the score and can still turn what they resemble, so messages that contradict the
labelled ones are left out unless they are accepted on purpose.

What is adopted are the messages, not the weights: they lie beside the models, and the next start reads both (see
`IntentClassifier.open`), so a new version of the program or of the packaged file trains on them again by itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from signalbox.errors import ConfigurationError
from signalbox.graph.intent import (
    ADOPTED,
    Classification,
    IntentClassifier,
    Progress,
    answer,
    fit_examples,
    model_path,
    training_examples,
    vectors_of,
    written_whole,
)
from signalbox.graph.intent_data import Example, as_line, load_examples, merged, packaged_examples
from signalbox.graph.intent_kernel import Kernel
from signalbox.graph.intent_training import Answered, Score, cross_validated
from signalbox.llm.embedding import Embedder

# Of the packaged messages four in 5,561 are labelled otherwise than one this near that follows the same intent.
NEAR_DUPLICATE: Final = 0.85
NEIGHBOUR: Final = 0.70
NEIGHBOURS: Final = 3
SURE: Final = 0.90


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A new message whose label neither ``known``, a labelled message much like it, nor the model in use accepts."""

    example: Example
    known: Example

    def __str__(self) -> str:
        mine, known = (" ".join(each.text.split())[:80] for each in (self.example, self.known))
        return f"'{mine}' ({self.example.intent}) contradicts {self.known.id} '{known}': {self.known.intent}"


class OnlyContradictions(ConfigurationError):
    """All that is new contradicts what is known, so there is nothing to train on."""

    def __init__(self, contradictions: Sequence[Contradiction]) -> None:
        self.contradictions = tuple(contradictions)
        super().__init__(
            f"Nothing is left to train on: all {len(contradictions)} new messages contradict the training file. "
            "Nothing was changed. Correct their labels, or add --accept-contradictions if they are right."
        )


@dataclass(frozen=True, slots=True)
class Trial:
    """A model trained with ``added``, beside the one in use; both cross-validated on the verified messages.

    ``contradictions`` are not among ``added``, nor counted in ``left_out``.
    """

    added: tuple[Example, ...]
    left_out: int
    contradictions: tuple[Contradiction, ...]
    current: Score
    candidate: Score
    kernel: Kernel

    @property
    def good(self) -> bool:
        return self.candidate.no_worse_than(self.current)


def try_out(
    files: Sequence[Path],
    folder: Path,
    embedder: Embedder,
    *,
    base: Path | None = None,
    seed: int = 0,
    accept_contradictions: bool = False,
    progress: Progress | None = None,
) -> Trial:
    """Trains on the labelled file (``base``, the packaged one by default) and ``files``; changes nothing.

    What was adopted earlier is part of the model in use, not of the new one: name its files again to keep it.
    Raises `ConfigurationError` for a file that cannot be read, and if there is nothing new in any;
    `OnlyContradictions` if all that is new is left out.
    """
    current = training_examples(folder, base)
    labelled = load_examples(base or packaged_examples())
    candidate, left_out = merged(labelled, [example for path in files for example in load_examples(path)])
    if len(candidate) == len(labelled):
        raise ConfigurationError(
            f"There is nothing to train on: {left_out} messages are known already, blank, or still marked for review."
        )
    known = len(labelled)
    vectors = vectors_of([*candidate, *current[known:]], embedder, progress)
    in_use = fit_examples(current, vectors[[*range(known), *range(len(candidate), len(vectors))]], seed)
    added, new = candidate[known:], vectors[known : len(candidate)]
    answers = [answer(in_use.kernel, each.text, vector, each.recent) for each, vector in zip(added, new, strict=True)]
    found = {} if accept_contradictions else _contradictions(added, new, labelled, vectors[:known], answers)
    kept = [row for row in range(len(added)) if row not in found]
    if not kept:
        raise OnlyContradictions(list(found.values()))
    trained_on = [*labelled, *(added[row] for row in kept)]
    fitted = fit_examples(trained_on, vectors[[*range(known), *(known + row for row in kept)]], seed)
    return Trial(
        added=tuple(trained_on[known:]),
        left_out=left_out,
        contradictions=tuple(found.values()),
        current=_score(cross_validated(current, in_use)),
        candidate=_score(cross_validated(trained_on, fitted)),
        kernel=fitted.kernel,
    )


def adopt(trial: Trial, folder: Path, embedder: Embedder, base: Path | None = None) -> Path:
    """Makes the next start use the tried model; returns where its messages lie. Replaces what was adopted before."""
    added = folder / ADOPTED
    with written_whole(added) as file:
        file.write("".join(as_line(example) for example in trial.added).encode())
    # A process that starts between these two trains for itself what it does not find.
    IntentClassifier(trial.kernel, embedder).save(model_path(folder, embedder, base))
    return added


def reset(folder: Path) -> bool:
    """Back to the packaged messages at the next start; whether there was anything to undo."""
    added = folder / ADOPTED
    there = added.exists()
    added.unlink(missing_ok=True)
    return there


def _contradictions(
    added: Sequence[Example],
    new: NDArray[np.float32],
    labelled: Sequence[Example],
    vectors: NDArray[np.float32],
    answers: Sequence[Classification],
) -> dict[int, Contradiction]:
    """By the row of ``added``, what contradicts ``labelled``; ``answers`` are those of the model in use.

    Either the same in other words after the same intent is labelled otherwise, or the model is sure of another label
    and one of the nearest messages bears it out.
    """
    near = _of_length_one(new) @ _of_length_one(vectors).T
    found: dict[int, Contradiction] = {}
    for row, (example, given) in enumerate(zip(added, answers, strict=True)):
        sure = given.confidence >= SURE and given.intent not in example.accepted
        for order, known in enumerate(np.argsort(-near[row])[: 10 * NEIGHBOURS]):
            other, cosine = labelled[known], near[row, known]
            if cosine < NEIGHBOUR:
                break
            if other.intent in example.accepted or example.intent in other.accepted:
                continue
            same = cosine >= NEAR_DUPLICATE and other.recent[-1:] == example.recent[-1:]
            if same or (sure and order < NEIGHBOURS and given.intent in other.accepted):
                found[row] = Contradiction(example, other)
                break
    return found


def _of_length_one(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: NDArray[np.float32] = vectors / np.maximum(lengths, np.finfo(np.float32).tiny)
    return scaled


def _score(answers: Sequence[Answered]) -> Score:
    return Score.of([each for each in answers if each[0].verified] or answers)
