"""What the docs show works as shown."""

import re
from pathlib import Path

import pytest

from signalbox.agents.base import TurnContext
from signalbox.agents.finding import find_agents
from signalbox.agents.turn import Answer, Turn
from signalbox.blocks import ProfileFact
from signalbox.envelope import INTENTS
from signalbox.errors import ConfigurationError
from signalbox.events import EVENT_TYPES
from signalbox.graph.intent import CONFIDENT, Classification
from signalbox.graph.own_intents import OwnIntents
from signalbox.llm.offline import OfflineModel
from signalbox.memory.profile import Owner
from signalbox.settings import describe_settings

ROOT = Path(__file__).parents[1]


class Recorder:
    def __init__(self):
        self.events = []

    async def emit(self, event):
        self.events.append(event)


class Always:
    def __init__(self, intent, confidence):
        self._verdict = Classification(intent, confidence, "model", "always", ())

    async def of(self, text, recent):
        assert set(recent) <= set(INTENTS), "the classifier below knows no others"
        return self._verdict


def guide_agent(folder):
    source = re.search(r"```python\n(.*?)```", (ROOT / "docs/agents.md").read_text(), re.DOTALL)[1]
    (folder / "relocation.py").write_text(source)
    return find_agents(folder)


async def test_the_agent_of_the_guide_answers(tmp_path):
    agent = guide_agent(tmp_path)["relocation"]
    recorder = Recorder()
    ctx = TurnContext(
        owner=Owner("default", "u"), message_id="m", model=OfflineModel(delay_s=0), tools={}, emitter=recorder
    )
    lives = ProfileFact(fact_id="f", kind="fact", key="location", value="Leeds")
    answer = await agent.respond(Turn(message="?", message_id="q", intent="relocation", profile=(lives,)), ctx)
    assert isinstance(answer, Answer)
    assert "You live in Leeds." in answer.text
    assert "".join(e.content for e in recorder.events if e.type == "chunk") == answer.text


async def test_the_agent_of_the_guide_gets_its_messages_and_no_others(tmp_path, embedder):
    agents = guide_agent(tmp_path)
    classifier = await OwnIntents.over(Always("general", 0.9), embedder, agents)
    for mine in (
        "do I need a work permit for Norway?",
        "who covers moving costs to Spain",
        "visa for a job in Canada?",
    ):
        verdict = await classifier.of(mine, ("relocation", "job_search"))
        assert verdict.intent == "relocation", (mine, verdict)
        assert verdict.confidence >= CONFIDENT, (mine, verdict)
    for other in ("find me nursing jobs in Leeds", "hello", "what is the weather like?", "review my CV", "?", ""):
        assert (await classifier.of(other, ())).intent == "general", other
    torn = await OwnIntents.over(Always("job_search", 0.99), embedder, agents)
    verdict = await torn.of("jobs in Canada with a work visa", ())
    assert verdict.confidence < CONFIDENT, "half the one, half the other: the user is asked"
    assert {verdict.intent, verdict.alternatives[0][0]} == {"job_search", "relocation"}
    assert await OwnIntents.over(torn, embedder, find_agents()) is torn, "built-in agents cost nothing"


def test_an_agent_that_cannot_be_used_is_named_at_the_start(tmp_path):
    attributes = "name = 'a'; label = when_to_use = instructions = 'x'; examples = ()"
    whole = f"class A:\n    {attributes}\n    async def respond(self, turn, ctx): ...\n"
    for source, words in (
        ("import nothing_of_that_name", "cannot be loaded"),
        ("1 / 0", "ZeroDivisionError"),
        ("import sys; sys.exit(3)", "SystemExit"),
        (whole.replace("'a'", "'No Name'"), "no name for an agent"),
        (whole + "class B(A): ...", "Two agents"),
        (whole.replace("label", "lable"), "needs 'label', a text"),
        (whole.replace("()", "'one'"), "needs 'examples', a tuple"),
        (whole.replace("async ", ""), "needs 'async def respond"),
        (whole + "    def __init__(self, db): ...\n", "without arguments"),
    ):
        (tmp_path / "mine.py").write_text(source)
        with pytest.raises(ConfigurationError, match=words):
            find_agents(tmp_path)
    with pytest.raises(ConfigurationError, match="no folder"):
        find_agents(tmp_path / "nowhere")


def test_every_agent_answers_an_intent_and_says_when():
    agents = find_agents()
    assert set(agents) <= set(INTENTS)
    assert all(agent.when_to_use and agent.examples and agent.label for agent in agents.values())


def test_relative_links_of_the_docs_lead_somewhere():
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        for target in re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_settings_named_in_the_docs_exist():
    # The tests, the page's own development server and clients of a server have some of their own.
    known = {name for name, _, _ in describe_settings()}
    known |= {"SIGNALBOX_SHARED", "SIGNALBOX_CHROMIUM", "SIGNALBOX_URL", "SIGNALBOX_CHAT_KEY"}
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        named = set(re.findall(r"SIGNALBOX_[A-Z_]+[A-Z]", page.read_text()))
        assert named <= known, f"{page.name}: {named - known}"


def test_the_readme_names_events_that_exist():
    streams = (ROOT / "README.md").read_text().split("streams `run_started`")[1].split("Drop it")[0]
    named = set(re.findall(r"`([a-z_]+)`", streams))
    assert named <= EVENT_TYPES
