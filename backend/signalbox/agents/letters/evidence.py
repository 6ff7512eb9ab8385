"""Which fact each claim of a finished draft rests on, found in the draft itself whoever worded it. Pure."""

from collections.abc import Iterator
from typing import Final, Literal

from signalbox.agents.letters.background import Background, HeldJob
from signalbox.agents.letters.plan import says
from signalbox.agents.letters.post import Post
from signalbox.blocks import DraftEvidence

# A longer claim than this is a sentence, or nearly one, and stands in no other by chance.
_SHORT: Final = 24

Source = Literal["cv", "profile", "message", "posting", "company"]


def evidence_in(body: str, background: Background, post: Post) -> tuple[DraftEvidence, ...]:
    """In the order of the kinds of facts; each claim once."""
    low = body.casefold()
    kept: dict[str, DraftEvidence] = {}
    for claim, fact, source in (*_of_writer(background, body), *_of_post(post)):
        if claim and (says(body, claim) if len(claim) <= _SHORT else claim.casefold() in low):
            kept.setdefault(claim.casefold(), DraftEvidence(claim=claim, fact=fact, source=source))
    return tuple(kept.values())


def _of_writer(held: Background, body: str) -> Iterator[tuple[str, str, Source]]:
    own: Source = "cv" if held.has_cv else "profile"
    yield held.title, f"title: {held.title}", "profile"
    for job in held.jobs:
        yield from _of_job(job, held.title, body)
    if held.years:
        unit = "year" if held.years == "1" else "years"
        yield f"{held.years} {unit} of experience", f"years: {held.years}", "profile"
    for skill in held.skills:
        shown = _where_shown(skill, held)
        yield skill, shown or f"skill: {skill}", "cv" if shown else own
    yield from ((each, f"language: {each}", own) for each in held.languages)
    yield from ((each, f"certificate: {each}", own) for each in held.certificates)
    yield from ((each, f"education: {each}", "cv") for each in held.education)
    yield from ((each, each, "message") for each in held.said)


def _of_job(job: HeldJob, title: str, body: str) -> Iterator[tuple[str, str, Source]]:
    what = " at ".join(filter(None, (job.title, job.company)))
    named = ", ".join(filter(None, (what, job.period)))
    yield job.company, named, "cv"
    if job.title.casefold() not in title.casefold():
        yield job.title, named, "cv"
    for bullet in job.highlights:
        # Its first letter is another in mid-sentence.
        start = body.casefold().find(bullet[1:].casefold()) - 1
        if start >= 0:
            yield body[start : start + len(bullet)], f"{named}: {bullet}", "cv"


def _where_shown(skill: str, held: Background) -> str:
    told = ((job, bullet) for job in held.jobs for bullet in job.highlights)
    return next((f"{job.title}: {bullet}" for job, bullet in told if says(bullet, skill)), "")


def _of_post(post: Post) -> Iterator[tuple[str, str, Source]]:
    source: Source = "posting" if post.job_id or post.quote else "message"
    yield post.role, f"title of the post: {post.role}", source
    yield post.company, f"company: {post.company}", source
    yield post.posted, f"advertised on {post.posted}", "posting"
    yield post.quote, post.quote, "posting"
    yield post.about, post.about, "company"
    for each in post.shared:
        yield f"You work with {each}", f"technology of the company: {each}", "company"
