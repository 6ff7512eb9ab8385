"""What a message points at, among the postings on the table."""

import pytest

from signalbox.agents.words.shown import (
    ever_shown,
    focus,
    job_meant,
    jobs_meant,
    search_was_empty,
    shown_jobs,
    the_list,
)
from signalbox.blocks import Job, JobMatch, JobsData, JobVerdict
from signalbox.memory.conversation import PastMessage


def job(number, title, company, location=None, remote=None):
    return Job(job_id=f"j{number}", title=title, company=company, location=location, remote=remote)


def said(*blocks):
    return PastMessage(role="assistant", content="…", blocks=tuple(block.model_dump(mode="json") for block in blocks))


def listing(*jobs):
    return JobsData(jobs=jobs, total=len(jobs), truncated=False, sources=())


JOBS = (
    job(1, "Data Engineer", "Northwind", "Berlin", False),
    job(2, "Data Analyst", "Contoso Labs", "Porto", True),
    job(3, "Senior Data Engineer", "Lanternfish Analytics", "Dublin"),
    job(4, "Registered Nurse", "Cedarvane Care", "Leeds"),
    job(5, "Tram Driver", "City Trams", "Graz", True),
)
EARLIER = said(listing(job(9, "Chef", "Fathom Foods"), job(8, "Cook", "Acme")))
HISTORY = (EARLIER, said(listing(*JOBS)))
JUDGED = said(
    JobMatch(
        criterion="fit",
        verdicts=(JobVerdict(place=5, job=JOBS[4], verdict="good"), JobVerdict(place=2, job=JOBS[1], verdict="weak")),
        best="j5",
    )
)


def ids(message, history=HISTORY):
    return [int(shown.job.job_id[1:]) for shown in jobs_meant(message, history).jobs]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("the second one", [2]),
        ("fit score for #2", [2]),
        ("the first two", [1, 2]),
        ("the last two", [4, 5]),
        ("top 3", [1, 2, 3]),
        ("number 3 and 5", [3, 5]),
        ("jobs 2 to 4", [2, 3, 4]),
        ("compare 1 and 3", [1, 3]),
        ("compare the first and the third", [1, 3]),
        ("the first or the last?", [1, 5]),
        ("job A or job B?", [1, 2]),
        ("2", [2]),
        ("those five", [1, 2, 3, 4, 5]),
        ("which of these fits me best", [1, 2, 3, 4, 5]),
        ("rank them", [1, 2, 3, 4, 5]),
        ("all of them", [1, 2, 3, 4, 5]),
        ("the remote ones", [2, 5]),
        ("this one", [1]),
        ("the one in Porto", [2]),
        ("the Dublin ad, same question", [3]),
        ("is the nurse job for me", [4]),
        ("is the tram driver ad right for me?", [5]),
        ("the data engineer one", [1]),
        ("the senior data engineer role", [3]),
        ("the Northwind one", [1]),
        ("am i a fit for lanternfish?", [3]),
        ("the Northwnd one", [1]),
        ("Lantrenfish", [3]),
        ("the Cedervane job", [4]),
        ("Between the Northwind job and the Cedarvane one, which suits me better?", [1, 4]),
        ("the chef one from the previous list", [9]),
        ("the first one in the previous list", [9]),
        ("Compare listing one and listing three", [1, 3]),
        ("second one now", [2]),
        ("is teh first one sutable for me?", [1]),
        ("so weighing it all up, A or B?", [1, 2]),
        ("wich job fits me betta, 1 or 3", [1, 3]),
        ("am i a good fti for the registred nurse job u sent", [4]),
        # Not about the table.
        ("Am I overqualified for the data entry role?", []),
        ("the one in Oslo", []),
        ("am I eligible for this post of accounts executive", []),
        ("Compare the two physio positions for me", []),
        ("should I apply?", []),
        ("I have 5 years and they want 3", []),
        ("my first job was in Leeds", []),
        ("compare my salary with the last 2 years", []),
    ],
)
def test_postings_are_pointed_at_in_many_ways(message, expected):
    assert ids(message) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        # Numbers stay those of the list, "these" are what was judged last, and its best comes first.
        ("the first one", [1]),
        ("number 4", [4]),
        ("which of these pays best", [5, 2]),
        ("this one", [5]),
        ("the other one", [2]),
        ("yes, score the rest as well", [1, 3, 4]),
        ("why did that one score so low?", [5]),
        ("how does it stack up against the first?", [5, 1]),
    ],
)
def test_a_comparison_since_numbers_nothing_anew(message, expected):
    assert ids(message, (*HISTORY, JUDGED)) == expected


def test_a_number_the_list_does_not_have_is_said_to_be_absent():
    meant = jobs_meant("the third and the tenth", HISTORY)
    assert [shown.place for shown in meant.jobs] == [3]
    assert (meant.absent, meant.of) == ((10,), 5)
    assert job_meant("the tenth one", HISTORY) is None


def test_a_comparison_alone_keeps_its_places():
    assert ids("number 5", (JUDGED,)) == [5]
    assert [each.job_id for each in shown_jobs((JUDGED,))] == ["j2", "j5"]
    assert shown_jobs(()) == ()


PASTED = said(
    JobMatch(
        criterion="fit",
        verdicts=(
            JobVerdict(
                place=1, job=Job(job_id="pasted", title="Accountant", company="Brightwater Ltd"), verdict="good"
            ),
        ),
    )
)


@pytest.mark.parametrize(
    "message",
    [
        "write a letter for it", "apply to it", "save it", "does this ad pay well", "write a letter for the posting",
        "a letter for the Brightwater job", "the ad I pasted", "prepare me for the job I sent you",
    ],
)  # fmt: skip
def test_a_pasted_posting_is_meant_once_it_was_spoken_of(message):
    for history in ((PASTED,), (*HISTORY, PASTED)):
        assert job_meant(message, history).job_id == "pasted"


def test_a_pasted_posting_hides_no_list_and_is_hidden_by_none():
    assert job_meant("number 2", (*HISTORY, PASTED)).job_id == "j2"
    assert job_meant("the ad I pasted", (PASTED, *HISTORY)).job_id == "pasted"
    assert job_meant("the Brightwater one", (PASTED, *HISTORY)).job_id == "pasted"
    assert job_meant("write a letter for it", (PASTED, *HISTORY)) is None
    assert [each.job.job_id for each in jobs_meant("compare it with the first", (*HISTORY, PASTED)).jobs] == [
        "pasted", "j1",
    ]  # fmt: skip


def test_an_empty_search_takes_nothing_off_the_table():
    empty = said(listing())
    assert search_was_empty((*HISTORY, empty))
    assert not search_was_empty((empty, *HISTORY))
    assert not search_was_empty((*HISTORY, empty, JUDGED))
    for message in ("second one - do i fit?", "second one please", "and the second?"):
        assert ids(message, (*HISTORY, empty)) == [2]
    assert len(the_list((*HISTORY, empty))) == 5


def test_a_list_no_longer_remembered_is_put_together_from_what_was_judged_of_it():
    first = said(JobMatch(criterion="fit", verdicts=(JobVerdict(place=3, job=JOBS[2], verdict="good"),)))
    assert ids("the third one", (first, JUDGED)) == [3]
    assert [shown.place for shown in the_list((first, JUDGED))] == [2, 3, 5]
    assert jobs_meant("number 1", (first, JUDGED)).absent == (1,)
    assert [shown.job.job_id for shown in the_list((PASTED, first, JUDGED))] == ["pasted", "j2", "j3", "j5"]


def test_what_was_spoken_of_last_is_in_focus():
    assert focus(HISTORY) is None
    asked = PastMessage(role="user", content="tell me about the third")
    assert focus((*HISTORY, asked)).place == 3
    assert focus((*HISTORY, asked, JUDGED)).place == 5
    assert job_meant("write a letter for it", (*HISTORY, asked)).job_id == "j3"
    assert job_meant("make it shorter and add Python to it", (*HISTORY, asked)) is None


def test_a_name_that_two_companies_are_as_near_to_is_nobodys():
    history = (said(listing(job(1, "Clerk", "Alphax"), job(2, "Clerk", "Alphay"))),)
    assert ids("the Alphaz one", history) == []


@pytest.mark.parametrize(
    "message", ["Find nurse jobs in Leeds", "Show me the data engineer jobs in Berlin", "rank them"]
)
def test_a_search_is_about_no_single_posting(message):
    assert job_meant(message, HISTORY) is None


DOUBLE = job(10, "Cloud Engineer (Python, OpenStack)", "Zephyr Cloudworks")
OLDER = (said(listing(DOUBLE, job(11, "Data Clerk", "Contoso Labs"))), said(listing(*JOBS)))


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("How well do I fit the Cloud Engineer (Python, OpenStack) job at Zephyr Cloudworks?", [10]),
        ("Am I a match for the cloud engineer role at Zephyr?", [10]),
        ("a letter for the job at Zephyr Cloudworks", [10]),
        ("what about the Zephyr Cloudworks one?", [10]),
        ("is Zephyr Cloudworks any good", [10]),
        ("and the Cloud Engineer (Python, OpenStack)?", [10]),
        ("the Data Clerk job at Contoso Labs", [11]),
        ("the job at Contoso Labs", [2]),
        ("the Data Analyst job at Contoso Labs", [2]),
        ("compare the Data Analyst at Contoso Labs with the Data Clerk at Contoso Labs", [2, 11]),
        ("the first one", [1]),
        ("which of these fits me best", [1, 2, 3, 4, 5]),
        ("Is the Cloud Engineer (Python, OpenStack) post at Acme for me?", []),
    ],
)
def test_a_posting_named_is_found_in_older_lists_too(message, expected):
    assert ids(message, OLDER) == expected


def test_a_posting_of_an_older_list_takes_no_number_of_the_newest():
    meant = jobs_meant("the job at Zephyr Cloudworks", OLDER)
    assert meant.jobs[0].place > len(JOBS) == meant.of


def test_a_posting_that_was_looked_up_can_be_named_again():
    looked_up = said(JobMatch(criterion="fit", verdicts=(JobVerdict(place=1, job=DOUBLE, verdict="good"),), best=None))
    history = (said(listing(*JOBS)), looked_up, said(listing(*JOBS[:2])))
    assert ids("a letter for the Cloud Engineer at Zephyr Cloudworks", history) == [10]
    assert [one.job_id for one in ever_shown(history)] == ["j1", "j2", "j3", "j4", "j5", "j10"]
