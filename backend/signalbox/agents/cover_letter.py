"""Writes and mends what goes with an application: letters, answers to a form's questions, the e-mail above them."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Final

from signalbox.agents.base import TurnContext
from signalbox.agents.letters.answers import write_answer
from signalbox.agents.letters.asking import asks_for_verdict, is_advice, lacks_letter, place_asked
from signalbox.agents.letters.background import Background, background_of
from signalbox.agents.letters.before import has_letter, last_letter
from signalbox.agents.letters.changes import changes_form, read_letter
from signalbox.agents.letters.claims import texts_of
from signalbox.agents.letters.evidence import evidence_in
from signalbox.agents.letters.form import parted_below, with_postscript, without_postscript
from signalbox.agents.letters.length import bounds_after, is_shortest
from signalbox.agents.letters.mending import Mended, mend
from signalbox.agents.letters.pasted import pasted_in, tidied, words_before
from signalbox.agents.letters.plan import MAX_WORDS, PLACEHOLDER, LetterPlan, same_company
from signalbox.agents.letters.post import Post, Posting, post_of, renamed
from signalbox.agents.letters.reply import Choice, LetterFacts, compose, offers_of
from signalbox.agents.letters.sources import Advertised, Employer, employer_of, posting_of, resume_of
from signalbox.agents.letters.text import heading, write_letter
from signalbox.agents.letters.undoing import standing, takes_back, version_before
from signalbox.agents.letters.verdict import verdict_on
from signalbox.agents.letters.wish import LetterWish
from signalbox.agents.letters.wording import worded
from signalbox.agents.letters.written import (
    Sources,
    facts_again,
    facts_of,
    unchanged,
    unheld_in,
    with_new_postscript,
)
from signalbox.agents.turn import Answer, Facts, HandOver, Turn
from signalbox.agents.words.guides import guides_on
from signalbox.agents.words.phrases import plain, quick_replies, without_command
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
        "user. For a mended letter say what was changed and which claims to check. For advice use the guides alone. "
        "If the outcome is 'unchanged', say that the letter stands as it was and why, and never that it was changed; "
        "if 'verdict', judge it by the facts alone. If 'again', name only what is new."
    )

    def holds(self, message: str, history: Sequence[PastMessage]) -> bool:
        """It takes back the letter's last change, or asks how the letter just shown is to be set."""
        message = tidied(without_command(message))
        if takes_back(message, history, "cover_letter", self.name):
            return True
        last = next((past for past in reversed(history) if past.role == "assistant"), None)
        return last is not None and last.agent == self.name and has_letter(last) and changes_form(message)

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        message = tidied(without_command(turn.message))
        back = takes_back(message, turn.history, "cover_letter", self.name)
        # What was taken back is no part of what is changed now.
        turn = turn.model_copy(update={"history": standing(turn.history, "cover_letter")})
        if back:
            return await self._back(message, turn, ctx)
        wish, job = await asyncio.to_thread(read_letter, message, turn.history)
        last = last_letter(turn.history)
        if last is not None and (place := place_asked(message)):
            return Answer(text="", hand_over=_to_search(place, last, turn.history))
        if (asked := await _asked(ctx, message, wish, last)) is not None:
            return await self._say(turn, ctx, asked, asked.guides.citations if asked.guides else ())
        wish, job = _settled(message, wish, job, last, turn.history)
        if job is None and not _has_target(wish) and (choices := _choices(turn.history)):
            return await self._say(turn, ctx, LetterFacts(outcome="which", choices=choices))
        sources = await self._look(turn, ctx, wish, job, last)
        if not _has_target(wish) and job is None and not sources.background.known:
            return await self._say(turn, ctx, LetterFacts(outcome="no_target"))
        facts = await self._write(ctx, wish, sources, last)
        return await self._say(turn, ctx, facts, sources.citations)

    async def _back(self, message: str, turn: Turn, ctx: TurnContext) -> Answer:
        block = version_before(message, turn.history, "cover_letter")
        if block is None:
            return await self._say(turn, ctx, LetterFacts(outcome="first_version"))
        letter = CoverLetter.model_validate(block)
        await ctx.emit(letter)
        facts = LetterFacts(
            outcome="restored",
            kind=letter.kind,
            role=letter.role or "",
            company=letter.company or "",
            tone=letter.tone,
            words=letter.words,
            left_out=letter.left_out,
            shortest=is_shortest(letter),
        )
        return await self._say(turn, ctx, facts)

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
        told = " \n".join(await asyncio.to_thread(_own_words, turn))
        background = await asyncio.to_thread(background_of, turn.profile, resumed.resume, told, vocabulary)
        job_id = job.job_id if job else last.job_id if last and wish.now and not wish.posting else None
        is_meant = job is not None or (last is not None and same_post(wish, last))
        advertised = await posting_of(job_id, job, ctx) if job_id and is_meant else None
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
            post_of,
            posting,
            employer.record,
            background,
            vocabulary,
            person=wish.person or "",
            today=turn.today,
        )
        return Sources(resumed, replace(advertised, posting=posting), employer, background, post, left_out)

    async def _write(
        self, ctx: TurnContext, wish: LetterWish, sources: Sources, last: CoverLetter | None
    ) -> LetterFacts:
        plan = plan_of(wish, sources)
        if last is not None:
            plan = replace(plan, bounds=bounds_after(last, wish))
        letter, now = _letter_to_mend(wish, last), wish.now
        mended: Mended | None = None
        if letter is not None:
            plan = replace(
                plan,
                kind="mended",
                steps=plan.steps if now is None else now.steps,
                max_words=plan.max_words if now is None else now.max_words,
                cut=plan.cut if now is None else now.cut,
            )
            evidence = (*texts_of(clean_json(sources.background)), *texts_of(clean_json(sources.post)))
            mended = await asyncio.to_thread(mend, letter, plan, evidence)
            template, most = mended.body, len(mended.body.split())
            body = await worded(
                ctx,
                "letter_mended",
                _writer_facts(plan, letter, most),
                template,
                most_words=most + 20,
                agent="cover_letter",
            )
        else:
            vocabulary = packaged_vocabulary()
            template = write_answer(plan, vocabulary) if plan.kind == "answer" else write_letter(plan, vocabulary)
            most = plan.max_words or (len(template.split()) + 30 if plan.kind in {"answer", "email"} else MAX_WORDS)
            most = plan.bounds[1] if plan.bounds else most
            body = await worded(
                ctx, "letter", _writer_facts(plan, "", most), template, most_words=most, agent="cover_letter"
            )
        restyled = body != template
        event = event_of(with_postscript(body, wish.postscript), plan, sources)
        facts = facts_of(event, plan, wish, sources, mended, last, restyled=restyled)
        if last is not None and wish.now is not None and _stays(event, last, wish.now):
            return unchanged(facts, wish, last)
        await ctx.emit(event)
        return facts


async def _asked(ctx: TurnContext, message: str, wish: LetterWish, last: CoverLetter | None) -> LetterFacts | None:
    """What is answered without writing anything anew; None: a letter is to be written."""
    if last is not None and wish.letter is None and asks_for_verdict(message):
        return _judged(last)
    if is_advice(message, wish):
        return LetterFacts(outcome="advice", guides=await guides_on(ctx, message, "cover_letter"))
    now = wish.now
    if last is not None and now is not None and now.asks_only_form:
        return _judged(last).model_copy(update={"outcome": "unchanged", "form": now.form, "reasons": ("form",)})
    if last is not None and now is not None and now.asks_only_postscript and same_post(wish, last):
        letter = with_new_postscript(last, now, _own_postscripts(wish, last))
        if letter.body != last.body:
            await ctx.emit(letter)
        return facts_again(letter, last, now)
    return LetterFacts(outcome="no_letter") if wish.letter is None and last is None and lacks_letter(message) else None


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
        told=wish.told,
        signature=wish.signature or "",
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


def _stays(letter: CoverLetter, last: CoverLetter, now: LetterWish) -> bool:
    """Whether the change asked for leaves the letter as it was; one that was to be shorter and is not, stays too."""
    if now.asks_only_language or letter.body.split() == last.body.split():
        return True
    return now.asks_only_length and (now.steps < 0) == (letter.words >= last.words) and letter.kind == last.kind


def _judged(last: CoverLetter) -> LetterFacts:
    return LetterFacts(
        outcome="verdict",
        kind=last.kind,
        role=last.role or "",
        company=last.company or "",
        tone=last.tone,
        words=last.words,
        placeholders=last.placeholders,
        left_out=last.left_out,
        shortest=is_shortest(last),
        verdict=verdict_on(last),
    )


def _to_search(place: str, last: CoverLetter, history: Sequence[PastMessage]) -> HandOver:
    """With the post of the letter as what is sought, where nothing was sought before."""
    searched = any(past.intent == "job_search" or past.agent == "job_search" for past in history)
    message = None if searched else f"Find {last.role or ''} jobs in {place}".replace("  ", " ")
    return HandOver(
        to="job_search", reason=f"That changes the search, not the letter: {plain(place)}.", message=message
    )


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


def same_post(wish: LetterWish, last: CoverLetter) -> bool:
    """Whether the posting of the last letter is still the one meant."""
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
    """A letter that was pasted, as it was mended last, without the postscript that was asked for here."""
    letter = wish.letter
    if last is not None and wish.now is not None and letter is not None and last.kind == "mended":
        asked = with_postscript("", wish.postscript)
        kept = last.body.removesuffix(asked)
        letter = kept if kept != last.body else without_postscript(last.body, _own_postscripts(wish, last))
    return parted_below(letter)[0] if letter is not None and wish.no_postscript else letter


def _own_postscripts(wish: LetterWish, last: CoverLetter) -> int:
    """How many the letter had when it was pasted."""
    return len(parted_below(wish.letter)[1]) if wish.letter and last.kind == "mended" else 0


def _writer_facts(plan: LetterPlan, letter: str, most: int) -> WriterFacts:
    unheld = unheld_in(plan)
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
