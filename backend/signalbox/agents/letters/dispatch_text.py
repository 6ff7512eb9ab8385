"""What is said about sending a draft: what stands in its way, and what has become of it. Pure.

These words are shown as they are, whatever model answers otherwise: whether a mail went out is not a matter of wording.
"""

from datetime import datetime
from typing import Final, Literal

from signalbox.agents.letters.blanks import SIGNATURE, Filling, needed_in, open_in
from signalbox.agents.letters.sending import ASKS_ADDRESS, SENT_TO
from signalbox.agents.turn import Facts
from signalbox.agents.words.phrases import listed, plain
from signalbox.blocks import EmailDraft
from signalbox.envelope import Intent

HOW_TO_SEND: Final = "Say “send it to name@example.com, replies to you@example.com”, and I send it once you approve."
Outcome = Literal[
    "sent", "rejected", "expired", "not_sent", "unknown", "open", "no_mail", "nothing", "letter", "note", "later",
    "blind", "held_back", "before",
]  # fmt: skip


class SendingFacts(Facts):
    """``open``: blanks to fill in, or an address that is missing (``ask``); ``malformed``: what was given as one.
    ``needed``: those of the blanks that cannot be left out.
    ``before``: it went out, or may have, already. ``retry``: it may work if it is asked for again.
    """

    outcome: Outcome
    agent: Intent = ""
    to: tuple[str, ...] = ()
    subject: str = ""
    at: datetime | None = None
    refused: tuple[str, ...] = ()
    replies_to: str = ""
    blanks: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    malformed: tuple[str, ...] = ()
    whom: str = ""
    ask: bool = False
    why: str = ""
    retry: bool = False
    noted: str = ""


def sending_text(facts: SendingFacts) -> str:  # noqa: C901, PLR0911, PLR0912 - one return an outcome
    """The reply, or its last part where the draft is spoken of before, in Markdown."""
    match facts.outcome:
        case "sent":
            return _sent(facts)
        case "rejected":
            said = f" You said: “{plain(facts.why, 300)}”." if facts.why else ""
            return f"I did not send it.{said} Tell me what to change, or say “send it” to be asked again."
        case "expired":
            return (
                "The request to send it ran out before it was answered, so I did not send it. Say “send it” and I ask "
                "you again."
            )
        case "not_sent":
            again = " Say “send it” to try once more." if facts.retry else ""
            return f"It was **not sent**: {_sentence(facts.why)}{again} {_COPY}"
        case "unknown":
            why = facts.why.replace("the user did", "you did")
            return (
                f"I {_sentence(why)} It may have arrived, so I do not try again by myself. Ask "
                f"{listed([plain(each) for each in facts.to])}, or say “send it again” to take the risk of a second "
                "copy."
            )
        case "open":
            return _open(facts)
        case "no_mail":
            return (
                "This server cannot send mail, because its operator has not set up a mail server. Nothing was sent: "
                "copy the text above into your own mail program."
            )
        case "nothing":
            return "There is no e-mail here to send yet. Tell me to whom and what about, and I write a draft first."
        case "letter":
            return (
                "That is a letter to go with an application, and I can only send e-mails without attachments. Nothing "
                "was sent: copy it, or ask me for an e-mail to the company."
            )
        case "note":
            return (
                "That is a LinkedIn note, which I cannot send: paste it there. Say “as an e-mail” for a version that "
                "I can send."
            )
        case "later":
            return "I can only send it at once, and have not sent it. Say “send it” when the time has come."
        case "blind":
            return (
                "I cannot send blind copies: all recipients see each other. Nothing was sent. Name those to whom it "
                "may openly go."
            )
        case "held_back":
            return "I have sent nothing, and I send nothing without your approval."
        case "before":
            who = f" to {listed([plain(each) for each in facts.to])}" if facts.to else ""
            return f"It went out{who} before, or may have. Say “send it again” if you want it to go a second time."


_COPY = "The text above is yours to copy into your own mail program."


def _sent(facts: SendingFacts) -> str:
    when = f" at {facts.at:%H:%M} UTC on {facts.at.day} {facts.at:%B %Y}" if facts.at else ""
    text = (
        f"{SENT_TO}{listed([plain(each) for each in facts.to])}{when}, with the subject “{plain(facts.subject, 200)}”."
    )
    parts = [text]
    if facts.refused:
        parts.append(f"It did **not** go to {listed([plain(each, 250) for each in facts.refused])}.")
    if facts.replies_to:
        parts.append(f"Replies go to {plain(facts.replies_to)}; I do not see them.")
    return "\n\n".join(filter(None, [" ".join(parts), facts.noted]))


def _open(facts: SendingFacts) -> str:
    """All that is missing at once, so that one answer can settle it."""
    parts = []
    if facts.blanks:
        parts.append(_open_blanks(facts))
    if facts.malformed:
        wrong = listed([plain(each, 200) for each in facts.malformed])
        parts.append(f"I have **not sent** it: this is no address I can write to, {wrong}.")
    if facts.ask:
        whom = f" I know no address of {plain(facts.whom)}." if facts.whom else ""
        lead = "" if parts else "I have not sent it yet."
        parts.append(" ".join(f"{lead}{whom} {ASKS_ADDRESS}".split()))
    return "\n\n".join(parts)


def _open_blanks(facts: SendingFacts) -> str:
    if facts.blanks == facts.needed:
        return f"I have **not sent** it: {_missing(facts.needed)}"
    blanks = "\n".join(f"- `{blank}`" for blank in facts.blanks)
    kept = f" {_stays(facts.needed)}" if facts.needed else ""
    return (
        f"I have **not sent** it: these blanks are still open.\n{blanks}\n\nAnswer with a line for each, like "
        f"`{facts.blanks[0]}: …`, or say “leave out the rest” to drop the sentences they stand in.{kept}"
    )


def _missing(needed: tuple[str, ...]) -> str:
    """Blanks that can only be filled in, and how that is said."""
    if len(needed) == 1:
        return f"only {_called(needed[0])} is missing, and that cannot be left out. Write `{needed[0][1:-1]}: …`."
    blanks = "\n".join(f"- `{blank}`" for blank in needed)
    return (
        f"these are missing, and cannot be left out.\n{blanks}\n\nAnswer with a line for each, like `{needed[0]}: …`."
    )


def _stays(needed: tuple[str, ...]) -> str:
    """What “leave out” does not do away with."""
    return f"{_capital(listed([_called(blank) for blank in needed]))} cannot be left out."


def _called(blank: str) -> str:
    return "your name" if blank == SIGNATURE else f"`{blank}`"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def filled_text(before: EmailDraft, after: EmailDraft, filling: Filling) -> str:
    """What filling in the blanks came to."""
    left = open_in(after.body, after.subject)
    had = open_in(before.body, before.subject, *before.subjects)
    gone = [blank for blank in had if blank not in left]
    written = [blank for blank in gone if blank in filling.values]
    dropped = [blank for blank in gone if blank in filling.dropped]
    parts = []
    if written:
        parts.append(f"I have filled in {listed([f'`{blank}`' for blank in written])}.")
    if dropped:
        parts.append(f"I have left out {listed([f'`{blank}`' for blank in dropped])}.")
    if anew := [blank for blank in filling.values if blank not in had]:
        parts.append(_told_anew(anew, before, after, filling))
    elif not gone:
        parts.append("The draft stands as it was.")
    needed = needed_in(after)
    if not left:
        parts.append("No blank is open any more.")
    elif left == needed:
        parts.append(_capital(_missing(needed)))
    else:
        kept = [blank for blank in filling.dropped if blank in needed]
        parts += [_stays(tuple(kept))] if kept else []
        parts.append("Still to fill in:\n" + "\n".join(f"- `{blank}`" for blank in left))
    return " ".join(parts)


def _told_anew(anew: list[str], before: EmailDraft, after: EmailDraft, filling: Filling) -> str:
    if (after.body, after.subject) == (before.body, before.subject):
        what = listed([_called(blank) for blank in anew])
        return f"The draft stands as it was: it says that already, or has no sentence for {what} any more."
    return " ".join(f"{_capital(_called(blank))} is now “{plain(filling.values[blank], 200)}”." for blank in anew)


def sending_offers(facts: SendingFacts, changes: list[tuple[str, str, Intent]]) -> list[tuple[str, str, Intent]]:
    """Quick replies that fit; ``changes`` are those to the draft."""
    agent = facts.agent
    first: dict[str, tuple[str, str, Intent]] = {
        "expired": ("Ask me again", "Send it", agent),
        "later": ("Send it now", "Send it", agent),
        "before": ("Send it again", "Send it again", agent),
        "unknown": ("Send it again", "Send it again", agent),
        "note": ("As an e-mail", "As an e-mail instead, please", agent),
    }
    if facts.outcome == "not_sent" and facts.retry:
        first["not_sent"] = ("Try again", "Send it", agent)
    if facts.outcome == "open" and facts.blanks != facts.needed:
        first["open"] = ("Leave out the blanks", "Leave out the rest of the blanks", agent)
    more = changes if facts.outcome in {"rejected", "expired", "later", "not_sent", "open"} else []
    return [*([first[facts.outcome]] if facts.outcome in first else []), *more]


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
