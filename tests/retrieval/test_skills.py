import time

import pytest


@pytest.mark.parametrize(
    ("text", "skills"),
    [
        ("Python, R and SQL", ["Python", "R", "SQL"]),
        ("C++ / .NET (remote)?", ["C++", ".NET"]),
        ("C#, ASP.NET Core and Node.js.", ["C#", ".NET", "Node.js"]),
        ("services in Go and Rust", ["Go", "Rust"]),
        ("programming in C.", ["C"]),
        ("A/B testing, CI/CD and TCP/IP", ["A/B Testing", "CI/CD", "TCP/IP"]),
        ("a registered nurse with a pgce", ["Nursing", "Qualified Teacher Status"]),
        ("amazon web services; k8s", ["AWS", "Kubernetes"]),
    ],
)
def test_skills_are_found_under_their_canonical_names(vocabulary, text, skills):
    assert vocabulary.extract(text) == skills


@pytest.mark.parametrize(
    "text",
    [
        "Go home early on Fridays",
        "ready to go, or not",
        "C-level executives and vitamin C",
        "John C. Smith, R&D",
        "rust on the hull, a swift reply, react calmly",
        "machine. Learning",
        "",
        "😀 \ud800 \x00",
    ],
)
def test_words_that_only_look_like_skills_are_left_alone(vocabulary, text):
    assert vocabulary.extract(text) == []


def test_a_typed_message_needs_no_capitals(vocabulary):
    assert vocabulary.extract("rust and react jobs", loose=True) == ["Rust", "React"]
    assert vocabulary.extract("go home", loose=True) == []
    assert vocabulary.extract("go developer", loose=True) == ["Go"]


def test_a_name_or_alias_in_any_case_has_one_canonical_spelling(vocabulary):
    assert [vocabulary.canonical(name) for name in ("POSTGRES", "golang", "c++", "r", "telepathy", "")] == [
        "PostgreSQL",
        "Go",
        "C++",
        "R",
        None,
        None,
    ]


def test_the_vocabulary_is_wide(vocabulary):
    assert len(vocabulary) >= 400


def test_a_long_text_is_read_in_milliseconds(vocabulary):
    text = ("Experience with Python, SQL and patient care; lead a team of nurses, write reports. " * 60)[:5_000]
    best = min(_timed(vocabulary, text) for _ in range(5))
    assert best < 0.02  # about 0.002 s of its own time


def _timed(vocabulary, text):
    started = time.thread_time()
    vocabulary.extract(text)
    return time.thread_time() - started
