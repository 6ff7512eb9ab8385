"""Asks the catalogue and every live board side by side, and makes one list of what they hold. Knows no wording."""

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, Literal, cast

from signalbox.agents.base import TurnContext
from signalbox.retrieval.index import JobHit, JobHits
from signalbox.retrieval.query import JobQuery
from signalbox.retrieval.terms import Employment, employment_kind
from signalbox.tools.base import Tool
from signalbox.tools.boards.board import NO_POSTING, LiveBoard
from signalbox.tools.legs import missed_of
from signalbox.tools.result import Empty, Err, Missed, Ok, Result
from signalbox.tools.search_jobs import JobSearch, SearchJobs

CATALOGUE: Final = "job catalogue"

_LEGAL = re.compile(
    r"[\s,]+(?:inc|llc|ltd|limited|gmbh|ag|se|plc|corp|corporation|co|company|b\.?v|s\.?a|s\.?r\.?l|pty|oy|ab)\.?$",
    re.IGNORECASE,
)
_GENDER = re.compile(r"\((?:[mwfdxhi*]\s*/\s*)+[mwfdxhi*]\)|\ball genders\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Source:
    """What one source said. ``name`` is fit to show; ``key`` is what a board's postings carry as ``source``."""

    name: str
    result: Result[JobHits]
    key: str = ""

    @property
    def status(self) -> Literal["ok", "empty", "error"]:
        match self.result:
            case Ok():
                return "ok"
            case Empty():
                return "empty"
            case Err():
                return "error"

    @property
    def unseen(self) -> str:
        """What of a board's listing was not looked through, if it answered."""
        match self.result:
            case Ok(hits) if self.key:
                notes = "; ".join(leg.note for leg in hits.legs if leg.note)
                return notes or "; ".join(each.told for each in self.missed)
            case Empty(note) if self.key and note != NO_POSTING:
                return note
            case _:
                return ""

    @property
    def missed(self) -> tuple[Missed, ...]:
        """What of this source could not be asked, though it answered."""
        if not isinstance(self.result, Ok):
            return ()  # truth: the source as a whole is told as not asked
        return self.result.missed or missed_of(self.result.value.legs)

    @property
    def hits(self) -> tuple[JobHit, ...]:
        return self.result.value.hits if isinstance(self.result, Ok) else ()

    @property
    def total(self) -> int:
        return self.result.value.total if isinstance(self.result, Ok) else 0


@dataclass(frozen=True, slots=True)
class Found:
    """``total`` counts what all sources hold, each posting once as far as that can be seen. ``total_is_exact``: false
    where it can only be too high, because nobody compared what was not returned.
    """

    hits: tuple[JobHit, ...]
    total: int
    total_is_exact: bool


async def ask_all(ctx: TurnContext, query: JobQuery) -> tuple[Source, ...]:
    """The catalogue first, then the boards in their order. Takes as long as the slowest may, never the sum."""
    search = JobSearch(query=query)
    boards = [tool for tool in ctx.tools.values() if isinstance(tool, LiveBoard)]
    answers = await asyncio.gather(
        ctx.call(SearchJobs, search), *(ctx.call(cast("Tool[Any, Any]", board), search) for board in boards)
    )
    live = [Source(board.label, answer, board.source) for board, answer in zip(boards, answers[1:], strict=True)]
    return (Source(CATALOGUE, answers[0]), *live)


def merged(sources: Sequence[Source], query: JobQuery) -> Found:
    """One list, best or newest first. A vacancy that two sources advertise is shown once, as told at most length."""
    unwanted = kinds_ruled_out(query.exclude)
    every = [hit for source in sources for hit in source.hits]
    kept = [hit for hit in _once(every) if hit.employment_type not in unwanted]
    kept.sort(key=_newest if query.browses else _best)
    dropped = len(every) - len(kept)
    answered = [source for source in sources if source.status == "ok"]
    cut = any(source.total > len(source.hits) for source in answered)
    return Found(
        tuple(kept),
        sum(source.total for source in answered) - dropped,
        total_is_exact=not (cut and (dropped or len(answered) > 1)),
    )


def kinds_ruled_out(terms: Iterable[str]) -> frozenset[Employment]:
    """The kinds of employment among terms to leave out: "no part-time" is about the post, not about its text."""
    found = ((term, employment_kind(term)) for term in terms)
    return frozenset(kind[0] for term, kind in found if kind and kind[1] == (0, len(term)))


def _once(hits: Iterable[JobHit]) -> list[JobHit]:
    """Two rows of one source are two vacancies; the same company, title and place in two sources are one."""
    same: dict[tuple[str, str, str], dict[str, list[JobHit]]] = {}
    for hit in hits:
        same.setdefault(_identity(hit), {}).setdefault(hit.source, []).append(hit)
    return [hit for by_source in same.values() for hit in max(by_source.values(), key=_tell)]


def _identity(hit: JobHit) -> tuple[str, str, str]:
    place = "remote" if hit.remote else (hit.location or "").partition(",")[0]
    title = _GENDER.sub(" ", hit.title)
    return _letters(_LEGAL.sub("", hit.company)), _letters(title), _letters(place)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _tell(hits: Sequence[JobHit]) -> tuple[bool, int, bool, int]:
    """How much a source has to tell of a vacancy: real ones, most of them, with pay stated, at length."""
    first = hits[0]
    length = len(first.description) + len(first.requirements)
    return not first.sample, len(hits), first.salary_min is not None, length


def _best(hit: JobHit) -> float:
    return -hit.score


def _newest(hit: JobHit) -> int:
    return -(hit.posted_at or date.min).toordinal()
