"""What a model is asked about a message's intent, and that a poor answer is asked for once more."""

from dataclasses import dataclass, field

from signalbox.agents.finding import find_agents
from signalbox.graph.model_intent import MOST_CHARS, ask_model, classify_prompt
from signalbox.graph.state import TurnState
from signalbox.llm.base import Finish, ModelRequest, TextDelta, Usage
from signalbox.memory.conversation import PastMessage
from signalbox.pinned import Pinned

SURE = '{"intent": "salary", "also": [], "confidence": 0.9, "reasoning": "pay"}'
UNSURE = '{"intent": "salary", "confidence": 0.2}'


@dataclass
class Labelling:
    texts: list[str]
    name: str = "labelling"
    instructable: bool = True
    requests: list[ModelRequest] = field(default_factory=list)
    kept: list[bool] = field(default_factory=list)

    async def stream(self, request):
        self.requests.append(request)
        yield TextDelta(self.texts[len(self.requests) - 1])
        yield Usage(self.name, 100, 40, 5, estimated=False)
        yield Finish("stop")

    def judged(self, request, *, kept):
        self.kept.append(kept)

    async def close(self):
        """Holds nothing."""


def state(message: str = "what about it?", **more) -> TurnState:
    return TurnState(message=message, message_id="m1", **more)


async def test_a_poor_answer_goes_to_the_strong_model_once():
    for poor, why in (("no idea", "unreadable"), (UNSURE, "unsure")):
        model = Labelling([poor, SURE])
        asked = await ask_model(model, find_agents(), state(), Pinned())
        assert asked.verdict is not None
        assert asked.verdict.intent == "salary"
        assert [request.tier for request in model.requests] == [None, "strong"]
        assert model.requests[1].about["again"] == why
        assert model.kept == [False, True]
        assert asked.usage is not None
        assert (asked.usage.input_tokens, asked.usage.cached_tokens, asked.usage.output_tokens) == (200, 80, 10)
    model = Labelling([UNSURE, UNSURE])
    assert (await ask_model(model, find_agents(), state(), Pinned())).verdict is None
    assert len(model.requests) == 2


async def test_the_system_prompt_is_the_same_for_every_message():
    history = (PastMessage(role="user", content="pay?", intent="salary"),)
    model = Labelling([SURE, SURE])
    await ask_model(model, find_agents(), state(), Pinned())
    await ask_model(model, find_agents(), state("and there?", history=history), Pinned())
    first, second = (request.messages for request in model.requests)
    assert first[0] == second[0]
    assert first[0].content == classify_prompt(find_agents()).text
    assert second[1].content == '<earlier>\n[\n "salary"\n]\n</earlier>\n<message>\nand there?\n</message>'
    assert [ref.id for ref in model.requests[0].prompts] == ["classify"]


async def test_a_long_message_is_told_from_both_ends_and_that_is_recorded():
    model = Labelling([SURE])
    await ask_model(model, find_agents(), state("a" * 5_000 + "z" * 5_000), Pinned())
    (request,) = model.requests
    content = request.messages[1].content
    assert "a\n[... 6,000 characters left out ...]\nz" in content
    assert request.about == {"shortened": {"kept": MOST_CHARS, "of": 10_000}}
