"""Agents of the chaos tests: one that does everything a turn can hold, one it hands over to, a short one, a poison."""

import asyncio
from contextlib import aclosing
from typing import Final

from chaos_points import points
from signalbox.tools.chaos_counting import CountAgain, CountForGood, CountOnce, Look, Number, Poison

from signalbox.agents.base import TurnContext
from signalbox.agents.turn import Answer, Facts, HandOver, Turn
from signalbox.blocks import EmailDraft, Suggestion, Suggestions
from signalbox.events import Chunk, Message, Usage
from signalbox.llm.base import ChatMessage, ModelRequest, TextDelta
from signalbox.llm.base import Usage as ModelUsage
from signalbox.tools.result import Ok

PLAN: Final = "First I look things up, then I count what has to be counted, and at last I say what came of it all. "
TOLD: Final = "Everything was looked up, and each thing was counted; here is a letter about it, and what to ask next."
SHORT_S: Final = 0.15


class Seen(Facts):
    seen: tuple[int, ...]


class Chaos:
    """``once`` in the message adds a non-idempotent effect, ``ask`` an irreversible one."""

    name = "chaos"
    label = "Chaos"
    when_to_use = "The user wants everything at once."
    examples = ("do it all", "everything at once please", "chaos now")
    instructions = "Do everything."

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        points.diary.write("begin", message_id=turn.message_id)
        wanted = turn.message.split()
        looked = await asyncio.gather(ctx.call(Look, Number(n=1)), ctx.call(Look, Number(n=2)))
        seen = [one.value["seen"] for one in looked if isinstance(one, Ok)]
        await ctx.call(CountAgain, Number(n=1))
        text = await self._said(turn, ctx, f"{PLAN}{seen} ")
        if "once" in wanted:
            await ctx.call(CountOnce, Number(n=2))
        if "ask" in wanted:
            await ctx.call(CountForGood, Number(n=3))
        await ctx.call(CountAgain, Number(n=4))
        text += await self._said(turn, ctx, TOLD)
        await ctx.emit(Message(message_id=ctx.message_id, agent=self.name, content=text))
        await ctx.emit(EmailDraft(subject="Counted", body=f"Seen: {seen}"))
        reply = Suggestion(id=f"s_{ctx.message_id}", label="Again", message="/chaos again")
        await ctx.emit(Suggestions(text="And now?", suggestions=(reply,)))
        return Answer(text=text, hand_over=HandOver(to="chaos_coda", reason="it is time to end"))

    async def _said(self, turn: Turn, ctx: TurnContext, draft: str) -> str:
        asked = (ChatMessage("system", self.instructions), ChatMessage("user", f"{turn.message} {draft}"))
        text = ""
        async with aclosing(ctx.model.stream(ModelRequest("answer", asked, draft))) as stream:
            async for item in stream:
                match item:
                    case TextDelta(piece):
                        text += piece
                        await ctx.emit(Chunk(message_id=ctx.message_id, agent=self.name, content=piece))
                    case ModelUsage():
                        await ctx.emit(Usage(model=item.model, input_tokens=0, cached_tokens=0, output_tokens=1))
        return text


class Coda:
    name = "chaos_coda"
    label = "Coda"
    when_to_use = "The user wants it to end."
    examples = ("end it", "bring it to an end", "the coda please")
    instructions = "End it."

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        looked = await ctx.call(Look, Number(n=5))
        seen = (looked.value["seen"],) if isinstance(looked, Ok) else ()
        answer = await ctx.reply(self, turn, Seen(seen=seen), "That is all there is to say, and so this ends well.")
        points.diary.write("end", message_id=turn.message_id)
        return answer


class Short:
    name = "chaos_short"
    label = "Short"
    when_to_use = "The user wants a short answer."
    examples = ("be short", "a short answer", "just a word")
    instructions = "Be short."

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        user = ctx.owner.user_id
        points.diary.write("begin", message_id=turn.message_id, user=user)
        while not points.diary.path.with_name("open").exists():  # noqa: ASYNC110 - the test is another process
            await asyncio.sleep(0.01)
        await asyncio.sleep(SHORT_S)
        answer = await ctx.reply(self, turn, Seen(seen=()), "Short.")
        points.diary.write("end", message_id=turn.message_id, user=user)
        return answer


class Deadly:
    name = "chaos_poison"
    label = "Poison"
    when_to_use = "The user wants the process dead."
    examples = ("poison it", "take the poison", "drop dead now")
    instructions = "Die."

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        survived = await ctx.call(Poison, Number(n=1))
        return await ctx.reply(self, turn, Seen(seen=()), f"Alive: {isinstance(survived, Ok)}.")
