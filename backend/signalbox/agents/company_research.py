"""Says what is on record of a company and what its postings tell, with source and date, and what is not known."""

import asyncio
from collections.abc import Sequence
from datetime import date
from typing import ClassVar, Final

from signalbox.agents.base import TurnContext
from signalbox.agents.companies.ask import CompanyAsk, Topic, read_ask
from signalbox.agents.companies.facts import (
    TOPICS,
    CompanyFacts,
    Listed,
    answers_to,
    citations_of,
    hires_in,
    is_old,
    known_of,
    on_list,
    profile_event,
    size_text,
)
from signalbox.agents.companies.text import compose
from signalbox.agents.turn import Answer, Turn
from signalbox.agents.words.guides import guides_on
from signalbox.agents.words.phrases import quick_replies, without_command
from signalbox.agents.words.postings import pay_text
from signalbox.agents.words.shown import search_was_empty
from signalbox.envelope import Intent
from signalbox.retrieval.facts.companies import CompanyList, CompanyRecord, CompanyWish
from signalbox.tools.company_postings import CountCompanyPostings, Employer, PostingsOfEmployer
from signalbox.tools.list_companies import CompanySearch, ListCompanies
from signalbox.tools.match_companies import CompanyLookup, CompanyMatches, MatchCompanies
from signalbox.tools.result import Empty, Err, Ok, Result
from signalbox.tools.vocabulary import packaged_vocabulary

# What guides can help to find out where no source of ours tells, as they put the question.
_ADVISED: Final[dict[Topic, str]] = {
    "legitimacy": "How do I check whether a job offer is real? What are the signs of a job scam?",
    "culture": "How do I read employee reviews?",
    "layoffs": "How do I tell whether a company is financially healthy?",
    "funding": "How do I tell whether a company is financially healthy?",
    "owners": "Where can I find reliable information about an employer?",
    "news": "Where can I find reliable information about an employer?",
}
# A wish that is always worth offering: most companies on record state a remote policy.
_FULLY_REMOTE: Final = ("Fully remote companies", "Which companies are fully remote?")


class CompanyResearchAgent:
    """Tells only what a source says, and says plainly what none does."""

    name: ClassVar[Intent] = "company_research"
    label: ClassVar[str] = "Look into a company"
    when_to_use: ClassVar[str] = (
        "The user asks about an employer: what it does, its size, culture, hiring, reliability."
    )
    examples: ClassVar[tuple[str, ...]] = (
        "Tell me about GitLab",
        "Is the company of the second job legit?",
        "Which of the companies you know use Rust and hire in Germany?",
    )
    instructions: ClassVar[str] = (
        "Tell the facts with their source and date, those under 'answers' first. What stands under 'unknown' no source "
        "tells: say so and do not guess, whatever you may know of the company. If outcome is 'nothing', say that you "
        "looked and found nothing; if 'unavailable', that you could not look. Say that samples are fictional."
    )

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        message = without_command(turn.message)
        ask = await asyncio.to_thread(read_ask, message, turn.history, packaged_vocabulary())
        facts = await self._look(ask, turn, ctx)
        facts = await self._advised(facts, ask, message, ctx)
        for told in (facts, *facts.sides):
            if told.outcome == "told":
                await ctx.emit(profile_event(told))
        answer = await ctx.reply(self, turn, facts, compose(facts), citations=citations_of(facts))
        if offers := offers_of(facts):
            await ctx.emit(quick_replies(ctx.message_id, "Go on?", offers))
        return answer

    async def _look(self, ask: CompanyAsk, turn: Turn, ctx: TurnContext) -> CompanyFacts:
        match ask.kind:
            case "method":
                return CompanyFacts(outcome="method")
            case "best":
                return CompanyFacts(outcome="no_source", unknown=_unanswered(ask.topics))
            case "list":
                result = await ctx.call(ListCompanies, CompanySearch(wish=ask.wish))
                return list_facts(ask.wish, result, _unanswered(ask.topics))
            case "profile":
                return await self._one(ask, turn.today, ctx)
            case "shown":
                return shown_facts(ask, after_empty=search_was_empty(turn.history))
            case "compare":
                return await self._two(ask, turn.today, ctx)

    async def _one(self, ask: CompanyAsk, today: date, ctx: TurnContext) -> CompanyFacts:
        if ask.name is None:
            return CompanyFacts(outcome="no_company", others=ask.choices)
        return _pointed(await self._profile(ask.name, ask.topics, today, ctx), ask)

    async def _two(self, ask: CompanyAsk, today: date, ctx: TurnContext) -> CompanyFacts:
        one, other = ask.sides or ("", "")
        sides = await asyncio.gather(*(self._profile(name, ask.topics, today, ctx) for name in (one, other)))
        unknown = tuple(topic for topic in sides[0].unknown if topic in sides[1].unknown)
        return CompanyFacts(outcome="compared", sides=tuple(sides), unknown=unknown)

    async def _profile(self, name: str, topics: Sequence[Topic], today: date, ctx: TurnContext) -> CompanyFacts:
        records, postings = await asyncio.gather(
            ctx.call(MatchCompanies, CompanyLookup(name=name)),
            ctx.call(CountCompanyPostings, Employer(company=name)),
        )
        return profile_facts(name, topics, records, postings, today)

    async def _advised(self, facts: CompanyFacts, ask: CompanyAsk, message: str, ctx: TurnContext) -> CompanyFacts:
        """Where no source answers, guides may say how to find out oneself."""
        topic = next((topic for topic in ask.topics if topic in _ADVISED and TOPICS[topic][0] in facts.unknown), None)
        if facts.outcome != "method" and (topic is None or facts.outcome not in {"told", "nothing"}):
            return facts
        question = _ADVISED[topic] if topic else message
        return facts.model_copy(update={"guides": await guides_on(ctx, question, "company_research")})


def _pointed(facts: CompanyFacts, ask: CompanyAsk) -> CompanyFacts:
    """With what was asked beside the company: the pay of the posting pointed at, and whether it hires in a place."""
    if facts.outcome != "told":
        return facts
    more: dict[str, object] = {}
    if ask.job and "pay" in ask.topics:
        pay = pay_text(ask.job.salary) if ask.job.salary else ""
        unknown = tuple(each for each in facts.unknown if each != TOPICS["pay"][0])
        more |= {"pointed": ask.job.title, "pointed_pay": pay, "unknown": unknown}
    if ask.place:
        more |= {"place": ask.place, "hires_there": hires_in(ask.place, facts.known)}
    return facts.model_copy(update=more)


def shown_facts(ask: CompanyAsk, *, after_empty: bool) -> CompanyFacts:
    """The companies of the list on the table."""
    found = on_list(ask.shown, real_only=ask.real_only)
    outcome = "shown" if found else "none_shown"
    return CompanyFacts(outcome=outcome, on_list=found, real_only=ask.real_only, after_empty=after_empty)


def profile_facts(
    name: str,
    topics: Sequence[Topic],
    records: Result[CompanyMatches],
    postings: Result[PostingsOfEmployer],
    today: date,
) -> CompanyFacts:
    """Both look-ups as facts. One that failed never counts as one that found nothing."""
    matches = records.value if isinstance(records, Ok) else CompanyMatches((), ())
    employer = postings.value if isinstance(postings, Ok) else PostingsOfEmployer((), ())
    facts = CompanyFacts(
        outcome="told",
        name=name,
        records=_looked(records, found=bool(matches.companies)),
        postings=_looked(postings, found=bool(employer.kinds)),
    )
    if len(matches.companies) > 1:
        return facts.model_copy(update={"outcome": "several", "others": _told_apart(matches.companies)})
    own = matches.companies[0] if matches.companies else ()
    in_part = isinstance(postings, Ok) and (postings.truncated or bool(postings.missed))
    known = known_of(own, employer.kinds, today, in_part=in_part)
    if not known:
        near = tuple(dict.fromkeys((*matches.near, *employer.near)))
        failed = "unavailable" in {facts.records, facts.postings}
        outcome = "unavailable" if failed else "near" if near else "nothing"
        unknown = tuple(TOPICS[topic][0] for topic in topics) if outcome == "nothing" else ()
        return facts.model_copy(update={"outcome": outcome, "others": near[:3], "unknown": unknown})
    answers, unknown = answers_to(topics, known)
    real = sum(kind.postings - kind.closed for kind in employer.kinds)
    return facts.model_copy(
        update={
            "name": own[0].name if own else employer.kinds[0].company,
            "known": known,
            "answers": answers,
            "unknown": unknown,
            "old": is_old(own, today),
            "sample": not own and all(kind.sample for kind in employer.kinds),
            "open_postings": real,
        }
    )


def _looked(result: Result[CompanyMatches] | Result[PostingsOfEmployer], *, found: bool) -> str:
    if isinstance(result, Err):
        return "unavailable"
    return "found" if found else "nothing"


def _told_apart(companies: Sequence[Sequence[CompanyRecord]]) -> tuple[str, ...]:
    """Namesakes by their full names, or by site where those are the same."""
    first = [records[0] for records in companies]
    names = [record.name for record in first]
    return tuple(
        record.name
        if names.count(record.name) == 1
        else f"{record.name} ({record.site or record.region or record.source})"
        for record in first
    )


def list_facts(wish: CompanyWish, result: Result[CompanyList], unknown: tuple[str, ...]) -> CompanyFacts:
    """The companies that meet a wish."""
    facts = CompanyFacts(outcome="listed", conditions=_in_words(wish), place=wish.place, unknown=unknown)
    match result:
        case Err():
            return facts.model_copy(update={"outcome": "list_unavailable"})
        case Empty(note):
            return facts.model_copy(update={"outcome": "none_listed", "none_on_record": note.endswith("at all")})
        case Ok(found):
            companies = tuple(
                Listed(
                    company_id=record.company_id,
                    name=record.name,
                    region=record.region,
                    remote_policy=record.remote_policy,
                    technologies=_asked_first(record.technologies, wish.technologies),
                    source=record.source,
                    as_of=record.as_of,
                    url=record.url,
                )
                for record in found.companies
            )
            return facts.model_copy(update={"companies": companies, "total": found.total})


def _asked_first(technologies: Sequence[str], asked: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(technologies, key=lambda name: name not in asked))


def _in_words(wish: CompanyWish) -> tuple[str, ...]:
    parts = [f"using {name}" for name in wish.technologies]
    if wish.place:
        parts.append(f"hiring in {wish.place} or a region that holds it")
    if wish.remote:
        parts.append("fully remote" if wish.fully_remote else "working remotely at least in part")
    if size := size_text(wish.size_min, wish.size_max):
        parts.append(f"having {size}")
    return tuple(parts)


def _unanswered(topics: Sequence[Topic]) -> tuple[str, ...]:
    return tuple(TOPICS[topic][0] for topic in topics if topic in {*_ADVISED, "benefits", "diversity", "training"})


def offers_of(facts: CompanyFacts) -> list[tuple[str, str, Intent]]:
    """Quick replies that can be answered."""
    listed = [each.name for each in facts.companies] + [each.name for each in facts.on_list]
    about: list[tuple[str, str, Intent]] = [
        (f"About {name}", f"Tell me about {name}", "company_research") for name in (facts.others or listed)[:3]
    ]
    match facts.outcome:
        case "several" | "near" | "no_company" | "listed" | "shown":
            return about
        case "told":
            jobs: list[tuple[str, str, Intent]] = []
            if facts.open_postings:
                jobs = [(f"Jobs at {facts.name}", f"Show me jobs at {facts.name}", "job_search")]
            return [*jobs, (f"Write to {facts.name}", f"Write an e-mail to {facts.name}", "cold_email")]
        case "no_source" | "none_shown":
            return [(*_FULLY_REMOTE, "company_research")]
        case "nothing":
            return [("How do I check a company?", "How do I research a company myself?", "company_research")]
        case _:
            return []
