"""Training on further labelled messages, and keeping the outcome only if it is no worse than what there was.

What is adopted are the messages, not the weights: they lie beside the models, and the next start reads both (see
`IntentClassifier.open`), so a new version of the program or of the packaged file trains on them again by itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from signalbox.errors import ConfigurationError
from signalbox.graph.intent import (
    ADOPTED,
    IntentClassifier,
    Progress,
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


@dataclass(frozen=True, slots=True)
class Trial:
    """A model trained with ``added``, beside the one in use; both cross-validated on the verified messages."""

    added: tuple[Example, ...]
    left_out: int
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
    progress: Progress | None = None,
) -> Trial:
    """Trains on the labelled file (``base``, the packaged one by default) and ``files``; changes nothing.

    What was adopted earlier is part of the model in use, not of the new one: name its files again to keep it.
    Raises `ConfigurationError` for a file that cannot be read, and if there is nothing new in any.
    """
    current = training_examples(folder, base)
    labelled = load_examples(base or packaged_examples())
    candidate, left_out = merged(labelled, [example for path in files for example in load_examples(path)])
    if len(candidate) == len(labelled):
        raise ConfigurationError(
            f"There is nothing to train on: {left_out} messages are known already, blank, or still marked for review."
        )
    vectors = vectors_of([*candidate, *current[len(labelled) :]], embedder, progress)
    before = [*range(len(labelled)), *range(len(candidate), len(vectors))]
    fitted = fit_examples(candidate, vectors[: len(candidate)], seed)
    return Trial(
        added=tuple(candidate[len(labelled) :]),
        left_out=left_out,
        current=_score(cross_validated(current, fit_examples(current, vectors[before], seed))),
        candidate=_score(cross_validated(candidate, fitted)),
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


def _score(answers: Sequence[Answered]) -> Score:
    return Score.of([each for each in answers if each[0].verified] or answers)
