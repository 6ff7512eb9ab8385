"""Whether a posting lies where somebody would work. Pure; it knows names of places, no distances."""

import re
from collections.abc import Iterable

from signalbox.retrieval.index import JobHit
from signalbox.retrieval.places import Place, gazetteer


def within(hit: JobHit, names: Iterable[str]) -> bool | None:
    """Whether it lies in one of the places; None where what it states is too little to tell.

    Remote work fits where its country does, or where it names none.
    """
    answers = [_in_one(hit, name) for name in names]
    return True if True in answers else None if None in answers else False


def within_reach(hit: JobHit, homes: Iterable[str]) -> bool | None:
    """As ``within``, for who lives in one of ``homes`` and will not move: another known city or country is out, a
    place nobody knows in the same country may be near, and remote work for another country may be possible.
    """
    homes = tuple(homes)
    inside = within(hit, homes)
    if inside is not False or hit.remote:
        return inside or None
    countries = {code for home in homes if (place := gazetteer().find(home)) for code in place.countries}
    if hit.country and countries and hit.country not in countries:
        return False
    return False if _names_a_city(hit.location or "") else None


def _in_one(hit: JobHit, name: str) -> bool | None:
    place = gazetteer().find(name)
    where = hit.location or ""
    if place is None:
        return True if _named(name, where) else hit.remote or (None if not where else False)
    if hit.country is not None and hit.country not in place.countries:
        return False
    if place.kind in {"country", "region"}:
        return True if hit.country or _any_named(place, where) or hit.remote else None
    if _any_named(place, where) or hit.remote:
        return True
    # A posting that names no more than its country may lie anywhere in it.
    return None if not where or _is_country(where) else False


def _any_named(place: Place, where: str) -> bool:
    if place.abbreviation and re.search(rf",\s*{place.abbreviation}(?:\s*\d{{5}})?\s*(?:,|$)", where):
        return True
    return any(_named(name, where) for name in gazetteer().names_in_postings(place))


def _named(name: str, where: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", where, re.IGNORECASE) is not None


def _is_country(where: str) -> bool:
    place = gazetteer().find(where)
    return place is not None and place.kind in {"country", "region"}


def _names_a_city(where: str) -> bool:
    found = (gazetteer().find(match.group()) for match in gazetteer().pattern.finditer(where))
    return any(place is not None and place.kind in {"city", "area"} for place in found)
