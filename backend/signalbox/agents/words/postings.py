"""Postings in the words and shapes that all agents show them in."""

import re
from datetime import date, timedelta
from typing import Final

from signalbox.agents.words.phrases import money
from signalbox.blocks import Job, Salary, ScorePart
from signalbox.events import Citation
from signalbox.retrieval.rerank import RankedJob

# Older than this, a day of the calendar says more than a count of days.
_COUNTED_DAYS: Final = 30
_DAYS_AGO = re.compile(r"\bposted (\d+) days ago\b")
_PLACE_PARTS: Final = 3
# What only addresses have: numbers, kinds of street, codes of the post.
_STREET = re.compile(
    r"\b(?:ave|avenue|st|street|str|straße|rd|road|blvd|boulevard|floor|fl|suite|ste|room|lane|ln|drive|dr|plaza|way|"
    r"building|bldg|pkwy|parkway|hwy|highway|court|ct|broadway)\b\.?",
    re.IGNORECASE,
)
_POST_CODE = re.compile(r"\b(?:[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{4,5}(?:-\d{4})?)\b")


def job_event(ranked: RankedJob) -> Job:
    """A ranked posting as clients see it. An age of many days is told by its date."""
    hit = ranked.hit
    stated = hit.salary_min is not None or hit.salary_max is not None
    best = sorted(ranked.parts, key=lambda part: -part.points / part.out_of)
    return Job(
        job_id=hit.job_id,
        title=hit.title,
        company=hit.company,
        location=hit.location,
        remote=hit.remote,
        url=hit.url,
        salary=Salary(min=hit.salary_min, max=hit.salary_max, currency=hit.currency, period=hit.salary_period)
        if stated
        else None,
        match_score=ranked.match_score,
        match_reasons=tuple(_dated(part.reason, hit.posted_at) for part in best),
        # Parts of a score; what no score is made of only orders a list.
        score_parts=tuple(
            ScorePart(name=part.name, points=part.points, out_of=part.out_of, reason=_dated(part.reason, hit.posted_at))
            for part in (ranked.parts if ranked.match_score is not None else ())
        ),
        matched_skills=ranked.matched_skills,
        missing_skills=ranked.missing_skills,
        posted_at=hit.posted_at,
        source=hit.source,
        sample=hit.sample,
    )


def _dated(reason: str, posted_at: date | None) -> str:
    match = _DAYS_AGO.fullmatch(reason)
    if match is None or posted_at is None:
        return reason
    return age_text(posted_at, posted_at + timedelta(days=int(match[1])))


def citation_of(job: Job) -> Citation:
    return Citation(id=job.job_id, title=job.title, source=job.source, url=job.url, as_of=job.posted_at)


def pay_text(salary: Salary) -> str:
    """``£40,000–£50,000 a year``."""
    figures = [money(figure, salary.currency) for figure in (salary.min, salary.max) if figure is not None]
    period = f" {'an' if salary.period == 'hour' else 'a'} {salary.period}" if salary.period else ""
    return "–".join(dict.fromkeys(figures)) + period


def age_text(posted_at: date, today: date) -> str:
    """``posted today``, ``posted 3 days ago``; ``posted on 4 March 2026`` for old ones and for dates to come."""
    days = (today - posted_at).days
    if days == 0:
        return "posted today"
    if days == 1:
        return "posted yesterday"
    if 1 < days <= _COUNTED_DAYS:
        return f"posted {days} days ago"
    return f"posted on {day_text(posted_at)}"


def day_text(day: date) -> str:
    """``4 March 2026``."""
    return f"{day.day} {day:%B %Y}"


def place_text(location: str) -> str:
    """Town, state and country of a posting's place, without street and post code: "New York, NY"."""
    if re.search(r"[;|]", location):
        return location
    parts = [part for raw in location.split(",") if (part := _POST_CODE.sub("", raw).strip(" -"))]
    towns = [part for part in parts if not (re.search(r"\d", part) or _is_street(part))]
    return ", ".join((towns or parts)[-_PLACE_PARTS:]) or location


def _is_street(part: str) -> bool:
    """As "St Albans" and "Fort Worth" are not: a kind of street stands at the end or behind a name."""
    match = _STREET.search(part)
    return match is not None and match.start() > 0 and match.end() == len(part)
