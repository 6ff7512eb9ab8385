"""A correction of the search just made: which conditions it gives up, and what would do as well. Pure.

"Not remote after all", "remote is fine too" mean here what they mean of a rule; only the search changes by them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from signalbox.agents.searching.turns import SEARCH
from signalbox.agents.words.phrases import without_command
from signalbox.blocks import ProfileFact
from signalbox.memory.clauses import clauses
from signalbox.memory.conversation import PastMessage
from signalbox.memory.lifting import lifted
from signalbox.memory.more_places import more_places
from signalbox.memory.own_words import own_sentences, without_quotes
from signalbox.memory.profile import NewFact
from signalbox.memory.restating import restated
from signalbox.memory.taken_back import beside_taken_back
from signalbox.retrieval.pay import find_pay
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.query import REMOTE, JobQuery

# Nobody corrects a search in more words; what is longer tells a story or was pasted.
_MOST_WORDS: Final = 30
# Whatever a search or a rule may have asked for, to tell a correction of it from other messages.
_ANY: Final = (
    ("remote", "only"), ("remote", "no"), ("work_time", "part-time"), ("work_time", "full-time"),
    ("relocation", "no"), ("exclude_term", "weekends"), ("exclude_term", "nights"), ("exclude_term", "travel"),
    ("seniority_min", "senior"), ("salary_min", "0"),
)  # fmt: skip
# How many of the newest messages, and of each how many characters, tell what was asked for.
_ASKED_IN: Final = 3
_LOOKED_AT: Final = 400
_PLACE: Final = r"[^\W\d_][\w' -]{1,40}?"
_SHOWING: Final = (
    r"(?:(?:can|could) you\s+)?(?:please\s+)?(?:also\s+)?(?:(?:show|find|search|look|try|check|get|give|consider|what|"
    r"how)(?:\s+about)?\s+)?(?:me\s+)?(?:(?:for|at)\s+)?(?:(?:jobs|ones|some|those|postings|it)\s+)?"
    r"(?:(?:in|near|around|to)\s+)?"
)
_TOO: Final = r"(?:,?\s+(?:too|as well|also))"
# "Also Sheffield", "and York too", "add Hull", "or Leeds", "show me York as well".
_PLACE_TOO = re.compile(
    r"\W*(?:(?:ok|okay|and|or|yes|please|actually|oh|great|thanks)\W+)*"
    rf"(?:(?:also|plus|add|include|(?:extend|expand|widen)(?: (?:it|this|that|the search))? to)\s+{_SHOWING}"
    rf"(?P<also>{_PLACE}){_TOO}?|{_SHOWING}(?P<too>{_PLACE}){_TOO}|(?:(?<=and\s)|(?<=or\s)(?:in\s+)?)(?P<or>{_PLACE}))"
    r"(?:\W+please)?\W*",
    re.IGNORECASE,
)
_ALSO_REMOTE = re.compile(
    r"\W*(?:(?:ok|okay|and|yes|please|actually|oh)\W+)*(?:"
    rf"(?:also|plus|or|add|include)\s+{_SHOWING}(?P<also>(?:fully )?remote(?:\s+(?:ones|jobs|work|roles))?){_TOO}?|"
    rf"{_SHOWING}(?P<too>(?:fully )?remote(?:\s+(?:ones|jobs|work|roles))?){_TOO})(?:\W+please)?\W*",
    re.IGNORECASE,
)
# "Only remote": said right after a search, it narrows that one.
_ONLY = re.compile(
    r"\W*(?:(?:ok|okay|and|but|yes|please|now|actually|oh|great|thanks)\W+)*(?:show me\s+)?(?:only|just)\s+"
    rf"(?:show me\s+)?(?:the\s+)?(?:(?:fully\s+)?remote|hybrid|on[- ]?site|part[- ]?time|full[- ]?time|"
    rf"permanent|contract|temporary|senior|junior|entry[- ]level|in (?P<place>{_PLACE}))"
    r"(?:\s+(?:ones?|jobs?|work|roles?|positions?|postings?))?"
    r"(?:\W+please)?\W*",
    re.IGNORECASE,
)
_PARTING = re.compile(r"\s*(?:,|/|\bor\b|\band\b)\s*", re.IGNORECASE)
_DROPS = re.compile(
    r"\W*(?:(?:please|ok|okay|now|and|also|can you|could you|let's|yes|no|actually|just)\b\W*)*(?:forget|ignore|lift|"
    r"relax|waive|cancel|never ?mind|nvm|disregard|skip|loosen|leave out|scratch|scrap|drop|take back|undo|remove|"
    r"delete|clear|lose|ditch|get rid of|reset|unset|without|search again|i(?:'ve| have)? changed my mind)\b",
    re.IGNORECASE,
)
_OF_A_SEARCH = re.compile(r"\b(?:condition|filter)s?\b", re.IGNORECASE)
_SAID: Final = re.compile(r"\W*(?:(?:but|so|and|then|please|actually|ok|okay|yes|no|well)\b\W*)*", re.IGNORECASE)

# The fields of a query that hold what a rule of that key would.
_LISTS: Final = {"location": "locations", "exclude_term": "exclude", "exclude_company": "not_companies"}
_SINGLE: Final = {
    "remote": ("remote",), "salary_min": ("salary_min", "currency"), "work_time": ("employment_type",),
    "seniority_min": ("seniority",),
}  # fmt: skip
_REMOTE = re.compile(r"\b(?:remote\w*|home|wfh)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Corrected:
    """``rest``: what the message asks for besides."""

    query: JobQuery
    rest: str


def corrects_search(message: str, history: Sequence[PastMessage]) -> bool:
    """Whether the newest answer was a search's and ``message`` gives up, widens or narrows a condition of it, or gives
    up or widens a rule.
    """
    last = next((past for past in reversed(history) if past.role == "assistant"), None)
    bare = without_command(message)
    if last is None or last.agent != SEARCH or (drops_outright(bare) and not _OF_A_SEARCH.search(bare)):
        return False
    asked = [without_command(past.content) for past in history if past.role == "user"][-_ASKED_IN:]
    named = {place.name for text in asked for place in _places_in(text[:_LOOKED_AT])}
    rules = [_condition(key, value) for key, value in (*_ANY, *(("location", name) for name in named))]
    pay = [_condition("salary_min", "0")] if any(find_pay(text[:_LOOKED_AT]) for text in asked) else []
    return any(
        _gives_up(sentence, rules)
        or restated(sentence, pay)
        or _ALSO_REMOTE.fullmatch(sentence)
        or _narrows(sentence)
        or any(map(places_too, _parts(sentence)))
        for sentence in _said(bare)
    )


def drops_outright(message: str) -> bool:
    """Whether it begins with a verb that drops something: "forget my salary" is of the profile."""
    return _DROPS.match(message) is not None


def corrected(query: JobQuery, message: str) -> Corrected | None:
    """``query`` without what ``message`` gives up and with what it says would do as well; None if it does neither."""
    rest: list[str] = []
    changed = False
    for sentence in _said(message):
        left = sentence
        conditions = conditions_held(query)
        if means := restated(sentence, conditions):
            query, left, changed = _restated(query, means), "", True
        elif _ALSO_REMOTE.fullmatch(sentence):
            query, left, changed = _with_remote(query, sentence), "", True
        elif _gives_up(sentence, [*conditions, *(_condition(*each) for each in _ANY)]):
            widened = _with_remote(query, sentence)
            gone = lifted(sentence, conditions)
            elsewhere = _elsewhere(sentence, gone)
            left = beside_taken_back(sentence, [*conditions, *(_condition(*each) for each in _ANY)])
            query, changed = _with_places(_without(widened, gone), elsewhere), True
        for part in _parts(left):
            places, beside = _places_and_rest(part)
            query, changed = _with_places(query, places), changed or bool(places)
            rest.append(beside)
    return Corrected(query, " ".join(filter(None, (_without_lead(part) for part in rest)))) if changed else None


def _narrows(sentence: str) -> bool:
    match = _ONLY.fullmatch(sentence)
    return match is not None and (match["place"] is None or gazetteer().find(match["place"]) is not None)


def _without_lead(text: str) -> str:
    return "" if _SAID.fullmatch(text) else text


def conditions_held(query: JobQuery) -> list[ProfileFact]:
    """The conditions of ``query`` as the rules that they would be."""
    held: list[tuple[str, str]] = []
    if query.remote is not None:
        held.append(("remote", "only" if query.remote else "no"))
    held += [("location", name) for name in query.locations]
    if query.salary_min:
        held.append(("salary_min", f"{query.salary_min:.0f}"))
    if query.employment_type:
        held.append(("work_time", query.employment_type))
    if query.seniority:
        held.append(("seniority_min", query.seniority))
    held += [("exclude_term", term) for term in query.exclude]
    held += [("exclude_company", name) for name in query.not_companies]
    return [_condition(key, value) for key, value in held]


def _condition(key: str, value: str) -> ProfileFact:
    return ProfileFact(fact_id="", kind="constraint", key=key, value=value)


def _said(message: str) -> list[str]:
    if len(message) > _LOOKED_AT or len(message.split()) > _MOST_WORDS:
        return []
    asked = message.replace("’", "'").strip()
    if asked.endswith("?") and places_too(asked):  # "what about York too?"
        return [asked]
    return list(own_sentences(without_quotes(asked)))


def _gives_up(sentence: str, conditions: Sequence[ProfileFact]) -> bool:
    return bool(lifted(sentence, conditions))


def _without(query: JobQuery, gone: Sequence[NewFact]) -> JobQuery:
    for fact in gone:
        query = replace(query, **_dropped(query, fact))
    return replace(query, locations=(), remote=True) if query.locations == (REMOTE,) else query


def _dropped(query: JobQuery, fact: NewFact) -> dict[str, Any]:
    if fact.key in _LISTS:
        name = _LISTS[fact.key]
        return {name: tuple(each for each in getattr(query, name) if each != fact.value)}
    return dict.fromkeys(_SINGLE[fact.key])


def _with_remote(query: JobQuery, sentence: str) -> JobQuery:
    """Remote work would do as well as work in the places asked for."""
    said = _ALSO_REMOTE.fullmatch(sentence) or (
        lifted(sentence, [_condition("remote", "no")]) and _REMOTE.search(sentence)
    )
    if said and not query.remote and query.locations and REMOTE not in query.locations:
        return replace(query, locations=(*query.locations, REMOTE))
    return query


def _elsewhere(sentence: str, gone: Sequence[NewFact]) -> tuple[str, ...]:
    """Where else it may be, of a sentence that gives up a place: "anywhere in the UK is fine"."""
    given_up = {fact.value for fact in gone if fact.key == "location"}
    found = dict.fromkeys(place.name for place in _places_in(sentence)) if given_up else {}
    return tuple(name for name in found if name not in given_up)


def _parts(sentence: str) -> tuple[str, ...]:
    """The sentence, if it says as a whole that places would do; else its clauses, if one of them does."""
    _, *parts = clauses(sentence) if sentence else ("",)
    return (sentence,) if places_too(sentence) or not any(map(places_too, parts)) else tuple(parts)


def _places_and_rest(text: str) -> tuple[tuple[str, ...], str]:
    places, beside = more_places(text)
    if places:
        return places, beside
    places = places_too(text)
    return places, "" if places else text


def _with_places(query: JobQuery, places: Sequence[str]) -> JobQuery:
    """Work there would do as well as what was asked for: other places, or remote work."""
    here = query.locations
    if not places:
        return query
    if query.remote and not here:
        return replace(query, remote=None, locations=(*places, REMOTE))
    return replace(query, locations=tuple(dict.fromkeys((*here, *places))))


def _restated(query: JobQuery, means: Sequence[tuple[str, str]]) -> JobQuery:
    for key, value in means:
        if key == "salary_min":
            query = replace(query, salary_min=float(value), salary_max=None)
        elif key == "location":
            query = replace(query, locations=(value,))
    return query


def places_too(sentence: str) -> tuple[str, ...]:
    """The places that it says would do as well."""
    places, _ = more_places(sentence)
    if places:
        return places
    match = _PLACE_TOO.fullmatch(sentence)
    names = _PARTING.split(match["also"] or match["too"] or match["or"]) if match else []
    found = [gazetteer().find(name.strip()) for name in names]
    return tuple(place.name for place in found if place) if names and all(found) else ()


def _places_in(text: str) -> list[Any]:
    return [place for match in gazetteer().pattern.finditer(text) if (place := gazetteer().find(match.group()))]
