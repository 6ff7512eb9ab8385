"""What a browser is started with, what it must never do, and tabs in it."""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from chat_page import WATCH, Chat
from playwright.async_api import BrowserContext, ConsoleMessage, Page

ROOT = Path(__file__).parents[2]
FRONTEND = ROOT / "frontend"
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


class Faults:
    """What a page did that none should: errors, what its policy stopped, dialogs, requests to elsewhere."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        # Browsers report every 404, also the one that answers whether there is a CV.
        self._allowed: list[str] = [r"404.* at \S+/v1/profile/resume$"]

    def allow(self, *patterns: str) -> None:
        """Faults that contain a match of one of these are what the test is about."""
        self._allowed += patterns

    def unexpected(self) -> list[str]:
        return [fault for fault in self.seen if not any(re.search(pattern, fault) for pattern in self._allowed)]

    async def watch(self, context: BrowserContext, origin: str) -> None:
        context.on("console", self._console)
        context.on("weberror", lambda fault: self._add("script", str(fault.error), True))
        context.on("dialog", self._dialog)
        context.on("request", lambda request: self._add("request", request.url, not _within(request.url, origin)))
        await context.expose_binding("policyStopped", lambda _, what: self._add("policy", what, True))
        await context.add_init_script(
            "document.addEventListener('securitypolicyviolation', "
            "(e) => window.policyStopped(`${e.effectiveDirective} ${e.blockedURI}`))"
        )

    def _console(self, message: ConsoleMessage) -> None:
        self._add("console", f"{message.text} at {message.location['url']}", message.type in {"error", "warning"})

    async def _dialog(self, dialog: Any) -> None:
        self._add("dialog", dialog.message, dialog.type != "beforeunload")
        await dialog.dismiss()

    def _add(self, kind: str, what: str, fault: object) -> None:
        if fault:
            self.seen.append(f"{kind}: {what}")


def _within(url: str, origin: str) -> bool:
    return url.startswith((f"{origin}/", "data:", "blob:", "about:"))


async def tab(context: BrowserContext, url: str, path: str = "/", *, wait: bool = True) -> Chat:
    """One more tab of the same browser."""
    page: Page = await context.new_page()
    await page.add_init_script(f"({WATCH})()")
    await page.goto(f"{url}{path}")
    chat = Chat(page, url)
    if wait:
        await chat.part("composer").wait_for()
    return chat


async def best_of(tries: int, measure: Callable[[], Awaitable[float]], limit: float) -> None:
    """A busy machine makes all work longer, never shorter."""
    figures: list[float] = []
    for _ in range(tries):
        figures.append(await measure())
        if figures[-1] <= limit:
            break
    assert min(figures) <= limit, figures
