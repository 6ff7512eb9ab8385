"""Jobs on the table: told, listed again, sifted and ranked under the numbers they have had since they were shown."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from stage import Canned, fact, hit, hits, perform

from signalbox.agents.job_match import JobMatchAgent
from signalbox.agents.matching.sifting import asks_which, conditions_in, sifted
from signalbox.agents.matching.wish import read_match_wish, wants_list
from signalbox.blocks import Job, JobsData
from signalbox.memory.conversation import PastMessage
from signalbox.tools.result import Empty, Ok
from signalbox.tools.vocabulary import packaged_vocabulary

TODAY = datetime.now(UTC).date()
ADVERT = (
    "Here is a job ad: Senior Accountant, Brightwater Ltd, Manchester. ACCA qualified, 5+ years, Excel, SAP, month-end "
    "close. £48,000-£55,000. Am I a fit? I'm an ACCA accountant with 6 years and Excel."
)
PROFILE = (fact("title", "Data Analyst"), fact("skill", "SQL"), fact("skill", "Python"), fact("location", "Leeds"))


def paid(low, high):
    return {"salary_min": low, "salary_max": high, "salary_period": "year", "currency": "GBP",
            "salary_year_min": low, "salary_year_max": high}  # fmt: skip


TITLES = (
    "Data Analyst",
    "Data Engineer",
    "Tram Driver",
    "Barista",
    "Clerk",
    "Chef",
    "Welder",
    "Nurse",
    "Cook",
    "Porter",
)
HITS = tuple(
    hit(
        number,
        title=title,
        company=f"Firm {title}",
        location="Manchester, UK" if number in {3, 7} else "Leeds, UK",
        country="GB",
        remote=False,
        employment_type=("full-time", "part-time", None, "contract")[number % 4],
        posted_at=TODAY - timedelta(days=number),
        skills=("Python", "SQL") if number < 3 else ("Welding",),
        **(paid(20_000 + 1_000 * number, 30_000 + 1_000 * number) if number != 5 else {}),
    )
    for number, title in enumerate(TITLES, start=1)
)
SEVENTH = replace(
    HITS[6],
    requirements="Coded welder. Two years with TIG.",
    description="You weld bridges. 25 days of holiday. This is a permanent post.",
    closes_at=TODAY + timedelta(days=9),
    url="https://welders.example/7",
    employment_type=None,
)
THERE = (*HITS[:6], SEVENTH, *HITS[7:])


class Postings:
    name = "find_jobs"
    effect = "read"
    timeout_s = 1.0

    async def run(self, arguments):
        there = {each.job_id: each for each in THERE}
        found = tuple(there[job_id] for job_id in arguments.job_ids if job_id in there)
        return Ok(found) if found else Empty("gone")


def shown(hits=HITS):
    jobs = tuple(Job(job_id=each.job_id, title=each.title, company=each.company) for each in hits)
    block = JobsData(jobs=jobs, total=len(jobs), truncated=False, sources=()).model_dump(mode="json")
    return PastMessage(role="assistant", content="…", agent="job_search", blocks=(block,))


async def talk(*messages, profile=PROFILE, history=None):
    """The last answer of a conversation that begins with a list of ten."""
    past = [shown()] if history is None else list(history)
    for message in messages:
        tools = [Postings(), Canned("search_jobs", Empty("none"))]
        answer, recorder = await perform(JobMatchAgent(), message, tools, profile=profile, history=past)
        blocks = tuple(e.model_dump(mode="json") for e in recorder.events if e.type == "job_match")
        past.append(PastMessage(role="user", content=message, intent="job_match"))
        past.append(PastMessage(role="assistant", content=answer.text, agent="job_match", blocks=blocks))
    return answer.text, recorder


def bullets(text):
    return [line for line in text.splitlines() if line.startswith("- ")]


def numbers_of(text):
    return [int(line.split("**")[1].rstrip(".")) for line in bullets(text)]


async def test_a_list_keeps_its_numbers_in_any_order_and_has_no_other():
    text, _ = await talk("rank them by pay")
    assert numbers_of(text) == [10, 9, 8, 7, 6, 4, 3, 2, 1, 5]
    assert "\n1. " not in text
    assert "(number 10) pays most: £30,000–£40,000 a year" in text


@pytest.mark.parametrize(
    ("message", "winner", "next_"),
    [
        ("the highest paid one please", "Porter", "Cook"),
        ("Which of these pays best?", "Porter", "Cook"),
        ("the lowest paid one", "Data Analyst", "Data Engineer"),
        ("which one is the newest", "Data Analyst", "Data Engineer"),
        ("what's the oldest one?", "Porter", "Cook"),
    ],
)
async def test_a_superlative_is_answered_with_one_posting_and_the_next(message, winner, next_):
    text, recorder = await talk(message)
    assert text.startswith(f"**{winner}** at Firm {winner}")
    assert f"Next is **{next_}**" in text
    assert not bullets(text)
    assert len(text) < 420
    assert len(recorder.one("job_match").verdicts) == 10


async def test_a_judgement_has_five_lines_unless_all_are_asked_for():
    text, _ = await talk("Which of these fits me best?")
    assert len(bullets(text)) == 5
    assert "And five weaker ones: numbers " in text
    text, _ = await talk("rank all of them")
    assert len(bullets(text)) == 10


async def test_nearness_is_told_from_home_or_the_home_is_asked_for():
    text, _ = await talk("Which one is closer to me?", profile=())
    assert text.startswith("I do not know where you live")
    text, _ = await talk("compare 7 and 8", "Which one is closer to me?")
    assert text.startswith("**Nurse** at Firm Nurse (number 8) is the nearest: it is in Leeds, UK.")
    assert "seen from Leeds" in text


async def test_a_posting_is_told_with_all_that_one_wants_to_know():
    text, recorder = await talk("tell me about the seventh")
    assert text.startswith("**Welder** at Firm Welder (number 7):")
    for said in ("£27,000–£37,000 a year", "Manchester, UK, on site", "Welding. “Coded welder.", "open until",
                 "<https://welders.example/7>", "You weld bridges."):  # fmt: skip
        assert said in text
    assert [each.place for each in recorder.one("job_match").verdicts] == [7]


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ("what does it ask for", "It asks for Welding. It says: “Coded welder. Two years with TIG.”"),
        ("what does it pay?", "It pays £27,000–£37,000 a year."),
        ("is it permanent?", "Yes, it is permanent. It says: “This is a permanent post.”"),
        ("where is it?", "It is in Manchester, UK."),
        ("when does it close?", "It is open until"),
        ("which company is it?", "It is at Firm Welder."),
        ("is there a link?", "<https://welders.example/7>"),
        ("what are the duties?", "It says: “You weld bridges."),
        ("any holidays?", "“25 days of holiday.”"),
        ("is it remote?", "No, it is not remote."),
    ],
)
async def test_it_is_the_posting_that_was_spoken_of_last(message, says):
    text, _ = await talk("tell me about the seventh", message)
    assert text.startswith("**Welder** at Firm Welder (number 7):")
    assert says in text


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ("is the second one permanent?", "It does not say whether it is permanent."),
        ("is the first one permanent?", "whether it is permanent it does not say"),
        ("is number 3 permanent?", "No, it is a contract or freelance post."),
        ("is number 4 part time?", "No, it is full-time."),
        ("is the last one full time?", "It does not say whether it is full-time or part-time."),
    ],
)
async def test_the_terms_of_a_post_are_told_as_far_as_stated(message, says):
    text, _ = await talk(message)
    assert says in text


async def test_a_bare_number_repeats_the_question_before():
    text, _ = await talk("why the first?", "and the second?")
    assert text.startswith("**Data Engineer** at Firm Data Engineer (number 2) scores **")
    text, _ = await talk("what does the first one pay?", "number 3?", "and the fourth")
    assert "It pays £24,000–£34,000 a year." in text


async def test_a_question_about_one_of_ten_that_names_none_is_asked_back():
    text, recorder = await talk("is it full time?")
    assert text.startswith("Which one do you mean?")
    assert recorder.one("suggestions").suggestions[0].message == "is it full time: number 1"
    text, _ = await talk("is it full time: number 1")
    assert "Firm Data Analyst (number 1)" in text


async def test_the_list_is_shown_again_in_its_own_order():
    for message in ("show me the list again", "which jobs are these?", "the list again please"):
        text, _ = await talk("the highest paid one please", "tell me about the seventh", message)
        assert numbers_of(text) == list(range(1, 11)), message
        assert "**7.** Welder at Firm Welder: Manchester, UK, £27,000–£37,000 a year." in text


@pytest.mark.parametrize(
    ("message", "met", "says"),
    [
        ("which ones are near Manchester?", [3, 7], "**In or near Manchester:** two of the ten."),
        ("which are part time", [1, 5, 9], "Numbers 2, 6, 7 and 10 do not say."),
        ("are any of them remote?", [], "**Remote:** none of the ten."),
        ("which of them pay more than £38k?", [8, 9, 10], "Number 5 does not say."),
        ("which ones ask for Python?", [1, 2], "**Asking for Python:** two of the ten."),
        ("which ones don't state the pay", [5], "**With no pay stated:** one of the ten."),
        ("show only the part-time ones", [1, 5, 9], "**Part-time:** three of the ten."),
        ("are any of them temporary?", [], "Numbers 1, 2, 4, 5, 6, 7, 8, 9 and 10 do not say."),
        ("which ones offer holidays?", [7], "**Mentioning “holidays”:** one of the ten."),
    ],
)
async def test_a_list_is_sifted(message, met, says):
    text, _ = await talk("tell me about number 2", message)
    assert numbers_of(text) == met
    assert says in text


async def test_what_was_sifted_out_is_these_from_then_on():
    text, _ = await talk("which ones are near Manchester?", "which of these pays best?")
    assert text.startswith("**Welder** at Firm Welder (number 7) pays most")
    text, _ = await talk("which ones are near Manchester?", "which are part time?")
    assert numbers_of(text) == [1, 5, 9]


async def test_nobody_is_applied_for():
    for message in ("apply to number 7 for me", "can you apply to the seventh", "please submit my application to #7"):
        text, recorder = await talk(message)
        assert text.startswith("I cannot apply for you"), message
        assert "<https://welders.example/7>" in text
        replies = recorder.one("suggestions").suggestions
        assert [reply.intent for reply in replies] == ["cover_letter", "followup", "job_match"]
    text, _ = await talk("should I apply to number 7?")
    assert "I cannot apply" not in text


@pytest.mark.parametrize(
    "message", ["save number 7", "please save the seventh one for later", "can you bookmark the seventh?", "keep #7"]
)
async def test_that_nothing_is_saved_is_said(message):
    text, recorder = await talk(message)
    assert text.startswith("I keep no list of saved postings"), message
    assert "**Welder**" in text
    assert "<https://welders.example/7>" in text
    assert "I applied" in text
    assert [reply.intent for reply in recorder.one("suggestions").suggestions] == [
        "cover_letter",
        "followup",
        "job_match",
    ]


@pytest.mark.parametrize(
    "message", ["save money", "save this search", "save my CV", "keep it short", "remember that I like tea"]
)
def test_what_else_is_saved_is_no_posting(message):
    assert read_match_wish(message, packaged_vocabulary(), several=False).form != "save"


async def test_after_an_empty_search_the_list_before_it_is_still_on_the_table():
    text, _ = await talk("second one - do i fit?", history=(shown(), shown(())))
    assert text.startswith("The last search found nothing, so I go by the list before it.\n\n**Data Engineer**")
    text, _ = await talk("second one - do i fit?", history=(shown(()),))
    assert text.startswith("The last search found nothing, so there is no posting to judge.")


async def test_it_is_said_once_that_the_list_is_an_earlier_one():
    text, _ = await talk("second one - do i fit?", "why?", history=(shown(), shown(())))
    assert "last search" not in text


async def test_a_number_whose_list_is_out_of_reach_is_called_so():
    _, recorder = await talk("tell me about number 7")
    block = recorder.one("job_match").model_dump(mode="json")
    past = PastMessage(role="assistant", content="…", agent="job_match", blocks=(block,))
    text, _ = await talk("why the first?", history=(past,))
    assert text.startswith("I no longer have number 1 of that list at hand.")


async def test_two_companies_to_compare_are_handed_over():
    past = [
        PastMessage(role="assistant", content="…", blocks=({"type": "company_profile", "company": name},))
        for name in ("GitLab", "Zapier")
    ]
    answer, _ = await perform(JobMatchAgent(), "compare the two", (), history=past)
    assert answer.hand_over.to == "company_research"
    answer, _ = await perform(JobMatchAgent(), "compare the two", (), history=past[:1])
    assert answer.hand_over is None


async def test_a_pasted_line_is_judged_by_what_the_message_says_of_its_writer_and_stays_reachable():
    text, recorder = await talk(ADVERT, profile=())
    assert text.startswith("I took the posting from your message. **Senior Accountant** at Brightwater Ltd: a good fit")
    assert "you have ACCA and Excel" in text
    assert "asks for 5 years, you have 6" in text
    assert recorder.one("job_match").verdicts[0].job.job_id == "pasted"
    again, _ = await talk(ADVERT, "explain the score of the ad I pasted", profile=())
    assert "asks for 5 years, you have 6" in again
    for message in ("what does it pay?", "how much does the Brightwater job pay?"):
        text, _ = await talk(ADVERT, message, profile=())
        assert text == "**Senior Accountant** at Brightwater Ltd:\n\nIt pays £48,000–£55,000 a year."
    text, _ = await talk(ADVERT, "compare it with the first")
    assert "| Number | yours | 1 |" in text or "| Number | 1 | yours |" in text


async def test_a_question_of_pay_and_company_points_to_who_tells_of_the_company():
    text, recorder = await talk("what does the first one pay and is the company any good?")
    assert "It pays £21,000–£31,000 a year." in text
    offer = recorder.one("suggestions").suggestions[0]
    assert (offer.message, offer.intent) == ("Tell me about Firm Data Analyst", "company_research")


@pytest.mark.parametrize(
    ("message", "form"),
    [
        ("apply for it", "apply"),
        ("how do I apply to it", "apply"),
        ("should I apply", "eligible"),
        ("why did it score so low", "explain"),
        ("more about the third", "tell"),
        ("what's the third one about?", "tell"),
        ("do I fit the third", "rank"),
    ],
)
def test_what_is_wanted_of_one_posting_is_read(message, form):
    assert read_match_wish(message, packaged_vocabulary(), several=False).form == form


@pytest.mark.parametrize(
    "message", ["Which fits me best?", "which should I apply to", "which is closer", "find jobs", ""]
)
def test_a_ranking_is_no_sifting(message):
    assert not asks_which(message)
    assert not wants_list(message)


def test_a_condition_that_a_posting_does_not_speak_of_is_neither_met_nor_missed():
    conditions = conditions_in("which are permanent and near Leeds?", packaged_vocabulary(), TODAY)
    found = sifted(list(enumerate(HITS, start=1)), conditions)
    assert found.words == "permanent and in or near Leeds"
    assert (found.met, found.unsaid) == ((), (1, 2, 4, 5, 6, 8, 9, 10))


@pytest.mark.parametrize(
    "message", ["it", "is it", "which", "which ones", "apply", "tell me", "list", "\x00", "and", "#99?"]
)
async def test_no_fragment_breaks_it(message):
    text, _ = await talk("tell me about number 2", message)
    assert text
    text, _ = await talk(message, history=())
    assert text


OLD = hit(21, title="Cloud Engineer (Python, OpenStack)", company="Zephyr Cloudworks", skills=("Python", "Linux"))
TWO_LISTS = (shown((OLD,)), shown())


class Catalogue(Postings):
    async def run(self, arguments):
        there = {each.job_id: each for each in (*THERE, OLD)}
        return Ok(tuple(there[job_id] for job_id in arguments.job_ids if job_id in there))


async def asked_of(message, found=None, history=TWO_LISTS):
    tools = [Catalogue(), Canned("search_jobs", found or Empty("none"))]
    return await perform(JobMatchAgent(), message, tools, profile=PROFILE, history=history)


@pytest.mark.parametrize(
    "message",
    [
        "How well do I fit the Cloud Engineer (Python, OpenStack) job at Zephyr Cloudworks?",
        "Am I a good fit for Cloud Engineer at Zephyr Cloudworks?",
        "Should I apply to the Zephyr Cloudworks one?",
    ],
)
async def test_a_posting_of_an_older_list_is_judged_when_it_is_named_and_never_another(message):
    answer, recorder = await asked_of(message)
    assert [each.job.job_id for each in recorder.one("job_match").verdicts] == ["j21"]
    assert "**Cloud Engineer (Python, OpenStack)** at Zephyr Cloudworks" in answer.text
    assert "number" not in answer.text
    offered = [one.message for one in recorder.one("suggestions").suggestions]
    assert any("Cloud Engineer (Python, OpenStack) at Zephyr Cloudworks" in message for message in offered)
    assert not any("number" in message for message in offered)


async def test_what_was_judged_of_an_older_list_stays_it():
    _, recorder = await asked_of("How well do I fit the job at Zephyr Cloudworks?")
    block = recorder.one("job_match").model_dump(mode="json")
    past = (*TWO_LISTS, PastMessage(role="assistant", content="…", agent="job_match", blocks=(block,)))
    _, after = await asked_of("what does it pay?", history=past)
    assert [each.job.job_id for each in after.one("job_match").verdicts] == ["j21"]
    _, first = await asked_of("and number 1?", history=past)
    assert [each.job.job_id for each in first.one("job_match").verdicts] == ["j1"]


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ("How well do I fit the Quantum Baker job at Nowhere Ltd?", "Quantum Baker at Nowhere Ltd"),
        ("Would I be suited to the Nurse job at Contoso Medical?", "Nurse at Contoso Medical"),
        (
            "Am I a fit for the Python Developer, Geospatial job at Pinefold Labs?",
            "Python Developer, Geospatial at Pine",
        ),
        ("Am I a good match for Data Engineer at Pinefold Labs?", "Data Engineer at Pinefold Labs"),
        ("Do I fit the Data Clerk job at Zephyr Cloudworks?", "Data Clerk at Zephyr Cloudworks"),
    ],
)
async def test_a_posting_named_that_nobody_knows_is_not_replaced_by_another(message, named):
    elsewhere = hit(31, title=named.partition(" at ")[0], company="Quite Another Firm")
    for found in (Empty("none"), Ok(hits(elsewhere))):
        answer, recorder = await asked_of(message, found)
        assert "job_match" not in recorder.types()
        assert f"I find no posting for “{named}" in answer.text
        assert "Paste its text here" in answer.text


async def test_a_posting_named_of_the_catalogue_has_no_number_of_the_list():
    there = hit(31, title="Python Developer, Geospatial", company="Pinefold Labs")
    answer, recorder = await asked_of(
        "Do I fit the Python Developer, Geospatial job at Pinefold Labs?", Ok(hits(there))
    )
    assert answer.text.startswith("I looked it up. **Python Developer, Geospatial** at Pinefold Labs: ")
    offered = [one.message for one in recorder.one("suggestions").suggestions]
    assert "Draft a cover letter for Python Developer, Geospatial at Pinefold Labs" in offered
