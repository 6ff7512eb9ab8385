"""What is asked of the list on the table is answered from its postings."""

from datetime import UTC, datetime, timedelta

import pytest
from stage import hit, perform, searched
from test_job_match import Postings, table

from signalbox.agents.job_match import JobMatchAgent
from signalbox.memory.conversation import PastMessage

TODAY = datetime.now(UTC).date()
NURSE = hit(
    1, title="Staff Nurse", company="Cedarvane Care", location="London, UK", country="GB", remote=False,
    skills=("Nursing",), employment_type="full-time", posted_at=TODAY - timedelta(days=3),
)  # fmt: skip
CARER = hit(
    2, title="Care Assistant", company="Mossgate Homes", location="Leeds, UK", country="GB", remote=False,
    skills=("Nursing",), employment_type="part-time", salary_min=13.0, salary_period="hour", currency="GBP",
    salary_year_min=27_040.0,
)  # fmt: skip
WRITER = hit(3, title="Medical Writer", company="Fathom", location="Remote", country=None, remote=True)
ABROAD = hit(4, title="Nurse Educator", company="Praia", location="Porto, Portugal", country="PT", remote=False)
ALL = (NURSE, CARER, WRITER, ABROAD)


def said(day):
    return f"{day.day} {day:%B %Y}"


async def ask(message, *before):
    history = table(*ALL)
    for earlier in before:
        answer, recorder = await perform(JobMatchAgent(), earlier, [Postings(*ALL)], history=history)
        blocks = tuple(event.model_dump(mode="json") for event in recorder.events if event.type == "job_match")
        history = (
            *history,
            PastMessage(role="user", content=earlier, intent="job_match"),
            PastMessage(role="assistant", content=answer.text, agent="job_match", blocks=blocks),
        )
    assert JobMatchAgent().holds(message, history)
    return (await perform(JobMatchAgent(), message, [Postings(*ALL)], history=history))[0].text


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("when was the first one posted?", f"It was posted on {said(TODAY - timedelta(days=3))} (3 days ago)."),
        ("is the first one still open?", "(3 days ago) and names no closing date."),
        ("can I do the third one from home?", "Yes, it is remote."),
        ("do I have to be in the office for the first one?", "It does not state how many days in the office."),
        ("is the first one full-time?", "Yes, it is full-time."),
        ("is the second one full-time?", "No, it is part-time."),
        ("is the first one near London?", "Yes, it is in London, UK."),
        ("is the second one in London?", "No, it is in Leeds, UK."),
        ("and is the fourth one near London?", "No, it is in Porto, Portugal."),
        ("is the second one near London?", "It is in Leeds, UK. I go by names of places and know no distances"),
        ("is the third one near London?", "It can be done remotely."),
        ("where is number 2?", "It is in Leeds, UK."),
    ],
)
async def test_a_question_about_one_of_the_list_is_answered_from_its_posting(message, told):
    text = await ask(message)
    assert told in text
    assert "asks for Nursing" not in text


async def test_it_is_the_posting_spoken_of_last():
    assert "Yes, it is in London, UK." in await ask("is it near London?", "Tell me about the first")


async def test_it_after_a_list_is_asked_back_for():
    assert "Which one do you mean?" in await ask("is it near London?")


@pytest.mark.parametrize("message", ["sort by pay", "Sort them by salary", "now order the list by pay please"])
async def test_the_list_is_sorted_by_what_is_said(message):
    text = await ask(message)
    assert "**Care Assistant** at Mossgate Homes (number 2) pays most" in text
    assert "**1.** Staff Nurse" in text


async def test_the_list_is_sorted_whole_whatever_was_spoken_of_last():
    assert "**1.** Staff Nurse" in await ask("sort by pay", "Tell me about the second")


async def test_which_of_the_list_pay_so_much_is_asked_of_the_list():
    assert "**Paying 20,000 a year or more:** none of the four" in await ask("which of them pay at least 20k?")


async def test_whether_one_of_the_list_reaches_a_pay_is_answered_from_its_posting():
    assert "No: it stays below that. It pays £13 an hour" in await ask("does the second one pay £60k?")


@pytest.mark.parametrize(
    "message",
    [
        "is 60k fair for the first one?",
        "what does the first one pay?",
        "find me jobs like the first one, full-time",
        "only the full-time ones",
        "is it normal to ask for more money?",
        "does a nurse earn more in London?",
        "write a letter for the first one",
        "are you a remote worker?",
        "order a pizza",
    ],
)
def test_what_is_asked_of_others_is_left_to_them(message):
    assert not JobMatchAgent().holds(message, table(*ALL))


def test_without_postings_in_the_newest_answer_nothing_is_held():
    assert not JobMatchAgent().holds("is the first one full-time?", ())
    later = PastMessage(role="assistant", content="A letter.", agent="cover_letter")
    assert not JobMatchAgent().holds("is the first one full-time?", (*searched("data jobs"), later))
    assert JobMatchAgent().holds("is the first one full-time?", searched("data jobs"))
