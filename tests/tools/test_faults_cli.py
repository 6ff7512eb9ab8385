"""``signalbox faults``."""

import json

import pytest
from typer.testing import CliRunner

from signalbox.cli import app
from signalbox.errors import ConfigurationError
from signalbox.tools.faults import KINDS
from signalbox.tools.toolbox import find_tools


def ran(*arguments, **env):
    return CliRunner().invoke(app, ["faults", *arguments], env=env)


def test_the_list_names_every_kind_and_tool():
    told = json.loads(ran("list", "--json").output)
    assert set(told["kinds"]) == set(KINDS)
    assert set(told["tools"]) == {kind.name for kind in find_tools()}
    assert all(kind in ran("list").output for kind in KINDS)


def test_a_specification_is_explained_and_a_wrong_one_refused():
    told = ran("check", "search_jobs=timeout:0.5,*=latency:200ms").output
    assert "50% of calls" in told
    assert "200 ms later" in told
    refused = ran("check", "serch_jobs=timeout")
    assert isinstance(refused.exception, ConfigurationError)
    assert "there is no tool 'serch_jobs'" in refused.exception.public


@pytest.mark.parametrize(("spec", "faults"), [("", []), ("*=429:0.25", ["*=rate_limit:0.25"])])
def test_what_is_active_is_what_the_settings_say(spec, faults):
    told = json.loads(ran("active", "--json", SIGNALBOX_FAULTS=spec, SIGNALBOX_FAULTS_SEED="7").output)
    assert told == {"faults": faults, "seed": 7}
    assert ("No fault is injected" in ran("active", SIGNALBOX_FAULTS=spec).output) is (not faults)


def test_a_boards_tool_can_be_named_where_the_board_is_configured():
    told = ran("active", "--json", SIGNALBOX_FAULTS="board_remotive=500@inside", SIGNALBOX_JOB_BOARDS="remotive")
    assert json.loads(told.output)["faults"] == ["board_remotive=server_error@inside"]
