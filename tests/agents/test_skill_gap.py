import pytest
from guide_passages import CV, found, passage, resume, turn, unread
from stage import Canned, fact, hit, perform, searched

from signalbox.agents.cover_letter import CoverLetterAgent
from signalbox.agents.job_match import JobMatchAgent
from signalbox.agents.skill_gap import SkillGapAgent
from signalbox.agents.skills.compare import Owned, gap_of, worth_of
from signalbox.agents.skills.order import _BUILDS_ON, learning_order
from signalbox.agents.skills.target import CERTIFICATES, GENERIC, names_role, target_of, targets_of
from signalbox.agents.skills.text import GapFacts, compose
from signalbox.blocks import Job, JobsData, SourceStatus
from signalbox.memory.conversation import PastMessage
from signalbox.retrieval.fit.skills import KIN, kin_of
from signalbox.tools.market_skills import MarketSkills
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.vocabulary import packaged_vocabulary

MARKET = MarketSkills(20, 20, (("SQL", 16), ("Python", 12), ("PostgreSQL", 8), ("Airflow", 8), ("Fax", 0)))


PLAN = passage(8, "Learning plans and certificates", "How do I make a learning plan?", "A plan fits on half a page.")
CERTIFICATE = passage(9, "Learning plans and certificates", "Is a certificate worth it?", "If the law requires it.")


def market(result):
    return Canned("market_skills", result)


def owned(*skills):
    return Owned(dict.fromkeys(skills, "in your profile"), resume_unread=False)


async def test_the_gap_is_computed_from_the_postings_and_shown_before_the_text():
    answer, recorder = await perform(
        SkillGapAgent(),
        "Which skills am I missing for data engineer jobs?",
        [market(Ok(MARKET)), resume()],
        profile=[fact("skill", "SQL")],
    )
    looked = ["tool_call", "tool_result"] * 2
    assert recorder.types() == [*looked, "skill_gap", "chunk", "usage", "message", "suggestions"]
    gap = recorder.one("skill_gap")
    assert (gap.target, gap.postings, gap.sample_postings) == ("data engineer", 20, 20)
    assert [(s.skill, s.status, s.share) for s in gap.skills] == [
        ("SQL", "have", 0.8),
        ("Python", "missing", 0.6),
        ("PostgreSQL", "partial", 0.4),
        ("Airflow", "missing", 0.4),
    ]
    assert gap.skills[2].reason == "you know SQL"
    assert gap.learn_next == ("Python", "PostgreSQL", "Airflow")
    assert all(reply.intent for reply in recorder.one("suggestions").suggestions)
    assert "**1 of the 4 most asked skills**" in answer.text
    assert "fictional samples" in answer.text


async def test_a_shown_posting_is_compared_by_its_place():
    tool = Canned("find_job", Ok(hit(2, skills=("SQL", "Tableau"))))
    answer, recorder = await perform(
        SkillGapAgent(), "What am I missing for the second job?", [tool, resume()], history=searched("data jobs"),
        profile=[fact("skill", "SQL")],
    )  # fmt: skip
    assert tool.asked[0].job_id == "j2"
    assert recorder.one("skill_gap").learn_next == ("Tableau",)
    assert "Data Analyst at Contoso Labs" in answer.text


async def test_without_a_role_it_asks_with_roles_that_fit_the_profile():
    answer, recorder = await perform(
        SkillGapAgent(),
        ("what should I learn next"),
        [resume()],
        profile=[fact("skill", "Nursing"), fact("skill", "First Aid")],
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
    text = compose(gap_of("data engineer", result, owned("Excel")))
    assert says in text
    assert never not in text


def test_the_role_itself_and_what_every_advert_asks_are_no_missing_skills():
    market = Ok(MarketSkills(9, 0, (("Nursing", 9), ("Communication", 7), ("First Aid", 5), ("Welsh", 2))))
    assert [s.skill for s in gap_of("nurse", market, owned()).skills] == ["First Aid"]


@pytest.mark.parametrize(
    ("skill", "role", "same"),
    [
        ("Nursing", "charge nurse", True),
        ("Data Analysis", "Junior Data Analyst", True),
        ("Project Management", "project manager", True),
        ("Python", "Python developer", False),
        ("Data Privacy", "data analyst", False),
    ],
)
def test_another_name_of_the_role_is_told_from_a_tool_of_it(skill, role, same):
    assert names_role(skill, role) is same


def test_an_unknown_person_is_told_that_nothing_is_known():
    text = compose(gap_of("data engineer", Ok(MARKET), owned()))
    assert "I know of no skills of yours yet" in text


def test_nothing_missing_is_said_plainly():
    facts = gap_of("clerk", Ok(MarketSkills(9, 0, (("SQL", 9),))), owned("SQL"))
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
    assert [name for group in KIN for name in group if vocabulary.canonical(name) != name] == []


def test_kin_is_said_and_strangers_are_not():
    assert kin_of("PostgreSQL", ["SQL"]) == "SQL"
    assert kin_of("Nursing", ["SQL"]) is None


def test_what_a_skill_builds_on_comes_before_it():
    asked = ["Kubernetes", "Apache Spark", "Python", "Docker", "dbt", "SQL"]
    order = learning_order(asked, 9)
    assert set(order) == set(asked)
    for later, first in [("Kubernetes", "Docker"), ("Apache Spark", "Python"), ("dbt", "SQL")]:
        assert order.index(first) < order.index(later)
    assert order[:2] == ("Docker", "Kubernetes")


def test_the_order_of_learning_has_no_circles_and_knows_its_skills():
    vocabulary = packaged_vocabulary()
    named = {*_BUILDS_ON, *(each for below in _BUILDS_ON.values() for each in below), *GENERIC, *CERTIFICATES}
    assert [name for name in sorted(named) if vocabulary.canonical(name) != name] == []
    for skill in _BUILDS_ON:
        seen, front = set(), set(_BUILDS_ON[skill])
        while front:
            seen |= front
            front = {below for each in front for below in _BUILDS_ON.get(each, ())} - seen
        assert skill not in seen


async def test_skills_of_the_cv_count_and_say_where_they_stand():
    counts = MarketSkills(20, 0, (("SQL", 16), ("Excel", 9), ("Python", 8)))
    answer, recorder = await perform(SkillGapAgent(), "skills for data analyst?", [market(Ok(counts)), resume(CV)])
    reasons = {s.skill: (s.status, s.reason) for s in recorder.one("skill_gap").skills}
    assert reasons["SQL"] == ("have", "in your CV, as Data Analyst at Northgate Clinics")
    assert reasons["Excel"] == ("have", "listed in your CV, with no job that shows it")
    assert reasons["Python"] == ("missing", "")
    assert "**Only listed in your CV:** Excel" in answer.text


async def test_a_cv_that_cannot_be_read_is_said():
    tools = [market(Ok(MARKET)), Canned("read_resume", Err("timeout", "slow"))]
    answer, _ = await perform(SkillGapAgent(), "skills for data engineer?", tools)
    assert "could not read your CV" in answer.text


class Postings:
    """Finds the postings it was given, and cannot read the others."""

    name = "find_job"
    effect = "read"
    timeout_s = 1.0

    def __init__(self, **skills):
        self.skills = skills

    async def run(self, arguments):
        if arguments.job_id not in self.skills:
            return Err("timeout", "slow")
        return Ok(hit(1, skills=self.skills[arguments.job_id]))


def shown(count):
    jobs = tuple(Job(job_id=f"j{n}", title=f"Engineer {n}", company=f"Firm {n}") for n in range(1, count + 1))
    source = (SourceStatus(name="job catalogue", status="ok"),)
    return turn(
        "engineer jobs", "Jobs.", "job_search", JobsData(jobs=jobs, total=count, truncated=False, sources=source)
    )


async def test_several_shown_postings_are_one_market():
    tools = [Postings(j1=("SQL", "Python"), j2=("Python",)), resume()]
    answer, recorder = await perform(SkillGapAgent(), "what am I missing for those three?", tools, history=shown(3))
    gap = recorder.one("skill_gap")
    assert [(s.skill, s.postings) for s in gap.skills] == [("Python", 2), ("SQL", 1)]
    assert "1 posting of those could not be read" in answer.text


async def test_postings_none_of_which_can_be_read_are_no_empty_catalogue():
    answer, _ = await perform(
        SkillGapAgent(), "what am I missing for those three?", [Postings(), resume()], history=shown(3)
    )
    assert "could not look" in answer.text


async def test_whether_a_skill_is_worth_it_is_told_by_its_share():
    tools = [market(Ok(MARKET)), resume(), Canned("search_knowledge", found(PLAN))]
    answer, recorder = await perform(SkillGapAgent(), "Is Airflow worth learning for a data engineer?", tools)
    assert tools[0].asked[0].role == "data engineer"
    assert (
        "**None** of the 20 postings"
    ) in answer.text  # the market names it "Airflow", the vocabulary "Apache Airflow"
    answer, recorder = await perform(SkillGapAgent(), "Is Python worth learning for a data engineer?", tools)
    assert (
        "**12 of 20 postings** for “data engineer” (all fictional samples) ask for Python: 60%, number 2"
    ) in answer.text
    assert "skill_gap" not in recorder.types()


def test_the_worth_of_a_skill_names_what_it_builds_on_and_what_is_asked_more():
    facts = worth_of("Apache Spark", "data engineer", Ok(MARKET), ["SQL"])
    assert facts.asking == 0
    assert facts.foundations == ("Python",)
    assert [s.skill for s in facts.above] == ["Python", "PostgreSQL", "Airflow"]
    assert worth_of("SQL", "data engineer", Ok(MARKET), ["SQL"]).owned
    assert worth_of("SQL", "x", Err("timeout", ""), []).outcome == "unavailable"
    assert worth_of("SQL", "x", Empty(""), []).outcome == "no_postings"


async def test_worth_without_a_role_asks_which():
    answer, recorder = await perform(SkillGapAgent(), "is python worth learning", [resume()])
    assert answer.text.startswith("For which role?")
    assert "Is Python worth learning for" in recorder.one("suggestions").suggestions[0].message


async def test_two_roles_are_held_against_each_other():
    tools = [market(Ok(MARKET)), resume()]
    answer, recorder = await perform(
        SkillGapAgent(), "data engineer vs data analyst", tools, profile=[fact("skill", "SQL")]
    )
    assert [ask.role for ask in tools[0].asked] == ["data engineer", "data analyst"]
    assert [e.target for e in recorder.events if e.type == "skill_gap"] == ["data engineer", "data analyst"]
    assert "36% of all the asking" in answer.text
    assert "counts twice: Python, PostgreSQL and Airflow" in answer.text
    assert "nearer to" not in answer.text


@pytest.mark.parametrize(
    ("message", "roles"),
    [
        ("data engineer vs data analyst", ("data engineer", "data analyst")),
        ("Am I closer to data analyst or data scientist?", ("data analyst", "data scientist")),
        ("compare my gaps for nurse versus midwife", ("nurse", "midwife")),
        ("Which skills am I missing for data engineer jobs?", ()),
        ("skills for C# or Java developers", ()),
    ],
)
def test_roles_side_by_side_are_read(message, roles):
    assert targets_of(message)[:2] == roles or (not roles and len(targets_of(message)) != 1)


async def test_certificates_asked_for_are_told_with_what_the_guides_say():
    counts = MarketSkills(10, 10, (("Patient Care", 9), ("NMC Registration", 4), ("Teaching", 3)))
    tools = [market(Ok(counts)), resume(), Canned("search_knowledge", found(CERTIFICATE))]
    answer, recorder = await perform(SkillGapAgent(), "Which certificates do nurse jobs ask for?", tools)
    (only,) = recorder.one("skill_gap").skills
    assert (only.skill, only.certificate) == ("NMC Registration", True)
    assert "If the law requires it. [1]" in answer.text
    assert answer.citations[0].id == "p_9"


async def test_a_learning_plan_is_cited_and_unread_guides_are_said():
    tools = [market(Ok(MARKET)), resume(), Canned("search_knowledge", found(PLAN))]
    answer, _ = await perform(SkillGapAgent(), "What should I learn to become a data engineer?", tools)
    assert "A plan fits on half a page. [1]" in answer.text
    answer, _ = await perform(
        SkillGapAgent(), "What should I learn to become a data engineer?", [market(Ok(MARKET)), resume(), unread()]
    )
    assert "could not look into my guides" in answer.text
    assert answer.citations == ()


TEACHER = "I'm a secondary school teacher for 8 years and want to move into UX design. Where do I start?"


class Markets:
    """A market a role."""

    name, effect, timeout_s = "market_skills", "read", 1.0

    def __init__(self, **markets):
        self.markets = {role.replace("_", " "): market for role, market in markets.items()}

    async def run(self, arguments):
        return self.markets[arguments.role]


async def test_where_one_wants_to_go_is_no_skill_held_and_ones_own_work_counts():
    design = Ok(MarketSkills(20, 0, (("UX Design", 20), ("Figma", 15), ("Communication", 9), ("Public Speaking", 4))))
    school = Ok(MarketSkills(30, 0, (("Teaching", 30), ("Communication", 20), ("Public Speaking", 9), ("Excel", 2))))
    markets = Markets(UX_design=design, secondary_school_teacher=school)
    answer, recorder = await perform(SkillGapAgent(), TEACHER, [markets, resume(), Canned("search_knowledge", found())])
    gap = recorder.one("skill_gap")
    assert "UX Design" not in {skill.skill for skill in gap.skills}
    assert "you just said so" not in answer.text
    assert gap.learn_next[0] == "Figma"
    assert "both ask for Communication and Public Speaking" in answer.text


@pytest.mark.parametrize(
    ("skill", "role", "left_out"),
    [
        ("Nursing", "nursing", True),
        ("UX Design", "UX designer", True),
        ("Python", "Python developer", False),
        ("SQL", "SQL developer", False),
    ],
)
def test_the_roles_own_name_is_nothing_to_learn(skill, role, left_out):
    assert names_role(skill, role) is left_out


def test_boilerplate_and_what_every_advert_names_are_left_out():
    counts = (("Python", 18), ("Compensation and Benefits", 7), ("Public Health", 2), ("Kubernetes", 2))
    facts = gap_of("data scientist", Ok(MarketSkills(20, 0, counts)), owned("SQL"))
    assert [skill.skill for skill in facts.skills] == ["Python", "Kubernetes"]
    facts = gap_of("HR manager", Ok(MarketSkills(20, 0, counts)), owned("SQL"))
    assert "Compensation and Benefits" in {skill.skill for skill in facts.skills}


@pytest.mark.parametrize(
    ("message", "heading", "says"),
    [
        ("how long would that take", "How do I make a learning plan?", "I have no source for how long"),
        ("which courses?", "How do I choose a course?", "I keep no list of courses"),
    ],
)
async def test_how_long_and_which_courses_are_answered_without_the_table_again(message, heading, says):
    guides = Canned("search_knowledge", found(passage(8, "Learning plans", heading, "It fits on half a page.")))
    _, before = await perform(
        SkillGapAgent(), "Which skills am I missing for data engineer jobs?", [market(Ok(MARKET)), resume()]
    )
    history = turn("gaps", "Told.", "skill_gap", before.one("skill_gap"))
    answer, recorder = await perform(SkillGapAgent(), message, [guides], history=history)
    assert "skill_gap" not in recorder.types()
    assert answer.text.startswith(says)
    assert "SQL" in answer.text
    assert "It fits on half a page. [1]" in answer.text
    assert SkillGapAgent().holds(message, history)
    assert not SkillGapAgent().holds(message, (*history, *turn("hi", "Hello.", "general")))
    assert not SkillGapAgent().holds("find jobs in Leeds", history)


async def test_without_common_skills_the_users_own_work_is_still_named():
    design = Ok(MarketSkills(1, 1, (("Figma", 1),)))
    school = Ok(MarketSkills(10, 10, (("Teaching", 10), ("Lesson Planning", 6), ("German", 3))))
    markets = Markets(UX_design=design, secondary_school_teacher=school)
    answer, _ = await perform(SkillGapAgent(), TEACHER, [markets, resume(), Canned("search_knowledge", found())])
    assert "postings for “secondary school teacher” ask for Teaching and Lesson Planning." in answer.text


async def test_what_should_i_learn_asks_for_no_skill_in_particular():
    message = "I'm a data analyst and know SQL. what should I learn to become a data engineer?"
    tools = [market(Ok(MARKET)), resume(), Canned("search_knowledge", found(PLAN))]
    _, recorder = await perform(SkillGapAgent(), message, tools)
    assert recorder.one("skill_gap").target == "data engineer"


async def test_courses_for_another_role_are_a_new_comparison():
    _, before = await perform(
        SkillGapAgent(), "Which skills am I missing for data engineer jobs?", [market(Ok(MARKET)), resume()]
    )
    history = turn("gaps", "Told.", "skill_gap", before.one("skill_gap"))
    tools = [market(Ok(MARKET)), resume(), Canned("search_knowledge", found(PLAN))]
    _, recorder = await perform(SkillGapAgent(), "which courses do I need to become a nurse?", tools, history=history)
    assert recorder.one("skill_gap").target == "nurse"


WARD = (
    "Nursing", "Medicine", "NMC Registration", "Medication Administration", "Infection Control", "Teamwork", "Teaching",
    "Emergency Care",
)  # fmt: skip


async def test_one_posting_asks_for_the_same_skills_whoever_is_asked():
    ward = hit(1, title="Staff Nurse, Acute Medicine", company="St Brannoc's Hospital", skills=WARD)
    known = [fact("title", "paediatric nurse"), fact("skill", "Paediatric Nursing"), fact("skill", "Triage")]
    shown = Job(job_id="j1", title=ward.title, company=ward.company, sample=True)
    table = JobsData(jobs=(shown,), total=1, truncated=False, sources=(SourceStatus(name="x", status="ok"),))
    history = [
        PastMessage(role="user", content="nurse jobs", intent="job_search"),
        PastMessage(
            role="assistant", content="One.", agent="job_search", blocks=(table.model_dump(mode="json"),)
        ),
    ]  # fmt: skip
    using = [
        Canned("find_job", Ok(ward)),
        Canned("find_jobs", Ok((ward,))),
        resume(),
        Canned("find_company", Empty("-")),
        unread(),
    ]
    answer, recorder = await perform(
        SkillGapAgent(), "What am I missing for the first job?", using, history=history, profile=known
    )
    gap = recorder.one("skill_gap")
    assert [each.skill for each in gap.skills] == list(WARD)
    assert {each.skill: each.status for each in gap.skills}["Nursing"] == "partial"
    assert "asks for 8 skills" in answer.text
    assert "learning plan" not in answer.text, "the first job is no first thing to learn"
    missing = next(line for line in answer.text.splitlines() if "**Missing:**" in line)
    assert all(skill in missing for skill in WARD[1:]), "all that is counted is told"
    assert {"Nursing", "Medicine", "Teamwork"}.isdisjoint(gap.learn_next), "a nurse does not set out to learn nursing"
    sizes = Canned("company_sizes", Empty("-"))
    judged, seen = await perform(
        JobMatchAgent(), "how well do I fit the first one?", [*using, sizes], history=history, profile=known
    )
    (verdict,) = seen.one("job_match").verdicts
    assert set(verdict.job.missing_skills) | {"Nursing"} == {each.skill for each in gap.skills}
    assert "your Paediatric Nursing is close to its Nursing" in judged.text
    letter, _ = await perform(
        CoverLetterAgent(), "write a cover letter for the first one", using, history=history, profile=known
    )
    asks = next(part for part in letter.text.split("\n\n") if part.startswith("The posting also asks for"))
    assert "and 2 more" in asks, "the letter names the most telling of the seven, and how many there are beside"


def test_what_is_left_to_learn_is_never_called_nothing():
    gap = gap_of(
        "Nurse at Acme", Ok(MarketSkills(1, 1, (("Nursing", 1), ("Teamwork", 1)))), owned("Excel"), basis="posting"
    )
    assert gap.learn_next == ("Nursing", "Teamwork")
    assert "Nothing on the list is missing" not in compose(gap)
