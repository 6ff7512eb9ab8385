"""A message read as a search: what is looked for, and every condition a posting must meet.

Pure: no clock, no database. A place or a figure it cannot place is kept as a condition or left in the text;
nothing the person asked for is dropped to find more.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta

from signalbox.retrieval.fields import IT, field_or_pronoun
from signalbox.retrieval.locations import find_avoided, find_places
from signalbox.retrieval.pay import LOCAL_DOLLAR, PayWish, find_pay
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.retrieval.terms import (
    HYBRID,
    Employment,
    Seniority,
    employment_kind,
    on_site_spans,
    remote_spans,
    title_level,
)
from signalbox.retrieval.words import word_list

DEFAULT_LIMIT = 10
MAX_LIMIT = 50
# Longer messages are pasted documents: the wish stands at the start, and the patterns stay fast.
MAX_CHARS = 4_000
# A posting that shares a dozen terms with the message is as relevant as one that shares fifty.
MAX_WORDS = 12
MAX_DAYS = 36_500
# Among ``locations``: remote work is one of the alternatives ("in Leeds or remote").
REMOTE = "Remote"


@dataclass(frozen=True, slots=True)
class JobQuery:
    """``text`` is what to search for by meaning, ``words`` its words that no skill covers; the rest are conditions.

    Pay bounds are per year. ``locations`` and ``companies`` each hold alternatives; ``skills`` are canonical
    names and must all be met; ``entry_level`` is set by who has no experience; ``exclude`` holds terms no hit
    may ask for, and each ``not_`` field what no hit may have. ``real_only`` leaves the fictional samples out.
    ``home_country`` is the asker's: of places of one name, theirs is meant.
    """

    text: str = ""
    words: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    remote: bool | None = None
    locations: tuple[str, ...] = ()
    salary_min: float | None = None
    salary_max: float | None = None
    currency: str | None = None
    posted_after: date | None = None
    sources: tuple[str, ...] = ()
    companies: tuple[str, ...] = ()
    seniority: Seniority | None = None
    employment_type: Employment | None = None
    entry_level: bool = False
    exclude: tuple[str, ...] = ()
    not_locations: tuple[str, ...] = ()
    not_companies: tuple[str, ...] = ()
    not_seniority: tuple[Seniority, ...] = ()
    real_only: bool = False
    home_country: str | None = None
    limit: int = DEFAULT_LIMIT

    @property
    def browses(self) -> bool:
        """True when only conditions are given and every posting that meets them is a hit."""
        return not self.words and not self.skills


_EXCLUSION = re.compile(
    r"\b(?:(?:do|does|did|would|should)(?:n'?t| not) (?:need|want|require|ask for|involve|include|have|like|mention|"
    r"show(?: me)?)|(?:needs?|requir\w+|with) no|no need for|but not|without|except(?: for)?|excluding|exclude|avoid|"
    r"hide|skip|leave out|(?:drop|remove) (?:the|all|any)|other than|anything but|nothing|not|no)\s+"
    r"(?:(?:in|at|on|any|anything|an?|the|all|those|to have|to be|"
    r"too|very|companies|employers|like|jobs?|roles?|positions?|postings?|openings?|work|ones|that|which|"
    r"need(?:s|ing)?|requir(?:e|es|ing)|"
    r"ask(?:s|ing)? for|mention(?:s|ing)?|involv(?:e|es|ing)|us(?:e|es|ing)|with|for|from|by)\s+)*"
    r"(?P<what>[^\W_][\w+#.-]*(?:\s+(?!or\b|and\b|nor\b)[^\W_][\w+#-]*){0,2})"
    r"(?:\s+(?:or|and|nor|/)\s+(?:no\s+)?(?P<also>(?!not?\b|in\b|at\b|with\b|nothing\b|"
    r"none\b|never\b|nor\b|without\b|anything\b)[^\W_][\w+#-]*))?",
    re.IGNORECASE,
)
_NOT_EXCLUDED = re.compile(
    r"^(?:more|less|matter|only|sure|idea|luck|problem|longer|one|much|many|too|really|know|yet|preference|thanks|"
    r"later|earlier|older|limit|far)\b",
    re.IGNORECASE,
)
_EXCLUSION_ENDS = re.compile(
    r"\s+(?:required|needed|necessary|please|jobs?|roles?|positions?|postings?|ones?|work|involved|in|near|at|on|with|for|paying|over|"
    r"and|or|but|that|which|who|is|are|posted|requirements?|thanks)\b.*$",
    re.IGNORECASE,
)
_NEGATION = (
    r"\b(?:(?:do|does|would)(?:n'?t| not) (?:want|like|show(?: me)?|include|need)|not?|non|without|nothing|exclude|"
    r"excluding|except(?: for)?|avoid|hide|skip|leave out|drop|remove)[ -]+"
    r"(?:(?:any|anything|the|that is|that are|fully|jobs?|"
    r"work|roles?|to work) )*"
)
_NOT_REMOTE = re.compile(_NEGATION + r"(?:remote(?:ly)?|from home)\b", re.IGNORECASE)
_NOT_ON_SITE = re.compile(
    _NEGATION + r"(?:on[ -]?site|in[ -]office|in the office|in an office|in[ -]person|office[ -]based)\b", re.IGNORECASE
)
_OR_REMOTE = re.compile(r"\bor (?:fully |work |working )?(?:remote|from home)|\bremote(?:ly)?,? or\b", re.IGNORECASE)
_NO_EXPERIENCE = re.compile(r"^(?:work |prior |previous )?experience\b", re.IGNORECASE)

_SINCE = re.compile(
    r"\b(?:(?:posted|added|published|listed|advertised)\s+)?(?:"
    r"(?P<iso>(?:since|after|from)\s+\d{4}-\d{2}-\d{2})|(?P<named>today|yesterday|"
    r"this week|this month|this year|last week|last month)|(?:in |within |over |during )?(?:the )?"
    r"(?:last|past|previous)\s+(?P<count>\d{1,4}|few|couple of)?"
    r"\s*(?P<unit>hours?|days?|weeks?|months?)|(?P<fresh>recently(?: posted)?|most recent|recent|latest|newest))\b",
    re.IGNORECASE,
)
_FRESH_DAYS = 30
_HOURS = 24
_UNIT_DAYS = {"day": 1, "week": 7, "month": 30}

_LIMIT = re.compile(
    r"\b(?:top|first|best|show(?: me)?|give(?: me)?|list|find(?: me)?)\s+(?P<n>\d{1,3})\b(?!\s*(?:k|%|hours?|years?))|"
    r"\b(?P<m>\d{1,3})\s+(?:\w+\s+)?(?:jobs|roles|positions|openings|results|vacancies)\b",
    re.IGNORECASE,
)
_LEVEL_WORDS = frozenset({"intern", "junior", "mid", "senior", "lead"})
# These name the job itself in a message, not its level: they stay to be searched for.
_TITLES = re.compile(
    r"\b(?:director|chief|head of|vp|vice president|c[eftio]o|ciso|leader|apprentice\w*)\b", re.IGNORECASE
)

_WORD = re.compile(r"\.?[^\W_][\w.'/&-]*[+#]*")
_WORK_OF = word_list("kinds_of_work")
_NOISE = word_list("noise")


def parse_query(message: str, today: date, vocabulary: SkillVocabulary) -> JobQuery:
    """Reads one message. Takes any text and never raises; an empty message asks for everything."""
    rest = _Rest(" ".join(message[:MAX_CHARS].replace("’", "'").split()))
    pay = find_pay(rest.text)
    if pay:
        rest.cut(pay.spans)
    posted_after = _take_date(rest, today)
    limit = _take_limit(rest)
    either = bool(_OR_REMOTE.search(rest.text))
    remote = _take_remote(rest)
    avoided_places, avoided_companies, spans = find_avoided(rest.text, vocabulary)
    rest.cut(spans)
    exclude, avoided_levels, beginner = _take_exclusions(rest)
    seniority = _take_level(rest)
    employment = _take_employment(rest)
    places, companies, spans = find_places(rest.text, vocabulary)
    rest.cut(spans)
    if remote and either and places:
        remote, places = None, (*places, REMOTE)
    return replace(
        _searched(rest.text, vocabulary),
        remote=remote,
        locations=places,
        companies=companies,
        salary_min=pay.minimum if pay else None,
        salary_max=pay.maximum if pay else None,
        currency=_currency(pay, places),
        posted_after=posted_after,
        seniority=seniority,
        employment_type=employment,
        entry_level=beginner and seniority is None,
        exclude=exclude,
        not_locations=avoided_places,
        not_companies=avoided_companies,
        not_seniority=avoided_levels,
        limit=limit,
    )


def role_query(title: str, vocabulary: SkillVocabulary, limit: int = DEFAULT_LIMIT) -> JobQuery:
    """A search for a job title alone; its level is set aside, since skills differ by role more than by level."""
    rest = _Rest(" ".join(title[:MAX_CHARS].split()))
    _take_level(rest)
    return replace(_searched(rest.text, vocabulary), limit=limit)


class _Rest:
    """What nothing has claimed yet. Claimed stretches of the message become " , ": no phrase may span one."""

    def __init__(self, text: str) -> None:
        self.text = text

    def cut(self, spans: Iterable[tuple[int, int]]) -> None:
        for start, end in sorted(spans, reverse=True):
            self.text = f"{self.text[:start]} , {self.text[end:]}"


def _searched(text: str, vocabulary: SkillVocabulary) -> JobQuery:
    spans = vocabulary.spans(text, loose=True)
    bare = _Rest(text)
    bare.cut((start, end) for _, start, end in spans)
    words = dict.fromkeys(word for word in _content(bare.text) if any(map(str.isalpha, word)))
    return JobQuery(
        text=" ".join(_content(text, spans)),
        words=tuple(words)[:MAX_WORDS],
        skills=tuple(dict.fromkeys(name for name, _, _ in spans))[:MAX_WORDS],
    )


def _content(text: str, spans: Iterable[tuple[str, int, int]] = ()) -> list[str]:
    """The words that say what is looked for; words inside ``spans`` stay whatever they are."""
    kept: list[str] = []
    covered = [(start, end) for _, start, end in spans]
    for match in _WORD.finditer(text):
        word = match.group().rstrip(".'/&-")
        inside = any(start <= match.start() < end for start, end in covered)
        of_work = word.casefold() in {"work", "working"} and kept and kept[-1].casefold() in _WORK_OF
        if inside or of_work or word.casefold() not in _NOISE:
            kept.append(word)
    return kept


def _take_date(rest: _Rest, today: date) -> date | None:
    """The latest day named; "latest jobs since May 1st" names two."""
    found = [(since, match.span()) for match in _SINCE.finditer(rest.text) if (since := _since(match, today))]
    rest.cut(span for _, span in found)
    return max((since for since, _ in found), default=None)


def _since(match: re.Match[str], today: date) -> date | None:
    if match["iso"]:
        try:
            return date.fromisoformat(match["iso"].split()[-1])
        except ValueError:
            return None  # truth: no such day, so the text names none
    if match["named"]:
        return _named_day(match["named"].casefold(), today)
    if match["fresh"]:
        return today - timedelta(days=_FRESH_DAYS)
    count = {"few": 3, "couple of": 2, None: 1}.get(match["count"]) or int(match["count"])
    unit = match["unit"].casefold().rstrip("s")
    # A posting states its day alone: the last 30 hours began yesterday.
    days = math.ceil(count / _HOURS) if unit == "hour" else min(count * _UNIT_DAYS[unit], MAX_DAYS)
    return today - timedelta(days=min(days, (today - date.min).days))


def _named_day(name: str, today: date) -> date:
    monday = today - timedelta(days=today.weekday())
    first = today.replace(day=1)
    return {
        "today": today,
        "yesterday": today - timedelta(days=1),
        "this week": monday,
        "last week": monday - timedelta(days=7),
        "this month": first,
        "last month": (first - timedelta(days=1)).replace(day=1),
        "this year": today.replace(month=1, day=1),
    }[name]


def _take_limit(rest: _Rest) -> int:
    match = _LIMIT.search(rest.text)
    if match is None:
        return DEFAULT_LIMIT
    group = "n" if match["n"] else "m"
    rest.cut([match.span(group)])
    return max(1, min(int(match[group]), MAX_LIMIT))


def _take_remote(rest: _Rest) -> bool | None:
    """Hybrid work counts as on site, as it does in postings: both tie the person to a place."""
    unwanted = [match.span() for match in _NOT_ON_SITE.finditer(rest.text)]
    rest.cut(unwanted)
    on_site = [match.span() for match in _NOT_REMOTE.finditer(rest.text)]
    rest.cut(on_site)
    stated = on_site_spans(rest.text)
    rest.cut(stated)
    on_site += stated
    hybrid = [match.span() for match in HYBRID.finditer(rest.text)]
    rest.cut(hybrid)
    remote = remote_spans(rest.text)
    rest.cut(remote)
    if unwanted and not on_site:
        return True
    if remote and (on_site or hybrid):
        return None
    return bool(remote) if remote or on_site or hybrid else None


def _take_exclusions(rest: _Rest) -> tuple[tuple[str, ...], tuple[Seniority, ...], bool]:
    """Terms and levels to leave out, and whether the person says that they have no experience."""
    terms: list[str] = []
    levels: list[Seniority] = []
    spans = []
    beginner = False
    for match in _EXCLUSION.finditer(rest.text):
        what = _EXCLUSION_ENDS.sub("", match["what"]).strip(" .-")
        if not what or _NOT_EXCLUDED.match(what):
            continue
        ruled_out = field_or_pronoun(what, match.group())
        if ruled_out is None:
            continue
        if _NO_EXPERIENCE.match(what):
            beginner = True
        elif level := _level_ruled_out(what):
            levels.append(level)
        else:
            terms.append(ruled_out if ruled_out == IT else ruled_out.casefold())
        end = match.start("what") + len(what)
        if match["also"] and len(what) == len(match["what"]):
            also = IT if match["also"] == IT else match["also"].casefold()
            if level := _level_ruled_out(also):
                levels.append(level)
            else:
                terms.append(also)
            end = match.end("also")
        spans.append((match.start(), end))
    rest.cut(spans)
    return tuple(dict.fromkeys(terms)), tuple(dict.fromkeys(levels)), beginner


def _level_ruled_out(what: str) -> Seniority | None:
    """The level that "senior", "seniors" or "senior engineers" names; "team lead experience" is no level."""
    found = title_level(re.sub(r"(?<=senior|junior)s\b", "", what.casefold()))
    if found is None or found[0] not in _LEVEL_WORDS or found[1][0] > 0:
        return None
    return found[0] if "experience" not in what.casefold() else None


def _take_level(rest: _Rest) -> Seniority | None:
    masked = _TITLES.sub(lambda match: "_" * len(match.group()), rest.text)
    found = title_level(masked)
    if (
        found is None
        or found[0] not in _LEVEL_WORDS
        or re.search(r"principal", masked[slice(*found[1])], re.IGNORECASE)
    ):
        return None
    rest.cut([found[1]])
    return found[0]


def _take_employment(rest: _Rest) -> Employment | None:
    found = employment_kind(rest.text)
    if found is None:
        return None
    rest.cut([found[1]])
    return found[0]


def _currency(pay: PayWish | None, places: tuple[str, ...]) -> str | None:
    if pay is None or not pay.bare_dollar:
        return pay.currency if pay else None
    for name in places:
        place = gazetteer().find(name)
        if place and len(place.countries) == 1:
            return LOCAL_DOLLAR.get(place.countries[0], pay.currency)
    return pay.currency
