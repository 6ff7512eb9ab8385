"""Notes on the tracker that an application was written about, once the e-mail is out."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from signalbox.agents.base import TurnContext
from signalbox.agents.tracking.past import changed_last
from signalbox.agents.tracking.text import application_shown
from signalbox.agents.turn import Turn
from signalbox.agents.words.phrases import plain
from signalbox.blocks import ApplicationStatus, EmailDraft
from signalbox.memory.applications import TrackedApplication
from signalbox.tools.mailing import Sent
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.track_applications import (
    ApplicationChange,
    ReadApplications,
    TrackApplication,
    WholeTracker,
)

_LONGEST_NOTE: Final = 300
_NOT_NOTED: Final = "I could **not note** that on your tracker; tell me in a moment that you wrote to them."


async def note_contact(turn: Turn, ctx: TurnContext, mail: EmailDraft, sent: Sent, changed: str = "") -> str:
    """What is said of it; empty where it cannot be told which application that was about, or none is kept.

    ``changed``: the application that this turn has just dealt with, if it has.
    """
    if turn.temporary or TrackApplication.name not in ctx.tools:
        return ""
    match await ctx.call(ReadApplications, WholeTracker()):
        case Ok(tracked):
            one = written_about(mail, tracked, changed or changed_last(turn.history))
        case Empty():
            return ""
        case Err():
            return _NOT_NOTED
    if one is None:
        return ""
    match await ctx.call(TrackApplication, _contact(one, sent, turn.today)):
        case Ok(done):
            now = done.application
            rows = tuple(now if each.application_id == now.application_id else each for each in tracked)
            shown = tuple(application_shown(each, turn.today) for each in rows)
            await ctx.emit(ApplicationStatus(applications=shown, changed=now.application_id))
            return f"I have noted on your tracker that you wrote to {plain(now.company)} today."
        case Empty() | Err():
            return _NOT_NOTED


def written_about(mail: EmailDraft, tracked: Sequence[TrackedApplication], changed: str) -> TrackedApplication | None:
    """The application that the mail names the employer of; of several there, the one that was spoken of last."""
    text = " ".join(f"{mail.subject}\n{mail.body}".split()).casefold()
    named = [one for one in tracked if " ".join(one.company.split()).casefold() in text]
    spoken = [one for one in named if one.application_id == changed]
    if spoken or len(named) == 1:
        return (spoken or named)[0]
    titled = [one for one in named if one.title and one.title.casefold() in text]
    return titled[0] if len(titled) == 1 else None


def _contact(one: TrackedApplication, sent: Sent, today: date) -> ApplicationChange:
    """How it stands is left alone, and so is the day of an interview that lies ahead."""
    ahead = one.last_contact_on is not None and one.last_contact_on > today
    return ApplicationChange(
        action="change",
        application_id=one.application_id,
        status=one.status,
        on=None if ahead else today,
        note=f"E-mail sent to {', '.join(sent.to)}: {sent.subject}"[:_LONGEST_NOTE],
    )
