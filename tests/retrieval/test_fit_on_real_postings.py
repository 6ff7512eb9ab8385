"""The ranking against grades given by a reader (see data/README.md), beside two rankings by the words alone."""

import json
import math
import re
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from signalbox.blocks import ProfileFact
from signalbox.memory.resume.facts import facts_of
from signalbox.memory.resume.json_resume import read_json
from signalbox.retrieval.index import JobHit
from signalbox.retrieval.posting import RawPosting, normalise
from signalbox.retrieval.rerank import rerank
from signalbox.tools.candidate import candidate_of

TODAY = date(2026, 11, 30)
LABELS = Path(__file__).parent / "data" / "fit_labels.jsonl"


def ndcg(grades, at=10):
    def gain(ordered):
        return sum((2**grade - 1) / math.log2(rank + 2) for rank, grade in enumerate(ordered[:at]))

    return gain(grades) / gain(sorted(grades, reverse=True))


class Words:
    """TF-IDF and cosine, the weights taken over all postings."""

    def __init__(self, texts):
        self._counts = Counter(word for text in texts for word in set(self._words(text)))
        self._texts = len(texts)

    def near(self, text, other):
        mine, theirs = self._vector(text), self._vector(other)
        return sum(weight * theirs.get(word, 0) for word, weight in mine.items())

    def _vector(self, text):
        counts = Counter(self._words(text))
        weights = {
            word: (1 + math.log(number)) * (math.log((1 + self._texts) / (1 + self._counts[word])) + 1)
            for word, number in counts.items()
        }
        length = math.sqrt(sum(weight**2 for weight in weights.values())) or 1
        return {word: weight / length for word, weight in weights.items()}

    def _words(self, text):
        return re.findall(r"[^\W_]+[+#]*", text.lower())


def flat(value):
    if isinstance(value, dict):
        return " ".join(map(flat, value.values()))
    return " ".join(map(flat, value)) if isinstance(value, list) else str(value)


def text_of(row):
    return f"{row['title']} {row.get('requirements') or ''} {row['description']}"


@pytest.fixture(scope="module")
def rows(shared):
    lines = (shared / "data" / "jobs_core" / "jobs.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["id"]: row for row in map(json.loads, lines)}


@pytest.fixture(scope="module")
def grades():
    found = defaultdict(dict)
    for label in map(json.loads, LABELS.read_text(encoding="utf-8").splitlines()):
        found[label["resume"]][label["posting"]] = label["grade"]
    return found


def hit_of(row, vocabulary):
    posting = normalise(RawPosting.model_validate(row), vocabulary, today=TODAY, tenant="public", sample=False)
    return JobHit.of(posting.model_dump(exclude={"tenant", "digest"}))


def person_of(resume, vocabulary):
    """As a profile made of the CV gives it; without a place, which the grades leave out of account."""
    facts = facts_of(read_json(resume, source="cv"), vocabulary, today=TODAY)
    profile = [ProfileFact(fact_id=str(n), kind=f.kind, key=f.key, value=f.value) for n, f in enumerate(facts)]
    return replace(candidate_of(profile), locations=())


def test_the_ranking_by_profile_beats_rankings_by_words(shared, rows, grades, vocabulary):
    words = Words([text_of(row) for row in rows.values()])
    scores = defaultdict(list)
    for name, graded in grades.items():
        resume = json.loads((shared / "data" / "jsonresume" / name).read_text(encoding="utf-8"))
        hits = {posting: hit_of(rows[posting], vocabulary) for posting in sorted(graded)}
        ranking = rerank(list(hits.values()), person_of(resume, vocabulary), today=TODAY)
        assert ranking.removed == {}
        scores["profile"].append(ndcg([graded[job.hit.external_id] for job in ranking.jobs]))
        core = f"{resume['basics'].get('label', '')} {flat(resume.get('skills', []))}"
        for kind, wanted in (("whole CV", flat(resume)), ("title and skills", core)):
            nearest = sorted(hits, key=lambda posting, wanted=wanted: -words.near(wanted, text_of(rows[posting])))
            scores[kind].append(ndcg([graded[posting] for posting in nearest]))
    mean = {kind: sum(values) / len(values) for kind, values in scores.items()}
    assert len(scores["profile"]) == 5
    assert mean["profile"] > 0.74
    assert mean["profile"] > mean["whole CV"] + 0.25
    assert mean["profile"] > mean["title and skills"] + 0.1
    assert min(scores["profile"]) > 0.6


def test_every_label_names_a_posting_that_is_there_and_a_grade(rows, grades):
    assert {posting for graded in grades.values() for posting in graded} <= set(rows)
    assert {grade for graded in grades.values() for grade in graded.values()} == {0, 1, 2, 3}
    assert all(len(graded) == 56 and 3 in graded.values() for graded in grades.values())
