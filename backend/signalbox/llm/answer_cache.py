"""Gives a user an answer again that a model gave them before, where the same is asked: letter by letter, or in words
that mean the same.

It decides what may be kept and what counts as the same; whether an answer is personal, its request says.
"""

import asyncio
import hashlib
import json
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from signalbox.errors import RunInterrupted
from signalbox.llm.base import (
    Attempt,
    Finish,
    Model,
    ModelRequest,
    Restart,
    StreamItem,
    TextDelta,
    ToolRequest,
    last_user_message,
)
from signalbox.llm.embedding import Embedder, Vectors
from signalbox.llm.kept_answers import CacheAwayError, Kept, KeptAnswers, Place
from signalbox.llm.offline import split_pieces
from signalbox.llm.weighty_words import weighty_words

# Measured: docs/models.md. Below it stand questions of the same words that ask for something else.
ALIKE: Final = 0.94
# The embedding sees about 1,200 characters; of two long texts it says little.
LONGEST_ALIKE: Final = 400
_PIECE_S: Final = 0.005


@dataclass(frozen=True, slots=True)
class _Question:
    place: Place
    vector: Vectors | None


class AnswerCache:
    """One a process. ``mode``: whether other words for the same get the answer, too. ``everything``: requests of the
    task "answer" count although they do not say that they are reusable.
    """

    def __init__(
        self,
        kept: KeptAnswers,
        embedder: Embedder,
        *,
        mode: Literal["off", "exact", "semantic"],
        everything: bool = False,
    ) -> None:
        self.kept = kept
        self.everything = everything
        self._embedder = embedder
        self._mode = mode

    def over(self, model: Model, prefix: str, here: str, plan: Mapping[str, Any]) -> Model:
        """``model`` with the answers that are kept under a user's ``prefix``, for use in the conversation ``here``.
        ``plan``: what else decides who answers.
        """
        if self._mode == "off" or not model.instructable:
            return model
        return CachedModel(model, self, prefix, _digest(here), plan)

    async def question(self, request: ModelRequest, prefix: str, asked: Mapping[str, Any]) -> _Question:
        """Raises ``RunInterrupted`` where the embedder is closed."""
        message = last_user_message(request)
        told = [asdict(each) for each in request.messages]
        sent: dict[str, Any] = {
            "messages": told,
            "task": request.task,
            "agent": request.agent,
            "tier": request.tier,
            "limits": [request.max_tokens, request.temperature],
            "prompts": [asdict(prompt) for prompt in request.prompts],
            **asked,
        }
        exact = _digest(sent)
        plain = _unfenced(message)
        words = weighty_words(plain) if self._mode == "semantic" and len(plain) <= LONGEST_ALIKE else ()
        if not words or request.messages[-1].role != "user":
            return _Question(Place(prefix, exact, exact), None)
        group = _digest({**sent, "messages": told[:-1], "words": words})
        return _Question(Place(prefix, group, exact), (await self._embedder.embed([plain]))[0])

    async def find(self, question: _Question, here: str) -> Kept | None:
        """None also where the answer was given last in the same conversation: who asks again there wants another.

        Raises ``CacheAwayError``.
        """
        place, name = question.place, question.place.name
        found = await self.kept.find(place)
        if found is None and (vector := question.vector) is not None:
            alike = {each: float(kept @ vector) for each, kept in (await self.kept.vectors(place)).items()}
            near = max(alike, key=alike.__getitem__, default=None)
            if near is not None and alike[near] >= ALIKE:
                name, found = near, await self.kept.find(place, near)
        if found is None or found.heard == here:
            return None
        await self.kept.heard(place, name, found.model_copy(update={"heard": here}))
        return found


class CachedModel:
    """A ``Model`` over another, for one user. An answer that is given again comes as text behind an ``Attempt`` with
    the outcome "cached", without ``Usage``: it costs nothing.

    Kept is what ended well: nothing that was cut, called a tool, came from a stand-in or from a model drawn by lot.
    """

    def __init__(self, model: Model, answers: AnswerCache, prefix: str, here: str, plan: Mapping[str, Any]) -> None:
        self.name = model.name
        self.instructable = model.instructable
        self._model = model
        self._answers = answers
        self._prefix = prefix
        self._here = here
        self._asked = {"model": model.name, "plan": dict(plan)}

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        """See ``Model``."""
        began = _now()
        question = await self._question(request)
        if question is not None and (kept := await self._found(question)) is not None:
            yield Attempt(1, kept.provider, kept.model, kept.tier, "cached", None, _now() - began)
            for piece in split_pieces(kept.text):
                yield TextDelta(piece)
                await asyncio.sleep(_PIECE_S)
            yield Finish("stop")
            return
        said = _Said()
        async with aclosing(self._model.stream(request)) as stream:
            async for item in stream:
                said.take(item)
                if isinstance(item, Finish) and question is not None and said.worth_keeping:
                    await self._keep(question, said)
                yield item

    async def close(self) -> None:
        await self._model.close()

    async def _question(self, request: ModelRequest) -> _Question | None:
        """None for what must not be kept."""
        asked = request.reusable or (self._answers.everything and request.task == "answer")
        if not asked or request.tools or any(message.tool_calls for message in request.messages):
            return None
        with suppress(RunInterrupted):  # truth: a closing process asks the model, which says so itself
            return await self._answers.question(request, self._prefix, self._asked)
        return None

    async def _found(self, question: _Question) -> Kept | None:
        with suppress(CacheAwayError):  # truth: said in the log; the model is asked
            return await self._answers.find(question, self._here)
        return None

    async def _keep(self, question: _Question, said: "_Said") -> None:
        by = said.by
        kept = Kept(
            text=said.text,
            provider=by.provider if by else "",
            model=by.model if by else self.name,
            tier=by.tier if by else "standard",
            heard=self._here,
        )
        with suppress(CacheAwayError):  # truth: said in the log; the answer stands all the same
            await self._answers.kept.keep(question.place, kept, question.vector)


class _Said:
    """What came of a question, as far as it matters for keeping it."""

    def __init__(self) -> None:
        self.by: Attempt | None = None
        self._parts: list[str] = []
        self._asked: set[tuple[str, str]] = set()
        self._finish = ""
        self._unfit = False

    @property
    def text(self) -> str:
        return "".join(self._parts)

    @property
    def worth_keeping(self) -> bool:
        whole = self._finish == "stop" and bool(self.text.strip())
        return whole and not self._unfit and len(self._asked) <= 1

    def take(self, item: StreamItem) -> None:
        match item:
            case TextDelta(text):
                self._parts.append(text)
            case Restart():
                self._parts.clear()
            case ToolRequest():
                self._unfit = True
            case Attempt():
                self.by = item
                self._asked.add((item.provider, item.model))
                self._unfit |= item.control
            case Finish(reason):
                self._finish = reason
            case _:
                pass


def _digest(value: Any) -> str:
    """SHA-256, its first half (hex)."""
    canonical = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:32]


def _unfenced(message: str) -> str:
    """The user's own words, without the tags that a prompt puts around them."""
    found = re.fullmatch(r"<(\w+)>\n(.*)\n</\1>", message, re.DOTALL)
    return found.group(2) if found else message


def _now() -> float:
    return asyncio.get_running_loop().time()
