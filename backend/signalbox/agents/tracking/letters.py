"""The letters that follow an application: chaser, thanks, withdrawal, request for feedback and the like. Pure.

A letter claims only what the tracker and the profile hold; the rest is a [placeholder].
"""

from typing import Final

from signalbox.agents.letters.outreach_text import Draft
from signalbox.agents.tracking.letter_wish import Letter, Manner
from signalbox.agents.tracking.text import day
from signalbox.blocks import Application

_WARM_IN_SHORT: Final = "It would mean a lot to me."
_WARM: Final = "I know how much care goes into a decision like this, and I am grateful for it."


def write_letter(kind: Letter, one: Application, *, name: str, person: str | None, manner: Manner) -> Draft:
    """The e-mail, short by nature: 40 to 120 words."""
    role = f"the {_clean(one.title)} position" if one.title else "the [title] position"
    company = _clean(one.company) or "[company]"
    sent = f"on {day(one.applied_on)}" if one.applied_on else "on [date]"
    addressee = _clean(person) if person else "[name]"
    greeting = f"Hello {addressee}," if manner.warmer else f"Dear {addressee},"
    write = _AFTER.get((kind, one.status), _LETTERS[kind])
    core, extra, subjects = write(role, company, sent, manner.firmer)
    warm = _WARM_IN_SHORT if manner.shorter else _WARM
    middle = [*([warm] if manner.warmer else []), *([] if manner.shorter else extra)]
    close = "With warm regards" if manner.warmer else "Kind regards"
    return Draft(subjects, "\n\n".join([greeting, core, *middle, f"{close},\n{name or '[your name]'}"]))


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


def _chaser_after_interview(role: str, company: str, sent: str, firmer: bool) -> tuple[str, list[str], tuple[str, ...]]:  # noqa: FBT001, ARG001
    ask = (
        "Could you tell me by [date] where things stand, so that I can plan?"
        if firmer
        else ("Could you let me know where things stand and when you expect to decide?")
    )
    core = f"Thank you again for the interview for {role} at {company}. I remain very interested. {ask}"
    extra = ["If you need anything else from me in the meantime, I am glad to send it."]
    return core, extra, (f"The interview for {role}: next steps", f"{company}: how does my application stand?")


def _thanks(role: str, company: str, sent: str, firmer: bool) -> tuple[str, list[str], tuple[str, ...]]:  # noqa: ARG001, FBT001
    core = (
        f"Thank you for talking to me about {role} at {company}. I enjoyed hearing about [one thing you talked about], "
        "and it confirmed that I would like to do this work."
    )
    extra = ["One thing I would add: [a short point you did not make]. I look forward to hearing about the next steps."]
    return core, extra, (f"Thank you for the conversation about {role}", f"Thank you: {role}")


def _thanks_after_rejection(role: str, company: str, sent: str, firmer: bool) -> tuple[str, list[str], tuple[str, ...]]:  # noqa: ARG001, FBT001
    core = (
        f"Thank you for letting me know your decision about {role} at {company}, and for the time you gave to my "
        "application."
    )
    extra = ["I am sorry not to go further. If a similar position opens later, I would be glad to hear of it."]
    return core, extra, (f"Thank you for considering me for {role}", f"Thank you: {role}")


def _thanks_for_an_offer(role: str, company: str, sent: str, firmer: bool) -> tuple[str, list[str], tuple[str, ...]]:  # noqa: ARG001, FBT001
    core = (
        f"Thank you very much for offering me {role} at {company}. I enjoyed [one thing you talked about or saw], and "
        "am glad that you would like to work with me."
    )
    extra = ["I will come back to you by [date]."]
    return core, extra, (f"Thank you for the offer: {role}", f"Thank you: {role}")


def _chaser_after_offer(role: str, company: str, sent: str, firmer: bool) -> tuple[str, list[str], tuple[str, ...]]:  # noqa: ARG001, FBT001
    ask = "Could you send me the terms in writing by [date]?" if firmer else "When may I expect the terms in writing?"
    core = f"Thank you again for offering me {role} at {company}. {ask}"
    extra = ["If you need anything else from me in the meantime, I am glad to send it."]
    return core, extra, (f"Your offer for {role}: next steps", f"{company}: the terms of your offer")


def _thanks_after_my_no(role: str, company: str, sent: str, firmer: bool) -> tuple[str, list[str], tuple[str, ...]]:  # noqa: ARG001, FBT001
    core = (
        f"Thank you for the time you gave to my application for {role} at {company}, and for your understanding that I "
        "withdrew it."
    )
    extra = ["I wish you success in finding the right person."]
    return core, extra, (f"Thank you: {role}", f"Thank you for your time: {role}")


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
# What is fitting before an answer is not so after it.
_AFTER: Final = {
    ("chaser", "interview"): _chaser_after_interview,
    ("thanks", "rejected"): _thanks_after_rejection,
    ("thanks", "offer"): _thanks_for_an_offer,
    ("thanks", "accepted"): _thanks_for_an_offer,
    ("thanks", "withdrawn"): _thanks_after_my_no,
    ("chaser", "rejected"): _feedback,
    ("chaser", "offer"): _chaser_after_offer,
    ("chaser", "accepted"): _chaser_after_offer,
}
