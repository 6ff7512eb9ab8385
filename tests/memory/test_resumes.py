"""The store of CVs, their way into the profile, and the way back, on a real database."""

import asyncio
import secrets

import pytest

from resume_samples import JANE, NURSE
from signalbox.errors import Conflict, NotFound
from signalbox.memory.profile import NewFact, Owner, ProfileStore
from signalbox.memory.profile_history import ProfileHistory
from signalbox.memory.resume.intake import ResumeIntake
from signalbox.memory.resume.store import ResumeStore
from signalbox.memory.resume.text import read_text
from signalbox.tools.read_resume import ReadResume, WholeResume
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.vocabulary import packaged_vocabulary


@pytest.fixture
def owner():
    return Owner("default", f"u_{secrets.token_hex(6)}")


@pytest.fixture
def resumes(database):
    return ResumeStore(database)


@pytest.fixture
def profiles(database):
    return ProfileStore(database)


@pytest.fixture
def history(database):
    return ProfileHistory(database)


@pytest.fixture
def intake(resumes):
    return ResumeIntake(resumes, packaged_vocabulary())


async def take(intake, owner, text):
    return await intake.take(owner, await asyncio.to_thread(read_text, text), media_type="text/plain")


async def values(profiles, owner, key) -> list[str]:
    return [fact.value for fact in await profiles.facts(owner) if fact.key == key]


async def test_a_cv_is_kept_as_it_was_read(resumes, owner):
    resume = read_text(JANE).resume
    stored = (await resumes.keep(owner, resume, media_type="text/plain")).stored
    current = await resumes.current(owner)
    assert current == stored
    assert current.resume == resume
    assert await resumes.current(Owner("default", "u_somebody_else")) is None


async def test_the_same_cv_again_is_the_same_and_another_replaces_it(resumes, owner, database):
    jane, nurse = read_text(JANE).resume, read_text(NURSE).resume
    first = (await resumes.keep(owner, jane, media_type="text/plain")).stored
    assert (await resumes.keep(owner, jane, media_type="text/plain")).stored == first
    second = (await resumes.keep(owner, nurse, media_type="text/plain")).stored
    assert await resumes.current(owner) == second
    rows = await database.fetch("SELECT resume_id FROM resume WHERE user_id = %s", (owner.user_id,))
    assert {row["resume_id"] for row in rows} == {first.resume_id, second.resume_id}


async def test_two_uploads_at_once_leave_one_current_cv(resumes, owner):
    texts = [f"{JANE}\nLine {number}" for number in range(6)]
    kept = await asyncio.gather(
        *(resumes.keep(owner, read_text(text).resume, media_type="text/plain") for text in texts)
    )
    assert len({each.stored.resume_id for each in kept}) == 6
    assert await resumes.current(owner) in [each.stored for each in kept]


async def test_of_two_cvs_at_once_one_is_taken_whole(intake, resumes, profiles, database):
    for number in range(6):
        owner = Owner("default", f"u_{secrets.token_hex(6)}")
        await asyncio.gather(*(take(intake, owner, text) for text in (JANE, NURSE)[:: 1 if number % 2 else -1]))
        current = await resumes.current(owner)
        facts = await profiles.facts(owner)
        title = "Agency Nurse" if "Nurse" in current.resume.text else "Senior Data Engineer"
        assert [fact.value for fact in facts if fact.key == "title"] == [title]
        assert ("Tableau" in [fact.value for fact in facts]) == (title == "Senior Data Engineer")
        # The day's fact that there is a CV is worded the same for both pasted ones.
        assert {fact.source_message_id for fact in facts if fact.key != "resume"} == {current.resume_id}


async def test_undoing_an_upload_brings_the_cv_before_it_back_and_then_none(intake, resumes, profiles, history, owner):
    first = (await take(intake, owner, JANE)).stored
    await take(intake, owner, NURSE)
    await history.undo(owner)
    assert await resumes.current(owner) == first
    assert await values(profiles, owner, "title") == ["Senior Data Engineer"]
    assert (await take(intake, owner, JANE)).change.added == ()
    await history.undo(owner)
    assert (await resumes.current(owner), await profiles.facts(owner)) == (None, ())
    with pytest.raises(Conflict):
        await history.undo(owner)
    again = await take(intake, owner, JANE)
    assert "Senior Data Engineer" in {fact.value for fact in again.change.added}
    assert again.stored.resume_id != first.resume_id


async def test_a_cv_that_tells_nothing_new_is_a_change_too(resumes, history, owner):
    await resumes.keep(owner, read_text(JANE).resume, media_type="text/plain")
    newest = await history.newest(owner)
    one, two = [await history.undo(owner, newest.change_id) for _ in range(2)]
    assert one == two
    assert await resumes.current(owner) is None


async def test_what_the_user_said_in_the_same_words_outlives_the_undo(intake, profiles, history, owner):
    await profiles.apply(owner, [NewFact("preference", "skill", "python")], [], message_id=f"m_{owner.user_id}")
    await take(intake, owner, JANE)
    await history.undo(owner)
    assert [(fact.kind, fact.value) for fact in await profiles.facts(owner)] == [("preference", "python")]


async def test_facts_carry_the_cvs_id_and_are_added_once(intake, owner, profiles):
    taken = await take(intake, owner, JANE)
    assert {fact.source_message_id for fact in taken.change.added} == {taken.stored.resume_id}
    assert await values(profiles, owner, "title") == ["Senior Data Engineer"]
    assert (await take(intake, owner, JANE)).change.added == ()


async def test_a_fact_taken_out_does_not_come_back_with_the_same_cv(intake, owner, profiles, history):
    taken = await take(intake, owner, JANE)
    python = next(fact for fact in taken.change.added if fact.value == "Python")
    await history.forget(owner, python.fact_id)
    await take(intake, owner, JANE)
    assert "Python" not in await values(profiles, owner, "skill")


async def test_a_new_cv_takes_out_what_only_the_old_one_said(intake, owner, profiles):
    await profiles.apply(owner, [NewFact("fact", "location", "York")], [], message_id=f"m_{owner.user_id}")
    await take(intake, owner, JANE)
    taken = await take(intake, owner, NURSE)
    assert await values(profiles, owner, "title") == ["Agency Nurse"]
    assert "Tableau" not in await values(profiles, owner, "skill")
    assert await values(profiles, owner, "location") == ["York"]
    assert any("York" in warning and "Manchester" in warning for warning in taken.warnings)
    assert len(await values(profiles, owner, "resume")) == 1


async def test_erasing_deletes_every_cv_and_retires_its_facts(intake, resumes, owner, profiles, history, database):
    await profiles.apply(owner, [NewFact("fact", "skill", "Welding")], [], message_id=f"m_{owner.user_id}")
    await take(intake, owner, NURSE)
    await take(intake, owner, JANE)
    gone = await resumes.erase(owner)
    assert {"Senior Data Engineer", "Python"} <= {fact.value for fact in gone}
    assert [fact.value for fact in await profiles.facts(owner)] == ["Welding"]
    rows = await database.fetch("SELECT 1 FROM resume WHERE user_id = %s", (owner.user_id,))
    assert rows == []
    assert await resumes.erase(owner) is None
    undone = await history.undo(owner)
    assert [fact.value for fact in undone.added] == ["Welding"]
    assert await profiles.facts(owner) == ()


async def test_the_tool_tells_a_cv_none_and_a_temporary_chat_apart(resumes, owner):
    assert isinstance(await ReadResume(resumes, owner, temporary=False).run(WholeResume()), Empty)
    await resumes.keep(owner, read_text(JANE).resume, media_type="text/plain")
    found = await ReadResume(resumes, owner, temporary=False).run(WholeResume())
    assert isinstance(found, Ok)
    assert found.value.headline == "Senior Data Engineer"
    assert isinstance(await ReadResume(resumes, owner, temporary=True).run(WholeResume()), Err)


async def test_undo_goes_back_one_change_at_a_time(profiles, history, owner):
    await profiles.apply(owner, [NewFact("fact", "location", "Leeds")], [], message_id=f"m_1_{owner.user_id}")
    await profiles.apply(owner, [NewFact("fact", "location", "York")], [], message_id=f"m_2_{owner.user_id}")
    first = await history.undo(owner)
    assert ([f.value for f in first.added], [f.value for f in first.removed]) == (["York"], ["Leeds"])
    assert await values(profiles, owner, "location") == ["Leeds"]
    await history.undo(owner)
    assert await profiles.facts(owner) == ()
    with pytest.raises(Conflict):
        await history.undo(owner)


async def test_a_change_named_by_its_id_is_undone_once(profiles, history, owner):
    await profiles.apply(owner, [NewFact("fact", "skill", "SQL")], [], message_id=f"m_1_{owner.user_id}")
    newest = await history.newest(owner)
    one, two = await asyncio.gather(*(history.undo(owner, newest.change_id) for _ in range(2)))
    assert one == two
    assert [fact.value for fact in one.added] == ["SQL"]
    await profiles.apply(owner, [NewFact("fact", "skill", "Go")], [], message_id=f"m_2_{owner.user_id}")
    assert await history.undo(owner, newest.change_id) == one
    with pytest.raises(Conflict):
        await history.undo(owner, "ch_1")
    assert await values(profiles, owner, "skill") == ["Go"]


async def test_forgetting_can_be_undone_and_is_for_the_owner_alone(profiles, history, owner):
    change = await profiles.apply(owner, [NewFact("fact", "skill", "SQL")], [], message_id=f"m_1_{owner.user_id}")
    (fact,) = change.added
    other = Owner("default", "u_other_one")
    with pytest.raises(NotFound):
        await history.forget(other, fact.fact_id)
    await history.forget(owner, fact.fact_id)
    await history.forget(owner, fact.fact_id)
    assert await profiles.facts(owner) == ()
    await history.undo(owner)
    assert await values(profiles, owner, "skill") == ["SQL"]
