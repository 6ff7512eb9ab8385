"""The Python client: send messages, follow typed events that resume by themselves, and the plain calls.

It needs the event contract, httpx and pydantic, and nothing of the server.
"""

import asyncio
import json
import uuid
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from datetime import datetime
from typing import Any, Final, Literal, Self, TypeVar
from urllib.parse import quote

import httpx
from pydantic import TypeAdapter

from signalbox.encoding import clean_json, clean_text
from signalbox.event_stream import (
    ApiError,
    ConnectionLost,
    EventStream,
    OnState,
    Retries,
    Rhythm,
    State,
    lenient,
    problem,
    reason_of,
    retry_after,
)
from signalbox.events import AnyEvent, IfBusy
from signalbox.replies import (
    ApprovalInfo,
    Approvals,
    ConversationInfo,
    Conversations,
    RunHandle,
    RunInfo,
    Transcript,
)

__all__ = [
    "ApiError",
    "ApprovalInfo",
    "Client",
    "ConnectionLost",
    "ConversationInfo",
    "EventStream",
    "RunHandle",
    "RunInfo",
    "State",
    "Transcript",
]

M = TypeVar("M")

USER_COOKIE: Final = "signalbox_user"
Decision = Literal["approve", "edit", "reject"]
_STANDS: Final[Mapping[str, str]] = {"approve": "approved", "edit": "edited", "reject": "rejected"}


class Client:
    """A user of one server. Use as ``async with``; safe for concurrent calls of one event loop.

    Without ``api_key`` the server makes an anonymous user whose cookie this object keeps (``user_cookie``: hand
    it to a later Client to be the same user). ``http`` is used as it is and stays open. Failures that pass are
    retried: ``idle_s`` without a byte (heartbeats count) is a dead connection, or three times as long as the server's
    heartbeats take where they come more often (never less than 5 s); ``give_up_after`` seconds without
    success are ``ConnectionLost``, other refusals are ``ApiError``.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        user_cookie: str | None = None,
        http: httpx.AsyncClient | None = None,
        give_up_after: float = 120,
        idle_s: float = 45,
        backoff_s: float = 0.25,
        backoff_cap_s: float = 15,
    ) -> None:
        try:
            url = httpx.URL(base_url)
        except httpx.InvalidURL as exc:
            raise ValueError(f"The server's URL is not valid: {exc}") from exc
        if url.scheme not in {"http", "https"} or not url.host or (url.port or 0) > 65_535:
            raise ValueError("The server's URL must start with http:// or https:// and name a host (and port).")
        if api_key is not None and not (api_key.isascii() and api_key.isprintable()):
            raise ValueError("An API key consists of printable ASCII characters.")
        self._base_url = base_url.rstrip("/")
        self._http = http or httpx.AsyncClient()
        self._timeout = httpx.Timeout(10, read=idle_s)
        self._idle_s = idle_s
        self._owns_http = http is None
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._give_up_after, self._backoff_s, self._cap_s = give_up_after, backoff_s, backoff_cap_s
        # The cookie jar's name for a host without a dot.
        self._domain = url.host if "." in url.host else f"{url.host}.local"
        self._introduced = bool(api_key or user_cookie)
        self._introducing = asyncio.Lock()
        if user_cookie:
            self._http.cookies.set(USER_COOKIE, user_cookie, domain=self._domain, path="/")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        if self._owns_http:
            await self._http.aclose()

    @property
    def user_cookie(self) -> str | None:
        """What makes this anonymous user the same one next time."""
        cookies = [c.value for c in self._http.cookies.jar if (c.name, c.domain) == (USER_COOKIE, self._domain)]
        return cookies[0] if cookies else None

    # -- talking

    async def send(
        self,
        message: str | None = None,
        *,
        conversation_id: str | None = None,
        suggestion_id: str | None = None,
        temporary: bool = False,
        idempotency_key: str | None = None,
        if_busy: IfBusy = "enqueue",
        replaces: str | None = None,
    ) -> RunHandle:
        """Start a run for ``message`` (or the quick reply ``suggestion_id``); its events come from ``stream``.

        ``replaces``: a run whose place it takes; that one and all later ones are taken back. Without a ``message`` it
        is asked again as it was.

        ``if_busy``: what to do while an earlier message is being answered: wait for it, ``interrupt`` it and keep what
        it said, ``reject`` this one (``ApiError`` with code ``busy``), or ``rollback``: take the earlier one back.
        Retried with one Idempotency-Key throughout, so a lost response never makes a second run.
        """
        body: dict[str, Any] = {
            "conversation_id": conversation_id,
            "suggestion_id": suggestion_id,
            "temporary": temporary,
            "if_busy": None if if_busy == "enqueue" else if_busy,
            "replaces": replaces,
        }
        if message is not None:
            body["message"] = clean_text(message)
        # A key belongs to its user: an anonymous one must exist before the first try, not be made anew by each.
        async with self._introducing:
            if not self._introduced:
                await self._call("GET", "/v1/conversations?limit=1")
                self._introduced = True
        key = idempotency_key or str(uuid.uuid4())
        content = json.dumps({name: value for name, value in body.items() if value is not None}).encode()
        headers = {"Idempotency-Key": key, "Content-Type": "application/json"}
        return await self._read(RunHandle, "POST", "/v1/chat", content, headers)

    def stream(
        self,
        *,
        run_id: str | None = None,
        conversation_id: str | None = None,
        cursor: str | None = None,
        types: Iterable[str] | None = None,
        on_state: OnState = lambda _: None,
    ) -> "EventStream":
        """The events of a run (until its ``complete``) or of a conversation (without end), after ``cursor``.

        A run that waits for its user ends the stream, too: after ``decide``, stream on from the old one's ``cursor``.
        """
        if (run_id is None) == (conversation_id is None):
            raise ValueError("Stream either a run or a conversation.")
        if cursor is not None and not (cursor.isascii() and cursor.isprintable()):
            raise ValueError("The cursor must be one that a stream gave.")
        owner = f"runs/{_segment(run_id)}" if run_id is not None else f"conversations/{_segment(conversation_id or '')}"
        path = f"/v1/{owner}/events"
        if types is not None:
            path += f"?types={quote(','.join(types))}"

        async def connect(headers: dict[str, str | bytes]) -> httpx.Response:
            return await self._http.send(self._request("GET", path, None, headers), stream=True)

        return EventStream(
            connect,
            self._retries(),
            one_run=run_id is not None,
            cursor=cursor,
            on_state=on_state,
            rhythm=lambda: Rhythm(self._idle_s),
        )

    async def ask(
        self,
        message: str | None = None,
        *,
        conversation_id: str | None = None,
        suggestion_id: str | None = None,
        temporary: bool = False,
        if_busy: IfBusy = "enqueue",
        replaces: str | None = None,
        types: Iterable[str] | None = None,
        on_state: OnState = lambda _: None,
    ) -> AsyncGenerator[AnyEvent, None]:
        """``send`` and ``stream`` in one. Leaving the iteration stops no run; only ``cancel`` does."""
        run = await self.send(
            message,
            conversation_id=conversation_id,
            suggestion_id=suggestion_id,
            temporary=temporary,
            if_busy=if_busy,
            replaces=replaces,
        )
        async with aclosing(self.stream(run_id=run.run_id, types=types, on_state=on_state)) as events:
            async for event in events:
                yield event

    # -- plain calls; all raise ApiError (404: unknown, or another user's) and ConnectionLost

    async def run(self, run_id: str) -> RunInfo:
        return await self._read(RunInfo, "GET", f"/v1/runs/{_segment(run_id)}")

    async def cancel(self, run_id: str) -> RunInfo:
        """Ask the run to stop; a finished run is returned as it is. What was streamed stays."""
        return await self._read(RunInfo, "POST", f"/v1/runs/{_segment(run_id)}/cancel")

    async def approvals(self, run_id: str) -> tuple[ApprovalInfo, ...]:
        """What the run has asked its user, oldest first; ``decision`` is None while one is open."""
        return (await self._read(Approvals, "GET", f"/v1/runs/{_segment(run_id)}/approvals")).approvals

    async def decide(
        self,
        run_id: str,
        approval_id: str,
        decision: Decision,
        *,
        arguments: Mapping[str, Any] | None = None,
        note: str | None = None,
        digest: str | None = None,
    ) -> ApprovalInfo:
        """Decide, once. ``edit`` takes the ``arguments`` to change; with ``digest`` only those are approved that it is
        of. ``ApiError``: 409 ``decided`` when it was decided before or too late, 400 for arguments the tool refuses.
        """
        edits: dict[str, Any] | None = None if arguments is None else clean_json(arguments, longest=1_000_000)
        body = {
            "decision": decision,
            "arguments": edits,
            "note": None if note is None else clean_text(note),
            "digest": digest,
        }
        content = json.dumps({name: value for name, value in body.items() if value is not None}).encode()
        path = f"/v1/runs/{_segment(run_id)}/approvals/{_segment(approval_id)}"
        try:
            return await self._read(ApprovalInfo, "POST", path, content, {"Content-Type": "application/json"})
        except ApiError as exc:
            if exc.code != "decided" or not exc.again:
                raise
            # The answer to our first try was lost: what stands may well be what it decided.
            stands = next((each for each in await self.approvals(run_id) if each.approval_id == approval_id), None)
            if stands is None or stands.decision != _STANDS[decision]:
                raise
            if any((stands.edited or {}).get(name) != value for name, value in (edits or {}).items()):
                raise
            return stands

    async def conversations(
        self, *, query: str | None = None, limit: int = 50, before: datetime | None = None
    ) -> tuple[ConversationInfo, ...]:
        """Newest first; ``before`` is the ``updated_at`` to go on from. ``query``: only those with all these words."""
        asked = {"limit": str(limit), "q": query, "before": before.isoformat() if before else None}
        more = "&".join(f"{name}={_segment(value)}" for name, value in asked.items() if value)
        return (await self._read(Conversations, "GET", f"/v1/conversations?{more}")).conversations

    async def rename(self, conversation_id: str, title: str) -> ConversationInfo:
        content = json.dumps({"title": clean_text(title)}).encode()
        path = f"/v1/conversations/{_segment(conversation_id)}"
        return await self._read(ConversationInfo, "PATCH", path, content, {"Content-Type": "application/json"})

    async def messages(self, conversation_id: str) -> Transcript:
        return await self._read(Transcript, "GET", f"/v1/conversations/{_segment(conversation_id)}/messages")

    async def delete_conversation(self, conversation_id: str) -> None:
        await self._call("DELETE", f"/v1/conversations/{_segment(conversation_id)}")

    async def ready(self) -> bool:
        """One try, no retries: whether the server takes messages. Raises ``ConnectionLost`` if none answers,
        ``ApiError`` if something else does.
        """
        try:
            response = await self._http.send(self._request("GET", "/readyz"))
        except httpx.RequestError as exc:
            raise ConnectionLost(reason_of(exc)) from exc
        if (strange := _in_between(response)) is not None:
            raise strange
        return response.is_success

    # -- requests

    def _request(
        self, method: str, path: str, content: bytes | None = None, headers: Mapping[str, Any] | None = None
    ) -> httpx.Request:
        return self._http.build_request(
            method,
            self._base_url + path,
            content=content,
            headers={**self._headers, **(headers or {})},
            timeout=self._timeout,
        )

    def _retries(self) -> Retries:
        return Retries(first=self._backoff_s, cap=self._cap_s, give_up_after=self._give_up_after)

    async def _read(
        self, kind: type[M], method: str, path: str, content: bytes | None = None, headers: Any = None
    ) -> M:
        answer = await self._call(method, path, content, headers)
        try:
            return lenient(TypeAdapter(kind), json.loads(answer))
        except ValueError as exc:
            text = "The answer is not one of a Signalbox server. Check the URL."
            raise ApiError("unexpected_answer", 502, text, retry=False) from exc

    async def _call(self, method: str, path: str, content: bytes | None = None, headers: Any = None) -> bytes:
        """The body of a success. Every call may be made again: it reads, or is idempotent by key or by nature."""
        retries = self._retries()
        again = False
        while True:
            try:
                response = await self._http.send(self._request(method, path, content, headers))
            except httpx.RequestError as exc:
                reason = reason_of(exc)
            else:
                gone = again and method == "DELETE" and response.status_code == httpx.codes.NOT_FOUND
                strange = _in_between(response)
                if gone or (response.is_success and strange is None):
                    return response.content
                refusal = strange or problem(response, response.content)
                # Busy passes, but whoever chose to be refused wants to be told.
                if not refusal.retry or refusal.code == "busy":
                    refusal.again = again
                    raise refusal
                reason, retries.floor = refusal.detail, retry_after(response)
            again = True
            await retries.wait(reason)


def _in_between(response: httpx.Response) -> ApiError | None:
    """A page where data was asked for: a sign-in page of the network, say. The server has not been asked then."""
    if not response.is_success or "text/html" not in response.headers.get("content-type", ""):
        return None  # truth: the server itself has answered, well or not
    text = "Something answered in the server's place, perhaps the network's sign-in page."
    return ApiError("in_between", response.status_code, text, retry=True)


def _segment(text: str) -> str:
    return quote(text, safe="")
