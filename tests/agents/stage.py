"""A stage for agents: what they emit is kept, and their tools are made here."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from signalbox.agents.base import Agent, TurnContext
from signalbox.agents.turn import Answer, Turn
from signalbox.blocks import Job, JobsData, ProfileFact, SourceStatus
from signalbox.envelope import Event
from signalbox.llm.base import Model
from signalbox.llm.offline import OfflineModel
from signalbox.memory.conversation import PastMessage
from signalbox.memory.profile import Owner
from signalbox.retrieval.index import JobHit, JobHits, Leg
from signalbox.tools.journal import Journal, Unrecorded
from signalbox.tools.result import Result

OWNER = Owner("public", "u1")


@dataclass
class Recorder:
    events: list[Event] = field(default_factory=list)

    async def emit(self, event: Event) -> None:
        self.events.append(event)

    def types(self) -> list[str]:
        """Types in order, chunks as one."""
        names: list[str] = []
        for event in self.events:
            if not (event.type == "chunk" and names[-1:] == ["chunk"]):
                names.append(event.type)
        return names

    def one(self, kind: str) -> Any:
        found = [event for event in self.events if event.type == kind]
        assert len(found) == 1, f"{len(found)} events of type {kind}"
        return found[0]


class Canned:
    """A tool that answers what it was given and keeps what it was asked."""

    effect = "read"
    timeout_s = 1.0

    def __init__(self, name: str, result: Result[Any]) -> None:
        self.name = name
        self.asked: list[Any] = []
        self._result = result

    async def run(self, arguments: Any) -> Result[Any]:
        self.asked.append(arguments)
        return self._result


async def perform(
    agent: Agent,
    message: str,
    tools: Sequence[Any] = (),
    *,
    intent: str | None = None,
    history: Sequence[PastMessage] = (),
    profile: Sequence[ProfileFact] = (),
    temporary: bool = False,
    model: Model | None = None,
    journal: Journal | None = None,
) -> tuple[Answer, Recorder]:
    recorder = Recorder()
    context = TurnContext(
        owner=OWNER,
        message_id="m_answer",
        model=model or OfflineModel(delay_s=0),
        tools={tool.name: tool for tool in tools},
        emitter=recorder,
        journal=journal or Unrecorded(),
        strict=True,
    )
    turn = Turn(
        message=message,
        message_id="m_question",
        intent=intent or agent.name,
        history=tuple(history),
        profile=tuple(profile),
        temporary=temporary,
    )
    return await agent.respond(turn, context), recorder


def fact(key: str, value: str, kind: str = "fact") -> ProfileFact:
    return ProfileFact(fact_id=f"f_{key}_{value}", kind=kind, key=key, value=value)


def hit(number: int, **changes: Any) -> JobHit:
    values: dict[str, Any] = {
        "job_id": f"j{number}",
        "source": "sample",
        "external_id": str(number),
        "title": f"Python Engineer {number}",
        "company": f"Company {number}",
        "location": "Berlin",
        "country": "DE",
        "remote": None,
        "category": None,
        "employment_type": None,
        "seniority": None,
        "salary_min": None,
        "salary_max": None,
        "salary_period": None,
        "currency": None,
        "salary_year_min": None,
        "salary_year_max": None,
        "posted_at": datetime.now(UTC).date(),
        "closes_at": None,
        "url": None,
        "description": "",
        "requirements": "",
        "skills": ("Python", "SQL"),
        "sample": True,
        "score": 0.02,
    }
    return JobHit(**{**values, **changes})


def hits(*found: JobHit, total: int | None = None, failed: str = "") -> JobHits:
    legs = [
        Leg("text", "failed" if failed == "text" else "ok"),
        Leg("meaning", "failed" if failed == "meaning" else "ok"),
    ]
    return JobHits(tuple(found), len(found) if total is None else total, tuple(legs))


def searched(message: str) -> tuple[PastMessage, PastMessage]:
    """A search and an answer that showed two postings."""
    jobs = tuple(
        Job(job_id=f"j{n}", title=title, company=company, sample=True, matched_skills=("SQL",))
        for n, (title, company) in enumerate(
            [("Data Engineer", "Northwind"), ("Data Analyst", "Contoso Labs")], start=1
        )
    )
    shown = JobsData(jobs=jobs, total=2, truncated=False, sources=(SourceStatus(name="job catalogue", status="ok"),))
    return (
        PastMessage(role="user", content=message, intent="job_search"),
        PastMessage(
            role="assistant", content="Two postings.", agent="job_search", blocks=(shown.model_dump(mode="json"),)
        ),
    )
