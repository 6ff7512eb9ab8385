"""The paragraphs of a Word document: headers, tables and text boxes too. Run as a program: see ``resume_child``."""

import io
import zipfile
from collections.abc import Iterator
from typing import Any, Final

import docx
from docx.document import Document

from signalbox.memory.resume.child import Answer, run_child

MAX_PARTS: Final = 2_000
MAX_UNPACKED: Final = 60_000_000
MAX_PARAGRAPHS: Final = 5_000
MAX_CHARS: Final = 200_000
# XML deflates well, but not by this much.
_MOST_RATIO: Final = 150
_RATIO_MATTERS_FROM: Final = 2_000_000
_LEAST_PHOTO_BYTES: Final = 5_000

_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
# Text of these is another paragraph's, no text at all, or was deleted.
_SKIPPED: Final = frozenset(
    {f"{_W}{name}" for name in ("txbxContent", "del", "instrText", "delText", "pPr")} | {_FALLBACK}
)


def read(data: bytes) -> Answer:
    if fault := _fault(data):
        return {"fault": fault}
    document = docx.Document(io.BytesIO(data))
    rows = list(_rows(document))
    if not any(row["text"] for row in rows):
        return {"fault": "scanned" if _has_picture(document, 0) else "empty"}
    return {"rows": rows, "pages": None, "photo": _has_picture(document, _LEAST_PHOTO_BYTES)}


def _fault(data: bytes) -> str | None:
    """What must be known before anything is unpacked or parsed."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
        if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > MAX_UNPACKED:
            return "bomb"
        for part in parts:
            if part.file_size > _RATIO_MATTERS_FROM and part.file_size > _MOST_RATIO * max(part.compress_size, 1):
                return "bomb"
            if part.flag_bits & 0x1:
                return "encrypted"
        for part in parts:
            # The format allows no document type declaration, so whoever sends one wants entities expanded.
            if part.filename.endswith((".xml", ".rels")) and _declares_entities(archive.read(part)):
                return "bomb"
    return None


def _declares_entities(xml: bytes) -> bool:
    bare = xml.replace(b"\x00", b"")  # UTF-16, either way round
    return b"<!DOCTYPE" in bare or b"<!ENTITY" in bare


def _rows(document: Document) -> Iterator[dict[str, Any]]:
    count = chars = 0
    names = {style.style_id: (style.name or "") for style in document.styles}
    header = document.sections[0].header if len(document.sections) else None
    trees = [header._element] if header is not None and not header.is_linked_to_previous else []  # noqa: SLF001
    for tree in [*trees, document.element.body]:
        for paragraph in tree.iter(f"{_W}p"):
            if any(parent.tag == _FALLBACK for parent in paragraph.iterancestors()):
                continue
            text = "".join(_text(paragraph))
            count, chars = count + 1, chars + len(text)
            if count > MAX_PARAGRAPHS or chars > MAX_CHARS:
                return
            style = names.get(_value(paragraph, "pStyle"), "").casefold()
            listed = style.startswith("list") or paragraph.find(f"{_W}pPr/{_W}numPr") is not None
            yield {"text": text.strip(), "level": _level(style), "bullet": listed}


def _text(element: Any) -> Iterator[str]:
    for child in element:
        if child.tag in _SKIPPED:
            continue
        if child.tag == f"{_W}t":
            yield child.text or ""
        elif child.tag == f"{_W}tab":
            yield "\t"
        elif child.tag in {f"{_W}br", f"{_W}cr"}:
            yield "\n"
        else:
            yield from _text(child)


def _value(paragraph: Any, name: str) -> str:
    found = paragraph.find(f"{_W}pPr/{_W}{name}")
    return found.get(f"{_W}val", "") if found is not None else ""


def _level(style: str) -> int:
    """1 to 6 for "heading 1" to "heading 6", else -1: Word's titles and plain paragraphs may be anything."""
    digits = style.removeprefix("heading ")
    return min(int(digits), 6) if style.startswith("heading ") and digits.isdecimal() and digits != "0" else -1


def _has_picture(document: Document, least: int) -> bool:
    """A picture in the text; the thumbnail that some programs add is none."""
    parts = document.part.package.iter_parts()
    pictures = (part for part in parts if part.content_type.startswith("image/") and "/media/" in part.partname)
    return any(len(picture.blob) >= least for picture in pictures)


if __name__ == "__main__":
    run_child(read)
