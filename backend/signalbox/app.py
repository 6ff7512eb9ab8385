"""The ASGI application: middleware, routes, lifespan; nothing else."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from signalbox.api import (
    about,
    applications,
    approvals,
    chat,
    conversations,
    costs,
    events,
    health,
    mcp,
    privacy,
    problems,
    profile,
    sources,
    summaries,
    web,
)
from signalbox.api.guard import Guard
from signalbox.api.sse import DIRECT_SEND
from signalbox.services import Services, open_services
from signalbox.settings import Settings


class App(FastAPI):
    """FastAPI with CORS around everything (a page must be able to read the answer to a bug, too), handing
    streams the server's own ``send``: see ``EventStream``.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[DIRECT_SEND] = send
        await super().__call__(scope, receive, send)

    def build_middleware_stack(self) -> ASGIApp:
        origins = self.state.cors_origins
        stack = super().build_middleware_stack()
        if not origins:
            return stack
        return CORSMiddleware(
            stack,
            allow_origins=list(origins),
            allow_credentials="*" not in origins,
            allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"],
            allow_headers=["Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID", *mcp.HEADERS],
            expose_headers=[
                *("X-Run-Id", "X-Conversation-Id", "Location", "X-Last-Event-Id", "Retry-After", "Mcp-Session-Id"),
            ],
        )


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
            app.state.mcp = mcp.McpEndpoint(opened, app.state.guard)
            await stack.enter_async_context(app.state.mcp.run())
            yield

    app = App(title="Signalbox", version="1", lifespan=lifespan)
    app.state.cors_origins = settings.cors_origins
    problems.install(app)
    for module in (
        chat,
        events,
        approvals,
        conversations,
        profile,
        privacy,
        applications,
        sources,
        costs,
        summaries,
        about,
    ):
        app.include_router(module.router, responses=problems.RESPONSES)
    app.include_router(health.router)
    app.router.routes.append(mcp.route())
    page = web.Page(settings.web_dir or web.DIST)
    app.include_router(page.router)
    app.mount(web.ASSETS, page.assets)
    return app
