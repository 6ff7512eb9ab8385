"""The text of an HTML fragment, with line breaks where the page would have them. Pure, and linear whatever comes."""

import html
import re
from typing import Final

# Twice what a posting may hold: the rest of a longer fragment is markup or not a posting.
MAX_HTML: Final = 120_000
MAX_TEXT: Final = 40_000

_BREAKS: Final = frozenset(
    {"p", "br", "div", "ul", "ol", "tr", "table", "h1", "h2", "h3", "h4", "h5", "h6", "section", "hr"}
)
_SILENT: Final = frozenset({"script", "style", "head", "template", "noscript", "iframe", "svg"})
_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9]*")
_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]+")
_GAPS = re.compile(r"\n{3,}")


def text_of(fragment: str) -> str:
    """Tags gone, entities read, script and style left out; a list item starts with a dash. Never markup again."""
    pieces: list[str] = []
    source = fragment[:MAX_HTML]
    at = 0
    while (start := source.find("<", at)) >= 0:
        pieces.append(html.unescape(source[at:start]))
        at = _after_tag(source, start, pieces)
    pieces.append(html.unescape(source[at:]))
    return plain_text("".join(pieces))


def plain_text(text: str) -> str:
    """Text in tidy lines, at a length and in characters that can be stored."""
    storable = _CONTROLS.sub(" ", text[:MAX_HTML].replace("\r", "\n")).encode("utf-8", "replace").decode("utf-8")
    lines = [" ".join(line.split()) for line in storable.split("\n")]
    return _GAPS.sub("\n\n", "\n".join(lines)).strip()[:MAX_TEXT]


def unescaped_text_of(fragment: str) -> str:
    """For boards that send their HTML escaped as text (``&lt;p&gt;``)."""
    return text_of(html.unescape(fragment[:MAX_HTML]))


def _after_tag(source: str, start: int, pieces: list[str]) -> int:
    """Reads what begins with ``<`` and returns where the text goes on; every search moves ahead or ends the scan."""
    following = source[start + 1 : start + 2]
    if source.startswith("<!--", start):
        return _past(source, "-->", start + 4)
    if not following or not (following.isalpha() or following in "/!?"):
        pieces.append("<")
        return start + 1
    end = source.find(">", start)
    if end < 0:
        return len(source)  # a tag that was cut off
    closing = following == "/"
    match = _NAME.match(source, start + (2 if closing else 1))
    name = match.group().lower() if match else ""
    if name == "li":
        pieces.append("" if closing else "\n- ")
    elif name in _BREAKS:
        pieces.append("\n")
    elif name in {"td", "th"}:
        pieces.append(" ")
    if name in _SILENT and not closing and source[end - 1] != "/":
        return _past(source, f"</{name}", end)
    return end + 1


def _past(source: str, mark: str, at: int) -> int:
    """Behind ``mark``, in small or capital letters, or the end if it never comes."""
    found = [where for spelling in {mark, mark.upper()} if (where := source.find(spelling, at)) >= 0]
    if not found:
        return len(source)
    end = min(found) + len(mark)
    if mark == "-->":
        return end
    closed = source.find(">", end)
    return closed + 1 if closed >= 0 else len(source)
