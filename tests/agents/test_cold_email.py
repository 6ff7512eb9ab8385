import itertools

import pytest
from stage import Canned, fact, perform, searched

from signalbox.agents.cold_email import ColdEmailAgent, draft_of, sender_of
from signalbox.agents.letters.outreach import Outreach, read_outreach
from signalbox.agents.letters.outreach_reply import compose
from signalbox.agents.letters.outreach_text import Sender, with_article, write_email, write_note
from signalbox.llm.scripted import ScriptedModel
from signalbox.memory.conversation import PastMessage
from signalbox.memory.resume.model import Resume, WorkItem
from signalbox.retrieval.facts.companies import CompanyRecord
from signalbox.tools.result import Err, Ok

LONG = "Senior Associate Vice President of Extremely Long and Winding Job Titles and Other Matters"
SENDERS = [
    Sender(),
    Sender("Ada Lovelace", "data analyst", "4", ("SQL", "Python")),
    Sender("Ada " * 20, LONG, "12", ("Natural Language Processing", "Stakeholder Management", "SQL", "Python")),
]
PURPOSES = [None, "role", "speculative", "referral", "chat", "reply", "second", "decline"]


@pytest.mark.parametrize(("purpose", "tone"), list(itertools.product(PURPOSES, [None, "formal", "friendly", "short"])))
def test_an_email_has_80_to_140_words_and_three_subjects_whatever_is_known(purpose, tone):
    for sender, company, role in itertools.product(SENDERS, [None, "Siemens", LONG], [None, "data engineer", LONG]):
        draft = write_email(Outreach(company=company, role=role, purpose=purpose, tone=tone), sender)
        assert 80 <= draft.words <= 140, draft.body
        assert len(set(draft.subjects)) == 3


@pytest.mark.parametrize("purpose", PURPOSES)
def test_a_note_fits_into_300_characters(purpose):
    for sender, company, role, person in itertools.product(SENDERS, [None, LONG], [None, LONG], [None, LONG]):
        draft = write_note(Outreach(company=company, role=role, person=person, purpose=purpose), sender)
        assert len(draft.body) <= 300


async def test_nothing_is_claimed_that_nobody_said():
    answer, recorder = await perform(ColdEmailAgent(), "Write to the recruiter at Siemens about the data engineer role")
    mail = recorder.one("email_draft")
    assert "years of experience" not in mail.body
    assert set(mail.placeholders) == {
        "[recipient's name]",
        "[your current role]",
        "[two or three skills that matter here]",
        "[one result you are proud of, with a number]",
        "[one true, specific reason]",
        "[your name]",
    }
    assert all(blank in mail.body for blank in mail.placeholders)
    assert all(f"`{blank}`" in answer.text for blank in mail.placeholders)
    assert recorder.types() == ["email_draft", "chunk", "usage", "message", "suggestions"]


async def test_the_profile_fills_in_what_it_holds():
    profile = [
        fact("name", "Ada Lovelace"),
        fact("title", "data analyst"),
        fact("years", "4"),
        fact("skill", "SQL"),
        fact("title", "astronaut", "preference"),
    ]
    _, recorder = await perform(ColdEmailAgent(), "Formal mail to Anna Schmidt at Siemens Energy", profile=profile)
    mail = recorder.one("email_draft")
    assert mail.to == "Anna Schmidt"
    assert mail.body.startswith("Dear Anna Schmidt,")
    assert "I am a data analyst with 4 years of experience. My skills include SQL." in mail.body
    assert mail.body.endswith("Kind regards,\nAda Lovelace")
    assert "astronaut" not in mail.body


async def test_a_title_that_is_only_wished_for_is_not_claimed():
    _, recorder = await perform(
        ColdEmailAgent(), "Write to Siemens", profile=[fact("title", "astronaut", "preference")]
    )
    assert "I am an astronaut" not in recorder.one("email_draft").body


async def test_the_posting_on_the_table_gives_company_and_title():
    answer, recorder = await perform(
        ColdEmailAgent(), "Write to the second one", history=searched("data jobs"), profile=[fact("skill", "SQL")]
    )
    body = recorder.one("email_draft").body
    assert "the Data Analyst position at Contoso Labs" in body
    assert "fictional sample" in answer.text


async def test_a_posting_cannot_smuggle_in_placeholders_or_lines():
    sender = sender_of((), "write to them", None)
    draft, facts = draft_of(Outreach(company="[your password]\n\nDear all", role="x"), sender, None)
    assert "[your password]" not in draft.placeholders
    assert "Dear all" not in draft.body.split("\n")
    assert "\n\nDear" not in compose(facts)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("wriet a emial to recuiter at siemens pls", Outreach(company="Siemens")),
        ("I'd like a referral from an ex-colleague at Atlassian", Outreach(company="Atlassian", purpose="referral")),
        ("A LinkedIn note to the hiring manager, friendly please", Outreach(channel="note", tone="friendly")),
        ("Can you make it less formal?", Outreach(tone="friendly")),
        ("I am cook from Romania, write an e-mail to hotels", Outreach(channel="email")),
        (
            "Formal email to Ms Brown at Acme about the nurse position",
            Outreach("Acme", "nurse", "Ms Brown", "email", "formal", "role"),
        ),
    ],
)
def test_the_addressee_is_read_from_the_message(message, expected):
    assert read_outreach(message, ()) == (expected, None)


async def test_a_change_keeps_the_rest_of_the_request_before_it():
    first = "Write a formal e-mail to the recruiter at Siemens about the data engineer role"
    history = searched(first)[:1]
    history = (history[0].model_copy(update={"intent": "cold_email"}),)
    _, recorder = await perform(ColdEmailAgent(), "Make it a LinkedIn note", history=history)
    note = recorder.one("email_draft")
    assert "data engineer position at Siemens" in note.body
    assert len(note.body) <= 300
    assert note.subjects == ()


async def test_a_change_keeps_the_posting_that_was_meant():
    asked = PastMessage(role="user", content="Write to the second company", intent="cold_email")
    history = (*searched("data jobs"), asked)
    _, recorder = await perform(ColdEmailAgent(), "shorter please", history=history)
    assert "Contoso Labs" in recorder.one("email_draft").body


@pytest.mark.parametrize(
    ("noun", "phrase"),
    [
        ("analyst", "an analyst"),
        ("UX designer", "a UX designer"),
        ("HR adviser", "an HR adviser"),
        ("nurse", "a nurse"),
    ],
)
def test_articles_go_by_sound(noun, phrase):
    assert with_article(noun) == phrase


def drafted(*requests, before=()):
    """A conversation in which each request was answered with a draft."""
    history = list(before)
    for request in requests:
        history.append(PastMessage(role="user", content=request, intent="cold_email"))
        history.append(PastMessage(role="assistant", content="Here is an e-mail.", agent="cold_email"))
    return history


@pytest.mark.parametrize(
    "change",
    [
        "As an e-mail",
        "as a LinkedIn note",
        "As an e-mail instead, please",
        "more formal",
        "shorter",
        "in German please",
    ],
)
async def test_a_change_of_form_keeps_company_role_and_person_through_many_changes(change):
    first = "Write to Anna Schmidt at Mosaic Ledger about the data engineer position"
    history = drafted(first, "more formal", "shorter", "as a LinkedIn note", "As an e-mail", "more friendly")
    read, _ = read_outreach(change, history)
    assert (read.company, read.role, read.person) == ("Mosaic Ledger", "data engineer", "Anna Schmidt")


async def test_a_change_keeps_the_posting_shown_then_and_not_one_of_a_newer_search():
    history = [*drafted("Write to the second one", before=searched("data jobs")), *searched("more")]
    shown = history[-1].blocks[0]
    newer = {**shown, "jobs": [{**job, "company": "Newer"} for job in shown["jobs"]]}
    history[-1] = history[-1].model_copy(update={"blocks": (newer,)})
    read, _ = read_outreach("as a LinkedIn note", history)
    assert read.company == "Contoso Labs"


def test_a_draft_moved_to_another_company_leaves_the_first_ones_post_behind():
    history = drafted("Formal e-mail to Siemens about the data engineer role")
    read, _ = read_outreach("now the same as an e-mail to Mosaic Ledger", [*history])
    assert (read.company, read.role) == ("Mosaic Ledger", None)
    later, _ = read_outreach("shorter", drafted("Write to Siemens about the data engineer role", "Write to Acme"))
    assert (later.company, later.role) == ("Acme", None)


async def test_a_named_company_wins_over_a_posting_of_another():
    answer, recorder = await perform(
        ColdEmailAgent(), "Write an e-mail to Fernleigh Hotels about the first job", history=searched("jobs")
    )
    assert "Fernleigh Hotels" in recorder.one("email_draft").body
    assert "Northwind" not in recorder.one("email_draft").body
    assert "The posting you point at is from Northwind" in answer.text
    read, job = read_outreach("Write to Contoso Labs about the first job", searched("jobs"))
    assert (read.company, read.role, job.company) == ("Contoso Labs", "Data Analyst", "Contoso Labs")
    read, job = read_outreach("Write to Anna Schmidt at Northwind about the first job", searched("jobs"))
    assert (read.company, read.role, read.person) == ("Northwind", "Data Engineer", "Anna Schmidt")


@pytest.mark.parametrize(("limit", "met"), [(120, True), (90, True), (70, True), (50, True), (20, False)])
async def test_a_limit_of_words_is_kept_or_said_to_be_impossible(limit, met):
    history = drafted("Write to Siemens about the data engineer role")
    answer, recorder = await perform(ColdEmailAgent(), f"max {limit} words", history=history)
    body = recorder.one("email_draft").body
    assert "Siemens" in body
    assert (len(body.split()) <= limit) is met
    assert ("I cannot get it down" in answer.text) is not met


async def test_another_language_is_said_not_to_be_available():
    history = drafted("Write to Siemens about the data engineer role")
    answer, recorder = await perform(ColdEmailAgent(), "in German please", history=history)
    assert "in English only for now" in answer.text
    assert "data engineer position at Siemens" in recorder.one("email_draft").body
    assert read_outreach("I am fluent in German, write to Siemens", ())[0].language is None


CV = Resume(
    work=(
        WorkItem(
            title="Data Analyst",
            company="Fabrikam",
            start="2021-03",
            current=True,
            highlights=("Dashboards for sales", "Cut report run time by 40% with SQL"),
        ),
    ),
    skills=("SQL",),
)
RECORD = CompanyRecord(
    company_id="c1",
    name="Northwind",
    site=None,
    careers_url=None,
    region=None,
    technologies=("SQL", "Kubernetes"),
    size_min=None,
    size_max=None,
    founded=None,
    remote_policy=None,
    description="Northwind plans the routes of delivery vans in 12 cities.",
    facts=(),
    as_of=None,
    source="remote_companies",
    url=None,
)
WITH_CV = [fact("name", "Ada Lovelace"), fact("title", "data analyst"), fact("skill", "SQL"), fact("resume", "cv.pdf")]


def lookups(cv=CV, record=RECORD):
    return [
        Canned("read_resume", Ok(cv) if cv else Err("unavailable", "away")),
        Canned("find_company", Ok(record) if record else Err("unavailable", "away")),
    ]


async def test_a_result_of_the_cv_and_the_companys_own_words_stand_in_the_mail_with_their_sources():
    answer, recorder = await perform(
        ColdEmailAgent(), "Write to the recruiter at Northwind about the data engineer role", lookups(), profile=WITH_CV
    )
    mail = recorder.one("email_draft")
    assert "I am a data analyst at Fabrikam." in mail.body
    assert "At Fabrikam I cut report run time by 40% with SQL." in mail.body
    assert "“Northwind plans the routes of delivery vans in 12 cities.”" in mail.body
    assert "Kubernetes" not in mail.body
    assert [each.id for each in answer.citations] == ["c1"]
    assert {"cv", "company"} <= {each.source for each in mail.evidence}
    assert "comes from your CV" in answer.text
    assert 80 <= len(mail.body.split()) <= 140


async def test_what_could_not_be_looked_up_is_said():
    answer, recorder = await perform(
        ColdEmailAgent(), "Write to the recruiter at Northwind", lookups(None, None), profile=WITH_CV
    )
    assert "could not read your CV" in answer.text
    assert "could not look up Northwind" in answer.text
    assert "[one result you are proud of, with a number]" in recorder.one("email_draft").placeholders


async def test_no_cv_is_read_that_the_profile_does_not_know_of_and_none_in_a_temporary_chat():
    for profile, temporary in (([fact("skill", "SQL")], False), (WITH_CV, True)):
        using = lookups()
        await perform(ColdEmailAgent(), "Write to Northwind", using, profile=profile, temporary=temporary)
        assert using[0].asked == []


@pytest.mark.parametrize(("purpose", "tone"), list(itertools.product(PURPOSES, [None, "formal", "friendly", "short"])))
def test_bounds_hold_with_all_that_a_cv_and_a_company_can_add(purpose, tone):
    sender = Sender(
        "Ada Lovelace", LONG, "12", ("Natural Language Processing", "Stakeholder Management", "SQL", "Python"), LONG,
        "At the Extremely Long Company Name of Somewhere I " + "built and kept many things " * 6 + "running.",
        ("SQL", "Python"), "We plan the routes of the delivery vans of small shops in all of our many cities.",
    )  # fmt: skip
    for company, role in itertools.product([None, LONG], [None, LONG]):
        draft = write_email(Outreach(company=company, role=role, purpose=purpose, tone=tone), sender)
        assert 80 <= draft.words <= 140, draft.body


async def test_a_models_mail_is_taken_only_where_it_claims_nothing_new():
    for said, taken in (("Hi, I know SQL. Ada Lovelace", True), ("Hi, I know Kubernetes since 2015.", False)):
        model = ScriptedModel({"Write it.": (said,)}, instructable=True)
        _, recorder = await perform(
            ColdEmailAgent(), "Write to the recruiter at Northwind", lookups(), profile=WITH_CV, model=model
        )
        assert (recorder.one("email_draft").body == said) is taken
