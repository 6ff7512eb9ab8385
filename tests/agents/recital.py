"""Performs fixed conversations with every agent and prints what each turn shows, one JSON a line.

``recital.py`` answers every look-up at once. ``recital.py again`` performs as a worker does that takes over: each
result is read back from the JSON of its step, whose keys the database has put in order, some overtake others, and the
last conversation comes first.
"""

import asyncio
import functools
import json
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final, Literal, get_args

from signalbox.agents.base import Agent, TurnContext
from signalbox.agents.finding import find_agents
from signalbox.agents.turn import Turn
from signalbox.encoding import clean_json
from signalbox.envelope import ENVELOPE, Event
from signalbox.events import BLOCK_TYPES
from signalbox.llm.base import ModelRequest, StreamItem
from signalbox.llm.offline import OfflineModel
from signalbox.memory.conversation import PastMessage
from signalbox.memory.profile import Owner
from signalbox.telemetry import configure_logging
from signalbox.tools.boards.board import JobBoard
from signalbox.tools.journal import Call, Codec, StepKind, Unrecorded
from signalbox.tools.result import Empty, Err, Result
from signalbox.tools.toolbox import find_tools
from tools.made_results import FACTS, made_results

TODAY: Final = date(2026, 3, 2)
Mood = Literal["full", "bare", "empty", "failed"]

CV: Final = """Jane Doe
Senior Data Analyst at Contoso, 2021-03 to present
- Responsible for weekly managment reports
- Cut report run time by 40% with SQL and dbt
Skills: SQL, Python, Tableau, Excel
"""
# Each a conversation: who is asked, and what.
TALKS: Final[tuple[tuple[tuple[str, str], ...], ...]] = (
    (
        ("job_search", "Remote Pyhton or SQL jobs in Berlin over 60k EUR, no travel, permanent only"),
        ("job_search", "only the newest ones, not at Contoso"),
        ("job_match", "Which of these fits me best?"),
        ("job_match", "Compare the first two: is it hybrid, which skills do I lack, has it closed?"),
        ("skill_gap", "What am I missing for the second job?"),
        ("cover_letter", "Write a cover letter for the first one"),
        ("cover_letter", "make it shorter and mention Kubernetes"),
        ("cold_email", "Write an e-mail to the recruiter about the second one"),
        ("cold_email", "more formal please"),
        ("cold_email", "send it to anna@northwind.example"),
        ("followup", "I applied to the first one yesterday"),
        ("followup", "Which of my applications should I chase?"),
        ("salary", "what does that pay?"),
        ("company_research", "tell me about that company, do they hire remotely and what is the pay?"),
    ),
    (
        ("salary", "What does a senior Python enginer earn in Berlin? I was offered 75k"),
        ("salary", "Offer A: 70k EUR, 25 days of holiday. Offer B: 68k EUR, bonus 5k, remote"),
        ("salary", "Write a counter offer asking for 80k"),
        ("company_research", "Compare Northwind and Contoso"),
        ("company_research", "Which of the companies you know use Kubernetes and hire in Germany?"),
        ("skill_gap", "Am I closer to data analyst or backend developer?"),
        ("skill_gap", "Which skills am I missing for data engineer jobs, and in what order should I learn them?"),
    ),
    (
        ("resume_review", f"Review my CV for data analyst roles:\n{CV}"),
        ("resume_review", "improve another bullet"),
        ("resume_review", "shorten the summary"),
        ("resume_review", "How long should a CV be?"),
        ("interview_prep", "Which questions come up in a data analyst interview?"),
        ("interview_prep", "Practise an interview with me, three questions"),
        ("interview_prep", "In my last job I cut report run time by 40%, since we had too many slow queries."),
        ("interview_prep", "skip, harder please"),
        ("interview_prep", "stop"),
    ),
    (
        ("profile_update", "I'm a nurse in Leeds with 4 years of SQL, Python and Excel; remote only, at least £50k"),
        ("profile_update", "Forget my location, my skills and no Amazon or Serco please"),
        ("profile_update", "undo that"),
        ("general", "What do you know about me?"),
        ("general", "how many postings do you have and from where?"),
        ("general", "how much notice must I give?"),
        ("general", "what is the weather like"),
        ("job_search", "nursing or teaching jobs in Leeds, York or Manchester but not for the NHS"),
        ("job_match", f"Am I a fit for this?\nData Engineer at Contoso, Leeds\n\n{CV}"),
    ),
)


@dataclass
class Stage:
    """Keeps what is shown."""

    events: list[Event] = field(default_factory=list)

    async def emit(self, event: Event) -> None:
        self.events.append(event)


class Hearing(OfflineModel):
    """Says the draft, and keeps what it was told: a model that words the reply itself answers to that."""

    name = "hearing"
    instructable = True

    def __init__(self) -> None:
        super().__init__(delay_s=0)
        self.told: list[str] = []

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        self.told += [message.content for message in request.messages]
        async for item in super().stream(request):
            yield item


class Again(Unrecorded):
    """Answers from what a step has kept, each look-up at a pace of its own."""

    async def step(
        self,
        position: str,
        kind: StepKind,
        do: Callable[[], Awaitable[Any]],
        codec: Codec[Any],
        *,
        about: Mapping[str, Any] | None = None,
        lazily: bool = False,
    ) -> Any:
        for _ in range(sum(position.encode()) % 7):
            await asyncio.sleep(0)
        return _kept(await do(), codec)

    async def effect(
        self, call: Call, do: Callable[[Mapping[str, Any], str], Awaitable[Any]], codec: Codec[Any]
    ) -> Any:
        return _kept(await super().effect(call, do, codec), codec)


def _kept(value: Any, codec: Codec[Any]) -> Any:
    return codec.load(json.loads(json.dumps(codec.dump(value), sort_keys=True)))


def made_tools(mood: Mood) -> dict[str, Any]:
    """Every tool and two job boards, answering as the mood has it."""
    boards = ("board_one", "board_two")
    kinds = {kind.name: kind for kind in find_tools()} | dict.fromkeys(boards, JobBoard)
    results = {name: _answers(mood, name.replace("_one", "").replace("_two", "")) for name in kinds}
    tools = {name: _tool(kind, results[name]) for name, kind in kinds.items()}
    for name in boards:
        tools[name].name = name
        tools[name].label = name.replace("_", " ").title()
        tools[name].source = f"live:{name}"
        tools[name].timeout_s = 5.0
    return tools


def _answers(mood: Mood, name: str) -> Result[Any]:
    match mood:
        case "empty":
            return Empty("nothing there")
        case "failed":
            return Err("unavailable", "the database cannot be reached")
        case _:
            made = made_results().get(name, (Err("unavailable", "nobody made a result of it"),))
            return made[0 if mood == "full" else -1]


def _tool(kind: type[Any], result: Result[Any]) -> Any:
    """A tool of that very class that opens nothing; it is annotated as its class is, which its codec goes by."""

    @functools.wraps(kind.run)
    async def run(*_: Any, **__: Any) -> Any:
        return result

    made = type(kind.__name__, (kind,), {"run": run, "ready": True})
    return object.__new__(made)


async def turns(talk: Sequence[tuple[str, str]], mood: Mood, *, again: bool) -> list[dict[str, Any]]:
    """What each turn of the conversation shows, hand-overs followed; the history grows as a conversation's does."""
    agents, history, shown = find_agents(), list[PastMessage](), []
    tools = made_tools(mood)
    for number, (name, message) in enumerate(talk):
        asked: tuple[str, str] | None = (name, message)
        while asked is not None:
            stage, model = Stage(), Hearing()
            context = TurnContext(
                owner=Owner("public", "u"),
                message_id=f"a{number}",
                model=model,
                tools=tools,
                emitter=stage,
                agents=agents,
                journal=Again() if again else Unrecorded(),
            )
            asked = await _turn(agents[asked[0]], asked[1], history, context)
            events = [event.model_dump(mode="json", exclude=set(ENVELOPE)) for event in stage.events]
            shown.append(
                {"mood": mood, "message": message, "agent": history[-1].agent, "events": events, "told": model.told}
            )
    return shown


async def _turn(agent: Agent, message: str, history: list[PastMessage], context: TurnContext) -> tuple[str, str] | None:
    turn = Turn(message=message, message_id="m", intent=agent.name, history=tuple(history), profile=FACTS, today=TODAY)
    answer = await agent.respond(turn, context)
    events: list[Event] = context.emitter.events  # type: ignore[attr-defined]
    blocks = tuple(
        clean_json(event.model_dump(mode="json", exclude=set(ENVELOPE)))
        for event in events
        if event.type in BLOCK_TYPES
    )
    history += [
        PastMessage(role="user", content=message, intent=agent.name),
        PastMessage(role="assistant", content=answer.text, agent=agent.name, intent=agent.name, blocks=blocks),
    ]
    over = answer.hand_over
    return None if over is None else (over.to, over.message or message)


def recite(*, again: bool) -> list[dict[str, Any]]:
    """All turns in one order. ``again``: the last conversation is held first, so none can lean on what is left over."""

    async def hold() -> dict[tuple[Mood, int], list[dict[str, Any]]]:
        scenes = [(mood, number) for mood in get_args(Mood) for number in range(len(TALKS))]
        return {
            (mood, number): await turns(TALKS[number], mood, again=again)
            for mood, number in (reversed(scenes) if again else scenes)
        }

    held = asyncio.run(hold())
    return [turn for scene in sorted(held) for turn in held[scene]]


if __name__ == "__main__":
    configure_logging("warning", as_json=True)
    for turn in recite(again=sys.argv[1:] == ["again"]):
        sys.stdout.write(json.dumps(turn) + "\n")
