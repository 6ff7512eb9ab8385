"""What a message wants searched, in the light of the searches before it and of the profile. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date
from typing import Any, Final

from signalbox.agents.searching.corrected import corrected
from signalbox.agents.searching.request import Request, read_request
from signalbox.agents.searching.rules import UNDO, read_lasting
from signalbox.agents.searching.turns import (
    SearchTurn,
    agrees,
    count_of_more,
    role_spoken_of,
    search_turns,
    seen_of,
)
from signalbox.agents.words.profile_words import value_of
from signalbox.agents.words.shown import job_meant
from signalbox.blocks import Job, ProfileFact
from signalbox.memory.conversation import PastMessage
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.query import JobQuery, parse_query, role_query
from signalbox.retrieval.skills import SkillVocabulary

# A longer message that names a subject of its own is a new search, however it begins.
_SHORT: Final = 9
# What may be left around "my profile" without being a subject of its own.
_FEW_WORDS: Final = 1


@dataclass(frozen=True, slots=True)
class Wish:
    """``refines``: an earlier search goes on. ``by_profile``: the profile lent the subject. ``rules``: conditions that
    stand in the profile as hard rules, not in the message. ``seen``: what that search has shown, if more is wanted.
    ``limits`` hold for this search as rules of the profile do. ``lent``: the role that an earlier answer was about, if
    it is the subject. ``dropped``: the condition left out at the last answer's offer. ``request``: the last message as
    it was understood.
    """

    query: JobQuery
    refines: bool = False
    by_profile: bool = False
    rules: tuple[str, ...] = ()
    seen: tuple[str, ...] | None = None
    limits: tuple[ProfileFact, ...] = ()
    lent: str | None = None
    dropped: str | None = None
    request: Request = field(default_factory=lambda: Request(""))


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
    r"\b(?:without|drop|ignore|lift|remove|leave out|forget(?: about)?|scrap|lose)\s+(?:the|that|my)\s+(?P<what>"
    r"remote|location|place|pay|salary|level|seniority|date|skill|company|experience|employment|exclusion|sample|"
    r"size)s?\b(?!\s+(?:ones?|jobs?|roles?|postings?)\b)|"
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
    "sample": {"real_only": False},
    "size": {},
    "exclusion": {"exclude": (), "not_locations": (), "not_companies": (), "not_seniority": ()},
}
_THAT = re.compile(
    r"\b(?:for|as|in|with|like|of|doing|on) (?:that|this|it|those|these)(?: (?:role|job|title|field|work|kind|position|"
    r"career|occupation|profession))?\b(?! [a-z]+ (?:area|city|town|country)\b)|"
    r"\b(?:that|this|such) (?:an? )?(?:(?:kind|sort|line) of )?(?:work|jobs?|roles?|career|occupation|profession)\b",
    re.IGNORECASE,
)
_SIMILAR = re.compile(
    r"\b(?:similar|comparable) (?:jobs?|roles?|positions?|postings?|vacanc(?:y|ies)|openings?|ones?|work)\b|"
    r"\b(?:jobs?|roles?|positions?|postings?|more|others?|something) like (?:it|that|this)(?: one)?\b",
    re.IGNORECASE,
)
_REAL_ONLY = re.compile(
    r"\b(?:(?:and|only|just|but|so)\s+)*(?:(?:which|what|are any)(?: ones?)?(?: of (?:them|these|those))? (?:are )?"
    r"(?:actually )?(?:real|genuine)|(?:only|just) (?:the )?(?:real|genuine|actual)(?: ones?| jobs?| postings?|"
    r" vacancies)?|(?:not|no|without|hide|exclude|skip|remove|drop|leave out) (?:any |the |all )?(?:fictional|fake|"
    r"samples?|made[- ]up|invented|example)(?: ones?| jobs?| postings?| data)?|(?:the )?(?:real|genuine) (?:ones?|"
    r"jobs?|postings?|vacancies)(?: only)?|real only)\b",
    re.IGNORECASE,
)
# Said to an offer to drop a condition: "drop the pay condition", "the remote one".
_CHOSEN = re.compile(
    r"\W*(?:(?:yes|ok|okay|please|drop|remove|lift|leave out|without|try|just)\b\W*)*(?:(?:the|that|my)\s+)?(?P<what>"
    r"remote|location|place|pay|salary|level|seniority|date|skill|company|experience|employment|exclusion|sample|size)"
    r"(?:\s+(?:one|condition|limit|filter))?(?:\W+(?:please|then|instead))*\W*",
    re.IGNORECASE,
)
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
    reading = _Reading(history, profile, today, vocabulary)
    turns = search_turns(history)
    seen = seen_of(message, turns)
    wish = reading.all_of(turns)
    offered = turns[-1].offered if turns and turns[-1].next_at == len(history) else None
    if seen is None or (offered and agrees(message)):
        if wish is not None and corrected(wish.query, message) is not None:
            wish = replace(_within_rules(wish, profile), rules=())  # where it widens, it widens those as well
        wish = reading.after(wish, message, job, history, offered)
        seen = None
    wish = _within_rules(wish or Wish(JobQuery()), profile)
    if seen is not None and (count := count_of_more(message)):
        wish = replace(wish, query=replace(wish.query, limit=count))
    wish = replace(wish, seen=seen, refines=wish.refines or seen is not None)
    if wish.query.browses and (title := value_of(profile, "title")) and _wants_own_kind(wish.query):
        lent = role_query(title, vocabulary)
        return replace(
            wish, query=replace(wish.query, text=lent.text, words=lent.words, skills=lent.skills), by_profile=True
        )
    # Without a title the profile lends no subject; it still decides the order.
    return replace(wish, by_profile=False)


class _Reading:
    """Reads one message after another, each in the light of those before it."""

    def __init__(
        self,
        history: Sequence[PastMessage],
        profile: Sequence[ProfileFact],
        today: date,
        vocabulary: SkillVocabulary,
    ) -> None:
        self._history = history
        self._today = today
        self._vocabulary = vocabulary
        lives = value_of(profile, "location")
        self._home = lives.partition(",")[0].strip() if lives else None
        self._country = gazetteer().country_code(lives) if lives else None
        self._before: list[Wish | None] = []

    def all_of(self, turns: Sequence[SearchTurn]) -> Wish | None:
        """What the last of ``turns`` looked for."""
        wish: Wish | None = None
        for number, turn in enumerate(turns):
            earlier = self._history[: turn.at]
            before = turns[number - 1] if number else None
            offered = before.offered if before and before.next_at == turn.at else None
            if turn.pages and wish is not None and not (offered and agrees(turn.message)):
                continue
            message = read_lasting(turn.message, self._vocabulary).rest
            wish = self.after(wish, message, job_meant(message, earlier), earlier, offered)
        return wish

    def after(
        self,
        before: Wish | None,
        message: str,
        job: Job | None,
        earlier: Sequence[PastMessage],
        offered: str | None,
    ) -> Wish:
        """The wish after one more message, which stands behind ``earlier``."""
        if UNDO.match(message) and self._before:
            return replace(self._before.pop() or before or Wish(JobQuery()), refines=True)
        self._before.append(before)
        if job is not None and _LIKE.search(message):
            return Wish(role_query(job.title, self._vocabulary), refines=True)
        if before is not None and offered and agrees(message):
            return replace(_dropping(before, offered), dropped=offered)
        if before is not None and offered and (name := condition_named(message)):
            return replace(_dropping(before, name), dropped=name)
        if before is not None and (fixed := corrected(before.query, message)) is not None:
            before, message = Wish(fixed.query, refines=True, limits=before.limits, lent=before.lent), fixed.rest
            if not message:
                return before
        request = read_request(message, self._home, self._vocabulary)
        wish = self._about_what_was_spoken_of(request, earlier) or self._next(before, request)
        return replace(wish, query=replace(wish.query, home_country=self._country), request=request)

    def _about_what_was_spoken_of(self, request: Request, earlier: Sequence[PastMessage]) -> Wish | None:
        """A search of its own for the role that the newest answer was about: "find me jobs for that"."""
        query = self._parsed(_CHATTER.sub(" ", _ASIDE.sub(" ", request.text)))
        points = _THAT.search(request.text) or _SIMILAR.search(request.text)
        role = role_spoken_of(earlier) if points and query.browses else None
        if role is None:
            return None
        lent = role_query(role, self._vocabulary)
        query = replace(query, text=lent.text, words=lent.words, skills=lent.skills)
        return Wish(query, limits=request.limits, lent=role)

    def _next(self, before: Wish | None, request: Request) -> Wish:
        message = request.text
        dropped = _DROP.search(message)
        if before and dropped:
            return _dropping(before, _named(dropped))
        for_me = _FOR_ME.match(message) is not None
        message = _REAL_ONLY.sub(" ", message)
        real = message != request.text
        message = _ASIDE.sub(" ", message)
        query = replace(self._parsed(_BY_PROFILE.sub(" ", message)), real_only=real)
        if for_me or (_BY_PROFILE.search(message) and not query.skills and len(query.words) <= _FEW_WORDS):
            query = replace(query, text="", words=(), skills=())
            return Wish(query, by_profile=True, limits=request.limits)
        if before is None or _START_OVER.search(message):
            return Wish(query, limits=request.limits)
        rest = replace(self._parsed(_CHATTER.sub(" ", message)), real_only=real)
        narrows = rest.browses and (real or bool(request.limits))
        if not narrows and _stands_alone(message, rest):
            return Wish(query, limits=request.limits)
        subject = rest if not rest.browses and _NEW_SUBJECT.search(message) else before.query
        limits = {each.key: each for each in (*before.limits, *request.limits)}
        return Wish(_merged(before.query, rest, subject), refines=True, limits=tuple(limits.values()))

    def _parsed(self, text: str) -> JobQuery:
        return parse_query(text, self._today, self._vocabulary)


def condition_named(message: str) -> str | None:
    """The condition that an answer to "shall I drop the remote condition, or the pay condition?" names."""
    match = _CHOSEN.fullmatch(message)
    name = match["what"].casefold() if match else None
    return _SAME.get(name, name) if name else None


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


def _dropping(wish: Wish, name: str) -> Wish:
    """``wish`` without the condition of that name."""
    limits = tuple(each for each in wish.limits if name != "size" or not each.key.startswith("company_size"))
    return Wish(replace(wish.query, **_CONDITIONS.get(name, {})), refines=True, limits=limits, lent=wish.lent)


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


def _named(dropped: re.Match[str]) -> str:
    if dropped["any"]:
        words = dropped["any"].casefold()
        return "pay" if "pay" in words else "level" if "level" in words else "location"
    name = dropped["what"].casefold()
    return _SAME.get(name, name)


def _wants_own_kind(query: JobQuery) -> bool:
    """A browse of one company or of the newest postings is what it says; any other is about the person."""
    return not query.companies and query.posted_after is None
