"""What a client sees when the model's provider fails: `make drill`, or `scripts/fallback_drill.py [--runs N]`.

A real server, and two providers on loopback that take 120 ms to their first word: one is broken on purpose, the other
is its fallback. Prints, for each way to fail, the time to the first token beside the healthy case and the events.
"""

import argparse
import asyncio
import itertools
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "llm")]

from loopback import Loopback, Reply, failure, sse  # noqa: E402

from live import parse, serving  # noqa: E402
from signalbox.db import migrate  # noqa: E402
from signalbox.embedded import embedded_servers  # noqa: E402
from signalbox.services import open_services  # noqa: E402
from signalbox.settings import load_settings  # noqa: E402
from signalbox.telemetry import configure_logging  # noqa: E402

FIRST_WORD_S = 0.12
WORDS = ("Say ", "what ", "you ", "did, ", "then ", "ask.")
GOOD = Reply(sse(*WORDS), head_delay_s=FIRST_WORD_S, pieces=120, delay_s=0.005)
CUT = Reply(sse(*WORDS[:3], finish=None, done=False), head_delay_s=FIRST_WORD_S, pieces=120, delay_s=0.005)
SILENT = Reply(head_delay_s=3_600)
ASK = "/general how do I ask for a raise"


@dataclass(frozen=True)
class Scene:
    """``primary`` and ``spare``: their replies in each run; none means that nothing listens there."""

    name: str
    primary: tuple[Reply, ...]
    spare: tuple[Reply, ...] = (GOOD,)
    settings: dict[str, Any] = field(default_factory=dict)
    warm_up: int = 0


LIMITED = {"message": "Rate limit reached", "type": "tokens", "code": "rate_limit_exceeded"}
SCENES = (
    Scene("healthy", (GOOD,)),
    Scene("one failure (503), then well", (failure(503), GOOD)),
    Scene("down: connections refused", ()),
    Scene("down: every request 503", (failure(503),)),
    Scene("down, breaker open", (failure(503),), settings={"breaker_failures": 3}, warm_up=1),
    Scene("slow: silent, deadline 2 s", (SILENT,), settings={"first_token_s": 2.0}),
    Scene("slow, hedged after 0.3 s", (SILENT,), settings={"hedge_s": 0.3}),
    Scene("429, retry-after 1 s, then well", (failure(429, LIMITED, retry_after="1"), GOOD)),
    Scene("429, retry-after 20 s", (failure(429, LIMITED, retry_after="20"),)),
    Scene("429, no retry-after", (failure(429, LIMITED),)),
    Scene("key refused (401)", (failure(401),)),
    Scene("cut in mid-text, then well", (CUT, GOOD)),
    Scene("cut in mid-text, then down", (CUT, failure(503))),
    Scene("cut in mid-text, then all down", (CUT, failure(503)), (failure(503),)),
    Scene("all down", (failure(503),), (failure(503),)),
)


@dataclass(frozen=True)
class Seen:
    first: float | None
    kept: float | None
    total: float
    types: tuple[str, ...]
    status: str
    asked: tuple[int, int]


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="runs of each scene; times are medians")
    parser.add_argument("--data", type=Path, help="folder to keep for the next time; a fresh one when not given")
    options = parser.parse_args()
    configure_logging("error", as_json=False)
    with tempfile.TemporaryDirectory(prefix="sb-") as fresh:
        folder = options.data or Path(fresh)
        async with embedded_servers(folder, lambda _: None) as servers:
            await migrate(servers.database_url)
            common = {"data_dir": folder, "database_url": servers.database_url, "redis_url": servers.redis_url}
            print("| scene | first token | of healthy | text that stays | end | asked | status | events |")
            print("|---|---|---|---|---|---|---|---|")
            healthy = 0.0
            for number, scene in enumerate(SCENES):
                seen = await play(scene, number, common, options.runs)
                first = median(one.first for one in seen)
                healthy = healthy or first or 0.0
                print(row(scene, seen, first, healthy), flush=True)


async def play(scene: Scene, number: int, common: dict[str, Any], runs: int) -> list[Seen]:
    async with Loopback(*scene.primary) as primary, Loopback(*scene.spare) as spare:
        if not scene.primary:
            primary._server.close()  # noqa: SLF001 - its port is known, and refuses from now on
        settings = load_settings(
            **common,
            model=f"primary-{number}",  # a model of its own: no scene meets the breaker of another
            model_base_url=primary.url,
            providers=(f"spare=http://{spare.url.removeprefix('http://')}/v1",),
            model_fallbacks=(f"spare-{number}@spare",),
            extract_facts=False,
            secret_key="only-for-the-drill-only-for-the-drill",
            **{"breaker_failures": 1_000, "first_token_s": 5.0, "retry_budget_s": 10.0, **scene.settings},
        )
        async with open_services(settings) as services, serving(settings, services) as server, server.user() as user:
            await user.get("/v1/conversations")
            seen = []
            for _ in range(scene.warm_up + runs):
                primary.requests.clear()
                spare.requests.clear()
                for key in [key async for key in services.log._redis.scan_iter("sb:breaker:*:limited")]:  # noqa: SLF001
                    await services.log._redis.delete(key)  # noqa: SLF001 - each run meets its own rate limit
                seen.append(await ask(user, primary, spare))
    return seen[scene.warm_up :]


async def ask(user: httpx.AsyncClient, primary: Loopback, spare: Loopback) -> Seen:
    began = time.perf_counter()
    times: list[tuple[str, float]] = []
    raw = b""
    headers = {"Accept": "text/event-stream"}
    async with user.stream("POST", "/v1/chat", json={"message": ASK}, headers=headers) as response:
        async for piece in response.aiter_raw():
            raw += piece
            now = time.perf_counter() - began
            whole, _, _ = raw.rpartition(b"\n\n")
            types = parse(whole + b"\n\n").types
            times += [(name, now) for name in types[len(times) :]]
    found = parse(raw)
    last = max((at for at, name in enumerate(found.types) if name == "rewind"), default=0)
    chunks = [(at, when) for at, (name, when) in enumerate(times) if name == "chunk"]
    return Seen(
        first=chunks[0][1] if chunks else None,
        kept=next((when for at, when in chunks if at > last), None),
        total=times[-1][1],
        types=tuple(found.types),
        status=found.events[-1].data["status"],
        asked=(len(primary.requests), len(spare.requests)),
    )


def row(scene: Scene, seen: list[Seen], first: float | None, healthy: float) -> str:
    one = seen[-1]
    asked = "primary {}, spare {}".format(*(round(statistics.median(one.asked[at] for one in seen)) for at in (0, 1)))
    ratio = f"{first / healthy:.1f}" if first and healthy else "-"
    kept, total = ms(median(one.kept for one in seen)), ms(median(one.total for one in seen))
    cells = (scene.name, ms(first), ratio, kept, total, asked, one.status, events(one.types))
    return "| " + " | ".join(cells) + " |"


def events(types: tuple[str, ...]) -> str:
    """From the agent's start on, runs of one type as one."""
    tail = types[types.index("agent_started") + 1 :] if "agent_started" in types else types
    told = [(name, len(list(group))) for name, group in itertools.groupby(tail)]
    return " ".join(name if count == 1 else f"{name}x{count}" for name, count in told)


def median(values: Any) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def ms(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1000:,.0f} ms"


if __name__ == "__main__":
    asyncio.run(main())
