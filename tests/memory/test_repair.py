"""Whatever happened in a conversation, a model gets a past in which user and assistant speak in turns."""

import random
from typing import Any

import pytest

from signalbox.llm.base import ChatMessage, ToolRequest
from signalbox.memory.conversation import PastMessage
from signalbox.memory.repair import BROKE_OFF, NO_RESULT, UNANSWERED, paired, repaired


def user(content: str, **more: Any) -> PastMessage:
    return PastMessage(role="user", content=content, **more)


def assistant(content: str, **more: Any) -> PastMessage:
    return PastMessage(role="assistant", content=content, **more)


def told(*past: PastMessage) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in repaired(past)]


def test_a_sound_past_is_left_as_it_is():
    past = (user("hi"), assistant("hello"), user("jobs?"), assistant("these"))
    assert repaired(past) == past


def test_a_message_whose_run_failed_is_followed_by_a_line_that_says_so():
    assert told(user("one"), user("two"), assistant("2")) == [
        ("user", "one"), ("assistant", UNANSWERED), ("user", "two"), ("assistant", "2"),
    ]  # fmt: skip


def test_the_last_message_of_a_failed_run_does_not_run_into_the_next_one():
    assert told(user("one")) == [("user", "one"), ("assistant", UNANSWERED)]


def test_answers_of_two_agents_to_one_message_become_one():
    first = assistant("jobs", blocks=({"type": "jobs_data"},), agent="job_search")
    (_, both) = repaired((user("find and write"), first, assistant("letter", blocks=({"type": "cover_letter"},))))
    assert both.content == "jobs\n\nletter"
    assert [block["type"] for block in both.blocks] == ["jobs_data", "cover_letter"]


def test_an_answer_that_broke_off_says_so():
    assert told(user("hi"), assistant("Here are", partial=True))[1] == ("assistant", f"Here are\n{BROKE_OFF}")


@pytest.mark.parametrize("blank", ["", "  \n\t", "\u200b\ufeff"])
def test_an_answer_without_words_is_left_out_or_names_what_it_showed(blank):
    assert told(user("hi"), assistant(blank)) == [("user", "hi"), ("assistant", UNANSWERED)]
    shown = told(user("hi"), assistant(blank, blocks=({"type": "jobs_data"},)))
    assert shown == [("user", "hi"), ("assistant", "[Shown without words: jobs_data]")]


def test_an_empty_message_of_the_user_is_left_out_with_its_answer_joined_to_the_one_before():
    assert told(user("a"), assistant("A"), user(" "), assistant("what?")) == [
        ("user", "a"),
        ("assistant", "A\n\nwhat?"),
    ]


def test_what_the_summary_tells_is_left_out():
    past = (user("old", summarised=True), assistant("older", summarised=True), user("new"), assistant("newer"))
    assert told(*past) == [("user", "new"), ("assistant", "newer")]


def test_an_answer_whose_question_is_not_told_is_left_out():
    assert told(user("q", summarised=True), assistant("a"), user("new"), assistant("b"))[0] == ("user", "new")


def test_any_past_comes_out_as_turns_and_stays_as_it_is_when_mended_again():
    chance = random.Random(6)
    for _ in range(400):
        past = [
            PastMessage(
                role=chance.choice(["user", "assistant"]),
                content=chance.choice(["", "text", "  ", "more\n"]),
                partial=chance.random() < 0.2,
                summarised=chance.random() < 0.2,
                blocks=({"type": "jobs_data"},) if chance.random() < 0.2 else (),
            )
            for _ in range(chance.randrange(9))
        ]
        mended = repaired(past)
        assert [message.role for message in mended] == ["user", "assistant"] * (len(mended) // 2)
        assert all(message.content.strip() for message in mended)
        again = repaired([message.model_copy(update={"partial": False}) for message in mended])
        assert [message.content for message in again] == [message.content for message in mended]


def call(name: str) -> ToolRequest:
    return ToolRequest(name, "search_jobs", "{}")


def result(name: str, text: str = "found") -> ChatMessage:
    return ChatMessage("tool", text, tool_call_id=name)


def test_an_open_call_gets_a_result_that_says_it_was_not_finished():
    asked = ChatMessage("assistant", "", (call("1"), call("2")))
    assert paired((ChatMessage("user", "q"), asked, result("2"))) == (
        ChatMessage("user", "q"), asked, ChatMessage("tool", NO_RESULT, tool_call_id="1"), result("2"),
    )  # fmt: skip


def test_results_stand_right_behind_their_call_and_orphans_are_dropped():
    asked = ChatMessage("assistant", "let me look", (call("1"),))
    messages = (result("0"), ChatMessage("user", "q"), asked, ChatMessage("user", "and?"), result("1"), result("1"))
    assert paired(messages) == (ChatMessage("user", "q"), asked, result("1"), ChatMessage("user", "and?"))


def test_a_call_that_is_made_twice_is_told_once():
    asked = ChatMessage("assistant", "", (call("1"),))
    assert paired((asked, result("1"), asked)) == (asked, result("1"))


def test_an_assistant_message_with_neither_words_nor_calls_is_dropped():
    assert paired((ChatMessage("user", "q"), ChatMessage("assistant", " "))) == (ChatMessage("user", "q"),)
