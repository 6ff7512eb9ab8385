"""Lets a model call tools until it can answer: its turns and calls are steps of the run, so any worker goes on with it.

What the model asks for is checked before it is done, all that it asks for gets exactly one result, and it always ends.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Protocol, assert_never

import structlog

from signalbox.agents.budget import Budget
from signalbox.agents.outcomes import Called
from signalbox.agents.replying import CUT_SHORT, Speaker, Speaking, answered, fitted, static_prompt
from signalbox.agents.tools_clock import WHY, LoopClock, LoopLimits, Stop
from signalbox.agents.tools_guarded import Watch
from signalbox.agents.tools_observed import Exchange, Observation, Written, changed_in, kept, laid_out
from signalbox.agents.tools_offered import (
    Asking,
    Gone,
    Hurried,
    Offer,
    Offered,
    OfferedCodec,
    offered,
    spec_tokens,
)
from signalbox.agents.tools_planned import Plan, Planned, groups
from signalbox.agents.turn import Answer, Facts, Turn
from signalbox.encoding import clean_text
from signalbox.errors import PromptTooLong, ProviderCut, ProviderRejected, ProviderTimeout
from signalbox.events import Chunk, Citation, Message, Rewind, Usage
from signalbox.llm.base import Attempt, ChatMessage, Finish, FinishReason, ModelRequest, Restart, TextDelta, ToolRequest
from signalbox.llm.base import Usage as ModelUsage
from signalbox.llm.prompts import load, prompt_of
from signalbox.llm.tokens import PER_MESSAGE, PER_REQUEST, Count
from signalbox.memory.contact_data import without_contact_data
from signalbox.tools.base import Tool
from signalbox.tools.codec import codec_of
from signalbox.tools.journal import AsIs, Journal
from signalbox.tools.result import Ok, Result

# Shares of the room for input: what is told before any tool is called, at most; what the tools say of themselves, which
# may use what that leaves; and what is kept for results.
BASE_SHARE: Final = 0.5
SPECS_SHARE: Final = 0.4
RESULTS_SHARE: Final = 0.25
# In fewer tokens no result has room, and a model that small calls no tools well: it replies from the facts.
LEAST_ROOM: Final = 1_800
_SPARE_TOKENS: Final = 80
_log = structlog.get_logger(__name__)
_LAST: Final = (
    "(No tool can be called any more: {why}. Answer now, as well as what you have allows, and say what could not be "
    "looked up or done. What you said above was shown already: do not repeat it.)"
)


class Working(Speaking, Protocol):
    """What the loop needs of the turn's context."""

    @property
    def journal(self) -> Journal: ...

    @property
    def turn(self) -> int: ...

    @property
    def limits(self) -> LoopLimits: ...

    async def called(self, kind: Any, arguments: Any) -> Called: ...


async def worked(
    ctx: Working,
    agent: Speaker,
    turn: Turn,
    facts: Facts,
    draft: str,
    *,
    tools: Sequence[Tool[Any, Any]],
    citations: tuple[Citation, ...] = (),
    unasked: Collection[str] = (),
) -> Answer:
    """See ``TurnContext.work``. ``tools`` are called as they are given."""
    if ctx.model.instructable and tools:
        budget = await ctx.budget.settled()
        room = budget.room - budget.output
        if room >= LEAST_ROOM:
            count = ctx.budget.count(budget)
            try:
                first = await _first(ctx, agent, turn, facts, budget)
            except PromptTooLong:
                pass  # without tools more fits
            else:
                told = await _offered(ctx, tools, turn.message, _room_for_specs(first, room, count), count)
                specs = tuple(offer.spec for offer in told.offers)
                request = replace(first, draft=draft, tools=specs, about=_with_left_out(first.about, told))
                safe = _made_safe(tools, told.offers, unasked)
                guards = {offer.spec.name: offer.guard for offer in told.offers}
                return await _Loop(ctx, agent, request, safe, budget, Watch(turn, guards)).run(citations)
    return await answered(ctx, agent, turn, facts, draft, citations)


async def _offered(ctx: Working, tools: Sequence[Tool[Any, Any]], asked: str, room: int, count: Count) -> Offered:
    """Kept for the run: servers' tools, and ours at a deploy, may be others by the time that a worker goes on. Nothing
    rests on it until the model's first turn is recorded, and with that it is.
    """
    position = ctx.journal.position(str(ctx.turn), "tools.offered")

    async def told() -> Offered:
        found = await asyncio.to_thread(offered, tools, asked, room, count)
        if found.left_out:
            _log.info("tools_left_out", tools=found.left_out, tokens=found.tokens, room=room)
        return found

    return await ctx.journal.step(position, "decision", told, OfferedCodec(), lazily=True)


def _room_for_specs(first: ModelRequest, room: int, count: Count) -> int:
    base = PER_REQUEST + sum(PER_MESSAGE + count(message.content) for message in first.messages)
    return min(int(room * SPECS_SHARE), int(room * (1 - RESULTS_SHARE)) - base)


def _with_left_out(about: Mapping[str, Any], told: Offered) -> Mapping[str, Any]:
    gone = told.about().get("dropped", ())
    return {**about, "dropped": [*about.get("dropped", ()), *gone]} if gone else about


async def _first(ctx: Working, agent: Speaker, turn: Turn, facts: Facts, budget: Budget) -> ModelRequest:
    """The first request, but for its tools. Raises ``MessageTooLong`` and ``PromptTooLong``."""
    prompts = (
        load("persona").pinned(ctx.pinned),
        load("tools").pinned(ctx.pinned),
        prompt_of(f"agent:{agent.name}", agent.instructions).pinned(ctx.pinned),
    )
    share = replace(budget, prompt=int((budget.room - budget.output) * BASE_SHARE))
    base = await fitted(ctx, static_prompt(prompts), turn, facts, share)
    return ModelRequest(
        task="answer",
        messages=base.messages,
        draft="",
        max_tokens=min(budget.output, getattr(agent, "answer_tokens", budget.output)),
        agent=agent.name,
        prompts=tuple(prompt.ref for prompt in prompts),
        about=base.fitted.about(),
    )


def _made_safe(tools: Sequence[Tool[Any, Any]], offers: Sequence[Offer], unasked: Collection[str]) -> dict[str, Any]:
    """By name: what changes anything asks the user before each run, unless the agent answers for it."""
    at_hand = {tool.name: tool for tool in reversed(tools)}
    safe: dict[str, Any] = {}
    for offer in offers:
        name = offer.spec.name
        tool = at_hand.get(name)
        if tool is None:
            safe[name] = Gone(name, "irreversible" if offer.changes else "read")
        else:
            changes = offer.changes or tool.effect != "read"
            safe[name] = Asking(tool) if changes and name not in unasked else tool
    return safe


@dataclass(slots=True)
class _Heard:
    """One turn of the model, as far as it came. ``broken``: it did not come to its end."""

    text: list[str] = field(default_factory=list)
    calls: list[ToolRequest] = field(default_factory=list)
    tokens: int = 0
    finish: FinishReason = "other"
    broken: bool = False

    @property
    def said(self) -> str:
        return "".join(self.text).strip()


class _Loop:
    """One answer. ``tools`` by name, as they are called."""

    def __init__(
        self,
        ctx: Working,
        agent: Speaker,
        request: ModelRequest,
        tools: Mapping[str, Any],
        budget: Budget,
        watch: Watch,
    ) -> None:
        self._ctx = ctx
        self._agent = agent
        self._first = request
        self._count = ctx.budget.count(budget)
        base = PER_REQUEST + sum(PER_MESSAGE + self._count(message.content) for message in request.messages)
        specs = spec_tokens(request.tools, self._count)
        self._room = budget.room - budget.output - base - specs - _SPARE_TOKENS
        self._shown = _same if budget.contact_data else without_contact_data
        self._clock = LoopClock(ctx.limits, ctx.journal, ctx.turn)
        self._exchanges: list[Exchange] = []
        self._written: Written = {}
        self._plan = Plan(tools, ctx.limits.calls)
        self._watch = watch
        self._text: list[str] = []

    async def run(self, citations: tuple[Citation, ...]) -> Answer:
        heard = _Heard()
        stop: Stop
        while not (stop := await self._clock.stop()):
            heard = await self._ask(await self._next(), self._clock.left)
            if heard.broken or not heard.calls:
                stop = "broken" if heard.broken else "" if heard.said else "silent"
                break
            await self._carry_out(heard)
        if stop:
            heard = await self._ask(await self._next(stop), None)
        if not heard.said:
            await self._say(self._first.draft, heard)
        text = clean_text("".join(self._text))
        told = Message(message_id=self._ctx.message_id, agent=self._agent.name, content=text, citations=citations)
        await self._ctx.emit(told)
        return Answer(text=text, citations=citations)

    # -- the model's turns

    async def _next(self, stop: Stop = "") -> ModelRequest:
        """With all that came of the calls so far; with ``stop`` the last one, without tools."""
        messages = await asyncio.to_thread(
            laid_out, tuple(self._exchanges), self._room, self._count, self._shown, self._written
        )
        messages = (*self._first.messages, *messages)
        if not stop:
            return replace(self._first, messages=messages)
        return replace(self._first, messages=(*messages, ChatMessage("user", _LAST.format(why=WHY[stop]))), tools=())

    async def _ask(self, request: ModelRequest, seconds: float | None) -> _Heard:
        """A turn that breaks off is given up; the last one (without ``seconds``) raises ``ProviderError``."""
        heard = _Heard()
        self._clock.turns += 1
        before = len(self._text)
        try:
            async with asyncio.timeout(seconds):
                await self._hear(request, heard, before)
        except (TimeoutError, ProviderTimeout, ProviderRejected, ProviderCut):
            # A turn that ran out of our time is recorded as one that the provider took too long for.
            if seconds is None:
                raise
            heard.broken = True
        self._clock.tokens += heard.tokens or self._estimated(request, heard)
        if heard.said and not heard.calls and (cut := CUT_SHORT.get(heard.finish)):
            await self._say(cut, heard)
        return heard

    async def _hear(self, request: ModelRequest, heard: _Heard, before: int) -> None:
        async with aclosing(self._ctx.model.stream(request)) as stream:
            async for item in stream:
                match item:
                    case TextDelta(text):
                        await self._say(text, heard)
                    case ToolRequest():
                        heard.calls.append(item)
                    case Restart(reason):
                        heard.text.clear()
                        heard.calls.clear()
                        await self._take_back(before, reason)
                    case ModelUsage():
                        heard.tokens = item.input_tokens + item.output_tokens
                        await self._ctx.emit(Usage(**asdict(item)))
                    case Finish(reason):
                        heard.finish = reason
                    case Attempt():
                        pass
                    case _:
                        assert_never(item)

    async def _say(self, text: str, heard: _Heard) -> None:
        if self._text and not heard.text and not self._text[-1].endswith("\n"):
            text = f"\n\n{text}"  # what was said before a call and what is said after it are paragraphs
        heard.text.append(text)
        self._text.append(text)
        await self._chunk(text)

    async def _take_back(self, before: int, reason: str) -> None:
        """Only the turn in hand is void; a rewind takes back all, so what stands is said again."""
        del self._text[before:]
        await self._ctx.emit(Rewind(message_id=self._ctx.message_id, reason=reason))
        if self._text:
            await self._chunk("".join(self._text))

    async def _chunk(self, text: str) -> None:
        await self._ctx.emit(Chunk(message_id=self._ctx.message_id, agent=self._agent.name, content=text))

    def _estimated(self, request: ModelRequest, heard: _Heard) -> int:
        read = sum(PER_MESSAGE + self._count(message.content) for message in request.messages)
        wrote = self._count("".join(heard.text)) + sum(self._count(call.arguments) for call in heard.calls)
        return read + wrote + spec_tokens(request.tools, self._count)

    # -- its calls

    async def _carry_out(self, heard: _Heard) -> None:
        planned = await self._guarded(await asyncio.to_thread(self._plan.planned, heard.calls))
        done: dict[str, Observation] = {}
        for group in groups(planned):
            if group[0].reads:
                found = await self._read(group)
            elif await self._clock.stop(time_only=True):
                found = [Observation(each.request, refusal=f"{WHY['time'].capitalize()}.") for each in group]
            else:
                found = [await self._call(each, each.tool) for each in group]
            done |= {each.request.call_id: each for each in found}
        self._clock.fruitless = 0 if any(not each.refusal for each in done.values()) else self._clock.fruitless + 1
        told = tuple(
            done.get(each.request.call_id) or Observation(each.request, refusal=each.refusal) for each in planned
        )
        self._exchanges.append(Exchange(heard.said, told))

    async def _guarded(self, planned: Sequence[Planned]) -> list[Planned]:
        """Look-ups that the user is asked about first: so it stays for the run, whatever is known of them later."""
        if not any(self._watch.over(each) for each in planned):
            return list(planned)
        results = [each.result for exchange in self._exchanges for each in exchange.observations]
        position = self._ctx.journal.position(str(self._ctx.turn), "tools.guarded")

        async def judged() -> Any:
            return await asyncio.to_thread(self._watch.reasons, planned, results)

        why: Mapping[str, str] = await self._ctx.journal.step(position, "decision", judged, AsIs(), lazily=True)
        return [
            replace(each, tool=Asking(each.tool, reason)) if (reason := why.get(each.request.call_id)) else each
            for each in planned
        ]

    async def _read(self, group: Sequence[Planned]) -> list[Observation]:
        """Side by side. Each in its time, and none longer than the whole has left."""
        seconds = min(self._ctx.limits.step_s, self._clock.left)
        together = asyncio.Semaphore(self._ctx.limits.together)

        async def one(each: Planned) -> Observation:
            async with together:
                return await self._call(each, Hurried(each.tool, seconds))

        try:
            async with asyncio.TaskGroup() as tasks:
                begun = [tasks.create_task(one(each)) for each in group]
        except ExceptionGroup as several:
            # A lost lease or store: the run's boundary knows the one error, not a group of them.
            raise several.exceptions[0] from None
        return [task.result() for task in begun]

    async def _call(self, planned: Planned, tool: Any) -> Observation:
        called = await self._ctx.called(tool, planned.arguments)
        told = await asyncio.to_thread(_value_of, tool, called.result)
        self._plan.came(planned, called.result, called.edited)
        edited = None if called.edited is None else changed_in(planned.asked, called.edited)
        return Observation(planned.request, called.result, told, planned.tool.effect, edited=edited)


def _value_of(tool: Any, result: Result[Any]) -> Any:
    """The value as the journal keeps it: the same whether it was just found or is told again."""
    return kept(codec_of(tool).dump(result)["value"]) if isinstance(result, Ok) else None


def _same(text: str) -> str:
    return text
