"""Which postings a message wants judged, read anew: those on the table, the one pasted, or one that is named."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from signalbox.agents.base import TurnContext
from signalbox.agents.matching.facts import MatchFacts
from signalbox.agents.matching.pasted import Pasted, pasted_before
from signalbox.agents.matching.sifting import asks_which
from signalbox.agents.matching.wish import Aspect, read_match_wish, wants_list
from signalbox.agents.turn import Turn
from signalbox.agents.words.shown import Meant, focus, jobs_meant, latest_shown, search_was_empty, the_list
from signalbox.agents.words.shown_names import PASTED_ID, Shown, is_named, names_company
from signalbox.blocks import Job
from signalbox.memory.conversation import PastMessage
from signalbox.memory.statement_rules import is_occupation
from signalbox.memory.words import words_in
from signalbox.retrieval.facts.role_words import stems
from signalbox.retrieval.index import JobHit
from signalbox.retrieval.pay import find_pay
from signalbox.retrieval.query import parse_query
from signalbox.tools.find_jobs import FindJobs, JobReferences
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.search_jobs import JobSearch, SearchJobs
from signalbox.tools.vocabulary import packaged_vocabulary

MAX_JUDGED: Final = 10
_LOOKED_AT: Final = 5
_NO_NAME: Final = words_in(
    """job role this that it one remote paid paying best kind sort of such same other whole above my your more less
    senior junior fit match most highest lowest good bad perfect dream closest nearest newest latest oldest worst
    cheapest furthest farthest top real permanent part full time company list closer newer better"""
)
# "The museum curator job", "an accounts executive post at Tally": a posting that is named and need not be on the table.
# Of a title: "Python Developer, Geospatial", "Engineer (C++, Node.js)".
_LETTER: Final = r"(?:[^\n,.;:!?]|(?-i:,\s?(?=[A-Z(])|\.(?=\w)|,(?=[^()\n]{1,40}\))))"
_NAMED = re.compile(
    r"\b(?:the|this|that|an?|your|their)\s+(?P<what>(?!(?:best|first|second|third|last|other|same|right|good|new|"
    rf"next)\b)(?:(?!\b(?:the|this|that|an?|your|their|with|for)\b){_LETTER}){{3,80}}?)\s+(?:job|role|position|"
    r"posting|post|ad|advert|vacancy|one|opening|gig)\b(?:\s+(?:at|with|from)\s+(?P<company>[^\n,.;:!?]{2,40}))?"
    r"|\b(?:post|job|role|position|vacancy) (?:of|as|for an?)\s+(?:an?\s+)?(?P<after>[^\n,.;:!?]{3,60})"
    r"|\b(?:the|that) (?:one|job|role|ad|advert|posting|position|vacancy) (?:in|at|with|from) "
    r"(?P<where>[^\n,.;:!?]{2,40})",
    re.IGNORECASE,
)
# "For Cloud Engineer at Zephyr Cloudworks": named without the word "job".
_TITLED = re.compile(
    rf"\b(?:for|fit|about|to|of|with|is|as good as)\s+(?:the\s+|an?\s+)?(?P<title>{_LETTER}{{3,80}}?)\s+(?:at|with)\s+"
    r"(?P<company>(?-i:[A-ZÀ-Þ])[^\n,.;:!?]{1,40})",
    re.IGNORECASE,
)
_OF_THESE = re.compile(r"\bof (?:these|them|those)\b", re.IGNORECASE)
# A question about one posting that names none: it is about the one spoken of last.
_IT = re.compile(r"\b(?:it|its|this|that|the (?:job|posting|role|position|ad|advert))\b", re.IGNORECASE)
_WHICH_OF_IT = re.compile(r"\b(?:which|what) (?:company|employer|firm|town|city|country)\b.*\bit\b", re.IGNORECASE)
# "And the second?", "number 3?": the question is that of the message before.
_POINTS_ONLY = re.compile(
    r"^\W*(?:(?:and|ok|okay|so|now|then|what|how|about|for|with|same|question|the|number|no|nr|job|posting|one|ones|please|"
    r"too|as|well|or|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|other|next|\d{1,2}|#)\b\W*)+$",
    re.IGNORECASE,
)
# What a list is asked without a word that only its judge knows: "is the first one full-time?", "sort by pay".
_OF_THE_TABLE: Final[frozenset[Aspect]] = frozenset({"remote", "employment", "office", "place", "posted"})
_ASKS = re.compile(
    r"^\W*(?:(?:and|so|ok|okay|but|then|well)\W+)*(?:is|are|was|were|does|do|has|when|where|how (?:old|long)|"
    r"(?:can|could|would|may|will) (?:i|it|that|this|the)\b(?! (?:apply|get|have|fit)\b))",
    re.IGNORECASE,
)
_SORTS = re.compile(
    r"^\W*(?:(?:and|now|then|ok|okay|please|can you|could you|now)\W+)*(?:sort|order|rank|arrange)\b"
    r"(?: (?:them|these|those|it|all|the (?:list|jobs|ones|results|postings)))?(?: all)? by (?:the )?"
    r"(?:pay|salary|money|wages?|date|newest|level|seniority|distance|fit|match)\b",
    re.IGNORECASE,
)
_MOST_ASKED: Final = 16
_LONGEST_ASKED: Final = 200
_LONGEST_POINT: Final = 60
_MOST_LOOKED_BACK: Final = 3


@dataclass(frozen=True, slots=True)
class Judged:
    """What is to be judged: postings as they stand now with their numbers, or why there are none. ``said``: what the
    user said beside a posting pasted earlier.
    """

    facts: MatchFacts
    hits: tuple[tuple[int, JobHit], ...] = ()
    said: str = ""


def asks_of_the_table(message: str, history: Sequence[PastMessage]) -> bool:
    """The newest answer showed postings, and the message has them sorted, or asks of one what its posting states."""
    if len(message) > _LONGEST_ASKED or len(message.split()) > _MOST_ASKED:
        return False
    newest = history[-1] if history else None
    shown = newest is not None and any(block.get("type") in {"jobs_data", "job_match"} for block in newest.blocks)
    if not shown or not latest_shown(history):
        return False
    if _SORTS.match(message) or (asks_which(message) and find_pay(message)):
        return True
    wish = read_match_wish(message, packaged_vocabulary(), several=False)
    reaches = "pay" in wish.about and find_pay(message) is not None
    if not _ASKS.match(message) or not (reaches or _OF_THE_TABLE & set(wish.about)):
        return False
    meant = jobs_meant(message, history)
    return (meant.how == "place" and len(meant.jobs) == 1) or (_IT.search(message) is not None and meant.how != "all")


def question_of(message: str, history: Sequence[PastMessage]) -> str:
    """What is asked: the message itself, or the question it repeats of another posting ("and the second?")."""
    if len(message) > _LONGEST_POINT or not _POINTS_ONLY.match(message):
        return message
    asked = [past.content for past in reversed(history) if past.role == "user" and past.intent == "job_match"]
    for earlier in asked[:_MOST_LOOKED_BACK]:
        if not _POINTS_ONLY.match(earlier):
            return earlier
    return message


async def to_judge(message: str, pasted: Pasted | None, turn: Turn, ctx: TurnContext) -> Judged:
    """The postings meant: the one in the message, those on the table, or one that is named."""
    nothing = MatchFacts(outcome="nothing_shown", today=turn.today, after_empty=search_was_empty(turn.history))
    if pasted:
        return Judged(
            nothing.model_copy(update={"outcome": "judged", "pasted": True, "pasted_now": True}), ((1, pasted.hit),)
        )
    meant = jobs_meant(message, turn.history)
    named = _named(message, meant)
    if meant.absent and not meant.jobs:
        facts = nothing.model_copy(update={"outcome": "no_such_place", "absent": meant.absent, "list_length": meant.of})
        return Judged(facts)
    if named:
        return await _looked_up(nothing, named, ctx)
    table = _table(message, meant, turn.history)[:MAX_JUDGED]
    if not table:
        return Judged(nothing)
    if len(table) > 1 and meant.how == "none" and _about_one(message):
        choices = tuple((shown.place, shown.job.title) for shown in table)
        found = {
            "outcome": "which_one",
            "choices": choices,
            "list_length": len(table),
            "named": message[:_LONGEST_POINT],
        }
        return Judged(nothing.model_copy(update=found))
    return await _as_they_stand(nothing, meant, table, turn, ctx)


def _table(message: str, meant: Meant, history: Sequence[PastMessage]) -> tuple[Shown, ...]:
    """The postings meant; where none is pointed at, what was spoken of or shown last."""
    whole = the_list(history)
    if _SORTS.match(message):
        latest = latest_shown(history)
        return latest if len(latest) > 1 else whole
    if wants_list(message) and meant.how != "place":
        return whole
    if asks_which(message) and meant.how in {"all", "none", "kind"}:
        latest = latest_shown(history)
        return latest if _OF_THESE.search(message) and len(latest) > 1 else whole
    one = focus(history) if _about_one(message) else None
    if one and (meant.how == "none" or (meant.how == "all" and _WHICH_OF_IT.search(message))):
        return (one,)
    if meant.jobs:
        return meant.jobs
    return latest_shown(history) or whole


def _about_one(message: str) -> bool:
    """It asks something of a single posting and names none."""
    wish = read_match_wish(message, packaged_vocabulary(), several=False)
    points = _IT.search(message) is not None
    if wish.form in {"tell", "apply"}:
        return True
    return points and bool(wish.about or wish.form == "explain")


async def _as_they_stand(
    facts: MatchFacts, meant: Meant, table: Sequence[Shown], turn: Turn, ctx: TurnContext
) -> Judged:
    """The postings read anew, so that nothing is said of them that has changed since they were shown."""
    there: dict[str, JobHit] = {}
    again = None
    if any(shown.job.job_id == PASTED_ID for shown in table):
        again = await asyncio.to_thread(pasted_before, turn.history, packaged_vocabulary(), today=facts.today)
        there |= {PASTED_ID: again.hit} if again else {}
    if stored := tuple(shown.job.job_id for shown in table if shown.job.job_id != PASTED_ID):
        match await ctx.call(FindJobs, JobReferences(job_ids=stored)):
            case Err():
                return Judged(facts.model_copy(update={"outcome": "unavailable"}))
            case Ok(hits, truncated, missed=missed):
                there |= {hit.job_id: hit for hit in hits}
                # One that was not reached is not gone.
                if (missed or truncated) and not set(stored) <= there.keys():
                    return Judged(facts.model_copy(update={"outcome": "unavailable"}))
            case Empty():
                pass
    # A posting of the message's has no number in the list: it is counted behind its end.
    behind = max([meant.of, *(shown.place for shown in table)]) + 1 if stored else 1
    left = tuple(
        (behind if shown.job.job_id == PASTED_ID else shown.place, there[shown.job.job_id])
        for shown in table
        if shown.job.job_id in there
    )
    gone: tuple[Job, ...] = tuple(shown.job for shown in table if shown.job.job_id not in there)
    found = {
        "outcome": "judged" if left else "gone",
        "gone": gone,
        "absent": meant.absent,
        "list_length": meant.of,
        "guessed": meant.how == "this" and meant.of > 1 and len(latest_shown(turn.history)) > 1 and bool(stored),
        "pasted": not stored,
        "off_list": bool(stored) and len(left) == 1 and left[0][0] > meant.of,
    }
    return Judged(facts.model_copy(update=found), left, again.question if again else "")


def _named(message: str, meant: Meant) -> str | None:
    """A posting that is named and none of those meant."""
    match = _NAMED.search(message)
    if meant.how in {"place", "kind", "this", "some"} or asks_which(message):
        return None
    titled = None if match or meant.how == "all" else _TITLED.search(message)
    if titled and is_occupation(_bare(titled["title"]).split()):
        what, company = titled["title"].strip(), titled["company"]
    elif match:
        what, company = (match["what"] or match["after"] or match["where"]).strip(), match["company"]
    else:
        return None
    words = stems(what)
    if not words or words <= _NO_NAME:
        return None
    named = f"{what} at {company.strip()}" if company else what
    if meant.how in {"name", "title"}:
        # Another post of that employer, or that post elsewhere, is not what was asked about.
        other = company and is_occupation(_bare(what).split())
        return named if other and not any(is_named(message, shown.job) for shown in meant.jobs) else None
    return named


def _bare(title: str) -> str:
    """A title without what qualifies it behind a comma or in brackets."""
    return re.split(r"\s*[,(/|]|\s-\s", title.strip())[0]


async def _looked_up(facts: MatchFacts, named: str, ctx: TurnContext) -> Judged:
    """The posting of the catalogue that is called so; near in meaning is not enough."""
    vocabulary = packaged_vocabulary()
    query = await asyncio.to_thread(parse_query, named, facts.today, vocabulary)
    if query.browses:
        # A town or a company says where, and not which posting was meant.
        return Judged(facts.model_copy(update={"outcome": "not_found", "named": named}))
    result = await ctx.call(SearchJobs, JobSearch(query=replace(query, limit=_LOOKED_AT)))
    bare = facts.model_copy(update={"named": named})
    match result:
        case Err():
            return Judged(bare.model_copy(update={"outcome": "unavailable"}))
        case Empty():
            return Judged(bare.model_copy(update={"outcome": "not_found"}))
        case Ok(hits, missed=missed):
            what, _, company = named.partition(" at ")
            wanted = stems(what)
            for hit in hits.hits:
                theirs = not company or names_company(company, hit.company)
                if theirs and wanted <= stems(f"{hit.title} {hit.company}"):
                    return Judged(
                        bare.model_copy(update={"outcome": "judged", "looked_up": True, "off_list": True}), ((1, hit),)
                    )
            # Among postings that were searched in part only, the one meant may be any of the others.
            return Judged(bare.model_copy(update={"outcome": "unavailable" if missed else "not_found"}))
