"""A profile in words: how each kind of fact is called and shown."""

from collections.abc import Iterable, Sequence
from typing import Final

from signalbox.agents.words.phrases import money, plain
from signalbox.blocks import ProfileFact
from signalbox.memory.profile import SINGLE

# In the order in which they are shown.
LABELS: Final = {
    "name": "Name",
    "title": "Title",
    "seniority": "Level",
    "years": "Years of experience",
    "skill": "Skills",
    "language": "Languages",
    "certificate": "Certificates",
    "location": "Location",
    "remote": "Remote work",
    "office_days": "Days in the office",
    "relocation": "Would relocate",
    "work_time": "Working time",
    "salary_min": "Least pay",
    "seniority_min": "Least level",
    "company_size_min": "Least company size",
    "company_size_max": "Largest company size",
    "exclude_company": "Never show these companies",
    "exclude_term": "Never show anything with",
    "note": "Notes",
}
_REMOTE: Final = {
    "only": "remote only",
    "no": "on site only",
    "preferred": "remote preferred",
    "hybrid": "hybrid preferred",
    "on-site": "on site preferred",
}
# What has no value that one could name to have it forgotten.
_NO_NAME: Final = frozenset({"note", "office_days", "relocation"})
_KINDS: Final = {"preference": " (a preference)", "constraint": " (a hard rule)", "fact": ""}
_SIZES: Final = frozenset({"company_size_min", "company_size_max"})
_MARKED: Final = frozenset({"title", "location", "salary_min", "work_time", "office_days", "relocation", *_SIZES})
# How limits are called by who wants them forgotten.
_FORGET: Final = {
    "salary_min": "salary",
    "remote": "remote setting",
    "seniority_min": "least level",
    "company_size_min": "company size",
    "company_size_max": "company size",
}
HOW_TO_FORGET: Final = (
    "You can take things out whenever you like; asking how changes nothing:\n"
    "- **One thing:** “forget my location”, “forget the salary rule” or “forget Excel”.\n"
    "- **All of it:** “forget everything about me”. That deletes your CV too.\n"
    "- **Only your CV:** “delete my CV”.\n\n"
    "“Undo” brings back the last thing that was forgotten, and said again the one before. A CV that was deleted "
    "cannot be "
    "brought back. “What do you know about me?” lists what is stored."
)


def value_of(profile: Iterable[ProfileFact], key: str) -> str | None:
    return next((fact.value for fact in profile if fact.key == key), None)


def values_of(profile: Iterable[ProfileFact], key: str) -> tuple[str, ...]:
    return tuple(fact.value for fact in profile if fact.key == key)


def profile_lines(facts: Sequence[ProfileFact]) -> list[str]:
    """A Markdown list of ``facts``, one line a label, notes one line each."""
    keys = [*LABELS, *sorted({fact.key for fact in facts} - set(LABELS) - {"currency"})]
    lines: list[str] = []
    for key in keys:
        kept = [fact for fact in facts if fact.key == key]
        if key == "note":
            lines += [f"- **Note:** “{plain(fact.value, 500)}”" for fact in kept]
        elif kept:
            label = LABELS.get(key, plain(key.replace("_", " ").capitalize()))
            lines.append(f"- **{label}:** {', '.join(shown(fact, facts) for fact in kept)}")
    currency = value_of(facts, "currency")
    if currency and not any(fact.key == "salary_min" for fact in facts):
        lines.append(f"- **Currency:** {plain(currency)}")
    return lines


def shown(fact: ProfileFact, facts: Iterable[ProfileFact]) -> str:
    """The value of one fact as people say it; ``facts`` lend the currency to a salary."""
    text = plain(fact.value, 200)
    if fact.key == "remote":
        text = _REMOTE.get(fact.value, text)
    elif fact.key in _SIZES and fact.value.isdecimal():
        text = f"{int(fact.value):,} people"
    elif fact.key == "salary_min" and fact.value.replace(".", "", 1).isdigit():
        text = f"{money(float(fact.value), value_of(facts, 'currency'))} a year"
    return text + (_KINDS[fact.kind] if fact.key in _MARKED else "")


def how_to_forget(fact: ProfileFact) -> str:
    """What to say to have ``fact`` forgotten."""
    if fact.key in SINGLE or fact.key in _FORGET:
        return f"forget my {_FORGET.get(fact.key, fact.key)}"
    return "undo that" if fact.key in _NO_NAME else f"forget {plain(fact.value)}"
