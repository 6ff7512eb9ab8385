"""A text that cannot be used is asked for once more, of the strong model; then the template stands."""

from dataclasses import dataclass, field

from stage import Recorder

from signalbox.agents.base import TurnContext
from signalbox.agents.finding import find_agents
from signalbox.agents.letters.wording import worded
from signalbox.agents.turn import Facts
from signalbox.errors import ProviderUnavailable
from signalbox.llm.base import Finish, ModelRequest, TextDelta, Usage
from signalbox.memory.profile import Owner
from signalbox.pinned import Pinned
from signalbox.runs.pins import bundle_of
from signalbox.tools.toolbox import find_tools

TEMPLATE = "I know SQL."


class Known(Facts):
    skills: tuple[str, ...] = ("SQL",)


@dataclass
class Writer:
    """Says one text after the other, and is told which were kept."""

    texts: list[str | Exception]
    finish: str = "stop"
    name: str = "writer"
    instructable: bool = True
    requests: list[ModelRequest] = field(default_factory=list)
    kept: list[bool] = field(default_factory=list)

    async def stream(self, request):
        self.requests.append(request)
        said = self.texts[len(self.requests) - 1]
        if isinstance(said, Exception):
            raise said
        yield TextDelta(said)
        yield Usage(self.name, 200, 0, 5, estimated=False)
        yield Finish(self.finish)

    def judged(self, request, *, kept):
        self.kept.append(kept)

    async def close(self):
        """Holds nothing."""


async def write(writer: Writer, most_words: int | None = 12) -> tuple[str, Recorder]:
    heard = Recorder()
    ctx = TurnContext(owner=Owner("t", "u"), message_id="m", model=writer, tools={}, emitter=heard)
    return await worded(ctx, "letter", Known(), TEMPLATE, most_words=most_words, agent="cover_letter"), heard


async def test_a_good_text_is_asked_for_once():
    writer = Writer(["I work with SQL every day."])
    assert (await write(writer))[0] == "I work with SQL every day."
    (request,) = writer.requests
    assert (request.task, request.tier, request.agent, writer.kept) == ("write", None, "cover_letter", [True])
    assert [ref.id for ref in request.prompts] == ["letters", "letter"]
    assert request.max_tokens == 12 * 2 + 120
    assert request.about["tokens"].keys() == {"system", "facts", "message"}


async def test_a_text_of_a_server_that_gives_no_reason_to_finish_is_used():
    writer = Writer(["I know SQL well."], finish="other")
    assert (await write(writer))[0] == "I know SQL well."
    assert (len(writer.requests), writer.kept) == (1, [True])


async def test_what_was_not_finished_is_not_used():
    for finish in ("length", "content_filter", "tool_calls"):
        assert (await write(Writer(["I know SQL", "I know SQL"], finish=finish)))[0] == TEMPLATE


async def test_a_run_keeps_all_the_instructions_it_began_with():
    writer = Writer(["I know SQL well."])
    pinned = Pinned({"letters": "Old rules.", "letter": "Old instructions."})
    ctx = TurnContext(owner=Owner("t", "u"), message_id="m", model=writer, tools={}, emitter=Recorder(), pinned=pinned)
    await worded(ctx, "letter", Known(), TEMPLATE)
    assert writer.requests[0].messages[0].content.startswith("Old rules.\n\nOld instructions.\n\n<facts>")
    assert {"letter", "letter_mended", "first_message"} <= bundle_of(find_agents(), find_tools())["prompts"].keys()


async def test_a_claim_that_no_fact_holds_goes_to_the_strong_model():
    writer = Writer(["I know SQL and Kubernetes.", "I know SQL well."])
    text, heard = await write(writer)
    assert text == "I know SQL well."
    assert [request.tier for request in writer.requests] == [None, "strong"]
    assert writer.requests[1].about["again"] == "claims what no fact holds"
    assert writer.requests[0].messages == writer.requests[1].messages
    assert writer.kept == [False, True]
    assert len([event for event in heard.events if event.type == "usage"]) == 2, "both cost something"


async def test_two_texts_that_cannot_be_used_leave_the_template():
    for texts in (["I know Rust.", "I know Go."], ["SQL " * 40, "SQL " * 40], ["", ""]):
        writer = Writer(list(texts))
        assert (await write(writer))[0] == TEMPLATE
        assert len(writer.requests) == 2
        assert writer.kept == [False, False]
    cut = Writer(["I know", "I know"], finish="length")
    assert (await write(cut))[0] == TEMPLATE
    assert cut.requests[1].about["again"] == "cut short"


async def test_a_provider_that_fails_leaves_the_template_and_is_not_asked_again():
    writer = Writer([ProviderUnavailable()])
    assert (await write(writer))[0] == TEMPLATE
    assert len(writer.requests) == 1
