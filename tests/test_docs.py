"""What the docs show works as shown."""

import re
from pathlib import Path

from signalbox.agents.base import Answer, Turn, TurnContext, find_agents
from signalbox.blocks import ProfileFact
from signalbox.envelope import INTENTS
from signalbox.events import EVENT_TYPES
from signalbox.llm.offline import OfflineModel
from signalbox.memory.profile import Owner
from signalbox.settings import describe_settings

ROOT = Path(__file__).parents[1]


class Recorder:
    def __init__(self):
        self.events = []

    async def emit(self, event):
        self.events.append(event)


async def test_the_agent_of_the_guide_answers():
    source = re.search(r"```python\n(.*?)```", (ROOT / "docs/agents.md").read_text(), re.DOTALL)[1]
    namespace = {"__name__": "signalbox.agents.salary"}
    exec(compile(source, "salary.py", "exec"), namespace)
    agent = namespace["SalaryAgent"]()
    recorder = Recorder()
    ctx = TurnContext(
        owner=Owner("default", "u"), message_id="m", model=OfflineModel(delay_s=0), tools={}, emitter=recorder
    )
    minimum = ProfileFact(fact_id="f", kind="constraint", key="salary_min", value="40,000 GBP")
    answer = await agent.respond(Turn(message="?", message_id="q", intent="salary", profile=(minimum,)), ctx)
    assert isinstance(answer, Answer)
    assert answer.text == "Your minimum is 40,000 GBP."
    assert "".join(e.content for e in recorder.events if e.type == "chunk") == answer.text


def test_every_agent_answers_an_intent_and_says_when():
    agents = find_agents()
    assert set(agents) <= set(INTENTS)
    assert {"job_search", "skill_gap", "cold_email", "profile_update", "general"} <= set(agents)
    assert all(agent.when_to_use and agent.examples and agent.label for agent in agents.values())


def test_relative_links_of_the_docs_lead_somewhere():
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        for target in re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_settings_named_in_the_docs_exist():
    known = {name for name, _, _ in describe_settings()}
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        named = set(re.findall(r"SIGNALBOX_[A-Z_]+[A-Z]", page.read_text())) - {"SIGNALBOX_SHARED"}
        assert named <= known, f"{page.name}: {named - known}"


def test_the_readme_names_events_that_exist():
    streams = (ROOT / "README.md").read_text().split("streams `run_started`")[1].split("Drop it")[0]
    named = set(re.findall(r"`([a-z_]+)`", streams))
    assert named <= EVENT_TYPES
