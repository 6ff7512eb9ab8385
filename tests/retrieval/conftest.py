"""One vocabulary and one filled index for the tests of retrieval; everything they store is removed again."""

from collections.abc import AsyncIterator

import pytest

from signalbox.db import Database
from signalbox.llm.embedding import Embedder
from signalbox.retrieval.index import JobIndex
from signalbox.retrieval.ingest import load_samples
from signalbox.retrieval.skills import SkillVocabulary


@pytest.fixture(scope="session")
def vocabulary() -> SkillVocabulary:
    return SkillVocabulary.load()


@pytest.fixture(scope="package")
async def index(database: Database, embedder: Embedder, vocabulary: SkillVocabulary) -> AsyncIterator[JobIndex]:
    """The packaged samples, searchable."""
    await load_samples(database, embedder, vocabulary)
    yield JobIndex(database, embedder, vocabulary)
    await database.execute("DELETE FROM job")
