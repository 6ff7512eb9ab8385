"""What the general agent says of the profile: its rules, and how things are forgotten or brought back."""

import pytest
from stage import Canned, fact, perform

from signalbox.agents.general import GeneralAgent
from signalbox.agents.talk.small_talk import topic_of
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.update_profile import UpdatedProfile

RULES = (
    fact("exclude_term", "agencies", "constraint"),
    fact("salary_min", "40000", "constraint"),
    fact("currency", "GBP"),
    fact("skill", "SQL"),
)


@pytest.mark.parametrize(
    ("message", "topic"),
    [
        ("what rules do you have for me?", "my_rules"),
        ("which filters are set?", "my_rules"),
        ("show my rules", "my_rules"),
        ("what have you excluded?", "my_rules"),
        ("do i have any filters", "my_rules"),
        ("what rules of thumb are there for salary negotiation?", "out_of_scope"),
        ("what rules do I have to follow at an interview?", "out_of_scope"),
        ("what limits apply to my visa?", "out_of_scope"),
        ("how do I delete everything?", "how_to_forget"),
        ("undo", "profile_change"),
        ("delete my cv", "profile_change"),
        ("forget everything", "forget_all"),
    ],
)
def test_a_message_about_the_profile_is_told_by_its_topic(message, topic):
    assert topic_of(message) == topic


async def test_asked_for_the_rules_it_lists_them_and_no_other_facts():
    answer, _ = await perform(GeneralAgent(), "what rules do you have for me?", [Canned("read_profile", Ok(RULES))])
    assert "agencies" in answer.text
    assert "£40,000 a year" in answer.text
    assert "SQL" not in answer.text


@pytest.mark.parametrize(
    ("result", "says"),
    [
        (Empty("empty"), "keep no rules"),
        (Ok((fact("skill", "SQL"),)), "keep no rules"),
        (Err("timeout", "slow"), "could not read"),
    ],
)
async def test_no_rules_and_rules_that_could_not_be_read_are_told_apart(result, says):
    answer, _ = await perform(GeneralAgent(), "what rules do you have for me?", [Canned("read_profile", result)])
    assert says in answer.text


async def test_a_question_about_deleting_explains_and_deletes_nothing():
    answer, recorder = await perform(GeneralAgent(), "how do I delete everything?")
    assert "forget everything about me" in answer.text
    assert "tool_call" not in recorder.types()


@pytest.mark.parametrize("message", ["undo", "delete my cv"])
async def test_what_changes_the_profile_is_passed_on(message):
    answer, _ = await perform(GeneralAgent(), message)
    assert answer.hand_over is not None
    assert answer.hand_over.to == "profile_update"


async def test_forgetting_all_says_that_the_cv_is_gone_for_good_and_the_rest_is_not():
    result = Ok(UpdatedProfile((), (fact("skill", "SQL"),), (), resume_erased=True))
    answer, _ = await perform(GeneralAgent(), "forget everything", [Canned("update_profile", result)])
    assert "CV is deleted too, and that cannot be undone" in answer.text
    assert "The rest comes back with “undo”" in answer.text
