"""A search in words: its subject and each of its conditions. Pure."""

from collections.abc import Sequence
from typing import Final

from signalbox.agents.words.phrases import counted, listed, money, plain
from signalbox.blocks import ProfileFact
from signalbox.retrieval.query import REMOTE, JobQuery
from signalbox.retrieval.terms import employment_kind
from signalbox.tools.vocabulary import packaged_vocabulary

ANYTHING: Final = "postings"
# Enough to recognise one's own words by.
_LONGEST_ECHO: Final = 60


def conditions_of(query: JobQuery, limits: tuple[ProfileFact, ...] = ()) -> dict[str, str]:  # noqa: C901 - a line each
    """Every condition by its name, in words that follow "postings". ``limits`` hold for this search alone."""
    found: dict[str, str] = {}
    named = query.text.casefold()
    if not all(_names(named, skill) for skill in query.skills):
        found["skill"] = f"asking for {listed(query.skills)}"
    if query.remote is not None:
        found["remote"] = "that are remote" if query.remote else "that are on site"
    if query.locations:
        found["location"] = _where(query.locations)
    if query.companies:
        found["company"] = f"at {listed([plain(name) for name in query.companies], 'or')}"
    if size := _size(limits):
        found["size"] = size
    if query.seniority:
        found["level"] = f"at {query.seniority} level"
    if query.entry_level:
        found["experience"] = "open to people without experience"
    if query.employment_type:
        found["employment"] = f"as {query.employment_type} work"
    if query.salary_min or query.salary_max:
        found["pay"] = _pay(query)
    if query.posted_after:
        found["date"] = f"posted since {query.posted_after:%d %B %Y}".replace("since 0", "since ")
    if query.real_only:
        found["sample"] = "that are real, not samples"
    if avoided := _avoided(query):
        found["exclusion"] = listed(avoided)
    return found


def subject_of(query: JobQuery) -> str:
    """What is looked for, as a noun phrase: ``“data engineer” postings``."""
    return f"“{plain(_brief(query.text), _LONGEST_ECHO)}” postings" if query.text.strip() else ANYTHING


def _names(text: str, skill: str) -> bool:
    """Whether the words of the search say the skill themselves, by any of its names."""
    return any(name.casefold() in text for name in (skill, *packaged_vocabulary().names_of(skill)))


def _avoided(query: JobQuery) -> list[str]:
    told = []
    kinds = {term: kind[0] for term in query.exclude if (kind := employment_kind(term)) and kind[1] == (0, len(term))}
    if terms := [term for term in query.exclude if term not in kinds]:
        told.append(f"without {listed([f'“{plain(term)}”' for term in terms], 'or')}")
    if kinds:
        told.append(f"not {listed(list(dict.fromkeys(kinds.values())), 'or')}")
    if query.not_locations:
        told.append(f"not in {listed([plain(place) for place in query.not_locations], 'or')}")
    if query.not_companies:
        told.append(f"not at {listed([plain(name) for name in query.not_companies], 'or')}")
    if query.not_seniority:
        told.append(f"not at {listed(query.not_seniority, 'or')} level")
    return told


def _where(locations: Sequence[str]) -> str:
    places = [plain(place) for place in locations if place != REMOTE]
    inside = f"in {listed(places, 'or')}" if places else ""
    remote = "remote" if REMOTE in locations else ""
    return (", or " if len(places) > 1 else " or ").join(filter(None, [inside, remote]))


def _size(limits: tuple[ProfileFact, ...]) -> str:
    least = next((int(each.value) for each in limits if each.key == "company_size_min"), None)
    most = next((int(each.value) for each in limits if each.key == "company_size_max"), None)
    if least is not None and most is not None:
        return f"at companies of {least:,} to {most:,} people"
    if least is not None:
        return f"at companies of at least {counted(least, 'person', 'people')}"
    return f"at companies of at most {counted(most, 'person', 'people')}" if most is not None else ""


def _pay(query: JobQuery) -> str:
    low, high = query.salary_min, query.salary_max
    if low and high:
        return f"paying {money(low, query.currency)} to {money(high, query.currency)} a year"
    return f"paying {'at least' if low else 'at most'} {money(low or high or 0, query.currency)} a year"


def _brief(text: str) -> str:
    """Each word once: who pastes a word twenty times need not read it twenty times."""
    words: dict[str, str] = {}
    for word in text.split():
        words.setdefault(word.casefold(), word)
    return " ".join(words.values())
