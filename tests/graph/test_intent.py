import asyncio
import collections
import json

import numpy as np
import pytest

from signalbox.envelope import INTENTS
from signalbox.errors import ConfigurationError
from signalbox.graph.intent import (
    CONFIDENT,
    LAST_VERIFIED,
    LONG_CHARS,
    IntentClassifier,
    cache_key,
    clean,
    fit_examples,
    load_examples,
    packaged_examples,
    vectors_of,
)
from signalbox.graph.intent_training import cross_validate


@pytest.fixture(scope="module")
def examples():
    return load_examples(packaged_examples())


@pytest.fixture(scope="module")
def vectors(examples, embedder):
    return vectors_of(examples, embedder)


@pytest.fixture(scope="module")
def classifier(examples, vectors, embedder):
    return IntentClassifier(fit_examples(examples, vectors), embedder)


@pytest.fixture(scope="module")
def score(examples, vectors):
    verified = [row for row, example in enumerate(examples) if example.id <= LAST_VERIFIED]
    return cross_validate(examples, vectors, verified, folds=5, seed=0)


@pytest.fixture
def ask(classifier, embedder):
    def ask(text, *recent):
        return classifier.classify(text, embedder.embed_sync([clean(text)])[0], recent)

    return ask


def test_unseen_messages_are_labelled_well_enough_to_route_on(score):
    assert score.messages == 910
    assert score.lenient >= 0.86
    assert score.strict >= 0.79


def test_confidence_can_be_acted_upon(score):
    assert score.confident_wrong <= 0.04
    assert score.coverage >= 0.70


def test_confidence_is_calibrated(score):
    """Within ten points wherever there are enough messages to tell, and within five over all."""
    full = [each for each in score.reliability if each.messages >= 45]
    assert len(full) >= 5
    for each in full:
        assert each.strict - 0.10 <= each.confidence <= each.lenient + 0.10, each
    gap = sum(each.messages * abs(each.confidence - each.strict) for each in score.reliability)
    assert gap / score.messages < 0.05


@pytest.mark.parametrize(
    "text",
    [
        "asdf qwer", "12345", "😂😂", "👍", "???", "zxcvbnm,./", "lkj lkj lkj", "SELECT * FROM users", "...",
        "<script>alert(1)</script>", "Was kostet ein Bier in München?", "Как дела?", "今日は何をしますか", "мы",
        "The fog comes in on silent feet\nand settles on the masts,\nand nobody in the harbour speaks",
        "Book a table for four at eight", "what's the boiling point of ethanol", "sing me a song",
    ],
)  # fmt: skip
def test_what_is_no_careers_message_is_never_a_confident_specialist(ask, text):
    for recent in ((), ("job_search",), ("salary", "cover_letter")):
        answer = ask(text, *recent)
        assert answer.intent == "general" or answer.confidence < CONFIDENT, (recent, answer)
    assert ask(text).intent == "general"


@pytest.mark.parametrize("text", ["", "   ", "\n\n", "\x00", "\u200b\ufeff", "\x1b"])
def test_a_blank_message_is_general_by_rule(ask, text):
    answer = ask(text, "salary")
    assert (answer.intent, answer.confidence, answer.source) == ("general", 1.0, "rule")


@pytest.mark.parametrize(
    ("text", "recent", "intent"),
    [
        ("any updates?", "followup", "followup"),
        ("make it shorter", "cover_letter", "cover_letter"),
        ("make it shorter", "cold_email", "cold_email"),
        ("make it shorter", "resume_review", "resume_review"),
        ("another one please", "interview_prep", "interview_prep"),
        ("and in Lisbon?", "salary", "salary"),
        ("and in Lisbon?", "job_search", "job_search"),
        ("yes please", "job_search", "job_search"),
        ("yes please", "cover_letter", "cover_letter"),
        ("ok thanks", "job_search", "general"),
        ("perfect, now the letter to go with it", "resume_review", "cover_letter"),
    ],
)
def test_a_message_that_cannot_stand_alone_is_read_by_what_came_before(ask, text, recent, intent):
    assert ask(text, "general", recent).intent == intent


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("find me an accountant job in Turin, then write the cover letter", "job_search"),
        ("Thanks! Can you check my CV?", "resume_review"),
        ("what do bricklayers earn in Bergen?", "salary"),
        ("I don't need a letter, just tell me what they'll ask in the interview", "interview_prep"),
    ],
)
def test_the_first_request_is_the_label(ask, text, intent):
    assert ask(text).intent == intent


def test_a_long_text_is_read_from_both_ends(ask):
    paste = "The role reports to the head of operations and includes stock keeping. " * 40
    assert len(paste) > LONG_CHARS
    assert ask(f"Please review my resume:\n{paste}").intent == "resume_review"
    assert len(clean(paste * 400)) < LONG_CHARS


@pytest.mark.parametrize("text", ["job\x00s in Leeds", "nurse jobs \ud83d", "\ude00 nurse jobs", "jobs\u2028in Bath"])
def test_bytes_that_break_other_things_do_not_break_this(ask, text):
    assert ask(text).intent == "job_search"
    clean(text).encode()


def test_the_answer_explains_itself_and_ranks_the_others(ask):
    answer = ask("Which of these jobs suits me best, and what do they pay?", "job_search")
    first, *others = [share for _, share in ((answer.intent, answer.confidence), *answer.alternatives)]
    assert len(answer.alternatives) == 3
    assert [first, *others] == sorted([first, *others], reverse=True)
    assert answer.source == "model"
    assert answer.reasoning.startswith(f"looks like {answer.intent} (")
    assert answer.alternatives[0][0] in answer.reasoning


async def test_many_at_once_get_the_same_answers_as_one_by_one(classifier, ask):
    texts = ["jobs in Oslo", "fix my CV", "hello", "what should I earn?", ""] * 4
    assert await asyncio.gather(*(classifier.of(text) for text in texts)) == [ask(text) for text in texts]


def test_training_twice_gives_the_same_model(examples, vectors):
    first, second = (fit_examples(examples[::3], vectors[::3]).weights for _ in range(2))
    for name in first.names():
        assert np.array_equal(getattr(first, name), getattr(second, name)), name


def test_a_stored_model_answers_exactly_as_before(classifier, embedder, examples, vectors, tmp_path):
    path = tmp_path / "new folder" / "model.npz"
    classifier.save(path)
    loaded = IntentClassifier.load(path, embedder)
    for row in range(0, len(examples), 40):
        asked = examples[row].text, vectors[row], examples[row].recent
        assert loaded.classify(*asked) == classifier.classify(*asked)
    assert [each.name for each in path.parent.iterdir()] == ["model.npz"]


def test_opening_trains_once_and_reads_the_file_afterwards(examples, embedder, tmp_path):
    labelled = tmp_path / "few.jsonl"
    labelled.write_text("".join(packaged_examples().read_text().splitlines(keepends=True)[:60]))
    first = IntentClassifier.open(tmp_path / "models", embedder, labelled)
    (stored,) = (tmp_path / "models").iterdir()
    written = stored.stat().st_mtime_ns
    second = IntentClassifier.open(tmp_path / "models", embedder, labelled)
    assert stored.stat().st_mtime_ns == written
    stored.write_bytes(b"damaged")
    third = IntentClassifier.open(tmp_path / "models", embedder, labelled)
    assert stored.stat().st_size > 1000
    vector = embedder.embed_sync(["hello"])[0]
    assert third.classify("hello", vector, ()) == second.classify("hello", vector, ())
    assert first.classify("hello", vector, ()) == second.classify("hello", vector, ())
    before = cache_key(labelled, embedder)
    labelled.write_text(labelled.read_text() + "\n")
    assert cache_key(labelled, embedder) != before


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04", b"not a model", b"\x80\x04K\x01."])
def test_a_damaged_model_file_is_named_and_nothing_in_it_is_run(embedder, tmp_path, damage):
    path = tmp_path / "bad.npz"
    path.write_bytes(damage)
    with pytest.raises(ConfigurationError, match=r"bad\.npz"):
        IntentClassifier.load(path, embedder)


def test_a_bad_line_in_a_labelled_file_is_named(tmp_path):
    path = tmp_path / "mine.jsonl"
    good = packaged_examples().read_text(encoding="utf-8").splitlines()[0]
    for bad in ("{", "[]", "{}", json.dumps({**json.loads(good), "intent": "astrology"})):
        path.write_text(f"{good}\n{bad}\n", encoding="utf-8")
        with pytest.raises(ConfigurationError, match="line 2"):
            load_examples(path)


def test_the_labelled_file_is_consistent(examples):
    ids = [example.id for example in examples]
    assert sorted(ids) == [f"d{number:04d}" for number in range(1, len(ids) + 1)]
    assert {example.intent for example in examples} == set(INTENTS)
    assert all(example.intent not in example.also for example in examples)
    repeated = collections.Counter((example.text.casefold(), example.recent) for example in examples)
    assert max(repeated.values()) == 1


def test_messages_of_other_domains_are_rarely_taken_for_careers(classifier, embedder, shared):
    path = shared / "clinc150" if (shared / "clinc150").is_dir() else shared / "data" / "clinc150"
    strangers = [text for text, _ in json.loads((path / "data_full.json").read_text())["oos_test"]][:300]
    answers = [
        classifier.classify(text, vector, ())
        for text, vector in zip(strangers, embedder.embed_sync(strangers), strict=True)
    ]
    taken = [a for a in answers if a.intent != "general" and a.confidence >= CONFIDENT]
    assert len(taken) / len(answers) <= 0.08
