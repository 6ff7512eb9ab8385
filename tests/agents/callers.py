"""A model that calls tools as a script says, and tools to be called: for tests of the loop."""

import json
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from stage import OWNER, Recorder

from signalbox.agents.base import TurnContext
from signalbox.agents.tools_clock import LoopLimits
from signalbox.agents.turn import Facts, Turn
from signalbox.llm.base import Finish, FinishReason, ModelRequest, Restart, TextDelta, ToolRequest, Usage
from signalbox.tools.base import Arguments
from signalbox.tools.result import Ok, Result

Said = str | Exception | ToolRequest | Restart | float


class CallingModel:
    """Says ``turns`` one after the other, the last one again and again; a turn may be made from its request."""

    name = "calling"
    instructable = True

    def __init__(
        self,
        *turns: Sequence[Said] | Callable[[ModelRequest], Sequence[Said]],
        tokens: int = 100,
        finish: FinishReason = "stop",
    ) -> None:
        self.turns = turns
        self.tokens = tokens
        self.finish: FinishReason = finish
        self.requests: list[ModelRequest] = []

    async def stream(self, request: ModelRequest):
        turn = self.turns[min(len(self.requests), len(self.turns) - 1)]
        self.requests.append(request)
        said = turn(request) if callable(turn) else turn
        calls = False
        for item in said:
            if isinstance(item, Exception):
                raise item
            if isinstance(item, float):
                import asyncio

                await asyncio.sleep(item)
            elif isinstance(item, str):
                yield TextDelta(item)
            else:
                calls = calls or isinstance(item, ToolRequest)
                yield item
        yield Usage(self.name, self.tokens, 0, 10, estimated=False)
        yield Finish("tool_calls" if calls else self.finish)

    async def close(self) -> None:
        """Holds nothing."""


def call(name: str, call_id: str = "", /, **arguments: Any) -> ToolRequest:
    return ToolRequest(call_id or f"c_{name}", name, json.dumps(arguments))


class Place(Arguments):
    city: str
    days: int = 1


class Weather:
    """Tells the weather of a city."""

    name: ClassVar[str] = "weather"
    effect: ClassVar[str] = "read"
    timeout_s: ClassVar[float] = 2.0

    def __init__(self, *results: Result[dict[str, Any]]) -> None:
        self.asked: list[Place] = []
        self.results = list(results) or [Ok({"sky": "blue"})]

    async def run(self, arguments: Place) -> Result[dict[str, Any]]:
        self.asked.append(arguments)
        return self.results[min(len(self.asked), len(self.results)) - 1]


class Note(Arguments):
    text: str


class TakeNote:
    """Writes a note down."""

    name: ClassVar[str] = "take_note"
    effect: ClassVar[str] = "idempotent"
    timeout_s: ClassVar[float] = 2.0

    def __init__(self) -> None:
        self.notes: list[str] = []

    async def run(self, arguments: Note) -> Result[int]:
        self.notes.append(arguments.text)
        return Ok(len(self.notes))


class Speaker:
    name = "general"
    instructions = "Answer with the weather."


async def work(model, *tools, draft="The draft.", message="Is it sunny in Leeds?", facts=None, limits=None, **more):
    heard = Recorder()
    ctx = TurnContext(
        owner=OWNER,
        message_id="m_answer",
        model=model,
        tools={tool.name: tool for tool in tools},
        emitter=heard,
        strict=True,
        limits=limits or LoopLimits(),
        **more,
    )
    turn = Turn(message=message, message_id="m_question", intent="general")
    answer = await ctx.work(Speaker(), turn, facts or Facts(), draft, tools=[tool.name for tool in tools])
    return answer, heard


def results(request: ModelRequest) -> dict[str, str]:
    """What the model is told of each call, by its id; every call has exactly one result."""
    asked: list[str] = []
    told: dict[str, str] = {}
    for message in request.messages:
        asked += [each.call_id for each in message.tool_calls]
        if message.role == "tool":
            assert message.tool_call_id not in told, "two results for one call"
            assert message.tool_call_id in asked, "a result before its call"
            told[message.tool_call_id] = message.content
    assert len(set(asked)) == len(asked), "two calls of one id"
    assert set(told) == set(asked), "a call without a result"
    return told
