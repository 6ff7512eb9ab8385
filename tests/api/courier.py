"""An agent that sends mail, as somebody would put one into their agents folder, and how tests talk to it."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import httpx

from live import Parsed, ask, read_all

SOURCE = '''
from signalbox.agents.turn import Facts
from signalbox.blocks import EmailDraft
from signalbox.events import Thinking
from signalbox.tools.result import Ok
from signalbox.tools.send_email import Mail, SendEmail


class Courier:
    """"/courier a@b.example c@d.example": one mail after the other, each to be approved; "/courier 50 a@b.example"
    says fifty things before.
    """

    name = "courier"
    label = "Courier"
    when_to_use = "The user wants a parcel notice sent."
    examples = ("send the parcel notice", "mail out the courier note", "tell them that the parcel left")
    instructions = "Say what was sent."

    async def respond(self, turn, ctx):
        said = []
        words = turn.message.split()
        for number in range(int(words.pop(0)) if words[0].isdecimal() else 0):
            await ctx.emit(Thinking(stage="packing", label=f"Parcel {number}"))
        for address in words:
            await ctx.emit(EmailDraft(to=address, subject="Hello", body="The parcel is on its way."))
            mail = Mail(to=address, subject="Hello", body="The parcel is on its way.")
            result = await ctx.call(SendEmail, mail)
            said.append(f"Sent to {address}." if isinstance(result, Ok) else f"Not sent: {result.note}.")
        return await ctx.reply(self, turn, Facts(), " ".join(said))
'''

JSON = {"Accept": "application/json"}


def agents_in(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "courier.py").write_text(SOURCE)
    return folder


async def asked(client: httpx.AsyncClient, to: str = "ann@example.org", **body: Any) -> dict[str, Any]:
    """A run that waits for its first approval."""
    run = await ask(client, f"/courier {to}", **body)
    await status(client, run, "waiting")
    return run


async def status(client: httpx.AsyncClient, run: dict[str, Any], *wanted: str, within: float = 60) -> dict[str, Any]:
    async with asyncio.timeout(within):
        while True:
            row = (await client.get(f"/v1/runs/{run['run_id']}")).json()
            if row["status"] in wanted:
                return row
            assert row["status"] not in {"failed", "dead"}, row
            await asyncio.sleep(0.02)


async def approvals(client: httpx.AsyncClient, run: dict[str, Any]) -> list[dict[str, Any]]:
    response = await client.get(f"/v1/runs/{run['run_id']}/approvals")
    assert response.status_code == 200, response.text
    return response.json()["approvals"]


async def decide(client: httpx.AsyncClient, run: dict[str, Any], decision: str, **body: Any) -> httpx.Response:
    """Decide the run's last approval."""
    last = (await approvals(client, run))[-1]["approval_id"]
    return await post(client, run, last, decision=decision, **body)


async def post(client: httpx.AsyncClient, run: dict[str, Any], approval_id: str, **body: Any) -> httpx.Response:
    return await client.post(f"/v1/runs/{run['run_id']}/approvals/{approval_id}", json=body)


async def rest(client: httpx.AsyncClient, run: dict[str, Any], after: str | None = None) -> Parsed:
    return await read_all(client, run["events_url"], headers={"Last-Event-ID": after} if after else {})


def statuses(events: Iterable[Any]) -> list[str]:
    """Those of the ``complete`` events."""
    return [event.data["status"] for event in events if event.type == "complete"]
