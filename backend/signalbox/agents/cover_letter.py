"""Writes and mends what goes with an application: letters, answers to a form's questions, the e-mail above them."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from signalbox.agents.base import Answer, Facts, Turn, TurnContext
from signalbox.agents.letters.answers import write_answer
from signalbox.agents.letters.background import Background, background_of
from signalbox.agents.letters.claims import texts_of
from signalbox.agents.letters.evidence import evidence_in
from signalbox.agents.letters.mending import Mended, mend
from signalbox.agents.letters.pasted import pasted_in, tidied, words_before
from signalbox.agents.letters.plan import MAX_WORDS, PLACEHOLDER, LetterPlan, mentions, same_company
from signalbox.agents.letters.post import Post, Posting, post_of, record_citation, renamed
from signalbox.agents.letters.reply import Choice, LetterFacts, compose, offers_of
from signalbox.agents.letters.sources import Advertised, Employer, Look, Resumed, employer_of, posting_of, resume_of
from signalbox.agents.letters.text import heading, write_letter
from signalbox.agents.letters.wish import LetterWish, is_advice, lacks_letter, read_letter
from signalbox.agents.letters.wording import worded
from signalbox.agents.words.guides import guides_on
from signalbox.agents.words.phrases import quick_replies, without_command
from signalbox.agents.words.profile_words import value_of
from signalbox.agents.words.shown import shown_jobs
from signalbox.blocks import CompanyProfile, CoverLetter, Job, JobMatch
from signalbox.encoding import clean_json
from signalbox.envelope import Intent
from signalbox.events import Citation
from signalbox.memory.conversation import PastMessage
from signalbox.tools.vocabulary import packaged_vocabulary

_MOST_CHOICES: Final = 3
_MOST_LEARNING: Final = 3
_BEST: Final = re.compile(r"\b(?:best|closest|strongest) (?:one|match|fit|job|of)?", re.IGNORECASE)
_WRITING: Final = """Write the text that the facts name under "kind", in the tone given, of at most "most_words" words.
A letter has a salutation, an opening that names the post, one paragraph that answers what is asked for ("held") with
evidence from the jobs and their highlights, one on the employer from "quote" and "about", a short close and the
signature. An answer has neither salutation nor signature. Things under "keen_to_learn" and "not_known" are not known
of the writer: the first may be called something to learn, the second are [placeholders]. Leave out what "without"
names."""
_MENDING: Final = """Revise the letter under "letter" as its writer would: keep its claims and as much of its wording as
you can, in the tone given, of at most "most_words" words."""


class WriterFacts(Facts):
    """All that the text may say. ``not_known``: to be mentioned, but known only by its name."""

    kind: str
    tone: str
    most_words: int
    background: Background
    post: Post
    question: str = ""
    letter: str = ""
    mention: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    keen_to_learn: tuple[str, ...] = ()
    not_known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sources:
    """What was looked up for one letter."""

    resumed: Resumed
    advertised: Advertised
    employer: Employer
    background: Background
    post: Post
    left_out: tuple[str, ...]

    @property
    def citations(self) -> tuple[Citation, ...]:
        posting = self.advertised.posting.citation
        record = self.employer.record
        return (*((posting,) if posting else ()), *((record_citation(record),) if record else ()))


class CoverLetterAgent:
    """Writes letters that claim nothing their writer does not hold."""

    name: ClassVar[Intent] = "cover_letter"
    label: ClassVar[str] = "Write a cover letter"
    when_to_use: ClassVar[str] = (
        "The user wants a cover, motivation or application letter, an answer to a form's question or the e-mail above "
        "an application written, shortened, fixed or fitted to a post, or asks how to write one."
    )
    examples: ClassVar[tuple[str, ...]] = (
        "Write a cover letter for the second one",
        "Answer “Why do you want to work here?” in 150 words",
        "Make my letter shorter: Dear hiring team, …",
    )
    instructions: ClassVar[str] = (
        "The text itself is already shown to the user: do not repeat it. Say in a few sentences what it rests "
        "on, which "
        "[placeholders] to fill in, and what the posting asks for that was left out because it is not known of the "
        "user. For a mended letter say what was changed and which claims to check. For advice use the guides alone."
    )

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        message = tidied(without_command(turn.message))
        wish, job = await asyncio.to_thread(read_letter, message, turn.history)
        last = last_letter(turn.history)
        if is_advice(message, wish):
            guides = await guides_on(ctx, message, "cover_letter")
            return await self._say(turn, ctx, LetterFacts(outcome="advice", guides=guides), guides.citations)
        if wish.letter is None and last is None and lacks_letter(message):
            return await self._say(turn, ctx, LetterFacts(outcome="no_letter"))
        wish, job = _settled(message, wish, job, last, turn.history)
        if job is None and not _has_target(wish) and (choices := _choices(turn.history)):
            return await self._say(turn, ctx, LetterFacts(outcome="which", choices=choices))
        sources = await self._look(turn, ctx, wish, job, last)
        if not _has_target(wish) and job is None and not sources.background.known:
            return await self._say(turn, ctx, LetterFacts(outcome="no_target"))
        facts = await self._write(ctx, wish, sources, last)
        return await self._say(turn, ctx, facts, sources.citations)

    async def _say(
        self, turn: Turn, ctx: TurnContext, facts: LetterFacts, citations: tuple[Citation, ...] = ()
    ) -> Answer:
        answer = await ctx.reply(self, turn, facts, compose(facts), citations=citations)
        if offers := offers_of(facts):
            await ctx.emit(quick_replies(ctx.message_id, "Go on?", offers))
        return answer

    async def _look(
        self, turn: Turn, ctx: TurnContext, wish: LetterWish, job: Job | None, last: CoverLetter | None
    ) -> Sources:
        vocabulary = packaged_vocabulary()
        resumed = await resume_of(turn, ctx)
        told = " \n".join(_own_words(turn))
        background = await asyncio.to_thread(background_of, turn.profile, resumed.resume, told, vocabulary)
        job_id = job.job_id if job else last.job_id if last and wish.now and not wish.posting else None
        advertised = await posting_of(job_id, job, ctx) if job_id and _same_post(wish, job, last) else None
        if advertised is None:
            pasted = (
                Posting.of_text(wish.posting, wish.role or "", wish.company or "", vocabulary)
                if wish.posting
                else Posting()
            )
            advertised = Advertised("unasked", pasted)
        posting = renamed(advertised.posting, wish.role, wish.company)
        if not posting.title and not posting.company:
            wished = [fact for fact in turn.profile if fact.kind == "preference"]
            posting = replace(posting, title=value_of(wished, "title") or "")
        # A fictional company has a real one's record only by chance.
        employer = (
            await employer_of(posting.company, ctx) if posting.company and not posting.sample else Employer("unasked")
        )
        post, left_out = await asyncio.to_thread(
            post_of, posting, employer.record, background, vocabulary, person=wish.person or ""
        )
        return Sources(resumed, replace(advertised, posting=posting), employer, background, post, left_out)

    async def _write(
        self, ctx: TurnContext, wish: LetterWish, sources: Sources, last: CoverLetter | None
    ) -> LetterFacts:
        plan = plan_of(wish, sources)
        letter, now = _letter_to_mend(wish, last), wish.now
        mended: Mended | None = None
        if letter is not None:
            plan = replace(
                plan,
                kind="mended",
                steps=plan.steps if now is None else now.steps,
                cut=plan.cut if now is None else now.cut,
            )
            evidence = (*texts_of(clean_json(sources.background)), *texts_of(clean_json(sources.post)))
            mended = await asyncio.to_thread(mend, letter, plan, evidence)
            template, most = mended.body, len(mended.body.split())
            body = await worded(ctx, _MENDING, _writer_facts(plan, letter, most), template, most_words=most + 20)
        else:
            vocabulary = packaged_vocabulary()
            template = write_answer(plan, vocabulary) if plan.kind == "answer" else write_letter(plan, vocabulary)
            most = plan.max_words or (len(template.split()) + 30 if plan.kind in {"answer", "email"} else MAX_WORDS)
            body = await worded(ctx, _WRITING, _writer_facts(plan, "", most), template, most_words=most)
        event = event_of(body, plan, sources)
        await ctx.emit(event)
        return facts_of(event, plan, wish, sources, mended, last, restyled=body != template)


def plan_of(wish: LetterWish, sources: Sources) -> LetterPlan:
    kind = wish.kind or "letter"
    here = next((job.company for job in sources.background.jobs if job.current), "")
    if kind == "letter" and same_company(here, sources.post.company):
        kind = "internal"
    return LetterPlan(
        kind=kind,
        tone=wish.tone or "plain",
        background=sources.background,
        post=sources.post,
        steps=wish.steps,
        max_words=wish.max_words,
        mention=wish.mention,
        without=wish.without,
        cut=wish.cut,
        keen_to_learn=sources.left_out[:_MOST_LEARNING] if wish.learn else (),
        change=wish.change,
        question=wish.question or "",
    )


def event_of(body: str, plan: LetterPlan, sources: Sources) -> CoverLetter:
    return CoverLetter(
        title=heading(plan),
        body=body,
        job_id=plan.post.job_id or None,
        kind=plan.kind,
        company=plan.post.company or None,
        role=plan.post.role or None,
        question=plan.question or None,
        tone=plan.tone,
        words=len(body.split()),
        placeholders=tuple(dict.fromkeys(PLACEHOLDER.findall(body))),
        left_out=sources.left_out,
        evidence=evidence_in(body, plan.background, plan.post),
    )


def facts_of(
    event: CoverLetter,
    plan: LetterPlan,
    wish: LetterWish,
    sources: Sources,
    mended: Mended | None,
    last: CoverLetter | None,
    *,
    restyled: bool,
) -> LetterFacts:
    """What may be said beside the text."""
    held = sources.background
    return LetterFacts(
        outcome="written",
        kind=plan.kind,
        role=plan.post.role,
        company=plan.post.company,
        sample=plan.post.sample,
        tone=plan.tone,
        words=event.words,
        limit=plan.max_words,
        language=wish.language,
        placeholders=event.placeholders,
        rests_on=_rests_on(event, held),
        left_out=sources.left_out,
        learning=plan.keen_to_learn,
        unheld=_unheld(plan) if plan.kind != "mended" else (),
        already=_already(wish, last),
        cv=sources.resumed.look,
        posting=sources.advertised.look,
        employer=_used(event, sources.employer),
        employer_source=plan.post.company_source,
        profile_known=held.known,
        changes=mended.changes if mended else (),
        dropped=mended.dropped if mended else (),
        weak=mended.weak if mended else (),
        claims=mended.claims if mended else (),
        restyled=restyled,
        tone_asked=wish.tone is not None,
    )


def last_letter(history: Sequence[PastMessage]) -> CoverLetter | None:
    """The newest letter of the conversation, if it is still at hand."""
    for past in reversed(history):
        for block in reversed(past.blocks):
            if block.get("type") == "cover_letter":
                return CoverLetter.model_validate(block)
    return None


def _settled(
    message: str, wish: LetterWish, job: Job | None, last: CoverLetter | None, history: Sequence[PastMessage]
) -> tuple[LetterWish, Job | None]:
    """With what the conversation gives where the words leave it open."""
    if job is None and wish.now is not None and last is not None and not _has_target(wish):
        return replace(wish, company=last.company, role=last.role), None
    if job is None and not _has_target(wish) and wish.letter is None:
        jobs = shown_jobs(history)
        if jobs and (len(jobs) == 1 or _BEST.search(message)):
            chosen = _best(jobs, history)
            return replace(wish, company=chosen.company, role=chosen.title), chosen
        if not jobs and (company := _company_shown(history)):
            return replace(wish, company=company), None
    return wish, job


def _best(jobs: Sequence[Job], history: Sequence[PastMessage]) -> Job:
    """The one that was judged best, else the first shown."""
    judged = [block for past in reversed(history) for block in past.blocks if block.get("type") == "job_match"]
    winner = JobMatch.model_validate(judged[0]).best if judged else None
    return next((job for job in jobs if job.job_id == winner), jobs[0])


def _company_shown(history: Sequence[PastMessage]) -> str | None:
    for past in reversed(history[-2:]):
        for block in past.blocks:
            if block.get("type") == "company_profile":
                return CompanyProfile.model_validate(block).company
    return None


def _has_target(wish: LetterWish) -> bool:
    return bool(wish.company or wish.role or wish.posting or wish.letter)


def _same_post(wish: LetterWish, job: Job | None, last: CoverLetter | None) -> bool:
    """Whether the posting of the last letter is still the one meant."""
    if job is not None or last is None:
        return job is not None
    return (wish.role or last.role) == last.role and (wish.company or last.company) == last.company


def _choices(history: Sequence[PastMessage]) -> tuple[Choice, ...]:
    jobs = shown_jobs(history)[:_MOST_CHOICES]
    return tuple(Choice(place=n, role=job.title, company=job.company) for n, job in enumerate(jobs, start=1))


def _own_words(turn: Turn) -> list[str]:
    """What the user wrote in this and the earlier messages about letters, without what was pasted."""
    said = [past.content for past in turn.history if past.role == "user" and past.intent == "cover_letter"]
    texts = [tidied(text) for text in (*said, without_command(turn.message))]
    return [words_before(text, pasted_in(text)) for text in texts]


def _letter_to_mend(wish: LetterWish, last: CoverLetter | None) -> str | None:
    """A letter that was pasted, as it was mended last."""
    if last is not None and wish.now is not None and wish.letter is not None and last.kind == "mended":
        return last.body
    return wish.letter


def _writer_facts(plan: LetterPlan, letter: str, most: int) -> WriterFacts:
    unheld = _unheld(plan)
    return WriterFacts(
        kind=plan.kind,
        tone=plan.tone,
        most_words=most,
        background=plan.background,
        post=plan.post,
        question=plan.question,
        letter=letter,
        mention=tuple(what for what in plan.mention if what not in unheld),
        without=plan.without,
        keen_to_learn=plan.keen_to_learn,
        not_known=unheld,
    )


def _unheld(plan: LetterPlan) -> tuple[str, ...]:
    """What was to be mentioned and no fact is about."""
    held = texts_of(clean_json(plan.background))
    return tuple(what for what in plan.mention if not any(mentions(text, (what,)) for text in held))


def _already(wish: LetterWish, last: CoverLetter | None) -> tuple[str, ...]:
    """What this message wants mentioned and the last letter says."""
    if wish.now is None or last is None:
        return ()
    return tuple(what for what in wish.now.mention if mentions(PLACEHOLDER.sub("", last.body), (what,)))


def _used(event: CoverLetter, employer: Employer) -> Look:
    """How the look for the employer went, as far as the text depends on it."""
    if employer.look == "read" and not any(each.source == "company" for each in event.evidence):
        return "unasked"
    return "unasked" if employer.look == "none" else employer.look


def _rests_on(event: CoverLetter, held: Background) -> tuple[str, ...]:
    """In words, what of the writer is in the text."""
    sources = {each.source for each in event.evidence}
    found = []
    if "cv" in sources:
        jobs = [job.company for job in held.jobs if job.company and job.company in event.body]
        found.append(f"your CV{f' (your work at {jobs[0]})' if jobs else ''}")
    if "profile" in sources:
        found.append("your profile")
    if "message" in sources and any(each.claim in held.said for each in event.evidence):
        found.append("what you told me here")
    if found and event.job_id:
        found.append("the posting")
    return tuple(found)
