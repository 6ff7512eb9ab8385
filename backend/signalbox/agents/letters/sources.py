"""Looks up what a letter or a first message rests on: the CV, the posting, the company. Says how each look went."""

from dataclasses import dataclass
from typing import Literal

from signalbox.agents.base import TurnContext
from signalbox.agents.letters.post import Posting, seen_words
from signalbox.agents.turn import Turn
from signalbox.blocks import Job
from signalbox.memory.resume.facts import RESUME_KEY
from signalbox.memory.resume.model import Resume
from signalbox.retrieval.facts.companies import CompanyRecord
from signalbox.tools.find_company import CompanyName, FindCompany
from signalbox.tools.find_job import FindJob, JobReference
from signalbox.tools.read_resume import ReadResume, WholeResume
from signalbox.tools.result import Empty, Err, Ok

# "none": looked, and there is nothing. "unavailable": could not look. "unasked": there was no reason to.
Look = Literal["read", "none", "unavailable", "temporary", "unasked"]


@dataclass(frozen=True, slots=True)
class Resumed:
    look: Look
    resume: Resume | None = None


@dataclass(frozen=True, slots=True)
class Employer:
    look: Look
    record: CompanyRecord | None = None


@dataclass(frozen=True, slots=True)
class Advertised:
    look: Look
    posting: Posting


async def resume_of(turn: Turn, ctx: TurnContext) -> Resumed:
    """The stored CV; a temporary conversation reads none."""
    if turn.temporary:
        return Resumed("temporary")
    match await ctx.call(ReadResume, WholeResume()):
        case Ok(resume):
            return Resumed("read", resume)
        case Empty():
            return Resumed("none")
        case Err():
            return Resumed("unavailable")


def has_resume(turn: Turn) -> bool:
    """Whether the profile says that a CV is stored."""
    return not turn.temporary and any(fact.key == RESUME_KEY for fact in turn.profile)


async def employer_of(company: str, ctx: TurnContext) -> Employer:
    """What is on record of the one company that has this name."""
    match await ctx.call(FindCompany, CompanyName(name=company)):
        case Ok(record):
            return Employer("read", record)
        case Empty():
            return Employer("none")
        case Err():
            return Employer("unavailable")


async def posting_of(job_id: str, shown: Job | None, ctx: TurnContext) -> Advertised | None:
    """The posting, whole; else as it was shown. None: it is gone, and nothing shown is left of it."""
    labels = [
        (tool.source, tool.label) for tool in ctx.tools.values() if hasattr(tool, "source") and hasattr(tool, "label")
    ]
    seen = seen_words(shown.source, labels) if shown else ""
    match await ctx.call(FindJob, JobReference(job_id=job_id)):
        case Ok(hit):
            return Advertised("read", Posting.of_hit(hit, seen_words(hit.source, labels)))
        case Empty():
            return Advertised("none", Posting.of_job(shown, seen)) if shown else None
        case Err():
            return Advertised("unavailable", Posting.of_job(shown, seen) if shown else Posting())
