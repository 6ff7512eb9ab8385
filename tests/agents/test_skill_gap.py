import pytest
from stage import Canned, fact, hit, perform, searched

from signalbox.agents.skill_gap import GapFacts, SkillGapAgent, compose, gap_of
from signalbox.agents.skill_target import _KIN, kin_of, target_of
from signalbox.tools.market_skills import MarketSkills
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.vocabulary import packaged_vocabulary

MARKET = MarketSkills(20, 20, (("SQL", 16), ("Python", 12), ("PostgreSQL", 8), ("Airflow", 8), ("Fax", 0)))


def market(result):
    return Canned("market_skills", result)


async def test_the_gap_is_computed_from_the_postings_and_shown_before_the_text():
    answer, recorder = await perform(
        SkillGapAgent(),
        "Which skills am I missing for data engineer jobs?",
        [market(Ok(MARKET))],
        profile=[fact("skill", "SQL")],
    )
    assert recorder.types() == ["tool_call", "tool_result", "skill_gap", "chunk", "usage", "message", "suggestions"]
    gap = recorder.one("skill_gap")
    assert (gap.target, gap.postings, gap.sample_postings) == ("data engineer", 20, 20)
    assert [(s.skill, s.status, s.share) for s in gap.skills] == [
        ("SQL", "have", 0.8),
        ("Python", "missing", 0.6),
        ("PostgreSQL", "partial", 0.4),
        ("Airflow", "missing", 0.4),
    ]
    assert gap.learn_next == ("Python", "PostgreSQL", "Airflow")
    assert "**1 of the 4 most asked skills**" in answer.text
    assert "fictional samples" in answer.text


async def test_a_shown_posting_is_compared_by_its_place():
    tool = Canned("find_job", Ok(hit(2, skills=("SQL", "Tableau"))))
    answer, recorder = await perform(
        SkillGapAgent(), "What am I missing for the second job?", [tool], history=searched("data jobs"),
        profile=[fact("skill", "SQL")],
    )  # fmt: skip
    assert tool.asked[0].job_id == "j2"
    assert recorder.one("skill_gap").learn_next == ("Tableau",)
    assert "Data Analyst at Contoso Labs" in answer.text


async def test_without_a_role_it_asks_with_roles_that_fit_the_profile():
    answer, recorder = await perform(
        SkillGapAgent(), "what should I learn next", profile=[fact("skill", "Nursing"), fact("skill", "First Aid")]
    )
    replies = recorder.one("suggestions").suggestions
    assert len(replies) == 3
    assert "registered nurse" in replies[0].message
    assert answer.text.startswith("Which role")


@pytest.mark.parametrize(
    ("result", "says", "never"),
    [
        (Err("timeout", "slow"), "could not look", "none"),
        (Empty("no posting"), "catalogue has none", "could not"),
        (Ok(MarketSkills(3, 0, ())), "name no particular skills", "could not"),
        (Ok(MarketSkills(3, 0, (("SQL", 3),))), "too few", "fictional"),
        (Ok(MarketSkills(1, 1, (("SQL", 1), ("Python", 1)))), "In **1 posting** for", "1 postings"),
    ],
)
def test_each_outcome_has_its_own_words(result, says, never):
    text = compose(gap_of("data engineer", result, ["Excel"]))
    assert says in text
    assert never not in text


def test_the_role_itself_is_no_missing_skill():
    market = Ok(MarketSkills(9, 0, (("Nursing", 9), ("First Aid", 5))))
    assert [s.skill for s in gap_of("nurse", market, [], of_role=["Nursing"]).skills] == ["First Aid"]


def test_an_unknown_person_is_told_that_nothing_is_known():
    text = compose(gap_of("data engineer", Ok(MARKET), []))
    assert "I know of no skills of yours yet" in text


def test_nothing_missing_is_said_plainly():
    facts = gap_of("clerk", Ok(MarketSkills(9, 0, (("SQL", 9),))), ["SQL"])
    assert isinstance(facts, GapFacts)
    assert facts.learn_next == ()
    assert "Nothing on the list is missing" in compose(facts)


@pytest.mark.parametrize(
    ("message", "role"),
    [
        ("What do I need to learn to become a cloud architect?", "cloud architect"),
        ("Which skills am I missing for a charge nurse role?", "charge nurse"),
        ("skills for data engineer?", "data engineer"),
        ("My goal is hotel revenue manager in Bangkok. What do I lack?", "hotel revenue manager"),
        ("What does a scrum master actually need to know?", "scrum master"),
        ("Make me a learning plan to go from help desk to security analyst in a year.", "security analyst"),
        ("What would make me a stronger candidate for this one?", None),
        ("missing skills", None),
    ],
)
def test_the_role_is_read_from_the_message(message, role):
    assert target_of(message, (), ()) == role


def test_a_wished_title_stands_in_for_a_role():
    profile = [fact("title", "waiter"), fact("title", "sommelier", "preference")]
    assert target_of("missing skills", profile, ()) == "sommelier"


def test_every_kin_is_a_skill_of_the_vocabulary():
    vocabulary = packaged_vocabulary()
    assert [name for group in _KIN for name in group if vocabulary.canonical(name) != name] == []


def test_kin_is_said_and_strangers_are_not():
    assert kin_of("PostgreSQL", ["SQL"]) == "SQL"
    assert kin_of("Nursing", ["SQL"]) is None
