"""What lies on the table: postings earlier answers showed, and which of them a message means. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from signalbox.agents.words.shown_names import (
    PASTED_ID,
    Shown,
    named_in,
    named_in_full,
    named_loosely,
    nearly_named,
    of_title,
)
from signalbox.blocks import Job, JobMatch, JobsData
from signalbox.memory.conversation import PastMessage
from signalbox.memory.words import number_of
from signalbox.retrieval.places import gazetteer

_NUMBERS: Final = {
    "first": 1, "1st": 1, "top": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4,
    "fifth": 5, "5th": 5, "sixth": 6, "6th": 6, "seventh": 7, "7th": 7, "eighth": 8, "8th": 8, "ninth": 9, "9th": 9,
    "tenth": 10, "10th": 10,
}  # fmt: skip
_COUNTS: Final = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "couple of": 2,
    "couple": 2, "few": 3,
}  # fmt: skip
_WORD: Final = rf"(?:{'|'.join(_NUMBERS)}|last|bottom)"
_NO_JOB: Final = (
    r"(?!(?: \w+)? (?:weeks?|months?|years?|days?|times?)\b)"
    r"(?! (?:time|line|week|month|year|thing|step|interview|day|job i (?:had|have)|name|place)\b)"
)
_MANY = re.compile(
    rf"\b(?P<end>first|top|best|last|bottom)\s+(?P<count>{'|'.join(_COUNTS)}|\d{{1,2}})\b"
    r"(?!\s+(?:weeks?|months?|years?|days?|times?))",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    rf"\b(?:the|teh) (?P<word>{_WORD})\b{_NO_JOB}|"
    rf"\b(?:and|or|vs\.?|versus|than|,)\s+(?:the )?(?P<more>{_WORD})\b{_NO_JOB}"
    rf"|^\W*(?:(?:and|so|or|ok|okay|now|then|(?:what|how) about)\s+)*(?P<bare>{_WORD})(?:\s+one\b|"
    r"(?:\s+(?:job|role|posting)(?:\s+(?:now|then|please|too))?)?\W*$)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?:\b(?:numbers?|nos?\.?|jobs?|postings?|roles?|options?|ads?)\s*#?|#)(?P<digits>\d{1,2})\b"
    r"(?!\s*(?:years?|yrs|k|%))"
    r"(?P<more>(?:\s*(?:,|and|or|&|vs\.?|versus|with|to|-|–|against)\s*(?:(?:number|no\.?|job)\s*)?#?\d{1,2}\b"
    r"(?!\s*(?:years?|yrs|k|%)))*)",
    re.IGNORECASE,
)
# "Compare 1 and 3", "between 2 and 4": numbers that nothing else could be.
_BARE_NUMBERS = re.compile(
    r"\b(?:compare|between|rank|of|judge|take)\s+(?P<digits>\d{1,2})(?P<more>(?:\s*(?:,|and|or|&|vs\.?|versus|with|"
    r"against|to)\s*#?\d{1,2}\b)+)(?!\s*(?:years?|yrs|k|%|days?))|"
    r"(?:^|[,:])\W*(?P<only>\d{1,2}|[1-9](?:\s*(?:,|and|or|vs\.?)\s*\d{1,2})+)\W*$",
    re.IGNORECASE,
)
# "Listing one and listing three".
_WORDED = re.compile(
    r"\b(?:number|no\.?|listing|option|posting|offer)\s+(?P<count>one|two|three|four|five|six|seven|eight|nine|ten)\b",
    re.IGNORECASE,
)
_LETTERED = re.compile(r"\b(?:job|option|offer|posting|or)\s+(?P<letter>[A-F])\b|\b(?P<first>[A-F])(?=\s+or\s+[A-F]\b)")
_ALL = re.compile(
    r"\b(?:all(?: (?:of )?(?:them|these|those|the jobs|five|ten|of it))?|any of (?:them|these|those)|"
    r"which(?: one)?(?: of (?:them|these|those|the (?:two|three|four|five|jobs|ones|postings)))?|"
    r"each(?: one)?(?: of them)?|(?:rank|compare|judge|sort|order|rate) (?:them|these|those|the (?:jobs|list|results))|"
    r"the (?:jobs|list|results|ones) (?:you|above|i (?:saw|have seen))|best (?:one|fit|match|paid|of)|"
    r"these|those|them|the lot|everything|every one)\b",
    re.IGNORECASE,
)
_SOME = re.compile(
    rf"\b(?:these|those|them|the)\s+(?P<count>{'|'.join(_COUNTS)}|\d{{1,2}})(?=\W*$|\s*[,;.?!]|\s+(?:jobs?|"
    rf"ones|roles|postings|positions|vacancies|of|is|are|for|and|which|that|you|above|best|fits?|suits?|pays?)\b)",
    re.IGNORECASE,
)
_THIS = re.compile(
    r"\b(?:this|that)\s+(?:one|job|role|posting|position|ad|advert|vacancy|opening|company|post)\b"
    r"(?!\s+(?:of|as|for an?)\b)",
    re.IGNORECASE,
)
_OTHER = re.compile(r"\bthe other(?: one| job| role)?\b", re.IGNORECASE)
_REST = re.compile(
    rf"\b(?:the (?:rest|remaining|others)|the (?:other|remaining) (?:{'|'.join(_COUNTS)}|ones|jobs|\d))\b",
    re.IGNORECASE,
)
_IT = re.compile(r"\b(?:it|this|that)\b", re.IGNORECASE)
# "A letter for it", "apply to it": what was spoken of last. "Make it shorter" is about no posting.
_FOR_IT = re.compile(
    r"\bfor (?:it|that|this)(?=\W*$|\s*[,.;!?]|\s+(?:please|now|too|and|in)\b)|"
    r"\bappl(?:y|ied|ying) (?:to|for) (?:it|that|this)\b|"
    r"\b(?:save|track|bookmark) (?:it|that|this)\b|\bmore (?:about|on) (?:it|that)\b"
)
_PASTED = re.compile(
    r"\b(?:ad|advert|posting|job|role|one|description|vacancy|text)\b(?: (?:that|which))? (?:i|i've|i have) (?:just )?"
    r"(?:pasted|sent|gave|posted|shared|copied|showed|put)\b|\b(?:pasted|my) (?:ad|advert|posting|vacancy)\b",
    re.IGNORECASE,
)
_THE_AD = re.compile(r"\b(?:the|this|that) (?:ad|advert|posting|vacancy|job|role|position|post)\b", re.IGNORECASE)
_EARLIER = re.compile(
    r"\b(?:previous|earlier|prior|last but one)\s+(?:list|search|results?|jobs|ones|postings)\b|"
    r"\bthe (?:list|search|results?|jobs|ones) (?:before|from before|earlier)\b|\bbefore that\b",
    re.IGNORECASE,
)
_REMOTE = re.compile(
    r"\b(?:remote|work[- ]from[- ]home|home[- ]office) (?:ones?|jobs?|roles?|postings?)\b", re.IGNORECASE
)
_ON_SITE = re.compile(r"\b(?:on[- ]?site|office(?:[- ]based)?) (?:ones?|jobs?|roles?|postings?)\b", re.IGNORECASE)
_WITH_PAY = re.compile(
    r"\b(?:ones?|jobs?|postings?) (?:that|which|with) (?:states? (?:a |the )?(?:pay|salary)|"
    r"(?:a )?(?:stated )?(?:salary|pay))\b",
    re.IGNORECASE,
)

# "The one in Porto", "that Dublin ad": a town alone is where a search is to look.
_THE_ONE: Final = r"(?:ones?|jobs?|roles?|ads?|adverts?|postings?|positions?|vacanc(?:y|ies))"
_IN_TOWN = re.compile(
    rf"\b(?:the|that|this|those)\s+{_THE_ONE}\s+(?:in|near|at|from)\s+(?P<behind>.+)|"
    rf"\b(?:the|that|this|those)\s+(?P<before>[\w .'-]{{3,30}}?)\s+{_THE_ONE}\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"\b(?:ones|jobs|roles|positions|postings|vacancies|openings|ads)\b", re.IGNORECASE)

# Longer messages are pasted documents: what is pointed at stands at their start.
_LONGEST: Final = 1_000

How = Literal["place", "name", "title", "kind", "some", "all", "this", "none"]


@dataclass(frozen=True, slots=True)
class Meant:
    """The postings a message points at and how it does. ``absent``: numbers that the list does not have; ``of``: how
    many the list has.
    """

    jobs: tuple[Shown, ...] = ()
    how: How = "none"
    absent: tuple[int, ...] = ()
    of: int = 0


def ever_shown(history: Sequence[PastMessage]) -> tuple[Job, ...]:
    """Every posting that an answer showed, each once, those of the newest list first."""
    lists = _lists(history)
    newest = lists[0] if lists else ()
    return tuple(shown.job for shown in (*newest, *_before(newest, lists, history)))


def shown_jobs(history: Sequence[PastMessage]) -> tuple[Job, ...]:
    """The postings of the newest answer that showed any, in the order shown."""
    lists = _lists(history)
    return tuple(shown.job for shown in lists[0]) if lists else ()


def job_meant(message: str, history: Sequence[PastMessage]) -> Job | None:
    """The shown posting that ``message`` points at by its place, its company or as "this one", or None."""
    meant = jobs_meant(message, history)
    described = meant.how in {"title", "kind"} and len(meant.jobs) == 1 and not _SEVERAL.search(message)
    if meant.jobs and (meant.how in {"place", "name", "this"} or described):
        return meant.jobs[0].job
    return None


def jobs_meant(message: str, history: Sequence[PastMessage]) -> Meant:
    """All postings on the table that ``message`` points at: by place, by name, by kind, as a group or as "this one".

    Places count in the newest list, or in the one before where the message says so; a comparison shown since does not
    number anew. Names count in all lists of the conversation. "These" are what was shown last, be it a list or a
    comparison.
    """
    lists = _lists(history)
    if not lists:
        return Meant()
    message = message[:_LONGEST]
    earlier = _EARLIER.search(message) is not None and len(lists) > 1
    table = lists[1] if earlier else lists[0]
    message = _EARLIER.sub(" ", message) if earlier else message
    latest = table if earlier else _latest(history) or table
    places = list(dict.fromkeys(_places(message, table)))
    if places:
        there = {shown.place: shown for shown in table}
        known = tuple(there[place] for place in places if place in there)
        absent = tuple(place for place in places if place not in there)
        return Meant(_with_it(message, known, latest), "place", absent, len(table))
    if pasted := _pasted_meant(message, history, latest):
        return Meant((pasted,), "this", (), len(table))
    before = _before(table, lists, history)
    for how, found in _pointed_at(message, table, latest, before):
        if found:
            return Meant(found, how, (), len(table))
    if _FOR_IT.search(message) and (spoken := focus(history)):
        return Meant((spoken,), "this", (), len(table))
    return Meant(of=len(table))


def the_list(history: Sequence[PastMessage]) -> tuple[Shown, ...]:
    """The newest list that had postings on it, whole, whatever was judged of it since."""
    lists = _lists(history)
    return lists[0] if lists else ()


def latest_shown(history: Sequence[PastMessage]) -> tuple[Shown, ...]:
    """What was shown last: a list, or what was judged of it, its best first."""
    return _latest(history)


def search_was_empty(history: Sequence[PastMessage]) -> bool:
    """What was shown last is a search that found nothing, so that a list on the table is that of an earlier one."""
    blocks = (block for past in reversed(history) for block in reversed(past.blocks))
    newest = next((block for block in blocks if block.get("type") in {"jobs_data", "job_match"}), None)
    return newest is not None and newest.get("type") == "jobs_data" and not newest.get("jobs")


def focus(history: Sequence[PastMessage]) -> Shown | None:
    """The one posting that was spoken of last: judged alone or as the best, or named by the user; None after a list."""
    table = the_list(history)
    for past in reversed(history):
        for block in reversed(past.blocks):
            if block.get("type") == "job_match" and (judged := _judged(block)):
                alone = len(judged) == 1 or block.get("best") == judged[0].job.job_id
                return judged[0] if alone else None
            if block.get("type") == "jobs_data" and block.get("jobs"):
                return table[0] if len(table) == 1 else None
        if past.role == "user" and table and (one := _one_named(past.content[:_LONGEST], table)):
            return one
    return None


def _one_named(message: str, table: Sequence[Shown]) -> Shown | None:
    places = list(dict.fromkeys(_places(message, table)))
    found = [shown for shown in table if shown.place in places] if places else named_in(message, table)
    return found[0] if len(found) == 1 else None


def _pasted_meant(message: str, history: Sequence[PastMessage], latest: Sequence[Shown]) -> Shown | None:
    """The posting the user pasted: called so, named, or spoken of last."""
    pasted = next((shown for shown in _judged_before(history) if shown.job.job_id == PASTED_ID), None)
    if pasted is None:
        return None
    if _PASTED.search(message) or named_in(message, (pasted,)):
        return pasted
    spoken_of = bool(latest) and latest[0].job.job_id == PASTED_ID
    return pasted if spoken_of and (_THE_AD.search(message) or _FOR_IT.search(message)) else None


def _judged_before(history: Sequence[PastMessage]) -> Iterator[Shown]:
    for past in reversed(history):
        for block in reversed(past.blocks):
            if block.get("type") == "job_match":
                yield from _judged(block)


def _pointed_at(
    message: str, table: Sequence[Shown], latest: Sequence[Shown], before: Sequence[Shown]
) -> Iterator[tuple[How, tuple[Shown, ...]]]:
    """Ways to point at postings other than by number, the surest first."""
    if older := named_in_full(message, before):
        here = named_in_full(message, table)
        names = {(shown.job.title, shown.job.company) for shown in here}
        yield "name", (*here, *(one for one in older if (one.job.title, one.job.company) not in names))
    yield "name", named_in(message, table)
    yield "kind", _of_kind(message, table)
    yield "title", of_title(message, table)
    yield "name", named_loosely(message, before)
    if _THIS.search(message):
        yield "this", tuple(latest[:1])
    if _OTHER.search(message) and len(latest) == 2:
        yield "this", tuple(latest[1:])
    if _REST.search(message) and len(latest) < len(table):
        judged = {shown.place for shown in latest}
        yield "some", tuple(shown for shown in table if shown.place not in judged)
    yield "name", nearly_named(message, table)
    if some := _SOME.search(message):
        count = _count(some["count"])
        yield "some", tuple(latest if len(latest) == count else table[:count])
    if _ALL.search(message):
        # Which of one posting? Then the list it stands in is meant.
        yield "all", tuple(latest if len(latest) > 1 else table)
    yield "name", named_in(message, before)


def _before(
    table: Sequence[Shown], lists: Sequence[Sequence[Shown]], history: Sequence[PastMessage]
) -> tuple[Shown, ...]:
    """Postings shown before that are not on ``table``, the newest first: numbered behind its end, as their old numbers
    are those of other postings now.
    """
    there = {shown.job.job_id for shown in table} | {PASTED_ID}
    jobs = {shown.job.job_id: shown.job for shown in (*(s for each in lists for s in each), *_judged_before(history))}
    older = (job for job_id, job in jobs.items() if job_id not in there)
    return tuple(Shown(place, job) for place, job in enumerate(older, start=len(table) + 1))


def _lists(history: Sequence[PastMessage]) -> list[tuple[Shown, ...]]:
    """The lists shown, newest first; where none is remembered, the postings judged since, under their own numbers."""
    blocks = (block for past in reversed(history) for block in reversed(past.blocks))
    found = (JobsData.model_validate(block).jobs for block in blocks if block.get("type") == "jobs_data")
    lists = [tuple(Shown(place, job) for place, job in enumerate(jobs, start=1)) for jobs in found if jobs]
    if lists:
        return lists
    judged: dict[int, Shown] = {}
    for shown in _judged_before(history):
        # Of two under one number the newer counts; a pasted posting takes no number from a list.
        if shown.place not in judged or judged[shown.place].job.job_id == PASTED_ID:
            judged[shown.place] = shown
    return [tuple(judged[place] for place in sorted(judged))] if judged else []


def _latest(history: Sequence[PastMessage]) -> tuple[Shown, ...]:
    """The postings of the newest block that has any; a comparison's best comes first."""
    for past in reversed(history):
        for block in reversed(past.blocks):
            if block.get("type") == "job_match" and (judged := _judged(block)):
                return judged
            if block.get("type") == "jobs_data" and (jobs := JobsData.model_validate(block).jobs):
                return tuple(Shown(place, job) for place, job in enumerate(jobs, start=1))
    return ()


def _judged(block: dict[str, object]) -> tuple[Shown, ...]:
    return tuple(Shown(each.place, each.job) for each in JobMatch.model_validate(block).verdicts)


def _places(message: str, table: Sequence[Shown]) -> Iterator[int]:
    """Numbers of the list that the message names, in words, digits or letters, in the order named."""
    last = table[-1].place
    spans: list[tuple[int, list[int]]] = []
    for match in _MANY.finditer(message):
        count = _count(match["count"])
        numbers = [shown.place for shown in table]
        if match["end"].casefold() != "best":
            at_end = match["end"].casefold() in {"last", "bottom"}
            spans.append((match.start(), numbers[-count:] if at_end else numbers[:count]))
    covered = [(match.start(), match.end()) for match in _MANY.finditer(message)]
    for match in _ORDINAL.finditer(message):
        word = (match["word"] or match["more"] or match["bare"]).casefold()
        inside = any(start < match.end() and match.start() < end for start, end in covered)
        if not inside:
            spans.append((match.start(), [last if word in {"last", "bottom"} else _NUMBERS[word]]))
    for pattern in (_NUMBERED, _BARE_NUMBERS):
        spans += [(match.start(), _digits(match.group())) for match in pattern.finditer(message)]
    spans += [(match.start(), [number_of(match["count"])]) for match in _WORDED.finditer(message)]
    spans += [
        (match.start(), [ord(match["letter"] or match["first"]) - ord("A") + 1])
        for match in _LETTERED.finditer(message)
    ]
    for _, numbers in sorted(spans, key=lambda span: span[0]):
        yield from (number for number in numbers if number)


def _digits(text: str) -> list[int]:
    """The numbers of "1, 2 and 5"; "2 to 4" and "2-4" are all between."""
    if match := re.search(r"(\d{1,2})\s*(?:to|-|–)\s*(\d{1,2})", text):
        low, high = int(match[1]), int(match[2])
        if low < high:
            return list(range(low, high + 1))
    return [int(digits) for digits in re.findall(r"\d{1,2}", text)]


def _with_it(message: str, named: tuple[Shown, ...], latest: Sequence[Shown]) -> tuple[Shown, ...]:
    """With "how does it compare with the first?", what was spoken of last stands beside the one named."""
    compares = re.search(r"\b(?:compare|against|stack up|versus|vs|better than|than)\b", message, re.IGNORECASE)
    if len(named) == 1 and latest and compares and _IT.search(message) and latest[0].job.job_id != named[0].job.job_id:
        return (latest[0], *named)
    return named


def _of_kind(message: str, table: Sequence[Shown]) -> tuple[Shown, ...]:
    """As in "the remote ones", "the one in Porto", "the Berlin jobs"."""
    if _REMOTE.search(message):
        return tuple(shown for shown in table if shown.job.remote)
    if _ON_SITE.search(message):
        return tuple(shown for shown in table if shown.job.remote is not True)
    if _WITH_PAY.search(message):
        return tuple(shown for shown in table if shown.job.salary)
    texts = [match["behind"] or match["before"] for match in _IN_TOWN.finditer(message)]
    towns = [match.group() for text in texts for match in gazetteer().pattern.finditer(text)]
    return tuple(shown for shown in table if any(_stands_in(town, shown.job.location or "") for town in towns))


def _stands_in(name: str, where: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", where, re.IGNORECASE) is not None


def _count(text: str) -> int:
    return int(text) if text.isdecimal() else _COUNTS[text.casefold()]
