"""Judges postings that are on the table or in the message: ranks, compares, explains a score, says what stands against
an application. Finding new ones is ``job_search``'s business.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import ClassVar, Final

from signalbox.agents.base import TurnContext
from signalbox.agents.companies.ask import companies_told
from signalbox.agents.matching.details import asked_skill, detail_of, formal_demands, text_of
from signalbox.agents.matching.facts import Asks, MatchFacts, Order, Points, YearPay, verdict_of
from signalbox.agents.matching.pasted import pasted_posting
from signalbox.agents.matching.sifting import asks_which, conditions_in, sifted
from signalbox.agents.matching.sizes import KnownSizes, sizes_of
from signalbox.agents.matching.table import asks_of_the_table, question_of, to_judge
from signalbox.agents.matching.text import compose, offers_of
from signalbox.agents.matching.wish import MatchWish, read_match_wish
from signalbox.agents.turn import Answer, HandOver, Turn
from signalbox.agents.words.phrases import quick_replies, without_command
from signalbox.agents.words.postings import citation_of
from signalbox.blocks import JobMatch, ProfileFact
from signalbox.envelope import Intent
from signalbox.memory.conversation import PastMessage
from signalbox.memory.statements import own_words
from signalbox.retrieval.fit.limits import UNKNOWN_WORDS
from signalbox.retrieval.fit.pay import is_part_time_rate
from signalbox.retrieval.fit.person import Candidate
from signalbox.retrieval.index import JobHit
from signalbox.retrieval.rerank import RankedJob, judged
from signalbox.tools.candidate import candidate_of
from signalbox.tools.vocabulary import packaged_vocabulary

_ASKS_TOLD: Final = 5
_CITED: Final = 5
# "I'm an accountant with 6 years", "6 years in".
_YEARS_SAID = re.compile(
    r"\bi(?:['’](?:m|ve)| am| have)?\b[^.?!\n]{0,60}?\b(?:with|got|have|has|for)\s+"
    r"(?P<years>\d{1,2})\+? (?:years|yrs)\b"
    r"(?! old)",
    re.IGNORECASE,
)
_COMPARES = re.compile(r"\b(?:compar\w+|versus|vs|side by side)\b", re.IGNORECASE)
_COMPANY = re.compile(
    r"\b(?:the|that|this|their) (?:company|employer|firm|place)\b|\bare they (?:any )?(?:good|legit|ok)\b",
    re.IGNORECASE,
)


class JobMatchAgent:
    """Holds postings against the profile and against one another."""

    name: ClassVar[Intent] = "job_match"
    label: ClassVar[str] = "Judge jobs"
    when_to_use: ClassVar[str] = (
        "The user asks how well postings fit, which of the shown ones is best or is of a kind, what one of them says, "
        "or whether to apply to one."
    )
    examples: ClassVar[tuple[str, ...]] = (
        "Which of these fits me best?",
        "Am I a fit for the second one?",
        "Compare the first two",
        "Tell me about the seventh",
        "Which of them are part-time?",
    )
    instructions: ClassVar[str] = (
        "Answer the question first: which posting, or how good the fit. Then the two or three reasons that decide, for "
        "and against, as the facts give them. Keep the numbers of the list and number nothing else. After a winner "
        "name the next one at most, and of a ranking no more than five unless all are asked for. Answer a question "
        "about one posting and no more. You apply for nobody: say so and offer a letter. Say of how many the "
        "comparison speaks if some do not state what it goes by. Never compare pay in different currencies. A posting "
        "that is ruled out breaks a rule of the user: say which. If the profile is unknown, say what cannot be judged "
        "and ask for skills. If a look-up failed, say only that."
    )

    def holds(self, message: str, history: Sequence[PastMessage]) -> bool:
        """It is asked of the postings that the newest answer showed, and of nothing else."""
        return asks_of_the_table(message, history)

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        message = without_command(turn.message)
        pasted = await asyncio.to_thread(pasted_posting, message, packaged_vocabulary(), today=turn.today)
        question = pasted.question if pasted else question_of(message, turn.history)
        found = await to_judge(message, pasted, turn, ctx)
        if (
            found.facts.outcome == "nothing_shown"
            and _COMPARES.search(message)
            and len(companies_told(turn.history)) > 1
        ):
            return Answer(text="", hand_over=HandOver(to="company_research", reason="you looked at two companies"))
        person = await asyncio.to_thread(_person, turn.profile, f"{found.said}\n{question}")
        facts = found.facts.model_copy(update={"profile_known": person.has_trade, "titles": person.titles})
        if found.hits:
            sizes = await sizes_of([hit for _, hit in found.hits], person, ctx)
            # Every description is read for what is ruled out: too much work for the event loop.
            facts = await asyncio.to_thread(_judge, facts, found.hits, person, question, sizes)
        if facts.verdicts:
            await ctx.emit(JobMatch(criterion=_ordered_by(facts), verdicts=facts.verdicts, best=facts.best))
        citations = () if facts.pasted else tuple(citation_of(each.job) for each in facts.verdicts[:_CITED])
        answer = await ctx.reply(self, turn, facts, compose(facts), citations=citations)
        if offers := offers_of(facts):
            await ctx.emit(quick_replies(ctx.message_id, "Go on?", offers))
        return answer


def _person(profile: Sequence[ProfileFact], question: str) -> Candidate:
    """The profile and what the message says of its writer in passing, which counts for this answer alone."""
    said = [(fact.kind, fact.key, fact.value) for fact in own_words(question, packaged_vocabulary())]
    years = _YEARS_SAID.search(question)
    if years and not any(key == "years" for _, key, _ in said):
        said.append(("fact", "years", years["years"]))
    known = {(fact.key, fact.value.casefold()) for fact in profile}
    held = {fact.key for fact in profile}
    passing = tuple(
        ProfileFact(fact_id=f"said_{number}", kind=kind, key=key, value=value)
        for number, (kind, key, value) in enumerate(said)
        if (key, value.casefold()) not in known and (key in {"skill", "certificate"} or key not in held)
    )
    # A posting names a certificate among its skills.
    facts = (*profile, *passing)
    certificates = (fact.model_copy(update={"key": "skill"}) for fact in facts if fact.key == "certificate")
    return candidate_of((*facts, *certificates))


def _ordered_by(facts: MatchFacts) -> str:
    """What the card says the postings are ranked by; nothing where they stand in the order of the list."""
    by_fit = facts.profile_known and facts.form not in {"list", "sift"}
    return facts.criterion if by_fit or facts.criterion != "fit" else ""


def _judge(
    facts: MatchFacts, hits: Sequence[tuple[int, JobHit]], person: Candidate, question: str, sizes: KnownSizes
) -> MatchFacts:
    vocabulary = packaged_vocabulary()
    wish = read_match_wish(question, vocabulary, several=len(hits) > 1)
    if len(hits) > 1 and asks_which(question) and (asked := conditions_in(question, vocabulary, facts.today)):
        wish = replace(wish, form="sift", criterion="fit", length="all")
        which = sifted(hits, asked)
        facts = facts.model_copy(update={"sifted": which})
        hits = [(place, hit) for place, hit in hits if place in which.met]
    jobs = [(place, judged(hit, person, today=facts.today, sizes=sizes.sizes)) for place, hit in hits]
    order = Order(jobs, wish, person)
    in_order = sorted(order.jobs, key=lambda job: job[0]) if wish.form in {"list", "sift"} else order.jobs
    verdicts = tuple(verdict_of(ranked, place, person, facts.today) for place, ranked in in_order)
    firsts = order.firsts() if wish.form not in {"list", "sift"} else []
    winner = firsts[0] if len(firsts) == 1 and len(jobs) > 1 else None
    can_win = winner and (wish.criterion != "fit" or (person.has_trade and not winner[1].broken))
    whole = wish.form in {"tell", "apply"}
    return facts.model_copy(
        update={
            "criterion": wish.criterion,
            "form": wish.form,
            "length": wish.length,
            "turned": wish.turned,
            "judges": wish.judges,
            "verdicts": verdicts,
            "best": winner[1].hit.job_id if winner and can_win else None,
            "compared": order.compared,
            "silent": order.silent,
            "firsts": tuple(place for place, _ in firsts),
            "pay": tuple(pay for place, ranked in jobs if (pay := _year_pay(place, ranked))),
            "points": tuple(_points(place, ranked) for place, ranked in jobs),
            "asks": tuple(Asks(place=place, skills=ranked.hit.skills[:_ASKS_TOLD]) for place, ranked in jobs),
            "texts": tuple(text_of(place, ranked.hit, facts.today, whole=whole) for place, ranked in in_order),
            "home": person.locations[0] if person.locations else None,
            "sizes_failed": sizes.failed,
            "unchecked": _unchecked(jobs),
            "company_asked": len(jobs) == 1 and _COMPANY.search(question) is not None,
            **(_of_one(jobs[0][1], wish, person, question, facts.today) if len(hits) == 1 and not facts.sifted else {}),
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
        part_time=is_part_time_rate(hit),
    )
