"""What a message wants searched, in the light of the searches before it and of the profile. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any, Final

from signalbox.agents.phrases import listed, money, plain, without_command
from signalbox.agents.profile_words import value_of
from signalbox.blocks import Job, ProfileFact
from signalbox.memory.conversation import PastMessage
from signalbox.retrieval.query import JobQuery, parse_query, role_query
from signalbox.retrieval.skills import SkillVocabulary

ANYTHING: Final = "postings"
# Older searches than this are not what "only the remote ones" means.
_LOOK_BACK: Final = 4
# A longer message that names a subject of its own is a new search, however it begins.
_SHORT: Final = 9
# What may be left around "my profile" without being a subject of its own.
_FEW_WORDS: Final = 1


@dataclass(frozen=True, slots=True)
class Wish:
    """``refines``: an earlier search goes on. ``by_profile``: the profile lent the subject. ``rules``: conditions that
    stand in the profile as hard rules, not in the message.
    """

    query: JobQuery
    refines: bool = False
    by_profile: bool = False
    rules: tuple[str, ...] = ()


_FOLLOW_UP = re.compile(
    r"^\W*(?:(?:ok|okay|hmm+|and|but|no|yes|now|please|great|thanks|then|so)\b\W*)*(?:only|just|what about|"
    r"how about|what if|"
    r"same|again|others?|any others|got any others|more|closer|too (?:far|junior|senior)|newer|cheaper|better|"
    r"higher|instead|"
    r"without|not|in|near|with|remote|part[ -]?time|full[ -]?time|go ahead|anything (?:new|else|better)|who else|"
    r"which of (?:these|those|them)|widen|drop|search again|try|make it|the remote ones)\b"
    r"|\b(?:instead|the remote ones|these are all|of (?:those|these|them)|same (?:again|search)|as well)\b",
    re.IGNORECASE,
)
_NEW_SUBJECT = re.compile(r"\b(?:what|how) about\b|\binstead\b|\bwho else\b", re.IGNORECASE)
_START_OVER = re.compile(
    r"\b(?:new search|start over|from scratch|any(?: kind of)? jobs?|all jobs|forget the)\b", re.IGNORECASE
)
_CHATTER = re.compile(
    r"\b(?:hmm+|others?|else|more like|closer|too far|far|widen|these are all|too|again|search|try|same|instead|better|"
    r"higher|which|go (?:ahead|on)|as well|in there|there|keep looking|got (?:any )?more|last (?:batch|search)|"
    r"(?:next )?page|"
    r"similar|nothing|none|that list|the list|results|expired ones|those|these|them)\b",
    re.IGNORECASE,
)
# Words of politeness and haste, and a second request behind the search: neither is a thing to search for.
_ASIDE = re.compile(
    r"\b(?:pls|plz|yo|hmu|mate|sir|lol|rn|asap|let'?s|who'?s|ok|okay|kindly|share|wanna|tryna|lowkey|see|moment|hola|"
    r"good (?:morning|evening|afternoon)|hope you'?re well)\b"
    r"|(?:,|\band|\bthen)\s+(?:(?:also|then|afterwards)\s+)*(?:tell me|draft|write|check|look over|give me some|"
    r"make me|help me)\b.*$",
    re.IGNORECASE,
)
_BY_PROFILE = re.compile(
    r"\b(?:(?:(?:that|which|to)\s+)?(?:match(?:es|ing)?|fit(?:s|ting)?|suit(?:s|ed)?(?: to)?|based on|for|with|"
    r"according to)\s+)?"
    r"(?:someone (?:with|like)\s+)?(?:my (?:own )?(?:profile|background|skills|experience)|(?:match(?:es)?|fits?|"
    r"suits?|suited to) me|like me)\b",
    re.IGNORECASE,
)
_FOR_ME = re.compile(
    r"\W*(?:(?:please|find|show|search|any|some|me|are there|what)\W+)*(?:jobs?|roles?|openings|vacancies|postings)\W+"
    r"(?:are there\W+)?for me\W*(?:please\W*)?$",
    re.IGNORECASE,
)
_LIKE = re.compile(r"\b(?:more|others?|similar|something|jobs?|roles?)\b.{0,20}\b(?:like|to)\b", re.IGNORECASE)
_DROP = re.compile(
    r"\b(?:without|drop|ignore|lift|remove|leave out)\s+(?:the|that|my)\s+(?P<what>remote|location|place|pay|"
    r"salary|level|"
    r"seniority|date|skill|company|experience|employment|exclusion)s?\b|\b(?P<any>in any (?:location|place)|anywhere|"
    r"at any pay|any level)\b",
    re.IGNORECASE,
)
_CONDITIONS: Final[dict[str, dict[str, Any]]] = {
    "remote": {"remote": None},
    "location": {"locations": ()},
    "pay": {"salary_min": None, "salary_max": None, "currency": None},
    "level": {"seniority": None},
    "experience": {"entry_level": False},
    "date": {"posted_after": None},
    "skill": {"skills": ()},
    "company": {"companies": ()},
    "employment": {"employment_type": None},
    "exclusion": {"exclude": ()},
}
_SAME: Final = {"place": "location", "salary": "pay", "seniority": "level"}


def read_wish(
    message: str,
    history: Sequence[PastMessage],
    profile: Sequence[ProfileFact],
    job: Job | None,
    *,
    today: date,
    vocabulary: SkillVocabulary,
) -> Wish:
    """The search to make. ``job`` is a shown posting that the message points at ("more like the third one")."""
    if job is not None and _LIKE.search(message):
        return Wish(role_query(job.title, vocabulary), refines=True)
    wish: Wish | None = None
    for past in (*_earlier(history), message):
        wish = _next(wish, without_command(past), today, vocabulary)
    wish = _within_rules(wish or Wish(JobQuery()), profile)
    if wish.query.browses and (title := value_of(profile, "title")) and _wants_own_kind(wish.query):
        lent = role_query(title, vocabulary)
        return replace(
            wish, query=replace(wish.query, text=lent.text, words=lent.words, skills=lent.skills), by_profile=True
        )
    # Without a title the profile lends no subject; it still decides the order.
    return replace(wish, by_profile=False)


def _within_rules(wish: Wish, profile: Sequence[ProfileFact]) -> Wish:
    """With the profile's hard rules on place and office added, where the message leaves them open."""
    rules = {fact.key: fact.value for fact in profile if fact.kind == "constraint"}
    query, applied = wish.query, []
    if not query.locations and "location" in rules:
        query = replace(query, locations=tuple(part.strip() for part in rules["location"].split(",")))
        applied.append("location")
    if query.remote is None and rules.get("remote") == "no":
        query = replace(query, remote=False)
        applied.append("remote")
    return replace(wish, query=query, rules=tuple(applied))


def conditions_of(query: JobQuery) -> dict[str, str]:  # noqa: C901 - one line a condition
    """Every condition by its name, in words that follow "postings"."""
    found: dict[str, str] = {}
    named = query.text.casefold()
    if any(skill.casefold() not in named for skill in query.skills):
        found["skill"] = f"asking for {listed(query.skills)}"
    if query.remote is not None:
        found["remote"] = "that are remote" if query.remote else "that are on site"
    if query.locations:
        found["location"] = f"in {listed([plain(place) for place in query.locations], 'or')}"
    if query.companies:
        found["company"] = f"at {listed([plain(name) for name in query.companies], 'or')}"
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
    if query.exclude:
        found["exclusion"] = f"without {listed([f'“{plain(term)}”' for term in query.exclude], 'or')}"
    return found


def subject_of(query: JobQuery) -> str:
    """What is looked for, as a noun phrase: ``“data engineer” postings``."""
    return f"“{plain(query.text)}” postings" if query.text.strip() else ANYTHING


def _next(before: Wish | None, message: str, today: date, vocabulary: SkillVocabulary) -> Wish:
    """The wish after one more message."""
    dropped = _DROP.search(message)
    if before and dropped:
        return Wish(_without(before.query, dropped), refines=True)
    for_me = _FOR_ME.match(message) is not None
    message = _ASIDE.sub(" ", message)
    query = parse_query(_BY_PROFILE.sub(" ", message), today, vocabulary)
    if for_me or (_BY_PROFILE.search(message) and not query.skills and len(query.words) <= _FEW_WORDS):
        return Wish(replace(query, text="", words=(), skills=()), by_profile=True)
    if before is None or _START_OVER.search(message):
        return Wish(query)
    rest = parse_query(_CHATTER.sub(" ", message), today, vocabulary)
    if not rest.browses and not (_FOLLOW_UP.search(message) and len(message.split()) <= _SHORT):
        return Wish(query)
    subject = rest if not rest.browses and _NEW_SUBJECT.search(message) else before.query
    return Wish(_merged(before.query, rest, subject), refines=True)


def _merged(before: JobQuery, new: JobQuery, subject: JobQuery) -> JobQuery:
    """The conditions of both, the newer winning; skills named anew are asked for as well."""
    blank = JobQuery()
    stated = {f.name: value for f in fields(new) if (value := getattr(new, f.name)) != getattr(blank, f.name)}
    if "salary_min" in stated or "salary_max" in stated:
        before = replace(before, salary_min=None, salary_max=None)
    stated |= {
        "text": subject.text,
        "words": subject.words,
        "skills": subject.skills if subject is new else tuple(dict.fromkeys((*subject.skills, *new.skills))),
        "exclude": tuple(dict.fromkeys((*before.exclude, *new.exclude))),
    }
    return replace(before, **stated)


def _without(query: JobQuery, dropped: re.Match[str]) -> JobQuery:
    if dropped["any"]:
        words = dropped["any"].casefold()
        name = "pay" if "pay" in words else "level" if "level" in words else "location"
    else:
        name = dropped["what"].casefold()
    return replace(query, **_CONDITIONS[_SAME.get(name, name)])


def _wants_own_kind(query: JobQuery) -> bool:
    """A browse of one company or of the newest postings is what it says; any other is about the person."""
    return not query.companies and query.posted_after is None


def _earlier(history: Sequence[PastMessage]) -> list[str]:
    asked = [past.content for past in history if past.role == "user" and past.intent == "job_search"]
    return asked[-_LOOK_BACK:]


def _pay(query: JobQuery) -> str:
    low, high = query.salary_min, query.salary_max
    if low and high:
        return f"paying {money(low, query.currency)} to {money(high, query.currency)} a year"
    return f"paying {'at least' if low else 'at most'} {money(low or high or 0, query.currency)} a year"
