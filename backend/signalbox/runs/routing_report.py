"""What live classification shows: where confidence is low, where users chose something else. Reads only."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from signalbox.db import Database

WEAKEST: Final = 10


@dataclass(frozen=True, slots=True)
class IntentRow:
    """Shares are fractions of ``n``; ``confused_with`` is the runner-up seen most often."""

    intent: str
    n: int
    mean_confidence: float
    clarified: float
    chose_other: int
    confused_with: str | None


@dataclass(frozen=True, slots=True)
class RoutingReport:
    """``weakest``: the least certain messages, shortened, with what was thought of them."""

    rows: tuple[IntentRow, ...]
    weakest: tuple[str, ...]


_BY_INTENT: Final = """
SELECT intent, count(*) AS n, avg(confidence) AS mean_confidence,
       avg((outcome <> 'routed')::int) AS clarified,
       count(*) FILTER (WHERE outcome = 'chose_other') AS chose_other,
       mode() WITHIN GROUP (ORDER BY coalesce(chosen_intent, alternatives #>> '{0,intent}'))
           FILTER (WHERE outcome <> 'routed') AS confused_with
FROM classification WHERE source = 'model' AND (%(since)s::timestamptz IS NULL OR created_at >= %(since)s)
GROUP BY intent ORDER BY clarified DESC, n DESC
"""

_WEAKEST: Final = """
SELECT text, intent, confidence, outcome, chosen_intent FROM classification
WHERE source = 'model' AND text <> '' AND (%(since)s::timestamptz IS NULL OR created_at >= %(since)s)
ORDER BY (outcome = 'chose_other') DESC, confidence LIMIT %(limit)s
"""


async def routing_report(db: Database, since: datetime | None) -> RoutingReport:
    """Raises ``StoreUnavailable``."""
    rows = await db.fetch(_BY_INTENT, {"since": since})
    weakest = await db.fetch(_WEAKEST, {"since": since, "limit": WEAKEST})
    return RoutingReport(
        rows=tuple(
            IntentRow(
                row["intent"],
                row["n"],
                float(row["mean_confidence"]),
                float(row["clarified"]),
                row["chose_other"],
                row["confused_with"],
            )
            for row in rows
        ),
        weakest=tuple(
            f"{row['confidence']:.2f} {row['intent']}"
            + (f" -> chose {row['chosen_intent']}" if row["chosen_intent"] else f" ({row['outcome']})")
            + f": {' '.join(row['text'].split())[:100]}"
            for row in weakest
        ),
    )
