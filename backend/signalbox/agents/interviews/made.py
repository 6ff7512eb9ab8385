"""Interview questions made from a posting and from a CV: each rests on words that stand there. Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from signalbox.agents.skills.target import GENERIC, names_role
from signalbox.agents.words.own_cv import place_of, telling_lines
from signalbox.blocks import InterviewQuestion
from signalbox.memory.resume.model import Resume, WorkItem
from signalbox.retrieval.index import JobHit
from signalbox.retrieval.skills import SkillVocabulary

_MOST_SKILLS: Final = 6
_MOST_REQUIREMENTS: Final = 4
_MOST_BULLETS: Final = 4
# A shorter line is a heading, a longer one no single requirement.
_LINE_WORDS: Final = range(5, 32)
_GAP_MONTHS: Final = 6
_FORMAL = re.compile(
    r"\b(?:salary|pay|benefits?|pension|equal opportunit\w+|apply|deadline|cv|visa|citizen\w*|right to work|bonus|"
    r"holiday|we offer|perks)\b",
    re.IGNORECASE,
)
_MARK = re.compile(r"^\s*(?:[-*•·]|\d+[.)])\s*")
_NUMBER = re.compile(r"\d")


def from_posting(
    posting: JobHit, owned: Sequence[str], resume: Resume | None, vocabulary: SkillVocabulary
) -> tuple[InterviewQuestion, ...]:
    """Questions about what the posting asks for: its requirements in its own words, then its skills."""
    title = posting.title
    made = [
        InterviewQuestion(
            question=f"The advert asks for “{line}”. How do you meet that? Please give one example.",
            why=f"Stands in the posting “{title}” at {posting.company}.",
            hint="A real occasion, your own part in it, and how it ended.",
            kind="behavioural",
            basis="posting",
            citation_ids=(posting.job_id,),
        )
        for line in _requirements(posting)
    ]
    own = {skill.casefold() for skill in owned}
    asked = [skill for skill in posting.skills if skill not in GENERIC and not names_role(skill, title)]
    skills = [_skill_question(posting, skill, own, resume, vocabulary) for skill in asked]
    return tuple(_alternating(skills[:_MOST_SKILLS], made[:_MOST_REQUIREMENTS]))


def from_resume(resume: Resume) -> tuple[InterviewQuestion, ...]:
    """Questions about lines of the CV, about a gap between two jobs, and about leaving."""
    made = [
        InterviewQuestion(
            question=f"Your CV says “{_cut(line)}”. How did you do that, and how do you know that it worked?",
            why=f"A line of your CV, under {place_of(item)}.",
            hint="The problem, your own steps, and how the result was measured.",
            kind="behavioural",
            basis="cv",
        )
        for item, line in telling_lines(resume)
    ][:_MOST_BULLETS]
    for earlier, later in _gaps(resume):
        made.append(
            InterviewQuestion(
                question=(
                    f"What did you do between {place_of(earlier)} (until {earlier.end}) and {place_of(later)} (from "
                    f"{later.start})?"
                ),
                why="Your CV shows some months between these two jobs.",
                hint="Short and calm: what it was, what you kept up or learned, and that you are ready now.",
                kind="opening",
                basis="cv",
            )
        )
    current = next((item for item in resume.work if item.current and item.company), None)
    if current:
        made.append(
            InterviewQuestion(
                question=f"Why do you want to leave {current.company}?",
                why=f"Your CV says that you work at {current.company} now.",
                hint="Brief, fair to the employer, and about what you are moving towards.",
                kind="opening",
                basis="cv",
            )
        )
    return tuple(made)


def _skill_question(
    posting: JobHit, skill: str, own: set[str], resume: Resume | None, vocabulary: SkillVocabulary
) -> InterviewQuestion:
    where = _shown_in(skill, resume, vocabulary)
    if where:
        question = f"The posting asks for {skill}, and your CV shows it as {where}. What was the hardest part?"
        why = f"{posting.company} asks for {skill}; your CV has it."
        hint = "One concrete problem, what you tried, and what you would do differently now."
    elif skill.casefold() in own:
        question = f"The posting asks for {skill}. When did you last use it, and for what?"
        why = f"{posting.company} asks for {skill}; it is in your profile."
        hint = "A recent occasion, how much of it was yours, and the result."
    elif vocabulary.field(skill) == "languages":
        question = f"The posting asks for {skill}. How well do you speak it, and where have you used it at work?"
        why = f"{posting.company} asks for {skill}; I know of none of it from you."
        hint = "Your level as it is, and one situation in which you got by or did not."
    else:
        question = f"The posting asks for {skill}. How well do you know it, and how would you get up to speed?"
        why = f"{posting.company} asks for {skill}; I know of none of it from you."
        hint = (
            "Say plainly where your limit is, name the nearest thing you have done, and how you would learn the rest."
        )
    return InterviewQuestion(
        question=question, why=why, hint=hint, kind="role", basis="posting", citation_ids=(posting.job_id,)
    )


def _shown_in(skill: str, resume: Resume | None, vocabulary: SkillVocabulary) -> str:
    for item in resume.work if resume else ():
        if skill in vocabulary.extract("\n".join((item.title, *item.highlights))):
            return place_of(item)
    return ""


def _requirements(posting: JobHit) -> list[str]:
    text = posting.requirements or posting.description
    lines = (_MARK.sub("", line).strip() for line in re.split(r"[\n•]|(?<=[.;])\s+(?=[A-Z])", text))
    kept = [line.rstrip(".;") for line in lines if len(line.split()) in _LINE_WORDS and not _FORMAL.search(line)]
    # A description tells of the employer too; only the list of requirements is what is asked of the reader.
    return list(dict.fromkeys(kept)) if posting.requirements else []


def _gaps(resume: Resume) -> list[tuple[WorkItem, WorkItem]]:
    dated = sorted((item for item in resume.work if item.start), key=lambda item: item.start or "")
    found = []
    for earlier, later in pairwise(dated):
        # A year alone may mean January or December: only months tell a gap.
        if earlier.end and later.start and len(earlier.end) == len(later.start) == len("2024-01"):
            months = _month(later.start) - _month(earlier.end)
            if months >= _GAP_MONTHS:
                found.append((earlier, later))
    return found[-1:]


def _month(moment: str) -> int:
    return int(moment[:4]) * 12 + int(moment[5:7])


def _cut(line: str) -> str:
    return line if len(line) <= 160 else f"{line[:159].rstrip()}…"


def _alternating(
    first: Sequence[InterviewQuestion], second: Sequence[InterviewQuestion]
) -> Iterator[InterviewQuestion]:
    for at in range(max(len(first), len(second))):
        yield from first[at : at + 1]
        yield from second[at : at + 1]
