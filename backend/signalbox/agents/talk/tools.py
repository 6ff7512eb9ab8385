"""The tools that a model may call in the general agent's hands: the catalogue's reads, and those of MCP servers."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, ClassVar, Final, cast

from pydantic import Field

from signalbox.retrieval.index import JobHit, JobHits
from signalbox.retrieval.query import parse_query
from signalbox.tools.base import Arguments, Effect, Tool
from signalbox.tools.calling import run_tool, settled
from signalbox.tools.result import Ok, Result
from signalbox.tools.search_jobs import JobSearch
from signalbox.tools.vocabulary import packaged_vocabulary

_LONGEST_TEXT: Final = 300
_SAID: Final = {
    "search_knowledge": (
        "Finds passages of careers guides on applying, interviews, offers, rights at work and the like. 'text' is the "
        "question in plain words; leave out 'topics'."
    ),
    "find_company": "What is on record of one company, by its name.",
    "find_wages": "What official wage tables say of an occupation ('role'), in a place if one is given.",
    "read_profile": "What is stored of this user: skills, wishes, limits. Takes no arguments.",
}


class Wish(Arguments):
    """``words``: as a person would say it."""

    words: str = Field(
        min_length=1,
        max_length=500,
        description="What is wanted, in plain words: role or skills, place, pay, remote, level; 'data jobs in Leeds'.",
    )
    limit: int = Field(default=8, ge=1, le=20)


@dataclass(frozen=True, slots=True)
class Posting:
    """A posting in short."""

    title: str
    company: str
    location: str | None
    remote: bool | None
    pay: str | None
    posted_at: date | None
    url: str | None
    sample: bool
    skills: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Postings:
    hits: tuple[Posting, ...]


class SearchByWords:
    """``search_jobs`` for a model: it says in words what is wanted, and gets the best postings in short."""

    name: ClassVar[str] = "search_jobs"
    effect: ClassVar[Effect] = "read"
    timeout_s: ClassVar[float] = 15.0
    description: ClassVar[str] = "Searches the catalogue of job postings. Every posting found meets what is asked for."

    def __init__(self, search: Tool[JobSearch, JobHits], today: date) -> None:
        self._search = search
        self._today = today

    async def run(self, arguments: Wish) -> Result[Postings]:
        query = await asyncio.to_thread(parse_query, arguments.words, self._today, packaged_vocabulary())
        asked = JobSearch(query=replace(query, limit=arguments.limit))
        found = settled(self._search, await run_tool(self._search, asked, ""))
        if not isinstance(found, Ok):
            return found
        return Ok(
            Postings(tuple(map(_short, found.value.hits))), found.truncated, found.total, found.as_of, found.missed
        )


class Described:
    """A tool with words for a model, where its own are for programmers."""

    def __init__(self, tool: Tool[Any, Any], description: str) -> None:
        self.description = description
        self.wrapped = getattr(tool, "wrapped", tool)
        self._tool = tool

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tool, name)


def remote_tools(tools: Mapping[str, Tool[Any, Any]]) -> list[Tool[Any, Any]]:
    """Those of MCP servers: they alone bring what a model is told of them."""
    return [tool for tool in tools.values() if hasattr(tool, "spec")]


def tools_for(tools: Mapping[str, Tool[Any, Any]], today: date) -> list[Tool[Any, Any]]:
    """What there is of them to work with, in the order of their use; ``today`` is the turn's."""
    return [*_of_catalogue(tools, today), *remote_tools(tools)]


def _of_catalogue(tools: Mapping[str, Tool[Any, Any]], today: date) -> Iterator[Tool[Any, Any]]:
    if "search_jobs" in tools:
        yield cast("Tool[Any, Any]", SearchByWords(tools["search_jobs"], today))
    for name, said in _SAID.items():
        if name in tools:
            yield cast("Tool[Any, Any]", Described(tools[name], said))


def _short(hit: JobHit) -> Posting:
    return Posting(
        title=hit.title,
        company=hit.company,
        location=hit.location,
        remote=hit.remote,
        pay=_pay(hit),
        posted_at=hit.posted_at,
        url=hit.url,
        sample=hit.sample,
        skills=tuple(hit.skills[:12]),
        text=hit.description[:_LONGEST_TEXT],
    )


def _pay(hit: JobHit) -> str | None:
    figures = [f"{figure:,.0f}" for figure in (hit.salary_min, hit.salary_max) if figure is not None]
    if not figures:
        return None
    return f"{' to '.join(figures)} {hit.currency or ''} per {hit.salary_period or 'year'}".replace("  ", " ")
