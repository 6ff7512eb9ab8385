"""How an attempt of a run ends: flushed, stored, told to its readers, in this order."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Final

import structlog

from signalbox.blocks import ApprovalResolved
from signalbox.db import STORE_TROUBLE
from signalbox.envelope import Event
from signalbox.errors import Fenced, LogUnavailable, RunDead, SignalboxError, StoreUnavailable
from signalbox.events import Complete, Error, Retracted, RunStatus
from signalbox.runs.afterwards import Afterwards
from signalbox.runs.claims import ClaimStore
from signalbox.runs.ending import Outcome, ending_of
from signalbox.runs.records import Ending, Orphan, StartedRun, final_status
from signalbox.runs.store import RunStore
from signalbox.stream.log import Appended, Batch, EventLog, LogLost, NotNow
from signalbox.stream.writer import RunWriter, stamp

logger = structlog.get_logger(__name__)

COMMIT_PATIENCE_S: Final = 60.0
RETRACT_S: Final = 1.0

# So many runs have come to their end, with that status.
Ended = Callable[[RunStatus, int], None]


class Closing:
    """``announce_work`` tells all workers that a run waits for one; ``afterwards`` gets the runs that are over;
    ``ended`` counts them, by their status.
    """

    def __init__(
        self,
        store: RunStore,
        claims: ClaimStore,
        log: EventLog,
        announce_work: Callable[[], Awaitable[None]],
        afterwards: Afterwards | None = None,
        ended: Ended = lambda _status, _runs: None,
    ) -> None:
        self._store = store
        self._claims = claims
        self._log = log
        self._announce_work = announce_work
        self._afterwards = afterwards
        self._ended = ended
        # Runs whose readers have their end, and under which lease token; noted in the store now and then, all at once.
        self.told: list[tuple[str, int]] = []

    async def end(self, run: StartedRun, writer: RunWriter, outcome: Outcome) -> None:
        """Flush, commit, then ``complete``: a reader that has seen the end finds it in the store."""
        match outcome.how:
            case "fenced":
                return  # another attempt speaks for this run now
            case "released":
                await self._give_back(run)
                return
        try:
            await self._flush(writer, outcome.failure)
            ending = ending_of(run, writer, outcome)
            if outcome.how == "waiting":
                await self._park(run, ending, writer)
                return
            standing, taken_back = await self._commit(run, ending)
            self._ended(standing, 1)
            # Whoever stopped it wants no more work done for it; what it leaves is seen to at the end of the next.
            if not taken_back and standing != "cancelled" and self._afterwards is not None:
                self._afterwards.add(run)
            if taken_back:
                await writer.emit(Retracted(user_message_id=run.message_id))
            await writer.close(Complete(status=final_status(standing)))
            self.told.append((run.run_id, run.lease_token))
        except Fenced:
            return
        except StoreUnavailable:
            logger.warning("a run's ending could not be stored: another worker ends it when the lease has run out")
        except LogUnavailable:
            logger.warning("complete could not be logged; readers learn it from the store")

    async def _flush(self, writer: RunWriter, failure: SignalboxError | None) -> None:
        try:
            if failure is not None:
                await writer.emit(Error(code=failure.code, content=failure.public, retry=failure.retry))
            await writer.flush()
        except LogUnavailable:
            logger.warning("ending a run whose events could not be logged")

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

    async def _commit(self, run: StartedRun, ending: Ending) -> tuple[RunStatus, bool]:
        give_up = time.monotonic() + COMMIT_PATIENCE_S
        pause = 0.1
        while True:
            try:
                return await self._store.finish(run, ending)
            except StoreUnavailable:
                if time.monotonic() > give_up:
                    raise
                await asyncio.sleep(pause)
                pause = min(pause * 2, 2.0)

    async def tidy(self, grace_s: float) -> None:
        """End in the stream what is over in the store for ``grace_s``: a worker died in between, or there was none.

        Raises ``StoreUnavailable`` and ``LogUnavailable``.
        """
        await self.note_told()
        self._ended("dead", await self._claims.bury())
        for orphan in await self._claims.untold(grace_s):
            page = await self._log.position(orphan.conversation_id, run_id=orphan.run_id)
            if page is None or (page.run is None and orphan.retracted is None):
                self.told.append((orphan.run_id, orphan.lease_token))  # whoever asks now is told from the store
            elif await self.close_stream(orphan):
                logger.warning("ended a stream whose worker vanished", run_id=orphan.run_id)

    async def keep_tidy(self, every_s: float, grace_s: float) -> None:
        """``tidy`` now and then, until cancelled."""
        while True:
            await asyncio.sleep(every_s)
            try:
                await self.tidy(grace_s)
            except (LogUnavailable, *STORE_TROUBLE) as exc:
                logger.warning("lost ends not looked for", error=type(exc).__name__)

    async def retract(self, orphans: Sequence[Orphan]) -> None:
        """Tell the readers of runs that were taken back after their end, or while no worker had them.

        Takes ``RETRACT_S`` at most, since a message waits for it; what was not told then, ``tidy`` tells later.
        """
        if not orphans:
            return
        try:
            async with asyncio.timeout(RETRACT_S):
                await self._close_streams(orphans)
        except (TimeoutError, LogUnavailable):
            logger.warning("readers hear later that runs were taken back", runs=len(orphans))

    async def note_told(self) -> None:
        """Store whose readers have their end. Raises ``StoreUnavailable``."""
        told, self.told = self.told, []
        try:
            await self._claims.note_told(told)
        except StoreUnavailable:
            self.told += told
            raise

    async def cancelled(self, orphan: Orphan) -> None:
        """Tell the readers of a run that was cancelled while no worker had it. Raises ``LogUnavailable``."""
        self._ended("cancelled", 1)
        await self.close_stream(orphan)

    async def close_stream(self, orphan: Orphan) -> bool:
        """Append the end that a run's own writer did not; does nothing, and says so, if it is there."""
        (appended,) = await self._close_streams([orphan])
        return appended

    async def _close_streams(self, orphans: Sequence[Orphan]) -> list[bool]:
        results = await self._log.append([_closing_batch(orphan) for orphan in orphans])
        for orphan, result in zip(orphans, results, strict=True):
            if not isinstance(result, NotNow | LogLost):  # else it is tried again
                self.told.append((orphan.run_id, orphan.lease_token))
        return [isinstance(result, Appended) for result in results]


def _closing_batch(orphan: Orphan) -> Batch:
    return Batch(
        conversation_id=orphan.conversation_id,
        run_id=orphan.run_id,
        fence=orphan.lease_token,
        number=0,
        epoch="",
        floor=None,
        events=[stamp(event) for event in _end_of(orphan)],
        closes=True,
        waits=orphan.status == "waiting",
        retracts=orphan.retracted is not None,
    )


def _end_of(orphan: Orphan) -> Iterator[Event]:
    for approval_id in orphan.unanswered:
        yield ApprovalResolved(approval_id=approval_id, decision="rejected")
    if orphan.buried:
        note = RunDead()
        yield Error(code=note.code, content=note.public, retry=note.retry)
    if orphan.retracted is not None:
        yield Retracted(user_message_id=orphan.retracted)
    yield Complete(status=final_status(orphan.status))
