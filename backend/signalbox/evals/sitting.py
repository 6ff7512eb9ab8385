"""One whole evaluation: the stores it needs, the model put to the test, its answers, and the prompts it gets."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final

from signalbox.db import Database
from signalbox.errors import ConfigurationError
from signalbox.evals import apart, judge
from signalbox.evals.apart import Pair
from signalbox.evals.doubles import careless_model, timid_model
from signalbox.evals.judge import Agreement
from signalbox.evals.performing import Theatre
from signalbox.evals.scenes import Scene, packaged_scenes
from signalbox.evals.truth import Report, evaluate
from signalbox.evals.world import open_world
from signalbox.llm.base import Model
from signalbox.llm.breaker import Breaker, MemoryMarks
from signalbox.llm.embedding import Embedder
from signalbox.llm.models import Models
from signalbox.llm.offline import OfflineModel
from signalbox.settings import Settings
from signalbox.stores import open_stores

# Data of its own, kept for the next evaluation: no user's is ever read or written.
FOLDER: Final = "truth"
QUICK: Final = 3
FULL: Final = 20
MODELS: Final = ("offline", "configured", "careless", "timid")
_JUDGED_MOST: Final = 200


@dataclass(frozen=True, slots=True)
class Sitting:
    report: Report
    pairs: tuple[Pair, ...]
    judged: Agreement | None = None


@asynccontextmanager
async def open_theatre(
    settings: Settings,
    progress: Callable[[str], None] = lambda _: None,
    *,
    db: Database | None = None,
    few: bool = False,
) -> AsyncIterator[Theatre]:
    """A stage with everything on it. Without ``db`` servers are started in a folder of their own.

    Raises ``ConfigurationError``.
    """
    async with AsyncExitStack() as stack:
        if db is None:
            # Never the operator's stores: the evaluation makes users, and deletes what they have.
            own = settings.model_copy(
                update={"data_dir": settings.data_dir / FOLDER, "database_url": None, "redis_url": None}
            )
            db = (await stack.enter_async_context(open_stores(own, progress))).db
        progress("loading the sample catalogue and what is around it ...")
        embedder = Embedder()
        stack.push_async_callback(embedder.close)
        yield Theatre(await stack.enter_async_context(open_world(settings, db, embedder, few=few)))


@asynccontextmanager
async def open_model(settings: Settings, name: str) -> AsyncIterator[Model]:
    """Raises ``ConfigurationError`` for a name that is none of ``MODELS``."""
    match name:
        case "offline":
            yield OfflineModel(delay_s=0)
        case "careless":
            yield careless_model()
        case "timid":
            yield timid_model()
        case "configured":
            models = Models(settings, Breaker(MemoryMarks()))
            await models.open()
            try:
                yield models.current
            finally:
                await models.close()
        case _:
            raise ConfigurationError(f"There is no model '{name}' to evaluate. Use one of {', '.join(MODELS)}.")


def chosen(tools: Sequence[str], agents: Sequence[str]) -> tuple[Scene, ...]:
    """The packaged scenes of these tools and agents; all without any. Raises ``ConfigurationError``."""
    scenes = packaged_scenes()
    for given, known, what in (
        (tools, {scene.tool for scene in scenes}, "tool"), (agents, {scene.agent for scene in scenes}, "agent"),
    ):  # fmt: skip
        if wrong := [name for name in given if name not in known]:
            raise ConfigurationError(
                f"No message is for the {what} '{wrong[0]}'. Use one of {', '.join(sorted(known))}."
            )
    return tuple(
        scene for scene in scenes if (not tools or scene.tool in tools) and (not agents or scene.agent in agents)
    )


async def sit(
    theatre: Theatre,
    scenes: Sequence[Scene],
    model: Model,
    *,
    quick: bool = False,
    second: Model | None = None,
    progress: Callable[[int, int], None] = lambda _, __: None,
) -> Sitting:
    """``second``: a model that judges the answers too, up to some hundreds of them. Raises ``ProviderError``."""
    report = await evaluate(theatre, scenes, model, per_cell=QUICK if quick else FULL, progress=progress)
    pairs = await apart.compared(theatre, scenes, 1 if quick else apart.PER_TOOL)
    judged = None
    if second is not None:
        texts = list(dict.fromkeys(each.text for each in report.judged))
        judged = await judge.agreement(second, texts[:: max(1, len(texts) // _JUDGED_MOST)])
    return Sitting(report, tuple(pairs), judged)
