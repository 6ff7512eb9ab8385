"""Writes a letter out of facts: sentences in the order of their weight, as many as its length allows. Pure.

It claims of the writer only what ``Background`` holds. What it would need and does not have is a [placeholder].
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from signalbox.agents.letters.background import Background, HeldJob
from signalbox.agents.letters.examples import example_lines, examples_for
from signalbox.agents.letters.outreach_text import with_article
from signalbox.agents.letters.plan import (
    LetterPlan,
    Line,
    bounds_of,
    fitted,
    mentions,
    paragraphs,
    same_company,
    says,
    without_paragraphs,
)
from signalbox.agents.letters.post import Post, known_names
from signalbox.agents.letters.wish import Tone
from signalbox.agents.words.phrases import listed
from signalbox.retrieval.skills import SkillVocabulary

# How each tone asks for a conversation, and how it gives thanks.
_CLOSINGS: Final[dict[Tone, tuple[str, str]]] = {
    "formal": (
        "I would welcome the opportunity to discuss my application with you.",
        "Thank you for your time and consideration.",
    ),
    "friendly": ("I would be glad to tell you more in a conversation.", "Thank you for reading this."),
    "plain": ("I would be glad to talk with you about the work.", "Thank you for reading my application."),
}
_DEGREE: Final = re.compile(
    r"\b(?:degree|stud(?:y|ies)|education|university|college|training|diploma)\b", re.IGNORECASE
)


def write_letter(plan: LetterPlan, vocabulary: SkillVocabulary) -> str:
    """The letter with salutation and signature."""
    lines = [line for line in letter_lines(plan, vocabulary) if not mentions(line.text, plan.without)]
    low, high = bounds_of(plan)
    frame = f"{salutation(plan)}\n\n{signature(plan)}"
    kept = fitted(lines, low - len(frame.split()), high - len(frame.split()))
    return "\n\n".join([salutation(plan), *without_paragraphs(paragraphs(kept), plan.cut), signature(plan)])


def salutation(plan: LetterPlan) -> str:
    hello = "Hello" if plan.tone == "friendly" else "Dear"
    if plan.post.person:
        return f"{hello} {plan.post.person},"
    return "Dear Sir or Madam," if plan.tone == "formal" else f"{hello} hiring team,"


def signature(plan: LetterPlan) -> str:
    if plan.tone == "formal":
        bye = "Yours sincerely" if plan.post.person else "Yours faithfully"
    else:
        bye = "Best wishes" if plan.tone == "friendly" else "Kind regards"
    return f"{bye},\n{plan.signature or plan.background.name or '[your name]'}"


def letter_lines(plan: LetterPlan, vocabulary: SkillVocabulary) -> list[Line]:
    """All that could be said, in the order of the letter."""
    if plan.kind == "email":
        return list(_email(plan))
    return [
        *_opening(plan),
        *match_lines(plan, vocabulary),
        *aside_lines(plan),
        *company_lines(plan),
        *_closing(plan),
    ]


def _opening(plan: LetterPlan) -> Iterator[Line]:
    post, formal = plan.post, plan.tone == "formal"
    role, company = post.role or "[role]", post.company or "[company]"
    seen = _seen(post)
    if plan.kind == "speculative":
        wanted = (
            with_article(post.role or plan.background.title)
            if post.role or plan.background.title
            else "someone for [the kind of work you want]"
        )
        lead = "I am writing to ask" if formal else "I would like to ask"
        yield Line(0, 0, f"{lead} whether {company} could use {wanted}, now or in the coming months.")
        yield Line(0, 3, "I know of no advertised post, so please take this as an introduction.")
    elif plan.kind == "internal":
        inside = f" at {company}" if post.company else ""
        yield Line(0, 0, f"I would like to be considered for the internal post of {role}{inside}{seen}.")
    elif plan.tone == "friendly":
        yield Line(0, 0, f"I would like to apply for the {role} post at {company}{seen}.")
    else:
        lead = "I would like to apply for the position of" if formal else "I am applying for the post of"
        yield Line(0, 0, f"{lead} {role} at {company}{seen}.")
    if not (post.seen or post.posted or post.old) and plan.kind not in {"speculative", "internal"}:
        yield Line(0, 10, "I saw it advertised [where and when you saw it].", filler=True)
    if plan.background.title or plan.background.jobs or not plan.background.said:
        yield Line(0, 1, who_words(plan))


def _seen(post: Post) -> str:
    if post.seen and post.posted:
        return f", which you advertised on {post.seen} on {post.posted}"
    if post.posted:
        return f", which you advertised on {post.posted}"
    return f", which you advertised on {post.seen}" if post.seen else ""


def who_words(plan: LetterPlan) -> str:
    held = plan.background
    job = next((each for each in held.jobs if each.current and each.title and each.company), None)
    years = f"{held.years} {'year' if held.years == '1' else 'years'} of experience" if held.years else ""
    title = with_article(held.title) if held.title else ""
    if plan.kind == "internal" and job and same_company(job.company, plan.post.company):
        since = f" {job.period}" if job.period else ""
        return (
            f"I have worked here as {with_article(job.title)}{since}."
            if since
            else f"I work here as {with_article(job.title)}."
        )
    if job and (not held.title or held.title.casefold() == job.title.casefold()):
        text = f"I work as {with_article(job.title)} at {job.company}"
        return f"{text} and have {years}." if years else f"{text}."
    if title:
        text = f"I am {title}" + (f" with {years}" if years else "")
        return f"{text}, at present at {job.company}." if job else f"{text}."
    return (
        f"I have {years} as [your current or last role]."
        if years
        else "I am [your current or last role] with [number] years of experience."
    )


def match_lines(plan: LetterPlan, vocabulary: SkillVocabulary) -> Iterator[Line]:
    held, post = plan.background, plan.post
    if plan.change:
        yield Line(1, 2, "I am changing direction deliberately: [one sentence on why you are moving into this work].")
    if post.held:
        named = listed(post.held)
        bring = {1: "which I bring", 2: "and I bring both"}.get(len(post.held), "and I bring all of them")
        yield Line(1, 1, f"Your advertisement asks for {named}, {bring}.")
    for place, sentence in enumerate(held.said):
        if sentence not in plan.told:
            yield Line(1, 2 + place, sentence)
    told = list(examples_for(plan, vocabulary))
    yield from example_lines(told, 1, 2)
    yield from (Line(1, 0, sentence) for sentence in plan.told)
    if not told and not held.said:
        about = f" that shows {post.held[0]}" if post.held else ""
        where = _last_place(held)
        yield Line(1, 2, f"{where}[one result of yours{about}, with a number].")
    asked = known_names(post.held, vocabulary)
    others = (s for s in held.skills if known_names([s], vocabulary).isdisjoint(asked) and not _told(s, held, told))
    rest = [skill for skill in others if not mentions(skill, plan.mention)][:4]
    if rest:
        verb = "I also work with" if post.held or told else "My skills include"
        yield Line(1, 3 if not post.held else 7, f"{_skills_sentence(verb, rest)}")
    if not told and not held.said:
        task = "A task of that kind that I handled from beginning to end: [what it was, what you did, what came of it]."
        yield Line(1, 11, task, filler=True)
    if not held.skills:
        yield Line(1, 3, "My main skills for this work are [two or three skills that the post calls for].")
    if plan.keen_to_learn:
        them = "it" if len(plan.keen_to_learn) == 1 else "them"
        yield Line(1, 2, f"I do not have {listed(plan.keen_to_learn, 'or')} yet, and I am keen to learn {them}.")


def _skills_sentence(verb: str, skills: Sequence[str]) -> str:
    return f"My other skills include {listed(skills)}." if verb == "I also work with" else f"{verb} {listed(skills)}."


def aside_lines(plan: LetterPlan) -> Iterator[Line]:
    """Languages, certificates and training, and what was to be mentioned."""
    held = plan.background
    asked = plan.post.languages_asked
    wanted = [each for each in held.languages if mentions(each, plan.mention)]
    # The letter itself is in English.
    others = [each for each in held.languages if not _native_english(each)]
    first = [each for each in dict.fromkeys((*asked, *wanted)) if each in wanted or not _native_english(each)]
    spoken = list(dict.fromkeys((*first, *others[:2]))) if wanted else first
    if spoken:
        yield Line(2, 0 if wanted else 2, f"I speak {listed(spoken)}.")
    elif others:
        yield Line(2, 9, f"I speak {listed(others[:3])}.")
    if held.certificates:
        named = any(mentions(name, plan.mention) for name in held.certificates[:2])
        yield Line(2, 0 if named else 6, f"My qualifications include {listed(held.certificates[:2])}.")
    if held.education:
        named = mentions(held.education[0], plan.mention) or any(map(_DEGREE.search, plan.mention))
        lead = "I am studying for" if held.studying else "My training:"
        yield Line(2, 0 if named else 6, f"{lead} {held.education[0]}.")
    for what in plan.mention:
        yield from _mention(what, plan)


def _native_english(language: str) -> bool:
    return re.match(r"english(?:$|.*(?:native|mother))", language, re.IGNORECASE) is not None


def _mention(what: str, plan: LetterPlan) -> Iterator[Line]:
    """What was to be mentioned and has no sentence yet: from the facts, else a blank."""
    held = plan.background
    of_writer = (*held.languages, *held.certificates[:2], *held.education[:1], *held.said, *plan.told)
    if any(mentions(each, (what,)) for each in of_writer):
        return
    skill = next((each for each in held.skills if mentions(each, (what,))), None)
    found = any(mentions(bullet, (what,)) for job in held.jobs for bullet in job.highlights)
    if found or (held.education and _DEGREE.search(what)):
        # It is among the examples, or has been said of the training.
        return
    if skill and skill not in plan.post.held:
        yield Line(2, 0, f"I also bring {skill}.")
    elif skill is None and not any(mentions(f"{job.title} {job.company}", (what,)) for job in held.jobs):
        yield Line(2, 0, f"[One sentence on your {what}: what it is and where you used it.]")


def company_lines(plan: LetterPlan) -> Iterator[Line]:
    post = plan.post
    company = post.company or "[company]"
    if plan.kind == "internal":
        yield Line(
            3,
            1,
            f"I know how {company} works from the inside, and what draws me to this post is [one true, specific "
            f"reason].",
        )
        return
    quoted = [f"{company} says of itself: “{post.about}”"] if post.about else []
    if post.quote:
        quoted.append(f"{'Your advertisement also says' if quoted else 'Your advertisement says'}: “{post.quote}”")
    if quoted:
        yield Line(3, 1, quoted[0])
        yield from (Line(3, 8, text, needs=quoted[0]) for text in quoted[1:])
        yield Line(3, 2, "That speaks to me because [one sentence on what it has to do with you].", needs=quoted[0])
    if post.shared:
        yield Line(
            3,
            5,
            f"You work with {listed(post.shared)}, and so do I."
            if len(post.shared) > 1
            else f"You work with {post.shared[0]}, which I know as well.",
        )
    if not quoted:
        yield Line(3, 1, f"What draws me to {company} is [one true, specific reason].")
    yield Line(
        3, 12, "What I would bring beyond the list of requirements is [the one thing that sets you apart].", filler=True
    )
    yield Line(
        3,
        13,
        "In the first weeks I would want to learn how the team works, what it is short of, and where I can take work "
        "off its hands.",
        filler=True,
    )


def _closing(plan: LetterPlan) -> Iterator[Line]:
    ask, thanks = _CLOSINGS[plan.tone]
    yield Line(4, 0, ask)
    yield Line(
        4,
        10,
        "My CV sets out my work and training in full, and I am happy to send references or anything else you need.",
        filler=True,
    )
    start = "I could start [when you could start] and am best reached [how and when to reach you]."
    yield Line(4, 14, start, filler=True)
    other = "If another post in your organisation suits what I bring better, I would be just as glad to hear of that."
    yield Line(4, 16, other, filler=True)
    yield Line(4, 3, thanks)


def _email(plan: LetterPlan) -> Iterator[Line]:
    post = plan.post
    role, company = post.role or "[role]", post.company or "[company]"
    attached = "Please find attached my CV" if plan.tone == "formal" else "I attach my CV"
    yield Line(0, 0, f"{attached} for the post of {role} at {company}{_seen(post)}.")
    yield Line(1, 1, who_words(plan))
    if post.held:
        yield Line(1, 1, f"Of what you ask for, I bring {listed(post.held)}.")
    elif plan.background.skills:
        yield Line(1, 2, f"My skills include {listed(plan.background.skills[:4])}.")
    yield from (Line(1, 0, sentence) for sentence in plan.told)
    newest = plan.background.jobs[:1]
    yield from example_lines([(job, job.highlights[0]) for job in newest if job.highlights], 1, 3)
    for what in plan.mention:
        yield from _mention(what, plan)
    yield Line(2, 0, "I would be glad to answer questions or to come for a conversation.")
    yield Line(
        2,
        8,
        "If a file does not open or anything is missing, one line is enough and I will send it again.",
        filler=True,
    )
    yield Line(2, 9, "Thank you for taking the time.", filler=True)


def _last_place(held: Background) -> str:
    job = next((each for each in held.jobs if each.title or each.company), None)
    if job is None:
        return "A result that shows how I work: "
    named = " at ".join(filter(None, (with_article(job.title) if job.title else "", job.company)))
    return f"As {named}, I achieved this: " if job.title else f"At {job.company}, I achieved this: "


def _told(skill: str, held: Background, told: Sequence[tuple[HeldJob, str]]) -> bool:
    """Whether a skill was said already: in an example, or in a title ("Data Analysis" of a data analyst)."""
    titles = (held.title, *(job.title for job in held.jobs))
    return any(says(bullet, skill) for _, bullet in told) or any(mentions(t, (skill,)) for t in titles)


def heading(plan: LetterPlan) -> str:
    """The title line; of an e-mail its subject, of an answer the question."""
    role, company = plan.post.role or "[role]", plan.post.company
    at = f" at {company}" if company else ""
    match plan.kind:
        case "answer":
            return plan.question
        case "speculative":
            return f"Speculative application{f' to {company}' if company else ''}"
        case "email":
            name = f", {plan.background.name}" if plan.background.name else ""
            return f"Application for {role}{name}"
        case "internal":
            return f"Internal application for {role}"
        case _:
            return f"Application for {role}{at}"
