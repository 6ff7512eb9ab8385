"""What is weak in a CV and what is strong, by rules that quote it. Pure.

Nothing is judged that cannot be pointed at: every finding names its section and says what to do.
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final, Literal

from signalbox.agents.resumes.bullets import (
    MOST_WORDS,
    Bullet,
    Fault,
    Judged,
    bullets_of,
    buzzwords_in,
    has_number,
    has_result,
    is_first_person,
    judged,
    misspellings_in,
    rewritten,
    weakest,
)
from signalbox.agents.words.phrases import counted, listed
from signalbox.blocks import ResumeFinding
from signalbox.memory.resume.dates import gaps, month_number, months_between
from signalbox.memory.resume.model import PASTED, Resume, WorkItem
from signalbox.retrieval.skills import SkillVocabulary

Severity = Literal["high", "medium", "low"]

MOST_FINDINGS: Final = 30
MOST_REWRITES: Final = 8
LONG_SUMMARY: Final = 80
SHORT_SUMMARY: Final = 12
LONG_CV: Final = 1_000
SHORT_CV: Final = 150
LONG_GAP: Final = 6
MANY_BULLETS: Final = 8
MANY_SKILLS: Final = 30
_EXPERIENCED: Final = 36
_RANK: Final[dict[str, int]] = {"high": 0, "medium": 1, "low": 2}
_AVAILABLE: Final = re.compile(r"\b(?:available|provided|furnished|supplied|given)\b.{0,20}\brequest\b", re.IGNORECASE)
_FAULTS: Final[dict[Fault, tuple[str, str]]] = {
    "weak_opener": ("opens with a duty rather than a deed", "Open with what you did"),
    "no_result": ("gives no result or number", "Say what came of it, or how much, how many, how often"),
    "first_person": ("speaks in the first person", "Leave “I” and “my” out"),
    "long": (f"runs to more than {MOST_WORDS} words", "Split it: one bullet, one achievement"),
    "short": ("is too short to say anything", "Say what, for whom and with what result"),
    "present_tense": ("is in the present tense although the job is over", "Use the past tense"),
    "buzzword": ("uses a stock phrase", "Replace the phrase by an example that shows it"),
}


def findings_of(resume: Resume, vocabulary: SkillVocabulary, today: date) -> tuple[ResumeFinding, ...]:
    """The weightiest first; of equal weight in the order in which a reader would meet them."""
    bullets = bullets_of(resume)
    found = [
        *_contact(resume),
        *_summary(resume),
        *_work(resume, today),
        *_all_bullets(bullets),
        *_each_bullet(bullets),
        *_skills(resume, vocabulary),
        *_order(resume, today),
        *_rest(resume),
    ]
    return tuple(sorted(found, key=lambda each: _RANK[each.severity])[:MOST_FINDINGS])


def _finding(section: str, severity: Severity, finding: str, suggestion: str, quote: str = "") -> ResumeFinding:
    return ResumeFinding(section=section, severity=severity, finding=finding, suggestion=suggestion, quote=quote)


def _contact(resume: Resume) -> Iterator[ResumeFinding]:
    seen = set(resume.contact)
    missing = [name for kind, name in (("email", "e-mail address"), ("phone", "phone number")) if kind not in seen]
    if missing and resume.source != PASTED:
        severity: Severity = "high" if "email" not in seen else "low"
        yield _finding(
            "Contact", severity, f"I found no {listed(missing, 'or')}.", "Put it on the first line under your name."
        )
    if "odd_email" in seen:
        yield _finding(
            "Contact", "medium", "The e-mail address looks private rather than professional.",
            "Use one made of your name.",
        )  # fmt: skip
    kept = [
        name for kind, name in (("private", "birth date, age or nationality"), ("photo", "a photo")) if kind in seen
    ]
    if kept:
        yield _finding(
            "Contact", "low", f"It gives {listed(kept)}.",
            "In the UK, Ireland, the US and Canada leave that out: it invites bias, and some employers reject it.",
        )  # fmt: skip
    if "street" in seen:
        yield _finding("Contact", "low", "It gives your full address.", "Town and region are enough.")


def is_whole(resume: Resume) -> bool:
    """Not a mere extract, from which nothing can be missing."""
    return resume.source != PASTED or len(resume.sections) > 1


def _summary(resume: Resume) -> Iterator[ResumeFinding]:
    words = len(resume.summary.split())
    if not words:
        if is_whole(resume):
            yield _finding(
                "Summary", "medium", "There is no summary at the top.",
                "Open with two or three lines: what you are, your strongest proof, what you are looking for.",
            )  # fmt: skip
        return
    if words > LONG_SUMMARY:
        yield _finding(
            "Summary", "medium", f"The summary has {words} words.", "Cut it to about 50: two or three lines.",
            resume.summary[:200],
        )  # fmt: skip
    elif words < SHORT_SUMMARY:
        yield _finding(
            "Summary", "low", f"The summary has only {counted(words, 'word')}.",
            "Add your strongest proof and what you are looking for.", resume.summary,
        )  # fmt: skip
    if stock := buzzwords_in(resume.summary):
        yield _finding(
            "Summary", "medium", f"It leans on stock phrases: {listed([f'“{each}”' for each in stock[:5]])}.",
            "Replace each by an example that shows it, or strike it.", stock[0],
        )  # fmt: skip
    if not has_number(resume.summary) and words >= SHORT_SUMMARY:
        yield _finding(
            "Summary", "low", "The summary states nothing that can be counted.",
            "Name one figure: years, people led, money or time saved.",
        )  # fmt: skip


def _work(resume: Resume, today: date) -> Iterator[ResumeFinding]:
    if not resume.work and is_whole(resume):
        severity: Severity = "medium" if resume.projects else "high"
        yield _finding(
            "Experience", severity, "I found no jobs.",
            "Give each a line with title, employer and dates; internships, side jobs and volunteering count.",
        )  # fmt: skip
    for job in resume.work:
        yield from _job(job)
    stretches = [(job.start, job.end, job.current) for job in resume.work]
    for until, start, months in gaps(stretches, today):
        if months > LONG_GAP and not _studied(resume, until, start):
            yield _finding(
                "Experience", "medium", f"There is a gap of {months} months between {until} and {start}.",
                "Name in one line what you did then: study, care, travel, a search. A blank reads worse.",
            )  # fmt: skip


def _studied(resume: Resume, until: str, start: str) -> bool:
    """Whether a course of study covers most of the time between two jobs."""
    first, last = month_number(until, end=True), month_number(start)
    for study in resume.education:
        if study.start and (study.end or study.current):
            begun = month_number(study.start)
            ended = last if study.current or study.end is None else month_number(study.end, end=True)
            if min(ended, last) - max(begun, first) >= (last - first) / 2:
                return True
    return False


def _job(job: WorkItem) -> Iterator[ResumeFinding]:
    name = name_of(job)
    if not job.start and not job.end:
        yield _finding("Experience", "high", f"“{name}” has no dates.", "Add month and year of start and end.", name)
    elif job.start and len(job.start) == len("2019") and (job.end or job.start) == job.start and not job.current:
        yield _finding(
            "Experience", "low", f"“{name}” has a year but no months.",
            "Add the months: a year alone can be one month or twelve.", name,
        )  # fmt: skip
    if not job.title or not job.company:
        missing = "title" if not job.title else "employer"
        yield _finding(
            "Experience", "medium", f"“{name}” names no {missing} that I could find.", f"Add the {missing}.", name
        )
    if not job.highlights:
        yield _finding(
            "Experience", "high" if job.current else "medium", f"“{name}” says nothing of what you did there.",
            "Add two to five bullets, each one achievement.", name,
        )  # fmt: skip
    elif len(job.highlights) > MANY_BULLETS:
        yield _finding(
            "Experience", "medium", f"“{name}” has {len(job.highlights)} bullets.",
            "Keep the five or six that matter for the job you want.", name,
        )  # fmt: skip


def name_of(job: WorkItem) -> str:
    return ", ".join(part for part in (job.title, job.company) if part) or "A job"


def _all_bullets(bullets: Sequence[Bullet]) -> Iterator[ResumeFinding]:
    bare = [each for each in bullets if not has_result(each.text)]
    if len(bullets) >= 3 and len(bare) * 2 >= len(bullets):
        yield _finding(
            "Experience", "high", f"{len(bare)} of {len(bullets)} bullets give no result or number.",
            "For each ask: how many, how often, how much faster, and what was better afterwards?",
        )  # fmt: skip
    firsts = [each.number for each in bullets if is_first_person(each.text)]
    if len(firsts) > 1:
        yield _finding(
            "Experience", "low", f"{len(firsts)} bullets speak in the first person.", "Leave “I” and “my” out."
        )
    openers = Counter(each.text.split()[0].casefold() for each in bullets if each.text.split())
    word, times = openers.most_common(1)[0] if openers else ("", 0)
    if times >= 4 and times * 2 > len(bullets):
        yield _finding("Experience", "low", f"{times} bullets open with “{word}”.", "Vary the verbs.")


def _each_bullet(bullets: Sequence[Bullet]) -> Iterator[ResumeFinding]:
    for each in weakest(bullets)[:MOST_REWRITES]:
        yield bullet_finding(each)


def bullet_finding(each: Judged) -> ResumeFinding:
    """What is weak about one bullet, and it said more strongly."""
    told = [_FAULTS[fault] for fault in each.faults]
    after = rewritten(each.bullet)
    severity: Severity = "medium" if each.weight >= 3 else "low"
    finding = f"Bullet {each.bullet.number} {listed([what for what, _ in told])}." if told else "This bullet is strong."
    return ResumeFinding(
        section="Experience" if each.bullet.section == "work" else "Projects",
        severity=severity,
        finding=finding,
        suggestion=". ".join(todo for _, todo in told) + "." if told else "Leave it as it is.",
        quote=each.bullet.text,
        bullet=each.bullet.number,
        before=each.bullet.text if after != each.bullet.text else None,
        after=after if after != each.bullet.text else None,
    )


def _skills(resume: Resume, vocabulary: SkillVocabulary) -> Iterator[ResumeFinding]:
    if not resume.skills:
        if is_whole(resume):
            yield _finding(
                "Skills", "medium", "There is no list of skills.",
                "Add one with the tools and methods the posting names, spelled as it spells them.",
            )  # fmt: skip
        return
    if len(resume.skills) > MANY_SKILLS:
        yield _finding(
            "Skills", "low", f"{len(resume.skills)} skills are listed.", "Keep the fifteen the job asks for, grouped."
        )
    for spellings in _spelled_twice(resume, vocabulary):
        yield _finding(
            "Skills", "low", f"One skill is spelled in several ways: {listed([f'“{each}”' for each in spellings])}.",
            "Use one spelling, the one of the posting.",
        )  # fmt: skip
    if unproven := unproven_skills(resume, vocabulary):
        yield _finding(
            "Skills", "medium", f"Claimed, but no job or project shows it: {_some(unproven)}.",
            "Name each in a bullet where you used it, or strike it.",
        )  # fmt: skip
    if soft := [each for text in resume.skills for each in buzzwords_in(text)]:
        yield _finding(
            "Skills", "low", f"{listed([f'“{each}”' for each in soft[:4]])} cannot be checked by a reader.",
            "Show it in a bullet instead.", soft[0],
        )  # fmt: skip


def _some(items: Sequence[str]) -> str:
    more = len(items) - 6
    return listed([*items[:6], f"{more} more"] if more > 0 else items)


def unproven_skills(resume: Resume, vocabulary: SkillVocabulary) -> list[str]:
    """Skills of the list that the rest of the CV never shows, as the CV spells them."""
    if not any(job.highlights for job in resume.work) and not resume.projects:
        return []
    shown = set(vocabulary.extract(resume.evidence, loose=True))
    text = resume.evidence.casefold()
    return [
        skill
        for skill in resume.skills
        if (name := vocabulary.canonical(skill)) is not None
        and name not in shown
        and vocabulary.field(name) != "languages"
        and skill.casefold() not in text
    ]


def _spelled_twice(resume: Resume, vocabulary: SkillVocabulary) -> Iterator[list[str]]:
    written: dict[tuple[str, str], dict[str, None]] = {}
    for text in (", ".join(resume.skills), resume.evidence):
        for name, start, end in vocabulary.spans(text):
            if " " in name:
                continue
            spelling = text[start:end]
            # Who types "excel" in a sentence is in a hurry, and spells nothing differently.
            if not (spelling.islower() and spelling.isalpha()):
                letters = re.sub(r"[\W_]", "", spelling).casefold()
                written.setdefault((name, letters), {})[" ".join(re.split(r"[\s-]+", spelling))] = None
    yield from (list(spellings) for spellings in written.values() if len(spellings) > 1)


def _order(resume: Resume, today: date) -> Iterator[ResumeFinding]:
    dated = [job.end or (f"{today:%Y-%m}" if job.current else job.start) for job in resume.work]
    known = [moment for moment in dated if moment]
    if any(month_number(one, end=True) < month_number(two) for one, two in itertools.pairwise(known)):
        yield _finding("Experience", "medium", "The jobs are not in order.", "Put the newest first.")
    worked = months_between(((job.start, job.end, job.current) for job in resume.work), today)
    order = resume.sections
    if (
        {"work", "education"} <= set(order)
        and order.index("education") < order.index("work")
        and worked >= _EXPERIENCED
    ):
        yield _finding(
            "Layout", "low", f"Education stands before {worked // 12} years of experience.",
            "Put the experience first: it is what you are hired for now.",
        )  # fmt: skip


def _rest(resume: Resume) -> Iterator[ResumeFinding]:
    if (resume.pages or 0) > 2 or resume.words > LONG_CV:
        size = f"{resume.pages} pages" if (resume.pages or 0) > 2 else f"{resume.words:,} words"
        yield _finding(
            "Layout", "medium", f"The CV runs to {size}.",
            "Two pages are plenty for most jobs: cut what is older than ten years to one line each.",
        )  # fmt: skip
    elif resume.words < SHORT_CV and resume.work and resume.source != PASTED:
        yield _finding(
            "Layout", "medium", f"The CV has only {resume.words} words.", "Add what you achieved in each job."
        )
    for section in resume.other:
        line = next((line for line in section.lines if _AVAILABLE.search(line)), None)
        if section.section == "references" and line:
            yield _finding(
                "References",
                "low",
                "References on request go without saying.",
                "Strike the line, and win the space.",
                line,
            )
    if wrong := misspellings_in(resume.text):
        told = listed([f"“{written}” (write “{right}”)" for written, right in wrong[:6]])
        yield _finding("Spelling", "high", f"Misspelled: {told}.", "Correct it, and run a spell checker.", wrong[0][0])


def strengths_of(resume: Resume, vocabulary: SkillVocabulary, today: date) -> tuple[str, ...]:
    """What is good and should stay, with what shows it."""
    return tuple(_strengths(resume, vocabulary, today))


def _strengths(resume: Resume, vocabulary: SkillVocabulary, today: date) -> Iterator[str]:
    bullets = bullets_of(resume)
    best = [each for each in bullets if has_number(each.text) and has_result(each.text)]
    # What is to be rewritten is no example to follow.
    faultless = [each for each in best if not judged(each).faults]
    if best:
        strongest = max(
            faultless or best, key=lambda each: len(re.findall(r"\d+(?:[.,]\d+)?\s*%|[$€£]\s?\d", each.text))
        )
        rest = f"{counted(len(best), 'bullet')} {'gives' if len(best) == 1 else 'give'} a figure"
        yield f"{rest}, for example “{strongest.text}”" if faultless else rest
    stretches = [(job.start, job.end, job.current) for job in resume.work]
    if len(resume.work) > 1 and all(start and (end or current) for start, end, current in stretches):
        if not any(months > LONG_GAP for _, _, months in gaps(stretches, today)):
            yield "Every job is dated, and there is no long gap"
        else:
            yield "Every job is dated"
    words = len(resume.summary.split())
    if SHORT_SUMMARY <= words <= LONG_SUMMARY and not buzzwords_in(resume.summary):
        yield f"The summary is short ({words} words) and free of stock phrases"
    listed_skills = [skill for skill in resume.skills if vocabulary.canonical(skill)]
    unproven = unproven_skills(resume, vocabulary)
    proven = [skill for skill in listed_skills if skill not in unproven]
    if len(proven) >= 3 and len(proven) * 2 >= len(listed_skills) and bullets:
        yield f"Your jobs and projects show skills that you list: {listed(proven[:5])}"
    if {"email", "phone"} <= set(resume.contact) and "odd_email" not in resume.contact:
        yield "Contact data is complete"
