"""What a message wants of the draft on the table: to send it, to fill in its blanks, or neither. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from signalbox.agents.letters.blanks import (
    SIGNATURE,
    Filling,
    filled_before,
    filling_in,
    known_in,
    open_in,
    with_blanks,
)
from signalbox.agents.letters.sending import (
    OnTable,
    SendWish,
    address_told,
    and_sent,
    holds_back,
    on_table,
    wants_sent,
)
from signalbox.agents.turn import HandOver
from signalbox.blocks import EmailDraft
from signalbox.envelope import Intent
from signalbox.memory.conversation import PastMessage

# "Send the reminder" asks for one where there is none yet.
_NAMES_LETTER: Final = re.compile(r"\b(?:chaser|reminder|follow[- ]?up|note|letter|thank)", re.IGNORECASE)
_CHASES = re.compile(r"\b(?:follow(?:ing)?[- ]?ups?|chas(?:e|er|ing)|nudg(?:e|ing)|reminder)\b", re.IGNORECASE)
# A second message to somebody who was written to is outreach still.
_WROTE_BEFORE = re.compile(
    r"\b(?:cold|recruiters?|headhunter|linked ?in|referral|coffee|meet(?:ing|up)|messaged|wrote|"
    r"(?:my|the|our|last|first|earlier|previous) (?:[\w-]+ )?(?:e-?mail|mail|message|note|chat|call))\b",
    re.IGNORECASE,
)
# Words with a capital that no sentence begins with.
_NAMES: Final = re.compile(r"(?<=[a-z,] )[A-ZÀ-Þ][\w&-]+")
_WRITERS: Final = frozenset({"cold_email", "followup"})


@dataclass(frozen=True, slots=True)
class Asked:
    """What a message wants of the draft on the table. ``send``: to send it, or what comes of ``filling`` or of the
    request in ``rest``. ``back``: not to. ``before``: what was filled in before, where ``filling`` tells some of it
    anew, and ``blank`` the draft in which that was open still, if it is at hand.
    """

    table: OnTable | None
    rest: str
    send: SendWish | None = None
    filling: Filling = Filling()  # noqa: RUF009 - frozen
    before: Filling = Filling()  # noqa: RUF009 - frozen
    blank: EmailDraft | None = None
    back: bool = False

    @property
    def only_sends(self) -> bool:
        return (self.send is not None and not self.rest) or self.back


def asked_of(message: str, history: Sequence[PastMessage]) -> Asked:
    """``rest``: what is left of the message for the writer; all of it where nothing is to be sent or filled in."""
    table = on_table(history)
    if holds_back(message):
        return Asked(table, "", back=True)
    if (whole := wants_sent(message)) is not None and not (table is None and _NAMES_LETTER.search(message)):
        return Asked(table, "", whole)
    rest, send = and_sent(message) or (message, None)
    if table is not None and table.mail is not None and (filling := _filling_of(rest, table, history)):
        anew = filling.values.keys() - set(_open_on(table)) - {SIGNATURE}
        before = filled_before(history, table.agent) if anew else Filling()
        blank = with_blanks(history, table.agent, anew) if anew else None
        return Asked(table, "", send, filling, before, blank)
    if table is not None and table.asked and (told := address_told(message)) is not None:
        return Asked(table, "", told)
    return Asked(table, rest, send)


def _filling_of(message: str, table: OnTable, history: Sequence[PastMessage]) -> Filling:
    last = next((past for past in reversed(history) if past.role == "assistant"), None)
    answers = last is not None and last.agent == table.agent
    return filling_in(message, _open_on(table), known=known_in(history, table.agent), answers=answers)


def _open_on(table: OnTable) -> tuple[str, ...]:
    mail = table.mail
    return open_in(mail.subject, mail.body, *mail.subjects) if mail is not None else ()


def is_mine(agent: Intent, message: str, history: Sequence[PastMessage]) -> bool:
    """Whether ``message`` is about sending or filling in a draft of ``agent``: its ``holds``."""
    asked = asked_of(message, history)
    if asked.table is None or asked.table.agent != agent or asked.table.mail is None:
        return False
    return asked.only_sends or bool(asked.filling)


def belongs_to_writer(agent: Intent, asked: Asked) -> HandOver | None:
    """Sending a draft is its writer's: for a draft that the other agent wrote."""
    table = asked.table
    if table is None or table.mail is None or table.agent == agent or table.agent not in _WRITERS:
        return None
    if not asked.only_sends and not asked.filling:
        return None
    return HandOver(to=table.agent, reason="That is about the draft written there.")


def belongs_to_tracker(asked: Asked) -> HandOver | None:
    """A follow-up of an application goes with the applications; one of a first message drafted here does not."""
    if _names_draft(asked) or _CHASES.search(asked.rest) is None or _WROTE_BEFORE.search(asked.rest):
        return None
    return HandOver(to="followup", reason="That is about an application you sent, so it goes with those.")


def _names_draft(asked: Asked) -> bool:
    """Whether it is about the first message on the table: it names nobody else."""
    if asked.table is None or asked.table.agent != "cold_email" or asked.table.mail is None:
        return False
    names = _NAMES.findall(asked.rest)
    text = f"{asked.table.mail.to} {asked.table.mail.subject} {asked.table.mail.body}"
    return not names or any(name in text for name in names)


def is_aside(message: str, before: Sequence[PastMessage]) -> bool:
    """Whether the message says nothing of what is to be written, with ``before`` lying behind it."""
    asked = asked_of(message, before)
    return asked.only_sends or bool(asked.filling)


def without_sending(message: str) -> str:
    """The request itself: "write to Siemens" of "write to Siemens and send it"."""
    both = and_sent(message)
    return both[0] if both is not None else message
