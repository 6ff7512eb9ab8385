"""What a message wants searched, in the light of the searches before it and of the profile. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any, Final

from signalbox.agents.words.phrases import listed, money, plain, without_command
from signalbox.agents.words.profile_words import value_of
from signalbox.blocks import Job, ProfileFact
from signalbox.memory.conversation import PastMessage
from signalbox.retrieval.query import JobQuery, parse_query, role_query
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.retrieval.terms import employment_kind
from signalbox.tools.vocabulary import packaged_vocabulary

ANYTHING: Final = "postings"
# Older searches than this are not what "only the remote ones" means.
_LOOK_BACK: Final = 4
# A longer message that names a subject of its own is a new search, however it begins.
_SHORT: Final = 9
# What may be left around "my profile" without being a subject of its own.
_FEW_WORDS: Final = 1
# Enough to recognise one's own words by.
_LONGEST_ECHO: Final = 60


@dataclass(frozen=True, slots=True)
class Wish:
    """``refines``: an earlier search goes on. ``by_profile``: the profile lent the subject. ``rules``: conditions that
    stand in the profile as hard rules, not in the message. ``seen``: what that search has shown, if more is wanted.
    """

    query: JobQuery
    refines: bool = False
    by_profile: bool = False
    rules: tuple[str, ...] = ()
    seen: tuple[str, ...] | None = None


_COURTESY = r"^\W*(?:(?:ok|okay|hmm+|and|but|no|yes|now|please|great|thanks|then|so|can you|could you)\b\W*)*"
_ASKS = r"(?:find|show|search|look(?:ing)?|list|give|get|i(?:'m| am)? (?:want|need|looking)|i'd like)\b"
# What can only be meant of a search already made.
_FOLLOW_UP = re.compile(
    _COURTESY + r"(?:what about|how about|what if|same|again|others?|any others|got any others|more|closer|"
    r"too (?:far|junior|senior)|newer|cheaper|better|higher|instead|go ahead|anything (?:new|else|better)|who else|"
    r"which of (?:these|those|them)|widen|drop|search again|try|make it)\b"
    r"|\b(?:instead|the [\w+#-]+ (?:ones|one)|(?:the|any) ones|these are all|of (?:those|these|them)|as well|"
    r"same (?:again|search)|(?:something|anything) (?:else|similar|closer|better|newer)|search again)\b",
    re.IGNORECASE,
)
# These narrow the search before them unless the message is a search of its own.
_NARROWS = re.compile(
    _COURTESY + rf"(?:{_ASKS}\W*(?:(?:me|us|for)\b\W*)?)?(?:only|just|without|not|exclude|excluding|in|near|with)\b"
    r"|^\W*(?:and|but|no)\b",
    re.IGNORECASE,
)
_STRICTLY_NARROWS = re.compile(r"\W*(?:only|just|without|not|exclud\w+)\b", re.IGNORECASE)
_OWN_SEARCH = re.compile(
    _COURTESY
    + rf"(?:{_ASKS}(?!\W*(?:(?:me|us|for)\b\W*)?(?:only|just|without|not)\b)|are there\b|any\b(?=.*\bjobs?\b))",
    re.IGNORECASE,
)
_WORK = re.compile(r"\b(?:jobs?|roles?|work|openings?|vacanc(?:y|ies)|positions?|postings?)\b", re.IGNORECASE)
_FURTHER = re.compile(
    r"^\W*(?:(?:ok|okay|yes|yeah|yep|sure|please|and|great|thanks|now|can you|could you|i want|i'd like|to|are there|"
    r"got|have you got|do you have)\b\W*)*(?:(?:show|give|see|list|load|get|find)\b\W*)?(?:(?:me|us)\b\W*)?"
    r"(?:(?:the|some|any|a few)\b\W*)?(?:(?P<count>\d{1,2}|one|two|three|four|five|six|seven|"
    r"eight|nine|ten) more|(?:more|next)(?: (?P<after>\d{1,2}))?|rest|remaining|others)\b\W*"
    r"(?:(?:of (?:them|these|those)|like (?:that|this|these|those|them)|jobs|results|postings|ones|roles|page|please|"
    r"thanks)\b\W*)*$",
    re.IGNORECASE,
)
_AGREES = re.compile(
    r"^\W*(?:(?:yes|yeah|yep|yup|sure|ok|okay|please|go on|go ahead|continue|keep going|do|next)\b\W*)+$",
    re.IGNORECASE,
)
_COUNTS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
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
    r"seniority|date|skill|company|experience|employment|exclusion)s?\b(?!\s+(?:ones?|jobs?|roles?|postings?)\b)|"
    r"\b(?P<any>in any (?:location|place)|anywhere(?! (?:but|except|other)\b)|"
    r"at any pay|any level)\b",
    re.IGNORECASE,
)
_CONDITIONS: Final[dict[str, dict[str, Any]]] = {
    "remote": {"remote": None},
    "location": {"locations": ()},
    "pay": {"salary_min": None, "salary_max": None, "currency": None},
    "level": {"seniority": None, "not_seniority": ()},
    "experience": {"entry_level": False},
    "date": {"posted_after": None},
    "skill": {"skills": ()},
    "company": {"companies": ()},
    "employment": {"employment_type": None},
    "exclusion": {"exclude": (), "not_locations": (), "not_companies": (), "not_seniority": ()},
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
    seen = _seen(message, history)
    if job is not None and seen is None and _LIKE.search(message):
        return Wish(role_query(job.title, vocabulary), refines=True)
    wish: Wish | None = None
    for past in _earlier(history) if seen is not None else (*_earlier(history), message):
        wish = _next(wish, without_command(past), today, vocabulary)
    wish = _within_rules(wish or Wish(JobQuery()), profile)
    if seen is not None and (count := _count_of_more(message)):
        wish = replace(wish, query=replace(wish.query, limit=count))
    wish = replace(wish, seen=seen, refines=wish.refines or seen is not None)
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
    if not all(_names(named, skill) for skill in query.skills):
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
    if avoided := _avoided(query):
        found["exclusion"] = listed(avoided)
    return found


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


def subject_of(query: JobQuery) -> str:
    """What is looked for, as a noun phrase: ``“data engineer” postings``."""
    return f"“{plain(_brief(query.text), _LONGEST_ECHO)}” postings" if query.text.strip() else ANYTHING


def _brief(text: str) -> str:
    """Each word once: who pastes a word twenty times need not read it twenty times."""
    words: dict[str, str] = {}
    for word in text.split():
        words.setdefault(word.casefold(), word)
    return " ".join(words.values())


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
    if _stands_alone(message, rest):
        return Wish(query)
    subject = rest if not rest.browses and _NEW_SUBJECT.search(message) else before.query
    return Wish(_merged(before.query, rest, subject), refines=True)


def _stands_alone(message: str, rest: JobQuery) -> bool:
    """Whether the message is a search of its own, of which nothing earlier is a part."""
    short = len(message.split()) <= _SHORT
    if _FOLLOW_UP.search(message) and (short or rest.browses):
        return False
    if _OWN_SEARCH.search(message):
        return True
    if rest.browses:
        place = bool(rest.locations or rest.companies)
        return place and _WORK.search(message) is not None and not _NARROWS.search(message)
    if short and _NARROWS.search(message):
        return _WORK.search(message) is not None and not _STRICTLY_NARROWS.match(message)
    return True


def _merged(before: JobQuery, new: JobQuery, subject: JobQuery) -> JobQuery:
    """The conditions of both, the newer winning; skills named anew are asked for as well."""
    blank = JobQuery()
    stated = {f.name: value for f in fields(new) if (value := getattr(new, f.name)) != getattr(blank, f.name)}
    if "salary_min" in stated or "salary_max" in stated:
        before = replace(before, salary_min=None, salary_max=None)
    before = _without_contradiction(before, new)
    stated |= {
        "text": subject.text,
        "words": subject.words,
        "skills": subject.skills if subject is new else tuple(dict.fromkeys((*subject.skills, *new.skills))),
        "exclude": tuple(dict.fromkeys((*before.exclude, *new.exclude))),
        "not_locations": tuple(dict.fromkeys((*before.not_locations, *new.not_locations))),
        "not_companies": tuple(dict.fromkeys((*before.not_companies, *new.not_companies))),
        "not_seniority": tuple(dict.fromkeys((*before.not_seniority, *new.not_seniority))),
    }
    return replace(before, **stated)


def _without_contradiction(before: JobQuery, new: JobQuery) -> JobQuery:
    """``before`` without what ``new`` turns round: "not in Berlin" after "in Berlin", or the reverse."""
    return replace(
        before,
        locations=_less(before.locations, new.not_locations),
        companies=_less(before.companies, new.not_companies),
        seniority=None if before.seniority in new.not_seniority else before.seniority,
        not_locations=_less(before.not_locations, new.locations),
        not_companies=_less(before.not_companies, new.companies),
        not_seniority=tuple(level for level in before.not_seniority if level != new.seniority),
    )


def _less(names: Sequence[str], gone: Sequence[str]) -> tuple[str, ...]:
    folded = {name.casefold() for name in gone}
    return tuple(name for name in names if name.casefold() not in folded)


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


def _count_of_more(message: str) -> int | None:
    """The number in "show 5 more", "five more" or "the next 3"."""
    match = _FURTHER.match(without_command(message))
    named = (match["count"] or match["after"] or "").casefold() if match else ""
    return _COUNTS.index(named) + 1 if named in _COUNTS else int(named or 0) or None


def _earlier(history: Sequence[PastMessage]) -> list[str]:
    asked = [past.content for past in history if past.role == "user" and past.intent == "job_search"]
    return [message for message in asked if not _pages(message)][-_LOOK_BACK:]


def _pages(message: str) -> bool:
    message = without_command(message)
    return _FURTHER.match(message) is not None or _AGREES.match(message) is not None


def _seen(message: str, history: Sequence[PastMessage]) -> tuple[str, ...] | None:
    """The postings the last search has shown on all its pages; None unless ``message`` asks for the next page."""
    if not _pages(message):
        return None
    ids: list[str] = []
    cut_short = None
    for past in reversed(history):
        for block in past.blocks:
            if block.get("type") == "jobs_data":
                cut_short = bool(block.get("truncated")) if cut_short is None else cut_short
                ids += [job["job_id"] for job in block.get("jobs", ())]
        if past.role == "user" and past.intent == "job_search" and not _pages(past.content):
            break
    further = cut_short or (_FURTHER.match(message) and ids)
    return tuple(dict.fromkeys(ids)) if further and ids else None


def _pay(query: JobQuery) -> str:
    low, high = query.salary_min, query.salary_max
    if low and high:
        return f"paying {money(low, query.currency)} to {money(high, query.currency)} a year"
    return f"paying {'at least' if low else 'at most'} {money(low or high or 0, query.currency)} a year"
