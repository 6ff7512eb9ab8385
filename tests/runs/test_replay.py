"""What was said is not said again, and what nothing bears out is taken back."""

import random

import pytest

from signalbox.blocks import Suggestion, Suggestions
from signalbox.events import AgentFinished, Chunk, Message, Rewind, RunStarted, ToolCall
from signalbox.runs.replay import Replay


def chunk(text: str, message_id: str = "m_1") -> Chunk:
    return Chunk(message_id=message_id, agent="general", content=text)


def message(text: str) -> Message:
    return Message(message_id="m_1", agent="general", content=text)


def call(**arguments: object) -> ToolCall:
    return ToolCall(call_id="call_1", tool="search_jobs", arguments=arguments)


def shown(events) -> str:
    """The text a reader is left with."""
    text = ""
    for event in events:
        match event:
            case Rewind():
                text = ""
            case Chunk():
                text += event.content
            case Message():
                text = event.content
    return text


def test_what_was_said_is_swallowed_once_and_said_the_second_time():
    replay = Replay([call(query="x"), call(query="y")])
    assert replay.heard(call(query="y")) == []
    assert replay.heard(call(query="x")) == []
    assert replay.heard(call(query="x")) == [call(query="x")]


def test_attempt_number_duration_and_order_of_keys_make_no_difference():
    said = [
        RunStarted(attempt=1, user_message_id="m", message="hi"),
        AgentFinished(agent="general", duration_ms=3),
        call(b=1, a=2),
    ]
    replay = Replay(said)
    assert replay.heard(RunStarted(attempt=2, user_message_id="m", message="hi")) == []
    assert replay.heard(AgentFinished(agent="general", duration_ms=900)) == []
    assert replay.heard(call(a=2, b=1)) == []


@pytest.mark.parametrize("pieces", [["Hello world, all is well."], ["He", "llo world", ", all is", " well."]])
@pytest.mark.parametrize("cut", range(1, 26, 5))
def test_recorded_text_comes_again_in_any_pieces_and_only_its_rest_is_sent(pieces, cut):
    whole = "".join(pieces)
    before = [chunk(whole[:cut])]
    replay = Replay(before)
    sent = [event for piece in pieces for event in replay.heard(chunk(piece))]
    assert not any(isinstance(event, Rewind) for event in sent)
    assert shown([*before, *sent]) == whole
    assert replay.heard(message(whole)) == [message(whole)]


def test_before_a_model_speaks_anew_the_text_of_the_turn_that_never_ended_is_taken_back():
    before = [chunk("Recorded. "), chunk("Half a sen")]
    replay = Replay(before)
    assert replay.heard(chunk("Recorded. ")) == []
    correction = replay.before_speaking()
    assert [type(event) for event in correction] == [Rewind, Chunk]
    after = replay.heard(chunk("Another sentence."))
    assert shown([*before, *correction, *after]) == "Recorded. Another sentence."


def test_text_that_comes_out_differently_is_corrected():
    before = [chunk("The answer is 41")]
    replay = Replay(before)
    sent = [*replay.heard(chunk("The answer ")), *replay.heard(chunk("was 42"))]
    assert shown([*before, *sent]) == "The answer was 42"
    assert sum(isinstance(event, Rewind) for event in sent) == 1


def test_a_message_that_ends_before_all_that_was_said_is_corrected():
    before = [chunk("Too much was said")]
    replay = Replay(before)
    sent = [*replay.heard(chunk("Too much")), *replay.heard(message("Too much"))]
    assert [type(event) for event in sent] == [Rewind, Chunk, Message]
    assert shown([*before, *sent]) == "Too much"


def test_other_messages_are_left_alone_and_a_rewind_in_the_past_counts():
    before = [chunk("old"), Rewind(message_id="m_1", reason="x"), chunk("new"), chunk("two", "m_2")]
    replay = Replay(before)
    assert replay.heard(chunk("new")) == []
    assert replay.heard(chunk("two", "m_2")) == []
    assert replay.before_speaking() == []


def test_a_block_with_text_no_store_can_hold_is_known_again():
    reply = Suggestion(id="s1", label="a\x00b", message="\ud800")
    kept = Suggestions(text="t", suggestions=(Suggestion(id="s1", label="a\ufffdb", message="\ufffd"),))
    assert Replay([kept]).heard(Suggestions(text="t", suggestions=(reply,))) == []


def test_an_answer_begun_anew_leaves_nothing_of_this_attempt_to_come_back_to():
    before = [chunk("Recorded. ")]
    replay = Replay(before)
    restart = Rewind(message_id="m_1", reason="It broke off.")
    sent = [*replay.heard(chunk("Recorded. ")), *replay.heard(chunk("Half")), *replay.heard(restart)]
    assert sent == [chunk("Half"), restart]
    assert replay.before_speaking() == []
    assert replay.heard(chunk("Whole.")) == [chunk("Whole.")]
    assert replay.heard(message("Whole.")) == [message("Whole.")]


def test_a_restart_takes_back_what_an_earlier_attempt_had_shown_and_nothing_if_that_is_nothing():
    restart = Rewind(message_id="m_1", reason="It broke off.")
    replay = Replay([chunk("Half of it"), chunk("other", "m_2")])
    assert replay.heard(restart) == [restart]
    assert replay.heard(restart) == []
    assert replay.heard(chunk("other", "m_2")) == []


@pytest.mark.parametrize("seed", range(200))
def test_however_often_workers_die_and_models_begin_anew_a_reader_has_the_text_of_the_try_that_is_under_way(seed):
    chance = random.Random(seed)
    said: list = []
    for attempt in range(chance.randint(1, 5)):
        replay = Replay(said) if said else None
        said += replay.before_speaking() if replay else []
        text = ""
        for _ in range(chance.randint(0, 6)):
            if text and chance.random() < 0.25:
                event, text = Rewind(message_id="m_1", reason="It broke off."), ""
            else:
                event = chunk(chance.choice(["a", "b", "ab", "ba "]))
                text += event.content
            said += replay.heard(event) if replay else [event]
            assert shown(said) == text, attempt
    said += Replay(said).before_speaking()
    assert shown(said) == ""
