"""Which postings of a list meet what a question asks of them: part-time, near a town, paying at least so much. Pure.

What a posting does not state is neither met nor missed; it is told apart.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from signalbox.agents.matching.details import asked_term, is_of_term
from signalbox.agents.matching.facts import Sifted
from signalbox.agents.matching.places import place_named
from signalbox.agents.words.phrases import listed, money
from signalbox.memory.words import words_in
from signalbox.retrieval.fit.pay import is_part_time_rate
from signalbox.retrieval.fit.places import within
from signalbox.retrieval.index import JobHit
from signalbox.retrieval.pay import find_pay
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.retrieval.terms import HYBRID

_ASKS = re.compile(
    r"\bwhich\b(?! (?:company|companies|employers?|firms?|skills?))|"
    r"\b(?:are|is|do|does|have|has|can) (?:any|some|one)\b|"
    r"\bany (?:of (?:them|these|those)|ones?|that|which|near|in|part|full|remote|permanent)\b|"
    r"^\W*(?:show |give |list )?(?:me )?(?:only |just )?(?:the )?"
    r"(?:real|part[- ]time|full[- ]time|permanent|remote) ones\b|"
    r"\bnot the (?:fictional|sample)",
    re.IGNORECASE,
)
# Then one of them is to win, and none is sifted out.
_RANKS = re.compile(
    r"\b(?:best|better|most|more (?:senior|recent)|(?<!at )least|closer|closest|nearer|nearest|newer|newest|oldest|"
    r"highest|higher|lowest|lower|latest|fits?|suits?|match(?:es)?|apply|top|worst|rather|choose|pick|prefer|worth)\b",
    re.IGNORECASE,
)
_REMOTE = re.compile(r"\bremote(?:ly)?\b|\bfrom home\b|\bhome[- ](?:office|based)\b|\bwfh\b", re.IGNORECASE)
_ON_SITE = re.compile(r"\bon[- ]?site\b|\bin (?:the|an) office\b|\boffice[- ]based\b", re.IGNORECASE)
_HYBRID = re.compile(r"\bhybrid\b", re.IGNORECASE)
_WITH_PAY = re.compile(r"\b(?:states?|say|show|give|with|have|mention)\b.{0,20}\b(?:pay|salary|salaries|wages?)\b",
                       re.IGNORECASE)  # fmt: skip
_REAL = re.compile(r"\breal\b|\bgenuine\b|\bnot (?:the )?(?:fictional|samples?|fake|made[- ]up)\b", re.IGNORECASE)
_FICTIONAL = re.compile(r"\b(?:fictional|samples?|fake|made[- ]up)\b", re.IGNORECASE)
_OPEN = re.compile(r"\bstill (?:open|live|there|available)\b|\bnot closed\b", re.IGNORECASE)
_NEEDS = re.compile(
    r"\b(?:need|ask(?:s|ing)? (?:for|about)|requir\w+|wants?|use|using|involv\w+|mention\w*|with|include|offer|have|"
    r"provide|give)\b",
    re.IGNORECASE,
)
_EMPTY_WORDS: Final = words_in("a an the any some good nice for of to in on at me my it them please too also or and")
_MOST_WORDS: Final = 3
_LONGEST: Final = 500
_NOT = re.compile(r"\b(?:not|don'?t|doesn'?t|do not|does not|without|no|aren'?t)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Condition:
    """``words`` as they stand before a colon. ``meets`` is None where the posting says too little."""

    words: str
    meets: Callable[[JobHit], bool | None]
    of_pay: bool = False


def asks_which(message: str) -> bool:
    """The message asks which of several postings are of a kind, not which is the best."""
    return _ASKS.search(message) is not None and not _RANKS.search(message)


def conditions_in(message: str, vocabulary: SkillVocabulary, today: date) -> tuple[Condition, ...]:
    """What the message asks of postings; none where it names nothing that they can be held against."""
    message = message[:_LONGEST]
    found: list[Condition] = []
    if term := asked_term(message):
        found.append(Condition(term, lambda hit: is_of_term(hit, term)[0]))
    found += _ways_of_working(message)
    if place := place_named(message):
        found.append(Condition(f"in or near {place}", lambda hit: within(hit, [place])))
    found += _pay(message)
    if _REAL.search(message):
        found.append(Condition("real, not samples", lambda hit: not hit.sample))
    elif _FICTIONAL.search(message):
        found.append(Condition("fictional samples", lambda hit: hit.sample))
    if _OPEN.search(message):
        found.append(Condition("still open", lambda hit: hit.closes_at >= today if hit.closes_at else None))
    if not found and (needs := _NEEDS.search(message)):
        found += _skills(message, vocabulary) or _words(message[needs.end() :])
    return tuple(found)


def sifted(hits: Sequence[tuple[int, JobHit]], conditions: Sequence[Condition]) -> Sifted:
    """Those that meet every condition, and those that miss none and are silent on one."""
    met: list[int] = []
    unsaid: list[int] = []
    for place, hit in hits:
        answers = [condition.meets(hit) for condition in conditions]
        if False not in answers:
            (unsaid if None in answers else met).append(place)
    words = listed([condition.words for condition in conditions])
    of_pay = any(condition.of_pay for condition in conditions)
    rates = tuple(place for place, hit in hits if of_pay and place in unsaid and is_part_time_rate(hit))
    return Sifted(words=words, met=tuple(met), unsaid=tuple(unsaid), of=len(hits), rates=rates)


def _ways_of_working(message: str) -> list[Condition]:
    if _HYBRID.search(message):
        return [Condition("hybrid", _is_hybrid)]
    if _ON_SITE.search(message):
        return [Condition("on site", lambda hit: None if hit.remote is None else not hit.remote)]
    if _REMOTE.search(message):
        return [Condition("remote", lambda hit: hit.remote)]
    return []


def _is_hybrid(hit: JobHit) -> bool | None:
    text = f"{hit.title}\n{hit.location or ''}\n{hit.requirements}\n{hit.description}"
    return True if HYBRID.search(text) else None if hit.remote is None else False


def _pay(message: str) -> list[Condition]:
    wish = find_pay(message)
    least = wish and wish.minimum
    if wish is None and _WITH_PAY.search(message) and _NOT.search(message):
        return [Condition("with no pay stated", lambda hit: _top(hit) is None)]
    if wish is None or not isinstance(least, float | int):
        return (
            [Condition("with the pay stated", lambda hit: _top(hit) is not None)] if _WITH_PAY.search(message) else []
        )
    currency: Final = wish.currency

    def meets(hit: JobHit) -> bool | None:
        top = _top(hit)
        if top is None or currency not in {None, hit.currency}:
            return None
        return None if top >= least and is_part_time_rate(hit) else top >= least

    return [Condition(f"paying {money(round(least), currency)} a year or more", meets, of_pay=True)]


def _words(behind: str) -> list[Condition]:
    """What a posting's text has to say, word by word; where it does not, that says nothing."""
    words = [word for word in re.findall(r"[\w'-]{3,}", behind.casefold()) if word not in _EMPTY_WORDS][:_MOST_WORDS]
    if not words:
        return []

    def meets(hit: JobHit) -> bool | None:
        text = f"{hit.title} {hit.requirements} {hit.description}".casefold()
        return True if all(re.search(rf"\b{re.escape(word.rstrip('s'))}", text) for word in words) else None

    return [Condition(f"mentioning “{' '.join(words)}”", meets)]


def _top(hit: JobHit) -> float | None:
    return hit.salary_year_max or hit.salary_year_min


def _skills(message: str, vocabulary: SkillVocabulary) -> list[Condition]:
    skills = tuple(vocabulary.extract(message, loose=True))
    if not skills:
        return []
    without = _NOT.search(message) is not None
    words = f"{'not ' if without else ''}asking for {listed(skills, 'or' if without else 'and')}"

    def meets(hit: JobHit) -> bool | None:
        if not hit.skills:
            return None
        return not set(skills) & set(hit.skills) if without else set(skills) <= set(hit.skills)

    return [Condition(words, meets)]
