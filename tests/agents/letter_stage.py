"""What letters are tested with: two CVs, a posting, a company, and the exchange of a message for a letter."""

from datetime import UTC, date, datetime, timedelta

from stage import Canned, fact, hit, perform

from signalbox.agents.cover_letter import CoverLetterAgent
from signalbox.memory.conversation import PastMessage
from signalbox.memory.resume.model import Certificate, EducationItem, Resume, SpokenLanguage, WorkItem
from signalbox.retrieval.facts.companies import CompanyRecord
from signalbox.tools.result import Empty, Ok
from signalbox.tools.vocabulary import packaged_vocabulary

VOCABULARY = packaged_vocabulary()
ANALYST = Resume(
    headline="Data Analyst",
    work=(
        WorkItem(
            title="Senior Data Analyst",
            company="Contoso",
            start="2021-03",
            current=True,
            highlights=(
                "Cut report run time by 40% with SQL and dbt",
                "Managing a team of 3 analysts",
                "Dashboards in Tableau for the sales team",
            ),
        ),
        WorkItem(
            title="Data Analyst",
            company="Fabrikam",
            start="2018-01",
            end="2021-02",
            highlights=("Build ETL pipelines in Python that load 12 sources", "Responsible for weekly reports"),
        ),
    ),
    education=(EducationItem(degree="BSc Mathematics", institution="University of Leeds", end="2017"),),
    skills=("SQL", "Python", "dbt", "Tableau"),
    languages=(SpokenLanguage(language="German", level="B2"),),
    certificates=(Certificate(name="AWS Certified Cloud Practitioner"),),
)
NURSE = Resume(
    work=(WorkItem(title="Staff Nurse", company="St Jude's Hospital", start="2016", end="2024"),),
    education=(EducationItem(degree="BSc Nursing", institution="King's College London", current=True),),
    skills=("Patient Care", "Wound Care"),
)
ADA = (fact("name", "Ada Lovelace"), fact("title", "Senior Data Analyst"), fact("years", "8"), fact("skill", "SQL"))
NORTHWIND = CompanyRecord(
    company_id="c1",
    name="Northwind",
    site="https://northwind.example",
    careers_url=None,
    region="Europe",
    technologies=("Python", "Kubernetes"),
    size_min=50,
    size_max=200,
    founded=2009,
    remote_policy="remote",
    description="Northwind plans the routes of delivery vans in 12 cities. We run everything on Kubernetes.",
    facts=(),
    as_of=date(2026, 5, 1),
    source="remote_companies",
    url="https://list.example/northwind",
)
ADVERTISED = datetime.now(UTC).date() - timedelta(days=20)
POSTING = hit(
    1,
    title="Data Engineer",
    company="Northwind",
    sample=False,
    posted_at=ADVERTISED,
    skills=("Python", "SQL", "Apache Kafka", "German"),
    description="We keep the vans of small shops on the road. Our Kafka cluster has 40 nodes.",
)


def tools(resume=ANALYST, record=NORTHWIND, posting=POSTING):
    return [
        Canned("read_resume", Ok(resume) if resume else Empty("no CV is stored")),
        Canned("find_company", Ok(record) if record else Empty("not on record")),
        Canned("find_job", Ok(posting) if posting else Empty("gone")),
    ]


async def ask(message, history=(), profile=ADA, using=None, **more):
    return await perform(
        CoverLetterAgent(), message, tools() if using is None else using, history=history, profile=profile, **more
    )


def after(message, performed, history=()):
    """The conversation with this exchange at its end."""
    answer, recorder = performed
    letter = recorder.one("cover_letter").model_dump(mode="json", exclude={"conversation_id", "run_id", "seq", "ts"})
    return [
        *history,
        PastMessage(role="user", content=message, intent="cover_letter"),
        PastMessage(role="assistant", content=answer.text, agent="cover_letter", blocks=(letter,)),
    ]


async def talk(*messages, before=(), **more):
    """The outcomes of one message after the other, in one conversation."""
    history, outcomes = list(before), []
    for message in messages:
        done = await ask(message, history, **more)
        outcomes.append(done)
        if "cover_letter" in done[1].types():
            history = after(message, done, history)
        else:
            history.append(PastMessage(role="user", content=message, intent="cover_letter"))
            history.append(PastMessage(role="assistant", content=done[0].text, agent="cover_letter"))
    return outcomes


def letters(outcomes):
    """The letter of each outcome, None where none was written."""
    return [each.one("cover_letter") if "cover_letter" in each.types() else None for _, each in outcomes]
