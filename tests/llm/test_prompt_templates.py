"""Prompts are files with a version; the same file gives the same bytes, and a request tells which it was made from."""

import hashlib
import tomllib
from pathlib import Path

import pytest

from signalbox.agents.finding import find_agents
from signalbox.errors import ConfigurationError
from signalbox.graph.model_intent import classify_prompt
from signalbox.llm.prompts import Prompts, load, packaged_prompts, prompt_of
from signalbox.pinned import Pinned
from signalbox.runs.pins import bundle_of
from signalbox.tools.toolbox import find_tools


def test_every_template_names_its_version_and_purpose():
    assert {"persona", "classify", "letters"} <= set(packaged_prompts())
    for name, prompt in packaged_prompts().items():
        assert prompt.id == name
        assert prompt.version
        assert prompt.purpose
        assert prompt.text == prompt.text.strip()
        assert prompt.digest == hashlib.sha256(prompt.text.encode()).hexdigest()


def test_the_same_files_give_the_same_bytes(tmp_path):
    (tmp_path / "a.md").write_bytes(b"---\r\nversion: 3\r\npurpose: a test\r\n---\r\nBe short: {x}.\r\n")
    (tmp_path / "notes.txt").write_text("not a prompt")
    one, again = Prompts(tmp_path).load("a"), Prompts(tmp_path).load("a")
    assert one == again
    assert (one.version, one.purpose, one.text) == ("3", "a test", "Be short: {x}.")
    assert one.filled("x", "now").text == "Be short: now."
    assert one.filled("x", "now").version == "3"
    assert one.filled("x", "now").digest != one.digest
    assert one.ref.digest == one.digest


@pytest.mark.parametrize(
    "content", ["", "No front matter.", "---\nversion: 1\n---\ntext", "---\nversion: 1\npurpose: x\n---\n"]
)
def test_a_file_that_is_no_template_is_told_at_once(tmp_path, content):
    (tmp_path / "bad.md").write_text(content)
    with pytest.raises(ConfigurationError, match=r"bad\.md"):
        Prompts(tmp_path)
    with pytest.raises(ConfigurationError, match="no prompt 'nothing'"):
        load("nothing")


def test_instructions_in_an_agents_file_are_known_by_their_digest():
    prompt = prompt_of("agent:general", "Answer briefly.")
    assert prompt.version == prompt.digest[:8]
    assert len(prompt.digest) == 64


def test_a_run_in_flight_uses_the_text_it_began_with_and_says_so():
    old = Pinned({"persona": "The old rules."}, versions={"persona": "1"})
    used = load("persona").pinned(old)
    assert (used.text, used.version) == ("The old rules.", "1")
    assert used.digest == hashlib.sha256(b"The old rules.").hexdigest()
    unknown = load("persona").pinned(Pinned({"persona": "Older rules."}))
    assert unknown.version == unknown.digest[:8]
    assert load("persona").pinned(Pinned()) == load("persona")


def test_what_is_pinned_is_what_is_asked():
    agents = find_agents()
    bundle = bundle_of(agents, find_tools())
    assert bundle == bundle_of(agents, find_tools())
    assert bundle["prompts"]["persona"] == load("persona").text
    assert bundle["prompts"]["classify"] == classify_prompt(agents).text
    assert "{" not in bundle["prompts"]["classify"].split('{"intent"')[0], "nothing is left to be filled in"
    assert bundle["prompts"]["agent:general"] == agents["general"].instructions
    assert bundle["versions"].keys() == bundle["prompts"].keys()


def test_the_templates_are_in_the_wheel():
    root = Path(__file__).parents[2]
    wheel = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["packages"] == ["backend/signalbox"], "the whole folder, so its Markdown files as well"
    assert not wheel.get("exclude")
    assert not wheel.get("only-include")
