"""Keeps track of applications: records them, says how each stands and when to write again, and drafts that letter."""

from datetime import UTC, date, datetime
from typing import ClassVar, Final, Literal

from signalbox.agents.base import Answer, Facts, Turn, TurnContext
from signalbox.agents.letters.outreach_text import Draft
from signalbox.agents.tracking.text import application_shown, day, line, tracker_text, write_letter
from signalbox.agents.tracking.wish import Letter, TrackerWish, read_wish
from signalbox.agents.words.phrases import plain, quick_replies, without_command
from signalbox.agents.words.profile_words import value_of
from signalbox.blocks import Application, ApplicationStatus, EmailDraft
from signalbox.envelope import Intent
from signalbox.memory.applications import TrackedApplication
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.track_applications import (
    ApplicationChange,
    ReadApplications,
    TrackApplication,
    WholeTracker,
)

Outcome = Literal[
    "listed", "recorded", "known", "changed", "removed", "advised", "which", "none", "no_company", "gone",
    "unavailable", "temporary", "not_stored",
]  # fmt: skip

LETTER_WORDS: Final[dict[Letter, str]] = {
    "chaser": "a chaser",
    "thanks": "a thank-you note",
    "withdrawal": "a withdrawal",
    "feedback": "a request for feedback",
    "interview_reply": "a confirmation of the interview",
    "later": "a request for another time",
}


class TrackerFacts(Facts):
    """``application``: the one this turn is about. ``letter``: what was drafted. ``today`` is what days count from."""

    outcome: Outcome
    today: date
    applications: tuple[Application, ...] = ()
    application: Application | None = None
    before: str = ""
    letter: Letter | None = None
    draft: str = ""
    placeholders: tuple[str, ...] = ()
    asked: bool = False


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
        "again, as the facts list it. A draft is already shown to the user: do not repeat it, name its placeholders. "
        "You know only what the user told you: you receive no mail from employers, and say so if asked for news."
    )

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        today = datetime.now(UTC).date()
        facts, draft = await self._work(turn, ctx, today)
        if facts.applications or facts.outcome == "removed":
            changed = facts.application.application_id if facts.application and facts.outcome != "removed" else None
            await ctx.emit(ApplicationStatus(applications=facts.applications, changed=changed))
        if draft is not None:
            await ctx.emit(
                EmailDraft(
                    subject=draft.subjects[0],
                    body=draft.body,
                    subjects=draft.subjects,
                    placeholders=draft.placeholders,
                )
            )
        answer = await ctx.reply(self, turn, facts, compose(facts))
        if offers := offers_of(facts):
            await ctx.emit(quick_replies(ctx.message_id, "Go on?", offers))
        return answer

    async def _work(self, turn: Turn, ctx: TurnContext, today: date) -> tuple[TrackerFacts, Draft | None]:
        message = without_command(turn.message)
        tracked: tuple[TrackedApplication, ...] = ()
        store: Literal["read", "temporary", "unavailable"] = "read"
        if turn.temporary:
            store = "temporary"
        else:
            match await ctx.call(ReadApplications, WholeTracker()):
                case Ok(found):
                    tracked = found
                case Empty():
                    tracked = ()
                case Err():
                    store = "unavailable"
        wish = read_wish(message, tracked, turn.history, today)
        facts = TrackerFacts(
            outcome="listed",
            today=today,
            applications=tuple(application_shown(one, today) for one in tracked),
            letter=wish.letter,
            asked=wish.question,
        )
        facts = await _carried_out(facts, wish, store, ctx, today)
        return _with_letter(facts, wish, value_of(turn.profile, "name") or "")


async def _carried_out(
    facts: TrackerFacts,
    wish: TrackerWish,
    store: Literal["read", "temporary", "unavailable"],
    ctx: TurnContext,
    today: date,
) -> TrackerFacts:
    if store != "read":
        told = _unstored(wish, today)
        if wish.letter is not None and told is not None:
            return facts.model_copy(update={"outcome": "not_stored", "application": told})
        return facts.model_copy(update={"outcome": store, "application": told})
    if wish.action == "remove" and wish.target is None:
        return facts.model_copy(update={"outcome": "which" if facts.applications else "none"})
    if wish.action in {"record", "change", "remove"}:
        return await _change(facts, wish, ctx, today)
    return facts.model_copy(update=_looked_up(facts, wish, today))


def _looked_up(facts: TrackerFacts, wish: TrackerWish, today: date) -> dict[str, Outcome | Application | None]:
    """What is said where nothing is to be stored."""
    if wish.action == "advise" and wish.target is not None:
        return {"outcome": "advised", "application": application_shown(wish.target, today)}
    if wish.action == "advise" and facts.applications and (wish.letter is not None or wish.unclear):
        return {"outcome": "which"}
    if wish.action == "advise" and wish.letter is not None:
        return {"outcome": "no_company", "application": _unstored(wish, today)}
    return {"outcome": "listed" if facts.applications else "none"}


async def _change(facts: TrackerFacts, wish: TrackerWish, ctx: TurnContext, today: date) -> TrackerFacts:
    change = ApplicationChange(
        action="record" if wish.action in {"list", "advise"} else wish.action,
        application_id=wish.target.application_id if wish.target else "",
        company=wish.company,
        title=wish.title,
        job_id=wish.job.job_id if wish.job else None,
        status=wish.status or "applied",
        applied_on=wish.on if wish.status in {None, "applied"} else None,
        on=wish.on or (today if wish.status not in {None, "applied"} else None),
    )
    match await ctx.call(TrackApplication, change):
        case Ok(tracked):
            one = application_shown(tracked.application, today)
            rest = tuple(a for a in facts.applications if a.application_id != one.application_id)
            outcomes: dict[str, Outcome] = {"remove": "removed", "change": "changed"}
            outcome: Outcome = outcomes.get(wish.action, "recorded" if tracked.new else "known")
            return facts.model_copy(
                update={
                    "outcome": outcome,
                    "application": one,
                    "before": wish.target.status if wish.target else "",
                    "applications": rest if outcome == "removed" else _placed(facts.applications, one),
                }
            )
        case Empty():
            return facts.model_copy(update={"outcome": "gone"})
        case Err():
            return facts.model_copy(update={"outcome": "unavailable", "application": _unstored(wish, today)})


def _placed(applications: tuple[Application, ...], one: Application) -> tuple[Application, ...]:
    """``one`` in its old place, or at the end."""
    if any(a.application_id == one.application_id for a in applications):
        return tuple(one if a.application_id == one.application_id else a for a in applications)
    return (*applications, one)


def _unstored(wish: TrackerWish, today: date) -> Application | None:
    """What the message says of an application, for a letter that can be written without the tracker."""
    if not wish.company and wish.letter is None:
        return None
    told = TrackedApplication("", wish.company, wish.title, None, wish.status or "applied", wish.on, wish.on)
    return application_shown(told, today)


def _with_letter(facts: TrackerFacts, wish: TrackerWish, name: str) -> tuple[TrackerFacts, Draft | None]:
    """A letter is written whenever it is clear about which application: the tracker need not be there for that."""
    kind = wish.letter or ("chaser" if wish.firmer or wish.shorter else None)
    if kind is None or facts.application is None or facts.outcome in {"removed", "which", "gone"}:
        return facts.model_copy(update={"letter": None}), None
    draft = write_letter(
        kind, facts.application, name=name, person=wish.person, firmer=wish.firmer, shorter=wish.shorter
    )
    told = {"letter": kind, "draft": draft.body, "placeholders": draft.placeholders}
    return facts.model_copy(update=told), draft


def compose(facts: TrackerFacts) -> str:
    """The reply as the template words it, in Markdown."""
    parts = [_outcome(facts), _letter(facts)]
    return "\n\n".join(part for part in parts if part)


def _outcome(facts: TrackerFacts) -> str:  # noqa: PLR0911 - one return an outcome
    one = facts.application
    match facts.outcome:
        case "temporary":
            return "This is a temporary chat, so I neither read nor store your applications. Ask in a normal chat."
        case "unavailable":
            return (
                "I could not reach your applications just now, so I cannot say how they stand and **nothing was "
                "stored**. Please send that again in a moment."
            )
        case "not_stored":
            return "I can write this without the tracker, but nothing was recorded."
        case "none":
            return (
                "No application is on record yet. I do not see your mailbox: tell me what you sent, for example “I "
                "applied to Haldvik Freight as a planner on 3 May”, and I will say when to chase."
            )
        case "which":
            return f"Which one do you mean? These are on record:\n\n{_numbered(facts)}"
        case "gone":
            return "That application is no longer on record, so I changed nothing."
        case "no_company":
            return "I do not know which application this is for, so the draft has blanks for it."
        case "removed" if one:
            return f"I have removed {_name(one)} from your applications."
        case "recorded" | "known" | "changed" | "advised" if one:
            return _about(facts, one)
    text = tracker_text(facts.applications)
    return f"{text}\n\nI only know what you tell me: I receive no mail from employers."


def _about(facts: TrackerFacts, one: Application) -> str:
    leads: dict[str, str] = {
        "recorded": f"I have put {_name(one)} on your tracker.",
        "known": f"{_name(one)} was on your tracker already; I added what you said.",
        "changed": f"I have changed {_name(one)} from “{facts.before}” to “{one.status}”.",
    }
    parts = [leads[facts.outcome]] if facts.outcome in leads else []
    parts.append(f"{line(one)}")
    if one.chase_on is not None and one.days_since is not None and one.days_since >= 0 and one.status != "offer":
        due = one.chase_on <= facts.today
        parts.append(
            f"It has been quiet for long enough to write (the usual wait was over on {day(one.chase_on)})."
            if due
            else f"Writing before {day(one.chase_on)} would be early."
        )
    if one.status == "rejected":
        parts.append("That is no verdict on you. A short request for feedback is welcome at most employers.")
    if one.applied_on is None and one.status == "applied":
        parts.append("Tell me the day you applied, and I can count from there.")
    return " ".join(parts)


def _letter(facts: TrackerFacts) -> str:
    if facts.letter is None:
        return ""
    blanks = "\n".join(f"- `{blank}`" for blank in facts.placeholders)
    text = f"The draft above is {LETTER_WORDS[facts.letter]}. Say “firmer” or “shorter” to change it."
    return f"{text} Before you send it, fill in:\n{blanks}" if blanks else text


def _numbered(facts: TrackerFacts) -> str:
    return "\n".join(f"{number}. {line(one)}" for number, one in enumerate(facts.applications, start=1))


def _name(one: Application) -> str:
    return f"**{plain(one.title)}** at {plain(one.company)}" if one.title else f"**{plain(one.company)}**"


def offers_of(facts: TrackerFacts) -> list[tuple[str, str, Intent]]:
    """Quick replies that fit the outcome."""
    one = facts.application
    if facts.outcome == "which":
        shown = facts.applications[:3]
        return [(one.company[:40], f"The application to {one.company}", "followup") for one in shown]
    if one is None or not one.company or facts.outcome in {"removed", "unavailable", "temporary", "gone"}:
        due = [a for a in facts.applications if a.next_step == "write to them now"][:2]
        return [(f"Chase {a.company}"[:40], f"Write a chaser to {a.company}", "followup") for a in due]
    if facts.letter is not None:
        other = ("Firmer", "Make it firmer") if "firmer" not in facts.draft else ("Shorter", "Make it shorter")
        return [(*other, "followup"), ("All my applications", "Show all my applications", "followup")]
    if one.status == "rejected":
        return [
            ("Ask for feedback", f"Write a request for feedback to {one.company}", "followup"),
            ("Find similar jobs", f"Find {one.title or 'similar'} jobs", "job_search"),
        ]
    if one.status == "interview":
        role = one.title or "this"
        return [
            ("Prepare for it", f"Help me prepare for the {role} interview at {one.company}", "interview_prep"),
            ("Thank-you note", f"Write a thank-you note to {one.company}", "followup"),
        ]
    return [
        (f"Chase {one.company}"[:40], f"Write a chaser to {one.company}", "followup"),
        ("All my applications", "Show all my applications", "followup"),
    ]
