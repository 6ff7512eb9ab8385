"""What a review found out, and how the template words it in Markdown."""

from collections.abc import Callable, Sequence
from typing import Final, Literal

from signalbox.agents.resumes.bullets import EXAMPLE, VERB
from signalbox.agents.turn import Facts
from signalbox.agents.words.knowledge_text import Passage, Quote, quoted, source_line
from signalbox.agents.words.phrases import counted, listed, plain
from signalbox.blocks import ResumeFinding
from signalbox.memory.resume.model import PASTED

TOLD_FINDINGS: Final = 5
TOLD_REWRITES: Final = 3
TOLD_STRENGTHS: Final = 3
ONE_PAGE: Final = 450
_LONG: Final = 400

Outcome = Literal[
    "reviewed", "bullet", "line", "summary", "section", "shorten", "advice", "apply",
    "no_resume", "no_bullet", "temporary", "unavailable",
]  # fmt: skip
Looked = Literal["ok", "nothing", "absent", "unavailable"]


class TargetFacts(Facts):
    """What the CV was held against. ``postings`` 1 with ``single``: one posting. ``samples`` of them are fictional.
    ``absent``: the employer named has no such posting; then ``instead`` is the market for the role. ``in_part``: more
    is asked for than could be read.
    """

    name: str
    single: bool
    looked: Looked
    postings: int = 0
    samples: int = 0
    said: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    instead: "TargetFacts | None" = None
    in_part: bool = False


class ReviewFacts(Facts):
    """``before`` and ``after``: a line or summary and how it could read. ``topic``, ``advice``, ``passages`` and
    ``quotes`` answer a general question. ``cuts`` says what could go. ``section`` is the one that was asked for.
    """

    outcome: Outcome
    source: str = ""
    jobs: int = 0
    bullets: int = 0
    words: int = 0
    pages: int | None = None
    findings: tuple[ResumeFinding, ...] = ()
    strengths: tuple[str, ...] = ()
    target: TargetFacts | None = None
    section: str | None = None
    number: int | None = None
    before: str = ""
    after: str = ""
    cuts: tuple[str, ...] = ()
    topic: str = ""
    advice: str = ""
    passages: tuple[Passage, ...] = ()
    guides_unread: bool = False
    quotes: tuple[Quote, ...] = ()


def compose(facts: ReviewFacts) -> str:
    """The reply as the template words it, in Markdown."""
    match facts.outcome:
        case "no_resume" | "temporary" | "unavailable":
            return _SAID[facts.outcome]
        case "reviewed" | "section":
            parts = (_opening, _weak, _rewrites, _others, _target, _strong, _closing)
            return _joined(*(part(facts) for part in parts))
        case _:
            return _ANSWERS[facts.outcome](facts)


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _the_cv(facts: ReviewFacts) -> str:
    return "the CV you pasted" if facts.source == PASTED else f"**{plain(facts.source)}**"


def _opening(facts: ReviewFacts) -> str:
    size = [counted(facts.jobs, "job"), counted(facts.bullets, "bullet"), counted(facts.words, "word")]
    if facts.pages:
        size.append(counted(facts.pages, "page"))
    read = f"I read {_the_cv(facts)}: {listed(size)}."
    if facts.section:
        return read if facts.findings else f"{read} I found nothing to change under “{facts.section}”."
    number = len(facts.findings)
    if not number:
        return f"{read} I found nothing that I would change."
    high = sum(each.severity == "high" for each in facts.findings)
    weight = f", {high} of them weighty" if high and high < number else ""
    return f"{read} {counted(number, 'thing')} to change{weight}."


def _weak(facts: ReviewFacts) -> str:
    plainly = [each for each in facts.findings if each.bullet is None][:TOLD_FINDINGS]
    if not plainly:
        return ""
    rows = [
        f"{place}. **{each.section}:** {plain(each.finding, _LONG)} {plain(each.suggestion, _LONG)}"
        for place, each in enumerate(plainly, start=1)
    ]
    return "\n".join(["**Most important first**", *rows])


def _rewrites(facts: ReviewFacts) -> str:
    rows = [each for each in facts.findings if each.after][:TOLD_REWRITES]
    if not rows:
        return ""
    lines = ["**Lines to rewrite**"]
    for each in rows:
        lines.append(f"- Bullet {each.bullet}: {plain(each.before or '', _LONG)}")
        lines += [f"  - **{plain(row, _LONG)}**" for row in (each.after or "").split("\n")]
    lines += ["", _about_placeholders([each.after or "" for each in rows])]
    return "\n".join(lines).rstrip()


def _others(facts: ReviewFacts) -> str:
    """What is counted and not told above, in a line each, so that the number holds."""
    plainly = [each for each in facts.findings if each.bullet is None][TOLD_FINDINGS:]
    rewritten = [each for each in facts.findings if each.after][:TOLD_REWRITES]
    bullets = [each for each in facts.findings if each.bullet is not None and each not in rewritten]
    rows = [f"- {plain(each.finding, _LONG)}" for each in (*plainly, *bullets)]
    return "\n".join(["**And also**", *rows]) if rows else ""


def _about_placeholders(texts: Sequence[str]) -> str:
    if not any("[" in text for text in texts):
        return "The words are yours; I added no facts."
    return "What stands in [brackets] only you know: fill it in, or strike it where there is nothing. I added no facts."


def _target(facts: ReviewFacts) -> str:
    target = facts.target
    if target is None:
        return ""
    name = plain(target.name)
    if target.looked == "absent":
        compared = f" Below I hold your CV against {_basis(target.instead)} instead." if target.instead else ""
        lead = f"I looked for “{name}” in the catalogue and found no such posting.{compared}"
        return _joined(lead, _target(facts.model_copy(update={"target": target.instead})))
    if target.looked == "unavailable":
        return f"I could not look at the postings for “{name}” just now, so I did not compare keywords."
    if target.looked == "nothing":
        gone = "is no longer in the catalogue" if target.single else "finds no posting in the catalogue"
        return f"“{name}” {gone}, so I could not compare keywords."
    lines = [f"**Against {_basis(target)}**"]
    if target.unsaid:
        lines.append(f"- You have it, but the CV does not say it: {_names(target.unsaid)}. Add it where you used it.")
    if target.missing:
        lines.append(f"- Asked for, and neither your CV nor your profile names it: {_names(target.missing)}.")
    if target.said:
        lines.append(f"- In your CV already: {_names(target.said)}.")
    if not (target.unsaid or target.missing or target.said):
        lines.append("- It names no particular skills, so there are no keywords to compare.")
    if target.in_part:
        lines.append("- I could read only a part of what is asked for: there may be more.")
    return "\n".join(lines)


def _basis(target: TargetFacts) -> str:
    if target.single:
        return f"“{plain(target.name)}”{' (a fictional sample)' if target.samples else ''}"
    text = f"{counted(target.postings, 'posting')} for “{plain(target.name)}”"
    if target.samples:
        many = "all" if target.samples == target.postings else f"{target.samples:,} of them"
        text += f" ({many} fictional samples)"
    return text


def _names(skills: Sequence[str]) -> str:
    return listed([plain(skill) for skill in skills])


def _strong(facts: ReviewFacts) -> str:
    if not facts.strengths or facts.section:
        return ""
    return "\n".join(["**Strong already**", *(f"- {plain(each, _LONG)}." for each in facts.strengths[:TOLD_STRENGTHS])])


def _closing(facts: ReviewFacts) -> str:
    bullet = next((each.bullet for each in facts.findings if each.bullet), None)
    asks = [f"“rewrite bullet {bullet}”"] if bullet else []
    asks += ["“rewrite the summary”", "“what can go?”"]
    return f"Say {listed(asks, 'or')} to go on, or name a role to check it against." if not facts.section else ""


def _mended(facts: ReviewFacts) -> str:
    what = f"Bullet {facts.number}" if facts.number else "Your line"
    finding = facts.findings[0] if facts.findings else None
    if not facts.after or facts.after == facts.before:
        return f"{what} is good as it is: “{plain(facts.before, _LONG)}”. I would not change it."
    rows = facts.after.split("\n")
    after = (
        f"**{plain(rows[0], _LONG)}**" if len(rows) == 1 else "\n".join(f"- **{plain(row, _LONG)}**" for row in rows)
    )
    parts = [f"Instead of “{plain(facts.before, _LONG)}”:", after]
    if finding is not None:
        parts.append(f"{plain(finding.finding, _LONG)} {plain(finding.suggestion, _LONG)}")
    parts.append(_about_placeholders([facts.after]))
    if VERB in facts.after:
        parts.append("Take the one verb that is true.")
    elif facts.after == EXAMPLE:
        parts.append("Give me the example in your own words, and I put it into one line.")
    return "\n\n".join(parts)


def _summary(facts: ReviewFacts) -> str:
    if facts.before and facts.after == facts.before:
        return (
            f"Your summary has {counted(len(facts.before.split()), 'word')} and no stock phrases: I would leave it as "
            f"it is.\n\n> {plain(facts.before, 900)}"
        )
    lead = (
        "In your own words, and with nothing that your CV does not say:"
        if facts.before
        else "There is no summary yet. From what your CV says:"
    )
    return _joined(lead, f"> {plain(facts.after, 900)}", _about_placeholders([facts.after]))


def _shorter(facts: ReviewFacts) -> str:
    pages = f" on {counted(facts.pages, 'page')}" if facts.pages else ""
    lead = f"{_the_cv(facts)[:1].upper()}{_the_cv(facts)[1:]} has {counted(facts.words, 'word')}{pages}."
    if not facts.cuts:
        return f"{lead} That is not too long, and I see nothing that should go."
    if facts.words <= ONE_PAGE:
        lead += " That fits on one page already."
    return _joined(
        lead,
        "\n".join(
            [
                "What I would cut, the cheapest first:",
                *(f"{n}. {plain(cut, _LONG)}" for n, cut in enumerate(facts.cuts, 1)),
            ]
        ),
        "One page holds about 400 to 500 words.",
    )


def _advice(facts: ReviewFacts) -> str:
    yours = ""
    if facts.topic == "length" and facts.words:
        pages = f" on {counted(facts.pages, 'page')}" if facts.pages else ""
        yours = f"Yours, {_the_cv(facts)}, has {counted(facts.words, 'word')}{pages}."
    unread = "I could not look into my guides just now." if facts.guides_unread and not facts.quotes else ""
    if not facts.advice and not facts.quotes:
        if unread:
            return f"{unread} Please ask again in a moment."
        return (
            "I have no good answer to that. Tell me which line or section of your CV you mean, or ask me to review the "
            "whole of it."
        )
    sources = "\n".join(source_line(each.number, facts.passages[each.number - 1]) for each in facts.quotes)
    return _joined(
        facts.advice,
        yours,
        *(quoted(each) for each in facts.quotes),
        sources and f"From the guides:\n{sources}",
        unread,
    )


def _applied(facts: ReviewFacts) -> str:
    return _joined(
        f"I cannot change {_the_cv(facts)} itself: copy the lines below into your document and send me the new "
        "version, then I review that.",
        _rewrites(facts) or "There is no line left that I would rewrite.",
    )


def _no_bullet(facts: ReviewFacts) -> str:
    there = counted(facts.bullets, "bullet") if facts.bullets else "no bullets"
    return f"There is no bullet {facts.number}: {_the_cv(facts)} has {there}. Which one do you mean?"


_ANSWERS: Final[dict[str, Callable[[ReviewFacts], str]]] = {
    "bullet": _mended,
    "line": _mended,
    "summary": _summary,
    "shorten": _shorter,
    "advice": _advice,
    "apply": _applied,
    "no_bullet": _no_bullet,
}
_SAID: Final[dict[str, str]] = {
    "no_resume": (
        "I have no CV of yours yet. **Upload it** in your profile (PDF, Word, Markdown, plain text or JSON Resume, up "
        "to 5 MB and 30 pages), or **paste its text here**, headings and dates included. Your name may stay in; "
        "your address, e-mail and phone number I drop on reading."
    ),
    "temporary": (
        "In a temporary chat I do not read the CV that is stored in your profile. Paste its text here, and I review it "
        "without keeping it, or ask again in a normal chat."
    ),
    "unavailable": (
        "I could not read your CV just now, so I cannot judge it. Please ask again in a moment, or paste its text here."
    ),
}
