"""The recent past of a conversation, as agents and models see it."""

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict

from signalbox.envelope import Intent

# Who speaks when a message is not clear: no agent, and no intent.
CLARIFY: Final = "clarify"


class PastMessage(BaseModel):
    """One earlier message; ``blocks`` are the typed events it carried (kept for the newest few only). ``partial``: it
    broke off. ``summarised``: the run's summary tells of it, so that a model is not told it again.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: Literal["user", "assistant"]
    content: str
    agent: str | None = None
    intent: Intent | None = None
    blocks: tuple[dict[str, Any], ...] = ()
    partial: bool = False
    summarised: bool = False


def recent_intents(history: tuple[PastMessage, ...], limit: int = 3) -> tuple[Intent, ...]:
    """What the user's last messages were about, oldest first; one that several agents answered counts for each."""
    intents: list[Intent] = []
    for past in history:
        if past.role == "user" and past.intent is not None:
            intents.append(past.intent)
        elif past.role == "assistant" and past.agent not in {None, CLARIFY} and intents[-1:] != [past.agent]:
            intents.append(str(past.agent))
    return tuple(intents[-limit:])
