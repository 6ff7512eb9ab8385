"""Hard rules in words, as what somebody is held to: "remote only", "no weekends"."""

from collections.abc import Iterable, Sequence
from typing import Final

from signalbox.agents.words.phrases import listed, plain
from signalbox.agents.words.profile_words import shown
from signalbox.blocks import ProfileFact

_WORDED: Final = {
    "location": "{} only",
    "work_time": "{} only",
    "salary_min": "at least {}",
    "exclude_term": "no {}",
    "exclude_company": "nothing from {}",
    "seniority_min": "{} level or above",
    "company_size_min": "companies of at least {}",
    "company_size_max": "companies of at most {}",
    "office_days": "{} days in the office",
}
_NO_MOVE: Final = {"no": "not relocating", "yes": "relocating"}


def no_longer_held_to(rules: Sequence[ProfileFact], profile: Iterable[ProfileFact]) -> str:
    """``profile`` lends the currency to pay."""
    return f"I no longer hold you to {held_to(rules, profile)}."


def held_to(rules: Sequence[ProfileFact], profile: Iterable[ProfileFact]) -> str:
    return listed([_held_to(rule, tuple(profile)) for rule in rules], "or")


def _held_to(rule: ProfileFact, profile: Iterable[ProfileFact]) -> str:
    value = shown(rule, profile).removesuffix(" (a hard rule)")
    if rule.key == "relocation":
        return _NO_MOVE.get(rule.value, value)
    if rule.key == "note":
        return f"“{plain(rule.value)}”"
    return _WORDED.get(rule.key, "{}").format(value)
