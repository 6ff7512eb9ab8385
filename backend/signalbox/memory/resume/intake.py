"""Takes a CV in: keeps it, and puts what it says of its writer into the profile, each fact under the CV's id."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from signalbox.memory.profile import Change, Owner
from signalbox.memory.resume.facts import facts_of
from signalbox.memory.resume.model import Resume
from signalbox.memory.resume.store import Kept, ResumeStore, StoredResume
from signalbox.memory.resume.text import ResumeReading
from signalbox.retrieval.skills import SkillVocabulary

NOT_REMEMBERED: Final = (
    "You have switched remembering off, so nothing of this CV went into your profile. It is kept for reviews and "
    "letters until you delete it."
)


@dataclass(frozen=True, slots=True)
class TakenIn:
    """``warnings`` are in words to show: what could not be found, and what was left as the user had said it."""

    stored: StoredResume
    change: Change
    warnings: tuple[str, ...]


class ResumeIntake:
    """Repeating the same CV changes nothing. Raises ``StoreUnavailable``."""

    def __init__(self, resumes: ResumeStore, vocabulary: SkillVocabulary) -> None:
        self._resumes = resumes
        self._vocabulary = vocabulary

    async def take(self, owner: Owner, read: ResumeReading, *, media_type: str) -> TakenIn:
        facts = await asyncio.to_thread(facts_of, read, self._vocabulary, today=datetime.now(UTC).date())
        kept = await self._resumes.keep(owner, read.resume, facts, media_type=media_type)
        warnings = (*resume_warnings(read.resume), *_kept_words(kept))
        return TakenIn(kept.stored, kept.change, warnings if kept.change.remembering else (*warnings, NOT_REMEMBERED))


def resume_warnings(resume: Resume) -> tuple[str, ...]:
    """What a reader would look for in a CV and the parser did not find."""
    found = {
        "I found no jobs with a title or company. If there are some, give each a line with title, company and dates.": (
            resume.work or resume.projects
        ),
        "No job has dates I could read, so I cannot tell your years of experience.": (
            not resume.work or any(job.start or job.end for job in resume.work)
        ),
        "I found no list of skills. A section headed “Skills” is read best.": resume.skills,
        "I found no education section.": resume.education,
    }
    return tuple(text for text, there in found.items() if not there)


def _kept_words(kept: Kept) -> tuple[str, ...]:
    return tuple(
        f"Your profile says {said.key} “{said.value}”, the CV says “{new.value}”: I kept what you told me."
        for said, new in kept.disputed
    )
