"""What a tool takes that stands in an agent's own file is known to whoever edits its arguments."""

from typing import ClassVar

import pytest
from pydantic import ValidationError, field_validator

from signalbox.agents.finding import find_agents
from signalbox.agents.tools_own import own_readers
from signalbox.tools.base import Arguments
from signalbox.tools.result import Ok, Result

FILE = """
from typing import ClassVar

from pydantic import Field

from signalbox.tools.base import Arguments
from signalbox.tools.result import Ok, Result


class Tea(Arguments):
    kind: str
    cups: int = Field(1, ge=1, le=9)


class BrewTea:
    name, effect, timeout_s = "{tool}", "irreversible", 5.0

    async def run(self, arguments: {takes}) -> Result[str]:
        return Ok(arguments.kind)


class Unsaid:
    name, effect, timeout_s = "unsaid", "irreversible", 5.0

    async def run(self, arguments):
        return Ok(1)


class NoTool:
    name = "no_tool"

    def run(self, arguments: Tea) -> None: ...


class Waiter:
    name = "{agent}"
    label = "Tea"
    when_to_use = "The user wants tea."
    examples = ("tea please", "a cup of tea", "brew some tea")
    instructions = "Say what was brewed."

    async def respond(self, turn, ctx):
        return await ctx.call(BrewTea(), Tea(kind="mint"))
"""


def agents(tmp_path, *files):
    for name, tool, takes in files:
        text = FILE.replace("{tool}", tool).replace("{takes}", takes).replace("{agent}", name)
        (tmp_path / f"{name}.py").write_text(text)
    return [agent for name, agent in find_agents(tmp_path).items() if name in {file[0] for file in files}]


def test_a_tool_of_an_agents_file_is_found_with_what_it_takes(tmp_path):
    readers = own_readers(agents(tmp_path, ("waiter", "brew_tea", "Tea")))
    assert set(readers) == {"brew_tea"}, "what says nowhere what it takes, and what is no tool, is left out"
    assert readers["brew_tea"]({"kind": "black", "cups": 3}).cups == 3
    for wrong in ({"kind": "black", "cups": 10}, {"kind": 7}, {"kind": "black", "milk": True}):
        with pytest.raises(ValidationError):
            readers["brew_tea"](wrong)


@pytest.mark.parametrize("takes", ["'typing.Missing'", "'Missing'", "'ClassVar.Missing'", "7"])
def test_an_annotation_that_names_nothing_is_left_out_like_none(tmp_path, takes):
    assert own_readers(agents(tmp_path, ("waiter", "brew_tea", takes))) == {}


def test_a_file_may_leave_its_annotations_unread(tmp_path):
    text = FILE.replace("{tool}", "brew_tea").replace("{takes}", "Tea").replace("{agent}", "waiter")
    later = "@dataclass\nclass Pot:\n    held: Tea\n\n\nclass BrewTea:"
    text = text.replace("class BrewTea:", later)
    (tmp_path / "later.py").write_text(f"from __future__ import annotations\nfrom dataclasses import dataclass\n{text}")
    readers = own_readers([find_agents(tmp_path)["waiter"]])
    assert readers["brew_tea"]({"kind": "black"}).kind == "black"


def test_a_name_of_two_tools_that_take_different_things_is_nobodys(tmp_path):
    both = agents(tmp_path, ("waiter", "brew_tea", "Tea"), ("butler", "brew_tea", "Tea"))
    assert own_readers(both) == {}


def test_a_tool_that_two_agents_import_is_one():
    assert set(own_readers([Halver(), Halver()])) == {"halve"}


class Two(Arguments):
    even: int

    @field_validator("even")
    @classmethod
    def _is_even(cls, value: int) -> int:
        if value % 2:
            raise ValueError("it is odd")
        return value


class Halve:
    name: ClassVar[str] = "halve"
    effect: ClassVar[str] = "irreversible"
    timeout_s: ClassVar[float] = 1.0

    async def run(self, arguments: Two) -> Result[int]:
        return Ok(arguments.even // 2)


class Halver:
    async def respond(self, turn, ctx):
        return await ctx.call(Halve(), Two(even=2))


def test_what_the_tool_itself_refuses_is_refused():
    read = own_readers([Halver()])["halve"]
    assert read({"even": 4}) == Two(even=4)
    with pytest.raises(ValidationError, match="it is odd"):
        read({"even": 3})
