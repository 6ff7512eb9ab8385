"""Reads what a message wants of the application tracker: record, change, list, advise or write. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, Literal

from signalbox.agents.letters.outreach import addressee_of
from signalbox.agents.tracking.letter_wish import Letter, Manner, letter_in, manner_in, only_changes
from signalbox.agents.tracking.meant import application_of, by_id, place_said, same_title, target_of, to_chase
from signalbox.agents.tracking.names import described_by, mentions_in, same_employer
from signalbox.agents.tracking.past import (
    asked_before,
    changed_last,
    drafted_last,
    last_answer,
    last_spoken,
    tracker_is_newest,
)
from signalbox.agents.tracking.titles import MASK, title_in, with_whole_titles
from signalbox.agents.tracking.told import APPLIED, Told, clauses, is_telling, status_of, told_in
from signalbox.agents.words.dates_said import day_said
from signalbox.agents.words.shown import ever_shown, jobs_meant
from signalbox.blocks import Job
from signalbox.memory.applications import TrackedApplication
from signalbox.memory.conversation import PastMessage

Action = Literal["tell", "remove", "list", "advise", "ask_company", "ask_which"]


@dataclass(frozen=True, slots=True)
class Change:
    """Something told that is to be stored: of ``target``, or of an application not on the tracker yet."""

    told: Told
    target: TrackedApplication | None = None
    job_id: str | None = None


@dataclass(frozen=True, slots=True)
class TrackerWish:
    """``target``: the application that is meant; ``company`` and ``title`` what the message names of one that is not
    on the tracker. ``among``: those of which the user has to choose.
    """

    action: Action
    changes: tuple[Change, ...] = ()
    letter: Letter | None = None
    target: TrackedApplication | None = None
    company: str = ""
    title: str = ""
    person: str | None = None
    manner: Manner = Manner()  # noqa: RUF009 - frozen
    among: tuple[TrackedApplication, ...] = ()
    question: bool = False
    pending: str = ""
    only_changes: bool = False


_REMOVE = re.compile(
    r"\b(?:remove|delete|take|drop|forget|erase|scrap|clear|strike|cross (?:off|out)|get rid of)\b.{0,60}"
    r"\b(?:applications?|tracker|list|entr(?:y|ies))\b|"
    r"\b(?:remove|delete|erase|scrap|get rid of) (?:it|the|that)\b",
    re.IGNORECASE,
)
_LIST = re.compile(
    r"\b(?:any (?:updates?|news|word)|updates?\?|where (?:do )?(?:my|i|things) (?:applications? )?stand|status|"
    r"overview|(?:list|show|check|see|open)\b.{0,30}\b(?:applications?|applied|tracker)|(?:my )?tracker(?=\W*$)|"
    r"what(?:'?s| is| do i have| have i got| have you got)\b.{0,20}\b(?:on|in)\b.{0,20}\b(?:tracker|list)|"
    r"what have i applied|what(?:'s| is) (?:still )?open|which of (?:my|them)|"
    r"how many\b.{0,30}\b(?:applications?|applied)|heard (?:back )?from anyone|gone quiet|"
    r"who (?:has|hasn't|is|should)|(?:due|ready) (?:for|to) (?:a )?(?:chas\w+|follow\w*))\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"\?|\b(?:should|shall|when|how long|is it|too (?:soon|early|late)|normal|what now|what does|wait|bad sign|"
    r"do i|can i|may i)\b",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\b(?:to|for|at|with|in)\s+(?!(?:it|that|this|them|there|the (?:job|role|position|post|one|same|first|second|"
    r"third)|last|my|about|a while|ages|\d|january|february|march|april|may|june|july|august|september|october|"
    r"november|december|two|three|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b)\w",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"^\W*(?:(?:no|oh|wait|oops|hm+)[\s,.!]+)*(?:actually|sorry|correction|i meant|my mistake|no,|wait|it was|that was|"
    r"scratch that|not an?)\b",
    re.IGNORECASE,
)
_ONLY_A_DAY = re.compile(
    r"^\W*(?:(?:no|sorry|actually|oh|wait|yes|ok|i think|it'?s|it is|it was|that was|i did|the interview is|moved to|"
    r"they moved it to|it(?:'s| has)? (?:been )?moved to|about|around|i applied)[\s,.]+)*(?:on|last|this|next|the|in|"
    r"two|three|four|five|six|a|an|\d|today|tomorrow|yesterday|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|"
    r"jul|aug|sep|oct|nov|dec)",
    re.IGNORECASE,
)
# "Tesco?" asks whether that will do for an answer.
_NAME_UNSURE = re.compile(r"(?:(?:the|at|to)\s+)?(?:[A-ZÀ-Þ][\w'’&.-]*\s?){1,4}\?", re.ASCII)
_NO_NAME = re.compile(
    r"(?:(?:really|seriously|pardon|whatever|stop|cancel|skip|idk|dunno|help|hm+|nope|nah|wait|undo|back|quit|exit|why|what|"
    r"who|huh|eh|ok|okay|cool|great|nice|good|fine|sure|never ?mind|hello|hey|hi|bye|thanks?|cheers|that|this|it)\W*)+",
    re.IGNORECASE,
)
# In small letters these make a sentence; "We Are Social" is a name.
_SENTENCE_WORDS = re.compile(
    r"\b(?:i|i['’]\w+|I['’]\w+|you|they|we|she|he|my|your|what['’]?s?|who|which|why|how|when|where|is|are|was|were|am|do|does|"
    r"did|don['’]t|didn['’]t|can|could|will|would|should|have|has|had|want|wants|need|know|forgot|forget|remember|think|find|"
    r"show|tell|give|help|nothing|nobody|none|never|please|sorry|thanks|thank|yes|no|not|maybe|later)\b"
)
# What is told of an application stands at the start; the rest of a longer text is a pasted document.
LONGEST: Final = 1_500
_REPLY_WORDS: Final = 7


def read_wish(
    message: str, applications: Sequence[TrackedApplication], history: Sequence[PastMessage], today: date
) -> TrackerWish:
    """What ``message`` asks, with the applications it means found among ``applications``. A change of manner goes on
    with the letter before, and a bare answer with the question before.
    """
    message = message[:LONGEST]
    if only_changes(message) and (before := _before(applications, history, today)) is not None:
        kind = drafted_last(history)
        letter = before.letter or ("chaser" if before.manner else None)
        return replace(
            before,
            action="advise",
            changes=(),
            letter=_letter_named(kind) or letter or "chaser",
            target=before.target or by_id(changed_last(history), applications),
            manner=before.manner.with_(manner_in(message)),
            only_changes=drafted_last(history) is not None,
        )
    wish = _read(message, applications, history, today)
    if wish.action == "advise" and wish.letter is not None and not wish.company and drafted_last(history) is not None:
        # "Nudge them", of an employer that was just written to and is not on the tracker.
        before = _before(applications, history, today)
        described = described_by(message, applications)
        if before is not None and before.target is None and before.company and not described:
            return replace(wish, company=before.company, title=before.title, target=None)
    return _completed(message, wish, applications, history, today)


def asks_anew(message: str) -> bool:
    """Whether it is a question or a request rather than the answer to one: no part of it is the name of a company."""
    text = message.strip()
    if _NAME_UNSURE.fullmatch(text) or place_said(text) is not None:
        return False
    return text.endswith("?") or not all(is_telling(clause) for clause in clauses(text))


def awaits_answer(text: str) -> bool:
    """Whether our answer ``text`` asked which company or which application is meant."""
    return "Which company" in text or "Which one do you mean?" in text


def only_a_day(message: str) -> bool:
    """As in "on Thursday at 3", "it was two weeks ago"."""
    day = day_said(message, date.min.replace(year=2000))
    return day is not None and _ONLY_A_DAY.match(message) is not None and len(message.split()) <= _REPLY_WORDS + 2


def is_correction(message: str) -> bool:
    """As in "actually it was an interview, not an offer"."""
    return _CORRECTS.match(message) is not None and status_of(message) is not None


def _before(
    applications: Sequence[TrackedApplication], history: Sequence[PastMessage], today: date
) -> TrackerWish | None:
    """What the user's last message wanted, if it was answered here."""
    asked = asked_before(history)
    if last_answer(history) is None:
        return None
    return read_wish(asked[0], applications, asked[1], today) if asked is not None else TrackerWish("advise")


def _completed(
    message: str,
    wish: TrackerWish,
    applications: Sequence[TrackedApplication],
    history: Sequence[PastMessage],
    today: date,
) -> TrackerWish:
    """A bare answer ("Tesco", "the second one") to our question, put together with what that question was about."""
    last, asked = last_answer(history), asked_before(history)
    bare = not wish.changes and wish.letter is None and wish.action in {"advise", "ask_company"}
    if last is None or asked is None or not bare or len(message.split()) > _REPLY_WORDS:
        return wish
    if not awaits_answer(last.content) or asks_anew(message):
        return wish
    open_ = _read(asked[0], applications, asked[1], today)
    if open_.action not in {"ask_company", "ask_which"} and open_.letter is None:
        return wish
    company = wish.company or _bare_name(message)
    # Without a name, only a place on the list or words of it point at an application.
    points = bool(wish.company) or place_said(message) is not None or bool(described_by(message, applications))
    target = wish.target if points else None
    if open_.pending and (company or target):
        told = next(iter(told_in(asked[0], today, [a.company for a in applications])), None)
        name = target.company if target else company
        if told is not None and name:
            title = told.title if told.title.casefold() != name.casefold() else ""
            whole = replace(told, company=name, title=title)
            change = Change(whole, target or application_of(whole, applications)[0])
            return replace(open_, action="tell", changes=(change,), target=change.target, company=name)
    if open_.letter is not None and (target or company):
        return replace(open_, action="advise", target=target, company=company, among=())
    return wish


def _bare_name(message: str) -> str:
    text = re.sub(r"^(?:it was|it's|it is|that was|at|to|for|with|the company is|called)\s+", "", message.strip(" .!?"),
                  flags=re.IGNORECASE)  # fmt: skip
    if _SENTENCE_WORDS.search(text) or _NO_NAME.fullmatch(text):
        return ""
    found = mentions_in(f"applied to {text}")
    return found[0].name if found else ""


def _letter_named(kind: str | None) -> Letter | None:
    kinds: tuple[Letter, ...] = ("chaser", "thanks", "withdrawal", "feedback", "interview_reply", "later")
    return next((letter for letter in kinds if letter == kind), None)


def _read(
    message: str, applications: Sequence[TrackedApplication], history: Sequence[PastMessage], today: date
) -> TrackerWish:
    known = [application.company for application in applications]
    letter = letter_in(message)
    mentions = mentions_in(message, known)
    named = mentions[0].name if mentions else ""
    person, honour, _ = addressee_of(message)
    wish = TrackerWish(
        action="advise",
        letter=letter,
        company=named,
        title=title_in(_masked(with_whole_titles(message), named)),
        person=_addressee(person, honour, [mention.name for mention in mentions]),
        manner=manner_in(message) if letter is not None else Manner(),
        question=_QUESTION.search(message) is not None,
    )
    if _REMOVE.search(message) and letter != "withdrawal":
        target, among = target_of(message, named, applications, history)
        return replace(wish, action="remove", target=target, among=among)
    told = told_in(message, today, known)
    if told:
        wish = _with_changes(wish, told, message, applications, history)
        if wish.changes or wish.action != "advise":
            return wish
    elif letter is None and not named and (change := _day_told(message, applications, history, today)) is not None:
        return replace(wish, action="tell", changes=(change,), target=change.target)
    if _LIST.search(message) and letter is None and not named:
        return replace(wish, action="list")
    target, among = target_of(message, named, applications, history)
    if letter == "chaser" and not named:
        target, among = to_chase(target, among, applications, today)
    if target is None and among and (letter is not None or len(among) < len(applications)):
        return replace(wish, action="ask_which", among=among)
    return replace(wish, target=target)


def _day_told(
    message: str, applications: Sequence[TrackedApplication], history: Sequence[PastMessage], today: date
) -> Change | None:
    """A day and nothing more ("no, it's on Thursday"): of the interview, or of the application we asked it for."""
    target = by_id(changed_last(history), applications)
    if target is None or not only_a_day(message) or last_answer(history) is None:
        return None
    if target.status == "interview" and (day := day_said(message, today, ahead=True)) is not None:
        return Change(Told(target.company, target.title, "interview", on=day), target)
    if target.status == "applied" and (day := day_said(message, today)) is not None:
        return Change(Told(target.company, target.title, "applied", applied_on=day), target)
    return None


def _masked(message: str, named: str) -> str:
    return re.sub(re.escape(named), MASK, message, flags=re.IGNORECASE) if named else message


def _addressee(person: str | None, honour: str | None, companies: Sequence[str]) -> str | None:
    if not person or any(same_employer(person, company) or person in company for company in companies):
        return None
    return f"{honour} {person}" if honour else person


def _with_changes(
    wish: TrackerWish,
    told: Sequence[Told],
    message: str,
    applications: Sequence[TrackedApplication],
    history: Sequence[PastMessage],
) -> TrackerWish:
    if wish.letter is not None and wish.company:  # whom the letter goes to is whom this is about
        told = [one if one.company else replace(one, company=wish.company) for one in told]
    changes: list[Change] = []
    for one in told:
        if not one.company:
            return _of_unnamed(wish, one, message, applications, history)
        target, among = application_of(one, applications)
        if target is None and among:
            return replace(wish, action="ask_which", among=among, pending=one.status or "")
        changes.append(_named_change(one, target, history))
    last = changes[0]
    return replace(wish, action="tell", changes=tuple(changes), target=last.target, company=last.told.company)


def _named_change(one: Told, target: TrackedApplication | None, history: Sequence[PastMessage]) -> Change:
    """With the posting, where one of that employer and title was shown."""
    if target is not None:
        return Change(replace(one, company=target.company), target)
    jobs = [job for job in ever_shown(history) if same_employer(job.company, one.company)]
    same = [job for job in jobs if job.title.casefold() == one.title.casefold()]
    fitting = same or [job for job in jobs if not one.title or same_title(job.title, one.title)]
    if len(fitting) == 1:
        return _of_job(one, fitting[0])
    return Change(one)


def _of_job(one: Told, job: Job, applications: Sequence[TrackedApplication] = ()) -> Change:
    target = next((a for a in applications if a.job_id == job.job_id), None)
    return Change(replace(one, company=job.company, title=job.title), target, job.job_id)


def _of_unnamed(
    wish: TrackerWish,
    one: Told,
    message: str,
    applications: Sequence[TrackedApplication],
    history: Sequence[PastMessage],
) -> TrackerWish:
    """What is told of a posting pointed at, of what was spoken of last, or of nobody: then the user is asked."""
    meant = jobs_meant(message, history)
    if meant.jobs and not (tracker_is_newest(history) and one.status != "applied"):
        changes = tuple(_of_job(one, shown.job, applications) for shown in meant.jobs)
        return replace(wish, action="tell", changes=changes, target=changes[0].target, company=changes[0].told.company)
    spoken = last_spoken(history)
    same = spoken is not None and bool(one.title and spoken.title) and same_title(one.title, spoken.title)
    elsewhere = one.status == "applied" and not same and _names_elsewhere(message)
    target, among = (None, ()) if elsewhere else target_of(message, "", applications, history)
    if one.status == "applied" and target is not None and not _pointed(message, target, applications, history):
        target = None
    if target is not None:
        return replace(
            wish, action="tell", changes=(Change(replace(one, company=target.company), target),), target=target
        )
    spoken = None if elsewhere else spoken
    if spoken is not None and spoken.company:
        whole = replace(one, company=spoken.company, title=one.title or spoken.title)
        known, _ = application_of(whole, applications)
        return replace(
            wish, action="tell", changes=(Change(whole, known, spoken.job_id),), target=known, company=whole.company
        )
    title = one.title or (spoken.title if spoken is not None else "")
    asks: Action = "ask_which" if among and one.status != "applied" else "ask_company"
    return replace(wish, action=asks, among=among, title=title, pending=one.status or "")


def _names_elsewhere(message: str) -> bool:
    """Whether "applied to ..." names something that was not understood, so that "it" would be a guess."""
    match = APPLIED.search(message)
    return match is not None and _ELSEWHERE.match(message[match.end() :].lstrip()) is not None


def _pointed(
    message: str, target: TrackedApplication, applications: Sequence[TrackedApplication], history: Sequence[PastMessage]
) -> bool:
    """Whether ``target`` was spoken of, and not only the one application that is open."""
    spoken = last_spoken(history)
    if target in described_by(message, applications):
        return True
    if spoken is None or spoken.application_id != target.application_id:
        return False
    # Nothing that is known is written over by a day that may belong to another application.
    return (
        target.applied_on is None or re.search(r"\b(?:it|that|them|there|this)\b", message, re.IGNORECASE) is not None
    )
