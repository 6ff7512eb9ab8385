"""Keeps the summary of what has left a conversation's recent turns, in versions; a new one is made only now and then.

A version is made from the one before it and the messages since, after a run has ended. Of two processes that make the
same version one wins. A message that is taken back takes the versions that tell of it along (a trigger does it).
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import structlog
from psycopg.types.json import Jsonb

from signalbox.db import Database
from signalbox.encoding import clean_json
from signalbox.errors import NotFound
from signalbox.llm.base import Model
from signalbox.memory.conversation import PastMessage
from signalbox.memory.profile import Owner
from signalbox.memory.summarising import Said, by_rules
from signalbox.memory.summary import ConversationSummary, changes
from signalbox.memory.summary_model import by_model
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.runs.records import StartedRun

logger = structlog.get_logger(__name__)

# Messages that one version takes in at most: after a long time without a summary several follow each other.
MOST_MESSAGES: Final = 60
RULES: Final = "rules"


@dataclass(frozen=True, slots=True)
class Window:
    """What a model is told word for word: the newest ``keep`` messages at least (whole turns), ``keep`` + ``batch`` at
    most, and less where they run to more than ``chars`` characters, but never fewer than ``least``.
    """

    keep: int = 12
    batch: int = 8
    least: int = 4
    chars: int = 24_000

    def is_full(self, messages: int, chars: int) -> bool:
        return messages >= self.keep + self.batch or (chars > self.chars and messages > self.least)


@dataclass(frozen=True, slots=True)
class Version:
    """``version`` 0 and ``upto`` 0: none was made yet. ``upto``: the position of the last message it tells of."""

    version: int
    upto: int
    summary: ConversationSummary
    made_by: str = ""
    changes: Mapping[str, Any] | None = None
    created_at: datetime | None = None


_VERSION: Final = """
    SELECT version, upto, content, made_by, changes, created_at FROM conversation_summary
    WHERE conversation_id = %(conversation_id)s AND (%(version)s::int IS NULL OR version = %(version)s)
    ORDER BY version DESC LIMIT 1"""

# Of a run that goes on or waits for a worker nothing is final yet, so nothing from there on is told of. One that waits
# for its user may do so for days, and holds up nothing that is said meanwhile: what it says later comes later.
_SINCE: Final = """
    SELECT m.message_id, m.position, m.role, m.content, m.status = 'complete' AS complete
    FROM message m JOIN conversation c USING (conversation_id)
    WHERE m.conversation_id = %(conversation_id)s AND NOT c.temporary AND m.position > %(upto)s
      AND m.position < coalesce((
        SELECT min(u.position) FROM run r JOIN message u ON u.message_id = r.user_message_id
        WHERE r.conversation_id = %(conversation_id)s AND r.status IN ('pending', 'running')),
        9223372036854775807)
    ORDER BY m.position LIMIT %(limit)s"""

# Whoever takes a message back holds the conversation's row meanwhile: after this its messages are what they are.
_LOCK: Final = "SELECT 1 FROM conversation WHERE conversation_id = %(conversation_id)s FOR NO KEY UPDATE"

_STORE: Final = """
    INSERT INTO conversation_summary (conversation_id, version, tenant, user_id, upto, content, changes, made_by)
    SELECT conversation_id, %(version)s, tenant, user_id, %(upto)s, %(content)s, %(changes)s, %(made_by)s
    FROM conversation
    WHERE conversation_id = %(conversation_id)s AND NOT temporary
      AND %(before)s = coalesce((SELECT max(version) FROM conversation_summary s
                                 WHERE s.conversation_id = %(conversation_id)s), 0)
      AND %(messages)s = (SELECT coalesce(array_agg(message_id ORDER BY position), '{}') FROM message
                          WHERE conversation_id = %(conversation_id)s AND position > %(since)s AND position <= %(upto)s)
    ON CONFLICT DO NOTHING RETURNING version"""


class SummaryStore:
    """Raises ``StoreUnavailable`` from every method."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def latest(self, conversation_id: str) -> Version:
        found = await self._version(conversation_id, None)
        return found or Version(0, 0, ConversationSummary())

    async def since(self, conversation_id: str, upto: int, window: Window) -> list[tuple[int, Said]]:
        """The finished messages behind ``upto`` and their positions, oldest first; none of a temporary conversation. As
        many at most as one version takes in and ``window`` keeps.
        """
        limit = max(MOST_MESSAGES + window.keep, window.keep + window.batch)
        rows = await self._db.fetch(_SINCE, {"conversation_id": conversation_id, "upto": upto, "limit": limit})
        return [(row.pop("position"), Said(**row)) for row in (dict(row) for row in rows)]

    async def store(
        self, conversation_id: str, before: Version, after: ConversationSummary, told: Sequence[tuple[int, Said]],
        made_by: str,
    ) -> Version | None:  # fmt: skip
        """Store what follows ``before`` and tells of ``told`` besides. None if somebody else has stored the next
        version already, or one of the messages was taken back meanwhile: then it is made anew some other time.
        """
        version = Version(before.version + 1, told[-1][0], after, made_by)
        async with self._db.transaction() as conn:
            await conn.execute(_LOCK, {"conversation_id": conversation_id})
            won = await conn.fetch_one(
                _STORE,
                {
                    "conversation_id": conversation_id,
                    "before": before.version,
                    "version": version.version,
                    "since": before.upto,
                    "upto": version.upto,
                    "messages": [said.message_id for _, said in told],
                    "content": Jsonb(clean_json(after.model_dump(mode="json"))),
                    "changes": Jsonb(clean_json(changes(before.summary, after))),
                    "made_by": made_by,
                },
            )
        return version if won is not None else None

    async def of_owner(
        self, owner: Owner, conversation_id: str, version: int | None = None
    ) -> tuple[Version, list[int]]:
        """One version, the newest unless it is named, and the numbers of all. Version 0 stands for none so far.

        Raises ``NotFound``: no such conversation of this owner, or no such version.
        """
        rows = await self._db.fetch(
            "SELECT s.version FROM conversation c LEFT JOIN conversation_summary s USING (conversation_id) "
            "WHERE c.conversation_id = %s AND c.tenant = %s AND c.user_id = %s ORDER BY s.version",
            (conversation_id, owner.tenant, owner.user_id),
        )
        if not rows:
            raise NotFound("There is no conversation under that id.")
        numbers = [row["version"] for row in rows if row["version"] is not None]
        if version == 0 or (version is None and not numbers):
            return Version(0, 0, ConversationSummary()), numbers
        found = await self._version(conversation_id, version)
        if found is None:
            raise NotFound(
                f"This conversation's summary has no version {version}. Its versions are: {numbers or 'none'}."
            )
        return found, numbers

    async def _version(self, conversation_id: str, version: int | None) -> Version | None:
        row = await self._db.fetch_one(_VERSION, {"conversation_id": conversation_id, "version": version})
        if row is None:
            return None
        content = ConversationSummary.model_validate(row["content"])
        return Version(row["version"], row["upto"], content, row["made_by"], row["changes"], row["created_at"])


class Summariser:
    """Makes the next version when a run's end has filled the window. ``model_for`` gives the model to ask for that run,
    whose calls are entered in the books by whoever made it.
    """

    def __init__(
        self,
        store: SummaryStore,
        vocabulary: SkillVocabulary,
        model_for: Callable[[StartedRun], Model],
        window: Window | None = None,
    ) -> None:
        self._store = store
        self._vocabulary = vocabulary
        self._model_for = model_for
        self._window = window or Window()

    async def after(self, run: StartedRun) -> None:
        """Make what is due after ``run``, as often as the window is full. Raises ``StoreUnavailable``."""
        if run.temporary or not self._may_be_due(run):
            return
        while await self._made(run):
            pass

    def _may_be_due(self, run: StartedRun) -> bool:
        """Without a look into the store: what was told word for word, this message and its answers."""
        fresh = [past for past in run.history if not past.summarised]
        # Its own answers are not at hand here: two messages more, of any length.
        return self._window.is_full(len(fresh) + 3, _chars(fresh) + len(run.message) + self._window.chars // 2)

    async def _made(self, run: StartedRun) -> bool:
        """Whether a version was made and stored."""
        before = await self._store.latest(run.conversation_id)
        found = await self._store.since(run.conversation_id, before.upto, self._window)
        told = due(found, self._window)
        if not told:
            return False
        said = [message for _, message in told]
        ruled = await asyncio.to_thread(by_rules, before.summary, said, self._vocabulary)
        model = self._model_for(run)
        written = await by_model(model, before.summary, said, ruled, self._vocabulary)
        made_by = RULES if written is None else f"{RULES}, {model.name}"
        stored = await self._store.store(run.conversation_id, before, written or ruled, told, made_by)
        if stored is None:
            logger.info("a summary was dropped: another one stands, or a message was taken back")
        return stored is not None


def due(found: Sequence[tuple[int, Said]], window: Window) -> Sequence[tuple[int, Said]]:
    """Of the messages that no summary tells of, those that leave the window now, whole turns only; none while it is not
    full.
    """
    chars = sum(len(said.content) for _, said in found)
    if not window.is_full(len(found), chars):
        return ()
    keep = window.keep
    if len(found) < window.keep + window.batch:  # full by its length alone: what stays must be short enough
        keep = max(window.least, _fitting(found, window.chars // 2))
    leaves = max(0, min(len(found) - keep, MOST_MESSAGES))
    # What stays begins with a user's message, so that no answer is parted from its question.
    while 0 < leaves < len(found) and found[leaves][1].role != "user":
        leaves -= 1
    return found[:leaves]


def _fitting(found: Sequence[tuple[int, Said]], chars: int) -> int:
    """How many of the newest messages take ``chars`` at most."""
    room = chars
    for number, (_, said) in enumerate(reversed(found)):
        room -= len(said.content)
        if room < 0:
            return number
    return len(found)


def _chars(history: Sequence[PastMessage]) -> int:
    return sum(len(past.content) for past in history)
