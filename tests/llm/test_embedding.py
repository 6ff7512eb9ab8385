import asyncio
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from signalbox.errors import ConfigurationError, RunInterrupted
from signalbox.llm.embedding import BATCH_TEXTS, Embedder


class HeldEmbedder(Embedder):
    """Waits for ``go`` before each batch, notes what was in it, and fails on request."""

    def __init__(self):
        super().__init__()
        self.go = threading.Event()
        self.begun = threading.Event()
        self.batches: list[list[str]] = []

    def embed_sync(self, texts):
        self.begun.set()
        assert self.go.wait(10)
        self.batches.append(list(texts))
        if "fail" in texts:
            raise ArithmeticError("as asked")
        return super().embed_sync(texts)


@pytest.fixture
async def held():
    model = HeldEmbedder()
    yield model
    model.go.set()
    await model.close()


async def begin(model: HeldEmbedder, *calls: list[str]) -> list[asyncio.Task]:
    """Starts the calls in order; the first is being computed when this returns, the others queue."""
    tasks = [asyncio.create_task(model.embed(texts)) for texts in calls]
    assert await asyncio.to_thread(model.begun.wait, 10)
    return tasks


def test_vectors_are_unit_length_and_near_in_meaning(embedder):
    vectors = embedder.embed_sync(["find me a job as a nurse", "nursing vacancies", "the cat sat on the mat"])
    assert vectors.shape == (3, Embedder.dim)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert vectors[0] @ vectors[1] > 0.5
    assert vectors[0] @ vectors[2] < 0.2


def test_a_vector_does_not_depend_on_its_batch_or_place(embedder):
    texts = ["short", "a somewhat longer text about welding in Perth", "word " * 200, "", "short"]
    together = embedder.embed_sync(texts)
    alone = np.vstack([embedder.embed_sync([text]) for text in texts])
    assert together == pytest.approx(alone, abs=1e-5)


def test_no_texts_give_no_rows(embedder):
    assert embedder.embed_sync([]).shape == (0, Embedder.dim)


@pytest.mark.parametrize(
    "text", ["", " \n\t", "\x00", "a\x00b", "\ud83d", "\ude00\ud83d", "👩‍🚀", "\ufffe", "é" * 5000, "\u202e"]
)
def test_any_string_gets_a_finite_vector(embedder, text):
    assert np.isfinite(embedder.embed_sync([text])).all()


def test_surrogate_halves_that_belong_together_are_read_as_one_character(embedder):
    split, whole = embedder.embed_sync(["nice \ud83d\ude00", "nice 😀"])
    assert split == pytest.approx(whole, abs=1e-6)


@pytest.mark.parametrize("text", ["x" * 1_000_000, "job " * 250_000, " " * 1_000_000 + "job"])
def test_a_megabyte_costs_no_more_than_its_first_words(embedder, text):
    began = time.process_time()
    assert np.isfinite(embedder.embed_sync([text])).all()
    assert time.process_time() - began < 1


async def test_the_order_of_a_long_list_is_kept(embedder):
    texts = [f"{'very ' * (i % 7)}old house number {i}" for i in range(2 * BATCH_TEXTS + 3)]
    assert await embedder.embed(texts) == pytest.approx(embedder.embed_sync(texts), abs=1e-5)
    assert (await embedder.embed([])).shape == (0, Embedder.dim)


async def test_calls_that_wait_together_are_computed_together(held):
    tasks = await begin(held, ["first"], *([f"text {i}"] for i in range(10)))
    held.go.set()
    vectors = await asyncio.gather(*tasks)
    assert held.batches == [["first"], [f"text {i}" for i in range(10)]]
    assert vectors[4] == pytest.approx(await held.embed(["text 3"]), abs=1e-5)


async def test_a_batch_is_bounded_and_a_short_message_passes_a_long_list(held):
    tasks = await begin(held, ["first"], [f"bulk {i}" for i in range(3 * BATCH_TEXTS)], ["urgent"])
    held.go.set()
    await tasks[2]
    assert len(held.batches) <= 4
    assert not tasks[1].done()
    await asyncio.gather(*tasks)
    assert max(map(len, held.batches)) <= BATCH_TEXTS


async def test_a_cancelled_call_is_not_computed_and_harms_no_other(held):
    first, dropped, last = await begin(held, ["first"], ["dropped"], ["last"])
    dropped.cancel()
    await asyncio.sleep(0)
    held.go.set()
    assert (await first).shape == (await last).shape == (1, Embedder.dim)
    assert dropped.cancelled()
    assert held.batches == [["first"], ["last"]]


async def test_a_failing_call_does_not_fail_those_it_shared_a_batch_with(held):
    tasks = await begin(held, ["first"], ["fail"], ["good"])
    held.go.set()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(results[1], ArithmeticError)
    assert results[2].shape == (1, Embedder.dim)


async def test_closing_finishes_what_runs_and_refuses_what_waits(held):
    running, waiting = await begin(held, ["running"], ["waiting"])
    closing = asyncio.create_task(held.close())
    await asyncio.sleep(0)
    held.go.set()
    await closing
    assert (await running).shape == (1, Embedder.dim)
    with pytest.raises(RunInterrupted):
        await waiting
    with pytest.raises(RunInterrupted):
        await held.embed(["late"])
    await held.close()


def test_missing_files_are_named_at_construction(tmp_path: Path):
    with pytest.raises(ConfigurationError, match=r"no\.onnx"):
        Embedder(model_path=tmp_path / "no.onnx")
    with pytest.raises(ConfigurationError, match=r"no\.json"):
        Embedder(tokenizer_path=tmp_path / "no.json")


def test_the_layers_end_in_the_vector_itself_and_each_has_length_one(embedder):
    texts = ["any updates?", "Which hospitals near Rotterdam need radiographers?"]
    layers = embedder.layers.embed_sync(texts)
    assert layers.shape == (2, embedder.layers.dim)
    assert layers[:, -Embedder.dim :] == pytest.approx(embedder.embed_sync(texts), abs=1e-5)
    assert np.linalg.norm(layers.reshape(2, -1, Embedder.dim), axis=2) == pytest.approx(1, abs=1e-5)


async def test_closing_the_embedder_closes_its_layers():
    model = Embedder()
    assert (await model.layers.embed(["hello"])).shape == (1, model.layers.dim)
    await model.close()
    with pytest.raises(RunInterrupted):
        await model.layers.embed(["late"])
