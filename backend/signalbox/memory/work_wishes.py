"""The rules that read how someone wants to work: where from, when, for how much and whether they would move."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from signalbox.memory.found import Found, found
from signalbox.memory.pay_now import tells_pay_now
from signalbox.memory.profile import Kind
from signalbox.memory.words import NUMBER, number_of
from signalbox.retrieval.pay import PayWish, find_pay
from signalbox.retrieval.skills import SkillVocabulary

_HOME: Final = r"(?:remote(?:ly)?|wfh|(?:working |work )?from home|home[- ]based|home[- ]office|telework(?:ing)?)"
_SITE: Final = (
    r"(?:on[- ]?site|in[- ](?:the )?office|"
    r"(?<!microsoft )(?<!ms )(?<!back )(?<!front )(?<!head )(?<!post )office(?:[- ]based)?|in[- ]person)"
)
_THING: Final = (
    r"(?:jobs?|work(?:ing)?|roles?|positions?|offers?|postings?|companies|employers|opportunities|ones?|stuff)"
)
_ONLY: Final = r"(?:only|fully|100 ?%|strictly|exclusively|entirely|purely|solely|completely|just|nothing but)"
# What may stand between "only" and the thing: "only want to work for", "only looking at", "only ever do".
_BETWEEN: Final = (
    r"(?:(?:ever|want|wants|wanting|work(?:ing)?|do|doing|take|taking|accept|apply|applying|consider|considering|"
    r"interested|looking|look|show|see|me|send|to|in|for|at|be|any|open)\s+){0,5}"
)
_MUST: Final = (
    r"(?:a must|must[- ]have|required|essential|mandatory|non[- ]?negotiable|a requirement|a deal[- ]?breaker|"
    r"a condition|the only option)"
)


def _required(way: str) -> str:
    """A pattern of every way to say that work must be done in this ``way``."""
    return (
        rf"\b(?<!not )(?:{_ONLY}[\s-]+{_BETWEEN}{way}"
        rf"|(?:must|needs? to|have to|has to|got to|should)\s+(?:(?:be|work|working|stay|fully)\s+){{0,2}}{way}"
        rf"|{way}(?:\s+{_THING}){{0,2}}[\s-]*,?\s*(?:only|or nothing|exclusively)"
        rf"|{way}(?:\s+{_THING})?\s+(?:is|are)\s+(?:absolutely )?{_MUST})\b(?:\s+{_THING})?(?:\s+only)?"
    )


_REMOTE_ONLY = re.compile(
    _required(_HOME)
    + rf"|\b(?:no|never|not|won'?t (?:work|go|do|come)|don'?t want(?: to work)?|can'?t (?:work|do|come))\s+"
    rf"(?:(?:in|into|at|any|an|the|to)\s+){{0,2}}{_SITE}(?:\s+{_THING})?\b",
    re.IGNORECASE,
)
_REMOTE_NO = re.compile(
    _required(_SITE)
    + rf"|\b(?:no|not|never|(?:don'?t|do not|won'?t|can'?t|cannot|never)\s+(?:want\s+)?(?:(?:to|work|do|"
    rf"any)\s+){{0,3}})"
    rf"\s*(?<!\w){_HOME}(?:\s+{_THING})?\b(?! (?:only|is|are))",
    re.IGNORECASE,
)
# "Remote is not a must", "it does not have to be remote", "not only remote": the rule is lifted, no other is made.
_REMOTE_OPEN = re.compile(
    rf"\b(?:{_HOME}(?:\s+{_THING})?\s+(?:(?:is|are)(?:n'?t| not)(?: only| just)?\s+(?:really )?(?:{_MUST}|"
    rf"necessary|needed|important)|"
    rf"(?:is |are )?(?:no longer|not) {_MUST}|(?:is |are )?optional)"
    rf"|(?:don'?t|do not|doesn'?t|does not|needn'?t|need not)\s+(?:(?:have|need|to|be|work)\s+){{0,4}}{_HOME}"
    rf"|(?:not|isn'?t|(?:don'?t|do not) want) (?:only|just) {_HOME})\b",
    re.IGNORECASE,
)
# It takes back what was asked for before, and asks for nothing.
_NOT_AFTER_ALL = re.compile(rf"\b(?:not|no) (?:{_HOME}|{_SITE})(?:\s+{_THING})?,? after all\b", re.IGNORECASE)
_REMOTE_LIKED = re.compile(
    rf"\b(?:prefer(?:ably|ring)?|(?:i'd|i would) (?:rather|like|love)|ideally|rather)\s+"
    rf"(?:(?:to|work|working|be|do|have|a|fully)\s+){{0,4}}(?P<how>{_HOME}|hybrid|{_SITE})\b(?:\s+{_THING})?"
    rf"|\b(?P<liked>{_HOME}|hybrid|{_SITE})(?:\s+{_THING})?,?\s+(?:is |are )?(?:preferred|preferably|ideally|"
    rf"if possible|would be (?:nice|great|"
    rf"ideal))\b|(?:^\W*|[,;]\s*)(?:i (?:want|like)\s+)?(?P<bare>hybrid)(?:\s+{_THING})?(?=\W*$|\s*[,;])"
    rf"|\b(?P<only>hybrid)\b(?:\s+{_THING})?\s+(?:only|or nothing)\b|"
    rf"\bonly\s+{_BETWEEN}(?P<just>hybrid)\b(?:\s+{_THING})?",
    re.IGNORECASE,
)
# "Remote or hybrid" is no rule that a profile can hold.
_EITHER_WAY = re.compile(
    rf"\b{_HOME}(?:\s+(?:only|{_THING}))?,? or (?:hybrid|{_SITE})\b|\b(?:hybrid|{_SITE}),? or (?:fully )?{_HOME}\b",
    re.IGNORECASE,
)
_REMOTE_WANTED = re.compile(
    rf"\b(?:want|need|like|love|looking for|after)\s+(?:(?:to|an?|some|work|working|do)\s+){{0,4}}{_HOME}"
    rf"(?:\s+{_THING})?\b|^\W*{_HOME}(?:\s+{_THING})?(?: please)?\W*$",
    re.IGNORECASE,
)
_OFFICE_DAYS = re.compile(
    rf"\b(?P<before>(?:at most|no more than|not more than|max(?:imum)?(?: of)?|up to|only|just)\s+)?"
    rf"(?P<days>{NUMBER})\s+(?:office\s+)?days?\s*(?:(?:a|per|each)\s+week\s*)?(?:(?:in|at|on)\s+(?:the\s+|"
    rf"an\s+)?(?:office|site)|on[- ]?site)"
    rf"(?:\s+(?:a|per|each)\s+week)?(?P<after>\s+(?:at (?:the )?most|max(?:imum)?|tops|only))?\b",
    re.IGNORECASE,
)
_NO_MOVE = re.compile(
    r"\b(?:won'?t|will not|can'?t|cannot|can not|never|refuse to|don'?t want to|do not want to|no|"
    r"not (?:be )?(?:willing|able|going|prepared|open|looking|keen|ready|happy|interested)(?: to|"
    r" in)?)\s+(?:(?:ever|be)\s+)?"
    r"(?:relocat(?:e|ing|ion)|mov(?:e|ing) (?:house|home|cit(?:y|ies)|abroad|countr(?:y|ies)|away|for (?:a|"
    r"any) job))\b"
    r"|\bnot (?:relocating|moving (?:house|home|cit(?:y|ies)|abroad|countr(?:y|ies)|away))\b"
    r"|\b(?:not|un)[ ]?(?:willing|able|prepared|going|ready|happy|keen) to (?:move|relocate)"
    r"(?=\W*$|\s*[,;.]| for (?:a|any|work)\b)",
    re.IGNORECASE,
)
_MOVES = re.compile(
    r"\b(?:willing|open|happy|ready|able|prepared|glad|keen)\s+(?:to|for)\s+(?:relocat(?:e|ing|ion)|mov(?:e|ing) "
    r"(?:house|home|cit(?:y|ies)|abroad|countr(?:y|ies)|away|for (?:a|the right) job))\b"
    r"|\b(?:i (?:can|could|will|would)|i'(?:d|ll)|can) relocate\b",
    re.IGNORECASE,
)
_WORK_TIME = re.compile(
    rf"\b(?:part[ -]?time|full[ -]?time|permanent (?:contracts?|jobs?|roles?|positions?)|"
    rf"permanent(?= only| exclusively)|(?<=only )permanent(?=\W*$|\s*[,;])|freelance|contract work|"
    rf"(?:{NUMBER}) days? a week|(?:{NUMBER})[ -]day weeks?|(?:day|night|early|late|morning|evening|weekend|"
    rf"weekday)s? shifts?|"
    r"shift work|weekdays|weekends|nights|days|mornings|evenings|term[ -]time|school hours)"
    rf"(?:\s+{_THING})?(?:\s+(?:only|exclusively))?\b",
    re.IGNORECASE,
)
# Told of a job that was or is, not of one that is wanted.
_TOLD = re.compile(
    r"\b(?:worked|was|were|been|currently|used to|experience (?:of|in|with)|my (?:current |last |old |previous )?"
    r"(?:team|company|job|employer|role|office))\b",
    re.IGNORECASE,
)
# "Days" and "nights" alone are working times only where nothing else is allowed.
_LOOSE_TIME = re.compile(r"(?:days|nights|mornings|evenings|weekends|weekdays|school hours)\b", re.IGNORECASE)
_ONLY_WORD = re.compile(r"\b(?:only|exclusively|nothing but|must|has to|have to|non-negotiable)\b", re.IGNORECASE)
_TIME_MEANT = re.compile(
    r"\b(?:only|exclusively|looking|look|want|prefer|need|must|available|can|fine|open to|consider|remember)\b|"
    r"^\W*(?:part|full)[ -]?time(?: (?:work|jobs?|roles?))?(?: please)?\W*$",
    re.IGNORECASE,
)
_PREFERS = re.compile(r"^\s*i(?:'d| would)? (?:prefer|rather (?:do|work))\b", re.IGNORECASE)
# A clause of nothing but times.
_MORE_TIMES = re.compile(
    rf"^\s*(?:(?:and|or|ideally|preferably|only|just|in the|on)\s+)*(?:{_WORK_TIME.pattern}|and|or|\s|/|please)+\W*$",
    re.IGNORECASE,
)
_TIME_TAIL = re.compile(
    rf"(?<!contract)(?<!shift)(?<!permanent)\s+{_THING}(?=\s|$)|\s+(?:only|exclusively)$", re.IGNORECASE
)
_NEGATED = re.compile(r"\b(?:not|no|never|used to)\b|(?:n'|(?:do|wo|ca|does|is)n)t\b", re.IGNORECASE)
_NOTHING_UNDER = re.compile(
    r"\b(?:nothing|not?|never|won'?t|wouldn'?t|don'?t|can'?t|cannot|isn'?t|nor)\b[^.;,\d]{0,40}?"
    r"\b(?:under|below|less than|lower than)\b",
    re.IGNORECASE,
)
_HARD_PAY = re.compile(
    r"\b(?:min(?:imum)?|at least|no less than|not less than|nothing (?:under|below|less)|won'?t|need|must|floor|only|"
    r"or (?:more|above)|upwards)\b|\d\s?k?\s?\+|>=|=>|≥",
    re.IGNORECASE,
)
_PAY = re.compile(
    r"\b(?:min(?:imum)?|salary|pay|paid|earn\w*|wage|income|at least|less than|nothing (?:under|below)|a year|"
    r"per (?:year|hour|day|month)|an hour|make (?:that|it)|floor|want|expect\w*|asking|looking for|or (?:more|above)|"
    r"upwards|(?:not|never) (?:under|below))\b|>=|=>|≥|(?:^|[,;])\s*[£$€]?\d[\d,.]{0,12}\s?k?\s?\+",
    re.IGNORECASE,
)
# A sentence that goes on for longer is a pasted list, and every amount in it costs a look at all before it.
_LONGEST_WISH: Final = 600


def remote(sentence: str, _: SkillVocabulary) -> Iterator[Found]:
    """Whether work must be remote or must not be, else what is liked. A rule that is lifted makes no other."""
    if days := _OFFICE_DAYS.search(sentence):
        number = number_of(days["days"])
        most = f"{number} at most" if days["before"] or days["after"] else str(number)
        yield found("constraint" if days["before"] or days["after"] else "preference", "office_days", most, days.span())
        sentence = sentence[: days.start()] + " " * len(days.group()) + sentence[days.end() :]
    if any(pattern.search(sentence) for pattern in (_REMOTE_OPEN, _NOT_AFTER_ALL, _TOLD, _EITHER_WAY)):
        return
    if match := _REMOTE_LIKED.search(sentence):
        how = next(each for each in match.groups() if each).casefold()
        value = "hybrid" if how == "hybrid" else "preferred" if re.fullmatch(_HOME, how) else "on-site"
        if match["liked"] or match["how"] or not _REMOTE_NO.search(sentence):
            yield found("preference", "remote", value, match.span())
    elif match := _REMOTE_ONLY.search(sentence):
        yield found("constraint", "remote", "only", match.span())
    elif match := _REMOTE_NO.search(sentence):
        yield found("constraint", "remote", "no", match.span())
    elif (match := _REMOTE_WANTED.search(sentence)) and not _NEGATED.search(sentence[: match.start()][-20:]):
        yield found("preference", "remote", "preferred", match.span())


def lifts_remote(sentence: str) -> bool:
    """Whether it says that remote work is no rule, as "remote is not a must" does."""
    return _REMOTE_OPEN.search(sentence) is not None


def relocation(sentence: str, _: SkillVocabulary) -> Iterator[Found]:
    if match := _NO_MOVE.search(sentence):
        yield found("constraint", "relocation", "no", match.span())
    elif (match := _MOVES.search(sentence)) and not _NEGATED.search(sentence[: match.start()][-30:]):
        yield found("preference", "relocation", "yes", match.span())


def work_time(sentence: str, _: SkillVocabulary) -> Iterator[Found]:
    """When someone wants to work. What follows as a bare time goes with it: "only part time, mornings"."""
    kind: Kind | None = None
    for clause in re.finditer(r"[^,;]+", sentence):
        text = clause.group()
        if kind is not None:
            if not _MORE_TIMES.match(text):
                return
            yield from _times(text, kind, clause.start(), from_start=True)
            continue
        match = _WORK_TIME.search(text)
        if not match or not _TIME_MEANT.search(text) or _NEGATED.search(text):
            continue
        only = _ONLY_WORD.search(text)
        if _LOOSE_TIME.match(match.group()) and only is None and not _PREFERS.match(text):
            continue
        kind = "constraint" if only else "preference"
        yield from _times(text, kind, clause.start(), from_start=False)


def _times(text: str, kind: Kind, at: int, *, from_start: bool) -> Iterator[Found]:
    """Every time in the clause that starts ``at``; one that stands alone ("mornings") needs another before it."""
    said = _ONLY_WORD.search(text)
    first = True
    for match in _WORK_TIME.finditer(text):
        value = _TIME_TAIL.sub("", _TIME_TAIL.sub("", match.group())).casefold()
        start = min(said.start(), match.start()) if said and first else match.start()
        end = max(said.end(), match.end()) if said and first else match.end()
        yield found(kind, "work_time", value, (at if from_start else at + start, at + end))
        first = False


def salary(sentence: str, _: SkillVocabulary) -> Iterator[Found]:
    """The least pay, brought to a year, and its currency if one was named. What someone earns today is no wish."""
    sentence = _without_pay_now(sentence[:_LONGEST_WISH])
    said = _PAY.search(sentence)
    floor = _NOTHING_UNDER.search(sentence)
    if not (said or floor):
        return
    wish = find_pay(sentence) or _bare_minimum(sentence)
    least = wish and (wish.minimum or (wish.maximum if floor else None))
    if wish is None or least is None:
        return
    kind: Kind = "constraint" if floor or _HARD_PAY.search(sentence) else "preference"
    stretches = [*wish.spans[:1], *(each.span() for each in (said, floor) if each)]
    span = (min(start for start, _ in stretches), max(end for _, end in stretches))
    yield found(kind, "salary_min", f"{least:.0f}", span)
    if wish.currency:
        yield found("fact", "currency", wish.currency, span)


def _without_pay_now(sentence: str) -> str:
    """``sentence`` with blanks for the clauses that tell of today's pay."""
    return re.sub(
        r"(?:[^,;]|,(?=\d))+?(?=,\s|;|\s(?:but|and) (?:i )?(?:want|need|look|would|hop|expect)|$)",
        lambda clause: " " * len(clause.group()) if tells_pay_now(clause.group()) else clause.group(),
        sentence,
        flags=re.IGNORECASE,
    )


def _bare_minimum(sentence: str) -> PayWish | None:
    """A figure beside "minimum" alone; it is read as pay from 1,000 on, where nothing else is likely meant."""
    match = re.search(
        r"\b(?:min(?:imum)?|floor|(?:nothing|not) (?:under|below))\D{0,8}(?=\d[\d,.]{3})", sentence, re.IGNORECASE
    )
    if not match:
        return None
    wish = find_pay(f"pay {sentence[match.end() :]}")
    start, end = match.span()
    return replace(wish, minimum=wish.minimum or wish.maximum, spans=((start, end + 8),)) if wish else None
