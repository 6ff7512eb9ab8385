"""``signalbox mcp``: external MCP servers, their tools and what of them is approved; and this server for stdio clients.

Parses, calls, prints. Whatever a server says of itself is shown cleaned, and never as markup.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console

from signalbox.errors import BadRequest, ConfigurationError, NotFound
from signalbox.printing import Json, print_json, print_table, with_database
from signalbox.settings import load_settings

if TYPE_CHECKING:
    from signalbox.db import Database
    from signalbox.memory.profile import Owner
    from signalbox.tools.mcp.config import ServerConfig
    from signalbox.tools.mcp.definitions import Definition
    from signalbox.tools.mcp.host import McpHost
    from signalbox.tools.mcp.link import Link
    from signalbox.tools.mcp.pins import Pin
    from signalbox.tools.result import Result

NOT_SEEN: Final = "not offered now"

mcp_app = typer.Typer(no_args_is_help=True, help="External MCP servers; and this server for MCP clients.")

out = Console()

Server = Annotated[str, typer.Argument(help="The server's name in the file of SIGNALBOX_MCP_CONFIG.")]
User = Annotated[str, typer.Option(help="Connect with this user's own credentials.")]


@dataclass(frozen=True, slots=True)
class Line:
    """One tool as it stands."""

    server: str
    tool: str
    effect: str
    state: str
    note: str = ""


@mcp_app.command("list")
def list_servers(as_json: Json = False) -> None:
    """Connect to every server: whether it answers, its tools, their effects, and which are approved.

    To a server of 'users_only' with the first user's credentials. Where 'trust_first_use' is set, this is a first use.
    """

    async def work(host: "McpHost") -> None:
        links = {name: host.link(name, _owner(_first_user(config))) for name, config in host.servers.items()}
        await asyncio.gather(*(_ready(link, host.servers[name]) for name, link in links.items()))
        pins = await host.pins.all(list(host.servers))
        lines = [line for name, link in links.items() for line in _lines(host, name, link, pins)]
        states = [(name, *_state(link, _first_user(host.servers[name]))) for name, link in links.items()]
        if as_json:
            keys = ("server", "state", "about")
            servers = [dict(zip(keys, each, strict=True)) for each in states]
            print_json({"servers": servers, "tools": [asdict(line) for line in lines]})
            return
        print_table(("server", "state", "about"), states)
        if lines:
            print_table(
                ("tool", "effect", "definition", "note"),
                [(f"{line.server}__{line.tool}", line.effect, line.state, line.note) for line in lines],
            )

    _with_host(work)


@mcp_app.command("inspect")
def inspect(server: Server, user: User = "", as_json: Json = False) -> None:
    """One server in full: what it says of itself, its tools with their schemas, its resources and prompts."""
    from signalbox.tools.mcp.schemas import unchecked

    async def work(host: "McpHost") -> None:
        owner = _owner(user)
        link = await _connected(host, server, owner)
        pins = await host.pins.all([server])
        greeting = link.greeting
        told: dict[str, Any] = {
            "server": server,
            "says": None if greeting is None else f"{greeting.name} {greeting.version}, MCP {greeting.protocol}",
            "tools": [
                {
                    "name": each.name,
                    "effect": host.servers[server].effect(each.tool),
                    "definition": _pin_state(host.servers[server], each, pins, user),
                    "description": each.description,
                    "parameters": each.parameters,
                    "checked_by_the_server_only": unchecked(each.parameters),
                }
                for each in link.definitions.values()
            ],
            "unfit": dict(link.unfit),
            "resources": _listed(await host.resources(server, owner), ("uri", "name", "mime_type")),
            "prompts": _listed(await host.prompts(server, owner), ("name", "description")),
        }
        if as_json:
            print_json(told)
            return
        for name in ("server", "says"):
            _say(f"{name}: {told[name]}")
        for tool in told["tools"]:
            _say(f"\n{tool['name']}  [{tool['effect']}; {tool['definition']}]")
            _say(f"  {tool['description']}")
            _say("  " + json.dumps(tool["parameters"], ensure_ascii=False))
            if words := tool["checked_by_the_server_only"]:
                _say(f"  Not checked before a call, only by the server: {', '.join(words)}.")
        for name, why in told["unfit"].items():
            _say(f"\n{name}  cannot be used: {why}")
        for name in ("resources", "prompts"):
            _say(f"\n{name}: {json.dumps(told[name], ensure_ascii=False, indent=2)}")

    _with_host(work, server)


@mcp_app.command("approve")
def approve(
    server: Server,
    tools: Annotated[list[str] | None, typer.Argument(help="Tools of it; all that wait if none.")] = None,
    user: User = "",
    deny: Annotated[bool, typer.Option("--deny", help="Refuse the definition instead.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for each.")] = False,
    only_user: Annotated[
        bool, typer.Option("--only-user", help="For that user alone, to whom the server shows something else.")
    ] = False,
) -> None:
    """Look at definitions that are new or were changed, and approve or deny each. A change is shown as a diff."""
    if only_user and not user:
        raise BadRequest("'--only-user' needs '--user NAME'.")
    whose = user if only_user else ""

    async def work(host: "McpHost") -> None:
        link = await _connected(host, server, _owner(user))
        pins = await host.pins.all([server])
        unknown = sorted(set(tools or ()) - set(link.definitions))
        if unknown:
            raise NotFound(f"The server '{server}' offers no tool {', '.join(unknown)}.")
        wanted = [link.definitions[name] for name in tools or link.definitions]
        config = host.servers[server]
        waiting = [each for each in wanted if _pin_state(config, each, pins, user) not in _settled(tools)]
        if not waiting:
            _say("There is nothing to decide.")
        for definition in waiting:
            _show(definition, pins, whose)
            verb = "Deny" if deny else "Approve"
            if yes or typer.confirm(f"{verb} '{definition.name}' as it stands here?"):
                one = (server, definition.tool, definition.digest)
                await host.pins.decide(*one, approve=not deny, by=_me(), whose=whose)
                _say(f"{definition.name} is {'denied' if deny else 'approved'}.")

    _with_host(work, server)


@mcp_app.command("resource")
def resource(
    server: Server, uri: Annotated[str, typer.Argument(help="As `inspect` lists it.")], user: User = ""
) -> None:
    """Read one resource of a server."""

    async def work(host: "McpHost") -> None:
        await _connected(host, server, _owner(user))
        told = _value(await host.read_resource(server, uri, _owner(user)))
        _say(told.text or json.dumps([str(each) for each in told.references], ensure_ascii=False))

    _with_host(work, server)


@mcp_app.command("prompt")
def prompt(
    server: Server,
    name: Annotated[str, typer.Argument(help="As `inspect` lists it.")],
    argument: Annotated[list[str] | None, typer.Option(help="As name=value; may be given several times.")] = None,
    user: User = "",
) -> None:
    """Show one prompt of a server, filled in."""
    given = dict(_pairs(argument or ()))

    async def work(host: "McpHost") -> None:
        await _connected(host, server, _owner(user))
        _say(_value(await host.prompt(server, name, given, _owner(user))))

    _with_host(work, server)


@mcp_app.command("serve")
def serve(
    url: Annotated[
        str | None, typer.Option(help="The Signalbox server to speak for; the local one by default.")
    ] = None,
    key: Annotated[
        str | None, typer.Option(help="API key, if the server wants one.", envvar="SIGNALBOX_CHAT_KEY")
    ] = None,
) -> None:
    """Be an MCP server over stdin and stdout, for clients that speak nothing else: calls go to a Signalbox server."""
    from signalbox.mcp_stdio import relay

    if url is None:
        settings = load_settings()
        url = f"http://{settings.host}:{settings.port}"
    asyncio.run(relay(url.rstrip("/"), key))


# -- the host


def _with_host(work: "Callable[[McpHost], Awaitable[None]]", server: str | None = None) -> None:
    from signalbox.telemetry import configure_logging
    from signalbox.tools.mcp.config import load_mcp_config

    settings = load_settings()
    configure_logging("error", as_json=False)
    servers = load_mcp_config(settings.mcp_config)
    if not servers:
        raise ConfigurationError("There are no MCP servers. Name a file with some in SIGNALBOX_MCP_CONFIG.")
    if server is not None:
        if server not in servers:
            raise NotFound(f"There is no MCP server '{server}'. There are: {', '.join(servers)}.")
        if not servers[server].enabled:
            raise BadRequest(f"The MCP server '{server}' is switched off ('enabled': false).")
        servers = {server: servers[server]}

    async def run(db: "Database") -> None:
        async with _hosting(servers, db) as host:
            await work(host)

    with_database(run)


@asynccontextmanager
async def _hosting(servers: Any, db: Any) -> "AsyncIterator[McpHost]":
    from signalbox.tools.mcp.host import McpHost

    host = McpHost(servers, db)
    running = asyncio.create_task(host.run())
    await asyncio.sleep(0)
    try:
        yield host
    finally:
        running.cancel()
        await asyncio.wait({running})


def _owner(user: str) -> "Owner":
    from signalbox.memory.profile import Owner

    return Owner("default", user)


def _first_user(config: "ServerConfig") -> str:
    return next(iter(config.users)) if config.users_only else ""


async def _ready(link: Any, config: "ServerConfig") -> None:
    if hasattr(link, "ready"):
        await link.ready(config.connect_s)


async def _connected(host: "McpHost", server: str, owner: "Owner") -> "Link":
    from signalbox.tools.result import Err

    link = host.link(server, owner)
    client = link if isinstance(link, Err) else await link.ready(host.servers[server].connect_s)
    if isinstance(link, Err) or isinstance(client, Err):
        raise BadRequest(f"{client.note[0].upper()}{client.note[1:]}." if isinstance(client, Err) else server)
    return link


def _value(result: "Result[Any]") -> Any:
    from signalbox.tools.result import Ok

    if isinstance(result, Ok):
        return result.value
    raise BadRequest(f"{result.note[0].upper()}{result.note[1:]}.")


# -- saying


def _say(text: str) -> None:
    out.print(text, markup=False, highlight=False, soft_wrap=True)


def _state(link: Any, user: str) -> tuple[str, str]:
    if not hasattr(link, "greeting"):
        return "unusable", link.note
    if link.state != "ready":
        return "not connected", link.problem
    greeting = link.greeting
    shown = f", as the user '{user}'" if user else ""
    return "connected", f"{greeting.name} {greeting.version}, MCP {greeting.protocol}{shown}"


def _lines(host: "McpHost", server: str, link: Any, pins: "Sequence[Pin]") -> Iterator[Line]:
    config = host.servers[server]
    offered = getattr(link, "definitions", {})
    for each in offered.values():
        state = _pin_state(config, each, pins, _first_user(config))
        yield Line(server, each.tool, config.effect(each.tool), state)
    for tool, why in getattr(link, "unfit", {}).items():
        yield Line(server, tool, "", "cannot be used", why)
    for pin in pins:
        if pin.server == server and pin.tool not in offered and pin.status == "approved":
            yield Line(server, pin.tool, config.effect(pin.tool), "approved", NOT_SEEN)


def _pin_state(config: "ServerConfig", definition: "Definition", pins: "Sequence[Pin]", user: str) -> str:
    """For that user's calls; "" for everybody's."""
    if not config.allows(definition.tool):
        return "not allowed"
    one = (definition.server, definition.tool)
    same = [pin for pin in pins if (pin.server, pin.tool) == one and pin.whose in {"", user}]
    same.sort(key=lambda pin: not pin.whose)  # one's own comes before everybody's
    mine = next((pin for pin in same if pin.digest == definition.digest), None)
    if mine is not None and mine.status in {"approved", "denied"}:
        return mine.status
    before = any(pin.status in {"approved", "superseded"} for pin in same)
    return "changed" if before else "new"


def _settled(named: Sequence[str] | None) -> frozenset[str]:
    """What is not asked about again: with a tool's name a denial can be taken back."""
    return frozenset({"approved", "not allowed"} if named else {"approved", "denied", "not allowed"})


def _show(definition: "Definition", pins: "Sequence[Pin]", whose: str) -> None:
    from signalbox.tools.mcp.definitions import difference

    approved = [pin for pin in pins if (pin.tool, pin.status) == (definition.tool, "approved")]
    old = next((pin for name in (whose, "") for pin in approved if pin.whose == name), None)
    if old is None:
        _say(f"\n{definition.name} is new:\n{difference({}, definition.raw)}")
    else:
        _say(f"\n{definition.name} was changed since it was approved by {old.approved_by}:")
        _say(difference(old.definition, definition.raw))


def _listed(result: "Result[Any]", fields: Sequence[str]) -> Any:
    from signalbox.tools.mcp.cleaning import one_line
    from signalbox.tools.result import Err, Ok

    if isinstance(result, Ok):
        return [
            {name: one_line(str(value), 500) for name in fields if (value := getattr(each, name, None)) is not None}
            for each in result.value
        ]
    return {"could not be listed": result.note} if isinstance(result, Err) else []


def _pairs(arguments: Sequence[str]) -> Iterator[tuple[str, str]]:
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if not equals or not name:
            raise ConfigurationError(f"'{argument}' is not of the form name=value.")
        yield name, value


def _me() -> str:
    return os.environ.get("USER") or os.environ.get("LOGNAME") or f"uid {os.getuid()}"
