"""The prompts and tool definitions a run began with, kept by their digest: no deploy changes them in mid-run."""

from collections.abc import Mapping
from typing import Any

import structlog
from psycopg.types.json import Jsonb

from signalbox.agents.base import Agent
from signalbox.db import Database
from signalbox.graph.model_intent import classify_prompt
from signalbox.llm.prompts import packaged_prompts, prompt_of
from signalbox.pinned import Pinned
from signalbox.tools.base import Makeable
from signalbox.tools.calling import arguments_kind, digest_of

logger = structlog.get_logger(__name__)


def bundle_of(agents: Mapping[str, Agent], tools: tuple[type[Makeable], ...]) -> dict[str, Any]:
    """What this version of the program would give a model: texts by name, tools by name."""
    prompts = dict(packaged_prompts()) | {"classify": classify_prompt(agents)}
    told = [*prompts.values(), *(prompt_of(f"agent:{agent.name}", agent.instructions) for agent in agents.values())]
    return {
        "prompts": {prompt.id: prompt.text for prompt in told},
        "versions": {prompt.id: prompt.version for prompt in told},
        "tools": {tool.name: _definition(tool) for tool in tools},
    }


def _definition(tool: Any) -> dict[str, Any]:
    return {"effect": tool.effect, "arguments": arguments_kind(tool).model_json_schema()}


class Pins:
    """The bundle of this process, and those that older runs began with. Bundles never change, so they are read once."""

    def __init__(self, db: Database, bundle: Mapping[str, Any]) -> None:
        self._db = db
        self.digest = digest_of(bundle)
        self._known: dict[str, Mapping[str, Any]] = {self.digest: bundle}

    async def store(self) -> None:
        """Make this process's bundle known to all, and that it is in use. Raises ``StoreUnavailable``."""
        await self._db.execute(
            "INSERT INTO pinned (digest, bundle) VALUES (%s, %s) ON CONFLICT (digest) DO UPDATE SET created_at = now()",
            (self.digest, Jsonb(dict(self._known[self.digest]))),
        )

    async def of(self, digest: str) -> Pinned:
        """What a run began with; today's if nobody kept it. Raises ``StoreUnavailable``."""
        if digest not in self._known:
            row = await self._db.fetch_one("SELECT bundle FROM pinned WHERE digest = %s", (digest,))
            if row is None:
                logger.warning("what a run began with is not kept: it goes on with today's", pins=digest[:12])
                return Pinned()
            self._known[digest] = row["bundle"]
        bundle = self._known[digest]
        return Pinned(
            bundle["prompts"],
            {name: tool["effect"] for name, tool in bundle["tools"].items()},
            bundle.get("versions", {}),
            models=bundle.get("models", {}),
        )
