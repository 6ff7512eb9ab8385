"""Compares what postings for a role ask for with what the user has, and says in which order to learn the rest."""

from collections.abc import Sequence
from typing import ClassVar, Final, Literal

from signalbox.agents.base import Answer, Facts, Turn, TurnContext
from signalbox.agents.phrases import counted, listed, plain, quick_replies, without_command
from signalbox.agents.profile_words import values_of
from signalbox.agents.shown import job_meant
from signalbox.agents.skill_target import kin_of, likely_roles, target_of
from signalbox.blocks import SkillDemand, SkillGap
from signalbox.envelope import Intent
from signalbox.memory.statements import own_words
from signalbox.tools.find_job import FindJob, JobReference
from signalbox.tools.market_skills import CountMarketSkills, MarketSkills, Role
from signalbox.tools.result import Empty, Err, Ok, Result
from signalbox.tools.vocabulary import packaged_vocabulary

# Below this many postings the shares say little.
FEW_POSTINGS: Final = 5
MOST_SKILLS: Final = 15
TOLD: Final = 6
STEPS: Final = 5
# A skill that fewer postings than this share ask for is one employer's wish.
_LEAST_SHARE: Final = 0.05

Outcome = Literal["compared", "no_target", "no_postings", "no_skills_named", "unavailable"]


class Half(Facts):
    """A skill that is half known through another."""

    skill: str
    through: str


class GapFacts(Facts):
    """``single``: the comparison is with one posting. ``skills_known``: the profile holds any skill at all."""

    outcome: Outcome
    target: str = ""
    single: bool = False
    postings: int = 0
    sample_postings: int = 0
    skills: tuple[SkillDemand, ...] = ()
    partial: tuple[Half, ...] = ()
    learn_next: tuple[str, ...] = ()
    skills_known: bool = False
    roles: tuple[str, ...] = ()


class SkillGapAgent:
    """Says what is missing for a role."""

    name: ClassVar[Intent] = "skill_gap"
    label: ClassVar[str] = "See my skill gaps"
    when_to_use: ClassVar[str] = (
        "The user asks which skills or certificates a role takes, or what to learn next for it."
    )
    examples: ClassVar[tuple[str, ...]] = (
        "Which skills am I missing for data engineer jobs?",
        "What should I learn to become a UX designer?",
        "What am I missing for the second job?",
    )
    instructions: ClassVar[str] = (
        "Say how many postings the numbers rest on, how many of them are fictional samples, what the user has, "
        "half has and "
        "lacks with the shares from the facts, then the learning order. Say so if the postings are fewer than five."
    )

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        facts = await self._compare(turn, ctx)
        if facts.outcome == "compared":
            await ctx.emit(
                SkillGap(
                    target=facts.target,
                    postings=facts.postings,
                    sample_postings=facts.sample_postings,
                    skills=facts.skills,
                    learn_next=facts.learn_next,
                )
            )
        answer = await ctx.reply(self, turn, facts, compose(facts))
        if offers := offers_of(facts):
            await ctx.emit(quick_replies(ctx.message_id, "Go on?", offers))
        return answer

    async def _compare(self, turn: Turn, ctx: TurnContext) -> GapFacts:
        message = without_command(turn.message)
        vocabulary = packaged_vocabulary()
        said = [fact.value for fact in own_words(message, vocabulary) if fact.key == "skill"]
        owned = list(dict.fromkeys((*values_of(turn.profile, "skill"), *said)))
        job = job_meant(message, turn.history)
        target = f"{job.title} at {job.company}" if job else target_of(message, turn.profile, turn.history)
        if target is None:
            return GapFacts(outcome="no_target", roles=likely_roles(turn.profile, vocabulary), skills_known=bool(owned))
        # "Nursing" is what a nurse is, not what one lacks; "Python" for a Python developer is a skill all the same.
        of_role = [s for s in vocabulary.extract(target, loose=True) if s.casefold() not in target.casefold()]
        if job:
            return gap_of(target, await _of_posting(job.job_id, ctx), owned, of_role=of_role, single=True)
        return gap_of(target, await ctx.call(CountMarketSkills, Role(role=target)), owned, of_role=of_role)


async def _of_posting(job_id: str, ctx: TurnContext) -> Result[MarketSkills]:
    """One posting as a market of its own."""
    match await ctx.call(FindJob, JobReference(job_id=job_id)):
        case Ok(hit):
            return Ok(MarketSkills(1, int(hit.sample), tuple((skill, 1) for skill in hit.skills)))
        case Empty() as empty:
            return empty
        case Err() as err:
            return err


def gap_of(
    target: str,
    result: Result[MarketSkills],
    owned: Sequence[str],
    *,
    of_role: Sequence[str] = (),
    single: bool = False,
) -> GapFacts:
    """What the postings ask for against ``owned``; ``of_role`` are left out as other names of the role itself."""
    bare = GapFacts(outcome="unavailable", target=target, single=single, skills_known=bool(owned))
    match result:
        case Err():
            return bare
        case Empty():
            return bare.model_copy(update={"outcome": "no_postings"})
        case Ok(market):
            least = _LEAST_SHARE * market.postings
            asked = [(s, number) for s, number in market.counts if number >= least and s not in of_role][:MOST_SKILLS]
            known = bare.model_copy(update={"postings": market.postings, "sample_postings": market.sample_postings})
            if not asked:
                return known.model_copy(update={"outcome": "no_skills_named"})
            return _compared(known, asked, owned)


def _compared(bare: GapFacts, asked: Sequence[tuple[str, int]], owned: Sequence[str]) -> GapFacts:
    own = {skill.casefold() for skill in owned}
    through = {s: kin for s, _ in asked if s.casefold() not in own and (kin := kin_of(s, owned))}
    skills = tuple(
        SkillDemand(
            skill=skill,
            status="have" if skill.casefold() in own else "partial" if skill in through else "missing",
            postings=number,
            share=round(number / bare.postings, 4),
        )
        for skill, number in asked
    )
    # Of two that are asked for equally often, the one half known is the quicker gain.
    order = sorted((s for s in skills if s.status != "have"), key=lambda s: (-s.postings, s.status != "partial"))
    return bare.model_copy(
        update={
            "outcome": "compared",
            "skills": skills,
            "partial": tuple(Half(skill=skill, through=kin) for skill, kin in through.items()),
            "learn_next": tuple(s.skill for s in order[:STEPS]),
        }
    )


def compose(facts: GapFacts) -> str:
    """The reply as the template words it, in Markdown."""
    target = plain(facts.target)
    match facts.outcome:
        case "no_target":
            known = "" if facts.skills_known else " It also helps to tell me which skills you have."
            return f"Which role should I compare you with? Name one, for example {listed(facts.roles, 'or')}.{known}"
        case "unavailable":
            return (
                f"I could not look at the postings for “{target}” just now, so I cannot say what is missing. "
                "Please ask again in a moment."
            )
        case "no_postings" if facts.single:
            return (
                f"The posting “{target}” is no longer in the catalogue, so I cannot compare you with it. Name a "
                f"role instead."
            )
        case "no_postings":
            return (
                f"I looked for postings for “{target}” and the catalogue has none, so I have nothing to measure "
                f"you against. "
                "A more common title for the same work may find some."
            )
        case "no_skills_named":
            which = "The posting" if facts.single else f"The {counted(facts.postings, 'posting')}"
            return (
                f"{which} for “{target}” {'names' if facts.postings == 1 else 'name'} no particular skills, so "
                f"there is no gap to show."
            )
        case "compared":
            return _comparison(facts)


def offers_of(facts: GapFacts) -> list[tuple[str, str]]:
    """Quick replies that fit the outcome."""
    if facts.outcome == "no_target":
        return [(_capital(role), f"Which skills am I missing for {role} jobs?") for role in facts.roles]
    if facts.outcome != "compared":
        return []
    offers = [] if facts.single else [(f"Find {facts.target} jobs", f"Find {facts.target} jobs")]
    offers += [(f"I know {skill}", f"Add {skill} to my skills") for skill in facts.learn_next[:2]]
    return offers


def _comparison(facts: GapFacts) -> str:
    have = [s for s in facts.skills if s.status == "have"]
    missing = [s for s in facts.skills if s.status == "missing"]
    parts = [_basis(facts)]
    if not facts.skills_known:
        parts.append(
            "I know of no skills of yours yet, so everything below counts as missing. Tell me what you can do "
            "and I compare again."
        )
    lines = []
    if have:
        lines.append(f"- **You have:** {_shares(have, facts)}")
    if facts.partial:
        halves = [f"{plain(half.skill)} (you know {plain(half.through)})" for half in facts.partial[:TOLD]]
        lines.append(f"- **Close to what you know:** {', '.join(halves)}")
    if missing:
        lines.append(f"- **Missing:** {_shares(missing, facts)}")
    parts.append("\n".join(lines))
    parts.append(_order(facts))
    return "\n\n".join(parts)


def _basis(facts: GapFacts) -> str:
    target, number = plain(facts.target), len(facts.skills)
    have = sum(skill.status == "have" for skill in facts.skills)
    if facts.single:
        sample = " It is a fictional sample." if facts.sample_postings else ""
        return f"The posting “{target}” asks for {counted(number, 'skill')}, and you have **{have}**.{sample}"
    text = (
        f"In **{counted(facts.postings, 'posting')}** for “{target}”, you have **{have} of the "
        f"{counted(number, 'most asked skill')}**."
    )
    if number == 1:
        text = (
            f"The **{counted(facts.postings, 'posting')}** for “{target}” agree on one skill, and you "
            f"{'have' if have else 'lack'} it."
        )
    if facts.sample_postings:
        all_of = facts.sample_postings == facts.postings
        what = "fictional samples" if facts.sample_postings > 1 else "a fictional sample"
        those = (
            "They are all"
            if all_of and facts.postings > 1
            else "It is"
            if all_of
            else f"{facts.sample_postings:,} of them are"
        )
        text += f" {those} {what} from the built-in catalogue."
    if facts.postings < FEW_POSTINGS:
        text += " That is too few to generalise from: take it as a hint."
    return text


def _shares(skills: Sequence[SkillDemand], facts: GapFacts) -> str:
    if facts.postings == 1:
        return ", ".join(plain(skill.skill) for skill in skills[:TOLD])
    return ", ".join(f"{plain(skill.skill)} ({skill.share:.0%})" for skill in skills[:TOLD])


def _order(facts: GapFacts) -> str:
    if not facts.learn_next:
        return "Nothing on the list is missing. Apply, and use these words in your CV."
    numbers = {skill.skill: skill for skill in facts.skills}
    if facts.postings == 1:
        return f"To learn next: {listed([plain(skill) for skill in facts.learn_next])}."
    steps = [
        f"{place}. {plain(skill)}: asked for in {numbers[skill].postings:,} of {counted(facts.postings, 'posting')}"
        for place, skill in enumerate(facts.learn_next, start=1)
    ]
    return "\n".join(["To learn next, most asked first:", *steps])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
