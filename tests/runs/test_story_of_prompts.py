"""What an operator reads of a model's turn: who answered, from which texts, what was told and what was left out."""

from datetime import UTC, datetime

from signalbox.runs.story import StepLine

TURN = {
    "model": "llama",
    "task": "answer",
    "prompts": [{"id": "persona", "version": "2", "digest": "0" * 64}, {"id": "agent:salary", "version": "1a2b3c4d"}],
    "about": {
        "window": 7024,
        "output": 1024,
        "tokens": {"system": 700, "facts": 4000, "history": 1200, "message": 20},
        "dropped": [
            {"part": "facts", "why": "room", "items": 7, "tokens": 2100, "what": ["jobs[13]", "jobs[14]"]},
            {"part": "profile", "why": "duplicate", "items": 1, "tokens": 9, "what": ["skill"]},
            {"part": "history", "why": "order", "items": 2, "tokens": 80},
        ],
        "shortened": {"kept": 9000, "of": 16000},
        "again": "unsure",
    },
    "attempts": [
        {"number": 1, "model": "small", "tier": "standard", "outcome": "provider_timeout"},
        {"number": 2, "model": "large", "tier": "strong", "outcome": "ok", "escalated": True, "control": False},
    ],
    "result": {
        "text": "It pays well.",
        "finish": "stop",
        "usage": {
            "model": "large",
            "input_tokens": 5900,
            "cached_tokens": 700,
            "output_tokens": 30,
            "estimated": False,
        },
    },
}


def line(kind: str, position: str, payload) -> str:
    now = datetime.now(UTC)
    return StepLine(1, kind, position, 1, payload, None, now, now, None, 0).what


def test_a_model_turn_tells_what_it_was_made_from_and_what_did_not_fit():
    what = line("model_turn", "model/answer:1/1", TURN)
    for part in (
        "large (strong, attempt 2, escalated): answer (5900 tokens in, 700 of them cached, 30 out)",
        "made from persona 2, agent:salary 1a2b3c4d;",
        "told about 5920 tokens (system 700, facts 4000, history 1200, message 20) of 7024 with 1024 for the answer;",
        "left out 7 of facts (2100 tokens, no room left: jobs[13], jobs[14] ...);",
        "left out 1 of profile (9 tokens, said already: skill);",
        "left out 2 of history (80 tokens, of no use without what was left out before it);",
        "the message shortened to 9000 of 16000 characters;",
        "asked again since the first answer was no good: unsure;",
    ):
        assert part in what, part


def test_a_turn_of_an_older_version_is_told_as_far_as_it_is_known():
    payload = {"model": "llama", "task": "answer", "result": {"text": "Hi", "finish": "stop", "usage": None}}
    assert line("model_turn", "model/answer:1/1", payload) == 'llama: answer "Hi"'


def test_a_runs_budget_is_told():
    payload = {"model": "llama", "result": {"window": 8192, "prompt": 6000, "answer": 1024, "ratio": 1.12}}
    assert line("decision", "model/budget/1", payload) == (
        "prompts of this run: at most 6000 tokens in and 1024 out, in a window of 8192; "
        "tokens of llama estimated times 1.12"
    )
