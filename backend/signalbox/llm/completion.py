"""Reads the events of a streamed chat completion into text, tool calls, usage and a reason to finish.

It knows the wire shape of Groq and of servers compatible with OpenAI, tolerates every field that may be missing,
and does no I/O: the same events always give the same text.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from signalbox.encoding import clean_text
from signalbox.llm.base import FinishReason, ModelRequest, ToolRequest, Usage
from signalbox.llm.provider_faults import Fault, fault_of_object, garbled
from signalbox.llm.sse_lines import SseEvent
from signalbox.llm.tokens import Length, usage_by_length
from signalbox.llm.tool_calls import BadCallError, ToolCalls

_REASONS: Final[dict[str, FinishReason]] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "sensitive": "content_filter",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
}
# Gateways say so when what stands behind them failed.
_FAILED: Final = frozenset({"error", "network_error"})
_SIGNS_OF_LIFE: Final = (
    *("content", "refusal", "reasoning", "reasoning_content", "reasoning_details"),
    *("tool_calls", "function_call"),
)
# More than any model holds; what a broken server reports beyond it would fit into no column.
_MOST_TOKENS: Final = 100_000_000
# What ends the present state: inside reasoning only its closing tag does.
_TAG: Final = {False: re.compile("</?think>"), True: re.compile("</think>")}


class FaultInStream(Exception):
    def __init__(self, fault: Fault) -> None:
        super().__init__(type(fault.error).__name__)
        self.fault = fault


class ReasoningFilter:
    """Drops ``<think>...</think>`` from text that comes in any split.

    A tag right after a backtick is a quotation and stays. So does one that is never closed behind text that was shown:
    the answer was about it, and what follows comes at the end. Blank space between the reasoning and the first shown
    text is dropped. A closing tag without an opening one is dropped by itself: what stood before it was shown already.
    """

    def __init__(self) -> None:
        self._held = ""
        self._inside = False
        self._last = ""
        self._answered = False
        self._trim = False
        # What stands behind a tag that may turn out to have been no reasoning.
        self._aside: list[str] = []

    def feed(self, text: str) -> str:
        if self._inside or self._held or self._trim or "<" in text:
            held, self._held = self._held, ""
            return "".join(self._shown(held + text))
        return self._show(text)

    def end(self, *, whole: bool = True) -> str:
        """Text held back because it might have become a tag, or reasoning; ``whole``: the model came to its end."""
        held, self._held = self._held, ""
        if self._inside and self._aside and whole:
            held, self._aside, self._inside = "".join((*self._aside, held)), [], False
        return self._show(held)

    def _shown(self, text: str) -> Iterator[str]:
        while text:
            found = _TAG[self._inside].search(text)
            if found is None:
                keep = len(text) - _begun(text)
                self._held = text[keep:]
                yield self._show(text[:keep])
                return
            before, tag, text = text[: found.start()], found.group(), text[found.end() :]
            yield self._show(before)
            if not self._inside and self._last == "`":
                yield self._show(tag)
                continue
            self._inside = tag == "<think>"
            self._aside = [tag] if self._inside and self._answered else []
            self._trim = not self._answered

    def _show(self, text: str) -> str:
        if self._aside:
            self._aside.append(text)
        if self._inside or not text:
            return ""
        self._last = text[-1]
        if self._trim:
            text = text.lstrip()
        if text and not text.isspace():
            self._answered, self._trim = True, False
        return text


def _begun(text: str) -> int:
    """How many characters at the end of ``text`` may be the beginning of a tag."""
    at = text.rfind("<", -len("</think>"))
    begun = at >= 0 and any(tag.startswith(text[at:]) for tag in ("<think>", "</think>"))
    return len(text) - at if begun else 0


class CompletionReader:
    """``take`` each event, get its shown text; ``begun`` tells whether the model has written anything yet, were it
    reasoning or a tool call. Afterwards ``finish``, ``done`` and ``usage`` tell how it ended, ``calls`` what it asks
    for, ``request_id`` what the provider calls it.
    """

    def __init__(self) -> None:
        self.finish: FinishReason | None = None
        self.done = False
        self.begun = False
        self.request_id = ""
        self._filter = ReasoningFilter()
        self._high = ""
        self._output_chars = Length()
        self._usage: tuple[int, int, int] | None = None
        self._calls = ToolCalls()

    def take(self, event: SseEvent) -> str:
        """Shown text of one event, often empty. Raises ``FaultInStream`` for an error object or broken JSON."""
        data = event.data.strip()
        if data.startswith("[DONE]"):
            self.done = True
            return ""
        if not data:
            return ""
        chunk = _parse(data)
        if isinstance(chunk, list) and len(chunk) == 1:
            chunk = chunk[0]  # how Google's servers wrap an error
        if not isinstance(chunk, dict):
            if event.name == "error":
                raise FaultInStream(fault_of_object(chunk))
            return ""
        _raise_error(event, chunk)
        if not self.request_id:
            self.request_id = _request_id(chunk)
        self._take_usage(chunk)
        return self._take_choice(chunk)

    def end(self) -> str:
        """Text held back until it was sure that no more follows."""
        high, self._high = self._high, ""
        return self._filter.feed(clean_text(high)) + self._filter.end(whole=self.reason() in {"stop", "other"})

    def calls(self) -> tuple[ToolRequest, ...]:
        """The tool calls, whole. Raises ``FaultInStream`` for one that has no name."""
        try:
            return self._calls.requests()
        except BadCallError as bad:
            raise FaultInStream(garbled(str(bad))) from None

    def reason(self) -> FinishReason:
        """Why it ended. Some servers call it "stop", or nothing at all, when a tool is to be called."""
        if self._calls and self.finish in {None, "stop", "other"}:
            return "tool_calls"
        return self.finish or "other"

    def usage(self, model: str, request: ModelRequest) -> Usage:
        """What the provider reported last, else an estimate from the text of both sides."""
        if self._usage is not None:
            return Usage(model, *self._usage, estimated=False)
        output = self._output_chars
        output.add(self._calls.texts())
        return usage_by_length(model, request, output)

    def _take_usage(self, chunk: dict[str, Any]) -> None:
        vendor = chunk.get("x_groq")
        for source in (vendor.get("usage") if isinstance(vendor, dict) else None, chunk.get("usage")):
            if isinstance(source, dict) and "prompt_tokens" in source:
                details = source.get("prompt_tokens_details")
                cached = details.get("cached_tokens") if isinstance(details, dict) else 0
                self._usage = (
                    _count(source.get("prompt_tokens")),
                    _count(cached),
                    _count(source.get("completion_tokens")),
                )

    def _take_choice(self, chunk: dict[str, Any]) -> str:
        choices = chunk.get("choices")
        progress = chunk.get("prompt_progress")  # llama.cpp: how much of a long prompt is read
        self.begun = self.begun or (isinstance(progress, dict) and _count(progress.get("processed")) > 0)
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return ""
        if isinstance(choice.get("error"), dict):
            raise FaultInStream(fault_of_object(choice["error"]))
        delta, message = choice.get("delta"), choice.get("message")
        text = ""
        if isinstance(delta, dict) and delta:
            text = self._take_delta(delta)
        elif isinstance(message, dict) and not self.begun:  # else it repeats what the deltas held
            text = self._take_delta(message, whole=True)
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            if reason.lower() in _FAILED:
                raise FaultInStream(garbled("the finish reason is an error"))
            self.finish = _REASONS.get(reason.lower(), "other")
        return text

    def _take_delta(self, delta: dict[str, Any], *, whole: bool = False) -> str:
        content = _text(delta.get("content")) or _text(delta.get("refusal"))
        reasoning = _text(delta.get("reasoning")) or _text(delta.get("reasoning_content"))
        self._output_chars.add(content)
        self._output_chars.add(reasoning)
        self.begun = self.begun or any(delta.get(name) for name in _SIGNS_OF_LIFE)
        try:
            self._calls.take(delta.get("tool_calls"), whole=whole)
            self._calls.take_legacy(delta.get("function_call"))
        except BadCallError as bad:
            raise FaultInStream(garbled(str(bad))) from None
        return self._filter.feed(self._join_pair(content)) if content else ""

    def _join_pair(self, text: str) -> str:
        # Half of an emoji may end one delta and its other half begin the next.
        text, self._high = self._high + text, ""
        if "\ud800" <= text[-1] <= "\udbff":
            text, self._high = text[:-1], text[-1]
        return clean_text(text)


def _raise_error(event: SseEvent, chunk: dict[str, Any]) -> None:
    error = chunk.get("error")
    vendor = chunk.get("x_groq")
    if not error and isinstance(vendor, dict):
        error = vendor.get("error")
    if not error and (event.name == "error" or chunk.get("object") == "error"):
        error = chunk
    if error:
        raise FaultInStream(fault_of_object(error))


def _request_id(chunk: dict[str, Any]) -> str:
    vendor = chunk.get("x_groq")
    found = vendor.get("id") if isinstance(vendor, dict) else None
    return (_text(found) or _text(chunk.get("id")))[:200]


def is_whole(data: str) -> bool:
    """Whether the last event of a body, which no blank line ended, was not cut in its middle."""
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return data.startswith("[DONE]")
    return True


def _parse(data: str) -> object:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as broken:
        raise FaultInStream(garbled(f"a chunk is not JSON ({type(broken).__name__})")) from None


def _text(value: object) -> str:
    """The text of a content field, which some servers send as a list of typed parts."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = (part for part in value if isinstance(part, dict) and part.get("type") == "text")
        return "".join(text for part in parts if isinstance(text := part.get("text"), str))
    return ""


def _count(value: object) -> int:
    return min(value, _MOST_TOKENS) if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
