"""One live job board as a tool: its listing is fetched once for many searches, and searched in memory."""

import asyncio
import hashlib
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any, ClassVar, Final, Protocol, runtime_checkable

import httpx
import structlog

from signalbox.errors import SignalboxError
from signalbox.retrieval.index import JobHit, JobHits, Leg
from signalbox.retrieval.posting import RawPosting, normalise
from signalbox.retrieval.query import JobQuery
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.tools.base import Effect
from signalbox.tools.boards.fetch import Refused, Request, fetch_json
from signalbox.tools.boards.listing import Malformed, Page
from signalbox.tools.boards.meaning import TITLE_FLOOR, TITLE_MARGIN, TitleMeaning
from signalbox.tools.boards.meets import asks_for_excluded, meets_but_for_terms
from signalbox.tools.boards.relevance import BEST_SCORE, LivePosting, Relevance
from signalbox.tools.result import Empty, Err, Missed, Ok, Result, conclusive
from signalbox.tools.search_jobs import JobSearch

logger = structlog.get_logger(__name__)

# After a failure the board is left alone for so long, unless it names a time of its own.
COOL_DOWN_S: Final = 15.0
# Room for reading the payload, beside the time that fetching it may take.
READING_S: Final = 2.0
# Only a board that is asked anew for each query has more than one listing.
_LISTINGS: Final = 16
_ID = re.compile(r"[\w.-]{1,100}")
NO_POSTING: Final = "no posting there meets all of it"
_NO_MEANING: Final = Missed("the search by meaning", "unavailable", "titles could not be compared by meaning")
# Of a posting close in meaning only: less than any that names what was asked for.
_MEANING_SHARE: Final = 0.45

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Feed:
    """How a board is asked and read. ``name`` is fit for ids, ``label`` for people. ``request`` gives the first page,
    ``turn`` a later one (counted from 1), of at most ``pages``, while the last payload ``goes_on``. ``ttl_s``: how
    long a listing is good for.
    """

    name: str
    label: str
    request: Callable[[JobQuery], Request]
    read: Callable[[Any], Page | Malformed]
    ttl_s: float
    turn: Callable[[Request, int], Request] | None = None
    pages: int = 1
    goes_on: Callable[[Any], bool] = lambda _: False


@dataclass(frozen=True, slots=True)
class Listing:
    """``postings`` by their id, in the board's order."""

    postings: dict[str, LivePosting]
    note: str
    good_until: float
    missed: tuple[Missed, ...] = ()


@runtime_checkable
class LiveBoard(Protocol):
    """What tells a board from other tools, also one behind faults: ``label`` is fit to show, ``source`` is what its
    postings carry.
    """

    name: str
    label: str
    source: str


def tool_name(feed: Feed) -> str:
    return f"board_{feed.name}"


class JobBoard:
    """Made once at start and shared by all runs. Searches that come together share one fetch; a board that fails is
    left alone for a while, and says so at once.
    """

    effect: ClassVar[Effect] = "read"
    empty_note: ClassVar[str] = NO_POSTING

    def __init__(
        self,
        feed: Feed,
        http: httpx.AsyncClient,
        vocabulary: SkillVocabulary,
        meaning: TitleMeaning,
        *,
        timeout_s: float,
        clock: Clock = time.monotonic,
    ) -> None:
        self.name = tool_name(feed)
        self.label = feed.label
        self.source = f"live:{feed.name}"
        self.timeout_s = timeout_s + READING_S
        self._feed = feed
        self._http = http
        self._vocabulary = vocabulary
        self._meaning = meaning
        self._fetch_s = timeout_s
        self._clock = clock
        self._lock = asyncio.Lock()
        self._listings: OrderedDict[Request, Listing] = OrderedDict()
        self._refusal: tuple[Err, float] | None = None

    async def run(self, arguments: JobSearch) -> Result[JobHits]:
        """Every hit meets every condition of the query, as in the catalogue. The leg's note says what of the listing
        was not seen.
        """
        listing = await self._listing(self._feed.request(arguments.query))
        if isinstance(listing, Err):
            return listing
        hits, total, uncompared = await asyncio.to_thread(self._search, listing, arguments.query)
        missed = (*listing.missed, *((_NO_MEANING,) if uncompared is None else ()))
        if not total:
            unmeant = f"{uncompared:,} titles there have not been compared by meaning yet" if uncompared else ""
            scope = "; ".join(filter(None, [listing.note, unmeant]))
            return conclusive(Empty(scope or self.empty_note, missed))
        notes = "; ".join(filter(None, [listing.note, *(each.note for each in missed)]))
        found = JobHits(hits, total, (Leg("recent" if arguments.query.browses else "text", "ok", notes),))
        return Ok(found, truncated=found.truncated, total=total, missed=missed)

    def posting(self, job_id: str) -> JobHit | None:
        """A posting of a listing that is still held, whole."""
        for listing in tuple(self._listings.values()):
            if posting := listing.postings.get(job_id):
                return posting.whole(self._vocabulary)
        return None

    async def _listing(self, request: Request) -> Listing | Err:
        async with self._lock:
            now = self._clock()
            known = self._listings.get(request)
            if known and known.good_until > now:
                return known
            if self._refusal and self._refusal[1] > now:
                return _again(*self._refusal, now)
            fetched = await self._fetch(request)
            if isinstance(fetched, Listing):
                self._refusal = None
                return fetched
            self._refusal = (fetched.err, self._clock() + (COOL_DOWN_S if fetched.wait_s is None else fetched.wait_s))
            logger.warning(
                "a job board could not be asked", board=self.name, kind=fetched.err.kind, why=fetched.err.note
            )
            return fetched.err

    async def _fetch(self, request: Request) -> Listing | Refused:
        """The first page must come; what later ones lack is noted."""
        deadline = time.monotonic() + self._fetch_s
        payloads: list[Any] = []
        trouble = ""
        for number in range(1, self._feed.pages + 1):
            asked = request if number == 1 or self._feed.turn is None else self._feed.turn(request, number)
            fetched = await fetch_json(self._http, asked, timeout_s=max(0.05, deadline - time.monotonic()))
            if isinstance(fetched, Refused):
                if not payloads:
                    return fetched
                trouble = f"page {number} could not be read"
                break
            payloads.append(fetched.value)
            if not self._feed.goes_on(fetched.value):
                break
        # The thread keeps what it read itself: a payload that takes longer to read than this search may wait is
        # there for the next one.
        return await asyncio.to_thread(self._read, request, payloads, trouble)

    def _read(self, request: Request, payloads: list[Any], trouble: str) -> Listing | Refused:
        pages: list[Page] = []
        for payload in payloads:
            page = self._feed.read(payload)
            if isinstance(page, Malformed):
                if not pages:
                    return Refused(Err("unavailable", page.reason))
                trouble = trouble or f"page {len(pages) + 1} could not be read"
                break
            pages.append(page)
        postings = self._normalised([raw for page in pages for raw in page.postings])
        more = self._feed.goes_on(payloads[-1])
        missed = (Missed(self.label, "unavailable", trouble),) if trouble else ()
        listing = Listing(postings, _note(pages, more=more and not trouble), self._clock() + self._feed.ttl_s, missed)
        self._listings.pop(request, None)
        self._listings[request] = listing
        while len(self._listings) > _LISTINGS:
            self._listings.popitem(last=False)
        return listing

    def _normalised(self, rows: list[RawPosting]) -> dict[str, LivePosting]:
        today = datetime.now(UTC).date()
        postings: dict[str, LivePosting] = {}
        for hit in (self._hit(raw, today) for raw in rows):
            postings.setdefault(hit.job_id, LivePosting(hit))
        return postings

    def _hit(self, raw: RawPosting, today: date) -> JobHit:
        """In the catalogue's units and words. Tags that are no skills are dropped, and the skills that the text names
        are left for later: reading them costs a hundred times the rest.
        """
        stated = [name for tag in raw.skills if (name := self._vocabulary.canonical(tag))]
        bare = raw.model_copy(
            update={"source": self._feed.name, "skills": stated, "description": "", "requirements": ""}
        )
        row = normalise(bare, self._vocabulary, today=today, tenant="public", sample=False).model_dump()
        del row["tenant"], row["digest"]
        told = {"description": raw.description, "requirements": raw.requirements, "source": self.source}
        return JobHit.of({**row, **told, "job_id": live_job_id(self._feed.name, raw.id)})

    def _search(self, listing: Listing, query: JobQuery) -> tuple[tuple[JobHit, ...], int, int | None]:
        """The best, how many there are, and how many titles were not compared by meaning; None: none could be."""
        uncompared: int | None = 0
        fitting = sorted((each for each in listing.postings.values() if meets_but_for_terms(query, each.hit)), key=_age)
        scored = [(0.0, posting) for posting in fitting]
        if not query.browses:
            scored, uncompared = self._relevant(fitting, query)
        scored.sort(key=lambda each: -each[0])
        # Last, since it reads whole texts.
        scored = [each for each in scored if not asks_for_excluded(query, each[1].hit)]
        best = [posting.whole(self._vocabulary, score) for score, posting in scored[: query.limit]]
        return tuple(best), len(scored), uncompared

    def _relevant(
        self, postings: list[LivePosting], query: JobQuery
    ) -> tuple[list[tuple[float, LivePosting]], int | None]:
        test = Relevance(query, self._vocabulary)
        scores = [(test.score(posting), posting) for posting in postings]
        found = [(score, posting) for score, posting in scores if score is not None]
        others = [posting for score, posting in scores if score is None and test.has_tools(posting)]
        uncompared = 0
        if others:
            titles = [posting.hit.title for posting in (*(posting for _, posting in found), *others)]
            try:
                near = self._meaning.cosines(query.text, titles)
            except (SignalboxError, RuntimeError, OSError) as exc:
                logger.warning("titles could not be compared by meaning", board=self.name, error=type(exc).__name__)
                return found, None
            uncompared = sum(posting.hit.title.casefold() not in near for posting in others)
            least = max(TITLE_FLOOR, max(near.values()) - TITLE_MARGIN)
            for posting in others:
                cosine = near.get(posting.hit.title.casefold(), 0.0)
                if cosine >= least:
                    found.append((BEST_SCORE * _MEANING_SHARE * cosine, posting))
        return found, uncompared


def live_job_id(board: str, external_id: str) -> str:
    """Stable over fetches, and fit for a path: an id of other letters is told by its digest."""
    if _ID.fullmatch(external_id):
        return f"live_{board}_{external_id}"
    return f"live_{board}_{hashlib.blake2b(external_id.encode(), digest_size=10).hexdigest()}"


def _age(posting: LivePosting) -> tuple[int, str]:
    """Newest first, undated last; ids decide between equals."""
    posted = posting.hit.posted_at
    return (-posted.toordinal() if posted else 1, posting.hit.job_id)


def _again(err: Err, until: float, now: float) -> Err:
    """The same failure, known without asking again."""
    if err.kind == "rate_limit":
        return replace(err, note=f"it asks to be left alone for another {max(1, round(until - now))} seconds")
    return replace(err, note=f"{err.note}; not asked again yet")


def _note(pages: list[Page], *, more: bool) -> str:
    rows, unread = sum(page.rows for page in pages), sum(page.unread for page in pages)
    notes = [f"{unread:,} of {rows:,} rows could not be read"] if unread else []
    matches = pages[0].matches
    if more:
        notes.append(f"only its newest {rows:,} postings were looked through")
    elif matches is not None and matches > rows:
        notes.append(f"only {rows:,} of its {matches:,} matches were looked through")
    return "; ".join(notes)
