"""A model whose turns are steps: one that was recorded is told again without asking anybody."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Mapping
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
from signalbox.llm.base import Finish, Model, ModelRequest, StreamItem, TextDelta, Usage
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
                    match item:
                        case TextDelta(text):
                            turn.parts.append(text)
                        case Usage():
                            turn.usage = item
                        case Finish():
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
        self.usage: Usage | None = None
        self.told = False
        self._position = position
        self._asked = {"model": model, "task": request.task, "request_sha256": request_digest(request)}
        self._began = datetime.now(UTC)

    def over(self, finish: Finish) -> Step:
        usage = asdict(self.usage) if self.usage else None
        result = {"text": "".join(self.parts), "usage": usage, "finish": finish.reason}
        return self._step(result, finish.request_id or None)

    def failed(self, failure: ProviderError) -> Step:
        told = {"code": failure.code, "content": failure.public}
        return self._step({"text": "".join(self.parts), "error": told}, None)

    def _step(self, result: Mapping[str, Any], request_id: str | None) -> Step:
        self.told = True
        payload = {**self._asked, "result": result}
        return Step(self._position, "model_turn", payload, self._began, request_id=request_id)


def request_digest(request: ModelRequest) -> str:
    """SHA-256 (hex) of all that is sent: the same for every worker that asks the same question of the same run."""
    messages = [[message.role, message.content] for message in request.messages]
    return digest_of([request.task, messages, request.max_tokens, request.temperature])


def _told_again(payload: Mapping[str, Any]) -> Iterator[StreamItem]:
    """What came of the turn, up to its failure if it failed."""
    result = payload["result"]
    if result["text"]:
        yield TextDelta(result["text"])
    if (error := result.get("error")) is not None:
        raise _FAILURES.get(error["code"], ProviderError)(error["content"])
    if result["usage"] is not None:
        yield Usage(**result["usage"])
    yield Finish(cast("Any", result["finish"]))
