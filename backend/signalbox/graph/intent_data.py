"""Labelled messages: how they are stored, read and told apart. One JSON object a line, as in the packaged file."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

from signalbox.envelope import INTENTS, Intent
from signalbox.errors import ConfigurationError

LONG_CHARS = 2000
KEPT_CHARS = 200  # of either end of a long text: the request stands before or after what was pasted
# Ids up to here were labelled twice; they alone are what accuracy is quoted on.
LAST_VERIFIED = "d0910"

# Of a line; the others say nothing where they are left out.
REQUIRED = ("id", "text", "intent", "also", "recent_intents")

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ufeff\ufffd]+")
_VERIFIED_ID = re.compile(r"d0\d{3}")


@dataclass(frozen=True, slots=True)
class Example:
    """A labelled message; ``also`` holds further labels a reasonable reader would accept.

    ``kind`` says what makes the message what it is, ``ambiguous`` that its label is debatable. ``review``: the label
    was only guessed, and nobody has looked at it yet.
    """

    id: str
    text: str
    intent: Intent
    also: tuple[Intent, ...]
    recent: tuple[Intent, ...]
    kind: str | None = None
    ambiguous: bool = False
    review: bool = False

    @property
    def verified(self) -> bool:
        return bool(_VERIFIED_ID.fullmatch(self.id)) and self.id <= LAST_VERIFIED

    @property
    def accepted(self) -> frozenset[Intent]:
        return frozenset((self.intent, *self.also))

    @property
    def said(self) -> str:
        """The text as far as it tells messages apart: two with the same must not be on both sides of a test."""
        return clean(self.text).casefold()


def clean(text: str) -> str:
    """One line without control characters or lone surrogates; of a long text the beginning and the end."""
    if len(text) > LONG_CHARS:
        text = f"{text[:LONG_CHARS]}\n{text[-LONG_CHARS:]}"
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    line = " ".join(_UNPRINTABLE.sub(" ", joined).split())
    return f"{line[:KEPT_CHARS]} … {line[-KEPT_CHARS:]}" if len(line) > LONG_CHARS else line


def load_examples(path: Path) -> list[Example]:
    """Reads a JSON Lines file of labelled messages; raises `ConfigurationError` naming the first bad line."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as cause:
        raise ConfigurationError(f"{path} cannot be read: {cause.strerror}.") from cause
    except UnicodeDecodeError as cause:
        raise ConfigurationError(f"{path} is not UTF-8 text.") from cause
    examples = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            examples.append(_example(json.loads(line)))
        except (ValueError, TypeError, AttributeError, RecursionError) as cause:
            what = "no JSON" if isinstance(cause, json.JSONDecodeError) else cause
            raise ConfigurationError(f"{path}, line {number}: not a labelled message ({what}).") from cause
    return examples


def packaged_examples() -> Path:
    return Path(str(resources.files("signalbox.data") / "intents.jsonl"))


def merged(examples: Sequence[Example], added: Iterable[Example]) -> tuple[list[Example], int]:
    """All of ``examples`` and what is new in ``added``, and how much of that was left out.

    Left out are messages already there (same words after the same intents), blank ones and those to be reviewed.
    """
    seen = {(example.said, example.recent) for example in examples}
    both, left_out = list(examples), 0
    for example in added:
        key = (example.said, example.recent)
        if key in seen or not example.said or example.review:
            left_out += 1
            continue
        seen.add(key)
        # A file from elsewhere may use our ids; only our own count as verified.
        number = len(both) - len(examples) + 1
        both.append(replace(example, id=f"x{number:05d}"))
    return both, left_out


def as_line(example: Example, **more: Any) -> str:
    """The example as a line of a labelled file, with further fields at the end."""
    row = {
        "id": example.id,
        "text": example.text,
        "intent": example.intent,
        "ambiguous": example.ambiguous,
        "also": list(example.also),
        "recent_intents": list(example.recent),
        "kind": example.kind or "plain",
    }
    return json.dumps({**row, **more}, ensure_ascii=False) + "\n"


def _example(row: Any) -> Example:
    if not isinstance(row, dict):
        raise TypeError("not a JSON object")
    if missing := [repr(name) for name in REQUIRED if name not in row]:
        names = " and ".join([", ".join(missing[:-1]), missing[-1]] if len(missing) > 1 else missing)
        raise ValueError(f"{names} {'are' if len(missing) > 1 else 'is'} missing; needed are {', '.join(REQUIRED)}")
    text, kind = row["text"], row.get("kind")
    if not isinstance(text, str) or not isinstance(kind, str | None):
        raise TypeError("text and kind must be strings")
    return Example(
        id=str(row["id"]),
        text=text,
        intent=_intents([row["intent"]])[0],
        also=_intents(row["also"]),
        recent=_intents(row["recent_intents"]),
        kind=kind,
        ambiguous=row.get("ambiguous") is True,
        review=row.get("review") is True,
    )


def _intents(names: Any) -> tuple[Intent, ...]:
    if not isinstance(names, list):
        raise TypeError("also and recent_intents must be lists")
    for name in names:
        if name not in INTENTS:
            raise ValueError(f"an unknown intent: {name!r}")
    return tuple(names)
