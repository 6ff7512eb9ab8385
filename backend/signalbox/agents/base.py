"""What an agent is, and the context it is given to speak, look things up and answer.

An agent is one class in one file of this package (``agents.finding`` finds it). It never touches HTTP, Redis or the
run: whatever it shows, it shows through its ``TurnContext``.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final, Protocol, TypeVar, cast, overload, runtime_checkable

from signalbox.agents.budget import RunBudget
from signalbox.agents.outcomes import Called, Outcomes, with_parts
from signalbox.agents.replying import answered
from signalbox.agents.tool_loop import worked
from signalbox.agents.tools_clock import LoopLimits
from signalbox.agents.turn import Answer, Emitter, Facts, Turn
from signalbox.encoding import clean_json
from signalbox.envelope import Event, Intent
from signalbox.events import Citation, ToolCall, ToolResult
from signalbox.llm.base import Model
from signalbox.memory.conversation import PastMessage
from signalbox.memory.profile import Owner
from signalbox.pinned import Pinned
from signalbox.tools.base import Arguments, PlainTool, Tool, stricter
from signalbox.tools.calling import bounded, digest_of
from signalbox.tools.codec import codec_of
from signalbox.tools.journal import AsIs, Call, Journal, Unrecorded
from signalbox.tools.result import Empty, Err, Ok, Result
from signalbox.tools.telling import amount

A = TypeVar("A", bound=Arguments)
T = TypeVar("T")

WHOLE: Final = 100_000_000


@dataclass(frozen=True, slots=True)
class TurnContext:
    """The agent's hands. One per turn; safe to use from concurrent tasks of it. ``agents``: all there are. ``turn``
    counts the agents' turns of the run. Whatever reaches outside goes through ``call``, ``reply`` or ``step``: a
    worker that takes the run over gets from them what was done before, and nothing is done twice. ``strict``: a faulty
    tool ends the run instead of being told as one that could not look.
    """

    owner: Owner
    message_id: str
    model: Model
    tools: Mapping[str, Tool[Any, Any]]
    emitter: Emitter
    agents: Mapping[str, "Agent"] = field(default_factory=dict)
    journal: Journal = field(default_factory=Unrecorded)
    pinned: Pinned = field(default_factory=Pinned)
    budget: RunBudget = field(default_factory=RunBudget)
    turn: int = 1
    strict: bool = False
    outcomes: Outcomes = field(default_factory=Outcomes)
    limits: LoopLimits = field(default_factory=LoopLimits)

    async def emit(self, event: Event) -> None:
        await self.emitter.emit(event)

    async def step(self, key: str, do: Callable[[], Awaitable[Any]]) -> Any:
        """What ``do`` returned when it was first done in this run, doing it only if it never was: for an agent's own
        look-ups and effects outside tools. The value is JSON (tuples come back as lists, the order of keys is not
        kept); ``key`` names the step within this turn.
        """

        async def told() -> Any:
            return clean_json(await do(), longest=WHOLE, most=WHOLE)

        position = self.journal.position(str(self.turn), key)
        return await self.journal.step(position, "tool_result", told, AsIs(), about={"step": key})

    @overload
    async def call(self, kind: type[Tool[A, T]] | Tool[A, T], arguments: A) -> Result[T]: ...

    @overload
    async def call(self, kind: type[PlainTool[A, T]] | PlainTool[A, T], arguments: A) -> Result[T]: ...

    async def call(self, kind: Any, arguments: A) -> Result[Any]:
        """Run the tool of that class (or that very tool), show the call and its outcome as events, and return the
        outcome. Never raises for a failure: that is an ``Err``, and it says nothing of what exists. An ``Empty`` always
        means that all was asked and there is nothing; an ``Ok`` with ``missed`` is a part of what there may be.
        Independent reads may be called side by side with ``asyncio.gather``; effects are done one at a time.
        An irreversible one first asks the user, for as long as that takes: ``Err("rejected")`` is a no.
        """
        return (await self.called(kind, arguments)).result

    async def called(self, kind: Any, arguments: A) -> Called:
        """As ``call``, with what the user made of the arguments before they approved them."""
        # A tool of the agent's own file is handed over as an object; tests may stand in for it by its name.
        name: str = kind.name
        tool: Tool[A, Any] = self.tools[name] if isinstance(kind, type) else self.tools.get(name, kind)
        shown = clean_json(arguments.model_dump(mode="json"), longest=WHOLE, most=WHOLE)
        # The place is as it was when the run began; what is asked of the user is as strict as it is today.
        pinned = self.pinned.effect(tool.name, tool.effect)
        effect = stricter(pinned, tool.effect)
        changes = pinned in {"non_idempotent", "irreversible"}
        position = self.journal.position(str(self.turn), tool.name, "" if changes else digest_of(shown)[:8])
        self.outcomes.begun(position, tool.name, changes=effect != "read")
        call_id = self.journal.call_id(position)
        told = {name: value for name, value in shown.items() if value is not None}
        await self.emit(ToolCall(call_id=call_id, tool=tool.name, arguments=told))
        codec = codec_of(tool)
        result: Result[Any]
        if effect == "read":
            result = await self.journal.step(
                position,
                "tool_result",
                lambda: bounded(tool, arguments, strict=self.strict),
                codec,
                about={"tool": tool.name, "arguments": shown},
            )
        else:
            again: type[A] = type(arguments)
            call = Call(position, tool.name, effect, shown, getattr(tool, "risk", ""))
            result = await self.journal.effect(
                call, lambda given, key: bounded(tool, again.model_validate(given), key, strict=self.strict), codec
            )
        self.outcomes.came(position, result)
        await self.emit(_shown(call_id, tool.name, result))
        return Called(result, self.journal.edited(position))

    async def reply(
        self,
        agent: "Agent",
        turn: Turn,
        facts: Facts,
        draft: str,
        *,
        citations: tuple[Citation, ...] = (),
        owed: bool = False,
    ) -> Answer:
        """Stream the reply and return it whole.

        ``draft`` is the reply as the agent's own template tells the facts: the offline model streams it as it
        is; a real model gets the facts and the conversation and words them itself. What the turn's look-ups could not
        ask or cut short is told with both, whether the agent thought of it or not. ``owed``: the draft says all there
        is to say, so it is told where no model may be paid; a run that has changed something owes that anyway.
        """
        told = with_parts(draft, self.outcomes.parts(self.turn))
        beside = self.outcomes.beside(facts, self.turn)
        return await answered(self, agent, turn, beside, told, citations, owed=owed)

    async def work(
        self,
        agent: "Agent",
        turn: Turn,
        facts: Facts,
        draft: str,
        *,
        tools: Sequence[str | Tool[Any, Any] | PlainTool[Any, Any]],
        unasked: Collection[str] = (),
        citations: tuple[Citation, ...] = (),
    ) -> Answer:
        """As ``reply``, but a model may call ``tools`` before it answers (by name, those of the catalogue): reads side
        by side, within ``limits``. Whatever does more than look waits for the user's approval each time, but for those
        named in ``unasked`` that can be taken back. A model that follows no instructions streams the draft.
        """
        told = with_parts(draft, self.outcomes.parts(self.turn))
        beside = self.outcomes.beside(facts, self.turn)
        chosen = [self.tools[each] if isinstance(each, str) else cast("Tool[Any, Any]", each) for each in tools]
        # Called as they are handed over, with shorter limits than their own: not those of the same name.
        ctx = replace(self, tools={})
        return await worked(ctx, agent, turn, beside, told, tools=chosen, citations=citations, unasked=unasked)


class Agent(Protocol):
    """A specialist. ``name`` is the intent it answers, ``when_to_use`` one sentence for people and routers,
    ``examples`` what users would say (an agent with a name of its own is recognised by them: three or more, varied),
    ``label`` what a button calls it, ``instructions`` its part of the prompt.
    """

    name: ClassVar[Intent]
    label: ClassVar[str]
    when_to_use: ClassVar[str]
    examples: ClassVar[tuple[str, ...]]
    instructions: ClassVar[str]

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer: ...


@runtime_checkable
class Holding(Protocol):
    """An agent that asks and waits for the answer (a practice interview). ``holds`` tells whether it is waiting for
    ``message``: then it is its, unless it is clearly a request to another agent. Any of them is asked, also when
    another agent spoke last: "back to the interview" is understood after a search.
    """

    name: ClassVar[Intent]
    label: ClassVar[str]

    def holds(self, message: str, history: Sequence[PastMessage]) -> bool: ...


def _shown(call_id: str, tool: str, result: Result[Any]) -> ToolResult:
    event = ToolResult(call_id=call_id, tool=tool, status="ok", missed=tuple(each.told for each in result.missed))
    match result:
        case Ok(_, truncated, total):
            unasked = f"could not ask {'; '.join(event.missed)}" if event.missed else ""
            note = "; ".join(filter(None, [amount(result), unasked]))
            return event.model_copy(update={"truncated": truncated, "total": total, "note": note})
        case Empty(note):
            return event.model_copy(update={"status": "empty", "note": note})
        case Err(kind, note):
            return event.model_copy(update={"status": "error", "kind": kind, "note": note})
