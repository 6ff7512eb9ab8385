"""Everything between the specialists: greetings, questions about the assistant and the profile, and honest limits."""

from typing import Any, ClassVar, Final

from signalbox.agents.base import Answer, Turn, TurnContext
from signalbox.agents.general_text import UNAVAILABLE, GeneralFacts, compose
from signalbox.agents.phrases import quick_replies, without_command
from signalbox.agents.profile_words import value_of
from signalbox.agents.skill_target import likely_roles
from signalbox.agents.small_talk import Topic, topic_of
from signalbox.blocks import ProfileUpdated
from signalbox.envelope import Intent
from signalbox.tools.count_jobs import CountJobs, WholeCatalogue
from signalbox.tools.read_profile import ReadProfile, WholeProfile
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.update_profile import ProfileChange, UpdateProfile
from signalbox.tools.vocabulary import packaged_vocabulary

# After these a list of things to do helps; after thanks or a goodbye it would be pushing.
_OFFERED_AFTER: Final[frozenset[Topic]] = frozenset(
    {
        "greeting",
        "capabilities",
        "unavailable",
        "out_of_scope",
        "unclear",
        "hard_time",
        "bad_news",
        "complaint",
        "catalogue",
        "upload",
    }
)


class GeneralAgent:
    """Answers what no specialist does."""

    name: ClassVar[Intent] = "general"
    label: ClassVar[str] = "Something else"
    when_to_use: ClassVar[str] = "Greetings, thanks, questions about this assistant, and anything no specialist covers."
    examples: ClassVar[tuple[str, ...]] = ("What can you do?", "What do you know about me?", "Forget everything")
    instructions: ClassVar[str] = (
        "Answer briefly. If the topic in the facts is 'unavailable' or 'out_of_scope', say plainly that you cannot "
        "do it and "
        "what you can do instead: find jobs, show skill gaps, draft outreach, keep the profile. Promise nothing else. "
        "If it is 'crisis', answer with care in two or three sentences: this is more than an assistant can handle "
        "alone, please contact local emergency services or a crisis line (findahelpline.com); offer nothing else."
    )

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        message = without_command(turn.message) if turn.message.lstrip().startswith("/general") else turn.message
        topic = topic_of(message)
        if topic == "command":
            command = message.split(maxsplit=1)[0][:40].replace("`", "")
            facts = GeneralFacts(topic="command", command=command)
            return await ctx.reply(self, turn, facts, compose(facts))
        if turn.intent in UNAVAILABLE and topic != "crisis":
            topic = "unavailable"
        facts = await self._look(topic, turn, ctx)
        if facts.forgotten:
            await ctx.emit(ProfileUpdated(removed=facts.forgotten, profile=facts.profile))
        answer = await ctx.reply(self, turn, facts, compose(facts))
        if topic in _OFFERED_AFTER:
            await ctx.emit(quick_replies(ctx.message_id, "You could ask:", offers_of(turn)))
        return answer

    async def _look(self, topic: Topic, turn: Turn, ctx: TurnContext) -> GeneralFacts:
        facts = GeneralFacts(
            topic=topic,
            intent=turn.intent,
            name=value_of(turn.profile, "name") or "",
            first_message=not turn.history,
        )
        found: dict[str, Any] = {}
        if topic in {"know_me", "forget_all"} and turn.temporary:
            found = {"store": "temporary"}
        elif topic == "know_me":
            found = await _read(ctx)
        elif topic == "forget_all":
            found = await _forget(ctx)
        elif topic in {"catalogue", "sources"}:
            found = await _count(ctx)
        return facts.model_copy(update=found)


def offers_of(turn: Turn) -> list[tuple[str, str]]:
    """Three things to ask that can be answered, fitted to the intent and the profile."""
    title = value_of(turn.profile, "title")
    role = title or likely_roles(turn.profile, packaged_vocabulary())[0]
    search = (f"Find {role} jobs", f"Find {role} jobs")
    gaps = ("See my skill gaps", f"Which skills am I missing for {role} jobs?")
    write = ("Write to a recruiter", f"Write an e-mail to a recruiter about {role} jobs")
    about_me = ("What do you know about me?", "What do you know about me?")
    tell = ("Tell you about me", "What should I tell you about me?")
    if turn.intent in {"followup", "cover_letter", "company_research"}:
        return [write, search, gaps]
    if turn.intent in {"resume_review", "interview_prep"}:
        return [gaps, search, write]
    return [search, gaps, write if turn.intent in UNAVAILABLE else about_me if turn.profile else tell]


async def _read(ctx: TurnContext) -> dict[str, Any]:
    match await ctx.call(ReadProfile, WholeProfile()):
        case Ok(profile):
            return {"store": "read", "profile": profile}
        case Empty():
            return {"store": "empty"}
        case Err():
            return {"store": "unavailable"}


async def _forget(ctx: TurnContext) -> dict[str, Any]:
    match await ctx.call(UpdateProfile, ProfileChange(everything=True)):
        case Ok(updated):
            return {"store": "read", "forgotten": updated.removed, "profile": updated.profile}
        case Empty():
            return {"store": "empty"}
        case Err():
            return {"store": "unavailable"}


async def _count(ctx: TurnContext) -> dict[str, Any]:
    match await ctx.call(CountJobs, WholeCatalogue()):
        case Ok(stats):
            newest = f"{stats.newest:%d %B %Y}".lstrip("0") if stats.newest else ""
            return {
                "store": "read",
                "postings": stats.total,
                "samples": stats.samples,
                "sources": tuple(stats.by_source),
                "newest": newest,
            }
        case Empty():
            return {"store": "empty", "postings": 0}
        case Err():
            return {"store": "unavailable"}
