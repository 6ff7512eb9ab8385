"""Routing on a live server: nobody is guessed, quick replies lock, what was classified is on record."""

import asyncio
import re
import secrets

import pytest

from live import ask, finished, live, read_all
from signalbox.blocks import ProfileFact
from signalbox.envelope import INTENTS
from signalbox.events import IntentScore
from signalbox.graph.clarify import COMMON, REPLIES, quick_replies
from signalbox.graph.intent import Classification
from signalbox.runs.routing_report import routing_report


class Unsure:
    """Half sure of a salary question, whatever is said."""

    def __init__(self):
        self.recent = []

    async def of(self, text, recent):
        self.recent.append(tuple(recent))
        return Classification("salary", 0.5, "model", "could be either", (("job_search", 0.4), ("general", 0.02)))


@pytest.fixture
async def unsure(settings):
    async with live(settings) as server:
        server.services.runner._orchestrator._router._classifier = classifier = Unsure()
        server.classifier = classifier
        yield server


async def test_below_the_threshold_three_concrete_replies_are_offered_instead_of_a_guess(unsure):
    async with unsure.user() as user:
        run = await ask(user, "data engineers in Leeds")
        found = await read_all(user, run["events_url"])
        assert "agent_started" not in found.types
        offered = next(e.data for e in found.events if e.type == "suggestions")["suggestions"]
        assert [s["intent"] for s in offered] == ["salary", "job_search", "skill_gap"]
        assert len({s["id"] for s in offered}) == 3
        row = (await user.get(f"/v1/runs/{run['run_id']}")).json()
        assert (row["status"], row["agent"]) == ("succeeded", "clarify")


async def test_a_chosen_reply_is_routed_without_guessing_locked_and_remembered(unsure, database):
    async with unsure.user() as user, unsure.user() as stranger:
        run = await ask(user, "data engineers in Leeds")
        found = await read_all(user, run["events_url"])
        offered = next(e.data for e in found.events if e.type == "suggestions")["suggestions"]
        chosen = offered[1]
        foreign = await stranger.post("/v1/chat", json={"suggestion_id": chosen["id"]})
        assert foreign.status_code == 404
        response = await user.post("/v1/chat", json={"suggestion_id": chosen["id"]}, headers={"Idempotency-Key": "a"})
        assert response.status_code == 202
        answer = response.json()
        assert answer["conversation_id"] == run["conversation_id"]
        events = (await read_all(user, answer["events_url"])).events
        assert next(e.data["suggestion_id"] for e in events if e.type == "suggestion_chosen") == chosen["id"]
        intent = next(e.data for e in events if e.type == "intent")
        assert (intent["intent"], intent["source"], intent["confidence"]) == ("job_search", "quick_reply", 1.0)
        again = await user.post("/v1/chat", json={"suggestion_id": chosen["id"]})
        assert again.status_code == 409
        retried = await user.post("/v1/chat", json={"suggestion_id": chosen["id"]}, headers={"Idempotency-Key": "a"})
        assert retried.json()["run_id"] == answer["run_id"]
        page = (await user.get(f"/v1/conversations/{run['conversation_id']}/messages")).json()
        assert [m["role"] for m in page["messages"]] == ["user", "assistant", "user", "assistant"]
        assert page["messages"][2]["content"] == chosen["message"] == "data engineers in Leeds"
        blocks = [b["type"] for m in page["messages"] for b in m["blocks"]]
        assert "suggestions" in blocks
        assert "suggestion_chosen" in blocks
        stored = await database.fetch_one("SELECT * FROM classification WHERE run_id = %s", (run["run_id"],))
        assert (stored["outcome"], stored["chosen_intent"], stored["intent"]) == ("chose_other", "job_search", "salary")


async def test_a_number_typed_chooses_the_reply_and_locks_it(unsure):
    async with unsure.user() as user:
        run = await ask(user, "data engineers in Leeds")
        await finished(user, run["run_id"])
        here = {"conversation_id": run["conversation_id"]}
        beyond = await ask(user, "7", **here)
        assert (await finished(user, beyond["run_id"]))["agent"] == "clarify"
        run = await ask(user, "data engineers in Leeds", **here)
        offered = next(e.data for e in (await read_all(user, run["events_url"])).events if e.type == "suggestions")[
            "suggestions"
        ]
        answer = await ask(user, " 2) ", **here)
        events = (await read_all(user, answer["events_url"])).events
        assert next(e.data["suggestion_id"] for e in events if e.type == "suggestion_chosen") == offered[1]["id"]
        assert next(e.data["source"] for e in events if e.type == "intent") == "quick_reply"
        late = await user.post("/v1/chat", json={"suggestion_id": offered[0]["id"]})
        assert late.status_code == 409


async def test_of_replies_chosen_at_the_same_moment_one_wins(unsure):
    async with unsure.user() as user:
        run = await ask(user, "data engineers in Leeds")
        events = (await read_all(user, run["events_url"])).events
        offered = next(e.data for e in events if e.type == "suggestions")["suggestions"]
        chosen = [user.post("/v1/chat", json={"suggestion_id": reply["id"]}) for reply in offered]
        answers = await asyncio.gather(*chosen)
        assert sorted(answer.status_code for answer in answers) == [202, 409, 409]
        page = (await user.get(f"/v1/conversations/{run['conversation_id']}/messages")).json()
        assert sum(m["role"] == "user" for m in page["messages"]) == 2


async def test_previous_intents_are_context(unsure):
    async with unsure.user() as user:
        first = await ask(user, "/general hello")
        await finished(user, first["run_id"])
        second = await ask(user, "and now?", conversation_id=first["conversation_id"])
        await finished(user, second["run_id"])
        assert unsure.classifier.recent == [("general",)]


async def test_a_temporary_chat_is_not_listed_and_leaves_no_text_behind(unsure, database):
    secret = f"secret {secrets.token_hex(4)}"
    async with unsure.user() as user:
        run = await ask(user, secret, temporary=True)
        await finished(user, run["run_id"])
        assert (await user.get("/v1/conversations")).json()["conversations"] == []
        stored = await database.fetch_one("SELECT text FROM classification WHERE run_id = %s", (run["run_id"],))
        assert stored["text"] == ""


async def test_a_fact_told_once_is_used_by_the_next_answer_and_not_in_a_temporary_chat(settings):
    async with live(settings) as server, server.user() as user:
        told = await ask(user, "/profile_update I know Python and SQL")
        events = (await read_all(user, told["events_url"])).events
        update = next(e.data for e in events if e.type == "profile_updated")
        assert {"Python", "SQL"} <= {fact["value"] for fact in update["added"]}
        assert {fact["source_message_id"] for fact in update["added"]} == {events[0].data["user_message_id"]}
        asked = await ask(user, "/general what do you know about me?")
        assert "Python" in (await read_all(user, asked["events_url"])).text
        temporary = await ask(user, "/general what do you know about me?", temporary=True)
        assert "Python" not in (await read_all(user, temporary["events_url"])).text


async def test_the_report_shows_where_routing_is_weak(unsure, database):
    async with unsure.user() as user:
        await finished(user, (await ask(user, "an unclear message"))["run_id"])
    report = await routing_report(database, None)
    row = next(row for row in report.rows if row.intent == "salary")
    assert row.clarified > 0
    assert row.confused_with == "job_search"
    assert any("an unclear message" in line.text for line in report.weakest)


def test_quick_replies_fit_the_profile_and_are_three_different_ones():
    facts = (ProfileFact(fact_id="f", kind="fact", key="title", value="data engineer"),)
    for intent in INTENTS:
        replies = quick_replies("m", "hm", (IntentScore(intent=intent, confidence=0.6),), facts)
        assert len({reply.intent for reply in replies}) == 3
        assert (replies[0].intent, replies[0].message) == (intent, "hm")
    assert "data engineer" in replies[1].label
    assert "data engineer" not in replies[0].label, "a label must not promise what the message does not say"
    assert {*COMMON} <= {*REPLIES} == {*INTENTS}


def test_quick_replies_read_well_with_and_without_a_field_of_work():
    assert REPLIES["interview_prep"].says("") == "Help me prepare for an interview"
    assert REPLIES["interview_prep"].says("accountant ") == "Help me prepare for an accountant interview"
    for reply in REPLIES.values():
        for what in ("", "data engineer "):
            assert "{" not in reply.says(what)
            assert "  " not in reply.says(what)
            assert not re.search(r"\b(?:a [aeio]|an [^aeio])", reply.says(what))


async def test_despair_is_never_sorted_among_careers(unsure):
    async with unsure.user() as user:
        run = await ask(user, "I want to kill myself")
        found = await read_all(user, run["events_url"])
        assert "suggestions" not in found.types
        assert "crisis" in found.text.lower()
        assert next(e.data["intent"] for e in found.events if e.type == "intent") == "general"
