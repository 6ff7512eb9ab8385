"""Logging: one structured line per event on standard error, ids in fields, never a message's text or a secret."""

import logging
import sys
from collections.abc import Callable, MutableMapping
from typing import Any, Final

import structlog

# Texts of others that get into a log: what a library says of its failure may quote what it was given.
_FOREIGN: Final = ("error", "exception", "why")


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
            structlog.processors.format_exc_info,
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
