"""Says what a role pays by postings and wage tables, where an offer stands in that, and how two offers compare."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import ClassVar, Final

from signalbox.agents.base import Answer, HandOver, Turn, TurnContext
from signalbox.agents.pay.ask import SalaryAsk, guide_question, read_ask
from signalbox.agents.pay.facts import (
    SalaryFacts,
    TableJobFact,
    asked_fact,
    citations_of,
    events_of,
    with_hourly,
    with_postings,
    with_wages,
)
from signalbox.agents.pay.offers import compare, convert
from signalbox.agents.pay.text import compose
from signalbox.agents.skills.target import likely_roles
from signalbox.agents.words.guides import GuideFacts, guides_on
from signalbox.agents.words.phrases import plain, quick_replies, without_command
from signalbox.agents.words.shown import job_meant, shown_jobs
from signalbox.blocks import Job, JobMatch, JobVerdict
from signalbox.envelope import Intent
from signalbox.retrieval.pay import period_named, yearly
from signalbox.retrieval.titles import plain_title
from signalbox.tools.find_wages import FindWages, WageQuestion, Wages
from signalbox.tools.pay_of_postings import PayForRole, PayQuestion, RolePay
from signalbox.tools.result import Ok, Result
from signalbox.tools.vocabulary import packaged_vocabulary

# A posting whose middle reaches this share of the best one's is nearly as good.
_NEARLY: Final = 0.9


class SalaryAgent:
    """Every figure has a source, a date and a number of postings behind it; nothing is converted or mixed."""

    name: ClassVar[Intent] = "salary"
    label: ClassVar[str] = "Check what it pays"
    when_to_use: ClassVar[str] = "Questions about pay: ranges, whether an offer is fair, negotiation, raises, benefits."
    examples: ClassVar[tuple[str, ...]] = (
        "What does a data engineer earn in Berlin?",
        "Is £45k fair for a nurse in Leeds?",
        "How do I ask for more money?",
    )
    instructions: ClassVar[str] = (
        "Answer from the ranges and wage rows in the facts. Say for each which source and dates it has and how many "
        "postings it rests on; say that samples are fictional. Never add up or average sources, never convert a "
        "currency, never give a figure that is not in the facts. With fewer than five postings give single figures. "
        "If a look-up is 'unavailable', say that you could not look. Quote advice only from the guides in the facts."
    )

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        message = without_command(turn.message)
        ask = read_ask(message, turn.history, turn.profile, packaged_vocabulary(), job_meant(message, turn.history))
        if ask.company:
            reason = f"That is about what {plain(ask.company)} pays, so I look at the company."
            return Answer(text="", hand_over=HandOver(to="company_research", reason=reason))
        facts, urls = await self._look(ask, message, turn, ctx)
        if facts.outcome == "table":
            await ctx.emit(_judged(facts, shown_jobs(turn.history)))
        for event in events_of(facts, urls):
            await ctx.emit(event)
        answer = await ctx.reply(self, turn, facts, compose(facts), citations=citations_of(facts, urls))
        if offers := offers_of(facts):
            await ctx.emit(quick_replies(ctx.message_id, "Go on?", offers))
        return answer

    async def _look(
        self, ask: SalaryAsk, message: str, turn: Turn, ctx: TurnContext
    ) -> tuple[SalaryFacts, dict[str, str | None]]:
        facts = SalaryFacts(outcome="told", role=ask.role, location=ask.location, level=ask.level)
        if ask.kind == "table":
            return table_facts(facts, _meant(message, turn)), {}
        if ask.kind == "offers":
            compared = facts.model_copy(update={"outcome": "offers", "offers": compare(message, ask.figures)})
            return compared, {}
        if ask.kind == "convert" and ask.base and ask.role is None:
            return facts.model_copy(update={"outcome": "convert", "conversion": convert(ask.base)}), {}
        facts = facts.model_copy(update={"asked": asked_fact(ask.base, ask.location)})
        guides = await self._guides(ask, message, ctx)
        facts = facts.model_copy(update={"guides": guides, "outcome": _outcome(ask, guides)})
        if ask.role is None:
            return facts.model_copy(update={"roles": likely_roles(turn.profile, packaged_vocabulary())}), {}
        postings, wages = await asyncio.gather(
            ctx.call(PayForRole, PayQuestion(role=ask.role, location=ask.location, level=ask.level)),
            ctx.call(FindWages, WageQuestion(role=ask.role, location=ask.location)),
        )
        facts = with_wages(with_postings(facts, postings, today()), wages)
        return with_hourly(facts) if ask.per_hour else facts, _urls(postings, wages)

    async def _guides(self, ask: SalaryAsk, message: str, ctx: TurnContext) -> GuideFacts | None:
        """Advice is looked for where it is asked for, and not beside a plain question for figures."""
        if ask.kind == "advice" or (ask.advice and ask.kind == "fair"):
            return await guides_on(ctx, guide_question(message), "salary")
        return None


def _outcome(ask: SalaryAsk, guides: GuideFacts | None) -> str:
    if ask.kind == "net":
        return "net"
    if guides is not None:
        return "advice"
    return "told" if ask.role else "no_role"


def today() -> date:
    return datetime.now(UTC).date()


def _meant(message: str, turn: Turn) -> tuple[Job, ...]:
    """The one posting that is pointed at, else all that are on the table."""
    job = job_meant(message, turn.history)
    shown = shown_jobs(turn.history)
    return (job,) if job and not _asks_for_best(message) else shown


def _asks_for_best(message: str) -> bool:
    return any(word in message.casefold() for word in ("best", "most", "highest", "better", "more", "compare", "which"))


def table_facts(facts: SalaryFacts, jobs: Sequence[Job]) -> SalaryFacts:
    """The pay of postings on the table, the best first; no best one across currencies."""
    rows = [_table_fact(place, job) for place, job in enumerate(jobs, start=1)]
    rows.sort(key=lambda row: (row.low is None, row.currency or "", -_middle(row)))
    stated = [row for row in rows if row.low is not None]
    single = len({row.currency for row in stated}) == 1
    best = stated[0].job_id if single and stated else None
    return facts.model_copy(update={"outcome": "table", "table": tuple(rows), "table_best": best})


def _table_fact(place: int, job: Job) -> TableJobFact:
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


def _middle(row: TableJobFact) -> float:
    return ((row.low or 0) + (row.high or 0)) / 2


def _judged(facts: SalaryFacts, shown: Sequence[Job]) -> JobMatch:
    jobs = {job.job_id: job for job in shown}
    places = {job.job_id: place for place, job in enumerate(shown, start=1)}
    best = next((_middle(row) for row in facts.table if row.job_id == facts.table_best), None)
    verdicts = tuple(
        JobVerdict(
            place=places[row.job_id],
            job=jobs[row.job_id],
            verdict=_verdict(row, best, facts.table_best),
            concerns=() if row.low is not None else ("states no pay",),
        )
        for row in facts.table
    )
    return JobMatch(criterion="pay", verdicts=verdicts, best=facts.table_best)


def _verdict(row: TableJobFact, best: float | None, best_id: str | None) -> str:
    if row.low is None or best is None:
        return "unknown"
    if row.job_id == best_id:
        return "strong"
    return "good" if _middle(row) >= _NEARLY * best else "partial"


def _urls(postings: Result[RolePay], wages: Result[Wages]) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    if isinstance(postings, Ok):
        found |= {pay.job_id: pay.url for group in postings.value.pay.groups for pay in group.pays}
    if isinstance(wages, Ok):
        found |= {row.wage_id: row.url for row in wages.value.rows}
    return found


def offers_of(facts: SalaryFacts) -> list[tuple[str, str, Intent]]:
    """Quick replies that can be answered: other occupations, a wider place, the postings behind the figures."""
    if facts.outcome == "no_role":
        return [(role[:1].upper() + role[1:], f"What does a {role} earn?", "salary") for role in facts.roles]
    offers: list[tuple[str, str, Intent]] = []
    if not facts.wage_rows:
        at = f" in {facts.location}" if facts.location else ""
        offers += [(f"Pay of {name}", f"What do “{name}” earn{at}?", "salary") for name in facts.occupations[:2]]
    if facts.role and facts.matched:
        where = f" in {facts.location}" if facts.location and facts.steps and facts.steps[0].matched else ""
        one = plain_title(facts.role)
        offers.append((f"Find {one} jobs", f"Find {one} jobs{where}", "job_search"))
    if facts.role and not facts.ranges and not facts.wage_rows and not facts.occupations:
        offers.append(("How do I find out myself?", "How do I find out what a job pays?", "salary"))
    if facts.guides is None and (facts.ranges or facts.wage_rows or facts.offers):
        offers.append(("How do I ask for more?", "How do I ask for more money?", "salary"))
    return offers
