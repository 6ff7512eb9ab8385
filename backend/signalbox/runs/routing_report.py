"""What live classification shows: where confidence is low, what users chose instead, and labels to learn from.

Reads only. The text of a temporary conversation is never stored, so none can come out here.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from signalbox.db import Database
from signalbox.envelope import INTENTS
from signalbox.graph.intent_data import Example

SHOWN: Final = 10
_CHOSEN: Final = frozenset({"chosen", "chose_other"})


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
class Live:
    """One message as it was classified; ``chosen``: what the user said it was, when asked. ``recent`` as in `Example`.

    A user's choice is a weak label: people also choose what looks more interesting.
    """

    text: str
    intent: str
    confidence: float
    outcome: str
    chosen: str | None
    recent: tuple[str, ...]

    @property
    def label(self) -> str:
        return self.chosen if self.outcome in _CHOSEN and self.chosen else self.intent


@dataclass(frozen=True, slots=True)
class RoutingReport:
    """``confusions``: (classified as, chosen instead, times). ``weakest``: the least certain messages that were not
    settled by a choice. ``chosen``: the latest that were.
    """

    rows: tuple[IntentRow, ...]
    confusions: tuple[tuple[str, str, int], ...]
    weakest: tuple[Live, ...]
    chosen: tuple[Live, ...]


# ruff: noqa: S608 - these join constants only; every value is a placeholder.
_SINCE: Final = "c.source IN ('classifier', 'model') AND (%(since)s::timestamptz IS NULL OR c.created_at >= %(since)s)"

_BY_INTENT: Final = f"""
SELECT intent, count(*) AS n, avg(confidence) AS mean_confidence,
       avg((outcome <> 'routed')::int) AS clarified,
       count(*) FILTER (WHERE outcome = 'chose_other') AS chose_other,
       mode() WITHIN GROUP (ORDER BY coalesce(chosen_intent, alternatives #>> '{{0,intent}}'))
           FILTER (WHERE outcome <> 'routed') AS confused_with
FROM classification c WHERE {_SINCE}
GROUP BY intent ORDER BY clarified DESC, n DESC, intent
"""

_CONFUSIONS: Final = f"""
SELECT intent, chosen_intent, count(*) AS n FROM classification c
WHERE outcome = 'chose_other' AND chosen_intent IS NOT NULL AND {_SINCE}
GROUP BY intent, chosen_intent ORDER BY n DESC, intent, chosen_intent LIMIT %(limit)s
"""

_LIVE: Final = f"""
SELECT c.text, c.intent, c.confidence, c.outcome, c.chosen_intent AS chosen,
       ARRAY(SELECT p.intent FROM run p WHERE p.conversation_id = r.conversation_id AND p.position < r.position
             AND p.intent IS NOT NULL ORDER BY p.position DESC LIMIT 3) AS recent
FROM classification c JOIN run r ON r.run_id = c.run_id
     JOIN conversation v ON v.conversation_id = r.conversation_id
WHERE c.text <> '' AND NOT v.temporary AND {_SINCE}
"""

_WEAKEST: Final = f"{_LIVE} AND c.outcome IN ('routed', 'clarified') ORDER BY c.confidence, c.run_id LIMIT %(limit)s"
_CHOICES: Final = f"{_LIVE} AND c.outcome IN ('chosen', 'chose_other') ORDER BY c.created_at DESC LIMIT %(limit)s"
_ALL: Final = f"{_LIVE} ORDER BY c.created_at, c.run_id"


async def routing_report(db: Database, since: datetime | None) -> RoutingReport:
    """Raises ``StoreUnavailable``."""
    params = {"since": since, "limit": SHOWN}
    rows = await db.fetch(_BY_INTENT, params)
    confusions = await db.fetch(_CONFUSIONS, params)
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
        confusions=tuple((row["intent"], row["chosen_intent"], row["n"]) for row in confusions),
        weakest=tuple([_live(row) for row in await db.fetch(_WEAKEST, params)]),
        chosen=tuple([_live(row) for row in await db.fetch(_CHOICES, params)]),
    )


async def live_messages(db: Database, since: datetime | None) -> list[Live]:
    """Every classified message whose text is stored, oldest first. Raises ``StoreUnavailable``."""
    return [_live(row) for row in await db.fetch(_ALL, {"since": since})]


def labelled(
    messages: list[Live], *, min_confidence: float = 0.0, only_chosen: bool = False
) -> Iterator[tuple[Example, Live]]:
    """The messages as labelled ones, each wording once per preceding intents: a choice wins over a guess.

    What the user did not settle is marked for review and kept only from ``min_confidence`` on; intents of agents
    that are not built in have no place in a labelled file.
    """
    kept: dict[tuple[str, tuple[str, ...]], tuple[Example, Live]] = {}
    for live in messages:
        settled = live.outcome in _CHOSEN
        if live.label not in INTENTS or (not settled and (only_chosen or live.confidence < min_confidence)):
            continue
        recent = tuple(intent for intent in live.recent if intent in INTENTS)
        example = Example("", live.text, live.label, (), recent, review=not settled)
        key = (example.said, recent)
        if example.said and (key not in kept or (settled and kept[key][0].review)):
            kept[key] = (example, live)
    for number, (example, live) in enumerate(kept.values(), start=1):
        yield replace(example, id=f"live{number:05d}"), live


def _live(row: dict[str, object]) -> Live:
    fields = dict(row)
    recent = fields.pop("recent")
    assert isinstance(recent, list), "SQL's ARRAY is never null"
    return Live(**fields, recent=tuple(reversed(recent)))  # type: ignore[arg-type]
