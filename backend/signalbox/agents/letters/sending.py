"""Reads whether a message wants the draft on the table sent, to whom, and which draft that is. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from signalbox.blocks import EmailDraft
from signalbox.envelope import Intent
from signalbox.memory.conversation import PastMessage
from signalbox.tools.mailing import address_problem

# What our question for an address says; the next message may be nothing but that address.
ASKS_ADDRESS: Final = "Which e-mail address shall it go to?"
# How an answer begins that a mail was sent with.
SENT_TO: Final = "Sent to "
LONGEST: Final = 2_000
_MOST_WORDS: Final = 40
_MOST_WORDS_OF_AN_ADDRESS: Final = 12

_IN_ADDRESS: Final = r"[^\s<>,;:()\[\]\"“”„`]"
# Only from where a word begins: a long word without an @ is looked at once.
_ADDRESS = re.compile(rf"(?<!{_IN_ADDRESS}){_IN_ADDRESS}{{0,300}}@{_IN_ADDRESS}{{0,300}}")
_LEAD: Final = (
    r"(?:(?:yes|yep|yeah|ok|okay|sure|great|perfect|thanks|thank you|good|fine|nice|lovely|excellent|please|pls|now|"
    r"and|then|so|just|alright|all right|right|cool|done|approved|finally|do|it'?s ready|"
    r"(?:it|that|this)(?: now)?(?:'s| is| looks| sounds| reads)?(?: very)? (?:good|great|fine|perfect|ready|ok|okay)|"
    r"looks (?:very )?(?:good|great|fine|perfect)|i (?:like|love) it|go ahead|go on|"
    r"i(?:'d| would) like (?:you )?to|i want (?:you )?to|(?:can|could|will|would) you(?: please)?|"
    r"you (?:can|may)(?: now)?|let'?s)[\s,.!:;–-]+)*"
)
_THING: Final = (
    r"(?:it|this|that|them|(?:the|this|that|my|your)\s+(?:[\w-]+\s+){0,2}?(?:e-?mail|mail|message|draft|letter|version|"
    r"chaser|note|one|text|reminder|request|reply|follow[- ]?up)(?:\s+above)?)"
)
_VERB: Final = rf"(?:(?:re-?)?send(?:\s+{_THING})?|(?:e-?mail|mail|forward|fire|shoot)\s+{_THING})"
_HOW: Final = (
    r"(?:[\s,]+(?:off|out|over|away|now|again|once more|anyway|please|pls|right away|straight away|immediately|today|"
    r"asap|then|for me|as (?:it )?is|as it stands|by e-?mail|via e-?mail|as an e-?mail|thanks|thank you))*"
)
_DAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_WHEN: Final = (
    rf"tomorrow|later|tonight|this (?:evening|afternoon)|next \w+|(?:(?:on|by|until|before|after) )?{_DAY}|"
    r"in (?:an?|one|two|three|\d+|a few|half an) (?:\w+ )?(?:minutes?|hours?|days?|weeks?)|"
    r"at \d{1,2}(?:[:.]\d\d)?\s?(?:am|pm|o'?clock)?|when i say so|on the \d+\w*"
)
# Between and behind the addresses: names, "and", "with replies to"; nothing that would be another request.
_WHOM: Final = r"(?:[\s,;:]+(?:to|at|cc|bcc|with|and|for|via|blind|copy)\b.*)?"
_SEND = re.compile(rf"\W*{_LEAD}{_VERB}{_HOW}(?P<when>[\s,]+(?:{_WHEN}))?{_HOW}(?P<whom>{_WHOM})\W*", re.IGNORECASE)
_AND_SEND = re.compile(
    # Bounded, so that a text of commas and blanks is read in one go.
    rf"(?:[,;.]|\s{{1,9}}(?:and\b|then\b|&)|&)[\s,]{{0,9}}(?:(?:and|then|also)\s{{1,9}}){{0,3}}(?P<send>(?:please\s+)?{_VERB}{_HOW}"
    rf"(?P<when>[\s,]+(?:{_WHEN}))?{_HOW}(?:[\s,]+to\s+[^?!]*)?)[\s.!?]*$",
    re.IGNORECASE,
)
_NO_PLAIN_SENDING = re.compile(
    r"\b(?:but|first|shorter|warmer|firmer|friendlier|longer|formal|write|draft|make|change|add|remove|before|after|"
    r"unless|if|when|once|instead|linked ?in|whatsapp|attach\w*|asking|saying|telling|about|requesting)\b",
    re.IGNORECASE,
)
_HELD_BACK = re.compile(
    r"\W*(?:(?:no|ok|wait|stop|please|hold on|sorry)[\s,.!]+)*(?:do not|don'?t|never)\s+(?:e-?mail|mail|send)\b"
    r"(?:\s+(?:it|this|that|anything|the (?:e-?mail|mail|draft|message)))?"
    r"(?:\s+(?:yet|now|please|to (?:him|her|them)))*\W*",
    re.IGNORECASE,
)
_BLIND = re.compile(r"\b(?:bcc|blind (?:carbon )?cop\w+)\b", re.IGNORECASE)
_AGAIN = re.compile(r"\b(?:again|re-?send|once more|another time|a second time)\b", re.IGNORECASE)
# The writer's own address is where answers go, and never whom it is sent to.
_OWN = re.compile(r"\bmy (?:own )?(?:e-?mail|mail)(?: address)?[\s:]+(?:(?:is|at)[\s:]+)?$", re.IGNORECASE)
_REPLIES = re.compile(
    r"\b(?:repl(?:y|ies)|answers?|reply-to|reach me|contact me)\b"
    r"[\s:]*(?:(?:should|can|to|go|at|is|on|by e-?mail)[\s:]+)*$",
    re.IGNORECASE,
)
# In a longer text, which may be pasted, "reply to" is said to the writer and not by them.
_MOST_WORDS_OF_ONES_OWN: Final = 60
_TO_ME = re.compile(r"\bto (?:me|myself|my (?:own )?(?:e-?mail|mail|address|inbox))\b", re.IGNORECASE)
_NAMED = re.compile(
    r"\bto (?P<who>(?:(?!\bto\b)[^\d@]){2,60}?)(?=\s+(?:at|with|please|now|and)\b|[,.;!?]|$)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class SendWish:
    """``to``: addresses in the message; ``malformed``: what looks like one and is none, with the reason; ``whom``: who
    was named without an address. ``later``: at another time than now. ``again``: it may have gone out before.
    """

    to: tuple[str, ...] = ()
    malformed: tuple[str, ...] = ()
    reply_to: str | None = None
    whom: str = ""
    to_me: bool = False
    later: bool = False
    blind: bool = False
    again: bool = False


@dataclass(frozen=True, slots=True)
class OnTable:
    """The newest draft, who wrote it, and what was said of its addresses since. ``sent``: our answers about sending
    it. ``mail`` is None for what is no e-mail (a cover letter).
    """

    agent: Intent
    mail: EmailDraft | None
    to: tuple[str, ...] = ()
    reply_to: str | None = None
    answers: tuple[str, ...] = ()
    asked: bool = False


def wants_sent(message: str) -> SendWish | None:
    """The wish, if the message as a whole asks to send what is there."""
    message = message.strip()
    if len(message) > LONGEST or len(message.split()) > _MOST_WORDS:
        return None
    masked, _ = _masked(message)
    match = _SEND.fullmatch(masked)
    if match is None or _NO_PLAIN_SENDING.search(match["whom"]):
        return None
    return _wish(message, later=match["when"] is not None or _has_time(match["whom"]))


def and_sent(message: str) -> tuple[str, SendWish] | None:
    """What else the message asks, and the wish to send what comes of it: "write to jane@acme.com and send it"."""
    if len(message) > LONGEST:
        return None
    masked, addresses = _masked(message)
    match = _AND_SEND.search(masked)
    if match is None or not masked[: match.start()].strip() or _NO_PLAIN_SENDING.search(match["send"]):
        return None
    rest = _unmasked(masked[: match.start()], addresses)
    return rest, _wish(message, later=_has_time(match["send"]))


def holds_back(message: str) -> bool:
    """As in "don't send it yet"."""
    return _HELD_BACK.fullmatch(message.strip()) is not None


def address_told(message: str) -> SendWish | None:
    """The wish, if the message may be the answer to our question for an address."""
    if "@" not in message or len(message.split()) > _MOST_WORDS_OF_AN_ADDRESS or message.rstrip().endswith("?"):
        return None
    return _wish(message, later=False)


def addresses_in(message: str) -> tuple[tuple[str, ...], tuple[str, ...], str | None]:
    """Addresses, what only looks like one (with the reason), and where replies are to go."""
    good: list[str] = []
    bad: list[str] = []
    reply_to = None
    own_words = len(message.split()) <= _MOST_WORDS_OF_ONES_OWN
    for match in _ADDRESS.finditer(message):
        address = match.group().strip(".,!?'’")
        if not address.strip("@"):
            continue
        if (problem := address_problem(address)) is not None:
            bad.append(f"“{address[:80]}”: {problem}")
        elif _OWN.search(before := message[max(match.start() - 80, 0) : match.start()]) or (
            own_words and _REPLIES.search(before)
        ):
            reply_to = address
        else:
            good.append(address)
    return tuple(dict.fromkeys(good)), tuple(dict.fromkeys(bad)), reply_to


def on_table(history: Sequence[PastMessage]) -> OnTable | None:
    """The draft that "it" means: the newest e-mail or letter of the conversation."""
    at = next((n for n in range(len(history) - 1, -1, -1) if _draft_of(history[n]) is not None), None)
    if at is None:
        return None
    block = _draft_of(history[at])
    assert block is not None
    mail = EmailDraft.model_validate(block) if block.get("type") == "email_draft" else None
    to: tuple[str, ...] = addresses_in(mail.to)[0] if mail is not None and mail.to else ()
    # A draft that has an address was given it last: at its approval, it may be, by other words than the message's.
    since = at if to else at - 1
    reply_to = None
    for number, past in enumerate(history):
        if past.role == "user":
            told, _, replies = addresses_in(past.content[:LONGEST])
            reply_to = replies or reply_to  # the user's own, whatever was drafted since
            to = told or to if number >= since else to
    answers = tuple(past.content for past in history[at:] if past.role == "assistant")
    last = next((past for past in reversed(history) if past.role == "assistant"), None)
    asked = last is not None and ASKS_ADDRESS in last.content
    return OnTable(history[at].agent or "", mail, to, reply_to, answers, asked)


def _draft_of(past: PastMessage) -> dict[str, object] | None:
    if past.role != "assistant":
        return None
    return next((b for b in reversed(past.blocks) if b.get("type") in {"email_draft", "cover_letter"}), None)


def _wish(message: str, *, later: bool) -> SendWish:
    to, malformed, reply_to = addresses_in(message)
    named = list(_NAMED.finditer(message))[-1:] if not to else []
    to_me = _TO_ME.search(message) is not None
    return SendWish(
        to=to,
        malformed=malformed,
        reply_to=reply_to,
        whom=" ".join(named[0]["who"].split()) if named and not to_me else "",
        to_me=to_me and not to,
        later=later,
        blind=_BLIND.search(message) is not None,
        again=_AGAIN.search(message) is not None,
    )


def _has_time(text: str) -> bool:
    return re.search(rf"\b(?:{_WHEN})\b", text, re.IGNORECASE) is not None


def _masked(message: str) -> tuple[str, list[str]]:
    """Addresses put aside: a dot in one ends no sentence, and a word in one says nothing."""
    found: list[str] = []

    def put_aside(match: re.Match[str]) -> str:
        text = match.group()
        end = len(text.rstrip(".,!?"))
        found.append(text[:end])
        return "@" + text[end:]

    return _ADDRESS.sub(put_aside, message), found


def _unmasked(text: str, addresses: Sequence[str]) -> str:
    parts = text.split("@")
    return parts[0] + "".join(address + part for address, part in zip(addresses, parts[1:], strict=False))
