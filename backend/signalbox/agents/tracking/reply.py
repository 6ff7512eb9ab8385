"""The reply about applications as the template words it, in Markdown, and the quick replies under it. Pure."""

from collections.abc import Sequence
from typing import Final

from signalbox.agents.tracking.facts import Done, TrackerFacts
from signalbox.agents.tracking.letter_wish import Letter
from signalbox.agents.tracking.text import day, line, name_of, state_of, tracker_text
from signalbox.agents.words.phrases import counted, listed, plain
from signalbox.blocks import Application, ApplicationStatus
from signalbox.envelope import Intent
from signalbox.memory.conversation import PastMessage

LETTER_WORDS: Final[dict[Letter, str]] = {
    "chaser": "a chaser",
    "thanks": "a thank-you note",
    "withdrawal": "a withdrawal",
    "feedback": "a request for feedback",
    "interview_reply": "a confirmation of the interview",
    "later": "a request for another time",
}
CONSOLES: Final = "no verdict on you"
_NO_MAIL: Final = "I only know what you tell me: I receive no mail from employers."
_TO_COME: Final = "The day you named is still to come, so I did not note it: only an interview can lie ahead."
_ENDED: Final = frozenset({"rejected", "withdrawn", "accepted"})


def compose(facts: TrackerFacts) -> str:
    """The whole reply."""
    parts = [_outcome(facts), _TO_COME if facts.to_come else "", _failed(facts), _letter(facts)]
    return "\n\n".join(part for part in parts if part)


def _outcome(facts: TrackerFacts) -> str:  # noqa: C901, PLR0911, PLR0912 - one return an outcome
    one = facts.application
    if facts.only_changed and facts.draft:
        return ""
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
        case "unread":
            return (
                "I could not reach your applications just now. I can write this without them, but nothing was recorded."
            )
        case "none":
            return (
                "No application is on record yet. I do not see your mailbox: tell me what you sent, for example “I "
                "applied to Haldvik Freight as a planner on 3 May”, and I will say when to chase."
            )
        case "ask_company":
            return _which_company(facts)
        case "which":
            return f"Which one do you mean?\n\n{_numbered(facts.among or facts.applications)}"
        case "untracked":
            return _untracked(facts)
        case "gone":
            return "That application is no longer on record, so I changed nothing."
        case "no_company":
            return "I do not know which application this is for, so the draft has blanks for it."
        case "removed" if one:
            return f"I have removed {name_of(one)} from your applications."
        case "told" if facts.done:
            return _told(facts)
        case "advised" if one:
            return " ".join([f"{name_of(one)}: {state_of(one)}.", *_advice(facts, one)])
    return f"{tracker_text(facts.applications)}\n\n{_NO_MAIL}"


def _which_company(facts: TrackerFacts) -> str:
    post = f" for **{plain(facts.title)}**" if facts.title else ""
    if facts.pending == "applied":
        return f"Which company did you apply to{post}? Tell me its name, and I put it on your tracker."
    return f"Which company is that about{post}? Tell me its name, and I note it."


def _untracked(facts: TrackerFacts) -> str:
    one = facts.application
    name = name_of(one) if one is not None else "That company"
    if facts.partly:
        text = f"I could read only a part of your applications, so I cannot say whether {name} is among them."
        return f"{text} I changed nothing." if facts.removing or facts.letter is not None else text
    if facts.removing:
        return f"{name} is not on your tracker, so there is nothing to remove."
    if facts.letter is None:
        return f"{name} is not on your tracker. If you applied there, tell me when, and I keep count of the days."
    text = f"{name} is not on your tracker, and I recorded nothing."
    if facts.letter == "withdrawal":
        return f"{text} If you had applied there, tell me when, and I note both the application and the withdrawal."
    return f"{text} If you applied there, tell me when, and I keep count of the days."


def _told(facts: TrackerFacts) -> str:
    consolation = _consolation(facts)
    if len(facts.done) > 1:
        new = sum(done.how == "new" for done in facts.done)
        lead = f"I have put {counted(new, 'application')} on your tracker" if new == len(facts.done) else "I have noted"
        lines = [f"- {_done(done, short=new == len(facts.done))}" for done in facts.done]
        undated = [plain(d.application.company) for d in facts.done if _lacks_day(d.application)]
        ask = f"Tell me the day you applied to {listed(undated)}, and I can count from there." if undated else ""
        return "\n\n".join(filter(None, [consolation, "\n".join([f"{lead}:", "", *lines]), ask]))
    done = facts.done[0]
    return " ".join(filter(None, [consolation, _done(done, short=False), *_advice(facts, done.application)]))


def _done(done: Done, *, short: bool) -> str:  # noqa: PLR0911 - one return a case
    """What was stored and how it stands, each once."""
    one = done.application
    name, state = name_of(one), state_of(one)
    if short:
        return f"{name}: {state}"
    match done.how:
        case "new" if one.status in _ENDED or one.status == "offer":
            return f"I have put {name} on your tracker as {one.status}."
        case "new":
            return f"I have put {name} on your tracker: {state}."
        case "known":
            return f"{name} is on your tracker already: {state}."
        case "added":
            return f"I have noted that for {name}: {state}."
        case "changed":
            ahead = one.status == "interview" and one.days_since is not None and one.days_since < 0
            when = f": {state}" if ahead else ""
            return f"I have changed {name} from “{done.before}” to “{one.status}”{when}."
        case "same":
            return f"{name} was marked “{one.status}” already."


def _consolation(facts: TrackerFacts) -> str:
    rejections = [done for done in facts.done if done.application.status == "rejected" and done.how != "same"]
    if not rejections:
        return ""
    if facts.consoled:
        return "I am sorry about this one too."
    if facts.count_said:
        return f"I am sorry. {facts.count_said[:1].upper()}{facts.count_said[1:]} is a lot to take, and {CONSOLES}."
    return f"I am sorry; that is {CONSOLES}."


def _advice(facts: TrackerFacts, one: Application) -> list[str]:  # noqa: PLR0911 - one return a status
    """What follows from how it stands, for one application."""
    if facts.letter not in {None, "chaser"}:
        return []
    if one.status == "offer":
        return ["Congratulations! Thank them soon and ask for the terms in writing before you answer."]
    if one.status == "rejected":
        return ["A short request for feedback is welcome at most employers: say so and I draft it."]
    if one.status == "accepted":
        return ["Congratulations!"]
    if _lacks_day(one):
        return ["Tell me the day you applied, and I can count from there."]
    if facts.outcome == "told" and one.status == "interview" and one.days_since == 0:
        return ["Tell me the day of the interview, and I keep it in view."]
    if one.chase_on is None or one.days_since is None or one.days_since < 0:
        return []
    if one.chase_on <= facts.today:
        return [f"It has been quiet for long enough to write (the usual wait was over on {day(one.chase_on)})."]
    return [f"Writing before {day(one.chase_on)} would be early."]


def _lacks_day(one: Application) -> bool:
    return one.status == "applied" and one.applied_on is None


def _failed(facts: TrackerFacts) -> str:
    if not facts.failed:
        return ""
    names = listed([plain(name) for name in facts.failed])
    return f"I could **not store** {names}: please tell me that again in a moment."


def _letter(facts: TrackerFacts) -> str:
    if facts.letter is None or not facts.draft:
        return ""
    blanks = "\n".join(f"- `{blank}`" for blank in facts.placeholders)
    now = f", now {listed(facts.manner)}" if facts.only_changed and facts.manner else ""
    more = [f"“{word}”" for word in ("firmer", "warmer", "shorter") if word not in facts.manner]
    offer = f" Say {listed(more, 'or')} to change it." if more else ""
    text = f"This draft is {LETTER_WORDS[facts.letter]}{now}.{offer}"
    return f"{text} Before you send it, fill in:\n{blanks}" if blanks else text


def not_taken_back(history: Sequence[PastMessage]) -> str:
    """How a change of the tracker is mended: its words say no more than what holds now."""
    changed = next(
        (block for past in reversed(history) for block in reversed(past.blocks) if block.get("changed")), None
    )
    shown = ApplicationStatus.model_validate(changed) if changed is not None else ApplicationStatus(applications=())
    one = next((each for each in shown.applications if each.application_id == shown.changed), None)
    if one is None:
        return "I cannot take that back by myself: tell me how the application stands, and I note that instead."
    company = plain(one.company)
    example = "" if one.status == "applied" else f", for example “mark {company} as applied”"
    return (
        f"I have changed nothing yet. {name_of(one)} now stands on your tracker as “{one.status}”: say “remove "
        f"{company} from my tracker” to take it off, or tell me how it stands{example}."
    )


def _numbered(applications: tuple[Application, ...]) -> str:
    return "\n".join(f"{number}. {line(one)}" for number, one in enumerate(applications, start=1))


def offers_of(facts: TrackerFacts) -> list[tuple[str, str, Intent]]:
    """Quick replies that fit the outcome."""
    one = facts.application
    if facts.outcome == "which":
        return [(a.company[:40], _choice(facts, a), "followup") for a in (facts.among or facts.applications)[:3]]
    if one is None or not one.company or facts.outcome in {"removed", "unavailable", "temporary", "gone"}:
        due = [a for a in facts.applications if a.next_step == "write to them now"][:2]
        return [(f"Chase {a.company}"[:40], f"Write a chaser to {a.company}", "followup") for a in due]
    if facts.outcome == "untracked" and facts.letter is None:
        return [("All my applications", "Show all my applications", "followup")] if facts.applications else []
    if facts.letter is not None:
        return _about_draft(facts, one)
    return _about(one)


def _choice(facts: TrackerFacts, one: Application) -> str:
    """What choosing ``one`` says, with what it was asked for."""
    where = f"{one.company}, {one.title}" if one.title else one.company
    if facts.letter is not None:
        post = f" about the {one.title} job" if one.title else ""
        return f"Write {LETTER_WORDS[facts.letter]} to {one.company}{post}"
    return f"Mark the {one.company} one as {facts.pending}" if facts.pending else f"The application to {where}"


def _about_draft(facts: TrackerFacts, one: Application) -> list[tuple[str, str, Intent]]:
    words = [word for word in ("shorter", "warmer") if word not in facts.manner]
    changes: list[tuple[str, str, Intent]] = [(word.title(), f"Make it {word}", "followup") for word in words]
    if facts.letter == "withdrawal" and one.application_id and one.status not in _ENDED:
        return [("Mark it withdrawn", f"I have withdrawn my application to {one.company}", "followup"), *changes]
    if facts.letter == "chaser" and "firmer" not in facts.manner:
        return [("Firmer", "Make it firmer", "followup"), *changes]
    return [*changes, ("All my applications", "Show all my applications", "followup")]


def _about(one: Application) -> list[tuple[str, str, Intent]]:
    whole: tuple[str, str, Intent] = ("All my applications", "Show all my applications", "followup")
    if one.status == "rejected":
        return [
            ("Ask for feedback", f"Write a request for feedback to {one.company}", "followup"),
            ("Find similar jobs", f"Find {one.title or 'similar'} jobs", "job_search"),
        ]
    if one.status == "interview":
        role = f"the {one.title} interview" if one.title else "the interview"
        return [
            ("Prepare for it", f"Help me prepare for {role} at {one.company}", "interview_prep"),
            ("Thank-you note", f"Write a thank-you note to {one.company}", "followup"),
        ]
    if one.status in _ENDED:
        return [whole]
    if one.status == "offer":
        return [("Negotiate it", f"Help me negotiate the offer from {one.company}", "salary"), whole]
    return [(f"Chase {one.company}"[:40], f"Write a chaser to {one.company}", "followup"), whole]
