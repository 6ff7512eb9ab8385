"""Live postings that were shown to somebody, kept so that "the second one" means something a week later.

They stand in the table ``job`` under a tenant of their own, which no user has: whoever knows an id can fetch it,
and no search, count or statistic of the catalogue ever sees one.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

import orjson

from signalbox.db import Database
from signalbox.retrieval.filters import LIVE_TENANT
from signalbox.retrieval.index import JobHit
from signalbox.retrieval.posting import Posting

KEPT_DAYS: Final = 30

_FIELDS: Final = tuple(Posting.model_fields)
_KEEP: Final = (
    f"INSERT INTO job ({', '.join(_FIELDS)}) VALUES ({', '.join(f'%({name})s' for name in _FIELDS)}) "  # noqa: S608
    "ON CONFLICT (tenant, source, external_id) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _FIELDS if name not in {"tenant", "source", "external_id"})
    + ", ingested_at = now()"
)
_FORGET: Final = "DELETE FROM job WHERE tenant = %s AND ingested_at < now() - make_interval(days => %s)"


def is_live(job_id: str) -> bool:
    """The ids of the catalogue hold a colon, those of live postings never."""
    return job_id.startswith("live_") and ":" not in job_id


class KeptPostings:
    """Keeps postings for ``KEPT_DAYS`` after they were last shown. Raises ``StoreUnavailable``."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def keep(self, hits: Sequence[JobHit]) -> None:
        """Idempotent: a posting kept before is brought up to date, and its time starts anew."""
        # In one order, so that two runs that keep the same postings never wait for each other in a ring.
        rows = [_row(hit) for hit in sorted(hits, key=lambda hit: hit.job_id)]
        async with self._db.transaction() as conn:
            await conn.execute(_FORGET, [LIVE_TENANT, KEPT_DAYS])
            await conn.cursor().executemany(_KEEP, rows)


def _row(hit: JobHit) -> dict[str, object]:
    told = {name: value for name, value in asdict(hit).items() if name in Posting.model_fields}
    digest = hashlib.blake2b(orjson.dumps(told, default=str), digest_size=16).hexdigest()
    return {**told, "skills": list(hit.skills), "tenant": LIVE_TENANT, "digest": digest}
