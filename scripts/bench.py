"""Measures a server of this checkout from outside, over real HTTP: `make bench`, or `scripts/bench.py --help`.

The server (with its embedded PostgreSQL and Valkey) runs on one core, this program on another where there are two.
Runs are the scripted model's `/ticks`. Numbers of one pass compare with each other, not with another day's.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import psutil

KEY = "bench-key"
EVENT = re.compile(rb"event: (\w+)\nid: ([^\n]+)\n")
TOKEN = re.compile(rb'"type":"chunk"[^\n]*?"content":"@(\d{6})@')
now = time.perf_counter


class Server:
    """`signalbox serve` with a fresh data folder, on its own core, and what its process tree uses."""

    def __init__(self, port: int, core: int | None, heartbeat_s: float) -> None:
        self.data = Path(tempfile.mkdtemp(prefix="sb-bench-"))
        self.port = port
        env = {
            **{k: v for k, v in os.environ.items() if not k.startswith("SIGNALBOX_")},
            "SIGNALBOX_DATA_DIR": str(self.data), "SIGNALBOX_MODEL": "scripted", "SIGNALBOX_LOG_LEVEL": "warning",
            "SIGNALBOX_API_KEYS": f"{KEY}:bench", "SIGNALBOX_HEARTBEAT_S": str(heartbeat_s),
        }  # fmt: skip
        pin = (lambda: os.sched_setaffinity(0, {core})) if core is not None else None
        command = [Path(sys.executable).parent / "signalbox", "serve", "--port", str(port)]
        self.process = subprocess.Popen(command, env=env, preexec_fn=pin)  # noqa: PLW1509 - no threads here

    async def ready(self) -> None:
        while True:
            if self.process.poll() is not None:
                raise SystemExit("the server did not start")
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.write(b"GET /readyz HTTP/1.0\r\n\r\n")
                head = await reader.read(64)
                writer.close()
                if b" 200 " in head:
                    return
            await asyncio.sleep(0.2)

    def tree(self) -> list[psutil.Process]:
        root = psutil.Process(self.process.pid)
        return [root, *root.children(recursive=True)]

    def cpu(self) -> dict[str, float]:
        """Seconds of CPU by program: python, valkey-server, postgres."""
        used: dict[str, float] = {}
        for process in self.tree():
            with contextlib.suppress(psutil.Error):
                times = process.cpu_times()
                name = process.name()
                used[name] = used.get(name, 0) + times.user + times.system + times.children_user + times.children_system
        return used

    def memory(self) -> int:
        return sum(process.memory_info().rss for process in self.tree())

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(15)
        self.process.kill()
        shutil.rmtree(self.data, ignore_errors=True)


class Stream(asyncio.Protocol):
    """One SSE response, read as bytes: when each token came, the last id, heartbeats."""

    def __init__(self, request: bytes, stop_after: int | None = None) -> None:
        self.request, self.stop_after = request, stop_after
        self.tokens: list[int] = []
        self.times: list[float] = []
        self.beats: list[float] = []
        self.first_event = self.last_id = self.run = None
        self.tail = self.head = b""
        loop = asyncio.get_running_loop()
        self.opened: asyncio.Future = loop.create_future()
        self.done: asyncio.Future = loop.create_future()

    def connection_made(self, transport) -> None:
        self.transport = transport
        self.start = now()
        transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        at = now()
        if not self.opened.done():
            self.head += data
            if b"\r\n\r\n" not in self.head:
                return None
            head, _, data = self.head.partition(b"\r\n\r\n")
            if b" 200 " not in head[:16]:
                return self._finish(RuntimeError(self.head[:300].decode(errors="replace")))
            found = re.search(rb"x-run-id: (\S+)", head)
            self.run = found[1] if found else None
            self.opened.set_result(None)
        block = self.tail + data
        cut = block.rfind(b"\n\n") + 2
        if cut < 2:
            self.tail = block
            return None
        block, self.tail = block[:cut], block[cut:]
        if b": heartbeat" in block:
            self.beats.append(at)
        events = EVENT.findall(block)
        if events:
            self.first_event = self.first_event or at - self.start
            self.last_id = events[-1][1]
        tokens = TOKEN.findall(block)
        self.tokens += map(int, tokens)
        self.times += [at] * len(tokens)
        cut = self.stop_after is not None and self.tokens and self.tokens[-1] >= self.stop_after
        if cut or any(kind == b"complete" for kind, _ in events):
            self._finish(None)
        return None

    def connection_lost(self, exc) -> None:
        self._finish(exc or RuntimeError("the connection was lost"))

    def _finish(self, problem) -> None:
        for future in (self.opened, self.done):
            if not future.done():
                future.set_exception(problem) if problem else future.set_result(self)
                if problem:
                    future.exception()
        self.transport.abort()


class Bench:
    def __init__(self, server: Server) -> None:
        self.server = server

    def request(self, method: str, path: str, body: dict | None = None, cursor: bytes | None = None) -> bytes:
        raw = json.dumps(body).encode() if body else b""
        head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {KEY}\r\nAccept: text/event-stream\r\n"
        if cursor:
            head += f"Last-Event-ID: {cursor.decode()}\r\n"
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(raw)}\r\n"
        return head.encode() + b"\r\n" + raw

    async def open(self, request: bytes, stop_after: int | None = None) -> Stream:
        loop = asyncio.get_running_loop()
        _, stream = await loop.create_connection(lambda: Stream(request, stop_after), "127.0.0.1", self.server.port)
        return stream

    async def start(self, n: int, delay: float, hold: float = 0, stop_after: int | None = None) -> Stream:
        return await self.open(self.request("POST", "/v1/chat", {"message": f"/ticks {n} {delay} {hold}"}), stop_after)

    async def run(self, n: int, delay: float) -> Stream:
        stream = await self.start(n, delay)
        await asyncio.wait_for(stream.done, 120)
        assert stream.tokens == list(range(n)), "tokens lost, doubled or out of order"
        return stream

    async def follow(self, run: bytes, cursor: bytes | None = None) -> Stream:
        return await self.open(self.request("GET", f"/v1/runs/{run.decode()}/events", cursor=cursor))

    async def first_tokens(self, at_once: int, rounds: int) -> dict:
        streams = []
        for _ in range(rounds):
            streams += await asyncio.gather(*(self.run(30, 20) for _ in range(at_once)))
        gaps = [b - a for s in streams for a, b in pairwise(s.times)]
        return {
            "first event p50 ms": median_ms([s.first_event for s in streams]),
            "first chunk p50 ms": median_ms([s.times[0] - s.start for s in streams]),
            "gap p99 ms": percentile_ms(gaps, 99),
        }

    async def throughput(self, at_once: int, n: int) -> dict:
        before, started, streams = self.server.cpu(), now(), []
        while now() - started < 3:
            streams += await asyncio.gather(*(self.run(n, 0) for _ in range(at_once)))
        wall = now() - started
        events = sum(len(s.tokens) for s in streams)
        used = {name: seconds - before.get(name, 0) for name, seconds in self.server.cpu().items()}
        parts = ", ".join(f"{name} {seconds / events * 1e6:.0f}" for name, seconds in used.items())
        return {
            "events/s": round(events / wall),
            "CPU ms per 1,000 events": round(sum(used.values()) / events * 1e6, 1),
            "of it": parts,
        }

    async def resume(self, cuts: int) -> dict:
        took, clean, rng = [], 0, random.Random(1)
        for _ in range(cuts):
            cut = rng.randrange(5, 60)
            stream = await self.start(100, 5, stop_after=cut)
            await stream.done
            await asyncio.sleep(0.05)
            again = await self.follow(stream.run, stream.last_id)
            await again.done
            clean += again.tokens == list(range(stream.tokens[-1] + 1, 100))
            took.append(again.times[0] - again.start)
        return {"resume p50 ms": median_ms(took), "exact": f"{clean} of {cuts}"}

    async def fan_out(self, readers: int) -> dict:
        source = await self.start(100, 20)
        await source.opened
        streams = await asyncio.gather(*(self.follow(source.run) for _ in range(readers)))
        before = self.server.cpu()
        await asyncio.gather(*(s.done for s in streams))
        used = sum(self.server.cpu().values()) - sum(before.values())
        whole = sum(s.tokens == list(range(100)) for s in streams)
        delivered = sum(len(s.tokens) for s in streams)
        return {"CPU ms per 1,000 deliveries": round(used / delivered * 1e6, 1), "whole": f"{whole} of {readers}"}

    async def idle(self, readers: int, runs: int, heartbeat_s: float) -> dict:
        """Idle readers of one silent run, then runs beside them; heartbeats must come on time all along."""
        await asyncio.gather(*(self.run(5, 0) for _ in range(20)))
        source = await self.start(1, 0, 600)
        await source.opened
        before = self.server.memory()
        streams: list[Stream] = []
        while len(streams) < readers:
            streams += await asyncio.gather(*(self.follow(source.run) for _ in range(min(50, readers - len(streams)))))
        await asyncio.gather(*(s.opened for s in streams))
        await asyncio.sleep(1)
        each = (self.server.memory() - before) / readers / 1024
        busy = [s for _ in range(3) for s in await asyncio.gather(*(self.run(100, 20) for _ in range(runs)))]
        await asyncio.sleep(heartbeat_s * 2)
        late = [b - a - heartbeat_s for s in streams for a, b in pairwise(s.beats)]
        gaps = [b - a for s in busy for a, b in pairwise(s.times)]
        for stream in (*streams, source):
            stream.transport.abort()
        return {
            "KiB per idle reader": round(each, 1),
            "heartbeats seen": sum(len(s.beats) for s in streams),
            "heartbeat lateness p99 ms": percentile_ms(late, 99),
            f"gap p99 ms of {runs} runs beside them": percentile_ms(gaps, 99),
        }


def median_ms(seconds: list[float]) -> float:
    return round(statistics.median(seconds) * 1000, 1)


def percentile_ms(seconds: list[float], q: int) -> float:
    ordered = sorted(seconds) or [float("nan")]
    return round(ordered[min(len(ordered) - 1, len(ordered) * q // 100)] * 1000, 1)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50, help="concurrent runs")
    parser.add_argument("--readers", type=int, default=1000, help="idle readers")
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_setaffinity") else []
    if len(cores) > 1:
        os.sched_setaffinity(0, {cores[0]})
    server = Server(options.port, cores[1] if len(cores) > 1 else None, heartbeat_s=2)
    results: dict[str, dict] = {}
    try:
        await server.ready()
        bench = Bench(server)
        await bench.run(20, 0)
        measures = {
            "1 run": bench.first_tokens(1, 15),
            f"{options.runs} runs at once": bench.first_tokens(options.runs, 2),
            "throughput, 1 run": bench.throughput(1, 1000),
            f"throughput, {options.runs} runs": bench.throughput(options.runs, 100),
            "resume": bench.resume(50),
            "100 readers of one run": bench.fan_out(100),
            f"{options.readers} idle readers": bench.idle(options.readers, options.runs, 2),
        }
        for name, measure in measures.items():
            results[name] = await measure
            if not options.json:
                print(f"{name:>24}  " + "   ".join(f"{k}: {v}" for k, v in results[name].items()), flush=True)
        if options.json:
            print(json.dumps(results))
    finally:
        server.stop()


if __name__ == "__main__":
    asyncio.run(main())
