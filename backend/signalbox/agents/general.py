"""Everything between the specialists: greetings, questions about the assistant and the profile, and honest limits."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from signalbox.agents.base import Agent, Answer, Turn, TurnContext, find_agents
from signalbox.agents.skills.target import likely_roles
from signalbox.agents.talk.scope import about_work, asks, careful, outside, seeks_advice
from signalbox.agents.talk.small_talk import Topic, topic_of
from signalbox.agents.talk.text import Ability, GeneralFacts, compose
from signalbox.agents.words.knowledge_text import citation_for, fitting, knowledge_event, look_up, quote
from signalbox.agents.words.phrases import quick_replies, without_command
from signalbox.agents.words.profile_words import value_of
from signalbox.blocks import ProfileUpdated
from signalbox.envelope import INTENTS, Intent
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
        "no_specialist",
        "knowledge",
        "out_of_scope",
        "statement",
        "unclear",
        "hard_time",
        "bad_news",
        "complaint",
        "catalogue",
        "upload",
    }
)


_PLACE: Final = {name: place for place, name in enumerate(INTENTS)}


class GeneralAgent:
    """Answers what no specialist does."""

    name: ClassVar[Intent] = "general"
    label: ClassVar[str] = "Something else"
    when_to_use: ClassVar[str] = "Greetings, thanks, questions about this assistant, and anything no specialist covers."
    examples: ClassVar[tuple[str, ...]] = ("What can you do?", "What do you know about me?", "Forget everything")
    instructions: ClassVar[str] = (
        "Answer briefly. If the topic in the facts is 'knowledge', answer from the passages alone and keep the [n] "
        "marks; if none fits, say that you looked and found nothing, or that you could not look. For legal, visa or "
        "medical matters name whom to ask and give no verdict. If it is 'out_of_scope' or 'no_specialist', say plainly "
        "that you cannot do it and what you can do instead, out of the abilities; promise nothing else. If it is "
        "'crisis', answer with care in two or three sentences: this is more than an assistant can handle alone, please "
        "contact local emergency services or a crisis line (findahelpline.com); offer nothing else."
    )

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        message = without_command(turn.message) if turn.message.lstrip().startswith("/general") else turn.message
        facts = await self._look(_topic(message, turn), message, turn, ctx)
        if facts.forgotten:
            await ctx.emit(ProfileUpdated(removed=facts.forgotten, profile=facts.profile))
        if facts.passages:
            await ctx.emit(knowledge_event(message, facts.passages))
        citations = tuple(citation_for(passage) for passage in facts.passages)
        answer = await ctx.reply(self, turn, facts, compose(facts), citations=citations)
        if facts.topic in _OFFERED_AFTER:
            await ctx.emit(quick_replies(ctx.message_id, "You could ask:", offers_of(turn)))
        return answer

    async def _look(self, topic: Topic, message: str, turn: Turn, ctx: TurnContext) -> GeneralFacts:
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
        elif topic in {"capabilities", "command", "no_specialist"}:
            tried = message.split(maxsplit=1)[0][:40].replace("`", "") if topic == "command" else ""
            found = {"abilities": abilities(ctx.agents or find_agents()), "command": tried}
        elif topic == "knowledge":
            found = await _know(message, ctx)
        elif topic == "out_of_scope":
            found = {"outside": outside(message)}
        return facts.model_copy(update=found)


def abilities(agents: Mapping[str, Agent]) -> tuple[Ability, ...]:
    """What the agents do, as they say of themselves: in the order of the intents, others before the last."""
    return tuple(
        Ability(
            name=agent.name,
            label=agent.label,
            when_to_use=agent.when_to_use,
            example=agent.examples[0] if agent.examples else agent.label,
        )
        for agent in sorted(agents.values(), key=lambda agent: _PLACE.get(agent.name, len(_PLACE) - 1))
    )


def offers_of(turn: Turn) -> list[tuple[str, str, Intent]]:
    """Three things to ask that can be answered, fitted to what is known of the user."""
    role = value_of(turn.profile, "title") or likely_roles(turn.profile, packaged_vocabulary())[0]
    search: tuple[str, str, Intent] = (f"Find {role} jobs", f"Find {role} jobs", "job_search")
    gaps: tuple[str, str, Intent] = (
        "See my skill gaps",
        f"Which skills am I missing for {role} jobs?",
        "skill_gap",
    )
    about_me: tuple[str, str, Intent] = ("What do you know about me?", "What do you know about me?", "general")
    tell: tuple[str, str, Intent] = ("Tell you about me", "What should I tell you about me?", "general")
    return [search, gaps, about_me if turn.profile else tell]


def _topic(message: str, turn: Turn) -> Topic:
    topic = topic_of(message)
    if topic == "bad_news" and seeks_advice(message):
        return "knowledge"
    if topic != "out_of_scope":
        return topic
    if turn.intent != "general":
        return "no_specialist"
    if not about_work(message):
        return topic
    return "knowledge" if asks(message) or careful(message) else "statement"


async def _know(message: str, ctx: TurnContext) -> dict[str, Any]:
    """What the guides say, and whether others must be asked."""
    looked = await look_up(ctx, message)
    passages = fitting(message, looked.passages)
    return {
        "looked": "nothing" if looked.state == "found" and not passages else looked.state,
        "passages": passages,
        "quotes": tuple(quote(number, passage, message) for number, passage in enumerate(passages, start=1)),
        "careful": careful(message),
        "sorry": topic_of(message) == "bad_news",
    }


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
