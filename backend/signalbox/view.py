"""What a conversation looks like after some events: one pure function, the reference for every client.

Fold events in order, each once (``Client.stream`` sees to that). An uninterrupted stream, a resumed one and one
with a gap and a snapshot in it end in the same ``final`` state.
"""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import ValidationError

from signalbox.blocks import ApprovalRequired, ApprovalResolved, Suggestion, SuggestionChosen, Suggestions
from signalbox.envelope import ENVELOPE, Event, Part
from signalbox.events import (
    BLOCK_TYPES,
    AgentFinished,
    AgentStarted,
    AnyEvent,
    Chunk,
    Citation,
    Complete,
    Error,
    Gap,
    Handoff,
    IntentClassified,
    LostReason,
    Message,
    Retracted,
    Rewind,
    RunStarted,
    RunStatus,
    Snapshot,
    SnapshotMessage,
    SnapshotRun,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
    event_adapter,
)

OVER = frozenset({"succeeded", "failed", "cancelled", "dead", "over"})


class MessageView(Part):
    """``status``: streaming while text comes, complete once it came whole, partial if its run ended before that."""

    message_id: str
    run_id: str
    role: Literal["user", "assistant"]
    text: str = ""
    status: Literal["streaming", "complete", "partial"] = "streaming"
    agent: str | None = None
    citations: tuple[Citation, ...] = ()


class ToolView(Part):
    call_id: str
    tool: str
    status: Literal["running", "ok", "empty", "error"] = "running"
    kind: str | None = None
    note: str = ""
    truncated: bool = False
    total: int | None = None
    missed: tuple[str, ...] = ()


class RunView(Part):
    """One run. ``status`` 'over': a snapshot left out how it ended.

    ``blocks`` are its typed results (``BLOCK_TYPES``) without their envelope; ``owners``, as many, are the ids of the
    messages they belong to (None until the run's first message is known), ``answer_id`` is that of what comes next.
    ``holed``: events of this run were lost while it ran, so its text or blocks may lack parts until
    ``Client.messages`` is asked after its end. ``retracted``: it was taken back, and all its messages are gone.
    ``waiting`` is no end: the run goes on once its user has decided on ``open_approvals``.
    Lasting: ``status`` as far as over or not, ``user_message_id``, ``blocks``. What a snapshot gives back of a run that
    it shows as over, but of no other: ``agent``, ``intent`` (without reasons), ``tools``, ``handoffs``, ``rewinds``,
    ``usage``, ``errors``.
    """

    run_id: str
    status: RunStatus | Literal["over"] = "running"
    user_message_id: str | None = None
    blocks: tuple[AnyEvent, ...] = ()
    owners: tuple[str | None, ...] = ()
    answer_id: str | None = None
    settled: bool = False
    holed: bool = False
    retracted: bool = False
    attempt: int = 0
    agent: str | None = None
    intent: IntentClassified | None = None
    thinking: Thinking | None = None
    tools: tuple[ToolView, ...] = ()
    handoffs: tuple[Handoff, ...] = ()
    rewinds: tuple[Rewind, ...] = ()
    usage: tuple[Usage, ...] = ()
    errors: tuple[Error, ...] = ()

    @property
    def over(self) -> bool:
        return self.status in OVER

    @property
    def decisions(self) -> dict[str, str]:
        """What became of its approvals (approved, edited, rejected, expired), by their ids."""
        return {block.approval_id: block.decision for block in self.blocks if isinstance(block, ApprovalResolved)}

    @property
    def open_approvals(self) -> tuple[ApprovalRequired, ...]:
        """What its user still has to decide on, if the time is not up."""
        if self.over:
            return ()
        asked = (block for block in self.blocks if isinstance(block, ApprovalRequired))
        return tuple(block for block in asked if block.approval_id not in self.decisions)


class ConversationView(Part):
    """``messages`` and ``runs`` in the order they began. ``last_seq``: the offset of the newest event folded in.

    ``gap`` is set between a ``gap`` and its ``snapshot``. ``omitted``: how many older messages the snapshot of a very
    long conversation left out. A user's own messages are known from ``sent`` or a
    snapshot; events carry only their ids.
    """

    conversation_id: str = ""
    messages: tuple[MessageView, ...] = ()
    runs: tuple[RunView, ...] = ()
    last_seq: int = 0
    gap: LostReason | None = None
    omitted: int = 0

    def run(self, run_id: str) -> RunView | None:
        return next((run for run in reversed(self.runs) if run.run_id == run_id), None)

    def answers(self, run_id: str) -> tuple[MessageView, ...]:
        return tuple(m for m in self.messages if m.run_id == run_id and m.role == "assistant")

    @property
    def chosen(self) -> frozenset[str]:
        """Ids of all quick replies that were chosen."""
        return frozenset(b.suggestion_id for run in self.runs for b in run.blocks if isinstance(b, SuggestionChosen))

    def locked(self, block: Suggestions) -> str | None:
        """The id of the reply that was chosen from ``block``; its other buttons do nothing then."""
        return next((reply.id for reply in block.suggestions if reply.id in self.chosen), None)

    @property
    def open_suggestions(self) -> tuple[Suggestion, ...]:
        """The quick replies of the last run that can still be chosen."""
        blocks = next((run.blocks for run in reversed(self.runs) if not run.retracted), ())
        offered = [block for block in blocks if isinstance(block, Suggestions) and self.locked(block) is None]
        return offered[-1].suggestions if offered else ()


class FinalRun(Part):
    """What must be the same however a run's events were received."""

    over: bool
    answers: tuple[MessageView, ...]
    blocks: tuple[AnyEvent, ...]


def final(view: ConversationView) -> dict[str, FinalRun]:
    """The lasting state by run id, for comparing views; of what was taken back nothing lasts."""
    return {
        run.run_id: FinalRun(
            over=run.over, answers=tuple(m for m in view.answers(run.run_id) if m.text), blocks=run.blocks
        )
        for run in view.runs
        if not run.retracted
    }


def sent(view: ConversationView, run_id: str, text: str) -> ConversationView:
    """``view`` with the user's own message, as ``Client.send`` has just made it."""
    message = MessageView(message_id="", run_id=run_id, role="user", text=text, status="complete")
    view = view.model_copy(update={"messages": (*view.messages, message)})
    return _with_run(view, view.run(run_id) or RunView(run_id=run_id, status="pending"))


def reduce(view: ConversationView, event: AnyEvent) -> ConversationView:
    """``view`` after ``event``. Total and pure: any event fits any view."""
    seen: dict[str, Any] = {"last_seq": event.seq}
    if event.conversation_id:
        seen["conversation_id"] = event.conversation_id
    view = view.model_copy(update=seen)
    match event:
        case Snapshot():
            return _from_snapshot(view, event)
        case Gap():
            return view.model_copy(update={"gap": event.reason})
    run = view.run(event.run_id) or RunView(run_id=event.run_id)
    if _is_old(run, event):
        return view
    match event:
        case Chunk() | Message() | Rewind():
            return _with_text(_with_run(view, run.model_copy(update=_going_on(run) | _telling(run, event))), event)
        case RunStarted():
            view = _with_id(view, event, forget=not run.settled and _starts_over(run, event))
            view = _with_question(view, event)
        case Retracted():
            view = view.model_copy(update={"messages": tuple(m for m in view.messages if m.run_id != run.run_id)})
        case Complete():
            view = _ended(view, event.run_id)
    return _with_run(view, run.model_copy(update=_changes(run, event)))


# What a settled run already has from its snapshot; how it went (errors, usage, its end) may still be news.
_CONTENT = frozenset({"chunk", "message", "rewind", "thinking", "tool_call", "tool_result", *BLOCK_TYPES})
_NEWS = frozenset({"run_started", "retracted", "complete"})


def _is_old(run: RunView, event: AnyEvent) -> bool:
    """The log's older end, replayed: the snapshot has all of it. Or the rest of what was taken back."""
    if run.retracted:
        return event.type not in {"retracted", "complete"}
    if not run.settled:
        return False
    return event.type in _CONTENT if run.status == "over" else event.type not in _NEWS


def _changes(run: RunView, event: AnyEvent) -> dict[str, Any]:
    match event:
        case RunStarted():
            return _begun(run, event)
        case Complete() | Retracted():
            told = {"status": event.status} if isinstance(event, Complete) else {"retracted": True, **_NO_BLOCKS}
            return {**told, "thinking": None}
        case Error():
            return {"errors": (*run.errors, _bare(event)), "thinking": None}
        case Usage():
            return {"usage": (*run.usage, _bare(event))}
        case _ if event.type in BLOCK_TYPES:
            return _going_on(run) | _joined([*zip(run.owners, run.blocks, strict=True), (run.answer_id, _bare(event))])
        case _:
            return _going_on(run) | _activity(run, event)


def _going_on(run: RunView) -> dict[str, Any]:
    """A run that waited is not started again: it simply says more."""
    return {"status": "running"} if run.status == "waiting" else {}


def _begun(run: RunView, event: RunStarted) -> dict[str, Any]:
    changes: dict[str, Any] = {"attempt": event.attempt, "user_message_id": event.user_message_id}
    if run.settled:
        return changes
    changes["status"] = "running"
    if _starts_over(run, event):
        changes.update(holed=False, tools=(), handoffs=(), rewinds=(), usage=(), errors=(), **_NO_BLOCKS)
    return changes


def _starts_over(run: RunView, event: RunStarted) -> bool:
    """After a snapshot the run's events come again from the very first: they replace what the snapshot had."""
    return run.holed and event.attempt == 1


def _activity(run: RunView, event: AnyEvent) -> dict[str, Any]:
    match event:
        case Thinking():
            return {"thinking": _bare(event)}
        case IntentClassified():
            return {"intent": _bare(event)}
        case AgentStarted() | AgentFinished():
            moved = _at(run, event.message_id) if isinstance(event, AgentStarted) else {}
            return {"agent": event.agent, "thinking": None, **moved}
        case Handoff():
            return {"handoffs": (*run.handoffs, _bare(event))}
        case ToolCall() | ToolResult():
            return _with_tool(run, ToolView(**event.model_dump(include=set(ToolView.model_fields))))
    return {}


def _with_tool(run: RunView, tool: ToolView) -> dict[str, Any]:
    at = next((i for i, t in enumerate(run.tools) if t.call_id == tool.call_id), len(run.tools))
    return {"tools": (*run.tools[:at], tool, *run.tools[at + 1 :])}


def _bare(event: Event) -> Any:
    """The event without its envelope, as a snapshot gives it back."""
    return event.model_copy(update={name: type(event).model_fields[name].default for name in ENVELOPE})


_NO_BLOCKS: dict[str, Any] = {"blocks": (), "owners": (), "answer_id": None}


def _telling(run: RunView, event: Chunk | Message | Rewind) -> dict[str, Any]:
    if isinstance(event, Rewind):
        return {"rewinds": (*run.rewinds, _bare(event))}
    return _at(run, event.message_id) if run.answer_id is None else {}


def _at(run: RunView, message_id: str) -> dict[str, Any]:
    """What comes from here on belongs to the message; so does what came before the run's first."""
    if not message_id:
        return {}
    return {"answer_id": message_id, "owners": tuple(owner or message_id for owner in run.owners)}


def _joined(owned: Sequence[tuple[str | None, AnyEvent]]) -> dict[str, Any]:
    """Each block once: a log's older end may repeat what a waiting run's snapshot has."""
    blocks = [block for _, block in owned]
    kept = [each for at, each in enumerate(owned) if each[1] not in blocks[:at]]
    return {"blocks": tuple(block for _, block in kept), "owners": tuple(owner for owner, _ in kept)}


def _with_run(view: ConversationView, run: RunView) -> ConversationView:
    if view.runs and view.runs[-1].run_id == run.run_id:
        runs = (*view.runs[:-1], run)
    elif view.run(run.run_id) is not None:
        runs = tuple(run if old.run_id == run.run_id else old for old in view.runs)
    else:
        runs = (*view.runs, run)
    return view.model_copy(update={"runs": runs})


def _with_text(view: ConversationView, event: Chunk | Message | Rewind) -> ConversationView:
    old = next((m for m in reversed(view.messages) if m.message_id == event.message_id), None)
    message = old or MessageView(message_id=event.message_id, run_id=event.run_id, role="assistant")
    changes: dict[str, Any] = {}
    match event:
        case Chunk() if message.status == "complete":
            return view
        case Chunk():
            changes = {"text": message.text + event.content, "status": "streaming"}
            changes["agent"] = message.agent or event.agent
        case Message():
            changes = {"text": event.content, "status": "complete", "citations": event.citations}
            changes["agent"] = message.agent or event.agent
        case Rewind():
            if old is None:
                return view
            changes = {"text": "", "status": "streaming", "citations": ()}
    message = message.model_copy(update=changes)
    if old is None:
        return view.model_copy(update={"messages": (*view.messages, message)})
    messages = tuple(message if m is old else m for m in view.messages)
    return view.model_copy(update={"messages": messages})


def _with_id(view: ConversationView, event: RunStarted, *, forget: bool) -> ConversationView:
    """The user's message gets its id; ``forget``: the run's answers so far are dropped."""
    messages = tuple(
        m.model_copy(update={"message_id": event.user_message_id})
        if (m.run_id, m.role, m.message_id) == (event.run_id, "user", "")
        else m
        for m in view.messages
        if not (forget and m.run_id == event.run_id and m.role == "assistant")
    )
    return view.model_copy(update={"messages": messages})


def _ended(view: ConversationView, run_id: str) -> ConversationView:
    messages = tuple(
        m.model_copy(update={"status": "partial"}) if m.run_id == run_id and m.status == "streaming" else m
        for m in view.messages
    )
    return view.model_copy(update={"messages": messages})


def _with_question(view: ConversationView, event: RunStarted) -> ConversationView:
    """What was asked, for a view that did not ask it itself: another tab, another device."""
    if not event.message or any(m.message_id == event.user_message_id for m in view.messages):
        return view
    asked = MessageView(
        message_id=event.user_message_id, run_id=event.run_id, role="user", text=event.message, status="complete"
    )
    return view.model_copy(update={"messages": (*view.messages, asked)})


# -- snapshots


def _from_snapshot(view: ConversationView, event: Snapshot) -> ConversationView:
    told = {run.run_id: run for run in event.runs}
    order = dict.fromkeys([m.run_id for m in event.messages] + list(told))
    runs = tuple(_stored_run(view, event, run_id, told.get(run_id)) for run_id in order)
    gone = {run.run_id for run in runs if run.retracted}
    return ConversationView(
        conversation_id=view.conversation_id,
        last_seq=event.seq,
        messages=tuple(_stored(m) for m in event.messages if m.run_id not in gone),
        runs=runs,
        omitted=event.omitted,
    )


def _stored(message: SnapshotMessage) -> MessageView:
    fields = message.model_dump(include={"message_id", "run_id", "role", "status", "agent"})
    return MessageView(**fields, text=message.content, citations=message.citations)


def _stored_run(view: ConversationView, event: Snapshot, run_id: str, told: SnapshotRun | None) -> RunView:
    mine = [m for m in event.messages if m.run_id == run_id]
    owned = [(m.message_id, block) for m in mine for raw in m.blocks if (block := _block(raw)) is not None]
    before = view.run(run_id)
    goes_on = told is not None and told.status in {"pending", "running", "waiting"}
    stored = {
        "user_message_id": next((m.message_id for m in mine if m.role == "user"), None),
        **_joined(owned),
        "answer_id": next((m.message_id for m in reversed(mine) if m.role == "assistant"), None),
        "settled": not goes_on,
        # Until its events turn out to start with its start.
        "holed": told is not None and told.status in {"running", "waiting"},
        "retracted": False,
    }
    if goes_on and before is not None and before.retracted:
        # The store may not know yet what this reader was told: that it is being taken back.
        stored |= {"retracted": True, "holed": False, **_NO_BLOCKS}
    return _history(run_id, told, before).model_copy(update=stored)


def _history(run_id: str, told: SnapshotRun | None, before: RunView | None) -> RunView:
    """How the run went: as the snapshot tells, else as it was seen to go to its end, else nothing is known of it."""
    if told is None:
        if before is not None and before.over:
            return before.model_copy(update={"thinking": None})
        return RunView(run_id=run_id, status="over")
    seen = before or RunView(run_id=run_id)
    over = told.status in OVER
    return RunView(
        run_id=run_id,
        status=told.status,
        attempt=seen.attempt,
        # An older server tells none of them; a run that goes on will tell those again that were seen.
        handoffs=tuple(Handoff(**each.model_dump()) for each in told.handoffs) or (seen.handoffs if over else ()),
        rewinds=tuple(Rewind(**each.model_dump()) for each in told.rewinds) or (seen.rewinds if over else ()),
        agent=told.agent,
        intent=_told_intent(told, seen.intent),
        tools=tuple(ToolView(**tool.model_dump(include=set(ToolView.model_fields))) for tool in told.tools),
        usage=tuple(Usage(**usage.model_dump()) for usage in told.usage),
        errors=() if told.error is None else (Error(**told.error.model_dump()),),
    )


def _told_intent(told: SnapshotRun, before: IntentClassified | None) -> IntentClassified | None:
    """A snapshot has neither the reasons nor the alternatives."""
    if told.intent is None or (before is not None and before.intent == told.intent):
        return before
    return IntentClassified(intent=told.intent, confidence=told.confidence or 0, reasoning="", source=told.source or "")


def _block(raw: dict[str, Any]) -> AnyEvent | None:
    try:
        block = event_adapter.validate_python(raw)
    except ValidationError:
        return None  # truth: of a newer server, there is nothing to show it with
    return block if block.type in BLOCK_TYPES else None
