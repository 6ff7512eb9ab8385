"""Readers of a run, byte by byte, and what they end up with: the state of a client, comparable between runs."""

import asyncio
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Final

import httpx

from live import Event, parse
from signalbox.events import decode
from signalbox.runs.journal import MAYBE_DONE
from signalbox.view import ConversationView, final, reduce

# A reader hangs up by itself after about so many bytes, as a phone does.
HANG_UP_BYTES: Final = (500, 12_000)


@dataclass
class Reader:
    """Follows one run from ``cursor`` to its end, over as many connections as it takes."""

    http: httpx.AsyncClient
    url: Callable[[], str]
    run_id: str
    cursor: str | None = None
    hangs_up: bool = True
    events: list[Event] = field(default_factory=list)
    connections: int = 0

    async def read(self) -> list[Event]:
        while not (self.events and ended(self.events[-1])):
            try:
                await self._connection()
            except httpx.TransportError:
                await asyncio.sleep(0.1)  # the API process is gone, another one comes
        return self.events

    async def _connection(self) -> None:
        headers = {"Last-Event-ID": self.cursor} if self.cursor else {}
        patience = random.randint(*HANG_UP_BYTES) if self.hangs_up else 1 << 40
        raw = b""
        self.connections += 1
        url = f"{self.url()}/v1/runs/{self.run_id}/events"
        async with self.http.stream("GET", url, headers=headers) as response:
            if response.status_code == 204:
                await asyncio.sleep(0.1)  # it waits for a human
                return
            if response.status_code == 503 and json.loads(await response.aread())["retry"]:
                await asyncio.sleep(0.1)  # as a client is told to: a store did not answer in time
                return
            assert response.status_code == 200, await response.aread()
            async for piece in response.aiter_raw():
                raw += piece
                whole = raw.rfind(b"\n\n") + 2
                if whole > 1:
                    self._take(parse(raw[:whole]).events)
                    patience -= whole
                    raw = raw[whole:]
                if patience < 0:
                    return

    def _take(self, events: Sequence[Event]) -> None:
        for event in events:
            assert event.type not in {"gap", "snapshot"}, f"{event.type} for a reader that missed nothing"
            if self.cursor is not None:
                assert event.data["seq"] == int(self.cursor.rpartition("-")[2]) + 1, "lost, doubled or out of order"
            else:
                assert event.data["seq"] == 1, "a conversation begins with its first event"
            assert not (self.events and ended(self.events[-1])), "an event after the end"
            self.events.append(event)
            self.cursor = event.id


def ended(event: Event) -> bool:
    return event.type == "complete" and event.data["status"] != "waiting"


def check_whole(events: Sequence[Event]) -> None:
    """One run's events from first to last: contiguous, and exactly one end that is last."""
    assert [event.data["seq"] for event in events] == list(range(1, len(events) + 1))
    assert [at for at, event in enumerate(events) if ended(event)] == [len(events) - 1]


# -- what a client shows


def folded(events: Sequence[Event]) -> dict[str, Any]:
    """The reduced state of a client that got these events, with all that it shows of the run."""
    view = ConversationView()
    for event in events:
        view = reduce(view, decode(json.dumps(event.data)))
    (run,) = view.runs
    lasting = final(view)[run.run_id].model_dump(mode="json")
    fleeting = run.model_dump(mode="json", include={"status", "agent", "intent", "usage", "errors", "tools"})
    asked = [message.text for message in view.messages if message.role == "user"]
    return {**lasting, **fleeting, "asked": asked}


def normal(state: dict[str, Any], run_id: str, message_id: str) -> dict[str, Any]:
    """``state`` with ids by their order, and without questions about what may have happened already."""
    doubted = {
        block["approval_id"]
        for block in state["blocks"]
        if block["type"] == "approval_required" and block["risk"].startswith(MAYBE_DONE)
    }
    blocks = [block for block in state["blocks"] if block.get("approval_id") not in doubted]
    for block in blocks:
        block.pop("expires_at", None)
    tools = state["tools"]
    if doubted:  # a human may have said that it was done already
        tools = [{**tool, "status": "ok", "kind": None, "note": ""} for tool in tools]
    text = json.dumps({**state, "blocks": blocks, "tools": tools})
    text = text.replace(run_id.partition("_")[2], "RUN").replace(message_id, "ASKED")
    for kind in ("call", "ap"):
        found = dict.fromkeys(re.findall(rf'"{kind}_[0-9a-f]+"', text))
        for number, name in enumerate(found):
            text = text.replace(name, f'"{kind.upper()}{number}"')
    told: dict[str, Any] = json.loads(text)
    return told


def differences(left: Any, right: Any, path: str = "") -> Iterator[str]:
    """Where two states differ, for a failing test to say."""
    if isinstance(left, dict) and isinstance(right, dict):
        for name in sorted(left.keys() | right.keys()):
            yield from differences(left.get(name), right.get(name), f"{path}.{name}")
    elif isinstance(left, list) and isinstance(right, list):
        for at, (one, other) in enumerate(zip_longest(left, right)):
            yield from differences(one, other, f"{path}[{at}]")
    elif left != right:
        yield f"{path}: {left!r} != {right!r}"
