"""Agents on the packaged guides as they are found by the real search."""

import json
import re
from collections.abc import AsyncIterator

import pytest
from guide_passages import resume
from stage import perform

from signalbox.agents.general import GeneralAgent
from signalbox.agents.interview_prep import InterviewPrepAgent
from signalbox.db import Database
from signalbox.llm.embedding import Embedder
from signalbox.retrieval.documents.ingest import load_guides
from signalbox.retrieval.library import Library
from signalbox.tools.search_knowledge import SearchKnowledge


@pytest.fixture(scope="module")
async def guides(database: Database, embedder: Embedder) -> AsyncIterator[SearchKnowledge]:
    await load_guides(database, embedder)
    yield SearchKnowledge(Library(database, embedder))
    await database.execute("DELETE FROM document")


@pytest.mark.parametrize(
    ("role", "about"),
    [
        ("data analyst", "data"),
        ("backend developer", "software"),
        ("nurse", "nurses"),
        ("primary school teacher", "Teaching"),
        ("cashier", "retail"),
        ("electrician", "trades"),
        ("accountant", "finance"),
        ("sales manager", "marketing"),
        ("project manager", "project"),
        ("team leader", "managers"),
    ],
)
async def test_questions_for_a_role_come_from_the_guide_on_its_work(guides, role, about):
    answer, recorder = await perform(
        InterviewPrepAgent(), (f"technical interview questions for a {role}"), [guides, resume()]
    )
    questions = recorder.one("interview_questions").questions
    assert len(questions) == 8
    assert all(question.hint.startswith("A good answer") for question in questions)
    assert any(about in citation.title for citation in answer.citations)


@pytest.mark.parametrize(
    ("question", "heading"),
    [
        ("How do I cope with being rejected many times?", "How do I cope with being rejected many times?"),
        ("How should I hand in my notice?", "How do I hand in my notice well?"),
        ("how do I work well from home?", "How do I work well from home?"),
        ("what does ATS do with my CV", "What does applicant screening software (ATS) do with my CV?"),
        ("how do I explain a gap in my CV", "Do I have to explain a gap on my CV?"),
    ],
)
async def test_a_question_finds_its_section_and_quotes_only_what_stands_there(guides, question, heading):
    answer, recorder = await perform(GeneralAgent(), question, [guides])
    assert heading in {citation.heading for citation in answer.citations}
    passages = recorder.one("knowledge").passages
    assert {p.passage_id for p in passages} == {citation.id for citation in answer.citations}
    source = _words(" ".join(passage.text for passage in passages))
    told = [line for line in answer.text.splitlines() if line and not line.startswith("*[")]
    assert told
    for line in told:
        assert _words(re.sub(r"\[\d\]|^- ", "", line)) in source


async def test_what_is_out_of_scope_gets_no_careers_advice(guides, shared):
    data = json.loads((shared / "data/clinc150/data_full.json").read_text(encoding="utf-8"))
    texts = [text for name in ("oos_val", "oos_test") for text, _ in data[name]]
    answered = []
    for text in texts:
        answer, _ = await perform(GeneralAgent(), text, [guides])
        if answer.citations:
            answered.append(text)
    assert len(texts) > 1_000
    assert answered == []


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
