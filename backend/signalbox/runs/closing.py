"""How an attempt of a run ends: flushed, stored, told to its readers, in this order."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from signalbox.envelope import Event
from signalbox.errors import Fenced, LogUnavailable, SignalboxError, StoreUnavailable
from signalbox.events import Complete, Error, Retracted, RunStatus
from signalbox.runs.claims import ClaimStore
from signalbox.runs.ending import Outcome, ending_of
from signalbox.runs.store import Ending, Orphan, RunStore, StartedRun, final_status
from signalbox.stream.log import Batch, EventLog
from signalbox.stream.writer import RunWriter, stamp

logger = structlog.get_logger(__name__)

COMMIT_PATIENCE_S: Final = 60.0


class Closing:
    """``announce_work`` tells all workers that a run waits for one."""

    def __init__(
        self, store: RunStore, claims: ClaimStore, log: EventLog, announce_work: Callable[[], Awaitable[None]]
    ) -> None:
        self._store = store
        self._claims = claims
        self._log = log
        self._announce_work = announce_work

    async def end(self, run: StartedRun, writer: RunWriter, outcome: Outcome) -> None:
        """Flush, commit, then ``complete``: a reader that has seen the end finds it in the store."""
        if outcome.how == "fenced":
            return  # another attempt speaks for this run now
        if outcome.how == "released":
            await self._give_back(run)
            return
        failure = outcome.failure
        try:
            if failure is not None:
                await writer.emit(Error(code=failure.code, content=failure.public, retry=failure.retry))
            await writer.flush()
        except Fenced:
            return
        except LogUnavailable:
            logger.warning("ending a run whose events could not be logged")
        ending = ending_of(run, writer, outcome)
        if outcome.how == "waiting":
            await self._park(run, ending, writer)
            return
        try:
            standing, taken_back = await self._commit(run, ending, writer)
            if taken_back:
                await writer.emit(Retracted(user_message_id=run.message_id))
            await writer.close(Complete(status=final_status(standing)))
        except Fenced:
            return
        except LogUnavailable:
            logger.warning("complete could not be logged; readers learn it from the store")

    async def _give_back(self, run: StartedRun) -> None:
        try:
            if await self._claims.release(run):
                await self._announce_work()
        except StoreUnavailable:
            logger.warning("a run could not be given back: it goes on when its lease has run out")

    async def _park(self, run: StartedRun, ending: Ending, writer: RunWriter) -> None:
        try:
            waits = await self._claims.park(run, ending)
        except StoreUnavailable:
            logger.warning("a run could not be parked: it is when its lease has run out")
            return
        if not waits:
            await self._announce_work()
            return
        with contextlib.suppress(Fenced, LogUnavailable):
            await writer.close(Complete(status="waiting"))

    async def _commit(self, run: StartedRun, ending: Ending, writer: RunWriter) -> tuple[RunStatus, bool]:
        give_up = time.monotonic() + COMMIT_PATIENCE_S
        pause = 0.1
        while True:
            try:
                return await self._store.finish(run, ending)
            except StoreUnavailable as exc:
                if time.monotonic() > give_up:
                    # The lease runs out, and another worker ends it as soon as the database is back.
                    logger.exception("a run's ending could not be stored")
                    with contextlib.suppress(SignalboxError):
                        await writer.emit(Error(code=exc.code, content=exc.public, retry=True))
                    return "failed", False
                await asyncio.sleep(pause)
                pause = min(pause * 2, 2.0)

    async def close_stream(self, orphan: Orphan, *events: Event) -> None:
        """Append the end that a run's own writer did not; does nothing if it is there."""
        stamped = [stamp(event) for event in events]
        batch = Batch(
            conversation_id=orphan.conversation_id,
            run_id=orphan.run_id,
            fence=orphan.lease_token,
            number=0,
            epoch="",
            floor=None,
            events=stamped,
            closes=True,
            waits=orphan.status == "waiting",
        )
        await self._log.append([batch])
