"""Searches the knowledge base for passages that answer a question."""

from typing import ClassVar, Self

from pydantic import Field

from signalbox.retrieval.filters import PUBLIC_TENANT
from signalbox.retrieval.library import Library, PassageHits
from signalbox.tools.base import Arguments, Effect, Kit
from signalbox.tools.legs import missed_of
from signalbox.tools.result import Empty, Ok, Result, conclusive


class KnowledgeQuery(Arguments):
    """``topics`` narrows to documents on any of them; ``limit`` beyond what is useful is cut down."""

    text: str
    limit: int = Field(default=6, ge=1, le=50)
    topics: tuple[str, ...] = ()


class SearchKnowledge:
    """A search that could only half look and found nothing is an ``Err``: nothing may be concluded from it."""

    name: ClassVar[str] = "search_knowledge"
    effect: ClassVar[Effect] = "read"
    timeout_s: ClassVar[float] = 10.0
    empty_note: ClassVar[str] = "nothing in the library is about that"

    def __init__(self, library: Library, tenant: str = PUBLIC_TENANT) -> None:
        self._library = library
        self._tenant = tenant

    @classmethod
    def make(cls, kit: Kit) -> Self:
        return cls(Library(kit.db, kit.embedder), kit.owner.tenant)

    async def run(self, arguments: KnowledgeQuery) -> Result[PassageHits]:
        found = await self._library.search(
            arguments.text, limit=arguments.limit, topics=arguments.topics, tenant=self._tenant
        )
        missed = missed_of(found.legs)
        return Ok(found, missed=missed) if found.passages else conclusive(Empty(self.empty_note, missed))
