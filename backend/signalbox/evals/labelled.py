"""The answers that were labelled by hand, and how well the rules agree with them."""

import json
from collections import Counter
from dataclasses import dataclass
from importlib import resources
from typing import Final, cast

from signalbox.evals.claims import Kind, kinds_in

# All were seen while the rules were mended; "held" and "fresh" were first judged once, unseen (docs/truth.md says how).
SETS: Final = ("first", "second", "developed", "held", "fresh")


@dataclass(frozen=True, slots=True)
class Labelled:
    text: str
    kinds: frozenset[Kind]
    set: str


@dataclass(frozen=True, slots=True)
class Scored:
    """``right``: every kind as labelled. By kind: claims missed, and claims seen where there are none."""

    n: int
    right: int
    missed: Counter[Kind]
    seen: Counter[Kind]
    wrong: tuple[tuple[Labelled, frozenset[Kind]], ...]

    @property
    def agreement(self) -> float:
        return self.right / self.n if self.n else 0.0


def packaged_answers() -> tuple[Labelled, ...]:
    lines = (resources.files("signalbox.data") / "evals" / "labelled.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return tuple(Labelled(row["text"], frozenset(cast("list[Kind]", row["claims"])), row["set"]) for row in rows)


def scored(answers: tuple[Labelled, ...]) -> Scored:
    missed: Counter[Kind] = Counter()
    seen: Counter[Kind] = Counter()
    wrong = []
    for each in answers:
        got = kinds_in(each.text)
        missed.update(each.kinds - got)
        seen.update(got - each.kinds)
        if got != each.kinds:
            wrong.append((each, got))
    return Scored(len(answers), len(answers) - len(wrong), missed, seen, tuple(wrong))
