"""The orchestrator: a LangGraph of one intent stage, one clarifying stage and one node per agent.

Compiled once and shared by all runs; what belongs to a run travels in ``TurnRun``.
"""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from signalbox.agents.base import Agent, Answer, Turn, TurnContext
from signalbox.agents.small_talk import in_crisis
from signalbox.blocks import Suggestions
from signalbox.envelope import Intent
from signalbox.events import AgentFinished, AgentStarted, Chunk, IntentClassified, IntentScore, Message, Thinking
from signalbox.graph.clarify import quick_replies
from signalbox.graph.intent import CONFIDENT, Classification
from signalbox.graph.state import Route, TurnPatch, TurnState, checked
from signalbox.memory.conversation import recent_intents


class Classifier(Protocol):
    async def of(self, text: str, recent: Sequence[Intent]) -> Classification: ...


@dataclass(frozen=True, slots=True)
class TurnRun:
    """What one run brings to the shared graph."""

    ctx: TurnContext


Node = Callable[[TurnState, TurnContext], Awaitable[object]]

CLARIFY_TEXT = "I want to get this right. Which of these did you mean?"


class Orchestrator:
    """``answer(state, ctx)`` runs one turn and returns its final state.

    Raises ``NodeOutputError`` when a node returns what ``TurnPatch`` does not allow, and whatever an agent
    raises. ``extra_nodes`` replaces nodes by name; tests and embedders use it.
    """

    def __init__(
        self, classifier: Classifier, agents: Mapping[str, Agent], *, extra_nodes: Mapping[str, Node] | None = None
    ) -> None:
        self._classifier = classifier
        self._agents = agents
        nodes: dict[str, Node] = {name: self._agent_node(agent) for name, agent in agents.items()}
        nodes |= {"classify": self._classify, "clarify": self._clarify, **(extra_nodes or {})}
        builder: StateGraph[TurnState, TurnRun, TurnState, TurnState] = StateGraph(TurnState, context_schema=TurnRun)
        ends = tuple(name for name in nodes if name != "classify")
        for name, node in nodes.items():
            if name == "classify":
                builder.add_node(name, cast("Any", self._routed(node)), destinations=ends)
            else:
                builder.add_node(name, cast("Any", _runnable(name, node)))
                builder.add_edge(name, END)
        builder.add_edge(START, "classify")
        self._graph = builder.compile()

    async def answer(self, state: TurnState, ctx: TurnContext) -> TurnState:
        final = await self._graph.ainvoke(state, context=TurnRun(ctx))
        return TurnState.model_validate(final)

    def _routed(self, node: Node) -> Callable[[TurnState, Runtime[TurnRun]], Awaitable[Command[str]]]:
        async def classify(state: TurnState, runtime: Runtime[TurnRun]) -> Command[str]:
            update = checked("classify", await node(state, runtime.context.ctx))
            return Command(update=update, goto=self._next(update.get("route")))

        return classify

    def _next(self, route: Route | None) -> str:
        if route is None or not route.clear:
            return "clarify"
        # An intent whose specialist does not exist here is answered honestly by the generalist.
        return route.intent if route.intent in self._agents else "general"

    async def _classify(self, state: TurnState, ctx: TurnContext) -> TurnPatch:
        await ctx.emit(Thinking(stage="intent", label="Working out what you need"))
        verdict = await self._verdict(state)
        scores = tuple(IntentScore(intent=i, confidence=c) for i, c in verdict.alternatives)
        await ctx.emit(
            IntentClassified(
                intent=verdict.intent,
                confidence=verdict.confidence,
                reasoning=verdict.reasoning,
                source=verdict.source,
                alternatives=scores,
            )
        )
        route = Route(
            intent=verdict.intent,
            confidence=verdict.confidence,
            reasoning=verdict.reasoning,
            source=verdict.source,
            alternatives=scores,
            clear=verdict.confidence >= CONFIDENT,
        )
        return TurnPatch(route=route)

    async def _verdict(self, state: TurnState) -> Classification:
        if state.chosen_intent is not None:
            return Classification(state.chosen_intent, 1.0, "quick_reply", "you chose this", ())
        if state.message.startswith("/"):
            word, *_ = state.message[1:].split(maxsplit=1) or [""]
            intent: Intent = self._agents[word].name if word in self._agents else "general"
            return Classification(intent, 1.0, "command", "you asked for it by a command", ())
        if in_crisis(state.message):
            return Classification("general", 1.0, "rule", "this comes before anything else", ())
        return await self._classifier.of(state.message, recent_intents(state.history))

    async def _clarify(self, state: TurnState, ctx: TurnContext) -> TurnPatch:
        route = state.route
        candidates: tuple[IntentScore, ...] = ()
        if route is not None:
            first = IntentScore(intent=route.intent, confidence=route.confidence)
            candidates = (first, *route.alternatives)
        replies = quick_replies(state.message_id, state.message, candidates, state.profile)
        await ctx.emit(Chunk(message_id=ctx.message_id, agent="clarify", content=CLARIFY_TEXT))
        await ctx.emit(Message(message_id=ctx.message_id, agent="clarify", content=CLARIFY_TEXT))
        await ctx.emit(Suggestions(text=CLARIFY_TEXT, suggestions=replies))
        return TurnPatch(agent="clarify", answer=Answer(text=CLARIFY_TEXT))

    def _agent_node(self, agent: Agent) -> Node:
        async def respond(state: TurnState, ctx: TurnContext) -> object:
            started = time.monotonic()
            await ctx.emit(AgentStarted(agent=agent.name))
            turn = Turn(
                message=_without_command(state.message, agent.name),
                message_id=state.message_id,
                intent=state.route.intent if state.route else agent.name,
                history=state.history,
                profile=state.profile,
                temporary=state.temporary,
            )
            output: object = await agent.respond(turn, ctx)
            elapsed = round((time.monotonic() - started) * 1000)
            await ctx.emit(AgentFinished(agent=agent.name, duration_ms=elapsed))
            return TurnPatch(agent=agent.name, answer=output) if isinstance(output, Answer) else output

        return respond


def _runnable(name: str, node: Node) -> Callable[[TurnState, Runtime[TurnRun]], Awaitable[dict[str, Any]]]:
    async def run(state: TurnState, runtime: Runtime[TurnRun]) -> dict[str, Any]:
        return checked(name, await node(state, runtime.context.ctx))

    run.__name__ = name
    return run


def _without_command(message: str, name: str) -> str:
    """``/job_search python`` reaches the agent as ``python``."""
    rest = message.removeprefix(f"/{name}")
    return rest.strip() if rest != message and (not rest or rest[0].isspace()) else message
