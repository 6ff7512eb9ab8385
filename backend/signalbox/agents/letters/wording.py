"""Has a model word a text from facts, and keeps the template's text wherever the model cannot be trusted with it."""

import asyncio
from dataclasses import asdict, replace
from typing import Final, Literal

import structlog

from signalbox.agents.base import TurnContext
from signalbox.agents.letters.claims import texts_of, unsupported_claims
from signalbox.agents.telling import Told, facts_told
from signalbox.agents.turn import Facts
from signalbox.encoding import clean_json, clean_text
from signalbox.errors import PromptTooLong, ProviderError
from signalbox.events import Usage
from signalbox.llm.base import Judging, ModelRequest, read_whole
from signalbox.llm.prompts import load

logger = structlog.get_logger(__name__)

WORDING_S: Final = 45.0
# Facts under these keys are wishes: what a user wants to learn, or to have mentioned, is not what they know.
WISHES: Final = frozenset({"keen_to_learn", "not_known", "without", "question", "implied"})
# A word takes one to two tokens; the rest is for a salutation and for being told that it was too long.
TOKENS_A_WORD: Final = 2
TOKENS_BESIDE: Final = 120

# A server that gives no reason to finish, or one of its own, has finished all the same.
_UNFINISHED: Final = frozenset({"length", "content_filter", "tool_calls"})

Fault = Literal["cut short", "nothing said", "too long", "claims what no fact holds"]


async def worded(
    ctx: TurnContext, how: str, facts: Facts, template: str, *, most_words: int | None = None, agent: str = ""
) -> str:
    """``template`` as the model words it from ``facts``, by the prompt named ``how``; nothing is shown meanwhile.

    A text that is cut short, longer than ``most_words`` or claims what no fact holds (``unsupported_claims``) is asked
    for once more, of the strong model. It is the template unchanged if that is no better, or if the model takes no
    instructions, fails or does not finish in time. Never raises for a provider's failure.
    """
    if not ctx.model.instructable:
        return template
    try:
        request = await _request(ctx, how, facts, template, most_words, agent)
        async with asyncio.timeout(WORDING_S):
            text, fault = await _tried(ctx, request, facts, most_words)
            if fault is not None:
                again = replace(request, tier="strong", about={**request.about, "again": fault})
                text, fault = await _tried(ctx, again, facts, most_words)
    except (ProviderError, TimeoutError, PromptTooLong) as exc:
        logger.warning("wording_failed", error=type(exc).__name__)
        return template
    return template if fault is not None else text


async def _request(
    ctx: TurnContext, how: str, facts: Facts, template: str, most_words: int | None, agent: str
) -> ModelRequest:
    rules, special = (load(name).pinned(ctx.pinned) for name in ("letters", how))
    budget = await ctx.budget.settled()
    output = budget.output
    if most_words is not None:
        output = min(output, most_words * TOKENS_A_WORD + TOKENS_BESIDE)
    count = ctx.budget.count(budget)
    static = f"{rules.text}\n\n{special.text}"
    asked: Told = await asyncio.to_thread(facts_told, static, "Write it.", facts, budget, output, count)
    return ModelRequest(
        task="write",
        messages=asked.messages,
        draft=template,
        max_tokens=output,
        agent=agent,
        prompts=(rules.ref, special.ref),
        about=asked.fitted.about(),
    )


async def _tried(
    ctx: TurnContext, request: ModelRequest, facts: Facts, most_words: int | None
) -> tuple[str, Fault | None]:
    """What the model wrote, and why it cannot be used."""
    reading = await read_whole(ctx.model, request)
    if reading.usage is not None:
        await ctx.budget.learn(request.messages, reading.usage)
        await ctx.emit(Usage(**asdict(reading.usage)))
    text = clean_text(reading.text).strip()
    fault = await _fault(text, reading.finish not in _UNFINISHED, facts, most_words)
    if isinstance(ctx.model, Judging):
        ctx.model.judged(request, kept=fault is None)
    if fault is not None:
        logger.info("wording_refused", why=fault, words=len(text.split()), tier=request.tier)
    return text, fault


async def _fault(text: str, finished: bool, facts: Facts, most_words: int | None) -> Fault | None:  # noqa: FBT001
    if not finished:
        return "cut short"
    if not text:
        return "nothing said"
    if most_words is not None and len(text.split()) > most_words:
        return "too long"
    claims = await asyncio.to_thread(unsupported_claims, text, texts_of(clean_json(facts), without=WISHES))
    return "claims what no fact holds" if claims else None
