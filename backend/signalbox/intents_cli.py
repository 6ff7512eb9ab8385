"""``signalbox intents``: how well messages are understood, and how to teach better. Parses, calls, prints."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from signalbox.errors import ConfigurationError
from signalbox.settings import load_settings

if TYPE_CHECKING:
    from signalbox.db import Database
    from signalbox.graph.intent_adoption import Contradiction, Trial
    from signalbox.graph.intent_training import Answered, Score
    from signalbox.runs.routing_report import Live, RoutingReport

SHOWN_CONFUSIONS = 12
SHOWN_CONTRADICTIONS = 50
LEGEND = (
    "strict: the share answered with the very label. lenient: with the label or one of the further labels that a "
    'reader would accept too ("also"); precision, recall and "wrong" are lenient.'
)

intents_app = typer.Typer(no_args_is_help=True, help="How well messages are understood, and how to teach better.")

err = Console(stderr=True)
out = Console()

Since = Annotated[datetime | None, typer.Option(help="Only messages from this day on.")]
Training = Annotated[
    Path | None, typer.Option(help="Labelled messages to train on instead of the packaged ones.", show_default=False)
]
Seed = Annotated[int, typer.Option(min=0, help="Shuffles the messages into other parts.")]


@intents_app.command("eval")
def evaluate(
    file: Annotated[
        Path | None, typer.Argument(help="Labelled messages to judge; without it, those trained on are judged.")
    ] = None,
    training: Training = None,
    seed: Seed = 0,
) -> None:
    """Accuracy, calibration and confusions on labelled messages that the model was not trained on.

    A message that is in the training file too is answered by cross-validation, by a model that did not see it.
    """
    from signalbox.graph.intent import fit_examples, training_examples, vectors_of
    from signalbox.graph.intent_data import load_examples
    from signalbox.graph.intent_training import Judged, cross_validated, judge
    from signalbox.llm.embedding import Embedder

    judged = load_examples(file) if file else []
    if file and not judged:
        raise ConfigurationError(f"{file} holds no messages.")
    trained_on = training_examples(load_settings().data_dir / "models", training)
    with _progress("reading messages") as progress:
        vectors = vectors_of([*trained_on, *judged], Embedder(), progress)
    own, others = vectors[: len(trained_on)], vectors[len(trained_on) :]
    with err.status("training"):
        if file:
            result = judge(judged, others, trained_on, own, seed)
        else:
            result = Judged(tuple(cross_validated(trained_on, fit_examples(trained_on, own, seed))), len(trained_on))
    _print_scores(result.answers, file)
    unseen = len(result.answers) - result.held_out
    out.print(
        f"{unseen} of {len(result.answers)} messages are not in the training file; the other {result.held_out} were "
        f"answered by cross-validation, by models that had not seen them.",
        highlight=False,
    )


@intents_app.command("report")
def report(since: Since = None) -> None:
    """Where live classification is weak: confidence, clarifications, what users chose instead."""
    from signalbox.runs.routing_report import routing_report

    async def work(db: "Database") -> None:
        _print_report(await routing_report(db, since))

    _with_database(work)


@intents_app.command("export")
def export(
    file: Annotated[Path, typer.Argument(help="The JSON Lines file to write.")],
    since: Since = None,
    min_confidence: Annotated[
        float, typer.Option(min=0, max=1, help="Leave out guesses that are less certain than this.")
    ] = 0.0,
    only_chosen: Annotated[bool, typer.Option("--only-chosen", help="Only what users settled themselves.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")] = False,
) -> None:
    """Write live messages as labelled ones: what users chose is their label, the rest is marked for review.

    Messages of temporary chats are never stored, so they are not in it. The file is readable by you alone.
    """
    from signalbox.graph.intent import written_whole
    from signalbox.graph.intent_data import as_line
    from signalbox.runs.routing_report import labelled, live_messages

    if file.exists() and not force:
        raise ConfigurationError(f"{file} exists. Choose another name, or add --force to replace it.")

    async def work(db: "Database") -> None:
        messages = await live_messages(db, since)
        rows = list(labelled(messages, min_confidence=min_confidence, only_chosen=only_chosen))
        try:
            with written_whole(file) as target:
                for example, live in rows:
                    source = {"outcome": live.outcome, "confidence": round(live.confidence, 4)}
                    target.write(as_line(example, review=example.review, **source).encode())
        except OSError as cause:
            raise ConfigurationError(f"{file} cannot be written: {cause.strerror}.") from cause
        review = sum(example.review for example, _ in rows)
        out.print(
            f"{len(rows)} messages written to {file}: {len(rows) - review} labelled by their users, {review} to "
            'review. Correct "intent", set "review" to false, then run signalbox intents retrain.',
            markup=False, highlight=False,
        )  # fmt: skip

    _with_database(work)


@intents_app.command("retrain")
def retrain(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Labelled messages, as eval reads and export writes.")
    ] = None,
    training: Annotated[Path | None, typer.Option(hidden=True)] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Measure only; change nothing.")] = False,
    reset: Annotated[bool, typer.Option("--reset", help="Go back to the packaged messages.")] = False,
    accept_contradictions: Annotated[
        bool, typer.Option("--accept-contradictions", help="Train on what contradicts the packaged messages, too.")
    ] = False,
    seed: Seed = 0,
) -> None:
    """Train on the packaged messages and FILES, and use the model from the next start on if it is no worse.

    Left out are messages still marked for review, and those that contradict the packaged ones: much the same words
    under another label. They are listed.

    Exit code 0: adopted, without what is listed. 1: nothing was changed, since the model is worse or nothing is left
    to train on.
    """
    from signalbox.graph.intent_adoption import OnlyContradictions, adopt, try_out
    from signalbox.graph.intent_adoption import reset as forget
    from signalbox.llm.embedding import Embedder

    folder = load_settings().data_dir / "models"
    if reset == bool(files):
        raise ConfigurationError("Name the files to train on, or --reset to go back to the packaged messages.")
    if reset:
        done = forget(folder)
        out.print("From the next start on, only the packaged messages count." if done else "Nothing was adopted yet.")
        return
    embedder = Embedder()
    try:
        with _progress("reading messages") as progress:
            trial = try_out(
                files or (), folder, embedder, base=training, seed=seed,
                accept_contradictions=accept_contradictions, progress=progress,
            )  # fmt: skip
    except OnlyContradictions as nothing_left:
        _print_contradictions(nothing_left.contradictions)
        out.print(nothing_left.public, style="red", markup=False, highlight=False)
        raise typer.Exit(1) from None
    _print_contradictions(trial.contradictions)
    if trial.contradictions:
        out.print(
            f"{len(trial.contradictions)} messages contradict the training file and were left out. Correct their "
            "labels, or add --accept-contradictions if they are right.",
            highlight=False,
        )  # fmt: skip
    _print_trial(trial)
    if not trial.good:
        out.print("It is worse than the model in use, so nothing was changed.", style="red")
        raise typer.Exit(1)
    if dry_run:
        out.print("It would be adopted; nothing was changed (--dry-run).")
        return
    added = adopt(trial, folder, embedder, training)
    out.print(f"Adopted: {added} is read at the next start of the server.", markup=False, highlight=False)


def _with_database(work: "Callable[[Database], object]") -> None:
    from signalbox.stores import open_stores

    async def run() -> None:
        async with open_stores(
            load_settings(), lambda line: err.print(f"  {line}", style="dim", markup=False)
        ) as stores:
            await work(stores.db)  # type: ignore[misc]

    try:
        asyncio.run(run())
    except KeyboardInterrupt:
        err.print("Stopped.")
        raise typer.Exit(130) from None


@contextmanager
def _progress(what: str) -> "Iterator[Callable[[int, int], None]]":
    columns = (
        SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
    )  # fmt: skip
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task(what, total=None)

        def update(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)
            if done == total:
                bar.update(task, description="training")

        yield update


def _print_scores(answers: "Sequence[Answered]", file: Path | None) -> None:
    from signalbox.graph.intent import CONFIDENT
    from signalbox.graph.intent_training import Score, by_intent, by_kind, confusions, reliability

    figures = Table("messages", "n", "strict", "lenient", f"sure (>= {CONFIDENT:.2f})", "of these wrong")
    verified = [each for each in answers if each[0].verified]
    if verified and file is None:
        _add(figures, "labelled twice", Score.of(verified))
    _add(figures, "all", Score.of(answers))
    for name, score in by_kind(answers):
        _add(figures, name, score)
    intents = Table("intent", "n", "precision", "recall")
    for row in by_intent(answers):
        intents.add_row(row.intent, str(row.messages), _percent(row.precision), _percent(row.recall))
    bins = Table("confidence", "n", "mean", "right (strict)", "right (lenient)")
    for each in reliability(answers):
        means = (each.confidence, each.strict, each.lenient)
        bins.add_row(f"{each.low:.1f}+", str(each.messages), *(f"{mean:.2f}" for mean in means))
    wrong = Table("label", "answer", "times")
    for label, given, times in confusions(answers)[:SHOWN_CONFUSIONS]:
        wrong.add_row(label, given, str(times))
    for table in (figures, intents, bins, wrong):
        out.print(table)
    out.print(LEGEND, highlight=False)


def _print_report(found: "RoutingReport") -> None:
    if not found.rows:
        out.print("Nothing was classified yet.")
        return
    table = Table("intent", "n", "mean confidence", "clarified", "chose another", "most confused with")
    for row in found.rows:
        table.add_row(
            row.intent, str(row.n), f"{row.mean_confidence:.2f}", f"{row.clarified:.0%}", str(row.chose_other),
            row.confused_with or "-",
        )  # fmt: skip
    out.print(table)
    if found.confusions:
        table = Table("classified as", "users chose", "times")
        for intent, chosen, times in found.confusions:
            table.add_row(intent, chosen, str(times))
        out.print(table)
    _print_live("least certain", found.weakest)
    _print_live("labelled by their users (signalbox intents export writes all of them)", found.chosen)


def _print_live(title: str, messages: "Sequence[Live]") -> None:
    if not messages:
        return
    table = Table("confidence", "classified as", "outcome", "text", title=title, title_justify="left")
    for live in messages:
        outcome = f"chose {live.chosen}" if live.chosen else live.outcome
        table.add_row(f"{live.confidence:.2f}", live.intent, outcome, _plain(" ".join(live.text.split())[:100]))
    out.print(table)


def _print_contradictions(found: "Sequence[Contradiction]") -> None:
    for each in found[:SHOWN_CONTRADICTIONS]:
        out.print(f"left out: {each}", style="yellow", markup=False, highlight=False)
    if len(found) > SHOWN_CONTRADICTIONS:
        out.print(f"... and {len(found) - SHOWN_CONTRADICTIONS} more", style="yellow")


def _print_trial(trial: "Trial") -> None:
    from signalbox.graph.intent_training import TOLERANCE

    table = Table("model", "n", "strict", "lenient", "sure", "of these wrong")
    _add(table, "in use", trial.current)
    _add(table, f"with {len(trial.added)} messages more", trial.candidate)
    out.print(table)
    out.print(LEGEND, highlight=False)
    if trial.left_out:
        out.print(f"{trial.left_out} messages were left out: known already, blank, or still marked for review.")
    out.print(
        f"Both were cross-validated on the same messages. The new one may lose {TOLERANCE:.1%} in lenient accuracy, "
        f"and be wrong {TOLERANCE:.1%} more often where it is sure.",
        highlight=False,
    )


def _add(table: Table, name: str, score: "Score") -> None:
    shares = (score.strict, score.lenient, score.coverage, score.confident_wrong)
    table.add_row(name, str(score.messages), *map(_percent, shares))


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text)
