"""What an MCP client may ask of this server: the assistant, the job catalogue, a run. Only ever the caller's own."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Annotated, Any, Final

import anyio
import mcp_types as types
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from signalbox.api.deps import checked_id, is_blank
from signalbox.api.events import shown
from signalbox.api.sse import Ask, Follow
from signalbox.encoding import clean_json, clean_text
from signalbox.errors import BadRequest, NotFound, PayloadTooLarge, SignalboxError, Stopping, said_by_check
from signalbox.frames import FrameReader
from signalbox.memory.profile import Owner
from signalbox.retrieval.index import JobHit
from signalbox.retrieval.query import parse_query
from signalbox.runs.records import NewRun, RunRow, StartedRun
from signalbox.services import Services
from signalbox.tools.calling import bounded
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.search_jobs import JobSearch, SearchJobs

# How far the answer has come, in characters, and its newest words.
Report = Callable[[float, str], Awaitable[None]]
Structured = dict[str, Any]

REPORT_EVERY_S: Final = 0.1
CANCEL_S: Final = 10.0
LONGEST_DESCRIPTION: Final = 2_000
_UNKNOWN_CALLER: Final = (
    "This client cannot be known again: each of its calls is a new user's. Send an API key or keep the cookie, or open "
    "a session (the handshake of the protocol up to 2025); then go on with what that client begins."
)
_RANKING: Final = frozenset({"score", "text_rank", "meaning_rank", "cosine", "requirements"})


class Asked(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AskAssistant(Asked):
    message: Annotated[str, Field(min_length=1, description="What to ask, in plain words.")]
    conversation_id: Annotated[
        str | None,
        Field(description="Go on with this conversation, as an earlier answer named it; a new one if absent."),
    ] = None


class SearchCatalogue(Asked):
    query: Annotated[
        str,
        Field(min_length=1, max_length=2_000, description="What to look for in plain words: role, skills, place, pay."),
    ]
    limit: Annotated[int, Field(ge=1, le=50, description="Postings at most.")] = 10


class ReadRun(Asked):
    run_id: Annotated[str, Field(min_length=1, max_length=100, description="The run's id, as an answer named it.")]


_TOOLS: Final[Mapping[str, tuple[str, str, type[Asked], bool]]] = {
    "ask_assistant": (
        "Ask the careers assistant",
        (
            "Sends a message to the careers assistant as the caller and returns its whole answer, with typed "
            "results (jobs, letters, pay and the like) as structured content. What cannot be taken back waits for the "
            "user's approval, which cannot be given here. Cancelling the call ends the answer."
        ),
        AskAssistant,
        False,
    ),
    "search_jobs": (
        "Search jobs",
        "Searches the job catalogue. An error means that it could not be searched, never that there are no such jobs.",
        SearchCatalogue,
        True,
    ),
    "read_run": (
        "Read a run",
        "How one of the caller's own runs stands, and its answer as far as there is one.",
        ReadRun,
        True,
    ),
}


def tools() -> list[types.Tool]:
    return [
        types.Tool(
            name=name,
            title=title,
            description=description,
            input_schema=model.model_json_schema(),
            annotations=types.ToolAnnotations(
                title=title, read_only_hint=reads, destructive_hint=False, open_world_hint=False
            ),
        )
        for name, (title, description, model, reads) in _TOOLS.items()
    ]


class AssistantTools:
    """Every call is bound to its owner, as every other route is."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def call(
        self, owner: Owner, name: str, given: Mapping[str, Any], report: Report, *, known: bool = True
    ) -> types.CallToolResult:
        """Whatever the caller did wrong, or could not be done just now, is a result that says so. ``known``: a later
        call of theirs can be told to be theirs.
        """
        entry = _TOOLS.get(name)
        if entry is None:
            return _error("not_found", f"There is no tool '{name[:100]}'. There are: {', '.join(_TOOLS)}.")
        try:
            match entry[2].model_validate(dict(given)):
                case AskAssistant() as asked:
                    return await self._ask(owner, asked, report)
                case SearchCatalogue() as search:
                    return await self._search(owner, search)
                case ReadRun(run_id=run_id):
                    return await self._read(owner, checked_id(run_id, "run"))
                case other:
                    raise AssertionError(type(other).__name__)
        except ValidationError as exc:
            fault = exc.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part)[:64] for part in fault["loc"])
            return _error("bad_request", f"The arguments do not fit: {where}: {said_by_check(fault['msg'])}.")
        except SignalboxError as exc:
            hint = f" {_UNKNOWN_CALLER}" if isinstance(exc, NotFound) and not known else ""
            return _error(exc.code, exc.public + hint, retry=exc.retry)

    # -- the assistant

    async def _ask(self, owner: Owner, asked: AskAssistant, report: Report) -> types.CallToolResult:
        if self._services.hub.draining:
            raise Stopping
        started, start = await self._services.runner.submit(self._new_run(owner, asked))
        follow = Follow(self._services, Ask.of(owner, started, None))
        try:
            try:
                if start is not None:
                    follow.begin_with(start)
                else:
                    await follow.begin()
                await self._told(follow, report)
            finally:
                follow.close()
        except asyncio.CancelledError:
            await self._cancel(owner, started)
            raise
        return await self._read(owner, started.run_id)

    def _new_run(self, owner: Owner, asked: AskAssistant) -> NewRun:
        message, longest = clean_text(asked.message), self._services.settings.max_message_chars
        if is_blank(message):
            raise BadRequest("The message is empty. Write something to answer.")
        if len(message) > longest:
            raise PayloadTooLarge(f"The message has {len(message):,} characters; {longest:,} are allowed.")
        conversation = asked.conversation_id
        return NewRun(
            owner=owner,
            message=message,
            conversation_id=None if conversation is None else checked_id(conversation, "conversation"),
        )

    async def _told(self, follow: Follow, report: Report) -> None:
        """Reads the run to its end, and tells the caller how it goes: in words, now and then."""
        frames, loop = FrameReader(), asyncio.get_running_loop()
        length, words, last = 0, "", 0.0
        while (chunk := await follow.next()) is not None:
            for frame in frames.feed(chunk):
                event = json.loads(frame.data) if frame.data else {}
                if frame.event == "chunk":
                    words += event["content"]
                elif frame.event == "thinking":
                    words += f"[{event['label']}] "
            if words and loop.time() - last >= REPORT_EVERY_S:
                length += len(words)
                await report(length, words)
                words, last = "", loop.time()
        if words:
            await report(length + len(words), words)

    async def _cancel(self, owner: Owner, started: StartedRun | RunRow) -> None:
        # The scope around this is cancelled for good: without the shield not one more statement could be sent.
        with anyio.move_on_after(CANCEL_S, shield=True), suppress(SignalboxError):
            await self._services.runner.cancel(owner, started.run_id)

    # -- reading

    async def _read(self, owner: Owner, run_id: str) -> types.CallToolResult:
        row = await self._services.store.run(owner, run_id)
        snapshot = await self._services.conversations.snapshot(owner, row.conversation_id)
        messages = [each for each in snapshot.messages if each.run_id == run_id and each.role == "assistant"]
        text = "\n\n".join(each.content for each in messages if each.content)
        told: Structured = {name: value for name, value in shown(row).items() if name not in {"events_url", "usage"}}
        told |= {
            "text": text,
            "blocks": [block for each in messages for block in each.blocks],
            "citations": [each.model_dump(mode="json") for message in messages for each in message.citations],
        }
        if row.status == "waiting":
            told["approvals"] = await self._approvals(owner, run_id)
        return _result(_in_words(row, text, told), told, failed=row.status in {"failed", "dead"})

    async def _approvals(self, owner: Owner, run_id: str) -> list[Structured]:
        asked = await self._services.approvals.of_run(owner, run_id)
        return [
            {"approval_id": each.approval_id, "tool": each.tool, "arguments": each.arguments, "risk": each.risk}
            for each in asked
            if each.decision is None
        ]

    async def _search(self, owner: Owner, search: SearchCatalogue) -> types.CallToolResult:
        today = datetime.now(UTC).date()
        query = await asyncio.to_thread(parse_query, clean_text(search.query), today, self._services.vocabulary)
        tool = SearchJobs(self._services.index, owner.tenant)
        match await bounded(tool, JobSearch(query=replace(query, limit=search.limit))):
            case Ok(found, truncated, total):
                jobs = [_posting(hit) for hit in found.hits]
                count = f"{len(jobs)} of {total}" if truncated and total else str(len(jobs))
                lines = [f"{count} postings:", *(_line(hit) for hit in found.hits)]
                return _result("\n".join(lines), {"jobs": jobs, "total": total, "truncated": truncated})
            case Empty(note):
                return _result(f"No posting fits: {note}.", {"jobs": [], "total": 0, "truncated": False})
            case Err(kind, note, retryable):
                return _error(kind, f"The catalogue could not be searched: {note}.", retry=retryable)


def _in_words(row: RunRow, text: str, told: Structured) -> str:
    parts = [text] if text else []
    match row.status:
        case "waiting":
            for each in told["approvals"]:
                where = f"POST /v1/runs/{row.run_id}/approvals/{each['approval_id']}"
                parts.append(f"It waits for the user's approval to run '{each['tool']}', to be given at {where}.")
        case "failed" | "dead":
            parts.append(row.error_text or "The answer failed.")
        case "cancelled":
            parts.append("The run was cancelled.")
        case "pending" | "running":
            parts.append(f"It goes on: ask read_run for '{row.run_id}' later.")
        case _:
            pass
    return "\n\n".join(parts) or "The run ended without a word."


def _posting(hit: JobHit) -> Structured:
    told = {name: value for name, value in asdict(hit).items() if name not in _RANKING and value is not None}
    told["description"] = hit.description[:LONGEST_DESCRIPTION]
    return told


def _line(hit: JobHit) -> str:
    where = hit.location or ("remote" if hit.remote else "place not stated")
    return f"- {hit.title}, {hit.company}, {where} ({hit.job_id})"


def _result(text: str, structured: Structured, *, failed: bool = False) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(text=text)],
        structured_content=clean_json(structured, longest=1_000_000, most=100_000),
        is_error=failed,
    )


def _error(code: str, text: str, *, retry: bool = False) -> types.CallToolResult:
    return _result(text, {"error": {"code": code, "content": text, "retry": retry}}, failed=True)
