"""Taking changes of a profile back from a chat, on a real database: also many turns later, and after a deletion."""

import secrets

import pytest
from stage_of_profile import Chat

from signalbox.memory.profile import NewFact
from signalbox.memory.resume.intake import ResumeIntake
from signalbox.memory.resume.text import read_text
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.undo_profile import NewestChange
from signalbox.tools.vocabulary import packaged_vocabulary

CV = "Jo Park\n\nExperience\nData Analyst, Northwind, 2020 - present\n- Built reports in Tableau for 12 teams\n"


@pytest.fixture
def chat(database):
    return Chat(database, f"u_{secrets.token_hex(6)}")


async def take_cv(chat):
    intake = ResumeIntake(chat.resumes, packaged_vocabulary())
    return await intake.take(chat.owner, read_text(CV), media_type="text/plain")


async def test_everything_forgotten_comes_back_many_turns_later(chat):
    await chat.say("I live in Ghent and I know Python")
    await chat.say("no agencies")
    before = await chat.values()
    await chat.say("forget everything about me")
    assert await chat.values() == set()
    chat.other_turns(5)
    answer = await chat.say("undo")
    assert "brought back" in answer
    assert await chat.values() == before == {"Ghent", "Python", "agencies"}


async def test_undo_said_again_goes_one_change_further_back_and_never_sounds_like_a_new_fact(chat):
    await chat.say("I live in Ghent")
    await chat.say("My notice period is three months.")
    first = await chat.say("undo")
    assert "taken out again:\n- **Note:**" in first
    assert "Noted" not in first
    second = await chat.say("undo")
    assert "**Location:** Ghent" in second
    assert await chat.values() == set()
    assert "no change of your profile left" in await chat.say("undo")


async def test_what_was_replaced_comes_back_and_the_new_value_goes(chat):
    await chat.say("I live in Ghent")
    await chat.say("I moved to Lyon")
    answer = await chat.say("undo that")
    assert "brought back:\n- **Location:** Ghent" in answer
    assert "Taken out again:\n- **Location:** Lyon" in answer
    assert await chat.values() == {"Ghent"}


async def test_one_message_undoes_one_change_however_often_it_is_carried_out(chat):
    await chat.say("I live in Ghent")
    await chat.say("I know Python")
    tool = chat.undo_tool("m_again")
    first, second = await tool.run(NewestChange()), await tool.run(NewestChange())
    assert isinstance(first, Ok)
    assert isinstance(second, Ok)
    assert [fact.value for fact in first.value.removed] == [fact.value for fact in second.value.removed] == ["Python"]
    assert await chat.values() == {"Ghent"}


async def test_a_deleted_cv_is_said_to_be_gone_for_good_and_takes_its_facts_along(chat):
    await chat.say("I live in Ghent")
    await take_cv(chat)
    assert "Tableau" in await chat.values()
    answer = await chat.say("delete my cv")
    assert "**CV is deleted**" in answer
    assert "Tableau" in answer
    assert await chat.resumes.current(chat.owner) is None
    assert await chat.values() == {"Ghent"}
    assert "cannot be brought back" in await chat.say("undo")
    assert await chat.values() == {"Ghent"}
    assert "no CV of yours stored" in await chat.say("delete my cv")


async def test_undo_after_all_was_forgotten_brings_back_all_but_the_cv_and_says_so(chat):
    await chat.say("I live in Ghent")
    await take_cv(chat)
    forgotten = await chat.say("forget everything")
    assert "Tableau" in forgotten
    assert "**CV is deleted**" in forgotten
    answer = await chat.say("undo")
    assert "Ghent" in answer
    assert "CV was deleted for good" in answer
    assert await chat.values() == {"Ghent"}


async def test_a_question_about_deleting_deletes_nothing(chat):
    await chat.say("I live in Ghent")
    answer = await chat.say("how do I delete everything?")
    assert "forget everything about me" in answer
    assert await chat.values() == {"Ghent"}


async def test_undo_is_bound_to_its_owner_and_refused_in_a_temporary_chat(chat, database):
    await chat.say("I live in Ghent")
    other = Chat(database, f"u_{secrets.token_hex(6)}")
    assert isinstance(await other.undo_tool("m_other").run(NewestChange()), Empty)
    assert isinstance(await chat.undo_tool("m_temporary", temporary=True).run(NewestChange()), Err)
    assert await chat.values() == {"Ghent"}


async def test_a_fact_that_others_stored_is_undone_too(chat):
    await chat.profiles.apply(chat.owner, [NewFact("constraint", "exclude_term", "nights")], [], message_id="m_search")
    assert "nights" in await chat.say("undo")
    assert await chat.values() == set()
