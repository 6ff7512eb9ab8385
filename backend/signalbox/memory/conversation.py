"""The recent past of a conversation, as agents and models see it."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from signalbox.envelope import Intent


class PastMessage(BaseModel):
    """One earlier message; ``blocks`` are the typed events it carried (kept for the newest few only)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: Literal["user", "assistant"]
    content: str
    agent: str | None = None
    intent: Intent | None = None
    blocks: tuple[dict[str, Any], ...] = ()


def recent_intents(history: tuple[PastMessage, ...], limit: int = 3) -> tuple[Intent, ...]:
    """Intents of the user's last messages, oldest first."""
    intents = [m.intent for m in history if m.role == "user" and m.intent is not None]
    return tuple(intents[-limit:])
