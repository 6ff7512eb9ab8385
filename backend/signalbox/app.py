"""The ASGI application: middleware, routes, lifespan; nothing else."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware

from signalbox.api import chat, conversations, events, health, problems
from signalbox.api.guard import Guard
from signalbox.services import Services, open_services
from signalbox.settings import Settings


def create_app(settings: Settings, services: Services | None = None) -> FastAPI:
    """The application. With ``services`` given, whoever opened them closes them."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            opened = services if services is not None else await stack.enter_async_context(open_services(settings))
            app.state.services = opened
            app.state.guard = Guard(
                users=settings.users(), cookie_secret=opened.cookie_secret, secure=settings.cookie_secure
            )
            yield

    app = FastAPI(title="Signalbox", version="1", lifespan=lifespan)
    problems.install(app)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.cors_origins),
            allow_credentials="*" not in settings.cors_origins,
            allow_methods=["GET", "POST", "DELETE", "HEAD"],
            allow_headers=["Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID"],
            expose_headers=["X-Run-Id", "X-Conversation-Id", "Location", "X-Last-Event-Id"],
        )
    for module in (chat, events, conversations, health):
        app.include_router(module.router)
    return app
