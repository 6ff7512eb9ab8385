"""A model whose turns are steps: one that was recorded is told again without asking anybody."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final, cast

from signalbox.errors import (
    ProviderAuth,
    ProviderCut,
    ProviderError,
    ProviderRateLimited,
    ProviderRejected,
    ProviderTimeout,
    ProviderUnavailable,
)
from signalbox.llm.base import (
    Attempt,
    ChatMessage,
    Finish,
    Model,
    ModelRequest,
    Restart,
    StreamItem,
    TextDelta,
    ToolRequest,
    Usage,
)
from signalbox.runs.journal import RunJournal
from signalbox.runs.steps import Step
from signalbox.tools.calling import digest_of

_FAILURES: Final = {
    failure.code: failure
    for failure in (
        ProviderError,
        ProviderAuth,
        ProviderRejected,
        ProviderRateLimited,
        ProviderUnavailable,
        ProviderTimeout,
        ProviderCut,
    )
}


class RecordedModel:
    """A ``Model`` over another. A turn that failed, or was given up by whoever asked, is a step, too."""

    def __init__(self, model: Model, journal: RunJournal) -> None:
        self.name = model.name
        self.instructable = model.instructable
        self._model = model
        self._journal = journal

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        # By what is asked, too: turns side by side must not get each other's answers.
        position = self._journal.position("model", request.task, request_digest(request)[:8])
        known = self._journal.recorded(position)
        if known is not None:
            for item in _told_again(known.payload):
                yield item
            return
        await self._journal.before_speaking()
        turn = _Turn(position, self._model.name, request)
        try:
            async with aclosing(self._model.stream(request)) as stream:
                async for item in stream:
                    if isinstance(item, Attempt):
                        turn.attempts.append(item)
                        continue
                    turn.heard(item)
                    if isinstance(item, Finish):
                        await self._journal.commit(turn.over(item))
                    yield item
        except ProviderError as exc:
            await self._journal.commit(turn.failed(exc))
            raise
        except (asyncio.CancelledError, GeneratorExit):
            if not turn.told:
                # Whoever asked stopped listening (a time limit of theirs): so it goes in every attempt.
                self._journal.note(turn.failed(ProviderTimeout()))
            raise

    async def close(self) -> None:
        """The model is not ours."""


class _Turn:
    """One question to the model and what came of it so far."""

    def __init__(self, position: str, model: str, request: ModelRequest) -> None:
        self.parts: list[str] = []
        self.calls: list[ToolRequest] = []
        self.attempts: list[Attempt] = []
        self.usage: Usage | None = None
        self.told = False
        self._position = position
        self._request = request
        self._asked: dict[str, Any] = {
            "model": model,
            "task": request.task,
            "request_sha256": request_digest(request),
        } | _about(request)
        self._began = datetime.now(UTC)

    def heard(self, item: StreamItem) -> None:
        match item:
            case TextDelta(text):
                self.parts.append(text)
            case ToolRequest():
                self.calls.append(item)
            case Restart():
                self.parts.clear()
                self.calls.clear()
            case Usage():
                self.usage = item

    def over(self, finish: Finish) -> Step:
        usage = asdict(self.usage) if self.usage else None
        result: dict[str, Any] = {"text": "".join(self.parts), "usage": usage, "finish": finish.reason}
        if self.calls:
            result["calls"] = [asdict(call) for call in self.calls]
        return self._step(result, finish.request_id or None)

    def failed(self, failure: ProviderError) -> Step:
        told = {"code": failure.code, "content": failure.public}
        return self._step({"text": "".join(self.parts), "error": told}, None)

    def _step(self, result: Mapping[str, Any], request_id: str | None) -> Step:
        self.told = True
        payload = {**self._asked, "result": result}
        if self.attempts:
            payload["attempts"] = [asdict(attempt) for attempt in self.attempts]
        return Step(
            self._position,
            "model_turn",
            payload,
            self._began,
            request_id=request_id,
            spent=spent_on(self._request, self.attempts),
        )


def request_digest(request: ModelRequest) -> str:
    """SHA-256 (hex) of all that is sent: the same for every worker that asks the same question of the same run."""
    messages = [_sent(message) for message in request.messages]
    asked: list[Any] = [request.task, messages, request.max_tokens, request.temperature]
    if request.tools or request.tier:
        asked += [[asdict(tool) for tool in request.tools], request.tier]
    return digest_of(asked)


def spent_on(request: ModelRequest, attempts: Sequence[Attempt]) -> tuple[dict[str, Any], ...]:
    """The attempts as rows of the books (``model_call``); those that were never made cost nothing and are left out."""
    return tuple(
        {
            "number": attempt.number,
            "provider": attempt.provider,
            "model": attempt.model,
            "tier": attempt.tier,
            "task": request.task,
            "agent": request.agent,
            "outcome": attempt.outcome,
            "escalated": attempt.escalated,
            "control": attempt.control,
            "first_token_s": attempt.first_token_s,
            "duration_s": attempt.duration_s,
            "input_tokens": attempt.usage.input_tokens if attempt.usage else 0,
            "cached_tokens": attempt.usage.cached_tokens if attempt.usage else 0,
            "output_tokens": attempt.usage.output_tokens if attempt.usage else 0,
            "estimated": attempt.usage.estimated if attempt.usage else True,
            "cost_usd": attempt.usage.cost_usd if attempt.usage else None,
        }
        for attempt in attempts
        if attempt.outcome != "open"
    )


def _sent(message: ChatMessage) -> list[Any]:
    told: list[Any] = [message.role, message.content]
    if message.tool_calls or message.tool_call_id:
        told += [[asdict(call) for call in message.tool_calls], message.tool_call_id]
    return told


def _about(request: ModelRequest) -> dict[str, Any]:
    """What is kept of a request beside its digest; what was not said is left out."""
    told: dict[str, Any] = {
        "agent": request.agent,
        "prompts": [asdict(prompt) for prompt in request.prompts],
        "about": dict(request.about),
    }
    return {name: value for name, value in told.items() if value}


def _told_again(payload: Mapping[str, Any]) -> Iterator[StreamItem]:
    """What came of the turn, up to its failure if it failed."""
    result = payload["result"]
    if result["text"]:
        yield TextDelta(result["text"])
    if (error := result.get("error")) is not None:
        raise _FAILURES.get(error["code"], ProviderError)(error["content"])
    for call in result.get("calls", ()):
        yield ToolRequest(**call)
    if result["usage"] is not None:
        yield Usage(**result["usage"])
    yield Finish(cast("Any", result["finish"]))
