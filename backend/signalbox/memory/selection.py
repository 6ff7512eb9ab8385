"""Which facts of a profile a prompt is told: what must never be missing, then what matters most for this message. Pure.

The weights say only which of two facts goes first when there is not room for all.
"""

import re
from collections.abc import Sequence
from datetime import date
from typing import Final

from signalbox.blocks import ProfileFact

# How much a kind of fact tells of its user when nothing speaks for another.
_IMPORTANCE: Final = {
    "name": 1.0, "title": 1.0, "years": 0.9, "seniority": 0.8, "location": 0.9, "resume": 0.8, "remote": 0.8,
    "salary_min": 0.8, "currency": 0.7, "work_time": 0.7, "relocation": 0.6, "office_days": 0.6, "certificate": 0.6,
    "language": 0.5, "skill": 0.5, "note": 0.4,
}  # fmt: skip
_ORDINARY: Final = 0.5
_RELEVANCE_WEIGHT: Final = 0.5
_IMPORTANCE_WEIGHT: Final = 0.35
_RECENCY_WEIGHT: Final = 0.15
_HALF_LIFE_DAYS: Final = 180.0
# What would do harm if it were forgotten: health, needs at work, the right to work, protection.
_SAFETY: Final = re.compile(
    r"\b(?:allerg\w+|anaphyla\w+|disab\w+|wheelchair|step-free|accessib\w+|epilep\w+|diabet\w+|asthma\w*|pregnan\w+|"
    r"deaf|blind|(?:hard of|impaired) hearing|hearing (?:aids?|loss|loop|impair\w+)|lip-?read\w*|caption\w*|subtitles|"
    r"sign[- ]language interpret\w*|bsl interpret\w*|guide dog|assistance dog|partially sighted|"
    r"visual(?:ly)? impair\w+|screen ?readers?|dyslex\w+|autis\w+|adhd|ptsd|chronic\w*|seizures?|faint\w*|medical\w*|"
    r"medication|health condition|doctor'?s orders|heavy lifting|reasonable adjustments?|visas?|sponsorship|"
    r"work permit|right to work|asylum|refugee|restraining order|safeguarding|stalk\w+|abus\w+|unsafe|danger\w*)\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W_][\w+#.-]*")
_ABOUT: Final = {
    "salary_min": "salary pay paid money earn wage offer",
    "currency": "salary pay money",
    "location": "where place city live near commute move",
    "remote": "remote home office hybrid",
    "relocation": "move relocate abroad",
    "years": "experience years senior",
    "title": "job role work career",
    "certificate": "certificate licence qualified",
    "language": "language speak",
    "skill": "skill skills know learn",
    "work_time": "hours part-time full-time shifts",
    "resume": "cv resume",
    "name": "name letter sign",
}


def select_facts(profile: Sequence[ProfileFact], message: str, today: date, most: int) -> tuple[ProfileFact, ...]:
    """At most ``most`` facts in the order of ``profile``; more only if more are never left out.

    Hard rules, what the user asked to be remembered and what concerns their safety are never left out. The rest goes by
    relevance to ``message``, importance and recency; of equals the newer goes first. The same input gives the same
    facts.
    """
    needed = [place for place, fact in enumerate(profile) if is_needed(fact)]
    words = _words(message)
    others = sorted(
        (place for place, fact in enumerate(profile) if not is_needed(fact)),
        key=lambda place: (-_score(profile[place], words, today), -place),
    )
    chosen = {*needed, *others[: max(0, most - len(needed))]}
    return tuple(fact for place, fact in enumerate(profile) if place in chosen)


def is_needed(fact: ProfileFact) -> bool:
    """Whether a prompt about this user must never be without it."""
    return fact.kind == "constraint" or fact.pinned or is_safety(fact.value)


def is_safety(text: str) -> bool:
    """Whether it is of what would do harm if it were forgotten."""
    return _SAFETY.search(text) is not None


def _score(fact: ProfileFact, words: frozenset[str], today: date) -> float:
    own = _words(fact.value)
    relevance = len(own & words) / len(own) if own else 0.0
    relevance = max(relevance, 0.5 if words & _words(_ABOUT.get(fact.key, "")) else 0.0)
    importance = _IMPORTANCE.get(fact.key, _ORDINARY) * fact.confidence
    age = max(0, (today - fact.noted_on).days) if fact.noted_on else _HALF_LIFE_DAYS
    recency = 0.5 ** (age / _HALF_LIFE_DAYS)
    # Rounded: no machine's last digit may decide what a prompt says.
    return round(_RELEVANCE_WEIGHT * relevance + _IMPORTANCE_WEIGHT * importance + _RECENCY_WEIGHT * float(recency), 6)


def _words(text: str) -> frozenset[str]:
    """Words of three letters and more, plurals as singulars."""
    found = (word.casefold().rstrip(".") for word in _WORD.findall(text))
    return frozenset(word[:-1] if len(word) > 4 and word.endswith("s") else word for word in found if len(word) > 2)
