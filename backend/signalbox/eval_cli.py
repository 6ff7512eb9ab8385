"""``signalbox eval``: how often the assistant says what its look-ups do not.

Parses, calls, prints.
"""

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console

from signalbox.errors import ConfigurationError
from signalbox.printing import Json, print_json, print_table
from signalbox.settings import load_settings

if TYPE_CHECKING:
    from signalbox.evals.labelled import Scored
    from signalbox.evals.sitting import Sitting
    from signalbox.evals.truth import Cell, Share

eval_app = typer.Typer(no_args_is_help=True, help="Measure the assistant on itself.")

out = Console()
err = Console(stderr=True)

SHOWN: Final = 20
_PARTS: Final = ("misreports", "told", "alarms")
# The report's shares, and what they are called.
_SUMS: Final = {
    "misreports": "misreports, where a look-up failed or told a part",
    "false_empty": "true results called nothing",
    "empty_told": "true emptiness told as such",
    "failure_told": "failed look-ups told as such",
    "alarms": "sound look-ups called failed",
}


@eval_app.command("truth")
def truth(  # noqa: PLR0917 - one parameter an option
    quick: Annotated[bool, typer.Option("--quick", help="Three messages a cell instead of twenty.")] = False,
    model: Annotated[
        str, typer.Option(help="offline, configured (as the server's settings say), or a control: careless, timid.")
    ] = "offline",
    tool: Annotated[list[str] | None, typer.Option(help="Only this tool; may be given again.")] = None,
    agent: Annotated[list[str] | None, typer.Option(help="Only this agent; may be given again.")] = None,
    by: Annotated[str, typer.Option(help="Rows of the table: tool or agent.")] = "tool",
    judge: Annotated[bool, typer.Option("--judge", help="Let the configured model judge the answers too.")] = False,
    max_rate: Annotated[
        float, typer.Option(min=0, max=1, help="The highest share of misreports, and of true results called nothing.")
    ] = 0.0,
    max_alarms: Annotated[
        float, typer.Option(min=0, max=1, help="The highest share of sound look-ups that are called failed.")
    ] = 0.05,
    as_json: Json = False,
) -> None:
    """How often an answer claims absence, or all there is, when a look-up failed or told a part.

    Exit code 1 if that is too often.
    """
    from signalbox.evals.sitting import chosen, open_model, open_theatre, sit

    if by not in {"tool", "agent"}:
        raise ConfigurationError(f"'{by}' is nothing to sort answers by. Use tool or agent.")
    settings = load_settings()
    scenes = chosen(tool or (), agent or ())

    async def work() -> "Sitting":
        async with open_model(settings, model) as tested, open_model(settings, "configured") as second:
            if judge and not second.instructable:
                raise ConfigurationError("No model that could judge is configured: set SIGNALBOX_MODEL and its key.")
            async with open_theatre(settings, _tell, few=quick) as theatre:
                return await sit(
                    theatre, scenes, tested, quick=quick, second=second if judge else None, progress=_count
                )

    try:
        sitting = asyncio.run(work())
    except KeyboardInterrupt:
        err.print("Stopped.")
        raise typer.Exit(130) from None
    from signalbox.evals.labelled import packaged_answers, scored

    rules = scored(packaged_answers())
    if as_json:
        print_json(_told(sitting, rules))
    else:
        _print(sitting, rules, by)
    report = sitting.report
    equal = any(pair.outcome == "equal" for pair in sitting.pairs)
    worst = max(report.misreports.rate, report.false_empty.rate)
    if worst > max_rate or report.alarms.rate > max_alarms or equal or not report.judged:
        raise typer.Exit(1)


def _tell(line: str) -> None:
    err.print(f"  {line}", style="dim", markup=False)


def _count(done: int, of: int) -> None:
    if err.is_terminal:
        err.print(f"  {done} of {of} cells", style="dim", end="\r")


def _print(sitting: "Sitting", rules: "Scored", by: str) -> None:
    from signalbox.evals.truth import CASES, NOT_APPLICABLE

    report = sitting.report
    cells = report.cells((lambda each: each.scene.tool) if by == "tool" else (lambda each: each.scene.agent))
    names = sorted({name for name, _ in cells})
    out.print(
        "Misreports of n answers, by fault (empty: told as empty of n; ok: called nothing of n)\n", highlight=False
    )
    print_table(
        (by, *CASES),
        [
            (name, *(_cell(case, cells.get((name, case)), (name, case) in NOT_APPLICABLE) for case in CASES))
            for name in names
        ],
    )
    print()  # noqa: T201 - between two tables
    print_table(
        ("what", "hits", "n", "rate", "95 % interval"),
        [_row(what, getattr(report, name)) for name, what in _SUMS.items()],
    )
    apart = sum(pair.outcome == "apart" for pair in sitting.pairs)
    asked = sum(pair.outcome != "not asked" for pair in sitting.pairs)
    out.print(f"\nPrompts of a failed and of an empty look-up differ in {apart} of {asked} pairs.", highlight=False)
    out.print(
        f"The rules agree with {rules.right} of {rules.n} answers labelled by hand ({rules.agreement:.1%}).",
        highlight=False,
    )
    if sitting.judged is not None:
        shares = ", ".join(f"{kind} {share:.0%}" for kind, share in sitting.judged.shares.items())
        out.print(f"The judge agrees with the rules on {shares} of {sitting.judged.judged} answers.", highlight=False)
    wrong = [each for each in report.judged if each.verdict.misreport]
    for each in wrong[:SHOWN]:
        out.print(f"{each.scene.tool}, {each.case}: {each.scene.message!r}: {each.verdict.misreport}", markup=False)
    if len(wrong) > SHOWN:
        out.print(f"... and {len(wrong) - SHOWN} more", highlight=False)


def _cell(case: str, cell: "Cell | None", excluded: bool) -> str:
    if cell is None:
        return "n/a" if excluded else "-"
    share = cell.told if case == "empty" else cell.misreports
    return f"{share.hits}/{share.n}"


def _row(what: str, share: "Share") -> tuple[str, ...]:
    low, high = share.interval
    return what, str(share.hits), str(share.n), f"{share.rate:.1%}", f"{low:.1%} to {high:.1%}"


def _share(share: "Share") -> dict[str, Any]:
    low, high = share.interval
    return {"hits": share.hits, "n": share.n, "rate": share.rate, "low": low, "high": high}


def _told(sitting: "Sitting", rules: "Scored") -> dict[str, Any]:
    from signalbox.evals.truth import NOT_APPLICABLE

    report = sitting.report
    tables = {
        "by_tool": report.cells(lambda each: each.scene.tool),
        "by_agent": report.cells(lambda each: each.scene.agent),
        "by_agent_and_tool": report.cells(lambda each: f"{each.scene.agent}/{each.scene.tool}"),
    }
    judged = sitting.judged
    return {
        "model": report.model,
        "answers": len(report.judged),
        "seconds": round(report.seconds, 1),
        **{name: _share(getattr(report, name)) for name in _SUMS},
        **{
            name: [
                {"name": row, "case": case, **{part: _share(getattr(cell, part)) for part in _PARTS}}
                for (row, case), cell in sorted(cells.items())
            ]
            for name, cells in tables.items()
        },
        "not_applicable": [{"tool": tool, "case": case, "why": why} for (tool, case), why in NOT_APPLICABLE.items()],
        "unmet": [{"tool": tool, "case": case, "runs": runs} for (tool, case), runs in sorted(report.unmet.items())],
        "wrong": [
            {"message": each.scene.message, "agent": each.scene.agent, "tool": each.scene.tool, "case": each.case,
             "why": each.verdict.misreport, "answer": each.text}
            for each in report.judged if each.verdict.misreport
        ],
        "prompts": [
            {"tool": pair.tool, "agent": pair.agent, "message": pair.message, "outcome": pair.outcome}
            for pair in sitting.pairs
        ],
        "rules": {"n": rules.n, "right": rules.right, "missed": rules.missed, "seen": rules.seen},
        "judge": None if judged is None else {"n": judged.judged, "unread": judged.unread, "agreement": judged.shares},
    }  # fmt: skip
