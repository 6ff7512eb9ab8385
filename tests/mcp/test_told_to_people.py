"""What people read of foreign tools: what a call risks by the operator's word, and that a name is not there."""

import pytest
from hosting import ANN, Said

from signalbox.tools.mcp.config import ServerConfig
from signalbox.tools.mcp.definitions import checked
from signalbox.tools.mcp.host import McpHost, _no_such
from signalbox.tools.mcp.remote_tool import RemoteTool
from signalbox.tools.result import Err


def tool(database, **effects):
    config = ServerConfig(command="true", effects=effects)
    definition = checked("ext", {"name": "write", "inputSchema": {"type": "object"}}, "true")
    return RemoteTool(definition, config, ANN, McpHost({"ext": config}, database), Said().emit)


@pytest.mark.parametrize(
    ("effects", "words"),
    [
        ({}, "What it does there is not known here and may not be taken back."),
        ({"other": "read"}, "is not known here"),
        ({"write": "idempotent"}, "a second time changes no more"),
        ({"wri*": "non_idempotent"}, "changes something there, each time anew"),
        ({"write": "irreversible"}, "cannot be taken back"),
    ],
)
def test_the_risk_of_a_call_is_what_the_operator_said_of_it(database, effects, words):
    risk = tool(database, **effects).risk
    assert risk.startswith("This asks the external server 'ext' to run 'write' with the arguments above. ")
    assert words in risk
    assert ("not known here" in risk) == ("write" not in effects and "wri*" not in effects)


def test_a_resource_that_is_not_there_is_not_called_an_argument():
    refused = Err("invalid_arguments", "the MCP server 'notes' refused the arguments: Unknown resource: x", False)
    told = _no_such(refused, "resource", "x", "notes")
    assert told.kind == "not_found"
    assert told.note == "the MCP server 'notes' has no resource 'x'; `signalbox mcp inspect notes` lists what it has"
    away = Err("connection", "it went away")
    assert _no_such(away, "resource", "x", "notes") is away
