"""Turns what a CV lists into sentences: which highlights to tell, and how a bullet reads in the first person. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from signalbox.agents.letters.background import HeldJob
from signalbox.agents.letters.outreach_text import with_article
from signalbox.agents.letters.plan import LetterPlan, Line, mentions, says
from signalbox.agents.resumes.verbs import gerunds_in_past, in_past, tense_of
from signalbox.retrieval.skills import SkillVocabulary

# A result of more words than this leaves a short message no room for the rest.
_LONGEST_RESULT: Final = 36
_MOST_EXAMPLES: Final = 4
_MOST_OF_ONE: Final = 2
_ADVERB: Final = re.compile(r"^(?P<adverb>[a-z]+ly) (?P<rest>\w.*)$")
# A bullet with a subject of its own is a sentence, and no deed that "I" can stand before.
_SENTENCE: Final = re.compile(r"^(?:\S+ ){1,4}(?:is|are|was|were|has|have)\b")
_PROPER: Final = re.compile(r"^(?:[A-Z]{2,}|[A-Z][a-z]+[A-Z]|\S*\d)")


def examples_for(plan: LetterPlan, vocabulary: SkillVocabulary, about: str = "") -> list[tuple[HeldJob, str]]:
    """Highlights of the CV, those first that show what is asked for, then those with a figure, then the newest; with
    ``about`` only those that share a word with it.
    """
    wanted = {skill.casefold() for skill in plan.post.held}
    words = set(re.findall(r"[a-z]{4,}", (about or plan.post.role).casefold()))
    scored = []
    for age, job in enumerate(plan.background.jobs):
        for place, bullet in enumerate(job.highlights):
            shown = wanted & {skill.casefold() for skill in vocabulary.extract(bullet, loose=True)}
            near = words & set(re.findall(r"[a-z]{4,}", f"{bullet} {job.title}".casefold()))
            said = mentions(bullet, plan.mention)
            if (about and not near) or not tellable(bullet):
                continue
            points = 6 * said + 3 * len(shown) + len(near) + 1.5 * bool(re.search(r"\d", bullet)) - age - 0.1 * place
            scored.append((points, job, bullet))
    scored.sort(key=lambda each: -each[0])
    chosen: list[tuple[HeldJob, str]] = []
    for _, job, bullet in scored:
        if len(chosen) < _MOST_EXAMPLES and sum(job == other for other, _ in chosen) < _MOST_OF_ONE:
            chosen.append((job, bullet))
    # Two of one job stand side by side, so that its name is said once.
    return [pair for job in dict.fromkeys(job for job, _ in chosen) for pair in chosen if pair[0] == job]


def example_words(job: HeldJob, bullet: str, *, again: bool) -> str:
    """``As an analyst at Contoso (from 2019 to 2021), I cut ...``; ``again``: the sentence before was on this job."""
    clause = first_person(bullet, current=job.current)
    if again:
        if clause.startswith("I ") and not clause.startswith(("I am ", "I was ")):
            return f"I also {clause[2:]}."
        return f"{clause[:1].upper()}{clause[1:]}.".replace("My work include", "My work there also include", 1)
    named = f"As {with_article(job.title)}" if job.title else "In my work"
    if job.current:
        named = "In my present role"
    where = f" at {job.company}" if job.company else ""
    when = f" ({job.period})" if job.period else ""
    return f"{named}{where}{when}, {clause}."


def tellable(bullet: str) -> bool:
    return tense_of(bullet) is not None or _SENTENCE.match(bullet) is None


def first_person(bullet: str, *, current: bool) -> str:
    """A bullet of a CV as a clause: ``cut costs by 5%`` is ``I cut costs by 5%``, ``payroll for 90 people`` is
    ``my work included payroll for 90 people``.
    """
    text = re.sub(r"^(?:i|i've|i have)\s+", "", bullet.strip(" ."), flags=re.IGNORECASE)
    text = text.replace("“", "").replace("”", "")
    low = text if _PROPER.match(text) else text[:1].lower() + text[1:]
    if re.match(r"responsible for\b", low, re.IGNORECASE):
        return f"I {'am' if current else 'was'} {low}"
    if (match := _ADVERB.match(low)) and tense_of(match["rest"]) == "past":
        return f"I {low}"
    tense = tense_of(low)
    if tense == "past":
        return f"I {low}"
    if tense == "present":
        return f"I {low if current else in_past(low)}"
    if (past := gerunds_in_past(low)) is not None:
        return f"I {past}"
    return f"my work {'includes' if current else 'included'} {low}"


def example_lines(told: Sequence[tuple[HeldJob, str]], paragraph: int, rank: int) -> list[Line]:
    """Each example as a line, the first of them the weightiest; two of one job in a row name it once."""
    lines: list[Line] = []
    first = ""
    for place, (job, bullet) in enumerate(told):
        again = place > 0 and told[place - 1][0] == job
        text = example_words(job, bullet, again=again)
        first = first if again else text
        lines.append(Line(paragraph, rank + (place + 1 if place else 0), text, needs=first if again else ""))
    return lines


def best_result(jobs: Sequence[HeldJob], wanted: frozenset[str], named: str = "") -> str:
    """The highlight of a CV that a stranger should read: a figure counts, what is asked for too, old jobs less.
    ``named``: the employer that the sentence before has named.
    """
    scored = [
        (2 * bool(re.search(r"\d", bullet)) + sum(says(bullet, w) for w in wanted) - age, -place, job, bullet)
        for age, job in enumerate(jobs)
        for place, bullet in enumerate(job.highlights)
        if tellable(bullet) and len(example_words(job, bullet, again=False).split()) <= _LONGEST_RESULT
    ]
    if not scored:
        return ""
    *_, job, bullet = max(scored, key=lambda each: each[:2])
    if job.company and job.company == named:
        return f"At {named} {first_person(bullet, current=job.current)}."
    return example_words(job, bullet, again=False)
