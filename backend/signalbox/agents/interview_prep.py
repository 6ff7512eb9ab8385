"""Prepares for interviews: likely questions, what to ask back, how to answer, and practice one question at a time."""

import asyncio
import re
from collections.abc import Sequence
from typing import ClassVar, Final, Literal

from signalbox.agents.base import TurnContext
from signalbox.agents.interviews.bank import families_of
from signalbox.agents.interviews.practice import Practice, open_practice
from signalbox.agents.interviews.practice_asides import asks_meaning, asks_verdict, is_aside, returns
from signalbox.agents.interviews.practice_words import command_of
from signalbox.agents.interviews.sources import asked_before, choose, gather
from signalbox.agents.interviews.text import (
    AdviceFacts,
    NoQuestions,
    QuestionFacts,
    advice_text,
    example_of,
    listed_sources,
    nothing_text,
    offers_of,
    questions_text,
)
from signalbox.agents.interviews.wish import DEFAULT_LIST, InterviewWish, interview_wish
from signalbox.agents.turn import Answer, HandOver, Turn
from signalbox.agents.words.knowledge_text import Passage, citation_for, fitting, look_up, quote, subject_of
from signalbox.agents.words.own_cv import best_line, nearest_line, read_resume
from signalbox.agents.words.phrases import quick_replies, without_command
from signalbox.blocks import InterviewPractice, InterviewQuestions
from signalbox.envelope import Intent
from signalbox.memory.conversation import PastMessage
from signalbox.memory.resume.model import Resume

# What the guides are asked where the message alone would not lead there, and what tells the right section.
_ASK_THEM: Final = ("What are good questions to ask the interviewer about the job itself?", "good questions job itself")
_STAR: Final = ("How does the STAR method work in behavioural interviews?", "STAR method")
_PREPARE: Final = ("How do I prepare for a job interview?", "prepare job interview")
# A question that is answered by the stage or the role alone.
_NAMES_NOTHING = re.compile(r"\b(?:expect|what happens|what is|what are|like)\b|\bprepare for\b", re.IGNORECASE)
_MOST_QUOTED: Final = 2
# After so many answers of others a bare "continue" is no longer about the practice.
_REMEMBERED: Final = 8
_NEEDS_PRACTICE: Final = frozenset({"skip", "repeat", "stop", "harder", "easier", "another", "verdict"})
# What is asked in the middle of a practice and belongs to others, should the message still arrive here.
_OTHERS: Final[tuple[tuple[re.Pattern[str], Intent], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE), to)
    for pattern, to in (
        (r"\b(?:salar\w*|wages?)\b|\b(?:how much|what)\b.{0,40}\b(?:pays?|paid|earn)\b", "salary"),
        (r"\b(?:find|search|show|list|look for)\b.{0,30}\b(?:jobs?|postings?|vacanc\w+|openings?)\b", "job_search"),
        (r"\b(?:cover letter)\b", "cover_letter"),
        (r"\b(?:review|check|improve)\b.{0,20}\b(?:cv|r[eé]sum[eé])\b", "resume_review"),
    )
)
_THAT: Final = re.compile(
    r"\b(?P<for>for|in|of|with) (?:it|that|this|these|(?:that|this|the) (?:job|role|position|post|one))\b(?! \w)",
    re.IGNORECASE,
)
# Advice is looked for by the user's own words, so a passage may speak of half of them.
_ADVICE_COVER: Final = 0.5


class InterviewPrepAgent:
    """Prepares the user for interviews. Holds the turn while a practice question is open."""

    name: ClassVar[Intent] = "interview_prep"
    label: ClassVar[str] = "Prepare for an interview"
    when_to_use: ClassVar[str] = (
        "The user has or expects an interview: likely questions, how to answer one, what to ask back, what to expect, "
        "a practice interview with feedback."
    )
    examples: ClassVar[tuple[str, ...]] = (
        "Which questions come up in a data analyst interview?",
        "Practise an interview with me",
        "What should I ask the interviewer?",
    )
    instructions: ClassVar[str] = (
        "Give the questions or the feedback in the facts as they are, with their [n] marks; invent no question, no "
        "experience of the user and no score. Feedback quotes the user's own words. End with the open question if "
        "there is one."
    )

    def holds(self, message: str, history: Sequence[PastMessage]) -> bool:
        """A question of a practice is open and the message answers or steers it. While others speak in between, only
        words that can mean nothing else do; a question to the assistant never does.
        """
        newest = _newest_practice(history)
        if newest is None:
            return False
        step, answers_since = newest
        if answers_since == 0:
            told = command_of(message) is not None or asks_meaning(message) or not is_aside(message)
            return (step.open and told) or asks_verdict(message)
        if answers_since > _REMEMBERED:
            return False
        back = step.asked is not None and returns(message)
        return back or (step.open and (asks_verdict(message) or (answers_since == 1 and asks_meaning(message))))

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        message = without_command(turn.message)
        wish = interview_wish(message, turn.profile, turn.history)
        practice = Practice(self, turn, ctx)
        if practice.takes(message, wish, held=self.holds(message, turn.history)):
            return await practice.go_on(message, wish)
        if practice.past and practice.past.open and is_aside(message):
            return await self._beside(practice, wish, turn, ctx)
        return await self._serve(practice, message, wish, turn, ctx)

    async def _beside(self, practice: Practice, wish: InterviewWish, turn: Turn, ctx: TurnContext) -> Answer:
        """A question in the middle of a practice: answered, or passed to who can, with the practice left open."""
        message = without_command(turn.message)
        for rule, to in _OTHERS:
            if rule.search(message):
                reason = "the practice question stays open; say “continue” to come back to it"
                role = practice.past.role if practice.past else ""
                return Answer(text="", hand_over=HandOver(to=to, reason=reason, message=_named(message, role)))
        answer = await self._serve(practice, message, wish, turn, ctx)
        return answer if answer.hand_over or wish.want in {"practice", "resume"} else await practice.aside(answer)

    async def _serve(
        self, practice: Practice, message: str, wish: InterviewWish, turn: Turn, ctx: TurnContext
    ) -> Answer:
        over = practice.past is None or practice.past.asked is None
        if wish.want == "practice" or (wish.want == "resume" and over):
            return await practice.begin(wish)
        if command_of(message) in _NEEDS_PRACTICE:
            return await practice.none_open(wish)
        if wish.want == "thank_you":
            return Answer(text="", hand_over=HandOver(to="followup", reason="thank-you notes are written there"))
        if wish.want in {"ask_them", "expect", "answer", "star"}:
            return await self._advise(wish, turn, ctx)
        return await self._questions(wish, turn, ctx)

    async def _questions(self, wish: InterviewWish, turn: Turn, ctx: TurnContext) -> Answer:
        found = await gather(wish, turn, ctx)
        number = wish.number or DEFAULT_LIST
        questions = choose(found, wish, number, asked_before(turn))
        if not questions:
            nothing = NoQuestions(guides_unread=found.guides_unread, role=found.role)
            return await ctx.reply(self, turn, nothing, nothing_text(nothing))
        sources = found.sources(questions)
        await ctx.emit(InterviewQuestions(role=found.role, company=found.company, questions=questions))
        facts = QuestionFacts(
            role=found.role,
            company=found.company,
            stage=wish.stage,
            kind=wish.kind or "",
            questions=questions,
            sources=sources,
            of_role=found.of_role,
            guides_unread=found.guides_unread,
            posting_lost=found.posting_lost,
            sample=bool(found.posting and found.posting.sample),
            resume=_resume_state(turn, found.resume, unread=found.resume_unread),
            asked_for=number if wish.number else 0,
        )
        answer = await ctx.reply(self, turn, facts, questions_text(facts), citations=listed_sources(sources))
        offers = offers_of("questions", found.role, company=found.company, posting=found.posting is not None)
        await ctx.emit(quick_replies(ctx.message_id, "Go on?", _back(turn, offers)))
        return answer

    async def _advise(self, wish: InterviewWish, turn: Turn, ctx: TurnContext) -> Answer:
        facts = await self._advice(wish, turn, ctx)
        citations = tuple(citation_for(passage) for passage in facts.passages)
        answer = await ctx.reply(self, turn, facts, advice_text(facts), citations=citations)
        await ctx.emit(quick_replies(ctx.message_id, "Go on?", _back(turn, offers_of(wish.want, wish.role))))
        return answer

    async def _advice(self, wish: InterviewWish, turn: Turn, ctx: TurnContext) -> AdviceFacts:
        want = _advised(wish)
        asked = _asked(want, wish)
        looked = await asyncio.gather(*(look_up(ctx, question) for question, _ in asked))
        found: dict[str, Passage] = {}
        for each, (_, subject) in zip(looked, asked, strict=True):
            most = 1 if subject == _PREPARE[1] else _MOST_QUOTED
            for passage in fitting(subject, each.passages, most, _ADVICE_COVER, headed=subject == wish.stage):
                found.setdefault(passage.passage_id, passage)
        passages = tuple(found.values())[: _MOST_QUOTED + 1 if len(asked) > 1 else _MOST_QUOTED]
        failed = any(each.unsure for each in looked)
        state: Literal["found", "nothing", "unavailable"]
        state = "found" if passages else "unavailable" if failed else "nothing"
        resume, unread = await read_resume(turn, ctx) if want in {"answer", "star"} else (None, False)
        line = nearest_line(wish.text, resume) if resume and want == "answer" else best_line(resume) if resume else None
        told = _resume_state(turn, resume, unread=unread)
        return AdviceFacts(
            want=want,
            subject=wish.text,
            state=state,
            passages=passages,
            quotes=tuple(quote(n, passage, wish.text) for n, passage in enumerate(passages, start=1)),
            example=example_of(*line) if line else None,
            resume="no_line" if told == "used" and line is None else told,
            role=wish.role,
            stage=wish.stage if want == "expect" and not _speaks_of(wish.stage, passages) else "",
        )


def _back(turn: Turn, offers: list[tuple[str, str, Intent]]) -> list[tuple[str, str, Intent]]:
    """With the way back to an interview that waits, if one does."""
    step = open_practice(turn.history)
    if step is None or not step.open:
        return offers
    return [("Back to the interview", "Continue the interview", "interview_prep"), *offers[1:]]


def _named(message: str, role: str) -> str | None:
    """The question with the role of the practice in it, where it says no more than "that"."""
    return _THAT.sub(lambda match: f"{match['for']} {role} jobs", message, count=1) if role else None


def _newest_practice(history: Sequence[PastMessage]) -> tuple[InterviewPractice, int] | None:
    """The newest step of a practice, and how many answers others have given since."""
    answers = 0
    for past in reversed(history):
        if (step := open_practice([past])) is not None:
            return step, answers
        answers += past.role == "assistant"
    return None


def _speaks_of(stage: str, passages: Sequence[Passage]) -> bool:
    telling = subject_of(stage) - subject_of("interview")
    return not telling or any(telling & subject_of(f"{each.heading} {each.text}") for each in passages)


def _advised(wish: InterviewWish) -> Literal["ask_them", "expect", "answer", "star"]:
    match wish.want:
        case "ask_them" | "answer" | "star":
            return wish.want
        case _:
            return "expect"


def _asked(want: str, wish: InterviewWish) -> list[tuple[str, str]]:
    """What to ask the guides, each with the words that a section must speak of."""
    if want in {"ask_them", "star"}:
        return [_ASK_THEM if want == "ask_them" else _STAR]
    if want == "answer":
        return [(wish.text, wish.text)]
    asked = [(f"What happens in a {wish.stage}?", wish.stage)] if wish.stage else []
    if wish.kind == "behavioural":
        asked.append(("What is a behavioural interview?", "behavioural interview"))
    if wish.named:
        asked += [
            (f"What do {name} interviews test? What do employers look for?", f"{title} test look for")
            for name, title in families_of(wish.role)
        ]
    if not asked or not _NAMES_NOTHING.search(wish.text):
        asked.append((wish.text, wish.text))
    return [*asked, _PREPARE] if wish.stage else asked


def _resume_state(turn: Turn, resume: Resume | None, *, unread: bool) -> Literal["used", "none", "unread", "not_read"]:
    if turn.temporary:
        return "not_read"
    return "unread" if unread else "used" if resume else "none"
