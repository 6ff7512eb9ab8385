"""What earlier attempts of a run have said, so that the one that goes on says nothing twice. Pure.

An agent that is run again says the same again; what readers have already is swallowed here. Text that a worker left
in mid-sentence is taken back with a ``rewind``, and the answer goes on from what is recorded.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Final

from signalbox.encoding import clean_json
from signalbox.envelope import ENVELOPE, Event
from signalbox.events import AgentStarted, Chunk, IntentClassified, Message, Rewind
from signalbox.graph.state import Begun, Route
from signalbox.memory.conversation import CLARIFY
from signalbox.tools.calling import canonical

MOST: Final = 100_000_000
TAKEN_OVER: Final = "The worker stopped while this was written. It is written anew."

# What differs from attempt to attempt and tells nothing.
_VOLATILE: Final = {
    "run_started": {"attempt"},
    "agent_finished": {"duration_ms"},
    "approval_required": {"expires_at"},
}


class Replay:
    """Made of all that was said; ``heard`` then tells, of each event of the new attempt, what is left to say.
    ``begun``: what the new attempt has to go on with.
    """

    def __init__(self, said: Sequence[Event]) -> None:
        self.begun = _begun(said)
        self._rest: dict[str, str] = {}
        self._again: dict[str, str] = {}
        self._agents: dict[str, str] = {}
        self._events: Counter[bytes] = Counter()
        for event in said:
            match event:
                case Chunk():
                    self._rest[event.message_id] = self._rest.get(event.message_id, "") + event.content
                    self._agents[event.message_id] = event.agent
                case Rewind():
                    self._rest[event.message_id] = ""
                case _:
                    self._events[_key(event)] += 1

    def heard(self, event: Event) -> list[Event]:
        """The events to send for ``event``: it, nothing, or a correction and what follows from it."""
        if isinstance(event, Chunk):
            return self._text(event)
        if isinstance(event, Rewind):
            return self._void(event)
        key = _key(event)
        if self._events[key]:
            self._events[key] -= 1
            return []
        if isinstance(event, Message):
            return [*self._taken_back(event.message_id), event]
        return [event]

    def before_speaking(self) -> list[Event]:
        """What to send before a model writes anew: text that nothing recorded bears out is taken back."""
        return [event for message_id in list(self._rest) for event in self._taken_back(message_id)]

    def _text(self, event: Chunk) -> list[Event]:
        message_id = event.message_id
        rest = self._rest.get(message_id, "")
        if not rest:
            self._again[message_id] = self._again.get(message_id, "") + event.content
            return [event]
        if not rest.startswith(event.content) and not event.content.startswith(rest):
            return [*self._taken_back(message_id), *self._text(event)]
        self._again[message_id] = self._again.get(message_id, "") + event.content
        self._rest[message_id] = rest[len(event.content) :]
        new = event.content[len(rest) :]
        return [event.model_copy(update={"content": new})] if new else []

    def _void(self, event: Rewind) -> list[Event]:
        """A model began its answer anew: of what this attempt has said nothing is left to come back to."""
        shown = self._rest.pop(event.message_id, "") + self._again.pop(event.message_id, "")
        return [event] if shown else []

    def _taken_back(self, message_id: str) -> list[Event]:
        if not self._rest.get(message_id):
            return []
        self._rest[message_id] = ""
        correction: list[Event] = [Rewind(message_id=message_id, reason=TAKEN_OVER)]
        if kept := self._again.get(message_id):
            correction.append(Chunk(message_id=message_id, agent=self._agents[message_id], content=kept))
        return correction


def _begun(said: Sequence[Event]) -> Begun:
    agents: dict[str, str] = {}
    for event in said:
        if isinstance(event, AgentStarted):
            agents.setdefault(event.message_id, event.agent)
    asked_back = any(isinstance(event, Chunk) and event.agent == CLARIFY for event in said)
    intent = next((event for event in said if isinstance(event, IntentClassified)), None)
    if intent is None or not (agents or asked_back):
        return Begun(agents=agents)
    told = {name: getattr(intent, name) for name in Route.model_fields.keys() & type(intent).model_fields.keys()}
    return Begun(route=Route(**told, clear=bool(agents)), agents=agents)


def _key(event: Event) -> bytes:
    kind: str = event.type  # type: ignore[attr-defined]
    # The log and the store keep cleaned text, and the store other orders of keys.
    plain = event.model_dump(mode="json", exclude={*ENVELOPE, *_VOLATILE.get(kind, set())})
    told = canonical(clean_json(plain, longest=MOST, most=MOST))
    return hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=16).digest()
