"""What is said beside a letter: what it rests on, what is to be filled in, what was left out and why. Pure."""

from typing import Final, Literal

from signalbox.agents.letters.form import form_text
from signalbox.agents.letters.sources import Look
from signalbox.agents.letters.verdict import Verdict, verdict_text
from signalbox.agents.letters.wish import Kind, Tone
from signalbox.agents.turn import Facts
from signalbox.agents.words.guides import GuideFacts, guides_text
from signalbox.agents.words.phrases import counted, listed, plain
from signalbox.envelope import Intent

Outcome = Literal[
    "written", "unchanged", "restored", "first_version", "verdict", "which", "no_target", "no_letter", "advice"
]
# Why a change would leave a letter as it is.
Reason = Literal["form", "language", "within", "shortest", "longest", "tone", "already", "not_in_it"]

_KINDS: Final[dict[Kind, str]] = {
    "letter": "the letter",
    "speculative": "a speculative letter",
    "internal": "the internal application",
    "answer": "the answer",
    "email": "the e-mail to go with your application",
    "mended": "your letter, mended",
}
_MOST_BLANKS: Final = 12


class Choice(Facts):
    """A posting on the table. ``place`` is its number in the list."""

    place: int
    role: str
    company: str


class LetterFacts(Facts):
    """``rests_on``: what of the writer the text uses, in words. ``left_out``: what the posting asks for and the writer
    is not known to have. ``unheld``: what was to be mentioned and is not known either, so that a blank stands there;
    ``already``: what was in it before. ``limit``: the words asked for. ``changes``, ``dropped``, ``weak`` and
    ``claims`` are of a letter that was mended. ``old``: the day of a posting that is most likely closed. ``told``: what
    is not known of the writer was said before; ``again``: the letter takes the place of one of ``before`` words, and
    only ``added`` sentences of the user's, ``new_blanks`` and ``new_gaps`` are news; ``more_gaps`` are left out as well
    and not named. ``form``: what was asked of the text's form alone. ``shortest``: nothing noticeable can be taken
    away.
    """

    outcome: Outcome
    kind: Kind = "letter"
    role: str = ""
    company: str = ""
    sample: bool = False
    tone: Tone = "plain"
    words: int = 0
    limit: int | None = None
    language: str | None = None
    placeholders: tuple[str, ...] = ()
    rests_on: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    learning: tuple[str, ...] = ()
    unheld: tuple[str, ...] = ()
    already: tuple[str, ...] = ()
    cv: Look = "unasked"
    posting: Look = "unasked"
    employer: Look = "unasked"
    employer_source: str = ""
    profile_known: bool = False
    changes: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    restyled: bool = False
    tone_asked: bool = False
    old: str = ""
    told: bool = False
    again: bool = False
    before: int = 0
    new_blanks: tuple[str, ...] = ()
    new_gaps: tuple[str, ...] = ()
    more_gaps: int = 0
    added: tuple[str, ...] = ()
    signed: str = ""
    form: tuple[str, ...] = ()
    postscript: str = ""
    shortest: bool = False
    shorter_asked: bool = False
    reasons: tuple[Reason, ...] = ()
    verdict: Verdict | None = None
    choices: tuple[Choice, ...] = ()
    guides: GuideFacts | None = None


def compose(facts: LetterFacts) -> str:  # noqa: PLR0911 - one return an outcome
    """The reply as the template words it, in Markdown."""
    match facts.outcome:
        case "which":
            return "Which posting is the letter for? These are on the table; choose one, or name a role and a company."
        case "no_target":
            return (
                "Which post is the letter for? Name the role and the company, paste the posting, or search first "
                "and say "
                "“a letter for the second one”. A CV helps most: with it, the letter can show what you have done."
            )
        case "no_letter":
            return (
                "I do not have your letter. Paste its text here and say what to change (shorter, a check of its "
                "claims, "
                "fitted to a posting), or name the post and I write a new one."
            )
        case "advice":
            return guides_text(facts.guides, "cover letters") if facts.guides else ""
        case "verdict":
            return verdict_text(facts.verdict) if facts.verdict else ""
        case "unchanged":
            return _unchanged(facts)
        case "restored":
            words = counted(facts.words, "word")
            return f"Taken back: this is {_KINDS[facts.kind]} as it was before, with {words}. I changed nothing else."
        case "first_version":
            return "This is the first version of the letter, so there is nothing to go back to. I changed nothing."
        case "written":
            return "\n\n".join(
                filter(None, (_lead(facts), _basis(facts), _mended(facts), _blanks(facts), _gaps(facts)))
            )


def _lead(facts: LetterFacts) -> str:
    at = f" at {plain(facts.company)}" if facts.company else ""
    where = f" for the {plain(facts.role)} post{at}" if facts.role else at.replace(" at ", " for ", 1)
    length = counted(facts.words, "word")
    if facts.before and facts.before != facts.words:
        length += f" now, {facts.before:,} before"
    text = f"Here is {_KINDS[facts.kind]}{where} ({length}"
    text += ")." if facts.kind == "mended" else f", {facts.tone} in tone)."
    parts = [text]
    if "[role]" in facts.placeholders and "[company]" in facts.placeholders:
        parts.append("You named no post, so its name is a blank: name role and company, and I fit it to them.")
    if facts.sample:
        parts.append("The posting is a fictional sample from the built-in catalogue, so take this as practice.")
    if facts.old:
        parts.append(
            f"The posting is from {facts.old}, so it is most likely closed: check that before you write. The letter "
            "does not name the day."
        )
    parts += _what_changed(facts)
    if facts.language:
        parts.append(f"I write in English only for now, so this is not in {facts.language}.")
    if facts.limit is not None and facts.words > facts.limit:
        parts.append(f"I cannot get it down to {counted(facts.limit, 'word')} without losing what makes it one.")
    if facts.tone_asked and facts.kind == "mended" and not facts.restyled:
        parts.append("I keep your own wording, so its tone is still yours.")
    return " ".join(parts)


def _what_changed(facts: LetterFacts) -> list[str]:
    parts = []
    if facts.added:
        parts.append(f"Added in your own words: {' '.join(f'“{plain(each, 200)}”' for each in facts.added)}")
    if facts.signed:
        parts.append(f"It is signed {plain(facts.signed)}.")
    if facts.postscript:
        parts.append("A postscript stands at the end.")
    parts += [form_text(each, nothing_else=False) for each in facts.form]
    if facts.shorter_asked and facts.shortest:
        parts.append("This is the shortest I would send: less leaves no room for what makes it a letter.")
    return parts


def _basis(facts: LetterFacts) -> str:
    parts = []
    if facts.kind != "mended" and facts.rests_on:
        parts.append(f"It rests on {listed([plain(each, 120) for each in facts.rests_on])}.")
    elif facts.kind != "mended" and not facts.told:
        parts.append("I know nothing of your work yet, so it is mostly blanks.")
    match facts.cv:
        case "none" if facts.kind != "mended":
            parts.append("There is no CV on record; with one, the letter can show results and not only name skills.")
        case "unavailable":
            parts.append("I could not read your CV just now, so nothing from it is in here.")
        case "temporary":
            parts.append("In a temporary chat I do not read your CV.")
        case _:
            pass
    if facts.posting == "none":
        parts.append("The posting is no longer in the catalogue, so I went by what was shown of it.")
    elif facts.posting == "unavailable":
        parts.append("I could not read the whole posting just now and went by what was shown of it.")
    if facts.employer == "read":
        listing = plain(facts.employer_source.replace("_", " "))
        parts.append(f"What it says of {plain(facts.company)} is from its entry in the company list “{listing}”.")
    elif facts.employer == "unavailable":
        parts.append(f"I could not look up {plain(facts.company)} just now.")
    return " ".join(parts)


def _mended(facts: LetterFacts) -> str:
    if facts.kind != "mended":
        return ""
    lines = []
    lines.append(
        f"- **Changed:** {'; '.join(plain(each, 160) for each in facts.changes)}"
        if facts.changes
        else "- **Changed:** nothing; I found no slips."
    )
    if facts.dropped:
        lines.append(f"- **Taken out:** {' '.join(f'“{plain(each, 160)}”' for each in facts.dropped[:4])}")
    if facts.claims:
        lines.append(
            f"- **Check these:** neither your profile nor your CV holds "
            f"{listed([plain(each) for each in facts.claims], 'or')}. "
            "Keep what is true."
        )
    if facts.weak:
        quoted = [f"“{plain(each)}”" for each in facts.weak[:4]]
        lines.append(f"- **Stock phrases** a reader skips: {listed(quoted)}. Say what you did instead.")
    return "\n".join(lines)


def _blanks(facts: LetterFacts) -> str:
    blanks = "\n".join(f"- `{blank}`" for blank in facts.new_blanks[:_MOST_BLANKS])
    left = len(facts.placeholders) - len(facts.new_blanks)
    if not facts.again:
        return f"Before you send it, fill in what I do not know:\n{blanks}" if blanks else ""
    open_ones = f"{counted(left, 'blank')} from before {'is' if left == 1 else 'are'} still open." if left else ""
    fresh = f"New to fill in:\n{blanks}" if blanks else ""
    return "\n\n".join(filter(None, (fresh, open_ones)))


def _gaps(facts: LetterFacts) -> str:
    parts = []
    if facts.already:
        parts.append(f"{listed([plain(each) for each in facts.already])} was in it already.")
    if facts.unheld:
        parts.append(
            f"I do not know of {listed([plain(each) for each in facts.unheld], 'or')} from your profile or CV, "
            f"so there is a blank for it. "
            "Tell me more and I word it."
        )
    if facts.new_gaps:
        named = [plain(each) for each in facts.new_gaps]
        asks = f"{', '.join(named)} and {facts.more_gaps:,} more" if facts.more_gaps else listed(named)
        parts.append(
            f"The posting also asks for {asks}. I left that out, because neither your profile nor your CV says that "
            "you have it. If you do, tell me."
        )
    return " ".join(parts)


def _unchanged(facts: LetterFacts) -> str:
    said: dict[Reason, str] = {
        "form": " ".join(form_text(each, nothing_else=True) for each in facts.form),
        "language": f"I write in English only for now, so it is not in {facts.language}.",
        "within": f"It has {counted(facts.words, 'word')} already, which is within what you ask for.",
        "shortest": f"With {counted(facts.words, 'word')} it is the shortest I would send.",
        "longest": "I know of nothing more to put in. Tell me of something you did (“I led …, add that”) and it grows.",
        "tone": f"Its tone is {facts.tone} already.",
        "already": f"{listed([plain(each) for each in facts.already])} stands in it already.",
        "not_in_it": "It says nothing of that.",
    }
    why = [said[reason] for reason in facts.reasons]
    if not why:
        why = [
            (
                "I do not see in your message what to change in it. Say for example “shorter”, “more formal”, “mention "
                "my …” or “for the third one instead”."
            )
        ]
    return " ".join(("The letter stands as it was.", *why))


def offers_of(facts: LetterFacts) -> list[tuple[str, str, Intent]]:
    """Quick replies that fit the outcome."""
    match facts.outcome:
        case "which":
            return [
                (f"{each.role}, {each.company}"[:60], f"Write a cover letter for number {each.place}", "cover_letter")
                for each in facts.choices
            ]
        case "no_target" | "advice":
            return [
                ("Find jobs first", "Find jobs that fit my profile", "job_search"),
                ("Write a cover letter", "Draft a cover letter", "cover_letter"),
            ][: 1 if facts.outcome == "no_target" else 2]
        case "no_letter":
            return [("Write a new one", "Draft a new cover letter", "cover_letter")]
        case "written" | "unchanged" | "verdict" | "restored" | "first_version":
            return _changes(facts)


def _changes(facts: LetterFacts) -> list[tuple[str, str, Intent]]:
    changes = _all_changes(facts)
    return [each for each in changes if each[0] != "Shorter"] if facts.shortest else changes


def _all_changes(facts: LetterFacts) -> list[tuple[str, str, Intent]]:
    other: tuple[str, str, Intent] = (
        ("More friendly", "Make it more friendly", "cover_letter")
        if facts.tone == "formal"
        else ("More formal", "Make it more formal", "cover_letter")
    )
    shorter: tuple[str, str, Intent] = ("Shorter", "Make it shorter", "cover_letter")
    if facts.kind == "mended":
        return [shorter, ("Write a new one", "Draft a new cover letter", "cover_letter")]
    if facts.left_out and not facts.learning:
        return [
            shorter,
            other,
            ("Keen to learn the rest", "Say that I am keen to learn what is missing", "cover_letter"),
        ]
    if facts.kind in {"letter", "internal"}:
        return [shorter, other, ("E-mail to go with it", "Now the e-mail to go with my application", "cover_letter")]
    return [shorter, other]
