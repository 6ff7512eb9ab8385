"""What people say to have things forgotten, and what only sounds like it."""

import pytest

from signalbox.blocks import ProfileFact
from signalbox.memory.forgetting import (
    asks_how_to_forget,
    removals,
    wants_all_erased,
    wants_all_forgotten,
    wants_resume_erased,
    wants_undone,
)
from signalbox.memory.statements import Statements, read
from signalbox.tools.vocabulary import packaged_vocabulary

PROFILE = tuple(
    ProfileFact(fact_id=f"f{number}", kind=kind, key=key, value=value)
    for number, (kind, key, value) in enumerate(
        [
            ("constraint", "exclude_term", "recruitment agencies"),
            ("constraint", "salary_min", "40000"),
            ("fact", "currency", "GBP"),
            ("constraint", "remote", "only"),
            ("constraint", "exclude_company", "Umbrella"),
            ("fact", "name", "Sam"),
            ("fact", "title", "nurse"),
            ("fact", "location", "Leeds"),
            ("fact", "note", "My salary in Leeds was paid weekly"),
        ]
    )
)


def gone(message):
    return {fact.value for fact in read(message, PROFILE, packaged_vocabulary()).remove}


@pytest.mark.parametrize(
    "message",
    [
        "forget everything", "Delete my profile", "Can you forget all you know about me?",
        "I want you to forget everything about me", "I'm done. Delete everything.", "forget what you know about me",
        "Could you please delete everything?", "forget me", "pls delete all my info", "erase everything you have on me",
        "reset my profile",
    ],
)  # fmt: skip
def test_a_wish_to_have_all_forgotten_is_understood(message):
    assert wants_all_forgotten(message)
    assert read(message, PROFILE, packaged_vocabulary()).forget_all


@pytest.mark.parametrize(
    "message",
    [
        "delete all my data", "wipe all my data please", "Please remove my personal data", "erase my account",
        "delete my chat history", "Please delete all data you have on me", "delete all my conversations, please",
        "delete my account and all my conversations", "clear my data",
    ],
)  # fmt: skip
def test_having_all_data_erased_takes_more_than_a_sentence_in_a_chat(message):
    assert wants_all_erased(message)
    assert not wants_all_forgotten(message)
    assert read(message, PROFILE, packaged_vocabulary()) == Statements()


@pytest.mark.parametrize(
    "message",
    [
        "how do I delete all my data?", "don't delete my data", "forget data science", "forget everything about me",
        "remove data analyst from my profile", "delete data entry from my skills", "delete my profile",
        "is it possible to erase all my data?", "delete this message", "delete my account manager title",
    ],
)  # fmt: skip
def test_lesser_wishes_and_questions_do_not_ask_for_all_data_to_be_erased(message):
    assert not wants_all_erased(message)


@pytest.mark.parametrize(
    "message",
    [
        "how do I delete everything?", "how do i delete my profile", "can I delete everything?",
        "what if I delete everything?",
        "don't delete everything", "please do not forget everything", "Why did you delete everything?",
        "is it possible to erase all my data?", "tell me how to delete everything", "forget everything about Northwind",
        "forget everything except my name", "delete my profile picture", "will you forget everything after a while?",
        "I'd like to know how to delete my profile", "if you forget everything, can I get it back?",
        "delete everything?",
        "Did you delete my profile?", "how would one get rid of all my data", "forget everything to do with sales",
    ],
)  # fmt: skip
def test_questions_refusals_and_lesser_wishes_do_not_forget_all(message):
    assert not wants_all_forgotten(message)
    assert not read(message, PROFILE, packaged_vocabulary()).forget_all


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("how do I delete everything?", True),
        ("Can I remove something you stored?", True),
        ("is there a way to delete my cv?", True),
        ("how do i undo that", True),
        ("how do I remove a stain from a suit?", False),
        ("forget everything", False),
        ("How do I delete duplicates in SQL?", False),
    ],
)
def test_a_question_about_forgetting_is_told_from_others(message, asks):
    assert asks_how_to_forget(message) is asks


@pytest.mark.parametrize(
    "message",
    [
        "delete my cv", "Please erase my resume from your system", "remove my résumé", "can you delete my CV please?",
        "get rid of my old CV", "forget my cv", "delete the CV I uploaded", "delete cv", "pls delete my resume",
        "wipe my CV and my location",
    ],
)  # fmt: skip
def test_a_wish_to_have_the_cv_deleted_is_understood(message):
    assert wants_resume_erased(message)


@pytest.mark.parametrize(
    "message",
    [
        "how do I delete my cv?", "should I delete my cv?", "remove gaps from my cv", "delete my cv's second page",
        "remove my CV summary", "don't delete my cv", "review my cv", "forget about the cv for now",
        "remove my resume from LinkedIn", "drop my cv at Northwind",
    ],
)  # fmt: skip
def test_other_wishes_about_a_cv_delete_none(message):
    assert not wants_resume_erased(message)


def test_what_is_to_go_besides_the_cv_goes_too():
    statements = read("delete my CV and my location", PROFILE, packaged_vocabulary())
    assert statements.erase_resume
    assert [fact.value for fact in statements.remove] == ["Leeds"]
    assert statements.add == ()


@pytest.mark.parametrize(
    ("message", "values"),
    [
        ("forget recruitment agencies", {"recruitment agencies"}),
        ("forget the agency rule", {"recruitment agencies"}),
        ("forget recruiters", {"recruitment agencies"}),
        ("forget the salary rule", {"40000", "GBP"}),
        ("drop the salary thing", {"40000", "GBP"}),
        ("lift the salary rule", {"40000", "GBP"}),
        ("get rid of the salary limit pls", {"40000", "GBP"}),
        ("drop the remote rule", {"only"}),
        ("forget my rules", {"recruitment agencies", "40000", "only", "Umbrella"}),
        ("remove all the rules", {"recruitment agencies", "40000", "only", "Umbrella"}),
        ("drop that rule", {"Umbrella"}),
        ("can u forget my location", {"Leeds"}),
        ("could you remove the salary rule?", {"40000", "GBP"}),
        ("stop filtering by salary", {"40000", "GBP"}),
        ("actually I don't mind agencies", {"recruitment agencies"}),
        ("I no longer need at least 40k", {"40000", "GBP"}),
        ("stop hiding agencies", {"recruitment agencies"}),
        ("you can show me agencies again", {"recruitment agencies"}),
        ("show me Umbrella again", {"Umbrella"}),
        ("forget travel", set()),
        ("drop me a line", set()),
        ("forget everything except my name and my title", {fact.value for fact in PROFILE} - {"Sam", "nurse"}),
    ],
)
def test_a_rule_is_dropped_by_what_people_call_it_and_no_other_goes(message, values):
    assert gone(message) == values


@pytest.mark.parametrize("message", ["undo", "Undo that!", "put it back", "please revert", "can u undo it?"])
def test_a_wish_to_undo_is_understood(message):
    assert wants_undone(message)


@pytest.mark.parametrize("message", ["how do I undo?", "undo the formatting of my CV", "take it", "bring coffee back"])
def test_what_only_sounds_like_an_undo_is_none(message):
    assert not wants_undone(message)


LATEX = ProfileFact(fact_id="n1", kind="fact", key="note", value="I am allergic to latex")
TEA = ProfileFact(fact_id="n2", kind="fact", key="note", value="I like tea")


@pytest.mark.parametrize(
    ("message", "values"),
    [
        ("forget that I am allergic to latex", {LATEX.value}),
        ("forget I'm allergic to latex", {LATEX.value}),
        ("forget my latex allergy", {LATEX.value}),
        ("forget latex", {LATEX.value}),
        ("delete my note about latex", {LATEX.value}),
        ("forget that I like tea", {TEA.value}),
        ("forget that I am allergic to nuts", set()),
        ("forget that I like coffee", set()),
    ],
)
def test_a_note_is_forgotten_by_what_it_says(message, values):
    assert {fact.value for fact in removals(message, (LATEX, TEA))[0]} == values
