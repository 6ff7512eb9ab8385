import pytest
from stage import Canned, fact, perform

from signalbox.agents.profile_update import ProfileFacts, ProfileUpdateAgent, compose
from signalbox.blocks import ProfileUpdated
from signalbox.memory.conversation import PastMessage
from signalbox.tools.result import Empty, Err, Ok
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


async def test_undo_takes_back_the_last_change():
    block = ProfileUpdated(added=(fact("location", "Ghent"),), removed=(fact("location", "Bruges"),))
    history = [PastMessage(role="assistant", content="Noted.", blocks=(block.model_dump(mode="json"),))]
    tool = update(stored())
    await perform(ProfileUpdateAgent(), "undo that", [tool], history=history)
    asked = tool.asked[0]
    assert [s.value for s in asked.add] == ["Bruges"]
    assert [s.value for s in asked.remove] == ["Ghent"]


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
