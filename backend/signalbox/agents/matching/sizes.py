"""The sizes of the companies behind postings, asked for only where a limit on size is set."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from signalbox.agents.base import TurnContext
from signalbox.retrieval.fit.limits import Sizes
from signalbox.retrieval.fit.person import Candidate
from signalbox.retrieval.index import JobHit
from signalbox.tools.company_sizes import CompanyNames, CompanySizes
from signalbox.tools.result import Empty, Err, Ok


@dataclass(frozen=True, slots=True)
class KnownSizes:
    """``sizes`` as the ranking takes them. ``failed``: they could not be looked up, so that every one is unknown."""

    sizes: Sizes = field(default_factory=dict)
    failed: bool = False


async def sizes_of(hits: Sequence[JobHit], candidate: Candidate, ctx: TurnContext) -> KnownSizes:
    """One call for all companies; none where ``candidate`` sets no limit on size or there is no posting."""
    names = tuple(dict.fromkeys(hit.company for hit in hits))[:1_000]
    if not candidate.wants_size or not names:
        return KnownSizes()
    match await ctx.call(CompanySizes, CompanyNames(names=names)):
        case Ok(sizes):
            return KnownSizes(sizes)
        case Empty():
            return KnownSizes()
        case Err():
            return KnownSizes(failed=True)
