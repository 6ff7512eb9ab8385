"""What lies on the table: postings an earlier answer showed, and which of them a message means."""

import re
from collections.abc import Sequence
from typing import Final

from signalbox.blocks import Job, JobsData
from signalbox.memory.conversation import PastMessage

_NUMBERS: Final = {
    "first": 1, "1st": 1, "top": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4,
    "fifth": 5, "5th": 5, "sixth": 6, "6th": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
}  # fmt: skip
_ORDINAL = re.compile(rf"\bthe (?P<word>{'|'.join(_NUMBERS)}|last)\b(?! (?:time|line|week|month|year))", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:\b(?:number|no\.|job|posting|role)\s*#?|#)(?P<digits>\d{1,2})\b", re.IGNORECASE)
_THIS = re.compile(r"\b(?:this|that)\s+(?:one|job|role|posting|position|ad|vacancy|opening|company)\b", re.IGNORECASE)
# A shorter name than this is found inside other words too easily.
_SHORTEST_NAME = 3


def shown_jobs(history: Sequence[PastMessage]) -> tuple[Job, ...]:
    """The postings of the newest answer that showed any, in the order shown."""
    for past in reversed(history):
        for block in reversed(past.blocks):
            if block.get("type") == "jobs_data":
                jobs = JobsData.model_validate(block).jobs
                if jobs:
                    return jobs
    return ()


def job_meant(message: str, history: Sequence[PastMessage]) -> Job | None:
    """The shown posting that ``message`` points at by its place, its company or as "this one", or None."""
    jobs = shown_jobs(history)
    if not jobs:
        return None
    if place := _place(message, len(jobs)):
        return jobs[place - 1] if place <= len(jobs) else None
    named = [job for job in jobs if _names(message, job.company)]
    if named:
        return next((job for job in named if _names(message, job.title)), named[0])
    return jobs[0] if _THIS.search(message) else None


def _place(message: str, count: int) -> int | None:
    if match := _ORDINAL.search(message):
        word = match["word"].casefold()
        return count if word == "last" else _NUMBERS[word]
    match = _NUMBERED.search(message)
    return int(match["digits"]) or None if match else None


def _names(message: str, name: str) -> bool:
    if len(name) < _SHORTEST_NAME:
        return False
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", message, re.IGNORECASE) is not None
