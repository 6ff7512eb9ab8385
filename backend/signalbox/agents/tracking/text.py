"""What a tracker knows put into words. Pure."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

from signalbox.agents.words.phrases import counted, plain
from signalbox.blocks import Application
from signalbox.memory.applications import Status, TrackedApplication

# Days of silence after which writing again is usual: the middle of the range that careers advisers give.
WAIT_DAYS: Final[dict[Status, int]] = {"applied": 10, "acknowledged": 10, "interview": 5, "offer": 3}

STATUS_WORDS: Final[dict[Status, str]] = {
    "applied": "applied, no answer yet",
    "acknowledged": "they have answered",
    "interview": "interview",
    "offer": "offer",
    "rejected": "rejected",
    "withdrawn": "withdrawn",
    "accepted": "accepted",
}


def application_shown(tracked: TrackedApplication, today: date) -> Application:
    """One line of the tracker, with what is due next."""
    last = _last_contact(tracked, today)
    wait = WAIT_DAYS.get(tracked.status)
    chase_on = last + timedelta(days=wait) if last is not None and wait is not None else None
    return Application(
        application_id=tracked.application_id,
        company=tracked.company,
        title=tracked.title,
        status=tracked.status,
        applied_on=_been(tracked.applied_on, today),
        days_since=(today - last).days if last is not None else None,
        last_contact_on=last,
        chase_on=chase_on,
        next_step=_next_step(tracked, last, chase_on, today),
        job_id=tracked.job_id,
    )


def _last_contact(tracked: TrackedApplication, today: date) -> date | None:
    """Only an interview lies ahead: another day to come was a slip, and the day of the application counts instead."""
    last = tracked.last_contact_on
    if last is None or last <= today or tracked.status == "interview":
        return last
    return _been(tracked.applied_on, today)


def _been(when: date | None, today: date) -> date | None:
    return when if when is not None and when <= today else None


def _next_step(tracked: TrackedApplication, last: date | None, chase_on: date | None, today: date) -> str:
    if not tracked.open:
        return "ask for feedback" if tracked.status == "rejected" else ""
    if last is None:
        return "tell me when you applied, and I can say when to chase"
    if last > today:
        return f"prepare for {day(last)}"
    assert chase_on is not None
    if tracked.status == "offer":
        return "answer the offer"
    return "write to them now" if chase_on <= today else f"wait until {day(chase_on)}"


def day(when: date) -> str:
    return f"{when.day} {when:%B %Y}"


def name_of(one: Application) -> str:
    """``**planner** at Haldvik Freight``."""
    return f"**{plain(one.title)}** at {plain(one.company)}" if one.title else f"**{plain(one.company)}**"


def state_of(one: Application) -> str:
    """``applied on 3 May 2026 (12 days ago), no answer yet``."""
    if one.status == "applied":
        when = f" on {day(one.applied_on)}{_apart(one.days_since)}" if one.applied_on else ""
        return f"applied{when}, no answer yet"
    status: str = STATUS_WORDS.get(one.status, one.status)  # type: ignore[call-overload]
    if one.last_contact_on is None or one.days_since is None:
        return status
    if one.days_since < 0:
        return f"{status} on {day(one.last_contact_on)}{_apart(one.days_since)}"
    return f"{status}, last word on {day(one.last_contact_on)}{_apart(one.days_since)}"


def _apart(days: int | None) -> str:
    if days is None:
        return ""
    if days == 0:
        return " (today)"
    return f" (in {counted(-days, 'day')})" if days < 0 else f" ({counted(days, 'day')} ago)"


def line(one: Application) -> str:
    """``**Nurse** at Haldvik: applied on 3 May 2026 (12 days ago), no answer yet. Next: write to them now.``"""
    step = f" Next: {one.next_step}." if one.next_step else ""
    return f"{name_of(one)}: {state_of(one)}.{step}"


def tracker_text(applications: Sequence[Application]) -> str:
    lines = [f"{number}. {line(one)}" for number, one in enumerate(applications, start=1)]
    due = [one for one in applications if one.next_step == "write to them now"]
    lead = f"You have {counted(len(applications), 'application')} on record"
    if due:
        lead += f", and **{len(due)}** {'is' if len(due) == 1 else 'are'} due for a chaser."
    else:
        lead += ", and none is due for a chaser." if len(applications) > 1 else "."
    return "\n".join([lead, "", *lines])
