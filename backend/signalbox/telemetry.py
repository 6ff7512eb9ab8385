"""Logging: one structured line per event on standard error, ids in fields, never a message's text or a secret."""

import logging
import sys

import structlog


def configure_logging(level: str, *, as_json: bool) -> None:
    """Set up structlog and the standard library's loggers. Call once, before anything logs."""
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
