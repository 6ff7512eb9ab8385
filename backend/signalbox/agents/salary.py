"""Says what a role pays by postings and wage tables, where an offer stands in that, how two offers compare, and
drafts the e-mail that asks for more or says no.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import ClassVar, Final

from signalbox.agents.base import TurnContext
from signalbox.agents.matching.table import asks_of_the_table
from signalbox.agents.pay.ask import SalaryAsk, asked_for_role, goes_on, guide_question, posting_meant, read_ask
from signalbox.agents.pay.context import roles_told
from signalbox.agents.pay.counter import Negotiation, draft_of, drafted, negotiation_of, revises
from signalbox.agents.pay.events import citations_of, events_of
from signalbox.agents.pay.facts import (
    AskedFact,
    SalaryFacts,
    SlipFact,
    TableJobFact,
    asked_fact,
    with_figures,
    with_hourly,
    without_posting,
)
from signalbox.agents.pay.offers import compare, convert
from signalbox.agents.pay.places import town_of
from signalbox.agents.pay.role import is_known_role
from signalbox.agents.pay.spelling import mended_role
from signalbox.agents.pay.table import middle_of, table_fact, table_facts
from signalbox.agents.pay.text import compose
from signalbox.agents.skills.target import likely_roles
from signalbox.agents.turn import Answer, HandOver, Turn
from signalbox.agents.words.guides import GuideFacts, guides_on
from signalbox.agents.words.phrases import plain, quick_replies, without_command
from signalbox.agents.words.profile_words import value_of
from signalbox.agents.words.several_roles import each_role
from signalbox.agents.words.shown import jobs_meant, shown_jobs
from signalbox.blocks import EmailDraft, Job, JobMatch, JobVerdict
from signalbox.envelope import Intent
from signalbox.memory.conversation import PastMessage
from signalbox.retrieval.facts.role_words import names_all
from signalbox.retrieval.pay import find_pay
from signalbox.retrieval.titles import plain_title
from signalbox.tools.find_wages import FindWages, WageQuestion, Wages
from signalbox.tools.pay_of_postings import PayForRole, PayQuestion, RolePay
from signalbox.tools.result import Empty, Ok, Result
from signalbox.tools.vocabulary import packaged_vocabulary

# A posting whose middle reaches this share of the best one's is nearly as good.
_NEARLY: Final = 0.9
# "Email them for me" behind a list of jobs is no question about pay.
_WRITE_TO: Final = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|and|now|please|pls|can you|could you|then|so)\W+)*(?:e-?mail|emial|emal|mail|"
    r"write(?: an? (?:e-?mail|message|letter))? to|message|contact)\s+(?:them|him|her|it|that|this|the)\b(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_MISSPELLED: Final = re.compile(r"\b(?:emial|emal)\b", re.IGNORECASE)
_COMPARE_OFFERS: Final = "How do I compare two job offers?"
_DECLINE: Final = "How do I turn down a job offer politely?"

Found = tuple[SalaryFacts, dict[str, str | None]]


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
        "If a look-up is 'unavailable', say that you could not look. Quote advice only from the guides in the facts. "
        "What is 'not_held' is in no source: say so and name no figure for it. Tell each role under 'also' as well. "
        "A draft in the facts is already shown to the user: do not repeat it; say what to fill in and how to change it."
    )

    def holds(self, message: str, history: Sequence[PastMessage]) -> bool:
        """A role was asked for, a draft is being changed, or the last question about pay goes on elsewhere."""
        if drafted(history):
            return negotiation_of(message, history) is not None
        return asked_for_role(history) or goes_on(message, history)

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        message = without_command(turn.message)
        if wish := negotiation_of(message, turn.history):
            return await self._draft(wish, message, turn, ctx)
        if _writes_to_posting(message, turn.history):
            reason = "That is an e-mail to who posted the job, so it goes to who writes those."
            return Answer(
                text="", hand_over=HandOver(to="cold_email", reason=reason, message=_MISSPELLED.sub("email", message))
            )
        if asks_of_the_table(message, turn.history) and find_pay(message):
            reason = "That is about what the postings on the table state."
            return Answer(text="", hand_over=HandOver(to="job_match", reason=reason))
        ask = read_ask(message, turn.history, turn.profile, packaged_vocabulary(), posting_meant(message, turn.history))
        if ask.company:
            reason = f"That is about what {plain(ask.company)} pays, so I look at the company."
            return Answer(text="", hand_over=HandOver(to="company_research", reason=reason))
        facts, urls = await self._look(ask, message, turn, ctx)
        for other in await asyncio.to_thread(_other_asks, message, ask, turn):
            also, more = await self._look(other, message, turn, ctx)
            facts, urls = facts.model_copy(update={"also": (*facts.also, also)}), urls | more
        if facts.table or facts.posting:
            await ctx.emit(_judged(facts, shown_jobs(turn.history)))
        for event in events_of(facts, urls):
            await ctx.emit(event)
        answer = await ctx.reply(self, turn, facts, compose(facts), citations=citations_of(facts, urls))
        if offers := offers_of(facts):
            await ctx.emit(quick_replies(ctx.message_id, "Go on?", offers))
        return answer

    async def _draft(self, wish: Negotiation, message: str, turn: Turn, ctx: TurnContext) -> Answer:
        draft = draft_of(wish, value_of(turn.profile, "name"))
        guides: GuideFacts | None = None
        # Beside a first draft advice helps; beside its next version it would only be said again.
        if not (drafted(turn.history) and wish.purpose == "more") and not revises(message, turn.history):
            question = _DECLINE if wish.purpose == "no" else guide_question(message, "How do I ask for more money?")
            guides = await guides_on(ctx, question, "salary")
        facts = SalaryFacts(outcome="draft", draft=draft, guides=guides)
        await ctx.emit(
            EmailDraft(
                to=draft.company,
                subject=draft.subject,
                body=draft.body,
                subjects=(draft.subject,),
                placeholders=draft.placeholders,
            )
        )
        answer = await ctx.reply(self, turn, facts, compose(facts), citations=citations_of(facts, {}))
        await ctx.emit(quick_replies(ctx.message_id, "Change it?", _changes(wish)))
        return answer

    async def _look(self, ask: SalaryAsk, message: str, turn: Turn, ctx: TurnContext) -> Found:
        facts = SalaryFacts(
            outcome="told", role=ask.role, location=ask.location, level=ask.level, basis=ask.basis, years=ask.years
        )
        if ask.slip:
            facts = facts.model_copy(update={"slips": (SlipFact(typed=ask.slip[0], read=ask.slip[1]),)})
        if ask.kind == "table":
            return table_facts(facts, _compared(message, turn)), {}
        if ask.kind == "offers":
            how = await guides_on(ctx, _COMPARE_OFFERS, "salary")
            told = compare(message, ask.figures)
            return facts.model_copy(update={"outcome": "offers", "role": None, "offers": told, "guides": how}), {}
        if ask.kind == "convert" and ask.base and ask.basis != "message":
            return facts.model_copy(update={"outcome": "convert", "conversion": convert(ask.base), "role": None}), {}
        facts = facts.model_copy(update={"asked": asked_fact(ask.base, ask.location, ask.currency)})
        if ask.kind == "posting":
            facts = _with_posting(facts, message, turn)
        guides = await self._guides(ask, message, ctx)
        facts = facts.model_copy(update={"guides": guides, "outcome": _outcome(ask, guides)})
        roles = likely_roles(turn.profile, packaged_vocabulary())
        if ask.role is None:
            near = town_of(value_of(turn.profile, "location"))
            return facts.model_copy(update={"roles": roles, "near": near}), {}
        facts, urls = await self._figures(facts, ask, turn.today, ctx)
        if _is_no_role(facts, ask, turn):
            facts = facts.model_copy(
                update={"outcome": "not_held", "no_role": facts.role, "role": None, "roles": roles}
            )
        return with_hourly(facts) if ask.per_hour else facts, urls

    async def _figures(self, facts: SalaryFacts, ask: SalaryAsk, today: date, ctx: TurnContext) -> Found:
        """Postings and wage tables for the role; if neither knows it, for what a slip of the pen may have meant."""
        role = facts.role or ""
        postings, wages = await _asked_both(role, ask, ctx)
        unknown = isinstance(postings, Empty) and not (isinstance(wages, Ok) and wages.value.rows)
        if unknown and (mended := mended_role(role)):
            again = await _asked_both(mended, ask, ctx)
            if any(isinstance(result, Ok) for result in again):
                postings, wages = again
                slips = (*facts.slips, SlipFact(typed=role, read=mended))
                facts = facts.model_copy(update={"role": mended, "slips": slips})
        if facts.posting:
            postings = without_posting(postings, facts.posting.job_id)
        return with_figures(facts, postings, wages, today), _urls(postings, wages)

    async def _guides(self, ask: SalaryAsk, message: str, ctx: TurnContext) -> GuideFacts | None:
        """Advice is looked for where it is asked for, and not beside a plain question for figures."""
        if ask.kind == "advice" or (ask.advice and ask.kind == "fair"):
            return await guides_on(ctx, guide_question(message), "salary")
        return None


async def _asked_both(role: str, ask: SalaryAsk, ctx: TurnContext) -> tuple[Result[RolePay], Result[Wages]]:
    return await asyncio.gather(
        ctx.call(PayForRole, PayQuestion(role=role, location=ask.location, level=ask.level)),
        ctx.call(FindWages, WageQuestion(role=role, location=ask.location)),
    )


def _other_asks(message: str, ask: SalaryAsk, turn: Turn) -> tuple[SalaryAsk, ...]:
    """What is asked about the roles behind the first, where the message names several ("nurses and teachers") or goes
    on from an answer about several.
    """
    if ask.kind not in {"range", "fair", "net"} or "“" in message:
        return ()
    if ask.basis == "pay":
        return tuple(replace(ask, role=role) for role in roles_told(turn.history) if role != ask.role)
    if ask.basis != "message":
        return ()
    vocabulary = packaged_vocabulary()
    asks = [read_ask(part, turn.history, turn.profile, vocabulary) for part in each_role(message)[1:]]
    return tuple(other for other in asks if other.role and other.basis == "message" and other.role != ask.role)


def _outcome(ask: SalaryAsk, guides: GuideFacts | None) -> str:
    if ask.kind in {"net", "statutory"}:
        return "net" if ask.kind == "net" else "not_held"
    if guides is not None:
        return "advice"
    return "told" if ask.role else "no_role"


def _is_no_role(facts: SalaryFacts, ask: SalaryAsk, turn: Turn) -> bool:
    """What the message names is a role to nobody: not by its words, to no source, and no posting on the table nor the
    profile has it for a title.
    """
    role = facts.role or ""
    if ask.basis != "message" or (facts.postings, facts.wages) != ("nothing", "nothing"):
        return False
    titles = [*(job.title for job in shown_jobs(turn.history)), value_of(turn.profile, "title") or ""]
    return not (is_known_role(role, packaged_vocabulary()) or any(names_all(role, title) for title in titles))


def _writes_to_posting(message: str, history: Sequence[PastMessage]) -> bool:
    match = _WRITE_TO.match(message)
    pay = match and re.search(r"\b(?:salary|pay|raise|offer|money)\b", match["rest"], re.IGNORECASE)
    return match is not None and not pay and bool(shown_jobs(history))


def _compared(message: str, turn: Turn) -> tuple[Job, ...]:
    """The postings that are pointed at, else all that are on the table."""
    meant = jobs_meant(message, turn.history)
    jobs = tuple(shown.job for shown in meant.jobs)
    return jobs if len(jobs) > 1 and meant.how in {"place", "name", "kind", "some"} else shown_jobs(turn.history)


def _with_posting(facts: SalaryFacts, message: str, turn: Turn) -> SalaryFacts:
    """With what the posting pointed at states, to be held against the market."""
    job = posting_meant(message, turn.history)
    shown = [each.job_id for each in shown_jobs(turn.history)]
    if job is None:
        return facts
    row = table_fact(shown.index(job.job_id) + 1 if job.job_id in shown else 1, job)
    asked = None
    if row.low is not None:
        asked = AskedFact(
            stated=row.title, yearly=middle_of(row), currency=row.currency, assumed=False, hourly=False, posting=True
        )
    return facts.model_copy(update={"posting": row, "asked": asked})


def _judged(facts: SalaryFacts, shown: Sequence[Job]) -> JobMatch:
    jobs = {job.job_id: job for job in shown}
    places = {job.job_id: place for place, job in enumerate(shown, start=1)}
    rows: tuple[TableJobFact, ...] = facts.table or ((facts.posting,) if facts.posting else ())
    best = next((middle_of(row) for row in rows if row.job_id == facts.table_best), None)
    verdicts = tuple(
        JobVerdict(
            place=places[row.job_id],
            job=jobs[row.job_id],
            verdict=_verdict(row, best, facts.table_best),
            concerns=() if row.low is not None else ("states no pay",),
        )
        for row in rows
        if row.job_id in jobs
    )
    return JobMatch(criterion="pay", verdicts=verdicts, best=facts.table_best)


def _verdict(row: TableJobFact, best: float | None, best_id: str | None) -> str:
    if row.low is None or best is None:
        return "unknown"
    if row.job_id == best_id:
        return "strong"
    return "good" if middle_of(row) >= _NEARLY * best else "partial"


def _urls(postings: Result[RolePay], wages: Result[Wages]) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    if isinstance(postings, Ok):
        found |= {pay.job_id: pay.url for group in postings.value.pay.groups for pay in group.pays}
    if isinstance(wages, Ok):
        found |= {row.wage_id: row.url for row in wages.value.rows}
    return found


def _changes(wish: Negotiation) -> list[tuple[str, str, Intent]]:
    tone: tuple[str, str, Intent] = (
        ("Softer", "Make it softer", "salary") if wish.tone == "firm" else ("Firmer", "Make it firmer", "salary")
    )
    return [tone, ("Longer", "Make it longer", "salary") if wish.short else ("Shorter", "Make it shorter", "salary")]


def offers_of(facts: SalaryFacts) -> list[tuple[str, str, Intent]]:
    """Quick replies that can be answered: other occupations, a wider place, the postings behind the figures."""
    of_each = {offer[0]: offer for each in (facts, *facts.also) for offer in _offers_of_one(each)}
    return list(of_each.values())


def _offers_of_one(facts: SalaryFacts) -> list[tuple[str, str, Intent]]:
    if facts.outcome in {"no_role", "not_held"}:
        at = f" in {facts.location or facts.near}" if facts.location or facts.near else ""
        return [(role[:1].upper() + role[1:], f"What does a {role} earn{at}?", "salary") for role in facts.roles]
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
    if facts.outcome != "advice" and (facts.ranges or facts.wage_rows or facts.offers):
        offers.append(("How do I ask for more?", "How do I ask for more money?", "salary"))
    return offers
