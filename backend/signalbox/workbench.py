"""What the agents of a run work with, made once for a process: models and what they cost, tools, memory, prompts."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import structlog
from redis.asyncio import Redis

from signalbox.agents.base import Agent, TurnContext
from signalbox.agents.budget import PromptBudgets
from signalbox.agents.tools_clock import LoopLimits
from signalbox.db import Database
from signalbox.llm.answer_cache import AnswerCache
from signalbox.llm.base import Model
from signalbox.llm.catalogue import Catalogue
from signalbox.llm.embedding import Embedder
from signalbox.llm.kept_answers import KeptAnswers
from signalbox.llm.models import Models, shared_breaker
from signalbox.memory.profile import ProfileStore
from signalbox.metrics import Metrics
from signalbox.pinned import Pinned
from signalbox.retrieval.index import JobIndex
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.runs.books import Books
from signalbox.runs.budget import Budgets
from signalbox.runs.journal import RunJournal
from signalbox.runs.paying import Payments
from signalbox.runs.pins import Pins, bundle_of
from signalbox.runs.records import StartedRun
from signalbox.settings import Settings
from signalbox.stream.owned import owned_prefix
from signalbox.tools.base import Kit, Tool
from signalbox.tools.boards.build import build_boards
from signalbox.tools.boards.fetch import board_client
from signalbox.tools.fault_points import FaultyEmbedder
from signalbox.tools.faults import Faults
from signalbox.tools.mailing import Mailer, build_mailer
from signalbox.tools.mcp.config import load_mcp_config
from signalbox.tools.mcp.host import McpHost
from signalbox.tools.toolbox import build_tools, find_tools

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Workbench:
    """``context_for`` hands a run what it needs; ``behind`` gives a model for the work that it leaves behind."""

    settings: Settings
    db: Database
    embedder: Embedder
    vocabulary: SkillVocabulary
    agents: Mapping[str, Agent]
    models: Models
    pins: Pins
    payments: Payments
    answers: AnswerCache
    budgets: PromptBudgets
    profiles: ProfileStore
    index: JobIndex
    boards: tuple[Tool[Any, Any], ...]
    mailer: Mailer | None
    mcp: McpHost
    faults: Faults

    async def context_for(self, run: StartedRun, journal: RunJournal) -> TurnContext:
        """Raises ``ModelRetired`` and ``StoreUnavailable``."""
        pinned = await self.pins.of(run.pins)
        asked = self._with_answers(self.models.planned(run.model, pinned.models), run, pinned)
        return TurnContext(
            owner=run.owner,
            message_id=run.answer_id,
            model=self.payments.of_run(asked, journal, run.owner, run.run_id),
            budget=self.budgets.of_run(run.model, pinned.models, journal),
            tools=self.faults.wrap(await self.mcp.tools(run.owner, journal.emitter.emit) | self._tools(run)),
            strict=self.settings.strict_tools,
            emitter=journal.emitter,
            agents=self.agents,
            journal=journal,
            pinned=pinned,
            limits=loop_limits(self.settings),
        )

    def behind(self, run: StartedRun) -> Model:
        return self.payments.behind(self.models.current, run.owner, run.run_id)

    def _tools(self, run: StartedRun) -> dict[str, Tool[Any, Any]]:
        return build_tools(
            Kit(
                db=self.db,
                embedder=self.embedder,
                index=self.index,
                profiles=self.profiles,
                vocabulary=self.vocabulary,
                owner=run.owner,
                message_id=run.message_id,
                temporary=run.temporary,
                boards=self.boards,
                mailer=self.mailer,
            )
        )

    def _with_answers(self, model: Model, run: StartedRun, pinned: Pinned) -> Model:
        """Temporary conversations neither read what is kept nor leave anything."""
        if run.temporary:
            return model
        prefix = owned_prefix(run.owner.tenant, run.owner.user_id)
        return self.answers.over(model, prefix, run.conversation_id, pinned.models)


@asynccontextmanager
async def open_workbench(
    settings: Settings,
    db: Database,
    redis: Redis,
    embedder: Embedder,
    vocabulary: SkillVocabulary,
    *,
    agents: Mapping[str, Agent],
    model: Model | None,
) -> AsyncIterator[Workbench]:
    """``model`` replaces the configured ones. Raises ``ConfigurationError``."""
    async with AsyncExitStack() as stack:
        catalogue = await asyncio.to_thread(Catalogue.open, settings)
        models = Models(settings, shared_breaker(settings, redis), model, catalogue)
        stack.push_async_callback(models.close)
        if settings.max_runs:
            await models.open()
        asked: Embedder = FaultyEmbedder(embedder) if settings.faults else embedder
        boards: tuple[Tool[Any, Any], ...] = ()
        if settings.job_boards:
            http = await stack.enter_async_context(board_client(faulty=bool(settings.faults)))
            boards = build_boards(settings, http, vocabulary, asked)
        kept = KeptAnswers(redis, keep_s=settings.answer_cache_s)
        yield Workbench(
            settings=settings,
            db=db,
            embedder=asked,
            vocabulary=vocabulary,
            agents=agents,
            models=models,
            pins=Pins(db, bundle_of(agents, find_tools()) | {"models": models.told}),
            payments=_payments(settings, db, catalogue),
            answers=AnswerCache(kept, embedder, mode=settings.answer_cache, everything=settings.answer_cache_all),
            budgets=await asyncio.to_thread(PromptBudgets.open, settings),
            profiles=ProfileStore(db),
            index=JobIndex(db, asked, vocabulary),
            boards=boards,
            mailer=build_mailer(settings),
            mcp=McpHost(await asyncio.to_thread(load_mcp_config, settings.mcp_config), db),
            faults=faults_of(settings, boards),
        )


def loop_limits(settings: Settings) -> LoopLimits:
    """How long a model may go on calling tools."""
    return LoopLimits(
        turns=settings.tool_turns,
        seconds=settings.tool_turns_s,
        step_s=settings.tool_look_s,
        tokens=settings.tool_turns_tokens,
    )


def faults_of(settings: Settings, boards: Sequence[Tool[Any, Any]]) -> Faults:
    """The faults that the settings ask for, said loudly. Raises ``ConfigurationError``."""
    names = [*(kind.name for kind in find_tools()), *(board.name for board in boards)]
    faults = Faults.parse(settings.faults, seed=settings.faults_seed, tools=names)
    if faults.active:
        logger.warning("FAULTS ARE INJECTED ON PURPOSE: unset SIGNALBOX_FAULTS to stop", faults=faults.told)
    return faults


def _payments(settings: Settings, db: Database, catalogue: Catalogue) -> Payments:
    books = Books(db, Metrics())
    return Payments(books, catalogue, Budgets.of(settings, books))
