import json
from datetime import date

import pytest
from stage import Canned, perform, searched

from signalbox.agents.companies.ask import name_in, read_ask, topics_in, wish_in
from signalbox.agents.companies.facts import TOPICS, shortened, size_text
from signalbox.agents.company_research import CompanyResearchAgent, compose, offers_of, profile_facts
from signalbox.blocks import Job, JobsData, Salary
from signalbox.memory.conversation import PastMessage
from signalbox.retrieval.facts.companies import CompanyList, CompanyRecord, CompanyWish, StatedFact
from signalbox.retrieval.facts.company_jobs import EmployerPostings, PaySpan
from signalbox.retrieval.library import Passage, PassageHits
from signalbox.tools.company_postings import PostingsOfEmployer
from signalbox.tools.match_companies import CompanyMatches
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.vocabulary import packaged_vocabulary

TODAY = date(2026, 11, 30)
NO_RECORD = Empty("no company of that name is on record")
NO_POSTING = Empty("no posting is from that company")


def record(**changes):
    values = {
        "company_id": "c_1", "name": "Acme", "site": "https://acme.example", "careers_url": None, "region": "Europe",
        "technologies": ("Rust", "Go"), "size_min": 51, "size_max": 200, "founded": 2009,
        "remote_policy": "remote-first",
        "description": "Acme makes anvils.", "facts": (StatedFact("Offices", "Ghent"),), "as_of": date(2026, 5, 1),
        "source": "Register", "url": "https://register.example",
    }  # fmt: skip
    return CompanyRecord(**{**values, **changes})


def postings(**changes):
    values = {
        "company": "Acme", "sample": False, "postings": 4, "closed": 1, "titles": (("Smith", 3), ("Cook", 1)),
        "places": (("Ghent", 4),), "remote": 1, "on_site": 2, "pay": (PaySpan("EUR", 40_000.0, 60_000.0, 3, 1),),
        "skills": (("Welding", 3),), "oldest": date(2026, 1, 1), "newest": date(2026, 11, 1), "sources": ("feed",),
        "newest_id": "feed:1", "newest_url": None,
    }  # fmt: skip
    return EmployerPostings(**{**values, **changes})


def matched(*companies, near=()):
    return Ok(CompanyMatches(tuple((each,) for each in companies), tuple(near)))


def employed(*kinds, near=()):
    return Ok(PostingsOfEmployer(tuple(kinds), tuple(near)))


def tools(records=NO_RECORD, jobs=NO_POSTING, listed=NO_RECORD, guides=NO_RECORD):
    return [
        Canned("match_companies", records), Canned("company_postings", jobs), Canned("list_companies", listed),
        Canned("search_knowledge", guides),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("message", "name", "topics"),
    [
        ("Tell me about GitLab", "GitLab", ()),
        ("It isn't the role, it's the employer. Is Cedarvane Care well run?", "Cedarvane Care", ("culture",)),
        ("wats it liek to work at amazn wharehouse", "amazn", ("culture",)),
        ("how meny emploees has bolt got", "bolt", ("size",)),
        ("did spotfy do layofs agian", "spotfy", ("layoffs",)),
        ("Celonis funding", "Celonis", ("funding",)),
        ("Glassdoor Aldi", "Aldi", ("culture",)),
        ("I've never heard of Haldvik Freight. Are they legit?", "Haldvik Freight", ("legitimacy",)),
        ("What does Médecins Sans Frontières stand for?", "Médecins Sans Frontières", ("products",)),
        ("startup called Fernquill just slid into my inbox", "Fernquill", ()),
        ("Are there reviews of the Four Seasons in Lisbon?", "Four Seasons", ("culture",)),
        ("who are they anyway?", None, ()),
        ("", None, ()),
    ],
)
def test_the_company_and_the_question_are_read_from_the_message(message, name, topics):
    assert name_in(message) == name
    assert topics_in(message) == topics


def test_a_company_is_pointed_at_carried_on_or_asked_for():
    vocabulary = packaged_vocabulary()
    history = searched("data jobs")
    assert read_ask("Is the company of the second job legit?", history, vocabulary).name == "Contoso Labs"
    assert read_ask("who are they?", history, vocabulary).choices == ("Northwind", "Contoso Labs")
    profile = {"type": "company_profile", "company": "Acme"}
    later = [PastMessage(role="assistant", content="", agent="company_research", blocks=(profile,))]
    assert read_ask("and do they do layoffs a lot?", later, vocabulary).name == "Acme"
    asked = [PastMessage(role="user", content="who owns Waitrose?", intent="company_research")]
    assert read_ask("how old are they?", asked, vocabulary).name == "Waitrose"
    assert read_ask("What should I find out about a company before I apply?", (), vocabulary).kind == "method"


@pytest.mark.parametrize(
    ("message", "kind", "wish"),
    [
        (
            "which of the companies you know use Rust and hire in Germany?",
            "list",
            CompanyWish(technologies=("Rust",), place="Germany"),
        ),
        ("fully remote companies using Elixir", "list", CompanyWish(("Elixir",), None, remote=True, fully_remote=True)),
        ("small companies in Europe that use Python", "list", CompanyWish(("Python",), "Europe", size_max=50)),
        ("which companies are best for work-life balance", "best", CompanyWish()),
        ("Which companies are fully remote?", "list", CompanyWish(remote=True, fully_remote=True)),
    ],
)
def test_a_wish_for_companies_is_read_as_conditions(message, kind, wish):
    asked = read_ask(message, (), packaged_vocabulary())
    assert (asked.kind, asked.wish) == (kind, wish)
    assert wish_in(message, packaged_vocabulary()) == wish


async def test_every_fact_is_shown_with_its_source_date_and_citation():
    answer, recorder = await perform(
        CompanyResearchAgent(), "Tell me about Acme", tools(matched(record()), employed(postings()))
    )
    event = recorder.one("company_profile")
    kinds = [kind for kind in recorder.types() if not kind.startswith("tool_")]
    assert kinds == ["company_profile", "chunk", "usage", "message", "suggestions"]
    facts = {fact.label: fact for fact in event.facts}
    assert (facts["Size"].fact, facts["Size"].source, facts["Size"].as_of, facts["Size"].source_id) == (
        "51–200 people", "Register", date(2026, 5, 1), "c_1",
    )  # fmt: skip
    assert facts["Postings"].fact == "4 postings, 1 past the closing date, the newest of 1 November 2026"
    assert facts["Pay in postings"].fact == (
        "€40,000–€60,000 a year in 3 postings (1 of them by the hour, counted at 2,080 hours)"
    )
    assert facts["Remote in postings"].fact == "1 of 4 say remote, 2 on site, 1 do not say"
    assert [(c.id, c.source) for c in answer.citations] == [
        ("c_1", "Register"), ("feed:1", "Postings in the catalogue (feed)"),
    ]  # fmt: skip
    assert "*Register, 1 May 2026*" in answer.text
    assert all(fact.fact.replace("*", "") in answer.text.replace("\\", "") for fact in event.facts)


async def test_what_was_asked_comes_first_and_what_no_source_tells_is_said():
    answer, recorder = await perform(
        CompanyResearchAgent(), "How big is Acme and what's the culture like?", tools(matched(record()))
    )
    assert answer.text.index("**Size:**") < answer.text.index("no source on the culture")
    assert recorder.one("company_profile").unknown == ("the culture or what it is like to work there",)
    assert "**Technology:**" not in answer.text


@pytest.mark.parametrize(
    ("records", "jobs", "says", "never"),
    [
        (NO_RECORD, NO_POSTING, "and found nothing", "could not"),
        (Err("timeout", "slow"), NO_POSTING, "could not look", "found nothing"),
        (NO_RECORD, Err("unavailable", "away"), "could not look", "found nothing"),
        (NO_RECORD, employed(postings()), "no record of Acme", "could not"),
        (Err("timeout", "slow"), employed(postings()), "could not look at the companies on record", "no record"),
        (matched(record()), Err("timeout", "slow"), "could not look at its postings", "has none"),
        (matched(record()), NO_POSTING, "the catalogue has none", "could not"),
        (matched(near=("Acme Labs",)), NO_POSTING, "Did you mean “Acme Labs”?", "could not"),
        (matched(record(), record(name="Acme Inc")), NO_POSTING, "“Acme” or “Acme Inc”", "could not"),
        (matched(record(as_of=date(2018, 1, 1))), NO_POSTING, "more than a year old", "could not"),
    ],
)
async def test_each_outcome_has_its_own_words(records, jobs, says, never):
    answer, _ = await perform(CompanyResearchAgent(), "Tell me about Acme", tools(records, jobs))
    assert says in answer.text
    assert never not in answer.text


async def test_a_company_of_samples_is_called_fictional():
    answer, recorder = await perform(
        CompanyResearchAgent(), "Tell me about Acme", tools(jobs=employed(postings(sample=True)))
    )
    assert recorder.one("company_profile").sample is True
    assert "is a fictional company of the built-in sample catalogue" in answer.text
    assert "4 fictional sample postings" in answer.text


async def test_legitimacy_is_never_vouched_for_but_a_guide_says_what_to_check():
    passage = Passage("p_1", "d_1", "Job scams", "How do I check whether a job offer is real?", "Telephone the firm.",
                      "guides", None, "s.md", "1", date(2026, 1, 1))  # fmt: skip
    answer, _ = await perform(
        CompanyResearchAgent(), "Is Haldvik Freight legit?", tools(guides=Ok(PassageHits((passage,), ())))
    )
    assert "no source on whether it is trustworthy" in answer.text
    assert "Telephone the firm." in answer.text
    assert [c.id for c in answer.citations] == ["p_1"]


async def test_a_ranking_without_a_source_is_refused_with_what_can_be_done_instead():
    answer, recorder = await perform(CompanyResearchAgent(), "which companies are best for work-life balance", tools())
    assert "I will not guess" in answer.text
    assert "tool_call" not in recorder.types()
    (offer,) = recorder.one("suggestions").suggestions
    assert read_ask(offer.message, (), packaged_vocabulary()).kind == "list"


async def test_a_list_says_its_conditions_its_number_and_how_a_place_is_read():
    found = Ok(CompanyList((record(region="worldwide"),), 24), truncated=True, total=24)
    lists = tools(listed=found)
    answer, recorder = await perform(CompanyResearchAgent(), "which companies use Go and hire in Germany?", lists)
    assert "**24 companies** I know are on record as using Go and hiring in Germany" in answer.text
    assert "**Acme**: hires worldwide; remote-first; Go, Rust (Register, May 2026)" in answer.text
    assert "read by region" in answer.text
    assert [c.id for c in answer.citations] == ["c_1"]
    assert recorder.one("suggestions").suggestions[0].message == "Tell me about Acme"


@pytest.mark.parametrize(
    ("listed", "says"),
    [
        (Empty("no company on record meets all of it"), "none of the companies I know is on record as using Go"),
        (Empty("no companies are on record at all"), "no companies are on record here at all"),
        (Err("timeout", "slow"), "could not look"),
    ],
)
async def test_an_empty_list_and_a_failed_one_are_told_apart(listed, says):
    answer, _ = await perform(CompanyResearchAgent(), "which companies use Go?", tools(listed=listed))
    assert says in answer.text


def test_every_topic_has_words_for_not_knowing_and_every_fact_of_the_text_is_in_the_facts():
    import re

    facts = profile_facts("Acme", tuple(TOPICS), matched(record()), employed(postings()), TODAY)
    assert set(facts.unknown) == {words for words, labels in TOPICS.values() if not labels} | {
        words for topic, (words, _) in TOPICS.items() if topic in {"funding", "benefits"}
    }
    known = json.dumps(facts.model_dump(mode="json"), ensure_ascii=False)
    numbers = set(re.findall(r"\d+", compose(facts)))
    assert {n for n in numbers if n not in known} <= {"1"}


def test_quick_replies_lead_somewhere():
    told = profile_facts("acme", (), matched(record()), employed(postings()), TODAY)
    assert [(message, to) for _, message, to in offers_of(told)] == [
        ("Show me jobs at Acme", "job_search"), ("Write an e-mail to Acme", "cold_email"),
    ]  # fmt: skip
    closed = profile_facts("acme", (), matched(record()), employed(postings(closed=4)), TODAY)
    assert "job_search" not in [to for _, _, to in offers_of(closed)]


def table(*jobs):
    shown = tuple(
        Job(job_id=f"j{number}", title=title, company=company, sample=sample, salary=salary)
        for number, (title, company, sample, salary) in enumerate(jobs, start=1)
    )
    block = JobsData(jobs=shown, total=len(shown), truncated=False, sources=()).model_dump(mode="json")
    return PastMessage(role="assistant", content="…", agent="job_search", blocks=(block,))


LIST = table(
    ("Smith", "Acme", False, Salary(min=30_000, max=40_000, currency="EUR", period="year")),
    ("Data Engineer", "Northwind", True, None),
    ("Cook", "Acme", False, None),
)


async def test_these_companies_are_those_of_the_list_on_the_table():
    answer, recorder = await perform(CompanyResearchAgent(), "which companies are these?", tools(), history=(LIST,))
    assert "- **Acme**: numbers 1 and 3\n- **Northwind**: number 2 (fictional sample)" in answer.text
    assert "tool_call" not in recorder.types()
    answer, _ = await perform(CompanyResearchAgent(), "not the fictional ones", tools(), history=(LIST,))
    assert "**Acme**" in answer.text
    assert "Northwind" not in answer.text
    answer, _ = await perform(CompanyResearchAgent(), "which companies are these?", tools(), history=(LIST, table()))
    assert answer.text.startswith("The last search found nothing; these are the companies of the list before it:")


async def test_these_companies_are_nobody_where_nothing_was_found():
    answer, _ = await perform(CompanyResearchAgent(), "which companies are these?", tools(), history=(table(),))
    assert answer.text.startswith("The last search found nothing, so there are no companies to name.")
    answer, _ = await perform(CompanyResearchAgent(), "not the fictional ones", tools(), history=(table(),))
    assert answer.text.startswith("The companies on record here are real ones")


async def test_a_list_without_a_condition_names_none():
    lists = tools(listed=Ok(CompanyList((record(),), 882), truncated=True, total=882))
    answer, _ = await perform(CompanyResearchAgent(), "which companies do you know?", lists)
    assert answer.text.startswith("**882 companies** I know are on record; here are the 1 with the newest records:")


async def test_the_company_is_that_of_the_posting_pointed_at_and_its_pay_is_told():
    answer, _ = await perform(
        CompanyResearchAgent(),
        "what does the first one pay and is the company any good?",
        tools(matched(record()), NO_POSTING),
        history=(LIST,),
    )
    assert answer.text.startswith("**Smith** at Acme pays €30,000–€40,000 a year.")
    assert "For Acme I have no source on the culture or what it is like to work there, so" in answer.text


@pytest.mark.parametrize(
    ("region", "place", "says"),
    [
        ("worldwide", "Europe", "Yes: by its record, Acme hires worldwide, and that takes in Europe."),
        ("Europe", "germany", "Yes: by its record, Acme hires in Europe, and that takes in Germany."),
        ("Europe", "Europe", "Yes: by its record, Acme hires in Europe. Whether"),
        ("the Americas", "Europe", "By its record, Acme hires in the Americas; Europe is not named."),
    ],
)
async def test_whether_a_company_hires_somewhere_is_answered_from_its_record(region, place, says):
    answer, _ = await perform(
        CompanyResearchAgent(), f"does Acme hire in {place}?", tools(matched(record(region=region)))
    )
    assert answer.text.startswith(says)


class Names:
    """Companies of several names, each on record."""

    name = "match_companies"
    effect = "read"
    timeout_s = 1.0

    async def run(self, arguments):
        known = {"gitlab": "GitLab", "automattic": "Automattic"}.get(arguments.name.casefold())
        return matched(record(name=known, company_id=f"c_{known}")) if known else NO_RECORD


async def test_two_companies_are_compared_side_by_side():
    told = tuple(
        PastMessage(role="assistant", content="…", blocks=({"type": "company_profile", "company": name},))
        for name in ("Automattic", "GitLab")
    )
    for message in (
        "compare the two",
        "compare gitlab and automattic",
        "GitLab vs Automattic",
        "Compare it with GitLab",
    ):
        past = told[:1] if "it with" in message else told
        answer, recorder = await perform(CompanyResearchAgent(), message, [Names(), *tools()[1:]], history=past)
        assert "| Size | 51–200 people | 51–200 people |" in answer.text, message
        assert {c.id for c in answer.citations} == {"c_GitLab", "c_Automattic"}
        assert recorder.types().count("company_profile") == 2
    answer, _ = await perform(CompanyResearchAgent(), "compare GitLab and Nobodyinc", [Names(), *tools()[1:]])
    assert "I looked for “Nobodyinc”" in answer.text
    assert "What I know of **GitLab**" in answer.text


@pytest.mark.parametrize("change", [str, str.lower, str.upper, str.title])
@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("Tell me about GitLab", "gitlab"),
        ("what do you know about Automattic?", "automattic"),
        ("does Automattic hire in Europe?", "automattic"),
        ("Which companies on your list use Elixir?", None),
    ],
)
def test_a_company_is_read_in_any_casing(change, message, name):
    asked = read_ask(change(message), (), packaged_vocabulary())
    assert (asked.name or "").casefold() == (name or "")
    if name is None:
        assert (asked.kind, asked.wish.technologies) == ("list", ("Elixir",))
    assert ("region" in asked.topics) is ("hire in" in message)


@pytest.mark.parametrize("message", ["", "\x00", "the", "A" * 5_000, "Is " * 900, "🏢?", "about " + "x " * 400])
async def test_no_message_breaks_it(message):
    answer, _ = await perform(CompanyResearchAgent(), message, tools())
    assert answer.text


def test_sizes_and_long_texts_are_worded():
    assert [size_text(1000, None), size_text(None, 50), size_text(7, 7), size_text(None, None)] == [
        "1,000 people or more", "up to 50 people", "7 people", None,
    ]  # fmt: skip
    assert shortened("One. " * 200).endswith("One.")
    assert shortened("x" * 999).endswith("…")
