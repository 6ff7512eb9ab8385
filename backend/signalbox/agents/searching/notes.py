"""How a search was understood, where a reader could not tell: mended words, places of one name, distances, rules."""

from collections.abc import Sequence
from typing import Final

from pydantic import Field

from signalbox.agents.turn import Facts
from signalbox.agents.words.phrases import listed, plain
from signalbox.retrieval.fit.limits import LIMIT_WORDS, LimitName

# Above it nobody wants the numbers of what they do not see.
_COUNTED: Final = 50


class LeftOut(Facts):
    limit: LimitName
    postings: int


class Understood(Facts):
    """``read``: what was typed and what it was taken for. ``language``: what the message is in, if not English.
    ``placed``: in which country a place was looked for whose name others bear too. ``lent``: the role that an earlier
    answer was about. ``dropped``: the conditions left out at the last answer's offer. ``kept``: rules stored for good,
    ``not_kept``: what could not be stored, though it holds here; ``not_remembered``: what is not stored since the user
    has switched remembering off. ``learned``: what the message said of its writer and the profile did not hold;
    ``passing``: the same in a temporary chat, which keeps nothing. ``lifted``: in words, the rules that the message
    took back for good; ``lifted_here``: those it could take back for this search alone. ``starts``: when the job is to
    begin, in the user's words.
    """

    read: tuple[tuple[str, str], ...] = ()
    language: str | None = None
    distance: bool = False
    homeless: bool = False
    placed: dict[str, str] = Field(default_factory=dict)
    lent: str | None = None
    dropped: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    not_kept: tuple[str, ...] = ()
    not_remembered: tuple[str, ...] = ()
    learned: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()
    lifted: str = ""
    lifted_here: str = ""
    starts: str | None = None


def said_first(understood: Understood) -> str:
    """What stands above the answer."""
    notes = _lifted(understood)
    if understood.language:
        notes.append(
            f"I only understand English well. Your message seems to be in {understood.language}: I tried it word by "
            "word, and I find more if you write it in English."
        )
    if understood.read:
        notes.append(f"I read {listed([f'“{plain(typed)}” as “{plain(meant)}”' for typed, meant in understood.read])}.")
    if understood.lent:
        notes.append(f"I took “{plain(understood.lent)}”, which we spoke of last, as the work to look for.")
    if understood.kept:
        notes.append(f"I will keep to this from now on: {listed(understood.kept)}. Say “undo that” to take it back.")
    if understood.learned:
        notes.append(f"I noted this about you: {_each(understood.learned)}. Say “undo that” to take it back.")
    if understood.passing:
        notes.append(
            f"I go by what you say of yourself ({_each(understood.passing)}); this temporary chat keeps none of it."
        )
    if understood.not_remembered:
        notes.append(
            "This holds for this search only, as you have switched remembering off: "
            f"{listed(understood.not_remembered)}."
        )
    if understood.not_kept:
        notes.append(
            f"This holds for this search only, as I could not store it in your profile: {listed(understood.not_kept)}."
        )
    return " ".join(notes)


def _lifted(understood: Understood) -> list[str]:
    if understood.lifted:
        return [f"I no longer hold you to {understood.lifted}. Say “undo that” to take it back."]
    if understood.lifted_here:
        return [
            (
                f"I do not hold you to {understood.lifted_here} in this search. I could not change your profile just "
                "now, so the rule still stands there: please say it again in a moment."
            )
        ]
    return []


def _each(told: Sequence[str]) -> str:
    return "; ".join(map(plain, told))


def said_last(understood: Understood) -> str:
    """What stands below a list."""
    notes = [
        f"I took {plain(place)} to be the one in {_with_article(country)}; name the state or country to look elsewhere."
        for place, country in understood.placed.items()
    ]
    if understood.homeless:
        notes.append("I do not know where you live, so I looked everywhere; tell me your town for postings near you.")
    elif understood.distance:
        notes.append("I cannot measure distances: these name the place itself, so nearby towns may be missing.")
    if understood.starts:
        notes.append(
            f"I cannot search by when a job begins (“{plain(understood.starts)}”): look for that in the postings."
        )
    return " ".join(notes)


def _with_article(country: str) -> str:
    return f"the {country}" if country.startswith(("United ", "Netherlands", "Philippines")) else country


def left_out_text(left_out: Sequence[LeftOut]) -> str:
    """The numbers by rule; many are told as many."""
    return listed([f"{_number(left.postings)} {LIMIT_WORDS[left.limit]}" for left in left_out])


def _number(postings: int) -> str:
    return f"{postings:,}" if postings <= _COUNTED else "many"
