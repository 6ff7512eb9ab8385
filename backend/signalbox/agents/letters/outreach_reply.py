"""What is said beside an e-mail or note: for whom it is, what is open in it and how it can be changed. Pure."""

from signalbox.agents.letters.dispatch_text import HOW_TO_SEND
from signalbox.agents.letters.outreach import Channel, Tone
from signalbox.agents.letters.sources import Look
from signalbox.agents.turn import Facts
from signalbox.agents.words.phrases import counted, plain
from signalbox.envelope import Intent


class EmailFacts(Facts):
    """``sample``: the posting meant is a fictional one. ``size`` counts words of an e-mail, characters of a note.
    ``limit`` is how many words were allowed, ``words`` how many there are. ``language`` was asked for and is not what
    the draft is in. ``passed_over``: the company of the posting pointed at, left aside for the one that was named.
    ``from_cv``: a result or job of the CV is in the draft; ``company_source``: who says what it tells of the company.
    ``again``: it takes the place of a draft whose blanks were ``open_before``; ``shortest``: "shorter" would take
    away what makes it one. ``can_send``: this server can send it, once its user approves.
    """

    channel: Channel
    tone: Tone
    to: str | None
    company: str | None
    role: str | None
    subjects: tuple[str, ...]
    body: str
    placeholders: tuple[str, ...]
    size: int
    sample: bool = False
    limit: int | None = None
    words: int = 0
    language: str | None = None
    passed_over: str | None = None
    from_cv: bool = False
    company_source: str = ""
    cv: Look = "unasked"
    employer: Look = "unasked"
    purpose: str = ""
    again: bool = False
    unchanged: bool = False
    shortest: bool = False
    open_before: tuple[str, ...] = ()
    can_send: bool = False


def compose(facts: EmailFacts) -> str:
    """The reply as the template words it, in Markdown."""
    if facts.again and facts.unchanged:
        return _unchanged(facts)
    return "\n\n".join([*_opening(facts), _blanks(facts), _how_to_adapt(facts)])


def opening(facts: EmailFacts) -> str:
    """What the draft is, and no more: for where sending it is spoken of next."""
    return "\n\n".join(_opening(facts))


def _opening(facts: EmailFacts) -> list[str]:
    what = "a LinkedIn note" if facts.channel == "note" else "an e-mail"
    to = f" to {plain(facts.to)}" if facts.to else ""
    at = f" at {plain(facts.company)}" if facts.company else ""
    about = f" about the {plain(facts.role)} position" if facts.role else ""
    if not to and at:
        to, at = f" to {plain(facts.company or '')}", ""
    size = (
        f"{counted(facts.size, 'character')}, within LinkedIn's limit of 300"
        if facts.channel == "note"
        else f"{counted(facts.size, 'word')}, {facts.tone} in tone"
    )
    parts = [f"Here is {what}{to}{at}{about} ({size}).", *_not_as_asked(facts)]
    if facts.sample:
        parts.append("The posting is a fictional sample from the built-in catalogue, so take this as practice.")
    if basis := _basis(facts):
        parts.append(basis)
    if facts.purpose == "offer_no":
        parts.append("Send it soon, and call first if you know them well: thanks, a clear no and one reason will do.")
    return parts


def _unchanged(facts: EmailFacts) -> str:
    if facts.language:
        return f"I write drafts in English only for now, so it is not in {facts.language}. The draft stands as it was."
    if facts.shortest or facts.tone == "short":
        return f"The draft stands as it was: {counted(facts.words, 'word')} is the shortest I would send."
    return "The draft stands as it was: it is that already. " + _how_to_adapt(facts)


def _blanks(facts: EmailFacts) -> str:
    if not facts.placeholders:
        send = f" {HOW_TO_SEND}" if facts.can_send else ""
        return f"Everything in it comes from you or the posting; read it once more before you send it.{send}"
    new = [blank for blank in facts.placeholders if not facts.again or blank not in facts.open_before]
    listing = "\n".join(f"- `{blank}`" for blank in new)
    if not facts.again:
        how = f"\n\nTell me what goes there, like `{facts.placeholders[0]}: …`, and I fill it in."
        return f"I only used what I know of you. Before you send it, fill in:\n{listing}{how}"
    left = len(facts.placeholders) - len(new)
    still = f"{counted(left, 'blank')} from before {'is' if left == 1 else 'are'} still open." if left else ""
    return "\n\n".join(filter(None, (f"New to fill in:\n{listing}" if new else "", still)))


def _not_as_asked(facts: EmailFacts) -> list[str]:
    parts: list[str] = []
    if facts.language:
        parts.append(
            f"I write drafts in English only for now, so this is not in {facts.language}. Have it translated before "
            f"you send it."
        )
    if facts.limit is not None and facts.words > facts.limit:
        parts.append(
            f"I cannot get it down to {counted(facts.limit, 'word')}: this is the shortest I can write, with "
            f"{counted(facts.words, 'word')}."
        )
    if facts.passed_over:
        parts.append(
            f"The posting you point at is from {plain(facts.passed_over)}. You named {plain(facts.company or '')}, so "
            f"the draft goes there; if that is a person, say “to … at {plain(facts.passed_over)}”."
        )
    return parts


def _how_to_adapt(facts: EmailFacts) -> str:
    if facts.channel == "note":
        return "A connection note has no subject line. Say “as an e-mail” for a longer version."
    other = "“more friendly”" if facts.tone == "formal" else "“more formal”"
    return (
        f"There are {counted(len(facts.subjects), 'subject line')} to choose from. Say {other}, “shorter” or “as a "
        f"LinkedIn note” to change it."
    )


def _basis(facts: EmailFacts) -> str:
    parts = []
    if facts.from_cv:
        parts.append("What it says of your work comes from your CV.")
    elif facts.cv == "unavailable":
        parts.append("I could not read your CV just now, so nothing from it is in here.")
    if facts.company_source:
        listing = plain(facts.company_source.replace("_", " "))
        parts.append(f"What it says of {plain(facts.company or '')} is from its entry in the company list “{listing}”.")
    elif facts.employer == "unavailable":
        parts.append(f"I could not look up {plain(facts.company or 'the company')} just now.")
    return " ".join(parts)


def changes_of(facts: EmailFacts) -> list[tuple[str, str, Intent]]:
    if facts.channel == "note":
        return [("As an e-mail", "As an e-mail instead, please", "cold_email")]
    changes: list[tuple[str, str, Intent]] = [
        ("Shorter", "Make it shorter", "cold_email"),
        ("As a LinkedIn note", "Make it a LinkedIn note", "cold_email"),
    ]
    other: tuple[str, str, Intent] = (
        ("More friendly", "Make it more friendly", "cold_email")
        if facts.tone == "formal"
        else ("More formal", "Make it more formal", "cold_email")
    )
    return [other, *(change for change in changes if not facts.shortest or change[0] != "Shorter")]
