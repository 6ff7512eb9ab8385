"""What a message wants searched, in the light of the searches before it and of the profile. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Final

from signalbox.agents.searching.choosing import Choice, keeps_all
from signalbox.agents.searching.conditions import conditions_of
from signalbox.agents.searching.corrected import corrected
from signalbox.agents.searching.merging import either_would_do, merged
from signalbox.agents.searching.request import Request, read_request
from signalbox.agents.searching.rules import UNDO, read_lasting
from signalbox.agents.searching.turns import (
    SearchTurn,
    agrees,
    chosen,
    count_of_more,
    open_offer,
    role_spoken_of,
    search_turns,
    seen_of,
)
from signalbox.agents.words.profile_words import value_of
from signalbox.agents.words.several_roles import each_role, names_worker
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
    it is the subject. ``dropped``: the conditions left out at the last answer's offer; ``undecided``: those it offered,
    where the message wants some dropped and does not say which. ``request``: the last message as it was understood.
    ``others``: further searches that the message asks for, of other lines of work.
    """

    query: JobQuery
    refines: bool = False
    by_profile: bool = False
    rules: tuple[str, ...] = ()
    seen: tuple[str, ...] | None = None
    limits: tuple[ProfileFact, ...] = ()
    lent: str | None = None
    dropped: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    request: Request = field(default_factory=lambda: Request(""))
    others: tuple["Wish", ...] = ()


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
# What follows would do as well.
_ADDS = re.compile(
    _COURTESY + r"(?:and|or|also|plus|add|include|as well as)\b|\b(?:too|as well|also)\W*(?:please\W*)?$|"
    r"^\W*(?:and|or)\b",
    re.IGNORECASE,
)
_START_OVER = re.compile(
    r"\b(?:new search|start over|from scratch|any(?: kind of)? jobs?|all jobs|forget the)\b", re.IGNORECASE
)
_CHATTER = re.compile(
    r"\b(?:hmm+|others?|else|more like|closer|too far|far|widen|these are all|too|again|search|try|same|instead|better|"
    r"higher|which|go (?:ahead|on)|as well|in there|there|keep looking|got (?:any )?more|last (?:batch|search)|"
    r"(?:next )?page|^\W*(?:add|include)|"
    r"similar|nothing|none|that list|the list|results|expired ones|those|these|them)\b",
    re.IGNORECASE,
)
# Words of politeness and haste are nothing to search for.
_ASIDE = re.compile(
    r"\b(?:pls|plz|yo|hmu|mate|sir|lol|rn|asap|let'?s|who'?s|ok|okay|kindly|share|wanna|tryna|lowkey|see|moment|hola|"
    r"good (?:morning|evening|afternoon)|hope you'?re well)\b",
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
    offered = open_offer(history)
    if seen is None or (offered and agrees(message)):
        if wish is not None and corrected(wish.query, message) is not None:
            wish = replace(_within_rules(wish, profile), rules=())  # where it widens, it widens those as well
        wish = reading.after(wish, message, job, history, offered)
        seen = None
    wish = _within_rules(wish or Wish(JobQuery()), profile)
    if seen is not None and (count := count_of_more(message)):
        wish = replace(wish, query=replace(wish.query, limit=count))
    others = wish.others if seen is None else ()  # "show more" is of the list that "show more" was offered for
    wish = replace(wish, seen=seen, refines=wish.refines or seen is not None, others=others)
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
            offered = before.offered if before and before.next_at == turn.at else ()
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
        offered: tuple[str, ...],
    ) -> Wish:
        """The wish after one more message, which stands behind ``earlier``."""
        if UNDO.match(message) and self._before:
            return replace(self._before.pop() or before or Wish(JobQuery()), refines=True)
        self._before.append(before)
        if job is not None and _LIKE.search(message):
            return Wish(role_query(job.title, self._vocabulary), refines=True)
        if before is not None and (choice := chosen(message, offered)) is not None:
            return _chosen(before, choice, offered)
        if before is not None and keeps_all(message, offered):
            return replace(before, refines=True, dropped=(), undecided=())
        if before is not None and (fixed := corrected(before.query, message)) is not None:
            before = replace(_corrected(before, fixed.query), others=_all_corrected(before.others, message))
            message = fixed.rest
            if not message:
                return before
        request = read_request(message, self._home, self._vocabulary)
        wish = self._about_what_was_spoken_of(request, earlier) or self._next(before, request)
        others = tuple(replace(each, query=replace(each.query, home_country=self._country)) for each in wish.others)
        return replace(wish, query=replace(wish.query, home_country=self._country), request=request, others=others)

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
        first, *others = (self._search_in(part, before, request, real=real) for part in each_role(message))
        if before is not None and before.others and first.refines and first.query.text == before.query.text:
            others = [self._search_in(message, each, request, real=real) for each in before.others]
        return replace(first, others=tuple(others))

    def _search_in(self, message: str, before: Wish | None, request: Request, *, real: bool) -> Wish:
        """The search for the one line of work that ``message`` names, on its own or going on from ``before``."""
        query = replace(self._parsed(_BY_PROFILE.sub(" ", message)), real_only=real)
        if before is None or _START_OVER.search(message):
            return Wish(query, limits=request.limits)
        rest = replace(self._parsed(_CHATTER.sub(" ", message)), real_only=real)
        narrows = rest.browses and (real or bool(request.limits))
        adds = _ADDS.search(message) is not None and len(message.split()) <= _SHORT
        other_work = adds and names_worker(message) and not _OWN_SEARCH.search(message)
        if not narrows and not other_work and _stands_alone(message, rest):
            return Wish(query, limits=request.limits)
        anew = not rest.browses and (other_work or _NEW_SUBJECT.search(message))
        limits = {each.key: each for each in (*before.limits, *request.limits)}
        both = merged(before.query, rest, rest if anew else before.query)
        if adds:
            both = replace(both, **either_would_do(before.query, rest))
        return Wish(both, refines=True, limits=tuple(limits.values()))

    def _parsed(self, text: str) -> JobQuery:
        return parse_query(text, self._today, self._vocabulary)


def drops_condition(message: str, history: Sequence[PastMessage], today: date, vocabulary: SkillVocabulary) -> bool:
    """Whether the newest answer is a search's and ``message`` drops a condition of it: "remove that pay limit"."""
    match = _DROP.search(message)
    turns = search_turns(history) if match else []
    if match is None or not turns or turns[-1].next_at != len(history):
        return False
    wish = _Reading(history, (), today, vocabulary).all_of(turns)
    wishes = (wish, *wish.others) if wish else ()
    return any(_named(match) in conditions_of(each.query, each.limits) for each in wishes)


def _corrected(wish: Wish, query: JobQuery) -> Wish:
    return Wish(query, refines=True, limits=wish.limits, lent=wish.lent)


def _all_corrected(wishes: Sequence[Wish], message: str) -> tuple[Wish, ...]:
    fixed = [(wish, corrected(wish.query, message)) for wish in wishes]
    return tuple(_corrected(wish, each.query) if each else wish for wish, each in fixed)


def _chosen(wish: Wish, choice: Choice, offered: tuple[str, ...]) -> Wish:
    for name in choice.names:
        wish = _dropping(wish, name)
    return replace(wish, refines=True, dropped=choice.names, undecided=() if choice.names else offered)


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
    others = tuple(_within_rules(each, profile) for each in wish.others)
    return replace(wish, query=query, rules=tuple(applied), others=others)


def _dropping(wish: Wish, name: str) -> Wish:
    """``wish`` and its further searches without the condition of that name."""
    limits = tuple(each for each in wish.limits if name != "size" or not each.key.startswith("company_size"))
    others = tuple(_dropping(each, name) for each in wish.others)
    query = replace(wish.query, **_CONDITIONS.get(name, {}))
    return Wish(query, refines=True, limits=limits, lent=wish.lent, others=others)


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


def _named(dropped: re.Match[str]) -> str:
    if dropped["any"]:
        words = dropped["any"].casefold()
        return "pay" if "pay" in words else "level" if "level" in words else "location"
    name = dropped["what"].casefold()
    return _SAME.get(name, name)


def _wants_own_kind(query: JobQuery) -> bool:
    """A browse of one company or of the newest postings is what it says; any other is about the person."""
    return not query.companies and query.posted_after is None
