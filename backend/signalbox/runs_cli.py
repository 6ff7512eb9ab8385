"""``signalbox runs`` and ``signalbox prune``: what runs did, where they stopped, and starting them again.

Parses, calls, prints. It is the operator's shell: every user's runs are visible.
"""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console

from signalbox.errors import BadRequest, ConfigurationError
from signalbox.printing import Json, age_of, print_json, print_table, with_stores
from signalbox.settings import load_settings

if TYPE_CHECKING:
    from signalbox.runs.retention import Pruned
    from signalbox.runs.story import RunLine, Story
    from signalbox.stores import Stores

STATUSES: Final = ("pending", "running", "waiting", "succeeded", "failed", "cancelled", "dead")

runs_app = typer.Typer(no_args_is_help=True, help="What runs did, and starting them again.")

err = Console(stderr=True)
out = Console()

RunId = Annotated[str, typer.Argument(help="The run's id, as in X-Run-Id and `signalbox runs list`.")]


@runs_app.command("list")
def list_runs(
    status: Annotated[str | None, typer.Option(help=f"Only these: {', '.join(STATUSES)}.")] = None,
    dead: Annotated[bool, typer.Option("--dead", help="Only those that were given up; as --status dead.")] = False,
    user: Annotated[str | None, typer.Option(help="Only those of this user id.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="The newest so many.")] = 50,
    as_json: Json = False,
) -> None:
    """The newest runs of all users."""
    from signalbox.runs.story import RunStories

    if status is not None and status not in STATUSES:
        raise ConfigurationError(f"'{status}' is not a status. Use one of {', '.join(STATUSES)}.")
    if dead and status not in {None, "dead"}:
        raise ConfigurationError("--dead and --status contradict each other. Use one of them.")

    async def work(stores: "Stores") -> None:
        found = await RunStories(stores.db).latest(status="dead" if dead else status, user=user, limit=limit)
        if as_json:
            print_json([asdict(run) for run in found])
        elif found:
            _print_runs(found)
        else:
            out.print("There are no such runs.")

    with_stores(work)


@runs_app.command("show")
def show(run_id: RunId, as_json: Json = False) -> None:
    """What one run did, step by step."""
    from signalbox.runs.story import RunStories

    async def work(stores: "Stores") -> None:
        story = await RunStories(stores.db).story(run_id)
        if as_json:
            print_json(story.told())
        else:
            _print_story(story)

    with_stores(work)


@runs_app.command("requeue")
def requeue(
    run_ids: Annotated[list[str] | None, typer.Argument(help="Ids of dead runs.", show_default=False)] = None,
    all_dead: Annotated[bool, typer.Option("--all-dead", help="Every dead run.")] = False,
) -> None:
    """Give dead runs back to the workers, with all their attempts. What they have done is not done again."""
    from signalbox.runs.claims import ClaimStore
    from signalbox.runs.story import RunStories

    if all_dead == bool(run_ids):
        raise ConfigurationError("Name the runs to requeue, or --all-dead for every one.")

    async def work(stores: "Stores") -> None:
        stories = RunStories(stores.db)
        claims = ClaimStore(stores.db, lease_owner="cli", lease_s=1)
        refused = []
        wanted = list(dict.fromkeys(run_ids)) if run_ids else await stories.dead()
        for run_id in wanted:
            run = await stories.line(run_id)
            if run.pruned:
                refused.append(f"{run_id}: its steps were pruned, so it would do everything anew. Send it again.")
            elif run.status != "dead" or not await claims.requeue(run_id):
                refused.append(f"{run_id} is {_status(run)}. Only dead runs can be requeued.")
            else:
                out.print(f"{run_id} waits for a worker.", highlight=False, soft_wrap=True)
        if not wanted:
            out.print("There are no dead runs.")
        if len(refused) < len(wanted):
            await _announce(stores, "work:")
        if refused:
            raise BadRequest("\n".join(refused))

    with_stores(work)


@runs_app.command("cancel")
def cancel(run_id: RunId) -> None:
    """End any user's run, wherever it goes on. What it has said so far is kept."""
    from signalbox.runs.story import RunStories

    async def work(stores: "Stores") -> None:
        await _cancel(stores, await RunStories(stores.db).line(run_id))

    with_stores(work)


def prune(
    older_than: Annotated[
        str | None,
        typer.Option(help="Age as 30d, 12h or 90m, since they ended; SIGNALBOX_RETENTION_DAYS by default."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count only; change nothing.")] = False,
) -> None:
    """Forget how old runs were worked on: steps, effects, approvals and events. Conversations stay.

    Runs that wait or go on are never touched. Servers and workers do this by themselves once an hour.
    """
    from signalbox.runs.retention import Retention

    settings = load_settings()
    age = timedelta(days=settings.retention_days) if older_than is None else age_of(older_than)

    async def work(stores: "Stores") -> None:
        redis = _redis(stores)
        try:
            retention = Retention(stores.db, redis)
            before = datetime.now(UTC) - age
            if dry_run:
                _print_pruned(await retention.count(before), "Would be pruned (--dry-run, nothing was changed)")
                return
            with err.status("pruning") as status:
                pruned = await retention.prune(before, lambda done: status.update(f"pruning: {done.runs} runs"))
            _print_pruned(pruned, "Pruned")
        finally:
            await redis.aclose()

    with_stores(work)


async def _cancel(stores: "Stores", run: "RunLine") -> None:
    from signalbox.memory.profile import Owner
    from signalbox.runs.claims import ClaimStore
    from signalbox.runs.closing import Closing
    from signalbox.runs.store import RunStore
    from signalbox.stream.log import EventLog

    if run.over:
        raise BadRequest(f"{run.run_id} is over: {run.status}.")
    redis = _redis(stores)
    store = RunStore(stores.db, lease_owner="cli", lease_s=1)
    log = EventLog(redis, buffer_ttl_s=load_settings().buffer_ttl_s, buffer_events=load_settings().buffer_events)
    try:
        ended = await store.request_cancel(Owner(run.tenant, run.user_id), run.run_id)
        if ended is None:
            await _announce(stores, f"cancel:{run.run_id}")
            await _announce(stores, "work:")  # one that was given back is ended by whoever claims it
            out.print(f"{run.run_id} was told to stop.", highlight=False, soft_wrap=True)
            return

        async def announce() -> None:
            await _announce(stores, "work:")

        closing = Closing(store, ClaimStore(stores.db, lease_owner="cli", lease_s=1), log, announce)
        await closing.close_stream(ended)
        await announce()
        out.print(f"{run.run_id} is cancelled.", highlight=False, soft_wrap=True)
    finally:
        await log.close()
        await redis.aclose()


async def _announce(stores: "Stores", text: str) -> None:
    from redis.exceptions import RedisError

    from signalbox.stream.hub import CONTROL

    redis = _redis(stores)
    try:
        await redis.publish(CONTROL, text)
    except (RedisError, OSError):
        err.print("Redis cannot be reached, so workers see it at their next look.", style="dim")
    finally:
        await redis.aclose()


def _redis(stores: "Stores") -> "Any":
    from redis.asyncio import Redis

    return Redis.from_url(stores.redis_url, socket_timeout=5, socket_connect_timeout=3)


# -- printing


def _print_runs(runs: "Sequence[RunLine]") -> None:
    from signalbox.runs.story import shortened

    print_table(
        ("run", "status", "try", "steps", "agent", "user", "created", "took", "message"),
        [
            (
                run.run_id, _status(run), str(run.attempt), str(run.steps), run.agent or run.intent or "", run.user_id,
                _moment(run.created_at), _lasted(run), shortened(_last_word(run), 60),
            )
            for run in runs
        ],
        whole=("run", "status", "created", "took"),
    )  # fmt: skip


def _last_word(run: "RunLine") -> str:
    return f"{run.error_code}: {run.error_text}" if run.status in {"failed", "dead"} else run.message or ""


def _status(run: "RunLine") -> str:
    if run.lost:
        return "running (lost)"
    if run.rolled_back:
        return f"{run.status} (taken back)"
    return "running (stopping)" if run.status == "running" and run.cancel_requested else run.status


def _print_story(story: "Story") -> None:
    for name, value in _facts(story.run):
        out.print(f"{name + ':':<14}{value}", markup=False, highlight=False, soft_wrap=True)
    _title("Steps")
    if story.steps:
        print_table(
            ("seq", "kind", "what", "took", "try", "offset", "position"),
            [
                (
                    str(step.seq), step.kind, step.what + (f" [{step.request_id}]" if step.request_id else ""),
                    _seconds(step.took), str(step.attempt), str(step.offset or ""), step.position,
                )
                for step in story.steps
            ],
            whole=("seq", "kind", "took", "offset"),
        )  # fmt: skip
    else:
        out.print(story.run.why_no_steps)
    if story.effects:
        _title("Effects")
        print_table(
            ("tool", "class", "status", "tries", "begun", "done", "position", "key"),
            [
                (
                    each.tool, each.kind, each.status, str(each.tries), _moment(each.intended_at),
                    _moment(each.done_at), each.position, each.effect_key,
                )
                for each in story.effects
            ],
            whole=("begun", "done"),
        )  # fmt: skip
    if story.approvals:
        _title("Approvals")
        print_table(
            ("approval", "tool", "decision", "asked", "expires", "decided", "note"),
            [
                (
                    asked.approval_id, asked.tool, asked.decision or "open", _moment(asked.created_at),
                    _moment(asked.expires_at), _moment(asked.decided_at), asked.note,
                )
                for asked in story.approvals
            ],
            whole=("approval", "decision", "asked", "expires", "decided"),
        )  # fmt: skip


def _title(text: str) -> None:
    out.print(f"\n{text}", style="bold")


def _facts(run: "RunLine") -> list[tuple[str, str]]:
    from signalbox.runs.story import shortened

    facts = [
        ("run", run.run_id),
        ("status", _status(run) + (f", {run.error_code}: {run.error_text}" if run.error_code else "")),
        ("user", f"{run.user_id} (tenant {run.tenant})"),
        ("conversation", run.conversation_id),
        ("message", shortened(run.message or run.why_no_message, 300)),
        ("agent", run.agent or run.intent or "none yet"),
        ("created", _moment(run.created_at)),
        ("started", _moment(run.started_at) if run.started_at else "not yet"),
        ("finished", f"{_moment(run.finished_at)}, after {_lasted(run)}" if run.finished_at else "not yet"),
        ("attempt", str(run.attempt)),
        ("worker", _worker(run)),
        ("model", run.model or "not chosen yet"),
        ("pins", run.pins or ""),
    ]
    if run.first_offset is not None:
        facts.append(("events", f"offsets {run.first_offset} to {run.last_offset}"))
    return [(name, value) for name, value in facts if value]


def _worker(run: "RunLine") -> str:
    if run.worker is None:
        return "none"
    if run.status != "running" or run.lease_until is None:
        return run.worker
    return f"{run.worker}, {'lost since' if run.lost else 'leased until'} {_moment(run.lease_until)}"


def _moment(when: datetime | None) -> str:
    if when is None:
        return ""
    return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def _lasted(run: "RunLine") -> str:
    if run.started_at is None:
        return ""
    return _seconds((run.finished_at or datetime.now(UTC)) - run.started_at)


def _seconds(span: timedelta) -> str:
    seconds = max(0.0, span.total_seconds())
    if seconds < 60:
        return f"{seconds:.2f} s"
    if seconds < 3_600:
        return f"{seconds / 60:.1f} min"
    return f"{seconds / 3_600:.1f} h" if seconds < 86_400 else f"{seconds / 86_400:.1f} d"


def _print_pruned(pruned: "Pruned", lead: str) -> None:
    told = ", ".join(f"{name} {number}" for name, number in asdict(pruned).items())
    out.print(f"{lead}: {told}", highlight=False, soft_wrap=True)
