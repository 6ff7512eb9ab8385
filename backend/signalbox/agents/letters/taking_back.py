"""Takes back the last change of an e-mail that was drafted: its earlier version is the draft again."""

from collections.abc import Sequence
from typing import Final

from signalbox.agents.base import TurnContext
from signalbox.agents.letters.dispatch import Offer, say
from signalbox.agents.letters.sending import SENT_TO, on_table
from signalbox.agents.letters.undoing import takes_back, version_before
from signalbox.agents.turn import Answer
from signalbox.agents.words.phrases import quick_replies
from signalbox.blocks import EmailDraft
from signalbox.envelope import Intent
from signalbox.memory.conversation import PastMessage

_BACK: Final = "Taken back: this is the draft as it was before. I changed nothing else."
_FIRST: Final = "This is the first version of the draft, so there is nothing to go back to. I changed nothing."
_GONE: Final = (
    "That e-mail has gone out, so it cannot be taken back. A second one can put right what it said: tell me what."
)


def takes_back_mail(agent: Intent, message: str, history: Sequence[PastMessage]) -> bool:
    """Whether ``message`` takes back a change of a draft of ``agent``."""
    return takes_back(message, history, "email_draft", agent)


async def taken_back(
    ctx: TurnContext, agent: Intent, message: str, history: Sequence[PastMessage], changes: Sequence[Offer]
) -> Answer:
    """``history`` is without what was taken back before."""
    table = on_table(history)
    if table is not None and any(SENT_TO in answer for answer in table.answers):
        return await say(ctx, agent, _GONE)
    block = version_before(message, history, "email_draft")
    if block is None:
        return await say(ctx, agent, _FIRST)
    await ctx.emit(EmailDraft.model_validate(block))
    answer = await say(ctx, agent, _BACK)
    if changes:
        await ctx.emit(quick_replies(ctx.message_id, "Go on?", list(changes)))
    return answer
