"""What an interview answer rests on, looked up: guides, the posting meant, the CV; and the choice of questions."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from signalbox.agents.base import TurnContext
from signalbox.agents.interviews.bank import families_of, questions_in, rank_of, same
from signalbox.agents.interviews.made import from_posting, from_resume
from signalbox.agents.interviews.wish import InterviewWish
from signalbox.agents.turn import Turn
from signalbox.agents.words.knowledge_text import LookedUp, Passage, look_up
from signalbox.agents.words.own_cv import read_resume
from signalbox.agents.words.profile_words import values_of
from signalbox.agents.words.shown import job_meant
from signalbox.blocks import InterviewQuestion, Job, QuestionSource
from signalbox.memory.resume.model import Resume
from signalbox.retrieval.index import JobHit
from signalbox.tools.find_job import FindJob, JobReference
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.vocabulary import packaged_vocabulary

# Worded as the lists of questions in the guides are: that is what finds them among everything on the same work.
_LISTS: Final = "Questions you may be asked. {} interviews often include these questions. A good answer shows"
_PER_LOOK_UP: Final = 8
_MOST_SKILLS_ASKED: Final = 4
# Behind every rank that a guide on the work itself can have.
_LAST: Final = 9

# In which order questions of each sort are drawn, again and again until there are enough.
_MIXED: Final = ("opening", "role", "posting", "behavioural", "role", "cv", "posting", "behavioural", "role")
_ORDERS: Final[dict[str, tuple[str, ...]]] = {
    "behavioural": ("behavioural", "cv", "behavioural", "told", "behavioural"),
    "role": ("role", "posting", "role"),
    "phone screen": ("opening", "cv", "opening", "posting", "opening"),
}


@dataclass(frozen=True, slots=True)
class Findings:
    """``posting_lost``: one was meant and is gone or could not be read. ``resume_unread``: could not look, which is not
    the same as no CV. ``guides``: how the look-ups went together.
    """

    role: str
    company: str
    passages: tuple[Passage, ...] = ()
    posting: JobHit | None = None
    posting_lost: str = ""
    resume: Resume | None = None
    resume_unread: bool = False
    guides_unread: bool = False
    pool: dict[str, tuple[InterviewQuestion, ...]] = field(default_factory=dict)

    @property
    def of_role(self) -> bool:
        """The guides have questions for this very work."""
        return bool(self.pool.get("role"))

    def sources(self, questions: Sequence[InterviewQuestion]) -> tuple[QuestionSource, ...]:
        """What ``questions`` cite, in the order of first use."""
        known = {passage.passage_id: source_of(passage) for passage in self.passages}
        if self.posting:
            known[self.posting.job_id] = QuestionSource(
                id=self.posting.job_id,
                title=self.posting.title,
                source=self.posting.source,
                url=self.posting.url,
                as_of=self.posting.posted_at,
            )
        ids = dict.fromkeys(cited for question in questions for cited in question.citation_ids)
        return tuple(known[cited] for cited in ids if cited in known)


def source_of(passage: Passage) -> QuestionSource:
    return QuestionSource(
        id=passage.passage_id,
        title=passage.title,
        source=passage.source,
        heading=passage.heading,
        url=passage.url,
        as_of=passage.as_of,
    )


async def gather(wish: InterviewWish, turn: Turn, ctx: TurnContext) -> Findings:
    """Looks in the guides, and for the posting and the CV, side by side."""
    job = job_meant(wish.text, turn.history)
    role = job.title if job else wish.role
    looked, posting, (resume, unread) = await asyncio.gather(
        _guides(role, wish, ctx), _posting(job, ctx), read_resume(turn, ctx)
    )
    hit, lost = posting
    passages = _each_once(looked)
    found = Findings(
        role=role,
        company=(hit.company if hit else job.company if job else wish.company),
        passages=passages,
        posting=hit,
        posting_lost=lost,
        resume=resume,
        resume_unread=unread,
        guides_unread=not passages and any(each.unsure for each in looked),
    )
    found.pool.update(_pool(found, values_of(turn.profile, "skill")))
    return found


def choose(
    found: Findings, wish: InterviewWish, number: int, before: Sequence[str] = ()
) -> tuple[InterviewQuestion, ...]:
    """``number`` questions in an order that mixes where they come from; ``before`` were asked earlier and come last."""
    order = _ORDERS.get(wish.kind or "") or _ORDERS.get(wish.stage, _MIXED)
    queues = {name: _fresh_first(questions, before) for name, questions in found.pool.items()}
    queues["told"] = [q for q in queues.get("posting", []) if q.kind == "behavioural"]
    chosen: list[InterviewQuestion] = []
    while len(chosen) < number:
        drawn = len(chosen)
        for name in order:
            if len(chosen) < number and (question := _draw(queues.get(name, []), chosen)):
                chosen.append(question)
        if len(chosen) == drawn:
            rest = [name for name in _MIXED if name not in order] if wish.kind is None else []
            question = next((q for name in rest if (q := _draw(queues.get(name, []), chosen))), None)
            if question is None:
                break
            chosen.append(question)
    return tuple(chosen)


def asked_before(turn: Turn) -> tuple[str, ...]:
    """Every question the conversation has shown."""
    found: list[str] = []
    for past in turn.history:
        for block in past.blocks:
            if block.get("type") == "interview_questions":
                found += [str(each["question"]) for each in block["questions"]]
            elif block.get("type") == "interview_practice":
                found.append(str(block["question"]))
    return tuple(found)


async def _guides(role: str, wish: InterviewWish, ctx: TurnContext) -> list[LookedUp]:
    asked = [_LISTS.format(name) for name, _ in families_of(role)]
    if role and not asked:
        asked = [f"{role} interview questions"]
    asked.append(_LISTS.format("Behavioural"))
    if wish.kind != "role":
        asked.append(_LISTS.format("Common interview questions in most occupations."))
    if "design" in wish.stage:
        asked.append(_LISTS.format("System design"))
    skills = packaged_vocabulary().extract(f"{role} {wish.text}", loose=True)[:_MOST_SKILLS_ASKED]
    asked += [f"{skill}: what is it, how does it work, when is it used?" for skill in skills[:1]]
    return list(await asyncio.gather(*(look_up(ctx, each, limit=_PER_LOOK_UP) for each in asked)))


async def _posting(job: Job | None, ctx: TurnContext) -> tuple[JobHit | None, str]:
    if job is None:
        return None, ""
    match await ctx.call(FindJob, JobReference(job_id=job.job_id)):
        case Ok(hit):
            return hit, ""
        case Empty():
            return None, f"The posting “{job.title}” is no longer in the catalogue, so nothing here is made from it."
        case Err():
            return None, f"I could not read the posting “{job.title}” just now, so nothing here is made from it."


def _pool(found: Findings, owned: Sequence[str]) -> dict[str, tuple[InterviewQuestion, ...]]:
    vocabulary = packaged_vocabulary()
    skills = [*vocabulary.extract(found.role, loose=True), *(found.posting.skills if found.posting else ())]
    ranked: list[tuple[int, InterviewQuestion]] = []
    for passage in found.passages:
        rank = rank_of(passage, found.role, skills)
        for question in questions_in(passage):
            general = question.kind == "opening" or (question.kind == "behavioural" and _is_general(passage))
            if rank is not None or general:
                # What belongs to the very work comes before what fits everybody.
                ranked.append((_LAST if general or rank is None else rank, question))
    pool: dict[str, list[InterviewQuestion]] = {"opening": [], "behavioural": [], "role": []}
    for _, question in sorted(ranked, key=lambda pair: pair[0]):
        if not any(same(question.question, other.question) for other in pool[question.kind]):
            pool[question.kind].append(question)
    resume = from_resume(found.resume) if found.resume else ()
    posting = from_posting(found.posting, owned, found.resume, vocabulary) if found.posting else ()
    return {name: tuple(each) for name, each in pool.items()} | {"cv": resume, "posting": posting}


def _is_general(passage: Passage) -> bool:
    title = passage.title.casefold()
    return "behavioural" in title or "common" in title


def _each_once(looked: Sequence[LookedUp]) -> tuple[Passage, ...]:
    known = {passage.passage_id: passage for each in reversed(looked) for passage in reversed(each.passages)}
    order = dict.fromkeys(passage.passage_id for each in looked for passage in each.passages)
    return tuple(known[key] for key in order)


def _fresh_first(questions: Sequence[InterviewQuestion], before: Sequence[str]) -> list[InterviewQuestion]:
    return sorted(questions, key=lambda question: question.question in before)


def _draw(queue: list[InterviewQuestion], chosen: Sequence[InterviewQuestion]) -> InterviewQuestion | None:
    while queue:
        question = queue.pop(0)
        if not any(same(question.question, other.question) for other in chosen):
            return question
    return None
