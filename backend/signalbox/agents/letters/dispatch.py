"""Sends the draft on the table once its user approves it; decides before that whether it can go out at all.

What is told of it is told in fixed words (``dispatch_text``): no model words whether a mail was sent.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import ValidationError

from signalbox.agents.base import TurnContext
from signalbox.agents.letters.asked import Asked
from signalbox.agents.letters.blanks import filled, needed_in, open_in
from signalbox.agents.letters.dispatch_text import (
    HOW_TO_SEND,
    Outcome,
    SendingFacts,
    filled_text,
    sending_offers,
    sending_text,
)
from signalbox.agents.letters.sending import SENT_TO, OnTable, SendWish
from signalbox.agents.turn import Answer
from signalbox.agents.words.phrases import plain, quick_replies
from signalbox.blocks import EmailDraft
from signalbox.envelope import Intent
from signalbox.errors import said_by_check
from signalbox.events import Chunk, Citation, Message
from signalbox.tools.mailing import UNKNOWN, Sent, may_have_been_sent
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.send_email import LONGEST_SUBJECT, MOST_RECIPIENTS, Mail, SendEmail, can_send

Offer = tuple[str, str, Intent]


@dataclass(frozen=True, slots=True)
class Work:
    """What came of a message about a draft: ``facts`` of sending it, if it was to be sent, and what is said before.
    ``mail`` is the draft as it stands now.
    """

    table: OnTable | None
    facts: SendingFacts | None = None
    sent: Sent | None = None
    before: str = ""

    @property
    def mail(self) -> EmailDraft | None:
        return self.table.mail if self.table is not None else None


async def carried_out(ctx: TurnContext, agent: Intent, asked: Asked) -> Work:
    """Fill in what was told, show the draft anew, and send it if that was asked for."""
    if asked.back:
        return Work(asked.table, SendingFacts(outcome="held_back", agent=agent))
    table, before = asked.table, ""
    if asked.filling and table is not None and table.mail is not None:
        mail = _filled(table.mail, asked)
        before = filled_text(table.mail, mail, asked.filling)
        if mail != table.mail:
            table = with_sending(table, agent, mail, asked.send)
            # What was said of its recipient lasts as long as the draft does.
            mail = mail.model_copy(update={"to": addressed(mail.to, table.to)})
            table = replace(table, mail=mail)
            await ctx.emit(mail)
    if asked.send is None:
        return Work(table, before=before)
    facts, sent = await dispatch(ctx, agent, table, asked.send)
    return Work(table, facts, sent, before if facts.outcome not in {"sent", "unknown"} else "")


def _filled(draft: EmailDraft, asked: Asked) -> EmailDraft:
    """From the draft with the blanks, if what is told anew has none in this one."""
    if asked.blank is None:
        return filled(draft, asked.filling, asked.before)
    whole = filled(asked.blank, asked.before.then(asked.filling))
    return whole.model_copy(update={"to": draft.to})


async def told(
    ctx: TurnContext, agent: Intent, work: Work, changes: Sequence[Offer], cited: tuple[Citation, ...] = ()
) -> Answer:
    """Say it, with the quick replies that fit. ``changes`` are those to the draft."""
    if work.facts is not None:
        text = "\n\n".join(filter(None, [work.before, sending_text(work.facts)]))
        offers = sending_offers(work.facts, list(changes))
    else:
        offers = offer_to_send(ctx, agent, work.table)
        text = "\n\n".join(filter(None, [work.before, how_to_send(ctx, work.table)]))
        left = work.mail is not None and open_in(work.mail.body, work.mail.subject) != needed_in(work.mail)
        rest: Offer = ("Leave out the blanks", "Leave out the rest of the blanks", agent)
        offers = [*([rest] if left else []), *offers, *changes]
    answer = await say(ctx, agent, text, cited)
    if offers:
        await ctx.emit(quick_replies(ctx.message_id, "Go on?", offers))
    return answer


async def dispatch(
    ctx: TurnContext, agent: Intent, table: OnTable | None, wish: SendWish
) -> tuple[SendingFacts, Sent | None]:
    """Ask the user, send it if they approve, and tell what has become of it; or tell why it is not even asked."""
    if table is None:
        return SendingFacts(outcome="nothing", agent=agent), None
    if table.mail is None:
        return SendingFacts(outcome="letter", agent=agent), None
    if (blocked := _in_the_way(ctx, agent, table, wish)) is not None:
        return blocked, None
    to = wish.to or table.to
    try:
        mail = Mail(
            to=to,
            subject=_subject(table.mail),
            body=table.mail.body,
            reply_to=wish.reply_to or table.reply_to,
        )
    except ValidationError as exc:
        why = "; ".join(said_by_check(each["msg"]) for each in exc.errors(include_url=False))
        return SendingFacts(outcome="not_sent", agent=agent, to=to, why=why), None
    return await _sent(ctx, agent, table.mail, mail)


async def _sent(ctx: TurnContext, agent: Intent, draft: EmailDraft, asked: Mail) -> tuple[SendingFacts, Sent | None]:
    called = await ctx.called(SendEmail, asked)
    mail = asked if called.edited is None else Mail.model_validate(called.edited)
    if mail != asked:
        # The draft is from now on what its user made of it, whatever became of the mail.
        await ctx.emit(as_edited(draft, mail, asked))
    facts = SendingFacts(outcome="not_sent", agent=agent, to=mail.to, subject=mail.subject)
    match called.result:
        case Ok(sent):
            told = {
                "outcome": "sent",
                "to": sent.to,
                "subject": sent.subject,
                "at": sent.sent_at,
                "refused": sent.refused,
                "replies_to": sent.reply_to or sent.sender,
            }
            return facts.model_copy(update=told), sent
        case Empty(note):
            return facts.model_copy(update={"why": note}), None
        case Err() as err if may_have_been_sent(err):
            why = err.note if UNKNOWN in err.note else f"{UNKNOWN}: {err.note}"
            return facts.model_copy(update={"outcome": "unknown", "why": why}), None
        case Err("rejected", note):
            return facts.model_copy(update={"outcome": "rejected", "why": note.partition(": ")[2]}), None
        case Err("expired"):
            return facts.model_copy(update={"outcome": "expired"}), None
        case Err(_, note, retryable):
            return facts.model_copy(update={"why": note, "retry": retryable}), None


def _in_the_way(ctx: TurnContext, agent: Intent, table: OnTable, wish: SendWish) -> SendingFacts | None:
    """Why the user is not even asked."""
    mail = table.mail
    assert mail is not None
    outcome: Outcome | None = None
    if not can_send(ctx.tools):
        outcome = "no_mail"
    elif not mail.subject:
        outcome = "note"
    elif wish.later:
        outcome = "later"
    elif wish.blind:
        outcome = "blind"
    if outcome is not None:
        return SendingFacts(outcome=outcome, agent=agent, subject=_subject(mail))
    return _missing(agent, table, mail, wish)


def _missing(agent: Intent, table: OnTable, mail: EmailDraft, wish: SendWish) -> SendingFacts | None:
    """All that is missing, at once; or that it went out already."""
    # Whom the message names without an address is not who was written to before.
    to = wish.to or (() if wish.to_me or _somebody_else(wish, mail) else table.to)
    many = (f"at most {MOST_RECIPIENTS} addresses at once",) if len(to) > MOST_RECIPIENTS else ()
    found = SendingFacts(
        outcome="open",
        agent=agent,
        subject=_subject(mail),
        blanks=open_in(mail.body, _subject(mail)),
        needed=needed_in(mail),
        malformed=(*wish.malformed, *many),
        ask=not to,
        whom=wish.whom if not to else "",
    )
    if found.blanks or found.malformed or found.ask:
        return found
    if not wish.again and went_out(table, to):
        return SendingFacts(outcome="before", agent=agent, to=to)
    return None


def _somebody_else(wish: SendWish, mail: EmailDraft) -> bool:
    """A person named ("to Bob") who is not the one that the draft is to."""
    name = wish.whom
    return bool(name) and name[:1].isupper() and name.casefold() not in (mail.to or "").casefold()


def went_out(table: OnTable, to: Sequence[str]) -> bool:
    """Whether this very draft was sent to one of them, or may have been."""
    told = [text for text in table.answers if SENT_TO in text or "may have arrived" in text]
    return any(plain(address) in text for address in to for text in told)


def as_edited(draft: EmailDraft, mail: Mail, asked: Mail) -> EmailDraft:
    """The draft as its user changed it when they approved it as ``mail``."""
    return draft.model_copy(
        update={
            "to": draft.to if mail.to == asked.to and draft.to else ", ".join(mail.to),
            "subject": mail.subject,
            "body": mail.body,
            "subjects": draft.subjects if mail.subject in draft.subjects else (mail.subject, *draft.subjects),
            "placeholders": open_in(mail.body, mail.subject),
            "evidence": draft.evidence if mail.body == asked.body else (),
        }
    )


def with_sending(table: OnTable | None, agent: Intent, mail: EmailDraft | None, wish: SendWish | None) -> OnTable:
    """The table with a draft that was made just now: nothing was said of that one yet."""
    wish = wish or SendWish()
    before = table or OnTable(agent, mail)
    return replace(
        before,
        agent=agent,
        mail=mail,
        to=wish.to or before.to,
        reply_to=wish.reply_to or before.reply_to,
        answers=(),
        asked=False,
    )


def offer_to_send(ctx: TurnContext, agent: Intent, table: OnTable | None) -> list[Offer]:
    """The quick reply that sends it, where nothing stands in the way."""
    if (
        table is None
        or table.mail is None
        or not table.to
        or _in_the_way(ctx, agent, table, SendWish(again=True)) is not None
    ):
        return []
    return [("Send it", f"Send it to {' and '.join(table.to)}", agent)]


def addressed(to: str | None, addresses: Sequence[str]) -> str | None:
    """What stands at the head of a draft: whom it is to, with the address if that is known."""
    person = (to or "").partition("<")[0].strip()
    if not addresses:
        return to
    return (
        f"{person} <{addresses[0]}>" if person and "@" not in person and len(addresses) == 1 else ", ".join(addresses)
    )


def how_to_send(ctx: TurnContext, table: OnTable | None) -> str:
    """How a draft without blanks gets sent, where that is not plain."""
    if table is None or table.mail is None or not table.mail.subject or not can_send(ctx.tools):
        return ""
    if table.to or open_in(table.mail.body, _subject(table.mail)):
        return ""
    return HOW_TO_SEND


async def say(ctx: TurnContext, agent: Intent, text: str, cited: tuple[Citation, ...] = ()) -> Answer:
    """The whole answer in exactly these words."""
    await ctx.emit(Chunk(message_id=ctx.message_id, agent=agent, content=text))
    await ctx.emit(Message(message_id=ctx.message_id, agent=agent, content=text, citations=cited))
    return Answer(text=text, citations=cited)


def _subject(mail: EmailDraft) -> str:
    """The first subject on offer that has no blank in it."""
    subjects = (mail.subject, *mail.subjects)
    chosen = next((subject for subject in subjects if subject and not open_in(subject)), mail.subject)
    line = " ".join(chosen.split())
    return line if len(line) <= LONGEST_SUBJECT else f"{line[: LONGEST_SUBJECT - 1].rstrip()}…"
