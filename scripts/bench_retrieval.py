#!/usr/bin/env python3
"""Measures the knowledge base and the title index on public data: `scripts/bench_retrieval.py DATA [--large]`.

DATA holds `usajobs_help/pages.jsonl` and `talentclef_en/`; with --large, `bls_ooh/md` is ingested and searched too.
"""

import argparse
import asyncio
import csv
import json
import re
import statistics
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from signalbox.db import Database, migrate
from signalbox.embedded import embedded_servers
from signalbox.llm.embedding import Embedder
from signalbox.retrieval.documents.ingest import DocumentReport, ingest_documents
from signalbox.retrieval.library import Library
from signalbox.retrieval.titles import TitleIndex

QUESTIONS = (
    "what does an actuary do",
    "how much do registered nurses earn",
    "how to become an electrician",
    "job outlook for software developers",
    "what education does a dental hygienist need",
    "similar occupations to a librarian",
    "how do I fix a leaking tap",
)


def write_pages(pages: Path, folder: Path) -> list[tuple[str, str]]:
    """Pages under numbers, without their titles: not as title, not as heading. Each title with the file it asks for."""
    folder.mkdir()
    asked = []
    for number, line in enumerate(pages.read_text(encoding="utf-8").splitlines()):
        page = json.loads(line)
        heading = re.compile(rf"^#+[ \t]*{re.escape(page['title'])}[ \t#]*$", re.MULTILINE | re.IGNORECASE)
        body = heading.sub("", page["body"])
        (folder / f"{number:03}.md").write_text(f"---\ntitle: Help\n---\n{body}", encoding="utf-8")
        asked.append((page["title"], f"{number:03}.md"))
    return asked


async def rank_pages(library: Library, asked: list[tuple[str, str]]) -> float:
    """Mean reciprocal rank of the page that a title belongs to; a page not found counts 0."""
    total = 0.0
    for title, name in asked:
        found = await library.search(title, source="help", limit=50)
        paths = list(dict.fromkeys(hit.path for hit in found.passages))
        total += 1 / (paths.index(name) + 1) if name in paths else 0
    return total / len(asked)


async def rank_titles(folder: Path, embedder: Embedder) -> float:
    """Mean average precision over the queries, every title ranked."""

    def rows(name: str) -> list[list[str]]:
        with (folder / name).open(encoding="utf-8", newline="") as file:
            return list(csv.reader(file, delimiter="\t"))

    queries, titles = dict(rows("queries")[1:]), dict(rows("corpus_elements")[1:])
    relevant = defaultdict(set)
    for query, _, title, _ in rows("qrels.tsv"):
        relevant[query].add(titles[title])
    index = TitleIndex(tuple(titles.values()), embedder)
    precisions = []
    for query, wanted in relevant.items():
        ranked = [title for title, _ in await index.similar(queries[query], len(index))]
        places = [place for place, title in enumerate(ranked, start=1) if title in wanted]
        precisions.append(statistics.mean(hits / place for hits, place in enumerate(places, start=1)))
    return statistics.mean(precisions)


def show(report: DocumentReport) -> None:
    rate = report.passages / report.seconds
    print(
        f"{report.source}: {report.read} files, {report.passages} passages, {report.seconds:.1f} s, {rate:.1f} a second"
    )


async def time_searches(library: Library) -> None:
    await library.search(QUESTIONS[0])
    spent = []
    for question in QUESTIONS * 3:
        began = time.perf_counter()
        await library.search(question)
        spent.append((time.perf_counter() - began) * 1000)
    print(f"a search: median {statistics.median(spent):.0f} ms, slowest {max(spent):.0f} ms")


async def measure(data: Path, *, large: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="sb-") as place:
        folder = Path(place, "help")
        asked = write_pages(data / "usajobs_help" / "pages.jsonl", folder)
        async with embedded_servers(Path(place, "data"), lambda _: None) as servers:
            await migrate(servers.database_url)
            db, embedder = Database(servers.database_url), Embedder()
            await db.open()
            library = Library(db, embedder)
            show(await ingest_documents(db, embedder, folder))
            print(f"help pages by title: mean reciprocal rank {await rank_pages(library, asked):.3f}")
            print(f"job titles: mean average precision {await rank_titles(data / 'talentclef_en', embedder):.3f}")
            if large:
                for _ in range(2):
                    show(await ingest_documents(db, embedder, data / "bls_ooh" / "md", source="bls"))
            await time_searches(library)
            await embedder.close()
            await db.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--large", action="store_true")
    arguments = parser.parse_args()
    asyncio.run(measure(arguments.data, large=arguments.large))


if __name__ == "__main__":
    main()
