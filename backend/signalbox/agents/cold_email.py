"""Writes to people who do not expect it: a first e-mail or LinkedIn note, from profile, CV and company facts."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Final

from signalbox.agents.base import Answer, Facts, Turn, TurnContext
from signalbox.agents.letters.background import Background, background_of
from signalbox.agents.letters.evidence import evidence_in
from signalbox.agents.letters.examples import best_result
from signalbox.agents.letters.outreach import Channel, Outreach, Tone, read_outreach
from signalbox.agents.letters.outreach_text import (
    MAX_NOTE_CHARS,
    MAX_WORDS,
    Draft,
    Sender,
    strongest,
    write_email,
    write_note,
)
from signalbox.agents.letters.post import Post, Posting, known_names, post_of, record_citation
from signalbox.agents.letters.sources import Employer, Look, Resumed, employer_of, has_resume, resume_of
from signalbox.agents.letters.wording import worded
from signalbox.agents.words.phrases import counted, plain, quick_replies, without_command
from signalbox.agents.words.postings import citation_of
from signalbox.agents.words.profile_words import value_of, values_of
from signalbox.blocks import EmailDraft, Job, ProfileFact
from signalbox.envelope import Intent
from signalbox.events import Citation
from signalbox.memory.profile import NewFact
from signalbox.memory.statements import own_words
from signalbox.tools.find_company import FindCompany
from signalbox.tools.read_resume import ReadResume
from signalbox.tools.vocabulary import packaged_vocabulary

_WRITING: Final = """Write the first message that the facts describe, as their "channel" (a "note" has at most 300
characters and no subject), of at most "most_words" words, to somebody who does not expect it: who is writing, one
thing they have done, why this company, one question that is easy to answer. Greeting and signature included, no subject
line."""


class EmailFacts(Facts):
    """``sample``: the posting meant is a fictional one. ``size`` counts words of an e-mail, characters of a note.
    ``limit`` is how many words were allowed, ``words`` how many there are. ``language`` was asked for and is not what
    the draft is in. ``passed_over``: the company of the posting pointed at, left aside for the one that was named.
    ``from_cv``: a result or job of the CV is in the draft; ``company_source``: who says what it tells of the company.
    """

    channel: Channel
    tone: Tone
    to: str | None
    company: str | None
    role: str | None
    subjects: tuple[str, ...]
    body: str
    placeholders: tuple[str, ...]
    size: int
    sample: bool = False
    limit: int | None = None
    words: int = 0
    language: str | None = None
    passed_over: str | None = None
    from_cv: bool = False
    company_source: str = ""
    cv: Look = "unasked"
    employer: Look = "unasked"


class WriterFacts(Facts):
    """All that the message may say. ``not_known`` is empty here: what is missing is a [placeholder]."""

    channel: Channel
    tone: str
    purpose: str
    to: str
    background: Background
    post: Post
    most_words: int


class ColdEmailAgent:
    """Drafts outreach."""

    name: ClassVar[Intent] = "cold_email"
    label: ClassVar[str] = "Write to a recruiter"
    when_to_use: ClassVar[str] = (
        "The user wants a first message to a recruiter, manager or company: e-mail, LinkedIn note, referral request."
    )
    examples: ClassVar[tuple[str, ...]] = (
        "Write an e-mail to the recruiter at Siemens about the data engineer role",
        "A LinkedIn note to the second company, friendly please",
        "Ask Anna Schmidt at Maersk for a referral",
    )
    instructions: ClassVar[str] = (
        "The draft itself is already shown to the user: do not repeat it. Say in a few sentences for whom it is, which "
        "[placeholders] to fill in and how it can be changed. Add no claim about the user. "
        "If the facts name a language, say that drafts are in English for now; "
        "if words exceed the limit, say that it could not be met."
    )

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        message = without_command(turn.message)
        outreach, job = read_outreach(message, turn.history)
        resumed, employer = await _looked_up(turn, ctx, outreach, job)
        vocabulary = packaged_vocabulary()
        background = background_of(turn.profile, resumed.resume, message, vocabulary)
        posting = Posting.of_job(job, "") if job else Posting(title=outreach.role or "", company=outreach.company or "")
        post, _ = post_of(posting, employer.record, background, vocabulary, person=outreach.person or "")
        sender = _with_evidence(sender_of(turn.profile, message, job), background, post)
        draft, facts = draft_of(outreach, sender, job)
        draft = await _worded(ctx, outreach, draft, background, post)
        told = evidence_in(draft.body, background, post)
        facts = facts.model_copy(
            update={
                "body": draft.body,
                "placeholders": draft.placeholders,
                "words": draft.words,
                "size": len(draft.body) if facts.channel == "note" else draft.words,
                "from_cv": any(each.source == "cv" for each in told),
                "company_source": post.company_source if any(each.source == "company" for each in told) else "",
                "cv": resumed.look,
                "employer": employer.look,
            }
        )
        await ctx.emit(
            EmailDraft(
                to=facts.to,
                subject=draft.subjects[0] if draft.subjects else "",
                body=draft.body,
                subjects=draft.subjects,
                placeholders=draft.placeholders,
                evidence=told,
            )
        )
        cited: list[Citation] = [citation_of(job)] if job else []
        if employer.record is not None and facts.company_source:
            cited.append(record_citation(employer.record))
        answer = await ctx.reply(self, turn, facts, compose(facts), citations=tuple(cited))
        await ctx.emit(quick_replies(ctx.message_id, "Change it?", _changes(facts)))
        return answer


async def _looked_up(turn: Turn, ctx: TurnContext, outreach: Outreach, job: Job | None) -> tuple[Resumed, Employer]:
    """The CV if the profile says that there is one, and the company if it is named and real."""
    resumed, employer = Resumed("unasked"), Employer("unasked")
    if has_resume(turn) and ReadResume.name in ctx.tools:
        resumed = await resume_of(turn, ctx)
    sample = job is not None and job.sample
    if outreach.company and not sample and FindCompany.name in ctx.tools:
        employer = await employer_of(outreach.company, ctx)
    return resumed, employer


async def _worded(ctx: TurnContext, outreach: Outreach, draft: Draft, background: Background, post: Post) -> Draft:
    """The draft as a model words it, within the same length."""
    note = outreach.channel == "note"
    most = min(outreach.max_words or MAX_WORDS, MAX_NOTE_CHARS // 6 if note else MAX_WORDS)
    facts = WriterFacts(
        channel=outreach.channel or "email",
        tone=outreach.tone or "friendly",
        purpose=outreach.purpose or "speculative",
        to=outreach.person or "",
        background=background,
        post=post,
        most_words=most,
    )
    body = await worded(ctx, _WRITING, facts, draft.body, most_words=most)
    return draft if note and len(body) > MAX_NOTE_CHARS else replace(draft, body=body)


def draft_of(outreach: Outreach, sender: Sender, job: Job | None) -> tuple[Draft, EmailFacts]:
    """The draft, and what may be said of it."""
    channel = outreach.channel or "email"
    draft = write_note(outreach, sender) if channel == "note" else write_email(outreach, sender)
    facts = EmailFacts(
        channel=channel,
        tone=outreach.tone or "friendly",
        to=outreach.person,
        company=outreach.company,
        role=outreach.role,
        subjects=draft.subjects,
        body=draft.body,
        placeholders=draft.placeholders,
        size=len(draft.body) if channel == "note" else draft.words,
        sample=job is not None and job.sample,
        limit=outreach.max_words,
        words=draft.words,
        language=outreach.language,
        passed_over=outreach.passed_over,
    )
    return draft, facts


def sender_of(profile: Sequence[ProfileFact], message: str, job: Job | None) -> Sender:
    """The writer by their profile and by what this message says of them, which comes first."""
    said = own_words(message, packaged_vocabulary())
    wanted = (*job.matched_skills, *job.missing_skills) if job else ()
    skills = dict.fromkeys((*_values(said, "skill"), *values_of(profile, "skill")))
    held = [fact for fact in profile if fact.kind == "fact"]
    return Sender(
        name=_first(said, "name") or value_of(profile, "name") or "",
        # A title that is wished for is no title that one has.
        title=_first([fact for fact in said if fact.kind == "fact"], "title") or value_of(held, "title") or "",
        years=_first(said, "years") or value_of(profile, "years") or "",
        skills=strongest(list(skills), wanted),
    )


def _with_evidence(sender: Sender, background: Background, post: Post) -> Sender:
    """With what the CV shows and the company says of itself."""
    vocabulary = packaged_vocabulary()
    wanted = known_names(post.held, vocabulary)
    job = background.jobs[0] if background.jobs else None
    title = sender.title or background.title
    here = job.company if job and job.current and job.title.casefold() == title.casefold() else ""
    return replace(
        sender,
        title=title,
        skills=strongest(background.skills, post.held) if background.has_cv else sender.skills,
        employer=here,
        result=best_result(background.jobs, wanted, here),
        shared=post.shared,
        company_says=post.about,
    )


def compose(facts: EmailFacts) -> str:
    """The reply as the template words it, in Markdown."""
    what = "a LinkedIn note" if facts.channel == "note" else "an e-mail"
    to = f" to {plain(facts.to)}" if facts.to else ""
    at = f" at {plain(facts.company)}" if facts.company else ""
    about = f" about the {plain(facts.role)} position" if facts.role else ""
    if not to and at:
        to, at = f" to {plain(facts.company or '')}", ""
    size = (
        f"{counted(facts.size, 'character')}, within LinkedIn's limit of 300"
        if facts.channel == "note"
        else f"{counted(facts.size, 'word')}, {facts.tone} in tone"
    )
    parts = [f"Here is {what}{to}{at}{about} ({size}).", *_not_as_asked(facts)]
    if facts.sample:
        parts.append("The posting is a fictional sample from the built-in catalogue, so take this as practice.")
    if basis := _basis(facts):
        parts.append(basis)
    if facts.placeholders:
        blanks = "\n".join(f"- `{blank}`" for blank in facts.placeholders)
        parts.append(f"I only used what I know of you. Before you send it, fill in:\n{blanks}")
    else:
        parts.append("Everything in it comes from you or the posting; read it once more before you send it.")
    parts.append(_how_to_adapt(facts))
    return "\n\n".join(parts)


def _not_as_asked(facts: EmailFacts) -> list[str]:
    parts: list[str] = []
    if facts.language:
        parts.append(
            f"I write drafts in English only for now, so this is not in {facts.language}. Have it translated before "
            f"you send it."
        )
    if facts.limit is not None and facts.words > facts.limit:
        parts.append(
            f"I cannot get it down to {counted(facts.limit, 'word')}: this is the shortest I can write, with "
            f"{counted(facts.words, 'word')}."
        )
    if facts.passed_over:
        parts.append(
            f"The posting you point at is from {plain(facts.passed_over)}. You named {plain(facts.company or '')}, so "
            f"the draft goes there; if that is a person, say “to … at {plain(facts.passed_over)}”."
        )
    return parts


def _how_to_adapt(facts: EmailFacts) -> str:
    if facts.channel == "note":
        return "A connection note has no subject line. Say “as an e-mail” for a longer version."
    other = "“more friendly”" if facts.tone == "formal" else "“more formal”"
    return (
        f"There are {counted(len(facts.subjects), 'subject line')} to choose from. Say {other}, “shorter” or “as a "
        f"LinkedIn note” to change it."
    )


def _basis(facts: EmailFacts) -> str:
    parts = []
    if facts.from_cv:
        parts.append("What it says of your work comes from your CV.")
    elif facts.cv == "unavailable":
        parts.append("I could not read your CV just now, so nothing from it is in here.")
    if facts.company_source:
        listing = plain(facts.company_source.replace("_", " "))
        parts.append(f"What it says of {plain(facts.company or '')} is from its entry in the company list “{listing}”.")
    elif facts.employer == "unavailable":
        parts.append(f"I could not look up {plain(facts.company or 'the company')} just now.")
    return " ".join(parts)


def _changes(facts: EmailFacts) -> list[tuple[str, str, Intent]]:
    if facts.channel == "note":
        return [("As an e-mail", "As an e-mail instead, please", "cold_email")]
    changes: list[tuple[str, str, Intent]] = [
        ("Shorter", "Make it shorter", "cold_email"),
        ("As a LinkedIn note", "Make it a LinkedIn note", "cold_email"),
    ]
    other: tuple[str, str, Intent] = (
        ("More friendly", "Make it more friendly", "cold_email")
        if facts.tone == "formal"
        else ("More formal", "Make it more formal", "cold_email")
    )
    return [other, *(change for change in changes if facts.tone != "short" or change[0] != "Shorter")]


def _values(facts: Sequence[NewFact], key: str) -> list[str]:
    return [fact.value for fact in facts if fact.key == key]


def _first(facts: Sequence[NewFact], key: str) -> str | None:
    return next(iter(_values(facts, key)), None)
