"""What a message tells of applications: which employer, which post, how it stands and since when. Pure.

Only what is told counts: not what is asked, wished or feared.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from typing import Final

from signalbox.agents.tracking.names import NAMES, SUBJECT, Mention, mentions_in
from signalbox.agents.tracking.titles import MASK, title_behind, title_in, with_whole_titles
from signalbox.agents.words.dates_said import day_said
from signalbox.memory.applications import Status


@dataclass(frozen=True, slots=True)
class Told:
    """One application as told. ``company`` is empty where none is named; ``on``: the day of what ``status`` says."""

    company: str
    title: str = ""
    status: Status | None = None
    applied_on: date | None = None
    on: date | None = None


_ASKS: Final = (
    r"(?:what|should|shall|is|are|can|could|do|does|did|how|when|where|why|which|who|am|will|would|may|has|"
    r"have (?:i|they|you|we|any\w*)|"
    r"too (?:soon|early|late|long)|normal|bad sign|any|right)\b"
)
_WANTS: Final = (
    r"(?:write|draft|word|compose|send|help|make|ask|show|list|tell|chase|nudge|remind|reply|give|put|please|can you|"
    r"could you|withdraw|thank|confirm)\b"
)
_STARTS: Final = (
    r"(?:i|i'm|i've|i’ve|i'd|they|they've|we|he|she|it|there|got|had|have|heard|applied|rejected|sent|interviewed|"
    r"withdrew|submitted|nothing|no|never|haven'?t|still|was|been|actually|turned|the \w+ (?:has|have|rejected|offered|"
    r"invited|said)|accepted)\b"
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=\S)|\n+")
_COMMA = re.compile(
    rf"\s*[,–—]\s+(?:and\s+|but\s+|then\s+|so\s+)?(?=(?:{_STARTS}|{_ASKS}|{_WANTS})|(?-i:{SUBJECT}))", re.IGNORECASE
)
_AND = re.compile(
    rf"\s+(?:and|but|then|also|while)\s+(?:then\s+|also\s+)?(?=(?:{_STARTS}|{_WANTS})|(?-i:{SUBJECT}))", re.IGNORECASE
)
_ONLY_NAMES = re.compile(rf"(?:[Bb]oth\s+)?{NAMES}")
_ASKING = re.compile(rf"^(?:(?:so|and|but|ok|now|well)\s+)*(?:{_ASKS})", re.IGNORECASE)
_WANTING = re.compile(
    rf"^(?:(?:so|and|but|ok|okay|now|then|also|please|well|maybe)[\s,]+)*(?:{_WANTS}|(?:a|the|another) "
    r"(?:chaser|note|letter|reminder|nudge)|(?:i(?:'d| would)? (?:want|like|need)(?: you)? to|let'?s|do i)\b)",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"^(?:(?:please|and|also|now|then|can you|could you)\s+)*(?:log|track|record|note(?: down)?|add|save|put|set|mark|"
    r"change|update|move|file|keep track)\b",
    re.IGNORECASE,
)
APPLIED = re.compile(
    r"\b(?:ap+lied|sent (?:it |them |off |in )*(?:my |an? |the )?(?:application|cv|résumé|resume|form)?|submitted|"
    r"put in (?:for|an application)|handed in|my application (?:to|for|at|with)|(?:put|sent) it (?:off|in))\b",
    re.IGNORECASE,
)
_JUST_NOW = re.compile(r"\b(?:just|finally)\s+(?:now\s+)?(?:applied|sent|submitted)\b", re.IGNORECASE)
_A_ROUND: Final = (
    r"(?:interview(?:ed|s)?|invit(?:ed?|ation)\b(?! to (?:apply|reapply))|(?:final|second|first|next|third) "
    r"(?:round|stage)|phone screen|assessment (?:centre|center|day)|trial (?:shift|day))"
)
_PATTERNS: Final[tuple[tuple[Status, tuple[str, ...]], ...]] = (
    ("accepted", (
        r"i(?:'ve|’ve| have)? (?:accepted|signed|took) (?:it|the|their|an)",
        r"said yes to (?:it|the|their|an)",
        r"(?:as|to) accepted",
    )),
    ("withdrawn", (
        r"i(?:'ve|’ve| have| just)? (?:withdr[ea]wn?|declined|turned down|said no to)",
        r"pulled out|(?:as|to) withdrawn|no longer interested in|withdrew",
    )),
    ("rejected", (
        r"reject(?:ed|ion|s)?|turned (?:me )?down|said no|unsuccessful|not moving forward|knocked back|absage",
        r"didn'?t get (?:it|the|past|through)|refus(?:ed|al)|declined me|regret to|went with (?:someone|another)",
        r"not (?:been )?(?:selected|shortlisted)",
    )),
    ("interview", (
        r"(?:offered|selected|shortlisted)(?: me| us)?(?: for| to)?(?: an?| the)?(?: \w+)? (?:interview|round|stage)",
    )),
    ("offer", (
        r"(?:got|received|made me|have|had|with|gave me|is|was|it's) (?:an?|the|my) (?:\w+ )?offer|offered me",
        r"offered (?:the|a) (?:job|post|position|role)|(?:as|to) (?:an )?offer|got the job|got selected",
        r"offer (?:from|letter)",
    )),
    ("interview", (_A_ROUND,)),
    ("acknowledged", (
        r"acknowledg\w+|confirm(?:ed|ation) (?:of )?(?:receipt|they)|under review|in consideration|shortlisted",
        r"they (?:finally )?(?:answered|replied|wrote back|called)|heard back from|passed the sift",
    )),
)  # fmt: skip
_STATUSES: Final = tuple(
    (status, re.compile(rf"\b(?:{'|'.join(patterns)})\b", re.IGNORECASE)) for status, patterns in _PATTERNS
)
# Before a word, these make of it something that did not happen, or not yet.
_NOT_SO = re.compile(
    r"(?:\b(?:if|unless|in case|hope|hoping|maybe|might|until|till|before|would|could|should|want(?:ed)? to|"
    r"going to|plan(?:ning)? to|thinking|not|haven'?t|hasn'?t|didn'?t|don'?t|wasn'?t|won'?t|never|without|still no|"
    r"waiting (?:for|on|to)|whether|when|expect\w*|yet to|rather than|instead of)"
    r"(?:[ ]+(?!and\b|but\b)[\w'’]+){0,6}\s*)$|(?:\b(?:about|no|any|for the|for an?)(?:[ ]+[\w'’]+){0,2}\s*)$",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:had(?! an invit)|did|went|was|were|interviewed|attended|gave|done|after|yesterday|ago)\b", re.IGNORECASE
)
_AHEAD = re.compile(r"\binvit\w+|\bhave an\b|\bscheduled|\bbooked|\bgot an interview\b", re.IGNORECASE)
_LISTS = re.compile(r"^(?:\W|\b(?:and|to|at|with|for|the|also|plus|then|both|by|from)\b)*$", re.IGNORECASE)


def clauses(message: str) -> list[str]:
    """The message in parts that each tell or ask one thing."""
    parts: list[str] = []
    for sentence in _SENTENCE.split(message):
        for piece in _split(_COMMA, sentence):
            parts += _split(_AND, piece)
    return [part.strip(" ,") for part in parts if part.strip(" ,.!?;")]


def _split(joints: re.Pattern[str], text: str) -> list[str]:
    """``text`` at its joints, but for those inside a list of names."""
    parts: list[str] = []
    start = 0
    for joint in joints.finditer(text):
        if not _ONLY_NAMES.fullmatch(text[start : joint.start()].strip()):
            parts.append(text[start : joint.start()])
            start = joint.end()
    return [*parts, text[start:]]


def is_telling(clause: str) -> bool:
    """Not a question and not a request for a letter."""
    return is_order(clause) or not (_ASKING.match(clause) or _WANTING.match(clause))


def is_order(clause: str) -> bool:
    """As in "mark it as rejected", "log my application to"."""
    return _ORDERS.match(clause) is not None


def status_of(text: str) -> Status | None:
    """The status that ``text`` says is so; the last word of a chain, so an offer before an interview."""
    for status, pattern in _STATUSES:
        for match in pattern.finditer(text):
            exempt = match.group().casefold().startswith(("not ", "didn"))
            if exempt or not _NOT_SO.search(text[: match.start()]):
                return status
    return "applied" if _applied(text) else None


def _applied(text: str) -> bool:
    return any(not _NOT_SO.search(text[: match.start()]) for match in APPLIED.finditer(text))


def told_in(message: str, today: date, known: Sequence[str] = ()) -> tuple[Told, ...]:
    """Everything told, one entry an employer; an entry without a company tells of one named before or not at all."""
    told: list[Told] = []
    for clause in clauses(with_whole_titles(message)):
        if not is_telling(clause):
            continue
        named = _named(clause, today, known)
        if named:
            told = _merged(told, named)
        elif (status := status_of(clause)) is not None:
            bare = _entry("", title_in(clause), status, _day(clause, status, today))
            told = [*told[:-1], _joined(told[-1], bare)] if told else [bare]
        elif told and told[-1].status == "applied" and told[-1].applied_on is None:
            told = [*told[:-1], replace(told[-1], applied_on=_day(clause, "applied", today))]
    return tuple(one for one in told if one.status is not None)


def _named(clause: str, today: date, known: Sequence[str]) -> list[Told]:
    mentions = mentions_in(clause, known)
    if not mentions:
        return []
    spans = _spans(clause, mentions)
    order = is_order(clause)
    first = clause[spans[0][0] : spans[0][1]]
    shared = status_of(first) or status_of(clause) or ("applied" if order else None)
    titles = _titles(clause, mentions)
    days: list[date | None] = []
    statuses: list[Status | None] = []
    for mention, (start, end) in zip(mentions, spans, strict=True):
        own = status_of(clause[start:end])
        statuses.append(own or shared)
        whole = clause[start:end] if own else clause
        said = _day(clause[mention.start : end], statuses[-1], today, whole)
        days.append(said or _day(clause[start : mention.start], statuses[-1], today, whole))
    for at in range(len(mentions) - 2, -1, -1):
        if days[at] is None and statuses[at] == statuses[at + 1]:  # "to Wise and Monzo on Monday"
            days[at] = days[at + 1]
    head = _day(clause[: mentions[0].start], statuses[0], today, clause)  # "last week I applied to Wise and Monzo"
    return [
        _entry(mention.name, title, status, when or (head if status == statuses[0] else None))
        for mention, title, status, when in zip(mentions, titles, statuses, days, strict=True)
    ]


def _spans(clause: str, mentions: Sequence[Mention]) -> list[tuple[int, int]]:
    """Each mention's part of the clause: what is behind the last "and" or comma between two belongs to the second."""
    starts = [0]
    for one, following in pairwise(mentions):
        gap = clause[one.end : following.start]
        joints = list(re.finditer(r",|\b(?:and|plus|but|then|also)\b", gap, re.IGNORECASE))
        starts.append(one.end + joints[-1].start() if joints else following.start)
    return list(zip(starts, [*starts[1:], len(clause)], strict=True))


def _titles(clause: str, mentions: Sequence[Mention]) -> list[str]:
    if len(mentions) == 1:
        masked = clause[: mentions[0].start] + MASK + clause[mentions[0].end :]
        return [title_in(masked) or title_behind(clause[mentions[0].end :])]
    titles: list[str] = []
    last = 0
    for mention, following in zip(mentions, [*mentions[1:], None], strict=True):
        behind = clause[mention.end : following.start if following else len(clause)]
        title = title_behind(behind) or title_in(clause[last : mention.start] + MASK)
        titles.append(title or (titles[0] if titles and _LISTS.match(clause[last : mention.start]) else ""))
        last = mention.end
    return titles


def _entry(company: str, title: str, status: Status | None, on: date | None) -> Told:
    if status == "applied":
        return Told(company, title, status, applied_on=on)
    return Told(company, title, status, on=on)


def _day(text: str, status: Status | None, today: date, clause: str = "") -> date | None:
    """The day in ``text``, a part of ``clause``; that of an invitation lies ahead."""
    whole = clause or text
    ahead = status == "interview" and (_AHEAD.search(whole) is not None or not _PAST.search(whole))
    said = day_said(text, today, ahead=ahead)
    if said is None and status == "applied" and _JUST_NOW.search(whole):
        return today
    return said


def _merged(told: list[Told], named: list[Told]) -> list[Told]:
    """Later clauses of one employer add to what earlier ones told."""
    for one in named:
        at = next((n for n, old in enumerate(told) if old.company.casefold() == one.company.casefold()), None)
        # "I applied on Monday, it's the Tesco one": the first clause lacked the name.
        if at is None and len(told) == 1 and not told[0].company:
            at = 0
        if at is None:
            told = [*told, one]
        else:
            told[at] = _joined(told[at], one)
    return told


def _joined(old: Told, new: Told) -> Told:
    status = new.status if new.status not in {None, "applied"} else old.status or new.status
    return Told(
        company=old.company or new.company,
        title=old.title or new.title,
        status=status,
        applied_on=old.applied_on or new.applied_on,
        on=new.on or old.on,
    )
