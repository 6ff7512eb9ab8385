"""A model in this process: llama.cpp over any GGUF file, served on loopback and read by the same adapter as the rest.

Needs the extra ``local``. Only this process knows the server's key, so nobody else on the machine can use it.
"""

import asyncio
import importlib
import importlib.util
import os
import secrets
import threading
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any, Final

import httpx
import structlog

from signalbox.errors import ConfigurationError, ProviderTimeout, ProviderUnavailable
from signalbox.llm.base import ModelRequest, StreamItem
from signalbox.llm.groq import Deadlines, GroqModel

_PACKAGE: Final = "xllamacpp"
_MAGIC: Final = b"GGUF"
# A batch of the prompt that is in work is finished before a cancelled answer's slot is free.
_BATCH: Final = 64
_IDLE_S: Final = 10.0
_log = structlog.get_logger(__name__)


class LocalServer:
    """llama.cpp's own HTTP server, inside this process.

    ``context`` is the window of one answer in tokens, and ``slots`` answers are worked on at once: memory is taken
    for all of them. ``memory_mib`` bounds what is kept of earlier prompts, so that their beginnings are not read again.
    Raises ``ConfigurationError`` at once if the extra or the file is missing or the file is no GGUF.
    """

    def __init__(
        self, path: Path, *, threads: int | None = None, context: int = 4_096, slots: int = 2, memory_mib: int = 256
    ) -> None:
        check_file(path)
        self.key = secrets.token_urlsafe(32)
        self._headers = {"Authorization": f"Bearer {self.key}"}
        self._path = path
        # llama.cpp's threads spin while they wait for each other: one that has to share its core slows all down.
        self._threads = threads or max(1, (os.cpu_count() or 1) - 1)
        self._context = context
        self._slots = slots
        self._memory_mib = memory_mib
        self._native: Any = None
        self._closed = False
        self._opening: asyncio.Task[str] | None = None  # one thread, however many wait for it or give up
        self._starting = threading.Lock()  # a start goes on when whoever asked for it is cancelled

    async def open(self) -> str:
        """Its base URL; loads the model first if nothing has yet. Raises ``ConfigurationError``."""
        if self._opening is None or self._opening.done():
            self._opening = asyncio.create_task(asyncio.to_thread(self._start), name="start of the local model")
            self._opening.add_done_callback(_looked_at)  # whoever waited may be gone by the time that it fails
        return await asyncio.shield(self._opening)

    async def close(self) -> None:
        """Ends every answer and frees the model's memory. Waits for a start that is under way."""
        if self._native is not None:
            await self._idle(self._native.listening_address)
        await asyncio.to_thread(self._stop)

    async def _idle(self, address: str) -> None:
        """Wait until answers that nobody reads any more are given up: the native destructor holds up all threads of
        this process while it waits for them.
        """
        with suppress(TimeoutError, httpx.HTTPError):
            async with asyncio.timeout(_IDLE_S), httpx.AsyncClient(headers=self._headers, timeout=_IDLE_S) as client:
                slots = f"{address}/slots"
                while any(slot["is_processing"] for slot in (await client.get(slots)).json()):  # noqa: ASYNC110
                    await asyncio.sleep(0.05)

    def _start(self) -> str:
        with self._starting:
            if self._closed:
                raise ConfigurationError("The local model was closed.")
            if self._native is None:
                began = time.monotonic()
                self._native = self._loaded()
                _log.info("local_model_ready", file=self._path.name, seconds=round(time.monotonic() - began, 1))
            return f"{self._native.listening_address}/v1"

    def _stop(self) -> None:
        with self._starting:
            self._closed = True
            self._native = None  # its destructor stops the server and joins its threads

    def _loaded(self) -> Any:
        llama = importlib.import_module(_PACKAGE)
        params = llama.CommonParams()
        params.model.path = str(self._path)
        params.model_alias = {"local"}  # else its answers tell the file's path
        params.hostnames = ["127.0.0.1"]
        params.port = 0
        params.api_keys = [self.key]
        params.ui = False
        params.endpoint_slots = True
        params.verbosity = -1
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = self._threads
        params.n_parallel = self._slots
        params.n_ctx = self._context * self._slots
        params.n_batch = params.n_ubatch = min(_BATCH, self._context)
        params.cache_ram_mib = self._memory_mib
        params.fit_params = False  # a window smaller than was asked for would go unnoticed
        params.warmup = False
        try:
            return llama.Server(params)
        except RuntimeError as error:
            raise ConfigurationError(
                f"The local model {self._path} could not be loaded. The file may be damaged or of a kind that this "
                "version of xllamacpp does not know, or SIGNALBOX_LOCAL_CONTEXT asks for more memory than there is."
            ) from error


class LocalModel:
    """A ``Model`` named "local". Its server starts with the first answer, or in ``open``.

    The window and the memory are those of ``LocalServer``. Until the model is loaded an answer waits for it as long as
    a whole one may take (``deadlines.total``).
    """

    name = "local"
    provider = "local"
    instructable = True

    def __init__(
        self,
        path: Path,
        *,
        threads: int | None = None,
        context: int = 4_096,
        slots: int = 2,
        memory_mib: int = 256,
        deadlines: Deadlines | None = None,
    ) -> None:
        self._server = LocalServer(path, threads=threads, context=context, slots=slots, memory_mib=memory_mib)
        self._deadlines = deadlines or Deadlines()
        self._remote: GroqModel | None = None

    async def open(self) -> None:
        """Loads the model, if that is not done yet. Raises ``ConfigurationError``."""
        await self._opened()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        """See ``Model``."""
        async with aclosing((await self._ready()).stream(request)) as items:
            async for item in items:
                yield item

    async def close(self) -> None:
        if self._remote is not None:
            await self._remote.close()  # the server gives up the answers whose readers are gone
        await self._server.close()

    async def _ready(self) -> GroqModel:
        try:
            async with asyncio.timeout(self._deadlines.total):
                return await self._opened()
        except TimeoutError as late:
            raise ProviderTimeout("The local language model is still being loaded. Please try again soon.") from late
        except ConfigurationError as error:
            public = "The local language model cannot be loaded. The operator must check its file and its settings."
            raise ProviderUnavailable(public, again=False) from error

    async def _opened(self) -> GroqModel:
        if self._remote is None:
            url = await self._server.open()
            # No await from here on: of many answers that waited for the server, one makes the client.
            self._remote = self._remote or GroqModel(
                self.name,
                api_key=self._server.key,
                base_url=url,
                provider=self.provider,
                deadlines=self._deadlines,
                max_idle=0,  # the server may drop an idle connection just as it is used again
                # It notices that nobody reads any more when it writes: so it has to tell of each batch of the prompt.
                extra_body={"return_progress": True},
            )
        return self._remote


def _looked_at(opening: asyncio.Task[str]) -> None:
    if not opening.cancelled():
        opening.exception()


def check_file(path: Path) -> None:
    """The extra is installed and ``path`` is a GGUF file by its first bytes. Raises ``ConfigurationError``."""
    if importlib.util.find_spec(_PACKAGE) is None:
        raise ConfigurationError("The model `local` needs the extra of that name: pip install 'signalbox[local]'.")
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        raise ConfigurationError(
            f"The local model's file {path} cannot be read ({error.strerror}). "
            "Set SIGNALBOX_LOCAL_MODEL to a GGUF file."
        ) from error
    if magic != _MAGIC:
        raise ConfigurationError(f"{path} is no GGUF file. Set SIGNALBOX_LOCAL_MODEL to one.")
