"""``signalbox faults``: which faults can be injected into tools, what a specification means, and what is active.

Parses, calls, prints.
"""

import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from signalbox.settings import load_settings

if TYPE_CHECKING:
    from signalbox.tools.faults import Faults

faults_app = typer.Typer(no_args_is_help=True, help="Faults on purpose: for drills and tests, never in earnest use.")

out = Console()

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


@faults_app.command("list")
def list_faults(as_json: Json = False) -> None:
    """What can be injected, and into which tools."""
    from signalbox.tools.faults import ALIASES, INSIDE_KINDS, KINDS

    tools = _tools()
    if as_json:
        told = {"kinds": KINDS, "aliases": ALIASES, "inside": INSIDE_KINDS, "tools": tools}
        typer.echo(json.dumps(told, indent=2))
        return
    table = Table("Kind", "What happens", "Inside too", box=SIMPLE)
    other = {kind: name for name, kind in ALIASES.items()}
    for kind, words in KINDS.items():
        name = f"{kind} ({other[kind]})" if kind in other else kind
        table.add_row(name, words, "yes" if kind in INSIDE_KINDS else "")
    out.print(table)
    out.print("Tools: " + ", ".join(tools) + ", and each job board as board_NAME.", soft_wrap=True, highlight=False)


@faults_app.command("check")
def check(
    spec: Annotated[str, typer.Argument(help="As SIGNALBOX_FAULTS takes it: search_jobs=timeout:0.5,*=latency:200ms")],
    as_json: Json = False,
) -> None:
    """Whether a specification is valid, and what it means. Nothing is injected by this."""
    from signalbox.tools.faults import Faults

    _show(Faults.parse(spec, tools=_tools()), as_json=as_json)


@faults_app.command("active")
def active(as_json: Json = False) -> None:
    """What the settings of this shell inject. A server tells its own in ``GET /v1/about``."""
    from signalbox.tools.faults import Faults

    settings = load_settings()
    _show(Faults.parse(settings.faults, seed=settings.faults_seed, tools=_tools()), as_json=as_json)


def _show(faults: "Faults", *, as_json: bool) -> None:
    from signalbox.tools.faults import KINDS

    if as_json:
        typer.echo(json.dumps({"faults": faults.told, "seed": faults.seed}, indent=2))
        return
    if not faults.active:
        out.print("No fault is injected.")
        return
    table = Table("Tool", "Kind", "How often", "What happens", box=SIMPLE)
    for fault in faults.faults:
        often = f"{fault.latency_s * 1000:g} ms later" if fault.kind == "latency" else f"{fault.rate:.0%} of calls"
        where = " (inside)" if fault.where == "inside" else ""
        table.add_row(fault.tool, fault.kind + where, often, KINDS[fault.kind])
    out.print(table)
    out.print(f"Drawn with seed {faults.seed}: the same calls meet the same faults.")


def _tools() -> list[str]:
    """The packaged tools, and the boards that the settings name."""
    from signalbox.tools.boards.build import board_names
    from signalbox.tools.toolbox import find_tools

    return sorted([*(kind.name for kind in find_tools()), *board_names(load_settings())])
