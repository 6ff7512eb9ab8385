"""Takes a run's journal and its place in the event log over from whoever worked on it before."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import structlog
from pydantic import ValidationError

from signalbox.envelope import Event
from signalbox.errors import Fenced, LogUnavailable
from signalbox.events import decode, event_adapter
from signalbox.runs.journal import Halt, RunJournal
from signalbox.runs.records import StartedRun
from signalbox.runs.replay import Replay
from signalbox.runs.steps import History, Hold, Step, StepStore
from signalbox.stream.log import Appended, Cursor, EventLog, FencedOff
from signalbox.stream.writer import RunWriter

logger = structlog.get_logger(__name__)

PAGE: Final = 1_000


async def taken_over(
    run: StartedRun, writer: RunWriter, *, steps: StepStore, log: EventLog, halt: Halt, approval_s: float
) -> RunJournal:
    """The journal of this attempt, with ``writer`` going on where the last one stopped.

    Raises ``Fenced``, ``StoreUnavailable`` and ``LogUnavailable``.
    """
    history, replay = History(), None
    if not run.fresh or run.attempt > 1:
        # Our claim has closed the store to older workers; from here on the log is closed to them, too.
        history = await steps.history(run.run_id)
        begun = await log.take_over(run.conversation_id, run.run_id, run.lease_token, history.cursor or run.floor)
        match begun:
            case Appended():
                pass
            case FencedOff():
                raise Fenced
            case _:
                raise LogUnavailable
        told = [*_decoded(history.steps)]
        lost = history.cursor is not None and history.cursor.epoch != begun.epoch
        if lost and begun.run_first <= begun.last:
            begun = await _anew(run, log, begun)
        tail = [] if lost else await _tail(run, log, begun, history.cursor)
        said: Sequence[Event] = [*told, *tail]
        writer.adopt(begun, said, settled=len(told), anew=lost)
        replay = Replay(said) if said else None
    return RunJournal(
        hold=Hold(run.run_id, run.lease_token, run.attempt),
        store=steps,
        writer=writer,
        halt=halt,
        approval_s=approval_s,
        history=history,
        replay=replay,
    )


async def _anew(run: StartedRun, log: EventLog, begun: Appended) -> Appended:
    """A log without anything of the run. One that came after the last step's may hold all of it or a part, told again
    by a worker that then died: how much of it the steps bear out cannot be said, so its readers begin anew, too.
    """
    again = await log.take_over(run.conversation_id, run.run_id, run.lease_token, Cursor(begun.epoch, begun.last + 1))
    if isinstance(again, FencedOff):
        raise Fenced
    if not isinstance(again, Appended):
        raise LogUnavailable
    return replace(again, epoch="")  # the first append makes one


def _decoded(steps: Sequence[Step]) -> Iterator[Event]:
    for event in (event for step in steps for event in step.events):
        try:
            yield event_adapter.validate_python(event)
        except ValidationError:
            kind = event.get("type")
            logger.warning("an event of another version is not replayed", type=kind)  # truth: it cannot be shown


async def _tail(run: StartedRun, log: EventLog, begun: Appended, recorded: Cursor | None) -> list[Event]:
    """What the run has said after its last step: in the log, and borne out by nothing in the store."""
    after = recorded.offset if recorded is not None else begun.run_first - 1
    events: list[Event] = []
    while after < begun.last:
        page = await log.read(run.conversation_id, after, run_id=run.run_id, count=PAGE)
        if page is None or not page.entries:
            break
        for entry in page.entries:
            if entry.run_id == run.run_id and entry.type != "complete":
                try:
                    events.append(decode(entry.json(run.conversation_id)))
                except ValidationError:
                    kind = entry.type
                    logger.warning("an event of another version is not replayed", type=kind)  # truth: cannot be shown
        after = page.entries[-1].offset
    return events
