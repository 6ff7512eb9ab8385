"""What a message about outreach wants where no first message is: another agent's help, or to know whom to write to.
Pure.
"""

import re
from collections.abc import Iterator
from typing import Final

from signalbox.agents.letters.sources import Look
from signalbox.agents.turn import Facts, HandOver
from signalbox.agents.words.phrases import plain

_MOST_CONTACTS: Final = 2
# Feedback on a rejection is the employer's; feedback on one's work is a chat.
_FEEDBACK = re.compile(
    r"\b(?:ask\w*|request\w*|get|want)\b[^.?!]{0,40}\bfeedback\b(?! on (?:my|the|this|an?) "
    r"(?:cv|résumé|resume|portfolio|work|project|idea|profile|website|blog|app|paper|code))|"
    r"\bfeedback (?:request|e-?mail)\b|\bwhy (?:they|i was) (?:rejected|turned (?:me )?down)\b",
    re.IGNORECASE,
)
_COUNTER = re.compile(
    r"\bcounter(?![ -]?offer from)(?:[ -]?offers?|ing)?\b|\bnegotiat\w+\b|"
    r"\b(?:ask\w*|want|get|push\w*|hold\w* out|go(?:ing)? back)\b[^.?!]{0,30}"
    r"(?:\bmore (?:money|pay|salary)\b|\b(?:a )?higher (?:salary|pay|offer)\b|\ba (?:pay )?(?:raise|rise)\b|"
    r"\bfor \W{0,2}\d{2,3}(?:[.,]\d+)?\s?k\b|\bfor [£$€]\s?\d|\bfor \d{2,3}[.,]?\d{3}\b)",
    re.IGNORECASE,
)
_WHO = re.compile(
    r"^\W*(?:(?:and|so|ok|okay|but|great|thanks|hm+)\W+)*(?:"
    r"(?:who|whom|which (?:person|one))\b[^.?!]{0,40}\b(?:e-?mail|write|contact|message|reach|address|approach|talk|"
    r"send|ask|speak|recruiter|hiring manager|in charge|responsible)\b|"
    r"(?:do you (?:know|have)|is there|are there|what(?:'s|’s| is)|can you (?:find|get|give)|find|give me|any)\b"
    r"[^.?!]{0,40}\b(?:contacts?\b(?! (?:form|them|her|him|me))|e-?mail address(?:es)?|"
    r"(?:recruiter|manager|person)(?:['’]?s)? (?:name|e-?mail)|name of the (?:recruiter|hiring manager|manager)))",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{2,24}){1,3}")
_NAMED = re.compile(
    r"\b(?i:contact(?: person)?|questions(?: to)?|enquiries(?: to)?|speak (?:to|with)|reach out to|apply to)\s*:?\s+"
    r"(?P<name>(?:(?:Mr|Ms|Mrs|Dr|Prof)\.? )?[A-ZÀ-Þ][a-zà-ÿ’'-]+ [A-ZÀ-Þ][a-zà-ÿ’'-]+)"
)


class ContactFacts(Facts):
    """``found``: names and addresses that stand in the posting; ``posting``: how the look for it went, and ``employer``
    that for the company's record.
    """

    company: str = ""
    role: str = ""
    found: tuple[str, ...] = ()
    posting: Look = "unasked"
    employer: Look = "unasked"
    site: str = ""
    url: str = ""


def belongs_elsewhere(message: str) -> HandOver | None:
    """To whom a message goes that only looks like outreach."""
    if _COUNTER.search(message):
        return HandOver(to="salary", reason="That answers an offer, so it is a matter of pay.")
    if _FEEDBACK.search(message):
        return HandOver(to="followup", reason="That is about an application you sent, so it goes with those.")
    return None


def asks_whom(message: str) -> bool:
    """Whether the message asks whom to write to, and for no text."""
    return _WHO.search(message) is not None


def contacts_in(text: str) -> tuple[str, ...]:
    """Names and addresses that a posting gives to write to."""
    return tuple(dict.fromkeys(_contacts(text)))[:_MOST_CONTACTS]


def _contacts(text: str) -> Iterator[str]:
    yield from (match["name"] for match in _NAMED.finditer(text))
    yield from (match.group() for match in _ADDRESS.finditer(text))


def contact_text(facts: ContactFacts) -> str:
    """What is known of whom to write to, and how a name is found, in Markdown."""
    company = plain(facts.company) if facts.company else "the company"
    joined = f" that {plain(facts.role)} would join" if facts.role else ""
    steps = [
        f"the end of the advert itself{f' ({facts.url})' if facts.url else ''}: a name or address often stands there",
        f"{company}'s own pages{f' ({facts.site})' if facts.site else ''}, under “team” or “careers”",
        f"a search on LinkedIn for {company} with “recruiter” or “talent”, or for the head of the team{joined}",
    ]
    ways = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, start=1))
    return (
        f"{_known(facts)}{_unread(facts)}\n\nWays to find a name, best first:\n{ways}\n\n"
        "If none turns up, “Dear hiring team” is fine. Tell me the name and I write to that person."
    )


def _unread(facts: ContactFacts) -> str:
    return " I could not look up the company's own pages just now." if facts.employer == "unavailable" else ""


def _known(facts: ContactFacts) -> str:
    post = f"The posting for {plain(facts.role)}" if facts.role else "The posting"
    at = f" at {plain(facts.company)}" if facts.company else ""
    if facts.found:
        return f"{post}{at} names {' and '.join(plain(each) for each in facts.found)}: write there first."
    if facts.posting == "read":
        return f"{post}{at} names no person to write to, and I have no directory of people."
    if facts.posting == "unavailable":
        return f"I could not read the posting{at} just now, and I have no directory of people."
    return f"I know of no contact person{at}: I have no directory of people, and will not guess an address."
