"""Filling the knowledge base from a folder of documents and from the packaged guides.

The index mirrors the folder: what changed is read anew, what left the folder leaves the index, the rest is not
touched. Readers see a document's old passages or its new ones, never both and never none.
"""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from signalbox.db import Database
from signalbox.errors import ConfigurationError
from signalbox.llm.embedding import Embedder
from signalbox.retrieval.documents.blocks import ParsedDocument, Refusal, one_line
from signalbox.retrieval.documents.files import (
    SUFFIXES,
    DocumentFile,
    Folder,
    digest_of,
    open_folder,
    packaged_guides,
    parse,
    title_of,
    too_large,
)
from signalbox.retrieval.documents.passages import Cut, cut
from signalbox.retrieval.documents.store import DocumentStore, Indexed, heading_of, window_texts
from signalbox.retrieval.documents.vectors import packaged_vectors
from signalbox.retrieval.filters import PUBLIC_TENANT

Progress = Callable[[int, int], None]

GUIDES_SOURCE: Final = "guides"
# Changes with every change in how documents are read and cut, so that all are read anew.
READER_VERSION: Final = "1"
# Files are stored together until this many passages have come up; each such batch is one transaction.
BATCH_PASSAGES: Final = 128
MAX_REASONS: Final = 1_000
SHOWN_REFUSED: Final = 20
_SOURCE = re.compile(r"[A-Za-z0-9_.-]{1,64}")


@dataclass(frozen=True, slots=True)
class Rejection:
    """A file that was not taken, and why."""

    path: str
    reason: str


@dataclass(slots=True)
class DocumentReport:
    """What became of the files: ``new + updated + unchanged + rejected == read``; ``skipped`` are other files.

    ``passages`` counts what the source has now, ``duplicates`` those that stand in several files and are shown once.
    """

    source: str
    read: int = 0
    new: int = 0
    updated: int = 0
    unchanged: int = 0
    rejected: int = 0
    removed: int = 0
    skipped: int = 0
    passages: int = 0
    duplicates: int = 0
    reasons: list[Rejection] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def reject(self, path: str, reason: str) -> None:
        self.rejected += 1
        if len(self.reasons) < MAX_REASONS:
            self.reasons.append(Rejection(path, reason))


@dataclass(slots=True)
class _Plan:
    """What a look at the folder and the index found to do. ``fresh``: files with the digest they will be stored by."""

    fresh: list[tuple[DocumentFile, str]] = field(default_factory=list)
    refused: list[Rejection] = field(default_factory=list)
    unchanged: int = 0
    leaving: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Prepared:
    file: DocumentFile
    digest: str
    title: str
    document: ParsedDocument
    cuts: list[Cut]


async def ingest_documents(
    db: Database,
    embedder: Embedder,
    root: Path,
    *,
    source: str | None = None,
    version: str = "",
    replace: bool = False,
    tenant: str = PUBLIC_TENANT,
    progress: Progress | None = None,
) -> DocumentReport:
    """Makes the documents of ``source`` (by default, the folder's name) what the folder holds.

    ``version`` is for documents that state none. ``progress(done, total)`` counts files. Broken off, what was stored
    stays and the next call goes on from there. Raises ``ConfigurationError`` for a folder that cannot be read or
    holds no document, and, unless ``replace``, if the source has documents none of which is in the folder: two
    folders of one name would wipe each other out. Raises ``StoreUnavailable``.
    """
    name = source if source is not None else await asyncio.to_thread(_name_of, root)
    if not _SOURCE.fullmatch(name):
        raise ConfigurationError(f"'{name}' cannot name a source. Use up to 64 letters, digits and any of . _ -")
    folder = await asyncio.to_thread(open_folder, root)
    if not folder.files:
        kinds = ", ".join(sorted(SUFFIXES))
        refused = "".join(f" Rejected {path}: {reason}." for path, reason in folder.refused[:SHOWN_REFUSED])
        raise ConfigurationError(f"{root} holds no documents ({kinds}).{refused} Nothing was changed.")
    store = DocumentStore(db, embedder, tenant, name)
    if not replace:
        await _refuse_strangers(store, folder, root)
    return await _mirror(store, folder, one_line(version)[:80], progress)


async def load_guides(db: Database, embedder: Embedder) -> DocumentReport:
    """Brings the packaged guides into the index. Costs a few milliseconds if they are there as packaged."""
    folder = await asyncio.to_thread(packaged_guides)
    store = DocumentStore(db, embedder, PUBLIC_TENANT, GUIDES_SOURCE, packaged_vectors)
    return await _mirror(store, folder, "", None)


def guide_texts() -> list[str]:
    """What the encoder reads of the packaged guides, in order: the texts to compute ``packaged_vectors`` for."""
    read = [_prepare(file, "") for file in packaged_guides().files]
    found = [each for each in read if isinstance(each, _Prepared)]
    return [
        text
        for each in found
        for passage in each.cuts
        for text in window_texts(each.title, heading_of(passage), passage.content)
    ]


def _name_of(root: Path) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", root.resolve().name).strip("-")[:64] or "documents"


async def _refuse_strangers(store: DocumentStore, folder: Folder, root: Path) -> None:
    known = await store.indexed()
    if known and not known.keys() & {file.path for file in folder.files}:
        raise ConfigurationError(
            f"The source '{store.source}' has {len(known)} other documents ({min(known)} ...), none of which is in "
            f"{root}. Give this folder a --source of its own, or --replace to remove the others. Nothing was changed."
        )


async def _mirror(store: DocumentStore, folder: Folder, version: str, progress: Progress | None) -> DocumentReport:
    started = time.perf_counter()
    report = DocumentReport(store.source, skipped=sum(folder.skipped.values()))
    if folder.skipped:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(folder.skipped.items()))
        report.notes.append(f"skipped, since they are not documents: {kinds}")
    report.notes += [f"could not look into {path}" for path in folder.unreadable]
    async with _changes(store, folder, version) as plan:
        report.read = len(folder.files) + len(folder.refused)
        report.unchanged = plan.unchanged
        for refused in plan.refused:
            report.reject(refused.path, refused.reason)
        if plan.leaving:
            report.removed = await store.remove(plan.leaving)
        await _read(store, plan, version, report, progress)
    report.passages, report.duplicates = await store.count()
    report.seconds = time.perf_counter() - started
    return report


@asynccontextmanager
async def _changes(store: DocumentStore, folder: Folder, version: str) -> AsyncIterator[_Plan]:
    """What is to be done. If it is anything, held until it is done: two processes never mirror one source at once."""
    plan = _plan_of(await asyncio.to_thread(_digests, folder, version), await store.indexed(), folder)
    if not plan.fresh and not plan.leaving:
        yield plan
        return
    async with store.locked():
        yield _plan_of(await asyncio.to_thread(_digests, folder, version), await store.indexed(), folder)


def _digests(folder: Folder, version: str) -> dict[str, str | Refusal | OSError]:
    found: dict[str, str | Refusal | OSError] = {}
    for file in folder.files:
        try:
            found[file.path] = too_large(file) or digest_of(file.read(), READER_VERSION, version)
        except OSError as exc:
            found[file.path] = exc
    return found


def _plan_of(digests: dict[str, str | Refusal | OSError], indexed: dict[str, Indexed], folder: Folder) -> _Plan:
    plan = _Plan(refused=[Rejection(path, reason + _was(indexed, path)) for path, reason in folder.refused])
    kept = set[str]()
    for file in folder.files:
        match digests[file.path]:
            case OSError() as exc:
                # It may be back tomorrow: what is indexed of it stays.
                kept.add(file.path)
                plan.refused.append(Rejection(file.path, f"it cannot be read ({exc.strerror})"))
            case Refusal(reason):
                plan.refused.append(Rejection(file.path, reason + _was(indexed, file.path)))
            case str(digest):
                kept.add(file.path)
                known = indexed.get(file.path)
                if known is not None and known.digest == digest:
                    plan.unchanged += 1
                else:
                    plan.fresh.append((file, digest))
    # A folder that cannot be looked into may hold any of them.
    plan.leaving = [] if folder.unreadable else [path for path in indexed if path not in kept]
    return plan


def _was(indexed: dict[str, Indexed], path: str) -> str:
    return "; its earlier version left the index" if path in indexed else ""


async def _read(
    store: DocumentStore, plan: _Plan, version: str, report: DocumentReport, progress: Progress | None
) -> None:
    indexed = await store.indexed() if plan.fresh else {}
    held: list[_Prepared] = []
    for number, (file, digest) in enumerate(plan.fresh, start=1):
        prepared = await asyncio.to_thread(_prepare, file, digest)
        if isinstance(prepared, _Prepared):
            held.append(prepared)
            if file.path in indexed:
                report.updated += 1
            else:
                report.new += 1
        else:
            report.reject(file.path, prepared.reason + _was(indexed, file.path))
            if file.path in indexed:
                report.removed += await store.remove([file.path])
        if sum(len(each.cuts) for each in held) >= BATCH_PASSAGES:
            await _store(store, held, version)
            held = []
        if progress:
            progress(report.read - len(plan.fresh) + number, report.read)
    await _store(store, held, version)


def _prepare(file: DocumentFile, digest: str) -> _Prepared | Refusal:
    try:
        document = parse(file, file.read())
    except OSError as exc:
        return Refusal(f"it cannot be read ({exc.strerror})")
    if isinstance(document, Refusal):
        return document
    title = title_of(file, document)
    cuts = cut(document, title)
    return _Prepared(file, digest, title, document, cuts) if cuts else Refusal("it has no words")


async def _store(store: DocumentStore, prepared: Sequence[_Prepared], version: str) -> None:
    if prepared:
        await store.write(
            [
                store.document(
                    path=each.file.path,
                    digest=each.digest,
                    title=each.title,
                    parsed=each.document,
                    version=each.document.version or version,
                    cuts=each.cuts,
                )
                for each in prepared
            ]
        )
