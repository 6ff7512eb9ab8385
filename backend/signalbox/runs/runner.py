"""Owns every running turn of this process: starts it, renews its lease, cancels it, and guarantees its end.

The run boundary (``_run``) is the one place that turns whatever happened into a stored status and exactly
one ``complete``, in that order. A run knows no reader.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import structlog

from signalbox.agents.base import TurnContext
from signalbox.blocks import SuggestionChosen
from signalbox.envelope import Event
from signalbox.errors import Fenced, LogUnavailable, RunInterrupted, SignalboxError, StoreUnavailable
from signalbox.events import Complete, Error, RunStarted, RunStatus
from signalbox.graph.state import TurnState
from signalbox.memory.conversation import PastMessage
from signalbox.memory.profile import Owner
from signalbox.runs.ending import Outcome, ending_of
from signalbox.runs.store import Ending, Orphan, RunRow, RunStore, StartedRun, final_status, new_id
from signalbox.stream.hub import CONTROL, Hub, Start
from signalbox.stream.log import Batch, Cursor, EventLog
from signalbox.stream.writer import Appender, RunWriter, stamp

logger = structlog.get_logger(__name__)

RUN_LIMIT_S: Final = 600.0
COMMIT_PATIENCE_S: Final = 60.0
TURN_POLL_S: Final = 0.25


class Answers(Protocol):
    async def answer(self, state: TurnState, ctx: TurnContext) -> TurnState: ...


ContextFor = Callable[[StartedRun, str, RunWriter], TurnContext]


class Runner:
    """``serve()`` is the task that owns all runs; ``start`` may be called while it is up.

    ``context_for(run, answer_id, writer)`` composes what the run's agents get.
    """

    def __init__(
        self,
        *,
        store: RunStore,
        log: EventLog,
        hub: Hub,
        appender: Appender,
        orchestrator: Answers,
        context_for: ContextFor,
        publish: Callable[[str, str], Awaitable[None]],
        lease_s: float,
        buffer_ttl_s: float,
    ) -> None:
        self._store = store
        self._log = log
        self._hub = hub
        self._appender = appender
        self._orchestrator = orchestrator
        self._context_for = context_for
        self._publish = publish
        self._lease = lease_s
        self._renew_every = min(lease_s, buffer_ttl_s) / 3
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._runs: dict[str, StartedRun] = {}
        self._writers: dict[str, RunWriter] = {}
        self._stop_reason: dict[str, str] = {}
        self._begun: set[str] = set()
        self._unclosed: list[Orphan] = []
        self._group: asyncio.TaskGroup | None = None
        self._over = asyncio.Condition()
        hub.on_control = self._control

    async def serve(self, ready: asyncio.Event, stop: asyncio.Event) -> None:
        """Run until ``stop`` is set and every run has ended."""
        async with asyncio.TaskGroup() as group:
            self._group = group
            keepers = [group.create_task(self._renew()), group.create_task(self._bury())]
            ready.set()
            await stop.wait()
            for keeper in keepers:
                keeper.cancel()

    @property
    def active(self) -> int:
        return len(self._tasks)

    def start(self, run: StartedRun) -> Start:
        """Start the run; the result tells where its events begin, once they do."""
        assert self._group is not None
        writer = RunWriter(
            self._appender,
            conversation_id=run.conversation_id,
            run_id=run.run_id,
            fence=run.lease_token,
            floor=run.floor,
        )
        self._runs[run.run_id] = run
        self._writers[run.run_id] = writer
        self._tasks[run.run_id] = self._group.create_task(self._run(run, writer), name=run.run_id)
        return writer.start

    async def row(self, owner: Owner, run_id: str) -> RunRow:
        """The run as it stands; for one that is going on here no look into the store is needed."""
        run = self._runs.get(run_id)
        if run is not None and run.owner == owner:
            return RunRow.of(run)
        return await self._store.run(owner, run_id)

    def beginning(self, run_id: str) -> Cursor | None:
        """Just before the first event of a run that goes on here, once it is in the log."""
        writer = self._writers.get(run_id)
        return writer.start() if writer is not None else None

    async def cancel(self, owner: Owner, run_id: str) -> RunRow:
        """Ask for the run's end, wherever it runs. The row says what came of it so far."""
        row = await self._store.request_cancel(owner, run_id)
        if not row.over:
            await self.stop(run_id)
        return row

    async def stop(self, run_id: str) -> None:
        """Stop the run here, or tell the process that has it."""
        if run_id in self._tasks:
            self._interrupt(run_id, "cancelled")
        else:
            await self._publish(CONTROL, f"cancel:{run_id}")

    async def drain(self, grace_s: float) -> None:
        """Let runs finish for ``grace_s``, then interrupt them: each still ends with an error and a complete."""
        deadline = time.monotonic() + grace_s
        async with self._over:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(
                    self._over.wait_for(lambda: not self._tasks), max(0.0, deadline - time.monotonic())
                )
        for run_id in list(self._tasks):
            self._interrupt(run_id, "interrupted")
        if self._tasks:
            await asyncio.wait(list(self._tasks.values()), timeout=5)

    def _interrupt(self, run_id: str, reason: str) -> None:
        if run_id in self._stop_reason:
            return
        self._stop_reason[run_id] = reason
        if run_id in self._begun:  # a task cancelled before its first step would never run its own ending
            self._tasks[run_id].cancel()

    def _control(self, data: bytes) -> None:
        verb, _, run_id = data.decode("ascii", "replace").partition(":")
        if verb == "cancel" and run_id in self._tasks:
            self._interrupt(run_id, "cancelled")

    # -- one run

    async def _run(self, run: StartedRun, writer: RunWriter) -> None:
        """The run boundary: whatever happens inside ends in a stored status and one ``complete``."""
        structlog.contextvars.bind_contextvars(run_id=run.run_id)
        answer_id = new_id("m")
        self._begun.add(run.run_id)
        try:
            outcome = await self._attempt(run, answer_id, writer)
            # From here on a late cancel must not tear the ending apart.
            self._stop_reason.setdefault(run.run_id, "ending")
            await self._end(run, answer_id, writer, outcome)
        except Exception as exc:  # a bug in the ending: the lease runs out and the run is ended as orphaned
            logger.exception("a run could not be ended", error=type(exc).__name__)
        finally:
            self._tasks.pop(run.run_id, None)
            self._runs.pop(run.run_id, None)
            self._writers.pop(run.run_id, None)
            self._stop_reason.pop(run.run_id, None)
            self._begun.discard(run.run_id)
            if writer.registered:
                self._hub.written(run.conversation_id)
            async with self._over:
                self._over.notify_all()

    async def _attempt(  # noqa: PLR0911 - one return per way a run can go
        self, run: StartedRun, answer_id: str, writer: RunWriter
    ) -> Outcome:
        limit = asyncio.timeout(None)
        try:
            if run.run_id in self._stop_reason:
                return self._stopped(run)
            history = await self._wait_for_turn(run, writer) if run.waits else run.history
            async with limit:
                limit.reschedule(asyncio.get_running_loop().time() + RUN_LIMIT_S)
                return Outcome(final=await self._answer(run, history, answer_id, writer))
        except asyncio.CancelledError as exc:
            if run.run_id in self._stop_reason:
                self._uncancel()
                return self._stopped(run)
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise  # not ours: the process is being torn down
            logger.exception("a part of a run was cancelled from inside", error=type(exc).__name__)
            return Outcome(failure=SignalboxError())
        except SignalboxError as exc:
            logger.warning("run failed", code=exc.code, error=repr(exc.__cause__ or exc))
            return Outcome(failure=exc)
        except Exception as exc:  # a bug in an agent, or the limit
            if limit.expired():
                text = f"The answer took longer than {RUN_LIMIT_S:g} seconds and was stopped."
                return Outcome(failure=RunInterrupted(text))
            logger.exception("run failed", error=type(exc).__name__)
            return Outcome(failure=SignalboxError())

    def _stopped(self, run: StartedRun) -> Outcome:
        cancelled = self._stop_reason[run.run_id] == "cancelled"
        return Outcome(cancelled=True) if cancelled else Outcome(failure=RunInterrupted())

    @staticmethod
    def _uncancel() -> None:
        task = asyncio.current_task()
        assert task is not None
        while task.cancelling():
            task.uncancel()

    async def _answer(
        self, run: StartedRun, history: tuple[PastMessage, ...], answer_id: str, writer: RunWriter
    ) -> TurnState:
        self._hub.writing(run.conversation_id)
        writer.registered = True
        await writer.emit(RunStarted(attempt=run.attempt, user_message_id=run.message_id, message=run.message))
        if run.suggestion_id is not None:
            await writer.emit(SuggestionChosen(suggestion_id=run.suggestion_id))
        state = TurnState(
            message=run.message,
            message_id=run.message_id,
            history=history,
            profile=run.profile,
            temporary=run.temporary,
            chosen_intent=run.chosen_intent,
        )
        return await self._orchestrator.answer(state, self._context_for(run, answer_id, writer))

    async def _wait_for_turn(self, run: StartedRun, writer: RunWriter) -> tuple[PastMessage, ...]:
        """A conversation has one writer at a time: wait for the runs before this one, then read what they said."""
        while await self._store.ahead(run.run_id):
            async with self._over:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._over.wait(), TURN_POLL_S)
        history, floor = await self._store.context(run)
        writer.floor = floor
        return history

    async def _end(self, run: StartedRun, answer_id: str, writer: RunWriter, outcome: Outcome) -> None:
        """Flush, commit, then ``complete``: a reader that has seen the end finds it in the store."""
        failure = outcome.failure
        if isinstance(failure, Fenced):
            return  # another attempt speaks for this run now
        try:
            if failure is not None:
                await writer.emit(Error(code=failure.code, content=failure.public, retry=failure.retry))
            await writer.flush()
        except Fenced:
            return
        except LogUnavailable:
            logger.warning("ending a run whose events could not be logged")
        standing = await self._commit(run, ending_of(run, answer_id, writer, outcome), writer)
        try:
            await writer.close(Complete(status=final_status(standing)))
        except (Fenced, LogUnavailable):
            logger.warning("complete could not be logged; readers learn it from the store")

    async def _commit(self, run: StartedRun, ending: Ending, writer: RunWriter) -> RunStatus:
        give_up = time.monotonic() + COMMIT_PATIENCE_S
        pause = 0.1
        while True:
            try:
                return await self._store.finish(run, ending)
            except StoreUnavailable as exc:
                if time.monotonic() > give_up:
                    # The lease runs out and the row becomes 'failed' too, as soon as the database is back.
                    logger.exception("a run's ending could not be stored")
                    with contextlib.suppress(SignalboxError):
                        await writer.emit(Error(code=exc.code, content=exc.public, retry=True))
                    return "failed"
                await asyncio.sleep(pause)
                pause = min(pause * 2, 2.0)

    # -- keepers

    async def _renew(self) -> None:
        """Leases and log lifetimes on a timer of their own: neither may depend on the work's progress."""
        while True:
            await asyncio.sleep(self._renew_every)
            if not self._tasks:
                continue
            try:
                asked = list(self._tasks)
                held = await self._store.renew(asked)
                for run_id in asked:
                    # Not held any more: cancelled from elsewhere, taken over, or deleted with its conversation.
                    if held.get(run_id, True) and run_id in self._tasks:
                        self._interrupt(run_id, "cancelled")
                await self._log.touch(list({run.conversation_id for run in self._runs.values()}))
            except (StoreUnavailable, LogUnavailable) as exc:
                logger.warning("leases not renewed", code=exc.code)

    async def _bury(self) -> None:
        """End runs whose worker vanished, in the store and in the stream."""
        while True:
            try:
                self._unclosed += await self._store.end_orphans()
                while self._unclosed:
                    orphan = self._unclosed[0]
                    logger.warning("ending a run whose worker vanished", run_id=orphan.run_id)
                    await self.close_stream(orphan, *_last_words(orphan))
                    self._unclosed.pop(0)
            except (StoreUnavailable, LogUnavailable) as exc:
                logger.warning("vanished workers not looked for", code=exc.code)
                # While the store was away nobody could renew: give the living a whole lease to say so.
                await asyncio.sleep(self._lease)
            await asyncio.sleep(self._renew_every)

    async def close_stream(self, orphan: Orphan, *events: Event) -> None:
        """Append the end that a run's own writer did not; does nothing if it is there."""
        stamped = [stamp(event) for event in events]
        batch = Batch(orphan.conversation_id, orphan.run_id, orphan.lease_token, 0, "", None, stamped, closes=True)
        await self._log.append([batch])


def _last_words(orphan: Orphan) -> list[Event]:
    end = Complete(status=final_status(orphan.status))
    if orphan.status == "cancelled":
        return [end]
    note = RunInterrupted()
    return [Error(code=note.code, content=note.public, retry=note.retry), end]
