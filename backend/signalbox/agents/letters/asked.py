"""What a message wants of the draft on the table: to send it, to fill in its blanks, or neither. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from signalbox.agents.base import HandOver
from signalbox.agents.letters.blanks import Filling, filling_in, open_in
from signalbox.agents.letters.sending import (
    OnTable,
    SendWish,
    address_told,
    and_sent,
    holds_back,
    on_table,
    wants_sent,
)
from signalbox.envelope import Intent
from signalbox.memory.conversation import PastMessage

# "Send the reminder" asks for one where there is none yet.
_NAMES_LETTER: Final = re.compile(r"\b(?:chaser|reminder|follow[- ]?up|note|letter|thank)", re.IGNORECASE)
_WRITERS: Final = frozenset({"cold_email", "followup"})


@dataclass(frozen=True, slots=True)
class Asked:
    """What a message wants of the draft on the table. ``send``: to send it, or what comes of ``filling`` or of the
    request in ``rest``. ``back``: not to.
    """

    table: OnTable | None
    rest: str
    send: SendWish | None = None
    filling: Filling = Filling()  # noqa: RUF009 - frozen
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
    draft = table.mail if table is not None else None
    if draft is not None and (filling := filling_in(rest, open_in(draft.subject, draft.body, *draft.subjects))):
        return Asked(table, "", send, filling)
    if table is not None and table.asked and (told := address_told(message)) is not None:
        return Asked(table, "", told)
    return Asked(table, rest, send)


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


def is_aside(message: str, before: Sequence[PastMessage]) -> bool:
    """Whether the message says nothing of what is to be written, with ``before`` lying behind it."""
    asked = asked_of(message, before)
    return asked.only_sends or bool(asked.filling)


def without_sending(message: str) -> str:
    """The request itself: "write to Siemens" of "write to Siemens and send it"."""
    both = and_sent(message)
    return both[0] if both is not None else message
