"""The parts of a letter: what its request says, what its text claims, how a CV's bullets read in it."""

import time

import pytest
from letter_stage import ANALYST, VOCABULARY, ask
from stage import fact

from signalbox.agents.letters.asking import is_advice, lacks_letter
from signalbox.agents.letters.background import Background, background_of
from signalbox.agents.letters.changes import read_letter
from signalbox.agents.letters.claims import unsupported_claims
from signalbox.agents.letters.examples import first_person
from signalbox.agents.letters.mending import mend
from signalbox.agents.letters.pasted import pasted_in, tidied
from signalbox.agents.letters.plan import MAX_WORDS, LetterPlan
from signalbox.agents.letters.post import Post, Posting, post_of
from signalbox.agents.letters.target import target_named
from signalbox.agents.letters.wish import read


class TestClaims:
    FACTS = ("Senior Data Analyst", "Contoso", "SQL, Python", "8 years", "cut costs by 40%", "BSc Mathematics, Leeds")

    @pytest.mark.parametrize(
        ("text", "claims"),
        [
            ("I am a Senior Data Analyst at Contoso with 8 years of SQL.", ()),
            ("I cut costs by 45%.", ("45",)),
            ("I have eight years of experience.", ()),
            ("I led a team of twelve people.", ("twelve",)),
            ("I have worked with Kubernetes since 2015.", ("Kubernetes", "2015")),
            ("I worked at Initech.", ("Initech",)),
            ("I am a nurse.", ("nurse",)),
            ("I hold a PhD.", ("PhD",)),
            ("I speak fluent French.", ("fluent", "French")),
            ("I do not have Kubernetes yet and am keen to learn it.", ()),
            ("My [Kubernetes story of 2015] goes here. Dear Hiring Manager, Kind regards", ()),
        ],
    )
    def test_what_no_fact_holds_is_found(self, text, claims):
        assert unsupported_claims(text, self.FACTS) == claims


@pytest.mark.parametrize(
    ("bullet", "current", "clause"),
    [
        ("Cut costs by 5%", False, "I cut costs by 5%"),
        ("Manage a team", True, "I manage a team"),
        ("Manage a team", False, "I managed a team"),
        ("Managing a team of 3", False, "I managed a team of 3"),
        ("Responsible for payroll", False, "I was responsible for payroll"),
        ("Payroll for 90 people", False, "my work included payroll for 90 people"),
        ("SQL reports for sales", True, "my work includes SQL reports for sales"),
        ("I trained 4 apprentices", False, "I trained 4 apprentices"),
    ],
)
def test_bullets_become_clauses_in_the_first_person(bullet, current, clause):
    assert first_person(bullet, current=current) == clause


@pytest.mark.parametrize(
    ("message", "role", "company"),
    [
        ("Write a cover letter for the Museum of London collections assistant post.", "collections assistant",
         "Museum of London"),
        ("Write the cover letter for Bosch", None, "Bosch"),
        ("need a covr leter for barista job", "barista", None),
        ("Tailor my letter to this Deutsche Bank compliance role.", "compliance", "Deutsche Bank"),
        ("A letter for the UX designer role at Siemens", "UX designer", "Siemens"),
        ("do the letter for the Lego job", None, "Lego"),
        ("Letter for the Lead Analyst role at Contoso, it's internal", "Lead Analyst", "Contoso"),
        ("The salary, the team: I love all of it at Ecosia. How do I say so?", None, "Ecosia"),
        ("cover letter pls", None, None),
    ],
)  # fmt: skip
def test_the_post_is_read_from_the_message(message, role, company):
    target = target_named(message)
    assert (target.role, target.company) == (role, company)


@pytest.mark.parametrize(
    "message",
    [
        "How long should a cover letter be?",
        "Should I put my salary expectation in the cover letter?",
        'Do I address the letter "Dear Sir or Madam" if there\'s no contact name?',
    ],
)
def test_a_question_on_letters_is_no_request_for_one(message):
    assert is_advice(message, read(message))
    assert not is_advice("Write me a letter for Bosch", read("Write me a letter for Bosch"))


def test_wishes_are_read_from_the_message():
    wish = read("A formal letter for the nurse job, max 200 words, mention my night shifts, without my hobbies")
    assert (wish.tone, wish.max_words, wish.mention, wish.without) == ("formal", 200, ("night shifts",), ("hobbies",))
    assert read("no more than one page please").max_words == MAX_WORDS
    assert read("Here's my draft letter for the vet nurse job, make it warmer.").tone == "friendly"
    assert lacks_letter("My cover letter sounds like a robot wrote it. Fix?")
    assert not lacks_letter("Write my application letter for the dairy")
    assert read("Speculative letter to Bosch").kind == "speculative"
    assert read("The ad says apply by e-mail. What text do I put above the attachments?").kind == "email"


def test_hostile_and_empty_messages_are_read_without_harm():
    for message in (
        "",
        "\x00",
        "Dear " * 5_000,
        "[" * 3_000,
        "letter for the " * 2_000,
        "“" * 999,
        "a" * 20_000,
        "\n" * 20_000,
    ):
        wish, job = read_letter(message, ())
        assert job is None
        assert pasted_in(tidied(message)).letter == wish.letter


def test_mending_adds_what_a_letter_lacks():
    plan = LetterPlan(kind="mended", tone="plain", background=Background(name="Ada"), post=Post(held=("SQL",)))
    mended = mend("I have run a bakery for a decade. I bake bread and cakes.", plan, ())
    assert mended.body.startswith("Dear hiring team,")
    assert mended.body.endswith("Kind regards,\nAda")
    assert "I also bring SQL." in mended.body


def test_a_letter_of_very_many_sentences_is_cut_in_reasonable_time():
    plan = LetterPlan(kind="mended", tone="plain", background=Background(), post=Post(), max_words=50)
    started = time.thread_time()
    mended = mend("Dear Ms Brown, " + "I bake bread. " * 5_000, plan, ())
    assert len(mended.body.split()) <= 50
    assert time.thread_time() - started < 10


async def test_signs_without_words_are_answered():
    started = time.process_time()
    await ask("Write a letter for Bosch " + "- " * 3_000, profile=())
    assert time.process_time() - started < 10


def test_a_skill_that_is_only_read_into_a_cv_is_neither_claimed_nor_called_missing():
    held = background_of(
        (fact("skill", "Sales").model_copy(update={"source_message_id": "cv_1"}),), ANALYST, "", VOCABULARY
    )
    assert "Sales" not in held.skills
    assert "Tableau" in held.skills
    post, missing = post_of(Posting("Clerk", asks=("Sales", "Tableau", "Welding")), None, held, VOCABULARY, person="")
    assert post.held == ("Tableau",)
    assert missing == ("Welding",)
