"""Runs as an operator sees them: whose they are, how they went, and step by step what happened. Reads only.

Every user's runs are visible here: this is for whoever runs the server, never for a user's request.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from signalbox.db import Database
from signalbox.encoding import clean_text
from signalbox.errors import NotFound
from signalbox.events import RunStatus

SHOWN_CHARS: Final = 100

# Why a part of a prompt was left out.
_WHY: Final = {
    "room": "no room left",
    "cap": "over its share",
    "duplicate": "said already",
    "order": "of no use without what was left out before it",
}

_RUN: Final = """
    SELECT r.run_id, r.conversation_id, r.tenant, r.user_id, r.status, r.attempt, r.lease_owner AS worker,
           r.status = 'running' AND r.lease_until < now() AS lost, r.cancel_requested, r.rolled_back, r.model, r.pins,
           r.intent, r.agent, r.error_code, r.error_text, r.created_at, r.started_at, r.finished_at, r.lease_until,
           r.first_offset, r.last_offset, r.usage, CASE WHEN c.temporary THEN '' ELSE m.content END AS message,
           (SELECT count(*) FROM run_step s WHERE s.run_id = r.run_id) AS steps
    FROM run r JOIN conversation c USING (conversation_id) LEFT JOIN message m ON m.message_id = r.user_message_id"""

_LIST: Final = (
    _RUN
    + """
    WHERE (%(status)s::text IS NULL OR r.status = %(status)s) AND (%(user)s::text IS NULL OR r.user_id = %(user)s)
    ORDER BY r.position DESC LIMIT %(limit)s"""
)
_ONE: Final = _RUN + " WHERE r.run_id = %s"


@dataclass(frozen=True, slots=True)
class RunLine:
    """One run. ``worker`` is who has it or had it last; ``lost``: it stopped, and the run waits to be taken over.
    ``message`` is empty in temporary conversations, and None once its user took it back (``rolled_back``).
    """

    run_id: str
    conversation_id: str
    tenant: str
    user_id: str
    status: RunStatus
    attempt: int
    worker: str | None
    lost: bool
    cancel_requested: bool
    rolled_back: bool
    model: str | None
    pins: str | None
    intent: str | None
    agent: str | None
    error_code: str | None
    error_text: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    lease_until: datetime | None
    first_offset: int | None
    last_offset: int | None
    usage: Mapping[str, Any] | None
    message: str | None
    steps: int

    @property
    def over(self) -> bool:
        return self.finished_at is not None

    @property
    def pruned(self) -> bool:
        """It was worked on, and how is not kept any more."""
        return self.over and self.started_at is not None and self.pins is None

    @property
    def why_no_message(self) -> str:
        """For a run without one to show."""
        if self.rolled_back and self.message is None:
            return "(taken back by its user; what it did outside stays done)"
        return "(not shown: a temporary conversation)"

    @property
    def why_no_steps(self) -> str:
        """For a run without any."""
        if self.pruned:
            return "They were pruned."
        if not self.over:
            return "None yet."
        begun = self.started_at is not None
        return "None: it needed nothing from outside." if begun else "None: it ended before anybody began it."


@dataclass(frozen=True, slots=True)
class StepLine:
    """``offset``: how far the conversation's events were when it was committed."""

    seq: int
    kind: str
    position: str
    attempt: int
    payload: Mapping[str, Any]
    request_id: str | None
    began_at: datetime
    committed_at: datetime
    offset: int | None
    events: int

    @property
    def took(self) -> timedelta:
        return self.committed_at - self.began_at

    @property
    def what(self) -> str:
        """One line that says what happened."""
        return " ".join(" ".join(_what(self.kind, self.position, self.payload)).split())


@dataclass(frozen=True, slots=True)
class EffectLine:
    effect_key: str
    position: str
    tool: str
    kind: str
    status: str
    tries: int
    arguments: Mapping[str, Any]
    intended_at: datetime
    done_at: datetime | None


@dataclass(frozen=True, slots=True)
class ApprovalLine:
    approval_id: str
    position: str
    tool: str
    arguments: Mapping[str, Any]
    risk: str
    created_at: datetime
    expires_at: datetime
    decision: str | None
    edited: Mapping[str, Any] | None
    note: str
    decided_at: datetime | None


@dataclass(frozen=True, slots=True)
class Story:
    run: RunLine
    steps: Sequence[StepLine]
    effects: Sequence[EffectLine]
    approvals: Sequence[ApprovalLine]

    def told(self) -> dict[str, Any]:
        """As plain values, each step with its line."""
        steps = [{**asdict(step), "what": step.what} for step in self.steps]
        return {**asdict(self), "steps": steps}


class RunStories:
    """Raises ``StoreUnavailable`` from every method."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def latest(self, *, status: str | None = None, user: str | None = None, limit: int = 50) -> list[RunLine]:
        """Newest first."""
        wanted = {"status": status, "user": clean_text(user) if user is not None else None, "limit": limit}
        rows = await self._db.fetch(_LIST, wanted)
        return [RunLine(**row) for row in rows]

    async def dead(self) -> list[str]:
        """The ids of all dead runs that can be taken up again, oldest first."""
        rows = await self._db.fetch(
            "SELECT run_id FROM run WHERE status = 'dead' AND pins IS NOT NULL AND NOT rolled_back ORDER BY position"
        )
        return [row["run_id"] for row in rows]

    async def line(self, run_id: str) -> RunLine:
        """Raises ``NotFound``."""
        row = await self._db.fetch_one(_ONE, (clean_text(run_id),))
        if row is None:
            raise NotFound(f"There is no run '{shortened(run_id)}'.")
        return RunLine(**row)

    async def story(self, run_id: str) -> Story:
        """Raises ``NotFound``."""
        run = await self.line(run_id)
        steps = await self._db.fetch(
            "SELECT seq, kind, position, attempt, payload, request_id, began_at, committed_at, log_offset AS offset, "
            "jsonb_array_length(events) AS events FROM run_step WHERE run_id = %s ORDER BY seq",
            (run_id,),
        )
        effects = await self._db.fetch(
            "SELECT effect_key, position, tool, class AS kind, status, tries, arguments, intended_at, done_at "
            "FROM effect WHERE run_id = %s ORDER BY intended_at",
            (run_id,),
        )
        approvals = await self._db.fetch(
            "SELECT approval_id, position, tool, arguments, risk, created_at, expires_at, decision, edited, note, "
            "decided_at FROM approval WHERE run_id = %s ORDER BY created_at",
            (run_id,),
        )
        return Story(
            run,
            [StepLine(**row) for row in steps],
            [EffectLine(**row) for row in effects],
            [ApprovalLine(**row) for row in approvals],
        )


def shortened(value: Any, longest: int = SHOWN_CHARS) -> str:
    """A value on one line, cut where it gets long, without anything that a terminal would obey."""
    text = " ".join((value if isinstance(value, str) else _json(value)).split())
    text = "".join(char if char.isprintable() else "�" for char in text[: longest + 1])
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _what(kind: str, position: str, payload: Mapping[str, Any]) -> Iterator[str]:
    result = payload.get("result", payload)
    found = result if isinstance(result, Mapping) else {}
    match kind:
        case "model_turn":
            yield from _model_turn(payload, found)
        case "approval":
            yield f"asked whether to {found.get('tool')} ({_arguments(found.get('arguments') or {})})"
        case "decision" if position.startswith("model/budget"):
            yield from _budget(payload, found)
        case "decision" if "left_out" in found:
            yield from _offered(found)
        case "decision" if "route" in found:
            yield from _routing(found)
        case "decision" if "decision" in found:
            yield f"the user's answer: {found['decision']}"
            if found.get("edited"):
                yield f"with {_arguments(found['edited'])}"
            if found.get("note"):
                yield f"({shortened(found['note'])})"
        case _ if "tool" in payload:
            yield f"{payload['tool']}({_arguments(payload.get('arguments') or {})}) ->"
            yield from _outcome(found)
        case _:
            yield f"{position.partition('/')[2] or position} -> {shortened(result)}"


def _model_turn(payload: Mapping[str, Any], result: Mapping[str, Any]) -> Iterator[str]:
    yield f"{_answerer(payload)}: {payload.get('task')}"
    usage = result.get("usage")
    if usage:
        about = "about " if usage.get("estimated") else ""
        cached = f", {usage['cached_tokens']} of them cached" if usage.get("cached_tokens") else ""
        yield f"({about}{usage['input_tokens']} tokens in{cached}, {usage['output_tokens']} out)"
    if error := result.get("error"):
        yield f"failed with {error['code']}: {shortened(error['content'])}"
    if result.get("finish") not in {None, "stop"}:
        yield f"ended by {result['finish']}"
    if text := result.get("text"):
        yield f'"{shortened(text, 60)}"'
    if prompts := payload.get("prompts"):
        named = ", ".join(f"{prompt['id']} {prompt['version']}" for prompt in prompts)
        yield f"made from {named};"
    yield from _fitting(payload.get("about") or {})


def _offered(found: Mapping[str, Any]) -> Iterator[str]:
    """The tools that a model is told of, and those that it is not."""
    offers = [offer["spec"]["name"] for offer in found.get("offers") or ()]
    yield f"tools offered: {', '.join(offers) or 'none'}"
    if gone := found["left_out"]:
        yield f"(no room for {len(gone)}: {shortened(', '.join(gone), 4 * SHOWN_CHARS)})"


def _answerer(payload: Mapping[str, Any]) -> str:
    """The model that was asked last, its tier, and how often others had to be asked first."""
    attempts = payload.get("attempts") or ()
    if not attempts:
        return str(payload.get("model"))
    last = attempts[-1]
    notes = [str(last.get("tier"))]
    notes += [f"attempt {len(attempts)}"] if len(attempts) > 1 else []
    notes += [name for name in ("escalated", "control") if last.get(name)]
    return f"{last.get('model')} ({', '.join(notes)})"


def _fitting(about: Mapping[str, Any]) -> Iterator[str]:
    """What the model was told, and what it was not."""
    if tokens := about.get("tokens"):
        sizes = ", ".join(f"{name} {count}" for name, count in tokens.items())
        yield f"told about {sum(tokens.values())} tokens ({sizes}) of {about.get('window')}"
        yield f"with {about.get('output')} for the answer;"
    for gone in about.get("dropped") or ():
        named = f": {', '.join(gone['what'])}" if gone.get("what") else ""
        more = " ..." if gone.get("what") and len(gone["what"]) < gone["items"] else ""
        why = _WHY.get(gone["why"], gone["why"])
        yield f"left out {gone['items']} of {gone['part']} ({gone['tokens']} tokens, {why}{named}{more});"
    if cut := about.get("shortened"):
        yield f"the message shortened to {cut['kept']} of {cut['of']} characters;"
    if again := about.get("again"):
        yield f"asked again since the first answer was no good: {again};"


def _budget(payload: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[str]:
    yield f"prompts of this run: at most {found.get('prompt')} tokens in and {found.get('answer')} out,"
    yield f"in a window of {found.get('window')}; tokens of {payload.get('model')} estimated times {found.get('ratio')}"


def _routing(found: Mapping[str, Any]) -> Iterator[str]:
    route = found["route"]
    yield f"routed to {' and then '.join(part['intent'] for part in found['plan']) or 'a question back'}:"
    yield f"{route['intent']} at {route['confidence']:.2f} by {route['source']}"


def _outcome(result: Mapping[str, Any]) -> Iterator[str]:
    match result.get("status"):
        case "ok":
            value = result.get("value")
            yield "ok"
            if result.get("total") is not None:
                yield f"({result['total']} in all)"
            elif isinstance(value, list):
                yield f"({len(value)})"
            elif isinstance(value, Mapping):
                yield f"({shortened(value, 60)})"
        case "empty":
            yield f"nothing found: {shortened(result.get('note', ''))}"
        case "error" if result.get("kind") in {"rejected", "expired"}:
            yield f"{result['kind']}: {shortened(result.get('note', ''))}"
        case "error":
            yield f"could not: {result.get('kind')}, {shortened(result.get('note', ''))}"
        case _:
            yield shortened(result)


def _arguments(arguments: Mapping[str, Any]) -> str:
    """Only what was said: nulls and empty lists are a tool's defaults."""
    said = {name: value for name, value in arguments.items() if value not in (None, [], "", {})}
    return shortened(", ".join(f"{name}={_json(value)}" for name, value in said.items()))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
