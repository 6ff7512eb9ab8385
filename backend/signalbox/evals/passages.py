"""An answer as plain sentences: links and markup undone, quotations taken out, rows of tables read with their headings.

What is quoted, somebody else says: a guide, a CV, the message of the user.
"""

import re
from collections.abc import Iterator
from typing import Final

_LINK: Final = re.compile(r"!?\[([^\[\]\n]{0,300})\]\([^()\n]{0,2000}\)")
_QUOTED: Final = re.compile(
    r"```.{0,20000}?```|“[^”\n]{0,600}”|(?<!\w)\"[^\"\n]{0,300}\"|^[ \t]*>.*$|`[^`\n]{0,300}`", re.MULTILINE | re.DOTALL
)
_MARKUP: Final = re.compile(r"\*{1,3}|^#{1,6}[ \t]+|^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+", re.MULTILINE)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])[\"')\]]{0,3}\s+(?=[^a-z\s])|(?<=[!?])\s+|\n+")
_RULE_OF_TABLE: Final = re.compile(r"[|:\-\s]+")
# A letter is the user's own words to somebody else.
_DRAFT: Final = re.compile(r"\b(?:draft|letter|e-?mail|message|note|version)\b[^:\n]{0,80}:\s*$", re.IGNORECASE)
_GREETING: Final = re.compile(r"\s*(?:dear|hello|hi|good (?:morning|afternoon))\b[^.!?]{0,60},?\s*$", re.IGNORECASE)
_FAREWELL: Final = re.compile(
    r"\s*(?:(?:kind|best|warm) regards|regards|sincerely|yours|best|thanks|cheers)\b", re.IGNORECASE
)
_LONGEST: Final = 1_500


def sentences_of(text: str) -> list[str]:
    """Plain sentences, list items and rows of tables, in their order, without what they quote."""
    bare = _QUOTED.sub("“…”", _LINK.sub(r"\1", text))
    bare = "\n".join(_lines(_MARKUP.sub("", bare)))
    return [" ".join(each.split())[:_LONGEST] for each in _SENTENCE_END.split(bare) if each.strip()]


def _lines(text: str) -> Iterator[str]:
    """Each row of a table as ``first cell; heading: cell; ...``, other lines as they are; no drafted letter."""
    headings: list[str] = []
    drafted = False
    before = ""
    for line in text.splitlines():
        if _GREETING.match(line) and _DRAFT.search(before):
            drafted = True
        before = line if line.strip() else before
        if drafted:
            drafted = not _FAREWELL.match(line)
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.lstrip().startswith("|") or len(cells) < 2:
            headings = []
            yield line
        elif not headings:
            headings = cells
        elif not _RULE_OF_TABLE.fullmatch(line):
            yield "; ".join([cells[0], *map(": ".join, zip(headings[1:], cells[1:], strict=False))])
