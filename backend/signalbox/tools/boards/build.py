"""The tools of all configured job boards, made once at start and handed to every run's kit."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

import httpx

from signalbox.errors import ConfigurationError
from signalbox.llm.embedding import Embedder
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.settings import Settings
from signalbox.tools.base import Tool
from signalbox.tools.boards.board import Feed, JobBoard, tool_name
from signalbox.tools.boards.kinds import KINDS, Secrets, feed_of
from signalbox.tools.boards.meaning import TitleMeaning


def build_boards(
    settings: Settings, http: httpx.AsyncClient, vocabulary: SkillVocabulary, embedder: Embedder
) -> tuple[Tool[Any, Any], ...]:
    """One tool a board, in the order of the setting. Opens nothing and asks nobody.

    Raises ``ConfigurationError`` naming the entry that is wrong and what it may be.
    """
    feeds, meaning = _feeds(settings), TitleMeaning(embedder)
    boards = [JobBoard(feed, http, vocabulary, meaning, timeout_s=settings.board_timeout_s) for feed in feeds.values()]
    # A board's name is its own, where the port speaks of a class's.
    return tuple(cast("Tool[Any, Any]", board) for board in boards)


def board_names(settings: Settings) -> tuple[str, ...]:
    """What the boards of the settings are called as tools. Raises ``ConfigurationError`` as ``build_boards`` does."""
    return tuple(tool_name(feed) for feed in _feeds(settings).values())


def _feeds(settings: Settings) -> Mapping[str, Feed]:
    bases, secrets = dict(_bases(settings.board_urls)), _secrets(settings)
    feeds: dict[str, Feed] = {}
    for entry in settings.job_boards:
        feed = feed_of(entry, bases, secrets)
        if feed.name in feeds:
            raise ConfigurationError(f"SIGNALBOX_JOB_BOARDS: '{entry}' is named twice.")
        feeds[feed.name] = feed
    return feeds


def _bases(overrides: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """``kind=https://mirror.example`` for each kind that is asked elsewhere than at its home."""
    for entry in overrides:
        kind, equals, url = (part.strip() for part in entry.partition("="))
        if kind not in KINDS or not equals or not url.startswith(("http://", "https://")):
            raise ConfigurationError(
                f"SIGNALBOX_BOARD_URLS: '{entry}' is not of the form kind=https://host, with a kind among "
                f"{', '.join(KINDS)}."
            )
        yield kind, url.rstrip("/")


def _secrets(settings: Settings) -> Mapping[str, Secrets]:
    app_id, app_key = settings.adzuna_app_id, settings.adzuna_app_key
    if app_id is None or app_key is None:
        return {}
    return {"adzuna": (("app_id", app_id.get_secret_value()), ("app_key", app_key.get_secret_value()))}
