"""Logging: one structured line per event on standard error, ids in fields, never a message's text or a secret."""

import logging
import sys
import traceback
from collections.abc import Callable, MutableMapping
from types import TracebackType
from typing import Any, Final

import httpx
import psycopg
import redis.exceptions
import structlog

from signalbox.errors import SignalboxError

# Texts of others that get into a log: what a library says of its failure may quote what it was given.
_FOREIGN: Final = ("error", "exception", "why")
_SPEAKING: Final = (
    *(SignalboxError, OSError, psycopg.OperationalError, redis.exceptions.ConnectionError, httpx.TransportError),
)


def configure_logging(level: str, *, as_json: bool, scrub: Callable[[str], str] = str) -> None:
    """Set up structlog and the standard library's loggers. Call once, before anything logs. ``scrub`` takes out of the
    texts of errors what no log should hold.
    """

    def scrubbed(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        for name in _FOREIGN:
            if isinstance(text := event.get(name), str):
                event[name] = scrub(text)
        return event

    number = logging.getLevelNamesMapping()[level.upper()]
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.ExceptionRenderer(traced),
            scrubbed,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    # Its pool warns at every attempt to reconnect; what matters of it reaches us as StoreUnavailable.
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
    logging.basicConfig(
        level=max(number, logging.WARNING), stream=sys.stderr, format="%(levelname)s %(name)s %(message)s"
    )


def told_of(exc: BaseException) -> str:
    """``exc`` for a log. Whole only where its text is ours or the system's: a database's or a validator's quotes the
    values that it stumbled over.
    """
    if isinstance(exc, psycopg.Error) and exc.sqlstate:
        return f"{type(exc).__name__} ({exc.sqlstate})"
    return repr(exc) if isinstance(exc, _SPEAKING) else type(exc).__name__


def traced(exc_info: tuple[type[BaseException], BaseException, TracebackType | None]) -> str:
    """Where it was raised and what led to it, each exception as ``told_of`` has it."""
    parts: list[str] = []
    seen: set[int] = set()
    exc: BaseException | None = exc_info[1]
    while exc is not None and id(exc) not in seen:
        seen.add(id(exc))
        inner = [told_of(each) for each in exc.exceptions] if isinstance(exc, BaseExceptionGroup) else []
        head = "Traceback (most recent call last):\n" + "".join(traceback.format_tb(exc.__traceback__))
        parts.append(head + " ".join([told_of(exc), *inner]))
        exc = exc.__cause__ or (None if exc.__suppress_context__ else exc.__context__)
    return "\n\nled to\n\n".join(reversed(parts))
