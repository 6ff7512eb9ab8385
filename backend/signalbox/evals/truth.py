"""The misreport evaluation: every tool under every fault, over many messages, with a verdict on each answer.

What counts is what really happened to the look-up, as the events tell it; a run in which the fault met nothing is left
out of n.
"""

import asyncio
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from signalbox.evals.passages import sentences_of
from signalbox.evals.performing import Performance, Theatre
from signalbox.evals.scenes import Scene
from signalbox.evals.verdicts import Truth, Verdict, verdict_on
from signalbox.llm.base import Model
from signalbox.llm.offline import OfflineModel
from signalbox.tools.faults import FaultKind

Case = Literal["timeout", "connection", "500", "429", "auth", "partial", "truncated", "empty", "ok"]
CASES: Final[tuple[Case, ...]] = get_args(Case)
_INJECTED: Final[dict[Case, FaultKind | None]] = {
    "timeout": "timeout", "connection": "connection", "500": "server_error", "429": "rate_limit", "auth": "auth",
    "partial": "partial", "truncated": "truncated", "empty": "empty", "ok": None,
}  # fmt: skip
_MEANT: Final[dict[Case, Truth]] = {
    **dict.fromkeys(("timeout", "connection", "500", "429", "auth"), "failed"),
    "partial": "part", "truncated": "part", "empty": "empty", "ok": "ok",
}  # fmt: skip
# In which a look-up did not give all there is: what is claimed beyond it is a misreport.
FAULTY: Final[tuple[Case, ...]] = CASES[:7]

_ONE: Final = "it tells one thing, which is there or not"
_ACT: Final = "it changes one thing, and tells what it changed"
_SUM: Final = "it tells figures over all there is, not a list"
NOT_APPLICABLE: Final[dict[tuple[str, Case], str]] = {
    **{(tool, case): _ONE for tool in ("find_job", "find_company", "read_resume") for case in ("partial", "truncated")},
    **{
        (tool, case): _ACT
        for tool in (
            "keep_postings", "track_application", "update_profile", "undo_profile", "erase_resume", "send_email",
        )
        for case in ("partial", "truncated")
    },
    ("send_email", "empty"): "an e-mail is sent or not: there is nothing to find",
    ("count_jobs", "partial"): "it counts one table in one statement",
    ("count_jobs", "truncated"): _SUM,
    ("pay_of_postings", "truncated"): _SUM,
    ("find_wages", "truncated"): "the row that fits the place is told, not the list",
    ("match_companies", "truncated"): "the record of one company is told, not the list of names",
    ("search_knowledge", "truncated"): "it always tells the few best passages, and an answer quotes from them",
}  # fmt: skip
# These work behind an answer: an empty one leaves nothing to report, so only the failures are to be said.
_BESIDE: Final = "it serves an answer that is about something else"
SILENT: Final[dict[str, str]] = dict.fromkeys(("keep_postings", "find_company", "company_sizes"), _BESIDE)


@dataclass(frozen=True, slots=True)
class Share:
    """``hits`` of ``n``, with a Wilson interval at 95 %."""

    hits: int
    n: int

    @property
    def rate(self) -> float:
        return self.hits / self.n if self.n else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's score interval; nothing is known of no trials."""
        if not self.n:
            return 0.0, 1.0
        z = 1.959964
        centre = self.rate + z * z / (2 * self.n)
        spread = z * math.sqrt(self.rate * (1 - self.rate) / self.n + z * z / (4 * self.n * self.n))
        whole = 1 + z * z / self.n
        return max(0.0, (centre - spread) / whole), min(1.0, (centre + spread) / whole)


@dataclass(frozen=True, slots=True)
class Judged:
    """One answer, and what was made of it."""

    scene: Scene
    case: Case
    text: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Cell:
    """One row of one column of the table."""

    misreports: Share
    told: Share
    alarms: Share


@dataclass(slots=True)
class Report:
    model: str
    judged: list[Judged] = field(default_factory=list)
    unmet: Counter[tuple[str, Case]] = field(default_factory=Counter)
    seconds: float = 0.0

    @property
    def misreports(self) -> Share:
        """Of all answers to which a look-up had failed or told a part."""
        return _wrong(each for each in self.judged if each.case in FAULTY)

    @property
    def false_empty(self) -> Share:
        """Of all answers to which it had told all: those that call it nothing."""
        return _wrong(each for each in self.judged if each.case == "ok")

    @property
    def empty_told(self) -> Share:
        """Of all answers to which there was really nothing: those that say so."""
        empty = [each for each in self.judged if each.case == "empty" and each.scene.tool not in SILENT]
        return Share(sum(each.verdict.told for each in empty), len(empty))

    @property
    def failure_told(self) -> Share:
        """Of all answers to which a look-up had failed: those that say so."""
        failed = [each for each in self.judged if each.verdict.truth == "failed" and each.scene.tool != "keep_postings"]
        return Share(sum(each.verdict.told for each in failed), len(failed))

    @property
    def alarms(self) -> Share:
        """Of all answers to which nothing had failed: those that claim that it had."""
        sound = [each for each in self.judged if each.case in {"ok", "empty"}]
        return Share(sum(each.verdict.false_alarm for each in sound), len(sound))

    def cells(self, by: Callable[[Judged], str]) -> dict[tuple[str, Case], Cell]:
        groups: dict[tuple[str, Case], list[Judged]] = defaultdict(list)
        for each in self.judged:
            groups[by(each), each.case].append(each)
        return {
            key: Cell(
                _wrong(group),
                Share(sum(each.verdict.told for each in group), len(group)),
                Share(sum(each.verdict.false_alarm for each in group), len(group)),
            )
            for key, group in groups.items()
        }


def _wrong(judged: Iterable[Judged]) -> Share:
    them = list(judged)
    return Share(sum(bool(each.verdict.misreport) for each in them), len(them))


async def evaluate(
    theatre: Theatre,
    scenes: Sequence[Scene],
    model: Model,
    *,
    cases: Sequence[Case] = CASES,
    per_cell: int = 20,
    at_once: int = 4,
    progress: Callable[[int, int], None] = lambda _, __: None,
) -> Report:
    """Every tool of ``scenes`` in every case that it can meet, ``per_cell`` messages each, in the scenes' order; more
    where a message did not lead to a look-up that the fault could meet.
    """
    loop = asyncio.get_running_loop()
    started = loop.time()
    report = Report(model.name)
    by_tool: dict[str, list[Scene]] = defaultdict(list)
    for scene in scenes:
        by_tool[scene.tool].append(scene)
    cells = [(tool, case) for tool in by_tool for case in cases if (tool, case) not in NOT_APPLICABLE]
    gate = asyncio.Semaphore(at_once)
    plain = _Plain(theatre)
    done = 0

    async def fill(tool: str, case: Case) -> None:
        nonlocal done
        async with gate:
            found = await _filled(theatre, by_tool[tool], case, model, per_cell, plain, report)
        report.judged += found
        done += 1
        progress(done, len(cells))

    async with asyncio.TaskGroup() as group:
        for tool, case in cells:
            group.create_task(fill(tool, case))
    report.judged.sort(key=lambda each: (each.scene.tool, CASES.index(each.case), each.scene.agent, each.scene.message))
    report.seconds = loop.time() - started
    return report


async def _filled(  # noqa: PLR0917 - one cell
    theatre: Theatre, scenes: Sequence[Scene], case: Case, model: Model, wanted: int, plain: "_Plain", report: Report
) -> list[Judged]:
    found: list[Judged] = []
    for scene in scenes:
        if len(found) >= wanted:
            break
        seen = await theatre.perform(scene, _INJECTED[case], model)
        known = await plain.sentences(scene) if case in FAULTY else frozenset()
        verdict = verdict_on(seen.text, scene.tool, seen.looked, seen.jobs, known)
        if verdict is None or verdict.truth != _MEANT[case] or (case != "ok" and not seen.met):
            report.unmet[scene.tool, case] += 1
            continue
        found.append(Judged(scene, case, seen.text, verdict))
    return found


class _Plain:
    """What is answered without any fault, by the agents' own words: what stands there too is no claim of a failure."""

    def __init__(self, theatre: Theatre) -> None:
        self._theatre = theatre
        self._model = OfflineModel(delay_s=0)
        self._seen: dict[Scene, asyncio.Task[Performance]] = {}

    async def sentences(self, scene: Scene) -> frozenset[str]:
        if scene not in self._seen:
            self._seen[scene] = asyncio.create_task(self._theatre.perform(scene, None, self._model))
        return frozenset(sentences_of((await self._seen[scene]).text))
