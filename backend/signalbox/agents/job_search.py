"""Finds postings: reads the wish, asks every source, holds the hits against the profile and says what was left out
and why.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any, ClassVar, Final

from signalbox.agents.base import TurnContext
from signalbox.agents.matching.sizes import sizes_of
from signalbox.agents.searching.conditions import conditions_of, subject_of
from signalbox.agents.searching.corrected import corrects_search
from signalbox.agents.searching.facts import SearchFacts
from signalbox.agents.searching.notes import LeftOut, Understood
from signalbox.agents.searching.rules import (
    Lasting,
    is_for_the_profile,
    labelled,
    read_lasting,
    read_lifted,
    read_own,
    read_wider,
)
from signalbox.agents.searching.sources import Found, Source, ask_all, merged
from signalbox.agents.searching.statuses import half_searched, statuses_of
from signalbox.agents.searching.text import TOLD, compose, offers_of
from signalbox.agents.searching.turns import chosen, open_offer, search_turns
from signalbox.agents.searching.wish import Wish, read_wish
from signalbox.agents.turn import Answer, HandOver, Turn
from signalbox.agents.words.phrases import quick_replies, without_command
from signalbox.agents.words.postings import citation_of, job_event
from signalbox.agents.words.rules_told import held_to
from signalbox.agents.words.shown import job_meant
from signalbox.blocks import JobsData, ProfileFact, ProfileUpdated
from signalbox.envelope import Intent
from signalbox.memory.conversation import PastMessage
from signalbox.memory.profile import SINGLE, NewFact
from signalbox.retrieval.locations import country_names, located
from signalbox.retrieval.rerank import Candidate, RankedJob, Ranking, rerank
from signalbox.tools.boards.kept import is_live
from signalbox.tools.candidate import candidate_of
from signalbox.tools.keep_postings import KeepPostings, ShownPostings
from signalbox.tools.result import Empty, Err, ErrKind, Ok
from signalbox.tools.update_profile import ProfileChange, Statement, UpdateProfile
from signalbox.tools.vocabulary import packaged_vocabulary

MAX_SHOWN: Final = 10
# How many hits of each source the ranking looks at: more when hard limits may rule out most of them.
LOOKED_AT: Final = 50
LOOKED_AT_WITH_LIMITS: Final = 200
# Of a temporary chat, how many of the user's messages before are read for what they say of their writer.
_READ_AGAIN: Final = 20

_TROUBLE: Final[dict[ErrKind, str]] = {
    "timeout": "timed out",
    "connection": "could not be reached",
    "server_error": "failed",
    "incomplete": "answered only in part",
    "rate_limit": "asked us to wait",
    "auth": "refused access",
    "not_found": "was not found",
}


class JobSearchAgent:
    """Searches the catalogue of postings and the live job boards."""

    name: ClassVar[Intent] = "job_search"
    label: ClassVar[str] = "Find jobs"
    when_to_use: ClassVar[str] = "The user wants to see vacancies, or to refine the last search."
    examples: ClassVar[tuple[str, ...]] = (
        "Remote Python jobs paying at least £60k",
        "Nursing jobs in Leeds posted this month",
        "Only the remote ones",
    )
    instructions: ClassVar[str] = (
        "Say in a sentence what was looked for and how many postings fit, then the best three to five, one line "
        "each with where, pay, how old it is and, for a live posting, its board. Give a reason only where it tells "
        "postings apart. If sources could not be asked, name them and say that the list is partial. Say that sample "
        "postings are fictional. Say how many were left out by which rule of the user. If nothing was found, name "
        'each condition and offer to drop some of them. With outcome "which", ask which of those offered to drop. '
        "If the search could not be made, say only that. Tell "
        'each search under "also" as well, its postings numbered on.'
    )

    def holds(self, message: str, history: Sequence[PastMessage]) -> bool:
        """A correction of the search just made ("not remote after all", "London is fine too"), and which conditions to
        drop, where its answer asked.
        """
        return corrects_search(message, history) or _chooses(message, history)

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        message = without_command(turn.message)
        vocabulary = packaged_vocabulary()
        lasting = await asyncio.to_thread(read_lasting, message, vocabulary)
        chooses = _chooses(message, turn.history)
        if not chooses and is_for_the_profile(message, turn.history, turn.profile, lasting):
            return Answer(text="", hand_over=HandOver(to="profile_update", reason="This is about your profile."))
        own = await asyncio.to_thread(_own, message, turn)
        gone = await asyncio.to_thread(read_lifted, message, lasting.facts, turn.profile)
        profile, noted = await _kept(lasting, own, gone, turn, ctx)
        job = job_meant(lasting.rest, turn.history)
        wish = await asyncio.to_thread(
            read_wish, lasting.rest, turn.history, profile, job, today=turn.today, vocabulary=vocabulary
        )
        if wish.undecided:
            return await self._ask_which(wish, turn, ctx)
        candidate = candidate_of((*profile, *wish.limits))
        wishes = _side_by_side(wish)
        searches = await asyncio.gather(*(self._search(each, candidate, turn.today, ctx) for each in wishes))
        facts = _together([told for told, _ in searches])
        facts = facts.model_copy(
            update={
                # The limits of one search are no profile.
                "scored_against": "query" if candidate_of(profile).is_blank else facts.scored_against,
                "first": not search_turns(turn.history),
                "understood": _understood(wish, message).model_copy(update=noted),
            }
        )
        await ctx.emit(
            JobsData(
                jobs=(jobs := (*facts.jobs, *(job for each in facts.also for job in each.jobs))),
                total=(total := facts.total + sum(each.total for each in facts.also)),
                truncated=total > len(jobs),
                sources=statuses_of([sources for _, sources in searches], jobs),
            )
        )
        if live := tuple(job.job_id for job in jobs if is_live(job.job_id)):
            # Whatever comes of it, the answer stands: a posting that was not kept is "no longer there" later.
            await ctx.call(KeepPostings, ShownPostings(job_ids=live))
        told = (*facts.jobs[:TOLD], *jobs[len(facts.jobs) :])
        citations = tuple(citation_of(job) for job in told)
        answer = await ctx.reply(self, turn, facts, compose(facts), citations=citations)
        if offers := offers_of(facts):
            await ctx.emit(quick_replies(ctx.message_id, "Go on?", offers))
        return answer

    async def _ask_which(self, wish: Wish, turn: Turn, ctx: TurnContext) -> Answer:
        facts = _told(wish, (), 0, turn.today).model_copy(update={"outcome": "which", "offered": wish.undecided})
        answer = await ctx.reply(self, turn, facts, compose(facts))
        await ctx.emit(quick_replies(ctx.message_id, "Go on?", offers_of(facts)))
        return answer

    async def _search(
        self, wish: Wish, candidate: Candidate, today: date, ctx: TurnContext
    ) -> tuple[SearchFacts, tuple[Source, ...]]:
        wide = LOOKED_AT_WITH_LIMITS if candidate.has_limits else LOOKED_AT
        seen = frozenset(wish.seen or ())
        query = replace(wish.query, limit=wide + len(seen))
        sources = await ask_all(ctx, query)
        told = _told(wish, sources, len(seen), today)
        if all(source.status == "error" for source in sources):
            return told.model_copy(update={"outcome": "unavailable"}), sources
        found = merged(sources, query)
        if not found.hits:
            return told, sources
        person = None if candidate.is_blank else candidate
        known = await sizes_of(found.hits, candidate, ctx)
        told = told.model_copy(update={"sizes_failed": known.failed})
        # The ranking reads every description for what is ruled out: too much work for the event loop.
        ranking = await asyncio.to_thread(rerank, found.hits, person, query, today=told.today, sizes=known.sizes)
        return _found(told, found, ranking, min(wish.query.limit, MAX_SHOWN), seen), sources


def _chooses(message: str, history: Sequence[PastMessage]) -> bool:
    return chosen(without_command(message), open_offer(history)) is not None


def _side_by_side(wish: Wish) -> list[Wish]:
    """All searches of one message; of several each has less room in the answer."""
    every = [wish, *wish.others]
    return every if len(every) == 1 else [replace(each, query=replace(each.query, limit=TOLD)) for each in every]


def _together(searches: Sequence[SearchFacts]) -> SearchFacts:
    """The first with the others behind it, none of them listing a posting again."""
    facts, *others = searches
    listed_before = {job.job_id for job in facts.jobs}
    also = []
    for other in others:
        fresh = tuple(job for job in other.jobs if job.job_id not in listed_before)
        listed_before |= {job.job_id for job in fresh}
        also.append(other.model_copy(update={"jobs": fresh}))
    return facts.model_copy(update={"also": tuple(also)})


def _told(wish: Wish, sources: Sequence[Source], seen: int, today: date) -> SearchFacts:
    """What is known before any posting is: the wish, and which sources answered."""
    degraded = [half_searched(source) for source in sources]
    return SearchFacts(
        outcome="nothing",
        subject=subject_of(wish.query),
        today=today,
        conditions={
            name: f"{words} (your rule)" if name in wish.rules else words
            for name, words in conditions_of(wish.query, wish.limits).items()
        },
        rules=wish.rules,
        refined=wish.refines,
        by_profile=wish.by_profile,
        seen=seen,
        pay_floor=wish.query.salary_min,
        searched=tuple(source.name for source in sources if source.status != "error"),
        unasked={
            source.name: _TROUBLE.get(source.result.kind, "did not answer")
            for source in sources
            if isinstance(source.result, Err)
        },
        boards={source.key: source.name for source in sources if source.key},
        unseen={source.name: source.unseen for source in sources if source.unseen},
        degraded="; ".join(dict.fromkeys(note for note in degraded if note)),
    )


def _found(told: SearchFacts, found: Found, ranking: Ranking, limit: int, seen: frozenset[str]) -> SearchFacts:
    fresh = [ranked for ranked in ranking.jobs if ranked.hit.job_id not in seen]
    left_out = tuple(
        LeftOut(limit=limit_name, postings=number) for limit_name, number in sorted(ranking.removed.items())
    )
    # Nobody can apply for a sample, nor for what has closed: they stand behind the rest, the order within as it was.
    fresh.sort(key=lambda ranked: (ranked.hit.sample, _has_closed(ranked, told.today)))
    shown = fresh[:limit]
    cut = found.total > len(found.hits)
    return told.model_copy(
        update={
            "outcome": "found" if fresh else "all_shown" if ranking.jobs else "ruled_out",
            "jobs": tuple(map(job_event, shown)),
            "closed": {ranked.hit.job_id: ranked.hit.closes_at for ranked in shown if _has_closed(ranked, told.today)},
            "total": found.total - ranking.removed_total if ranking.jobs else 0,
            "total_is_exact": found.total_is_exact and not (cut and ranking.removed),
            "left_out": left_out,
            "unknown": tuple(LeftOut(limit=name, postings=number) for name, number in sorted(ranking.unknown.items())),
            "scored_against": ranking.basis,
        }
    )


def _has_closed(ranked: RankedJob, today: date) -> bool:
    return ranked.hit.closes_at is not None and ranked.hit.closes_at < today


def _own(message: str, turn: Turn) -> tuple[NewFact, ...]:
    """What the message says of its writer and the profile does not hold. A temporary chat has no profile to read it
    from later, so there the messages before count too.
    """
    earlier = [past.content for past in turn.history if past.role == "user"][-_READ_AGAIN:] if turn.temporary else []
    known = {(fact.key, fact.value.casefold()) for fact in turn.profile}
    said = {
        (one.key, "" if one.key in SINGLE else one.value.casefold()): one
        for text in (*earlier, message)
        for one in read_own(without_command(text), packaged_vocabulary())
    }
    return tuple(fact for fact in said.values() if (fact.key, fact.value.casefold()) not in known)


async def _kept(
    lasting: Lasting, own: tuple[NewFact, ...], gone: tuple[NewFact, ...], turn: Turn, ctx: TurnContext
) -> tuple[tuple[ProfileFact, ...], dict[str, Any]]:
    """The profile with what this message says for good, and without the rules that it takes back (``gone``); and what
    is to be told of that.
    """
    noted: dict[str, Any] = {}
    profile = turn.profile
    lifted = tuple(fact for fact in profile if NewFact(fact.kind, fact.key, fact.value) in gone)
    wider = read_wider(without_command(turn.message), profile)
    if turn.temporary and own:
        profile, own, noted = _with(profile, own), (), {"passing": labelled(own)}
    facts = (*lasting.facts, *own, *wider)
    if not facts and not lifted:
        return profile, noted
    kept = labelled((*lasting.facts, *wider))
    words = held_to(lifted, profile)
    change = ProfileChange(add=_statements(facts), remove=_statements(gone))
    match await ctx.call(UpdateProfile, change):
        case Ok(updated):
            await ctx.emit(ProfileUpdated(added=updated.added, removed=updated.removed, profile=updated.profile))
            new = {(fact.key, fact.value) for fact in updated.added}
            learned = labelled([one for one in own if (one.key, one.value) in new])
            return updated.profile, {"kept": kept, "learned": learned, "lifted": words}
        case Empty():
            return profile, {"kept": kept}
        case Err("rejected"):
            return _with(profile, facts, lifted), noted | {"not_remembered": labelled(facts), "lifted_here": words}
        case Err():
            return _with(profile, facts, lifted), noted | {"not_kept": labelled(facts), "lifted_here": words}


def _statements(facts: Sequence[NewFact]) -> tuple[Statement, ...]:
    return tuple(Statement(kind=one.kind, key=one.key, value=one.value) for one in facts)


def _with(
    profile: Sequence[ProfileFact], facts: Sequence[NewFact], lifted: Sequence[ProfileFact] = ()
) -> tuple[ProfileFact, ...]:
    """The profile as it would be had it taken in ``facts`` and given up ``lifted``."""
    gone = {fact.key for fact in facts if fact.key in SINGLE}
    said = (ProfileFact(fact_id="", kind=one.kind, key=one.key, value=one.value) for one in facts)
    return (*(fact for fact in profile if fact.key not in gone and fact not in lifted), *said)


def _understood(wish: Wish, message: str) -> Understood:
    places = [(name, located(name, wish.query.home_country)) for name in wish.query.locations]
    return Understood(
        read=wish.request.read,
        language=wish.request.language,
        distance=wish.request.distance and bool(wish.query.locations),
        starts=wish.request.starts,
        homeless=wish.request.homeless and not wish.query.locations,
        placed={
            name: country_names()[place.countries[0]]
            for name, place in places
            if place
            and place.others
            and not place.sure
            and place.countries[0] != wish.query.home_country
            and name.casefold() in message.casefold()
        },
        lent=wish.lent if wish.request.text else None,
        dropped=wish.dropped,
    )
