"""Owns every running turn of this process: starts it, renews its lease, cancels it, and guarantees its end.

The run boundary (``_run``) is the one place that turns whatever happened into a stored status and exactly
one ``complete``, in that order. A run knows no reader.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

import structlog

from signalbox.agents.base import TurnContext
from signalbox.blocks import SuggestionChosen, Suggestions
from signalbox.envelope import Event
from signalbox.errors import Fenced, LogUnavailable, RunInterrupted, SignalboxError, StoreUnavailable
from signalbox.events import (
    BLOCK_TYPES,
    Chunk,
    Complete,
    Error,
    FinalStatus,
    IntentClassified,
    Message,
    Rewind,
    RunStarted,
    RunStatus,
    Usage,
)
from signalbox.graph.state import TurnState
from signalbox.memory.profile import Owner
from signalbox.runs.store import Ending, Orphan, RunRow, RunStore, StartedRun, new_id
from signalbox.stream.hub import CONTROL, Hub
from signalbox.stream.log import Batch, Cursor, EventLog
from signalbox.stream.writer import Appender, RunWriter, stamp

logger = structlog.get_logger(__name__)

RUN_LIMIT_S: Final = 600.0
COMMIT_PATIENCE_S: Final = 60.0
TURN_POLL_S: Final = 0.25


class Answers(Protocol):
    async def answer(self, state: TurnState, ctx: TurnContext) -> TurnState: ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the work of a run went, before it is stored."""

    final: TurnState | None = None
    failure: SignalboxError | None = None
    cancelled: bool = False

    @property
    def status(self) -> FinalStatus:
        if self.cancelled:
            return "cancelled"
        return "failed" if self.failure else "succeeded"


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
        publish: Callable[[str, str], Any],
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

    def start(self, run: StartedRun) -> None:
        assert self._group is not None
        self._runs[run.run_id] = run
        self._tasks[run.run_id] = self._group.create_task(self._run(run), name=run.run_id)

    async def row(self, owner: Owner, run_id: str) -> RunRow:
        """The run as it stands; for one that is going on here no look into the store is needed."""
        run = self._runs.get(run_id)
        if run is not None and run.owner == owner:
            return RunRow.of(run)
        return await self._store.run(owner, run_id)

    def beginning(self, run_id: str) -> Cursor | None:
        """Just before the first event of a run that goes on here, once it is in the log."""
        writer = self._writers.get(run_id)
        return Cursor(writer.epoch, writer.first - 1) if writer is not None and writer.first else None

    async def cancel(self, owner: Owner, run_id: str) -> RunRow:
        """Ask for the run's end, wherever it runs. The row says what came of it so far."""
        row = await self._store.request_cancel(owner, run_id)
        if not row.over:
            self.stop(run_id)
        return row

    def stop(self, run_id: str) -> None:
        """Stop the run here, or tell the process that has it."""
        if run_id in self._tasks:
            self._interrupt(run_id, "cancelled")
        else:
            self._publish(CONTROL, f"cancel:{run_id}")

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
        if run_id not in self._stop_reason:
            self._stop_reason[run_id] = reason
            self._tasks[run_id].cancel()

    def _control(self, data: bytes) -> None:
        verb, _, run_id = data.decode("ascii", "replace").partition(":")
        if verb == "cancel" and run_id in self._tasks:
            self._interrupt(run_id, "cancelled")

    # -- one run

    async def _run(self, run: StartedRun) -> None:
        """The run boundary: whatever happens inside ends in a stored status and one ``complete``."""
        structlog.contextvars.bind_contextvars(run_id=run.run_id)
        answer_id = new_id("m")
        writer = RunWriter(
            self._appender,
            conversation_id=run.conversation_id,
            run_id=run.run_id,
            fence=run.lease_token,
            floor=run.floor,
        )
        self._writers[run.run_id] = writer
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
            if writer.registered:
                self._hub.written(run.conversation_id)
            async with self._over:
                self._over.notify_all()

    async def _attempt(self, run: StartedRun, answer_id: str, writer: RunWriter) -> Outcome:
        try:
            async with asyncio.timeout(RUN_LIMIT_S):
                return Outcome(final=await self._answer(run, answer_id, writer))
        except asyncio.CancelledError:
            reason = self._stop_reason.get(run.run_id)
            if reason is None:
                raise  # not ours: the process is being torn down
            self._uncancel()
            return Outcome(cancelled=True) if reason == "cancelled" else Outcome(failure=RunInterrupted())
        except SignalboxError as exc:
            logger.warning("run failed", code=exc.code, error=repr(exc.__cause__ or exc))
            return Outcome(failure=exc)
        except TimeoutError:
            text = f"The answer took longer than {RUN_LIMIT_S:g} seconds and was stopped."
            return Outcome(failure=RunInterrupted(text))
        except Exception as exc:  # a bug in an agent
            logger.exception("run failed", error=type(exc).__name__)
            return Outcome(failure=SignalboxError())

    @staticmethod
    def _uncancel() -> None:
        task = asyncio.current_task()
        assert task is not None
        while task.cancelling():
            task.uncancel()

    async def _answer(self, run: StartedRun, answer_id: str, writer: RunWriter) -> TurnState:
        history = run.history
        if run.waits:
            history = await self._wait_for_turn(run, writer)
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

    async def _wait_for_turn(self, run: StartedRun, writer: RunWriter) -> Any:
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
        standing = await self._commit(run, _ending(run, writer, outcome), answer_id, writer)
        try:
            await writer.close(Complete(status=_final(standing)))
        except (Fenced, LogUnavailable):
            logger.warning("complete could not be logged; readers learn it from the store")

    async def _commit(self, run: StartedRun, ending: Ending, answer_id: str, writer: RunWriter) -> RunStatus:
        give_up = time.monotonic() + COMMIT_PATIENCE_S
        pause = 0.1
        while True:
            try:
                return await self._store.finish(run, ending, answer_id)
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
                await self._log.touch(list({run.conversation_id for run in self._runs.values()}))
                held = await self._store.renew(list(self._tasks))
            except (StoreUnavailable, LogUnavailable) as exc:
                logger.warning("leases not renewed", code=exc.code)
                continue
            for run_id, cancel_requested in held.items():
                if cancel_requested and run_id in self._tasks:
                    self._interrupt(run_id, "cancelled")

    async def _bury(self) -> None:
        """End runs whose worker vanished, in the store and in the stream."""
        while True:
            try:
                for orphan in await self._store.end_orphans():
                    logger.warning("ended a run whose worker vanished", run_id=orphan.run_id)
                    await self.close_stream(orphan, "failed")
            except (StoreUnavailable, LogUnavailable) as exc:
                logger.warning("vanished workers not looked for", code=exc.code)
                # While the store was away nobody could renew: give the living a whole lease to say so.
                await asyncio.sleep(self._lease)
            await asyncio.sleep(self._renew_every)

    async def close_stream(self, orphan: Orphan, status: FinalStatus) -> None:
        """Append the end that a run's own writer did not; does nothing if it is there."""
        note = RunInterrupted()
        events: list[Event] = [Complete(status=status)]
        if status == "failed":
            events.insert(0, Error(code=note.code, content=note.public, retry=note.retry))
        batch = Batch(
            orphan.conversation_id, orphan.run_id, orphan.lease_token, 0, "", None, [stamp(e) for e in events], True
        )
        await self._log.append([batch])


def _final(status: RunStatus) -> FinalStatus:
    match status:
        case "succeeded" | "failed" | "cancelled" | "waiting":
            return status
        case _:
            return "failed"


def _ending(run: StartedRun, writer: RunWriter, outcome: Outcome) -> Ending:
    said = writer.said
    whole = next((event for event in reversed(said) if isinstance(event, Message)), None)
    text = whole.content if whole else _shown_text(said)
    agents = [event.agent for event in said if isinstance(event, Chunk | Message)]
    failure = outcome.failure
    return Ending(
        status=outcome.status,
        text=text,
        partial=whole is None,
        agent=agents[0] if agents else None,
        blocks=[_block(event) for event in said if _type(event) in BLOCK_TYPES],
        citations=[citation.model_dump() for citation in (whole.citations if whole else ())],
        usage=_usage(said),
        error=(failure.code, failure.public, failure.retry) if failure else None,
        classification=_classification(run, said, outcome),
        suggestions=_suggestions(said),
        epoch=writer.epoch,
        first_offset=writer.first,
        last_offset=writer.last + 1 if writer.last else 0,  # ``complete`` comes next
    )


def _shown_text(said: list[Event]) -> str:
    """What readers were left with: pieces since the last rewind."""
    parts: list[str] = []
    for event in said:
        if isinstance(event, Rewind):
            parts.clear()
        elif isinstance(event, Chunk):
            parts.append(event.content)
    return "".join(parts)


def _type(event: Event) -> str:
    return event.type  # type: ignore[attr-defined,no-any-return]


def _block(event: Event) -> dict[str, Any]:
    return event.model_dump(mode="json", exclude={"conversation_id", "run_id", "seq", "ts"})


def _usage(said: list[Event]) -> Mapping[str, Any] | None:
    calls = [event for event in said if isinstance(event, Usage)]
    if not calls:
        return None
    return {
        "model": calls[-1].model,
        "input_tokens": sum(call.input_tokens for call in calls),
        "cached_tokens": sum(call.cached_tokens for call in calls),
        "output_tokens": sum(call.output_tokens for call in calls),
        "estimated": any(call.estimated for call in calls),
    }


def _classification(run: StartedRun, said: list[Event], outcome: Outcome) -> Mapping[str, Any] | None:
    intent = next((event for event in said if isinstance(event, IntentClassified)), None)
    if intent is None:
        return None
    clarified = outcome.final is not None and outcome.final.agent == "clarify"
    return {
        "text": "" if run.temporary else run.message[:2_000],
        "intent": intent.intent,
        "confidence": intent.confidence,
        "source": intent.source,
        "alternatives": [score.model_dump() for score in intent.alternatives],
        "outcome": "clarified" if clarified else "routed",
    }


def _suggestions(said: list[Event]) -> list[Mapping[str, Any]]:
    return [reply.model_dump() for event in said if isinstance(event, Suggestions) for reply in event.suggestions]
