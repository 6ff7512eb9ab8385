"""Intents of agents that came later: recognised by how near a message is to the agent's own example utterances.

The classifier beneath knows only the built-in intents, so a handful of examples must do, and nothing is trained anew.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from signalbox.agents.base import Agent
from signalbox.envelope import INTENTS, Intent
from signalbox.errors import ConfigurationError
from signalbox.graph.intent import CONFIDENT, Classification
from signalbox.graph.intent_data import clean
from signalbox.llm.embedding import Embedder

FEWEST_EXAMPLES: Final = 3
# Cosine at which it is as likely as not that a message wants what the nearest example wants, and how fast that turns.
# Measured with four examples of a relocation agent: of 910 messages for the built-in agents 99 in 100 lie below 0.43,
# paraphrases of the examples at 0.54 and above, other questions of their kind at 0.42 to 0.58.
EVEN: Final = 0.48
WIDTH: Final = 0.03
# From here to 0.15 above it a sure built-in intent no longer speaks against: this is nearly the example's wording.
SAME: Final = 0.8


class Classifier(Protocol):
    async def of(self, text: str, recent: Sequence[Intent]) -> Classification: ...


class OwnIntents:
    """A classifier of the built-in intents and those of ``agents`` that have a name of their own."""

    def __init__(self, below: Classifier, embedder: Embedder, examples: Mapping[Intent, NDArray[np.float32]]) -> None:
        self._below = below
        self._embedder = embedder
        self._examples = examples

    @classmethod
    async def over(cls, below: Classifier, embedder: Embedder, agents: Mapping[str, Agent]) -> Classifier:
        """``below`` itself where all agents are built in. Raises ``ConfigurationError`` for too few examples."""
        own = [agent for agent in agents.values() if agent.name not in INTENTS]
        for agent in own:
            if len(agent.examples) < FEWEST_EXAMPLES:
                raise ConfigurationError(
                    f"The agent '{agent.name}' has {len(agent.examples)} examples of what users would say; "
                    f"it takes at least {FEWEST_EXAMPLES} to recognise its messages."
                )
        vectors = {agent.name: await embedder.embed([clean(text) for text in agent.examples]) for agent in own}
        return cls(below, embedder, vectors) if own else below

    async def of(self, text: str, recent: Sequence[Intent]) -> Classification:
        built_in = [intent for intent in recent if intent not in self._examples]
        verdict = await self._below.of(text, built_in)
        vector = (await self._embedder.embed([clean(text)]))[0]
        nearest = {intent: float((rows @ vector).max()) for intent, rows in self._examples.items()}
        return merged(verdict, nearest)


def merged(verdict: Classification, nearest: Mapping[Intent, float]) -> Classification:
    """The built-in verdict and the cosines to own examples as one ranking of shares."""
    ranked = [(verdict.intent, verdict.confidence), *verdict.alternatives]
    against = 0.0 if verdict.intent == "general" else verdict.confidence
    own = {intent: _share(cosine, against) for intent, cosine in nearest.items()}
    left = 1 - max(own.values(), default=0.0)
    everyone = sorted([*own.items(), *((intent, share * left) for intent, share in ranked)], key=lambda one: -one[1])
    (first, confidence), *others = ((intent, round(share, 4)) for intent, share in everyone)
    if first == verdict.intent:
        return Classification(first, confidence, verdict.source, verdict.reasoning, tuple(others[:3]))
    sure = "sounds like" if confidence >= CONFIDENT else "may be"
    return Classification(
        first, confidence, "classifier", f"{sure} an example of {first} ({confidence:.2f})", tuple(others[:3])
    )


def _share(cosine: float, against: float) -> float:
    alike = 1 / (1 + math.exp(-(cosine - EVEN) / WIDTH))
    same = min(max((cosine - SAME) / 0.15, 0.0), 1.0)
    return alike * (1 - 0.5 * against * (1 - same))
