"""Finds postings: reads the wish, searches, holds the hits against the profile and says what was left out and why."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import ClassVar, Final, Literal

from pydantic import Field

from signalbox.agents.base import Answer, Facts, Turn, TurnContext
from signalbox.agents.phrases import counted, listed, plain, quick_replies, without_command
from signalbox.agents.postings import citation_of, job_event, pay_text
from signalbox.agents.search_wish import ANYTHING, Wish, conditions_of, read_wish, subject_of
from signalbox.agents.shown import job_meant
from signalbox.blocks import Job, JobsData, SourceStatus
from signalbox.envelope import Intent
from signalbox.retrieval.index import JobHits
from signalbox.retrieval.rerank import Candidate, Ranking, rerank
from signalbox.tools.candidate import candidate_of
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.search_jobs import JobSearch, SearchJobs
from signalbox.tools.vocabulary import packaged_vocabulary

MAX_SHOWN: Final = 10
TOLD: Final = 5
# How many hits the ranking looks at: more when hard limits may rule out most of them.
LOOKED_AT: Final = 50
LOOKED_AT_WITH_LIMITS: Final = 200
SOURCE: Final = "job catalogue"

_TERMS: Final = re.compile(r"(\d+) of (\d+) search terms\b")
_LIMITS: Final = {
    "remote_only": "not remote",
    "salary_min": "below your least pay",
    "excluded_company": "from a company you ruled out",
    "excluded_term": "with something you ruled out",
}
_LIMIT_KEYS: Final = {
    "remote_only": ("remote-only rule", "forget my remote setting"),
    "salary_min": ("least pay", "forget my salary"),
    "excluded_company": ("excluded companies", "forget my excluded companies"),
    "excluded_term": ("exclusions", "forget my exclusions"),
}

Outcome = Literal["found", "all_shown", "nothing", "ruled_out", "unavailable"]


class LeftOut(Facts):
    limit: str
    postings: int


class SearchFacts(Facts):
    """``ruled_out``: there are postings, and each breaks a hard rule of the profile. ``total_is_exact``: false when
    more postings exist than the rules could be tried on. ``conditions``: name and wording of each. ``seen``: how
    many were shown before. ``uncompared``: postings paid in another currency than the least pay.
    """

    outcome: Outcome
    subject: str
    conditions: dict[str, str] = Field(default_factory=dict)
    rules: tuple[str, ...] = ()
    refined: bool = False
    by_profile: bool = False
    jobs: tuple[Job, ...] = ()
    total: int = 0
    total_is_exact: bool = True
    left_out: tuple[LeftOut, ...] = ()
    scored_against: Literal["profile", "query"] = "query"
    degraded: str = ""
    seen: int = 0
    uncompared: int = 0


class JobSearchAgent:
    """Searches the catalogue of postings."""

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
        "each with "
        "the reason it fits. Say that sample postings are fictional. Say how many were left out by which rule of "
        "the user. "
        "If nothing was found, name each condition and offer to drop one. If the search could not be made, say "
        "only that."
    )

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        today = datetime.now(UTC).date()
        message = without_command(turn.message)
        job = job_meant(message, turn.history)
        wish = await asyncio.to_thread(
            read_wish, message, turn.history, turn.profile, job, today=today, vocabulary=packaged_vocabulary()
        )
        candidate = candidate_of(turn.profile)
        facts = await self._search(wish, candidate, ctx)
        status: Literal["ok", "empty", "error"] = (
            "error"
            if facts.outcome == "unavailable"
            else "ok"
            if facts.jobs or facts.outcome == "all_shown"
            else "empty"
        )
        await ctx.emit(
            JobsData(
                jobs=facts.jobs,
                total=facts.total,
                truncated=facts.total > len(facts.jobs),
                sources=(SourceStatus(name=SOURCE, status=status, note=_source_note(facts)),),
            )
        )
        citations = tuple(citation_of(job) for job in facts.jobs[:TOLD])
        answer = await ctx.reply(self, turn, facts, compose(facts), citations=citations)
        if offers := offers_of(facts):
            await ctx.emit(quick_replies(ctx.message_id, "Go on?", offers))
        return answer

    async def _search(self, wish: Wish, candidate: Candidate, ctx: TurnContext) -> SearchFacts:
        wide = LOOKED_AT_WITH_LIMITS if _has_limits(candidate) else LOOKED_AT
        seen = frozenset(wish.seen or ())
        query = replace(wish.query, limit=wide + len(seen))
        told = SearchFacts(
            outcome="nothing",
            subject=subject_of(query),
            conditions={
                name: f"{words} (your rule)" if name in wish.rules else words
                for name, words in conditions_of(query).items()
            },
            rules=wish.rules,
            refined=wish.refines,
            by_profile=wish.by_profile,
            seen=len(seen),
        )
        match await ctx.call(SearchJobs, JobSearch(query=query)):
            case Ok(hits):
                today = datetime.now(UTC).date()
                person = None if candidate.is_blank else candidate
                # The ranking reads every description for what is ruled out: too much work for the event loop.
                ranking = await asyncio.to_thread(rerank, hits.hits, person, query, today=today)
                return _found(told, hits, ranking, min(wish.query.limit, MAX_SHOWN), seen)
            case Empty():
                return told
            case Err():
                return told.model_copy(update={"outcome": "unavailable"})


def compose(facts: SearchFacts) -> str:
    """The reply as the template words it, in Markdown."""
    match facts.outcome:
        case "unavailable":
            return (
                f"I could not look for {wanted(facts)}: the job search is not answering just now. That says "
                f"nothing about "
                "what is out there. Please send the message again in a moment."
            )
        case "nothing":
            return _nothing(facts)
        case "ruled_out":
            return (
                f"I looked for {wanted(facts)} and found some, but every one of them breaks a rule in your profile: "
                f"{_left_out(facts.left_out)}. I have not shown any of them. If a rule no longer holds, tell me to "
                f"forget it."
            )
        case "all_shown":
            return f"Those were all: I have already shown you every posting that fits {wanted(facts)}."
        case "found":
            return _listing(facts)


def wanted(facts: SearchFacts) -> str:
    """All that was looked for, in one phrase."""
    return " ".join([facts.subject, *facts.conditions.values()])


def offers_of(facts: SearchFacts) -> list[tuple[str, str]]:
    """Quick replies that fit the outcome."""
    match facts.outcome:
        case "unavailable" | "all_shown":
            return []
        case "ruled_out":
            rules = [_LIMIT_KEYS[left.limit] for left in facts.left_out if left.limit in _LIMIT_KEYS]
            return [(f"Drop my {name}", _capital(message)) for name, message in rules]
        case "nothing":
            return [
                (f"Without the {name} condition", f"Search again without the {name} condition")
                for name in _droppable(facts)
            ]
        case "found":
            first = facts.jobs[0]
            offers = [("Write to the first company", f"Write an e-mail to {first.company} about the first job")]
            if _has_more(facts):
                offers.append(("Show more", "Show more"))
            if facts.scored_against == "profile":
                offers.append(("Skills I am missing", "Which skills am I missing for the first job?"))
            if "remote" not in facts.conditions and 0 < sum(bool(job.remote) for job in facts.jobs) < len(facts.jobs):
                offers.append(("Only remote ones", "Only the remote ones"))
            return offers


def _found(told: SearchFacts, hits: JobHits, ranking: Ranking, limit: int, seen: frozenset[str]) -> SearchFacts:
    fresh = [ranked for ranked in ranking.jobs if ranked.hit.job_id not in seen]
    left_out = tuple(
        LeftOut(limit=limit_name, postings=number) for limit_name, number in sorted(ranking.removed.items())
    )
    failed = [leg.name for leg in hits.legs if leg.status == "failed"]
    return told.model_copy(
        update={
            "outcome": "found" if fresh else "all_shown" if ranking.jobs else "ruled_out",
            "jobs": tuple(job_event(ranked) for ranked in fresh[:limit]),
            "total": hits.total - ranking.removed_total if ranking.jobs else 0,
            "total_is_exact": not (hits.truncated and ranking.removed),
            "left_out": left_out,
            "uncompared": ranking.uncompared,
            "scored_against": ranking.basis,
            "degraded": f"the search by {listed(failed)} failed, so postings may be missing" if failed else "",
        }
    )


def _nothing(facts: SearchFacts) -> str:
    conditions = list(facts.conditions.values())
    if not conditions:
        return (
            f"I looked for {facts.subject} in the whole catalogue and found none. Other words for the same work "
            f"may find some."
        )
    looked = "\n".join(f"- {line}" for line in [facts.subject, *conditions])
    names = _droppable(facts)
    text = f"I searched the whole catalogue and no posting meets all of this:\n{looked}"
    if names:
        text += f"\n\nShall I drop {listed([f'the {name} condition' for name in names], 'or')} and look again?"
    return text


def _listing(facts: SearchFacts) -> str:
    about = "at most " if not facts.total_is_exact else ""
    lead = f"{_capital(about)}**{counted(facts.total, 'posting')}** {'fits' if facts.total == 1 else 'fit'}"
    if facts.refined and not facts.seen:
        lead = (
            f"Going on from your last search: {about}**{counted(facts.total, 'posting')}** "
            f"{'fits' if facts.total == 1 else 'fit'}"
        )
    told = facts.jobs[:TOLD]
    lines = [f"{lead} what I looked for: {wanted(facts)}."]
    if facts.subject == ANYTHING and not facts.conditions:
        lines = [
            f"You named no particular job, so I looked at the newest of {about}**{counted(facts.total, 'posting')}**."
        ]
    if facts.seen:
        lines = [
            f"Here are {len(facts.jobs)} more of {about}**{counted(facts.total, 'posting')}** for {wanted(facts)}."
        ]
    if facts.by_profile:
        lines[0] += " I took the subject from your profile."
    lines.append("\n".join(f"{number}. {_line(job)}" for number, job in enumerate(told, start=1)))
    if len(facts.jobs) > len(told):
        lines.append(f"The list above shows {counted(len(facts.jobs), 'posting')}; these are the best {len(told)}.")
    if _has_more(facts):
        lines.append("Say “show more” for the next ones.")
    lines += [note for note in (_sample_note(facts.jobs), _rules_note(facts), _basis_note(facts)) if note]
    return "\n\n".join(lines)


def _line(job: Job) -> str:
    place = "remote" if job.remote else plain(job.location) if job.location else "place not stated"
    pay = f", {pay_text(job.salary)}" if job.salary else ""
    sample = " *(sample)*" if job.sample else ""
    return f"**{plain(job.title)}** at {plain(job.company)}{sample}: {place}{pay}. {_reason(job)}"


def _reason(job: Job) -> str:
    if job.matched_skills:
        asked = len(job.matched_skills) + len(job.missing_skills)
        have = listed([plain(skill) for skill in job.matched_skills[:4]])
        return f"You have {len(job.matched_skills)} of the {counted(asked, 'skill')} it asks for: {have}."
    reason = job.match_reasons[0] if job.match_reasons else ""
    if terms := _TERMS.match(reason):
        found, wanted_terms = int(terms[1]), int(terms[2])
        if found == wanted_terms:
            return "Title or skills name what you asked for."
        return f"Names {found} of your {wanted_terms} search words." if found else "Close to your search in meaning."
    return f"{_capital(plain(reason))}." if reason else ""


def _sample_note(jobs: Sequence[Job]) -> str:
    samples = sum(job.sample for job in jobs)
    if not samples:
        return ""
    if samples == len(jobs):
        if samples == 1:
            return (
                "This is a sample posting from the built-in catalogue: fictional, not a real vacancy you can apply for."
            )
        return "These are sample postings from the built-in catalogue: fictional, not real vacancies you can apply for."
    return (
        f"{counted(samples, 'of these is a sample posting', 'of these are sample postings')}: fictional, marked as "
        f"such."
    )


def _rules_note(facts: SearchFacts) -> str:
    notes = [f"Left out because of your rules: {_left_out(facts.left_out)}."] if facts.left_out else []
    if facts.uncompared:
        notes.append(f"{facts.uncompared:,} could not be compared with your least pay (other currency).")
    return " ".join(notes)


def _basis_note(facts: SearchFacts) -> str:
    notes = []
    if facts.scored_against == "query":
        notes.append(
            "The order follows the search alone, as I know nothing of you yet; tell me your skills and I rank by fit."
        )
    if facts.degraded:
        notes.append(f"Note: {facts.degraded}.")
    return " ".join(notes)


def _left_out(left_out: Sequence[LeftOut]) -> str:
    return listed([f"{left.postings:,} {_LIMITS.get(left.limit, left.limit)}" for left in left_out])


def _source_note(facts: SearchFacts) -> str:
    if facts.outcome == "unavailable":
        return "the search is not answering"
    samples = sum(job.sample for job in facts.jobs)
    notes = [facts.degraded, f"{samples} of {len(facts.jobs)} shown are fictional samples" if samples else ""]
    return "; ".join(note for note in notes if note)


def _has_more(facts: SearchFacts) -> bool:
    return facts.total > facts.seen + len(facts.jobs)


def _droppable(facts: SearchFacts) -> list[str]:
    return [name for name in facts.conditions if name not in facts.rules][:3]


def _has_limits(candidate: Candidate) -> bool:
    return bool(
        candidate.remote_only or candidate.salary_min or candidate.excluded_companies or candidate.excluded_terms
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
