"""Reviews a CV, the stored one or one pasted into the chat: what is weak, what is strong, and how lines could read."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Literal

from signalbox.agents.base import TurnContext
from signalbox.agents.resumes.advice import advice_on
from signalbox.agents.resumes.bullets import Bullet
from signalbox.agents.resumes.keywords import asked_by_market, keywords_of
from signalbox.agents.resumes.parts import mended, part_of, reviewed, size_of
from signalbox.agents.resumes.request import Ask, ask_of, goes_on, pasted_before, split_pasted
from signalbox.agents.resumes.summary import shorter_summary
from signalbox.agents.resumes.told import ReviewFacts, TargetFacts, compose
from signalbox.agents.skills.target import target_of
from signalbox.agents.turn import Answer, HandOver, Turn
from signalbox.agents.words.knowledge_text import citation_for, fitting, knowledge_event, look_up, quote, subject_of
from signalbox.agents.words.phrases import quick_replies, without_command
from signalbox.agents.words.profile_words import value_of, values_of
from signalbox.agents.words.shown import job_meant
from signalbox.blocks import ResumeFeedback
from signalbox.envelope import Intent
from signalbox.memory.conversation import PastMessage
from signalbox.memory.resume.contact import redacted
from signalbox.memory.resume.model import PASTED, Resume
from signalbox.memory.words import NUMBER
from signalbox.retrieval.query import role_query
from signalbox.tools.find_job import FindJob, JobReference
from signalbox.tools.market_skills import CountMarketSkills, Role
from signalbox.tools.read_resume import ReadResume, WholeResume
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.search_jobs import JobSearch, SearchJobs
from signalbox.tools.vocabulary import packaged_vocabulary

# More would only lengthen the prompt: the event holds all of them.
FACTS_FINDINGS: Final = 14
_ABOUT_CVS: Final = "resume_review"
_OF_CVS: Final = subject_of("CV résumé")
_NO_TARGET: Final = re.compile(
    r"\b(?:cvs?|r[ée]sum[ée]s?|resumes?|ats|me|it|mistakes?|errors?|review)\b", re.IGNORECASE
)
_YEARS_ENOUGH: Final = re.compile(
    rf"\b(?:is|are|would|will) (?:my )?{NUMBER}\+? ?(?:years?|yrs?)\b.{{0,30}}\b(?:enough|sufficient|"
    rf"too (?:little|few|much))\b|"
    rf"\b(?:do|does) {NUMBER} (?:years?|yrs?) suffice\b|\b(?:am i|do i have) (?:experienced enough|"
    rf"enough experience)\b",
    re.IGNORECASE,
)
# "For the Data Analyst job at the New York Law Department": a posting named by its title and employer.
_NAMED_JOB: Final = re.compile(
    r"\b(?:for|against|to|with)\s+(?:the|an?|that|this)\s+(?P<title>[^\W\d_][^,.;:!?\n]{2,60}?)\s+"
    r"(?:job|role|position|post|posting|vacancy|opening|advert)\s+(?:at|with|from|by)\s+(?:the\s+)?"
    r"(?P<company>[^,.;:!?\n]{2,80}?)(?:\s+(?:please|now|in [A-Z]\w+))?\s*[.?!]?\s*$",
    re.IGNORECASE,
)


class ResumeReviewAgent:
    """Says what to change in a CV and how."""

    name: ClassVar[Intent] = "resume_review"
    label: ClassVar[str] = "Review my CV"
    when_to_use: ClassVar[str] = (
        "The user wants a CV or résumé judged, a line or summary of it rewritten, or asks how CVs are written."
    )
    examples: ClassVar[tuple[str, ...]] = (
        "Review my CV",
        "Does my CV fit the second job?",
        "How can I make this bullet stronger: “responsible for the till”?",
    )
    instructions: ClassVar[str] = (
        "Say the weightiest findings first, each with what to do; then rewritten lines exactly as the facts give them, "
        "with their [placeholders] kept; then keywords for the target, split as in the facts; then strengths. Add no "
        "achievement, number, skill or title. If there is no CV, say how to upload or paste one. Quote guides with "
        "their [number]."
    )

    def holds(self, message: str, history: Sequence[PastMessage]) -> bool:
        """What the last answer offered to do next is asked for: another bullet, the summary, what can go."""
        last = next((past for past in reversed(history) if past.role == "assistant"), None)
        return last is not None and last.agent == self.name and goes_on(message)

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        message = without_command(turn.message)
        if _YEARS_ENOUGH.search(message):
            return Answer(
                text="", hand_over=HandOver(to="job_match", reason="that depends on what the postings ask for")
            )
        ask = await asyncio.to_thread(ask_of, message, turn.history)
        facts, feedback = await self._answer(ask, turn, ctx)
        if feedback is not None:
            await ctx.emit(feedback)
        citations = tuple(citation_for(each) for each in facts.passages)
        if facts.passages:
            await ctx.emit(knowledge_event(ask.words, facts.passages))
        # No model is to see the contact data of a pasted CV.
        safe = await asyncio.to_thread(without_contact_data, turn, message)
        answer = await ctx.reply(self, safe, facts, compose(facts), citations=citations)
        if offers := offers_of(facts, turn):
            await ctx.emit(quick_replies(ctx.message_id, "Go on?", offers))
        return answer

    async def _answer(self, ask: Ask, turn: Turn, ctx: TurnContext) -> tuple[ReviewFacts, ResumeFeedback | None]:
        if ask.kind == "line":
            return mended(Bullet(1, ask.line, "", past=True)).model_copy(update={"number": None}), None
        if ask.kind == "summary" and ask.line:
            return ReviewFacts(outcome="summary", source=PASTED, before=ask.line, after=shorter_summary(ask.line)), None
        if ask.kind == "advice":
            return await self._advice(ask, turn, ctx), None
        resume = await self._resume(ask, turn, ctx)
        if isinstance(resume, ReviewFacts):
            return resume, None
        if ask.kind not in {"review", "section"}:
            return await asyncio.to_thread(part_of, ask, resume, turn.today), None
        target = await self._target(ask, turn, resume, ctx)
        facts = await asyncio.to_thread(reviewed, ask, resume, target, turn.today)
        short = facts.model_copy(update={"findings": facts.findings[:FACTS_FINDINGS]})
        return short, feedback_of(facts)

    async def _resume(self, ask: Ask, turn: Turn, ctx: TurnContext) -> Resume | ReviewFacts:
        """The CV that is meant: in this message, in one before if the last review was of that, else the stored one."""
        if ask.pasted is not None:
            return ask.pasted
        before = await asyncio.to_thread(pasted_before, turn.history)
        if before is not None and (turn.temporary or _last_source(turn.history) in {PASTED, None}):
            return before
        if turn.temporary:
            return ReviewFacts(outcome="temporary")
        match await ctx.call(ReadResume, WholeResume()):
            case Ok(resume):
                return resume
            case Empty():
                return before or ReviewFacts(outcome="no_resume")
            case Err():
                return ReviewFacts(outcome="unavailable")

    async def _advice(self, ask: Ask, turn: Turn, ctx: TurnContext) -> ReviewFacts:
        topic, advice = advice_on(ask.words)
        facts = ReviewFacts(outcome="advice", topic=topic, advice=advice)
        found = await look_up(ctx, ask.words, topics=(_ABOUT_CVS,))
        # Beside an answer, a passage is worth reading that is about the same, and not only about CVs.
        passages = fitting(ask.words, found.passages, common=_OF_CVS if advice else frozenset(), headed=bool(advice))
        quotes = tuple(quote(number, each, ask.words) for number, each in enumerate(passages, start=1))
        facts = facts.model_copy(update={"passages": passages, "quotes": quotes, "guides_unread": found.unsure})
        if topic == "length" and not turn.temporary and isinstance(own := await self._resume(ask, turn, ctx), Resume):
            return facts.model_copy(update=size_of(own))
        return facts

    async def _target(self, ask: Ask, turn: Turn, resume: Resume, ctx: TurnContext) -> TargetFacts | None:
        """The posting or role the message names, and what it asks for beside the CV."""
        named = _NAMED_JOB.search(ask.words)
        job = job_meant(ask.words, turn.history)
        if named and (job is None or not _same_employer(named["company"], job.company)):
            return await self._named(named["title"], named["company"], turn, resume, ctx)
        name = f"{job.title} at {job.company}" if job else target_of(ask.words, (), ())
        if name is None or (job is None and _NO_TARGET.search(name)):
            return None
        asked = await (_of_posting(job.job_id, ctx) if job else _of_market(name, ctx))
        return await _compared(name, asked, turn, resume, single=job is not None)

    async def _named(self, title: str, company: str, turn: Turn, resume: Resume, ctx: TurnContext) -> TargetFacts:
        """A posting named by title and employer: found in the catalogue, or said not to be there."""
        name = f"{title} at {company}"
        query = replace(role_query(title, packaged_vocabulary()), companies=_names_of(company))
        match await ctx.call(SearchJobs, JobSearch(query=query)):
            case Ok(found) if hit := next((hit for hit in found.hits if _same_employer(company, hit.company)), None):
                asked = Asked(hit.skills, 1, int(hit.sample))
                return await _compared(f"{hit.title} at {hit.company}", asked, turn, resume, single=True)
            case Err():
                return TargetFacts(name=name, single=True, looked="unavailable")
            case Ok(found, missed=missed) if missed or found.degraded:
                return TargetFacts(name=name, single=True, looked="unavailable")
            case _:
                market = await _of_market(title, ctx)
                instead = await _compared(title, market, turn, resume, single=False)
                return TargetFacts(name=name, single=True, looked="absent", instead=instead)


@dataclass(frozen=True, slots=True)
class Asked:
    skills: tuple[str, ...]
    postings: int
    samples: int
    in_part: bool = False


async def _compared(
    name: str, asked: Asked | Literal["nothing", "unavailable"], turn: Turn, resume: Resume, *, single: bool
) -> TargetFacts:
    if not isinstance(asked, Asked):
        return TargetFacts(name=name, single=single, looked=asked)
    known = values_of(turn.profile, "skill")
    keywords = await asyncio.to_thread(keywords_of, asked.skills, resume, known, packaged_vocabulary())
    return TargetFacts(
        name=name,
        single=single,
        looked="ok",
        postings=asked.postings,
        samples=asked.samples,
        in_part=asked.in_part,
        said=keywords.said,
        unsaid=keywords.unsaid,
        missing=keywords.missing,
    )


def _names_of(company: str) -> tuple[str, ...]:
    """The name, and what is left of a long one without the place before it: "New York Law Department"."""
    words = company.split()
    shorter = (" ".join(words[start:]) for start in range(1, len(words) - 1))
    return (company, *(name for name in shorter if name.split()[0].casefold() not in {"of", "and", "for", "the", "&"}))


def _same_employer(one: str, other: str) -> bool:
    """One name holds the other: "Law Department" and "New York City Law Department"."""
    first, second = (set(re.findall(r"\w+", name.casefold())) - {"the", "of"} for name in (one, other))
    return bool(first) and bool(second) and (first <= second or second <= first)


async def _of_posting(job_id: str, ctx: TurnContext) -> Asked | Literal["nothing", "unavailable"]:
    match await ctx.call(FindJob, JobReference(job_id=job_id)):
        case Ok(hit):
            return Asked(hit.skills, 1, int(hit.sample))
        case Empty():
            return "nothing"
        case Err():
            return "unavailable"


async def _of_market(role: str, ctx: TurnContext) -> Asked | Literal["nothing", "unavailable"]:
    match await ctx.call(CountMarketSkills, Role(role=role)):
        case Ok(market, truncated, missed=missed):
            skills = asked_by_market(market.counts, market.postings, role)
            return Asked(skills, market.postings, market.sample_postings, truncated or bool(missed))
        case Empty():
            return "nothing"
        case Err():
            return "unavailable"


def feedback_of(facts: ReviewFacts) -> ResumeFeedback:
    # Of a posting that is not there, the role stands in.
    target = facts.target.instead or facts.target if facts.target else None
    return ResumeFeedback(
        source=facts.source,
        target=target.name if target else None,
        findings=facts.findings,
        strengths=facts.strengths,
        unsaid_keywords=target.unsaid if target else (),
        missing_keywords=target.missing if target else (),
    )


def offers_of(facts: ReviewFacts, turn: Turn) -> list[tuple[str, str, Intent]]:
    """Quick replies that fit the outcome."""
    return [(label, message, ResumeReviewAgent.name) for label, message in _offers(facts, turn)]


def _offers(facts: ReviewFacts, turn: Turn) -> list[tuple[str, str]]:
    match facts.outcome:
        case "no_resume" | "temporary":
            return [
                ("What makes a good CV?", "What makes a good CV?"),
                ("One page or two?", "Should a CV have one page or two?"),
                ("I have none yet", "I have never written a CV. How do I start one?"),
            ]
        case "reviewed" | "section" | "apply":
            bullet = next((each.bullet for each in facts.findings if each.after), None)
            offers = [(f"Rewrite bullet {bullet}", f"Rewrite bullet {bullet} of my CV")] if bullet else []
            offers.append(("Rewrite the summary", "Rewrite the summary of my CV"))
            role = value_of(turn.profile, "title")
            if facts.target is None and role:
                offers.append((f"For {role} jobs", f"Review my CV for {role} jobs"))
            else:
                offers.append(("What can go?", "Shorten my CV: what can go?"))
            return offers
        case "bullet" | "summary" | "shorten":
            return [("Review the whole CV", "Review my CV")]
        case _:
            return []


def without_contact_data(turn: Turn, message: str) -> Turn:
    """The turn as a model may see it: pasted CVs, here and before, without names and contact data."""
    history = tuple(
        past.model_copy(update={"content": _clean(past.content)}) if past.role == "user" else past
        for past in turn.history
    )
    return turn.model_copy(update={"message": _clean(message), "history": history})


def _clean(message: str) -> str:
    words, pasted = split_pasted(message)
    if pasted is not None:
        return f"{words}\n\n{pasted.text}".strip()
    return "\n".join(redacted(line, {}) for line in message.split("\n"))


def _last_source(history: Sequence[PastMessage]) -> str | None:
    """What the newest review was of."""
    for past in reversed(history):
        for block in reversed(past.blocks):
            if block.get("type") == "resume_feedback":
                return str(block.get("source", ""))
    return None
