"""Plain text as blocks, and the bytes of a text file as text."""

import codecs
import re

from signalbox.retrieval.documents.blocks import Block, ParsedDocument, Refusal, clean

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_GAP = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_ITEM = re.compile(r"[ \t]*(?:[-*•‣▪–]|\d{1,3}[.)])[ \t]+\S")


def decoded(data: bytes) -> str | Refusal:
    """UTF-8, any BOM, or else Windows-1252, which every byte of older files is. Zero bytes mean it is no text."""
    named = next((name for bom, name in _BOMS if data.startswith(bom)), None)
    if named is None and b"\x00" in data:
        return Refusal("it is not text (it has zero bytes); if it is UTF-16, save it as UTF-8")
    try:
        return data.decode(named or "utf-8")
    except UnicodeDecodeError:
        if named:
            return Refusal(f"it says it is {named.removesuffix('-sig').upper()}, but it is not")
        return data.decode("cp1252", "replace")


def read_text(text: str) -> ParsedDocument:
    """Paragraphs end at empty lines; a line that starts with a bullet or a number is an item."""
    return ParsedDocument(tuple(text_blocks(clean(text))))


def text_blocks(text: str) -> list[Block]:
    blocks: list[Block] = []
    for part in _GAP.split(text):
        lines: list[str] = []
        for line in part.split("\n"):
            if _ITEM.match(line) and lines:
                blocks.append(_block(lines))
                lines = []
            if line.strip():
                lines.append(line)
        if lines:
            blocks.append(_block(lines))
    return blocks


def _block(lines: list[str]) -> Block:
    text = " ".join(" ".join(lines).split())
    return Block("item" if _ITEM.match(lines[0]) else "paragraph", text)
