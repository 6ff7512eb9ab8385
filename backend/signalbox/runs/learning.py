"""Learns lasting facts from what a user said, after their run has ended: never for the reply that it belongs to.

A run answers from the profile it began with, so what is learned counts from the next message on. A message that no
process has read to its end (it died, or no model could be asked) is read at the end of a later run of its user.
"""

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from signalbox.agents.talk.care import in_crisis
from signalbox.llm.base import Model
from signalbox.memory.extraction import Learned, extracted, tells_of_writer
from signalbox.memory.overtaken import not_overtaken
from signalbox.memory.profile import Overdue, Owner, ProfileStore, Unread
from signalbox.runs.records import StartedRun

logger = structlog.get_logger(__name__)

# Who has said more since may have said anything of it.
MOST_SINCE: Final = 200


class Learner:
    """``model_for`` gives the model to ask for a run, whose calls are entered in the books by whoever made it."""

    def __init__(
        self, profiles: ProfileStore, model_for: Callable[[StartedRun], Model], overdue: Overdue | None = None
    ) -> None:
        self._profiles = profiles
        self._model_for = model_for
        self._overdue = overdue or Overdue()

    async def after(self, run: StartedRun) -> None:
        """Store what the message says of its writer and rules have not read, and what earlier ones say that were left
        unread. Nothing of a temporary conversation, of a user who wants nothing remembered, or of a message that was
        taken back. Raises ``StoreUnavailable``.
        """
        model = None if run.temporary else self._model_for(run)
        if model is None or not model.instructable:
            return
        # A quick reply is not in the user's own words.
        tells = run.chosen_intent is None and bool(tells_of_writer(run.message))
        for unread in await self._profiles.unread(run.owner, run.run_id if tells else None, self._overdue):
            await self._read(run.owner, model, unread, late=unread.said.run_id != run.run_id)
        if not tells:
            await self._profiles.read(run.owner, run.run_id)

    async def _read(self, owner: Owner, model: Model, unread: Unread, *, late: bool) -> None:
        learned = await self._found(owner, model, unread, late=late)
        if learned is None:
            return  # nobody could be asked: it is taken up again
        if learned.changes:
            change = await self._profiles.learn(owner, learned.add, learned.replace, said=unread.said)
            logger.info("learned from a message", added=len(change.added), removed=len(change.removed), late=late)
        await self._profiles.read(owner, unread.said.run_id)

    async def _found(self, owner: Owner, model: Model, unread: Unread, *, late: bool) -> Learned | None:
        said = tells_of_writer(unread.message)
        # Despair is no fact to keep of anybody.
        if not said or await asyncio.to_thread(in_crisis, unread.message):
            return Learned()
        # As it stands now: what rules took from this message is in it.
        profile = await self._profiles.facts(owner)
        learned = await extracted(model, said, profile, message_id=unread.said.message_id)
        if learned is None or not late:
            return learned
        since = await self._profiles.said_since(owner, unread, MOST_SINCE + 1)
        if len(since) > MOST_SINCE:
            return Learned()
        return await asyncio.to_thread(not_overtaken, learned, profile, since)
