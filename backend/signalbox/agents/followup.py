"""Keeps track of applications: records them, says how each stands and when to write again, and drafts that letter."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import ClassVar, Final, Literal

from signalbox.agents.base import TurnContext
from signalbox.agents.letters.asked import Asked, asked_of, belongs_to_writer, is_mine
from signalbox.agents.letters.blanks import filled, filled_before, signed_before
from signalbox.agents.letters.dispatch import (
    Offer,
    Work,
    carried_out,
    dispatch,
    how_to_send,
    offer_to_send,
    say,
    told,
    with_sending,
)
from signalbox.agents.letters.outreach_text import Draft
from signalbox.agents.letters.sending import OnTable, SendWish, addresses_in
from signalbox.agents.letters.taking_back import taken_back, takes_back_mail
from signalbox.agents.letters.undoing import standing, takes_back
from signalbox.agents.tracking.contact import note_contact
from signalbox.agents.tracking.facts import Done, Outcome, TrackerFacts
from signalbox.agents.tracking.letter_wish import Manner, letter_in, manner_in, only_changes
from signalbox.agents.tracking.letters import write_letter
from signalbox.agents.tracking.past import drafted_last, last_answer, said
from signalbox.agents.tracking.reply import CONSOLES, compose, not_taken_back, offers_of
from signalbox.agents.tracking.text import application_shown
from signalbox.agents.tracking.wish import (
    LONGEST,
    Change,
    TrackerWish,
    asks_anew,
    awaits_answer,
    is_correction,
    only_a_day,
    read_wish,
)
from signalbox.agents.turn import Answer, Turn
from signalbox.agents.words.phrases import quick_replies, without_command
from signalbox.agents.words.profile_words import value_of
from signalbox.blocks import Application, ApplicationStatus, EmailDraft
from signalbox.envelope import Intent
from signalbox.memory.applications import TrackedApplication
from signalbox.memory.conversation import PastMessage
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.track_applications import (
    ApplicationChange,
    ReadApplications,
    TrackApplication,
    WholeTracker,
)

Store = Literal["read", "temporary", "unavailable"]

_MOST_WORDS_OF_AN_ANSWER: Final = 7
_CHANGES: Final[tuple[Offer, ...]] = (
    ("Shorter", "Make it shorter", "followup"),
    ("Warmer", "Make it warmer", "followup"),
)
_THEM: Final = re.compile(r"\b(?:them|they|it|him|her)\b", re.IGNORECASE)
_COUNT_SAID = re.compile(
    r"\b(?P<count>(?:(?:the|my)\s+)?(?:\d{1,3}(?:st|nd|rd|th)|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)"
    r"(?:\s+(?:one|rejection|no|time))?\s+(?:this|in a|in one|in the last|since)\s+\w+|\d{1,3}\s+rejections?(?:\s+"
    r"(?:this|in a)\s+\w+)?)\b",
    re.IGNORECASE,
)


class FollowupAgent:
    """Looks after applications that were sent."""

    name: ClassVar[Intent] = "followup"
    label: ClassVar[str] = "Follow up an application"
    when_to_use: ClassVar[str] = (
        "Anything about an application already sent: record it, its status, silence, when and how to chase, thanks "
        "after an interview, a rejection, a withdrawal."
    )
    examples: ClassVar[tuple[str, ...]] = (
        "I applied to Haldvik Freight as a planner two weeks ago and heard nothing",
        "Which of my applications should I chase?",
        "Write a thank-you note after the interview",
    )
    instructions: ClassVar[str] = (
        "Say what was recorded or changed, how the application stands, how many days it has been and when to write "
        "again, as the facts list it, each once. A draft is already shown to the user: do not repeat it, name its "
        "placeholders. If the company is missing, ask “Which company ...?”; if several applications could be meant, "
        "ask “Which one do you mean?”. A rejection deserves one warm sentence, once in a conversation. You know only "
        "what the user told you: you receive no mail from employers, and say so if asked for news."
    )

    def holds(self, message: str, history: Sequence[PastMessage]) -> bool:
        """An answer to its question, a change to its draft or to send it, a letter to "them", a correction of what it
        stored.
        """
        if is_mine(self.name, without_command(message), history) or _takes_back(message, history):
            return True
        last, message = last_answer(history), message[:LONGEST]
        if last is None:
            return False
        if only_changes(message) and drafted_last(history) is not None:
            return True
        if awaits_answer(last.content) and len(message.split()) <= _MOST_WORDS_OF_AN_ANSWER and not asks_anew(message):
            return True
        if not any(block.get("type") == "application_status" for block in last.blocks):
            return False
        return (
            is_correction(message)
            or only_a_day(message)
            or (_THEM.search(message) is not None and letter_in(message) is not None)
        )

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        message, back = without_command(turn.message), _takes_back(turn.message, turn.history)
        drafted = takes_back_mail(self.name, turn.message, turn.history)
        # What was taken back is no part of what is changed now.
        turn = turn.model_copy(update={"history": standing(turn.history, "email_draft")})
        if drafted:
            return await taken_back(ctx, self.name, message, turn.history, _changes_left(turn.history))
        if back:
            return await say(ctx, self.name, not_taken_back(turn.history))
        asked = asked_of(message, turn.history)
        if (over := belongs_to_writer(self.name, asked)) is not None:
            return Answer(text="", hand_over=over)
        if asked.only_sends or asked.filling:
            work = await carried_out(ctx, self.name, asked)
            return await told(ctx, self.name, await _noted(turn, ctx, work), _changes_left(turn.history))
        facts, draft = await self._work(turn, ctx, asked.rest)
        if facts.applications or facts.outcome == "removed":
            one = facts.application
            changed = one.application_id or None if one is not None and facts.outcome != "removed" else None
            await ctx.emit(ApplicationStatus(applications=facts.applications, changed=changed))
        table = None
        if draft is not None:
            table = _on_table(draft, facts, asked, turn.history)
            assert table.mail is not None
            await ctx.emit(table.mail)
            facts = facts.model_copy(update={"draft": table.mail.body, "placeholders": table.mail.placeholders})
        if asked.send is not None and table is not None:
            return await self._sent(turn, ctx, facts, table, asked.send)
        text = "\n\n".join(filter(None, [compose(facts), how_to_send(ctx, table)]))
        answer = await ctx.reply(self, turn, facts, text, owed=draft is None)
        if offers := [*offer_to_send(ctx, self.name, table), *offers_of(facts)]:
            await ctx.emit(quick_replies(ctx.message_id, "Go on?", offers))
        return answer

    async def _sent(self, turn: Turn, ctx: TurnContext, facts: TrackerFacts, table: OnTable, send: SendWish) -> Answer:
        """What was written just now is sent at once; what was stored is told with it."""
        changed = facts.application.application_id if facts.application is not None else ""
        before = compose(facts.model_copy(update={"draft": "", "only_changed": False}))
        sending, sent = await dispatch(ctx, self.name, table, send)
        work = await _noted(turn, ctx, Work(table, sending, sent, before), changed)
        return await told(ctx, self.name, work, offers_of(facts))

    async def _work(self, turn: Turn, ctx: TurnContext, message: str) -> tuple[TrackerFacts, Draft | None]:
        today = turn.today
        tracked, store, partly = await _tracker(turn, ctx)
        wish = await asyncio.to_thread(read_wish, message, tracked, turn.history, today)
        count = _COUNT_SAID.search(message)
        facts = TrackerFacts(
            outcome="listed",
            today=today,
            applications=tuple(application_shown(one, today) for one in tracked),
            among=tuple(application_shown(one, today) for one in wish.among),
            letter=wish.letter,
            manner=wish.manner.words,
            only_changed=wish.only_changes,
            removing=wish.action == "remove",
            asked=wish.question,
            consoled=said(turn.history, CONSOLES),
            count_said=count["count"] if count else "",
            title=wish.title,
            pending=wish.pending,
            partly=partly,
        )
        facts = await _carried_out(facts, wish, store, ctx)
        name = value_of(turn.profile, "name") or signed_before(turn.history, self.name, "cold_email")
        return _with_letter(facts, wish, name)


def _takes_back(message: str, history: Sequence[PastMessage]) -> bool:
    """Whether it is to take back what was drafted or noted here last."""
    name = FollowupAgent.name
    return takes_back_mail(name, message, history) or takes_back(message, history, "application_status", name)


def _changes_left(history: Sequence[PastMessage]) -> list[Offer]:
    """The changes on offer, without those that the last letter has had."""
    manner = Manner()
    for message in (without_command(past.content) for past in history if past.role == "user"):
        if letter_in(message) is not None:
            manner = manner_in(message)
        elif only_changes(message):
            manner = manner.with_(manner_in(message))
    return [offer for offer in _CHANGES if offer[0].casefold() not in manner.words]


async def _noted(turn: Turn, ctx: TurnContext, work: Work, changed: str = "") -> Work:
    """With what was noted of a mail that went out."""
    if work.sent is None or work.mail is None or work.facts is None:
        return work
    noted = await note_contact(turn, ctx, work.mail, work.sent, changed)
    return replace(work, facts=work.facts.model_copy(update={"noted": noted}))


def _on_table(draft: Draft, facts: TrackerFacts, asked: Asked, history: Sequence[PastMessage]) -> OnTable:
    """The letter just written, with the blanks filled in that were before, if it only changes the last one."""
    to, _, reply_to = addresses_in(asked.rest)
    wish = asked.send if asked.send is not None and asked.send.to else SendWish(to=to, reply_to=reply_to)
    table = with_sending(asked.table if facts.only_changed else None, "followup", None, wish)
    mail = EmailDraft(
        to=", ".join(table.to) or None,
        subject=draft.subjects[0],
        body=draft.body,
        subjects=draft.subjects,
        placeholders=draft.placeholders,
        kind=facts.letter or "",
    )
    if facts.only_changed and (kept := filled_before(history, "followup")):
        mail = filled(mail, kept)
    return replace(table, mail=mail)


async def _tracker(turn: Turn, ctx: TurnContext) -> tuple[tuple[TrackedApplication, ...], Store, bool]:
    """What is on it, whether it was read, and whether that is a part only."""
    if turn.temporary:
        return (), "temporary", False
    match await ctx.call(ReadApplications, WholeTracker()):
        case Ok(found, truncated, missed=missed):
            return found, "read", truncated or bool(missed)
        case Empty():
            return (), "read", False
        case Err():
            return (), "unavailable", False


async def _carried_out(  # noqa: PLR0911 - one return an action
    facts: TrackerFacts, wish: TrackerWish, store: Store, ctx: TurnContext
) -> TrackerFacts:
    if store != "read":
        told = _unstored(wish, facts.today)
        can_write = wish.letter is not None and told.company
        unread: Outcome = "unread" if store == "unavailable" else "not_stored"
        return facts.model_copy(update={"outcome": unread if can_write else store, "application": told})
    match wish.action:
        case "ask_company" | "ask_which":
            return facts.model_copy(update={"outcome": "ask_company" if wish.action == "ask_company" else "which"})
        case "remove" if wish.target is None and wish.company:
            return facts.model_copy(update={"outcome": "untracked", "application": _unstored(wish, facts.today)})
        case "remove" if wish.target is None:
            return facts.model_copy(update={"outcome": "which" if facts.applications else "none"})
        case "remove":
            return await _removed(facts, wish.target, ctx)
        case "tell":
            return await _stored(facts, wish, ctx)
        case "list" | "advise":
            return facts.model_copy(update=_looked_up(facts, wish))


def _looked_up(facts: TrackerFacts, wish: TrackerWish) -> dict[str, object]:
    """What is said where nothing is to be stored."""
    if wish.action == "advise" and wish.target is not None:
        return {"outcome": "advised", "application": application_shown(wish.target, facts.today)}
    if wish.action == "advise" and wish.company:
        return {"outcome": "untracked", "application": _unstored(wish, facts.today)}
    if wish.action == "advise" and wish.letter is not None:
        if facts.applications:
            return {"outcome": "which"}
        return {"outcome": "no_company", "application": _unstored(wish, facts.today)}
    return {"outcome": "listed" if facts.applications else "none"}


async def _stored(facts: TrackerFacts, wish: TrackerWish, ctx: TurnContext) -> TrackerFacts:
    """Every change told, one after the other: each may be of the application the one before has recorded."""
    done: list[Done] = []
    failed: list[str] = []
    gone = False
    changes = [_so_far(change, facts.today) for change in wish.changes]
    facts = facts.model_copy(update={"to_come": changes != list(wish.changes)})
    for change in changes:
        match await ctx.call(TrackApplication, _as_stored(change, facts.today)):
            case Ok(tracked):
                one = application_shown(tracked.application, facts.today)
                done.append(_done(change, one, facts.applications, new=tracked.new))
                facts = facts.model_copy(update={"applications": _placed(facts.applications, one)})
            case Empty():
                gone = True
            case Err():
                failed.append(change.told.company)
    if not done:
        outcome = "gone" if gone and not failed else "unavailable"
        return facts.model_copy(update={"outcome": outcome, "application": _unstored(wish, facts.today)})
    return facts.model_copy(
        update={
            "outcome": "told",
            "done": tuple(done),
            "failed": tuple(failed),
            "application": done[-1 if wish.letter is None else 0].application,
        }
    )


def _so_far(change: Change, today: date) -> Change:
    """Without days that are still to come: of all that is told, only an interview can lie ahead."""
    told = change.told
    applied_on = told.applied_on if told.applied_on is None or told.applied_on <= today else None
    on = told.on if told.on is None or told.on <= today or told.status == "interview" else None
    return replace(change, told=replace(told, applied_on=applied_on, on=on))


def _as_stored(change: Change, today: date) -> ApplicationChange:
    told, target = change.told, change.target
    status = told.status or "applied"
    changes = target is not None and status != "applied"
    return ApplicationChange(
        action="change" if changes else "record",
        application_id=target.application_id if target else "",
        company=target.company if target else told.company,
        title=target.title or told.title if target else told.title,
        job_id=change.job_id,
        status=status,
        applied_on=told.applied_on,
        on=told.on or (today if status != "applied" else None),
    )


def _done(change: Change, one: Application, before: Sequence[Application], *, new: bool) -> Done:
    target = change.target
    if new:
        return Done(how="new", application=one)
    if target is None or target.status == one.status:
        same = target is not None and change.told.status not in {None, "applied"} and change.told.on is None
        how: Literal["known", "added"] = "known" if one in before else "added"
        return Done(how="same" if same else how, application=one)
    return Done(how="changed", application=one, before=target.status)


async def _removed(facts: TrackerFacts, target: TrackedApplication | None, ctx: TurnContext) -> TrackerFacts:
    assert target is not None
    match await ctx.call(TrackApplication, ApplicationChange(action="remove", application_id=target.application_id)):
        case Ok():
            rest = tuple(a for a in facts.applications if a.application_id != target.application_id)
            one = application_shown(target, facts.today)
            return facts.model_copy(update={"outcome": "removed", "application": one, "applications": rest})
        case Empty():
            return facts.model_copy(update={"outcome": "gone"})
        case Err():
            return facts.model_copy(update={"outcome": "unavailable"})


def _placed(applications: tuple[Application, ...], one: Application) -> tuple[Application, ...]:
    """``one`` in its old place, or at the end."""
    if any(a.application_id == one.application_id for a in applications):
        return tuple(one if a.application_id == one.application_id else a for a in applications)
    return (*applications, one)


def _unstored(wish: TrackerWish, today: date) -> Application:
    """What the message says of an application, for a letter that can be written without the tracker."""
    told = _so_far(wish.changes[0], today).told if wish.changes else None
    company, title = (told.company, told.title) if told else (wish.company, wish.title)
    applied_on = told.applied_on if told else None
    status = told.status or "applied" if told else "applied"
    return application_shown(TrackedApplication("", company, title, None, status, applied_on, applied_on), today)


def _with_letter(facts: TrackerFacts, wish: TrackerWish, name: str) -> tuple[TrackerFacts, Draft | None]:
    """A letter is written whenever it is clear about which application: the tracker need not be there for that."""
    unclear = facts.outcome in {"removed", "which", "gone", "ask_company", "listed", "none"}
    if (
        wish.letter is None
        or facts.application is None
        or unclear
        or (facts.outcome in {"unavailable", "temporary"} and not facts.application.company)
    ):
        return facts.model_copy(update={"letter": wish.letter if facts.outcome == "which" else None}), None
    draft = write_letter(wish.letter, facts.application, name=name, person=wish.person, manner=wish.manner)
    return facts.model_copy(update={"draft": draft.body, "placeholders": draft.placeholders}), draft
