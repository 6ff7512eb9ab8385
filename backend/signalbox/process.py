"""What a long-running process of ours sets up around its work; it must not know what the work is."""

import asyncio
import gc
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlsplit

import uvicorn

SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


def run_on_fast_loop(work: Coroutine[Any, Any, None]) -> None:
    """Like ``asyncio.run``, on uvloop where there is one."""
    with asyncio.Runner(loop_factory=uvicorn.Config(app="", log_config=None).get_loop_factory()) as runner:
        runner.run(work)


def settle_memory() -> None:
    """Call once, when all is loaded."""
    # A full collection over the imports' 100,000 objects takes 50 ms, in the middle of somebody's stream.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # a run allocates thousands of short-lived objects and hardly a cycle


@contextmanager
def on_signals(heard: Callable[[int], None]) -> Iterator[None]:
    """``heard`` is told how many SIGTERM and SIGINT have come, this one included. After the second, the next one ends
    the process as if nobody listened.
    """
    loop = asyncio.get_running_loop()
    count = 0

    def listen() -> None:
        nonlocal count
        count += 1
        if count == 2:
            let_go()
        heard(count)

    def let_go() -> None:
        for number in SIGNALS:
            if loop.remove_signal_handler(number):
                signal.signal(number, signal.SIG_DFL)

    for number in SIGNALS:
        loop.add_signal_handler(number, listen)
    try:
        yield
    finally:
        let_go()


def place_of(url: str) -> str:
    """Where a server is, without the user, the password or any option of the URL."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if parts.hostname and ":" in parts.hostname else parts.hostname or ""
    port = f":{parts.port}" if parts.port else ""
    return f"{host}{port}{parts.path}" if host or parts.path.strip("/") else "(as the URL's options say)"
