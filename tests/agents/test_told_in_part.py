"""No part is told as the whole, and no failed look as an absence: by any agent, also one that did not think of it."""

from typing import ClassVar

import pytest
from stage import Canned, fact, hit, hits, perform, searched

from signalbox.agents.followup import FollowupAgent
from signalbox.agents.general import GeneralAgent
from signalbox.agents.job_match import JobMatchAgent
from signalbox.agents.job_search import JobSearchAgent
from signalbox.agents.turn import Facts
from signalbox.llm.scripted import ScriptedModel
from signalbox.tools.base import Arguments
from signalbox.tools.result import Empty, Err, Missed, Ok
from tools.made_results import made_results

MEANING = Missed("the search by meaning", "unavailable", "no vector came")
LATE = Missed("the second register", "timeout")
NOTHING_WORDS = ("no posting", "found none", "nothing", "no jobs", "none")


class Question(Arguments):
    text: str = ""


class Told(Facts):
    answer: str


class Forgetful:
    """Asks one tool and words what it found without a look at how it went."""

    name: ClassVar[str] = "general"
    label: ClassVar[str] = "Ask"
    when_to_use: ClassVar[str] = "Never."
    examples: ClassVar[tuple[str, ...]] = ()
    instructions: ClassVar[str] = "Answer."

    def __init__(self, *tools):
        self.tools = tools

    async def respond(self, turn, ctx):
        for tool in self.tools:
            await ctx.call(tool, Question())
        return await ctx.reply(self, turn, Told(answer="Two rows."), "Here are two rows.")


async def told_by_forgetful(*results, model=None):
    tools = [Canned(f"register_{number}", result) for number, result in enumerate(results)]
    answer, recorder = await perform(Forgetful(*tools), "?", tools, model=model)
    return answer.text, recorder


async def test_what_could_not_be_asked_is_said_though_the_agent_did_not_think_of_it():
    text, recorder = await told_by_forgetful(Ok((1, 2), missed=(LATE,)), Ok((3,), missed=(LATE,)))
    assert text == (
        "Here are two rows.\n\nThis is not all there may be: could not ask the second register (it did not answer in "
        "time)."
    )
    told = [event for event in recorder.events if event.type == "tool_result"]
    assert [event.missed for event in told] == [("the second register (it did not answer in time)",)] * 2
    assert {event.status for event in told} == {"ok"}


async def test_a_cut_list_is_said_to_be_one():
    text, recorder = await told_by_forgetful(Ok((1, 2), truncated=True, total=2_260))
    assert text.endswith("This is not all there may be: register 0: only 2 of 2,260.")
    told = recorder.one("tool_result")
    assert (told.truncated, told.total, told.note) == (True, 2_260, "2 of 2,260")


async def test_what_is_whole_is_told_as_it_is():
    text, _ = await told_by_forgetful(Ok((1, 2), total=2), Ok("x"))
    assert text == "Here are two rows."


@pytest.mark.parametrize(
    ("result", "line", "conclusion"),
    [
        (Err("timeout", "late"), "COULD NOT LOOK (timeout: late)", "Whether anything exists is unknown"),
        (Err("not_found", "no such board"), "COULD NOT LOOK (wrong_address: ", "Whether anything exists is unknown"),
        (Empty("no row"), "NOTHING FOUND (no row)", "You may say that nothing was found"),
        (Ok((1,), missed=(LATE,)), "FOUND IN PART; could not ask the second register", "There may be more"),
        (Ok((1,), truncated=True, total=9), "FOUND, 1 of 9", "as if they were all"),
    ],
)
async def test_a_model_reads_how_each_look_went_and_what_may_be_concluded(result, line, conclusion):
    model = ScriptedModel()
    await told_by_forgetful(result, Ok(7), model=model)
    prompt = "\n".join(str(message.content) for message in model.requests[-1].messages)
    assert f"register_0: {line}" in prompt
    assert conclusion.casefold() in prompt.casefold()
    assert "register_1: FOUND" in prompt


async def test_a_model_reads_nothing_of_it_where_all_was_found():
    model = ScriptedModel()
    await told_by_forgetful(Ok(7), model=model)
    prompt = "\n".join(str(message.content) for message in model.requests[-1].messages)
    assert "look_ups" not in prompt
    assert "Two rows." in prompt


async def test_half_a_search_is_told_once_in_the_text_and_in_its_source():
    found = hits(hit(1), hit(2))
    answer, recorder = await perform(
        JobSearchAgent(), "python jobs", [Canned("search_jobs", Ok(found, missed=(MEANING,)))]
    )
    assert answer.text.count("the search by meaning") == 1
    assert "postings may be missing" in answer.text
    source = recorder.one("jobs_data").sources[0]
    assert (source.status, source.partial) == ("ok", True)


async def test_a_part_of_the_catalogue_without_a_hit_is_no_absence():
    failed = Empty("no posting meets all of it", (MEANING,))
    answer, recorder = await perform(JobSearchAgent(), "python jobs", [Canned("search_jobs", failed)])
    assert "could not look" in answer.text
    assert not [word for word in NOTHING_WORDS if word in answer.text.casefold().replace("says nothing about", "")]
    source = recorder.one("jobs_data").sources[0]
    assert source.status == "error"
    told = next(event for event in recorder.events if event.type == "tool_result")
    assert (told.status, told.kind, len(told.missed)) == ("error", "incomplete", 1)


async def test_a_tracker_that_was_read_in_part_is_not_told_as_the_whole():
    tracked = made_results()["read_applications"][0].value
    tools = [Canned("read_applications", Ok(tracked, truncated=True, total=2_260))]
    answer, _ = await perform(FollowupAgent(), "show my applications", tools)
    assert "2 of 2,260" in answer.text


async def test_a_posting_that_was_not_read_is_not_called_gone():
    tools = [Canned("find_jobs", Ok((hit(1),), missed=(LATE,)))]
    answer, _ = await perform(
        JobMatchAgent(), "Compare the first two", tools, history=searched("data jobs"), profile=[fact("skill", "SQL")]
    )
    assert "no longer" not in answer.text
    assert "gone" not in answer.text


async def test_a_guide_that_may_stand_where_nobody_looked_is_not_called_missing():
    library = made_results()["search_knowledge"][0].value
    tools = [Canned("search_knowledge", Ok(library, missed=(MEANING,)))]
    answer, _ = await perform(GeneralAgent(), "How do I prepare for a zookeeper assessment centre at work?", tools)
    lowered = answer.text.casefold()
    assert "could not" in lowered
    assert "nothing on that" not in lowered
