"""What a process of the chaos tests runs: a real worker or a real API, with points where it may be struck."""

import asyncio
import os
import socket
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import uvicorn
import uvloop
from chaos_points import Plan, around, points

import signalbox.services
import signalbox.tools
from signalbox.app import create_app
from signalbox.llm.base import Finish, ModelRequest, StreamItem, TextDelta, Usage
from signalbox.llm.scripted import ScriptedModel
from signalbox.runs.claims import ClaimStore
from signalbox.runs.records import StartedRun
from signalbox.runs.steps import StepStore
from signalbox.runs.store import RunStore
from signalbox.serving import DrainingServer, http_protocol
from signalbox.settings import Settings, load_settings
from signalbox.stream.log import EventLog
from signalbox.telemetry import configure_logging

HERE: Final = Path(__file__).parent
PAUSE_S: Final = 0.02


@dataclass(frozen=True, slots=True)
class Job:
    """What a child is to be. ``port`` makes it an API process, otherwise it is a worker."""

    settings: dict[str, Any]
    diary: Path
    log: Path
    plan: Plan | None = None
    port: int | None = None


class PacedModel(ScriptedModel):
    """Streams the draft word by word, at the pace of a real model."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        points.reached("model.before")
        words = request.draft.split(" ")
        for number, word in enumerate(words):
            await asyncio.sleep(PAUSE_S)
            if number == len(words) // 2:
                points.reached("model.inside")
            yield TextDelta(word if number == 0 else f" {word}")
        points.reached("model.after")
        yield Usage(self.name, 0, 0, len(words), estimated=False)
        yield Finish("stop", "req_1")


class NoEmbedder:
    """All messages here are commands: nothing is classified or searched, and loading a network takes half a second."""

    async def embed(self, texts: list[str]) -> list[Any]:
        return [None for _ in texts]

    async def close(self) -> None:
        """Holds nothing."""


class Nothing:
    """In the place of the intent classifier and the vocabulary of skills."""

    @classmethod
    def open(cls, _folder: Path, _embedder: NoEmbedder) -> "Nothing":
        return cls()

    @classmethod
    def load(cls) -> "Nothing":
        return cls()


def run(job: Job, wire: Connection) -> None:
    """The child's whole life: until the other end of ``wire`` goes away, or it is struck."""
    log = os.open(job.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    points.open(job.diary, job.plan)
    _compose()
    configure_logging("info", as_json=True)
    settings = load_settings(agents_dir=HERE / "agents", model="scripted", **job.settings)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_live(settings, job, wire))


def _compose() -> None:
    signalbox.tools.__path__.append(str(HERE / "tools"))
    signalbox.services.Embedder = NoEmbedder  # type: ignore[assignment,misc]
    signalbox.services.IntentClassifier = Nothing  # type: ignore[assignment,misc]
    signalbox.services.SkillVocabulary = Nothing  # type: ignore[assignment,misc]
    around(StepStore, "add", _of_add)
    around(StepStore, "intend", lambda *_: "intend")
    around(StepStore, "ask", lambda *_: "ask")
    around(StepStore, "history", lambda *_: "history")
    around(
        ClaimStore,
        "claim",
        lambda *_: "claim",
        counts=lambda value: bool(value[0]),
        holds=lambda value: [run.run_id for run in value[0]],
    )
    around(ClaimStore, "renew", lambda *_: "renew", holds=list)
    around(ClaimStore, "park", _of_park)
    around(RunStore, "finish", lambda *_: "finish")
    around(EventLog, "take_over", lambda *_: "take_over")
    around(EventLog, "append", _of_append)


def _of_add(_hold: Any, rows: Any, _at: Any, *, done: Any = None) -> str:
    return f"commit_{'effect' if done is not None else rows[-1]['kind']}"


def _of_park(run: StartedRun, _ending: Any) -> str:
    points.diary.write("park", run_id=run.run_id)
    return "park"


def _of_append(batches: Any) -> str | None:
    if not any(batch.events for batch in batches):
        return None
    return "append_complete" if any(batch.closes for batch in batches) else "append"


async def _live(settings: Settings, job: Job, wire: Connection) -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_reader(wire.fileno(), stop.set)
    async with signalbox.services.open_services(settings, model=PacedModel()) as services:
        if job.port is None:
            wire.send(os.getpid())
            await stop.wait()
            return
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", job.port))
        config = uvicorn.Config(
            create_app(settings, services),
            log_level="warning",
            http=http_protocol(settings.send_timeout_s),
            timeout_keep_alive=75,  # as the product has it: no connection is closed under a message that is just sent
        )
        server = DrainingServer(config, services, on_started=lambda: wire.send(os.getpid()))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        await stop.wait()
        server.should_exit = True
        await serving
