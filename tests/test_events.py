"""The contract: every event survives the wire, and the published schema says exactly what goes over it."""

import json
import types
from datetime import UTC, date, datetime
from typing import Any, Literal, Union, get_args, get_origin

import pytest
from pydantic import BaseModel, ValidationError

from signalbox import blocks, events
from signalbox.envelope import ENVELOPE, INTENTS, Event, Intent, Part
from signalbox.events import BLOCK_TYPES, EVENT_TYPES, AnyEvent, ChatRequest, decode, event_schema
from signalbox.stream.log import Entry
from signalbox.stream.writer import stamp

CLASSES: tuple[type[Event], ...] = get_args(get_args(AnyEvent)[0])


def example(annotation: Any, *, full: bool) -> Any:
    """A value of the type: with ``full`` every list holds something and nothing is None."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation == Intent or origin is Literal:
        return INTENTS[0] if annotation == Intent else arguments[0]
    if origin in {Union, types.UnionType}:
        return example(next(a for a in arguments if a is not type(None)), full=full) if full else None
    if origin is tuple:
        return (example(arguments[0], full=full),) if full else ()
    if origin is dict:
        return {"key": ["value", 1, None]} if full else {}
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return made(annotation, full=full)
    moments = {datetime: datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), date: date(2026, 1, 2)}
    plain: dict[Any, Any] = {str: "text\n\u2028\U0001f600", int: 7, float: 0.5, bool: True, **moments}
    return plain[annotation]


def made(model: type[BaseModel], *, full: bool) -> Any:
    own = set(model.model_fields) - (ENVELOPE if issubclass(model, Event) else set())
    fields = {name: f for name, f in model.model_fields.items() if name in own}
    wanted = {name: f for name, f in fields.items() if full or f.is_required()}
    # A field's own constraints stand beside its type.
    types_of = {name: Intent if f.metadata else f.annotation for name, f in wanted.items() if f.annotation is str}
    kinds = {name: types_of.get(name, f.annotation) for name, f in wanted.items()}
    return model(**{name: example(kind, full=full) for name, kind in kinds.items()})


def on_the_wire(event: Event) -> str:
    kind, data = stamp(event)
    return Entry(7, kind, "r_1", data).json("c_1")


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("cls", CLASSES)
def test_every_event_round_trips(cls, full):
    event = made(cls, full=full)
    back = decode(on_the_wire(event))
    assert type(back) is cls
    assert (back.seq, back.conversation_id, back.run_id) == (7, "c_1", "r_1")
    assert back.ts.tzinfo is not None
    assert back.model_copy(update={name: getattr(event, name) for name in ENVELOPE}) == event


@pytest.mark.parametrize("cls", CLASSES)
def test_the_keys_on_the_wire_are_those_of_the_schema(cls):
    schema = event_schema()
    _same_keys(schema, schema["$defs"][cls.__name__], json.loads(on_the_wire(made(cls, full=True))))


def _same_keys(schema: dict, definition: dict, value: dict) -> None:
    assert definition["additionalProperties"] is False
    assert set(value) == set(definition["properties"])
    for name, described in definition["properties"].items():
        inner = described.get("items", described)
        item = value[name][0] if isinstance(value[name], list) else value[name]
        for choice in [inner, *inner.get("anyOf", [])]:
            if "$ref" in choice and isinstance(item, dict):
                _same_keys(schema, schema["$defs"][choice["$ref"].rsplit("/", 1)[1]], item)


def test_the_schema_requires_every_key_because_every_key_is_always_sent():
    for definition in event_schema()["$defs"].values():
        assert set(definition["required"]) == set(definition["properties"])


def test_the_union_holds_every_event_class():
    found = {**vars(events), **vars(blocks)}.values()
    defined = {c for c in found if isinstance(c, type) and issubclass(c, Event) and c is not Event}
    assert defined == set(CLASSES)
    assert len(EVENT_TYPES) == len(CLASSES)
    mapping = event_schema()["discriminator"]["mapping"]
    assert set(mapping) == EVENT_TYPES
    assert BLOCK_TYPES < EVENT_TYPES
    assert len(set(INTENTS)) == len(INTENTS)


@pytest.mark.parametrize("cls", CLASSES)
def test_an_event_is_frozen_and_closed(cls):
    event = made(cls, full=True)
    with pytest.raises(ValidationError, match="frozen"):
        event.seq = 9
    wire = json.loads(on_the_wire(event))
    with pytest.raises(ValidationError, match="Extra inputs"):
        decode(json.dumps({**wire, "surprise": 1}))
    for name in set(wire) - ENVELOPE - {"type"}:
        if cls.model_fields[name].is_required():
            with pytest.raises(ValidationError, match="Field required"):
                decode(json.dumps({key: value for key, value in wire.items() if key != name}))


def test_every_part_is_frozen_and_closed():
    found = {**vars(events), **vars(blocks)}.values()
    parts = [c for c in found if isinstance(c, type) and issubclass(c, Part)]
    assert len(parts) > 40
    for part in parts:
        assert part.model_config["frozen"] is True
        assert part.model_config["extra"] == "forbid"


@pytest.mark.parametrize("data", ["", "{}", "[]", "null", '{"type": "nothing"}', '{"type": null}', '{"type": "chunk"}'])
def test_what_is_no_event_is_refused(data):
    with pytest.raises(ValidationError):
        decode(data)


def test_a_request_takes_its_six_fields_only():
    assert set(ChatRequest.model_fields) == {
        "message", "conversation_id", "suggestion_id", "temporary", "if_busy", "replaces",
    }  # fmt: skip
    with pytest.raises(ValidationError):
        ChatRequest.model_validate({"message": "hello", "user_id": "somebody"})
