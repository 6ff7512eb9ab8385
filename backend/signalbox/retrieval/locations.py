"""Which places and employers a message names.

A place nobody has heard of is still a condition: "on Mars" must find nothing, not everything.
"""

import functools
import json
import re
from dataclasses import dataclass
from importlib import resources

from signalbox.retrieval.places import Place, gazetteer
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.retrieval.words import word_list

Span = tuple[int, int]

_PREPOSITION = re.compile(
    r"\b(?P<how>not far from|based in|located in|living in|close to|anywhere in|in or near|in|near|around|on|at|within|"
    r"across|from|outside)\s+(?:the\s+(?=[A-Z])|(?:greater|central|downtown)\s+)?",
    re.IGNORECASE,
)
_CAPITALISED = re.compile(
    r"[^\W\d_a-zà-ÿ][\w'-]*"
    r"(?:[ -](?:of|de|da|la|le|del|upon|on|am|an der|[^\W\d_a-zà-ÿ][\w'-]*)(?= |-|$|,|\.|;|\?|!|\)))*"
)
_LOWER = re.compile(r"[^\W\d_][\w'-]*")
_MORE = re.compile(r"\s*(?:,\s*(?:or|and)?|\bor\b|\band\b|/|&)\s*(?:in |near )?", re.IGNORECASE)
_QUALIFIER = re.compile(r"\s*,?\s*(?:[A-Z]{2}\b(?!\s+(?:jobs|roles|work))|\(\w+\))")
_CODE_BEHIND = re.compile(r"\s*,?\s*(?P<code>[A-Z]{2})\b(?!\s+(?:jobs|roles|work))")
_BLANK_OR_COMMA = re.compile(r"\s*,?\s*")
_SEGMENT = re.compile(r"[^,;|()\n]+")
_AVOIDED = re.compile(
    r"\b(?:(?:but|and|or|anywhere)\s+)?(?:(?:(?:do|does|would)(?:n'?t| not) (?:want|like|show(?: me)?|include|need)|"
    r"not|no|never|nor|nothing|none|except(?: for)?|excluding|exclude|without|avoid|hide|skip|leave out|"
    r"(?:anything|anywhere) but|other than)\s+(?:(?:to (?:be|work|live)|any|anything|all|the|"
    r"those|ones?|jobs?|roles?|positions?|postings?|"
    r"openings?|work|companies|employers|based|located|from)\s+)*|(?=outside\b))",
    re.IGNORECASE,
)
# What may follow a place nobody knows when it is typed without a capital.
_ENDS = re.compile(
    r"\s*(?:$|[,.;!?)]|\b(?:area|region|paying|over|above|at|with|that|for|and|or|posted|please|this|under|where|from|if|"
    r"but|when|around|starting|thanks|jobs?|roles?|remote)\b)",
    re.IGNORECASE,
)
_SURE = frozenset({"based in", "located in", "living in", "close to", "anywhere in", "in or near", "near"})
_SHORT_NAME = 3

# Fields, times and manners that stand where a place could: "jobs in finance", "on call", "at night".
_NOT_PLACES = word_list("not_places")
_CALENDAR = word_list("calendar")
Found = tuple[tuple[str, ...], tuple[str, ...], tuple[Span, ...]]

_STATES = word_list("us_states")
_PROVINCES = word_list("canadian_provinces")
# Codes of states there that are codes of others elsewhere.
_AUSTRALIAN = frozenset({"WA", "NT"})
_CODED = {**dict.fromkeys(_STATES, "US"), **dict.fromkeys(_PROVINCES, "CA"), "UK": "GB", "GB": "GB", "US": "US"}


@dataclass(frozen=True, slots=True)
class Located:
    """A place of a query. ``countries``: where it may lie. ``others``: further countries with a town of that name;
    ``sure``: no other can be meant.
    """

    place: Place
    countries: tuple[str, ...]
    others: tuple[str, ...] = ()
    sure: bool = False


def located(name: str, home_country: str | None = None) -> Located | None:
    """The known place that ``name`` means ("London", "London, Canada"); None for what nobody knows.

    Of towns of one name it is the one in the country named, else in ``home_country``, else the one most people mean;
    of famous ones always that.
    """
    base, _, behind = name.partition(", ")
    place = gazetteer().find(name) or gazetteer().find(base)
    if place is None:
        return None
    namesakes, famous = _namesakes()
    countries = namesakes.get(place.name)
    if countries is None:
        return Located(place, place.countries) if gazetteer().find(name) else None
    named = gazetteer().country_code(behind) if behind else None
    famed = place.name in famous
    meant = next((code for code in (named, None if famed else home_country) if code in countries), countries[0])
    others = tuple(code for code in countries if code != meant)
    return Located(place, (meant,), others, sure=famed or named == meant)


def states_abroad(where: Located) -> list[str]:
    """Codes of American states and Canadian provinces that, behind a town, say that it is not ``where``."""
    states = frozenset() if "US" in where.countries else _STATES
    provinces = frozenset() if "CA" in where.countries else _PROVINCES
    at_home = {*where.countries, *(_AUSTRALIAN if "AU" in where.countries else ())}
    return sorted((states | provinces) - at_home)


def lies_abroad(where: Located, location: str, country: str | None) -> bool:
    """Whether a posting that names the town names its namesake: with a state of another country behind it, or as the
    only place of a posting in one.
    """
    if not where.others:
        return False
    names = "|".join(map(re.escape, gazetteer().names_in_postings(where.place)))
    if re.search(rf"\b(?i:{names}),?\s+(?:{'|'.join(states_abroad(where))})\b", location):
        return True
    alone = re.search(rf"^\s*(?:{names})\s*(?:,[^;|/]*)?$", location, re.IGNORECASE)
    return country is not None and country not in where.countries and alone is not None


@functools.cache
def _namesakes() -> tuple[dict[str, tuple[str, ...]], frozenset[str]]:
    """The countries with a town of that name, the one most people mean first; and the names nobody takes for another
    town, wherever they live.
    """
    read = json.loads((resources.files("signalbox.data") / "places.json").read_text(encoding="utf-8"))
    return {name: tuple(countries) for name, countries in read["namesakes"].items()}, frozenset(read["famous"])


@functools.cache
def country_names() -> dict[str, str]:
    """The names of countries by their ISO codes."""
    text = (resources.files("signalbox.data") / "places.json").read_text(encoding="utf-8")
    rows = [row for row in json.loads(text)["places"] if row["kind"] == "country"]
    return {code: row["name"] for row in rows for code in row["countries"]}


def find_places(message: str, vocabulary: SkillVocabulary) -> Found:
    """Locations, employers ("at Initech") and the stretches of the message that named them."""
    reading = _Reading(message, vocabulary)
    for match in _PREPOSITION.finditer(message):
        reading.after_preposition(match)
    for match in _SEGMENT.finditer(message):
        reading.whole_segment(match)
    for match in gazetteer().pattern.finditer(message):
        reading.anywhere(match)
    return tuple(dict.fromkeys(reading.places)), tuple(dict.fromkeys(reading.companies)), tuple(reading.spans)


def find_avoided(message: str, vocabulary: SkillVocabulary) -> Found:
    """What must not be: places and employers behind "not in", "outside", "not at" or, if well known, a mere "no"."""
    reading = _Reading(message, vocabulary)
    for match in _AVOIDED.finditer(message):
        reading.after_negation(match)
    return tuple(dict.fromkeys(reading.places)), tuple(dict.fromkeys(reading.companies)), tuple(reading.spans)


class _Reading:
    def __init__(self, message: str, vocabulary: SkillVocabulary) -> None:
        self.message = message
        self.places: list[str] = []
        self.companies: list[str] = []
        self.spans: list[Span] = []
        self._vocabulary = vocabulary
        # In a message typed in capitals, capitals say nothing.
        self._capitals_count = message != message.upper()

    def after_preposition(self, match: re.Match[str]) -> None:
        if self._is_taken(match.start()):
            return
        how, at = match["how"].casefold(), match.end()
        end = self._take_list(at, how)
        if end > at:
            self.spans.append((match.start(), end))

    def after_negation(self, match: re.Match[str]) -> None:
        """As behind a preposition; an employer may be typed without a capital."""
        preposition = _PREPOSITION.match(self.message, match.end())
        at = preposition.end() if preposition else match.end()
        how = preposition["how"].casefold() if preposition else ""
        end = self._take_list(at, how) if preposition else self._take_next_known(at) or at
        word = _LOWER.match(self.message, at) if how == "at" and end == at else None
        if word and _ENDS.match(self.message, word.end()) and self._may_be_name(word.group()):
            self.companies.append(word.group())
            end = word.end()
        if end > at:
            self.spans.append((match.start(), end))

    def whole_segment(self, match: re.Match[str]) -> None:
        """Between commas, "Berlin" is a place without any preposition."""
        name = match.group().strip()
        if self._is_taken(match.start()) or not name:
            return
        place = gazetteer().find(name)
        if place and (name[0].isupper() or not place.needs_preposition):
            self.places.append(place.name)
            self.spans.append(match.span())
        elif place is None and match.start() > 0 and self._stands_out(name):
            self.places.append(name)
            self.spans.append(match.span())

    def anywhere(self, match: re.Match[str]) -> None:
        place = gazetteer().find(match.group())
        plain_word = place is None or place.needs_preposition
        pronoun = len(match.group()) <= _SHORT_NAME and not match.group().isupper()
        if place and not plain_word and not pronoun and not self._is_taken(match.start()):
            self.spans.append((match.start(), self._take_place(place, match.end())))

    def _is_taken(self, at: int) -> bool:
        return any(start <= at < end for start, end in self.spans)

    def _take_list(self, at: int, how: str) -> int:
        """Takes "Leeds, York or Hull" from ``at`` on and returns where it ends; ``at`` itself if no place is there."""
        end = self._take_one(at, how)
        while end > at and (more := _MORE.match(self.message, end)) and (following := self._take_next(more.end())):
            end = following
        return end

    def _take_next(self, at: int) -> int | None:
        """A further place of a list: a known one, or a capitalised name that ends the list. Else anything may come."""
        if end := self._take_next_known(at):
            return end
        capital = _CAPITALISED.match(self.message, at) if self._capitals_count else None
        if capital is None or not self._may_be_name(capital.group()) or not _ENDS.match(self.message, capital.end()):
            return None
        self.places.append(capital.group())
        return capital.end()

    def _take_next_known(self, at: int) -> int | None:
        known = gazetteer().pattern.match(self.message, at)
        place = gazetteer().find(known.group()) if known else None
        if known and place and (known.group()[0].isupper() or not place.needs_preposition):
            return self._take_place(place, known.end())
        return None

    def _take_one(self, at: int, how: str) -> int:
        known = gazetteer().pattern.match(self.message, at)
        place = gazetteer().find(known.group()) if known else None
        if known and place and not (known.group() == "us" and how == "at"):
            return self._take_place(place, known.end())
        return self._take_unknown(at, how)

    def _take_unknown(self, at: int, how: str) -> int:
        capital = _CAPITALISED.match(self.message, at) if self._capitals_count else None
        if capital and self._may_be_name(capital.group()):
            (self.companies if how == "at" else self.places).append(capital.group())
            qualifier = _QUALIFIER.match(self.message, capital.end())
            return qualifier.end() if qualifier else capital.end()
        word = _LOWER.match(self.message, at)
        if word is None or capital or how in {"at", "from", "across", "within", "outside"}:
            return at
        sure = how in _SURE or bool(_ENDS.match(self.message, word.end()))
        if not sure or not self._may_be_name(word.group()):
            return at
        self.places.append(word.group())
        return word.end()

    def _stands_out(self, name: str) -> bool:
        """A capitalised part of a message whose start has plain words: "lorry driver, Ballybofey"."""
        whole = _CAPITALISED.fullmatch(name)
        plain_start = self.message[:1].islower() or re.match(r"\w+ [a-z]", self.message)
        return bool(self._capitals_count and whole and plain_start) and not name.isupper() and self._may_be_name(name)

    def _may_be_name(self, name: str) -> bool:
        first = name.split(maxsplit=1)[0].casefold()
        return (
            len(name) > 1
            and first not in _NOT_PLACES
            and first not in _CALENDAR
            and not self._vocabulary.extract(name, loose=True)
        )

    def _take_place(self, place: Place, at: int) -> int:
        """Takes a known place with the state or country behind it, which is kept where it tells namesakes apart."""
        if countries := _namesakes()[0].get(place.name):
            coded = _CODE_BEHIND.match(self.message, at)
            blank = _BLANK_OR_COMMA.match(self.message, at)
            known = gazetteer().pattern.match(self.message, blank.end()) if blank else None
            code = _CODED.get(coded["code"]) if coded else gazetteer().country_code(known.group()) if known else None
            if code in countries and (coded or known):
                wider = "" if code == countries[0] else f", {country_names()[code]}"
                self.places.append(f"{place.name}{wider}")
                return coded.end() if coded else known.end() if known else at
        self.places.append(place.name)
        return self._past_qualifier(place, at)

    def _past_qualifier(self, place: Place, at: int) -> int:
        """Past ", NY" or ", Germany" behind a city, which narrows nothing that we match on."""
        if place.kind not in {"city", "area"}:
            return at
        if qualifier := _QUALIFIER.match(self.message, at):
            return qualifier.end()
        comma = re.compile(r"\s*,\s*").match(self.message, at)
        known = gazetteer().pattern.match(self.message, comma.end()) if comma else None
        larger = gazetteer().find(known.group()) if known else None
        if known and larger and larger.kind != "city" and set(place.countries) <= set(larger.countries):
            return known.end()
        return at
