"""A result of every tool, made by hand: each field of its value once filled and, where it may be, once left out."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from signalbox.blocks import ProfileFact
from signalbox.memory.applications import TrackedApplication
from signalbox.memory.resume.model import (
    Certificate,
    EducationItem,
    OtherSection,
    Project,
    Resume,
    SpokenLanguage,
    WorkItem,
)
from signalbox.retrieval.facts.companies import CompanyList, CompanyRecord, StatedFact
from signalbox.retrieval.facts.company_jobs import EmployerPostings, PaySpan
from signalbox.retrieval.facts.posting_pay import PayGroup, PayOfPostings, PostedPay
from signalbox.retrieval.facts.wages import WageRow
from signalbox.retrieval.index import IndexStats, JobHit, JobHits, Leg
from signalbox.retrieval.library import Passage, PassageHits
from signalbox.tools.company_postings import PostingsOfEmployer
from signalbox.tools.erase_resume import ErasedResume
from signalbox.tools.find_wages import Wages
from signalbox.tools.mailing import Sent
from signalbox.tools.market_skills import MarketSkills
from signalbox.tools.match_companies import CompanyMatches
from signalbox.tools.pay_of_postings import RolePay, Step
from signalbox.tools.result import Ok
from signalbox.tools.track_applications import Tracked
from signalbox.tools.undo_profile import UndoneChange
from signalbox.tools.update_profile import UpdatedProfile

DAY = date(2026, 3, 1)
SENT_AT = datetime(2026, 3, 1, 9, 30, 15, 123456, tzinfo=UTC)
NOTICE = "Give **eight weeks** of notice in writing, and ask for a reference before you leave."
LEGS = (Leg("text", "ok"), Leg("meaning", "failed", "no embedding"), Leg("recent", "skipped"))

HIT = JobHit(
    job_id="samples:1", source="samples", external_id="1", title="Senior Python Engineer", company="Northwind GmbH",
    location="Berlin, Germany", country="DE", remote=True, category="Software", employment_type="full-time",
    seniority="senior", salary_min=70_000.0, salary_max=90_000.5, salary_period="year", currency="EUR",
    salary_year_min=70_000.0, salary_year_max=90_000.5, posted_at=DAY, closes_at=date(2026, 4, 1),
    url="https://northwind.example/1", description="We build routes.\n\n- Python\n- No travel „ever“ 🚚",
    requirements="Five years of Python; SQL.", skills=("Python", "SQL", "Kubernetes"), sample=False, score=0.0327868852,
    text_rank=1, meaning_rank=2, cosine=0.61803398875,
)  # fmt: skip
BARE = JobHit(
    job_id="samples:2", source="samples", external_id="2", title="Data Engineer", company="Contoso", location=None,
    country=None, remote=None, category=None, employment_type=None, seniority=None, salary_min=None, salary_max=None,
    salary_period=None, currency=None, salary_year_min=None, salary_year_max=None, posted_at=None, closes_at=None,
    url=None, description="", requirements="", skills=(), sample=True,
)  # fmt: skip
POSTINGS = tuple(
    replace(
        HIT if number % 2 else BARE, job_id=f"samples:{number}", external_id=str(number), title=title, skills=skills
    )
    for number, (title, skills) in enumerate(
        (
            ("Senior Python Engineer", ("Python", "SQL", "Kubernetes", "Terraform")),
            ("Data Engineer", ("SQL", "Apache Kafka", "dbt")),
            ("Backend Developer", ("Go", "PostgreSQL", "Docker")),
            ("Data Analyst", ("SQL", "Tableau", "Excel")),
        ),
        start=1,
    )
)

FACT = ProfileFact(fact_id="f1", kind="constraint", key="remote", value="only", source_message_id="m1")
FACTS = (FACT, ProfileFact(fact_id="f2", kind="fact", key="skill", value="SQL"))

RESUME = Resume(
    headline="Data Analyst", summary="Eight years of reports.", location="Leeds",
    work=(
        WorkItem(
            title="Senior Data Analyst", company="Contoso", location="Leeds", start="2021-03", current=True,
            highlights=("Cut report run time by 40% with SQL and dbt", "Responsible for weekly managment reports"),
        ),
        WorkItem(title="Data Analyst", company="Fabrikam", start="2018-01", end="2021-02"),
    ),
    education=(EducationItem(degree="BSc Mathematics", institution="University of Leeds", end="2017"),),
    skills=("SQL", "Python", "dbt", "Tableau"),
    languages=(SpokenLanguage(language="German", level="B2"),),
    certificates=(Certificate(name="AWS Certified Cloud Practitioner", issuer="AWS", date="2023-05"),),
    projects=(Project(name="Bus times", start="2020", end="2020-06", highlights=("An app for late buses",)),),
    other=(OtherSection(section="other", heading="Hobbies", lines=("Rowing", "Chess")),),
    sections=("work", "education", "skills"), contact=("email", "phone"), pages=2, text="Data Analyst\nLeeds …",
    source="cv.pdf",
)  # fmt: skip

COMPANY = CompanyRecord(
    company_id="c1", name="Northwind GmbH", site="https://northwind.example", careers_url="https://northwind.example/jobs",
    region="Europe", technologies=("Python", "Kubernetes"), size_min=50, size_max=200, founded=2009,
    remote_policy="remote", description="Northwind plans the routes of delivery vans.",
    facts=(StatedFact("Benefits", "Thirty days of holiday"), StatedFact("Founder", "Ada Example")),
    as_of=DAY, source="remote_companies", url="https://list.example/northwind",
)  # fmt: skip
UNKNOWN_COMPANY = replace(
    COMPANY, company_id="c2", name="Contoso", site=None, careers_url=None, region=None, technologies=(), size_min=None,
    size_max=None, founded=None, remote_policy=None, description="", facts=(), as_of=None, url=None,
)  # fmt: skip
EMPLOYER = EmployerPostings(
    company="Northwind GmbH", sample=False, postings=9, closed=1, titles=(("Python Engineer", 4), ("Data Engineer", 2)),
    places=(("Berlin", 5), ("Munich", 1)), remote=3, on_site=2, pay=(PaySpan("EUR", 60_000.0, 90_000.5, 5, 1),),
    skills=(("Python", 6), ("SQL", 4)), oldest=date(2026, 1, 1), newest=DAY, sources=("samples",),
    newest_id="samples:1",
    newest_url="https://northwind.example/1",
)  # fmt: skip
OLD_EMPLOYER = replace(EMPLOYER, sample=True, titles=(), places=(), pay=(), oldest=None, newest=None, newest_url=None)

PAYS = tuple(
    PostedPay(
        f"samples:{n}", "Python Engineer", f"Firm {n}", "Berlin", 60_000.0 + n, 80_000.5, "year", DAY, "https://x.test"
    )
    for n in range(1, 7)
)  # fmt: skip
BARE_PAY = PostedPay("samples:9", "Python Engineer", "Firm", None, 25.0, 30.0, "hour", None, None)
WAGE = WageRow(
    wage_id="w1", source="oews", occupation="Software Developers", occupation_code="15-1252", area="Germany",
    country="DE", currency="EUR", period="year", employed=1_000, mean=61_000.0, p10=40_000.0, p25=50_000.0,
    p50=60_000.0, p75=70_000.0, p90=80_000.25, as_of=DAY, url="https://wages.example",
)  # fmt: skip
BARE_WAGE = replace(
    WAGE, wage_id="w2", country=None, employed=None, mean=None, p10=None, p25=None, p50=None, p75=None, p90=None,
    as_of=None, url=None,
)  # fmt: skip
PASSAGE = Passage(
    passage_id="p_1", document_id="d_1", title="Leaving a job", heading="Notice > In writing", content=NOTICE,
    source="guides", url="https://guides.example/leaving", path="leaving.md", version="2", published_on=DAY,
    topics=("leaving", "salary", "resume_review"), score=0.5, cosine=0.25,
)  # fmt: skip
BARE_PASSAGE = Passage(
    passage_id="p_2", document_id="d_2", title="Asking for more", heading="", content="Name a figure, and wait.",
    source="guides", url=None, path="more.md", version="1", published_on=None,
)  # fmt: skip
MAIL = Sent(
    to=("a@x.example", "b@x.example"), subject="Hello", message_id="<m@x.example>", sent_at=SENT_AT,
    refused=("c@x.example: no such box",), sender="s@x.example", reply_to="r@x.example",
)  # fmt: skip
APPLICATION = TrackedApplication("a1", "Northwind GmbH", "Python Engineer", "samples:1", "interview", DAY, DAY)
BARE_APPLICATION = TrackedApplication("a2", "Contoso", "", None, "applied", None, None)


def made_results() -> dict[str, tuple[Ok[Any], ...]]:
    """By the name of the tool; the first of each is the fullest. ``board`` stands for every job board."""
    found = JobHits(POSTINGS, 9, LEGS)
    pay = PayOfPostings(7, 1, (PayGroup("samples", False, "EUR", PAYS), PayGroup("x", True, "GBP", (BARE_PAY,))))
    steps = (Step("place", "Berlin", True, 2, 0), Step("everywhere", "", False, 7, 6))
    return {
        "board": (Ok(replace(found, hits=(replace(HIT, job_id="live_x_1", source="live:x"),)), total=1),),
        "company_postings": (
            Ok(PostingsOfEmployer((EMPLOYER, OLD_EMPLOYER), ()), total=18),
            Ok(PostingsOfEmployer((), ("Northwind Ltd",)), total=0),
        ),
        "company_sizes": (Ok({"northwind": (50, 200), "contoso": (None, 10), "acme": (500, None)}, total=3),),
        "count_jobs": (
            Ok(IndexStats(120, 40, {"samples": 40, "acme": 70, "zz": 10}, DAY), total=120),
            Ok(IndexStats(1, 0, {"x": 1}, None), total=1),
        ),
        "erase_resume": (Ok(ErasedResume(FACTS, (FACT,))), Ok(ErasedResume((), ()))),
        "find_company": (Ok(COMPANY), Ok(UNKNOWN_COMPANY)),
        "find_job": (Ok(HIT), Ok(BARE)),
        "find_jobs": (Ok(POSTINGS, truncated=True, total=4),),
        "find_wages": (
            Ok(Wages("Software Developers", "near", (WAGE, BARE_WAGE), ("Web Developers",)), total=2),
            Ok(Wages(None, "same", (), ("Bakers", "Brewers")), total=0),
        ),
        "keep_postings": (Ok(3, total=3),),
        "list_companies": (Ok(CompanyList((COMPANY, UNKNOWN_COMPANY), 12), truncated=True, total=12),),
        "market_skills": (Ok(MarketSkills(30, 10, (("Python", 20), ("Kubernetes", 12), ("SQL", 9))), total=30),),
        "match_companies": (
            Ok(CompanyMatches(((COMPANY,),), ()), total=1),
            Ok(CompanyMatches(((COMPANY, UNKNOWN_COMPANY), (UNKNOWN_COMPANY,)), ("Northwind Ltd",)), total=2),
        ),
        "pay_of_postings": (Ok(RolePay(pay, steps), total=7),),
        "read_applications": (Ok((APPLICATION, BARE_APPLICATION), total=2),),
        "read_profile": (Ok(FACTS, total=2),),
        "read_resume": (Ok(RESUME), Ok(Resume())),
        "search_jobs": (Ok(found, truncated=True, total=9), Ok(JobHits((), 0, ()))),
        "search_knowledge": (Ok(PassageHits((PASSAGE, BARE_PASSAGE), LEGS)),),
        "send_email": (
            Ok(MAIL),
            Ok(Sent(("a@x.example",), "Hello", "<m@x.example>", SENT_AT)),
        ),
        "track_application": (Ok(Tracked(APPLICATION, new=True)), Ok(Tracked(BARE_APPLICATION))),
        "undo_profile": (Ok(UndoneChange(FACTS, (), (FACT,), resume_lost=True)), Ok(UndoneChange((), FACTS, ()))),
        "update_profile": (Ok(UpdatedProfile(FACTS, (), FACTS, resume_erased=True)), Ok(UpdatedProfile((), FACTS, ()))),
    }
