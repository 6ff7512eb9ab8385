import pytest
from pydantic import ValidationError

from signalbox.llm.embedding import Embedder
from signalbox.memory.profile import Owner, ProfileStore
from signalbox.retrieval.documents.ingest import ingest_documents
from signalbox.retrieval.index import Leg
from signalbox.retrieval.library import PassageHits
from signalbox.tools.base import Kit
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.search_knowledge import KnowledgeQuery, SearchKnowledge
from signalbox.tools.toolbox import build_tools

QUESTION = KnowledgeQuery(text="how much notice must I give?")


class Shelf:
    """Answers what it was given."""

    def __init__(self, hits: PassageHits) -> None:
        self._hits = hits

    async def search(self, text, *, limit, topics, tenant):
        return self._hits


async def test_nothing_found_and_half_a_search_that_found_nothing_are_told_apart():
    whole = PassageHits((), (Leg("text", "ok"), Leg("meaning", "ok")))
    half = PassageHits((), (Leg("text", "ok"), Leg("meaning", "failed", "no vector")))
    assert isinstance(await SearchKnowledge(Shelf(whole)).run(QUESTION), Empty)
    failed = await SearchKnowledge(Shelf(half)).run(QUESTION)
    assert isinstance(failed, Err)
    assert "no vector" in failed.note


async def test_a_made_tool_finds_its_tenants_documents(database, embedder: Embedder, tmp_path):
    (tmp_path / "notice.md").write_text(
        "---\ntopics: [leaving]\n---\n# Notice\n\nGive eight weeks of notice in writing."
    )
    await ingest_documents(database, embedder, tmp_path, source="handbook", tenant="acme")

    def tool(tenant):
        kit = Kit(
            db=database,
            embedder=embedder,
            index=None,
            profiles=ProfileStore(database),
            vocabulary=None,
            owner=Owner(tenant, "u"),
            message_id="m",
            temporary=False,
        )
        return SearchKnowledge.make(kit)

    found = await tool("acme").run(QUESTION)
    assert isinstance(found, Ok)
    assert found.value.passages[0].content == "Give eight weeks of notice in writing."
    assert isinstance(await tool("acme").run(QUESTION.model_copy(update={"topics": ("cooking",)})), Empty)
    other = await tool("other").run(QUESTION)
    assert isinstance(other, Empty) or all(hit.source != "handbook" for hit in other.value.passages)
    await database.execute("DELETE FROM document WHERE source = 'handbook'")


async def test_a_text_without_words_is_empty(database, embedder):
    tool = SearchKnowledge.make(
        Kit(
            db=database, embedder=embedder, index=None, profiles=None, vocabulary=None,
            owner=Owner("public", "u"), message_id="m", temporary=False,
        )
    )  # fmt: skip
    assert isinstance(await tool.run(KnowledgeQuery(text=" ?! ")), Empty)


def test_unknown_arguments_are_refused():
    with pytest.raises(ValidationError):
        KnowledgeQuery(text="x", tenant="other")
    with pytest.raises(ValidationError):
        KnowledgeQuery(text="x", limit=0)


def test_the_tool_is_found_by_its_name():
    kit = Kit(
        db=None, embedder=None, index=None, profiles=ProfileStore(None), vocabulary=None,
        owner=Owner("public", "u"), message_id="m", temporary=False,
    )  # fmt: skip
    assert isinstance(build_tools(kit)["search_knowledge"], SearchKnowledge)
