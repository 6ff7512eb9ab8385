"""The pay that postings on the table state, side by side and the best first. Pure."""

from collections.abc import Sequence

from signalbox.agents.pay.facts import SalaryFacts, TableJobFact
from signalbox.agents.words.phrases import listed, money, plain
from signalbox.blocks import Job
from signalbox.retrieval.pay import period_named, yearly


def table_facts(facts: SalaryFacts, jobs: Sequence[Job]) -> SalaryFacts:
    """The pay of postings on the table, the best first; no best one across currencies."""
    rows = [table_fact(place, job) for place, job in enumerate(jobs, start=1)]
    rows.sort(key=lambda row: (row.low is None, row.currency or "", -middle_of(row)))
    stated = [row for row in rows if row.low is not None]
    single = len({row.currency for row in stated}) == 1
    best = stated[0].job_id if single and stated else None
    return facts.model_copy(update={"outcome": "table", "table": tuple(rows), "table_best": best})


def table_fact(place: int, job: Job) -> TableJobFact:
    salary = job.salary
    period = (period_named(salary.period) if salary and salary.period else None) or ("year" if salary else None)
    bounds = [each for each in (salary.min, salary.max) if each] if salary else []
    low, high = (yearly(min(bounds), period), yearly(max(bounds), period)) if bounds and period else (None, None)
    return TableJobFact(
        place=place,
        job_id=job.job_id,
        title=job.title,
        company=job.company,
        low=low,
        high=high,
        currency=salary.currency if salary else None,
        period=period if bounds else None,
        sample=job.sample,
    )


def middle_of(row: TableJobFact) -> float:
    return ((row.low or 0) + (row.high or 0)) / 2


def table_text(facts: SalaryFacts) -> str:
    stated = [job for job in facts.table if job.low is not None]
    silent = [job for job in facts.table if job.low is None]
    if not stated:
        many = len(facts.table) > 1
        which = "None of the postings I showed states" if many else "That posting does not state"
        return f"{which} its pay. You could ask before you apply."
    parts = [_best(facts, stated), "\n".join(_job_line(job) for job in stated)]
    if silent:
        names = listed([f"{job.place}. {plain(job.title)}" for job in silent])
        parts.append(f"No pay stated: {names}.")
    if any(job.period not in {None, "year"} for job in stated):
        parts.append(
            "Pay by the hour, day or month is brought to a full-time year (2,080 hours, 260 days) to compare it; "
            "part-time work pays less than that."
        )
    if any(job.sample for job in stated):
        all_of = all(job.sample for job in stated)
        parts.append("These are fictional samples." if all_of else "Some of these are fictional samples.")
    return "\n\n".join(parts)


def _best(facts: SalaryFacts, stated: list[TableJobFact]) -> str:
    best = next((job for job in stated if job.job_id == facts.table_best), None)
    if len(facts.table) == 1:
        return "This is what the posting states:"
    if best is None:
        return "They state pay in different currencies, and I convert none, so I can name no best one:"
    return f"**{plain(best.title)} at {plain(best.company)} pays best**, going by the middle of the stated range:"


def _job_line(job: TableJobFact) -> str:
    span = span_text(job.low, job.high, job.currency)
    return f"- {job.place}. {plain(job.title)}, {plain(job.company)}: {span} a year{by_period(job)}"


def by_period(job: TableJobFact) -> str:
    """How a year was made of it; hours and days are those of full-time work, whatever the posting's are."""
    if job.period in {None, "year"}:
        return ""
    return f"{' at full-time hours' if job.period in {'hour', 'day'} else ''} (stated by the {job.period})"


def amount_text(amount: float | None, currency: str | None) -> str:
    if amount is None:
        return "not known"
    return money(float(round(amount)) if amount >= 1_000 else amount, currency)


def span_text(low: float | None, high: float | None, currency: str | None) -> str:
    return "–".join(dict.fromkeys((amount_text(low, currency), amount_text(high, currency))))
