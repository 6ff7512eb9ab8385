"""How good the intent classifier is, measured on messages it was not trained on."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.model_selection import StratifiedKFold

from signalbox.envelope import INTENTS, Intent
from signalbox.graph.intent import (
    CONFIDENT,
    LAST_VERIFIED,
    Classification,
    Example,
    answer,
    fit_examples,
    load_examples,
    packaged_examples,
    vectors_of,
)
from signalbox.llm.embedding import Embedder


@dataclass(frozen=True, slots=True)
class Bin:
    """Messages whose confidence lies in [``low``, ``low`` + 0.1): mean confidence against how many were right."""

    low: float
    messages: int
    confidence: float
    strict: float
    lenient: float


@dataclass(frozen=True, slots=True)
class Score:
    """All figures are shares from 0 to 1. Lenient: one of the further labels of a message is right too.

    ``coverage`` is the share at or above `CONFIDENT`, ``confident_wrong`` how much of that is wrong (lenient).
    ``confusions`` are (label, answer, times), most frequent first.
    """

    messages: int
    strict: float
    lenient: float
    coverage: float
    confident_wrong: float
    reliability: tuple[Bin, ...]
    confusions: tuple[tuple[Intent, Intent, int], ...]


@dataclass(frozen=True, slots=True)
class Report:
    """``verified``: the messages labelled twice, with the others only trained on. ``everything``: all of them.

    The first is the one to quote: its labels were checked, and none of it was added with a result in view.
    """

    verified: Score
    everything: Score


def evaluate(path: Path | None = None, folds: int = 5, seed: int = 0, embedder: Embedder | None = None) -> Report:
    """Cross-validates on a labelled file, ours by default, in a few seconds a fold. Deterministic for a seed."""
    examples = load_examples(path or packaged_examples())
    vectors = vectors_of(examples, embedder or Embedder())
    verified = [row for row, example in enumerate(examples) if example.id <= LAST_VERIFIED]
    return Report(
        cross_validate(examples, vectors, verified, folds=folds, seed=seed),
        cross_validate(examples, vectors, range(len(examples)), folds=folds, seed=seed),
    )


def print_report(report: Report, console: Console) -> None:
    """Writes the figures, the reliability of the confidence and the worst confusions as tables."""
    figures = Table("messages", "n", "strict", "lenient", f"sure (>= {CONFIDENT:.2f})", "of these wrong")
    for name, score in (("verified", report.verified), ("everything", report.everything)):
        shares = (score.strict, score.lenient, score.coverage, score.confident_wrong)
        figures.add_row(name, str(score.messages), *(f"{share:.1%}" for share in shares))
    reliability = Table("confidence", "n", "mean", "right (strict)", "right (lenient)")
    for each in report.verified.reliability:
        means = (each.confidence, each.strict, each.lenient)
        reliability.add_row(f"{each.low:.1f}+", str(each.messages), *(f"{mean:.2f}" for mean in means))
    confusions = Table("label", "answer", "times")
    for label, given, times in report.verified.confusions:
        confusions.add_row(label, given, str(times))
    for table in (figures, reliability, confusions):
        console.print(table)


def cross_validate(
    examples: Sequence[Example],
    vectors: NDArray[np.float32],
    held_out: Sequence[int],
    *,
    folds: int,
    seed: int,
) -> Score:
    """Scores the rows ``held_out``, each by a model that saw every row but those of its own fold."""
    rows = np.array(held_out)
    labels = [examples[row].intent for row in rows]
    split = StratifiedKFold(folds, shuffle=True, random_state=seed).split(rows, labels)
    answers: list[tuple[Example, Classification]] = []
    for _, part in split:
        tested = rows[part]
        trained = np.setdiff1d(np.arange(len(examples)), tested)
        kernel = fit_examples([examples[row] for row in trained], vectors[trained])
        for row in tested:
            example = examples[row]
            answers.append((example, answer(kernel, example.text, vectors[row], example.recent)))
    return _score(answers)


def _score(answers: Sequence[tuple[Example, Classification]]) -> Score:
    confidence = np.array([given.confidence for _, given in answers])
    strict = np.array([given.intent == example.intent for example, given in answers])
    lenient = np.array([given.intent in (example.intent, *example.also) for example, given in answers])
    sure = confidence >= CONFIDENT
    wrong = Counter(
        (example.intent, answer.intent) for (example, answer), right in zip(answers, lenient, strict=True) if not right
    )
    return Score(
        messages=len(answers),
        strict=float(strict.mean()),
        lenient=float(lenient.mean()),
        coverage=float(sure.mean()),
        confident_wrong=float(1 - lenient[sure].mean()) if sure.any() else 0.0,
        reliability=tuple(_bins(confidence, strict, lenient)),
        confusions=tuple((*pair, count) for pair, count in wrong.most_common(len(INTENTS))),
    )


def _bins(confidence: NDArray[np.float64], strict: NDArray[np.bool_], lenient: NDArray[np.bool_]) -> list[Bin]:
    tenth = np.minimum((confidence * 10).astype(int), 9)
    bins = []
    for number in range(10):
        inside = tenth == number
        if not inside.any():
            bins.append(Bin(number / 10, 0, 0.0, 0.0, 0.0))
            continue
        figures = [float(values[inside].mean()) for values in (confidence, strict, lenient)]
        bins.append(Bin(number / 10, int(inside.sum()), *figures))
    return bins
