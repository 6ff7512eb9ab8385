"""Outreach in a conversation: what is handed over, whom to write to, offers declined, and changes that change."""

import itertools

import pytest
from stage import Canned, hit, perform, searched
from test_cold_email import LONG, SENDERS, WITH_CV, lookups

from signalbox.agents.cold_email import ColdEmailAgent
from signalbox.agents.letters.outreach import Outreach, read_outreach
from signalbox.agents.letters.outreach_text import write_email, write_note
from signalbox.envelope import ENVELOPE
from signalbox.memory.conversation import PastMessage
from signalbox.tools.result import Ok


def drafts_of(recorder):
    return [each for each in recorder.events if each.type == "email_draft"]


async def mails(*messages, before=(), using=(), profile=()):
    """The outcomes of one message after the other, in one conversation."""
    history, outcomes = list(before), []
    for message in messages:
        answer, recorder = await perform(ColdEmailAgent(), message, using, history=history, profile=profile)
        outcomes.append((answer, recorder))
        blocks = tuple(each.model_dump(mode="json", exclude=set(ENVELOPE)) for each in drafts_of(recorder))
        history.append(PastMessage(role="user", content=message, intent="cold_email"))
        history.append(PastMessage(role="assistant", content=answer.text, agent="cold_email", blocks=blocks))
    return outcomes


@pytest.mark.parametrize(
    ("message", "to"),
    [
        ("write to them and ask for feedback", "followup"),
        ("send Globex an email requesting feedback on why they rejected me", "followup"),
        ("write the email asking for 66k", "salary"),
        ("draft a counter offer to Globex", "salary"),
        ("email them that I want more money", "salary"),
        ("write to HR and negotiate the salary", "salary"),
    ],
)
async def test_what_belongs_to_another_agent_is_handed_over_before_anything_is_drafted(message, to):
    answer, recorder = await perform(ColdEmailAgent(), message, history=searched("jobs"))
    assert answer.hand_over is not None
    assert answer.hand_over.to == to
    assert (answer.text, recorder.types()) == ("", [])


@pytest.mark.parametrize(
    "message",
    [
        "Ask Anna Schmidt at Globex for feedback on my portfolio",
        "Write to the recruiter at Globex about the data engineer role",
        "Ask someone at Globex for a referral",
        "write to Globex, I have 12k followers on my data blog",
    ],
)
async def test_a_first_message_is_not_handed_over(message):
    answer, recorder = await perform(ColdEmailAgent(), message)
    assert answer.hand_over is None
    assert "Globex" in recorder.one("email_draft").body


@pytest.mark.parametrize(
    "message",
    [
        "how do I tell Globex no without burning bridges",
        "turn Globex down, I took another offer",
        "decline Globex's offer politely",
        "write an email to decline the offer from Globex",
    ],
)
async def test_an_offer_is_declined_briefly_and_by_name(message):
    (first, shorter, again) = await mails(message, "shorter", "shorter")
    body = first[1].one("email_draft").body
    assert "Thank you for offering me a position at Globex" in body
    assert "decided not to accept" in body
    assert "My skills" not in body
    assert "looking for" not in body
    assert len(body.split()) <= 110
    assert "decided not to accept" in shorter[1].one("email_draft").body
    assert "email_draft" not in again[1].types()
    assert "shortest" in again[0].text


@pytest.mark.parametrize("tone", [None, "formal", "friendly", "short"])
def test_declining_an_offer_keeps_its_bounds(tone):
    for sender, company, role in itertools.product(SENDERS, [None, "Siemens", LONG], [None, LONG]):
        outreach = Outreach(company=company, role=role, purpose="offer_no", tone=tone)
        draft = write_email(outreach, sender)
        assert 60 <= draft.words <= 140, draft.body
        assert len(set(draft.subjects)) == 3
        assert len(write_note(outreach, sender).body) <= 300


def test_a_recruiters_message_is_declined_as_such():
    read, _ = read_outreach("politely decline the recruiter message from Initech", ())
    assert (read.purpose, read.company) == ("decline", "Initech")


@pytest.mark.parametrize("message", ["who should I email there?", "do you have a contact there?", "who do I write to?"])
async def test_whom_to_write_to_is_answered_with_what_is_known_and_no_blank_mail(message):
    letter = {"type": "cover_letter", "title": "x", "body": "x", "job_id": "j1", "company": "Northwind",
              "role": "Data Engineer"}  # fmt: skip
    shown = searched("jobs")[1]
    jobs = [{**job, "sample": False} for job in shown.blocks[0]["jobs"]]
    history = (
        PastMessage(role="user", content="jobs", intent="job_search"),
        shown.model_copy(update={"blocks": ({**shown.blocks[0], "jobs": jobs},)}),
        PastMessage(role="assistant", content="Here.", agent="cover_letter", blocks=(letter,)),
    )
    for text, said in (
        ("We run vans.", "names no person to write to"),
        ("Questions? Contact: Dana Whitfield, jobs@vans.example", "names Dana Whitfield and jobs@vans.example"),
    ):
        using = [Canned("find_job", Ok(hit(1, description=text, sample=False))), *lookups()]
        answer, recorder = await perform(ColdEmailAgent(), message, using, history=history)
        assert "email_draft" not in recorder.types()
        assert said in answer.text
        assert "Data Engineer at Northwind" in answer.text
        offer = recorder.one("suggestions").suggestions[0]
        assert "hiring team at Northwind about the Data Engineer position" in offer.message
    answer, recorder = await perform(ColdEmailAgent(), "who should I email at Globex?")
    assert "I know of no contact person at Globex" in answer.text
    assert "email_draft" not in recorder.types()


async def test_the_post_of_the_last_letter_is_kept():
    letter = {"type": "cover_letter", "title": "x", "body": "x", "company": "Northwind", "role": "Data Engineer"}
    history = (PastMessage(role="assistant", content="Here.", agent="cover_letter", blocks=(letter,)),)
    for message in ("email version for the recruiter", "a linkedin note to the recruiter as well"):
        _, recorder = await perform(ColdEmailAgent(), message, history=history)
        assert "Data Engineer position at Northwind" in recorder.one("email_draft").body


async def test_each_shorter_cuts_noticeably_until_it_is_said_to_be_the_shortest():
    *drafted, last, formal = await mails(
        "Write to Siemens about the data engineer role", *["shorter"] * 4, "more formal", profile=WITH_CV[:3]
    )
    bodies = [found[0].body for _, recorder in drafted if (found := drafts_of(recorder))]
    words = [len(body.split()) for body in bodies]
    assert len(words) >= 2
    assert all(later <= earlier * 0.9 for earlier, later in itertools.pairwise(words))
    assert "I am a data analyst" in bodies[-1]
    assert drafts_of(last[1]) == []
    assert "shortest" in last[0].text
    assert len(formal[1].one("email_draft").body.split()) <= words[-1] + 8
    assert "- `[" not in formal[0].text
    assert "from before" in formal[0].text
