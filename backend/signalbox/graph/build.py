"""The orchestrator: a LangGraph of one intent stage, one clarifying stage and one node per agent.

Compiled once and shared by all runs; what belongs to a run travels in ``TurnRun``.
"""

import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, cast

from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command
from pydantic import TypeAdapter

from signalbox.agents.base import Agent, TurnContext
from signalbox.agents.turn import Answer, Emitter, Turn
from signalbox.blocks import Suggestions
from signalbox.envelope import ENVELOPE, Event
from signalbox.errors import NodeOutputError
from signalbox.events import (
    BLOCK_TYPES,
    EVENT_TYPES,
    AgentFinished,
    AgentStarted,
    Chunk,
    Handoff,
    IntentClassified,
    IntentScore,
    Message,
    Thinking,
    Usage,
)
from signalbox.graph.clarify import quick_replies
from signalbox.graph.routing import Classifier, Router, Verdict, as_told
from signalbox.graph.state import AgentTurn, Begun, Planned, TurnPatch, TurnState, checked, past, profile_now, turn_id
from signalbox.memory.conversation import CLARIFY
from signalbox.memory.reading import BEGINNING_CHARS, END_CHARS, MAX_READ_CHARS, as_read

# Agents may hand over to each other; a circle of them ends here.
MOST_TURNS: Final = 4

_NOT_AN_AGENTS: Final = frozenset({"run_started", "intent", "complete", "gap", "snapshot", "suggestion_chosen"})


class _VerdictCodec:
    """A routing decision as JSON and back."""

    def __init__(self) -> None:
        self._adapter = TypeAdapter(Verdict)

    def dump(self, verdict: Verdict) -> Any:
        return self._adapter.dump_python(verdict, mode="json")

    def load(self, told: Any) -> Verdict:
        return self._adapter.validate_json(json.dumps(told))


CLARIFY_TEXT: Final = "I want to get this right. Which of these did you mean?"


@dataclass(frozen=True, slots=True)
class TurnRun:
    """What one run brings to the shared graph."""

    ctx: TurnContext


Node = Callable[[TurnState, TurnContext], Awaitable[object]]


class Orchestrator:
    """``answer(state, ctx)`` runs one turn and returns its final state.

    Raises ``NodeOutputError`` when a node returns what ``TurnPatch`` does not allow, and whatever an agent
    raises. ``extra_nodes`` replaces nodes by name; tests and embedders use it.
    """

    def __init__(
        self, classifier: Classifier, agents: Mapping[str, Agent], *, extra_nodes: Mapping[str, Node] | None = None
    ) -> None:
        self._router = Router(classifier, agents)
        self._agents = agents
        self._verdicts = _VerdictCodec()
        nodes: dict[str, Node] = {name: self._agent_node(agent) for name, agent in agents.items()}
        nodes |= {"classify": self._classify, CLARIFY: self._clarify, **(extra_nodes or {})}
        builder: StateGraph[TurnState, TurnRun, TurnState, TurnState] = StateGraph(TurnState, context_schema=TurnRun)
        ends = (*(name for name in nodes if name != "classify"), "__end__")
        for name, node in nodes.items():
            builder.add_node(name, cast("Any", self._routed(name, node)), destinations=ends)
        builder.add_edge(START, "classify")
        self._graph = builder.compile()

    async def answer(self, state: TurnState, ctx: TurnContext) -> TurnState:
        final = await self._graph.ainvoke(state, context=TurnRun(ctx))
        return TurnState.model_validate(final)

    def missing(self, begun: Begun, answer_id: str) -> str | None:
        """The agent that began a turn of the run and is none of ours, so that the run cannot go on here."""
        ids = (turn_id(answer_id, number) for number in range(MOST_TURNS))
        return next((begun.agents[one] for one in ids if begun.agents.get(one, "general") not in self._agents), None)

    def _routed(self, name: str, node: Node) -> Callable[[TurnState, Runtime[TurnRun]], Awaitable[Command[str]]]:
        async def run(state: TurnState, runtime: Runtime[TurnRun]) -> Command[str]:
            ctx = runtime.context.ctx
            update = checked(name, await node(state, ctx))
            following = turn_id(ctx.message_id, len(update.get("turns") or state.turns))
            return Command(update=update, goto=self._next(name, update, state.begun.agents.get(following)))

        run.__name__ = name
        return run

    def _next(self, name: str, update: Mapping[str, Any], begun_by: str | None) -> str:
        plan: tuple[Planned, ...] = update.get("plan") or ()
        if plan:
            # An intent whose specialist does not exist here is answered honestly by the generalist, who goes on with
            # that where the specialist exists.
            wanted = begun_by or plan[0].intent
            return wanted if wanted in self._agents else "general"
        return CLARIFY if name == "classify" else "__end__"

    async def _classify(self, state: TurnState, ctx: TurnContext) -> TurnPatch:
        await ctx.emit(Thinking(stage="intent", label="Working out what you need"))
        place = ctx.journal.position("route", "intent")
        verdict = await ctx.journal.step(
            place, "decision", lambda: self._decide(state, ctx), self._verdicts, lazily=True
        )
        if verdict.usage is not None:
            await ctx.emit(Usage(**asdict(verdict.usage)))
        await ctx.emit(IntentClassified(**verdict.route.model_dump(exclude={"clear"})))
        return TurnPatch(route=verdict.route, plan=verdict.plan)

    async def _decide(self, state: TurnState, ctx: TurnContext) -> Verdict:
        verdict = await self._router.of(state, ctx.model, ctx.pinned)
        return verdict if state.begun.route is None else as_told(verdict, state.begun.route, state.message)

    async def _clarify(self, state: TurnState, ctx: TurnContext) -> TurnPatch:
        route = state.route
        candidates: tuple[IntentScore, ...] = ()
        if route is not None:
            first = IntentScore(intent=route.intent, confidence=route.confidence)
            candidates = (first, *route.alternatives)
        replies = quick_replies(state.message_id, state.message, candidates, state.profile, state.history, self._agents)
        await ctx.emit(Chunk(message_id=ctx.message_id, agent=CLARIFY, content=CLARIFY_TEXT))
        await ctx.emit(Message(message_id=ctx.message_id, agent=CLARIFY, content=CLARIFY_TEXT))
        await ctx.emit(Suggestions(text=CLARIFY_TEXT, suggestions=replies))
        return TurnPatch(agent=CLARIFY, answer=Answer(text=CLARIFY_TEXT))

    def _agent_node(self, agent: Agent) -> Node:
        async def respond(state: TurnState, ctx: TurnContext) -> object:
            mine, *rest = state.plan
            number = len(state.turns)
            shown = _Shown(agent.name, ctx.emitter)
            ctx = replace(ctx, emitter=shown, message_id=turn_id(ctx.message_id, number), turn=number + 1)
            started = time.monotonic()
            await ctx.emit(AgentStarted(agent=agent.name, message_id=ctx.message_id))
            if len(mine.message) > MAX_READ_CHARS:
                label = f"This is long: reading its first {BEGINNING_CHARS:,} and its last {END_CHARS:,} characters"
                await ctx.emit(Thinking(stage="reading", label=label))
            turn = Turn(
                message=as_read(mine.message),
                message_id=state.message_id,
                intent=mine.intent,
                history=past(state),
                profile=profile_now(state),
                summary=state.summary,
                temporary=state.temporary,
                today=state.today,
            )
            output: object = await _responded(agent, turn, ctx)
            elapsed = round((time.monotonic() - started) * 1000)
            await ctx.emit(AgentFinished(agent=agent.name, duration_ms=elapsed))
            if not isinstance(output, Answer):
                return output
            if output.text and not shown.told:
                await ctx.emit(Chunk(message_id=ctx.message_id, agent=agent.name, content=output.text))
                await ctx.emit(
                    Message(
                        message_id=ctx.message_id, agent=agent.name, content=output.text, citations=output.citations
                    )
                )
            over = AgentTurn(agent=agent.name, message=mine.message, answer=output, blocks=tuple(shown.blocks))
            turns = (*state.turns, over)
            plan = self._onward(agent, mine, output, rest) if len(turns) < MOST_TURNS else ()
            if not plan and not any(turn.answer.text for turn in turns) and not shown.told:
                raise NodeOutputError(agent.name, "answer", "nothing was said, and there is nobody to hand over to")
            if plan:
                await ctx.emit(_handoff(agent, plan[0], output))
            return TurnPatch(agent=agent.name, answer=output, turns=turns, plan=plan)

        return respond

    def _onward(self, agent: Agent, mine: Planned, answer: Answer, rest: list[Planned]) -> tuple[Planned, ...]:
        over = answer.hand_over
        if over is None or over.to == agent.name or over.to not in self._agents:
            return tuple(rest)
        return (Planned(intent=over.to, message=over.message or mine.message), *rest)


async def _responded(agent: Agent, turn: Turn, ctx: TurnContext) -> object:
    try:
        return await agent.respond(turn, ctx)
    except SystemExit as exc:
        # It would end the process, and with it everybody's runs.
        raise NodeOutputError(agent.name, "respond", "an agent must not exit") from exc


class _Shown(Emitter):
    """Passes events on and remembers an agent's typed results, for the agents after it. ``told``: its message is out.

    What belongs to the run (its start, its end) is not an agent's to say: ``NodeOutputError``.
    """

    def __init__(self, agent: str, emitter: Emitter) -> None:
        self._agent = agent
        self._emitter = emitter
        self.blocks: list[dict[str, Any]] = []
        self.told = False

    async def emit(self, event: Event) -> None:
        kind = getattr(event, "type", "")
        if kind in _NOT_AN_AGENTS or kind not in EVENT_TYPES:
            raise NodeOutputError(self._agent, "emit", f"'{kind or type(event).__name__}' is not an agent's to say")
        if kind in BLOCK_TYPES:
            self.blocks.append(event.model_dump(mode="json", exclude=set(ENVELOPE)))
        self.told = self.told or kind == "message"
        await self._emitter.emit(event)


def _handoff(agent: Agent, following: Planned, answer: Answer) -> Handoff:
    over = answer.hand_over
    handed = over is not None and over.to == following.intent
    reason = over.reason if over is not None and handed else "you asked for this as well"
    return Handoff(from_agent=agent.name, to_agent=following.intent, reason=reason)
