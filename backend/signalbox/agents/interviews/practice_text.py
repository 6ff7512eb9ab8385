"""The facts of a step of a practice interview and the words for them."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal

from signalbox.agents.interviews.practice_outline import Worked, worked_text
from signalbox.agents.interviews.text import CvExample, outline
from signalbox.agents.turn import Facts
from signalbox.agents.words.phrases import counted, listed, plain
from signalbox.blocks import InterviewQuestion, PracticeNote, QuestionSource
from signalbox.envelope import Intent

Step = Literal[
    "begun", "answered", "skipped", "unknown", "repeated", "explained", "replaced", "harder", "hardest", "easier",
    "helped", "stopped", "verdict", "resumed", "finished", "nothing", "no_more", "none_open",
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


_LEADS: Final[dict[Step, str]] = {
    "skipped": "Skipped.",
    "unknown": "That is fine: nobody has an answer to everything, and saying so is better than guessing.",
    "replaced": "Another one instead.",
    "harder": "A harder one.",
    "hardest": "I have nothing harder than that sort, so here is another of it.",
    "easier": "An easier one.",
    "no_more": "I have no other question of that sort left, so this one stays.",
    "stopped": "All right, we stop here.",
    "none_open": "No practice interview is open. Say “practise with me”, and for which role, to start one.",
    "nothing": "I have no questions to practise with just now.",
}


class PracticeFacts(Facts):
    """One step: feedback on the answer just given, the ``question`` that is open now (None: none is). ``left``: the
    one that the user had no answer to. ``waits``: an answer is waited for. ``worked``: how to answer it.
    """

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
    worked: Worked | None = None
    left: InterviewQuestion | None = None
    waits: bool = True
    cautions: tuple[str, ...] = ()
    not_judged: bool = False


def practice_text(facts: PracticeFacts) -> str:
    parts = [_lead(facts)]
    if facts.cautions:
        parts.append(" ".join(facts.cautions))
    if facts.step in {"answered", "finished"} and facts.answered:
        parts.append(_feedback(facts))
    if facts.left:
        parts.append(_hint(facts))
    if facts.step == "helped" and facts.question:
        parts.append(_help(facts))
    if facts.step == "explained" and facts.question:
        parts.append(_meaning(facts))
    if facts.step in {"finished", "stopped", "verdict"}:
        parts.append("\n".join(facts.summary))
    if facts.question and facts.waits:
        parts.append(_asked(facts))
    if facts.step in {"begun", "resumed"}:
        parts.append(_HOW)
    return "\n\n".join(part for part in parts if part)


def practice_offers(facts: PracticeFacts) -> list[tuple[str, str, Intent]]:
    """Quick replies of a step: each is understood while the question is open."""
    role = facts.role
    if facts.step == "stopped" or (facts.step == "verdict" and facts.question and not facts.waits):
        return [("Continue the interview", "Continue the interview", "interview_prep")]
    if facts.step in {"finished", "nothing", "none_open"} or not facts.question:
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


def _lead(facts: PracticeFacts) -> str:
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
        case _:
            return _LEADS.get("unknown" if facts.left else facts.step, "")


def _asked(facts: PracticeFacts) -> str:
    assert facts.question is not None, "only called with an open question"
    marks = "".join(f" {mark}" for mark in _marks(facts.question, facts.sources))
    return f"**Question {facts.number} of {facts.of}:** {plain(facts.question.question, 300)}{marks}"


def _marks(question: InterviewQuestion, sources: Sequence[QuestionSource]) -> list[str]:
    numbers = {source.id: number for number, source in enumerate(sources, start=1)}
    return [f"[{numbers[cited]}]" for cited in question.citation_ids if cited in numbers]


def _feedback(facts: PracticeFacts) -> str:
    assert facts.answered is not None, "only called after an answer"
    lines: list[str] = []
    if facts.keep:
        lines += ["**Keep:**", *(f"- {_capital(text)}" for text in facts.keep)]
    if facts.keep:
        lines.append("")  # a list ends at an empty line only
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


def _hint(facts: PracticeFacts) -> str:
    """What would have been a way to answer the question that was left."""
    left = facts.left
    assert left is not None, "only called for a question that was left"
    marks = "".join(f" {mark}" for mark in _marks(left, facts.sources))
    good = f" {plain(left.hint, 300)}{marks}" if left.hint else ""
    nearest = "In an interview, say it in one sentence and go on to the nearest thing that you have done."
    return f"For next time, “{plain(left.question, 200)}”:{good} {nearest}"


def _meaning(facts: PracticeFacts) -> str:
    question = facts.question
    assert question is not None, "only called with an open question"
    after = {
        "opening": "It is an opener: it asks who you are and what you want, in a minute or two.",
        "behavioural": "It asks for one real occasion: where it was, what you had to do, what you did, how it ended.",
        "role": "It asks what you know of the work and how you would go about it, best with an example.",
    }[question.kind]
    marks = "".join(f" {mark}" for mark in _marks(question, facts.sources))
    return f"{after} {plain(question.hint, 300)}{marks}".strip() if question.hint else after


def _help(facts: PracticeFacts) -> str:
    question = facts.question
    assert question is not None, "only called with an open question"
    lines = []
    marks = "".join(f" {mark}" for mark in _marks(question, facts.sources))
    points = facts.worked.points if facts.worked else ()
    if len(points) > 1:
        rows = [f"{place}. {plain(point, 300)}" for place, point in enumerate(points, start=1)]
        lines.append("\n".join([f"A good answer does {counted(len(rows), 'thing')}, in this order:{marks}", *rows]))
    elif question.hint:
        lines.append(f"{plain(question.hint, 300)}{marks}")
    if facts.worked and (worked := worked_text(facts.worked, len(facts.sources) + 1)):
        lines.append(worked)
    if facts.example:
        lead = "An example to bring" if question.kind == "role" else "With a line of your own CV"
        lines.append(f"{lead}:\n{outline(facts.example)}")
    elif not (facts.worked and (facts.worked.about_you or facts.worked.quotes)):
        lines.append(_bare_outline(question))
    lines.append("Now you: answer it in your own words, or say “skip”.")
    return "\n\n".join(lines)


def _bare_outline(question: InterviewQuestion) -> str:
    if question.kind == "role":
        return (
            "I have no line of yours to build on here, and I will not invent one. As an outline: your answer in one "
            "sentence, the reason for it, one occasion from your work that shows it, and where it stops being true."
        )
    if question.kind == "opening":
        return (
            "I have no line of yours to build on here, and I will not invent one. As an outline: where you stand now, "
            "the one thing you are known for, and why this post comes next."
        )
    return (
        "I have no line of yours to build on here, and I will not invent one. As an outline: where it was, what "
        "you had to do, what you did step by step, and how it ended."
    )


def summary_of(notes: Sequence[PracticeNote]) -> tuple[str, ...]:
    """What came back in the answers, as lines of Markdown."""
    answered = [note for note in notes if note.words]
    skipped = len(notes) - len(answered)
    if not answered:
        return ("You answered no question this time, so there is nothing to sum up.",)
    lines = [
        f"**Summary:** {counted(len(answered), 'question')} answered" + (f", {skipped} left out." if skipped else ".")
    ]
    kept = Counter(name for note in answered for name in note.keep)
    changed = Counter(name for note in answered for name in note.change)
    lines += [f"- Keep: {_GOOD[name]} ({_of(n, answered)})." for name, n in kept.most_common(2) if name in _GOOD]
    lines += [
        f"- Work on: {_OFTEN[name]} ({_of(n, answered)})." for name, n in changed.most_common(3) if name in _OFTEN
    ]
    full = [note.question for note in answered if len(note.star) == 4 and "off the question" not in note.change]
    if full:
        lines.append(f"- A told example with all four parts: {listed([f'“{plain(q, 120)}”' for q in full[:2]])}.")
    return tuple(lines)


def _of(number: int, answered: Sequence[PracticeNote]) -> str:
    return f"{number} of {counted(len(answered), 'answer')}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
