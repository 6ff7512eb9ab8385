"""The command line: serve, worker, chat, ingest, migrate, runs, prune, costs, users, schema, mcp, intents, faults,
eval.

Parses, calls, prints; decides nothing.
"""

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from signalbox.costs_cli import costs
from signalbox.errors import ConfigurationError, SignalboxError
from signalbox.eval_cli import eval_app
from signalbox.faults_cli import faults_app
from signalbox.intents_cli import intents_app
from signalbox.mcp_cli import mcp_app
from signalbox.runs_cli import prune, runs_app
from signalbox.settings import Settings, describe_settings, load_settings
from signalbox.users_cli import users_app


def _settings_help() -> str:
    lines = ["Settings come from the environment and from .env in the current folder:", ""]
    for name, default, description in describe_settings():
        lines.append(f"[bold]{name}[/bold] (default: {default or 'unset'})  {description}")
        lines.append("")
    return "\n".join(lines)


app = typer.Typer(
    no_args_is_help=True, add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False,
    help="A streaming multi-agent chat backend.",
)  # fmt: skip
ingest_app = typer.Typer(no_args_is_help=True, help="Load data into the catalogue.")
app.add_typer(ingest_app, name="ingest")
app.add_typer(intents_app, name="intents")
app.add_typer(faults_app, name="faults")
app.add_typer(eval_app, name="eval")
app.add_typer(runs_app, name="runs")
app.add_typer(mcp_app, name="mcp")
app.add_typer(users_app, name="users")
app.command()(prune)
app.command()(costs)

err = Console(stderr=True)
out = Console()


def main() -> None:
    """The console script: expected errors become one readable message and exit code 2."""
    try:
        app()
    except ConfigurationError as exc:
        err.print(str(exc), style="red", markup=False)
        sys.exit(2)
    except SignalboxError as exc:
        err.print(f"{exc.public}", style="red", markup=False)
        sys.exit(1)


def _run(work: Coroutine[Any, Any, None]) -> None:
    try:
        asyncio.run(work)
    except KeyboardInterrupt:
        err.print("Stopped.")
        sys.exit(130)


def _progress(line: str) -> None:
    err.print(f"  {line}", style="dim", markup=False)


def _version(wanted: bool) -> None:
    if wanted:
        out.print(metadata.version("signalbox"), highlight=False)
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_version)
    ] = False,
) -> None:
    """A streaming multi-agent chat backend."""


@app.command(epilog=_settings_help())
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free one.")] = None,
    api_only: Annotated[
        bool, typer.Option("--api-only", help="Take messages, leave answering them to `signalbox worker`.")
    ] = False,
) -> None:
    """Run the server (with embedded PostgreSQL and Valkey unless their URLs are set)."""
    settings = _checked(load_settings(host=host, port=port, max_runs=0 if api_only else None))
    from signalbox.serving import serve as run_server

    run_server(settings, *_ready_to_run(settings))


@app.command(epilog=_settings_help())
def worker(
    runs: Annotated[
        int | None, typer.Option(min=1, max=100_000, help="Answers to work on at once; SIGNALBOX_MAX_RUNS by default.")
    ] = None,
) -> None:
    """Answer messages that servers took, without HTTP, until SIGTERM or Ctrl+C; a second one ends it at once."""
    settings = _checked(load_settings(max_runs=runs))
    from signalbox.working import work

    work(settings, *_ready_to_run(settings))


def _checked(settings: Settings) -> Settings:
    """Looked through before the many modules of a server are imported, which takes seconds."""
    from signalbox.starting import check_settings

    check_settings(settings)
    return settings


def _ready_to_run(settings: Settings) -> tuple[Callable[[str], None], Console | None]:
    """Logging as set; who hears of the start-up's progress, and the screen for first words."""
    from signalbox.memory.contact_data import without_contact_data
    from signalbox.telemetry import configure_logging

    configure_logging(settings.log_level, as_json=settings.log_json, scrub=without_contact_data)
    quiet = settings.log_level in {"warning", "error"}
    return (lambda _: None) if quiet else _progress, None if quiet else err


@app.command()
def chat(
    url: Annotated[str | None, typer.Option(help="The server to talk to; the local one by default.")] = None,
    key: Annotated[
        str | None, typer.Option(help="API key, if the server wants one.", envvar="SIGNALBOX_CHAT_KEY")
    ] = None,
    conversation: Annotated[str | None, typer.Option(help="Go on with this conversation.")] = None,
) -> None:
    """Chat in the terminal."""
    from signalbox.terminal import converse

    if url is None:
        settings = load_settings()
        url = f"http://{settings.host}:{settings.port}"
    _run(converse(url, key=key, conversation_id=conversation))


@app.command()
def migrate() -> None:
    """Bring the database schema to this version's."""
    from signalbox.db import migrate as run_migrations
    from signalbox.stores import open_stores

    async def work() -> None:
        async with open_stores(load_settings(), _progress) as stores:
            await run_migrations(stores.db.dsn)
        out.print("The schema is up to date.")

    _run(work())


@app.command()
def schema() -> None:
    """Print the JSON Schema of every event."""
    from signalbox.events import event_schema

    sys.stdout.write(json.dumps(event_schema(), indent=2, sort_keys=True) + "\n")


TableFiles = Annotated[list[Path], typer.Argument(help="JSONL, JSON or CSV files.")]
Mapping = Annotated[Path | None, typer.Option(help="JSON file: our field -> theirs.")]
AsOf = Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The day of rows that state none.")]
Source = Annotated[str | None, typer.Option(help="Whom to cite for rows that name no source.")]


@ingest_app.command("jobs")
def ingest_jobs(files: TableFiles, mapping: Mapping = None) -> None:
    """Load job postings; running it again changes nothing."""
    from signalbox.ingesting import Files, ingest_job_files

    _run(ingest_job_files(_tool_settings(), Files(files, mapping), out))


@ingest_app.command("companies")
def ingest_companies(files: TableFiles, mapping: Mapping = None, as_of: AsOf = None, source: Source = None) -> None:
    """Load what is known of companies; running it again changes nothing."""
    from signalbox.ingesting import Files, ingest_company_files

    day = as_of.date() if as_of else None
    _run(ingest_company_files(_tool_settings(), Files(files, mapping, day, source), out))


@ingest_app.command("wages")
def ingest_wages(files: TableFiles, mapping: Mapping = None, as_of: AsOf = None, source: Source = None) -> None:
    """Load wage tables: percentiles of pay by occupation and area; running it again changes nothing."""
    from signalbox.ingesting import Files, ingest_wage_files

    day = as_of.date() if as_of else None
    _run(ingest_wage_files(_tool_settings(), Files(files, mapping, day, source), out))


@ingest_app.command("docs")
def ingest_docs(
    folder: Annotated[Path, typer.Argument(help="A folder of Markdown, HTML, PDF and text files.")],
    source: Annotated[str | None, typer.Option(help="Whom to cite; the folder's name by default.")] = None,
    version: Annotated[str, typer.Option(help="For documents that state no version.")] = "",
    replace: Annotated[bool, typer.Option(help="Remove documents of this source from another folder.")] = False,
) -> None:
    """Load documents into the knowledge base, which mirrors the folder; running it again changes nothing."""
    from signalbox.ingesting_docs import ingest_document_folder

    _run(ingest_document_folder(_tool_settings(), folder, source, version, out, replace=replace))


def _tool_settings() -> Settings:
    return load_settings()
