from datetime import date

from resume_samples import JANE, NO_HEADINGS, NURSE
from signalbox.blocks import ProfileFact
from signalbox.memory.profile import NewFact
from signalbox.memory.resume.facts import facts_of, merge
from signalbox.memory.resume.text import read_text
from signalbox.tools.vocabulary import packaged_vocabulary

TODAY = date(2026, 11, 30)


def told(text: str) -> list[tuple[str, str]]:
    return [(f.key, f.value) for f in facts_of(read_text(text), packaged_vocabulary(), today=TODAY)]


def stored(key: str, value: str, source: str, kind: str = "fact") -> ProfileFact:
    return ProfileFact(fact_id=f"f_{key}_{value}", kind=kind, key=key, value=value, source_message_id=source)


def test_only_what_the_cv_says_becomes_a_fact():
    facts = told(JANE)
    assert facts[:6] == [
        ("resume", "pasted text (2026-11-30)"),
        ("name", "Jane Doe"),
        ("title", "Senior Data Engineer"),
        ("seniority", "senior"),
        ("years", "8"),
        ("location", "Leeds"),
    ]
    assert {"Python", "SQL", "Tableau", "Snowflake"} <= {value for key, value in facts if key == "skill"}
    assert [value for key, value in facts if key == "language"] == ["English (native)", "German (B2)"]
    assert [value for key, value in facts if key == "certificate"] == ["AWS Certified Solutions Architect"]
    assert "English" not in {value for key, value in facts if key == "skill"}


def test_years_are_counted_from_the_jobs_where_none_are_stated():
    assert ("years", "10") in told(NURSE)  # 2016 to 2020, and from January 2021
    assert ("years", "7") in told(NO_HEADINGS)


def test_the_same_cv_gives_the_same_facts_in_the_same_order():
    assert told(JANE) == told(JANE)


def test_the_users_own_word_stands_against_the_cv():
    facts = (NewFact("fact", "location", "Leeds"), NewFact("fact", "skill", "SQL"))
    merged = merge(
        facts, [stored("location", "York", "m_1"), stored("title", "cook", "m_1", "preference")], frozenset()
    )
    assert merged.add == (NewFact("fact", "skill", "SQL"),)
    assert [(said.value, new.value) for said, new in merged.kept] == [("York", "Leeds")]
    assert merged.remove == ()


def test_what_only_an_older_cv_said_goes():
    facts = (NewFact("fact", "location", "Leeds"), NewFact("fact", "skill", "SQL"))
    profile = [stored("location", "York", "cv_1"), stored("skill", "Fax", "cv_1"), stored("skill", "SQL", "cv_1")]
    merged = merge(facts, profile, frozenset({"cv_1"}))
    assert merged.add == facts
    assert [(fact.key, fact.value) for fact in merged.remove] == [("location", "York"), ("skill", "Fax")]
