"""What a scripted day of 200 conversations costs, by model and task, with and without tiers and prefix caching.

`make costs`, or `scripts/cost_table.py --help`. A real server answers over real HTTP; its provider is a program on
loopback that speaks the wire, counts tokens with a real tokenizer, and knows what it has seen before, in units of 128
tokens and by model, as providers do. Costs are made of what the server wrote in its books and of the price file.
"""

import argparse
import asyncio
import hashlib
import json
import random
import tempfile
from collections import Counter, defaultdict
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any, Self

import httpx
import uvicorn
from tokenizers import Tokenizer

from signalbox import data as packaged
from signalbox.app import create_app
from signalbox.llm.base import Usage
from signalbox.llm.catalogue import Catalogue, cost
from signalbox.llm.prompts import load
from signalbox.services import open_services
from signalbox.serving import DrainingServer
from signalbox.settings import Settings, load_settings
from signalbox.telemetry import configure_logging

UNIT = 128
CHEAP, USUAL, STRONG = "openai/gpt-oss-20b", "openai/gpt-oss-120b", "qwen/qwen3.6-27b"
# Of what the models below the strong one sort and write, this share is made to be unusable, so that it is asked again.
FAULTY = 0.1
AT_ONCE = 8

# What people come with: each is a conversation; {role} and {place} vary.
TALKS: tuple[tuple[str, ...], ...] = (
    (
        "Hello!",
        "I am a {role} in {place} and want to move",
        "find {role} jobs in {place}",
        "Only remote ones",
        "thanks",
    ),
    ("find remote {role} jobs", "which of these pays best?", "What are the pros and cons of going fully remote?"),
    ("What does a {role} earn in {place}?", "and with five years more experience?", "How do I ask for that much?"),
    ("Help me prepare for an interview as a {role}", "What should I ask them?", "ok, thank you"),
    (
        "I have six years with Python and SQL and led three people",
        "What am I missing to be a {role}?",
        "Where to start?",
    ),
    ("Write a cover letter for a {role} at Northwind", "Make it shorter", "and a bit warmer please"),
    ("Write a short mail to a recruiter: I am a {role} looking for work in {place}", "Change the subject line"),
    ("I applied at Cedarvane as a {role} two weeks ago and heard nothing", "Should I write to them?", "Draft it"),
    ("Tell me about Northwind", "Would you work there?", "Is there anything open for a {role}?"),
    ("How should I lay out my CV as a {role}?", "One page or two?", "That's not what I asked. I have gaps", "great"),
    ("hmm not sure what to do next", "maybe something with people", "like {role}?", "What would that pay in {place}?"),
    ("I am burnt out and thinking of leaving", "Is a sabbatical bad for a {role}?", "How do I explain it afterwards?"),
)
ROLES = ("data analyst", "nurse", "software developer", "electrician", "teacher", "product manager", "accountant")
PLACES = ("Berlin", "Leeds", "Austin", "Toronto", "Dublin", "Manchester")
ANSWER = (
    "Here is what I found, and what I would do next. The facts above are the ones to go by: where a look-up found "
    "nothing I have said so, and where it could not be made I have said that instead. Start with the point that costs "
    "you least, since it also tells you most: write down the two things that you will not give up, and hold each offer "
    "against them. Then take the strongest example of your work and put a number to it. If you tell me more about the "
    "place and the hours that you want, I can narrow this down further."
)
LETTER = "Dear Hiring Manager,\n\nI would like to be considered for this position. [Why this company]\n\nKind regards"
FALSE_LETTER = LETTER.replace("[Why", "I hold a doctorate from Oxford and led 250 engineers at Globex. [Why")


class Provider:
    """Speaks the wire of chat completions. What it has seen is remembered for each model by itself, and for ever."""

    def __init__(self) -> None:
        self._tokenizer = Tokenizer.from_file(str(Path(packaged.__file__).parent / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._seen: dict[str, set[bytes]] = defaultdict(set)
        self._tasks = {load(name).text[:60]: name for name in ("classify", "extract", "letters", "summarise")}
        self.url = ""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
                length = int(head.partition("content-length:")[2].partition("\r\n")[0] or 0)
                body = json.loads(await reader.readexactly(length))
                writer.write(
                    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
                )
                reply = await asyncio.to_thread(self._reply, body)
                writer.write(b"%x\r\n%b\r\n0\r\n\r\n" % (len(reply), reply))
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def _reply(self, body: dict[str, Any]) -> bytes:
        model, messages = body["model"], body["messages"]
        text = self._answer(model, messages)
        prompt = json.dumps(body.get("tools") or "") + "".join(
            f"<{m['role']}>{m.get('content') or ''}" for m in messages
        )
        tokens = self._tokenizer.encode(prompt, add_special_tokens=False).ids
        usage = {
            "prompt_tokens": len(tokens),
            "completion_tokens": len(self._tokenizer.encode(text, add_special_tokens=False).ids),
            "prompt_tokens_details": {"cached_tokens": self._known(model, tokens)},
        }
        parts = [{"choices": [{"index": 0, "delta": {"content": word + " "}}]} for word in text.split(" ")]
        parts += [{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, {"choices": [], "usage": usage}]
        return b"".join(b"data: " + json.dumps(part).encode() + b"\n\n" for part in parts) + b"data: [DONE]\n\n"

    def _known(self, model: str, tokens: list[int]) -> int:
        """Length of the longest beginning that this model has seen, in whole units; remembers them all."""
        digest, known, run = hashlib.sha256(), 0, True
        for end in range(UNIT, len(tokens) + 1, UNIT):
            digest.update(json.dumps(tokens[end - UNIT : end]).encode())
            place = digest.digest()
            run = run and place in self._seen[model]
            known = end if run else known
            self._seen[model].add(place)
        return known

    def _answer(self, model: str, messages: list[dict[str, Any]]) -> str:
        system = messages[0]["content"]
        task = next((name for start, name in self._tasks.items() if system.startswith(start)), "answer")
        share = int.from_bytes(hashlib.sha256(json.dumps(messages).encode()).digest()[:4]) / 2**32
        faulty = model != STRONG and share < FAULTY
        match task:
            case "classify":
                said = '{"intent": "general", "also": [], "confidence": 0.8, "reasoning": "A question about careers."}'
                return "I would say general." if faulty else said
            case "extract":
                return '{"operations": []}'
            case "summarise":
                return '{"job_preferences": [], "mentioned_companies": [], "decisions": [], "open_questions": []}'
            case "letters":
                return FALSE_LETTER if faulty else LETTER
            case _:
                return ANSWER


def talks(count: int) -> list[list[str]]:
    """The day's conversations: always the same ones."""
    chance = random.Random(20)
    return [
        [line.format(role=chance.choice(ROLES), place=chance.choice(PLACES)) for line in TALKS[number % len(TALKS)]]
        for number in range(count)
    ]


@asynccontextmanager
async def serving(settings: Settings):
    """A server on a free port; yields its address and services."""
    async with open_services(settings) as services:
        config = uvicorn.Config(create_app(settings, services), port=0, log_level="error", access_log=False)
        started = asyncio.Event()
        server = DrainingServer(config, services, on_started=started.set)
        task = asyncio.create_task(server.serve())
        await started.wait()
        try:
            yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}", services
        finally:
            server.should_exit = True
            await task


async def day(settings: Settings, count: int) -> tuple[list[dict[str, Any]], Counter[str]]:
    """Rows of the books after ``count`` conversations, and how the runs ended."""
    ends: Counter[str] = Counter()
    async with serving(settings) as (url, services):
        await services.db.execute("TRUNCATE model_call")
        room = asyncio.Semaphore(AT_ONCE)

        async def talk(lines: list[str]) -> None:
            async with room, httpx.AsyncClient(base_url=url, timeout=120) as user:
                conversation: dict[str, str] = {}
                for line in lines:
                    told = (
                        (await user.post("/v1/chat", json={"message": line, **conversation})).raise_for_status().json()
                    )
                    conversation = {"conversation_id": told["conversation_id"]}
                    events = (await user.get(told["events_url"])).text
                    ends[json.loads(events.rpartition("event: complete")[2].partition("data: ")[2])["status"]] += 1

        await asyncio.gather(*(talk(lines) for lines in talks(count)))
        await asyncio.sleep(5)  # what goes on in the background ends
        await services.payments.books.write()
        rows = await services.db.fetch(
            "SELECT model, provider, task, count(*) AS calls, sum(input_tokens) AS input, "
            "sum(cached_tokens) AS cached, sum(output_tokens) AS output, sum(cost_usd) AS usd, "
            "count(*) FILTER (WHERE escalated) AS escalated "
            "FROM model_call GROUP BY 1, 2, 3 ORDER BY usd DESC, 1, 3"
        )
    return [dict(row) for row in rows], ends


def priced(row: dict[str, Any], catalogue: Catalogue, model: str, cached: int = 0) -> Decimal:
    """What the row's tokens cost of ``model``, so many of them cached."""
    usage = Usage(model, int(row["input"]), cached, int(row["output"]), estimated=False)
    return cost(catalogue.card(model), usage) or Decimal(0)


def printed(title: str, rows: list[dict[str, Any]], catalogue: Catalogue) -> tuple[Decimal, Decimal]:
    names = ("calls", "again", "in", "cached", "hit", "out", "USD", "no cache")
    widths = (6, 6, 10, 10, 5, 8, 9, 9)
    heads = " ".join(f"{name:>{width}}" for name, width in zip(names, widths, strict=True))
    print(f"\n{title}\n{'model':<21} {'task':<10} {heads}")
    totals = [Decimal(0), Decimal(0)]
    for row in rows:
        full, hit = priced(row, catalogue, row["model"]), row["cached"] / row["input"] if row["input"] else 0
        totals[0] += row["usd"] or 0
        totals[1] += full
        print(
            f"{row['model']:<21} {row['task']:<10} {row['calls']:>6,} {row['escalated']:>6,} {row['input']:>10,} "
            f"{row['cached']:>10,} {hit:>5.0%} {row['output']:>8,} {row['usd'] or 0:>9.4f} {full:>9.4f}"
        )
    sums = [sum(int(row[name]) for row in rows) for name in ("calls", "escalated", "input", "cached", "output")]
    hit = sums[3] / sums[2] if sums[2] else 0
    print(
        f"{'total':<21} {'':<10} {sums[0]:>6,} {sums[1]:>6,} {sums[2]:>10,} {sums[3]:>10,} {hit:>5.0%} {sums[4]:>8,} "
        f"{totals[0]:>9.4f} {totals[1]:>9.4f}"
    )
    return totals[0], totals[1]


def compared(found: dict[str, tuple[Decimal, Decimal]]) -> None:
    print(f"\n{'USD a day':<42} {'prefix caching':>15} {'none':>10}")
    for name, (cached, full) in found.items():
        print(f"{name:<42} {cached:>15.4f} {full:>10.4f}")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--talks", type=int, default=200, help="conversations of the day (default 200)")
    parser.add_argument("--data", type=Path, help="folder for the servers' data; a new one each time by default")
    given = parser.parse_args()
    configure_logging("error", as_json=False)
    data = given.data or Path(tempfile.mkdtemp(prefix="sb-costs-"))
    found: dict[str, tuple[Decimal, Decimal]] = {}
    for name, tiers in (
        ("the usual model for everything", {"model_cheap": USUAL, "model_strong": USUAL}),
        ("tiers", {"model_cheap": CHEAP, "model_strong": STRONG}),
    ):
        async with Provider() as provider:  # one that has seen nothing
            settings = load_settings(data_dir=data, model=USUAL, model_base_url=provider.url, port=0, **tiers)
            rows, ends = await day(settings, given.talks)
            catalogue = Catalogue.open(settings)
            title = f"{given.talks} conversations, {sum(ends.values())} messages ({dict(ends)}), {name}:"
            found[name] = printed(title, rows, catalogue)
            if name != "tiers":
                # It costs the same tokens; they need not be paid for to be counted.
                cached = sum((priced(row, catalogue, STRONG, int(row["cached"])) for row in rows), Decimal(0))
                full = sum((priced(row, catalogue, STRONG) for row in rows), Decimal(0))
                found["the strong model for everything (priced)"] = (cached, full)
    compared(found)


if __name__ == "__main__":
    asyncio.run(main())
