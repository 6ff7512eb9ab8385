"""Learns lasting facts from what a user said, after their run has ended: never for the reply that it belongs to.

A run answers from the profile it began with, so what is learned counts from the next message on.
"""

from collections.abc import Callable

import structlog

from signalbox.llm.base import Model
from signalbox.memory.extraction import extracted, tells_of_writer
from signalbox.memory.profile import ProfileStore, Said
from signalbox.runs.records import StartedRun

logger = structlog.get_logger(__name__)


class Learner:
    """``model_for`` gives the model to ask for a run, whose calls are entered in the books by whoever made it."""

    def __init__(self, profiles: ProfileStore, model_for: Callable[[StartedRun], Model]) -> None:
        self._profiles = profiles
        self._model_for = model_for

    async def after(self, run: StartedRun) -> None:
        """Store what the message says of its writer and rules have not read. Nothing of a temporary conversation, of a
        user who wants nothing remembered, or of a message that was taken back. Raises ``StoreUnavailable``.
        """
        if run.temporary or run.chosen_intent is not None:
            return  # a quick reply is not in the user's own words
        said = tells_of_writer(run.message)
        model = self._model_for(run) if said else None
        if model is None or not model.instructable or not await self._profiles.remembers(run.owner):
            return
        # As it stands now: what rules took from this message is in it.
        profile = await self._profiles.facts(run.owner)
        learned = await extracted(model, said, profile, message_id=run.message_id)
        if learned is None or not learned.changes:
            return
        where = Said(run.message_id, run.run_id, run.started_at)
        change = await self._profiles.learn(run.owner, learned.add, learned.replace, said=where)
        logger.info("learned from a message", added=len(change.added), removed=len(change.removed))
