"""Everything between the specialists: greetings, questions about the assistant and the profile, and honest limits."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from signalbox.agents.base import Agent, TurnContext
from signalbox.agents.finding import find_agents
from signalbox.agents.searching.languages import other_language
from signalbox.agents.skills.target import likely_roles
from signalbox.agents.talk.care import in_crisis
from signalbox.agents.talk.scope import about_work, asks, careful, outside, seeks_advice
from signalbox.agents.talk.small_talk import Topic, thank_you_note, topic_of
from signalbox.agents.talk.text import Ability, GeneralFacts, compose
from signalbox.agents.talk.tools import remote_tools, tools_for
from signalbox.agents.turn import Answer, HandOver, Turn
from signalbox.agents.words.knowledge_text import Passage, citation_for, fitting, knowledge_event, look_up, quote
from signalbox.agents.words.phrases import quick_replies, without_command
from signalbox.agents.words.profile_words import value_of
from signalbox.blocks import ProfileUpdated
from signalbox.envelope import INTENTS, Intent
from signalbox.memory.conversation import PastMessage
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
        "foreign",
        "discouraged",
        "what_wrong",
        "scam",
        "hard_time",
        "bad_news",
        "complaint",
        "catalogue",
        "upload",
    }
)


# A model that can call tools may find an answer to these among the catalogue's; to others only on an MCP server, if at
# all. What is said of the user's state of mind, of this assistant or of what is stored is answered from the facts.
_UNCOVERED: Final[frozenset[Topic]] = frozenset({"no_specialist", "out_of_scope", "foreign"})
_OPEN: Final[frozenset[Topic]] = _UNCOVERED | {"knowledge", "statement", "unclear"}

# What the guides are asked where the user's words would not lead there.
_ASKED: Final[dict[Topic, tuple[str, ...]]] = {
    "scam": ("What are the signs of a job scam?", "How do I check whether a job offer is real?"),
    "discouraged": ("How do I cope with being rejected many times?", "How do I find out what went wrong?"),
    "what_wrong": ("How do I find out what went wrong after a rejection?",),
}
_CV_AND_PRACTICE: Final[list[tuple[str, str, Intent]]] = [
    ("Review my CV", "Review my CV", "resume_review"),
    ("Practise an interview", "Practise an interview with me", "interview_prep"),
    ("Ask for feedback", "Help me ask for feedback after a rejection", "followup"),
]
_HELPS: Final[dict[Topic, list[tuple[str, str, Intent]]]] = {
    "discouraged": _CV_AND_PRACTICE,
    "what_wrong": _CV_AND_PRACTICE,
    "scam": [
        ("Should I ever pay?", "Should I ever pay to get a job?", "general"),
        ("What must I not give away?", "What information should I never give before being hired?", "general"),
    ],
}
_ROLE_OF: Final = {
    "interview_practice": "role",
    "interview_questions": "role",
    "skill_gap": "target",
    "salary_range": "role",
}
_LONGEST_ROLE: Final = 60
_MOST_QUOTED: Final = 2
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
        "medical matters name whom to ask and give no verdict. If it is 'out_of_scope' or 'no_specialist' and none of "
        "your tools can answer it, say plainly that you cannot do it and what you can do instead, out of the "
        "abilities; promise nothing else."
    )

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        message = without_command(turn.message) if turn.message.lstrip().startswith("/general") else turn.message
        if in_crisis(message):
            # Nothing that can fail, be slow or be refused stands between a cry for help and its answer.
            return Answer(text=compose(GeneralFacts(topic="crisis", intent=turn.intent)))
        if thank_you_note(message):
            return Answer(text="", hand_over=HandOver(to="followup", reason="thank-you notes are written there"))
        topic = _topic(message, turn)
        if topic == "profile_change":
            return Answer(text="", hand_over=HandOver(to="profile_update", reason="this changes what is stored of you"))
        facts = await self._look(topic, message, turn, ctx)
        if facts.forgotten:
            await ctx.emit(ProfileUpdated(removed=facts.forgotten, profile=facts.profile))
        if facts.passages:
            await ctx.emit(knowledge_event(message, facts.passages))
        citations = tuple(citation_for(passage) for passage in facts.passages)
        if ctx.model.instructable and (topic in _UNCOVERED or (topic in _OPEN and remote_tools(ctx.tools))):
            tools = tools_for(ctx.tools, turn.today)
            answer = await ctx.work(self, turn, facts, compose(facts), tools=tools, citations=citations)
        else:
            owed = topic not in _OPEN
            answer = await ctx.reply(self, turn, facts, compose(facts), citations=citations, owed=owed)
        if facts.topic in _OFFERED_AFTER:
            offers = _HELPS.get(facts.topic) or offers_of(turn)
            await ctx.emit(quick_replies(ctx.message_id, "You could ask:", offers))
        return answer

    async def _look(self, topic: Topic, message: str, turn: Turn, ctx: TurnContext) -> GeneralFacts:
        facts = GeneralFacts(
            topic=topic,
            intent=turn.intent,
            name=value_of(turn.profile, "name") or "",
            first_message=not turn.history,
        )
        found: dict[str, Any] = {}
        if topic in {"know_me", "my_rules", "forget_all"} and turn.temporary:
            found = {"store": "temporary"}
        elif topic in {"know_me", "my_rules"}:
            found = await _read(ctx)
        elif topic == "forget_all":
            found = await _forget(ctx)
        elif topic in {"catalogue", "sources"}:
            found = await _count(ctx)
        elif topic in {"capabilities", "command", "no_specialist"}:
            tried = message.split(maxsplit=1)[0][:40].replace("`", "") if topic == "command" else ""
            found = {"abilities": abilities(ctx.agents or find_agents()), "command": tried}
        elif topic == "knowledge" or topic in _ASKED:
            found = await _know(message, ctx, _ASKED.get(topic, (message,)))
        elif topic == "goodbye":
            found = {"profile": turn.profile}
        elif topic == "out_of_scope":
            found = {"outside": outside(message)}
        elif topic == "foreign":
            found = {"language": other_language(message) or ""}
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
    """Three things to ask that can be answered, fitted to what was talked of and to what is known of the user."""
    about_me: tuple[str, str, Intent] = ("What do you know about me?", "What do you know about me?", "general")
    tell: tuple[str, str, Intent] = ("Tell you about me", "What should I tell you about me?", "general")
    last = about_me if turn.profile else tell
    role = _talked_of(turn.history) or value_of(turn.profile, "title") or _by_skills(turn)
    if not role:
        return [
            ("Plan a job search", "How do I plan a job search?", "general"),
            ("Practise an interview", "Practise an interview with me", "interview_prep"),
            last,
        ]
    return [
        (f"Find {role} jobs", f"Find {role} jobs", "job_search"),
        ("See my skill gaps", f"Which skills am I missing for {role} jobs?", "skill_gap"),
        last,
    ]


def _talked_of(history: Sequence[PastMessage]) -> str:
    """The role that the newest typed result is about."""
    for past in reversed(history):
        for block in reversed(past.blocks):
            role = block.get(_ROLE_OF.get(str(block.get("type")), ""))
            if isinstance(role, str) and role and " at " not in role and not role.startswith("the "):
                return role[:_LONGEST_ROLE]
    return ""


def _by_skills(turn: Turn) -> str:
    known = any(fact.key == "skill" for fact in turn.profile)
    return likely_roles(turn.profile, packaged_vocabulary())[0] if known else ""


def _topic(message: str, turn: Turn) -> Topic:
    topic = topic_of(message)
    if topic == "bad_news" and seeks_advice(message):
        return "knowledge"
    if topic != "out_of_scope":
        return topic
    if turn.intent != "general":
        return "no_specialist"
    if not about_work(message):
        return "foreign" if other_language(message) else topic
    return "knowledge" if asks(message) or careful(message) else "statement"


async def _know(message: str, ctx: TurnContext, asked: Sequence[str]) -> dict[str, Any]:
    """What the guides say, and whether others must be asked. Of several questions each gets its best passage."""
    looked = await asyncio.gather(*(look_up(ctx, question) for question in asked))
    most = _MOST_QUOTED if len(asked) == 1 else 1
    found: dict[str, tuple[str, Passage]] = {}
    for question, each in zip(asked, looked, strict=True):
        for passage in fitting(question, each.passages, most):
            found.setdefault(passage.passage_id, (question, passage))
    unread = any(each.unsure for each in looked)
    return {
        "looked": "found" if found else "unavailable" if unread else "nothing",
        "passages": tuple(passage for _, passage in found.values()),
        "quotes": tuple(quote(n, passage, question) for n, (question, passage) in enumerate(found.values(), start=1)),
        "careful": careful(message),
        "sorry": topic_of(message) == "bad_news",
    }


async def _read(ctx: TurnContext) -> dict[str, Any]:
    match await ctx.call(ReadProfile, WholeProfile()):
        case Ok(profile):
            return {"store": "read", "profile": profile}
        case Empty():
            return {"store": "empty"}
        case Err("rejected"):
            return {"store": "off"}
        case Err():
            return {"store": "unavailable"}


async def _forget(ctx: TurnContext) -> dict[str, Any]:
    match await ctx.call(UpdateProfile, ProfileChange(everything=True)):
        case Ok(updated):
            return {
                "store": "read",
                "forgotten": updated.removed,
                "profile": updated.profile,
                "resume_erased": updated.resume_erased,
            }
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
                "sources": tuple(sorted(stats.by_source)),
                "newest": newest,
            }
        case Empty():
            return {"store": "empty", "postings": 0}
        case Err():
            return {"store": "unavailable"}
