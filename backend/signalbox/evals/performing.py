"""Lets the real orchestrator answer one message, with a fault in one tool, and keeps what a user would have seen."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from signalbox.agents.base import Agent, TurnContext
from signalbox.agents.finding import find_agents
from signalbox.blocks import JobsData, ProfileFact
from signalbox.envelope import ENVELOPE, Event, Intent
from signalbox.evals.scenes import Scene
from signalbox.evals.world import World
from signalbox.events import BLOCK_TYPES, Message, ToolResult
from signalbox.graph.build import Orchestrator
from signalbox.graph.intent import Classification
from signalbox.graph.state import TurnState
from signalbox.llm.base import Model
from signalbox.llm.offline import OfflineModel
from signalbox.memory.conversation import PastMessage
from signalbox.memory.profile import Owner
from signalbox.tools.faults import Fault, FaultKind, Faults

# Nothing happens to these: one user serves all messages that only read.
_READER: Final = "reader"


class _Nobody:
    """In place of a classifier: every message says itself whom it is for."""

    async def of(self, text: str, recent: Sequence[Intent]) -> Classification:  # noqa: ARG002 - the port's shape
        return Classification("general", 1.0, "rule", "nothing was chosen")


@dataclass
class Kept:
    """What was shown."""

    events: list[Event] = field(default_factory=list)

    async def emit(self, event: Event) -> None:
        self.events.append(event)


@dataclass(frozen=True, slots=True)
class Performance:
    """``met``: how often the fault struck. ``looked``: how each call went, as the events tell it."""

    text: str
    looked: tuple[ToolResult, ...]
    jobs: tuple[JobsData, ...]
    met: int


class Theatre:
    """Performs scenes. Earlier turns are always answered without a fault and by the offline model, once each."""

    def __init__(self, world: World, agents: Mapping[str, Agent] | None = None) -> None:
        self._world = world
        self._agents = agents or find_agents(None)
        self._orchestrator = Orchestrator(_Nobody(), self._agents)
        self._before: dict[tuple[tuple[str, str], ...], tuple[PastMessage, ...]] = {}
        self._reader: tuple[Owner, tuple[ProfileFact, ...]] | None = None
        self._numbers = itertools.count(1)

    async def perform(self, scene: Scene, fault: FaultKind | None, model: Model) -> Performance:
        owner, profile, history = await self._prepared(scene)
        faults = Faults((Fault(scene.tool, fault),)) if fault else Faults()
        shown = await self._answered(scene.agent, scene.message, owner, profile, history, faults, model)
        return Performance(
            text="\n\n".join(event.content for event in shown if isinstance(event, Message)),
            looked=tuple(event for event in shown if isinstance(event, ToolResult)),
            jobs=tuple(event for event in shown if isinstance(event, JobsData)),
            met=sum(faults.met.values()),
        )

    async def _prepared(self, scene: Scene) -> tuple[Owner, tuple[ProfileFact, ...], tuple[PastMessage, ...]]:
        if getattr(self._tool(scene.tool), "effect", "read") == "read":
            if self._reader is None:
                self._reader = await self._world.person(_READER)
            owner, profile = self._reader
            if scene.before not in self._before:
                self._before[scene.before] = await self._said(scene.before, owner, profile)
            return owner, profile, self._before[scene.before]
        owner, profile = await self._world.person(f"actor_{next(self._numbers)}")
        history = await self._said(scene.before, owner, profile)
        return owner, await self._world.profiles.facts(owner), history

    def _tool(self, name: str) -> Any:
        return self._world.tools(Owner("", ""), "").get(name)

    async def _said(
        self, before: Sequence[tuple[str, str]], owner: Owner, profile: tuple[ProfileFact, ...]
    ) -> tuple[PastMessage, ...]:
        history: tuple[PastMessage, ...] = ()
        for agent, text in before:
            shown = await self._answered(agent, text, owner, profile, history, Faults(), OfflineModel(delay_s=0))
            answers = [event for event in shown if isinstance(event, Message)]
            blocks = tuple(
                event.model_dump(mode="json", exclude=set(ENVELOPE))
                for event in shown
                if getattr(event, "type", "") in BLOCK_TYPES
            )
            history += (PastMessage(role="user", content=text, intent=agent),)
            history += tuple(
                PastMessage(role="assistant", content=event.content, agent=agent, intent=agent, blocks=blocks)
                for event in answers[:1]
            )
        return history

    async def _answered(  # noqa: PLR0917 - one turn
        self, agent: str, message: str, owner: Owner, profile: tuple[ProfileFact, ...],
        history: tuple[PastMessage, ...], faults: Faults, model: Model,
    ) -> list[Event]:  # fmt: skip
        number = next(self._numbers)
        kept = Kept()
        context = TurnContext(
            owner=owner,
            message_id=f"m_answer_{number}",
            model=model,
            tools=faults.wrap(self._world.tools(owner, f"m_{owner.user_id}_{number}")),
            emitter=kept,
            agents=self._agents,
        )
        state = TurnState(
            message=message, message_id=f"m_question_{number}", history=history, profile=profile, chosen_intent=agent
        )
        await self._orchestrator.answer(state, context)
        return kept.events
