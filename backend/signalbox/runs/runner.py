"""Owns every run that this process works on: claims it, renews its lease, cancels it, and guarantees its end.

The run boundary (``_run``) is the one place that turns whatever happened into a stored status and exactly one
``complete``, in that order. A run knows no reader, and no run depends on this process: another one takes it over.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import Final, NoReturn

import structlog

from signalbox.agents.base import TurnContext
from signalbox.db import STORE_TROUBLE
from signalbox.errors import (
    LogUnavailable,
    NotFound,
    OtherVersion,
    RunDead,
    RunInterrupted,
    SignalboxError,
    StoreUnavailable,
    TooManyWaiting,
)
from signalbox.graph.build import Orchestrator
from signalbox.memory.profile import Owner
from signalbox.runs.afterwards import Afterwards
from signalbox.runs.claims import Claim, ClaimStore, Limits
from signalbox.runs.closing import Closing, Ended
from signalbox.runs.ending import Outcome, failed
from signalbox.runs.journal import RunJournal
from signalbox.runs.opening import Declined, opened
from signalbox.runs.pins import Pins
from signalbox.runs.records import Begin, NewRun, Orphan, RunRow, StartedRun
from signalbox.runs.steps import StepStore
from signalbox.runs.store import RunStore
from signalbox.runs.takeover import taken_over
from signalbox.stream.hub import CONTROL, Hub, Start
from signalbox.stream.log import Cursor, EventLog
from signalbox.stream.writer import Appender, RunWriter

logger = structlog.get_logger(__name__)

RUN_LIMIT_S: Final = 600.0
# A cancel is announced; where the announcement is lost, it is seen this soon.
WATCH_S: Final = 0.5
POLL_S: Final = 2.0
CLAIM_AT_ONCE: Final = 32


# Composes what the run's agents get, from the run and the journal of this attempt.
ContextFor = Callable[[StartedRun, RunJournal], Awaitable[TurnContext]]


class Runner:
    """``serve()`` is the task that owns all runs; ``submit`` may be called while it is up."""

    def __init__(
        self,
        *,
        store: RunStore,
        claims: ClaimStore,
        steps: StepStore,
        log: EventLog,
        hub: Hub,
        appender: Appender,
        orchestrator: Orchestrator,
        context_for: ContextFor,
        publish: Callable[[str, str], Awaitable[None]],
        pins: Pins,
        model: str,
        limits: Limits,
        afterwards: Afterwards,
        lease_s: float,
        buffer_ttl_s: float,
        ended: Ended = lambda _status, _runs: None,
    ) -> None:
        self._store = store
        self._claims = claims
        self._steps = steps
        self._log = log
        self._hub = hub
        self._appender = appender
        self._orchestrator = orchestrator
        self._context_for = context_for
        self._publish = publish
        self._pins = pins
        self._model = model
        self._limits = limits
        self._lease = lease_s
        self._renew_every = min(lease_s, buffer_ttl_s) / 3
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._runs: dict[str, StartedRun] = {}
        self._writers: dict[str, RunWriter] = {}
        self._stop_reason: dict[str, str] = {}
        self._begun: set[str] = set()
        self._group: asyncio.TaskGroup | None = None
        self._over = asyncio.Condition()
        self._afterwards = afterwards
        self._declined = Declined()
        self._closing = Closing(store, claims, log, self.announce_work, afterwards, ended)
        self._work = asyncio.Event()
        self._backlog = False  # whether runs are known to wait for a worker
        self._draining = False
        self._claiming = asyncio.Lock()
        hub.on_control = self._control

    async def serve(self, ready: asyncio.Event, stop: asyncio.Event) -> None:
        """Run until ``stop`` is set and every run has ended."""
        async with asyncio.TaskGroup() as group:
            self._group = group
            tidying = self._closing.keep_tidy(self._renew_every, self._lease)
            keepers = [group.create_task(work) for work in (self._renew(), self._watch(), tidying)]
            if self._limits.runs:
                keepers.append(group.create_task(self._claim()))
            keepers.append(group.create_task(self._afterwards.serve()))
            ready.set()
            await stop.wait()
            for keeper in keepers:
                keeper.cancel()

    @property
    def model(self) -> str:
        """What new runs begin with."""
        return self._model

    @property
    def active(self) -> int:
        return len(self._tasks)

    # -- starting

    async def submit(self, new: NewRun) -> tuple[StartedRun | RunRow, Start | None]:
        """Store the message and its run, and begin it here if there is room; ``Start`` tells where its events begin,
        once they do. Raises what ``RunStore.start_or_replace`` does.
        """
        if self._backlog and await self._store.waiting(new) >= self._limits.waiting:
            raise TooManyWaiting
        begin = Begin(self._has_room(new.owner), self._limits.per_user, self._model, self._pins.digest)
        started, replaced = await self._store.start_or_replace(new, begin)
        try:
            await self._closing.retract(replaced.ended)  # before the new run says anything
        finally:
            # It is leased to this process: whatever becomes of its caller, somebody has to work on it.
            start = self._begin(started) if isinstance(started, StartedRun) else None
        for run_id in replaced.going:
            await self.stop(run_id)
        if isinstance(started, StartedRun):
            return started, start
        for run_id in started.ahead:
            if new.if_busy in {"interrupt", "rollback"}:
                await self._make_way(new, run_id)
        if started.status == "pending":
            await self.announce_work()
        return started, None

    def _has_room(self, owner: Owner) -> bool:
        free = self._limits.runs - len(self._tasks)
        if self._draining or free <= 0 or (self._backlog and free <= CLAIM_AT_ONCE):
            return False  # where room is scarce, who waits already goes first
        return sum(run.owner == owner for run in self._runs.values()) < self._limits.per_user

    async def _make_way(self, new: NewRun, run_id: str) -> None:
        if new.if_busy == "rollback":
            await self._store.roll_back(new.owner, run_id)
        with contextlib.suppress(NotFound):
            await self.cancel(new.owner, run_id)

    def _begin(self, run: StartedRun) -> Start:
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

    async def close_stream(self, orphan: Orphan) -> bool:
        """Append the end that a run's own writer did not; does nothing, and says so, if it is there."""
        return await self._closing.close_stream(orphan)

    async def forgotten(self, conversation_id: str) -> None:
        """Tell all processes that the conversation is gone: its readers have nothing to wait for."""
        await self._publish(CONTROL, f"gone:{conversation_id}")

    # -- stopping

    async def cancel(self, owner: Owner, run_id: str) -> RunRow:
        """Ask for the run's end, wherever it runs. The row says what came of it so far. Raises ``NotFound``."""
        ended = await self._store.request_cancel(owner, run_id)
        if ended is not None:
            await self._closing.cancelled(ended)
        row = await self._store.run(owner, run_id)
        if not row.over:
            await self.stop(run_id)
        return row

    async def stop(self, run_id: str) -> None:
        """Stop the run here, or tell the process that has it."""
        if run_id in self._tasks:
            self._interrupt(run_id, "cancelled")
        else:
            await self._publish(CONTROL, f"cancel:{run_id}")
            await self.announce_work()

    async def drain(self, grace_s: float) -> None:
        """Let runs finish for ``grace_s``; what is not done then is given back, for another worker to go on with."""
        self._draining = True
        deadline = time.monotonic() + grace_s
        async with self._claiming:
            pass  # what is being claimed is begun, and then given back
        async with self._over:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(
                    self._over.wait_for(lambda: not self._tasks), max(0.0, deadline - time.monotonic())
                )
        for run_id in list(self._tasks):
            self._interrupt(run_id, "released")
        if self._tasks:
            await asyncio.wait(list(self._tasks.values()), timeout=5)
        await self._afterwards.drain(max(0.0, deadline - time.monotonic()))
        with contextlib.suppress(*STORE_TROUBLE):
            await self._closing.note_told()

    def _interrupt(self, run_id: str, reason: str) -> None:
        if run_id in self._stop_reason:
            return
        self._stop_reason[run_id] = reason
        if run_id in self._begun:  # a task cancelled before its first step would never run its own ending
            self._tasks[run_id].cancel()

    def _control(self, data: bytes) -> None:
        verb, _, run_id = data.decode("ascii", "replace").partition(":")
        if verb == "work":
            self._backlog = True
            self._work.set()
        elif verb == "cancel" and run_id in self._tasks:
            self._interrupt(run_id, "cancelled")
        elif verb == "gone":
            self._hub.doubt(run_id)

    async def announce_work(self) -> None:
        """Tell all workers that a run waits for one."""
        self._backlog = True
        self._work.set()
        await self._publish(CONTROL, "work:")

    # -- one run

    async def _run(self, run: StartedRun, writer: RunWriter) -> None:
        """The run boundary: whatever happens inside ends in a stored status and one ``complete``."""
        structlog.contextvars.bind_contextvars(run_id=run.run_id)
        self._begun.add(run.run_id)
        try:
            outcome = await self._attempt(run, writer)
            # From here on a late cancel must not tear the ending apart.
            self._stop_reason.setdefault(run.run_id, "ending")
            await self._closing.end(run, writer, outcome)
        except Exception as exc:  # a bug in the ending: the lease runs out and another worker tries
            logger.exception("a run could not be ended", error=type(exc).__name__)
        finally:
            self._tasks.pop(run.run_id, None)
            self._runs.pop(run.run_id, None)
            self._writers.pop(run.run_id, None)
            self._stop_reason.pop(run.run_id, None)
            self._begun.discard(run.run_id)
            if writer.registered:
                self._hub.written(run.conversation_id)
            if self._backlog:
                self._work.set()  # what waited for this run, or for its place
            async with self._over:
                self._over.notify_all()
            # Last: whoever heard the end and asks again must not find the run here any more.
            if self._backlog:
                await self.announce_work()

    async def _attempt(  # noqa: PLR0911 - one return per way a run can go
        self, run: StartedRun, writer: RunWriter
    ) -> Outcome:
        limit = asyncio.timeout(RUN_LIMIT_S)
        try:
            if run.run_id in self._stop_reason:
                return self._stopped(run, writer)
            journal = await self._journal(run, writer)
            if journal is None:
                return Outcome(how="released")
            if run.cancelled or run.given_up:
                return Outcome(how="cancelled") if run.cancelled else Outcome(how="dead", failure=RunDead())
            async with limit:
                return await self._answer(run, journal)
        except asyncio.CancelledError as exc:
            if run.run_id in self._stop_reason:
                return self._stopped(run, writer)
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise  # not ours: the process is being torn down
            logger.exception("a part of a run was cancelled from inside", error=type(exc).__name__)
            return Outcome(how="failed", failure=SignalboxError())
        except SignalboxError as exc:
            return failed(exc)
        except Exception as exc:  # a bug in an agent, or the limit
            if limit.expired():
                text = f"The answer took longer than {RUN_LIMIT_S:g} seconds and was stopped."
                return Outcome(how="failed", failure=RunInterrupted(text))
            logger.exception("run failed", error=type(exc).__name__)
            return Outcome(how="failed", failure=SignalboxError())

    def _stopped(self, run: StartedRun, writer: RunWriter) -> Outcome:
        task = asyncio.current_task()
        while task is not None and task.cancelling():
            task.uncancel()
        match self._stop_reason[run.run_id]:
            case "cancelled" if run.fresh or writer.epoch:
                return Outcome(how="cancelled")
            case "waiting" | "fenced" as how:
                return Outcome(how=how)
            case _:  # also a cancel before what it has said is at hand: whoever claims it next can end it
                return Outcome(how="released")

    async def _journal(self, run: StartedRun, writer: RunWriter) -> RunJournal | None:
        """What the run has done already, with the log in our hands; None if that cannot be had just now."""
        self._hub.writing(run.conversation_id)
        writer.registered = True

        async def halt(reason: str) -> NoReturn:
            self._interrupt(run.run_id, reason)
            await asyncio.get_running_loop().create_future()
            raise AssertionError

        try:
            return await taken_over(
                run, writer, steps=self._steps, log=self._log, halt=halt, approval_s=self._limits.approval_s
            )
        except (StoreUnavailable, LogUnavailable) as exc:
            logger.warning("a run could not be taken over yet", code=exc.code)
            await asyncio.sleep(POLL_S)
            return None  # truth: not taken over yet; the run is claimed again later

    async def _answer(self, run: StartedRun, journal: RunJournal) -> Outcome:
        agent = self._orchestrator.missing(journal.begun, run.answer_id)
        if agent is None:
            state = await opened(run, journal)
            return Outcome(final=await self._orchestrator.answer(state, await self._context_for(run, journal)))
        # Nobody else is to answer in its place: what it has asked the user, and what it was allowed, is its own.
        logger.warning("the agent that began a run is not here", agent=agent)
        if self._declined.add(run.run_id):
            return Outcome(how="released")
        text = f"The agent '{agent}' that began this answer is not part of this server any more. What it did is done."
        raise OtherVersion(text)

    # -- keepers

    async def _claim(self) -> None:
        """Take runs that nobody works on: when told, and now and then in case nobody told."""
        pause = min(POLL_S, self._lease / 2)
        wake_due = time.monotonic() + pause
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._work.wait(), pause)
            self._work.clear()
            try:
                if time.monotonic() >= wake_due:  # however often we are told of other work
                    await self._claims.wake_decided()
                    wake_due = time.monotonic() + pause
                async with self._claiming:
                    await self._claim_some()
            except STORE_TROUBLE as exc:
                logger.warning("no runs could be claimed", error=type(exc).__name__)
                await asyncio.sleep(POLL_S)

    async def _claim_some(self) -> None:
        room = min(self._limits.runs - len(self._tasks), CLAIM_AT_ONCE)
        if room <= 0 or self._draining:
            return
        claim = Claim(
            room, self._limits.per_user, self._limits.attempts, self._model, self._pins.digest, self._declined.now()
        )
        claimed, self._backlog = await self._claims.claim(claim)
        for run in claimed:
            if not await self._make_room_for(run):
                with contextlib.suppress(StoreUnavailable):
                    await self._claims.release(run)
                continue
            if not run.fresh:
                logger.info("taking over a run", run_id=run.run_id, attempt=run.attempt)
            self._begin(run)
        if len(claimed) == room:
            self._work.set()

    async def _make_room_for(self, run: StartedRun) -> bool:
        """An older attempt of this very process that lost its lease must be gone first. False: it takes its time."""
        if run.run_id in self._tasks:
            self._interrupt(run.run_id, "fenced")
            await asyncio.wait([self._tasks[run.run_id]], timeout=1)
        return run.run_id not in self._tasks

    async def _renew(self) -> None:
        """Leases and log lifetimes on a timer of their own: neither may depend on the work's progress."""
        while True:
            await asyncio.sleep(self._renew_every)
            asked = {run_id: run.lease_token for run_id, run in self._runs.items()}
            if not asked:
                continue
            try:
                held = await self._claims.renew(list(asked))
                for run_id, token in asked.items():
                    mine, here = held.get(run_id), self._runs.get(run_id)
                    if here is None or here.lease_token != token:
                        continue
                    if mine is None or mine.token != token:  # taken over, or deleted with its conversation
                        self._interrupt(run_id, "fenced")
                    elif mine.cancel_requested:
                        self._interrupt(run_id, "cancelled")
                await self._log.touch(list({run.conversation_id for run in self._runs.values()}))
            except (LogUnavailable, *STORE_TROUBLE) as exc:
                logger.warning("leases not renewed", error=type(exc).__name__)

    async def _watch(self) -> None:
        """Cancels asked for on another process are seen within ``WATCH_S`` even if no announcement came."""
        while True:
            await asyncio.sleep(WATCH_S)
            if not self._tasks:
                continue
            with contextlib.suppress(*STORE_TROUBLE):
                for run_id in await self._claims.cancelled(list(self._tasks)):
                    if run_id in self._tasks:
                        self._interrupt(run_id, "cancelled")
