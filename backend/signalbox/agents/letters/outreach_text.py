"""Writes an outreach e-mail of 80 to 140 words, or a LinkedIn note of at most 300 characters. Pure.

It claims of the sender only what it is given. What it would need and does not have becomes a [placeholder].
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from signalbox.agents.letters.outreach import Outreach
from signalbox.agents.words.phrases import listed

MIN_WORDS: Final = 80
MAX_WORDS: Final = 140
MAX_NOTE_CHARS: Final = 300
# Longer than this a name or title is not one, and would burst the bounds above.
_LONGEST_NAME: Final = 60

# A quotation of more words leaves no room for the rest.
_LONGEST_QUOTE: Final = 18

_PLACEHOLDER = re.compile(r"\[[^\[\]]+\]")


@dataclass(frozen=True, slots=True)
class Sender:
    """What is known of the writer; empty means unknown. ``employer`` is where they work as ``title`` now, ``result`` a
    sentence of their CV. ``shared``: technologies of the company that they know; ``company_says``: its own words.
    """

    name: str = ""
    title: str = ""
    years: str = ""
    skills: tuple[str, ...] = ()
    employer: str = ""
    result: str = ""
    shared: tuple[str, ...] = ()
    company_says: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    subjects: tuple[str, ...]
    body: str

    @property
    def placeholders(self) -> tuple[str, ...]:
        """Every [blank] in body and subjects, once, in reading order."""
        return tuple(dict.fromkeys(_PLACEHOLDER.findall("\n".join((self.body, *self.subjects)))))

    @property
    def words(self) -> int:
        return len(self.body.split())


def write_email(outreach: Outreach, sender: Sender) -> Draft:
    """The e-mail. Sentences that only round it off are added until it is long enough for its tone; with a limit
    of words asked for it is as much as fits, or the shortest there is.
    """
    parts = _Parts(outreach, sender)
    if outreach.max_words is not None and outreach.max_words < MAX_WORDS:
        return Draft(parts.subjects(), _fitting(parts, outreach.max_words))
    opening, middle, ending = [parts.purpose()], parts.middle(), [parts.ask()]
    least = MIN_WORDS if outreach.tone == "short" else MIN_WORDS + 15
    body = ""
    for more in range(len(parts.extras()) + 1):
        body = _assembled(parts, opening, middle, [*ending, *parts.extras()[:more]])
        if len(body.split()) >= least:
            break
    if len(body.split()) > MAX_WORDS:
        body = _fitting(parts, MAX_WORDS)
    return Draft(parts.subjects(), body)


def write_note(outreach: Outreach, sender: Sender) -> Draft:
    """The connection note: as much as fits, from the end of the list of what may be left out."""
    parts = _Parts(outreach, sender)
    name = sender.name or "[your name]"
    hello, who = parts.greeting().rstrip(","), _short_background(sender)
    for background in (*who, ""):
        text = " ".join(filter(None, (f"{hello},", background, parts.note_ask(), name)))
        if len(text) <= MAX_NOTE_CHARS and (not background or len(text.split()) <= (outreach.max_words or 1_000)):
            return Draft((), text)
    return Draft((), f"Hello, I would like to connect about {parts.company}. {name}")


def _fitting(parts: "_Parts", limit: int) -> str:
    """The fullest body of at most ``limit`` words, else the shortest."""
    middle, extras = parts.middle(), parts.extras()
    fuller = [(middle, extras[:more]) for more in range(len(extras), 0, -1)]
    # A refusal without its "no" is none.
    least = 1 if parts.refuses else 0
    shorter = [(middle[:kept], list[str]()) for kept in range(len(middle), least - 1, -1)]
    bodies = [_assembled(parts, [parts.purpose()], kept, [parts.ask(), *more]) for kept, more in (*fuller, *shorter)]
    return next((body for body in bodies if len(body.split()) <= limit), bodies[-1])


def _assembled(parts: "_Parts", opening: list[str], middle: list[str], ending: list[str]) -> str:
    paragraphs = [parts.greeting(), " ".join(opening), " ".join(middle), " ".join(ending), parts.close()]
    return "\n\n".join(filter(None, paragraphs))


class _Parts:
    """The sentences of one message, worded for its tone."""

    def __init__(self, outreach: Outreach, sender: Sender) -> None:
        self._outreach = outreach
        self._sender = sender
        self.company = _named(outreach.company) or "[company]"
        self.role = _named(outreach.role) or "[role]"
        self._formal = outreach.tone == "formal"

    @property
    def refuses(self) -> bool:
        return self._outreach.purpose in {"decline", "offer_no"}

    def greeting(self) -> str:
        person = _named(self._outreach.person) or "[recipient's name]"
        if self._formal:
            return f"Dear {person},"
        known = self._outreach.person is not None and not re.match(r"(?:mr|ms|mrs|dr|prof)\b", person, re.IGNORECASE)
        return f"Hi {person.split()[0] if known else person},"

    def purpose(self) -> str:  # noqa: PLR0911 - one return a purpose
        company, role = self.company, self.role
        match self._outreach.purpose:
            case "referral":
                return f"I saw that {company} is looking for someone for the {role} position and would like to apply."
            case "chat":
                return (
                    f"I am finding out what it is like to work at {company}, and you would know better than any "
                    f"website."
                )
            case "reply":
                about = f" about the {role} position" if self._outreach.role else ""
                return (
                    f"Thank you for getting in touch{about}. I am interested in {company} and would like to hear more."
                )
            case "decline":
                about = f" for the {role} position" if self._outreach.role else ""
                return f"Thank you for your message and for thinking of me{about}. I read it with interest."
            case "offer_no":
                post = f"the {role} position at {company}" if self._outreach.role else f"a position at {company}"
                return f"Thank you for offering me {post}, and for the time that you and your colleagues have given me."
            case "second":
                return (
                    f"I wrote to you a while ago about working at {company} and wanted to ask once more, in case "
                    f"it was missed."
                )
            case "role":
                return (
                    f"I am writing to express my interest in the {role} position at {company}."
                    if self._formal
                    else f"I came across the {role} position at {company} and would like to introduce myself."
                )
            case _:
                wanted = self._outreach.role or self._sender.title
                kind = f"{with_article(_named(wanted))}" if wanted else "someone for [the kind of work you want]"
                return f"I am writing to ask whether {company} is looking for {kind}, now or in the coming months."

    def middle(self) -> list[str]:
        if self._outreach.purpose == "decline":
            return [
                (
                    "After some thought I have decided not to take this further at the moment: [your reason, if "
                    "you want to give one]."
                ),
                "This is a decision about timing and not about you or the company.",
                "If something comes up later that fits [what would interest you], I would be glad to hear of it.",
            ]
        if self._outreach.purpose == "offer_no":
            return [
                "I have thought it over carefully and have decided not to accept.",
                "The reason is [one honest sentence, or leave this out].",
                "I did not take the decision lightly, and it is not one against the people I met.",
            ]
        return [self.background(), self.result(), self.reason()]

    def background(self) -> str:
        title = _named(self._sender.title)
        who = f"I am {with_article(title)}" if title else "I am [your current role]"
        if self._sender.employer:
            who += f" at {_named(self._sender.employer)}"
        if self._sender.years:
            years = self._sender.years
            who += f" with {years} {'year' if years == '1' else 'years'} of experience"
        skills = f" My skills include {listed(self._sender.skills)}." if self._sender.skills else ""
        return f"{who}.{skills or ' My main skills are [two or three skills that matter here].'}"

    def result(self) -> str:
        if self._sender.result:
            return self._sender.result
        return "A recent result that shows how I work: [one result you are proud of, with a number]."

    def reason(self) -> str:
        if self._sender.company_says and len(self._sender.company_says.split()) <= _LONGEST_QUOTE:
            said = self._sender.company_says
            return f"{self.company} says of itself: “{said}” What draws me to that is [one true, specific reason]."
        if self._sender.shared:
            shared = listed(self._sender.shared[:3])
            return (
                f"You work with {shared}, as I do, and what draws me to {self.company} is [one true, specific reason]."
            )
        return f"What draws me to {self.company} is [one true, specific reason]."

    def ask(self) -> str:  # noqa: PLR0911 - one return a purpose
        match self._outreach.purpose:
            case "referral":
                return "Would you be willing to refer me, or to tell me who is the right person to ask?"
            case "chat":
                return (
                    "Could you spare fifteen minutes for a call in the next two weeks? Any time that suits you is fine."
                )
            case "decline":
                return "I hope that we can stay in touch, and I wish you success in finding the right person."
            case "offer_no":
                return "I hope that our paths cross again, and I wish you and the team every success."
            case "reply":
                return "When would be a good time for a call, and could you send me the job description beforehand?"
            case _:
                if self._formal:
                    return "I would be grateful for a short conversation at a time that suits you."
                return "Would you have fifteen minutes for a short call in the next two weeks?"

    def extras(self) -> list[str]:
        """Sentences that claim nothing, in the order in which a short message is rounded off with them."""
        if self._outreach.purpose == "decline":
            return [
                "If it helps, I am happy to pass your message on to people I know who may be looking.",
                "Thank you again for taking the trouble to write to me personally; not everybody does.",
                "Please feel free to write to me again at any time.",
            ]
        if self._outreach.purpose == "offer_no":
            return ["Thank you again for the trust that you have shown me."]
        return [
            "If somebody else is the better person to ask, I would be grateful if you could point me to them.",
            "I am happy to send my CV or to answer questions by e-mail if that is easier for you.",
            "Thank you for taking the time to read this.",
            "I know that you will have many messages like this one, so a single line in reply is more than enough.",
        ]

    def close(self) -> str:
        return f"{'Kind regards' if self._formal else 'Best wishes'},\n{self._sender.name or '[your name]'}"

    def subjects(self) -> tuple[str, ...]:  # noqa: PLR0911 - one return a purpose
        title = _named(self._sender.title) or "[your current role]"
        lead = f"{_capital(title)} interested in {self.company}"
        match self._outreach.purpose:
            case "referral":
                return f"A question about the {self.role} position", f"Would you refer me at {self.company}?", lead
            case "chat":
                return f"Fifteen minutes about {self.company}?", f"A question about your work at {self.company}", lead
            case "decline":
                return "Thank you, but not at the moment", f"Re: {self.role}", "Thank you for your message"
            case "offer_no":
                return "Your offer, with thanks", f"My decision on your offer, {self.company}", "Re: your offer"
            case "reply":
                return f"Re: {self.role} at {self.company}", "Happy to talk: when suits you?", lead
            case "role":
                return f"{_capital(self.role)} at {self.company}", f"A question about the {self.role} position", lead
            case _:
                return lead, f"Openings at {self.company}?", f"A short question about {self.company}"

    def note_ask(self) -> str:  # noqa: PLR0911 - one return a purpose
        match self._outreach.purpose:
            case "referral":
                return (
                    f"I'd like to apply for the {self.role} position at {self.company}. Would you be willing to "
                    f"refer me?"
                )
            case "chat":
                return f"I'd love to hear what working at {self.company} is like. Would you be open to a short chat?"
            case "decline":
                return "Thank you for your message. It is not the right time for me, but I'd be glad to stay in touch."
            case "offer_no":
                return (
                    "Thank you for your offer. I have decided not to accept it, and I hope that our paths cross again."
                )
            case "reply":
                return f"Thank you for your message. I'm interested in {self.company} and would like to hear more."
            case "role":
                return f"I'm interested in the {self.role} position at {self.company}. Would you be open to connecting?"
            case _:
                return f"I'm interested in working at {self.company}. Would you be open to connecting?"


def with_article(noun: str) -> str:
    """``an analyst``, ``a nurse``, ``a UX designer``, ``an HR adviser``: by sound, as far as spelling tells it."""
    first = noun.split(maxsplit=1)[0] if noun.split() else ""
    spelled = first.isupper() and len(first) <= 3
    vowel = first[:1] in "AEFHILMNORSX" if spelled else first[:1].casefold() in "aeiou"
    if re.match(r"(?:uni|use|uk|ux|eu|one)", first, re.IGNORECASE):
        vowel = False
    return f"{'an' if vowel else 'a'} {noun}"


def _short_background(sender: Sender) -> list[str]:
    """From the fullest to the shortest."""
    title = _named(sender.title)
    who = f"I'm {with_article(title)}" if title else "I'm [your current role]"
    years = f" with {sender.years} {'year' if sender.years == '1' else 'years'} of experience" if sender.years else ""
    skills = f" ({listed(sender.skills[:3])})" if sender.skills else ""
    return [f"{who}{years}{skills}.", f"{who}{years}.", f"{who}."]


def _named(text: str | None) -> str:
    """On one line, without brackets of its own: those would pass for placeholders."""
    line = " ".join(re.sub(r"[\[\]]", " ", text or "").split())
    return line if len(line) <= _LONGEST_NAME else line[:_LONGEST_NAME].rsplit(" ", 1)[0]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def strongest(skills: Sequence[str], wanted: Sequence[str], limit: int = 4) -> tuple[str, ...]:
    """Up to ``limit`` skills, those that are ``wanted`` first."""
    asked = {skill.casefold() for skill in wanted}
    return tuple(sorted(skills, key=lambda skill: skill.casefold() not in asked)[:limit])
