"""The model of a server without a key: it streams the draft the agent composed from facts, and adds nothing."""

import asyncio
import re
from collections.abc import AsyncGenerator, Iterator
from typing import Final

from signalbox.encoding import clean_text
from signalbox.llm.base import Finish, ModelRequest, StreamItem, TextDelta, Usage

_WORDS_A_PIECE: Final = 3
# What a reader's Markdown renderer must get in one piece, then words, each with the blank space behind it. The bounds
# keep an unclosed bracket or backtick from being searched for to the end of the text.
_ATOM = re.compile(
    r"""
    (?P<mark>  ^[ \t]*(?:[-*+]|\d{1,3}[.)]|\#{1,6}|>)[ \t]+(?:\[[ xX]\][ \t]+)? )   # list, heading, quote, task
  | (?P<fence> ^[ \t]*(?:`{3,}|~{3,})[^\n]*(?:\n|\Z) )
  | (?P<word>
        (?:
            !?\[[^\]\n]{0,300}\]\([^)\n]{0,2000}\)[^\s\[`]*      # link or image, with the punctuation behind it
          | `[^`\n]{1,300}`[^\s\[`]*                             # code
          | [\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{1,6}[。、！？，]?  # scripts without blanks between words
          | [^\s\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+?(?=[\s\[`\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|!\[|\Z)
          | \S
        )
        [^\S\n]*\n*
    )
  | (?P<blank> \s+ )
    """,
    re.VERBOSE | re.MULTILINE,
)
_SENTENCE_END = re.compile(r"[.!?:;…。！？][\"')\]*_”’]*\s*\Z")


class OfflineModel:
    """A ``Model`` that streams ``request.draft``, ``delay_s`` seconds a piece.

    The deltas joined are the draft, character by character; an empty draft gives no delta. Usage is zero.
    """

    name = "offline"
    instructable = False

    def __init__(self, delay_s: float = 0.015) -> None:
        self._delay_s = delay_s

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        for piece in split_pieces(clean_text(request.draft)):
            yield TextDelta(piece)
            await asyncio.sleep(self._delay_s)
        yield Usage(self.name, 0, 0, 0, estimated=False)
        yield Finish("stop")

    async def close(self) -> None:
        """Holds nothing."""


def split_pieces(text: str) -> Iterator[str]:
    """``text`` in pieces of a few words that end where a sentence or line does; no Markdown token is split."""
    piece, words = "", 0
    for atom in _ATOM.finditer(text):
        piece += atom.group()
        words += atom.lastgroup == "word"
        whole = atom.lastgroup in {"word", "fence"}
        if whole and (words >= _WORDS_A_PIECE or piece.endswith("\n") or _SENTENCE_END.search(atom.group())):
            yield piece
            piece, words = "", 0
    if piece:
        yield piece
