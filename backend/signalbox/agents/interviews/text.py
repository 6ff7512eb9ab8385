"""The facts of an interview answer and the words for them: questions, advice out of guides, an outline in STAR."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal

from pydantic import computed_field

from signalbox.agents.turn import Facts
from signalbox.agents.words.knowledge_text import Passage, Quote, quoted, source_line
from signalbox.agents.words.own_cv import place_of
from signalbox.agents.words.phrases import counted, listed, plain
from signalbox.blocks import InterviewQuestion, QuestionSource
from signalbox.envelope import Intent
from signalbox.events import Citation
from signalbox.memory.resume.model import WorkItem

_BASES: Final = {"guide": "from my guides", "posting": "from the posting", "cv": "from your CV"}
_SUBJECTS: Final = {
    "ask_them": "questions to ask the interviewer",
    "expect": "that part of an interview",
    "answer": "that question",
    "star": "the STAR method",
}


class CvExample(Facts):
    """A line of the user's CV, with the job it stands under."""

    place: str
    period: str
    line: str


class QuestionFacts(Facts):
    """``numbers``: of each cited source, its number. ``of_role``: the guides have questions for this very work."""

    role: str
    company: str
    stage: str
    kind: str
    questions: tuple[InterviewQuestion, ...]
    sources: tuple[QuestionSource, ...]
    of_role: bool
    guides_unread: bool = False
    posting_lost: str = ""
    sample: bool = False
    resume: Literal["used", "none", "unread", "not_read"] = "none"
    asked_for: int = 0

    @computed_field  # type: ignore[prop-decorator]
    @property
    def number(self) -> int:
        return len(self.questions)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def bases(self) -> dict[str, int]:
        return dict(Counter(question.basis for question in self.questions))


class AdviceFacts(Facts):
    """Advice on ``subject``: what the guides say, quoted, and a line of the CV to tell it with. ``stage``: asked about,
    and no guide speaks of it.
    """

    want: Literal["ask_them", "expect", "answer", "star"]
    subject: str
    state: Literal["found", "nothing", "unavailable"]
    passages: tuple[Passage, ...] = ()
    quotes: tuple[Quote, ...] = ()
    example: CvExample | None = None
    resume: Literal["used", "none", "unread", "not_read", "no_line"] = "none"
    role: str = ""
    stage: str = ""


class NoQuestions(Facts):
    guides_unread: bool
    role: str


def example_of(item: WorkItem, line: str) -> CvExample:
    period = " to ".join(part for part in (item.start or "", "now" if item.current else item.end or "") if part)
    return CvExample(place=place_of(item), period=period, line=line)


def citation_of_source(source: QuestionSource) -> Citation:
    return Citation(
        id=source.id,
        title=source.title,
        source=source.source,
        url=source.url,
        heading=source.heading,
        as_of=source.as_of,
    )


def questions_text(facts: QuestionFacts) -> str:
    numbers = {source.id: number for number, source in enumerate(facts.sources, start=1)}
    lines = [_intro(facts), *_cautions(facts)]
    told = []
    for place, question in enumerate(facts.questions, start=1):
        marks = "".join(f" [{numbers[cited]}]" for cited in question.citation_ids if cited in numbers)
        told.append(f"{place}. **{plain(question.question, 300)}**{marks}")
        if question.hint:
            told.append(f"   {plain(question.hint, 300)}")
    lines.append("\n".join(told))
    if facts.resume == "none":
        lines.append("Upload or paste your CV, and I can also ask about what stands in it.")
    return "\n\n".join(lines)


def nothing_text(facts: NoQuestions) -> str:
    if facts.guides_unread:
        return "I could not look into my guides just now, so I have no questions to give. Please ask again in a moment."
    role = f" for {plain(facts.role)}" if facts.role else ""
    return (
        f"I looked, and my guides hold no interview questions{role}. Show me a posting with a search and I will make "
        "questions from what it asks for."
    )


def advice_text(facts: AdviceFacts) -> str:
    parts: list[str] = []
    if facts.state == "unavailable":
        parts.append(
            f"I could not look into my guides on {_SUBJECTS[facts.want]} just now. Please ask again in a moment."
        )
    elif facts.state == "nothing":
        parts.append(f"I looked, and my guides say nothing on {_SUBJECTS[facts.want]}.")
    else:
        if facts.stage:
            parts.append(f"My guides say nothing on a {facts.stage} as such. What they say on such work:")
        parts += [quoted(quote) for quote in facts.quotes]
    if facts.want in {"answer", "star"}:
        parts.append(_own_example(facts))
    if facts.passages:
        parts.append("\n".join(f"*{source_line(n, p)}*" for n, p in enumerate(facts.passages, start=1)))
    return "\n\n".join(part for part in parts if part)


def outline(example: CvExample) -> str:
    """A line of the CV in the four parts of a told example; what the CV does not say is left to the user."""
    when = f", {example.period}" if example.period else ""
    return (
        f"- **Situation:** {plain(example.place)}{when}. Add in one sentence what was going on.\n"
        "- **Task:** what you had to achieve; your CV does not say, so put it in your own words.\n"
        f"- **Action and result:** “{plain(example.line, 300)}”. Say what you did step by step, then the result."
    )


def offers_of(want: str, role: str, *, company: str = "", posting: bool = False) -> list[tuple[str, str, Intent]]:
    """What to do next, each said so that it can be answered."""
    article = "an" if role[:1].casefold() in set("aeiou") else "a"
    what = f"{article} {role} interview" if role else "an interview"
    practise: tuple[str, str, Intent] = ("Practise with me", f"Practise {what} with me", "interview_prep")
    questions: tuple[str, str, Intent] = ("Likely questions", f"Which questions come up in {what}?", "interview_prep")
    ask_them: tuple[str, str, Intent] = (
        "Questions to ask them",
        "What should I ask the interviewer?",
        "interview_prep",
    )
    if want == "questions":
        third = ask_them
        if company:
            third = (f"Research {company}", f"What should I know about {company}?", "company_research")
        elif role and not posting:
            third = ("See my skill gaps", f"Which skills am I missing for {role} jobs?", "skill_gap")
        return [practise, ask_them, third] if third != ask_them else [practise, ask_them]
    if want == "ask_them":
        return [practise, questions]
    return [practise, questions, ask_them]


def _intro(facts: QuestionFacts) -> str:
    sort = {"behavioural": "behavioural ", "role": "technical "}.get(facts.kind, "")
    role = f" for {plain(facts.role)}" if facts.role else ""
    company = f" at {plain(facts.company)}" if facts.company else ""
    stage = f", with the {facts.stage} in mind" if facts.stage else ""
    made = [f"{facts.bases[basis]} {words}" for basis, words in _BASES.items() if basis in facts.bases]
    origin = (
        f": {listed(made)}"
        if len(made) > 1
        else f", {'all ' if facts.number > 1 else ''}{_BASES[facts.questions[0].basis]}"
    )
    return f"**{counted(facts.number, f'{sort}interview question')}{role}{company}**{stage}{origin}."


def _cautions(facts: QuestionFacts) -> list[str]:
    said = []
    if facts.posting_lost:
        said.append(facts.posting_lost)
    if facts.sample:
        said.append("The posting is a fictional sample.")
    if facts.guides_unread:
        said.append("I could not look into my guides just now, so these rest on the posting and your CV alone.")
    elif not facts.of_role and facts.role and facts.kind != "behavioural":
        said.append(
            f"My guides have no page of their own on {plain(facts.role)} interviews, so most of this is general."
        )
    elif not facts.role:
        said.append("You have not named a role, so these are general. Tell me the role and I can be more exact.")
    if facts.asked_for > len(facts.questions):
        said.append(f"You asked for {facts.asked_for}; I have no more that fit.")
    if facts.resume == "unread":
        said.append("I could not read your CV just now, so nothing here is made from it.")
    return [" ".join(said)] if said else []


def _own_example(facts: AdviceFacts) -> str:
    match facts.resume:
        case "used" if facts.example:
            return f"**With a line of your own CV:**\n{outline(facts.example)}"
        case "no_line":
            return (
                "Your CV has no line that plainly fits this, so choose an example of your own: where it was, what you "
                "had to do, what you did, and how it ended."
            )
        case "unread":
            return "I could not read your CV just now, so I have no example of yours to build on."
        case "none":
            return "I have no CV of yours. Upload or paste it, and I can build this on your own experience."
        case _:
            return ""


def listed_sources(sources: Sequence[QuestionSource]) -> tuple[Citation, ...]:
    return tuple(citation_of_source(source) for source in sources)
