"""What the conversation so far gives a letter: earlier letters, the requests for them, a pasted advert. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from signalbox.agents.letters.pasted import Pasted, pasted_in, tidied
from signalbox.agents.words.phrases import without_command
from signalbox.blocks import CoverLetter
from signalbox.memory.conversation import PastMessage

# An advert is pasted and then spoken of; after so many messages of one's own it is no longer "it".
_LOOK_BACK: Final = 6
_THE_AD = re.compile(
    r"\b(?:the|that|this|my) (?:[\w-]+ ){0,2}?(?:ad|advert\w*|posting|job description|jd|vacancy|listing|spec)\b|"
    r"\bi (?:just |have )?(?:pasted|posted|sent|gave|showed)\b|\bpasted\b",
    re.IGNORECASE,
)


def has_letter(past: PastMessage) -> bool:
    return any(block.get("type") == "cover_letter" for block in past.blocks)


def last_letter(history: Sequence[PastMessage]) -> CoverLetter | None:
    """The newest letter of the conversation, if it is still at hand."""
    for past in reversed(history):
        for block in reversed(past.blocks):
            if block.get("type") == "cover_letter":
                return CoverLetter.model_validate(block)
    return None


def letters_asked(history: Sequence[PastMessage]) -> list[tuple[str, Sequence[PastMessage]]]:
    """The requests for letters so far, newest first, each with what lay before it."""
    asked = []
    for place, past in enumerate(history):
        answer = history[place + 1] if place + 1 < len(history) else None
        written = answer is not None and answer.role == "assistant" and answer.agent == "cover_letter"
        if past.role == "user" and (past.intent == "cover_letter" or written):
            asked.append((without_command(past.content), history[:place]))
    return asked[::-1]


def advert_before(message: str, history: Sequence[PastMessage]) -> Pasted | None:
    """The posting that an earlier message was pasted with. A list of postings shown since then hides it, unless
    ``message`` speaks of an advert.
    """
    spoken_of = _THE_AD.search(message) is not None
    own = 0
    for past in reversed(history):
        if past.role == "user":
            own += 1
            pasted = pasted_in(tidied(without_command(past.content)))
            if pasted.posting:
                return pasted
        elif not spoken_of and any(block.get("type") == "jobs_data" for block in past.blocks):
            return None
        if own == _LOOK_BACK:
            return None
    return None
