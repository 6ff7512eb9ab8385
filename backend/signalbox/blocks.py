"""The typed results that belong to an answer: kept with its message, given back by a snapshot."""

from datetime import date, datetime
from typing import Any, Literal

from pydantic import Field

from signalbox.envelope import Event, Intent, Part


class Salary(Part):
    """``period``: year, month, day or hour, as the posting states it."""

    min: float | None = None
    max: float | None = None
    currency: str | None = None
    period: str | None = None


class ScorePart(Part):
    """``points`` of ``out_of``, and why in words fit to show. The parts make up a posting's ``match_score``."""

    name: str
    points: float
    out_of: float
    reason: str


class Job(Part):
    """``match_score`` is 0 to 100, explained by ``score_parts``; ``sample`` marks a fictional posting."""

    job_id: str
    title: str
    company: str
    location: str | None = None
    remote: bool | None = None
    url: str | None = None
    salary: Salary | None = None
    match_score: float | None = None
    match_reasons: tuple[str, ...] = ()
    score_parts: tuple[ScorePart, ...] = ()
    matched_skills: tuple[str, ...] = ()
    missing_skills: tuple[str, ...] = ()
    posted_at: date | None = None
    source: str = ""
    sample: bool = False


class SourceStatus(Part):
    name: str
    status: Literal["ok", "empty", "error"]
    note: str = ""


class JobsData(Event):
    """``total`` counts all that fit, ``truncated`` tells that ``jobs`` is only a part of them."""

    type: Literal["jobs_data"] = "jobs_data"
    jobs: tuple[Job, ...]
    total: int
    truncated: bool
    sources: tuple[SourceStatus, ...]


class JobVerdict(Part):
    """One posting judged. ``place`` is its number in the list the user saw (from 1)."""

    place: int
    job: Job
    verdict: Literal["strong", "good", "partial", "weak", "ruled_out", "unknown"]
    strengths: tuple[str, ...] = ()
    concerns: tuple[str, ...] = ()


class JobMatch(Event):
    """Postings on the table, judged by one ``criterion``, best first. ``best`` is the winner's id, if there is one."""

    type: Literal["job_match"] = "job_match"
    criterion: str
    verdicts: tuple[JobVerdict, ...]
    best: str | None = None


class EmailDraft(Event):
    type: Literal["email_draft"] = "email_draft"
    to: str | None = None
    subject: str
    body: str
    subjects: tuple[str, ...] = ()
    placeholders: tuple[str, ...] = ()


class CoverLetter(Event):
    type: Literal["cover_letter"] = "cover_letter"
    title: str
    body: str
    job_id: str | None = None


class ResumeFinding(Part):
    section: str
    finding: str
    suggestion: str


class ResumeFeedback(Event):
    type: Literal["resume_feedback"] = "resume_feedback"
    findings: tuple[ResumeFinding, ...]
    missing_keywords: tuple[str, ...] = ()


class SkillDemand(Part):
    """``share`` is the fraction (0 to 1) of the postings looked at that ask for the skill."""

    skill: str
    status: Literal["have", "partial", "missing"]
    postings: int
    share: float = Field(ge=0, le=1)


class SkillGap(Event):
    type: Literal["skill_gap"] = "skill_gap"
    target: str
    postings: int
    sample_postings: int
    skills: tuple[SkillDemand, ...]
    learn_next: tuple[str, ...]


class InterviewQuestion(Part):
    question: str
    why: str
    hint: str = ""


class InterviewQuestions(Event):
    type: Literal["interview_questions"] = "interview_questions"
    role: str
    questions: tuple[InterviewQuestion, ...]


class InterviewPractice(Event):
    """One step of a practice interview. ``open``: the question awaits an answer. ``feedback`` is on the last one."""

    type: Literal["interview_practice"] = "interview_practice"
    role: str
    number: int
    of: int
    question: str
    open: bool
    feedback: tuple[str, ...] = ()


class SalaryRange(Event):
    type: Literal["salary_range"] = "salary_range"
    role: str
    location: str | None
    n: int
    currency: str
    period: str
    p10: float | None
    p25: float | None
    p50: float | None
    p75: float | None
    p90: float | None
    date_from: date | None = None
    date_to: date | None = None


class CompanyFact(Part):
    fact: str
    source: str
    as_of: date | None = None


class CompanyProfile(Event):
    type: Literal["company_profile"] = "company_profile"
    company: str
    facts: tuple[CompanyFact, ...]


class Application(Part):
    application_id: str
    company: str
    title: str
    status: str
    applied_on: date | None = None
    days_since: int | None = None


class ApplicationStatus(Event):
    type: Literal["application_status"] = "application_status"
    applications: tuple[Application, ...]


class ProfileFact(Part):
    """One thing known of the user; ``source_message_id`` is the message that said it."""

    fact_id: str
    kind: Literal["fact", "preference", "constraint"]
    key: str
    value: str
    source_message_id: str | None = None


class ProfileUpdated(Event):
    type: Literal["profile_updated"] = "profile_updated"
    added: tuple[ProfileFact, ...] = ()
    removed: tuple[ProfileFact, ...] = ()
    profile: tuple[ProfileFact, ...] = ()


class KnowledgePassage(Part):
    """A passage of a guide. ``passage_id`` is the id of its citation."""

    passage_id: str
    title: str
    heading: str
    text: str
    source: str
    url: str | None = None
    as_of: date | None = None


class Knowledge(Event):
    """Passages that an answer to ``question`` rests on, the best first."""

    type: Literal["knowledge"] = "knowledge"
    question: str
    passages: tuple[KnowledgePassage, ...]


class Suggestion(Part):
    """A quick reply: ``label`` on the button, ``message`` is what choosing it says; with an ``intent`` the
    choice is final and nothing is classified again.
    """

    id: str
    label: str
    message: str
    intent: Intent | None = None


class Suggestions(Event):
    type: Literal["suggestions"] = "suggestions"
    text: str
    suggestions: tuple[Suggestion, ...]


class SuggestionChosen(Event):
    """Locks the quick replies that ``suggestion_id`` belongs to, in every tab and after a reload."""

    type: Literal["suggestion_chosen"] = "suggestion_chosen"
    suggestion_id: str


class ApprovalRequired(Event):
    type: Literal["approval_required"] = "approval_required"
    approval_id: str
    tool: str
    arguments: dict[str, Any]
    risk: str
    expires_at: datetime


class ApprovalResolved(Event):
    type: Literal["approval_resolved"] = "approval_resolved"
    approval_id: str
    decision: Literal["approved", "edited", "rejected", "expired"]
