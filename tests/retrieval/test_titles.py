import csv
from collections import defaultdict

import pytest

from signalbox.retrieval.titles import TitleIndex, plain_title

TITLES = ("Software Developer", "Registered Nurse", "Human Resources Manager", "Chef", "Truck Driver", "Data Scientist")


@pytest.mark.parametrize(
    ("title", "plain"),
    [
        ("Sr. Software Engineers (m/f/d)", "software engineer"),
        ("RN", "registered nurse"),
        ("Accountant II", "accountant"),
        ("HR Mgr", "human resources manager"),
        ("Sales Secretaries", "sales secretary"),
        ("C++ Developer [remote]", "c++ developer"),
        ("Logistics Analyst", "logistics analyst"),
        ("Senior", "senior"),
        ("(m/f)", "(m/f)"),
        ("", ""),
    ],
)
def test_a_title_is_read_as_its_words_of_work(title, plain):
    assert plain_title(title) == plain


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("Senior SWE", "Software Developer"),
        ("nurses", "Registered Nurse"),
        ("HR Mgr", "Human Resources Manager"),
        ("cook", "Chef"),
        ("lorry driver", "Truck Driver"),
        ("machine learning researcher", "Data Scientist"),
    ],
)
async def test_the_nearest_title_means_the_same_work(embedder, asked, found):
    title, similarity = (await TitleIndex(TITLES, embedder).similar(asked, 1))[0]
    assert title == found
    assert 0.3 < similarity <= 1


async def test_a_title_itself_comes_first_with_one_and_nothing_has_no_neighbours(embedder):
    index = TitleIndex(TITLES, embedder)
    title, similarity = (await index.similar("Chefs", 3))[0]
    assert (title, similarity) == ("Chef", pytest.approx(1, abs=1e-5))
    assert len(await index.similar("chef", 50)) == len(index) == len(TITLES)
    for nothing in ("", "  ", "?!", "🚀"):
        assert await index.similar(nothing) == []
    assert await TitleIndex((), embedder).similar("chef") == []
    assert await TitleIndex(("?", ""), embedder).similar("chef", 5)


async def test_given_vectors_are_used(embedder):
    vectors = await embedder.embed(["chef", "truck driver"])
    swapped = TitleIndex(("Truck Driver", "Chef"), embedder, vectors=vectors[::-1][::-1])
    assert (await swapped.similar("cook", 1))[0][0] == "Truck Driver"


async def test_public_titles_are_ranked_by_relevance(embedder, shared):
    """Mean average precision over TalentCLEF's English validation queries; char n-grams alone reach 0.354."""
    folder = shared / "data" / "talentclef_en"
    if not folder.is_dir():
        pytest.skip(f"no {folder}")

    def rows(name):
        with (folder / name).open(encoding="utf-8", newline="") as file:
            return list(csv.reader(file, delimiter="\t"))

    queries, titles = dict(rows("queries")[1:]), dict(rows("corpus_elements")[1:])
    relevant = defaultdict(set)
    for query, _, title, _ in rows("qrels.tsv"):
        relevant[query].add(titles[title])
    index = TitleIndex(tuple(titles.values()), embedder)
    precisions = []
    for query, wanted in relevant.items():
        hits, total = 0, 0.0
        for rank, (title, _) in enumerate(await index.similar(queries[query], len(index)), start=1):
            if title in wanted:
                hits += 1
                total += hits / rank
        precisions.append(total / hits)
    assert len(precisions) == 105
    assert sum(precisions) / len(precisions) >= 0.45
