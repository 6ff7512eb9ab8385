"""The tables ``document`` and ``passage``, as written: one source of one tenant."""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signalbox.db import Connection, Database
from signalbox.llm.embedding import MAX_TOKENS, Embedder
from signalbox.retrieval.documents.blocks import ParsedDocument
from signalbox.retrieval.documents.passages import Cut, count_tokens, windows
from signalbox.retrieval.documents.vectors import key_of
from signalbox.retrieval.documents.words import searchable
from signalbox.retrieval.index import to_vector

Known = Mapping[bytes, NDArray[np.float32]]

JOINT = " > "
# The path is read with every window, so a long one must leave room for the text.
_MAX_CONTEXT_CHARS = 200
_MIN_WINDOW = 128

_DOCUMENT = (
    "INSERT INTO document (document_id, tenant, source, path, title, url, version, topics, published_on, digest) "
    "VALUES (%(document_id)s, %(tenant)s, %(source)s, %(path)s, %(title)s, %(url)s, %(version)s, %(topics)s, "
    "%(published_on)s, %(digest)s) ON CONFLICT (document_id) DO UPDATE SET title = excluded.title, "
    "url = excluded.url, version = excluded.version, topics = excluded.topics, "
    "published_on = excluded.published_on, digest = excluded.digest, ingested_at = now()"
)
_PASSAGE = (
    "INSERT INTO passage (passage_id, document_id, tenant, source, position, heading, content, digest, embedding, "
    "search) VALUES (%(passage_id)s, %(document_id)s, %(tenant)s, %(source)s, %(position)s, %(heading)s, "
    "%(content)s, %(digest)s, %(embedding)s::vector, "
    "setweight(to_tsvector('english', %(title_words)s), 'A') || "
    "setweight(to_tsvector('english', %(heading_words)s), 'B') || to_tsvector('english', %(content_words)s)) "
    "ON CONFLICT (passage_id) DO UPDATE SET position = excluded.position, heading = excluded.heading, "
    "embedding = excluded.embedding, search = excluded.search"
)
# Content that stands in several files is shown once: of the copies, the one with the first id.
_MARK_DUPLICATES = (
    "UPDATE passage SET duplicate = copy.later FROM ("
    "SELECT passage_id, row_number() OVER (PARTITION BY digest ORDER BY passage_id) > 1 AS later "
    "FROM passage WHERE tenant = %s AND source = %s AND digest = ANY(%s)) AS copy "
    "WHERE passage.passage_id = copy.passage_id AND passage.duplicate <> copy.later"
)


@dataclass(frozen=True, slots=True)
class Indexed:
    document_id: str
    digest: str


@dataclass(frozen=True, slots=True)
class Document:
    """A row of ``document`` and the passages under it, in reading order."""

    row: dict[str, Any]
    passages: list[dict[str, Any]]


class DocumentStore:
    """Writes one source. ``known`` gives vectors computed before, and is asked only when there is something to write.

    Every method raises ``StoreUnavailable`` when PostgreSQL cannot be reached.
    """

    def __init__(
        self, db: Database, embedder: Embedder, tenant: str, source: str, known: Callable[[], Known] | None = None
    ) -> None:
        self._db = db
        self._embedder = embedder
        self._known = known
        self._tenant = tenant
        self.source = source

    async def indexed(self) -> dict[str, Indexed]:
        """By path."""
        rows = await self._db.fetch(
            "SELECT path, document_id, digest FROM document WHERE tenant = %s AND source = %s",
            [self._tenant, self.source],
        )
        return {row["path"]: Indexed(row["document_id"], row["digest"]) for row in rows}

    async def count(self) -> tuple[int, int]:
        """Passages, and how many of them are copies."""
        row = await self._db.fetch_one(
            "SELECT count(*) AS passages, count(*) FILTER (WHERE duplicate) AS duplicates "
            "FROM passage WHERE tenant = %s AND source = %s",
            [self._tenant, self.source],
        )
        return (row["passages"], row["duplicates"]) if row else (0, 0)

    @asynccontextmanager
    async def locked(self) -> AsyncIterator[None]:
        """One process at a time. The rows are written over other connections of the pool."""
        async with self._db.transaction() as lock:
            await lock.execute(
                "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"documents/{self._tenant}/{self.source}"]
            )
            yield

    def document(
        self, *, path: str, digest: str, title: str, parsed: ParsedDocument, version: str, cuts: Sequence[Cut]
    ) -> Document:
        """The rows. A passage's id depends on its file and its content alone, so it outlives changes around it."""
        document_id = "d_" + _marker(self._tenant, self.source, path)
        own = {"document_id": document_id, "tenant": self._tenant, "source": self.source}
        stated = {"url": parsed.url, "topics": list(parsed.topics), "published_on": parsed.published_on}
        passages = []
        for position, each in enumerate(cuts):
            content_digest = _marker(each.content)
            heading = heading_of(each)
            passages.append(
                {
                    **own,
                    "passage_id": "p_" + _marker(document_id, content_digest),
                    "position": position,
                    "heading": heading,
                    "content": each.content,
                    "digest": content_digest,
                    "title_words": searchable(title),
                    "heading_words": searchable(heading),
                    "content_words": searchable(each.content),
                }
            )
        return Document({**own, **stated, "path": path, "title": title, "version": version, "digest": digest}, passages)

    async def write(self, documents: Sequence[Document]) -> None:
        """Replaces what is stored of these documents, in one transaction."""
        ids = [document.row["document_id"] for document in documents]
        same = await self._same(documents)
        changed = [(document, row) for document in documents for row in document.passages if not same(document, row)]
        vectors = await self._vectors(
            [window_texts(document.row["title"], row["heading"], row["content"]) for document, row in changed]
        )
        rows = [{**row, "embedding": to_vector(vector)} for (_, row), vector in zip(changed, vectors, strict=True)]
        moved = [row for document in documents for row in document.passages if same(document, row)]
        every = [row for document in documents for row in document.passages]
        async with self._db.transaction() as conn:
            cursor = conn.cursor()
            await cursor.executemany(_DOCUMENT, [document.row for document in documents])
            gone = await _delete_passages(conn, ids, [row["passage_id"] for row in every])
            await cursor.executemany(_PASSAGE, rows)
            await cursor.executemany(
                "UPDATE passage SET position = %(position)s WHERE passage_id = %(passage_id)s", moved
            )
            touched = [*gone, *(row["digest"] for row in rows)]
            await conn.execute(_MARK_DUPLICATES, [self._tenant, self.source, touched])

    async def remove(self, paths: Sequence[str]) -> int:
        """Documents with all their passages, in one transaction. How many there were."""
        async with self._db.transaction() as conn:
            found = await conn.execute(
                "SELECT document_id FROM document WHERE tenant = %s AND source = %s AND path = ANY(%s)",
                [self._tenant, self.source, list(paths)],
            )
            ids = [row["document_id"] for row in await found.fetchall()]
            gone = await _delete_passages(conn, ids, [])
            await conn.execute("DELETE FROM document WHERE document_id = ANY(%s)", [ids])
            await conn.execute(_MARK_DUPLICATES, [self._tenant, self.source, gone])
        return len(ids)

    async def _same(self, documents: Sequence[Document]) -> "_Same":
        """Which passages are stored already under the same title and heading: their vectors hold."""
        rows = await self._db.fetch(
            "SELECT passage_id, heading, title FROM passage JOIN document USING (document_id) "
            "WHERE document_id = ANY(%s)",
            [[document.row["document_id"] for document in documents]],
        )
        return _Same({row["passage_id"]: (row["title"], row["heading"]) for row in rows})

    async def _vectors(self, texts: list[list[str]]) -> NDArray[np.float32]:
        """One for each passage: the mean over its windows, of length 1."""
        if not texts:
            return np.empty((0, self._embedder.dim), np.float32)
        flat = [window for each in texts for window in each]
        owner = np.repeat(np.arange(len(texts)), [len(each) for each in texts])
        sums = np.zeros((len(texts), self._embedder.dim), np.float32)
        np.add.at(sums, owner, await self._embedded(flat))
        unit: NDArray[np.float32] = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return unit

    async def _embedded(self, texts: list[str]) -> NDArray[np.float32]:
        known = await asyncio.to_thread(self._known) if self._known else {}
        vectors = np.empty((len(texts), self._embedder.dim), np.float32)
        missing = [row for row, text in enumerate(texts) if key_of(text) not in known]
        for row, text in enumerate(texts):
            vectors[row] = known.get(key_of(text), 0)
        vectors[missing] = await _embed(self._embedder, [texts[row] for row in missing])
        return vectors


@dataclass(frozen=True, slots=True)
class _Same:
    stored: dict[str, tuple[str, str]]

    def __call__(self, document: Document, row: dict[str, Any]) -> bool:
        return self.stored.get(row["passage_id"]) == (document.row["title"], row["heading"])


async def _delete_passages(conn: Connection, document_ids: Sequence[str], kept: Sequence[str]) -> list[str]:
    """The digests of what went."""
    cursor = await conn.execute(
        "DELETE FROM passage WHERE document_id = ANY(%s) AND NOT passage_id = ANY(%s) RETURNING digest",
        [list(document_ids), list(kept)],
    )
    return [row["digest"] for row in await cursor.fetchall()]


def heading_of(passage: Cut) -> str:
    """The path to it below the document's title."""
    return JOINT.join(passage.headings)[:1_000]


def window_texts(title: str, heading: str, content: str) -> list[str]:
    """What the encoder reads of a passage: each window of it, with the path that leads to it."""
    context = JOINT.join(part for part in (title, heading) if part)[:_MAX_CONTEXT_CHARS]
    room = max(MAX_TOKENS - 3 - count_tokens([context])[0], _MIN_WINDOW)
    return [f"{context}\n{window}" for window in windows(content, room)]


async def _embed(embedder: Embedder, texts: list[str]) -> NDArray[np.float32]:
    """One thread for each of two cores: the model runs on one, and chat keeps its own queue in ``embed``."""
    workers = min(2, os.cpu_count() or 1, len(texts))
    # Dealt out by length, so that both threads have as much to do.
    order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
    vectors = np.empty((len(texts), embedder.dim), np.float32)
    parts = [order[start::workers] for start in range(workers)]
    done = await asyncio.gather(
        *(asyncio.to_thread(embedder.embed_sync, [texts[row] for row in part]) for part in parts)
    )
    for part, found in zip(parts, done, strict=True):
        vectors[part] = found
    return vectors


def _marker(*parts: str) -> str:
    return hashlib.blake2b("\x1f".join(parts).encode("utf-8", "replace"), digest_size=12).hexdigest()
