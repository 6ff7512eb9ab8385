"""The parts of a review that need no look-ups: a whole CV, one bullet, the summary, what could go. Pure."""

from datetime import date
from typing import Any, Final

from signalbox.agents.resumes.bullets import Bullet, bullets_of, judged, rewritten
from signalbox.agents.resumes.findings import bullet_finding, findings_of, name_of, strengths_of
from signalbox.agents.resumes.request import Ask
from signalbox.agents.resumes.summary import new_summary, shorter_summary
from signalbox.agents.resumes.told import ReviewFacts, TargetFacts
from signalbox.memory.resume.facts import years_of_work
from signalbox.memory.resume.model import Resume
from signalbox.tools.vocabulary import packaged_vocabulary

_OLD_YEARS: Final = 10


def reviewed(ask: Ask, resume: Resume, target: TargetFacts | None, today: date) -> ReviewFacts:
    """The whole review, or what of it belongs to the section asked for."""
    vocabulary = packaged_vocabulary()
    findings = findings_of(resume, vocabulary, today)
    if ask.section is not None:
        findings = tuple(each for each in findings if each.section == ask.section)
    return ReviewFacts(
        outcome="section" if ask.section else "reviewed",
        **size_of(resume),
        findings=findings,
        strengths=strengths_of(resume, vocabulary, today),
        target=target,
        section=ask.section,
    )


def part_of(ask: Ask, resume: Resume, today: date) -> ReviewFacts:
    """The answer to a question about one part of the CV."""
    match ask.kind:
        case "bullet":
            bullets = bullets_of(resume)
            number = ask.bullet or 0
            if not 1 <= number <= len(bullets):
                return ReviewFacts(outcome="no_bullet", **size_of(resume), number=number)
            return mended(bullets[number - 1]).model_copy(update=size_of(resume))
        case "summary":
            return _summary(ask, resume, today)
        case "shorten":
            return ReviewFacts(outcome="shorten", **size_of(resume), cuts=tuple(cuts_of(resume, today)))
        case _:
            whole = reviewed(ask, resume, None, today)
            return whole.model_copy(update={"outcome": "apply"})


def mended(bullet: Bullet) -> ReviewFacts:
    """One line, and how it could read."""
    finding = bullet_finding(judged(bullet))
    if not bullet.of:
        finding = finding.model_copy(update={"finding": finding.finding.replace(f"Bullet {bullet.number} ", "It ", 1)})
    return ReviewFacts(
        outcome="bullet" if bullet.of else "line",
        findings=(finding,),
        number=bullet.number,
        before=bullet.text,
        after=rewritten(bullet),
    )


def _summary(ask: Ask, resume: Resume, today: date) -> ReviewFacts:
    vocabulary = packaged_vocabulary()
    after = shorter_summary(resume.summary) if resume.summary else ""
    if not after or (not ask.shorter and after == resume.summary):
        after = new_summary(resume, years_of_work(resume, vocabulary, today), vocabulary)
    return ReviewFacts(outcome="summary", **size_of(resume), before=resume.summary, after=after)


def cuts_of(resume: Resume, today: date) -> list[str]:
    """What could go, the cheapest first."""
    cuts = [
        f"The section “{part.heading or part.section.capitalize()}”: "
        f"{'it goes without saying' if part.section == 'references' else 'few readers need it'}."
        for part in resume.other
        if part.section in {"references", "interests"}
    ]
    for job in resume.work:
        end = job.end or ""
        if end and int(end[:4]) < today.year - _OLD_YEARS and job.highlights:
            cuts.append(f"“{name_of(job)}” ended in {end[:4]}: keep title, employer and dates on one line.")
    long = [each for each in bullets_of(resume) if "long" in judged(each).faults]
    cuts += [f"Bullet {each.number} has {len(each.text.split())} words: halve it." for each in long[:4]]
    if (words := len(resume.summary.split())) > len(shorter_summary(resume.summary).split()):
        cuts.append(f"The summary: {words} words can be {len(shorter_summary(resume.summary).split())}.")
    for job in resume.work:
        if len(job.highlights) > 6:
            cuts.append(f"“{name_of(job)}” has {len(job.highlights)} bullets: keep the best five.")
    return cuts


def size_of(resume: Resume) -> dict[str, Any]:
    return {
        "source": resume.source,
        "jobs": len(resume.work),
        "bullets": len(bullets_of(resume)),
        "words": resume.words,
        "pages": resume.pages,
    }
