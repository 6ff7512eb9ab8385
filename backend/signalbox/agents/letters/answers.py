"""Answers the questions of application forms out of the same facts as a letter. Pure."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, Literal

from signalbox.agents.letters.examples import example_lines, example_words, examples_for
from signalbox.agents.letters.plan import LetterPlan, Line, fitted, paragraphs
from signalbox.agents.letters.text import aside_lines, company_lines, match_lines, who_words
from signalbox.agents.words.phrases import listed
from signalbox.retrieval.skills import SkillVocabulary

Asked = Literal["why_here", "why_you", "example", "statement"]

DEFAULT_WORDS: Final = 150
STATEMENT_WORDS: Final = 350
_WHY_HERE = re.compile(
    r"\bwhy (?:do you want|are you (?:interested|applying)|would you like|this|us\b|our|did you (?:apply|"
    r"choose))|what attracts|"
    r"\bwhy\b.{0,40}\b(?:work (?:for|at|here|with)|join)\b",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"\b(?:describe|tell us about|give (?:us )?an example|example of|a time|an occasion|experience (?:of |"
    r"in )?\w+ing)\b",
    re.IGNORECASE,
)
_STATEMENT = re.compile(r"\b(?:supporting|personal) (?:statement|information)\b", re.IGNORECASE)
_ASKED_FOR: Final = re.compile(
    r"^(?:please )?(?:describe|tell us about|give (?:us )?an example of)?\s*(?:a time|an occasion|"
    r"a situation)?\s*(?:when|where|in which|that)?\s*(?:you|your)?\s*",
    re.IGNORECASE,
)


def kind_of(question: str) -> Asked:
    if _STATEMENT.search(question):
        return "statement"
    if _EXAMPLE.search(question):
        return "example"
    return "why_here" if _WHY_HERE.search(question) else "why_you"


def write_answer(plan: LetterPlan, vocabulary: SkillVocabulary) -> str:
    """The answer, without salutation and signature."""
    kind = kind_of(plan.question)
    limit = plan.max_words or (STATEMENT_WORDS if kind == "statement" else DEFAULT_WORDS)
    limit = plan.bounds[1] if plan.bounds else max(30, int(limit * (0.7 if plan.steps < 0 else 1.0)))
    lines = {"why_here": _why_here, "why_you": _why_you, "example": _example, "statement": _statement}[kind]
    return "\n\n".join(paragraphs(fitted(list(lines(plan, vocabulary)), int(limit * 0.6), limit)))


def _why_here(plan: LetterPlan, vocabulary: SkillVocabulary) -> Iterator[Line]:
    company = plan.post.company or "[company]"
    if plan.post.about or plan.post.quote:
        quote = plan.post.about or plan.post.quote
        where = f"{company} says of itself" if plan.post.about else "Your advertisement says"
        yield Line(
            0,
            0,
            f"{where}: “{quote}” I want to work for {company} because [one sentence on what that has to do with you].",
        )
    else:
        yield Line(
            0,
            0,
            f"I want to work for {company} because [one true, specific reason: a product, a way of working, a plan].",
        )
    yield from (replace(line, paragraph=0) for line in company_lines(plan) if line.rank == 5)
    if plan.post.held:
        held = "it is" if len(plan.post.held) == 1 else "these are"
        yield Line(
            1,
            1,
            f"The work also fits what I bring: you ask for {listed(plan.post.held)}, and {held} part of what I do.",
        )
    yield from example_lines(examples_for(plan, vocabulary)[:3], 1, 2)
    if not plan.background.jobs:
        yield Line(1, 2, who_words(plan))
    yield Line(2, 4, "In the first year I would like to [what you want to contribute or learn].", filler=True)


def _why_you(plan: LetterPlan, vocabulary: SkillVocabulary) -> Iterator[Line]:
    yield Line(0, 0, who_words(plan))
    yield from (Line(0 if line.rank < 3 else 1, line.rank, line.text) for line in match_lines(plan, vocabulary))
    yield Line(
        2, 5, "What sets me apart from others with the same background is [one thing that is true of you].", filler=True
    )


def _example(plan: LetterPlan, vocabulary: SkillVocabulary) -> Iterator[Line]:
    topic = _ASKED_FOR.sub("", plan.question).strip(' ?.!"').strip()
    found = examples_for(plan, vocabulary, about=topic)
    if found:
        yield Line(0, 0, example_words(*found[0], again=False))
        yield Line(0, 1, "The situation was this: [what was at stake, and for whom].")
    else:
        yield Line(0, 0, f"[When and where: one occasion that shows this: {topic or 'what is asked'}.]")
        yield Line(0, 1, "The situation was this: [what was at stake, and for whom].")
    yield Line(1, 1, "My own part in it was [what you did yourself, step by step].")
    yield Line(1, 2, "The result was [what came of it, with a number if there is one].")
    yield Line(2, 3, "What I took from it is [one thing you would do the same way again, or differently].")


def _statement(plan: LetterPlan, vocabulary: SkillVocabulary) -> Iterator[Line]:
    role = plan.post.role or "[role]"
    where = f" at {plan.post.company}" if plan.post.company else ""
    yield Line(0, 0, f"This statement supports my application for the post of {role}{where}.")
    yield Line(0, 1, who_words(plan))
    yield from match_lines(plan, vocabulary)
    yield from aside_lines(plan)
    yield from company_lines(plan)
