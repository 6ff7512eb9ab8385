"""What came of a message about oneself, and the words for it."""

import re
from collections.abc import Sequence
from typing import Final, Literal

from signalbox.agents.turn import Facts
from signalbox.agents.words.phrases import listed, plain
from signalbox.agents.words.profile_words import HOW_TO_FORGET, how_to_forget, profile_lines
from signalbox.agents.words.rules_told import held_to, no_longer_held_to
from signalbox.blocks import ProfileFact
from signalbox.memory.profile import SINGLE
from signalbox.memory.statements import MAX_FACTS

_POSSESSIVE: Final = re.compile(r"^(?:my|the)\s+", re.IGNORECASE)

Outcome = Literal[
    "stored",
    "known",
    "nothing",
    "announced",
    "temporary",
    "off",
    "failed",
    "undone",
    "nothing_to_undo",
    "which",
    "asked",
]
# ``erased`` now, ``none`` to erase, ``failed`` to erase, ``lost``: erased earlier, so it cannot come back.
ResumeOutcome = Literal["untouched", "erased", "none", "failed", "lost"]


class ProfileFacts(Facts):
    """``unknown``: what was to be forgotten and was never stored. ``said``: read, but not stored (``temporary``
    and ``failed``). ``unread`` and ``left_out`` are what a long message said beyond what is taken in, in characters and
    in facts. With ``undone``, ``added`` came back and ``removed`` went again. ``asks_how``: the message asks how
    something is forgotten; ``undoing``: an undo failed. ``off``: the user has switched remembering off; then something
    may have been removed, and ``not_remembered`` is what was said beside it. ``refused``: contact data and secrets, in
    words, which no profile holds. ``standing``: hard rules that the message may have meant to loosen, and that stand.
    """

    outcome: Outcome
    added: tuple[ProfileFact, ...] = ()
    removed: tuple[ProfileFact, ...] = ()
    profile: tuple[ProfileFact, ...] = ()
    said: tuple[ProfileFact, ...] = ()
    unknown: tuple[str, ...] = ()
    everything_forgotten: bool = False
    resume: ResumeOutcome = "untouched"
    asks_how: bool = False
    undoing: bool = False
    unread: int = 0
    left_out: int = 0
    not_remembered: tuple[ProfileFact, ...] = ()
    refused: tuple[str, ...] = ()
    standing: tuple[ProfileFact, ...] = ()


def compose(facts: ProfileFacts) -> str:
    """The reply as the template words it, in Markdown."""
    how = HOW_TO_FORGET if facts.asks_how else ""
    parts = (_outcome(facts), _standing(facts), _resume(facts), how, _not_taken_in(facts))
    return "\n\n".join(part for part in parts if part)


def _standing(facts: ProfileFacts) -> str:
    """What was said beside a rule changes nothing of it: whoever meant otherwise must know."""
    if not facts.standing or facts.outcome not in {"stored", "known", "nothing"}:
        return ""
    ways = listed([f"“{how_to_forget(rule)}”" for rule in facts.standing], "or")
    return f"I still hold you to {held_to(facts.standing, facts.profile)}. If that is over, say {ways}."


def _not_taken_in(facts: ProfileFacts) -> str:
    """What a message held beyond what one message may say: dropping it in silence would be a lie."""
    parts: list[str] = []
    if facts.refused:
        parts.append(
            f"I do not keep {listed(facts.refused)} in your profile, so I left that out. Your message itself stays in "
            "this conversation until you delete it."
        )
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


def _resume(facts: ProfileFacts) -> str:
    match facts.resume:
        case "untouched":
            return ""
        case "erased":
            also = (
                ""
                if facts.outcome == "nothing" or facts.everything_forgotten
                else " What only it had said is gone too."
            )
            return (
                f"Your **CV is deleted**, older versions included.{also} That cannot be undone: to use a CV again, "
                f"upload "
                "or paste it."
            )
        case "none":
            return "I have no CV of yours stored, so there was none to delete."
        case "failed":
            return "I could not reach your CV just now, so it was **not deleted**. Please ask again in a moment."
        case "lost":
            return "Your CV was deleted for good and cannot be brought back. To use a CV again, upload or paste it."


def _outcome(facts: ProfileFacts) -> str:  # noqa: C901, PLR0911 - one return an outcome
    match facts.outcome:
        case "stored":
            return _stored(facts)
        case "undone":
            return _undone(facts)
        case "nothing_to_undo":
            return "" if facts.resume == "lost" else "There is no change of your profile left to undo."
        case "which":
            return (
                "What should I forget? Name it, as in “forget my location”, or say “undo” to take back the last change."
            )
        case "asked":
            return ""
        case "temporary":
            text = "This is a temporary chat, so I store nothing from it and leave your profile as it is."
            if facts.said:
                text += " Say it in a normal chat and I will remember:\n" + "\n".join(profile_lines(facts.said))
            return text
        case "off":
            return _switched_off(facts.said) if facts.said or not facts.unknown else _not_looked_up(facts.unknown)
        case "failed":
            return _failed(facts)
        case "known":
            return _known(facts)
        case "announced":
            return (
                "Gladly. What should I remember? Tell me, for example, your title, years of experience, skills, where "
                "you live, the least pay you would accept, or what I should never show you."
            )
        case "nothing":
            return _nothing(facts)


def _failed(facts: ProfileFacts) -> str:
    text = "I could not reach your profile just now, so **nothing was stored**. Please send that again in a moment."
    if facts.undoing or facts.everything_forgotten:
        text = "I could not reach your profile just now, so **nothing was changed**. Please ask again in a moment."
    return f"{text} I would have noted:\n" + "\n".join(profile_lines(facts.said)) if facts.said else text


def _known(facts: ProfileFacts) -> str:
    if facts.everything_forgotten:
        return "There was nothing to forget: your profile is empty."
    if not facts.said:
        return "Your profile no longer holds that, so there was nothing to change."
    return "That is already in your profile, so there was nothing to change:\n" + "\n".join(profile_lines(facts.said))


def _stored(facts: ProfileFacts) -> str:
    if facts.everything_forgotten:
        lines = profile_lines(facts.removed)
        done = "Done. I have forgotten everything I knew about you" + (":" if lines else ".")
        kept = [fact for fact in facts.removed if fact.key != "resume"]
        return "\n".join([done, *lines]) + ("\n\nIf that was too much, say “undo”." if kept else "")
    parts = _changes(facts)
    if facts.unknown:
        parts.append(_never_stored(facts.unknown))
    if facts.not_remembered:
        parts.append(_switched_off(facts.not_remembered))
    if any(fact.key == "note" for fact in facts.added):
        parts.append("Notes are kept word for word; I can read them back to you but not filter jobs by them.")
    if facts.added:
        ways = list(dict.fromkeys(["undo that", how_to_forget(facts.added[0])]))
        parts.append(f"To undo it, say {listed([f'“{way}”' for way in ways], 'or')}.")
    elif facts.resume != "erased":
        parts.append("If that was too much, say “undo that”.")
    return "\n\n".join(parts)


def _changes(facts: ProfileFacts) -> list[str]:
    """What went and what came, a paragraph each."""
    replaced = [old for old in facts.removed if _replacement(old, facts.added)]
    gone = [old for old in facts.removed if old not in replaced]
    lifted = [old for old in gone if old.kind == "constraint"]
    forgotten = [old for old in gone if old not in lifted]
    parts: list[str] = []
    if lifted:
        parts.append(no_longer_held_to(lifted, (*facts.removed, *facts.profile)))
    if facts.added:
        parts.append("\n".join(["Noted. This is now in your profile:", *_lines(facts.added, facts.profile)]))
    if replaced:
        parts.append("\n".join(["It replaces:", *_lines(replaced, facts.profile)]))
    if forgotten:
        parts.append("\n".join(["I have forgotten:", *profile_lines(forgotten)]))
    return parts


def _lines(told: Sequence[ProfileFact], profile: Sequence[ProfileFact]) -> list[str]:
    """As ``profile_lines``; pay keeps the currency that the profile holds already."""
    keys = {fact.key for fact in told}
    currency = [fact for fact in profile if fact.key == "currency"] if "salary_min" in keys - {"currency"} else []
    return profile_lines([*told, *(currency if "currency" not in keys else [])])


def _switched_off(said: Sequence[ProfileFact]) -> str:
    return (
        "You have switched remembering off, so I store nothing about you and use nothing that was stored before. "
        "Switch it on in your privacy settings, and then I will remember:\n" + "\n".join(profile_lines(said))
    )


def _not_looked_up(things: Sequence[str]) -> str:
    return (
        f"You have switched remembering off, so I do not look into what is stored about you and **removed nothing**: "
        f"{_named(things)} may still be stored. Forget it in your privacy settings, which show all that there is, or "
        "switch remembering on and ask again."
    )


def _undone(facts: ProfileFacts) -> str:
    parts: list[str] = []
    if facts.added:
        parts.append("\n".join(["Undone. I have brought back:", *profile_lines(facts.added)]))
    if facts.removed:
        gone = "Taken out again:" if facts.added else "Undone. I have taken out again:"
        parts.append("\n".join([gone, *profile_lines(facts.removed)]))
    if not parts:
        parts.append("Undone, though nothing in your profile had to change for it.")
    parts.append("Say “undo” once more to take back the change before that one.")
    return "\n\n".join(parts)


def _nothing(facts: ProfileFacts) -> str:
    if facts.refused:
        return ""
    if facts.unknown:
        return f"{_never_stored(facts.unknown)} Ask “what do you know about me?” to see all that I have stored."
    if facts.resume != "untouched":
        return ""
    return (
        "I found nothing in that message to store. Tell me, for example, your title, years of experience, skills, "
        "where you live, the least pay you would accept, or what I should never show you."
    )


def _never_stored(things: Sequence[str]) -> str:
    return f"I had nothing stored about {_named(things)}, so there was nothing to forget there."


def _named(things: Sequence[str]) -> str:
    return listed([f"“{plain(_POSSESSIVE.sub('', thing))}”" for thing in things], "or")


def _replacement(old: ProfileFact, added: Sequence[ProfileFact]) -> bool:
    return old.key in SINGLE and any(new.key == old.key for new in added)
