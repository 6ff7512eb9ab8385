"""How good the intent classifier is, always measured on messages it was not trained on."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from signalbox.envelope import INTENTS, Intent
from signalbox.graph.intent import CONFIDENT, Classification, answer, fit_examples, ranking
from signalbox.graph.intent_data import Example
from signalbox.graph.intent_kernel import Fit

# A retrained model is adopted if it is worse by no more than this, which is about five of the 910 messages.
TOLERANCE: Final = 0.005

Answered = tuple[Example, Classification]


@dataclass(frozen=True, slots=True)
class Bin:
    """Messages whose confidence lies in [``low``, ``low`` + 0.1): mean confidence against how many were right."""

    low: float
    messages: int
    confidence: float
    strict: float
    lenient: float


@dataclass(frozen=True, slots=True)
class LabelScore:
    """``precision``: of the messages answered so, how many accept it. ``recall``: of those labelled so, how many were
    answered so. None where there is nothing to count.
    """

    intent: Intent
    messages: int
    precision: float | None
    recall: float | None


@dataclass(frozen=True, slots=True)
class Score:
    """All figures are shares from 0 to 1. Lenient: one of the further labels of a message is right too.

    ``coverage`` is the share at or above `CONFIDENT`, ``confident_wrong`` how much of that is wrong (lenient).
    """

    messages: int
    strict: float
    lenient: float
    coverage: float
    confident_wrong: float

    @classmethod
    def of(cls, answers: Sequence[Answered]) -> "Score":
        strict, lenient, confidence = _columns(answers)
        sure = confidence >= CONFIDENT
        wrong = float(1 - lenient[sure].mean()) if sure.any() else 0.0
        return cls(len(answers), _mean(strict), _mean(lenient), _mean(sure), wrong)

    def no_worse_than(self, other: "Score") -> bool:
        """Within `TOLERANCE` in accuracy (lenient) and in how much of what is routed at once is wrong."""
        return self.lenient >= other.lenient - TOLERANCE and self.confident_wrong <= other.confident_wrong + TOLERANCE


@dataclass(frozen=True, slots=True)
class Judged:
    """Each message with its answer; none of them was seen by the model that gave it.

    ``held_out``: how many are in the training file too, and were answered by a model trained without them.
    """

    answers: tuple[Answered, ...]
    held_out: int


def cross_validated(examples: Sequence[Example], fitted: Fit) -> list[Answered]:
    """The answers of the model without a message's fold; ``fitted`` was fitted on ``examples``."""
    return [(example, ranking(shares)) for example, shares in zip(examples, fitted.unseen, strict=True)]


def judge(
    judged: Sequence[Example],
    vectors: NDArray[np.float32],
    training: Sequence[Example],
    training_vectors: NDArray[np.float32],
    seed: int = 0,
) -> Judged:
    """Answers ``judged`` by the model of ``training``; what that has seen is answered by cross-validation instead.

    Words that were trained on after other intents than here have no answer by cross-validation: a second model is
    then trained without them.
    """
    fitted = fit_examples(training, training_vectors, seed)
    unseen = {_key(example): shares for example, shares in zip(training, fitted.unseen, strict=True)}
    trained_on = {example.said for example in training}
    elsewhere = {example.said for example in judged if _key(example) not in unseen} & trained_on
    without = fitted
    if elsewhere:
        kept = [row for row, example in enumerate(training) if example.said not in elsewhere]
        without = fit_examples([training[row] for row in kept], training_vectors[kept], seed)
    answers = []
    for example, vector in zip(judged, vectors, strict=True):
        if (shares := unseen.get(_key(example))) is not None:
            given = ranking(shares)
        else:
            kernel = without.kernel if example.said in elsewhere else fitted.kernel
            given = answer(kernel, example.text, vector, example.recent)
        answers.append((example, given))
    return Judged(tuple(answers), sum(example.said in trained_on for example in judged))


def by_intent(answers: Iterable[Answered]) -> list[LabelScore]:
    """One row per intent that is a label or an answer, in the order of `INTENTS`; lenient in both figures."""
    labelled, answered, hit, precise = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for example, given in answers:
        right = given.intent in example.accepted
        labelled[example.intent] += 1
        hit[example.intent] += right
        answered[given.intent] += 1
        precise[given.intent] += right
    return [
        LabelScore(intent, labelled[intent], _share(precise, answered, intent), _share(hit, labelled, intent))
        for intent in INTENTS
        if labelled[intent] or answered[intent]
    ]


def by_kind(answers: Iterable[Answered]) -> list[tuple[str, Score]]:
    """Flagged and unflagged messages first, then each kind, largest first."""
    groups: dict[str, list[Answered]] = {}
    kinds: dict[str, list[Answered]] = {}
    for each in answers:
        groups.setdefault("flagged ambiguous" if each[0].ambiguous else "not flagged", []).append(each)
        if each[0].kind:
            kinds.setdefault(each[0].kind, []).append(each)
    ordered = sorted(groups.items(), reverse=True) + sorted(kinds.items(), key=lambda kind: (-len(kind[1]), kind[0]))
    return [(name, Score.of(members)) for name, members in ordered]


def confusions(answers: Iterable[Answered]) -> list[tuple[Intent, Intent, int]]:
    """(label, answer, times) of what is wrong (lenient), most frequent first."""
    wrong = Counter(
        (example.intent, given.intent) for example, given in answers if given.intent not in example.accepted
    )
    return [(*pair, times) for pair, times in wrong.most_common()]


def reliability(answers: Sequence[Answered]) -> list[Bin]:
    """Ten bins of confidence; the empty ones are left out."""
    strict, lenient, confidence = _columns(answers)
    tenth = np.minimum((confidence * 10).astype(int), 9)
    bins = []
    for number in np.unique(tenth):
        inside = tenth == number
        means = (_mean(values[inside]) for values in (confidence, strict, lenient))
        bins.append(Bin(int(number) / 10, int(inside.sum()), *means))
    return bins


def _key(example: Example) -> tuple[str, tuple[Intent, ...]]:
    return example.said, example.recent


def _columns(answers: Sequence[Answered]) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.float64]]:
    strict = np.array([given.intent == example.intent for example, given in answers], bool)
    lenient = np.array([given.intent in example.accepted for example, given in answers], bool)
    return strict, lenient, np.array([given.confidence for _, given in answers], float)


def _mean(values: NDArray[np.generic]) -> float:
    return float(values.mean()) if values.size else 0.0


def _share(part: Counter[str], whole: Counter[str], intent: Intent) -> float | None:
    return part[intent] / whole[intent] if whole[intent] else None
