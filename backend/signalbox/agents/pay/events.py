"""The events and citations that show what is known of the pay for a role. Pure."""

from typing import Final

from signalbox.agents.pay.facts import SalaryFacts, WageFact
from signalbox.blocks import PayFigure, SalaryRange
from signalbox.events import Citation
from signalbox.retrieval.facts.posting_pay import FEW

METHOD: Final = "linear interpolation over the middles of the ranges that postings state"


def events_of(facts: SalaryFacts, urls: dict[str, str | None]) -> list[SalaryRange]:
    """One event for each role, source, currency and period."""
    return [event for each in (facts, *facts.also) for event in _of_one(each, urls)]


def _of_one(facts: SalaryFacts, urls: dict[str, str | None]) -> list[SalaryRange]:
    posted = [
        SalaryRange(
            role=facts.role or "",
            location=(facts.steps[-1].where or None) if facts.steps else facts.location,
            asked_location=facts.location,
            source=each.source,
            n=each.n,
            small_sample=each.n < FEW,
            sample=each.sample,
            converted=each.converted,
            currency=each.currency,
            period="year",
            p10=each.p10,
            p25=each.p25,
            p50=each.p50,
            p75=each.p75,
            p90=each.p90,
            method=METHOD if each.n >= FEW else "",
            figures=tuple(
                PayFigure(
                    job_id=f.job_id, title=f.title, company=f.company, min=f.low, max=f.high, posted_at=f.posted_at
                )
                for f in each.figures
            ),
            asked=facts.asked.yearly if facts.asked and each.asked_below_percent is not None else None,
            asked_share=None if each.asked_below_percent is None else each.asked_below_percent / 100,
            date_from=each.date_from,
            date_to=each.date_to,
        )
        for each in facts.ranges
    ]
    return posted + [_wage_event(row, facts, urls.get(row.wage_id)) for row in facts.wage_rows]


def _wage_event(row: WageFact, facts: SalaryFacts, url: str | None) -> SalaryRange:
    return SalaryRange(
        role=facts.role or "",
        location=row.area,
        asked_location=facts.location,
        basis="wage_table",
        source=row.source,
        source_id=row.wage_id,
        url=url,
        occupation=row.occupation,
        n=row.employed or 0,
        currency=row.currency,
        period=row.period,
        p10=row.p10,
        p25=row.p25,
        p50=row.p50,
        p75=row.p75,
        p90=row.p90,
        method="as published",
        asked=row.asked_per_period,
        date_from=row.as_of,
        date_to=row.as_of,
    )


def citations_of(facts: SalaryFacts, urls: dict[str, str | None]) -> tuple[Citation, ...]:
    """The rows of wage tables, postings that the ranges rest on, and the passages quoted."""
    found = [citation for each in (facts, *facts.also) for citation in _cited_by_one(each, urls)]
    return tuple({citation.id: citation for citation in found}.values())


def _cited_by_one(facts: SalaryFacts, urls: dict[str, str | None]) -> list[Citation]:
    rows = [
        Citation(
            id=row.wage_id,
            title=f"{row.occupation}, {row.area}",
            source=row.source,
            url=urls.get(row.wage_id),
            as_of=row.as_of,
        )
        for row in facts.wage_rows
    ]
    posted = [
        Citation(id=f.job_id, title=f.title, source=each.source, url=urls.get(f.job_id), as_of=f.posted_at)
        for each in facts.ranges
        for f in each.figures
    ]
    guides = list(facts.guides.citations) if facts.guides else []
    return [*rows, *posted, *guides]
