"""Compares what postings for a role ask for with what the user has, and says in which order to learn the rest."""

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from typing import ClassVar, Final, Literal

from signalbox.agents.base import TurnContext
from signalbox.agents.skills.compare import Owned, gap_of, held_together, of_own_work, worth_of
from signalbox.agents.skills.target import (
    CERTIFICATES,
    likely_roles,
    names_role,
    role_in,
    target_of,
    targets_of,
)
from signalbox.agents.skills.text import (
    ONLY_LISTED,
    GapFacts,
    PlanFacts,
    WorthFacts,
    compose,
    offers_of,
    plan_text,
    sides_text,
    worth_text,
)
from signalbox.agents.turn import Answer, Turn
from signalbox.agents.words.knowledge_text import Passage, citation_for, fitting, look_up, quote
from signalbox.agents.words.own_cv import place_of, read_resume
from signalbox.agents.words.phrases import quick_replies, without_command
from signalbox.agents.words.profile_words import value_of, values_of
from signalbox.agents.words.shown import job_meant, jobs_meant
from signalbox.blocks import SkillGap
from signalbox.envelope import Intent
from signalbox.memory.conversation import PastMessage
from signalbox.memory.resume.model import Resume
from signalbox.memory.statements import own_words
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.tools.find_job import FindJob, JobReference
from signalbox.tools.market_skills import MOST_SKILLS as EVERY_SKILL
from signalbox.tools.market_skills import CountMarketSkills, MarketSkills, Role
from signalbox.tools.result import Empty, Err, Ok, Result
from signalbox.tools.vocabulary import packaged_vocabulary

_MOST_POSTINGS: Final = 10
_MOST_COUNTED: Final = 30
_JUST_SAID: Final = "you just said so"
_HELD: Final = ("fact", "title")
# A longer message tells more than a question on what was shown.
_SHORT_QUESTION: Final = 14
_HOW_LONG = re.compile(
    r"\bhow (?:long|many (?:weeks|months|years|hours|days)|much time|fast|quickly|soon)\b|\bby when\b", re.IGNORECASE
)
_COURSES = re.compile(
    r"\b(?:which|what|any|recommend|suggest|good|best|find)\b.{0,30}\b(?:courses?|class(?:es)?|bootcamps?|tutorials?|"
    r"books?|trainings?|providers?)\b|\bwhere (?:can|do|should|could) i (?:learn|study|take)\b|"
    r"\bhow (?:do|can|should) i "
    r"learn (?:it|that|this|them|these|those|all (?:that|this))\b",
    re.IGNORECASE,
)

_CERTIFICATES = re.compile(
    (r"\b(?:certificat\w+|certified|certs?|licen[cs]es?|registrations?|accreditation)\b"),
    re.IGNORECASE,
)
_LEARNS = re.compile(
    (
        r"\b(?:learn\w*|study\w*|course\w*|train\w*|plan|roadmap|(?<!the )first|order|(?<!the )next|"
        r"start|teach)\b"
    ),
    re.IGNORECASE,
)
_WORTH = re.compile(
    r"\b(?:is|are|would)\b.{0,40}\b(?:worth|useful|needed|necessary|in demand|required|important|valuable|essential)\b|"
    r"\bworth (?:learning|it|getting|doing|my time)|"
    r"(?<!what )(?<!which )(?<!skill )(?<!skills )\bshould i (?:learn|study|get|take up|do)\b|\bhow (?:important|"
    r"useful|valuable|sought after|in demand|common) (?:is|are)\b|\bdo i (?:really )?need (?:to (?:know|learn) )?\b|"
    r"\bhow many (?:\w+ ){0,4}(?:ask|want|need|require|mention)\b",
    re.IGNORECASE,
)
_PLAN: Final = "How do I make a learning plan?"
_CERTIFICATE: Final = "Is a certificate worth it?"
_COURSE: Final = "How do I choose a course?"
_FIRST: Final = "Which skill should I learn first?"


class SkillGapAgent:
    """Says what is missing for a role."""

    name: ClassVar[Intent] = "skill_gap"
    label: ClassVar[str] = "See my skill gaps"
    when_to_use: ClassVar[str] = (
        "The user asks which skills or certificates a role or posting takes, what to learn next for it, or whether a "
        "skill is worth learning."
    )
    examples: ClassVar[tuple[str, ...]] = (
        "Which skills am I missing for data engineer jobs?",
        "What should I learn to become a UX designer?",
        "Is Kubernetes worth learning for a backend developer?",
        "What am I missing for the second job?",
    )
    instructions: ClassVar[str] = (
        "Say how many postings the numbers rest on, how many of them are fictional samples, what the user has, half "
        "has and lacks with the shares from the facts, then the learning order. Say so if the postings are fewer than "
        "five. Name no course, duration or cost that is not in the facts; keep the [n] marks."
    )

    def holds(self, message: str, history: Sequence[PastMessage]) -> bool:
        """How long it takes and which courses are asked of the comparison just shown."""
        last = next((past for past in reversed(history) if past.role == "assistant"), None)
        return last is not None and last.agent == self.name and _plan_asked(message, history) is not None

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        message = without_command(turn.message)
        if (plan := _plan_asked(message, turn.history)) is not None:
            return await self._plan(plan, turn, ctx)
        owned = await _owned(message, turn, ctx)
        roles = targets_of(message)
        if len(roles) > 1:
            return await self._sides(roles, owned, turn, ctx)
        if (skill := _asked_about(message)) is not None:
            return await self._worth(skill, message, owned, turn, ctx)
        return await self._gap(message, owned, turn, ctx)

    async def _gap(self, message: str, owned: Owned, turn: Turn, ctx: TurnContext) -> Answer:
        facts = await _compare(message, owned, turn, ctx)
        if facts.outcome == "compared" and (facts.certificates_asked or _LEARNS.search(message)):
            question = _CERTIFICATE if facts.certificates_asked else _PLAN
            facts = facts.model_copy(update=await _guide(question, ctx))
        if facts.outcome == "compared":
            await ctx.emit(event_of(facts))
        citations = (citation_for(facts.guide),) if facts.guide else ()
        answer = await ctx.reply(self, turn, facts, compose(facts), citations=citations)
        if offers := offers_of(facts):
            await ctx.emit(quick_replies(ctx.message_id, "Go on?", offers))
        return answer

    async def _plan(self, plan: PlanFacts, turn: Turn, ctx: TurnContext) -> Answer:
        found = await _guide(_PLAN if plan.about == "time" else _COURSE, ctx)
        facts = plan.model_copy(update=found)
        citations = (citation_for(facts.guide),) if facts.guide else ()
        answer = await ctx.reply(self, turn, facts, plan_text(facts), citations=citations)
        other = ("Which courses?", f"Which courses help me become {facts.target}?")
        if plan.about == "courses":
            other = ("How long would it take?", "How long would that take?")
        offers: list[tuple[str, str, Intent]] = [
            (*other, "skill_gap"),
            (f"Find {facts.target} jobs", f"Find {facts.target} jobs", "job_search"),
        ]
        await ctx.emit(quick_replies(ctx.message_id, "Go on?", offers))
        return answer

    async def _worth(self, skill: str, message: str, owned: Owned, turn: Turn, ctx: TurnContext) -> Answer:
        target = target_of(_without(message, skill), turn.profile, turn.history)
        vocabulary = packaged_vocabulary()
        if target is None or target.casefold() == skill.casefold():
            roles = likely_roles(turn.profile, vocabulary)
            facts = WorthFacts(outcome="no_target", skill=skill, roles=roles)
            answer = await ctx.reply(self, turn, facts, worth_text(facts))
            asks = [(role.capitalize(), f"Is {skill} worth learning for {role} jobs?") for role in roles]
            offers: list[tuple[str, str, Intent]] = [(label, said, "skill_gap") for label, said in asks]
            await ctx.emit(quick_replies(ctx.message_id, "For which role?", offers))
            return answer
        market = await ctx.call(CountMarketSkills, Role(role=target, skills=EVERY_SKILL))
        facts = worth_of(skill, target, market, owned.skills)
        if facts.outcome == "counted" and not facts.owned:
            found = await _guide(_CERTIFICATE if skill in CERTIFICATES else _FIRST, ctx)
            facts = facts.model_copy(update={"guide": found["guide"], "quote": found["quote"]})
        citations = (citation_for(facts.guide),) if facts.guide else ()
        answer = await ctx.reply(self, turn, facts, worth_text(facts), citations=citations)
        gaps: tuple[str, str, Intent] = (
            ("See all my gaps"),
            f"Which skills am I missing for {target} jobs?",
            "skill_gap",
        )
        await ctx.emit(quick_replies(ctx.message_id, "Go on?", [gaps]))
        return answer

    async def _sides(self, roles: Sequence[str], owned: Owned, turn: Turn, ctx: TurnContext) -> Answer:
        markets = await asyncio.gather(*(ctx.call(CountMarketSkills, Role(role=role)) for role in roles))
        sides = tuple(gap_of(role, market, owned) for role, market in zip(roles, markets, strict=True))
        for side in sides:
            if side.outcome == "compared":
                await ctx.emit(event_of(side))
        facts = held_together(sides)
        answer = await ctx.reply(self, turn, facts, sides_text(facts))
        offers: list[tuple[str, str, Intent]] = [
            (f"Gaps for {role}", f"Which skills am I missing for {role} jobs?", "skill_gap") for role in roles
        ]
        await ctx.emit(quick_replies(ctx.message_id, "Go on?", offers))
        return answer


def event_of(facts: GapFacts) -> SkillGap:
    return SkillGap(
        target=facts.target,
        postings=facts.postings,
        sample_postings=facts.sample_postings,
        skills=facts.skills,
        learn_next=facts.learn_next,
    )


async def _compare(message: str, owned: Owned, turn: Turn, ctx: TurnContext) -> GapFacts:
    certificates = _CERTIFICATES.search(message) is not None
    meant = [shown.job for shown in jobs_meant(message, turn.history).jobs][:_MOST_POSTINGS]
    job = job_meant(message, turn.history)
    named = target_of(message, turn.profile, turn.history)
    if job is None and len(meant) > 1 and not targets_named(message):
        market, missed = await _of_postings([each.job_id for each in meant], ctx)
        target = f"the {len(meant)} postings shown"
        gap = gap_of(target, market, owned, basis="postings", certificates=certificates)
        return gap.model_copy(update={"missed": missed})
    if job is not None:
        market, _ = await _of_postings([job.job_id], ctx)
        target = f"{job.title} at {job.company}"
        return gap_of(target, market, owned, basis="posting", certificates=certificates)
    if named is None:
        roles = likely_roles(turn.profile, packaged_vocabulary())
        return GapFacts(outcome="no_target", roles=roles, skills_known=bool(owned.reasons))
    present = _present(message, named, turn)
    asked = [Role(role=named, skills=EVERY_SKILL if certificates else _MOST_COUNTED)]
    if present and not certificates:
        asked.append(Role(role=present, skills=_MOST_COUNTED))
    market, *of_present = await asyncio.gather(*(ctx.call(CountMarketSkills, role) for role in asked))
    gap = gap_of(named, market, owned, certificates=certificates)
    if not of_present or gap.outcome != "compared":
        return gap
    return gap.model_copy(update={"present": present, **of_own_work(market, of_present[0], owned.skills)})


def _present(message: str, target: str, turn: Turn) -> str:
    """What the user works as, if that is other work than the target."""
    said = [fact.value for fact in own_words(message, packaged_vocabulary()) if (fact.kind, fact.key) == _HELD]
    held = said[0] if said else value_of([fact for fact in turn.profile if fact.kind == "fact"], "title") or ""
    return "" if not held or names_role(held, target) or names_role(target, held) else held


def _plan_asked(message: str, history: Sequence[PastMessage]) -> PlanFacts | None:
    """A question of how long, or which courses, after a comparison and without a role of its own."""
    about: Literal["time", "courses"] | None = (
        "time" if _HOW_LONG.search(message) else "courses" if _COURSES.search(message) else None
    )
    if about is None or len(message.split()) > _SHORT_QUESTION:
        return None
    for past in reversed(history):
        for block in reversed(past.blocks):
            if block.get("type") == "skill_gap":
                gap = SkillGap.model_validate(block)
                named = target_of(message, (), ())
                if named and named.casefold() != gap.target.casefold():
                    return None
                return PlanFacts(about=about, target=gap.target, learn_next=gap.learn_next)
    return None


def targets_named(message: str) -> bool:
    """The message names a role of its own, so that "them" in it means something else."""
    return target_of(message, (), ()) is not None


async def _of_postings(job_ids: Sequence[str], ctx: TurnContext) -> tuple[Result[MarketSkills], int]:
    """Postings as a market of their own, and how many of them are missing from it."""
    results = await asyncio.gather(*(ctx.call(FindJob, JobReference(job_id=job_id)) for job_id in job_ids))
    hits = [result.value for result in results if isinstance(result, Ok)]  # truth: what is missing is counted below
    if not hits:
        failed = next((result for result in results if isinstance(result, Err)), None)
        return failed or Empty("none of the postings is in the catalogue any more"), len(job_ids)
    counts = Counter(skill for hit in hits for skill in dict.fromkeys(hit.skills))
    ordered = tuple(sorted(counts.items(), key=lambda pair: -pair[1]))
    return Ok(MarketSkills(len(hits), sum(hit.sample for hit in hits), ordered)), len(job_ids) - len(hits)


async def _owned(message: str, turn: Turn, ctx: TurnContext) -> Owned:
    vocabulary = packaged_vocabulary()
    resume, unread = await read_resume(turn, ctx)
    reasons = dict.fromkeys(values_of(turn.profile, "skill"), "in your profile")
    reasons |= {fact.value: _JUST_SAID for fact in own_words(message, vocabulary) if fact.key == "skill"}
    certificates = values_of(turn.profile, "certificate")
    reasons |= {vocabulary.canonical(name) or name: "in your profile" for name in certificates}
    for named in vocabulary.extract(target_of(message, (), ()) or "", loose=True):
        # Where one wants to go is no skill that one has.
        if reasons.get(named) == _JUST_SAID:
            del reasons[named]
    if resume:
        known = {skill.casefold() for skill in reasons}
        reasons |= {s: why for s, why in _of_resume(resume, vocabulary).items() if s.casefold() not in known}
    return Owned(reasons, unread)


def _of_resume(resume: Resume, vocabulary: SkillVocabulary) -> dict[str, str]:
    """Skills of the CV, each with where it is shown, or that it is only listed."""
    found: dict[str, str] = {}
    for item in resume.work:
        for skill in vocabulary.extract("\n".join((item.title, *item.highlights))):
            found.setdefault(skill, f"in your CV, as {place_of(item)}")
    for skill in vocabulary.extract(resume.evidence):
        found.setdefault(skill, "in your CV")
    listed = [vocabulary.canonical(name) or name for name in resume.skills]
    for skill in (*listed, *(vocabulary.canonical(c.name) or c.name for c in resume.certificates)):
        found.setdefault(skill, ONLY_LISTED)
    return found


async def _guide(question: str, ctx: TurnContext) -> dict[str, object]:
    looked = await look_up(ctx, question, limit=4)
    found: Sequence[Passage] = fitting(question, looked.passages, 1)
    if not found:
        return {
            "guide": None,
            "quote": None,
            "guide_state": "unavailable" if looked.unsure else "nothing",
        }
    return {"guide": found[0], "quote": quote(1, found[0], question), "guide_state": "found"}


def _asked_about(message: str) -> str | None:
    """The skill whose worth is asked for. One that is part of the role's name is not."""
    if not _WORTH.search(message):
        return None
    role = role_in(message) or ""
    of_role = packaged_vocabulary().extract(role, loose=True)
    for skill in packaged_vocabulary().extract(message, loose=True):
        if skill not in of_role and not names_role(skill, role):
            return skill
    return None


def _without(message: str, skill: str) -> str:
    """The message without the skill asked about, which would else pass for the role."""
    return re.sub(rf"(?<!\w){re.escape(skill)}(?!\w)", "it", message, flags=re.IGNORECASE)
