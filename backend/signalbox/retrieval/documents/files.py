"""A folder of documents as files to look at, and one file as a document or the reason why it is none."""

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from typing import Final

from signalbox.errors import ConfigurationError
from signalbox.retrieval.documents.blocks import ParsedDocument, Refusal
from signalbox.retrieval.documents.html_page import read_html
from signalbox.retrieval.documents.markdown import read_markdown
from signalbox.retrieval.documents.pdf import read_pdf
from signalbox.retrieval.documents.text import decoded, read_text

MAX_BYTES: Final = 20 * 1024 * 1024

_TEXT_READERS: dict[str, Callable[[str], ParsedDocument | Refusal]] = {
    ".md": read_markdown,
    ".mdx": read_markdown,
    ".markdown": read_markdown,
    ".html": read_html,
    ".htm": read_html,
    ".xhtml": read_html,
    ".txt": read_text,
    ".text": read_text,
}
SUFFIXES: Final = frozenset({*_TEXT_READERS, ".pdf"})


@dataclass(frozen=True, slots=True)
class DocumentFile:
    """``path`` is relative to the folder, with slashes; with it, a document is known again."""

    path: str
    size: int
    read: Callable[[], bytes]

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.path).suffix.lower()


@dataclass(frozen=True, slots=True)
class Folder:
    """``files`` are documents by their suffix, sorted by path; ``skipped`` counts the others by suffix.

    ``refused`` are paths that must not be opened, with the reason; ``unreadable``, folders nobody could look into.
    """

    files: tuple[DocumentFile, ...]
    skipped: dict[str, int]
    unreadable: tuple[str, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


def open_folder(root: Path) -> Folder:
    """Everything below ``root`` but hidden files and folders. A link to a file is followed within ``root`` only, one
    to a folder never.

    Raises ``ConfigurationError`` if it is no folder that can be read.
    """
    if not root.is_dir():
        raise ConfigurationError(f"{root} is not a folder. Give the folder that holds the documents.")
    real_root = Path(os.path.realpath(root))
    files: list[DocumentFile] = []
    skipped: dict[str, int] = {}
    refused: list[tuple[str, str]] = []
    unreadable: list[str] = []
    for place, folders, names in os.walk(root, onerror=lambda exc: unreadable.append(str(exc.filename))):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
        linked = [name for name in folders if Path(place, name).is_symlink()]
        refused += [(_relative(Path(place, name), root), "it is a link to a folder") for name in linked]
        for name in sorted(names):
            path = Path(place, name)
            kind = path.suffix.lower() or "no suffix"
            if name.startswith(".") or kind not in SUFFIXES:
                kind = "hidden" if name.startswith(".") else kind
                skipped[kind] = skipped.get(kind, 0) + 1
                continue
            real = Path(os.path.realpath(path))
            if fault := _fault_of(real, real_root):
                refused.append((_relative(path, root), fault))
            else:
                files.append(DocumentFile(_relative(path, root), real.stat().st_size, real.read_bytes))
    return Folder(tuple(sorted(files, key=lambda file: file.path)), skipped, tuple(unreadable), tuple(sorted(refused)))


def _relative(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix().encode("utf-8", "backslashreplace").decode()


def _fault_of(real: Path, real_root: Path) -> str:
    """Why the file with that real path must not be read: what is outside was not offered to anybody."""
    if not real.is_relative_to(real_root):
        return "it is a link that leads out of the folder"
    if not real.exists():
        return "it is a link that leads nowhere"
    return "" if real.is_file() else "it is no regular file (a pipe, a device or a link to a folder)"


def packaged_guides() -> Folder:
    """The guides that come with the program; none if it was built without them."""
    place = resources.files("signalbox.data") / "guides"
    if not place.is_dir():
        return Folder((), {})
    return Folder(tuple(_packaged(place.iterdir())), {})


def _packaged(entries: Iterator[Traversable]) -> Iterator[DocumentFile]:
    for entry in sorted(entries, key=lambda each: each.name):
        if PurePosixPath(entry.name).suffix == ".md":
            yield DocumentFile(entry.name, len(entry.read_bytes()), entry.read_bytes)


def digest_of(data: bytes, *more: str) -> str:
    marker = hashlib.blake2b(digest_size=16)
    for part in more:
        marker.update(part.encode("utf-8", "replace") + b"\x1f")
    marker.update(data)
    return marker.hexdigest()


def too_large(file: DocumentFile) -> Refusal | None:
    """Asked before a file is read."""
    if file.size <= MAX_BYTES:
        return None
    return Refusal(f"it is too large ({file.size / 2**20:.1f} MB; {MAX_BYTES // 2**20} MB are the limit); split it")


def parse(file: DocumentFile, data: bytes) -> ParsedDocument | Refusal:
    """Blocks for as long as parsing takes: seconds at most for text, a minute for a PDF."""
    if not data.strip():
        return Refusal("it is empty")
    if file.suffix == ".pdf":
        return read_pdf(data)
    if data.startswith(b"%PDF-"):
        return Refusal(f"it is a PDF named {file.suffix}; rename it to .pdf")
    text = decoded(data)
    document = text if isinstance(text, Refusal) else _TEXT_READERS[file.suffix](text)
    if isinstance(document, ParsedDocument) and not any(block.kind != "heading" for block in document.blocks):
        return Refusal("it has no text but headings" if document.blocks else "it has no text")
    return document


def title_of(file: DocumentFile, document: ParsedDocument) -> str:
    """What it is called: as it says, else by its first heading, else by its file's name."""
    if document.title:
        return document.title
    headings = [block for block in document.blocks if block.kind == "heading"]
    tops = [block.text for block in headings if block.level == 1]
    if len(tops) == 1 or (tops and document.blocks[0].kind == "heading"):
        return tops[0][:300]
    if document.blocks and document.blocks[0].kind == "heading":
        return document.blocks[0].text[:300]
    words = re.sub(r"[\W_]+", " ", PurePosixPath(file.path).stem).strip()
    return (words[:1].upper() + words[1:])[:300] or file.path
