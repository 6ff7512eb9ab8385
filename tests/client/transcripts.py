"""Transcripts that every client must fold alike: `python tests/client/transcripts.py` writes them to tests/golden/.

Each has the events as they come over the wire, and the view after them: whole, and what of it lasts.
"""

import json
import random
from collections.abc import Callable, Sequence
from functools import reduce as fold
from pathlib import Path
from typing import Any, Final

from test_view import placed, question, run, stored

from signalbox.blocks import (
    ApprovalResolved,
    EmailDraft,
    Job,
    JobsData,
    Salary,
    SourceStatus,
    Suggestion,
    SuggestionChosen,
    Suggestions,
)
from signalbox.envelope import ENVELOPE
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
    IntentScore,
    Message,
    Retracted,
    Rewind,
    RunError,
    RunStarted,
    Snapshot,
    SnapshotHandoff,
    SnapshotMessage,
    SnapshotRewind,
    SnapshotRun,
    SnapshotTool,
    SnapshotUsage,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
    event_adapter,
)
from signalbox.view import ConversationView, final, reduce

FOLDER: Final = Path(__file__).parent.parent / "golden"
REPLIES: Final = tuple(Suggestion(id=f"s_{name}", label=name.upper(), message=f"Say {name}") for name in "abc")
CITED: Final = (Citation(id="p_1", title="Guide to pay", source="guide", heading="Offers"),)


def of(run_id: str, *events: AnyEvent) -> list[AnyEvent]:
    return [event.model_copy(update={"run_id": run_id}) for event in events]


def begun(number: int, asked: str, attempt: int = 1) -> RunStarted:
    return RunStarted(attempt=attempt, user_message_id=f"m_{number}", message=asked)


def said(text: str, message_id: str = "m_1_answer", agent: str = "general") -> Chunk:
    return Chunk(message_id=message_id, agent=agent, content=text)


def whole(text: str, message_id: str = "m_1_answer", agent: str = "general") -> Message:
    return Message(message_id=message_id, agent=agent, content=text, citations=CITED)


SEARCHED: Final = IntentClassified(
    intent="job_search",
    confidence=0.93,
    reasoning="It asks for jobs.",
    source="model",
    alternatives=(IntentScore(intent="general", confidence=0.05),),
)
USED: Final = Usage(model="m", input_tokens=120, cached_tokens=20, output_tokens=45, cost_usd=0.0004)
FOUND_PART: Final[dict[str, Any]] = {
    "call_id": "t_1", "tool": "search_jobs", "status": "ok", "truncated": True, "note": "2 of 40", "total": 40,
    "missed": ("other (it did not answer in time)",),
}  # fmt: skip
FOUND: Final = JobsData(
    jobs=(
        Job(job_id="j_1", title="Analyst", company="Åkerberg & Söhne", match_score=81.5, salary=Salary(min=5e4)),
        Job(job_id="j_2", title="🙂 Engineer", company="C", sample=True),
    ),
    total=2,
    truncated=False,
    sources=(SourceStatus(name="board", status="ok"), SourceStatus(name="other", status="error", note="timeout")),
)


WRITTEN: Final = EmailDraft(to="a@b.example", subject="Hello", body="Dear all")


def search() -> list[AnyEvent]:
    """A run as it is when nothing goes wrong."""
    return of(
        "r_1",
        begun(1, "find me a job"),
        Thinking(stage="intent", label="Understanding"),
        SEARCHED,
        AgentStarted(agent="job_search", message_id="m_1_answer"),
        ToolCall(call_id="t_1", tool="search_jobs", arguments={"query": "job", "near": None}),
        ToolResult(**FOUND_PART),
        FOUND,
        *[said(word, agent="job_search") for word in ("Two ", "jobs — ", "", "for you. 🙂")],
        USED,
        whole("Two jobs — for you. 🙂", agent="job_search"),
        Suggestions(text="And now?", suggestions=REPLIES),
        AgentFinished(agent="job_search", duration_ms=12),
        Complete(status="succeeded"),
    )


def told(run_id: str, **more: Any) -> SnapshotRun:
    return SnapshotRun(run_id=run_id, **{"status": "succeeded", **more})


def search_told() -> SnapshotRun:
    return told(
        "r_1", intent="job_search", confidence=0.93, source="model", agent="job_search",
        usage=(SnapshotUsage(model="m", input_tokens=120, cached_tokens=20, output_tokens=45, cost_usd=0.0004),),
        tools=(SnapshotTool(**FOUND_PART),),
    )  # fmt: skip


def kept(
    events: Sequence[AnyEvent], runs: Sequence[SnapshotRun], *, seen: int, offset: int, omitted: int = 0
) -> Snapshot:
    """What the store has of ``events``, with how its runs went."""
    asked = {event.user_message_id: event.message for event in events if isinstance(event, RunStarted)}
    snapshot = stored(events, seen, offset)
    messages = tuple(
        message.model_copy(update={"content": asked[message.message_id]}) if message.role == "user" else message
        for message in snapshot.messages
    )
    return snapshot.model_copy(update={"messages": messages, "runs": tuple(runs), "omitted": omitted})


def uninterrupted() -> list[AnyEvent]:
    return placed(search())


def reloaded() -> list[AnyEvent]:
    """Loaded in the middle of the answer: a snapshot, then the run's events from its start."""
    events = uninterrupted()
    return [kept(events, [told("r_1", status="running")], seen=9, offset=0), *events]


def gap() -> list[AnyEvent]:
    """The rest was lost, and the store has the run whole."""
    events = uninterrupted()
    return [*events[:8], Gap(reason="expired"), kept(events, [search_told()], seen=len(events), offset=len(events))]


def gap_and_replay() -> list[AnyEvent]:
    """The log still has the run that the snapshot shows as over: nothing is shown or counted twice."""
    events = uninterrupted()
    return [*events[:5], Gap(reason="trimmed"), kept(events, [search_told()], seen=len(events), offset=2), *events[2:]]


def snapshot_alone() -> list[AnyEvent]:
    events = uninterrupted()
    return [kept(events, [search_told()], seen=len(events), offset=len(events), omitted=3)]


def snapshot_without_history() -> list[AnyEvent]:
    """How the run went is not told; it was seen to its end before, so that is kept."""
    events = uninterrupted()
    return [*events, Gap(reason="unknown_epoch"), kept(events, [], seen=len(events), offset=7)]


def rewind() -> list[AnyEvent]:
    """A worker died in mid-sentence, and another took over."""
    return placed(of(
        "r_1", begun(1, "q"), said("Kept. "), said("half a senten"), Rewind(message_id="m_1_answer", reason="x"),
        begun(1, "q", attempt=2), Rewind(message_id="m_unknown", reason="x"), said("Kept. "), said("New."),
        whole("Kept. New."), said("too late"), Complete(status="succeeded"),
    ))  # fmt: skip


def retracted() -> list[AnyEvent]:
    """A question edited: it and what came after it are taken back, and asked anew."""
    return placed([
        *of("r_1", begun(1, "stays"), said("Yes."), whole("Yes."), Complete(status="succeeded")),
        *of("r_2", begun(2, "wrong"), said("Hm", "m_2_answer"), Suggestions(text="?", suggestions=REPLIES)),
        *of("r_2", Retracted(user_message_id="m_2"), said(" late", "m_2_answer"), Complete(status="cancelled")),
        *of("r_3", begun(3, "right"), said("Fine.", "m_3_answer"), whole("Fine.", "m_3_answer")),
        *of("r_3", Complete(status="succeeded")),
    ])  # fmt: skip


def replaced() -> list[AnyEvent]:
    """Two runs that are over are taken back, once seen from their start and once from a snapshot, and asked anew."""
    first = of("r_1", begun(1, "one"), said("1."), whole("1."), SuggestionChosen(suggestion_id="s_a"))
    second = of("r_2", begun(2, "two"), said("2.", "m_2_answer"), whole("2.", "m_2_answer"))
    over = [Complete(status="succeeded")]
    done = placed([*first, *of("r_1", *over), *second, *of("r_2", *over)])
    anew = [
        *of("r_1", Retracted(user_message_id="m_1")),
        *of("r_2", Retracted(user_message_id="m_2")),
        *of("r_3", begun(3, "uno"), said("I.", "m_3_answer"), whole("I.", "m_3_answer"), *over),
    ]
    events = placed([*done, *anew])
    return [kept(done, [told("r_1"), told("r_2")], seen=len(done), offset=2), *events[2:]]


def retracted_and_reloaded() -> list[AnyEvent]:
    """The store still shows a run as going on of which it was already told that it was taken back."""
    events = placed([
        *of("r_1", begun(1, "one"), said("1."), whole("1."), Complete(status="succeeded")),
        *of("r_2", begun(2, "wrong"), said("Hm", "m_2_answer"), Retracted(user_message_id="m_2")),
        *of("r_3", begun(3, "right"), said("Fine.", "m_3_answer"), whole("Fine.", "m_3_answer")),
        *of("r_3", Complete(status="succeeded")),
        *of("r_2", said(" late", "m_2_answer"), Complete(status="cancelled")),
    ])  # fmt: skip
    runs = [told("r_1"), told("r_2", status="running"), told("r_3")]
    return [*events[:-2], kept(events, runs, seen=len(events) - 2, offset=len(events) - 2), *events[-2:]]


def asking() -> list[AnyEvent]:
    return placed(of(
        "r_1", begun(1, "write to them"), AgentStarted(agent="cold_email", message_id="m_1_answer"),
        said("Here it is."), question("ap_1"), Complete(status="waiting"),
    ))  # fmt: skip


def decided() -> list[AnyEvent]:
    """Waited, was decided, and went on."""
    events = [
        *asking(),
        *of("r_1", ApprovalResolved(approval_id="ap_1", decision="edited"), said(" Sent."), question("ap_2")),
        *of("r_1", Complete(status="waiting"), ApprovalResolved(approval_id="ap_2", decision="rejected")),
        *of("r_1", whole("Here it is. Sent."), Complete(status="succeeded")),
    ]
    return placed(events)


def decided_after_reload() -> list[AnyEvent]:
    """The page was loaded while the run waited; its events go on from there, and not from its start."""
    events = decided()
    return [kept(events, [told("r_1", status="waiting")], seen=5, offset=5), *events[5:]]


def cancelled() -> list[AnyEvent]:
    return placed(of("r_1", begun(1, "q"), said("Half an ans"), Complete(status="cancelled")))


def failed() -> list[AnyEvent]:
    """It failed, once seen to the end and once from the store."""
    error = Error(code="model_failed", content="The model failed. Try again.", retry=True)
    first = of("r_1", begun(1, "q"), said("Half"), error, Complete(status="failed"))
    second = of("r_2", begun(2, "again"), error, Complete(status="failed"))
    events = placed([*first, *second])
    why = RunError(code=error.code, content=error.content, retry=True)
    runs = [told("r_1", status="failed", error=why), told("r_2", status="dead", error=why)]
    return [*events, Gap(reason="expired"), kept(events, runs, seen=len(events), offset=3), *events[3:]]


def handoff() -> list[AnyEvent]:
    """Two agents, two messages, one run."""
    return placed(of(
        "r_1", begun(1, "find a job and write to them"), SuggestionChosen(suggestion_id="s_0"),
        AgentStarted(agent="job_search", message_id="m_1_answer"), said("One job.", agent="job_search"), FOUND,
        whole("One job.", agent="job_search"), AgentFinished(agent="job_search", duration_ms=3),
        Handoff(from_agent="job_search", to_agent="cold_email", reason="Now the mail."),
        AgentStarted(agent="cold_email", message_id="m_1_more"), said("Dear ", "m_1_more", "cold_email"),
        said("all", "m_1_more", "cold_email"), WRITTEN, whole("Dear all", "m_1_more", "cold_email"),
        AgentFinished(agent="cold_email", duration_ms=4), Complete(status="succeeded"),
    ))  # fmt: skip


def handoff_and_gap() -> list[AnyEvent]:
    """The end was lost; the store tells which results belong to which message."""
    events = handoff()
    asked = SnapshotMessage(
        message_id="m_1", run_id="r_1", role="user", content="find a job and write to them", status="complete"
    )
    found = _told("m_1_answer", "job_search", "One job.", events[1], events[4])
    written = _told("m_1_more", "cold_email", "Dear all", events[11])
    snapshot = Snapshot(
        messages=(asked, found, written),
        runs=(told("r_1", agent="job_search"),),
        seq=len(events),
        conversation_id="c_1",
    )
    return [*events[:9], Gap(reason="expired"), snapshot]


def handoff_and_rewind_reloaded() -> list[AnyEvent]:
    """Nothing of it was seen: the store tells why one agent gave over to another, and whose text was sent anew."""
    lost, snapshot = handoff_and_gap()[-2:]
    assert isinstance(snapshot, Snapshot)
    went = told(
        "r_1", agent="cold_email",
        handoffs=(SnapshotHandoff(from_agent="job_search", to_agent="cold_email", reason="Now the mail."),),
        rewinds=(SnapshotRewind(message_id="m_1_more", reason="The model broke off."),),
    )  # fmt: skip
    return [lost, snapshot.model_copy(update={"runs": (went,)})]


def _told(message_id: str, agent: str, text: str, *results: AnyEvent) -> SnapshotMessage:
    blocks = tuple(result.model_dump(mode="json", exclude=set(ENVELOPE)) for result in results)
    return SnapshotMessage(
        message_id=message_id, run_id="r_1", role="assistant", content=text, status="complete", agent=agent,
        blocks=blocks, citations=CITED,
    )  # fmt: skip


def locked() -> list[AnyEvent]:
    """A quick reply was chosen, in this tab or another; the next run offers new ones."""
    more = tuple(reply.model_copy(update={"id": f"{reply.id}_2"}) for reply in REPLIES)
    return placed([
        *search(),
        *of("r_2", begun(2, "Say b"), SuggestionChosen(suggestion_id="s_b"), SuggestionChosen(suggestion_id="s_b")),
        *of("r_2", said("B.", "m_2_answer"), whole("B.", "m_2_answer")),
        *of("r_2", Suggestions(text="?", suggestions=more), Complete(status="succeeded")),
    ])  # fmt: skip


def holed() -> list[AnyEvent]:
    """The run's start is gone from the log, so its text lacks what was said before; two runs wait behind it."""
    events = uninterrupted()
    runs = [told("r_1", status="running"), told("r_2", status="pending")]
    return [Gap(reason="trimmed"), kept(events, runs, seen=8, offset=8), *events[8:11], events[-1]]


def from_a_newer_server() -> list[AnyEvent]:
    """Blocks of an unknown kind are left out."""
    message = SnapshotMessage(
        message_id="m", run_id="r", role="assistant", content="x", status="partial",
        blocks=({"type": "hologram"}, {"type": "suggestion_chosen", "suggestion_id": "s"}, {"type": "chunk"}),
    )  # fmt: skip
    return [Snapshot(messages=(message,), runs=(), seq=4, conversation_id="c_1")]


def by_chance(seed: int) -> list[AnyEvent]:
    """Runs of any shape with a gap and a snapshot among them."""
    rng = random.Random(seed)
    events = placed([event for number in range(1, 4) for event in run(number, rng)])
    starts = [at for at, event in enumerate(events) if isinstance(event, RunStarted)]
    lost_at = rng.randrange(len(events))
    oldest = max(at for at in starts if at <= lost_at)
    return [*events[:lost_at], Gap(reason="trimmed"), stored(events, lost_at, offset=oldest), *events[oldest:]]


TRANSCRIPTS: Final[dict[str, Callable[[], list[AnyEvent]]]] = {
    each.__name__: each
    for each in (
        uninterrupted, reloaded, gap, gap_and_replay, snapshot_alone, snapshot_without_history, rewind, retracted,
        retracted_and_reloaded, replaced, asking, decided, decided_after_reload, cancelled, failed, handoff,
        handoff_and_gap, handoff_and_rewind_reloaded, locked, holed, from_a_newer_server,
    )
} | {f"by_chance_{seed}": lambda seed=seed: by_chance(seed) for seed in range(8)}  # fmt: skip


# -- a view as JSON, the same for every client


def shown(view: ConversationView) -> dict[str, Any]:
    bare = {"type", *ENVELOPE}
    runs = {
        at: {"blocks": {"__all__": ENVELOPE}, "usage": {"__all__": bare}, "errors": {"__all__": bare},
             "handoffs": {"__all__": bare}, "rewinds": {"__all__": bare}, "intent": bare, "thinking": bare}
        for at in range(len(view.runs))
    }  # fmt: skip
    return view.model_dump(mode="json", exclude={"runs": runs})


def lasting(view: ConversationView) -> dict[str, Any]:
    exclude = {"blocks": {"__all__": ENVELOPE}}
    return {run_id: last.model_dump(mode="json", exclude=exclude) for run_id, last in final(view).items()}


def transcript(name: str) -> dict[str, Any]:
    events = TRANSCRIPTS[name]()
    view = fold(reduce, events, ConversationView())
    wire = [event_adapter.dump_python(event, mode="json") for event in events]
    return {"name": name, "events": wire, "final": lasting(view), "full": shown(view)}


def files() -> dict[str, str]:
    """What is to be in the folder, by the files' names."""
    texts: dict[str, Any] = {f"{name}.json": transcript(name) for name in TRANSCRIPTS}
    texts["block_types.json"] = sorted(BLOCK_TYPES)
    return {name: json.dumps(value, ensure_ascii=False, indent=1) + "\n" for name, value in texts.items()}


def main() -> None:
    texts = files()  # first: one that cannot be told must not cost the others
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.json"):
        old.unlink()
    for name, text in texts.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
