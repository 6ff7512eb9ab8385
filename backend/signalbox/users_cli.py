"""``signalbox users``: what an operator does for one user. Parses, calls, prints."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from signalbox.errors import ConfigurationError
from signalbox.printing import with_stores
from signalbox.settings import load_settings

if TYPE_CHECKING:
    from signalbox.runs.erasure import Erased
    from signalbox.stores import Stores

users_app = typer.Typer(no_args_is_help=True, help="What is kept of one user.")

err = Console(stderr=True)
out = Console()


@users_app.callback()
def about() -> None:
    """What is kept of one user."""


@users_app.command("erase")
def erase(
    user: Annotated[str, typer.Argument(help="The user's id.")],
    tenant: Annotated[str, typer.Option(help="The tenant they belong to.")] = "default",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask again.")] = False,
) -> None:
    """Erase everything that is stored of a user, for good; running it again is harmless."""
    if not user.strip():
        raise ConfigurationError("Name the user whose data is to be erased.")
    if not yes:
        typer.confirm(f"Erase everything of user '{user}' of tenant '{tenant}', for good?", abort=True)

    async def work(stores: "Stores") -> None:
        erased = await _erase(stores, tenant, user)
        names = [f"{count:,} {name}" for name, count in asdict(erased).items() if count]
        out.print(f"Erased: {', '.join(names)}." if names else "There was nothing to erase.", highlight=False)

    with_stores(work)


async def _erase(stores: "Stores", tenant: str, user: str) -> "Erased":
    from redis.asyncio import Redis

    from signalbox.memory.profile import Owner
    from signalbox.runs.erasure import Erasure
    from signalbox.stream.hub import CONTROL
    from signalbox.stream.log import EventLog

    settings = load_settings()
    redis = Redis.from_url(stores.redis_url)
    log = EventLog(redis, buffer_ttl_s=settings.buffer_ttl_s, buffer_events=settings.buffer_events)

    async def stop(run_id: str) -> None:
        await redis.publish(CONTROL, f"cancel:{run_id}")

    async def gone(conversation_id: str) -> None:
        await redis.publish(CONTROL, f"gone:{conversation_id}")

    def told(erased: "Erased") -> None:
        err.print(f"  {erased.conversations:,} conversations erased ...", style="dim")

    try:
        return await Erasure(stores.db, log, redis, stop=stop, gone=gone).erase(Owner(tenant, user), told)
    finally:
        await log.close()
        await redis.aclose()
