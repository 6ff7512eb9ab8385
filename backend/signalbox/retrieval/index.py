"""The job index: full text and meaning asked side by side, conditions in both, one fused ranking.

It finds and orders by the question alone; what a person brings to a posting is ``rerank``'s business.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, Self

import numpy as np
import psycopg
from numpy.typing import NDArray

from signalbox.db import Database
from signalbox.errors import SignalboxError, StoreUnavailable
from signalbox.llm.embedding import Embedder
from signalbox.retrieval.filters import LIVE_TENANT, PUBLIC_TENANT, Sql, any_term, conditions, relevance, tool_demand
from signalbox.retrieval.fusion import reciprocal_ranks
from signalbox.retrieval.query import JobQuery, role_query
from signalbox.retrieval.skills import SkillVocabulary

LegName = Literal["text", "meaning", "recent"]

# A posting is close in meaning if its cosine is at least the floor and near the best of the whole index, measured
# with 32 role titles on 2,258 real postings and 278 samples, right or wrong judged by words in the title: these two
# give precision 0.90 with 171 right postings; the floor alone 0.57, since "engineer" makes all engineers alike.
# Of five jobs that do not exist there (zookeeper, opera singer, ...) nothing was found; at a floor of 0.40, three.
COSINE_FLOOR = 0.45
COSINE_MARGIN = 0.10
# How deep each ranking is read. Below rank 200 a posting adds less than 1/260 to a fused score.
LEG_DEPTH = 200
EMBED_TIMEOUT_S = 5.0

_COLUMNS = (
    "job_id, source, external_id, title, company, location, country, remote, category, employment_type, seniority, "
    "salary_min, salary_max, salary_period, currency, salary_year_min, salary_year_max, posted_at, closes_at, url, "
    "description, requirements, skills, sample"
)
# Title counts ten times a description; length is divided out (flag 1), or long postings win by their size.
_WEIGHTS = "{0.1, 0.2, 0.4, 1.0}"


@dataclass(frozen=True, slots=True)
class JobHit:
    """One posting. ``score`` is the fused score, the ranks count from 1 within each leg that found it.

    ``salary_year_*`` are per year in ``currency``; ``sample`` marks the fictional catalogue.
    """

    job_id: str
    source: str
    external_id: str
    title: str
    company: str
    location: str | None
    country: str | None
    remote: bool | None
    category: str | None
    employment_type: str | None
    seniority: str | None
    salary_min: float | None
    salary_max: float | None
    salary_period: str | None
    currency: str | None
    salary_year_min: float | None
    salary_year_max: float | None
    posted_at: date | None
    closes_at: date | None
    url: str | None
    description: str
    requirements: str
    skills: tuple[str, ...]
    sample: bool
    score: float = 0.0
    text_rank: int | None = None
    meaning_rank: int | None = None
    cosine: float | None = None

    @classmethod
    def of(cls, row: dict[str, Any], **ranking: Any) -> Self:
        return cls(**{**row, "skills": tuple(row["skills"])}, **ranking)


@dataclass(frozen=True, slots=True)
class Leg:
    """How one way of looking went. A failed one found nothing, which says nothing about what exists."""

    name: LegName
    status: Literal["ok", "failed", "skipped"]
    note: str = ""


@dataclass(frozen=True, slots=True)
class JobHits:
    """``total`` counts every posting that meets the conditions and is relevant; ``truncated``: more than returned."""

    hits: tuple[JobHit, ...]
    total: int
    legs: tuple[Leg, ...]

    @property
    def truncated(self) -> bool:
        return self.total > len(self.hits)

    @property
    def degraded(self) -> bool:
        return any(leg.status == "failed" for leg in self.legs)


@dataclass(frozen=True, slots=True)
class SkillDemand:
    """Of ``postings`` that match a role, how many ask for each skill, most asked first. A failed leg: postings that
    only it would have matched are not counted.
    """

    postings: int
    counts: tuple[tuple[str, int], ...]
    legs: tuple[Leg, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexStats:
    total: int
    samples: int
    by_source: dict[str, int]
    newest: date | None

    @property
    def sample_share(self) -> float:
        return self.samples / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True)
class _Ranking:
    leg: Leg
    ids: tuple[str, ...] = ()
    cosines: tuple[float, ...] = ()


class JobIndex:
    """Search over the table ``job``. Reads only; safe to share between runs.

    Meaning is compared by exact scan: 0.1 to 0.4 s a search at 25,000 postings if the column ``embedding`` is stored
    in line (``STORAGE PLAIN``), several times that if not. Beyond about 50,000 the table wants an HNSW index.
    Every method raises ``StoreUnavailable`` when PostgreSQL cannot be reached.
    """

    def __init__(self, db: Database, embedder: Embedder, vocabulary: SkillVocabulary) -> None:
        self._db = db
        self._embedder = embedder
        self._vocabulary = vocabulary

    async def search(self, query: JobQuery, *, tenant: str = PUBLIC_TENANT) -> JobHits:
        """The best ``query.limit`` postings, each of which meets every condition of the query.

        A query of conditions alone lists the newest. If one way of looking fails, the other answers and
        ``legs`` says so; if both fail, raises ``StoreUnavailable``.
        """
        where = conditions(query, tenant)
        if query.browses:
            return await self._browse(query, where)
        vector, trouble = await self._vector(query.text)
        text = await self._by_text(query, where)
        meaning = _failed("meaning", trouble)
        if vector is not None:
            meaning = await self._by_meaning(query, where, vector, tenant)
        if text.leg.status == meaning.leg.status == "failed":
            raise StoreUnavailable
        fused = reciprocal_ranks(text.ids, meaning.ids)
        shown = await self._shown(fused[: query.limit], text, meaning)
        total = len(fused)
        if max(len(text.ids), len(meaning.ids)) >= LEG_DEPTH:
            total = await self._count(self._relevant(query, where, vector, tenant))
        return JobHits(shown, total, (text.leg, meaning.leg))

    async def get(self, job_ids: Sequence[str], *, tenant: str = PUBLIC_TENANT) -> list[JobHit]:
        """These postings in the order asked; unknown ids and other tenants' are left out."""
        rows = await self._rows(job_ids, Sql(["tenant = ANY(%s)"], [list({PUBLIC_TENANT, LIVE_TENANT, tenant})]))
        return [JobHit.of(rows[job_id]) for job_id in dict.fromkeys(job_ids) if job_id in rows]

    async def skill_counts(self, query: JobQuery | str, limit: int = 20, *, tenant: str = PUBLIC_TENANT) -> SkillDemand:
        """What the postings that match a query or a job title ask for. No posting, no counts."""
        wanted = role_query(query, self._vocabulary) if isinstance(query, str) else query
        where = conditions(wanted, tenant)
        legs: tuple[Leg, ...] = ()
        if not wanted.browses:
            vector, trouble = await self._vector(wanted.text)
            where = self._relevant(wanted, where, vector, tenant)
            legs = (Leg("text", "ok"), Leg("meaning", "failed" if vector is None else "ok", trouble))
        rows = await self._db.fetch(
            f"WITH matching AS MATERIALIZED (SELECT skills FROM job WHERE {where.text}) "  # noqa: S608
            "SELECT NULL AS skill, count(*) AS postings FROM matching UNION ALL "
            "(SELECT skill, count(*) AS postings FROM matching, unnest(skills) AS skill "
            "GROUP BY skill ORDER BY postings DESC, skill LIMIT %s)",
            [*where.params, limit],
        )
        counts = tuple((row["skill"], row["postings"]) for row in rows if row["skill"] is not None)
        return SkillDemand(next(row["postings"] for row in rows if row["skill"] is None), counts, legs)

    async def stats(self, *, tenant: str = PUBLIC_TENANT) -> IndexStats:
        rows = await self._db.fetch(
            "SELECT source, count(*) AS jobs, count(*) FILTER (WHERE sample) AS samples, max(posted_at) AS newest "
            "FROM job WHERE tenant = ANY(%s) GROUP BY source ORDER BY source",
            [list({PUBLIC_TENANT, tenant})],
        )
        return IndexStats(
            total=sum(row["jobs"] for row in rows),
            samples=sum(row["samples"] for row in rows),
            by_source={row["source"]: row["jobs"] for row in rows},
            newest=max((row["newest"] for row in rows if row["newest"]), default=None),
        )

    async def _browse(self, query: JobQuery, where: Sql) -> JobHits:
        rows = await self._db.fetch(
            f"SELECT {_COLUMNS} FROM job WHERE {where.text} "  # noqa: S608
            "ORDER BY posted_at DESC NULLS LAST, job_id LIMIT %s",
            [*where.params, query.limit],
        )
        total = len(rows) if len(rows) < query.limit else await self._count(where)
        return JobHits(tuple(JobHit.of(row) for row in rows), total, (Leg("recent", "ok", "newest first"),))

    async def _vector(self, text: str) -> tuple[NDArray[np.float32] | None, str]:
        """The query's vector, or None and what went wrong."""
        try:
            async with asyncio.timeout(EMBED_TIMEOUT_S):
                return (await self._embedder.embed([text]))[0], ""
        except (SignalboxError, RuntimeError, TimeoutError, OSError) as exc:
            return None, f"the query could not be embedded ({type(exc).__name__})"

    async def _by_text(self, query: JobQuery, where: Sql) -> _Ranking:
        test = relevance(query, self._vocabulary)
        try:
            rows = await self._db.fetch(
                f"SELECT job_id FROM job WHERE {where.text} AND {test.text} "  # noqa: S608
                "ORDER BY ts_rank(%s, search, to_tsquery('english', %s), 1) DESC, posted_at DESC NULLS LAST, job_id "
                "LIMIT %s",
                [*where.params, *test.params, _WEIGHTS, any_term(query, self._vocabulary), LEG_DEPTH],
            )
        except psycopg.Error as exc:
            return _failed("text", f"full text could not be searched ({type(exc).__name__})")
        return _Ranking(Leg("text", "ok"), tuple(row["job_id"] for row in rows))

    async def _by_meaning(self, query: JobQuery, where: Sql, vector: NDArray[np.float32], tenant: str) -> _Ranking:
        demanded = tool_demand(query, self._vocabulary)
        kept = Sql([*where.parts, *demanded.parts], [*where.params, *demanded.params])
        wanted = to_vector(vector)
        try:
            # One scan takes all distances. The array keeps the planner from joining them row by row with the filters.
            rows = await self._db.fetch(
                "WITH near AS MATERIALIZED "  # noqa: S608
                "(SELECT job_id, embedding <=> %s::vector AS distance FROM job WHERE tenant = ANY(%s)) "
                "SELECT job_id, 1 - (embedding <=> %s::vector) AS cosine FROM job WHERE job_id = ANY(ARRAY("
                "SELECT job_id FROM near WHERE distance <= least(%s, (SELECT min(distance) FROM near) + %s))) "
                f"AND {kept.text} ORDER BY cosine DESC, job_id LIMIT %s",
                [
                    wanted,
                    list({PUBLIC_TENANT, tenant}),
                    wanted,
                    1 - COSINE_FLOOR,
                    COSINE_MARGIN,
                    *kept.params,
                    LEG_DEPTH,
                ],
            )
        except psycopg.Error as exc:
            return _failed("meaning", f"meaning could not be searched ({type(exc).__name__})")
        cosines = tuple(row["cosine"] for row in rows)
        return _Ranking(Leg("meaning", "ok"), tuple(row["job_id"] for row in rows), cosines)

    def _relevant(self, query: JobQuery, where: Sql, vector: NDArray[np.float32] | None, tenant: str) -> Sql:
        """The conditions and the relevance test of both legs, as one."""
        tests = [relevance(query, self._vocabulary)]
        if vector is not None:
            tests.append(_close(query, self._vocabulary, vector, tenant))
        either = " OR ".join(f"({test.text})" for test in tests)
        params = [param for test in tests for param in test.params]
        return Sql([*where.parts, f"({either})"], [*where.params, *params])

    async def _count(self, where: Sql) -> int:
        row = await self._db.fetch_one(f"SELECT count(*) AS total FROM job WHERE {where.text}", where.params)  # noqa: S608
        return int(row["total"]) if row else 0

    async def _shown(self, fused: list[tuple[str, float]], text: _Ranking, meaning: _Ranking) -> tuple[JobHit, ...]:
        rows = await self._rows([job_id for job_id, _ in fused], Sql())
        text_ranks = {job_id: rank for rank, job_id in enumerate(text.ids, start=1)}
        meaning_ranks = {job_id: rank for rank, job_id in enumerate(meaning.ids, start=1)}
        cosines = dict(zip(meaning.ids, meaning.cosines, strict=True))
        return tuple(
            JobHit.of(
                rows[job_id],
                score=score,
                text_rank=text_ranks.get(job_id),
                meaning_rank=meaning_ranks.get(job_id),
                cosine=cosines.get(job_id),
            )
            for job_id, score in fused
            if job_id in rows
        )

    async def _rows(self, job_ids: Sequence[str], where: Sql) -> dict[str, dict[str, Any]]:
        rows = await self._db.fetch(
            f"SELECT {_COLUMNS} FROM job WHERE job_id = ANY(%s) AND {where.text}",  # noqa: S608
            [list(job_ids), *where.params],
        )
        return {row["job_id"]: row for row in rows}


def to_vector(vector: NDArray[np.float32]) -> str:
    """The text form that pgvector reads."""
    return "[" + ",".join(f"{value:.6g}" for value in vector) + "]"


def _close(query: JobQuery, vocabulary: SkillVocabulary, vector: NDArray[np.float32], tenant: str) -> Sql:
    """The semantic test. The best is taken over everything, so filters cannot make a distant posting the nearest."""
    demanded = tool_demand(query, vocabulary)
    wanted = to_vector(vector)
    nearest = "(SELECT min(embedding <=> %s::vector) FROM job WHERE tenant = ANY(%s))"
    return Sql(
        [f"(embedding <=> %s::vector) <= least(%s, {nearest} + %s)", *demanded.parts],
        [wanted, 1 - COSINE_FLOOR, wanted, list({PUBLIC_TENANT, tenant}), COSINE_MARGIN, *demanded.params],
    )


def _failed(name: LegName, note: str) -> _Ranking:
    return _Ranking(Leg(name, "failed", note))
