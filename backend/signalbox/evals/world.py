"""What an evaluation runs on: the sample catalogue and a small invented world around it, of a tenant of its own.

Every tool is the real one on real stores, but for the two that reach out of the machine: a job board answers from
memory below its connector, and e-mails go nowhere.
"""

import asyncio
import csv
import json
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar, Final, cast

import httpx

from signalbox.blocks import ProfileFact
from signalbox.db import Database
from signalbox.llm.embedding import Embedder
from signalbox.memory.applications import ApplicationStore, NewApplication
from signalbox.memory.profile import NewFact, Owner, ProfileStore
from signalbox.memory.resume.model import Resume
from signalbox.memory.resume.store import ResumeStore
from signalbox.retrieval.documents.ingest import load_guides
from signalbox.retrieval.facts.company_rows import ingest_companies
from signalbox.retrieval.facts.wage_rows import ingest_wages
from signalbox.retrieval.index import JobIndex
from signalbox.retrieval.ingest import ingest_jobs
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.settings import Settings
from signalbox.tools.base import Effect, Kit, Tool
from signalbox.tools.boards.build import build_boards
from signalbox.tools.mailing import Sent
from signalbox.tools.result import Ok, Result
from signalbox.tools.send_email import Mail
from signalbox.tools.toolbox import build_tools

TENANT: Final = "truth"
BOARD: Final = "remotive"
# The machine's share of a first start: a quick evaluation needs fewer postings to look through.
FEW: Final = 90


class PretendedMail:
    """Stands for ``send_email``: says that it was sent, and nobody gets it."""

    name: ClassVar[str] = "send_email"
    effect: ClassVar[Effect] = "irreversible"
    timeout_s: ClassVar[float] = 5.0
    ready: ClassVar[bool] = True
    risk: ClassVar[str] = ""

    async def run(self, arguments: Mail) -> Result[Sent]:
        sender = "assistant@signalbox.example"
        return Ok(Sent(arguments.to, arguments.subject, f"<1@{sender}>", datetime.now(UTC), sender=sender))


@dataclass(frozen=True, slots=True)
class World:
    """Stores with all that is known in it, and the tools of each user."""

    db: Database
    embedder: Embedder
    vocabulary: SkillVocabulary
    index: JobIndex
    profiles: ProfileStore
    boards: tuple[Tool[Any, Any], ...]
    known: Mapping[str, Any]

    def tools(self, owner: Owner, message_id: str) -> dict[str, Tool[Any, Any]]:
        made = build_tools(
            Kit(
                db=self.db, embedder=self.embedder, index=self.index, profiles=self.profiles,
                vocabulary=self.vocabulary, owner=owner, message_id=message_id, temporary=False, boards=self.boards,
            )
        )  # fmt: skip
        return {**made, PretendedMail.name: cast("Tool[Any, Any]", PretendedMail())}

    async def person(self, user_id: str) -> tuple[Owner, tuple[ProfileFact, ...]]:
        """A user with a profile, a CV and a few applications; the same each time, whatever was done to it before."""
        owner = Owner(TENANT, user_id)
        for table in ("application", "resume", "profile_fact", "profile_undo"):
            await self.db.execute(
                f"DELETE FROM {table} WHERE tenant = %s AND user_id = %s",  # noqa: S608 - constants
                [owner.tenant, owner.user_id],
            )
        facts = [NewFact(kind, key, value) for kind, key, value in self.known["profile"]]
        await self.profiles.apply(owner, facts, (), message_id=f"m_{user_id}")
        resume = Resume.model_validate_json(json.dumps(self.known["resume"]))
        await ResumeStore(self.db).keep(owner, resume, media_type="application/pdf")
        store = ApplicationStore(self.db)
        for number, (company, title, status, day) in enumerate(self.known["applications"]):
            sent = NewApplication(company, title, status=status, applied_on=date.fromisoformat(day))
            await store.record(owner, sent, message_id=f"m_{user_id}_{number}")
        return owner, await self.profiles.facts(owner)


@asynccontextmanager
async def open_world(
    settings: Settings, db: Database, embedder: Embedder, *, few: bool = False
) -> AsyncIterator[World]:
    """The world in ``db``, a database that is used for nothing else. ``few``: a part of the catalogue, for haste."""
    vocabulary = await asyncio.to_thread(SkillVocabulary.load)
    known = json.loads((resources.files("signalbox.data") / "evals" / "world.json").read_text("utf-8"))
    await _load(db, embedder, vocabulary, known, few=few)
    async with httpx.AsyncClient(transport=httpx.MockTransport(_board(known["board"]))) as http:
        quiet = settings.model_copy(update={"job_boards": (BOARD,), "board_urls": ()})
        yield World(
            db, embedder, vocabulary, JobIndex(db, embedder, vocabulary), ProfileStore(db),
            build_boards(quiet, http, vocabulary, embedder), known,
        )  # fmt: skip


async def _load(
    db: Database, embedder: Embedder, vocabulary: SkillVocabulary, known: Mapping[str, Any], *, few: bool
) -> None:
    samples = (resources.files("signalbox.data") / "sample_jobs.jsonl").read_text("utf-8").splitlines()
    with tempfile.TemporaryDirectory() as folder:
        jobs, companies, wages = (Path(folder) / name for name in ("jobs.jsonl", "companies.jsonl", "wages.csv"))
        await asyncio.to_thread(_write, known, samples[:FEW] if few else samples, jobs, companies, wages)
        await ingest_jobs(db, embedder, vocabulary, [jobs], sample=True, tenant=TENANT)
        await ingest_companies(db, vocabulary, [companies], tenant=TENANT, source="evaluation")
        await ingest_wages(db, embedder, [wages], tenant=TENANT, source="evaluation", as_of=date(2026, 3, 1))
    await load_guides(db, embedder)


def _write(known: Mapping[str, Any], samples: list[str], jobs: Path, companies: Path, wages: Path) -> None:
    jobs.write_text("\n".join(samples), "utf-8")
    companies.write_text("\n".join(map(json.dumps, known["companies"])), "utf-8")
    with wages.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("occupation", "area", "country", "currency", "period", "p10", "p25", "p50", "p75", "p90"))
        for occupation, median in known["wages"]:
            spread = (int(median * share) for share in (0.7, 0.85, 1, 1.2, 1.45))
            writer.writerow((occupation, "", "GB", "GBP", "year", *spread))


def _board(rows: list[list[Any]]) -> Any:
    """What Remotive's server would answer."""
    day = datetime.now(UTC) - timedelta(days=3)
    jobs = [
        {
            "id": 1_900_000_000 + number,
            "url": f"https://remotive.example/remote-jobs/{number}",
            "title": title,
            "company_name": company,
            "category": "All others",
            "tags": tags,
            "job_type": "full_time",
            "publication_date": f"{day:%Y-%m-%dT%H:%M:%S}",
            "candidate_required_location": "Worldwide",
            "salary": "",
            "description": f"<p>{company} is looking for a {title}. You know {', '.join(tags)}.</p>",
        }
        for number, (title, company, tags) in enumerate(rows)
    ]
    body = json.dumps({"job-count": len(jobs), "jobs": jobs}).encode()
    return lambda _: httpx.Response(200, headers={"Content-Type": "application/json"}, stream=httpx.ByteStream(body))
