"""Postings in the words and shapes that all agents show them in."""

from datetime import date
from typing import Final

from signalbox.agents.words.phrases import money
from signalbox.blocks import Job, Salary, ScorePart
from signalbox.events import Citation
from signalbox.retrieval.rerank import RankedJob

# Older than this, a day of the calendar says more than a count of days.
_COUNTED_DAYS: Final = 30


def job_event(ranked: RankedJob) -> Job:
    """A ranked posting as clients see it."""
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
        match_reasons=tuple(part.reason for part in best),
        score_parts=tuple(
            ScorePart(name=part.name, points=part.points, out_of=part.out_of, reason=part.reason)
            for part in ranked.parts
        ),
        matched_skills=ranked.matched_skills,
        missing_skills=ranked.missing_skills,
        posted_at=hit.posted_at,
        source=hit.source,
        sample=hit.sample,
    )


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
    return f"posted on {posted_at.day} {posted_at:%B %Y}"
