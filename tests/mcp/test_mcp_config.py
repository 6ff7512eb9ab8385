"""The file of servers: the usual shape, our fields, and every fault named with its place and no secret."""

import json

import pytest

from signalbox.errors import ConfigurationError
from signalbox.tools.mcp.config import load_mcp_config


@pytest.fixture
def load(tmp_path):
    def loaded(servers, **beside):
        path = tmp_path / "mcp.json"
        text = servers if isinstance(servers, str) else json.dumps({"mcpServers": servers, **beside})
        path.write_text(text)
        return load_mcp_config(path)

    return loaded


def test_without_a_file_there_are_no_servers():
    assert load_mcp_config(None) == {}


def test_the_usual_shape_is_taken_as_other_clients_write_it(load):
    servers = load(
        {
            "time": {"command": "uvx", "args": ["mcp-server-time"], "env": {"TZ": "UTC"}},
            "web": {"type": "http", "url": "https://example.org/mcp", "headers": {"X-Key": "k"}},
        }
    )
    assert servers["time"].args == ("mcp-server-time",)
    assert servers["web"].headers["x-key"].get_secret_value() == "k"


def test_a_tool_nobody_classified_is_irreversible_and_an_exact_name_wins(load):
    server = load({"s": {"command": "c", "effects": {"get_*": "read", "get_and_delete": "irreversible"}}})["s"]
    assert [server.effect(name) for name in ("get_time", "get_and_delete", "other")] == [
        "read",
        "irreversible",
        "irreversible",
    ]


@pytest.mark.parametrize("wish", ["personal", "always", "never"])
def test_when_look_ups_are_asked_about_is_said_for_each_server(load, wish):
    servers = load({"a": {"command": "c", "ask_after_untrusted": wish}, "b": {"command": "c"}})
    assert (servers["a"].ask_after_untrusted, servers["b"].ask_after_untrusted) == (wish, "personal")


@pytest.mark.parametrize("wish", [True, False, "sometimes", None, ""])
def test_another_wish_is_refused_with_those_there_are(load, wish):
    with pytest.raises(
        ConfigurationError, match=r"mcpServers\.a\.ask_after_untrusted: .*'never', 'personal' or 'always'"
    ):
        load({"a": {"command": "c", "ask_after_untrusted": wish}})


def test_secrets_come_from_the_environment_and_are_never_shown(load, monkeypatch):
    monkeypatch.setenv("TOKEN_OF_ANN", "hush-hush")
    header = {"Authorization": "Bearer ${TOKEN_OF_ANN}", "X-Mode": "${NOT_SET_AT_ALL:-plain}"}
    server = load({"s": {"url": "https://example.org/mcp", "users": {"ann": {"headers": header}}}})["s"]
    assert server.headers_for(server.users["ann"]) == {"authorization": "Bearer hush-hush", "x-mode": "plain"}
    assert "hush" not in repr(server)


def test_a_users_header_takes_the_place_of_the_servers_however_it_is_spelled(load):
    own = {"ann": {"headers": {"authorization": "of-ann"}}}
    server = load({"s": {"url": "https://e.org", "headers": {"Authorization": "of-all", "X": "y"}, "users": own}})["s"]
    assert server.headers_for(server.users["ann"]) == {"authorization": "of-ann", "x": "y"}


def test_an_endpoint_is_known_by_all_of_it_and_shows_no_secret(load):
    urls = [load({"s": {"url": f"https://e.org/mcp?key={key}"}})["s"].endpoint for key in ("hush", "hush-too")]
    commands = [load({"s": {"command": "c", "args": [word]}})["s"].endpoint for word in ("--key=hush", "--key=other")]
    assert len({*urls, *commands}) == 4
    assert all("hush" not in each for each in (*urls, *commands))
    assert urls[0].startswith("https://e.org/mcp (")


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("{", "line 1"),
        ("[]", "mcpServers"),
        ('{"servers": {}}', "mcpServers"),
        ("[" * 100_000, "nested too deeply"),
        ({"Send Mail": {"command": "c"}}, "is no name for a server"),
        ({"a__b": {"command": "c"}}, "is no name for a server"),
        ({"s": {}}, "either a 'command' (stdio) or a 'url'"),
        ({"s": {"command": "c", "url": "https://e.org"}}, "either a 'command'"),
        ({"s": {"url": "ftp://e.org"}}, "must be like https://host/mcp"),
        ({"s": {"url": "https://u:hush@e.org/mcp"}}, "holds a password"),
        ({"s": {"type": "sse", "url": "https://e.org"}}, "mcpServers.s.type"),
        ({"s": {"command": "c", "alow": ["x"]}}, "Did you mean 'allow'?"),
        ({"s": {"command": "c", "effects": {"x": "harmless"}}}, "mcpServers.s.effects.x"),
        ({"s": {"command": "c", "timeout_s": -1}}, "mcpServers.s.timeout_s"),
        ({"s": {"command": "c", "env": {"A": "${NOT_SET_AT_ALL}"}}}, "NOT_SET_AT_ALL is not set"),
        ({"s": {"url": "https://e.org", "headers": {"X": "hush\r\nY: z"}}}, "more than one line"),
        ({"s": {"url": "https://e.org", "headers": {"X": "hush-ü"}}}, "no HTTP header takes"),
        ({"s": {"url": "https://e.org", "headers": {"X-Key": "a", "x-key": "b"}}}, "given twice"),
        ({"s": {"url": "https://e.org", "users": {"ann": {"headers": {"X-Key": "a", "x-key": "b"}}}}}, "given twice"),
        ({"s": {"url": "https://e.org", "users": {"ann": {"env": {"A": "hush"}}}}}, "'env' of the user 'ann'"),
        ({"s": {"command": "c", "users": {"ann": {"headers": {"A": "hush"}}}}}, "'headers' of the user 'ann'"),
        ({"s": {"command": "c", "users": {"ann": {}}, "users_only": True}}, "neither 'headers' nor 'env'"),
        ({"s": {"command": "c", "users_only": True}}, "needs 'users'"),
        ({"s": "npx server"}, "mcpServers.s"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(load, given, named):
    with pytest.raises(ConfigurationError) as told:
        load(given)
    assert named in told.value.public
    assert "hush" not in told.value.public


def test_all_faults_are_told_at_once(load):
    with pytest.raises(ConfigurationError) as told:
        load({"a": {}, "b": {"command": "c", "x": 1}})
    assert "mcpServers.a" in told.value.public
    assert "mcpServers.b.x" in told.value.public


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_mcp_config(tmp_path / "none.json")
