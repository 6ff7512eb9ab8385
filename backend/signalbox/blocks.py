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
    """``match_score`` is 0 to 100, explained by ``score_parts``, and null for whom no skill or title is known;
    ``sample`` marks a fictional posting.
    """

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
    """What one source said. ``empty``: it was asked, and has nothing; ``error``: it could not be asked, so nothing is
    known of what it has. ``partial``: it answered, but not all of it was looked through.
    """

    name: str
    status: Literal["ok", "empty", "error"]
    partial: bool = False
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
    """Postings on the table, judged by one ``criterion``, best first; it is empty where nothing is ranked. ``best`` is
    the winner's id, if there is one.
    """

    type: Literal["job_match"] = "job_match"
    criterion: str
    verdicts: tuple[JobVerdict, ...]
    best: str | None = None


class DraftEvidence(Part):
    """``claim`` stands in the draft; ``fact`` is what it rests on, as ``source`` has it."""

    claim: str
    fact: str
    source: Literal["cv", "profile", "message", "posting", "company"]


class EmailDraft(Event):
    """``placeholders`` are the [blanks] the user has to fill in. ``kind``: what the mail is for, where its writer knows
    several: ``chaser``, ``thanks``, ``feedback``, ``withdrawal``, ...
    """

    type: Literal["email_draft"] = "email_draft"
    to: str | None = None
    subject: str
    body: str
    subjects: tuple[str, ...] = ()
    placeholders: tuple[str, ...] = ()
    evidence: tuple[DraftEvidence, ...] = ()
    kind: str = ""


class CoverLetter(Event):
    """``kind`` answer: the answer to ``question`` of a form; email: the text above an attached application; mended: the
    user's own letter, changed. ``job_id`` is the posting's, if there is one. ``left_out``: what the posting asks for
    and the user is not known to have, which the text therefore does not claim.
    """

    type: Literal["cover_letter"] = "cover_letter"
    title: str
    body: str
    job_id: str | None = None
    kind: Literal["letter", "speculative", "internal", "answer", "email", "mended"] = "letter"
    company: str | None = None
    role: str | None = None
    question: str | None = None
    tone: Literal["formal", "friendly", "plain"] = "plain"
    words: int = 0
    placeholders: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    evidence: tuple[DraftEvidence, ...] = ()


class ResumeFinding(Part):
    """``quote`` is the CV's own wording. A rewritten bullet has ``before`` and ``after``, and its number in the CV."""

    section: str
    finding: str
    suggestion: str
    severity: Literal["high", "medium", "low"] = "medium"
    quote: str = ""
    bullet: int | None = None
    before: str | None = None
    after: str | None = None


class ResumeFeedback(Event):
    """A CV reviewed, the weightiest finding first. ``source``: the file's name, or "pasted". ``target``: the posting or
    role it was held against; that asks for ``unsaid_keywords`` (known of the user, but the CV does not say them) and
    ``missing_keywords`` (not known of the user either).
    """

    type: Literal["resume_feedback"] = "resume_feedback"
    source: str = ""
    target: str | None = None
    findings: tuple[ResumeFinding, ...]
    strengths: tuple[str, ...] = ()
    unsaid_keywords: tuple[str, ...] = ()
    missing_keywords: tuple[str, ...] = ()


class SkillDemand(Part):
    """``share`` is the fraction (0 to 1) of the postings looked at that ask for the skill; ``reason`` says why it
    counts as ``have`` or ``partial``. ``certificate``: a certificate or licence rather than a skill.
    """

    skill: str
    status: Literal["have", "partial", "missing"]
    postings: int
    share: float = Field(ge=0, le=1)
    reason: str = ""
    certificate: bool = False


class SkillGap(Event):
    type: Literal["skill_gap"] = "skill_gap"
    target: str
    postings: int
    sample_postings: int
    skills: tuple[SkillDemand, ...]
    learn_next: tuple[str, ...]


class InterviewQuestion(Part):
    """``basis``: a guide that lists it, or the posting or CV it was made from, as ``why`` tells. ``hint``: what a good
    answer shows. ``citation_ids`` are ids of the message's citations; a CV has none.
    """

    question: str
    why: str
    hint: str = ""
    kind: Literal["opening", "behavioural", "role"] = "opening"
    basis: Literal["guide", "posting", "cv"] = "guide"
    citation_ids: tuple[str, ...] = ()


class InterviewQuestions(Event):
    type: Literal["interview_questions"] = "interview_questions"
    role: str
    questions: tuple[InterviewQuestion, ...]
    company: str = ""


class QuestionSource(Part):
    """Where questions come from. ``id`` is the id of its citation."""

    id: str
    title: str
    source: str
    heading: str = ""
    url: str | None = None
    as_of: date | None = None


class PracticeNote(Part):
    """What was noticed in one answer: its length, the parts of a told example that are in it, and by their names the
    things to keep and to change. A skipped question has no words.
    """

    question: str
    words: int = 0
    star: tuple[Literal["situation", "task", "action", "result"], ...] = ()
    keep: tuple[str, ...] = ()
    change: tuple[str, ...] = ()


class InterviewPractice(Event):
    """One step of a practice interview, with all that is needed to go on from it.

    ``open``: the question awaits an answer. ``feedback`` is on the answer before it. ``asked`` is the question with
    what it rests on (None: the interview is over), ``upcoming`` are those kept for later, ``notes`` one an answer so
    far, ``sources`` what the questions cite.
    """

    type: Literal["interview_practice"] = "interview_practice"
    role: str
    number: int
    of: int
    question: str
    open: bool
    feedback: tuple[str, ...] = ()
    company: str = ""
    asked: InterviewQuestion | None = None
    upcoming: tuple[InterviewQuestion, ...] = ()
    notes: tuple[PracticeNote, ...] = ()
    sources: tuple[QuestionSource, ...] = ()


class PayFigure(Part):
    """What one posting states, per year in the currency of its range."""

    job_id: str
    title: str
    company: str
    min: float
    max: float
    posted_at: date | None = None


class SalaryRange(Event):
    """Pay for ``role`` from one ``source``, in one currency, per ``period``; None is a percentile not known.

    ``basis`` postings: interpolated over ``n`` postings, each by the middle of its range, ``converted`` of them from
    another period; ``figures`` are the single ones if they are few, else some near the median; ``sample``: they are
    fictional. ``basis`` wage_table: as published for ``occupation``, as of ``date_to``, ``n`` people employed.
    ``asked`` is the pay to judge and ``asked_share`` the fraction of postings below it. ``location`` is where the
    figures are from, which may be wider than ``asked_location``.
    """

    type: Literal["salary_range"] = "salary_range"
    role: str
    location: str | None
    asked_location: str | None = None
    basis: Literal["postings", "wage_table"] = "postings"
    source: str = ""
    source_id: str | None = None
    url: str | None = None
    occupation: str | None = None
    n: int
    small_sample: bool = False
    sample: bool = False
    converted: int = 0
    currency: str
    period: str
    p10: float | None
    p25: float | None
    p50: float | None
    p75: float | None
    p90: float | None
    method: str = ""
    figures: tuple[PayFigure, ...] = ()
    asked: float | None = None
    asked_share: float | None = Field(default=None, ge=0, le=1)
    date_from: date | None = None
    date_to: date | None = None


class CompanyFact(Part):
    """``fact`` as ``source`` says it, ``as_of`` a day; ``source_id`` is the id of its citation."""

    fact: str
    source: str
    as_of: date | None = None
    label: str = ""
    source_id: str | None = None
    url: str | None = None


class CompanyProfile(Event):
    """``unknown`` names what was asked for and no source tells; ``sample``: a company of the fictional catalogue."""

    type: Literal["company_profile"] = "company_profile"
    company: str
    facts: tuple[CompanyFact, ...]
    unknown: tuple[str, ...] = ()
    sample: bool = False


class Application(Part):
    """One application on the tracker. ``days_since``: since the last sign of life (``last_contact_on``), negative for
    an interview to come. ``chase_on``: when to write again if nothing is heard; None where there is nothing to chase.
    """

    application_id: str
    company: str
    title: str
    status: str
    applied_on: date | None = None
    days_since: int | None = None
    last_contact_on: date | None = None
    chase_on: date | None = None
    next_step: str = ""
    job_id: str | None = None


class ApplicationStatus(Event):
    """The tracker, open applications first; ``changed``: the id of the one this turn recorded or changed."""

    type: Literal["application_status"] = "application_status"
    applications: tuple[Application, ...]
    changed: str | None = None


class ProfileFact(Part):
    """One thing known of the user; ``source_message_id`` is the message that said it. ``origin``: whether the user said
    it, a model concluded it from their words (then with its ``confidence``), or it stands in their CV. ``pinned``: they
    asked for it to be remembered. ``noted_on``: the day (UTC) since when it is known.
    """

    fact_id: str
    kind: Literal["fact", "preference", "constraint"]
    key: str
    value: str
    source_message_id: str | None = None
    confidence: float = Field(default=1.0, ge=0, le=1)
    origin: Literal["said", "extracted", "resume"] = "said"
    pinned: bool = False
    noted_on: date | None = None


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
