import json
from datetime import UTC, datetime, timedelta

import pytest

from signalbox.graph.intent_data import as_line, load_examples
from signalbox.runs.routing_report import labelled, live_messages, routing_report

SENT = [  # conversation, temporary, text, intent, confidence, outcome, chosen
    ("a", False, "jobs in Oslo", "job_search", 0.97, "routed", None),
    ("a", False, "and the pay?", "job_match", 0.41, "chose_other", "salary"),
    ("a", False, "the letter", "cover_letter", 0.55, "chosen", "cover_letter"),
    ("a", False, "hmm", "general", 0.35, "clarified", None),
    ("b", True, "", "resume_review", 0.2, "routed", None),
    ("c", False, "jobs in Oslo", "job_search", 0.91, "routed", None),
    ("c", False, "move house", "relocation", 0.9, "routed", None),
]


@pytest.fixture
async def since(database):
    """Messages of a time of their own, so that what other tests leave behind is not counted."""
    begin = datetime(2090, 1, 1, tzinfo=UTC)
    await database.execute("DELETE FROM conversation WHERE conversation_id LIKE 'routing-%%'")
    for name in ("a", "b", "c"):
        await database.execute(
            "INSERT INTO conversation (conversation_id, tenant, user_id, temporary) VALUES (%s, 't', 'u', %s)",
            (f"routing-{name}", name == "b"),
        )
    for number, (name, _, text, intent, confidence, outcome, chosen) in enumerate(SENT):
        run = f"routing-run-{number}"
        await database.execute(
            "INSERT INTO run (run_id, conversation_id, tenant, user_id, user_message_id, status, intent, "
            "request_digest) VALUES (%s, %s, 't', 'u', %s, 'succeeded', %s, '')",
            (run, f"routing-{name}", f"m-{number}", chosen or intent),
        )
        await database.execute(
            "INSERT INTO classification (run_id, tenant, user_id, text, intent, confidence, source, alternatives, "
            "outcome, chosen_intent, created_at) VALUES (%s, 't', 'u', %s, %s, %s, 'model', '[]', %s, %s, %s)",
            (run, text, intent, confidence, outcome, chosen, begin + timedelta(minutes=number)),
        )
    yield begin
    await database.execute("DELETE FROM conversation WHERE conversation_id LIKE 'routing-%%'")


async def test_the_report_shows_confusions_and_what_was_least_certain(database, since):
    report = await routing_report(database, since)
    assert report.confusions == (("job_match", "salary", 1),)
    assert report.weakest[0].text == "hmm"
    assert [live.text for live in report.chosen] == ["the letter", "and the pay?"]
    assert {row.intent: row.n for row in report.rows}["job_search"] == 2
    assert "" not in {live.text for live in report.weakest}


async def test_choices_label_and_guesses_are_marked_for_review(database, since):
    rows = list(labelled(await live_messages(database, since)))
    assert [(example.text, example.intent, example.recent, example.review) for example, _ in rows] == [
        ("jobs in Oslo", "job_search", (), True),
        ("and the pay?", "salary", ("job_search",), False),
        ("the letter", "cover_letter", ("job_search", "salary"), False),
        ("hmm", "general", ("job_search", "salary", "cover_letter"), True),
    ]
    assert len({example.id for example, _ in rows}) == len(rows)


async def test_uncertain_guesses_and_all_guesses_can_be_left_out(database, since):
    messages = await live_messages(database, since)
    sure = [example.text for example, _ in labelled(messages, min_confidence=0.9)]
    assert sure == ["jobs in Oslo", "and the pay?", "the letter"]
    assert [e.text for e, _ in labelled(messages, only_chosen=True)] == ["and the pay?", "the letter"]


async def test_what_is_exported_can_be_read_as_labelled_messages(database, since, tmp_path):
    path = tmp_path / "live.jsonl"
    rows = list(labelled(await live_messages(database, since)))
    lines = [as_line(example, review=example.review, outcome=live.outcome) for example, live in rows]
    path.write_text("".join(lines), encoding="utf-8")
    assert load_examples(path)[1].intent == "salary"
    assert [example.review for example in load_examples(path)] == [example.review for example, _ in rows]
    assert json.loads(lines[1])["outcome"] == "chose_other"
