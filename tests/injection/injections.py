"""Texts that try to give a model orders, with the place each is planted in. They are data: nothing here is followed."""

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

Place = Literal["message", "posting", "cv", "company_page", "mcp", "tool_result"]
Aim = Literal["override", "exfiltrate", "misinform", "send", "delete"]

PLACES: tuple[Place, ...] = get_args(Place)


@dataclass(frozen=True)
class Injection:
    """``place``: where an attacker would plant it. ``aim``: what it wants. ``fields``: one text, or several that only
    make sense together, for the fields of one record.
    """

    id: str
    kind: str
    place: Place
    aim: Aim
    fields: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.fields)

    def __str__(self) -> str:
        return self.id


@functools.cache
def injections() -> tuple[Injection, ...]:
    """The whole corpus, in its order."""
    lines = Path(__file__).with_name("corpus.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(_read(json.loads(line)) for line in lines)


def aimed_at(*aims: Aim) -> tuple[Injection, ...]:
    """Those that want one of these."""
    return tuple(one for one in injections() if one.aim in aims)


def _read(entry: dict[str, Any]) -> Injection:
    fields = tuple(entry.get("fields") or [entry["text"]])
    return Injection(entry["id"], entry["kind"], entry["place"], entry["aim"], fields)
