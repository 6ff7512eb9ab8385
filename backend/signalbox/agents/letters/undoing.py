"""Which version of a letter or an e-mail "undo that" leads back to, and what of the conversation still stands. Pure."""

import re
from collections.abc import Sequence
from typing import Final, Literal

from signalbox.memory.conversation import PastMessage
from signalbox.memory.forgetting import wants_undone

_MOST_WORDS: Final = 14
_LONGEST: Final = 200
_VERSION: Final = r"(?:version|letter|draft|text|wording|e-?mail)"
_BEFORE: Final = (
    rf"(?:(?:last|previous|earlier|old|older|original|first|prior)\s+{_VERSION}"
    r"|(?:previous|earlier|old|older|original)\s+one)"
)
# Behind the version stands nothing else that is to be done: "my old e-mail address" and "the last letter formal" are
# requests of their own.
_END: Final = (
    r"(?=(?:\s+(?:of (?:it|(?:the|my|that|this|your) (?:letter|e-?mail|text|draft))|you (?:wrote|made|sent)))?"
    r"(?:,?\s+(?:again|please|pls|instead|back|now|then|better|more|best|though|thanks|thank you))*"
    r"(?:[ ,.;:–—-]*(?:because |since |as )?(?:it|that|this|which)(?: one)? (?:was|is|sounded|read)\b[^.?!]{0,60})?"
    r"\W*$)"
)
_BACK = re.compile(
    r"(?<!n't )(?<!not )(?<!dont )(?<!didnt )(?<!never )"
    r"\b(?!(?:use|keep|take) my \w+ e-?mail\b)"
    rf"(?:back to|return to|revert to|restore|use|keep|take|give me|show me|bring back|prefer(?:red)?|lik(?:e|ed))\s+"
    rf"(?:me\s+)?(?:again\s+)?(?:the|my|that|your)\s+{_BEFORE}\b{_END}"
    rf"|\b(?:the|that)\s+{_BEFORE}\s+(?:was|is)\s+(?:much |far |a lot )?"
    rf"(?:(?:better|nicer)\b|(?:fine|good)\b{_END})"
    rf"|^\W*(?:the\s+)?{_BEFORE}(?:\s+(?:again|please|instead|back))*\W*$"
    r"|\b(?:change|put|turn|switch|make)\s+it\s+back\b"
    rf"(?: (?:to )?(?:how|what|the way|as|like) it was| (?:to|as|like) (?=before\b)| to normal)?(?: before)?{_END}"
    rf"|\b(?:back to|as|like|how) it was\b(?: before)?{_END}"
    # "A letter like before" is a new one.
    r"|(?:\b(?:it|this|that|them|everything)|\b(?:want|have|leave|keep) (?:the|my) (?:letter|text|draft|e-?mail)|^\W*)"
    r"(?: (?:is|was|be|just|exactly|back))* ?(?<!same )\b(?:as|like) before(?: please)?\W*$"
    r"|(?<!n't )(?<!not )(?<!dont )\bundo (?:the|that|this|my|your) (?:last )?(?:change|edit)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^\W*(?:do you (?:think|believe)|don't you think|why|which|what(?! about| if)|whether|was|did|"
    r"tell me (?:if|why|whether))\b",
    re.IGNORECASE,
)
_ORIGINAL = re.compile(r"\b(?:original|first|very first)\b", re.IGNORECASE)
_CHANGES: Final = frozenset({"cover_letter", "email_draft", "profile_updated", "application_status"})
Kind = Literal["cover_letter", "email_draft"]


def wants_back(message: str) -> bool:
    """Whether what stood before is to stand again: "undo that", "the previous version was better"."""
    words = message.replace("’", "'").split()
    said = " ".join(words)
    if len(words) > _MOST_WORDS or len(said) > _LONGEST:
        return False
    return wants_undone(message) or (_BACK.search(said) is not None and not _ASKS.match(said))


def changed_last(history: Sequence[PastMessage]) -> tuple[str, str]:
    """What the conversation changed last, by the type of its block, and the agent that did; twice "" where it changed
    nothing.
    """
    for past in reversed(history):
        for block in reversed(past.blocks):
            kind = str(block.get("type"))
            if kind in _CHANGES and (kind != "application_status" or block.get("changed")):
                return kind, past.agent or ""
    return "", ""


def takes_back(message: str, history: Sequence[PastMessage], kind: str, agent: str) -> bool:
    """Whether ``message`` takes back what ``agent`` changed last, a block of that ``kind``."""
    if not wants_back(message) or changed_last(history) != (kind, agent):
        return False
    last = next((past for past in reversed(history) if past.role == "assistant"), None)
    # After other answers "the previous one" may be anything.
    return wants_undone(message) or (last is not None and last.agent == agent)


def standing(history: Sequence[PastMessage], kind: Kind) -> tuple[PastMessage, ...]:
    """The conversation without the versions that were taken back, and without what was said to make them and to take
    them back.
    """
    left: list[PastMessage] = []
    for past in history:
        if past.role != "assistant" or not _has(past, kind) or not left or not _took_back(left, past, kind):
            left.append(past)
            continue
        message = left.pop().content
        for at in _taken(left, kind, message):
            del left[at - 1 if at and left[at - 1].role == "user" else at : at + 1]
    return tuple(left)


def version_before(message: str, history: Sequence[PastMessage], kind: Kind) -> dict[str, object] | None:
    """The version, as its block, that ``message`` leads back to from the newest in ``history``, of which nothing is
    taken back; None: that one is the first.
    """
    kept = list(history)
    for at in _taken(kept, kind, message):
        del kept[at]
    return (
        next((_of(past, kind)[-1] for past in reversed(kept) if _has(past, kind)), None)
        if kept != list(history)
        else None
    )


def _took_back(left: Sequence[PastMessage], past: PastMessage, kind: Kind) -> bool:
    """Whether ``past`` shows an earlier version again: to what merely sounds like an undo, a letter may have been
    written, and that one stands.
    """
    *before, asked = left
    if asked.role != "user" or not wants_back(asked.content):
        return False
    block = version_before(asked.content, before, kind)
    return block is not None and block.get("body") == _of(past, kind)[-1].get("body")


def _taken(history: Sequence[PastMessage], kind: Kind, message: str) -> list[int]:
    """Where the versions stand that go, the last one first; the first of all stays."""
    places = [n for n, past in enumerate(history) if past.role == "assistant" and _has(past, kind)]
    first = _ORIGINAL.search(message) is not None and re.search(r"\blast\b", message, re.IGNORECASE) is None
    return places[:0:-1] if first else places[:0:-1][:1]


def _has(past: PastMessage, kind: Kind) -> bool:
    return bool(_of(past, kind))


def _of(past: PastMessage, kind: Kind) -> list[dict[str, object]]:
    return [block for block in past.blocks if block.get("type") == kind]
