"""The mathematics of intent recognition: kernel ridge regression over words, characters, meaning and context.

Two messages are alike if they share n-grams, if an encoder puts them near each other, and if they are alike so far and
followed the same label. Each labelled message votes for its label as strongly as it is like the one asked about; `fit`
solves for the votes. Knows nothing of what the labels mean.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.optimize import minimize_scalar
from sklearn.feature_extraction.text import TfidfVectorizer

Floats = NDArray[np.float32]

# Chosen by cross-validation; accuracy moves by less than a point if any of them is halved or doubled.
AXES = 320  # the encoder's vectors are stored along this many directions; the others tell nothing more
MEANING = 5.0  # weight of the encoder's vectors beside words and characters, which weigh 1 each
CONTEXT = 1.0  # weight of having the same previous label, among messages alike in meaning
BRIEF = 1.0  # the same among short messages, whatever their meaning
LENGTH = 0.5  # weight of being of about the same length
RIDGE = 0.5
CAUTION = 0.92  # users write less like the labelled messages than these do like each other
BRIEF_WORDS = 6.0  # at this many words a message's brevity has fallen to 1/e

_NGRAMS = {
    "words": {"ngram_range": (1, 2), "token_pattern": r"(?u)\b\w+\b|[?!]"},
    "chars": {"ngram_range": (2, 4), "analyzer": "char_wb"},
}


@dataclass(frozen=True, slots=True)
class Sample:
    """One message: its cleaned text, its encoder vector, and the label number before it (or the number of labels)."""

    text: str
    vector: Floats
    previous: int


@dataclass(frozen=True)
class Weights:
    """Everything a trained kernel is, as plain arrays: what is stored, and what scoring needs."""

    word_terms: NDArray[np.str_]
    word_idf: Floats
    word_weights: Floats
    char_terms: NDArray[np.str_]
    char_idf: Floats
    char_weights: Floats
    center: Floats
    axes: Floats
    vectors: Floats
    previous: NDArray[np.int64]
    log_words: Floats
    dual: Floats
    prior: Floats
    sharpness: Floats

    @classmethod
    def names(cls) -> list[str]:
        return [field.name for field in fields(cls)]


class Kernel:
    """Scores a message against every label. Immutable, so safe to share between threads."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._brevity = _brevity(weights.log_words)
        self._words = _Ngrams("words", weights.word_terms, weights.word_idf, weights.word_weights)
        self._chars = _Ngrams("chars", weights.char_terms, weights.char_idf, weights.char_weights)

    def knows(self, text: str) -> bool:
        """Whether any word of the text stands in the messages this was trained on."""
        return self._words.knows(text)

    def probabilities(self, sample: Sample) -> Floats:
        """One calibrated probability per label, summing to 1."""
        weights, log_words = self.weights, np.float32(_log_words(sample.text))
        likeness = _context_kernel(
            weights.vectors @ _along(weights.axes, sample.vector - weights.center),
            weights.previous == sample.previous,
            log_words - weights.log_words,
            _brevity(log_words) * self._brevity,
        )
        scores = weights.prior + likeness @ weights.dual
        scores = scores + self._words.score(sample.text) + self._chars.score(sample.text)
        return _softmax(scores * weights.sharpness)


@dataclass(frozen=True, slots=True)
class Fit:
    """A trained kernel, and the ``unseen`` probabilities of each sample: of a model that saw none of its fold."""

    kernel: Kernel
    unseen: Floats


def fit(samples: Sequence[Sample], targets: NDArray[np.float64], folds: NDArray[np.int64]) -> Fit:
    """Solves for the votes and sets the sharpness of the probabilities.

    ``targets`` are rows of label shares summing to 1. What a model without a whole fold would have said of it follows
    in closed form from the one inverse (`_without`), so cross-validation costs one fit, and the probabilities are
    calibrated on it. Deterministic. About 15 CPU seconds for 5,000 samples, growing with their cube.
    """
    texts = [sample.text for sample in samples]
    words, chars = _vectorizer("words"), _vectorizer("chars")
    by_word, by_char = words.fit_transform(texts), chars.fit_transform(texts)
    encoded = np.stack([sample.vector for sample in samples]).astype(np.float32)
    center = encoded.mean(axis=0)
    axes = _principal_axes(encoded - center)
    vectors = _along(axes, encoded - center)
    previous = np.array([sample.previous for sample in samples], np.int64)
    log_words = np.array([_log_words(text) for text in texts], np.float32)
    brevity = _brevity(log_words)
    gram = _context_kernel(
        vectors @ vectors.T,
        previous[:, None] == previous[None, :],
        log_words[:, None] - log_words[None, :],
        np.outer(brevity, brevity),
    )
    for ngrams in (by_word, by_char):
        gram += (ngrams @ ngrams.T).toarray()
    gram[np.diag_indices_from(gram)] += RIDGE
    inverse = _inverse(gram)
    prior = targets.mean(axis=0)
    dual = inverse @ (targets - prior).astype(np.float32)
    unseen = _without(folds, inverse, dual, targets)
    sharpness = CAUTION * _sharpness(unseen, targets.argmax(axis=1))
    kernel = Kernel(
        Weights(
            word_terms=np.array(words.get_feature_names_out(), np.str_),
            word_idf=words.idf_.astype(np.float32),
            word_weights=np.asarray(by_word.T @ dual, np.float32),
            char_terms=np.array(chars.get_feature_names_out(), np.str_),
            char_idf=chars.idf_.astype(np.float32),
            char_weights=np.asarray(by_char.T @ dual, np.float32),
            center=center,
            axes=axes,
            vectors=vectors,
            previous=previous,
            log_words=log_words,
            dual=dual,
            prior=prior.astype(np.float32),
            sharpness=np.array([sharpness], np.float32),
        )
    )
    return Fit(kernel, _softmax(unseen * sharpness).astype(np.float32))


class _Ngrams:
    """The linear part for one kind of n-gram: scikit-learn's sums without its cost for single texts."""

    def __init__(self, kind: str, terms: NDArray[np.str_], idf: Floats, weights: Floats) -> None:
        self._analyze = _vectorizer(kind).build_analyzer()
        self._row = {str(term): row for row, term in enumerate(terms)}
        self._idf = idf
        self._weights = weights

    def knows(self, text: str) -> bool:
        return any(term in self._row for term in self._analyze(text))

    def score(self, text: str) -> Floats:
        counts = Counter(self._row.get(term, -1) for term in self._analyze(text))
        counts.pop(-1, None)
        if not counts:
            return np.zeros(self._weights.shape[1], np.float32)
        rows = np.fromiter(counts, np.int64, len(counts))
        values = (1 + np.log(np.fromiter(counts.values(), np.float32, len(counts)))) * self._idf[rows]
        scores: Floats = (values / np.linalg.norm(values)) @ self._weights[rows]
        return scores


def _vectorizer(kind: str) -> TfidfVectorizer:
    return TfidfVectorizer(sublinear_tf=True, strip_accents="unicode", dtype=np.float32, **_NGRAMS[kind])


def _context_kernel(cosine: Floats, same_previous: NDArray[np.bool_], log_ratio: Floats, both_brief: Floats) -> Floats:
    """Likeness of messages beyond their n-grams. Works on vectors and matrices; a sum of products of kernels."""
    meaning = np.exp(cosine - 1)
    context = same_previous * (CONTEXT * np.square(meaning) + BRIEF * both_brief)
    kernel: Floats = MEANING * meaning + context + LENGTH * np.exp(-2 * np.square(log_ratio))
    return kernel


def _without(
    folds: NDArray[np.int64], inverse: Floats, dual: Floats, targets: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The scores each fold's samples get from the model solved without them.

    For one sample this is Rifkin and Lippert's leave-one-out formula (2007, "Notes on regularized least squares");
    for several, the division by a diagonal element becomes a solve with the fold's block of the inverse.
    """
    scores = np.empty_like(targets)
    for fold in np.unique(folds):
        rows = np.flatnonzero(folds == fold)
        scores[rows] = targets[rows] - np.linalg.solve(inverse[np.ix_(rows, rows)], dual[rows])
    return scores


def _principal_axes(centered: Floats) -> Floats:
    """Orthonormal columns that span nearly what the first `AXES` principal axes span, which is all that is needed.

    By a randomized range finder with one power iteration (Halko, Martinsson and Tropp, 2011): an exact decomposition
    of 1,920 dimensions takes longer than everything else.
    """
    start = np.random.default_rng(0).standard_normal((centered.shape[1], AXES), np.float32)
    axes, _ = np.linalg.qr(centered.T @ (centered @ start))
    columns: Floats = np.ascontiguousarray(axes, np.float32)
    return columns


def _along(axes: Floats, centered: Floats) -> Floats:
    """What is left of vectors along the axes, at length 1."""
    projected = centered @ axes
    unit: Floats = projected / (np.linalg.norm(projected, axis=-1, keepdims=True) + np.float32(1e-9))
    return unit


def _log_words(text: str) -> float:
    return math.log(max(1, len(text.split())))


def _brevity(log_words: Floats | np.float32) -> Floats:
    brevity: Floats = np.exp(-np.exp(log_words) / BRIEF_WORDS)
    return brevity


def _inverse(matrix: Floats) -> Floats:
    """Of a symmetric positive definite matrix, by Cholesky: half the work of the general way.

    Single precision is enough: the ridge keeps the condition number near 20,000.
    """
    factor, failed = lapack.spotrf(matrix.T, lower=True, overwrite_a=True)
    if not failed:
        factor, failed = lapack.spotri(factor, lower=True, overwrite_c=True)
    if failed:
        raise ArithmeticError("the kernel matrix is not positive definite")
    lower = np.tril(factor)
    full: Floats = lower + np.tril(lower, -1).T
    return full


def _softmax(scores: NDArray[np.floating]) -> Floats:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Floats = powers / powers.sum(axis=-1, keepdims=True)
    return shares


def _sharpness(scores: NDArray[np.float64], labels: NDArray[np.int64]) -> float:
    """The inverse temperature that makes the softmax of these scores most likely to give these labels."""
    own = np.arange(len(labels))

    def loss(sharpness: float) -> float:
        return float(-np.log(_softmax(scores * sharpness)[own, labels] + 1e-12).mean())

    return float(minimize_scalar(loss, bounds=(1.0, 40.0), method="bounded").x)
