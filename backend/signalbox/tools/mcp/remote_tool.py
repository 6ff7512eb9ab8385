"""A tool of an MCP server as one of ours: called, recorded and approved like any other, and never trusted more."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

import mcp_types as types
from mcp import Client
from pydantic import ConfigDict

from signalbox.envelope import Event
from signalbox.events import Thinking
from signalbox.llm.base import ToolSpec
from signalbox.memory.contact_data import without_contact_data
from signalbox.memory.profile import Owner
from signalbox.tools.base import Arguments, Effect, Guard
from signalbox.tools.calling import canonical
from signalbox.tools.mcp.cleaning import one_line
from signalbox.tools.mcp.config import ServerConfig
from signalbox.tools.mcp.definitions import Definition
from signalbox.tools.mcp.link import Link
from signalbox.tools.mcp.listing import called
from signalbox.tools.mcp.results import Told, result_of
from signalbox.tools.mcp.schemas import Unfit, misfit, validator_of
from signalbox.tools.result import Err, Result

MAX_ARGUMENT_BYTES: Final = 262_144
MOST_PROGRESS: Final = 30
LONGEST_PROGRESS: Final = 200
CONNECT_PATIENCE_S: Final = 10.0
# Who calls a tool bounds the call; this is for the case that nobody does.
SPARE_S: Final = 5.0
_DOUBT: Final = "it may have happened all the same"

# By the operator's word, which is all that is known of it.
_RISKS: Final[Mapping[str, str]] = {
    "": "What it does there is not known here and may not be taken back.",
    "read": "The operator of this assistant says that it only looks something up; what you see above is sent there.",
    "idempotent": "The operator of this assistant says that it changes something there; a second time changes no more.",
    "non_idempotent": "The operator of this assistant says that it changes something there, each time anew.",
    "irreversible": "The operator of this assistant says that it changes something there and cannot be taken back.",
}

Emit = Callable[[Event], Awaitable[None]]


class Misfit(ValueError):
    """The arguments do not fit the tool's schema; the text says where and why, for whoever wrote them."""


class RemoteArguments(Arguments):
    """Whatever the tool's own schema allows: ``RemoteTool.parse`` checks it, and ``run`` does again."""

    model_config = ConfigDict(frozen=True, extra="allow")


class Links(Protocol):
    """Where a tool finds its server."""

    def link(self, server: str, owner: Owner) -> Link | Err: ...

    async def is_approved(self, definition: Definition) -> bool: ...


@dataclass(slots=True)
class RemoteTool:
    """Made for one run. ``emit`` shows the server's progress; ``effect`` is the operator's word, not the server's."""

    definition: Definition
    config: ServerConfig
    owner: Owner
    links: Links
    emit: Emit
    name: str = field(init=False)
    effect: Effect = field(init=False)
    timeout_s: float = field(init=False)
    guard: Guard = field(init=False)

    def __post_init__(self) -> None:
        self.name = self.definition.name
        self.effect = self.config.effect(self.definition.tool)
        self.timeout_s = self.config.timeout_s
        self.guard = self.config.ask_after_untrusted

    @property
    def risk(self) -> str:
        """What a user should know before they approve."""
        asked = (
            f"This asks the external server '{self.definition.server}' to run '{self.definition.tool}' with the "
            "arguments above."
        )
        return f"{asked} {_RISKS[self.effect if self.config.is_classified(self.definition.tool) else '']}"

    @property
    def spec(self) -> ToolSpec:
        """As a model is told of it. The words are the server's: data, for the prompt to fence."""
        return ToolSpec(self.name, self.definition.description, self.definition.parameters)

    def parse(self, arguments: Mapping[str, Any]) -> RemoteArguments:
        """What will be sent. Raises ``Misfit``: ask for nobody's approval of what the tool does not take."""
        given, problem = self._checked(arguments)
        if problem is not None:
            raise Misfit(problem)
        return RemoteArguments.model_validate(given)

    def _checked(self, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
        if len(canonical(arguments).encode("utf-8", "surrogatepass")) > MAX_ARGUMENT_BYTES:
            return {}, f"the arguments are larger than {MAX_ARGUMENT_BYTES:,} bytes"
        given = dict(arguments)
        if not self.config.may_have_contact_data(self.definition.tool):
            given = _masked(given)
        try:
            return given, misfit(validator_of(self.definition.raw["inputSchema"]), given)
        except Unfit as exc:
            return given, f"the tool cannot be called: {exc}"

    async def run(self, arguments: RemoteArguments) -> Result[Told]:
        given, problem = await asyncio.to_thread(self._checked, arguments.model_dump(mode="json"))
        if problem is not None:
            return Err("invalid_arguments", f"the arguments do not fit '{self.name}': {problem}", False, done="no")
        link = self.links.link(self.definition.server, self.owner)
        if isinstance(link, Err):
            return self._not_sent(link)
        client = await link.ready(min(CONNECT_PATIENCE_S, self.timeout_s / 2))
        if isinstance(client, Err):
            return self._not_sent(client)
        # What changes something goes to the definition that stands now, and after the user's approval it is looked at
        # once more; a read believes a list of a minute ago.
        refused = await link.fresh(client, now=self.effect != "read") or await self._refused(link)
        if refused is not None:
            return self._not_sent(refused)
        return await self._sent(link, client, given)

    async def _sent(self, link: Link, client: Client, given: Mapping[str, Any]) -> Result[Told]:
        answer = await self._ask(link, client, given)
        if isinstance(answer, Err):
            return self._doubtful(answer)
        result = result_of(self.definition.server, self.definition.tool, answer)
        return self._doubtful(replace(result, note=link.hush(result.note))) if isinstance(result, Err) else result

    def _not_sent(self, err: Err) -> Err:
        return err if self.effect == "read" else replace(err, done="no")

    async def _refused(self, link: Link) -> Err | None:
        """A call goes to the very definition that was approved, or not at all."""
        now = link.definitions.get(self.definition.tool)
        where = f"'{self.definition.tool}' of the MCP server '{self.definition.server}'"
        if now is None:
            return Err("not_found", f"the tool {where} is not offered any more", retryable=False)
        if now.digest != self.definition.digest:
            why = "was changed by its server and is not used until an operator has approved it"
        elif not await self.links.is_approved(self.definition):
            why = "is not approved by an operator"
        else:
            return None
        return Err("unavailable", f"the tool {where} {why}", retryable=False)

    async def _ask(self, link: Link, client: Client, given: Mapping[str, Any]) -> types.CallToolResult | Err:
        heard: asyncio.Queue[str] = asyncio.Queue(MOST_PROGRESS)

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            if not heard.full():
                heard.put_nowait(message or (f"{progress:g} of {total:g}" if total else f"{progress:g}"))

        speaking = asyncio.create_task(self._speak(heard))
        try:
            return await link.ask(
                lambda: called(client, self.definition.tool, given, on_progress),
                self.timeout_s + SPARE_S,
            )
        finally:
            # In the run's own task, so that nothing is said for a run that is over.
            speaking.cancel()
            await asyncio.wait({speaking})

    async def _speak(self, heard: asyncio.Queue[str]) -> None:
        last = ""
        for _ in range(MOST_PROGRESS):
            words = one_line(await heard.get(), LONGEST_PROGRESS)
            if words and words != last:
                last = words
                await self.emit(Thinking(stage="tool", label=f"{self.definition.server}: {words}"))

    def _doubtful(self, err: Err) -> Err:
        """``err`` of a call that was sent: whatever the server says of it, an effect may have come about, unless it
        took the arguments for none of its own.
        """
        if self.effect == "read":
            return err
        if err.kind == "invalid_arguments":
            return replace(err, done="no")
        retryable = err.retryable and self.effect == "idempotent"
        return replace(err, note=f"{err.note}; {_DOUBT}", retryable=retryable, done="unknown")


def _masked(value: Any) -> Any:
    """``value`` without contact data in its texts: nobody is asked about a read, and a planted text may want it."""
    match value:
        case str():
            return without_contact_data(value)
        case dict():
            return {without_contact_data(key): _masked(item) for key, item in value.items()}
        case list():
            return [_masked(item) for item in value]
        case _:
            return value
