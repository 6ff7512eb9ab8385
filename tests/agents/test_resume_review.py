import re
from datetime import date

import pytest
from stage import Canned, fact, hit, hits, perform, searched

from resume_samples import JANE, NO_HEADINGS, NURSE, ON_ONE_LINE, PRIVATE
from signalbox.agents.resume_review import ResumeReviewAgent
from signalbox.agents.resumes.bullets import Bullet, bullets_of, judged, rewritten
from signalbox.agents.resumes.findings import findings_of, strengths_of
from signalbox.agents.resumes.request import ask_of, split_pasted
from signalbox.agents.resumes.summary import new_summary, shorter_summary
from signalbox.llm.offline import OfflineModel
from signalbox.memory.conversation import PastMessage
from signalbox.memory.resume.text import read_text
from signalbox.retrieval.library import Passage, PassageHits
from signalbox.tools.market_skills import MarketSkills
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.vocabulary import packaged_vocabulary

TODAY = date(2026, 11, 30)
CV = read_text(JANE, source="jane.pdf").resume
MARKET = MarketSkills(20, 12, (("SQL", 16), ("Kafka", 9), ("Apache Spark", 7), ("Fax", 1)))
VOCABULARY = packaged_vocabulary()


def tools(*, resume=None, market=None, job=None, known=None):
    return [
        Canned("read_resume", resume or Ok(CV)),
        Canned("market_skills", market or Ok(MARKET)),
        Canned("find_job", job or Ok(hit(2, skills=("SQL", "Tableau", "dbt")))),
        Canned("search_knowledge", known or Empty("nothing")),
    ]


async def ask(message: str, *, with_tools=None, **more):
    return await perform(ResumeReviewAgent(), message, with_tools or tools(), **more)


def said(text: str):
    return findings_of(read_text(text).resume, VOCABULARY, TODAY)


async def test_a_review_is_shown_as_findings_before_the_text():
    answer, recorder = await ask("Review my CV")
    assert recorder.types() == [
        "tool_call",
        "tool_result",
        "resume_feedback",
        "chunk",
        "usage",
        "message",
        "suggestions",
    ]
    feedback = recorder.one("resume_feedback")
    assert (feedback.source, feedback.target) == ("jane.pdf", None)
    severities = [finding.severity for finding in feedback.findings]
    assert severities == sorted(severities, key=["high", "medium", "low"].index)
    assert "3 of 5 bullets give no result or number" in feedback.findings[0].finding
    assert any("Go, Airflow and Docker" in finding.finding for finding in feedback.findings)
    assert feedback.strengths
    assert answer.text.startswith("I read **jane.pdf**: 2 jobs, 5 bullets")
    labels = [reply.label for reply in recorder.one("suggestions").suggestions]
    assert labels[0] == "Rewrite bullet 3"
    assert {reply.intent for reply in recorder.one("suggestions").suggestions} == {"resume_review"}


async def test_every_figure_in_the_text_is_in_the_facts():
    for message in ("Review my CV for data engineer jobs", "Rewrite bullet 1", "is my CV too long?", "now the summary"):
        answer, recorder = await ask(message)
        shown = [event for event in recorder.events if event.type not in {"chunk", "message"}]
        known = CV.model_dump_json() + "".join(event.model_dump_json() for event in shown)
        known += f"{CV.words} {len(bullets_of(CV))} {len(CV.work)} 400 500 20 12 1 2 3 4 5 6 {len(CV.summary.split())}"
        missing = [number for number in re.findall(r"\d+", answer.text) if number not in known]
        assert missing == [], answer.text


async def test_a_role_splits_its_keywords_by_what_the_profile_knows():
    answer, recorder = await ask("Review my CV for data engineer jobs", profile=[fact("skill", "Kafka")])
    feedback = recorder.one("resume_feedback")
    assert feedback.target == "data engineer"
    assert (feedback.unsaid_keywords, feedback.missing_keywords) == (("Kafka",), ("Apache Spark",))
    assert "20 postings for “data engineer” (12 of them fictional samples)" in answer.text
    assert "Fax" not in answer.text


async def test_a_shown_posting_is_the_target_by_its_place():
    used = tools()
    answer, recorder = await ask("Does my CV fit the second one?", with_tools=used, history=searched("data jobs"))
    assert used[2].asked[0].job_id == "j2"
    assert recorder.one("resume_feedback").missing_keywords == ("dbt",)
    assert "“Data Analyst at Contoso Labs” (a fictional sample)" in answer.text


@pytest.mark.parametrize(
    ("market", "says", "never"),
    [(Err("timeout", "slow"), "could not look", "no posting"), (Empty("none"), "finds no posting", "could not look")],
)
async def test_no_postings_and_no_look_are_told_apart(market, says, never):
    answer, _ = await ask("Review my CV for data engineer jobs", with_tools=tools(market=market))
    assert says in answer.text
    assert never not in answer.text
    assert "Most important first" in answer.text


async def test_without_a_cv_it_says_how_to_send_one():
    answer, recorder = await ask("Review my CV", with_tools=tools(resume=Empty("none")))
    assert "Upload it" in answer.text
    assert "paste its text" in answer.text
    assert "resume_feedback" not in recorder.types()
    assert len(recorder.one("suggestions").suggestions) == 3


async def test_a_cv_that_cannot_be_read_is_not_said_to_be_missing():
    answer, _ = await ask("Review my CV", with_tools=tools(resume=Err("unavailable", "down")))
    assert "could not read your CV" in answer.text
    assert "no CV" not in answer.text


async def test_a_temporary_chat_reads_no_stored_cv_but_a_pasted_one():
    used = tools()
    answer, _ = await ask("Review my CV", with_tools=used, temporary=True)
    assert used[0].asked == []
    assert "temporary chat" in answer.text
    answer, recorder = await ask(f"Review this CV:\n{NURSE}", with_tools=used, temporary=True)
    assert recorder.one("resume_feedback").source == "pasted"
    assert used[0].asked == []


async def test_a_pasted_cv_is_reviewed_instead_of_the_stored_one_and_remembered():
    used = tools()
    message = f"Please check my CV for nurse roles:\n{NURSE}"
    answer, recorder = await ask(message, with_tools=used)
    assert used[0].asked == []
    assert used[1].asked[0].role == "nurse"
    assert "the CV you pasted: 2 jobs, 3 bullets" in answer.text
    history = [
        PastMessage(role="user", content=message, intent="resume_review"),
        PastMessage(
            role="assistant", content=answer.text, agent="resume_review",
            blocks=(recorder.one("resume_feedback").model_dump(mode="json"),),
        ),
    ]  # fmt: skip
    answer, _ = await ask("rewrite bullet 2", with_tools=used, history=history)
    assert "Trained new starters" in answer.text
    assert used[0].asked == []


class Overheard(OfflineModel):
    """Keeps what a model would have been sent."""

    def __init__(self):
        super().__init__(delay_s=0)
        self.heard = ""

    def stream(self, request):
        self.heard += "\n".join(message.content for message in request.messages)
        return super().stream(request)


async def test_no_model_is_sent_contact_data():
    model = Overheard()
    pasted = f"Review my CV:\n{JANE}"
    history = [PastMessage(role="user", content=pasted, intent="resume_review")]
    await ask(pasted, model=model, history=history)
    await ask(
        "My address is 12 Elm Street and my mail jane.doe@example.com, review my CV", model=model, history=history
    )
    assert "Northwind" in model.heard
    leaked = [private for private in PRIVATE if private in model.heard and private not in {"Elm Street", "LS1 4AB"}]
    assert leaked == []


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Review my CV", "review"),
        ("cna you reveiw my resmue", "review"),
        ("Could you shorten my employment section so it fits one page?", "section"),
        ("and the second bullet?", "bullet"),
        ("the third bullet is too vague, again", "bullet"),
        ("rewrite the summary", "summary"),
        ("shorten it to one page", "shorten"),
        ("Should I include a photo on a CV for Spain?", "advice"),
        ("one page or two?", "advice"),
        ("is this cv any cop or should i bin it", "review"),
        ('chek this bulet: "menaged team of 6 technicans"', "line"),
        ("What's wrong with my résumé?", "review"),
        ("I have 3 years gap in resume because of UPSC preparation, how to show it?", "advice"),
    ],
)
def test_what_is_asked_for_is_told_apart(message, kind):
    assert ask_of(message, ()).kind == kind


@pytest.mark.parametrize("text", [JANE, NURSE, NO_HEADINGS, ON_ONE_LINE])
def test_a_pasted_cv_is_recognised(text):
    words, pasted = split_pasted(f"Please review my CV for chef jobs:\n{text}")
    assert words == "Please review my CV for chef jobs:"
    assert pasted is not None
    assert len(pasted.work) == 2


@pytest.mark.parametrize(
    "text",
    [
        "I worked at Acme from 2019 to 2021 as a cook, then I was a waiter in Rome until 2023; now I look for work.",
        "Python, SQL and Docker are what I know. Find me a job in Leeds please, remote if possible, from 2027 on.",
        "Dear hiring manager, I write to apply for the position of cook that you advertised in March 2026. " * 4,
    ],
)
def test_a_story_or_a_letter_is_no_cv(text):
    assert split_pasted(text)[1] is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Responsible for managing social media", "Managed social media, [with what result]"),
        ("I was responsible for running the kitchen and ordering stock",
         "Ran the kitchen and ordered stock, [with what result]"),
        ("was involved in the planning of events",
         "[what you did yourself] in the planning of [how many] events, [with what result]"),
        ("Worked on reports", "[led, ran, built or improved] reports, [with what result]"),
        ("menaged team of 6 technicans", "Managed team of 6 technicians"),
        ("Manage 14 stores", "Managed 14 stores"),
        ("good with people", "[one example that shows it: what you did, and what came of it]"),
        ("Cut cost by 30% by moving jobs", "Cut cost by 30% by moving jobs"),
    ],
)  # fmt: skip
def test_a_bullet_is_said_more_strongly_in_its_own_words(before, after):
    assert rewritten(Bullet(1, before, "Cook, Inn", past=True)) == after


def test_a_rewritten_bullet_adds_no_fact():
    for text in (JANE, NURSE, NO_HEADINGS, ON_ONE_LINE):
        for bullet in bullets_of(read_text(text).resume):
            after = re.sub(r"\[[^\]]*\]", " ", rewritten(bullet))
            stems = {word.casefold()[:4] for word in re.findall(r"\w+", bullet.text)}
            new = [word for word in re.findall(r"\w+", after) if word.casefold()[:4] not in stems]
            assert set(new) <= {"for", "in"}, (bullet.text, after)


def test_a_long_bullet_becomes_two():
    text = (
        "Managed the opening of the shop every morning and the ordering of all goods from twelve suppliers, and "
        "trained new colleagues on the till and in the stock room while keeping the books in order for its owner"
    )
    bullet = Bullet(1, text, "Shop", past=True)
    assert "long" in judged(bullet).faults
    assert len(rewritten(bullet).split("\n")) == 2


def test_bullets_are_numbered_through_all_jobs():
    assert [(bullet.number, bullet.past) for bullet in bullets_of(CV)] == [
        (1, False), (2, False), (3, False), (4, True), (5, True),
    ]  # fmt: skip


GAPS = """Ann Poe
Cook

EXPERIENCE
Cook, Old Inn
2016-01 – 2017-03
- I cooked for 300 guests
Head Cook, New Inn
2018-02 – present
- Lead a team of 5
Waiter at Bar One
- served drinks

SKILLS
Javascript, JavaScript, Excel

EDUCATION
Diploma, Cork College, 2015
"""


def test_gaps_order_missing_dates_and_spellings_are_found():
    told = " ".join(f"{finding.section}: {finding.finding}" for finding in said(GAPS))
    assert "gap of 10 months between 2017-03 and 2018-02" in told
    assert "The jobs are not in order" in told
    assert "“Waiter, Bar One” has no dates" in told
    assert "“Javascript” and “JavaScript”" in told
    assert "There is no summary" in told


def test_a_gap_of_study_is_none():
    studied = GAPS.replace("Diploma, Cork College, 2015", "Diploma, Cork College, 2017-04 – 2018-01")
    assert not any("gap" in finding.finding for finding in said(studied))


def test_an_extract_misses_no_other_sections():
    extract = read_text(
        "EXPERIENCE\nCook, Old Inn\n2016 – 2019\n- Cooked for 300 guests a night with a team of 5"
    ).resume
    assert not any("no summary" in each.finding for each in findings_of(extract, VOCABULARY, TODAY))


def test_strengths_quote_the_cv():
    strengths = strengths_of(CV, VOCABULARY, TODAY)
    assert any("Cut cloud cost by 30%" in strength for strength in strengths)
    assert "Contact data is complete" in strengths


def test_a_summary_is_shortened_to_its_own_words():
    summary = (
        "I am a motivated team player with excellent communication skills and a passion for data. Built the "
        "reporting of 40 stores in SQL and Tableau. I enjoy working in a fast-paced environment with many different "
        "people every day. Looking for a role in data engineering near Leeds where I can learn from a team of experts."
    )
    shorter = shorter_summary(summary)
    assert len(shorter.split()) < len(summary.split())
    assert "40 stores" in shorter
    assert "team player" not in shorter
    words = {word.casefold() for word in re.findall(r"\w+", summary)}
    assert {word.casefold() for word in re.findall(r"\w+", shorter)} <= words


def test_a_new_summary_says_only_what_the_cv_says():
    text = new_summary(CV, 8, VOCABULARY)
    assert text.startswith("Senior Data Engineer with 8 years of experience in")
    assert "[what you are looking for next]" in text
    bare = read_text("Cook\n\nEXPERIENCE\nCook, Inn, 2019 – 2020\n- Helped out").resume
    assert "[your strongest result, with a number]" in new_summary(bare, None, VOCABULARY)


async def test_a_question_is_answered_with_advice_and_cited_guides():
    passage = Passage(
        passage_id="p1", document_id="d1", title="How to structure a CV", heading="How long should a CV be?",
        content="A CV should be one or two pages long for most jobs.", source="guides", url=None, path="cv.md",
        version="1", published_on=TODAY,
    )  # fmt: skip
    used = tools(known=Ok(PassageHits((passage,), ())))
    answer, recorder = await ask("How long should a CV be?", with_tools=used)
    assert used[3].asked[0].topics == ("resume_review",)
    assert "**One page**" in answer.text
    assert f"has {CV.words} words" in answer.text
    assert [citation.id for citation in answer.citations] == ["p1"]
    assert recorder.one("knowledge").passages[0].passage_id == "p1"


def section(number, title, heading, content):
    return Passage(
        passage_id=f"p{number}", document_id=f"d{number}", title=title, heading=heading, content=content,
        source="guides", url=None, path="cv.md", version="1", published_on=TODAY,
    )  # fmt: skip


OF_CVS = (
    section(1, "Career gaps", "How do I explain a gap on a CV?", "A gap on a CV of a few months seldom matters."),
    section(2, "How to structure a CV", "Which sections does a CV need?", "Name, summary, skills, experience."),
    section(3, "How to structure a CV", "How long should a CV be?", "A CV is normally one or two pages long."),
    section(4, "How to structure a CV", "How do I tailor a CV?", "The half-page test: fold the two pages in half."),
)


@pytest.mark.parametrize("asked", ["How long should my CV be?", "how many pages should a resume have?"])
async def test_beside_an_answer_only_what_is_about_the_same_is_quoted(asked):
    answer, recorder = await ask(asked, with_tools=tools(known=Ok(PassageHits(OF_CVS, ()))))
    assert "**One page**" in answer.text
    assert [citation.id for citation in answer.citations] == ["p3"]
    assert [each.passage_id for each in recorder.one("knowledge").passages] == ["p3"]


async def test_beside_an_answer_nothing_is_quoted_because_it_is_about_cvs_as_well():
    answer, recorder = await ask("How long should my CV be?", with_tools=tools(known=Ok(PassageHits(OF_CVS[:2], ()))))
    assert "**One page**" in answer.text
    assert answer.citations == ()
    assert "knowledge" not in recorder.types()


async def test_a_question_nobody_can_answer_is_said_to_be_one():
    answer, _ = await ask("Why is the sky blue on résumés?")
    assert "no good answer" in answer.text


async def test_what_a_quick_reply_says_is_understood():
    _, recorder = await ask("Review my CV", profile=[fact("title", "data engineer")])
    kinds = [ask_of(reply.message, ()).kind for reply in recorder.one("suggestions").suggestions]
    assert kinds == ["bullet", "summary", "review"]
    _, recorder = await ask("Review my CV", with_tools=tools(resume=Empty("none")))
    assert {ask_of(reply.message, ()).kind for reply in recorder.one("suggestions").suggestions} == {"advice"}


async def test_the_tools_of_a_job_are_no_bullet_to_rewrite():
    assert judged(Bullet(1, "Tech: Ruby, Rails, Postgres", "Developer, Acme", past=True)).faults == ()


async def test_a_bullet_that_is_not_there_is_asked_for():
    answer, _ = await ask("rewrite bullet 99")
    assert "no bullet 99" in answer.text
    assert "5 bullets" in answer.text


@pytest.mark.parametrize(
    "message", ["", "cv", "?" * 500, "bullet 0", "review: " + "x" * 5_000, '""', "Review my CV:\n- \n- "]
)
async def test_any_message_gets_an_answer(message):
    answer, _ = await ask(message)
    assert len(answer.text) > 30


@pytest.mark.parametrize(
    ("line", "skills"),
    [
        ("SQL, A/B testing, CI/CD", ("SQL", "A/B testing", "CI/CD")),
        ("Python/R, HTML / CSS", ("Python", "R", "HTML", "CSS")),
        ("UI/UX, PL/SQL, Word/Excel", ("UI/UX", "PL/SQL", "Word", "Excel")),
    ],
)
def test_a_skill_with_a_slash_in_its_name_stays_whole(line, skills):
    text = f"Jane Roe\n\nSkills\n{line}\n\nExperience\nAnalyst, Foo, 2019 - 2021\n- Tested 20 pages\n"
    assert read_text(text).resume.skills == skills


async def test_as_many_things_are_told_as_are_counted():
    for text in (JANE, NURSE, NO_HEADINGS):
        answer, recorder = await ask(
            "Review my CV", with_tools=tools(resume=Ok(read_text(text, source="cv.pdf").resume))
        )
        findings = recorder.one("resume_feedback").findings
        counted = re.search(r"(\d+) things? to change", answer.text)
        assert int(counted[1]) == len(findings)
        for each in findings:
            assert each.finding.replace("*", "") in answer.text or (each.before or "?") in answer.text


async def test_a_line_to_rewrite_is_no_example_of_what_is_strong():
    answer, _ = await ask("Review my CV")
    strong = answer.text.split("**Strong already**")[1]
    weak = re.findall(r"- Bullet \d+: (.+)", answer.text)
    assert weak
    assert not any(line in strong for line in weak)


def test_a_summary_counts_no_years_of_a_language_or_of_the_title_itself():
    text = (
        "Jane Roe\n\nSkills\nData Analysis, German, English, SQL, Logistics\n\nLanguages\nGerman (B2), English\n\n"
        "Experience\nData Analyst, Foo, 2019 - 2024\n- Tested 20 pages with SQL\n"
    )
    summary = new_summary(read_text(text).resume, 5, VOCABULARY)
    assert summary.startswith("Data Analyst with 5 years of experience in SQL and Logistics.")


async def test_what_can_go_is_understood_alone():
    answer, _ = await ask("what can go?")
    assert "has" in answer.text
    assert "no good answer" not in answer.text
    assert ask_of("what can go?", ()).kind == "shorten"
    after = (PastMessage(role="assistant", content="I read it.", agent="resume_review"),)
    for words in ("what can go?", "rewrite bullet 3", "and the summary"):
        assert ResumeReviewAgent().holds(words, after)
        assert not ResumeReviewAgent().holds(words, ())
    assert not ResumeReviewAgent().holds("find me jobs", after)
    assert ask_of("what can go into the summary of a CV?", ()).kind != "shorten"


async def test_what_can_you_tell_from_my_cv_reads_it():
    answer, recorder = await ask("what can you tell from my CV?")
    assert answer.text.startswith("I read **jane.pdf**")
    assert recorder.one("resume_feedback").findings


async def test_whether_years_are_enough_is_asked_of_the_postings():
    answer, recorder = await ask("is 5 years enough?")
    assert answer.hand_over.to == "job_match"
    assert recorder.events == []


NAMED = "review my CV for the Data Analyst job at the New York Law Department"


async def test_a_posting_named_by_title_and_employer_is_found_in_the_catalogue():
    other = hit(1, title="Data Analyst", company="Bank of New York", skills=("Excel",))
    meant = hit(2, title="City Data Analyst", company="Law Department", skills=("SQL", "Tableau"), sample=False)
    search = Canned("search_jobs", Ok(hits(other, meant)))
    answer, recorder = await ask(NAMED, with_tools=[*tools(), search])
    assert "Law Department" in search.asked[0].query.companies
    assert recorder.one("resume_feedback").target == "City Data Analyst at Law Department"
    assert "**Against “City Data Analyst at Law Department”**" in answer.text


async def test_an_employer_without_such_a_posting_is_named_and_the_role_compared():
    search = Canned("search_jobs", Empty("no posting meets all of it"))
    answer, recorder = await ask(NAMED, with_tools=[*tools(), search])
    assert "I looked for “Data Analyst at New York Law Department” in the catalogue and found no such" in answer.text
    assert "20 postings for “Data Analyst”" in answer.text
    assert recorder.one("resume_feedback").missing_keywords
    search = Canned("search_jobs", Err("timeout", "slow"))
    answer, _ = await ask(NAMED, with_tools=[*tools(), search])
    assert "I could not look at the postings" in answer.text
