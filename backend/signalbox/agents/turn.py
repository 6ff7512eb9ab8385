"""One message to answer, what its answer may rest on, and what comes of it."""

from datetime import UTC, date, datetime
from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field

from signalbox.blocks import ProfileFact
from signalbox.envelope import Event, Intent
from signalbox.events import Citation
from signalbox.memory.conversation import PastMessage
from signalbox.memory.summary import ConversationSummary


class Facts(BaseModel):
    """What an agent found out: all that its reply may claim."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class LookUps(Facts):
    """Facts behind which not every look-up found all there is. ``look_ups``: how each went, in the fixed form;
    ``conclusions``: what may be concluded from such an outcome, and what not; ``not_looked_at``: what could not be
    asked or was cut short, which the reply has to say.
    """

    look_ups: tuple[str, ...]
    conclusions: tuple[str, ...]
    not_looked_at: tuple[str, ...] = ()
    found: Facts


class Turn(BaseModel):
    """One message to answer, with what is known around it. ``summary`` tells what was said before ``history``.
    ``today``: the day it was begun to be answered (UTC), the same for every worker that goes on with it: an agent has
    no other clock.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    message: str
    message_id: str
    intent: Intent
    history: tuple[PastMessage, ...] = ()
    profile: tuple[ProfileFact, ...] = ()
    summary: ConversationSummary | None = None
    temporary: bool = False
    today: date = Field(default_factory=lambda: datetime.now(UTC).date())


class HandOver(BaseModel):
    """That another agent should answer: which, why (shown to the user), and with what message if not the user's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    to: Intent
    reason: str
    message: str | None = None


class Answer(BaseModel):
    """What an agent returns: the whole text it streamed, and where its claims come from. With ``hand_over`` the
    named agent speaks next, in the same run; the text may be empty then.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    citations: tuple[Citation, ...] = ()
    hand_over: HandOver | None = None


class Emitter(Protocol):
    async def emit(self, event: Event) -> None: ...
