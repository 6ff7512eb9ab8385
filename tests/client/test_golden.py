"""The transcripts that the TypeScript client is tested on, too: both fold them to the same views."""

import json
from functools import reduce as fold
from pathlib import Path
from typing import Any

import pytest
from transcripts import FOLDER, files, lasting, shown

from signalbox.events import event_adapter
from signalbox.view import ConversationView, reduce

TRANSCRIPTS = sorted(path for path in FOLDER.glob("*.json") if path.name != "block_types.json")


def read(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return value


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_the_events_of_a_transcript_fold_to_its_view(path: Path):
    told = read(path.stem)
    events = [event_adapter.validate_python(event) for event in told["events"]]
    view = fold(reduce, events, ConversationView())
    assert shown(view) == told["full"]
    assert lasting(view) == told["final"]


def test_the_transcripts_are_as_the_script_writes_them():
    there = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.json")}
    assert there == files(), "run: python tests/client/transcripts.py"


@pytest.mark.parametrize("name", ["reloaded", "gap", "gap_and_replay", "snapshot_alone", "snapshot_without_history"])
def test_a_search_ends_the_same_however_its_events_came(name: str):
    assert read(name)["final"] == read("uninterrupted")["final"]


@pytest.mark.parametrize("name", ["gap", "gap_and_replay", "snapshot_alone"])
def test_after_a_snapshot_a_run_tells_how_it_went_as_before(name: str):
    before, after = (read(each)["full"]["runs"][0] for each in ("uninterrupted", name))
    kept = {"status", "agent", "tools", "usage", "errors", "blocks"}
    assert {key: after[key] for key in kept} == {key: before[key] for key in kept}
    assert {key: after["intent"][key] for key in ("intent", "confidence", "source")} == {
        "intent": "job_search",
        "confidence": 0.93,
        "source": "model",
    }


def test_results_belong_to_the_same_messages_whether_told_by_events_or_by_a_snapshot():
    live, told = (read(name)["full"]["runs"][0] for name in ("handoff", "handoff_and_gap"))
    assert live["owners"] == told["owners"] == ["m_1_answer", "m_1_answer", "m_1_more"]
    assert live["handoffs"] == told["handoffs"] != []


def test_a_reload_tells_why_one_agent_gave_over_to_another_and_whose_text_was_sent_anew():
    live, told = (read(name)["full"] for name in ("handoff", "handoff_and_rewind_reloaded"))
    assert told["runs"][0]["handoffs"] == live["runs"][0]["handoffs"] != []
    (rewind,) = told["runs"][0]["rewinds"]
    assert rewind["message_id"] == told["messages"][-1]["message_id"]


def test_of_runs_that_were_taken_back_nothing_is_left():
    view = read("replaced")
    assert [(message["run_id"], message["text"]) for message in view["full"]["messages"]] == [
        ("r_3", "uno"),
        ("r_3", "I."),
    ]
    assert list(view["final"]) == ["r_3"]


def test_what_was_taken_back_stays_so_though_the_store_does_not_know_yet():
    view = read("retracted_and_reloaded")
    assert [message["text"] for message in view["full"]["messages"]] == ["one", "1.", "right", "Fine."]
    assert [run["retracted"] for run in view["full"]["runs"]] == [False, True, False]


def test_what_was_decided_after_a_reload_ends_as_if_there_had_been_none():
    assert read("decided_after_reload")["final"] == read("decided")["final"]


def test_a_run_that_lost_its_start_says_so_and_no_other_does():
    holed = {path.stem for path in TRANSCRIPTS for run in read(path.stem)["full"]["runs"] if run["holed"]}
    assert holed == {"holed", "decided_after_reload"}
