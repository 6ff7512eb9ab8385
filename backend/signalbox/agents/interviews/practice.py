"""A practice interview over several turns. All its state is the newest ``interview_practice`` block of the history."""

import re
from collections.abc import Sequence
from typing import Final, Literal

from signalbox.agents.base import Agent, TurnContext
from signalbox.agents.interviews.practice_asides import asks_meaning, asks_verdict, returns
from signalbox.agents.interviews.practice_feedback import Feedback, feedback_on, is_introduction
from signalbox.agents.interviews.practice_outline import Worked, about_you, points_of
from signalbox.agents.interviews.practice_text import PracticeFacts, Step, practice_offers, practice_text, summary_of
from signalbox.agents.interviews.practice_words import COMMAND_WORDS, Command, command_of
from signalbox.agents.interviews.sources import Findings, asked_before, choose, gather
from signalbox.agents.interviews.text import example_of, listed_sources
from signalbox.agents.interviews.wish import DEFAULT_PRACTICE, InterviewWish
from signalbox.agents.turn import Answer, Turn
from signalbox.agents.words.knowledge_text import Passage, citation_for, fitting, look_up, quote
from signalbox.agents.words.own_cv import best_line, nearest_line, read_resume
from signalbox.agents.words.phrases import quick_replies
from signalbox.blocks import InterviewPractice, InterviewQuestion, PracticeNote
from signalbox.memory.conversation import PastMessage

# Questions kept in reserve, for those that are skipped over or found too easy.
_SPARE: Final = 7
_REQUEST_WORDS: Final = 24

_REQUEST = re.compile(
    r"^\W*(?:please\s+)?(?:can|could|would|will) you\b|^\W*(?:please\s+)?(?:give|show|list|prepare|start|ask|let'?s|"
    r"practi[sc]e|quiz|i (?:want|need|would like)|i'd like|instead|what (?:should|can) i ask)\b",
    re.IGNORECASE,
)
_OF_INTERVIEWS = re.compile(r"\b(?:interviews?|interviewer|questions|practi[sc]e|mock)\b", re.IGNORECASE)
_FOLLOW_UP: Final = "What would you do differently today, and how would you know that it worked better?"


def open_practice(history: Sequence[PastMessage]) -> InterviewPractice | None:
    """The newest step of a practice interview, if there is one."""
    for past in reversed(history):
        for block in reversed(past.blocks):
            if block.get("type") == "interview_practice":
                return InterviewPractice.model_validate(block)
    return None


class Practice:
    """One turn of it. ``past`` is the step before, if the conversation has one."""

    def __init__(self, agent: Agent, turn: Turn, ctx: TurnContext) -> None:
        self._agent = agent
        self._turn = turn
        self._ctx = ctx
        self.past = open_practice(turn.history)

    def takes(self, message: str, wish: InterviewWish, *, held: bool) -> bool:
        """Whether the message goes on with the interview: it was asked something, or is asked to continue."""
        if self.past is None:
            return False
        if self.past.asked is None:
            return asks_verdict(message)
        if not held:
            steers = self.past.open and (command_of(message) is not None or asks_meaning(message))
            return steers or wish.want == "resume" or returns(message) or asks_verdict(message)
        anew = len(message.split()) <= _REQUEST_WORDS and _REQUEST.search(message) and _OF_INTERVIEWS.search(message)
        return command_of(message) is not None or not anew

    async def none_open(self, wish: InterviewWish) -> Answer:
        return await self._tell(PracticeFacts(step="none_open", role=wish.role, company=""))

    async def begin(self, wish: InterviewWish) -> Answer:
        found = await gather(wish, self._turn, self._ctx)
        number = wish.number or DEFAULT_PRACTICE
        chosen = choose(found, wish, number + _SPARE, asked_before(self._turn))
        if not chosen:
            return await self._tell(
                PracticeFacts(step="nothing", role=found.role, company=found.company, cautions=_cautions(found))
            )
        step = InterviewPractice(
            role=found.role,
            company=found.company,
            number=1,
            of=min(number, len(chosen)),
            question=chosen[0].question,
            open=True,
            asked=chosen[0],
            upcoming=chosen[1:],
            sources=found.sources(chosen),
        )
        return await self._show(step, "begun", cautions=_cautions(found))

    async def go_on(self, message: str, wish: InterviewWish) -> Answer:
        assert self.past is not None, "takes() said there is an interview"
        command = command_of(message)
        if wish.want == "resume" and command is None and len(message.split()) <= COMMAND_WORDS:
            command = "resume"
        if command is None and asks_meaning(message):
            return await self._again("explained")
        if command is None:
            return await self._answered(message)
        return await self._obey(command)

    async def _obey(self, command: Command) -> Answer:
        assert self.past is not None, "takes() said there is an interview"
        match command:
            case "skip" | "unknown":
                step: Step = "skipped" if command == "skip" else "unknown"
                return await self._next(step, PracticeNote(question=self.past.question))
            case "stop":
                return await self._show(self.past.model_copy(update={"open": False, "feedback": ()}), "stopped")
            case "verdict":
                return await self._show(self.past.model_copy(update={"feedback": ()}), "verdict")
            case "repeat" | "resume":
                return await self._again("repeated" if command == "repeat" else "resumed")
            case "help":
                return await self._help()
            case "another" | "harder" | "easier":
                return await self._swap(command)

    async def _answered(self, answer: str) -> Answer:
        assert self.past is not None, "there is an interview"
        assert self.past.asked is not None, "a question is open"
        judged = feedback_on(self.past.asked, answer)
        if judged.unknown:
            return await self._next("unknown", PracticeNote(question=self.past.question))
        note = PracticeNote(
            question=self.past.question,
            words=judged.words,
            star=judged.star,
            keep=tuple(remark.name for remark in judged.keep),
            change=tuple(remark.name for remark in judged.change),
        )
        return await self._next("answered", note, judged)

    async def _next(self, step: Step, note: PracticeNote, judged: Feedback | None = None) -> Answer:
        past = self.past
        assert past is not None, "there is an interview"
        notes = (*past.notes, note)
        over = past.number >= past.of or not past.upcoming
        lines = judged.lines if judged else ()
        changes: dict[str, object] = {"notes": notes, "feedback": lines}
        if over:
            changes |= {"open": False, "asked": None, "upcoming": ()}
        else:
            asked = past.upcoming[0]
            changes |= {"open": True, "asked": asked, "question": asked.question, "upcoming": past.upcoming[1:]}
            changes["number"] = past.number + 1
        left = past.asked if step == "unknown" else None
        shown = past.model_copy(update=changes)
        return await self._show(shown, "finished" if over else step, judged=judged, left=left)

    async def _again(self, step: Step) -> Answer:
        assert self.past is not None, "there is an interview"
        return await self._show(self.past.model_copy(update={"open": True, "feedback": ()}), step)

    async def aside(self, answer: Answer) -> Answer:
        """``answer`` served a question in between: the one of the interview stays open, and its place is kept."""
        assert self.past is not None, "a question is open"
        await self._ctx.emit(self.past.model_copy(update={"open": True, "feedback": ()}))
        return answer

    async def _help(self) -> Answer:
        past = self.past
        assert past is not None, "there is an interview"
        assert past.asked is not None, "a question is open"
        resume, unread = await read_resume(self._turn, self._ctx)
        passages = await self._taught(past.asked)
        worked = Worked(
            points=points_of(past.asked.hint),
            quotes=tuple(quote(n, passage, past.question) for n, passage in enumerate(passages, start=1)),
            passages=passages,
            about_you=about_you(resume, past.role) if resume and is_introduction(past.asked) else (),
        )
        line = nearest_line(past.question, resume) if resume else None
        if line is None and resume and past.asked.kind == "behavioural":
            line = best_line(resume)
        cautions = ("I could not read your CV just now.",) if unread else ()
        shown = past.model_copy(update={"open": True, "feedback": ()})
        example = example_of(*line) if line and not worked.about_you else None
        return await self._show(shown, "helped", example=example, worked=worked, cautions=cautions)

    async def _taught(self, asked: InterviewQuestion) -> tuple[Passage, ...]:
        """What the guides teach on the matter of a question; of an example that only the user has, they teach none."""
        if asked.kind == "behavioural" and asked.basis != "guide":
            return ()
        looked = await look_up(self._ctx, asked.question)
        return fitting(asked.question, looked.passages, 1)

    async def _swap(self, wanted: Literal["another", "harder", "easier"]) -> Answer:
        past = self.past
        assert past is not None, "there is an interview"
        assert past.asked is not None, "a question is open"
        level = difficulty(past.asked)
        fits = [
            q
            for q in past.upcoming
            if wanted == "another" or (difficulty(q) > level if wanted == "harder" else difficulty(q) < level)
        ]
        step: Step = "replaced" if wanted == "another" else wanted
        if wanted == "harder" and not fits and past.asked.kind == "role":
            # A question on knowledge is among the hardest: another of them, and no story asked for on top.
            fits, step = [q for q in past.upcoming if q.kind == "role"], "hardest"
        if wanted == "harder" and not fits and past.asked.kind == "behavioural" and _FOLLOW_UP not in past.question:
            asked = past.asked.model_copy(update={"question": f"{past.asked.question} {_FOLLOW_UP}"})
            changed = {"asked": asked, "question": asked.question, "open": True, "feedback": ()}
            return await self._show(past.model_copy(update=changed), "harder")
        if not fits:
            return await self._again("no_more")
        rest = tuple(q for q in past.upcoming if q != fits[0])
        changed = {"asked": fits[0], "question": fits[0].question, "upcoming": rest, "open": True, "feedback": ()}
        # Of those left, at least as many as are still to be asked.
        changed["of"] = min(past.of, past.number + len(rest))
        return await self._show(past.model_copy(update=changed), step)

    async def _show(
        self,
        step: InterviewPractice,
        kind: Step,
        *,
        judged: Feedback | None = None,
        left: InterviewQuestion | None = None,
        **more: object,
    ) -> Answer:
        await self._ctx.emit(step)
        answered = self.past.asked if judged and self.past else None
        first = sum(note.words > 0 for note in step.notes) == 1
        facts = PracticeFacts.model_validate(
            {
                "step": kind,
                "role": step.role,
                "company": step.company,
                "number": step.number,
                "of": step.of,
                "question": step.asked,
                "answered": answered,
                "words": judged.words if judged else 0,
                "seconds": judged.seconds if judged else 0,
                "keep": tuple(remark.text for remark in judged.keep) if judged else (),
                "change": tuple(remark.text for remark in judged.change) if judged else (),
                "summary": summary_of(step.notes) if kind in {"finished", "stopped", "verdict"} else (),
                "sources": _used(step, answered or left),
                "left": left,
                "waits": step.open,
                "not_judged": first and answered is not None,
                **more,
            }
        )
        return await self._tell(facts)

    async def _tell(self, facts: PracticeFacts) -> Answer:
        citations = listed_sources(facts.sources)
        if facts.worked:
            # The guide's page follows the sources of the question, as its mark does.
            citations += tuple(citation_for(passage) for passage in facts.worked.passages)
        answer = await self._ctx.reply(self._agent, self._turn, facts, practice_text(facts), citations=citations)
        await self._ctx.emit(quick_replies(self._ctx.message_id, "Go on?", practice_offers(facts)))
        return answer


def difficulty(question: InterviewQuestion) -> int:
    """Openers are easiest; what asks for the work itself, or for what one lacks, is hardest."""
    return {"opening": 1, "behavioural": 2, "role": 3}[question.kind]


def _used(step: InterviewPractice, answered: InterviewQuestion | None) -> tuple[object, ...]:
    """The sources that this step's text cites."""
    cited = {key for question in (step.asked, answered) if question for key in question.citation_ids}
    return tuple(source for source in step.sources if source.id in cited)


def _cautions(found: Findings) -> tuple[str, ...]:
    said = []
    if found.posting_lost:
        said.append(found.posting_lost)
    if found.posting and found.posting.sample:
        said.append("The posting is a fictional sample.")
    if found.guides_unread:
        said.append("I could not look into my guides just now.")
    elif not found.role:
        said.append("You have not named a role, so the questions are general.")
    elif not found.of_role:
        said.append("My guides have no page of their own on this work, so the questions are general.")
    if found.resume_unread:
        said.append("I could not read your CV just now, so no question is made from it.")
    return tuple(said)
