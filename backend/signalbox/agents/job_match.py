"""Judges postings that are on the table or in the message: ranks, compares, explains a score, says what stands against
an application. Finding new ones is ``job_search``'s business.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import ClassVar, Final

from signalbox.agents.base import Answer, Turn, TurnContext
from signalbox.agents.matching.facts import (
    Asks,
    MatchFacts,
    Order,
    Points,
    YearPay,
    asked_skill,
    detail_of,
    formal_demands,
    verdict_of,
)
from signalbox.agents.matching.pasted import PASTED_ID, Pasted, pasted_posting
from signalbox.agents.matching.sizes import KnownSizes, sizes_of
from signalbox.agents.matching.text import compose, offers_of
from signalbox.agents.matching.wish import MatchWish, read_match_wish
from signalbox.agents.words.phrases import quick_replies, without_command
from signalbox.agents.words.postings import citation_of
from signalbox.agents.words.shown import Meant, jobs_meant, shown_jobs
from signalbox.agents.words.shown_names import Shown
from signalbox.blocks import Job, JobMatch, ProfileFact
from signalbox.envelope import Intent
from signalbox.memory.statements import own_words
from signalbox.memory.words import words_in
from signalbox.retrieval.facts.role_words import stems
from signalbox.retrieval.fit.limits import UNKNOWN_WORDS
from signalbox.retrieval.fit.person import Candidate
from signalbox.retrieval.index import JobHit
from signalbox.retrieval.query import parse_query
from signalbox.retrieval.rerank import RankedJob, judged
from signalbox.tools.candidate import candidate_of
from signalbox.tools.find_jobs import FindJobs, JobReferences
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.search_jobs import JobSearch, SearchJobs
from signalbox.tools.vocabulary import packaged_vocabulary

MAX_JUDGED: Final = 10
_NO_NAME: Final = words_in(
    """job role this that it one remote paid paying best kind sort of such same other whole above my your more less
    senior junior fit match most highest lowest good bad perfect dream"""
)
_ASKS_TOLD: Final = 5
_LOOKED_AT: Final = 5
_CITED: Final = 5
# "The museum curator job", "an accounts executive post at Tally": a posting that is named and need not be on the table.
_NAMED = re.compile(
    r"\b(?:the|this|that|an?|your|their)\s+(?P<what>(?!(?:best|first|second|third|last|other|same|right|good|new|"
    r"next)\b)(?:(?!\b(?:the|this|that|an?|your|their|with|for)\b)[^\n,.;:!?]){3,60}?)\s+(?:job|role|position|"
    r"posting|post|ad|advert|vacancy|one|opening|gig)\b(?:\s+(?:at|with|from)\s+(?P<company>[^\n,.;:!?]{2,40}))?"
    r"|\b(?:post|job|role|position|vacancy) (?:of|as|for an?)\s+(?:an?\s+)?(?P<after>[^\n,.;:!?]{3,60})"
    r"|\b(?:the|that) (?:one|job|role|ad|advert|posting|position|vacancy) (?:in|at|with|from) "
    r"(?P<where>[^\n,.;:!?]{2,40})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Judged:
    """What is to be judged: postings as they stand now with their numbers, or why there are none."""

    facts: MatchFacts
    hits: tuple[tuple[int, JobHit], ...] = ()


class JobMatchAgent:
    """Holds postings against the profile and against one another."""

    name: ClassVar[Intent] = "job_match"
    label: ClassVar[str] = "Judge jobs"
    when_to_use: ClassVar[str] = (
        "The user asks how well postings fit, which of the shown ones is best, or whether to apply to one."
    )
    examples: ClassVar[tuple[str, ...]] = (
        "Which of these fits me best?",
        "Am I a fit for the second one?",
        "Compare the first two",
    )
    instructions: ClassVar[str] = (
        "Answer the question first: which posting, or how good the fit. Then the two or three reasons that decide, for "
        "and against, as the facts give them. Keep the numbers of the list. Say of how many the comparison speaks if "
        "some do not state what it goes by. Never compare pay in different currencies. A posting that is ruled out "
        "breaks a rule of the user: say which. If the profile is unknown, say what cannot be judged and ask for "
        "skills. If a look-up failed, say only that."
    )

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        today = datetime.now(UTC).date()
        message = without_command(turn.message)
        pasted = await asyncio.to_thread(pasted_posting, message, packaged_vocabulary(), today=today)
        question = pasted.question if pasted else message
        person = await asyncio.to_thread(_person, turn.profile, question)
        found = await _to_judge(message, pasted, turn, ctx, today)
        facts = found.facts.model_copy(update={"profile_known": _is_known(person), "titles": person.titles})
        if found.hits:
            sizes = await sizes_of([hit for _, hit in found.hits], person, ctx)
            # Every description is read for what is ruled out: too much work for the event loop.
            facts = await asyncio.to_thread(_judge, facts, found.hits, person, question, sizes)
            await ctx.emit(JobMatch(criterion=facts.criterion, verdicts=facts.verdicts, best=facts.best))
        citations = () if facts.pasted else tuple(citation_of(each.job) for each in facts.verdicts[:_CITED])
        answer = await ctx.reply(self, turn, facts, compose(facts), citations=citations)
        if offers := offers_of(facts):
            await ctx.emit(quick_replies(ctx.message_id, "Go on?", offers))
        return answer


def _person(profile: Sequence[ProfileFact], question: str) -> Candidate:
    """The profile and what the message says of its writer in passing, which counts for this answer alone."""
    said = own_words(question, packaged_vocabulary())
    known = {(fact.key, fact.value.casefold()) for fact in profile}
    held = {fact.key for fact in profile}
    passing = tuple(
        ProfileFact(fact_id=f"said_{number}", kind=fact.kind, key=fact.key, value=fact.value)
        for number, fact in enumerate(said)
        if (fact.key, fact.value.casefold()) not in known
        and (fact.key in {"skill", "certificate"} or fact.key not in held)
    )
    return candidate_of((*profile, *passing))


def _is_known(person: Candidate) -> bool:
    return bool(person.skills or person.titles)


async def _to_judge(message: str, pasted: Pasted | None, turn: Turn, ctx: TurnContext, today: date) -> Judged:
    """The postings meant: the one in the message, those on the table, or one that is named."""
    nothing = MatchFacts(outcome="nothing_shown", today=today)
    if pasted:
        return Judged(nothing.model_copy(update={"outcome": "judged", "pasted": True}), ((1, pasted.hit),))
    meant = jobs_meant(message, turn.history)
    named = None if meant.how in {"place", "name", "title", "kind", "this", "some"} else _named(message)
    if meant.absent and not meant.jobs:
        return Judged(
            nothing.model_copy(update={"outcome": "no_such_place", "absent": meant.absent, "list_length": meant.of})
        )
    if named:
        return await _looked_up(nothing, named, ctx)
    table = (meant.jobs or _latest(turn))[:MAX_JUDGED]
    if not table:
        return Judged(nothing)
    if [shown.job.job_id for shown in table] == [PASTED_ID]:
        again = await asyncio.to_thread(_pasted_before, turn, today)
        facts = nothing.model_copy(update={"outcome": "judged" if again else "gone", "pasted": True})
        return Judged(facts, ((1, again.hit),) if again else ())
    return await _as_they_stand(nothing, meant, table, ctx)


def _latest(turn: Turn) -> tuple[Shown, ...]:
    """What was shown last, for a question that names nothing: "should I apply?"."""
    return jobs_meant("these", turn.history).jobs if shown_jobs(turn.history) else ()


def _pasted_before(turn: Turn, today: date) -> Pasted | None:
    """The newest posting that an earlier message of the user held: it is stored nowhere else."""
    said = (past.content for past in reversed(turn.history) if past.role == "user")
    read = (pasted_posting(content, packaged_vocabulary(), today=today) for content in said)
    return next((pasted for pasted in read if pasted), None)


async def _as_they_stand(facts: MatchFacts, meant: Meant, table: Sequence[Shown], ctx: TurnContext) -> Judged:
    """The postings read anew, so that nothing is said of them that has changed since they were shown."""
    result = await ctx.call(FindJobs, JobReferences(job_ids=tuple(shown.job.job_id for shown in table)))
    match result:
        case Err():
            return Judged(facts.model_copy(update={"outcome": "unavailable"}))
        case Empty():
            there: dict[str, JobHit] = {}
        case Ok(hits):
            there = {hit.job_id: hit for hit in hits}
    left = tuple((shown.place, there[shown.job.job_id]) for shown in table if shown.job.job_id in there)
    gone: tuple[Job, ...] = tuple(shown.job for shown in table if shown.job.job_id not in there)
    return Judged(
        facts.model_copy(
            update={
                "outcome": "judged" if left else "gone",
                "gone": gone,
                "absent": meant.absent,
                "list_length": meant.of,
                "guessed": meant.how == "this" and meant.of > 1,
            }
        ),
        left,
    )


def _named(message: str) -> str | None:
    """A posting that is named and none of those shown."""
    match = _NAMED.search(message)
    if not match:
        return None
    what = (match["what"] or match["after"] or match["where"]).strip()
    words = stems(what)
    if not words or words <= _NO_NAME:
        return None
    return f"{what} at {match['company'].strip()}" if match["company"] else what


async def _looked_up(facts: MatchFacts, named: str, ctx: TurnContext) -> Judged:
    """The posting of the catalogue that is called so; near in meaning is not enough."""
    vocabulary = packaged_vocabulary()
    query = await asyncio.to_thread(parse_query, named, facts.today, vocabulary)
    if query.browses:
        # A town or a company says where, and not which posting was meant.
        return Judged(facts.model_copy(update={"outcome": "not_found", "named": named}))
    result = await ctx.call(SearchJobs, JobSearch(query=replace(query, limit=_LOOKED_AT)))
    bare = facts.model_copy(update={"named": named})
    match result:
        case Err():
            return Judged(bare.model_copy(update={"outcome": "unavailable"}))
        case Empty():
            return Judged(bare.model_copy(update={"outcome": "not_found"}))
        case Ok(hits):
            wanted = stems(named.partition(" at ")[0])
            for hit in hits.hits:
                if wanted <= stems(f"{hit.title} {hit.company}"):
                    return Judged(bare.model_copy(update={"outcome": "judged", "looked_up": True}), ((1, hit),))
            return Judged(bare.model_copy(update={"outcome": "not_found"}))


def _judge(
    facts: MatchFacts, hits: Sequence[tuple[int, JobHit]], person: Candidate, question: str, sizes: KnownSizes
) -> MatchFacts:
    vocabulary = packaged_vocabulary()
    wish = read_match_wish(question, vocabulary, several=len(hits) > 1)
    jobs = [(place, judged(hit, person, today=facts.today, sizes=sizes.sizes)) for place, hit in hits]
    order = Order(jobs, wish, person)
    verdicts = tuple(verdict_of(ranked, place, person, facts.today) for place, ranked in order.jobs)
    firsts = order.firsts()
    winner = firsts[0] if len(firsts) == 1 and len(jobs) > 1 else None
    can_win = winner and (wish.criterion != "fit" or (_is_known(person) and not winner[1].broken))
    return facts.model_copy(
        update={
            "criterion": wish.criterion,
            "form": wish.form,
            "turned": wish.turned,
            "verdicts": verdicts,
            "best": winner[1].hit.job_id if winner and can_win else None,
            "compared": order.compared,
            "silent": order.silent,
            "firsts": tuple(place for place, _ in firsts),
            "pay": tuple(pay for place, ranked in jobs if (pay := _year_pay(place, ranked))),
            "points": tuple(_points(place, ranked) for place, ranked in jobs),
            "asks": tuple(Asks(place=place, skills=ranked.hit.skills[:_ASKS_TOLD]) for place, ranked in jobs),
            "home_known": bool(person.locations),
            "sizes_failed": sizes.failed,
            "unchecked": _unchecked(jobs),
            **(_of_one(jobs[0][1], wish, person, question, facts.today) if len(jobs) == 1 else {}),
        }
    )


def _of_one(ranked: RankedJob, wish: MatchWish, person: Candidate, question: str, today: date) -> dict[str, object]:
    """What is said of a single posting only: answers to what is asked about it, and what it demands by law or rule."""
    vocabulary = packaged_vocabulary()
    asked = tuple(
        asked_skill(skill, ranked, person, vocabulary.names_of(skill) or (skill,), lacks=wish.lacks)
        for skill in wish.asked_skills
    )
    formal = formal_demands(ranked, f"{question}\n{' '.join(person.skills)}") if wish.form == "eligible" else []
    details = tuple(detail_of(about, ranked, question, today) for about in wish.about)
    return {"asked": asked, "formal": tuple(formal), "details": details}


def _unchecked(jobs: Sequence[tuple[int, RankedJob]]) -> dict[str, int]:
    limits = [limit.name for _, ranked in jobs if not ranked.broken for limit in ranked.unknown]
    return {UNKNOWN_WORDS[name]: number for name, number in Counter(limits).items() if name in UNKNOWN_WORDS}


def _points(place: int, ranked: RankedJob) -> Points:
    points = round(sum(part.points for part in ranked.parts), 1)
    return Points(place=place, points=points, out_of=sum(part.out_of for part in ranked.parts))


def _year_pay(place: int, ranked: RankedJob) -> YearPay | None:
    hit = ranked.hit
    if hit.salary_year_min is None and hit.salary_year_max is None:
        return None
    return YearPay(
        place=place,
        low=hit.salary_year_min,
        high=hit.salary_year_max,
        currency=hit.currency,
        converted=hit.salary_period not in {None, "year"},
    )
