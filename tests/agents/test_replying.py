"""What a model is told for a reply: the same beginning for everybody, then what is known, and the message last."""

import itertools
import random
from datetime import date

import pytest
from stage import Recorder, fact, perform

from signalbox.agents.base import TurnContext
from signalbox.agents.budget import Budget, RunBudget
from signalbox.agents.company_research import CompanyResearchAgent
from signalbox.agents.general import GeneralAgent
from signalbox.agents.replying import static_prompt
from signalbox.agents.telling import facts_told, told
from signalbox.agents.turn import Facts, Turn
from signalbox.errors import MessageTooLong, PromptTooLong
from signalbox.llm.base import Finish, ModelRequest, TextDelta, Usage
from signalbox.llm.prompts import load, prompt_of
from signalbox.llm.scripted import ScriptedModel
from signalbox.llm.tokens import PER_MESSAGE, PER_REQUEST, counting
from signalbox.memory.conversation import PastMessage
from signalbox.memory.profile import Owner
from signalbox.memory.summary import ConversationSummary, Noted
from signalbox.pinned import Pinned

STATIC = static_prompt((load("persona"), prompt_of("agent:general", GeneralAgent.instructions)))
NO_NIGHTS = "I will never work nights, whatever it pays"


class Found(Facts):
    topic: str = "jobs"
    jobs: tuple[dict[str, str], ...] = ()
    page: str = ""


def posting(number: int) -> dict[str, str]:
    return {"title": f"Engineer {number}", "description": f"We build product number {number} in place {number}. " * 12}


def turn_of(message: str = "Which one fits me?", **more) -> Turn:
    return Turn(message=message, message_id="m1", intent="general", today=date(2026, 3, 1), **more)


def asked(turn: Turn, facts: Facts | None = None, **sizes):
    return told(STATIC, turn, facts or Found(), Budget(**sizes), counting(1.0))


async def reply(model, turn: Turn, *, facts: Facts | None = None, agent=None, budget=None, pinned=None):
    heard = Recorder()
    ctx = TurnContext(
        owner=Owner("t", "u"),
        message_id="m_answer",
        model=model,
        tools={},
        emitter=heard,
        budget=budget or RunBudget(),
        pinned=pinned or Pinned(),
    )
    answer = await ctx.reply(agent or GeneralAgent(), turn, facts or Found(), "the draft")
    return answer, heard


def obedient(script=None) -> ScriptedModel:
    return ScriptedModel(script, instructable=True)


def test_parts_come_in_their_order_and_the_message_last():
    note = Noted(text="prefers small teams", sources=("m0",))
    turn = turn_of(
        history=(PastMessage(role="user", content="Hello"), PastMessage(role="assistant", content="Hi!")),
        profile=(fact("skill", "Python"),),
        summary=ConversationSummary(job_preferences=(note,)),
    )
    system, *rest = asked(turn, Found(page="a page")).messages
    assert system.content.startswith(STATIC)
    marks = [system.content.index(f"\n<{tag}>\n", len(STATIC)) for tag in ("profile", "summary", "facts")]
    assert marks == sorted(marks)
    assert '"fact skill: Python"' in system.content
    assert '"preference: prefers small teams"' in system.content
    assert [(message.role, message.content) for message in rest] == [
        ("user", "<message>\nHello\n</message>"),
        ("assistant", "Hi!"),
        ("user", "<message>\nWhich one fits me?\n</message>"),
    ]


def test_the_beginning_is_the_same_bytes_whoever_asks_whatever_whenever():
    turns = [
        turn_of(),
        turn_of("Another thing entirely", profile=(fact("name", "Ada"), fact("title", "Nurse"))),
        turn_of(history=(PastMessage(role="user", content="Hi"),), temporary=True),
        turn_of().model_copy(update={"today": date(2031, 1, 1)}),
    ]
    prompts = [
        asked(turn, Found(jobs=tuple(map(posting, range(n))))).messages[0].content for n, turn in enumerate(turns)
    ]
    assert all(prompt.startswith(f"{STATIC}\n\n<") for prompt in prompts)
    assert len(set(prompts)) == len(prompts)
    other = static_prompt((load("persona"), prompt_of("agent:x", CompanyResearchAgent.instructions)))
    shared = "".join(a for a, b in itertools.takewhile(lambda two: two[0] == two[1], zip(STATIC, other, strict=False)))
    assert shared.startswith(load("persona").text), "all agents have the persona and its rules in common"


def test_the_same_input_gives_the_same_bytes():
    turn = turn_of(
        profile=(fact("skill", "Go"), fact("skill", "Rust")), history=(PastMessage(role="user", content="x"),)
    )
    facts = Found(jobs=tuple(map(posting, range(30))))
    assert asked(turn, facts) == asked(turn.model_copy(deep=True), facts.model_copy(deep=True))


def test_sixty_turns_stay_inside_the_budget_with_one_beginning_and_every_hard_constraint():
    history: list[PastMessage] = []
    constraint = Noted(text=NO_NIGHTS, sources=("m1",))
    for number in range(60):
        notes = tuple(Noted(text=f"decided thing {n} of many", sources=(f"m{n}",)) for n in range(number))
        turn = turn_of(
            f"Question {number}: what about this one? " * 5,
            history=tuple(history),
            summary=ConversationSummary(hard_constraints=(constraint,), decisions=notes),
            profile=(
                fact("work_time", "no nights", "constraint"),
                *(fact("skill", f"Skill {n}") for n in range(number)),
            ),
        )
        fitted = asked(
            turn, Found(jobs=tuple(map(posting, range(number % 12)))), prompt=3_000, answer=700, contact_data=True
        )
        count = counting(1.0)
        assert sum(count(message.content) for message in fitted.messages) <= 3_000
        assert fitted.fitted.input + fitted.fitted.output <= fitted.fitted.window <= 3_700
        assert fitted.messages[0].content.startswith(f"{STATIC}\n\n<")
        assert NO_NIGHTS in fitted.messages[0].content
        assert "constraint work_time: no nights" in fitted.messages[0].content
        assert [message.role for message in fitted.messages[1:2]] == ["user"]
        history += [
            PastMessage(role="user", content=turn.message),
            PastMessage(role="assistant", content=f"Answer {number}. " * 40, agent="general"),
        ]
    dropped = {(gone.part, gone.why) for gone in fitted.fitted.dropped}
    assert ("history", "room") in dropped


def test_postings_are_left_out_from_the_end_and_the_model_is_told():
    facts = Found(jobs=tuple(map(posting, range(40))))
    result = asked(turn_of(), facts, prompt=3_000)
    system = result.messages[0].content
    assert "Engineer 0" in system
    assert "Engineer 39" not in system
    assert '"topic": "jobs"' in system
    left_out = len({gone.what for gone in result.fitted.dropped if gone.part == "facts"})
    assert 0 < left_out < 40
    assert f'"jobs": "{left_out} of 40"' in system
    assert result.fitted.about()["dropped"][0]["what"][-1].startswith("jobs[")


def test_a_long_text_is_told_from_its_beginning_with_its_end_marked():
    page = " ".join(f"Sentence number {n} tells of the company." for n in range(2_000))
    system = asked(turn_of(), Found(page=page), prompt=2_000).messages[0].content
    assert "Sentence number 0 tells" in system
    assert '[...]"' in system
    assert '"page": "in part"' in system


def test_a_message_that_is_too_long_is_shortened_for_all_to_see():
    result = asked(turn_of("字" * 16_000))
    assert "characters of this message were left out here" in result.messages[-1].content
    assert result.fitted.shortened is not None
    assert result.fitted.input + result.fitted.output <= 7_024


async def test_the_user_is_told_when_a_message_is_shortened():
    model = obedient()
    _, heard = await reply(model, turn_of("字" * 16_000))
    (thinking,) = [event for event in heard.events if event.type == "thinking"]
    kept = model.requests[0].about["shortened"]["kept"]
    assert thinking.label == f"This is long: the model is told {kept:,} of its 16,000 characters, from both ends"


async def test_a_window_that_not_even_the_rules_fit_into_is_an_error_that_says_what_to_do():
    with pytest.raises(PromptTooLong, match="SIGNALBOX_PROMPT_TOKENS"):
        await reply(obedient(), turn_of(), budget=RunBudget(Budget(window=600)))


async def test_a_request_tells_what_it_was_made_from_and_how_it_was_fitted():
    model = obedient()
    await reply(model, turn_of())
    request: ModelRequest = model.requests[0]
    assert [(ref.id, ref.version) for ref in request.prompts] == [
        ("persona", load("persona").version),
        ("agent:general", prompt_of("x", GeneralAgent.instructions).version),
    ]
    assert (request.task, request.agent, request.max_tokens) == ("answer", "general", 1_024)
    assert set(request.about) == {"window", "output", "tokens"}
    assert request.about["tokens"].keys() == {"system", "facts", "message"}
    assert request.messages[0].content.startswith(request.prompts and load("persona").text)


async def test_a_run_keeps_the_texts_it_began_with():
    model = obedient()
    pinned = Pinned({"persona": "Old rules.", "agent:general": "Old instructions."}, versions={"persona": "1"})
    await reply(model, turn_of(), pinned=pinned)
    request = model.requests[0]
    assert request.messages[0].content.startswith("Old rules.\n\nOld instructions.\n\n<facts>")
    assert [(ref.id, ref.version) for ref in request.prompts] == [
        ("persona", "1"),
        ("agent:general", prompt_of("x", "Old instructions.").version),
    ]
    assert request.prompts[0].digest == prompt_of("x", "Old rules.").digest


async def test_contact_data_is_kept_from_the_model_unless_it_is_asked_for():
    turn = turn_of(
        "Write to me at ada@example.com or +44 20 7946 0958",
        history=(PastMessage(role="user", content="I am ada@example.com"),),
        profile=(fact("note", "mail: ada@example.com"),),
        summary=ConversationSummary(decisions=(Noted(text="answers go to ada@example.com", sources=("m",)),)),
    )
    facts = Found(page="Contact ada@example.com", jobs=({"apply": "ada@example.com"},))
    assert "ada@example.com" not in str(asked(turn, facts).messages)
    assert "7946" not in str(asked(turn, facts).messages)
    open_ = str(asked(turn, facts, contact_data=True).messages)
    assert open_.count("ada@example.com") == 6


async def test_an_agents_own_smaller_limit_holds():
    class Brief(GeneralAgent):
        answer_tokens = 90

    model = obedient()
    await reply(model, turn_of(), agent=Brief())
    assert model.requests[0].max_tokens == 90


async def test_a_model_that_reads_no_prompt_is_asked_the_bare_message():
    model = ScriptedModel()
    answer, _ = await reply(model, turn_of("/ticks 2"), budget=RunBudget(Budget(window=500)))
    assert model.requests[0].messages[-1].content == "/ticks 2"
    assert answer.text.startswith("@000000@")
    assert not model.requests[0].about


async def test_what_the_provider_reports_corrects_the_next_runs_estimate():
    class Reporting(ScriptedModel):
        async def stream(self, request):
            yield TextDelta("Well.")
            yield Usage("reporting", 1_500, 900, 3, estimated=False)
            yield Finish("stop")

    budget = RunBudget(model="reporting")
    _, heard = await reply(Reporting(instructable=True), turn_of(), budget=budget)
    assert heard.one("usage").cached_tokens == 900
    assert budget.ratios.of("reporting") > 1.0


class Ending:
    """Says ``words``, ends for ``reason`` and is told what was made of it."""

    name, instructable = "ending", True

    def __init__(self, *words, reason="stop"):
        self.words, self.reason, self.kept = words, reason, []

    async def stream(self, request):
        for word in self.words:
            yield TextDelta(word)
        yield Finish(self.reason)

    def judged(self, request, *, kept):
        self.kept.append(kept)


@pytest.mark.parametrize("reason", ["stop", "length", "content_filter", "tool_calls", "other"])
@pytest.mark.parametrize("words", [(), (" \n",)])
async def test_a_model_that_says_nothing_leaves_the_draft(reason, words):
    model = Ending(*words, reason=reason)
    answer, heard = await reply(model, turn_of())
    assert answer.text.strip() == heard.one("message").content.strip() == "the draft"
    assert "".join(event.content for event in heard.events if event.type == "chunk") == answer.text
    assert model.kept == [False]


async def test_a_reader_is_told_why_an_answer_stops_in_the_middle():
    for reason, told_of in (("length", "length limit"), ("content_filter", "filter objects")):
        model = Ending("Half of", reason=reason)
        answer, _ = await reply(model, turn_of())
        assert answer.text.startswith("Half of\n\n*(The ")
        assert told_of in answer.text
        assert model.kept == [True]
    assert (await reply(Ending("All."), turn_of()))[0].text == "All."


KINDS = ("word ", "a@b.co ", "+44 20 7946 0958 ", "\u5b57", "\n\n", "<", '"', "\\", "x" * 30, "\U0001f600")


def _mixed(chance, words):
    weights = [chance.random() ** 3 for _ in KINDS]
    return "".join(chance.choices(KINDS, weights)[0] for _ in range(words))


@pytest.mark.parametrize("seed", range(60))
def test_whatever_is_told_stays_inside_the_window_once_it_is_put_together(seed):
    chance = random.Random(seed)
    count = counting(chance.choice([0.6, 1.0, 2.0]))
    budget = Budget(
        window=chance.choice([1_024, 2_048, 8_192]),
        prompt=chance.choice([500, 1_000, 3_000]),
        answer=chance.choice([64, 500, 1_024]),
        contact_data=chance.random() < 0.3,
    )
    history = tuple(
        PastMessage(role=("user", "assistant")[n % 2], content=_mixed(chance, chance.randint(1, 60)))
        for n in range(chance.randint(0, 12))
    )
    notes = tuple(
        Noted(text=_mixed(chance, chance.randint(1, 20)), sources=("m",)) for _ in range(chance.randint(0, 8))
    )
    turn = turn_of(
        _mixed(chance, chance.choice([3, 30, 300])), history=history, summary=ConversationSummary(decisions=notes)
    )
    facts = Found(
        jobs=tuple({"t": _mixed(chance, 20), "d": _mixed(chance, 60)} for _ in range(chance.randint(0, 25))),
        page=_mixed(chance, chance.choice([0, 10, 1_000])),
    )
    static = "Rules. " * 60
    fits = budget.room - budget.output
    for tell in (
        lambda: told(static, turn, facts, budget, count),
        lambda: facts_told(static, "Write it.", facts, budget, budget.output, count),
    ):
        try:
            messages = tell().messages
        except (MessageTooLong, PromptTooLong):
            continue
        assert PER_REQUEST + sum(PER_MESSAGE + count(message.content) for message in messages) <= fits


async def test_agents_prompts_are_the_same_in_every_process():
    model = obedient()
    await perform(GeneralAgent(), "What can you do?", model=model)
    await perform(GeneralAgent(), "What can you do?", model=model)
    assert model.requests[0].messages == model.requests[1].messages
