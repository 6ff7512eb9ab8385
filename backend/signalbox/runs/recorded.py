"""A model whose turns are steps: one that was recorded is told again without asking anybody."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any, cast

from signalbox.errors import ProviderError, ProviderTimeout
from signalbox.llm.base import (
    Attempt,
    ChatMessage,
    Finish,
    Model,
    ModelRequest,
    StreamItem,
    TextDelta,
    ToolRequest,
    Usage,
)
from signalbox.runs.books import Account, Heard, spent_on
from signalbox.runs.journal import RunJournal
from signalbox.runs.steps import Step
from signalbox.tools.calling import digest_of


class RecordedModel:
    """A ``Model`` over another. A turn that failed, or was given up by whoever asked, is a step, too.

    What a turn cost is written with its step. One that was given up, or whose step was refused, may never be recorded:
    its run is being cancelled, or goes on elsewhere and asks again. What that cost goes into the books by itself, in
    ``account``, under a place of its own.
    """

    def __init__(self, model: Model, journal: RunJournal, account: Account | None = None) -> None:
        self.name = model.name
        self.instructable = model.instructable
        self._model = model
        self._journal = journal
        self._account = account
        self._asked: dict[str, str] = {}

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        # By what is asked, too: turns side by side must not get each other's answers.
        digest = request_digest(request)
        position = self._journal.position("model", request.task, digest[:8])
        self._asked[digest] = position
        known = self._journal.recorded(position)
        if known is not None:
            for item in _told_again(known.payload):
                yield item
            return
        await self._journal.before_speaking()
        turn = _Turn(position, self._model.name, request)

        def unheard(attempt: Attempt) -> None:
            turn.heard.take(attempt)
            self._meet(request, attempt)

        try:
            async with aclosing(self._model.stream(replace(request, unheard=unheard))) as stream:
                async for item in stream:
                    turn.heard.take(item)
                    if isinstance(item, Attempt):
                        self._meet(request, item)
                        continue
                    if isinstance(item, Finish):
                        await self._journal.commit(turn.over(item))
                    yield item
        except ProviderError as exc:
            await self._journal.commit(turn.failed(exc))
            raise
        except (asyncio.CancelledError, GeneratorExit):
            if not turn.told:
                # Whoever asked stopped listening (a time limit of theirs): so it goes in every attempt.
                self._journal.note(turn.failed(ProviderTimeout(), paid=self._account is None))
            raise
        finally:
            self._book(position, request, turn.heard.attempts)

    def _book(self, position: str, request: ModelRequest, attempts: Sequence[Attempt]) -> None:
        if self._account is None:
            return
        if self._journal.wrote(position):
            self._account.written(attempts)
        else:
            self._account.add(position, request, attempts)

    def _meet(self, request: ModelRequest, attempt: Attempt) -> None:
        if self._account is not None:
            self._account.met(request, attempt)

    def judged(self, request: ModelRequest, *, kept: bool) -> None:
        """See ``Judging``."""
        position = self._asked.get(request_digest(request))
        if position is not None and self._account is not None:
            self._account.judged(position, kept=kept)

    async def close(self) -> None:
        """The model is not ours."""


class _Turn:
    """One question to the model and what came of it so far."""

    def __init__(self, position: str, model: str, request: ModelRequest) -> None:
        self.heard = Heard()
        self.told = False
        self._position = position
        self._request = request
        self._asked: dict[str, Any] = {
            "model": model,
            "task": request.task,
            "request_sha256": request_digest(request),
        } | _about(request)
        self._began = datetime.now(UTC)

    def over(self, finish: Finish) -> Step:
        usage = asdict(self.heard.usage) if self.heard.usage else None
        result: dict[str, Any] = {"text": self.heard.text, "usage": usage, "finish": finish.reason}
        if self.heard.calls:
            result["calls"] = [asdict(call) for call in self.heard.calls]
        return self._step(result, finish.request_id or None)

    def failed(self, failure: ProviderError, *, paid: bool = True) -> Step:
        """``paid``: what it cost is written with the step."""
        told = {"code": failure.code, "content": failure.public}
        return self._step({"text": self.heard.text, "error": told}, None, paid=paid)

    def _step(self, result: Mapping[str, Any], request_id: str | None, *, paid: bool = True) -> Step:
        self.told = True
        payload = {**self._asked, "result": result}
        if self.heard.attempts:
            payload["attempts"] = [asdict(attempt) for attempt in self.heard.attempts]
        spent = spent_on(self._request, self.heard.attempts) if paid else ()
        return Step(self._position, "model_turn", payload, self._began, request_id=request_id, spent=spent)


def request_digest(request: ModelRequest) -> str:
    """SHA-256 (hex) of all that is sent: the same for every worker that asks the same question of the same run."""
    messages = [_sent(message) for message in request.messages]
    asked: list[Any] = [request.task, messages, request.max_tokens, request.temperature]
    if request.tools or request.tier:
        asked += [[asdict(tool) for tool in request.tools], request.tier]
    return digest_of(asked)


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


def _failures(root: type[ProviderError] = ProviderError) -> dict[str, type[ProviderError]]:
    """Every kind of failure by its code."""
    found = {root.code: root}
    for kind in root.__subclasses__():
        found |= _failures(kind)
    return found


def _told_again(payload: Mapping[str, Any]) -> Iterator[StreamItem]:
    """What came of the turn, up to its failure if it failed."""
    result = payload["result"]
    if result["text"]:
        yield TextDelta(result["text"])
    if (error := result.get("error")) is not None:
        raise _failures().get(error["code"], ProviderError)(error["content"])
    for call in result.get("calls", ()):
        yield ToolRequest(**call)
    if result["usage"] is not None:
        yield Usage(**result["usage"])
    yield Finish(cast("Any", result["finish"]))
