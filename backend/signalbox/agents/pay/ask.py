"""What a message asks about pay: for which role, where, at which level, and against which figures. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Final, Literal

from signalbox.agents.pay.context import Basis, Topic, mended_place, place_in, topic_of
from signalbox.agents.pay.figures import Figure, figures_in
from signalbox.agents.pay.places import mistyped_place, town_of
from signalbox.agents.pay.role import STATUTORY, role_of
from signalbox.agents.words.shown import jobs_meant, shown_jobs
from signalbox.blocks import Job, ProfileFact
from signalbox.memory.conversation import PastMessage
from signalbox.memory.words import NUMBER, number_of
from signalbox.retrieval.facts.role_words import names_all
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.query import MAX_CHARS, parse_query
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.retrieval.terms import Seniority, title_level

Kind = Literal["range", "fair", "offers", "table", "posting", "convert", "advice", "net", "statutory"]

_OFFER = re.compile(
    r"\b(?:offers?|versus|vs\.?|compare|comparison|other|second|current(?:ly)?|or)\b|\bnow\b", re.IGNORECASE
)
_TABLE = re.compile(
    r"\b(?:which|who|what)\b[^.?!]{0,50}\b(?:pay(?:s|ing)?|paid|earns?|money|salary)\b[^.?!]{0,20}\b(?:best|most|more|"
    r"highest|better|least|lowest|top)\b|\b(?:best|highest|better|top|least|lowest)[ -]?pa(?:id|ying)\b|"
    r"\b(?:highest|best|top) (?:salary|pay)\b|\bcompare (?:the |their )?(?:pay|salar)|"
    r"\b(?:do|does|will) (?:they|these|those|it|that|this)(?: \w+)? pay\b|\bpay (?:of|for) (?:these|those|them)\b",
    re.IGNORECASE,
)
_OTHERS_ASKED = re.compile(
    r"\b(?:jobs|roles|these|those|them|ones|one|they|two|three|postings?|offers?)\b", re.IGNORECASE
)
_FAIR = re.compile(
    r"\b(?:fair|good|decent|ok(?:ay)?|reasonable|realistic|competitive|peanuts|low|lowball\w*|high|enough|normal|right|"
    r"worth|acc?ept|acept|underpaid|overpaid|market|too (?:much|little|low|high)|aim|take)\b",
    re.IGNORECASE,
)
_CONVERT = re.compile(
    r"\b(?:what|how much)(?:'s| is| would| does)?\b[^.?!]{0,40}\b(?:per|an?|each)[ -](?:hour|year|month|week|day)\b|"
    r"\b(?:convert|in hourly|hourly rate|as (?:an? )?(?:hourly|yearly|annual|monthly)|(?:per|an) hour (?:or|vs|and))\b",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r"\b(?:nego\w+|counter\w*|haggl\w*|(?:pay|salary)?\s?(?:raise|rise)|lowball\w*|ask (?:them )?for (?:more|a)|"
    r"sign[ -]?on|signing bonus|bonus|equity|rsus?|stock|options|pension|benefits?|allowance|relocation|perks?|holiday|"
    r"expect(?:ed|ation)s?|what (?:do|should) i (?:say|ask|put|answer)|which number|how (?:do|should|can|would) i "
    r"(?:ask|say|get|raise|discuss|bring|talk|value|word)|cough up|greedy|push back|comeback|competitive salary|"
    r"discuss the money|talk about (?:money|pay|salary)|word my|(?:have |'ve |been )?off?ered me|say no|push it|"
    r"asked for my number|propose|find out what|research a salary)\b",
    re.IGNORECASE,
)
_NET = re.compile(
    r"\b(?:take[ -]?home|after tax|before (?:or after )?tax|net (?:pay|salary|income)|tax(?:es|ed)?|brut)\b",
    re.IGNORECASE,
)
# "Does Trade Republic pay well?": who pays is an employer, who earns is a role.
_EMPLOYER = re.compile(r"\b[Dd]o(?:es)?\s+(?P<name>[A-Z][\w&.'-]*(?:\s+[A-Z][\w&.'-]*){0,4})\s+(?:really )?pay\b")
_FOLLOW_ON = re.compile(r"^\W*(?:and|what about|how about|same|or)\b", re.IGNORECASE)
_PER_HOUR_ASKED = re.compile(r"\b(?:per|an|by the|each) hour\b|\bhourly\b|/\s?h(?:ou)?r?\b", re.IGNORECASE)
# What people ask in a hundred ways, as a guide would put it.
_GUIDE_QUESTIONS: Final = tuple(
    (re.compile(rf"\b(?:{pattern})", re.IGNORECASE), question)
    for pattern, question in (
        (r"a week|more time|time to (?:think|decide)|deadline", "How do I ask for more time to decide?"),
        (
            r"bonus|benefits?\b|equity|rsus?\b|stock|pension|perks?\b|holiday|relocation|instead of money|allowance",
            "What can I negotiate besides salary?",
        ),
        (
            r"expect(?:ed|ation)s?\b|which number|my number|currently earn|current salary|say when|do i tell them",
            "What do I say when asked about salary expectations?",
        ),
        (r"turn (?:it|them) down|decline|reject", "How do I turn down a job offer politely?"),
        (r"counter[ -]?offer from|my (?:boss|employer) countered", "Should I accept a counter-offer?"),
        (
            (
                r"nego\w+|counter\w*|haggl\w*|lowball\w*|ask for more|raise\b|pay rise|greedy|cough up|"
                r"push (?:it|back)|say no|comeback|less? than|les than|off?ered"
            ),
            "How do I ask for more money and negotiate an offer?",
        ),
    )
)
# More numbers than this are a pasted table; what reads amounts takes time for each of them.
_MOST_NUMBERS: Final = 24
# Where the department or the place of a posting begins behind its title.
_ASIDE = re.compile(r"\s*[,(|/:]|\s+[-–—]\s+")
_LONG_TITLE: Final = 4
# How the question for a role begins, and how long a bare answer to it is.
ASKS: Final = "For which role"
_BARE_WORDS: Final = 8
_BEST = re.compile(r"\b(?:best|most|highest|lowest|least|rank|which)\b", re.IGNORECASE)
# "Ok, 2nd one": what people say before they point.
_BEFORE_POINTING = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|so|and|well|hm+|right|now|then|yes|yeah|cool|what about|how about|the)\W+)+", re.IGNORECASE
)
_ELSEWHERE = re.compile(
    r"^\W*(?:and|what about|how about|same(?: for)?|or)\s+(?:in |for |near )?(?P<place>[^?!.,]{3,40}?)\W*$",
    re.IGNORECASE,
)
_ONLY_POINTS = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|so|and|well|now|then|what about|how about)\W+)*(?:the\s+)?(?:first|second|third|fourth|fifth|"
    r"last|1st|2nd|3rd|[4-9]th)(?:\s+(?:one|job|posting|role))?\W*$",
    re.IGNORECASE,
)
_POINTED = re.compile(r"^(?:first|second|third|fourth|fifth|last|1st|2nd|3rd|[4-9]th)\b", re.IGNORECASE)
_LEVEL_WORDS: Final[dict[Seniority, str]] = {
    "intern": r"interns?",
    "junior": r"juniors?|beginners?|entry[ -]level|graduates?|grads?|newly[ -]qualified|trainees?",
    "senior": r"seniors?|experienced",
    "mid": r"mid(?:[ -]levels?)?",
}
_FOR_LEVEL = re.compile(
    r"\b(?:for|as|at|about)\s+(?:an?\s+|the\s+)?(?P<what>[\w-]+(?:[ -]level)?)\s*(?:level)?\W*$", re.IGNORECASE
)
_YEARS = re.compile(
    rf"\b(?P<years>{NUMBER})\s*\+?\s*(?:years?|yrs?|yoe)\b(?:['’]s?)?(?:\s+(?:of\s+)?(?:(?:work|relevant)\s+)?"
    r"(?:experience|exp)|\s+in\b|(?<=yoe)|\W*$)",
    re.IGNORECASE,
)
# From how many years on a level is the nearest that postings name; how employers count differs, so it is said.
_LEVEL_FROM: Final[tuple[tuple[int, Seniority], ...]] = ((5, "senior"), (2, "mid"), (0, "junior"))


@dataclass(frozen=True, slots=True)
class SalaryAsk:
    """``basis``: where the role is from. ``currency``: that of the pay told last, for a figure that names none.
    ``years``: of experience, of which ``level`` is the nearest. ``slip``: a place as typed, and as read.
    """

    kind: Kind
    role: str | None = None
    location: str | None = None
    level: Seniority | None = None
    figures: tuple[Figure, ...] = ()
    advice: bool = False
    company: str | None = None
    per_hour: bool = False
    basis: Basis = "none"
    currency: str | None = None
    years: int | None = None
    slip: tuple[str, str] | None = None

    @property
    def base(self) -> Figure | None:
        return next((figure for figure in self.figures if not figure.extra), None)


def read_ask(
    message: str,
    history: Sequence[PastMessage],
    profile: Sequence[ProfileFact],
    vocabulary: SkillVocabulary,
    job: Job | None = None,
) -> SalaryAsk:
    """What is asked (``company``: of one employer's pay). What the message leaves open comes from ``job`` if it points
    at one, then from what was spoken of last, then from the profile.
    """
    message = bounded(message)
    slip = mistyped_place(message)
    message = mended_place(message)
    figures = figures_in(message)
    query = parse_query(message, date.max, vocabulary)
    topic = topic_of(history, profile, vocabulary)
    statutory = STATUTORY.search(message) is not None
    unset = STATUTORY.sub(" pay ", message) if statutory else message
    named = role_of(unset, vocabulary) or _answered(unset, query.text, history)
    location = place_in(query, message)
    kind = _kind(message, figures, history, job, named)
    if statutory and named is None and kind in {"range", "fair"}:
        # No role is meant, so none is lent by what was spoken of before.
        return SalaryAsk("statutory", None, location, figures=figures)
    if named and (employer := _EMPLOYER.search(message)) and named in employer["name"]:
        return SalaryAsk(kind, None, location, query.seniority, figures, company=employer["name"])
    role, location, basis = _settled(message, named, location, topic, job)
    years = _years_in(message)
    level = _level_in(message) or query.seniority or (_level_after(years) if years is not None else None)
    return SalaryAsk(
        kind,
        role=_at_level(role, level) if role and basis != "message" else role,
        location=location,
        level=level
        or (parse_query(role, date.max, vocabulary).seniority if role and basis in {"pay", "posting"} else None),
        figures=figures,
        advice=_ADVICE.search(message) is not None,
        per_hour=_PER_HOUR_ASKED.search(message) is not None,
        basis=basis,
        currency=topic.currency if topic and basis == "pay" else None,
        years=years,
        slip=slip,
    )


def bounded(message: str) -> str:
    """The part of a message that is read: of so many characters and so many numbers."""
    head = message[:MAX_CHARS]
    numbers = list(islice(re.finditer(r"\d+", head), _MOST_NUMBERS + 1))
    return head[: numbers[-1].start()] if len(numbers) > _MOST_NUMBERS else head


def posting_meant(message: str, history: Sequence[PastMessage]) -> Job | None:
    """The one posting on the table that the message points at by number or name, or as "this one"."""
    text = _BEFORE_POINTING.sub("", message[:MAX_CHARS])
    if _POINTED.match(text):
        text = f"the {text}"
    meant = jobs_meant(text, history)
    sure = meant.how in {"place", "name", "this", "title"}
    return meant.jobs[0].job if sure and len(meant.jobs) == 1 else None


def _settled(
    message: str, named: str | None, location: str | None, topic: Topic | None, job: Job | None
) -> tuple[str | None, str | None, Basis]:
    """Role, place and where the role is from."""
    if job is not None and (named is None or not _shares(named, job.title)):
        return (
            _market_role(job.title, topic),
            location or town_of(job.location) or (topic.place if topic else None),
            "posting",
        )
    if named is not None:
        goes_on = topic is not None and topic.basis in {"pay", "search"} and _FOLLOW_ON.search(message)
        return named, location or (topic.place if topic and goes_on else None), "message"
    if topic is None:
        return None, location, "none"
    return topic.role, location or topic.place, topic.basis


def _market_role(title: str, topic: Topic | None) -> str:
    """What the title of a posting is compared as: its first part, or what was searched for if that says it shorter."""
    first = _ASIDE.split(title, maxsplit=1)[0].strip() or title
    if len(first.split()) > _LONG_TITLE and topic and len(topic.role.split()) > 1 and names_all(topic.role, title):
        return topic.role
    return first.casefold() if first.isupper() and " " in first else first


def _shares(role: str, title: str) -> bool:
    return not set(role.casefold().split()).isdisjoint(title.casefold().split())


def _answered(message: str, text: str, history: Sequence[PastMessage]) -> str | None:
    """A bare role where the last answer asked for one."""
    few = len(message.split()) <= _BARE_WORDS and not message.rstrip().endswith("?") and not _ONLY_POINTS.match(message)
    return text if text and few and asked_for_role(history) and not figures_in(message) else None


def asked_for_role(history: Sequence[PastMessage]) -> bool:
    last = history[-1] if history else None
    return last is not None and last.role == "assistant" and last.agent == "salary" and last.content.startswith(ASKS)


def goes_on(message: str, history: Sequence[PastMessage]) -> bool:
    """The last answer told what a role pays, and the message asks the same for another place, level or experience."""
    last = history[-1] if history else None
    told = last is not None and last.agent == "salary" and any(b.get("type") == "salary_range" for b in last.blocks)
    if not told or len(message.split()) > _BARE_WORDS:
        return False
    place = _ELSEWHERE.match(message)
    return (
        (place is not None and gazetteer().find(mended_place(f"in {place['place']}")[3:].strip()) is not None)
        or (_FOLLOW_ON.search(message) is not None and _level_in(message) is not None)
        or _ONLY_POINTS.match(message) is not None
        or (message.strip().casefold().startswith("with ") and _years_in(message) is not None)
    )


def _years_in(message: str) -> int | None:
    match = _YEARS.search(message)
    return number_of(match["years"]) if match else None


def _level_after(years: int) -> Seniority:
    return next(level for least, level in _LEVEL_FROM if years >= least)


def _level_in(message: str) -> Seniority | None:
    """The level that stands where a role could: "and for juniors?"."""
    match = _FOR_LEVEL.search(message)
    if match is None:
        return None
    fits = (level for level, words in _LEVEL_WORDS.items() if re.fullmatch(words, match["what"], re.IGNORECASE))
    return next(fits, None)


def _at_level(role: str, level: Seniority | None) -> str:
    """A role carried over, without the level it had before if another is asked for now."""
    stated = title_level(role)
    if level is None or stated is None or stated[0] in {level, "executive"}:
        return role
    start, end = stated[1]
    return " ".join(f"{role[:start]} {role[end:]}".split()) or role


def guide_question(message: str, otherwise: str | None = None) -> str:
    """The message as a guide would put its question; ``otherwise`` or itself where none fits."""
    fits = (question for pattern, question in _GUIDE_QUESTIONS if pattern.search(message))
    return next(fits, otherwise or message)


def _kind(
    message: str, figures: Sequence[Figure], history: Sequence[PastMessage], job: Job | None, role: str | None
) -> Kind:
    bases = [figure for figure in figures if not figure.extra]
    on_table = bool(shown_jobs(history)) and not bases
    several = _OTHERS_ASKED.search(message) is not None or role is None
    advice = _ADVICE.search(message) is not None
    tests: tuple[tuple[Kind, bool], ...] = (
        ("offers", len(bases) > 1 and _OFFER.search(message) is not None),
        ("posting", job is not None and not bases and not advice and not _BEST.search(message)),
        ("table", on_table and several and bool(_TABLE.search(message))),
        ("net", _NET.search(message) is not None),
        ("convert", bool(bases) and _CONVERT.search(message) is not None),
        ("fair", bool(bases) and _FAIR.search(message) is not None),
        ("advice", advice),
        ("fair", bool(bases)),
    )
    return next((kind for kind, holds in tests if holds), "range")
