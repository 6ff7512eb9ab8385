import pytest
from stage import Canned, fact, perform

from signalbox.agents.profile_update import ProfileUpdateAgent
from signalbox.agents.profiles.text import ProfileFacts, compose
from signalbox.blocks import ProfileUpdated
from signalbox.memory.conversation import PastMessage
from signalbox.tools.erase_resume import ErasedResume
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.undo_profile import UndoneChange
from signalbox.tools.update_profile import UpdatedProfile


def update(result):
    return Canned("update_profile", result)


def stored(added=(), removed=(), profile=()):
    return Ok(UpdatedProfile(tuple(added), tuple(removed), tuple(profile)))


async def test_what_was_stored_is_shown_back_with_the_way_to_undo_it():
    added = [fact("location", "Ghent"), fact("salary_min", "40000", "constraint"), fact("currency", "GBP")]
    tool = update(stored(added, [fact("location", "Bruges")], added))
    answer, recorder = await perform(ProfileUpdateAgent(), "I live in Ghent and need at least £40k", [tool])
    assert recorder.types() == ["tool_call", "tool_result", "profile_updated", "chunk", "usage", "message"]
    assert "**Location:** Ghent" in answer.text
    assert "£40,000 a year (a hard rule)" in answer.text
    assert "It replaces:\n- **Location:** Bruges" in answer.text
    assert "“undo that” or “forget my location”" in answer.text


async def test_a_temporary_chat_stores_nothing_and_says_so():
    tool = update(Err("bug", "must not be called"))
    answer, recorder = await perform(ProfileUpdateAgent(), "I live in Ghent", [tool], temporary=True)
    assert tool.asked == []
    assert "profile_updated" not in recorder.types()
    assert "store nothing" in answer.text


async def test_a_store_that_cannot_be_reached_is_not_called_stored():
    answer, recorder = await perform(ProfileUpdateAgent(), "I live in Ghent", [update(Err("unavailable", "down"))])
    assert "**nothing was stored**" in answer.text
    assert "profile_updated" not in recorder.types()


async def test_a_question_stores_nothing():
    tool = update(Err("bug", "must not be called"))
    answer, _ = await perform(ProfileUpdateAgent(), "Do I need Python for that?", [tool])
    assert tool.asked == []
    assert "nothing in that message to store" in answer.text


async def test_what_is_known_already_is_said_to_be_known():
    answer, _ = await perform(ProfileUpdateAgent(), "I live in Ghent", [update(Empty("known"))])
    assert "already in your profile" in answer.text


UNDONE = Ok(UndoneChange((fact("location", "Bruges"),), (fact("location", "Ghent"),), (fact("location", "Bruges"),)))


def changed(**parts):
    """A past answer that changed the profile."""
    block = ProfileUpdated(**parts).model_dump(mode="json")
    return PastMessage(role="assistant", content="Noted.", agent="profile_update", blocks=(block,))


@pytest.mark.parametrize(
    "message",
    [
        "undo", "Undo that", "undo please", "can you undo that?", "oops, undo the last change", "take that back",
        "restore my profile", "bring it back", "I want my data back", "no wait, revert that", "give me back my profile",
        "undo the last deletion",
    ],
)  # fmt: skip
async def test_undo_works_whenever_it_is_said_and_says_what_came_back_and_what_went(message):
    answer, recorder = await perform(ProfileUpdateAgent(), message, [Canned("undo_profile", UNDONE)])
    assert "brought back:\n- **Location:** Bruges" in answer.text
    assert "Taken out again:\n- **Location:** Ghent" in answer.text
    assert "Noted" not in answer.text
    assert recorder.one("profile_updated").added[0].value == "Bruges"


async def test_forget_that_right_after_a_change_takes_it_back_and_otherwise_asks_what_is_meant():
    tool = Canned("undo_profile", UNDONE)
    history = [changed(added=(fact("location", "Ghent"),))]
    answer, _ = await perform(ProfileUpdateAgent(), "forget that", [tool], history=history)
    assert "brought back" in answer.text
    answer, recorder = await perform(ProfileUpdateAgent(), "forget that")
    assert "What should I forget?" in answer.text
    assert "tool_call" not in recorder.types()


@pytest.mark.parametrize(
    ("result", "says"),
    [(Empty("none left"), "no change of your profile left"), (Err("unavailable", "down"), "**nothing was changed**")],
)
async def test_nothing_to_undo_and_an_undo_that_failed_are_told_apart(result, says):
    answer, recorder = await perform(ProfileUpdateAgent(), "undo", [Canned("undo_profile", result)])
    assert says in answer.text
    assert "profile_updated" not in recorder.types()


async def test_undo_right_after_a_cv_was_deleted_undoes_nothing_else():
    history = [PastMessage(role="user", content="delete my cv"), changed(removed=(fact("resume", "cv.pdf"),))]
    answer, recorder = await perform(ProfileUpdateAgent(), "undo", history=history)
    assert "cannot be brought back" in answer.text
    assert "tool_call" not in recorder.types()


@pytest.mark.parametrize(
    "message",
    [
        "how do I delete everything?",
        "How can I get you to forget something",
        "can I delete my profile?",
        "how to undo?",
    ],
)
async def test_a_question_about_forgetting_is_answered_and_changes_nothing(message):
    answer, recorder = await perform(ProfileUpdateAgent(), message, profile=[fact("skill", "SQL")])
    assert "forget everything about me" in answer.text
    assert "cannot be brought back" in answer.text
    assert "tool_call" not in recorder.types()


@pytest.mark.parametrize(
    ("result", "says"),
    [
        (Ok(ErasedResume((fact("resume", "cv.pdf"), fact("skill", "SQL")), ())), "**CV is deleted**"),
        (Empty("none"), "no CV of yours stored"),
        (Err("unavailable", "down"), "**not deleted**"),
    ],
)
async def test_deleting_the_cv_says_what_became_of_it(result, says):
    answer, _ = await perform(ProfileUpdateAgent(), "delete my cv", [Canned("erase_resume", result)])
    assert says in answer.text
    assert "nothing in that message" not in answer.text
    assert "“undo" not in answer.text


async def test_asked_for_its_rules_it_passes_on_to_who_lists_them():
    answer, recorder = await perform(ProfileUpdateAgent(), "what rules do you have for me?")
    assert answer.hand_over is not None
    assert answer.hand_over.to == "general"
    assert recorder.types() == []


@pytest.mark.parametrize(
    ("message", "last", "expected"),
    [
        ("actually 12 years", [fact("years", "10")], {"years": "12"}),
        ("no, 12", [fact("years", "10")], {"years": "12"}),
        ("sorry, make it twelve years", [fact("years", "10")], {"years": "12"}),
        ("12 yrs actually", [fact("years", "10")], {"years": "12"}),
        ("10 years", [], {"years": "10"}),
        ("not 10 years, 12", [fact("years", "10")], {"years": "12"}),
        ("that's wrong, I have 12 years", [fact("years", "10")], {"years": "12"}),
        ("actually 45k", [fact("salary_min", "40000", "constraint")], {"salary_min": "45000"}),
        ("i mean leeds", [fact("location", "London")], {"location": "Leeds"}),
    ],
)
async def test_a_correction_changes_what_was_said_before(message, last, expected):
    tool = update(stored())
    await perform(ProfileUpdateAgent(), message, [tool], history=[changed(added=tuple(last))] if last else [])
    assert {said.key: said.value for said in tool.asked[0].add} == expected


async def test_keep_that_reads_the_message_before():
    tool = update(stored())
    history = [PastMessage(role="user", content="I live in Ghent", intent="job_search")]
    await perform(ProfileUpdateAgent(), "yes, keep that for next time too", [tool], history=history)
    assert [s.value for s in tool.asked[0].add] == ["Ghent"]


async def test_a_command_is_not_part_of_what_is_said():
    tool = update(stored())
    await perform(ProfileUpdateAgent(), "/profile_update I need a visa sponsor for the US", [tool])
    assert tool.asked[0].add[0].value == "I need a visa sponsor for the US"


async def test_a_message_too_long_to_be_read_whole_is_said_to_be():
    message = "I live in Ghent. " + "It rained. " * 900
    answer, _ = await perform(ProfileUpdateAgent(), message, [update(stored([fact("location", "Ghent")]))])
    assert "**Location:** Ghent" in answer.text
    assert "characters were **not read**" in answer.text


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        (ProfileFacts(outcome="stored", removed=(fact("skill", "PHP"),)), "I have forgotten:\n- **Skills:** PHP"),
        (ProfileFacts(outcome="stored", added=(fact("note", "own\nvan"),)), "**Note:** “own van”"),
        (ProfileFacts(outcome="nothing", unknown=("Java",)), "nothing stored about “Java”"),
        (ProfileFacts(outcome="nothing", left_out=3), "3 more were **not stored**"),
        (
            ProfileFacts(outcome="stored", removed=(fact("skill", "PHP"),), everything_forgotten=True),
            "forgotten everything",
        ),
    ],
)
def test_each_outcome_has_its_own_words(facts, says):
    assert says in compose(facts)


@pytest.mark.parametrize("message", ["Here is something to remember about me", "Remember something about me"])
async def test_a_fact_that_is_only_announced_is_asked_for_and_not_stored(message):
    answer, recorder = await perform(ProfileUpdateAgent(), message)
    assert "What should I remember?" in answer.text
    assert "tool_call" not in recorder.types()


@pytest.mark.parametrize(
    ("read", "says", "never"),
    [
        (Err("rejected", "off"), "switched remembering off", "nothing stored about"),
        (Err("unavailable", "down"), "could not reach your profile", "nothing stored about"),
        (Empty("empty"), "nothing stored about “York”", "switched remembering off"),
    ],
)
async def test_what_could_not_be_looked_up_is_not_said_to_be_absent(read, says, never):
    answer, recorder = await perform(ProfileUpdateAgent(), "forget York", [Canned("read_profile", read)])
    assert says in answer.text
    assert never not in answer.text
    assert "profile_updated" not in recorder.types()


async def test_contact_data_is_refused_in_plain_words_and_the_rest_is_stored():
    tool = update(stored([fact("name", "Ann")]))
    message = "My name is Ann and my email is ann@example.com, phone +44 7700 900123"
    answer, _ = await perform(ProfileUpdateAgent(), message, [tool])
    assert [(said.key, said.value) for said in tool.asked[0].add] == [("name", "Ann")]
    assert "I do not keep e-mail addresses and phone numbers in your profile" in answer.text
    assert "900123" not in answer.text


async def test_a_document_number_alone_is_refused_and_nothing_is_stored():
    tool = update(Err("bug", "must not be called"))
    answer, _ = await perform(ProfileUpdateAgent(), "remember my passport number is 533401234", [tool])
    assert tool.asked == []
    assert answer.text.startswith("I do not keep numbers of documents in your profile")


def test_a_corrected_pay_keeps_its_currency():
    profile = (fact("currency", "GBP"), fact("salary_min", "60000"))
    text = compose(
        ProfileFacts(outcome="stored", added=profile[1:], removed=(fact("salary_min", "50000"),), profile=profile)
    )
    assert "£60,000 a year" in text
    assert "£50,000 a year" in text
