"""Mends the past of a conversation for a model: whatever happened, user and assistant speak in turns. Pure."""

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from signalbox.llm.base import ChatMessage
from signalbox.memory.conversation import PastMessage

BROKE_OFF: Final = "[This answer broke off here.]"
UNANSWERED: Final = "[This message got no answer.]"
NO_RESULT: Final = "[No result: this call was not finished.]"


def repaired(past: Sequence[PastMessage]) -> tuple[PastMessage, ...]:
    """``past`` as a model may get it before the next user message: it starts with the user, ends with the assistant,
    and nobody speaks twice in a row.

    What the summary tells is left out. An answer that broke off says so; one without words names what it showed. A
    message that got no answer is followed by a line that says so; several answers to one message become one.
    """
    mended: list[PastMessage] = []
    for message in (said for each in past if not each.summarised and (said := _said(each)) is not None):
        last = mended[-1] if mended else None
        if last is None and message.role == "assistant":
            continue  # what it answered is told by the summary, or by nobody
        if last is not None and last.role == message.role == "assistant":
            mended[-1] = _joined(last, message)
            continue
        if last is not None and last.role == message.role:
            mended.append(PastMessage(role="assistant", content=UNANSWERED))
        mended.append(message)
    if mended and mended[-1].role == "user":
        mended.append(PastMessage(role="assistant", content=UNANSWERED))
    return tuple(mended)


def paired(messages: Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
    """``messages`` in which every tool call has its one result, right behind it, and every result its call.

    A call without a result gets one that says so; a result without a call, or given twice, is dropped, and so is an
    assistant message with neither words nor calls.
    """
    results: dict[str, ChatMessage] = {}
    for message in messages:
        if message.role == "tool" and message.tool_call_id:
            results.setdefault(message.tool_call_id, message)
    return tuple(_paired(messages, results))


def _paired(messages: Sequence[ChatMessage], results: dict[str, ChatMessage]) -> Iterator[ChatMessage]:
    called: set[str] = set()
    for message in messages:
        if message.role == "tool":
            continue
        calls = tuple(call for call in message.tool_calls if call.call_id not in called)
        if message.role == "assistant" and not calls and _is_blank(message.content):
            continue
        yield message if calls == message.tool_calls else ChatMessage(message.role, message.content, calls)
        for call in calls:
            called.add(call.call_id)
            yield results.get(call.call_id) or ChatMessage("tool", NO_RESULT, tool_call_id=call.call_id)


def _said(past: PastMessage) -> PastMessage | None:
    """The message with words a model can be given; None where there are none."""
    content = past.content
    if _is_blank(content):
        shown = [str(block.get("type", "")) for block in past.blocks] if past.role == "assistant" else []
        if not any(shown):
            return None
        content = f"[Shown without words: {', '.join(dict.fromkeys(kind for kind in shown if kind))}]"
    if past.partial:
        content = f"{content.rstrip()}\n{BROKE_OFF}"
    return past if content == past.content else past.model_copy(update={"content": content})


def _joined(first: PastMessage, second: PastMessage) -> PastMessage:
    content = f"{first.content.rstrip()}\n\n{second.content.lstrip()}"
    return first.model_copy(
        update={
            "content": content,
            "blocks": (*first.blocks, *second.blocks),
            "partial": first.partial or second.partial,
        }
    )


def _is_blank(text: str) -> bool:
    """Whether nothing of it can be seen."""
    return all(char.isspace() or unicodedata.category(char) in {"Cc", "Cf"} for char in text)
