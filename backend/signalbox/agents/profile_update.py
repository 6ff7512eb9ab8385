"""Keeps the profile: reads facts, wishes and hard rules out of a message, stores them and shows them back."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Final, Literal

from signalbox.agents.base import TurnContext
from signalbox.agents.profiles.text import ProfileFacts, compose
from signalbox.agents.searching.rules import read_own
from signalbox.agents.searching.wish import drops_condition
from signalbox.agents.talk.small_talk import Topic, topic_of
from signalbox.agents.turn import Answer, HandOver, Turn
from signalbox.agents.words.phrases import quick_replies, without_command
from signalbox.agents.words.profile_words import value_of
from signalbox.blocks import ProfileFact, ProfileUpdated
from signalbox.envelope import Intent
from signalbox.memory.conversation import PastMessage
from signalbox.memory.corrections import correction
from signalbox.memory.forgetting import asks_how_to_forget, wants_resume_erased, wants_undone, without_resume
from signalbox.memory.profile import NewFact
from signalbox.memory.statements import Statements, read
from signalbox.memory.taken_back import perhaps_taken_back
from signalbox.tools.erase_resume import EraseResume, EveryResume
from signalbox.tools.read_profile import ReadProfile, WholeProfile
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.undo_profile import NewestChange, UndoProfile
from signalbox.tools.update_profile import ProfileChange, Statement, UpdateProfile
from signalbox.tools.vocabulary import packaged_vocabulary

# "Forget that" right after a change takes it back; on its own it may mean anything.
_TAKE_BACK: Final = re.compile(
    r"^\W*(?:(?:please|ok|no|actually|sorry|wait)\W+)*(?:scrap|forget|remove|take back|delete)\s+"
    r"(?:(?:all )?(?:of )?(?:that|this|it)|(?:the|that|my) last (?:bit|one|thing|change|update))(?:\s+(?:again|"
    r"please|last bit|"
    r"change))*\W*$",
    re.IGNORECASE,
)
_POINTS_BACK: Final = re.compile(
    r"^\W*(?:(?:yes|yep|ok|please|and|also)\W+)*(?:keep|save|remember|store|note|add)\s+(?:that|this|it)"
    r"(?:\s+(?:for (?:next time|the future|later)|too|please|then|down|to my profile|in mind))*\W*$",
    re.IGNORECASE,
)
# What announces a fact without telling it.
_ANNOUNCED: Final = re.compile(
    r"^\W*(?:(?:ok|please|hi|hello|yes|so|can you|could you|i (?:want|would like|'d like) (?:you )?to)\W+)*"
    r"(?:(?:here(?:'s| is| are)|there(?:'s| is)|i have|remember|note|store|save|keep)\s+(?:something|some things?|"
    r"a few things|a fact|facts|this|that)(?:\s+(?:to|you (?:should|can))\s+(?:remember|know|note|store))?"
    r"|tell you|let me tell you(?: something)?)(?:\s+about (?:me|myself))?\W*$",
    re.IGNORECASE,
)


# "Something with animals, no weekends": what is looked for, and no rule of its writer's.
_WORK_WANTED: Final = re.compile(
    r"^\W*(?:(?:hi|hello|ok|please|maybe|perhaps|ideally|so|well|i(?:'d| would)? (?:like|love|want|need|fancy)|"
    r"i(?:'m| am) (?:after|looking for)|looking for|give me|how about)\b\W*)*"
    r"(?:(?:some|any)thing|(?:(?:an?|some|any)\s+)?(?:job|jobs|work|role|roles|position|positions))\s+"
    r"(?:(?:to do|working)\s+)?(?:with|involving|around|outdoors?|outside|for|as|in|near)\b",
    re.IGNORECASE,
)
_LIMITS: Final = frozenset({"exclude_term", "exclude_company", "work_time", "remote"})

# What is stored is listed elsewhere; a message that states nothing and asks for it is passed on.
_OF_GENERAL: Final[frozenset[Topic]] = frozenset({"know_me", "my_rules", "erase_all"})


class ProfileUpdateAgent:
    """Stores what the user says of themselves."""

    name: ClassVar[Intent] = "profile_update"
    label: ClassVar[str] = "Update my profile"
    when_to_use: ClassVar[str] = (
        "The user states something lasting about themselves: skills, title, experience, place, pay, wishes, limits."
    )
    examples: ClassVar[tuple[str, ...]] = (
        "I'm a data analyst with 4 years of experience in SQL and Python",
        "Remote only, at least £50k, no travel",
        "Forget my location",
    )
    instructions: ClassVar[str] = (
        "Show back exactly which facts were stored or removed, as the facts list them, and say how to undo it "
        '("undo that", or "forget ..."). If nothing was stored, say so and why: with outcome "off" the user has '
        'switched remembering off, and what was to be forgotten may still be stored. With outcome "undone", say that '
        "the added facts were brought back and the removed ones taken out again. With resume erased or lost, say that "
        "the CV is deleted and cannot be brought back. With asks_how, explain how to forget something and say that "
        "nothing was changed. If something was refused, say that the profile does not hold such data. If the facts "
        "count unread characters or facts left out, say that the rest of the message was not taken in and should be "
        "sent again."
    )

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        statements = await asyncio.to_thread(read_turn, turn)
        if _is_empty(statements) and topic_of(without_command(turn.message)) in _OF_GENERAL:
            return Answer(text="", hand_over=HandOver(to="general", reason="this asks what I have stored"))
        if _is_empty(statements) and read_own(without_command(turn.message), packaged_vocabulary()):
            # "Find me jobs, my skills are ...": it asks for more than to be stored.
            return Answer(text="", hand_over=HandOver(to="job_search", reason="you ask for jobs as well"))
        if _seeks_work(without_command(turn.message), statements):
            return Answer(text="", hand_over=HandOver(to="job_search", reason="you say what work you look for"))
        if await asyncio.to_thread(_is_of_the_search, turn, statements):
            return Answer(text="", hand_over=HandOver(to="job_search", reason="that is a condition of your search"))
        facts = await self._apply(turn, statements, ctx)
        rest = {
            "unread": statements.unread,
            "left_out": statements.left_out,
            "refused": statements.refused,
            "standing": await asyncio.to_thread(_standing, turn, statements),
        }
        facts = facts.model_copy(update=rest)
        if facts.added or facts.removed:
            await ctx.emit(ProfileUpdated(added=facts.added, removed=facts.removed, profile=facts.profile))
        answer = await ctx.reply(self, turn, facts, compose(facts), owed=True)
        title = value_of(facts.profile, "title")
        if facts.outcome == "stored" and title and not facts.everything_forgotten:
            await ctx.emit(
                quick_replies(
                    ctx.message_id,
                    "What next?",
                    [
                        ("Find matching jobs", f"Find {title} jobs"),
                        ("Skills I am missing", f"Which skills am I missing for {title} jobs?"),
                    ],
                )
            )
        return answer

    async def _apply(self, turn: Turn, statements: Statements, ctx: TurnContext) -> ProfileFacts:
        message = without_command(turn.message)
        asks_how = asks_how_to_forget(message)
        said = tuple(_unstored(fact) for fact in statements.add)
        if asks_how and _is_empty(statements):
            return ProfileFacts(outcome="asked", asks_how=True)
        if turn.temporary:
            return ProfileFacts(outcome="temporary", said=said, asks_how=asks_how)
        if _ANNOUNCED.match(message) and not said:
            return ProfileFacts(outcome="announced")
        if _is_empty(statements) and (back := _going_back(message, turn.history)):
            return await _undo(turn.history, ctx) if back == "undo" else ProfileFacts(outcome=back)
        facts = await _store(turn, statements, ctx)
        if statements.erase_resume:
            facts = await _erase_resume(facts, ctx)
        return facts.model_copy(update={"asks_how": asks_how})


async def _store(turn: Turn, statements: Statements, ctx: TurnContext) -> ProfileFacts:
    if not statements.add and not statements.remove and not statements.forget_all:
        return await _nothing_stored(turn, statements, ctx)
    said = tuple(_unstored(fact) for fact in statements.add)
    result = await ctx.call(UpdateProfile, change_of(statements))
    match result:
        case Ok(updated):
            return ProfileFacts(
                outcome="stored",
                added=updated.added,
                removed=updated.removed,
                profile=updated.profile,
                unknown=statements.unknown,
                everything_forgotten=statements.forget_all,
                resume="erased" if updated.resume_erased else "untouched",
                not_remembered=() if updated.remembering else said,
            )
        case Empty():
            return ProfileFacts(
                outcome="known",
                said=said,
                unknown=statements.unknown,
                profile=turn.profile,
                everything_forgotten=statements.forget_all,
            )
        case Err("rejected"):
            return ProfileFacts(outcome="off", said=said)
        case Err():
            return ProfileFacts(outcome="failed", said=said, everything_forgotten=statements.forget_all)


async def _nothing_stored(turn: Turn, statements: Statements, ctx: TurnContext) -> ProfileFacts:
    """What is not in a profile was never stored, unless the profile was not there to look in."""
    if statements.unknown and not turn.profile:
        match await ctx.call(ReadProfile, WholeProfile()):
            case Err("rejected"):
                return ProfileFacts(outcome="off", unknown=statements.unknown)
            case Err():
                return ProfileFacts(outcome="failed", unknown=statements.unknown)
            case _:
                pass
    return ProfileFacts(outcome="nothing", unknown=statements.unknown)


async def _erase_resume(facts: ProfileFacts, ctx: TurnContext) -> ProfileFacts:
    """``facts`` with what became of the CV."""
    match await ctx.call(EraseResume, EveryResume()):
        case Ok(erased):
            return facts.model_copy(
                update={
                    "outcome": "stored" if erased.removed and facts.outcome == "nothing" else facts.outcome,
                    "removed": (*facts.removed, *erased.removed),
                    "profile": erased.profile,
                    "resume": "erased",
                }
            )
        case Empty():
            return facts.model_copy(update={"resume": "none"})
        case Err():
            return facts.model_copy(update={"resume": "failed"})


async def _undo(history: Sequence[PastMessage], ctx: TurnContext) -> ProfileFacts:
    if _only_erased_a_resume(history):
        return ProfileFacts(outcome="nothing_to_undo", resume="lost")
    match await ctx.call(UndoProfile, NewestChange()):
        case Ok(undone):
            return ProfileFacts(
                outcome="undone",
                added=undone.restored,
                removed=undone.removed,
                profile=undone.profile,
                resume="lost" if undone.resume_lost else "untouched",
            )
        case Empty():
            return ProfileFacts(outcome="nothing_to_undo")
        case Err():
            return ProfileFacts(outcome="failed", undoing=True)


def change_of(statements: Statements) -> ProfileChange:
    """``statements`` as the tool takes them."""
    return ProfileChange(
        add=tuple(Statement(kind=f.kind, key=f.key, value=f.value, pinned=f.pinned) for f in statements.add),
        remove=tuple(Statement(kind=f.kind, key=f.key, value=f.value) for f in statements.remove),
        everything=statements.forget_all,
    )


def read_turn(turn: Turn) -> Statements:
    """What the message says of its writer. "Keep that" reads the message before, "actually 12 years" corrects it."""
    message = without_command(turn.message)
    if _ANNOUNCED.match(message) or _TAKE_BACK.match(message) or wants_undone(message):
        return Statements()
    if _POINTS_BACK.match(message):
        before = next((past.content for past in reversed(turn.history) if past.role == "user"), "")
        return read(without_command(before), turn.profile, packaged_vocabulary())
    if corrected := correction(message, _said_last(turn)):
        return Statements(add=corrected)
    return read(message, turn.profile, packaged_vocabulary())


def _seeks_work(message: str, statements: Statements) -> bool:
    """Whether it says which work is wanted and within what limits, and the profile would keep the limits alone."""
    limits = bool(statements.add) and all(fact.key in _LIMITS and not fact.pinned for fact in statements.add)
    return limits and _WORK_WANTED.match(message) is not None and not statements.remove


def _is_of_the_search(turn: Turn, statements: Statements) -> bool:
    """Whether what is to go is in no profile, but a condition of the search just made."""
    if not statements.unknown or replace(statements, unknown=()) != Statements():
        return False
    return drops_condition(without_command(turn.message), turn.history, turn.today, packaged_vocabulary())


def _standing(turn: Turn, statements: Statements) -> tuple[ProfileFact, ...]:
    """The rules that the message may loosen and that nothing it says replaces or takes out."""
    touched = {fact.key for fact in (*statements.add, *statements.remove)}
    rules = perhaps_taken_back(without_command(turn.message), turn.profile)
    return tuple(rule for rule in rules if rule.key not in touched)


def _is_empty(statements: Statements) -> bool:
    return not (
        statements.add
        or statements.remove
        or statements.unknown
        or statements.forget_all
        or statements.erase_resume
        or statements.refused
    )


def _going_back(message: str, history: Sequence[PastMessage]) -> Literal["undo", "which"] | None:
    if wants_undone(message):
        return "undo"
    if not _TAKE_BACK.match(message):
        return None
    last = next((past for past in reversed(history) if past.role == "assistant"), None)
    return "undo" if last is not None and _changed(last) else "which"


def _only_erased_a_resume(history: Sequence[PastMessage]) -> bool:
    """Whether the message before had the CV deleted and nothing else: there is no way back from that, and to take back
    the change before it is not what "undo" means then.
    """
    said = next((without_command(past.content) for past in reversed(history) if past.role == "user"), "")
    last = next((past for past in reversed(history) if past.role == "assistant"), None)
    return (
        last is not None and last.agent == "profile_update" and wants_resume_erased(said) and not without_resume(said)
    )


def _said_last(turn: Turn) -> tuple[NewFact, ...]:
    """The facts of the newest change in this conversation; years of experience are remembered for longer."""
    newest = next((facts for past in reversed(turn.history) if (facts := _changed(past))), ())
    known = [NewFact(fact.kind, fact.key, fact.value) for fact in turn.profile if fact.key == "years"]
    return (*newest, *(fact for fact in known if not any(fact.key == new.key for new in newest)))


def _changed(past: PastMessage) -> tuple[NewFact, ...]:
    """What a message added to the profile or took from it."""
    return tuple(
        NewFact(fact.kind, fact.key, fact.value)
        for block in past.blocks
        if block.get("type") == "profile_updated"
        for part in ("added", "removed")
        for fact in map(ProfileFact.model_validate, block.get(part) or ())
    )


def _unstored(fact: NewFact) -> ProfileFact:
    return ProfileFact(fact_id="", kind=fact.kind, key=fact.key, value=fact.value)
