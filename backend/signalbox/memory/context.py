"""Fits a conversation into a model's window. Pure: text in, text out, no I/O."""

from collections.abc import Sequence
from typing import Final

from signalbox.llm.base import ChatMessage
from signalbox.memory.conversation import PastMessage

# English text runs at about four characters a token; three leaves room for code and other languages.
CHARS_PER_TOKEN: Final = 3


def fit(system: str, history: Sequence[PastMessage], message: str, *, budget: int) -> tuple[ChatMessage, ...]:
    """System prompt, as much of the newest history as fits into ``budget`` tokens, and the message.

    The system prompt and the message are always whole. History is dropped oldest first, at message
    borders, and never starts with an answer whose question was dropped.
    """
    room = budget * CHARS_PER_TOKEN - len(system) - len(message)
    kept: list[ChatMessage] = []
    for past in reversed(history):
        if not past.content.strip():
            continue  # an empty turn makes providers refuse every later call
        room -= len(past.content)
        if room < 0:
            break
        kept.append(ChatMessage(past.role, past.content))
    while kept and kept[-1].role == "assistant":
        kept.pop()
    return (ChatMessage("system", system), *reversed(kept), ChatMessage("user", message))
