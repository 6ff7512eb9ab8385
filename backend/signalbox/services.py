"""The composition root: everything a process holds, opened in order and closed in reverse by one exit stack."""

import asyncio
import os
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import structlog
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from signalbox.agents.base import Agent
from signalbox.agents.finding import find_agents
from signalbox.db import Database
from signalbox.errors import ConfigurationError, LogUnavailable, StoreUnavailable
from signalbox.graph.build import Orchestrator
from signalbox.graph.intent import IntentClassifier
from signalbox.graph.own_intents import OwnIntents
from signalbox.llm.base import Model
from signalbox.llm.embedding import Embedder
from signalbox.memory.applications import ApplicationStore
from signalbox.memory.profile import ProfileStore
from signalbox.metrics import Metrics
from signalbox.retrieval.documents.ingest import load_guides
from signalbox.retrieval.index import JobIndex
from signalbox.retrieval.ingest import load_samples
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.retrieval.sources import Sources
from signalbox.runs.afterwards import Afterwards
from signalbox.runs.approvals import ApprovalStore
from signalbox.runs.claims import ClaimStore, Limits
from signalbox.runs.conversations import ConversationStore
from signalbox.runs.erasure import Erasure
from signalbox.runs.learning import Learner
from signalbox.runs.paying import Payments
from signalbox.runs.queue import QueueWatch
from signalbox.runs.retention import Retention
from signalbox.runs.runner import Runner
from signalbox.runs.steps import StepStore
from signalbox.runs.store import RunStore
from signalbox.runs.summaries import Summariser, SummaryStore
from signalbox.settings import Settings
from signalbox.starting import check_settings
from signalbox.stores import Progress, Stores, open_stores
from signalbox.stream.hub import Hub
from signalbox.stream.log import EventLog
from signalbox.stream.writer import Appender
from signalbox.tools.faults import Faults
from signalbox.tools.mcp.host import McpHost
from signalbox.workbench import Workbench, open_workbench

logger = structlog.get_logger(__name__)

REVIVE_EVERY_S = 10.0


@dataclass(frozen=True, slots=True)
class Services:
    """What the HTTP layer works with. ``cookie_secret`` signs anonymous users' cookies."""

    settings: Settings
    db: Database
    store: RunStore
    approvals: ApprovalStore
    conversations: ConversationStore
    summaries: SummaryStore
    profiles: ProfileStore
    applications: ApplicationStore
    sources: Sources
    index: JobIndex
    vocabulary: SkillVocabulary
    mcp: McpHost
    agents: Mapping[str, Agent]
    log: EventLog
    hub: Hub
    runner: Runner
    erasure: Erasure
    queue: QueueWatch
    cookie_secret: str
    metrics: Metrics
    payments: Payments
    faults: Faults = field(default_factory=Faults)

    async def drain(self, hurry: asyncio.Event | None = None) -> None:
        """Send readers elsewhere, let runs end for ``grace_s``, or until ``hurry``; those that do not are given back.

        The process stops accepting requests around this.
        """
        self.hub.drain()
        grace = asyncio.create_task(self.runner.drain(self.settings.grace_s))
        if hurry is not None:
            hurried = asyncio.create_task(hurry.wait())
            await asyncio.wait((grace, hurried), return_when=asyncio.FIRST_COMPLETED)
            hurried.cancel()
            if not grace.done():
                await self.runner.drain(0)
        await grace


def _redis(url: str, *, connections: int, timeout: float | None) -> Redis:
    # Retries are ours: the library's would hide an outage from the appender and the readers for seconds.
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=connections,
        timeout=5,
        socket_timeout=timeout,
        socket_connect_timeout=3,
        retry=Retry(NoBackoff(), 0),
    )
    return Redis(connection_pool=pool)


@asynccontextmanager
async def open_services(
    settings: Settings, *, model: Model | None = None, progress: Progress = lambda _: None
) -> AsyncIterator[Services]:
    """Everything a serving process needs, ready. ``model`` replaces the configured one (tests, embedders).

    Raises ``ConfigurationError`` and ``StoreUnavailable``.
    """
    agents = await asyncio.to_thread(find_agents, settings.agents_dir)  # first: a faulty one is told at once
    await asyncio.to_thread(check_settings, settings, models=model is None)
    async with AsyncExitStack() as stack:
        stores = await stack.enter_async_context(open_stores(settings, progress))
        embedder = Embedder()
        stack.push_async_callback(embedder.close)
        vocabulary = await asyncio.to_thread(SkillVocabulary.load)
        if settings.database_url is None:
            progress("loading the sample catalogue ...")
            await load_samples(stores.db, embedder, vocabulary)
            progress("loading the careers guides ...")
            await load_guides(stores.db, embedder)
        progress("preparing the intent classifier ...")
        classifier = await asyncio.to_thread(IntentClassifier.open, settings.data_dir / "models", embedder)
        yield await stack.enter_async_context(
            _serving(
                settings,
                stores,
                embedder,
                vocabulary,
                classifier,
                agents=agents,
                model=model,
            )
        )


@asynccontextmanager
async def _serving(
    settings: Settings,
    stores: Stores,
    embedder: Embedder,
    vocabulary: SkillVocabulary,
    classifier: IntentClassifier,
    *,
    agents: Mapping[str, Agent],
    model: Model | None,
) -> AsyncIterator[Services]:
    async with AsyncExitStack() as stack:
        streams = await stack.enter_async_context(_streams(settings, stores.redis_url))
        bench = await stack.enter_async_context(
            open_workbench(settings, stores.db, streams.redis, embedder, vocabulary, agents=agents, model=model)
        )
        worker = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
        store = RunStore(stores.db, lease_owner=worker, lease_s=settings.lease_s)
        orchestrator = Orchestrator(await OwnIntents.over(classifier, embedder, agents), agents)
        runner = _runner(worker, store, streams, bench, orchestrator)
        await _reach(store, streams.log)
        await bench.pins.store()
        queue = QueueWatch(stores.db)
        chores = _chores(stores, streams, bench, queue)
        await stack.enter_async_context(_tasks(streams.hub, streams.appender, runner, chores))
        yield Services(
            settings=settings,
            db=stores.db,
            store=store,
            approvals=ApprovalStore(stores.db),
            conversations=ConversationStore(stores.db),
            summaries=SummaryStore(stores.db),
            profiles=bench.profiles,
            applications=ApplicationStore(stores.db),
            sources=Sources(stores.db, embedder, bench.index),
            index=bench.index,
            vocabulary=vocabulary,
            mcp=bench.mcp,
            agents=agents,
            log=streams.log,
            hub=streams.hub,
            runner=runner,
            erasure=Erasure(stores.db, streams.log, streams.redis, stop=runner.stop, gone=runner.forgotten),
            queue=queue,
            cookie_secret=await asyncio.to_thread(settings.cookie_secret),
            metrics=bench.payments.books.metrics,
            payments=bench.payments,
            faults=bench.faults,
        )


@dataclass(frozen=True, slots=True)
class _Streams:
    """The event log, who reads it and who writes it, over connections that other things may use as well."""

    redis: Redis
    log: EventLog
    hub: Hub
    appender: Appender


@asynccontextmanager
async def _streams(settings: Settings, redis_url: str) -> AsyncIterator[_Streams]:
    async with AsyncExitStack() as stack:
        redis = _redis(redis_url, connections=16, timeout=5)
        stack.push_async_callback(redis.aclose)
        subscriptions = _redis(redis_url, connections=2, timeout=None)
        stack.push_async_callback(subscriptions.aclose)
        log = EventLog(
            redis, buffer_ttl_s=settings.buffer_ttl_s, buffer_events=settings.buffer_events, appends=subscriptions
        )
        stack.push_async_callback(log.close)
        hub = Hub(log, subscriptions, heartbeat_s=settings.heartbeat_s, send_timeout_s=settings.send_timeout_s)
        yield _Streams(redis, log, hub, Appender(log, hub))


def _runner(worker: str, store: RunStore, streams: _Streams, bench: Workbench, orchestrator: Orchestrator) -> Runner:
    settings = bench.settings
    return Runner(
        store=store,
        claims=ClaimStore(bench.db, lease_owner=worker, lease_s=settings.lease_s),
        steps=StepStore(bench.db),
        log=streams.log,
        hub=streams.hub,
        appender=streams.appender,
        orchestrator=orchestrator,
        context_for=bench.context_for,
        publish=_announcer(streams.redis),
        pins=bench.pins,
        model=bench.models.current.name,
        limits=Limits(
            runs=settings.max_runs,
            per_user=settings.max_runs_per_user,
            waiting=settings.max_waiting_per_user,
            attempts=settings.max_attempts,
            approval_s=settings.approval_s,
        ),
        afterwards=_afterwards(bench),
        lease_s=settings.lease_s,
        buffer_ttl_s=settings.buffer_ttl_s,
        ended=bench.payments.books.metrics.ended,
    )


def _afterwards(bench: Workbench) -> Afterwards:
    works = [Summariser(SummaryStore(bench.db), bench.vocabulary, bench.behind).after]
    if bench.settings.extract_facts:
        works.append(Learner(bench.profiles, bench.behind).after)
    return Afterwards(*works)


def _chores(
    stores: Stores, streams: _Streams, bench: Workbench, queue: QueueWatch
) -> Sequence[Coroutine[Any, Any, None]]:
    """What goes on beside the runs. A process that works on none connects to no MCP server, and looks after the queue
    instead.
    """
    settings = bench.settings
    kept = timedelta(days=settings.retention_days)
    chores = [
        Retention(stores.db, streams.redis).keep_pruning(kept, bench.pins.store),
        bench.payments.books.keep_writing(),
        queue.keep_looking() if settings.max_runs == 0 else bench.mcp.run(),
    ]
    if stores.revive is not None:
        chores.append(_keep_alive(stores.revive))
    return chores


def _announcer(redis: Redis) -> Callable[[str, str], Awaitable[None]]:
    async def publish(channel: str, text: str) -> None:
        try:
            await redis.publish(channel, text)
        except (RedisError, OSError) as exc:
            # The cancel flag is in the database: the worker sees it when it renews its lease.
            logger.warning("a cancel could not be announced", error=type(exc).__name__)

    return publish


async def _reach(store: RunStore, log: EventLog) -> None:
    """A server that cannot reach its stores says so at its start, not at its first message."""
    try:
        await store.ping()
    except StoreUnavailable as exc:
        raise ConfigurationError("PostgreSQL cannot be reached. Check SIGNALBOX_DATABASE_URL.") from exc
    try:
        await log.ping()
    except LogUnavailable as exc:
        raise ConfigurationError("Redis cannot be reached. Check SIGNALBOX_REDIS_URL.") from exc


async def _keep_alive(revive: Callable[[], bool]) -> None:
    """Embedded servers have no other supervisor than the process that started them."""
    while True:
        await asyncio.sleep(REVIVE_EVERY_S)
        try:
            if await asyncio.to_thread(revive):
                logger.warning("an embedded server had died and was started again")
        except ConfigurationError as exc:
            logger.warning("an embedded server cannot be started again", error=exc.public)


@asynccontextmanager
async def _tasks(
    hub: Hub, appender: Appender, runner: Runner, chores: Sequence[Coroutine[Any, Any, None]]
) -> AsyncIterator[None]:
    """The process's background tasks, all in one group; runs end before what they write through does."""
    ready, stop = asyncio.Event(), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        below = [group.create_task(work) for work in (hub.run(), appender.run(), *chores)]
        runs = group.create_task(runner.serve(ready, stop))
        await ready.wait()
        try:
            yield
        finally:
            await runner.drain(0)
            stop.set()
            await asyncio.wait([runs], timeout=10)
            for task in (runs, *below):
                task.cancel()
