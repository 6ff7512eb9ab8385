"""The reducer: however the events came, the view ends the same."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import reduce as fold

import pytest

from signalbox.blocks import (
    ApprovalRequired,
    ApprovalResolved,
    Job,
    JobsData,
    Suggestion,
    SuggestionChosen,
    Suggestions,
)
from signalbox.events import (
    BLOCK_TYPES,
    AnyEvent,
    Chunk,
    Citation,
    Complete,
    Error,
    Gap,
    Message,
    Retracted,
    Rewind,
    RunStarted,
    Snapshot,
    SnapshotMessage,
    SnapshotRun,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)
from signalbox.view import ConversationView, final, reduce, sent

START = ConversationView()
REPLIES = (Suggestion(id="s_1", label="A", message="a"), Suggestion(id="s_2", label="B", message="b"))


def views(events: Sequence[AnyEvent], start: ConversationView = START) -> ConversationView:
    return fold(reduce, events, start)


def placed(events: Sequence[AnyEvent]) -> list[AnyEvent]:
    """With offsets, as the log hands them out."""
    return [event.model_copy(update={"seq": seq, "conversation_id": "c_1"}) for seq, event in enumerate(events, 1)]


def question(approval_id: str) -> ApprovalRequired:
    return ApprovalRequired(
        approval_id=approval_id,
        tool="send_email",
        arguments={"to": "a"},
        risk="It goes out.",
        expires_at=datetime(2025, 1, 1, tzinfo=UTC),
    )


def wait(number: int, rng: random.Random) -> list[AnyEvent]:
    """What a run says that asks its user; faster than it can rest they may have answered."""
    decision = rng.choice(["approved", "edited", "rejected", "expired"])
    rests = [Complete(status="waiting")] if rng.random() < 0.8 else []
    return [question(f"ap_{number}"), *rests, ApprovalResolved(approval_id=f"ap_{number}", decision=decision)]


def run(number: int, rng: random.Random) -> list[AnyEvent]:
    """A run as the runner makes it, in any of its shapes."""
    run_id, message_id = f"r_{number}", f"m_{number}_answer"
    words = [rng.choice(["one ", "two\n", "três ", "🙂", ""]) for _ in range(rng.randrange(8))]
    events: list[AnyEvent] = [RunStarted(attempt=1, user_message_id=f"m_{number}")]
    if number > 1 and rng.random() < 0.4:
        events.append(SuggestionChosen(suggestion_id=f"s_{number - 1}_0"))
    events.append(Thinking(stage="intent", label="..."))
    if rng.random() < 0.5:
        events += [
            ToolCall(call_id="t", tool="search_jobs", arguments={}),
            ToolResult(call_id="t", tool="search_jobs", status="empty"),
            JobsData(jobs=(Job(job_id="j", title="T", company="C"),), total=1, truncated=False, sources=()),
        ]
    said = [Chunk(message_id=message_id, agent="general", content=word) for word in words]
    if rng.random() < 0.3:
        events += [
            Chunk(message_id=message_id, agent="general", content="false start"),
            Rewind(message_id=message_id, reason="x"),
        ]
    at = rng.randrange(len(said) + 1)
    events += [*said[:at], *wait(number, rng), *said[at:]] if rng.random() < 0.4 else said
    ending = rng.choice(["succeeded", "succeeded", "failed", "cancelled", "taken back"])
    if ending == "succeeded":
        citations = (Citation(id="1", title="t", source="s"),)
        events.append(Message(message_id=message_id, agent="general", content="".join(words), citations=citations))
        if rng.random() < 0.5:
            replies = tuple(Suggestion(id=f"s_{number}_{n}", label="x", message="y") for n in range(3))
            events.append(Suggestions(text="?", suggestions=replies))
        events.append(Usage(model="m", input_tokens=1, cached_tokens=0, output_tokens=1))
    elif ending == "failed":
        events.append(Error(code="x", content="x", retry=True))
    elif ending == "taken back":
        events.append(Retracted(user_message_id=f"m_{number}"))
        ending = "cancelled"
    events.append(Complete(status=ending))
    return [event.model_copy(update={"run_id": run_id}) for event in events]


def stored(events: Sequence[AnyEvent], seen: int, offset: int) -> Snapshot:
    """What the store has once ``seen`` events were said: runs that are over, whole; of those that waited, what they
    had said until then; the user's messages of all that were not taken back.
    """
    messages: list[SnapshotMessage] = []
    unfinished: list[SnapshotRun] = []
    for run_id in dict.fromkeys(event.run_id for event in events[:seen]):
        mine = [event for event in events[:seen] if event.run_id == run_id]
        over = isinstance(mine[-1], Complete) and mine[-1].status != "waiting"
        if over and any(isinstance(event, Retracted) for event in mine):
            continue
        asked = SnapshotMessage(
            message_id=f"m_{run_id[2:]}", run_id=run_id, role="user", content="q", status="complete"
        )
        messages.append(asked)
        if not over:
            waits = isinstance(mine[-1], Complete)
            unfinished.append(SnapshotRun(run_id=run_id, status="waiting" if waits else "running"))
            mine = mine[: max((at for at, e in enumerate(mine, 1) if isinstance(e, Complete)), default=0)]
        after = max((at for at, event in enumerate(mine) if isinstance(event, Rewind)), default=-1)
        text = "".join(event.content for event in mine[after + 1 :] if isinstance(event, Chunk))
        whole = next((event for event in mine if isinstance(event, Message)), None)
        blocks = tuple(
            event.model_dump(mode="json", exclude={"conversation_id", "run_id", "seq", "ts"})
            for event in mine
            if event.type in BLOCK_TYPES
        )
        if text or blocks:
            messages.append(
                SnapshotMessage(
                    message_id=f"m_{run_id[2:]}_answer", run_id=run_id, role="assistant",
                    content=whole.content if whole else text, status="complete" if whole else "partial",
                    agent=next((e.agent for e in mine if isinstance(e, Chunk | Message)), None),
                    blocks=blocks, citations=whole.citations if whole else (),
                )
            )  # fmt: skip
    return Snapshot(messages=tuple(messages), runs=tuple(unfinished), seq=offset, conversation_id="c_1")


@pytest.mark.parametrize("seed", range(150))
def test_a_gap_and_a_snapshot_end_where_an_uninterrupted_stream_does(seed: int):
    rng = random.Random(seed)
    events = placed([event for number in range(1, rng.randrange(2, 6)) for event in run(number, rng)])
    starts = [at for at, event in enumerate(events) if isinstance(event, RunStarted)]
    lost_at = rng.randrange(len(events))
    seen_by_store = rng.randrange(lost_at, len(events) + 1)
    # What the log still holds: at most everything, at least the run that was going on when the store was read.
    going_on = max((at for at in starts if at <= seen_by_store), default=0)
    oldest = rng.choice([at for at in starts if at <= going_on])
    if seen_by_store == len(events):
        oldest = rng.choice([oldest, len(events)])
    snapshot = stored(events, seen_by_store, offset=oldest)
    resumed = [*events[:lost_at], Gap(reason="trimmed"), snapshot, *events[oldest:]]
    assert final(views(resumed)) == final(views(events))


@pytest.mark.parametrize("seed", range(30))
def test_a_run_that_a_snapshot_found_going_on_comes_whole_from_its_replay(seed: int):
    rng = random.Random(seed)
    events = placed(run(1, rng))
    cut = rng.randrange(1, len(events))
    replayed = [*events[:cut], Gap(reason="unknown_epoch"), stored(events, cut, offset=0), *events]
    assert final(views(replayed)) == final(views(events))
    assert not views(replayed).runs[0].holed


def test_a_run_that_waits_is_no_end_and_its_question_is_open_until_it_is_decided():
    events = placed([
        RunStarted(attempt=1, user_message_id="u", run_id="r"),
        Chunk(message_id="m", agent="a", content="I wrote it.", run_id="r"),
        question("ap_1").model_copy(update={"run_id": "r"}),
        Complete(status="waiting", run_id="r"),
    ])  # fmt: skip
    view = views(events)
    waiting = view.runs[0]
    assert (waiting.status, waiting.over) == ("waiting", False)
    assert [one.approval_id for one in waiting.open_approvals] == ["ap_1"]
    view = reduce(view, ApprovalResolved(approval_id="ap_1", decision="edited", run_id="r", seq=5))
    assert (view.runs[0].status, view.runs[0].open_approvals) == ("running", ())
    assert view.runs[0].decisions == {"ap_1": "edited"}
    view = reduce(view, Chunk(message_id="m", agent="a", content=" Sent.", run_id="r", seq=6))
    assert (view.messages[0].text, view.messages[0].status) == ("I wrote it. Sent.", "streaming")
    view = reduce(view, Complete(status="succeeded", run_id="r", seq=7))
    assert view.runs[0].over


def test_a_run_that_was_cancelled_while_it_waited_asks_nothing_any_more():
    view = views([question("ap_1").model_copy(update={"run_id": "r"}), Complete(status="waiting", run_id="r")])
    assert reduce(view, Complete(status="cancelled", run_id="r")).runs[0].open_approvals == ()


@pytest.mark.parametrize("seed", range(40))
def test_a_wait_that_outlasted_the_log_ends_where_an_uninterrupted_stream_does(seed: int):
    rng = random.Random(seed)
    events = placed(run(1, rng))
    rests = [at for at, event in enumerate(events, 1) if isinstance(event, Complete) and event.status == "waiting"]
    for at in rests:
        told = stored(events, at, offset=at)
        end = events[at - 1].model_copy(update={"seq": at})
        view = views([Gap(reason="expired"), told, end])
        assert view.runs[0].status == "waiting"
        assert len(view.runs[0].open_approvals) == 1
        went_on = views(events[at:], view)
        whole = views(events)
        assert {k: v.blocks for k, v in final(went_on).items()} == {k: v.blocks for k, v in final(whole).items()}
        assert [m.text for m in went_on.answers("r_1") if m.text] == [m.text for m in whole.answers("r_1") if m.text]


def test_what_was_taken_back_vanishes_with_its_question():
    mine = [
        RunStarted(attempt=1, user_message_id="u", message="wrong one", run_id="r"),
        Chunk(message_id="m", agent="a", content="x", run_id="r"),
        Suggestions(text="?", suggestions=REPLIES, run_id="r"),
    ]
    before = views(
        [Suggestions(text="?", suggestions=REPLIES, run_id="r_0"), Complete(status="succeeded", run_id="r_0")]
    )
    view = views([*mine, Retracted(user_message_id="u", run_id="r"), Complete(status="cancelled", run_id="r")], before)
    assert view.messages == ()
    assert (view.runs[-1].retracted, view.runs[-1].blocks, view.runs[-1].status) == (True, (), "cancelled")
    assert final(view) == final(before)
    assert view.open_suggestions == REPLIES
    own = sent(START, "r", "wrong one")
    assert reduce(own, Retracted(user_message_id="u", run_id="r")).messages == ()


def test_a_run_that_another_worker_took_over_looks_like_one_that_was_never_broken():
    def said(*events: AnyEvent) -> list[AnyEvent]:
        return placed([event.model_copy(update={"run_id": "r"}) for event in events])

    start = RunStarted(attempt=1, user_message_id="u", message="q")
    first = Chunk(message_id="m", agent="a", content="kept. ")
    rest = [Chunk(message_id="m", agent="a", content="new."), Message(message_id="m", agent="a", content="kept. new.")]
    unbroken = views(said(start, first, *rest, Complete(status="succeeded")))
    torn = Chunk(message_id="m", agent="a", content="half a senten")
    rewind = Rewind(message_id="m", reason="The worker stopped.")
    taken_over = views(said(start, first, torn, rewind, first, *rest, Complete(status="succeeded")))
    assert final(taken_over) == final(unbroken)
    assert taken_over.messages == unbroken.messages


def test_text_is_built_from_chunks_and_replaced_whole_by_the_message():
    chunk = Chunk(message_id="m", agent="a", content="helo", run_id="r")
    view = views([RunStarted(attempt=1, user_message_id="u", run_id="r"), chunk])
    assert (view.messages[0].text, view.messages[0].status) == ("helo", "streaming")
    view = reduce(view, Message(message_id="m", agent="a", content="hello", run_id="r"))
    assert (view.messages[0].text, view.messages[0].status) == ("hello", "complete")
    assert reduce(view, chunk).messages == view.messages


def test_a_rewind_drops_the_text_so_far():
    view = views(
        [Chunk(message_id="m", agent="a", content="x", run_id="r"), Rewind(message_id="m", reason="retry", run_id="r")]
    )
    assert view.messages[0].text == ""


def test_an_answer_that_broke_off_is_partial():
    view = views([Chunk(message_id="m", agent="a", content="x", run_id="r"), Complete(status="cancelled", run_id="r")])
    assert view.messages[0].status == "partial"
    assert view.runs[0].status == "cancelled"
    assert view.runs[0].over


def test_quick_replies_are_open_until_one_is_chosen_and_locked_after():
    block = Suggestions(text="?", suggestions=REPLIES, run_id="r_1")
    view = views([block, Complete(status="succeeded", run_id="r_1")])
    assert view.open_suggestions == REPLIES
    assert view.locked(block) is None
    view = reduce(view, SuggestionChosen(suggestion_id="s_2", run_id="r_2"))
    assert view.open_suggestions == ()
    assert view.locked(block) == "s_2"


def test_the_users_own_message_is_shown_at_once_and_gets_its_id_later():
    view = sent(START, "r_1", "hello")
    assert (view.messages[0].text, view.runs[0].status) == ("hello", "pending")
    view = reduce(view, RunStarted(attempt=1, user_message_id="m_1", run_id="r_1"))
    assert view.messages[0].message_id == "m_1"
    assert view.runs[0].status == "running"


def test_a_run_whose_start_was_lost_in_mid_run_says_so():
    snapshot = Snapshot(messages=(), runs=(SnapshotRun(run_id="r", status="running"),), seq=9)
    view = views([snapshot, Chunk(message_id="m", agent="a", content="tail", run_id="r")])
    assert view.runs[0].holed


def test_how_a_run_ended_outlives_a_snapshot_if_it_was_seen_and_is_unknown_if_not():
    events = placed(run(1, random.Random(1)))
    snapshot = stored(events, len(events), offset=len(events))
    assert views([snapshot]).runs[0].status == "over"
    end = events[-1]
    assert isinstance(end, Complete)
    assert views([*events, snapshot]).runs[0].status == end.status
    assert views([snapshot, end]).runs[0].status == end.status


def test_blocks_of_a_newer_server_are_left_out():
    message = SnapshotMessage(
        message_id="m", run_id="r", role="assistant", content="x", status="complete",
        blocks=({"type": "hologram"}, {"type": "suggestion_chosen", "suggestion_id": "s"}, {"type": "chunk"}),
    )  # fmt: skip
    view = views([Snapshot(messages=(message,), runs=())])
    assert [block.type for block in view.runs[0].blocks] == ["suggestion_chosen"]


def test_reducing_changes_no_earlier_view():
    events = placed(run(1, random.Random(3)))
    before = views(events[:4])
    copy = before.model_copy(deep=True)
    views(events[4:], before)
    assert before == copy


def test_the_last_offset_and_the_conversation_are_known():
    view = views(placed(run(1, random.Random(2)))[:3])
    assert (view.last_seq, view.conversation_id) == (3, "c_1")
