"""What one run has done, step by step: recorded ones are answered from the log, others are done once and recorded.

A step's events reach the event log before the step is committed (flush, then commit), so a step that is recorded has
been heard of, and one that is not is done again and what it had said is corrected.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NoReturn, TypeVar, cast

import structlog
from pydantic import ValidationError

from signalbox.agents.turn import Emitter
from signalbox.blocks import ApprovalRequired, ApprovalResolved
from signalbox.encoding import clean_json
from signalbox.envelope import ENVELOPE, Event
from signalbox.errors import Fenced, OtherVersion, StoreUnavailable
from signalbox.graph.state import Begun
from signalbox.runs.replay import Replay
from signalbox.runs.steps import MOST, Approval, Effect, History, Hold, Step, StepStore
from signalbox.stream.writer import RunWriter
from signalbox.tools.calling import digest_of
from signalbox.tools.journal import Call, Codec, StepKind, next_position

logger = structlog.get_logger(__name__)

T = TypeVar("T")

COMMIT_PATIENCE_S: Final = 60.0
NO_RISK_SAID: Final = "This cannot be taken back."
MAYBE_DONE: Final = (
    "It was begun before and the server stopped in the middle, so it may have happened already. "
    "Check before you approve: approving does it (again)."
)

# Ends the attempt from inside ("waiting", "fenced", "cancelled"); never returns.
Halt = Callable[[str], Awaitable[NoReturn]]


@dataclass(frozen=True, slots=True)
class _Refused:
    """The user's no, or their silence."""

    kind: str
    note: str
    maybe_done: bool

    def result(self) -> dict[str, Any]:
        done = "unknown" if self.maybe_done else "no"
        return {"status": "error", "kind": self.kind, "note": self.note, "retryable": False, "done": done}


class _CalledOff(Exception):
    """The user asked for the run's end before the effect began."""


class RunJournal:
    """One attempt's journal; also its emitter, which says nothing that was said before.

    ``halt`` ends the attempt. ``approval_s``: how long a human has to decide. Steps raise ``StoreUnavailable`` when
    the database stays away for ``COMMIT_PATIENCE_S``, ``LogUnavailable`` when the event log does.
    """

    def __init__(
        self,
        *,
        hold: Hold,
        store: StepStore,
        writer: RunWriter,
        halt: Halt,
        approval_s: float,
        history: History,
        replay: Replay | None,
    ) -> None:
        self._hold = hold
        self._store = store
        self._writer = writer
        self._halt = halt
        self._approval_s = approval_s
        self._known = {step.position: step for step in history.steps}
        self._seq = history.steps[-1].seq if history.steps else 0
        self._approvals = history.approvals
        self._tries = history.tries
        self._replay = replay
        self._uses: dict[str, int] = {}
        self._lazy: list[Step] = []
        self._written: set[str] = set()
        self._committing = asyncio.Lock()
        self._effects = asyncio.Lock()

    # -- speaking

    @property
    def emitter(self) -> Emitter:
        """Where the agents' events go: straight to the log, unless some of them were said before."""
        return self._writer if self._replay is None else self

    @property
    def begun(self) -> Begun:
        """What earlier attempts have begun, as their readers were told."""
        return Begun() if self._replay is None else self._replay.begun

    async def emit(self, event: Event) -> None:
        if self._replay is None:
            await self._writer.emit(event)
            return
        for told in self._replay.heard(event):
            await self._writer.emit(told)

    async def before_speaking(self) -> None:
        """Text of a model turn that never ended is taken back before the model is asked anew."""
        if self._replay is not None:
            for told in self._replay.before_speaking():
                await self._writer.emit(told)

    # -- steps

    def position(self, turn: str, name: str, digest: str = "") -> str:
        return next_position(self._uses, turn, name, digest)

    def call_id(self, position: str) -> str:
        return f"call_{digest_of([self._hold.run_id, position])[:12]}"

    def recorded(self, position: str) -> Step | None:
        return self._known.get(position)

    def wrote(self, position: str) -> bool:
        """Whether this attempt recorded that step; known after a cancel in mid-commit, too."""
        return position in self._written

    async def step(
        self,
        position: str,
        kind: StepKind,
        do: Callable[[], Awaitable[T]],
        codec: Codec[T],
        *,
        about: Mapping[str, Any] | None = None,
        lazily: bool = False,
    ) -> T:
        known = self._known.get(position)
        if known is not None:
            try:
                return codec.load(known.payload["result"])
            except (ValidationError, KeyError, TypeError):
                # Recorded by another version, whose results looked otherwise. What only looks is done again.
                logger.warning("a recorded result cannot be read and is looked up anew", position=position)
                return await do()
        began = datetime.now(UTC)
        value = await do()
        step = Step(position, kind, {**(about or {}), "result": codec.dump(value)}, began)
        if lazily:
            self.note(step)
        else:
            await self.commit(step)
        return value

    def note(self, step: Step) -> None:
        """Record it with the next step that is committed."""
        self._lazy.append(step)

    async def commit(self, step: Step) -> None:
        """Record it now, under the lease."""
        await self._unless_fenced(self._add(step))

    async def _unless_fenced(self, work: Coroutine[Any, Any, T]) -> T:
        """``work``, whole: a cancel that comes meanwhile waits for its end, so that we know what is recorded."""
        try:
            return await _whole(work)
        except Fenced:
            await self._halt("fenced")
        except _CalledOff:
            await self._halt("cancelled")

    async def _add(self, step: Step, *, done: Effect | None = None) -> None:
        await self._record(step, lambda rows: self._store.add(self._hold, rows, self._writer.place, done=done))

    async def _record(self, step: Step, write: Callable[[Sequence[Mapping[str, Any]]], Awaitable[None]]) -> None:
        """Raises ``Fenced``; whoever calls this halts, but never from inside of ``_whole``, which waits for its end."""
        async with self._committing:
            steps = [*self._lazy, step]
            async with self._writer.settled() as said:
                told = [_bare(event) for event in said]
                rows = [
                    one.row(self._seq + number, told if one is step else ())
                    for number, one in enumerate(steps, start=1)
                ]
                await _patiently(lambda: write(rows))
            self._written.update(each.position for each in steps)
            self._seq += len(steps)
            del self._lazy[: len(steps) - 1]

    # -- effects

    async def effect(self, call: Call, do: Callable[[Mapping[str, Any], str], Awaitable[T]], codec: Codec[T]) -> T:
        async with self._effects:
            known = self._known.get(call.position)
            if known is not None:
                return _told_before(known, codec)
            tries = self._tries.get(call.position, 0)
            asks = tries + 1 if call.effect == "irreversible" else tries if call.effect == "non_idempotent" else 0
            began = datetime.now(UTC)
            arguments = await self._approved(call, asks, maybe_done=tries > 0) if asks else call.arguments
            if isinstance(arguments, _Refused):
                about = {"tool": call.tool, "arguments": call.arguments, "result": arguments.result()}
                await self.commit(Step(call.position, "tool_result", about, began))
                return codec.load(arguments.result())
            if self._lazy:
                # What led to the effect (the routing) is recorded first: another worker must come to it again.
                await self.commit(self._lazy.pop())
            work = self._perform(call, arguments, do, codec)
            if call.effect == "idempotent":
                try:
                    return await work
                except Fenced:
                    await self._halt("fenced")
            # From the intent on it must not be torn apart by a cancel: a record of what happened is worth the wait.
            return await self._unless_fenced(work)

    def edited(self, position: str) -> Mapping[str, Any] | None:
        made, number = None, 1
        while (question := self._approvals.get(f"{position}/approval/{number}")) is not None:
            # What is asked once more is asked with what they made of it before.
            made = question.edited if question.decision == "edited" else made
            number += 1
        return made

    async def _perform(
        self,
        call: Call,
        arguments: Mapping[str, Any],
        do: Callable[[Mapping[str, Any], str], Awaitable[T]],
        codec: Codec[T],
    ) -> T:
        began = datetime.now(UTC)
        key = digest_of([self._hold.run_id, call.position, call.tool, arguments])
        effect = Effect(key, call.position, call.tool, call.effect, arguments)
        if call.effect != "idempotent" and not await _patiently(lambda: self._store.intend(self._hold, effect)):
            raise _CalledOff
        value = await do(arguments, key)
        about = {"tool": call.tool, "arguments": arguments, "result": codec.dump(value)}
        await _whole(self._add(Step(call.position, "tool_result", about, began), done=effect))
        return value

    async def _approved(self, call: Call, number: int, *, maybe_done: bool) -> Mapping[str, Any] | _Refused:
        """The arguments a human approved, as they saw or edited them; suspends the run until they have decided."""
        place = f"{call.position}/approval/{number}"
        question = self._approvals.get(place)
        if question is None:
            await self._ask(call, place, maybe_done=maybe_done)
            await self._halt("waiting")
        if question.decision is None:
            await self.emit(_event_of(question))
            await self._halt("waiting")
        resolved = ApprovalResolved(approval_id=question.approval_id, decision=cast("Any", question.decision))
        await self.emit(resolved)
        decided: dict[str, Any] = {"approval_id": question.approval_id, "decision": question.decision}
        if question.edited is not None:
            decided["edited"] = question.edited
        if question.note:
            decided["note"] = question.note
        decision = f"{call.position}/decision/{number}"
        if decision not in self._known:
            await self.commit(Step(decision, "decision", decided, datetime.now(UTC)))
        before = "; it was begun before and may have happened already" if maybe_done else ""
        match question.decision:
            case "approved":
                return question.arguments
            case "edited":
                return question.edited or question.arguments
            case "expired":
                return _Refused("expired", f"nobody approved it in time{before}", maybe_done)
            case _:
                why = f": {question.note}" if question.note else ""
                return _Refused("rejected", f"the user did not approve it{before}{why}", maybe_done)

    async def _ask(self, call: Call, place: str, *, maybe_done: bool) -> None:
        risk = call.risk or NO_RISK_SAID
        now = datetime.now(UTC)
        arguments = self.edited(call.position) or call.arguments
        question = Approval(
            approval_id=f"ap_{digest_of([self._hold.run_id, place])[:20]}",
            position=place,
            tool=call.tool,
            arguments=clean_json(arguments, longest=MOST, most=MOST),
            digest=digest_of(arguments),
            risk=f"{MAYBE_DONE} {risk}" if maybe_done else risk,
            expires_at=now + timedelta(seconds=self._approval_s),
        )
        await self.emit(_event_of(question))
        told = {
            "approval_id": question.approval_id,
            "tool": call.tool,
            "arguments": arguments,
            "digest": question.digest,
            "risk": question.risk,
            "expires_at": question.expires_at.isoformat(),
        }
        step = Step(place, "approval", told, now)
        await self._unless_fenced(
            self._record(step, lambda rows: self._store.ask(self._hold, rows, self._writer.place, question))
        )


def _told_before(step: Step, codec: Codec[T]) -> T:
    try:
        return codec.load(step.payload["result"])
    except (ValidationError, KeyError, TypeError) as exc:
        # It was done, by a version whose results looked otherwise: it must not be done again to see what came of it.
        raise OtherVersion(
            f"What '{step.payload.get('tool')}' did was done, but this version cannot read how."
        ) from exc


def _event_of(question: Approval) -> ApprovalRequired:
    return ApprovalRequired(
        approval_id=question.approval_id,
        tool=question.tool,
        arguments=dict(question.arguments),
        risk=question.risk,
        expires_at=question.expires_at,
    )


def _bare(event: Event) -> dict[str, Any]:
    told: dict[str, Any] = clean_json(event.model_dump(mode="json", exclude=set(ENVELOPE)), longest=MOST, most=MOST)
    return told


async def _whole(work: Coroutine[Any, Any, T]) -> T:
    """Its result. Cancelling this takes effect once ``work`` is over; whatever came of it is then not told."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # looked at: nobody else will
        raise


async def _patiently(write: Callable[[], Awaitable[T]]) -> T:
    """Writes are safe to repeat: a database that restarts must not cost anybody their answer."""
    pause = 0.1
    try:
        async with asyncio.timeout(COMMIT_PATIENCE_S):
            while True:
                try:
                    return await write()
                except StoreUnavailable as exc:
                    logger.warning("a step waits for the database", error=type(exc.__cause__).__name__)
                    await asyncio.sleep(pause)
                    pause = min(pause * 2, 2.0)
    except TimeoutError as exc:
        raise StoreUnavailable from exc
