"""What a letter was written from, and what may be said beside it: all of it once, later only what is new. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from signalbox.agents.letters.background import Background
from signalbox.agents.letters.claims import texts_of
from signalbox.agents.letters.form import with_postscript, without_postscript
from signalbox.agents.letters.length import is_shortest, kind_of
from signalbox.agents.letters.mending import Mended
from signalbox.agents.letters.plan import PLACEHOLDER, LetterPlan, mentions
from signalbox.agents.letters.post import Post, record_citation
from signalbox.agents.letters.reply import LetterFacts, Reason
from signalbox.agents.letters.sources import Advertised, Employer, Look, Resumed
from signalbox.agents.letters.wish import LetterWish
from signalbox.blocks import CoverLetter
from signalbox.encoding import clean_json
from signalbox.events import Citation


@dataclass(frozen=True, slots=True)
class Sources:
    """What was looked up for one letter."""

    resumed: Resumed
    advertised: Advertised
    employer: Employer
    background: Background
    post: Post
    left_out: tuple[str, ...]

    @property
    def citations(self) -> tuple[Citation, ...]:
        posting = self.advertised.posting.citation
        record = self.employer.record
        return (*((posting,) if posting else ()), *((record_citation(record),) if record else ()))


def facts_of(
    event: CoverLetter,
    plan: LetterPlan,
    wish: LetterWish,
    sources: Sources,
    mended: Mended | None,
    last: CoverLetter | None,
    *,
    restyled: bool,
) -> LetterFacts:
    """What may be said beside the text, in full."""
    asked, held = wish.now or wish, sources.background
    facts = LetterFacts(
        outcome="written",
        kind=plan.kind,
        role=plan.post.role,
        company=plan.post.company,
        sample=plan.post.sample,
        old=plan.post.old,
        tone=plan.tone,
        words=event.words,
        limit=asked.max_words,
        language=asked.language,
        placeholders=event.placeholders,
        new_blanks=event.placeholders,
        rests_on=_rests_on(event, held, pasted=bool(sources.advertised.posting.text and not event.job_id)),
        left_out=sources.left_out,
        new_gaps=tuple(skill for skill in sources.left_out if skill not in plan.keen_to_learn),
        more_gaps=sources.post.more_left_out,
        learning=plan.keen_to_learn,
        unheld=tuple(what for what in unheld_in(plan) if what in asked.mention) if plan.kind != "mended" else (),
        already=_already(wish, last),
        cv=sources.resumed.look,
        posting=sources.advertised.look,
        employer=_used(event, sources.employer),
        employer_source=plan.post.company_source,
        profile_known=held.known,
        changes=mended.changes if mended else (),
        dropped=mended.dropped if mended else (),
        weak=mended.weak if mended else (),
        claims=mended.claims if mended else (),
        restyled=restyled,
        tone_asked=asked.tone is not None,
        added=tuple(text for text in asked.told if text in event.body),
        signed=asked.signature or "",
        form=asked.form,
        postscript=asked.postscript or "",
        shortest=is_shortest(event),
        shorter_asked=asked.steps < 0,
    )
    return facts if last is None else _without_what_was_said(facts, last, again=wish.now is not None)


def with_new_postscript(last: CoverLetter, now: LetterWish, own: int = 0) -> CoverLetter:
    """The letter word for word, but for what stands below it; ``own`` postscripts, the first ones, are its writer's."""
    body = with_postscript(without_postscript(last.body, 0 if now.no_postscript else own), now.postscript)
    blanks = tuple(dict.fromkeys(PLACEHOLDER.findall(body)))
    return last.model_copy(update={"body": body, "words": len(body.split()), "placeholders": blanks})


def facts_again(letter: CoverLetter, last: CoverLetter, now: LetterWish) -> LetterFacts:
    """Of a letter in which nothing but its postscript is new."""
    same = letter.body == last.body
    return LetterFacts(
        outcome="unchanged" if same else "written",
        kind=letter.kind,
        role=letter.role or "",
        company=letter.company or "",
        tone=letter.tone,
        words=letter.words,
        before=last.words,
        placeholders=letter.placeholders,
        left_out=letter.left_out,
        told=True,
        again=True,
        new_blanks=tuple(blank for blank in letter.placeholders if blank not in last.placeholders),
        postscript=now.postscript or "",
        shortest=is_shortest(letter),
        reasons=("already" if now.postscript else "not_in_it",) if same else (),
        already=("the postscript",) if same and now.postscript else (),
    )


def unchanged(facts: LetterFacts, wish: LetterWish, last: CoverLetter) -> LetterFacts:
    """Of a change that would leave the letter as it is: why it does."""
    return facts.model_copy(
        update={"outcome": "unchanged", "reasons": tuple(_reasons(wish.now or wish, last)), "words": last.words}
    )


def _reasons(asked: LetterWish, last: CoverLetter) -> Iterator[Reason]:
    if asked.form:
        yield "form"
    if asked.language:
        yield "language"
    if asked.max_words is not None:
        yield "within" if last.words <= asked.max_words else "shortest"
    elif asked.steps:
        yield "shortest" if asked.steps < 0 else "longest"
    if asked.tone and asked.tone == last.tone:
        yield "tone"
    if asked.mention and all(mentions(PLACEHOLDER.sub("", last.body), (what,)) for what in asked.mention):
        yield "already"
    if asked.without:
        yield "not_in_it"


def _without_what_was_said(facts: LetterFacts, last: CoverLetter, *, again: bool) -> LetterFacts:
    """What is not known of the writer was said with the first letter; of a changed one all that it rests on, too."""
    missing = facts.cv == "none"
    facts = facts.model_copy(update={"cv": "unasked" if missing else facts.cv, "told": True})
    same_post = (last.role or "", last.company or "") == (facts.role, facts.company)
    if not (again and same_post):
        return facts
    new = {
        "again": True,
        "before": last.words if kind_of(last) == ("letter" if facts.kind == "internal" else facts.kind) else 0,
        "sample": False,
        "old": "",
        "rests_on": (),
        "new_blanks": tuple(blank for blank in facts.placeholders if blank not in last.placeholders),
        "new_gaps": tuple(skill for skill in facts.new_gaps if skill not in last.left_out),
        "more_gaps": 0,
        "cv": facts.cv if facts.cv == "unavailable" else "unasked",
        "posting": "unasked",
        "employer": "unasked",
    }
    return facts.model_copy(update=new)


def unheld_in(plan: LetterPlan) -> tuple[str, ...]:
    """What was to be mentioned and no fact is about."""
    held = texts_of(clean_json(plan.background))
    return tuple(what for what in plan.mention if not any(mentions(text, (what,)) for text in held))


def _already(wish: LetterWish, last: CoverLetter | None) -> tuple[str, ...]:
    """What this message wants mentioned and the last letter says."""
    if wish.now is None or last is None:
        return ()
    return tuple(what for what in wish.now.mention if mentions(PLACEHOLDER.sub("", last.body), (what,)))


def _used(event: CoverLetter, employer: Employer) -> Look:
    """How the look for the employer went, as far as the text depends on it."""
    if employer.look == "read" and not any(each.source == "company" for each in event.evidence):
        return "unasked"
    return "unasked" if employer.look == "none" else employer.look


def _rests_on(event: CoverLetter, held: Background, *, pasted: bool) -> tuple[str, ...]:
    """In words, what of the writer is in the text."""
    sources = {each.source for each in event.evidence}
    found = []
    if "cv" in sources:
        jobs = [job.company for job in held.jobs if job.company and job.company in event.body]
        found.append(f"your CV{f' (your work at {jobs[0]})' if jobs else ''}")
    if "profile" in sources:
        found.append("your profile")
    if "message" in sources and any(each.claim in held.said for each in event.evidence):
        found.append("what you told me here")
    if found and event.job_id:
        found.append("the posting")
    elif found and pasted:
        found.append("the posting you pasted")
    return tuple(found)
