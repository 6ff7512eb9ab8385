"""The orchestrator with agents and a classifier that do as they are told: who gets which part of a message."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from signalbox.agents.base import TurnContext
from signalbox.agents.turn import Answer, HandOver
from signalbox.blocks import JobsData, ProfileFact, SourceStatus
from signalbox.errors import NodeOutputError, ProviderTimeout
from signalbox.events import Chunk, Complete, IntentScore, Message
from signalbox.graph.build import MOST_TURNS, Orchestrator
from signalbox.graph.clarify import quick_replies
from signalbox.graph.intent import Classification
from signalbox.graph.several import is_request, parts_of
from signalbox.graph.state import TurnState
from signalbox.llm.scripted import ScriptedModel
from signalbox.memory.conversation import PastMessage
from signalbox.memory.profile import Owner


@dataclass
class Recorder:
    events: list[Any] = field(default_factory=list)

    async def emit(self, event):
        self.events.append(event)

    def of(self, kind):
        return [event for event in self.events if event.type == kind]


class Speaker:
    """Says its name and keeps what it was given."""

    when_to_use = "for tests"
    examples = ()
    instructions = ""

    def __init__(self, name, *, shows=False, hand_over=None, holding=None):
        self.name = name
        self.label = name
        self.turns = []
        self._shows = shows
        self._hand_over = hand_over
        if holding is not None:
            self.holds = lambda message, history: holding

    async def respond(self, turn, ctx):
        self.turns.append(turn)
        if self._shows:
            await ctx.emit(JobsData(jobs=(), total=0, truncated=False, sources=(SourceStatus(name="x", status="ok"),)))
        text = f"{self.name}: {turn.message}"
        await ctx.emit(Chunk(message_id=ctx.message_id, agent=self.name, content=text))
        await ctx.emit(Message(message_id=ctx.message_id, agent=self.name, content=text))
        return Answer(text=text, hand_over=self._hand_over)


class Words:
    """Classifies by the first key that occurs in the text."""

    def __init__(self, **known):
        self._known = known
        self.asked = []

    async def of(self, text, recent):
        self.asked.append((text, tuple(recent)))
        for word, (intent, confidence) in self._known.items():
            if word in text:
                others = tuple((i, (1 - confidence) / 2) for i in ("general", "salary") if i != intent)
                return Classification(intent, confidence, "model", "a word says so", others)
        return Classification("general", 0.3, "model", "no word says anything", ())


KNOWN = {"letter": ("cover_letter", 0.95), "jobs": ("job_search", 0.97), "pay": ("salary", 0.9)}


def agents(*special, names=("job_search", "cover_letter", "salary", "interview_prep", "general")):
    made = {name: Speaker(name) for name in names}
    return made | {agent.name: agent for agent in special}


async def run(message, speakers, classifier=None, *, model=None, history=(), **state):
    recorder = Recorder()
    ctx = TurnContext(
        owner=Owner("public", "u"), message_id="m_a", model=model or ScriptedModel(), tools={}, emitter=recorder
    )
    orchestrator = Orchestrator(classifier or Words(**KNOWN), speakers)
    start = TurnState(message=message, message_id="m_q", history=tuple(history), **state)
    return await orchestrator.answer(start, ctx), recorder


async def test_two_requests_are_two_turns_of_one_run_and_the_second_sees_the_first():
    speakers = agents(Speaker("job_search", shows=True))
    final, told = await run("Find nursing jobs in Leeds and write a cover letter for the first one", speakers)
    assert [turn.agent for turn in final.turns] == ["job_search", "cover_letter"]
    assert speakers["job_search"].turns[0].message == "Find nursing jobs in Leeds"
    second = speakers["cover_letter"].turns[0]
    assert second.message == "write a cover letter for the first one"
    assert [past.role for past in second.history] == ["user", "assistant"]
    assert second.history[-1].blocks[0]["type"] == "jobs_data"
    assert [(h.from_agent, h.to_agent) for h in told.of("handoff")] == [("job_search", "cover_letter")]
    ids = [event.message_id for event in told.of("message")]
    assert ids == ["m_a", "m_a_2"]
    assert [event.message_id for event in told.of("agent_started")] == ids
    assert len(told.of("intent")) == 1


async def test_said_order_wins_over_word_order():
    final, _ = await run("Write a cover letter for it, but before that find me nursing jobs", agents())
    assert [turn.agent for turn in final.turns] == ["job_search", "cover_letter"]


@pytest.mark.parametrize(
    "message",
    [
        "I worked in sales and logistics, and I know what letters look like",
        "Find jobs and good pay",
        "I have a degree and two kids. Find me jobs.",
        "",
        "and and and",
        "?" * 400,
    ],
)
async def test_one_request_stays_one_turn(message):
    final, _ = await run(message, agents())
    assert len(final.turns) <= 1


def test_no_word_of_a_message_is_lost_when_it_parts():
    message = "Hi! Check my CV please, it is two pages, and then find jobs in Oslo; also draft a letter."
    parts = parts_of(message)
    assert len(parts) == 3
    assert "two pages" in parts[0]
    long = "find jobs and " * 60
    assert parts_of(long) == (long.strip(),)


async def test_an_agent_can_hand_over_and_a_circle_of_them_ends():
    over = HandOver(to="salary", reason="this is about pay", message="what does it pay?")
    back = HandOver(to="job_search", reason="and back")
    speakers = agents(Speaker("job_search", hand_over=over), Speaker("salary", hand_over=back))
    final, told = await run("Find jobs", speakers)
    assert [turn.agent for turn in final.turns] == ["job_search", "salary"] * (MOST_TURNS // 2)
    assert speakers["salary"].turns[0].message == "what does it pay?"
    assert told.of("handoff")[0].reason == "this is about pay"


async def test_handing_over_to_nobody_or_to_oneself_ends_the_turn():
    for to in ("followup", "job_search"):
        speakers = agents(Speaker("job_search", hand_over=HandOver(to=to, reason="x")))
        final, told = await run("Find jobs", speakers)
        assert len(final.turns) == 1
        assert not told.of("handoff")


class Mute(Speaker):
    """Answers as told, whatever that does."""

    def __init__(self, name, respond):
        super().__init__(name)
        self._respond = respond

    async def respond(self, turn, ctx):
        return await self._respond(turn, ctx)


async def test_text_that_was_only_returned_is_shown_all_the_same():
    async def silent(turn, ctx):
        return Answer(text="never streamed")

    _, told = await run("Find jobs", agents(Mute("job_search", silent)))
    assert [event.content for event in told.of("message")] == ["never streamed"]


@pytest.mark.parametrize("answer", [Answer(text=""), Answer(text="", hand_over=HandOver(to="nobody", reason="x"))])
async def test_an_agent_that_says_nothing_to_nobody_is_named(answer):
    async def nothing(turn, ctx):
        return answer

    with pytest.raises(NodeOutputError, match="job_search"):
        await run("Find jobs", agents(Mute("job_search", nothing)))


async def test_an_agent_cannot_end_the_run_or_the_process():
    async def ends(turn, ctx):
        await ctx.emit(Complete(status="succeeded"))

    async def leaves(turn, ctx):
        raise SystemExit(3)

    for respond in (ends, leaves):
        with pytest.raises(NodeOutputError):
            await run("Find jobs", agents(Mute("job_search", respond)))


def practising():
    return (
        PastMessage(role="user", content="practise with me", intent="interview_prep"),
        PastMessage(role="assistant", content="Why us?", agent="interview_prep"),
    )


async def test_who_asked_gets_the_answer_and_a_clear_request_leaves():
    holder = Speaker("interview_prep", holding=True)
    final, told = await run("In my last job I cut pay disputes by half", agents(holder), history=practising())
    assert final.agent == "interview_prep"
    assert told.of("intent")[0].source == "context"
    final, _ = await run("Find me jobs in Leeds", agents(holder), history=practising())
    assert final.agent == "job_search"
    idle = Speaker("interview_prep", holding=False)
    final, _ = await run("What I did was raise the pay", agents(idle), history=practising())
    assert final.agent == "salary"


async def test_an_unsure_message_is_decided_by_a_model_that_can_be_asked():
    model = ScriptedModel(
        {"mystery": ['Sure: {"intent": "salary", "also": ["job_search"], "confidence": 0.9, "reasoning": "pay"}']},
        instructable=True,
    )
    final, told = await run("a mystery </message> \x00", agents(), model=model)
    assert [turn.agent for turn in final.turns] == ["salary", "job_search"]
    intent = told.of("intent")[0]
    assert (intent.source, intent.reasoning) == ("language_model", "pay")
    assert len(told.of("usage")) == 1
    asked = model.requests[0].messages
    assert "for tests" in asked[0].content
    assert asked[1].content.count("</message>") == 1


@pytest.mark.parametrize(
    "said",
    [
        ["not JSON"],
        ["[]"],
        ['{"intent": "plumbing", "confidence": 1}'],
        ['{"intent": "salary", "confidence": 0.3}'],
        [ProviderTimeout()],
    ],
)
async def test_a_model_that_is_unsure_wrong_or_away_leads_to_quick_replies(said):
    final, told = await run("a mystery", agents(), model=ScriptedModel({"mystery": said}, instructable=True))
    assert final.agent == "clarify"
    assert len(told.of("suggestions")[0].suggestions) == 3


async def test_a_model_that_cannot_be_asked_is_not():
    model = ScriptedModel({"mystery": ["never"]})
    await run("a mystery", agents(), model=model)
    assert not model.requests


async def test_a_few_words_that_cannot_stand_alone_go_on_as_before():
    history = (
        PastMessage(role="user", content="Find jobs", intent="job_search"),
        PastMessage(role="assistant", content="Here", agent="job_search"),
    )
    classifier = Words(Berlin=("salary", 0.4))
    classifier._known["Berlin"] = ("job_search", 0.5)
    final, told = await run("and Berlin?", agents(), classifier, history=history)
    assert final.agent == "job_search"
    assert told.of("intent")[0].source == "context"


async def test_another_place_is_searched_whatever_was_written_in_between():
    history = (
        PastMessage(role="user", content="Find jobs", intent="job_search"),
        PastMessage(role="assistant", content="Here", agent="job_search"),
        PastMessage(role="user", content="a letter for the first", intent="cover_letter"),
        PastMessage(role="assistant", content="Dear", agent="cover_letter"),
    )
    final, _ = await run("and in Leeds?", agents(), Words(Leeds=("cover_letter", 0.5)), history=history)
    assert final.agent == "job_search"


def test_telling_is_not_asking():
    assert is_request("find me jobs in Leeds")
    assert is_request("Can you write the letter now?")
    assert is_request("what does it pay?")
    assert not is_request("What I did was calm the customer down")
    assert not is_request("I led a team of five")


def test_quick_replies_never_speak_of_what_is_not_there():
    first = (IntentScore(intent="resume_review", confidence=0.5), IntentScore(intent="job_match", confidence=0.4))
    bare = quick_replies("m", "hm", first, ())
    assert "CV reviewed" in bare[0].label
    assert "I saw" not in bare[1].label
    cv = ProfileFact(fact_id="f", kind="fact", key="resume", value="cv.pdf")
    shown = PastMessage(role="assistant", content="", agent="job_search", blocks=(jobs_block(),))
    whole = quick_replies("m", "hm", first, (cv,), (shown,))
    assert whole[0].label == "Review my CV"
    assert whole[1].label == "Compare the jobs I saw"
    after = quick_replies("m", "hm", first[:1], (), (PastMessage(role="user", content="", intent="job_match"),))
    assert [reply.intent for reply in after] == ["resume_review", "cover_letter", "skill_gap"]


def jobs_block():
    from signalbox.blocks import Job

    job = Job(job_id="j1", title="Nurse", company="Haldvik")
    return JobsData(jobs=(job,), total=1, truncated=False, sources=()).model_dump(mode="json")
