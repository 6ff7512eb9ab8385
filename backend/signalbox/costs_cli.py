"""``signalbox costs``: what models have cost, by whatever one asks, and whether escalating was worth it.

Parses, calls, prints. It is the operator's shell: every user's spending is visible.
"""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console

from signalbox.errors import ConfigurationError
from signalbox.printing import Json, age_of, print_json, print_table, with_stores

if TYPE_CHECKING:
    from signalbox.runs.costs import Escalations, Group, Spending
    from signalbox.stores import Stores

NOTHING: Final = "No model was asked in that time."

out = Console()


def costs(
    by: Annotated[str, typer.Option(help="model, task, agent, user, day, tier or outcome.")] = "model",
    since: Annotated[
        str | None, typer.Option(help="Age as 30d or 12h, or a day (UTC) as 2026-11-30; everything by default.")
    ] = None,
    escalations: Annotated[
        bool, typer.Option("--escalations", help="How often answers were asked for again, and what came of it.")
    ] = False,
    as_json: Json = False,
) -> None:
    """What models have cost: requests, tokens, US dollars, and seconds to the first word."""
    from signalbox.runs import costs as books

    if by not in books.BY:
        raise ConfigurationError(f"'{by}' is nothing to sort costs by. Use one of {', '.join(books.BY)}.")
    begin = None if since is None else _since(since)

    async def work(stores: "Stores") -> None:
        if escalations:
            asked = await books.escalations(stores.db, begin)
            if as_json:
                print_json([asdict(one) for one in asked])
            else:
                _print_escalations(asked)
            return
        found = await books.costs(stores.db, by, begin)
        if as_json:
            print_json([{**asdict(one), "hit_share": one.hit_share} for one in found])
        elif found:
            _print_costs(by, [*found, books.total(found)] if len(found) > 1 else found)
        else:
            out.print(NOTHING)

    with_stores(work)


def _since(text: str) -> datetime:
    try:
        return datetime.strptime(text.strip(), "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return datetime.now(UTC) - age_of(text)


def _print_costs(by: str, found: "list[Spending]") -> None:
    print_table(
        (by, "calls", "failed", "tokens in", "cached", "hit", "tokens out", "USD", "first word p50", "p95"),
        [
            (
                one.what, str(one.calls), str(one.failures), f"{one.input_tokens:,}", f"{one.cached_tokens:,}",
                f"{one.hit_share:.0%}", f"{one.output_tokens:,}", f"{one.cost_usd:.6f}",
                _seconds(one.first_token_p50_s), _seconds(one.first_token_p95_s),
            )
            for one in found
        ],
        whole=("USD",),
    )  # fmt: skip
    unpriced = found[-1].unpriced
    if unpriced:
        out.print(
            f"{unpriced} calls have no known price and are not in these sums; SIGNALBOX_MODEL_CARDS adds prices.",
            highlight=False,
            soft_wrap=True,
        )


def _print_escalations(found: "list[Escalations]") -> None:
    if not found:
        out.print(NOTHING)
        return
    _title("Asked of the usual tier, and asked again of the strong one")
    print_table(
        ("task", "asked", "asked again", "rate", "kept", "USD each", "answered", "kept then", "USD each then"),
        [
            (
                one.task, str(one.usual.asked), str(one.usual.escalated), _share(one.usual.rate),
                _kept(one.usual), _usd(one.usual), f"{one.answered}/{one.again.asked}", _kept(one.again),
                _usd(one.again),
            )
            for one in found
        ],
    )  # fmt: skip
    _title("Control group: the strong tier at once, by chance")
    print_table(
        ("task", "asked", "asked again", "rate", "rate of the usual tier", "kept", "USD each"),
        [
            (
                one.task, str(one.control.asked), str(one.control.escalated), _share(one.control.rate),
                _share(one.usual.rate), _kept(one.control), _usd(one.control),
            )
            for one in found
        ],
    )  # fmt: skip


def _title(text: str) -> None:
    out.print(f"\n{text}", style="bold")


def _kept(group: "Group") -> str:
    """Of the answers that were judged: how many were used."""
    return f"{group.kept}/{group.judged} ({_share(group.kept_share)})" if group.judged else "-"


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _usd(group: "Group") -> str:
    return "-" if group.usd is None else f"{group.usd:.6f}"


def _seconds(value: Any) -> str:
    return "-" if value is None else f"{value:.2f} s"
