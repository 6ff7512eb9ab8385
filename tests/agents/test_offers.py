"""Offers held side by side, and the e-mails that ask for more or say no."""

from datetime import date

import pytest
from stage import Canned, fact, perform

from signalbox.agents.pay.ask import read_ask
from signalbox.agents.pay.counter import negotiation_of
from signalbox.agents.pay.figures import figures_in
from signalbox.agents.pay.offers import compare, offers_text
from signalbox.agents.salary import SalaryAgent
from signalbox.memory.conversation import PastMessage
from signalbox.retrieval.library import Passage, PassageHits
from signalbox.tools.result import Ok
from signalbox.tools.vocabulary import packaged_vocabulary

TWO = (
    "I have two offers: one at Acme 62k in Dublin, one at Globex 58k remote with 30 days holiday. Which should I take?"
)
PASSAGE = Passage("p_1", "d_1", "Negotiating", "", "**How do I compare two job offers?**\n\nOn one page.",
                  "guides", None, "n.md", "1", date(2026, 1, 1))  # fmt: skip


def guides():
    return [Canned("search_knowledge", Ok(PassageHits((PASSAGE,), ())))]


async def talk(*messages, profile=()):
    """The answers to ``messages``, each with the conversation behind it, and the last draft of each."""
    history, answers = [], []
    for message in messages:
        answer, recorder = await perform(SalaryAgent(), message, guides(), history=history, profile=profile)
        drafts = [event for event in recorder.events if event.type == "email_draft"]
        answers.append((answer, drafts[-1] if drafts else None))
        history += [
            PastMessage(role="user", content=message, intent="salary"),
            PastMessage(role="assistant", content=answer.text, agent="salary",
                        blocks=tuple(draft.model_dump(mode="json") for draft in drafts)),
        ]  # fmt: skip
    return answers


async def test_offers_keep_their_names_and_what_each_states_is_told():
    ((answer, _),) = await talk(TWO)
    assert "- **Acme:** base 62,000. In Dublin." in answer.text
    assert "- **Globex:** base 58,000. Remote and 30 days of leave." in answer.text
    assert "**Acme pays 4,000 more a year.**" in answer.text
    assert "- **Acme:** days of leave, remote or office, bonus" in answer.text
    assert "On one page." in answer.text
    assert [citation.id for citation in answer.citations] == ["p_1"]


@pytest.mark.parametrize(
    ("message", "labels"),
    [
        (TWO, ["Acme", "Globex"]),
        ("Acme offered me 62k, Globex 58k with 25 days", ["Acme", "Globex"]),
        ("i got an offer at acme for 62k and another from globex for 58k", ["acme", "globex"]),
        ("acme 50k vs globex 55k?", ["acme", "globex"]),
        ("€50k from Initech in Berlin or €54k from Big Corp, on site in Munich?", ["Initech", "Big Corp"]),
        ("Offer A is £50k, offer B is £52k", ["Offer A", "Offer B"]),
        ("Company A offers £50k, company B offers £52k", ["Company A", "Company B"]),
        ("£50k in Leeds or £52k in London?", ["Offer 1", "Offer 2"]),
    ],
)
def test_an_offer_is_called_by_its_company_or_its_letter(message, labels):
    assert [offer.label for offer in compare(message, figures_in(message)).offers] == labels


def test_what_belongs_to_an_offer_stays_with_it():
    message = "Initech €50k in Berlin (hybrid, 28 days) or €54k from Big Corp, on site in Munich?"
    one, other = compare(message, figures_in(message)).offers
    assert (one.place, one.arrangement, one.leave_days) == ("Berlin", "hybrid", 28)
    assert (other.place, other.arrangement, other.leave_days) == ("Munich", "on site", None)
    assert "days of leave" in other.not_stated
    assert "You named no currency" not in offers_text(compare(message, figures_in(message)))


async def test_an_email_asks_for_more_with_the_named_figures_only():
    (_, (answer, first), (_, second)) = await talk(
        TWO, "can I ask Acme for more money? they need an answer by friday", "write the email asking for 66k"
    )
    assert first.to == "Acme"
    assert "offer of 62,000" in first.body
    assert "[the figure you ask for]" in first.placeholders
    assert "by Friday" in first.body
    assert "On one page." in answer.text, "advice from the guides stands beside the draft"
    assert "could you offer 66,000?" in second.body
    assert "by Friday" in second.body
    assert "58" not in second.body
    assert "[the figure" not in second.body


async def test_a_draft_can_be_made_firmer_and_shorter():
    (*_, (_, plain), (answer, firm), (_, short)) = await talk(
        TWO, "ask Acme for 66k", "firmer", "shorter", profile=[fact("name", "Mia Chen")]
    )
    assert "I am asking for 66,000. At that figure I would accept." in firm.body
    assert "send it only if you would" in answer.text
    assert "I am asking for 66,000" in short.body
    assert len(short.body) < len(firm.body) < len(plain.body) + 40
    assert short.body.endswith("Mia Chen")


async def test_no_is_said_without_a_reason():
    (*_, (answer, draft)) = await talk(TWO, "ask Acme for 66k", "how do I tell Globex no without burning bridges")
    assert draft.to == "Globex"
    assert "I have decided not to accept it" in draft.body
    assert not any(char.isdigit() for char in draft.body)
    assert "You need not say why" in answer.text


async def test_an_amount_below_the_offer_is_pointed_out():
    (*_, (answer, _)) = await talk(TWO, "write to Acme asking for 60k")
    assert "60,000 is not more than the 62,000" in answer.text


@pytest.mark.parametrize(
    "message",
    [
        "How do I ask for more money?", "how do I ask for a raise", "they lowballed me hard lol", "negotiate the offer",
        "firmer", "shorter", "What does a nurse earn in Leeds?", "How do I turn down a job offer politely?",
        "Is 45k fair for a nurse?", "", "what is 40k per hour?",
    ],
)  # fmt: skip
def test_a_question_without_an_offer_asks_for_no_email(message):
    assert negotiation_of(message, ()) is None


async def test_a_draft_holds_the_turn_for_its_changes():
    history = [
        PastMessage(role="user", content="ask Acme for 66k", intent="salary"),
        PastMessage(role="assistant", content="", agent="salary", blocks=({"type": "email_draft"},)),
    ]
    assert SalaryAgent().holds("firmer", history)
    assert SalaryAgent().holds("tell acme no", history)
    assert SalaryAgent().holds("make it shorter please", history)
    assert not SalaryAgent().holds("find jobs in Leeds", history)
    assert not SalaryAgent().holds("firmer", history[:1])


@pytest.mark.parametrize(
    ("message", "company", "offered", "target"),
    [
        ("Ask Siemens for 70k", "Siemens", None, 70_000),
        ("Can you draft a counter offer to Globex? They offered 58k and I want 63k", "Globex", 58_000, 63_000),
        ("how do I decline Acme's offer", "Acme", None, None),
    ],
)
def test_one_message_can_say_it_all(message, company, offered, target):
    wish = negotiation_of(message, ())
    figures = [figure.yearly if figure else None for figure in (wish.offered, wish.target)]
    assert (wish.company, *figures) == (company, offered, target)


async def test_one_offer_needs_no_name_to_be_meant():
    message = "got an offer of 75k from Initech in Leeds"
    history = [PastMessage(role="user", content=message, intent="salary")]
    wish = negotiation_of("can I get them up to 80k?", history)
    assert (wish.company, wish.offered.yearly, wish.target.yearly) == ("Initech", 75_000, 80_000)
    asked = read_ask(message, (), (), packaged_vocabulary())
    assert asked.location == "Leeds"
    assert read_ask("got an offer of 75k from Initech", (), (), packaged_vocabulary()).location is None


async def test_a_new_question_after_a_draft_is_about_pay_again():
    (*_, (answer, draft)) = await talk(TWO, "ask Acme for 66k", "what is £20 an hour per year?")
    assert draft is None
    assert "£41,600 a year" in answer.text
