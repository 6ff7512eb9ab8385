"""The lines of a list of postings, and what is said of all of them: their age, pay and whether they are real. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from signalbox.agents.searching.facts import SearchFacts
from signalbox.agents.words.phrases import counted, listed, plain
from signalbox.agents.words.postings import age_text, day_text, pay_text, place_text
from signalbox.blocks import Job, Salary
from signalbox.retrieval.pay import guess_period, period_named, yearly

_TERMS: Final = re.compile(r"(\d+) of (\d+) search terms\b")
# The age stands in every line of its own.
_AGE: Final = re.compile(
    r"posted (?:\d+ days ago|today|yesterday|on \d+ \w+ \d{4})|its date is not stated|applications have closed"
)
_OLD_DAYS: Final = 365


def age_note(facts: SearchFacts) -> str:
    """Before the list: who reads of a vacancy first and of its age later has begun to write."""
    dates = [job.posted_at for job in facts.jobs if job.posted_at]
    old = [day for day in dates if (facts.today - day).days > _OLD_DAYS]
    if not old or len(old) * 2 < len(facts.jobs):
        return ""
    if len(old) < len(dates):
        return f"{len(old)} of these {len(facts.jobs)} are more than a year old; check that they are still open."
    if len(facts.jobs) == 1:
        return f"It was posted on {day_text(old[0])}; check that it is still open."
    newest = day_text(max(dates))
    return f"These are old: the newest was posted on {newest}; check that it is still open."


def pay_note(facts: SearchFacts) -> str:
    """A range that begins below the least pay is listed because its top reaches it."""
    if facts.pay_floor is None:
        return ""
    below = [job for job in facts.jobs if job.salary and _starts_below(job.salary, facts.pay_floor)]
    if not below:
        return ""
    if len(below) == 1:
        return "One of these starts below the pay you asked for; its range reaches it."
    whose = "These start" if len(below) == len(facts.jobs) else f"{len(below)} of these start"
    return f"{whose} below the pay you asked for; their ranges reach it."


def _starts_below(salary: Salary, floor: float) -> bool:
    if salary.min is None or salary.max is None:
        return False
    period = period_named(salary.period) if salary.period else None
    return yearly(salary.min, period or guess_period(salary.min)) < floor


def line_of(job: Job, facts: SearchFacts, mixed: bool) -> str:  # noqa: FBT001 - whether samples stand beside real ones
    told = ["remote" if job.remote else plain(place_text(job.location)) if job.location else "place not stated"]
    if job.salary:
        told.append(pay_text(job.salary))
    if job.job_id in facts.closed:
        told.append(f"**closed on {day_text(facts.closed[job.job_id])}**")
    elif job.posted_at:
        told.append(age_text(job.posted_at, facts.today))
    if job.source in facts.boards:
        told.append(f"on {plain(facts.boards[job.source])}")
    sample = " (sample)" if mixed and job.sample else ""
    reason = _reason(job)
    line = f"**{plain(job.title)}** at {plain(job.company)}{sample}: {', '.join(told)}."
    return f"{line} {reason}" if reason else line


def _reason(job: Job) -> str:
    """Why it stands there, where that tells it from its neighbours: that all words fit goes without saying."""
    if job.matched_skills:
        asked = len(job.matched_skills) + len(job.missing_skills)
        have = listed([plain(skill) for skill in job.matched_skills[:4]])
        return f"You have {len(job.matched_skills)} of the {counted(asked, 'skill')} it asks for: {have}."
    reason = job.match_reasons[0] if job.match_reasons else ""
    if terms := _TERMS.match(reason):
        found, wanted_terms = int(terms[1]), int(terms[2])
        if found == wanted_terms:
            return ""
        return f"Names {found} of your {wanted_terms} search words." if found else "Close to your search in meaning."
    if not reason or _AGE.match(reason):
        return ""
    return f"{capital(plain(reason))}."


def sample_note(jobs: Sequence[Job]) -> str:
    samples = sum(job.sample for job in jobs)
    if not samples:
        return ""
    if samples == len(jobs):
        if samples == 1:
            return (
                "This is a sample posting from the built-in catalogue: fictional, not a real vacancy you can apply for."
            )
        return "These are sample postings from the built-in catalogue: fictional, not real vacancies you can apply for."
    named = counted(samples, "of these is a sample posting", "of these are sample postings")
    return f"{named}: fictional, marked so, below the real ones. Say “only real ones” to leave samples out."


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]
