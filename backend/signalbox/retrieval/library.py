"""The knowledge base: passages of guides and documents that answer a question, found by words and by meaning.

Both rankings are fused to choose candidates; a second, closer look at those few orders them and drops what is off
the subject.
"""

import asyncio
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, Self

import numpy as np
import psycopg
from numpy.typing import NDArray

from signalbox.blocks import KnowledgePassage
from signalbox.db import Database
from signalbox.errors import SignalboxError, StoreUnavailable
from signalbox.events import Citation
from signalbox.llm.embedding import Embedder
from signalbox.retrieval.documents.blocks import clean, stated_topics
from signalbox.retrieval.documents.words import searchable
from signalbox.retrieval.filters import PUBLIC_TENANT, Sql
from signalbox.retrieval.fusion import reciprocal_ranks
from signalbox.retrieval.index import EMBED_TIMEOUT_S, Leg, to_vector

MAX_LIMIT: Final = 50
MAX_QUESTION_CHARS: Final = 2_000
MAX_TERMS: Final = 24
# How deep each ranking is read, and how many of the fused ones are looked at closely.
LEG_DEPTH: Final = 60
CANDIDATES: Final = 60
PER_DOCUMENT: Final = 2
# A word in more than this share of the passages selects nothing, if the question has rarer ones.
COMMON_SHARE: Final = 0.2

# Closeness in meaning, plus what part of the question's words stand in the passage (by rarity), how much of a match
# they make, and what part of them its title and headings hold.
COVERAGE_WEIGHT: Final = 0.05
MATCH_WEIGHT: Final = 0.1
HEADING_WEIGHT: Final = 0.03
# On the subject: near in meaning, or less near with most of the question's words in title and headings. Of 24 careers
# questions, 23 have a guide above the first floor; of 24 others ("how do I fix a leaking tap"), none has, over four
# collections. Without vectors, words must do.
COSINE_FLOOR: Final = 0.33
NAMED_COSINE_FLOOR: Final = 0.22
COVERAGE_FLOOR: Final = 0.6

# For parts weighted D, C, B, A: content, nothing, heading, title.
_WEIGHTS: Final = "{0.4, 0.4, 0.7, 1.0}"
_COLUMNS: Final = (
    "passage_id, document_id, title, heading, content, passage.source, url, path, version, published_on, topics"
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document. ``heading`` is the path to it below the title: "Pay > Overtime".

    ``passage_id`` stays the same as long as the file has this content. ``score`` orders one search's passages and
    means nothing across searches; ``cosine`` is None if meaning was not compared.
    """

    passage_id: str
    document_id: str
    title: str
    heading: str
    content: str
    source: str
    url: str | None
    path: str
    version: str
    published_on: date | None
    topics: tuple[str, ...] = ()
    score: float = 0.0
    cosine: float | None = None

    @classmethod
    def of(cls, row: dict[str, Any], **ranking: Any) -> Self:
        return cls(**{name: row[name] for name in _FIELDS} | {"topics": tuple(row["topics"])}, **ranking)

    @property
    def trail(self) -> str:
        """Where it stands: "Title > Section > Subsection"."""
        return f"{self.title} > {self.heading}" if self.heading else self.title


_FIELDS: Final = tuple(name for name in Passage.__dataclass_fields__ if name not in {"topics", "score", "cosine"})


@dataclass(frozen=True, slots=True)
class PassageHits:
    """The best first, at most two of one document. None at all: nothing here is about the question."""

    passages: tuple[Passage, ...]
    legs: tuple[Leg, ...]

    @property
    def degraded(self) -> bool:
        return any(leg.status == "failed" for leg in self.legs)


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    document_id: str
    source: str
    path: str
    title: str
    url: str | None
    version: str
    topics: tuple[str, ...]
    published_on: date | None
    ingested_at: datetime
    passages: int


@dataclass(frozen=True, slots=True)
class _Term:
    """A lexeme of the question as a tsquery; ``weight`` is what meeting it tells (inverse document frequency)."""

    query: str
    weight: float
    common: bool


@dataclass(frozen=True, slots=True)
class _Found:
    leg: Leg
    ids: tuple[str, ...] = ()
    terms: tuple[_Term, ...] = ()
    matches: tuple[float, ...] = ()


class Library:
    """Search over ``passage``. Reads only; safe to share between runs.

    Meaning is compared by exact scan: about 10 ms for 10,000 passages. Every method raises ``StoreUnavailable``
    when PostgreSQL cannot be reached.
    """

    def __init__(self, db: Database, embedder: Embedder) -> None:
        self._db = db
        self._embedder = embedder

    async def search(
        self,
        text: str,
        *,
        limit: int = 6,
        topics: Sequence[str] = (),
        source: str | None = None,
        tenant: str = PUBLIC_TENANT,
    ) -> PassageHits:
        """The passages that answer ``text``, a question or a few words; with ``topics``, of documents on any of them.

        Any text is taken; one without a word finds nothing, and of a long one the beginning counts. If one way of
        looking fails, the other answers and ``legs`` says so; if both fail, raises ``StoreUnavailable``.
        """
        asked = " ".join(text[:MAX_QUESTION_CHARS].split())
        words = searchable(asked)
        if not words:
            return PassageHits((), (Leg("text", "skipped", "there is no word in it"), Leg("meaning", "skipped")))
        where = _conditions(topics, source, tenant)
        vector, trouble = await self._vector(asked)
        by_text = await self._by_text(words, where)
        by_meaning = _Found(Leg("meaning", "failed", trouble))
        if vector is not None:
            by_meaning = await self._by_meaning(vector, where)
        if by_text.leg.status == by_meaning.leg.status == "failed":
            raise StoreUnavailable
        fused = [key for key, _ in reciprocal_ranks(by_text.ids, by_meaning.ids)[:CANDIDATES]]
        compared = vector if by_meaning.leg.status == "ok" else None
        ranked = await self._ranked(fused, by_text, compared)
        shown = _spread(ranked, max(1, min(limit, MAX_LIMIT)))
        return PassageHits(tuple(shown), (by_text.leg, by_meaning.leg))

    async def get(self, passage_ids: Sequence[str], *, tenant: str = PUBLIC_TENANT) -> list[Passage]:
        """These passages in the order asked; unknown ids and other tenants' are left out."""
        wanted = [key for key in dict.fromkeys(passage_ids) if key.isascii() and key.isprintable()][:500]
        rows = await self._db.fetch(
            f"SELECT {_COLUMNS} FROM passage JOIN document USING (document_id) "  # noqa: S608
            "WHERE passage_id = ANY(%s) AND passage.tenant = ANY(%s)",
            [wanted, [PUBLIC_TENANT, tenant]],
        )
        found = {row["passage_id"]: Passage.of(row) for row in rows}
        return [found[key] for key in wanted if key in found]

    async def documents(self, *, source: str | None = None, tenant: str = PUBLIC_TENANT) -> list[DocumentInfo]:
        """What there is, by source and path."""
        rows = await self._db.fetch(
            "SELECT document_id, source, path, title, url, version, topics, published_on, ingested_at, "
            "(SELECT count(*) FROM passage WHERE passage.document_id = document.document_id) AS passages "
            "FROM document WHERE tenant = ANY(%s) AND source = coalesce(%s, source) ORDER BY source, path",
            [[PUBLIC_TENANT, tenant], source],
        )
        return [DocumentInfo(**{**row, "topics": tuple(row["topics"])}) for row in rows]

    async def _vector(self, text: str) -> tuple[NDArray[np.float32] | None, str]:
        """The question's vector, or None and what went wrong."""
        try:
            async with asyncio.timeout(EMBED_TIMEOUT_S):
                return (await self._embedder.embed([text]))[0], ""
        except (SignalboxError, RuntimeError, TimeoutError, OSError) as exc:
            return None, f"the question could not be embedded ({type(exc).__name__})"

    async def _by_text(self, words: str, where: Sql) -> _Found:
        try:
            terms = await self._terms(words, where)
            telling = [term for term in terms if not term.common] or terms
            rows = await self._db.fetch(
                "SELECT passage_id, (SELECT sum(weight * ts_rank(%s, search, term, 1)) "  # noqa: S608
                "FROM unnest(%s::tsquery[], %s::float[]) AS asked (term, weight)) AS match "
                f"FROM passage WHERE search @@ %s::tsquery AND {where.text} ORDER BY match DESC, passage_id LIMIT %s",
                [
                    _WEIGHTS,
                    [term.query for term in terms],
                    [term.weight for term in terms],
                    " | ".join(term.query for term in telling),
                    *where.params,
                    LEG_DEPTH,
                ],
            )
        except (psycopg.Error, StoreUnavailable) as exc:
            return _Found(Leg("text", "failed", f"full text could not be searched ({type(exc).__name__})"))
        ids = tuple(row["passage_id"] for row in rows)
        return _Found(Leg("text", "ok"), ids, tuple(terms), tuple(row["match"] for row in rows))

    async def _terms(self, words: str, where: Sql) -> list[_Term]:
        """The question's lexemes in the order asked; only letters and digits, so none is a query of its own."""
        rows = await self._db.fetch(
            "WITH asked AS (SELECT lexeme, positions[1] AS place FROM unnest(to_tsvector('english', %s)) "  # noqa: S608
            "ORDER BY place LIMIT %s) "
            f"SELECT lexeme, (SELECT count(*) FROM passage WHERE {where.text}) AS passages, "
            "(SELECT count(*) FROM passage WHERE search @@ quote_literal(lexeme)::tsquery "
            f"AND {where.text}) AS found FROM asked ORDER BY place",
            [words, MAX_TERMS, *where.params, *where.params],
        )
        return [
            _Term(
                f"'{row['lexeme']}'",
                math.log(1 + (row["passages"] - row["found"] + 0.5) / (row["found"] + 0.5)),
                common=row["found"] > COMMON_SHARE * row["passages"],
            )
            for row in rows
        ]

    async def _by_meaning(self, vector: NDArray[np.float32], where: Sql) -> _Found:
        try:
            rows = await self._db.fetch(
                f"SELECT passage_id FROM passage WHERE {where.text} "  # noqa: S608
                "ORDER BY embedding <=> %s::vector, passage_id LIMIT %s",
                [*where.params, to_vector(vector), LEG_DEPTH],
            )
        except (psycopg.Error, StoreUnavailable) as exc:
            return _Found(Leg("meaning", "failed", f"meaning could not be searched ({type(exc).__name__})"))
        return _Found(Leg("meaning", "ok"), tuple(row["passage_id"] for row in rows))

    async def _ranked(self, ids: list[str], by_text: _Found, vector: NDArray[np.float32] | None) -> list[Passage]:
        """The candidates that are on the subject, the best first; content that is there twice, once."""
        rows = await self._db.fetch(
            f"SELECT {_COLUMNS}, passage.digest, 1 - (embedding <=> %s::vector) AS cosine, "  # noqa: S608
            "ARRAY(SELECT search @@ term FROM unnest(%s::tsquery[]) AS term) AS met, "
            "ARRAY(SELECT ts_filter(search, '{a,b}') @@ term FROM unnest(%s::tsquery[]) AS term) AS named "
            "FROM passage JOIN document USING (document_id) WHERE passage_id = ANY(%s)",
            [
                to_vector(vector) if vector is not None else None,
                [term.query for term in by_text.terms],
                [term.query for term in by_text.terms],
                ids,
            ],
        )
        matches = dict(zip(by_text.ids, by_text.matches, strict=True))
        best = max(matches.values(), default=0.0) or 1.0
        scored: dict[str, Passage] = {}
        for row in rows:
            coverage, named = _covered(by_text.terms, row["met"]), _covered(by_text.terms, row["named"])
            if not _is_relevant(row["cosine"], coverage, named):
                continue
            score = (
                (row["cosine"] or 0.0)
                + COVERAGE_WEIGHT * coverage
                + MATCH_WEIGHT * matches.get(row["passage_id"], 0.0) / best
                + HEADING_WEIGHT * named
            )
            known = scored.get(row["digest"])
            if known is None or score > known.score:
                scored[row["digest"]] = Passage.of(row, score=round(score, 4), cosine=row["cosine"])
        return sorted(scored.values(), key=lambda passage: (-passage.score, passage.passage_id))


def citation_of_passage(passage: Passage) -> Citation:
    return Citation(
        id=passage.passage_id,
        title=passage.title,
        source=passage.source,
        url=passage.url,
        heading=passage.heading,
        as_of=passage.published_on,
    )


def passage_block(passage: Passage) -> KnowledgePassage:
    return KnowledgePassage(
        passage_id=passage.passage_id,
        title=passage.title,
        heading=passage.heading,
        text=passage.content,
        source=passage.source,
        url=passage.url,
        as_of=passage.published_on,
    )


def _conditions(topics: Sequence[str], source: str | None, tenant: str) -> Sql:
    sql = Sql()
    sql.add("passage.tenant = ANY(%s)", [PUBLIC_TENANT, tenant])
    sql.add("NOT passage.duplicate")
    if source is not None:
        sql.add("passage.source = %s", clean(source))
    wanted = list(stated_topics(topics))
    if topics:
        sql.add("passage.document_id IN (SELECT document_id FROM document WHERE topics && %s)", wanted)
    return sql


def _covered(terms: Sequence[_Term], met: Sequence[bool]) -> float:
    """The share of the question that is met, each word counting by its rarity."""
    total = sum(term.weight for term in terms)
    return sum(term.weight for term, holds in zip(terms, met, strict=True) if holds) / total if total else 0.0


def _is_relevant(cosine: float | None, coverage: float, named: float) -> bool:
    if cosine is None:
        return coverage >= COVERAGE_FLOOR
    return cosine >= COSINE_FLOOR or (cosine >= NAMED_COSINE_FLOOR and named >= COVERAGE_FLOOR)


def _spread(ranked: Sequence[Passage], limit: int) -> list[Passage]:
    """The first ``limit``, no more than two of one document."""
    taken: Counter[str] = Counter()
    shown: list[Passage] = []
    for passage in ranked:
        if len(shown) == limit:
            break
        if taken[passage.document_id] < PER_DOCUMENT:
            taken[passage.document_id] += 1
            shown.append(passage)
    return shown
