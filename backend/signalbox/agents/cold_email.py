"""Writes to people who do not expect it: a first e-mail or LinkedIn note, from profile, CV and company facts."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Final

from signalbox.agents.base import TurnContext
from signalbox.agents.letters.asked import Asked, asked_of, belongs_to_tracker, belongs_to_writer, is_mine
from signalbox.agents.letters.background import Background, background_of
from signalbox.agents.letters.before import last_letter
from signalbox.agents.letters.blanks import filled, filled_before, signed_before
from signalbox.agents.letters.contact import ContactFacts, asks_whom, belongs_elsewhere, contact_text, contacts_in
from signalbox.agents.letters.dispatch import (
    Offer,
    Work,
    addressed,
    carried_out,
    dispatch,
    offer_to_send,
    told,
    with_sending,
)
from signalbox.agents.letters.evidence import evidence_in
from signalbox.agents.letters.examples import best_result
from signalbox.agents.letters.named import own_name
from signalbox.agents.letters.outreach import Channel, Outreach, changes_draft, names_addressee, read_outreach
from signalbox.agents.letters.outreach_reply import EmailFacts, changes_of, compose, opening
from signalbox.agents.letters.outreach_text import (
    MAX_NOTE_CHARS,
    MAX_WORDS,
    MIN_WORDS,
    Draft,
    Sender,
    strongest,
    write_email,
    write_note,
)
from signalbox.agents.letters.post import Post, Posting, known_names, post_of, record_citation
from signalbox.agents.letters.sending import OnTable, SendWish, addresses_in
from signalbox.agents.letters.sources import Employer, Resumed, employer_of, has_resume, posting_of, resume_of
from signalbox.agents.letters.taking_back import taken_back, takes_back_mail
from signalbox.agents.letters.undoing import standing
from signalbox.agents.letters.wording import worded
from signalbox.agents.turn import Answer, Facts, Turn
from signalbox.agents.words.phrases import quick_replies, without_command
from signalbox.agents.words.postings import citation_of
from signalbox.agents.words.profile_words import value_of, values_of
from signalbox.agents.words.shown import focus, shown_jobs
from signalbox.agents.words.shown_names import PASTED_ID
from signalbox.blocks import EmailDraft, Job, ProfileFact
from signalbox.envelope import Intent
from signalbox.events import Citation
from signalbox.memory.conversation import PastMessage
from signalbox.memory.profile import NewFact
from signalbox.memory.statements import own_words
from signalbox.tools.find_company import FindCompany
from signalbox.tools.find_job import FindJob
from signalbox.tools.read_resume import ReadResume
from signalbox.tools.send_email import can_send
from signalbox.tools.vocabulary import packaged_vocabulary

# Below this an e-mail has no room left for who writes and what is asked.
_SHORTEST: Final = 60
_SHORTER = re.compile(r"\b(?:shorter|shorten|too long|briefer|more concise|trim|cut (?:it|that)|half)\b", re.IGNORECASE)
_TONE = re.compile(r"^\W*(?:make it |a bit )?(?:more|less|not so|too) \w+\W*$", re.IGNORECASE)
_ROOM_FOR_TONE: Final = 8
# What the answers say to say, and nothing beside it.
_CHANGE = re.compile(
    r"\W*(?:(?:ok|okay|great|thanks|and|please|now|but|nice|can you|could you|make (?:it|that)|put it|turn it|"
    r"rewrite it|a (?:bit|little))\W+)*(?:(?:(?:even|much) )?(?:(?:more|less|not so|too) (?:formal|friendly|casual|"
    r"polite)|shorter|longer|friendlier|warmer|formal|friendly)|(?:(?:as|into) )?an? (?:e-?mail|(?:linked ?in|"
    r"connection) (?:note|message|request)))(?:\W+(?:please|instead|then|now|thanks))*\W*",
    re.IGNORECASE,
)
_A_NUMBER = re.compile(r"\b\d{2,3}\b")


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
        "if words exceed the limit, say that it could not be met; if the draft is unchanged, say that "
        "it stands as it was. When asked whom to write to, name only what the facts hold."
    )

    def holds(self, message: str, history: Sequence[PastMessage]) -> bool:
        """To send its draft ("yes, send it to jane@acme.com"), to fill in the blanks, the address it asked for, and the
        changes that its answers offer.
        """
        message = without_command(message)
        if is_mine(self.name, message, history) or takes_back_mail(self.name, message, history):
            return True
        last = next((past for past in reversed(history) if past.role == "assistant"), None)
        changes = last is not None and last.agent == self.name and _CHANGE.fullmatch(message) is not None
        return changes and _last_draft(history) is not None

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        message, back = without_command(turn.message), takes_back_mail(self.name, turn.message, turn.history)
        # What was taken back is no part of what is changed now.
        turn = turn.model_copy(update={"history": standing(turn.history, "email_draft")})
        if back:
            changes = _changes_left(_last_draft(turn.history), turn.history)
            return await taken_back(ctx, self.name, message, turn.history, changes)
        asked = asked_of(message, turn.history)
        over = belongs_to_writer(self.name, asked) or belongs_elsewhere(asked.rest) or belongs_to_tracker(asked)
        if over is not None:
            return Answer(text="", hand_over=over)
        if asked.only_sends or asked.filling:
            work = await carried_out(ctx, self.name, asked)
            return await told(ctx, self.name, work, _changes_left(work.mail, turn.history))
        return await self._write(turn, ctx, asked)

    async def _write(self, turn: Turn, ctx: TurnContext, asked: Asked) -> Answer:
        message = asked.rest
        outreach, job = _on_the_table(*read_outreach(message, turn.history), turn.history)
        if asks_whom(message):
            return await self._whom(turn, ctx, outreach, job)
        last = _last_draft(turn.history)
        limit = outreach.max_words
        outreach = _in_length(outreach, message, last, turn.history)
        resumed, employer = await _looked_up(turn, ctx, outreach, job)
        vocabulary = packaged_vocabulary()
        background = background_of(turn.profile, resumed.resume, message, vocabulary)
        posting = Posting.of_job(job, "") if job else Posting(title=outreach.role or "", company=outreach.company or "")
        post, _ = post_of(posting, employer.record, background, vocabulary, person=outreach.person or "")
        sender = _with_evidence(sender_of(turn.profile, message, job), background, post)
        sender = replace(sender, name=sender.name or signed_before(turn.history, self.name, "followup"))
        draft, facts = draft_of(outreach, sender, job)
        draft = await _worded(ctx, outreach, draft, background, post)
        again = last is not None and changes_draft(message, turn.history)
        moved = not again or names_addressee(message, turn.history)
        table = _table_for(message, None if moved else asked.table, asked.send)
        mail = _mail_of(facts.to, draft, table)
        if not moved:
            mail = filled(mail, kept) if (kept := filled_before(turn.history, self.name)) else mail
        told_of = evidence_in(mail.body, background, post)
        words = len(mail.body.split())
        facts = facts.model_copy(
            update={
                "body": mail.body,
                "placeholders": mail.placeholders,
                "subjects": mail.subjects,
                "words": words,
                "size": len(mail.body) if facts.channel == "note" else words,
                "from_cv": any(each.source == "cv" for each in told_of),
                "company_source": post.company_source if any(each.source == "company" for each in told_of) else "",
                "cv": resumed.look,
                "employer": employer.look,
                "limit": limit,
                "again": again,
                "open_before": last.placeholders if last else (),
                "unchanged": last is not None and last.body.split() == mail.body.split(),
                "shortest": outreach.max_words is not None and words <= _SHORTEST,
                "can_send": can_send(ctx.tools) and not table.to,
            }
        )
        if facts.again and facts.unchanged:
            return await self._say(turn, ctx, facts, (), asked.table, asked.send)
        mail = mail.model_copy(update={"evidence": told_of})
        await ctx.emit(mail)
        cited: list[Citation] = [citation_of(job)] if job and job.job_id != PASTED_ID else []
        if employer.record is not None and facts.company_source:
            cited.append(record_citation(employer.record))
        return await self._say(turn, ctx, facts, tuple(cited), replace(table, mail=mail), asked.send)

    async def _say(
        self,
        turn: Turn,
        ctx: TurnContext,
        facts: EmailFacts,
        cited: tuple[Citation, ...],
        table: OnTable | None,
        send: SendWish | None,
    ) -> Answer:
        changes = changes_of(facts)
        if send is not None:
            sending, sent = await dispatch(ctx, self.name, table, send)
            before = "" if sent is not None or (facts.again and facts.unchanged) else opening(facts)
            return await told(ctx, self.name, Work(table, sending, sent, before), changes, cited)
        answer = await ctx.reply(self, turn, facts, compose(facts), citations=cited)
        offers = [*offer_to_send(ctx, self.name, table), *changes]
        await ctx.emit(quick_replies(ctx.message_id, "Change it?", offers))
        return answer

    async def _whom(self, turn: Turn, ctx: TurnContext, outreach: Outreach, job: Job | None) -> Answer:
        """Whom to write to: what the posting and the company's record say, and no invented name."""
        advertised = await posting_of(job.job_id, job, ctx) if job and FindJob.name in ctx.tools else None
        named = outreach.company if FindCompany.name in ctx.tools and not (job and job.sample) else None
        employer = await employer_of(named, ctx) if named else Employer("unasked")
        record = employer.record
        facts = ContactFacts(
            company=outreach.company or "",
            role=outreach.role or "",
            found=contacts_in(advertised.posting.text) if advertised else (),
            posting=advertised.look if advertised else "unasked",
            employer=employer.look,
            site=(record.careers_url or record.site or "") if record else "",
            url=(job.url or "") if job else "",
        )
        cited = (citation_of(job),) if job and job.job_id != PASTED_ID else ()
        answer = await ctx.reply(self, turn, facts, contact_text(facts), citations=cited)
        about = f" about the {facts.role} position" if facts.role else ""
        at = f" at {facts.company}" if facts.company else ""
        request: tuple[str, str, Intent] = (
            "Write to the hiring team",
            f"Write an e-mail to the hiring team{at}{about}",
            "cold_email",
        )
        await ctx.emit(quick_replies(ctx.message_id, "Go on?", [request]))
        return answer


def _changes_left(mail: EmailDraft | None, history: Sequence[PastMessage]) -> list[Offer]:
    """The changes on offer that would change something."""
    if mail is not None and not mail.subject:
        return [("As an e-mail", "As an e-mail instead, please", "cold_email")]
    tone = read_outreach("again", history)[0].tone or "friendly"
    tones = [each for each in ("formal", "friendly") if each != tone]
    long = mail is not None and len(mail.body.split()) > _SHORTEST
    shorter: list[Offer] = [("Shorter", "Make it shorter", "cold_email")] if long else []
    return [*shorter, *((f"More {each}", f"Make it more {each}", "cold_email") for each in tones)]


def _on_the_table(outreach: Outreach, job: Job | None, history: Sequence[PastMessage]) -> tuple[Outreach, Job | None]:
    """With the post of the last letter, or the only posting shown, where the message names none."""
    if job is not None or outreach.company or outreach.role:
        return outreach, job
    shown = shown_jobs(history)
    if letter := last_letter(history):
        meant = next((each for each in shown if each.job_id == letter.job_id), None)
        purpose = outreach.purpose or ("role" if letter.role else None)
        return replace(outreach, company=letter.company, role=letter.role, purpose=purpose), meant
    if spoken := focus(history):
        only = spoken.job
        return replace(outreach, company=only.company, role=only.title, purpose=outreach.purpose or "role"), only
    return outreach, None


def _last_draft(history: Sequence[PastMessage]) -> EmailDraft | None:
    """The newest draft that was shown, if it was of this agent."""
    for past in reversed(history):
        for block in reversed(past.blocks):
            if block.get("type") == "email_draft":
                return EmailDraft.model_validate(block) if past.agent == "cold_email" else None
    return None


def _table_for(message: str, before: OnTable | None, send: SendWish | None) -> OnTable:
    """To whom what is written now may go: whom the message names, else whom the draft it changes was for."""
    to, _, reply_to = addresses_in(message)
    named = send if send is not None and send.to else SendWish(to=to, reply_to=reply_to)
    return with_sending(before, "cold_email", None, named)


def _mail_of(person: str | None, draft: Draft, table: OnTable) -> EmailDraft:
    return EmailDraft(
        to=addressed(person, table.to),
        subject=draft.subjects[0] if draft.subjects else "",
        body=draft.body,
        subjects=draft.subjects,
        placeholders=draft.placeholders,
    )


def _in_length(outreach: Outreach, message: str, last: EmailDraft | None, history: Sequence[PastMessage]) -> Outreach:
    """Each "shorter" takes a third of what there is, and what was made short stays so in another tone."""
    if last is None or outreach.channel == "note" or _A_NUMBER.search(message):
        return outreach
    words = len(last.body.split())
    if _SHORTER.search(message):
        return replace(outreach, max_words=max(_SHORTEST, words * 2 // 3))
    # Short because its blanks were left out, it will be so again without a limit.
    asked = not filled_before(history, "cold_email").dropped or any(
        past.role == "user" and _SHORTER.search(past.content) for past in history
    )
    kept = asked and words < MIN_WORDS and outreach.max_words is None and _TONE.search(message)
    return replace(outreach, max_words=words + _ROOM_FOR_TONE) if kept else outreach


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
    body = await worded(ctx, "first_message", facts, draft.body, most_words=most, agent="cold_email")
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
        purpose=outreach.purpose or "",
    )
    return draft, facts


def sender_of(profile: Sequence[ProfileFact], message: str, job: Job | None) -> Sender:
    """The writer by their profile and by what this message says of them, which comes first."""
    said, told = own_words(message, packaged_vocabulary()), own_name(message)
    wanted = (*job.matched_skills, *job.missing_skills) if job else ()
    skills = dict.fromkeys((*_values(said, "skill"), *values_of(profile, "skill")))
    held = [fact for fact in profile if fact.kind == "fact"]
    return Sender(
        name=_first(said, "name") or (told[0] if told is not None else value_of(profile, "name")) or "",
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


def _values(facts: Sequence[NewFact], key: str) -> list[str]:
    return [fact.value for fact in facts if fact.key == key]


def _first(facts: Sequence[NewFact], key: str) -> str | None:
    return next(iter(_values(facts, key)), None)
