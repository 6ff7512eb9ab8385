"""PDF as blocks. The file is read by a process of its own, with bounds on time and memory: a PDF is a program,
and a damaged or hostile one can loop or swell.

Run as a module it is that process: a PDF on standard input, what it holds as JSON on standard output.
"""

import contextlib
import io
import json
import logging
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from signalbox.retrieval.documents.blocks import (
    Block,
    ParsedDocument,
    Refusal,
    clean,
    one_line,
    stated_date,
    stated_title,
    stated_topics,
)
from signalbox.retrieval.documents.text import text_blocks

TIMEOUT_S: Final = 60
MAX_MEMORY: Final = 2 << 30
MAX_PAGES: Final = 2_000
_HYPHEN = re.compile(r"(?<=[a-z])-\n(?=[a-z])")
_NUMBER = re.compile(r"\d+")
# A line this much shorter than the page's width, with a full stop, ends a paragraph.
_SHORT = 0.75


def read_pdf(data: bytes) -> ParsedDocument | Refusal:
    """Text by page; its outline, if it has one, makes the headings, else its pages do. Blocks for at most a minute."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "signalbox.retrieval.documents.pdf"],
            input=data,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Refusal(f"the PDF could not be read within {TIMEOUT_S} seconds")
    if done.returncode:
        return Refusal("the PDF is damaged, or needs too much memory to read")
    found: dict[str, Any] = json.loads(done.stdout)
    if found.get("refused"):
        return Refusal(found["refused"])
    pages = _without_margins([clean(page) for page in found["pages"]])
    if not any(page.strip() for page in pages):
        return Refusal("the PDF has no text in it (a scan?); run it through text recognition first")
    return ParsedDocument(
        blocks=tuple(_blocks(pages, found["outline"])),
        title=stated_title(found["title"]),
        published_on=stated_date(found["date"]),
        topics=stated_topics((found["keywords"],)),
    )


def _blocks(pages: list[str], outline: list[list[Any]]) -> list[Block]:
    blocks: list[Block] = []
    for number, page in enumerate(pages):
        if not outline and len(pages) > 1:
            blocks.append(Block("heading", f"Page {number + 1}", level=2))
        starts = [(int(level), one_line(title)) for level, title, at in outline if at == number]
        rest = page
        for level, title in starts:
            before, rest = _cut_at(rest, title)
            blocks.extend(text_blocks(_paragraphs(before)))
            blocks.append(Block("heading", title, level=min(level + 1, 6)))
        blocks.extend(text_blocks(_paragraphs(rest)))
    return blocks


def _cut_at(page: str, title: str) -> tuple[str, str]:
    """Before and after the line that is the title; a title that is not found stands at the page's top."""
    words = r"\s+".join(map(re.escape, title.split()))
    match = re.search(rf"^[ \t]*(?:[\d.]+[ \t]+)?{words}[ \t]*$", page, re.MULTILINE | re.IGNORECASE) if words else None
    return (page[: match.start()], page[match.end() :]) if match else ("", page)


def _paragraphs(page: str) -> str:
    """With an empty line where a paragraph ends, and words joined that the line's end cut."""
    lines = _HYPHEN.sub("", page).split("\n")
    width = max((len(line) for line in lines), default=0)
    ended = (
        line + "\n" if line.rstrip().endswith((".", ":", "?", "!")) and len(line) < width * _SHORT else line
        for line in lines
    )
    return "\n".join(ended)


def _without_margins(pages: list[str]) -> list[str]:
    """Without the running titles and page numbers that stand first or last on most pages."""
    if len(pages) < 3:
        return pages
    split = [[line for line in page.split("\n") if line.strip()] for page in pages]
    edges = Counter(_NUMBER.sub("#", line.strip()) for lines in split for line in {*lines[:1], *lines[-1:]})
    running = {line for line, times in edges.items() if times > len(pages) / 2}
    return ["\n".join(_inner(page.split("\n"), running)) for page in pages]


def _inner(lines: list[str], running: set[str]) -> list[str]:
    kept = list(lines)
    for end in (0, -1):
        while kept and (not kept[end].strip() or _NUMBER.sub("#", kept[end].strip()) in running):
            kept.pop(end)
    return kept


def _extract(data: bytes) -> dict[str, Any]:
    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        return {"refused": "the PDF is encrypted; save a copy without a password"}
    if len(reader.pages) > MAX_PAGES:
        return {"refused": f"the PDF has more than {MAX_PAGES:,} pages; split it"}
    about: Mapping[str, Any] = reader.metadata or {}
    stamp = str(about.get("/ModDate") or about.get("/CreationDate") or "")
    day = re.match(r"(?:D:)?(\d{4})(\d\d)(\d\d)", stamp)
    return {
        "pages": [page.extract_text() for page in reader.pages],
        "outline": list(_outline(reader, reader.outline, 1)),
        "title": str(about.get("/Title") or ""),
        "keywords": str(about.get("/Keywords") or ""),
        "date": "-".join(day.groups()) if day else "",
    }


def _outline(reader: PdfReader, entries: list[Any], level: int) -> list[list[Any]]:
    found: list[list[Any]] = []
    for entry in entries:
        if isinstance(entry, list):
            found.extend(_outline(reader, entry, level + 1))
        elif (page := reader.get_destination_page_number(entry)) is not None:
            found.append([level, str(entry.title or ""), page])
    return found


def main() -> None:
    logging.disable(logging.CRITICAL)
    with contextlib.suppress(ImportError):  # not on Windows, where time alone is bounded
        import resource  # noqa: PLC0415

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    data = sys.stdin.buffer.read()
    try:
        found = _extract(data)
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OSError):
        # The reader's own errors are not the only ones that damaged files draw from it.
        found = {"refused": "the PDF is damaged or cut short; export or download it anew"}
    sys.stdout.buffer.write(json.dumps(found).encode())


if __name__ == "__main__":
    main()
