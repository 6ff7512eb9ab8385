"""What a snapshot tells of how a run came to its answer: no less than its events told whoever followed it."""

import time
from datetime import UTC, datetime

from signalbox.envelope import Event
from signalbox.events import (
    AgentFinished,
    AgentStarted,
    Chunk,
    Handoff,
    IntentClassified,
    Message,
    Rewind,
    ToolCall,
    ToolResult,
    Usage,
)
from signalbox.memory.profile import Owner
from signalbox.runs.claims import ClaimStore
from signalbox.runs.conversations import ConversationStore
from signalbox.runs.ending import MAX_SHOWN, Outcome, ending_of
from signalbox.runs.records import Begin, NewRun, StartedRun
from signalbox.runs.store import RunStore

BEGIN = Begin(here=True, per_user=10_000, model="m", pins="p")


class Said:
    """Stands for a writer that has said ``events``."""

    epoch, first, last = "0123abcd", 1, 9

    def __init__(self, *events: Event) -> None:
        self.said = list(events)


def usage(tokens: int, cost: float | None = None) -> Usage:
    return Usage(model="m", input_tokens=tokens, cached_tokens=0, output_tokens=1, cost_usd=cost)


EVENTS = (
    IntentClassified(intent="salary", confidence=0.875, reasoning="r", source="rule"),
    AgentStarted(agent="salary"),
    ToolCall(call_id="a", tool="wages", arguments={}),
    ToolCall(call_id="b", tool="search_jobs", arguments={}),
    ToolResult(call_id="b", tool="search_jobs", status="error", kind="timeout", note="no answer\x00", truncated=True),
    ToolResult(call_id="a", tool="wages", status="ok"),
    ToolCall(call_id="c", tool="never_came_back", arguments={}),
    usage(5, 0.25),
    Chunk(message_id="m_1", agent="salary", content="It pa"),
    Rewind(message_id="m_1", reason="The model broke off\x00"),
    Chunk(message_id="m_1", agent="salary", content="It pays."),
    AgentFinished(agent="salary", duration_ms=3),
    Handoff(from_agent="salary", to_agent="general", reason="you asked for this as well"),
    AgentStarted(agent="general"),
    usage(7),
    AgentFinished(agent="general", duration_ms=3),
)


async def started(database, user: str, conversation_id: str | None = None) -> StartedRun:
    store = RunStore(database, lease_owner="w", lease_s=60)
    run = await store.start(NewRun(Owner("default", user), "hello", conversation_id), BEGIN)
    assert isinstance(run, StartedRun)
    return run


async def snapshot_of(database, run: StartedRun):
    found = await ConversationStore(database).snapshot(run.owner, run.conversation_id)
    return next(told for told in found.runs if told.run_id == run.run_id)


async def ended(database, run: StartedRun, *events: Event) -> None:
    store = RunStore(database, lease_owner="w", lease_s=60)
    assert await store.finish(run, ending_of(run, Said(*events), Outcome())) == ("succeeded", False)  # type: ignore[arg-type]


async def test_a_run_that_is_over_tells_what_its_events_told(database):
    run = await started(database, "activity_over")
    await ended(database, run, *EVENTS)
    told = await snapshot_of(database, run)
    assert (told.intent, told.confidence, told.source, told.agent) == ("salary", 0.875, "rule", "general")
    assert [(u.input_tokens, u.cost_usd) for u in told.usage] == [(5, 0.25), (7, None)]
    assert [tool.model_dump() for tool in told.tools] == [
        {"call_id": "a", "tool": "wages", "status": "ok", "kind": None, "note": "", "truncated": False, "total": None,
         "missed": ()},
        {"call_id": "b", "tool": "search_jobs", "status": "error", "kind": "timeout", "note": "no answer\ufffd",
         "truncated": True, "total": None, "missed": ()},
    ]  # fmt: skip


async def test_a_run_that_is_over_tells_its_hand_overs_and_rewinds_with_their_reasons(database):
    run = await started(database, "activity_handed_over")
    await ended(database, run, *EVENTS)
    told = await snapshot_of(database, run)
    assert [each.model_dump() for each in told.handoffs] == [
        {"from_agent": "salary", "to_agent": "general", "reason": "you asked for this as well"}
    ]
    assert [each.model_dump() for each in told.rewinds] == [
        {"message_id": "m_1", "reason": "The model broke off\ufffd"}
    ]


async def test_a_run_that_was_stored_before_hand_overs_were_kept_tells_none(database):
    run = await started(database, "activity_without_handoffs")
    await ended(database, run, *EVENTS)
    await database.execute(
        "UPDATE run SET activity = activity - 'handoffs' - 'rewinds' WHERE run_id = %s", (run.run_id,)
    )
    told = await snapshot_of(database, run)
    assert (told.handoffs, told.rewinds, told.intent) == ((), (), "salary")


async def test_a_run_that_waits_tells_it_too_and_one_that_goes_on_leaves_it_to_its_events(database):
    run = await started(database, "activity_waits")
    await database.execute(
        "INSERT INTO approval (approval_id, run_id, tenant, user_id, position, tool, arguments, digest, risk, "
        "expires_at) VALUES ('ap_activity', %s, 'default', 'activity_waits', 'p', 't', '{}', 'd', 'r', %s)",
        (run.run_id, datetime(2100, 1, 1, tzinfo=UTC)),
    )
    parked = ending_of(run, Said(*EVENTS), Outcome(how="waiting"))  # type: ignore[arg-type]
    assert await ClaimStore(database, lease_owner="w", lease_s=60).park(run, parked)
    told = await snapshot_of(database, run)
    assert (told.status, told.intent, [tool.call_id for tool in told.tools]) == ("waiting", "salary", ["a", "b"])
    await database.execute("UPDATE run SET status = 'running' WHERE run_id = %s", (run.run_id,))
    told = await snapshot_of(database, run)
    assert (told.status, told.intent, told.tools, told.usage, told.handoffs) == ("running", None, (), (), ())
    await database.execute("UPDATE run SET status = 'failed' WHERE run_id = %s", (run.run_id,))


async def test_a_run_of_an_earlier_version_tells_what_its_row_has(database):
    run = await started(database, "activity_older")
    await ended(database, run, *EVENTS)
    await database.execute("UPDATE run SET activity = NULL WHERE run_id = %s", (run.run_id,))
    told = await snapshot_of(database, run)
    assert (told.intent, told.agent, told.confidence, told.tools) == ("salary", "salary", None, ())
    assert [(u.input_tokens, u.output_tokens) for u in told.usage] == [(12, 2)]


async def test_a_turn_that_was_told_to_have_begun_twice_is_stored_as_one_message(database):
    run = await started(database, "twice-begun")
    start = AgentStarted(agent="general", message_id="m_twice")
    said = (start, Chunk(message_id="m_twice", agent="general", content="Hel"), start,
            Message(message_id="m_twice", agent="general", content="Hello"))  # fmt: skip
    answers = ending_of(run, Said(*said), Outcome()).answers  # type: ignore[arg-type]
    assert [(answer.message_id, answer.text, answer.partial) for answer in answers] == [("m_twice", "Hello", False)]


def test_of_a_run_without_end_only_the_latest_is_kept():
    calls = [ToolResult(call_id=str(n), tool="t", status="ok") for n in range(5 * MAX_SHOWN)]
    run = StartedRun(
        "r_1", "c_1", Owner("default", "u"), "m_1", "hi", 1, 1, datetime.now(UTC), None, False, (), ()
    )  # fmt: skip
    activity = ending_of(run, Said(*calls), Outcome()).activity  # type: ignore[arg-type]
    assert activity is not None
    assert [tool["call_id"] for tool in activity["tools"]] == [str(n) for n in range(4 * MAX_SHOWN, 5 * MAX_SHOWN)]


async def test_a_snapshot_of_five_hundred_messages_is_quick(database):
    run = await started(database, "activity_long")
    await ended(database, run, *EVENTS)
    for _ in range(249):
        await ended(database, await started(database, "activity_long", run.conversation_id), *EVENTS)
    store = ConversationStore(database)
    took: list[float] = []
    while len(took) < 20 and min(took, default=0.5) >= 0.5:  # a busy machine makes it longer, never shorter
        began = time.perf_counter()
        told = await store.snapshot(run.owner, run.conversation_id)
        took.append(time.perf_counter() - began)
    assert (len(told.messages), len(told.runs)) == (500, 250)
    assert all(len(one.tools) == 2 for one in told.runs)
    assert min(took) < 0.5
