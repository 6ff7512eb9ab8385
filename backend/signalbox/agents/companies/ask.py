"""Which company a message is about, what it wants to know, or what kind of companies it looks for. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final, Literal

from signalbox.agents.words.shown import job_meant, jobs_meant, shown_jobs
from signalbox.blocks import Job
from signalbox.memory.conversation import PastMessage
from signalbox.memory.words import words_in
from signalbox.retrieval.facts.companies import CompanyWish
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.query import MAX_CHARS, parse_query
from signalbox.retrieval.skills import SkillVocabulary

Topic = Literal[
    "region", "culture", "layoffs", "funding", "owners", "people", "training", "benefits", "competitors", "diversity",
    "news", "legitimacy", "size", "age", "offices", "products", "pay", "hiring", "remote", "technology",
]  # fmt: skip
Kind = Literal["profile", "list", "best", "method", "shown", "compare"]

_TOPIC_WORDS: Final[dict[Topic, str]] = {
    "region": r"hires? (?:\w+ ){0,2}(?:in|from|across|outside)\b|hiring (?:\w+ )?(?:in|from|across)\b|"
    r"(?:work|employ\w*) (?:\w+ )?from (?!home)\w+|which countries|what countries|where do(?:es)? \w+ hire",
    "legitimacy": r"legit\w*|scams?\b|real company|trustworth\w*|fake|serious\b|genuine|fraud\w*|shady|sketchy",
    "layoffs": r"la?y[ -]?off?s?\b|layofs?\b|redundanc\w+|job cuts|firing people|sack(?:ed|ing)\b",
    "funding": r"fund(?:ing|ed)\b|financ\w+|investors?\b|profit\w*|revenue|stable\b|stability|doing well|"
    r"share price|stock price|valuation|solvent|going under|bankrupt\w*|doing ok",
    "owners": r"who(?:'s| is)? (?:owns?|behind|runs?)\b|owned\b|owners?\b|parent company|founders?\b|ceo\b",
    "people": r"hiring manager|who runs \w+|head of|managers? (?:there|at)|recruiters?\b|interviewer",
    "training": r"train(?:s|ing)?\b|promot\w+|career path|formation|develop their|mentor\w*|bond system",
    "benefits": r"benefits?\b|pension|perks?\b|discounts?\b|holidays?\b|parental|health insurance",
    "competitors": r"competit\w+|rivals?\b",
    "diversity": r"divers\w+|inclusi\w+|women in|gender",
    "news": r"news\b|expand\w*|latest on|acqui\w+|merg\w+|opening a|recently|these days|still\b",
    "size": r"how (?:big|large|m[ae]ny)\b|emplo[iy]?\w*ees?\b|headcount|number of (?:staff|people)|size\b",
    "age": r"how (?:old|long)\b|founded|since when|established|when (?:was|did)\b",
    "offices": r"head ?quart\w+|offices?\b|where (?:is|are|do)\b|based\b|located",
    "products": r"products?\b|what do(?:es)? (?:they|it|\w+)(?: even| actually)? (?:do|make|sell|build)|stand for|"
    r"business model|organi[sz]ed",
    "pay": r"pay(?:s|ing)?\b|salar\w+|wages?\b|compensation",
    "hiring": r"hiring\b(?! manager)|open(?:ings?| positions?| roles?)\b|vacanc\w+|recruiting\b",
    "remote": r"remote\w*|work from home|home office|wfh|hybrid|in the office|days a week",
    "technology": r"tech(?:nolog\w+| stack)\b|stack\b|programming language|use (?:python|java|rust|go)\b",
    "culture": r"culture|what(?:'s| is|s)? it (?:really )?li(?:ke|ek)|wats it|like to work|as an employer|"
    r"good (?:company|employer|compny|place)|work[- ]life|well run|reviews?\b|glassdoor|sound to work|any good|"
    r"treat\w*|vibe|tea on|happy there|climate|people say|turnover|atmosphere|qué tal|place like|"
    r"to work for\b|who work",
}
_TOPICS: Final = {topic: re.compile(rf"\b(?:{words})", re.IGNORECASE) for topic, words in _TOPIC_WORDS.items()}
_LIST = re.compile(
    r"\b(?:which|what|any|list|show(?: me)?|name|names of|find(?: me)?|know(?: of)?|give me|are there)\b[^.?!]{0,40}"
    r"\b(?:companies|employers|firms|start-?ups|practices|places to work)\b|"
    r"\b(?:companies|employers|firms|start-?ups) (?:that|which|who|using|with|hiring|in|for)\b|"
    r"^(?:(?:best|good|top|great|nice) )(?:companies|employers|firms)\b",
    re.IGNORECASE,
)
_BEST = re.compile(
    r"\b(?:best|good|great|top|respected|nicest|reputable|ethical|friendl\w+|work[- ]life|balance|culture|happiest|"
    r"stable|highest[- ]paying|pay (?:best|most|well)|diverse|benefits)\b",
    re.IGNORECASE,
)
# "Which companies are these?": those of the postings on the table.
_SHOWN = re.compile(
    r"\b(?:which|what|whose|who|the)\b.{0,12}\b(?:companies|employers|firms)\b.{0,30}"
    r"\b(?:these|those|they|them|list above)\b|\b(?:these|those|their) (?:companies|employers|firms)\b|"
    r"\bwhich (?:companies|employers|firms) (?:did|have) you (?:show|found|find|shown)|"
    r"\b(?:companies|employers|firms) (?:behind|of|from|in|on) (?:these|those|them|"
    r"the (?:list|jobs|postings|results) above)\b|"
    r"\bwho (?:are|is) (?:the employers|hiring (?:here|for these))\b",
    re.IGNORECASE,
)
_REAL = re.compile(
    r"\b(?:not|no|without|except|besides|only|just) (?:the )?(?:fictional|fake|sample|made[- ]up|invented|real)\b|"
    r"^\W*(?:and )?(?:which|what|only|the|just)?\s*(?:\w+ )?(?:are )?(?:the )?real (?:ones|companies|employers)\b|"
    r"\bwhich (?:\w+ )?(?:are|is) (?:real|fictional|fake|not fictional)\b",
    re.IGNORECASE,
)
_COMPARE = re.compile(
    r"\b(?:compare|comparison|versus|vs\.?|side by side|difference between|"
    r"which (?:of the two|one) is (?:bigger|better|older))\b",
    re.IGNORECASE,
)
_BOTH = re.compile(
    r"\b(?:the two|the 2|both|them|these two|those two|the (?:two )?companies|these|those)\b", re.IGNORECASE
)
_SIDES = re.compile(
    r"\b(?:compare|comparing|comparison of|difference between|between)\s+(?P<one>[\w&.'’-]+(?:\s[\w&.'’-]+){0,3}?)\s+"
    r"(?:and|with|to|against|vs\.?|versus)\s+(?P<other>[\w&.'’-]+(?:\s[\w&.'’-]+){0,3})|"
    r"^\W*(?P<left>[\w&.'’-]+(?:\s[\w&.'’-]+){0,2}?)\s+(?:vs\.?|versus)\s+(?P<right>[\w&.'’-]+(?:\s[\w&.'’-]+){0,2})",
    re.IGNORECASE,
)
_METHOD = re.compile(
    r"\b(?:what should i (?:find out|know|check|look)|how (?:do|can|should) i (?:research|find out|check|tell)|"
    r"what (?:can|to) (?:check|look for))\b",
    re.IGNORECASE,
)
_FULLY = re.compile(r"\b(?:fully|100 ?%|completely|all|only)[ -]remote\b|\bremote[ -]only\b", re.IGNORECASE)
_REMOTE = re.compile(r"\bremote(?:ly|[ -]first|[ -]friendly)?\b|\bwork from home\b|\bfrom home\b", re.IGNORECASE)
_OVER = re.compile(r"\b(?:over|more than|at least|above)\s+(\d[\d,]*)\s*(?:people|employees|staff)", re.IGNORECASE)
_UNDER = re.compile(
    r"\b(?:under|fewer than|less than|at most|up to)\s+(\d[\d,]*)\s*(?:people|employees|staff)", re.IGNORECASE
)
_SMALL = re.compile(r"\b(?:small|tiny|start-?ups?)\b", re.IGNORECASE)
_LARGE = re.compile(r"\b(?:large|big|enterprise)\b", re.IGNORECASE)
_PRONOUN = re.compile(
    r"\b(?:they|them|their|the (?:company|firm|employer|organisation|organization|enterprise)|"
    r"this (?:company|firm|employer)|that (?:company|firm|employer)|it|the place|there)\b",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"(?<![\w'])(?:[^\W_a-zà-ÿ][\w'’.-]*\w|\d+[A-Za-z]\w*|[^\W_a-zà-ÿ])"
    r"(?:\s+(?:(?:of|de|du|the|and|&)\s+)?(?:[^\W_a-zà-ÿ][\w'’.-]*\w|[^\W_a-zà-ÿ\d])|\s+&)*"
)
_LOWER: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:company|firm|employer|enterprise|startup)\s+(?:called|named)\s+(?P<name>[\w&.'-]+(?:\s+[\w&.'-]+){0,3})",
        (
            r"\b(?:about|abuot|abt|background on|profile of|lowdown on|info on|research|look (?:up|into)|look at)\s+"
            r"(?P<name>[\w&.'-]+(?:\s+[\w&.'-]+){0,3})"
        ),
        r"\b(?:at|with|for|of|behind|owns|runs|has|have|is|are|does|did)\s+(?P<name>[\w&.'-]+(?:\s+[\w&.'-]+){0,2})",
    )
)  # fmt: skip
_NO_NAME: Final = words_in(
    """who what when where why how which is are was were do does did has have had can could will would should tell
    give show list find name names hello hi hey please thanks thank i i'm i've i'd my me you your we it its it's
    they them their there this that these those the a an any some no not yes and or but so if of for from to in
    on at by with about into as be been being good bad great best company companies firm firms employer
    employers enterprise place people staff employees teachers work working job jobs role roles culture layoffs
    layoff funding review reviews glassdoor linkedin kununu indeed quick profile background lowdown monday
    tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december tea really like more anyway even now just still recently again today ceo
    hr it qa ux ai legit legitimate scam real serious sound hiring remote pay salary products headquarters
    offices size old big engineering team know much many don't isn't question word mr ms dr rumours rumour news
    something everything anything one ones other first second third last qué everyone nobody before series happy
    after while since wats whats what's who's tel layofs agian meny got know find need want mind well run nah
    compny actual them. don fictional fake sample samples compare comparison hire hires use uses using list two both
    difference between versus vs"""
)
_STOP = re.compile(
    r"\s+(?:like|as|is|are|was|any|a|an|the|do|does|did|doing|got|had|has|have|sound|to|culture|hiring|hires?|for|from|and|or|"
    r"please|pls|plus|before|because|but|legit|good|bad|well|recently|these|just|right|agian|again|layoffs?|funding|"
    r"work\w*|wharehouse|warehouse|pay|paid|in|on|at|with|who|what|how|my|so)\b.*$",
    re.IGNORECASE,
)
_TERSE_WORDS: Final = 4
_SHORT: Final = 9
_PRONOUNS: Final = frozenset({"it", "them", "this"})


@dataclass(frozen=True, slots=True)
class CompanyAsk:
    """``name`` is None where it is not said; ``choices`` are the companies on the table then.
    ``job``: the posting it was pointed at by. ``shown``: the postings whose companies are meant; ``real_only``: without
    the fictional ones. ``sides``: two to compare. ``place``: where they are asked to hire.
    """

    kind: Kind
    name: str | None = None
    topics: tuple[Topic, ...] = ()
    wish: CompanyWish = field(default_factory=CompanyWish)
    choices: tuple[str, ...] = ()
    job: Job | None = None
    shown: tuple[Job, ...] = ()
    real_only: bool = False
    sides: tuple[str, str] | None = None
    place: str | None = None


def read_ask(message: str, history: Sequence[PastMessage], vocabulary: SkillVocabulary) -> CompanyAsk:
    """What is asked, of the company named, pointed at, or last talked about."""
    # Patterns that skip blanks cost the square of a run of them.
    message = uncased(" ".join(message[:MAX_CHARS].split()))
    topics = topics_in(message)
    if sides := _two_in(message, history):
        return CompanyAsk("compare", topics=topics, sides=sides)
    if _SHOWN.search(message) or (_REAL.search(message) and len(message.split()) <= _SHORT):
        return CompanyAsk("shown", shown=shown_jobs(history), real_only=_REAL.search(message) is not None)
    named = _named_company(message)
    if _LIST.search(message) and (named is None or vocabulary.canonical(named) or gazetteer().find(named)):
        wish = wish_in(message, vocabulary)
        best = _BEST.search(message) is not None
        return CompanyAsk("best" if best and wish.empty else "list", topics=topics, wish=wish)
    job = job_meant(message, history)
    if job is None and named is None and _METHOD.search(message):
        return CompanyAsk("method", topics=topics)
    name = job.company if job else name_in(message)
    if name is None and _PRONOUN.search(message):
        name = last_company(history)
    shown = tuple(dict.fromkeys(job.company for job in shown_jobs(history)))
    if name is None and len(shown) == 1:
        name = shown[0]
    place = _place_asked(message, name) if "region" in topics else None
    return CompanyAsk("profile", name, topics, choices=() if name else shown[:3], job=job, place=place)


def uncased(message: str) -> str:
    """A message that shouts, or Is Written Like This, without its capitals: they point at no name then."""
    words = re.findall(r"[^\W\d_]{2,}", message)
    known = [word for word in words if word.casefold() in _NO_NAME]
    shouted = bool(words) and message.upper() == message
    titled = len(known) > 1 and all(word[0].isupper() for word in words)
    return message.lower() if (shouted and len(words) > 1) or titled else message


def _two_in(message: str, history: Sequence[PastMessage]) -> tuple[str, str] | None:
    """The two companies to compare: named, of two postings pointed at, or the two looked at last."""
    if not _COMPARE.search(message):
        return None
    jobs = jobs_meant(message, history)
    if jobs.how in {"place", "name", "some"} and len(companies := _companies(shown.job for shown in jobs.jobs)) == 2:
        return companies[0], companies[1]
    if match := _SIDES.search(message):
        raw = (match["one"] or match["left"], match["other"] or match["right"])
        one, other = (
            last_company(history) if side.casefold() in _PRONOUNS else _trimmed(_STOP.sub("", side)) for side in raw
        )
        if one and other:
            return one, other
    if not _BOTH.search(message):
        return None
    seen = companies_told(history)
    return (seen[1], seen[0]) if len(seen) > 1 else None


def _companies(jobs: Iterable[Job]) -> list[str]:
    return list(dict.fromkeys(job.company for job in jobs))


def companies_told(history: Sequence[PastMessage]) -> list[str]:
    """Companies told of, the newest first."""
    blocks = (block for past in reversed(history) for block in reversed(past.blocks))
    return list(dict.fromkeys(str(each["company"]) for each in blocks if each.get("type") == "company_profile"))


def _place_asked(message: str, name: str | None) -> str | None:
    """The place that stands beside the company's own name."""
    rest = re.sub(re.escape(name), " ", message, flags=re.IGNORECASE) if name else message
    match = gazetteer().pattern.search(rest)
    place = gazetteer().find(match.group()) if match else None
    return place.name if place else None


def topics_in(message: str) -> tuple[Topic, ...]:
    return tuple(topic for topic, pattern in _TOPICS.items() if pattern.search(message))


def wish_in(message: str, vocabulary: SkillVocabulary) -> CompanyWish:
    """The conditions on companies that a message states."""
    tools = [s for s in vocabulary.extract(message, loose=True) if vocabulary.field(s) in {"software", "data", "cloud"}]
    places = parse_query(message, date.max, vocabulary).locations
    over, under = _OVER.search(message), _UNDER.search(message)
    low = int(over[1].replace(",", "")) if over else 201 if _LARGE.search(message) else None
    high = int(under[1].replace(",", "")) if under else 50 if _SMALL.search(message) else None
    fully = _FULLY.search(message) is not None
    known = next((place for place in places if gazetteer().find(place)), None)
    return CompanyWish(tuple(tools), known, fully or _REMOTE.search(message) is not None, fully, low, high)


def name_in(message: str) -> str | None:
    """The company that a message names: a proper name, else what stands where one stands in such questions."""
    message = uncased(message)
    if named := _named_company(message):
        return named
    for pattern in _LOWER:
        for match in pattern.finditer(message):
            if name := _trimmed(_STOP.sub("", match["name"])):
                return name
    words = [word for word in re.findall(r"[\w&.'’-]+", message) if word.casefold().strip(".") not in _NO_NAME]
    if 0 < len(words) <= 2 and len(message.split()) <= _TERSE_WORDS:
        return _trimmed(" ".join(words))
    return None


def _named_company(message: str) -> str | None:
    """A capitalised name that is no place after "in" and no word that only begins a sentence."""
    for match in _NAME.finditer(message):
        before = message[: match.start()].rstrip().casefold()
        name = _trimmed(re.sub(r"['’]s$", "", match.group()))
        places = name is not None and all(gazetteer().find(part) for part in re.split(r" and |, ", name))
        if not name or (places and (" and " in name or re.search(r"\b(?:in|near|around|from|to)$", before))):
            continue
        return name
    return None


def _trimmed(name: str) -> str | None:
    words = name.strip(" .,'’-").split()
    while words and words[0].casefold().strip(".,'’") in _NO_NAME:
        words.pop(0)
    while words and words[-1].casefold().strip(".,'’") in _NO_NAME:
        words.pop()
    kept = " ".join(words)
    return kept if len(kept) > 1 and any(map(str.isalnum, kept)) else None


def last_company(history: Sequence[PastMessage]) -> str | None:
    """The company of the last profile shown, of the only posting on the table, or of the last question about one."""
    for past in reversed(history):
        for block in reversed(past.blocks):
            if block.get("type") == "company_profile":
                return str(block["company"])
            if block.get("type") == "jobs_data":
                companies = {str(job["company"]) for job in block.get("jobs", ())}
                return companies.pop() if len(companies) == 1 else None
        if past.role == "user" and (_REAL.search(past.content) or _SHOWN.search(past.content)):
            continue
        if past.role == "user" and past.intent == "company_research" and (name := name_in(past.content[:MAX_CHARS])):
            return name
    return None
