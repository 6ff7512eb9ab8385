"""What the conversation so far says of applications: shown, changed, spoken of, drafted. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from signalbox.agents.letters.asked import is_aside, without_sending
from signalbox.agents.letters.outreach import read_outreach
from signalbox.agents.words.shown import shown_jobs
from signalbox.blocks import ApplicationStatus, CoverLetter, InterviewQuestions, Job, JobMatch, JobsData, SkillGap
from signalbox.memory.conversation import PastMessage


@dataclass(frozen=True, slots=True)
class Spoken:
    """What was spoken of last: an application by its id, or the post of a posting or a letter."""

    application_id: str = ""
    company: str = ""
    title: str = ""
    job_id: str | None = None


def last_spoken(history: Sequence[PastMessage]) -> Spoken | None:
    """The post that "it" means: of the newest block that is about exactly one."""
    for at in range(len(history) - 1, -1, -1):
        past = history[at]
        for block in reversed(past.blocks):
            if (spoken := _of_block(block, history, at)) is not None:
                return spoken
    return None


def changed_last(history: Sequence[PastMessage]) -> str:
    """The id of the application that was last changed or written about, or ``""``."""
    return next((block.changed for block in _trackers(history) if block.changed), "")


def tracker_shown(history: Sequence[PastMessage]) -> list[str]:
    """Ids in the order in which the tracker was last shown."""
    blocks = _trackers(history)
    return [row.application_id for row in blocks[0].applications] if blocks else []


def tracker_is_newest(history: Sequence[PastMessage]) -> bool:
    """Whether the tracker was shown after the last list of postings, so that "the second one" is one of its lines."""
    for past in reversed(history):
        kinds = {block.get("type") for block in past.blocks}
        if kinds & {"jobs_data", "job_match"}:
            return False
        if "application_status" in kinds:
            return True
    return False


def last_answer(history: Sequence[PastMessage]) -> PastMessage | None:
    """The newest answer, if it came from the tracker's agent."""
    last = next((past for past in reversed(history) if past.role == "assistant"), None)
    return last if last is not None and last.agent == "followup" else None


def drafted_last(history: Sequence[PastMessage]) -> str | None:
    """The kind of the letter in the newest answer (``""`` if it does not tell), whatever was said of sending it since;
    None if there is none.
    """
    if last_answer(history) is None:
        return None
    at = _asked_at(history)
    answers = [past for past in history[at or 0 :] if past.role == "assistant" and past.agent == "followup"]
    drafts = [block for past in answers for block in past.blocks if block.get("type") == "email_draft"]
    return str(drafts[-1].get("kind") or "") if drafts else None


def asked_before(history: Sequence[PastMessage]) -> tuple[str, Sequence[PastMessage]] | None:
    """The user's last message about what is to be noted or written, and what lay before it."""
    at = _asked_at(history)
    return (without_sending(history[at].content), history[:at]) if at is not None else None


def _asked_at(history: Sequence[PastMessage]) -> int | None:
    for at in range(len(history) - 1, -1, -1):
        if history[at].role == "user" and not is_aside(history[at].content, history[:at]):
            return at
    return None


def said(history: Sequence[PastMessage], words: str) -> bool:
    return any(past.role == "assistant" and words in past.content for past in history)


def _of_block(block: dict[str, object], history: Sequence[PastMessage], at: int) -> Spoken | None:  # noqa: PLR0911
    match block.get("type"):
        case "application_status":
            changed = ApplicationStatus.model_validate(block).changed
            return Spoken(application_id=changed) if changed else None
        case "cover_letter":
            return _of_letter(CoverLetter.model_validate(block), history[:at])
        case "email_draft" if history[at].agent == "cold_email":
            return _of_outreach(history, at)
        case "job_match":
            match_ = JobMatch.model_validate(block)
            best = match_.best or (match_.verdicts[0].job.job_id if len(match_.verdicts) == 1 else None)
            return next((_of_job(each.job) for each in match_.verdicts if each.job.job_id == best), None)
        case "jobs_data":
            jobs = JobsData.model_validate(block).jobs
            return _of_job(jobs[0]) if len(jobs) == 1 else None
        case "skill_gap":
            return _of_gap(SkillGap.model_validate(block), history[:at])
        case "interview_questions":
            asked = InterviewQuestions.model_validate(block)
            return Spoken(company=asked.company, title=asked.role) if asked.company else None
    return None


def _of_letter(letter: CoverLetter, before: Sequence[PastMessage]) -> Spoken | None:
    if letter.job_id is not None:
        job = next((each for each in shown_jobs(before) if each.job_id == letter.job_id), None)
        if job is not None:
            return _of_job(job)
    if not letter.company and not letter.role:
        return None
    return Spoken(company=letter.company or "", title=letter.role or "", job_id=letter.job_id)


def _of_outreach(history: Sequence[PastMessage], at: int) -> Spoken | None:
    """An e-mail to an employer does not name its posting: the request for it does."""
    asked = asked_before(history[:at])
    if asked is None:
        return None
    outreach, job = read_outreach(*asked)
    if job is not None:
        return _of_job(job)
    return Spoken(company=outreach.company, title=outreach.role or "") if outreach.company else None


def _of_gap(gap: SkillGap, before: Sequence[PastMessage]) -> Spoken | None:
    """Compared with a single posting, which its target names as "title at company"."""
    for job in shown_jobs(before):
        if gap.target.casefold() == f"{job.title} at {job.company}".casefold():
            return _of_job(job)
    single = re.fullmatch(r"(?P<title>.+) at (?P<company>.+)", gap.target) if gap.postings == 1 else None
    return Spoken(company=single["company"], title=single["title"]) if single else None


def _of_job(job: Job) -> Spoken:
    return Spoken(company=job.company, title=job.title, job_id=job.job_id)


def _trackers(history: Sequence[PastMessage]) -> list[ApplicationStatus]:
    """Newest first."""
    return [
        ApplicationStatus.model_validate(block)
        for past in reversed(history)
        for block in reversed(past.blocks)
        if block.get("type") == "application_status"
    ]
