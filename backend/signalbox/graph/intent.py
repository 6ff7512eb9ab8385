"""What a message wants: one of the twelve intents, with a calibrated confidence and a sentence on why.

Decides the label and how sure it is; what follows from it (routing, asking back) is decided by the graph.
"""

import asyncio
import contextlib
import fcntl
import hashlib
import os
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import numpy as np
from numpy.typing import NDArray

from signalbox.envelope import INTENTS, Intent
from signalbox.errors import ConfigurationError
from signalbox.graph.intent_data import Example, clean, load_examples, merged, packaged_examples
from signalbox.graph.intent_kernel import Fit, Kernel, Sample, Weights, fit
from signalbox.llm.embedding import Embedder

CONFIDENT: Final = 0.70
# Raise it when the meaning of stored weights changes, so that none from before are read.
FORMAT: Final = 2
FOLDS: Final = 10
FEWEST: Final = 2 * len(INTENTS)
ALSO_SHARE: Final = 0.2  # of a training label goes to the further labels a reader would accept
ADOPTED: Final = "intents-added.jsonl"

Progress = Callable[[int, int], None]
"""Called with how many texts are embedded and how many there are, from several threads."""


@dataclass(frozen=True, slots=True)
class Classification:
    """``confidence`` is a probability: of those at 0.8, four in five are right.

    ``alternatives`` are the next three, falling. ``source``: as in the event ``intent``.
    """

    intent: Intent
    confidence: float
    source: str
    reasoning: str
    alternatives: tuple[tuple[Intent, float], ...] = ()


class IntentClassifier:
    """Words, characters, sentence meaning and the previous intent in one kernel model. Immutable and thread-safe."""

    def __init__(self, kernel: Kernel, embedder: Embedder) -> None:
        self._kernel = kernel
        self._embedder = embedder

    @classmethod
    def train(cls, examples: Sequence[Example], embedder: Embedder) -> "IntentClassifier":
        """Embeds and fits on the calling thread, in some twenty seconds for 5,000 examples: call it in a thread."""
        return cls(fit_examples(examples, vectors_of(examples, embedder)).kernel, embedder)

    @classmethod
    def load(cls, path: Path, embedder: Embedder) -> "IntentClassifier":
        """Reads what `save` wrote; raises `ConfigurationError` if it is damaged. No code is ever unpickled."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                weights = Weights(**{name: stored[name] for name in Weights.names()})
        except FileNotFoundError:
            raise
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as cause:
            raise ConfigurationError(f"The intent model {path} cannot be read; delete it.") from cause
        return cls(Kernel(weights), embedder)

    @classmethod
    def open(cls, folder: Path, embedder: Embedder, examples: Path | None = None) -> "IntentClassifier":
        """The model for the labelled file and what was adopted beside it: from the cache, or trained and stored.

        Takes 50 ms or some twenty seconds, on the calling thread. Raises `ConfigurationError` if a labelled file
        cannot be read.
        """
        path = model_path(folder, embedder, examples)
        with contextlib.suppress(FileNotFoundError, ConfigurationError):  # none yet, or damaged: make it anew
            return cls.load(path, embedder)
        with one_at_a_time(folder):  # of processes that start side by side one trains, the others wait for it
            with contextlib.suppress(FileNotFoundError, ConfigurationError):
                return cls.load(path, embedder)
            classifier = cls.train(training_examples(folder, examples), embedder)
            classifier.save(path)
            return classifier

    def save(self, path: Path) -> None:
        weights = self._kernel.weights
        with written_whole(path) as file:
            np.savez(file, **{name: getattr(weights, name) for name in Weights.names()})

    def classify(self, text: str, vector: NDArray[np.float32], recent: Sequence[Intent]) -> Classification:
        """``vector`` is `vectors_of` the text; ``recent`` are the intents of earlier messages, oldest first."""
        return answer(self._kernel, text, vector, recent)

    async def of(self, text: str, recent: Sequence[Intent] = ()) -> Classification:
        """Embeds off the loop, together with what else is being embedded, then classifies."""
        vectors = await self._embedder.layers.embed([clean(text)])
        return await asyncio.to_thread(self.classify, text, vectors[0], recent)


def answer(kernel: Kernel, text: str, vector: NDArray[np.float32], recent: Sequence[Intent]) -> Classification:
    message = clean(text)
    if not message:
        return Classification("general", 1.0, "rule", "the message holds no text")
    # What was said before can say what "the second one" means, but nothing of words that nobody knows.
    before = _previous(recent) if kernel.knows(message) else _previous(())
    return ranking(kernel.probabilities(Sample(message, vector, before)))


def ranking(shares: NDArray[np.float32]) -> Classification:
    """The classification that one probability per intent makes."""
    order = np.argsort(-shares, kind="stable")
    ranked = [(INTENTS[row], round(float(shares[row]), 4)) for row in order]
    (intent, confidence), *others = ranked
    reasoning = f"looks like {intent} ({confidence:.2f}); next best {others[0][0]} ({others[0][1]:.2f})"
    return Classification(intent, confidence, "classifier", reasoning, tuple(others[:3]))


def training_examples(folder: Path, examples: Path | None = None) -> list[Example]:
    """The labelled file (the packaged one by default) and the messages adopted in ``folder``."""
    added = folder / ADOPTED
    path = examples or packaged_examples()
    both, _ = merged(load_examples(path), load_examples(added) if added.exists() else ())
    if len(both) < FEWEST:
        raise ConfigurationError(f"{path} holds {len(both)} messages; it takes at least {FEWEST} to train on.")
    return both


def model_path(folder: Path, embedder: Embedder, examples: Path | None = None) -> Path:
    """Where the model lies: its name changes with the labelled messages, the encoder, and what the weights mean."""
    digest = hashlib.sha256(f"{FORMAT} {embedder.layers.model_id} {INTENTS}".encode())
    digest.update(Path(__file__).with_name("intent_kernel.py").read_bytes())
    digest.update((examples or packaged_examples()).read_bytes())
    with contextlib.suppress(FileNotFoundError):
        digest.update((folder / ADOPTED).read_bytes())
    return folder / f"intents-{digest.hexdigest()[:16]}.npz"


@contextlib.contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """A file that is there whole or not at all: several processes may start at once on one folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")  # for the owner's eyes only
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@contextlib.contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Of all processes that work on the folder, one at a time gets past here; the kernel lets go for a dead one."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".training").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def vectors_of(
    examples: Sequence[Example], embedder: Embedder, progress: Progress | None = None
) -> NDArray[np.float32]:
    """Embeds the examples on every core: at first start somebody waits for it."""
    texts = [clean(example.text) for example in examples]
    # Neighbours in length share a batch, which keeps the padding small.
    rows = np.array(sorted(range(len(texts)), key=lambda row: len(texts[row])), np.int64)
    vectors = np.empty((len(texts), embedder.layers.dim), np.float32)
    done = 0

    def embed(part: NDArray[np.int64]) -> None:
        nonlocal done
        vectors[part] = embedder.layers.embed_sync([texts[row] for row in part])
        done += len(part)
        if progress:
            progress(done, len(texts))

    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        list(threads.map(embed, np.array_split(rows, len(rows) // 128 + 1)))
    return vectors


def fit_examples(examples: Sequence[Example], vectors: NDArray[np.float32], seed: int = 0) -> Fit:
    """Trains on the examples; ``seed`` shuffles them into the folds that calibrate, and changes nothing else."""
    samples = [
        Sample(clean(example.text), vector, _previous(example.recent))
        for example, vector in zip(examples, vectors, strict=True)
    ]
    targets = np.zeros((len(examples), len(INTENTS)))
    for row, example in enumerate(examples):
        share = ALSO_SHARE if example.also else 0.0
        targets[row, INTENTS.index(example.intent)] = 1 - share
        for label in example.also:
            targets[row, INTENTS.index(label)] += share / len(example.also)
    return fit(samples, targets, np.array([_fold(example, seed) for example in examples], np.int64))


def _fold(example: Example, seed: int) -> int:
    """By the words alone: the same words after other intents must not be in another fold."""
    return zlib.crc32(f"{seed} {example.said}".encode()) % FOLDS


def _previous(recent: Sequence[Intent]) -> int:
    """The last intent there are labels for: agents of an embedder's own have intents of their own."""
    known = [INTENTS.index(intent) for intent in recent if intent in INTENTS]
    return known[-1] if known else len(INTENTS)
