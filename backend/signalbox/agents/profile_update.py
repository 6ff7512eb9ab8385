"""Keeps the profile: reads facts, wishes and hard rules out of a message, stores them and shows them back."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any, ClassVar, Final, Literal

from signalbox.agents.base import Answer, Facts, Turn, TurnContext
from signalbox.agents.words.phrases import listed, plain, quick_replies, without_command
from signalbox.agents.words.profile_words import how_to_forget, profile_lines, value_of
from signalbox.blocks import ProfileFact, ProfileUpdated
from signalbox.envelope import Intent
from signalbox.memory.conversation import PastMessage
from signalbox.memory.profile import SINGLE, NewFact
from signalbox.memory.statements import MAX_FACTS, Statements, read
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.update_profile import ProfileChange, Statement, UpdateProfile
from signalbox.tools.vocabulary import packaged_vocabulary

_UNDO: Final = re.compile(
    r"^\W*(?:(?:please|ok|no|actually|sorry|wait)\W+)*(?:undo|revert|scrap|forget|remove|take back|delete)\s+"
    r"(?:that|this|it|(?:the|that|my) last (?:bit|one|thing|change|update))(?:\s+(?:again|please|last bit|"
    r"change))*\W*$|^\W*undo\W*$",
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
_POSSESSIVE: Final = re.compile(r"^(?:my|the)\s+", re.IGNORECASE)

Outcome = Literal["stored", "known", "nothing", "announced", "temporary", "failed"]


class ProfileFacts(Facts):
    """``unknown``: what was to be forgotten and was never stored. ``said``: read, but not stored (``temporary``
    and ``failed``). ``unread`` and ``left_out`` are what a long message said beyond what is taken in, in characters and
    in facts.
    """

    outcome: Outcome
    added: tuple[ProfileFact, ...] = ()
    removed: tuple[ProfileFact, ...] = ()
    profile: tuple[ProfileFact, ...] = ()
    said: tuple[ProfileFact, ...] = ()
    unknown: tuple[str, ...] = ()
    everything_forgotten: bool = False
    unread: int = 0
    left_out: int = 0


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
        '("undo that", or "forget ..."). If nothing was stored, say so and why. '
        "If the facts count unread "
        "characters or facts left out, say that the rest of the message was not taken in and should be sent again."
    )

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        statements = await asyncio.to_thread(read_turn, turn)
        facts = await self._apply(turn, statements, ctx)
        facts = facts.model_copy(update={"unread": statements.unread, "left_out": statements.left_out})
        if facts.outcome == "stored":
            await ctx.emit(ProfileUpdated(added=facts.added, removed=facts.removed, profile=facts.profile))
        answer = await ctx.reply(self, turn, facts, compose(facts))
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
        said = tuple(_unstored(fact) for fact in statements.add)
        if not turn.temporary and _ANNOUNCED.match(without_command(turn.message)) and not said:
            return ProfileFacts(outcome="announced")
        if turn.temporary:
            return ProfileFacts(outcome="temporary", said=said)
        if not statements.add and not statements.remove and not statements.forget_all:
            return ProfileFacts(outcome="nothing", unknown=statements.unknown)
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
                )
            case Empty():
                return ProfileFacts(outcome="known", said=said, unknown=statements.unknown, profile=turn.profile)
            case Err():
                return ProfileFacts(outcome="failed", said=said)


def change_of(statements: Statements) -> ProfileChange:
    """``statements`` as the tool takes them."""
    return ProfileChange(
        add=tuple(Statement(kind=f.kind, key=f.key, value=f.value) for f in statements.add),
        remove=tuple(Statement(kind=f.kind, key=f.key, value=f.value) for f in statements.remove),
        everything=statements.forget_all,
    )


def read_turn(turn: Turn) -> Statements:
    """What the message says of its writer. "Undo that" takes back the last change, "keep that" reads the
    message before.
    """
    message = without_command(turn.message)
    if _UNDO.match(message) and (last := _last_change(turn.history)):
        return last
    if _POINTS_BACK.match(message):
        before = next((past.content for past in reversed(turn.history) if past.role == "user"), "")
        return read(without_command(before), turn.profile, packaged_vocabulary())
    return Statements() if _ANNOUNCED.match(message) else read(message, turn.profile, packaged_vocabulary())


def compose(facts: ProfileFacts) -> str:
    """The reply as the template words it, in Markdown."""
    return "\n\n".join(part for part in (_outcome(facts), _not_taken_in(facts)) if part)


def _not_taken_in(facts: ProfileFacts) -> str:
    """What a message held beyond what one message may say: dropping it in silence would be a lie."""
    parts: list[str] = []
    if facts.unread:
        parts.append(
            f"Your message was too long to read whole: the last {facts.unread:,} characters were **not read**. "
            "Please send that part as a message of its own."
        )
    if facts.left_out:
        parts.append(
            f"I take in at most {MAX_FACTS} facts from one message, so {facts.left_out} more were **not stored**. "
            "Please send those again."
        )
    return "\n\n".join(parts)


def _outcome(facts: ProfileFacts) -> str:
    match facts.outcome:
        case "stored":
            return _stored(facts)
        case "temporary":
            text = "This is a temporary chat, so I store nothing from it."
            if facts.said:
                text += " Say it in a normal chat and I will remember:\n" + "\n".join(profile_lines(facts.said))
            return text
        case "failed":
            text = (
                "I could not reach your profile just now, so **nothing was stored**. Please send that again in a "
                "moment."
            )
            return f"{text} I would have noted:\n" + "\n".join(profile_lines(facts.said)) if facts.said else text
        case "known":
            text = "That is already in your profile, so there was nothing to change"
            return f"{text}:\n" + "\n".join(profile_lines(facts.said)) if facts.said else f"{text}."
        case "announced":
            return (
                "Gladly. What should I remember? Tell me, for example, your title, years of experience, skills, where "
                "you live, the least pay you would accept, or what I should never show you."
            )
        case "nothing":
            return _nothing(facts)


def _stored(facts: ProfileFacts) -> str:
    if facts.everything_forgotten:
        return "\n".join(["Done. I have forgotten everything I knew about you:", *profile_lines(facts.removed)])
    replaced = [old for old in facts.removed if _replacement(old, facts.added)]
    gone = [old for old in facts.removed if old not in replaced]
    parts: list[str] = []
    if facts.added:
        parts.append("\n".join(["Noted. This is now in your profile:", *profile_lines(facts.added)]))
    if replaced:
        parts.append("\n".join(["It replaces:", *profile_lines(replaced)]))
    if gone:
        parts.append("\n".join(["I have forgotten:", *profile_lines(gone)]))
    if facts.unknown:
        parts.append(_never_stored(facts.unknown))
    if any(fact.key == "note" for fact in facts.added):
        parts.append("Notes are kept word for word; I can read them back to you but not filter jobs by them.")
    if facts.added:
        ways = list(dict.fromkeys(["undo that", how_to_forget(facts.added[0])]))
        parts.append(f"To undo it, say {listed([f'“{way}”' for way in ways], 'or')}.")
    else:
        parts.append("If that was too much, say “undo that”.")
    return "\n\n".join(parts)


def _nothing(facts: ProfileFacts) -> str:
    if facts.unknown:
        return f"{_never_stored(facts.unknown)} Ask “what do you know about me?” to see all that I have stored."
    return (
        "I found nothing in that message to store. Tell me, for example, your title, years of experience, skills, "
        "where you live, the least pay you would accept, or what I should never show you."
    )


def _never_stored(things: Sequence[str]) -> str:
    named = listed([f"“{plain(_POSSESSIVE.sub('', thing))}”" for thing in things], "or")
    return f"I had nothing stored about {named}, so there was nothing to forget there."


def _replacement(old: ProfileFact, added: Sequence[ProfileFact]) -> bool:
    return old.key in SINGLE and any(new.key == old.key for new in added)


def _unstored(fact: NewFact) -> ProfileFact:
    return ProfileFact(fact_id="", kind=fact.kind, key=fact.key, value=fact.value)


def _last_change(history: Sequence[PastMessage]) -> Statements | None:
    """The newest change of the profile in this conversation, turned round."""
    for past in reversed(history):
        for block in past.blocks:
            if block.get("type") == "profile_updated":
                added, removed = _facts(block.get("added")), _facts(block.get("removed"))
                return Statements(add=removed, remove=added)
    return None


def _facts(rows: Any) -> tuple[NewFact, ...]:
    facts = [ProfileFact.model_validate(row) for row in rows or ()]
    return tuple(NewFact(fact.kind, fact.key, fact.value) for fact in facts)
