"""Reads what a message wants of the application tracker: record, change, list, advise or write. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

from signalbox.agents.letters.outreach import read_outreach
from signalbox.agents.words.dates_said import day_said
from signalbox.agents.words.shown import job_meant
from signalbox.blocks import ApplicationStatus, Job
from signalbox.memory.applications import OPEN, Status, TrackedApplication
from signalbox.memory.conversation import PastMessage

Action = Literal["record", "change", "remove", "list", "advise"]
Letter = Literal["chaser", "thanks", "withdrawal", "feedback", "interview_reply", "later"]


@dataclass(frozen=True, slots=True)
class TrackerWish:
    """``letter``: what is to be written, if anything. ``target``: the application that is meant; ``company`` and
    ``title`` what the message names of one that is not on the tracker. ``again``: a change to the last draft.
    """

    action: Action
    letter: Letter | None = None
    target: TrackedApplication | None = None
    company: str = ""
    title: str = ""
    job: Job | None = None
    person: str | None = None
    status: Status | None = None
    on: date | None = None
    firmer: bool = False
    shorter: bool = False
    unclear: bool = False
    question: bool = False


_WRITE = re.compile(
    r"\b(?:write|draft|word|compose|send|nudge|chaser|remind(?:er)?|follow[- ]?up (?:e-?mail|mail|note|message)|"
    r"e-?mail|mail|note|message|letter|reply|thank[- ]you|how do i (?:nudge|ask|put it|reply|say|withdraw|decline)|"
    r"make it|firmer|shorter|politely)\b",
    re.IGNORECASE,
)
_LETTERS: Final[tuple[tuple[Letter, re.Pattern[str]], ...]] = (
    ("thanks", re.compile(r"\bthank[- ]?(?:you|s)\b.{0,30}\b(?:note|mail|e-?mail|message|letter)|\b(?:thank "
                          r"(?:them|him|her)|thank[- ]you after|say thanks|note of thanks)\b", re.IGNORECASE)),
    ("withdrawal", re.compile(r"\b(?:withdraw\w*|pull out|drop out|step back from|take my name)\b", re.IGNORECASE)),
    ("feedback", re.compile(r"\b(?:feedback|why (?:they|i was)|what went wrong)\b", re.IGNORECASE)),
    ("interview_reply", re.compile(r"\b(?:confirm|accept|reply to|answer)\b.{0,40}\b(?:interview|invit\w*|slot|"
                                   r"time)\b|\binvit\w+.{0,60}\breply\b", re.IGNORECASE)),
    ("later", re.compile(r"\b(?:move|reschedule|postpone|another (?:day|time|slot))\b", re.IGNORECASE)),
)  # fmt: skip
_STATUSES: Final[tuple[tuple[Status, re.Pattern[str]], ...]] = (
    ("accepted", re.compile(r"\b(?:i(?:'ve| have)? (?:accepted|signed|took)|said yes to) (?:it|the|their|an)\b",
                            re.IGNORECASE)),
    ("offer", re.compile(r"\b(?:got|received|made me|have|had|with) an? (?:\w+ )?offer\b|\boffered me\b|\bto offer\b",
                         re.IGNORECASE)),
    ("rejected", re.compile(r"\b(?:reject(?:ed|ion|s)?|turned (?:me )?down|said no|unsuccessful|not moving forward|"
                            r"didn'?t get (?:it|the|past)|knocked back|refus(?:ed|al)|declined me|absage)\b",
                            re.IGNORECASE)),
    ("withdrawn", re.compile(r"\b(?:i(?:'ve| have)? withdr[ea]wn?|pulled out|as withdrawn|to withdrawn|no longer "
                             r"interested in)\b", re.IGNORECASE)),
    ("interview", re.compile(r"\b(?:interview(?:ed|s)?|final round|second round|first round|phone screen|"
                             r"assessment (?:centre|center|day)|trial (?:shift|day))\b", re.IGNORECASE)),
    ("acknowledged", re.compile(r"\b(?:acknowledg\w+|confirm(?:ed|ation) (?:of )?(?:receipt|they)|under review|"
                                r"in consideration|they (?:finally )?(?:answered|replied|wrote back|called)|heard back "
                                r"from|passed the sift|shortlisted)\b", re.IGNORECASE)),
)  # fmt: skip
_APPLIED = re.compile(
    r"\b(?:i(?:'ve| have)?(?: just| also| already)? (?:applied|sent (?:off )?(?:my|an|the) (?:application|cv)|"
    r"submitted|put in (?:for|an application)|handed in)|(?:just )?applied (?:to|for|at|with)|"
    r"my application (?:to|for|at|with)|sent (?:in |off )?(?:my|an) application)\b",
    re.IGNORECASE,
)
_RECORD = re.compile(r"\b(?:log|track|record|note(?: down)?|add|save|put down|keep track)\b", re.IGNORECASE)
_SET = re.compile(r"\b(?:set|mark|change|update|move|log|record|note)\b", re.IGNORECASE)
_REMOVE = re.compile(r"\b(?:remove|delete|take|drop|forget)\b.{0,60}\b(?:applications?|tracker|list)\b", re.IGNORECASE)
_LIST = re.compile(
    r"\b(?:any (?:updates?|news|word)|updates?\?|where (?:do )?(?:my|i|things) (?:applications? )?stand|status|"
    r"overview|(?:list|show|check|see)\b.{0,30}\b(?:applications?|applied|tracker)|what have i applied|"
    r"which of (?:my|them)|"
    r"how many\b.{0,30}\b(?:applications?|applied)|heard (?:back )?from anyone|gone quiet|who (?:has|hasn't)|"
    r"(?:due|ready) (?:for|to) (?:a )?(?:chas\w+|follow\w*))\b",
    re.IGNORECASE,
)
_FIRMER = re.compile(r"\b(?:firmer|stronger|more (?:direct|insistent|assertive))\b", re.IGNORECASE)
_SHORTER = re.compile(r"\b(?:shorter|brief(?:er)?|two lines|short)\b", re.IGNORECASE)
_QUESTION = re.compile(
    r"\?|\b(?:should|shall|when|how long|is it|too (?:soon|early|late)|normal|what now|what does|wait|bad sign|"
    r"do i|can i|may i)\b",
    re.IGNORECASE,
)
_COMPANY = re.compile(
    r"\b(?:to|at|with|from|for|the)\s+(?:the\s+)?(?P<name>[A-ZÀ-Þ][\w&'’.-]*(?:\s+(?:&|of|and|de|[A-ZÀ-Þ][\w&'’.-]*))*)"
)
_SUBJECT = re.compile(
    r"(?:^|[.!?]\s+)(?P<name>[A-ZÀ-Þ][\w&'’.-]*(?:\s+(?:&\s+)?[A-ZÀ-Þ][\w&'’.-]*)*)\s+(?:rejected|turned|said|invited|"
    r"offered|wants?|called|replied|answered|wrote|confirmed|made|got back|has|have|hasn|haven|are|is|never|still|"
    r"ghosted)\b"
)
_TITLE = re.compile(
    r"\b(?:as an?|for (?:the|an?|their)|the)\s+(?P<title>[\w+#./&'-]+(?:\s+[\w+#./&'-]+){0,4}?)\s+"
    r"(?:job|role|position|post|vacancy|application|apprenticeship|contract|traineeship)\b",
    re.IGNORECASE,
)
_NOT_NAMES: Final = frozenset(
    [
        "i",
        "i'm",
        "i've",
        "they",
        "he",
        "she",
        "we",
        "it",
        "the",
        "a",
        "an",
        "my",
        "hr",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "please",
        "no",
        "yes",
        "thanks",
        "should",
        "set",
        "mark",
        "log",
        "write",
        "draft",
        "still",
        "and",
        "what",
        "which",
        "when",
        "how",
        "any",
        "update",
        "application",
        "linkedin",
    ]
)
_NOT_TITLES: Final = frozenset(
    ["my", "this", "that", "the", "a", "an", "first", "second", "third", "last", "one", "other", "new", "same", "next"]
)


def read_wish(
    message: str, applications: Sequence[TrackedApplication], history: Sequence[PastMessage], today: date
) -> TrackerWish:
    """What ``message`` asks, with the application it means found among ``applications``."""
    outreach, _ = read_outreach(message, history)
    job = job_meant(message, history)
    company = job.company if job else company_named(message, applications)
    target = target_of(message, applications, history, company, job)
    status = next((name for name, pattern in _STATUSES if pattern.search(message)), None)
    letter = _letter(message, status)
    return TrackerWish(
        action=_action(message, status, letter, target, company),
        letter=letter,
        target=target,
        company=company,
        title=job.title if job else _title(message),
        job=job,
        person=outreach.person if outreach.person and outreach.person != company else None,
        status=status,
        on=day_said(message, today, ahead=status == "interview" and "had" not in message.casefold()),
        firmer=_FIRMER.search(message) is not None,
        shorter=_SHORTER.search(message) is not None,
        unclear=target is None and not company and sum(a.status in OPEN for a in applications) > 1,
        question=_QUESTION.search(message) is not None,
    )


def target_of(
    message: str,
    applications: Sequence[TrackedApplication],
    history: Sequence[PastMessage],
    company: str,
    job: Job | None,
) -> TrackedApplication | None:
    """The application meant: by posting, by company, by its place on the list shown, the one last spoken of, or the
    only one that is open.
    """
    if job is not None:
        return next((a for a in applications if a.job_id == job.job_id or a.company == job.company), None)
    if company:
        known = [a for a in applications if _same_company(a.company, company)]
        return next((a for a in known if a.open), known[0] if known else None)
    shown = _last_shown(history)
    if (place := _place(message)) and shown and place <= len(shown):
        return next((a for a in applications if a.application_id == shown[place - 1]), None)
    changed = next((block.changed for block in _tracker_blocks(history) if block.changed), None)
    if changed is not None and (spoken := next((a for a in applications if a.application_id == changed), None)):
        return spoken
    still = [a for a in applications if a.open]
    return still[0] if len(still) == 1 else None


def company_named(message: str, applications: Sequence[TrackedApplication]) -> str:
    """A company on the tracker that the message names, else what looks like the name of one."""
    for application in applications:
        if re.search(rf"(?<!\w){re.escape(application.company)}(?!\w)", message, re.IGNORECASE):
            return application.company
    for pattern in (_SUBJECT, _COMPANY):
        for match in pattern.finditer(message):
            name = match["name"].strip(" .,'’")
            words = name.split()
            while words and words[0].casefold() in _NOT_NAMES:
                words = words[1:]
            if words and len(words) <= 5:
                return " ".join(words)
    return ""


def _action(
    message: str, status: Status | None, letter: Letter | None, target: TrackedApplication | None, company: str
) -> Action:
    if _REMOVE.search(message) and letter != "withdrawal":
        return "remove"
    told = status is not None and not (letter == "withdrawal" and status == "withdrawn")
    if target is not None and told and status != target.status and (not _asks_only(message) or _SET.search(message)):
        return "change"
    if target is not None and company and letter is None and _APPLIED.search(message) and not _QUESTION.search(message):
        return "record"  # told once more, maybe with what was not known before
    names_new = bool(company) and target is None
    if names_new and (_APPLIED.search(message) or _RECORD.search(message) or told or letter is not None):
        return "record"
    if _LIST.search(message) and letter is None and not (company and target):
        return "list"
    return "advise"


def _asks_only(message: str) -> bool:
    """Whether nothing is told beside the question: who asks whether to expect an interview tells of none."""
    return message.rstrip().endswith("?") and re.search(r"[.!;]\s|,\s", message) is None


def _letter(message: str, status: Status | None) -> Letter | None:
    named = next((name for name, pattern in _LETTERS if pattern.search(message)), None)
    if named == "withdrawal" and status == "withdrawn":
        return None
    if named is not None and (_WRITE.search(message) or named == "withdrawal"):
        return named
    if _WRITE.search(message) and not re.search(r"\b(?:wrote|e-?mailed|sent|told|note (?:that|down))\b", message):
        return "chaser"
    return None


def _title(message: str) -> str:
    for match in _TITLE.finditer(message):
        words = match["title"].split()
        while words and words[0].casefold() in _NOT_TITLES:
            words = words[1:]
        if words and not words[0][:1].isupper():
            return " ".join(words)
    return ""


def _same_company(one: str, other: str) -> bool:
    one, other = one.casefold(), other.casefold()
    return one == other or one.startswith(f"{other} ") or other.startswith(f"{one} ")


def _place(message: str) -> int | None:
    words = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
    match = re.search(rf"\b(?:the ({'|'.join(words)})|(?:number|no\.?|#)\s*(\d{{1,2}}))\b", message, re.IGNORECASE)
    if match is None:
        return None
    return words[match[1].casefold()] if match[1] else int(match[2]) or None


def _tracker_blocks(history: Sequence[PastMessage]) -> list[ApplicationStatus]:
    """Newest first."""
    return [
        ApplicationStatus.model_validate(block)
        for past in reversed(history)
        for block in reversed(past.blocks)
        if block.get("type") == "application_status"
    ]


def _last_shown(history: Sequence[PastMessage]) -> list[str]:
    blocks = _tracker_blocks(history)
    return [row.application_id for row in blocks[0].applications] if blocks else []
