"""What a message wants: one of the twelve intents, with a calibrated confidence and a sentence on why.

Decides the label and how sure it is; what follows from it (routing, asking back) is decided by the graph.
"""

import asyncio
import contextlib
import hashlib
import json
import os
import re
import tempfile
import zipfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from signalbox.envelope import INTENTS, Intent
from signalbox.errors import ConfigurationError
from signalbox.graph.intent_kernel import Kernel, Sample, Weights, fit
from signalbox.llm.embedding import Embedder

CONFIDENT = 0.70
LONG_CHARS = 2000
KEPT_CHARS = 200  # of either end of a long text: the request stands before or after what was pasted
# Raise it when the meaning of stored weights changes, so that none from before are read.
FORMAT = 1
# Ids up to here were labelled twice; they alone set the confidence and are what accuracy is measured on.
LAST_VERIFIED = "d0910"

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ufeff\ufffd]+")


@dataclass(frozen=True, slots=True)
class Example:
    """A labelled message; ``also`` holds further labels a reasonable reader would accept."""

    id: str
    text: str
    intent: Intent
    also: tuple[Intent, ...]
    recent: tuple[Intent, ...]


@dataclass(frozen=True, slots=True)
class Classification:
    """``confidence`` is a probability: of those at 0.8, four in five are right.

    ``alternatives`` are the next three, falling. ``source`` is model, rule, command or quick_reply.
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
        """Embeds and fits on the calling thread, in about ten seconds for 2,000 examples: call it in a thread."""
        return cls(fit_examples(examples, vectors_of(examples, embedder)), embedder)

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
        """The model for the labelled file: from the cache in ``folder``, or trained and stored there.

        Takes 50 ms or ten seconds, on the calling thread.
        """
        source = examples or packaged_examples()
        path = folder / f"intents-{cache_key(source, embedder)}.npz"
        with contextlib.suppress(FileNotFoundError, ConfigurationError):  # none yet, or damaged: make it anew
            return cls.load(path, embedder)
        classifier = cls.train(load_examples(source), embedder)
        classifier.save(path)
        return classifier

    def save(self, path: Path) -> None:
        """Writes one file, whole or not at all: several processes may start at once on one folder."""
        path.parent.mkdir(parents=True, exist_ok=True)
        weights = self._kernel.weights
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
        part = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez(file, **{name: getattr(weights, name) for name in Weights.names()})
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)

    def classify(self, text: str, vector: NDArray[np.float32], recent: Sequence[Intent]) -> Classification:
        """``vector`` embeds ``clean(text)``; ``recent`` are the intents of earlier messages, oldest first."""
        return answer(self._kernel, text, vector, recent)

    async def of(self, text: str, recent: Sequence[Intent] = ()) -> Classification:
        """Embeds off the loop, together with what else is being embedded, then classifies."""
        vectors = await self._embedder.embed([clean(text)])
        return await asyncio.to_thread(self.classify, text, vectors[0], recent)


def answer(kernel: Kernel, text: str, vector: NDArray[np.float32], recent: Sequence[Intent]) -> Classification:
    message = clean(text)
    if not message:
        return Classification("general", 1.0, "rule", "the message holds no text")
    # What was said before can say what "the second one" means, but nothing of words that nobody knows.
    before = _previous(recent) if kernel.knows(message) else _previous(())
    shares = kernel.probabilities(Sample(message, vector, before))
    order = np.argsort(-shares, kind="stable")
    ranked = [(INTENTS[row], round(float(shares[row]), 4)) for row in order]
    (intent, confidence), *others = ranked
    reasoning = f"looks like {intent} ({confidence:.2f}); next best {others[0][0]} ({others[0][1]:.2f})"
    return Classification(intent, confidence, "model", reasoning, tuple(others[:3]))


def clean(text: str) -> str:
    """One line without control characters or lone surrogates; of a long text the beginning and the end."""
    if len(text) > LONG_CHARS:
        text = f"{text[:LONG_CHARS]}\n{text[-LONG_CHARS:]}"
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    line = " ".join(_UNPRINTABLE.sub(" ", joined).split())
    return f"{line[:KEPT_CHARS]} … {line[-KEPT_CHARS:]}" if len(line) > LONG_CHARS else line


def load_examples(path: Path) -> list[Example]:
    """Reads a JSON Lines file of labelled messages; raises `ConfigurationError` naming the first bad line."""
    examples = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if not line:
            continue
        try:
            row = json.loads(line)
            example = Example(row["id"], row["text"], row["intent"], tuple(row["also"]), tuple(row["recent_intents"]))
        except (ValueError, KeyError, TypeError) as cause:
            raise ConfigurationError(f"{path}, line {number}: not a labelled message.") from cause
        if not {example.intent, *example.also, *example.recent} <= set(INTENTS):
            raise ConfigurationError(f"{path}, line {number}: an unknown intent.")
        examples.append(example)
    return examples


def packaged_examples() -> Path:
    return Path(str(resources.files("signalbox.data") / "intents.jsonl"))


def cache_key(examples: Path, embedder: Embedder) -> str:
    """Changes with the labelled file, the embedding model, and the code that decides what the weights mean."""
    digest = hashlib.sha256(f"{FORMAT} {embedder.model_id} {INTENTS}".encode())
    digest.update(Path(__file__).with_name("intent_kernel.py").read_bytes())
    digest.update(examples.read_bytes())
    return digest.hexdigest()[:16]


def vectors_of(examples: Sequence[Example], embedder: Embedder) -> NDArray[np.float32]:
    """Embeds the examples on every core: at first start somebody waits for it."""
    texts = [clean(example.text) for example in examples]
    cores = os.cpu_count() or 1
    with ThreadPoolExecutor(cores) as threads:
        parts = list(threads.map(embedder.embed_sync, [texts[core::cores] for core in range(cores)]))
    vectors = np.empty((len(texts), embedder.dim), np.float32)
    for core, part in enumerate(parts):
        vectors[core::cores] = part
    return vectors


def fit_examples(examples: Sequence[Example], vectors: NDArray[np.float32]) -> Kernel:
    samples = [
        Sample(clean(example.text), vector, _previous(example.recent))
        for example, vector in zip(examples, vectors, strict=True)
    ]
    labels = np.array([INTENTS.index(example.intent) for example in examples], np.int64)
    verified = np.array([example.id <= LAST_VERIFIED for example in examples])
    return fit(samples, labels, len(INTENTS), verified if verified.any() else ~verified)


def _previous(recent: Sequence[Intent]) -> int:
    return INTENTS.index(recent[-1]) if recent else len(INTENTS)
