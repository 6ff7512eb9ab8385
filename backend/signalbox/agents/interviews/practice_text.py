"""The facts of a step of a practice interview and the words for them."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal

from signalbox.agents.base import Facts
from signalbox.agents.interviews.text import CvExample, outline
from signalbox.agents.words.phrases import counted, listed, plain
from signalbox.blocks import InterviewQuestion, PracticeNote, QuestionSource
from signalbox.envelope import Intent

Step = Literal[
    "begun", "answered", "skipped", "repeated", "replaced", "harder", "easier", "helped", "stopped", "resumed",
    "finished", "nothing", "no_more", "none_open",
]  # fmt: skip

# What a summary says of a remark that came back.
_OFTEN: Final = {
    "no result": "the result was missing",
    "result without a number": "the result had no figure",
    "no own action": "your own steps were missing",
    "no situation": "the situation was missing",
    "no task": "the task was missing",
    "general statement": "a general statement stood where an example would do",
    "no example": "no example stood behind it",
    "no reason": "no reason was given",
    "we rather than I": "you said “we” where “I” was asked",
    "too short": "the answer was short",
    "too long": "the answer was long",
    "fillers": "fillers crept in",
    "hedging": "you hedged",
    "negative talk": "you spoke ill of an employer or colleagues",
    "off the question": "the answer left the question",
    "no answer": "you had no answer ready",
}
_GOOD: Final = {
    "all four parts": "all four parts of the example were there",
    "own action": "you said what you did yourself",
    "result with a number": "the result had a figure",
    "reason given": "you gave reasons",
    "example given": "you were concrete",
    "good length": "the length was right",
}
_HOW: Final = (
    "Answer as you would aloud. You can also say “skip”, “repeat”, “harder”, “how would you answer it?” or “stop”."
)


class PracticeFacts(Facts):
    """One step: ``feedback`` on the answer just given, the ``question`` that is open now (None: none is)."""

    step: Step
    role: str
    company: str
    number: int = 0
    of: int = 0
    question: InterviewQuestion | None = None
    answered: InterviewQuestion | None = None
    words: int = 0
    seconds: int = 0
    keep: tuple[str, ...] = ()
    change: tuple[str, ...] = ()
    summary: tuple[str, ...] = ()
    sources: tuple[QuestionSource, ...] = ()
    example: CvExample | None = None
    cautions: tuple[str, ...] = ()
    not_judged: bool = False


def practice_text(facts: PracticeFacts) -> str:
    parts = [_lead(facts)]
    if facts.cautions:
        parts.append(" ".join(facts.cautions))
    if facts.step in {"answered", "finished"} and facts.answered:
        parts.append(_feedback(facts))
    if facts.step == "helped" and facts.question:
        parts.append(_help(facts))
    if facts.step in {"finished", "stopped"}:
        parts.append("\n".join(facts.summary))
    if facts.question and facts.step != "stopped":
        parts.append(_asked(facts))
    if facts.step in {"begun", "resumed"}:
        parts.append(_HOW)
    return "\n\n".join(part for part in parts if part)


def practice_offers(facts: PracticeFacts) -> list[tuple[str, str, Intent]]:
    """Quick replies of a step: each is understood while the question is open."""
    role = facts.role
    if facts.step == "stopped":
        return [("Continue the interview", "Continue the interview", "interview_prep")]
    if facts.step in {"finished", "nothing", "none_open"}:
        article = "an" if role[:1].casefold() in set("aeiou") else "a"
        what = f"{article} {role} interview" if role else "an interview"
        return [
            (
                "Practise with me" if facts.step == "none_open" else "Another round",
                f"Practise {what} with me",
                "interview_prep",
            ),
            ("Questions to ask them", "What should I ask the interviewer?", "interview_prep"),
        ]
    if facts.step == "helped":
        return [("Skip it", "Skip", "interview_prep"), ("Stop", "Stop", "interview_prep")]
    return [
        ("How would you answer it?", "How would you answer it?", "interview_prep"),
        ("Skip it", "Skip", "interview_prep"),
        ("Stop", "Stop", "interview_prep"),
    ]


def _lead(facts: PracticeFacts) -> str:  # noqa: C901, PLR0911 - one return a step
    role = f" for {plain(facts.role)}" if facts.role else ""
    company = f" at {plain(facts.company)}" if facts.company else ""
    match facts.step:
        case "begun":
            return (
                f"Let us practise{role}{company}: {counted(facts.of, 'question')}, one at a time, with feedback on "
                f"each."
            )
        case "resumed":
            return f"We go on with the practice interview{role}{company}."
        case "skipped":
            return "Skipped."
        case "replaced":
            return "Another one instead."
        case "harder":
            return "A harder one."
        case "easier":
            return "An easier one."
        case "no_more":
            return "I have no other question of that sort left, so this one stays."
        case "stopped":
            return "All right, we stop here."
        case "none_open":
            return "No practice interview is open. Say “practise with me”, and for which role, to start one."
        case "nothing":
            return "I have no questions to practise with just now."
        case _:
            return ""


def _asked(facts: PracticeFacts) -> str:
    assert facts.question is not None, "only called with an open question"
    marks = "".join(f" {mark}" for mark in _marks(facts.question, facts.sources))
    return f"**Question {facts.number} of {facts.of}:** {plain(facts.question.question, 300)}{marks}"


def _marks(question: InterviewQuestion, sources: Sequence[QuestionSource]) -> list[str]:
    numbers = {source.id: number for number, source in enumerate(sources, start=1)}
    return [f"[{numbers[cited]}]" for cited in question.citation_ids if cited in numbers]


def _feedback(facts: PracticeFacts) -> str:
    assert facts.answered is not None, "only called after an answer"
    aloud = f", about {facts.seconds} seconds aloud" if facts.seconds else ""
    lines = [f"{counted(facts.words, 'word')}{aloud}.", ""]
    if facts.keep:
        lines += ["**Keep:**", *(f"- {_capital(text)}" for text in facts.keep)]
    if facts.change:
        lines += ["**Change:**", *(f"- {_capital(text)}" for text in facts.change)]
    elif facts.keep:
        lines.append("I see nothing to change in how it is told.")
    if facts.answered.hint:
        marks = "".join(f" {mark}" for mark in _marks(facts.answered, facts.sources))
        lines += ["", f"Hold it against this yourself: {plain(facts.answered.hint, 300)}{marks}"]
    if facts.not_judged:
        lines += ["", "Whether the content is right I cannot judge; I only look at how it is told."]
    return "\n".join(lines)


def _help(facts: PracticeFacts) -> str:
    question = facts.question
    assert question is not None, "only called with an open question"
    lines = []
    if question.hint:
        marks = "".join(f" {mark}" for mark in _marks(question, facts.sources))
        lines.append(f"{plain(question.hint, 300)}{marks}")
    if facts.example:
        lines.append(f"With a line of your own CV:\n{outline(facts.example)}")
    else:
        lines.append(
            "I have no line of yours to build on here, and I will not invent one. As an outline: where it was, what "
            "you had to do, what you did step by step, and how it ended."
        )
    lines.append("Now you: answer it in your own words, or say “skip”.")
    return "\n\n".join(lines)


def summary_of(notes: Sequence[PracticeNote]) -> tuple[str, ...]:
    """What came back in the answers, as lines of Markdown."""
    answered = [note for note in notes if note.words]
    skipped = len(notes) - len(answered)
    if not answered:
        return ("You answered no question this time, so there is nothing to sum up.",)
    words = round(sum(note.words for note in answered) / len(answered))
    lines = [
        f"**Summary:** {counted(len(answered), 'question')} answered"
        + (f", {skipped} skipped" if skipped else "")
        + f", {counted(words, 'word')} each on average."
    ]
    kept = Counter(name for note in answered for name in note.keep)
    changed = Counter(name for note in answered for name in note.change)
    lines += [f"- Keep: {_GOOD[name]} ({_of(n, answered)})." for name, n in kept.most_common(2) if name in _GOOD]
    lines += [
        f"- Work on: {_OFTEN[name]} ({_of(n, answered)})." for name, n in changed.most_common(3) if name in _OFTEN
    ]
    full = [note.question for note in answered if len(note.star) == 4]
    if full:
        lines.append(f"- A told example with all four parts: {listed([f'“{plain(q, 120)}”' for q in full[:2]])}.")
    return tuple(lines)


def _of(number: int, answered: Sequence[PracticeNote]) -> str:
    return f"{number} of {counted(len(answered), 'answer')}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
