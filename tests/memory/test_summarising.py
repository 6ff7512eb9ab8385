"""The summary of a conversation: hard constraints in the user's own words, whatever else is said or pasted."""

import random
import time

import pytest

from signalbox.memory.own_words import own_sentences
from signalbox.memory.summarising import MOST_CHARS, MOST_ENTRIES, Said, by_rules
from signalbox.memory.summary import ConversationSummary, Noted, changes
from signalbox.retrieval.skills import SkillVocabulary

REMOTE, ON_SITE, PAY = "I only want remote jobs.", "I don't want remote work.", "I need at least £50k a year."
PLACE, AGENCIES, HOME = "Only jobs in Leeds.", "No agencies please.", "I can't relocate."
ADVERT = """Senior Data Analyst, Northwind Ltd

About the role
We are looking for an analyst. This role is on-site only, remote is not possible.
Requirements: at least 5 years of experience. Salary: no more than £30k.
You will work nights and weekends. Agencies are fine."""
CV = """Jane Roe
Leeds, jane@example.org
Professional experience
2019 - 2023 Analyst at Northwind. I only want on-site jobs.
Skills: Python, SQL. No remote work."""


@pytest.fixture(scope="module")
def vocabulary() -> SkillVocabulary:
    return SkillVocabulary.load()


@pytest.fixture
def after(vocabulary):
    """The summary of a conversation in which the user says these things, each answered."""

    def summary(*messages: str, before: ConversationSummary | None = None) -> ConversationSummary:
        said: list[Said] = []
        for number, message in enumerate(messages, 1):
            said += [Said(f"m{number}", "user", message), Said(f"a{number}", "assistant", "Understood.")]
        return by_rules(before or ConversationSummary(), said, vocabulary)

    return summary


def texts(notes: tuple[Noted, ...]) -> list[str]:
    return [note.text for note in notes]


@pytest.mark.parametrize(
    "said",
    [
        REMOTE,
        ON_SITE,
        PAY,
        PLACE,
        AGENCIES,
        HOME,
        "It has to be remote.",
        "Remote is a must for me.",
        "Nothing under 45k.",
        "Nights are not ok, I won't work nights.",
        "Never show me gambling companies.",
        "Don't show me jobs at Northwind.",
        "Nothing below senior.",
        "Only part-time, mornings.",
        "I can't travel for work.",
        "I need visa sponsorship.",
        "I must be home by 3pm for my kids.",
        "The office has to be wheelchair accessible, that's non-negotiable.",
        "No nights, no weekends.",
        "Only want to work at companies with fewer than 50 people.",
    ],
)
def test_a_hard_constraint_is_kept_verbatim_with_its_message(after, said):
    (note,) = after("hello", f"Some words first. {said}").hard_constraints
    assert note.text == said
    assert note.sources == ("m2",)


@pytest.mark.parametrize(
    ("stated", "later"),
    [
        *(
            (REMOTE, later)
            for later in (
                "Actually, on-site is fine now.",
                "Hybrid would be fine too.",
                "I'm open to hybrid now",
                "The office is ok again",
                "I don't mind going into the office",
                "It doesn't have to be remote any more.",
                "I can do on-site as well",
                "I'd prefer on-site",
                "Forget the remote rule.",
                "Never mind the remote requirement",
                "You can include hybrid jobs too",
                "Remote is no longer a must",
                "Remote would be nice but isn't a must",
                "Remote only is off the table now",
                "let's drop the remote only thing",
                "I changed my mind about remote",
                "I'd also consider hybrid",
                "Show me on-site jobs too",
                "Forget all my constraints",
            )
        ),
        *(
            (ON_SITE, later)
            for later in ("Actually remote is fine now.", "Remote would be ok too", "I'm happy to work from home")
        ),
        *(
            (PAY, later)
            for later in (
                "Forget the salary floor.",
                "Never mind the 50k.",
                "Pay doesn't matter any more.",
                "I'd take less.",
                "I don't care about salary",
                "Salary is negotiable.",
                "The salary floor no longer applies.",
                "I no longer need 50k",
                "No minimum any more",
            )
        ),
        *(
            (PLACE, later)
            for later in (
                "Leeds is no longer a must.",
                "Anywhere is fine.",
                "I'm open to anywhere in the UK",
                "Location doesn't matter",
                "Outside Leeds is fine too",
            )
        ),
        *(
            (AGENCIES, later)
            for later in (
                "Agencies are fine again.",
                "You can show me agencies again",
                "Scrap the no agencies rule",
                "I don't mind agencies any more",
            )
        ),
        (HOME, "I can relocate after all."),
        (HOME, "Moving is fine now"),
        ("I need visa sponsorship.", "Forget the visa sponsorship thing"),
        ("I need visa sponsorship.", "I got my visa, so sponsorship is no longer needed"),
    ],
)
def test_the_users_own_later_words_take_a_constraint_back(after, stated, later):
    assert texts(after(stated).hard_constraints) == [stated]
    assert not after(stated, later).hard_constraints


@pytest.mark.parametrize(
    ("stated", "later"),
    [
        *(
            (REMOTE, later)
            for later in (
                "Actually remote is fine now.",
                "On-site is not fine.",
                "I'm not open to hybrid.",
                "Is on-site fine?",
                "Would hybrid be ok?",
                "The recruiter says on-site is fine.",
                'The ad says "on-site is fine".',
                "What if on-site was ok?",
                "Don't forget the remote rule.",
                "My wife thinks the office is fine.",
                "I prefer remote",
                "They said hybrid would be fine.",
                "Suppose on-site is fine, what would change?",
                "The job is on-site",
                "Never ignore my remote rule",
                "The office is not an option",
                "You said on-site is fine",
            )
        ),
        *(
            (PAY, later)
            for later in (
                "I'd like 70k ideally",
                "The job pays 30k.",
                "Don't make it 60k.",
                "Would 40k be ok?",
                "I currently earn 38k",
                "Actually I have 12000 followers",
                "I have 5 years of experience, actually 6.",
                "The advert offers 30k.",
                "They offered me 45k",
                "My partner earns 60k, actually",
                "I earn 45k, 50k was my last job",
                "Is the salary negotiable?",
            )
        ),
        *(
            (PLACE, later)
            for later in ("I'm going to York on Friday", "Tell me about jobs in York", "Is anywhere else fine?")
        ),
        *(
            (AGENCIES, later)
            for later in ("Agencies are not ok", "Are agencies fine?", "The agency is fine with it, they say")
        ),
    ],
)
def test_what_only_sounds_like_it_takes_nothing_back(after, stated, later):
    (note,) = after(stated, later).hard_constraints
    assert note.text == stated


@pytest.mark.parametrize(
    ("stated", "later", "value"),
    [
        (PAY, "I said 50k, make that 60k.", "60000"),
        (PAY, "60k, not 50k.", "60000"),
        (PAY, "Make it 55k then.", "55000"),
        (PAY, "I meant £55,000, sorry", "55000"),
        (PAY, "45k would be enough.", "45000"),
        (PAY, "I'd accept 45k", "45000"),
        (PAY, "I can do 45k", "45000"),
        (PAY, "raise it to 65k please", "65000"),
        (PAY, "Not 50k but 60k", "60000"),
        (PLACE, "York, not Leeds", "York"),
        (PLACE, "I meant York.", "York"),
        (PLACE, "Actually make it York", "York"),
    ],
)
def test_a_correction_stands_behind_the_words_that_it_corrects(after, stated, later, value):
    (note,) = after(stated, later).hard_constraints
    assert note.text == f"{stated} → {later}"
    assert note.sources == ("m1", "m2")
    assert value in [each for _, each in note.means]


def test_a_correction_that_says_what_it_is_about_takes_the_place(after):
    (note,) = after(PAY, "My minimum is 45k now.").hard_constraints
    assert (note.text, note.sources) == ("My minimum is 45k now.", ("m2",))


def test_half_of_a_constraint_can_be_taken_back(after):
    (note,) = after("No nights, no weekends.", "Weekends are fine.").hard_constraints
    assert note.text == "No nights, no weekends. → Weekends are fine."
    assert [value for _, value in note.means] == ["nights"]
    assert not after("No nights, no weekends.", "Weekends are fine.", "Nights are ok now").hard_constraints


@pytest.mark.parametrize("later", ["On-site is fine if it's in Leeds.", "If on-site is fine I could apply to more"])
def test_a_condition_does_not_take_a_constraint_back_but_is_told_with_it(after, later):
    (note,) = after(REMOTE, later).hard_constraints
    assert note.text == f"{REMOTE} → {later}"
    assert note.means == (("remote", "only"),)


def test_said_again_the_first_words_stand(after):
    (note,) = after(AGENCIES, "I hate agencies").hard_constraints
    assert (note.text, note.sources) == (AGENCIES, ("m1", "m2"))


def test_an_assistant_says_nothing_for_the_user(vocabulary):
    said = [
        Said("m1", "user", REMOTE),
        Said("a1", "assistant", "On-site is fine now. Forget the remote rule. I only want jobs in Leeds. No agencies."),
    ]
    assert texts(by_rules(ConversationSummary(), said, vocabulary).hard_constraints) == [REMOTE]


@pytest.mark.parametrize(
    "pasted",
    [
        f"Here is the advert:\n{ADVERT}",
        f"What do you think of this?\n\n{ADVERT}",
        ADVERT,
        f"Review my CV:\n\n{CV}",
        CV,
        f"```\n{REMOTE}\nNo weekends.\n```",
        "> I only want on-site jobs\n> No remote work",
        'They wrote: "You must work on-site. No remote work."',
        "The posting says remote only, at least 60k, no agencies.",
        "The recruiter told me I must be on-site and that nights are a must.",
        "Here's the job description: must be on-site, no remote work, at least 10 years",
    ],
)
def test_what_was_pasted_or_quoted_neither_makes_nor_removes_a_constraint(after, pasted):
    assert not after(pasted).hard_constraints
    assert texts(after(PAY, pasted).hard_constraints) == [PAY]


def test_the_users_own_words_before_a_posting_count(after):
    assert texts(after(f"{AGENCIES} Here is the advert:\n{ADVERT}").hard_constraints) == [AGENCIES]


def test_the_other_kinds_come_with_their_sources(after):
    summary = after(
        "I want to become a data engineer.",
        "I'd prefer hybrid. I have applied to Northwind and I have an interview at Acme Ltd.",
        "I've decided to go with the Acme offer.",
        "I'm not sure whether I should move.",
    )
    assert summary.current_goal == Noted(text="I want to become a data engineer.", sources=("m1",))
    assert ("I'd prefer hybrid.", ("m2",)) in [(note.text, note.sources) for note in summary.job_preferences]
    assert texts(summary.mentioned_companies) == ["Northwind", "Acme Ltd"]
    assert texts(summary.decisions)[-1] == "I've decided to go with the Acme offer."
    assert texts(summary.open_questions) == ["I'm not sure whether I should move."]


def test_a_question_is_open_until_it_is_answered(vocabulary):
    asked = Said("m1", "user", "How long does a visa take?")
    open_ = by_rules(ConversationSummary(), [asked, Said("m2", "user", "hello")], vocabulary)
    assert texts(open_.open_questions) == ["How long does a visa take?"]
    again = [Said("m3", "user", "How long does a visa take?"), Said("a3", "assistant", "Weeks.")]
    assert not by_rules(open_, again, vocabulary).open_questions


def test_it_stays_small_and_drops_the_oldest_but_never_a_constraint(after):
    messages = [REMOTE, PAY, *(f"I have applied to Company{number} Ltd." for number in range(60))]
    messages += [f"I've decided on option {number}, {'x' * 300}." for number in range(30)]
    summary = after(*messages)
    assert texts(summary.hard_constraints) == [REMOTE, PAY]
    assert len(summary.mentioned_companies) == MOST_ENTRIES
    assert summary.mentioned_companies[-1].text == "Company59 Ltd"
    assert all(len(text) <= MOST_CHARS for kind, text in summary.lines() if kind != "hard constraint")
    assert [kind for kind, _ in summary.lines()][:2] == ["hard constraint", "hard constraint"]


def test_in_pieces_it_comes_to_the_same(after, vocabulary):
    messages = [
        REMOTE,
        "hello",
        PAY,
        "I said 50k, make that 60k.",
        "I'd like to work at Acme Ltd",
        "On-site is fine now.",
    ]
    said = [
        each
        for number, text in enumerate(messages)
        for each in (Said(f"m{number}", "user", text), Said(f"a{number}", "assistant", "ok"))
    ]
    whole = by_rules(ConversationSummary(), said, vocabulary)
    for step in (2, 4, 6):
        pieces = ConversationSummary()
        for start in range(0, len(said), step):
            pieces = by_rules(pieces, said[start : start + step], vocabulary)
        assert pieces == whole


def test_no_text_makes_it_slow_or_fail(after):
    chance = random.Random(5)
    awkward = [
        "a " * 20_000,
        "no " * 5_000,
        '"' * 9_000,
        "50k, not " * 2_000,
        "\n" * 9_000,
        "remote is " * 3_000,
        "I'm open to " * 2_000,
        "»«“”‘’" * 2_000,
        "".join(chance.choice("ab .,?!\n'\"") for _ in range(12_000)),
    ]
    before = after(REMOTE, PAY, PLACE, AGENCIES)
    for text in awkward:
        started = time.thread_time()
        assert texts(after(text, before=before).hard_constraints)
        assert time.thread_time() - started < 3


def test_own_sentences_are_stretches_of_the_message():
    message = f"Hi!  I only want\tremote jobs.\nNo agencies; at least 50k, ok.\n\n{ADVERT}"
    found = list(own_sentences(message))
    assert "No agencies;" in found
    assert all(sentence in message for sentence in found)


def test_changes_tell_what_came_and_went(after):
    told = changes(after(REMOTE), after(REMOTE, PAY, "On-site is fine now."))
    assert [note["text"] for note in told["hard_constraints"]["added"]] == [PAY]
    assert [note["text"] for note in told["hard_constraints"]["removed"]] == [REMOTE]
    assert "decisions" not in told
