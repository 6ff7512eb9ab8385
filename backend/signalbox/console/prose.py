"""Running text for a terminal while it streams: enough Markdown to read well, nothing that needs the whole text."""

import re
from collections.abc import Iterator
from typing import Final

_LINE_MARK: Final = re.compile(r"(#{1,6}) +|[-*] +")
_FENCE: Final = re.compile(r"```[^\n]*\n")
# What may still become one of the two above when more text comes.
_UNDECIDED: Final = re.compile(r"#{1,6} *|[-*] *|`{1,2}|```[^\n]*")
_INLINE: Final = re.compile(r"\n|\*\*|`")
_CODE_INLINE: Final = re.compile(r"\n")


class Prose:
    """Headings, bullets, bold and code. One per message.

    ``feed`` gives (text, style) pairs and holds back only what may still become a mark; ``end`` gives the rest.
    """

    def __init__(self) -> None:
        self._held = ""
        self._line_start = True
        self._fence = self._heading = self._bold = self._code = False

    def feed(self, piece: str) -> Iterator[tuple[str, str]]:
        self._held += piece
        while self._held and not self._undecided():
            yield from self._take()

    def end(self) -> Iterator[tuple[str, str]]:
        while self._held:
            yield from self._take(last=True)

    def _undecided(self) -> bool:
        if self._line_start and _UNDECIDED.fullmatch(self._held):
            return True
        return self._held == "*" and not self._fence

    def _take(self, *, last: bool = False) -> Iterator[tuple[str, str]]:
        if self._line_start:
            if (fence := _FENCE.match(self._held)) is not None:
                self._fence = not self._fence
                self._held = self._held[fence.end() :]
                return
            self._line_start = False
            if not self._fence and (mark := _LINE_MARK.match(self._held)) is not None:
                self._held = self._held[mark.end() :]
                self._heading = mark[1] is not None
                if not self._heading:
                    yield "• ", ""
        mark = (_CODE_INLINE if self._fence else _INLINE).search(self._held)
        text = self._held[: mark.start()] if mark else self._held
        if mark is None and text.endswith("*") and not (last or self._fence):
            text = text[:-1]  # half of a "**", perhaps
        self._held = self._held[mark.end() if mark else len(text) :]
        if text:
            yield text, self._style
        if mark is not None:
            yield from self._turn(mark[0])

    def _turn(self, mark: str) -> Iterator[tuple[str, str]]:
        if mark == "**":
            self._bold = not self._bold
        elif mark == "`":
            self._code = not self._code
        else:
            # What was not closed ends with its line: a stray mark must not style the rest of the answer.
            self._line_start, self._heading, self._bold, self._code = True, False, False, False
            yield "\n", ""

    @property
    def _style(self) -> str:
        return " ".join(
            name for name, on in (("bold", self._bold or self._heading), ("cyan", self._code or self._fence)) if on
        )
