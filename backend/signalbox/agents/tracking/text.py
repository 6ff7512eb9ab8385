"""What a tracker knows put into words, and the letters that follow an application. Pure.

A letter claims only what the tracker and the profile hold; the rest is a [placeholder].
"""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

from signalbox.agents.letters.outreach_text import Draft
from signalbox.agents.tracking.wish import Letter
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
    last = tracked.last_contact_on
    wait = WAIT_DAYS.get(tracked.status)
    chase_on = last + timedelta(days=wait) if last is not None and wait is not None else None
    return Application(
        application_id=tracked.application_id,
        company=tracked.company,
        title=tracked.title,
        status=tracked.status,
        applied_on=tracked.applied_on,
        days_since=(today - last).days if last is not None else None,
        last_contact_on=last,
        chase_on=chase_on,
        next_step=_next_step(tracked, chase_on, today),
        job_id=tracked.job_id,
    )


def _next_step(tracked: TrackedApplication, chase_on: date | None, today: date) -> str:
    if not tracked.open:
        return "ask for feedback" if tracked.status == "rejected" else ""
    if tracked.last_contact_on is None:
        return "tell me when you applied, and I can say when to chase"
    if tracked.last_contact_on > today:
        return f"prepare for {day(tracked.last_contact_on)}"
    assert chase_on is not None
    if tracked.status == "offer":
        return "answer the offer"
    return "write to them now" if chase_on <= today else f"wait until {day(chase_on)}"


def day(when: date) -> str:
    return f"{when.day} {when:%B %Y}"


def line(one: Application) -> str:
    """``**Nurse** at Haldvik: applied, no answer yet, 12 days ago. Next: write to them now.``"""
    what = f"**{plain(one.title)}** at {plain(one.company)}" if one.title else f"**{plain(one.company)}**"
    status = STATUS_WORDS.get(one.status, one.status)  # type: ignore[call-overload]
    if one.days_since is None:
        since = ""
    elif one.days_since < 0:
        since = f", on {day(one.last_contact_on)}" if one.last_contact_on else ""
    elif one.days_since == 0:
        since = ", today"
    else:
        since = f", {counted(one.days_since, 'day')} ago"
    step = f" Next: {one.next_step}." if one.next_step else ""
    return f"{what}: {status}{since}.{step}"


def tracker_text(applications: Sequence[Application]) -> str:
    lines = [f"{number}. {line(one)}" for number, one in enumerate(applications, start=1)]
    due = [one for one in applications if one.next_step == "write to them now"]
    lead = f"You have {counted(len(applications), 'application')} on record"
    lead += f", and **{len(due)}** {'is' if len(due) == 1 else 'are'} due for a chaser." if due else "."
    return "\n".join([lead, "", *lines])


def write_letter(
    kind: Letter, one: Application, *, name: str, person: str | None, firmer: bool, shorter: bool
) -> Draft:
    """The e-mail, short by nature: 40 to 110 words."""
    role = f"the {_clean(one.title)} position" if one.title else "the [title] position"
    company = _clean(one.company) or "[company]"
    sent = f"on {day(one.applied_on)}" if one.applied_on else "on [date]"
    greeting = f"Dear {_clean(person) if person else '[name]'},"
    core, extra, subjects = _LETTERS[kind](role, company, sent, firmer)
    parts = [greeting, core, *([] if shorter else extra), f"Kind regards,\n{name or '[your name]'}"]
    return Draft(subjects, "\n\n".join(parts))


def _clean(text: str) -> str:
    return " ".join(text.replace("[", " ").replace("]", " ").split())[:80]


def _chaser(role: str, company: str, sent: str, firmer: bool) -> tuple[str, list[str], tuple[str, ...]]:  # noqa: FBT001
    if firmer:
        core = (
            f"I applied for {role} at {company} {sent} and have not had an answer. Could you tell me by [date] whether "
            "my application is still being considered, so that I can plan?"
        )
        extra = ["If the position has been filled, a single line to say so would help me and end the matter for you."]
    else:
        core = (
            f"I applied for {role} at {company} {sent} and remain very interested. Could you let me know how my "
            "application stands and when you expect to decide?"
        )
        extra = ["If you need anything else from me in the meantime, I am glad to send it. Thank you for your time."]
    return core, extra, (f"My application for {role}", f"{company}: how does my application stand?")


def _thanks(role: str, company: str, sent: str, firmer: bool) -> tuple[str, list[str], tuple[str, ...]]:  # noqa: ARG001, FBT001
    core = (
        f"Thank you for talking to me about {role} at {company}. I enjoyed hearing about [one thing you talked about], "
        "and it confirmed that I would like to do this work."
    )
    extra = ["One thing I would add: [a short point you did not make]. I look forward to hearing about the next steps."]
    return core, extra, (f"Thank you for the conversation about {role}", f"Thank you: {role}")


def _withdrawal(role: str, company: str, sent: str, firmer: bool) -> tuple[str, list[str], tuple[str, ...]]:  # noqa: FBT001, ARG001
    core = (
        f"Thank you for considering my application for {role} at {company}, which I sent {sent}. I would like to "
        "withdraw it: [your reason, if you want to give one]."
    )
    extra = ["I appreciate the time you have given it and wish you success in finding the right person."]
    return core, extra, (f"Withdrawing my application for {role}", f"My application for {role}")


def _feedback(role: str, company: str, sent: str, firmer: bool) -> tuple[str, list[str], tuple[str, ...]]:  # noqa: FBT001, ARG001
    core = (
        f"Thank you for letting me know your decision about {role} at {company}. I am sorry not to go further, and "
        "would be grateful for one or two sentences on what would have made my application stronger."
    )
    extra = ["If a similar position opens later, I would be glad to hear of it."]
    return core, extra, (f"My application for {role}: a request for feedback", f"Thank you, and one question: {role}")


def _interview_reply(role: str, company: str, sent: str, firmer: bool) -> tuple[str, list[str], tuple[str, ...]]:  # noqa: FBT001, ARG001
    core = (
        f"Thank you for inviting me to an interview for {role} at {company}. I am glad to confirm [day and time], and "
        "look forward to meeting you."
    )
    extra = ["Could you tell me who will be there, how long it will take, and whether I should prepare anything?"]
    return core, extra, (f"Confirming the interview for {role}", f"Re: interview for {role}")


def _later(role: str, company: str, sent: str, firmer: bool) -> tuple[str, list[str], tuple[str, ...]]:  # noqa: FBT001, ARG001
    core = (
        f"Thank you for inviting me to an interview for {role} at {company}. Unfortunately I cannot make "
        "[day and time]. Would [two other times] be possible instead?"
    )
    extra = ["I am sorry for the trouble, and remain very interested in the position."]
    return core, extra, (f"Interview for {role}: another time?", f"Re: interview for {role}")


_LETTERS: Final = {
    "chaser": _chaser,
    "thanks": _thanks,
    "withdrawal": _withdrawal,
    "feedback": _feedback,
    "interview_reply": _interview_reply,
    "later": _later,
}
