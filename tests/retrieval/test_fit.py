"""The parts of a score: skills by how rare they are, titles, years."""

from dataclasses import replace

import pytest
from test_rerank import HIT, QUERY, TODAY

from signalbox.retrieval.fit.skills import KIN, kin_of, skill_fit, weight_of
from signalbox.retrieval.fit.titles import nearest_title
from signalbox.retrieval.fit.years import asked_years
from signalbox.retrieval.rerank import Candidate, judged


def test_a_rare_skill_weighs_more_than_one_that_every_posting_asks_for():
    assert weight_of("Communication") < weight_of("SQL") < weight_of("Erlang") == 1.0
    asked = ("Communication", "Kubernetes")
    assert skill_fit(asked, "Operator", ["Kubernetes"]).share > skill_fit(asked, "Operator", ["Communication"]).share


def test_kin_counts_half_and_is_named():
    fit = skill_fit(("PostgreSQL",), "Clerk", ["MySQL"])
    assert fit.kin == (("PostgreSQL", "MySQL"),)
    assert fit.missing == ("PostgreSQL",)
    assert fit.share == 0.5
    assert kin_of("Nursing", ["MySQL"]) is None


def test_no_number_of_other_skills_makes_up_for_the_one_in_the_title():
    asked = ("Ruby", "SQL", "Git", "Docker", "Redis", "Linux", "AWS", "Kubernetes")
    others = asked[1:]
    assert skill_fit(asked, "Ruby Developer", others).share < 0.8
    assert skill_fit(asked, "Backend Developer", others).share == 1.0


def test_a_posting_without_skills_is_neither_match_nor_mismatch():
    assert skill_fit((), "Clerk", ["SQL"]).share == 0.5


def test_every_kin_is_a_skill_of_the_vocabulary(vocabulary):
    assert [name for group in KIN for name in group if vocabulary.canonical(name) != name] == []


@pytest.mark.parametrize(
    ("near", "far", "held"),
    [
        ("Data Analyst (Contract)", "Budget Analyst", "Data Analyst"),
        ("Full Stack Developer", "Civil Engineer", "Senior Software Engineer"),
        ("Python Developer", "PHP Developer", "Software Engineer"),
        ("Registered Nurse (Nights)", "Nursery Manager", "Nurse"),
        ("Head of Marketing", "Head of Engineering", "Marketing Manager"),
        ("Director of Data Analytics", "Director of Field Operations", "Data Analyst"),
        ("Backend Engineer", "Sales Engineer", "Software Developer"),
    ],
)
def test_titles_are_compared_by_the_work_and_not_by_the_general_word(near, far, held):
    skills = ("Python", "SQL")
    close, _ = nearest_title(near, [held], skills, ["PHP"])
    distant, _ = nearest_title(far, [held], skills, ["PHP"])
    assert close > distant + 0.2


def test_the_nearest_of_several_titles_is_said():
    assert nearest_title("Sommelier", ["Waiter", "Sommelier"], ()) == (1.0, "Sommelier")
    assert nearest_title("Sommelier", [], ()) == (0.0, "")


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("5+ years of experience with Python, 2 years with AWS", 5),
        ("Minimum 3-5 years in web development experience", 3),
        ("1. A master's degree and three years of satisfactory full-time experience; or 2. six years of it", 3),
        ("at least two (2) years of nursing experience", 2),
        ("You are 18 years old and have experience", None),
        ("We have 30 years of experience in retail", None),
        ("A four year contract", None),
        ("", None),
    ],
)
def test_the_years_asked_for_are_read(text, years):
    assert asked_years(text) == years


def test_years_and_title_are_parts_of_the_score_with_their_reasons():
    hit = replace(HIT, requirements="5 years of experience with Python.")
    person = Candidate(skills=("Python", "SQL"), titles=("Python Developer",), years=4)
    parts = {part.name: part for part in judged(hit, person, QUERY, today=TODAY).parts}
    assert parts["years"].reason == "asks for 5 years, you have 4"
    assert 0 < parts["years"].points < parts["years"].out_of
    assert parts["title"].points == parts["title"].out_of
    assert parts["title"].reason == "the same kind of work as Python Developer"


def test_nearness_in_meaning_counts_where_the_search_measured_it():
    person = Candidate(skills=("Python",))
    near, far = (judged(replace(HIT, cosine=cosine), person, QUERY, today=TODAY) for cosine in (0.8, 0.45))
    assert near.match_score > far.match_score
