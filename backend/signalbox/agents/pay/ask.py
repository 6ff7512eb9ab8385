"""What a message asks about pay: for which role, where, at which level, and against which figures. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Final, Literal

from signalbox.agents.words.profile_words import value_of
from signalbox.agents.words.shown import shown_jobs
from signalbox.blocks import Job, ProfileFact
from signalbox.memory.conversation import PastMessage
from signalbox.memory.words import words_in
from signalbox.retrieval.locations import find_places
from signalbox.retrieval.pay import PER_YEAR, find_pay
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.query import MAX_CHARS, parse_query
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.retrieval.terms import Seniority

Kind = Literal["range", "fair", "offers", "table", "convert", "advice", "net"]

_ROLE: Final = r"(?P<role>[^\W\d_][^,.;:!?\n£$€]{1,70}?)"
_END: Final = (
    r"(?=\s+(?:in|at|near|around|with|who|that|working|on|per|from|by|here|there|these|nowadays|usually|typically|"
    r"really|jobs?|roles?|positions?|posts?|based|to|so|when|if|but|because|like|\d)\b|\s*[,.;:!?(£$€]|\s+[–-]|\s*$)"
)
_PAY: Final = (
    r"(?:sal[ae]r(?:y|ies)|salry|salarys?|pay(?:[ -]?(?:range|scale|band|rate|rates|packet|check|checks|raise))?|"
    r"payrange|wages?|earnings?|comp(?:ensation)?|going rates?|day rates?|rates?|income|ctc|premium|allowance)"
)
_PATTERNS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        (
            rf"\b(?:do|does|would|could|can|should|will|might)\s+(?:an?\s+|the\s+)?{_ROLE}(?:\s+|\s*,\s*)(?:typically |"
            r"usually |really |actually |tend to )?(?:earn|make|get|pay|take home|bring home|bring in|expect|charge|"
            r"cost)\b"
        ),
        rf"\b{_PAY}\s+(?:is\s+|are\s+)?(?:for|of|as|to)\s+(?:an?\s+|the\s+|most\s+)?{_ROLE}{_END}",
        rf"\bgana(?:n)?\s+(?:un|una|los|las)\s+{_ROLE}{_END}",
        rf"\b(?:difference|more)\s+between\s+(?:an?\s+)?{_ROLE}{_END}",
        (
            r"\b(?:fair|good|decent|normal|realistic|reasonable|low|high|enough|usual|typical|average|right|ok|okay|"
            r"looking like|competitive|market rate|peanuts)\b[^,.;!?]{0,25}?\s(?:for|as)\s+(?:an?\s+|the\s+)?"
            rf"{_ROLE}{_END}"
        ),
        rf"\b(?:paid|earn(?:ing)?|charge|make)\b[^.;!?]{{0,30}}?\sas\s+(?:an?\s+|the\s+){_ROLE}{_END}",
        rf"^(?:and |what about |how about |average |typical |usual )*(?:an? )?{_ROLE}\s+{_PAY}\b",
        rf"\b{_PAY}\s+{_ROLE}{_END}",
        rf"^(?:and|what about|how about)\s+(?:for\s+|as\s+)?(?:an?\s+)?{_ROLE}{_END}",
        rf"\b{_PAY}\s*[,:]\s*(?:an?\s+)?{_ROLE}{_END}",
        rf"\bfor\s+(?:an?\s+)?{_ROLE}{_END}",
        rf"\bas\s+an?\s+{_ROLE}{_END}",
    )
)
# The exact name of an occupation, as quick replies put it: it may hold commas.
_EXACTLY = re.compile(r"\b(?:do|does)\s+“(?P<role>[^“”\n]{2,160})”\s+earn\b", re.IGNORECASE)
_LEAD = re.compile(
    r"^(?:(?:an?|the|my|our|most|other|average|avrage|typical|usual|normal|fair|good|current|starting|base|some|any|"
    r"is|are|what|what's|whats|which|wat|this|that|these|those|"
    r"someone|somebody|people|like|being|working|worth|as|for|of)\s+)+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\s+(?:and|or|plus|versus|vs\.?|than|nights?|shifts?|please|pls|thanks|now|today|yoe)\b.*$", re.IGNORECASE
)
_TRAIL = re.compile(r"\s+(?:jobs?|roles?|positions?|posts?|work|job like this|type jobs?)$", re.IGNORECASE)
_NO_ROLE: Final = words_in(
    """it i you we they he she this that these those them me us one ones someone somebody people job jobs role roles
    position offer offers work money more less much best better worst year years hour hours month week day number
    salary pay wage raise rise increase bonus equity company companies firm employer employers boss manager's ask
    asking sure example instance now then everyone anyone lot bit nothing something anything experience level
    negotiation negotiate market range first second third last two both other same my your field fair good decent
    peanuts here there there's tax net gross benefits package higher lower counter negotiating counteroffer average
    salery sallary band do did what for the to how does check expectation expectations overtime negociate word put give
    candidate candidates is are"""
)
_LEVELS: Final = words_in("grad graduate junior senior mid mid-level entry entry-level intern trainee apprentice lead")
_MOST_WORDS: Final = 6

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
_EXTRA = re.compile(
    r"\b(?:rsus?|equity|stocks?|shares|options|sign[ -]?on|signing|relocation|bonus of)\W*(?:\w+\W+){0,2}$",
    re.IGNORECASE,
)
_EXTRA_AFTER = re.compile(
    r"^\s*(?:in |of )?(?:rsus?|equity|stocks?|shares|options|sign|bonus|over \w+ years)\b", re.IGNORECASE
)
_PER_HOUR_ASKED = re.compile(r"\b(?:per|an|by the|each) hour\b|\bhourly\b|/\s?h(?:ou)?r?\b", re.IGNORECASE)
_MOST_FIGURES: Final = 6
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
_MOST_NUMBERS: Final = 24
_ABSURD_YEAR: Final = 10_000_000.0
_PER_HOUR = re.compile(r"\s*(?:per|an?|/)\s*(?:hour|hr|h)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Figure:
    """A pay in a message: per year, as it was written (``text``), and where. ``extra`` is no base pay (equity ...)."""

    yearly: float
    currency: str | None
    text: str
    start: int
    end: int
    extra: bool = False

    @property
    def hourly(self) -> bool:
        return re.search(r"\b(?:hour|hr|h|hourly|ph)\b", self.text, re.IGNORECASE) is not None


@dataclass(frozen=True, slots=True)
class SalaryAsk:
    kind: Kind
    role: str | None = None
    location: str | None = None
    level: Seniority | None = None
    figures: tuple[Figure, ...] = ()
    advice: bool = False
    company: str | None = None
    per_hour: bool = False

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
    at one, then from the last question about pay, then from the profile.
    """
    message = message[:MAX_CHARS]
    figures = figures_in(message)
    query = parse_query(message, date.min, vocabulary)
    last = _last_range(history)
    role = role_of(message, vocabulary)
    follows = role is None or _FOLLOW_ON.search(message) is not None
    location = next((place for place in query.locations if _is_place(place, message)), None)
    if job is not None:
        role, location = role or job.title, location or job.location
    if last and follows:
        role, location = role or last[0], location or (last[1] if role is not None else None)
    wished = [fact for fact in profile if fact.kind == "preference"]
    kind = _kind(message, figures, history)
    if role and (employer := _EMPLOYER.search(message)) and role in employer["name"]:
        return SalaryAsk(kind, None, location, query.seniority, figures, company=employer["name"])
    if role is None:
        role = value_of(wished, "title") or value_of(profile, "title")
        location = location or value_of(profile, "location")
    return SalaryAsk(
        kind,
        role,
        location,
        query.seniority,
        figures,
        advice=_ADVICE.search(message) is not None,
        per_hour=_PER_HOUR_ASKED.search(message) is not None,
    )


def _is_place(name: str, message: str) -> bool:
    """Known, or written as a name: "in adverts" is no place."""
    return gazetteer().find(name) is not None or (name[:1].isupper() and name in message)


def role_of(message: str, vocabulary: SkillVocabulary) -> str | None:
    """The role the message asks about, without its place, or None."""
    if match := _EXACTLY.search(message):
        return match["role"].strip()
    _, _, spans = find_places(message, vocabulary)
    text = message
    for start, end in spans:
        text = text[:start] + " , " + " " * (end - start - 3) + text[end:] if end - start >= 3 else text
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            role = _TRAIL.sub("", _TAIL.sub("", _LEAD.sub("", match["role"].strip()))).strip(" '\"“”,-")
            words = re.findall(r"[^\W\d_][\w'+#.-]*", role.casefold())
            if words and len(words) <= _MOST_WORDS and _NO_ROLE.isdisjoint(words) and not _LEVELS.issuperset(words):
                return role
    return None


def guide_question(message: str) -> str:
    """The message as a guide would put its question; itself where none fits."""
    return next((question for pattern, question in _GUIDE_QUESTIONS if pattern.search(message)), message)


def figures_in(message: str) -> tuple[Figure, ...]:
    """Every pay that the message names, in its order; ranges count as their lower end."""
    found: list[Figure] = []
    numbers = list(islice(re.finditer(r"\d+", message[:MAX_CHARS]), _MOST_NUMBERS + 1))
    rest = message[: numbers[-1].start() if len(numbers) > _MOST_NUMBERS else MAX_CHARS]
    while len(found) < _MOST_FIGURES and (pay := find_pay(rest)):
        start, end = pay.spans[0]
        yearly = pay.minimum or pay.maximum
        if yearly:
            extra = bool(_EXTRA.search(message[:start]) or _EXTRA_AFTER.match(message[end:]))
            text = re.sub(r"^[^\d£$€¥₹]+", "", message[start:end]).strip()
            if yearly > _ABSURD_YEAR:
                # "What is 45k per hour?" asks for another period than the one the figure is in.
                yearly, text = yearly / PER_YEAR["hour"], _PER_HOUR.sub("", text)
            found.append(Figure(yearly, pay.currency, text, start, end, extra))
        rest = rest[:start] + " " * (end - start) + rest[end:]
    return tuple(sorted(found, key=lambda figure: figure.start))


def _kind(message: str, figures: Sequence[Figure], history: Sequence[PastMessage]) -> Kind:
    bases = [figure for figure in figures if not figure.extra]
    on_table = bool(shown_jobs(history)) and not bases
    tests: tuple[tuple[Kind, bool], ...] = (
        ("offers", len(bases) > 1 and _OFFER.search(message) is not None),
        ("table", on_table and bool(_TABLE.search(message) and _OTHERS_ASKED.search(message))),
        ("net", _NET.search(message) is not None),
        ("convert", bool(bases) and _CONVERT.search(message) is not None),
        ("fair", bool(bases) and _FAIR.search(message) is not None),
        ("advice", _ADVICE.search(message) is not None),
        ("fair", bool(bases)),
    )
    return next((kind for kind, holds in tests if holds), "range")


def _last_range(history: Sequence[PastMessage]) -> tuple[str, str | None] | None:
    for past in reversed(history):
        for block in past.blocks:
            if block.get("type") == "salary_range":
                return str(block["role"]), block.get("asked_location")
    return None
