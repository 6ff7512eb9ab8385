"""Asks a model for an agent's reply and streams it to the reader: what it is told, and what is shown of its answer."""

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import asdict, replace
from typing import ClassVar, Final, Protocol, assert_never

from signalbox.agents.budget import BOUNDLESS, Budget, RunBudget
from signalbox.agents.outcomes import Outcomes
from signalbox.agents.telling import Told, told
from signalbox.agents.turn import Answer, Facts, Turn
from signalbox.encoding import clean_text
from signalbox.envelope import Event, Intent
from signalbox.events import Chunk, Citation, Message, Rewind, Thinking, Usage
from signalbox.llm.base import (
    Attempt,
    Finish,
    FinishReason,
    Judging,
    Model,
    ModelRequest,
    Restart,
    TextDelta,
    ToolRequest,
)
from signalbox.llm.base import Usage as ModelUsage
from signalbox.llm.prompts import Prompt, load, prompt_of
from signalbox.pinned import Pinned

# What a reader is told of an answer that did not come to its end.
CUT_SHORT: Final[Mapping[FinishReason, str]] = {
    "length": "\n\n*(The answer reached its length limit here.)*",
    "content_filter": "\n\n*(The language model's provider ended the answer here: its filter objects to the rest.)*",
}


class Speaker(Protocol):
    """Who answers: an agent, as far as a model is told of it."""

    name: ClassVar[Intent]
    instructions: ClassVar[str]


class Speaking(Protocol):
    """What a reply needs of the turn's context."""

    @property
    def model(self) -> Model: ...

    @property
    def message_id(self) -> str: ...

    @property
    def pinned(self) -> Pinned: ...

    @property
    def budget(self) -> RunBudget: ...

    @property
    def outcomes(self) -> Outcomes: ...

    @property
    def turn(self) -> int: ...

    async def emit(self, event: Event) -> None: ...


async def answered(
    ctx: Speaking,
    agent: Speaker,
    turn: Turn,
    facts: Facts,
    draft: str,
    citations: tuple[Citation, ...],
    *,
    owed: bool = False,
) -> Answer:
    """Stream the reply and return it whole. Raises ``MessageTooLong`` and ``PromptTooLong`` before it asks anything."""
    request = replace(await _request(ctx, agent, turn, facts, draft), owed=owed or ctx.outcomes.acted)
    parts: list[str] = []
    cut = ""

    async def say(text: str) -> None:
        parts.append(text)
        await ctx.emit(Chunk(message_id=ctx.message_id, agent=agent.name, content=text))

    async with aclosing(ctx.model.stream(request)) as stream:
        async for item in stream:
            match item:
                case TextDelta(text):
                    await say(text)
                case Restart(reason):
                    parts.clear()
                    await ctx.emit(Rewind(message_id=ctx.message_id, reason=reason))
                case ModelUsage():
                    await ctx.budget.learn(request.messages, item)
                    await ctx.emit(Usage(**asdict(item)))
                case Finish(reason):
                    cut = CUT_SHORT.get(reason, "")
                case Attempt() | ToolRequest():
                    pass
                case _:
                    assert_never(item)
    said = bool("".join(parts).strip())
    if isinstance(ctx.model, Judging):
        ctx.model.judged(request, kept=said)
    # Where all went into thinking, or a filter took it, the template knows what the facts hold.
    if more := cut if said else draft:
        await say(more)
    text = clean_text("".join(parts))
    await ctx.emit(Message(message_id=ctx.message_id, agent=agent.name, content=text, citations=citations))
    return Answer(text=text, citations=citations)


async def _request(ctx: Speaking, agent: Speaker, turn: Turn, facts: Facts, draft: str) -> ModelRequest:
    prompts = (
        load("persona").pinned(ctx.pinned),
        prompt_of(f"agent:{agent.name}", agent.instructions).pinned(ctx.pinned),
    )
    if not ctx.model.instructable:
        # It reads no prompt: what it is asked must be the same for every worker all the same, and costs nothing.
        budget = Budget(window=BOUNDLESS, prompt=BOUNDLESS)
        asked = told(static_prompt(prompts), turn, facts, budget, _nothing, plain=True)
    else:
        budget = await ctx.budget.settled()
        asked = await fitted(ctx, static_prompt(prompts), turn, facts, budget)
    return ModelRequest(
        task="answer",
        messages=asked.messages,
        draft=draft,
        max_tokens=min(budget.output, getattr(agent, "answer_tokens", budget.output)),
        agent=agent.name,
        prompts=tuple(prompt.ref for prompt in prompts),
        about=asked.fitted.about() if ctx.model.instructable else {},
        reusable=not (_is_personal(turn) or ctx.outcomes.any(ctx.turn)),
    )


def _is_personal(turn: Turn) -> bool:
    """Whether more than the message may shape the reply, or nothing of it may be kept."""
    return turn.temporary or bool(turn.profile or turn.history) or turn.summary is not None


async def fitted(ctx: Speaking, static: str, turn: Turn, facts: Facts, budget: Budget) -> Told:
    count = ctx.budget.count(budget)
    asked = await asyncio.to_thread(told, static, turn, facts, budget, count)
    if (cut := asked.fitted.shortened) is not None:
        label = f"This is long: the model is told {cut.kept:,} of its {cut.of:,} characters, from both ends"
        await ctx.emit(Thinking(stage="reading", label=label))
    return asked


def static_prompt(prompts: tuple[Prompt, ...]) -> str:
    """What a prompt begins with: the same bytes for every user and every turn."""
    return "\n\n".join(prompt.text for prompt in prompts)


def _nothing(_: str) -> int:
    return 0
