import json
import re
import statistics
import time
from datetime import date
from pathlib import Path

import pytest

from signalbox.db import Database
from signalbox.errors import RunInterrupted, StoreUnavailable
from signalbox.llm.embedding import Embedder
from signalbox.retrieval.documents.ingest import ingest_documents
from signalbox.retrieval.library import Library, citation_of_passage, passage_block

PAGES = {
    "pay.md": """---
title: Asking for more pay
version: "2"
date: 2026-03-01
topics: [pay, offers]
url: https://example.org/pay
---
Most employers expect a candidate to negotiate the first offer.

## When to ask

Ask after the written offer and before you sign. Thank them, name a figure and give one reason for it.

## What else can be negotiated

Holiday, a signing bonus, the start date and remote days are often easier to move than the base salary.
""",
    "interviews.md": """---
title: Preparing for an interview
date: 2025-11-20
topics: [interviews]
---
## Stories

Prepare five stories by the STAR method: situation, task, action and result. Keep each under two minutes.

## Questions to ask them

Ask what success in the first six months looks like and how the team decides what to build.
""",
    "languages.md": """---
title: Which programming language to learn
topics: [skills]
---
C++ and C# are different languages: games and trading systems use C++, business software on Windows uses C# and .NET.

## Node.js

Node.js runs JavaScript on a server.
""",
}


@pytest.fixture(scope="module")
async def library(database: Database, embedder: Embedder, tmp_path_factory):
    folder = tmp_path_factory.mktemp("advice")
    for name, text in PAGES.items():
        (folder / name).write_text(text, encoding="utf-8")
    await ingest_documents(database, embedder, folder, source="advice")
    yield Library(database, embedder)
    await database.execute("DELETE FROM document WHERE source = 'advice'")


@pytest.mark.parametrize(
    ("question", "title", "words"),
    [
        ("when should I negotiate my salary?", "Asking for more pay", "written offer"),
        ("can I negotiate extra holiday or a bonus", "Asking for more pay", "Holiday"),
        ("STAR method", "Preparing for an interview", "situation, task"),
        ("what do I ask the interviewer at the end?", "Preparing for an interview", "first six months"),
        ("is C# the same as C++", "Which programming language to learn", "different languages"),
        ("node js", "Which programming language to learn", "JavaScript on a server"),
    ],
)
async def test_a_question_finds_the_passage_that_answers_it(library, question, title, words):
    found = await library.search(question, source="advice")
    assert found.passages[0].title == title
    assert words in found.passages[0].content
    assert not found.degraded


@pytest.mark.parametrize(
    "question",
    [
        "how do I bake sourdough bread?",
        "what is the capital of Mongolia",
        "will it rain in Lisbon tomorrow",
        "translate good morning into French",
        "zebra",
    ],
)
async def test_what_is_off_the_subject_finds_nothing(library, question):
    assert (await library.search(question, source="advice")).passages == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "?!.,;:",
        "'; DROP TABLE passage; --",
        '"unbalanced quote',
        "it's the user's o'clock''' \\' \\",
        "a & b | !c <-> (d:*",
        "AND OR NOT",
        "pay\x00negotiate",
        "\ud800 pay",
        "%s %(x)s {} $1",
        "🚀🚀",
        "給料の交渉",
        "the of and to",
        "pay " * 2_500,
        "x" * 10_240,
        " ".join(f"word{number}" for number in range(2_000)),
    ],
)
async def test_no_text_makes_a_search_fail(library, text):
    found = await library.search(text, topics=("pay", "\x00", "\ud800"), source="advice")
    assert not found.degraded
    if not re.search(r"\w", text):
        assert found.passages == ()


async def test_a_passage_carries_what_a_citation_needs(library):
    passage = (await library.search("negotiate the offer", source="advice")).passages[0]
    citation = citation_of_passage(passage)
    assert (citation.id, citation.title, citation.source) == (passage.passage_id, "Asking for more pay", "advice")
    assert (citation.url, citation.as_of) == ("https://example.org/pay", date(2026, 3, 1))
    assert passage.version == "2"
    block = passage_block(passage)
    assert (block.passage_id, block.text, block.heading) == (citation.id, passage.content, passage.heading)
    assert passage.trail.startswith("Asking for more pay")
    assert await library.get([passage.passage_id, "p_unknown", "\x00", "\ud800"]) == [
        type(passage)(**{name: getattr(passage, name) for name in passage.__slots__ if name not in {"score", "cosine"}})
    ]


async def test_topics_source_and_tenant_narrow_a_search(library):
    question = "prepare stories and negotiate pay"
    assert {hit.title for hit in (await library.search(question, topics=("PAY",), source="advice")).passages} == {
        "Asking for more pay"
    }
    assert (await library.search(question, topics=("gardening",), source="advice")).passages == ()
    assert (await library.search(question, source="elsewhere")).passages == ()
    assert (await library.search(question, source="advice", tenant="someone")).passages


async def test_another_tenants_documents_are_neither_found_nor_given(database, embedder, library, tmp_path):
    (tmp_path / "secret.md").write_text("# Our pay bands\n\nEngineers start at 61,000 in our Leeds office.")
    await ingest_documents(database, embedder, tmp_path, source="bands", tenant="acme")
    question = "what do engineers earn in the Leeds office"
    own = (await library.search(question, source="bands", tenant="acme")).passages
    assert own
    assert (await library.search(question, source="bands")).passages == ()
    assert await library.get([own[0].passage_id]) == []
    assert await library.documents(source="bands") == []
    assert [info.passages for info in await library.documents(source="bands", tenant="acme")] == [1]
    await database.execute("DELETE FROM document WHERE tenant = 'acme'")


class NoEmbedder:
    async def embed(self, texts):
        raise RunInterrupted


async def test_without_vectors_words_answer_and_it_is_said(database, library):
    found = await Library(database, NoEmbedder()).search("STAR method stories", source="advice")
    assert found.degraded
    assert [leg.status for leg in found.legs] == ["ok", "failed"]
    assert found.passages[0].title == "Preparing for an interview"
    assert found.passages[0].cosine is None
    nothing = await Library(database, NoEmbedder()).search("how do I bake bread", source="advice")
    assert (nothing.passages, nothing.degraded) == ((), True)


async def test_without_a_database_a_search_raises(embedder):
    away = Database("host=127.0.0.1 port=1 dbname=none connect_timeout=1", size=1, wait_s=0.2)
    await away.open()
    with pytest.raises(StoreUnavailable):
        await Library(away, embedder).search("pay")
    await away.close()


async def test_no_document_fills_the_answer_alone(library):
    found = await library.search("negotiate pay offer salary holiday bonus", source="advice", limit=50)
    titles = [hit.title for hit in found.passages]
    assert max(map(titles.count, titles)) <= 2


def _help_pages(folder: Path, shared: Path) -> list[tuple[str, str]]:
    """Each page's body without its title, under a name that tells nothing; questions with the path that answers."""
    source = shared / "data" / "usajobs_help" / "pages.jsonl"
    if not source.is_file():
        pytest.skip(f"no {source}")
    asked = []
    for number, line in enumerate(source.read_text(encoding="utf-8").splitlines()):
        page = json.loads(line)
        title, name = page["title"], f"{number:03}.md"
        heading = re.compile(rf"^#+[ \t]*{re.escape(title)}[ \t#]*$", re.MULTILINE | re.IGNORECASE)
        (folder / name).write_text(f"---\ntitle: Help\n---\n{heading.sub('', page['body'])}", encoding="utf-8")
        asked.append((title, name))
    return asked


async def test_help_pages_are_found_by_titles_they_do_not_contain(database, embedder, tmp_path, shared):
    """Mean reciprocal rank of a page among all 169, asked by its title, which is not indexed. TF-IDF reaches 0.62."""
    asked = _help_pages(tmp_path, shared)
    await ingest_documents(database, embedder, tmp_path, source="help")
    library = Library(database, embedder)
    total, seconds = 0.0, []
    for title, name in asked:
        began = time.perf_counter()
        found = await library.search(title, source="help", limit=50)
        seconds.append(time.perf_counter() - began)
        paths = list(dict.fromkeys(hit.path for hit in found.passages))
        total += 1 / (paths.index(name) + 1) if name in paths else 0
    await database.execute("DELETE FROM document WHERE source = 'help'")
    assert total / len(asked) >= 0.75
    assert statistics.median(seconds) < 0.5
