"""Plays conversations in a real browser on fresh servers with the offline model, and takes the manual's pictures.

``scripts/screenshots.py`` takes those of docs/screenshots; with a directory, every scene in every look goes there.
"""

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from playwright.async_api import Browser, Page, async_playwright

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs" / "screenshots"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
]
DESKTOP = {"viewport": {"width": 1280, "height": 880}}
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
LOOKS: dict[str, dict[str, Any]] = {
    "desktop-light": {**DESKTOP, "color_scheme": "light"},
    "desktop-dark": {**DESKTOP, "color_scheme": "dark"},
    "phone-light": {**PHONE, "color_scheme": "light"},
    "phone-dark": {**PHONE, "color_scheme": "dark"},
}
# The last turn asks this, and is over or waits for a decision.
ANSWERED = """(message) => {
  const turn = [...document.querySelectorAll("[data-run]")].at(-1);
  return turn?.querySelector("[data-testid=message-user]")?.innerText.includes(message)
    && turn.querySelector("[data-testid=run-details], [data-testid=approve]:enabled");
}"""
SOME_FAIL = "search_jobs=partial,find_wages=connection"


@dataclass(frozen=True)
class Scene:
    """``says``: the conversation; ``show``: what is then opened or scrolled to; ``kept``: its looks in the manual."""

    says: tuple[str, ...]
    show: Callable[[Page], Awaitable[object]]
    kept: tuple[str, ...]


def part(name: str, *, at: str = "start") -> Callable[[Page], Awaitable[object]]:
    """The last one of that name: from its beginning, or up to its end, with some room around it."""
    scroll = "(node, block) => { node.style.scrollMarginBlock = '12px'; node.scrollIntoView({ block }); }"

    async def show(page: Page) -> None:
        await page.get_by_test_id(name).last.evaluate(scroll, at)

    return show


async def the_details(page: Page) -> None:
    await page.get_by_test_id("run-details").last.locator("summary").click()
    await part("run-details", at="end")(page)


async def the_profile(page: Page) -> None:
    panel = await panel_of(page, "profile")
    place = panel.locator("[data-testid=fact][data-key=location]").get_by_test_id("pin-fact")
    if await place.get_attribute("aria-pressed") == "false":
        await place.click()
        await panel.locator("[data-testid=pin-fact][aria-pressed=true]").wait_for()


async def the_settings(page: Page) -> None:
    panel = await panel_of(page, "settings")
    await panel.get_by_test_id("budget").wait_for()


async def the_events(page: Page) -> None:
    panel = await panel_of(page, "events")
    await panel.get_by_role("button", name="Load all from the beginning").click()
    await panel.get_by_test_id("event-row").first.wait_for()


async def in_mind(page: Page) -> None:
    menu = page.get_by_test_id("conversation-menu")
    await (menu if await menu.is_visible() else page.get_by_test_id("open-more")).click()
    await page.get_by_role("button", name="What is kept in mind").click()
    await page.get_by_test_id("in-mind").locator("li").first.wait_for()


async def what_failed(page: Page) -> None:
    await page.get_by_test_id("faults-notice").locator("summary").click()


async def panel_of(page: Page, name: str) -> Any:
    button = page.get_by_test_id(f"open-{name}")
    if await button.is_visible():
        await button.click()
    else:
        label = await button.get_attribute("aria-label") or ""
        await page.get_by_test_id("open-more").click()
        await page.get_by_role("button", name=label, exact=True).click()
    panel = page.get_by_test_id(f"panel-{name}")
    await panel.wait_for()
    return panel


ME = "My name is Ada Lovelace and I live in London. I will not work nights."
ENGINEER = "I am a data engineer with 6 years of Python and SQL"
JOBS = (ENGINEER, "Find data engineer jobs")
# The README's pictures are called by their looks alone.
README = ""
SCENES = {
    README: Scene(JOBS, part("message-user"), tuple(LOOKS)),
    "skills": Scene(
        ("What skills do I need to become a nurse?",), part("block-skill_gap"), ("desktop-light", "phone-dark")
    ),
    "pay": Scene(("What does a nurse earn?",), part("block-salary_range"), ("desktop-dark", "phone-light")),
    "approval": Scene(
        (
            "My name is Ada Lovelace and I live in London",
            "Write an email to Jane Doe at Acme asking about the data engineer role",
            "Leave out the rest of the blanks",
            "send it to jane.doe@acme.example",
        ),
        part("stop-waiting", at="end"),
        ("desktop-light", "phone-dark"),
    ),
    "profile": Scene((ME, *JOBS), the_profile, ("desktop-light", "phone-dark")),
    "in-mind": Scene(
        (
            ME, "My goal is to become a data engineer", "I would prefer a small company", "I applied at Cedarvane",
            "I am not sure yet whether to move", "How do I write a good CV?", "Thanks", "How do I negotiate pay?",
            "Thanks", "What does a data engineer earn?", "Thanks", "How do I prepare for an interview?",
        ),
        in_mind,
        ("desktop-dark", "phone-light"),
    ),
    "settings": Scene(JOBS, the_settings, ("phone-light",)),
    "details": Scene(JOBS, the_details, ()),
    "events": Scene(JOBS, the_events, ("desktop-dark",)),
}  # fmt: skip
FAILING = {
    "lookups": Scene(
        ("Find nurse jobs in Leeds", "What does a nurse earn?"), what_failed, ("desktop-light", "phone-dark")
    ),
}


def main() -> None:
    chromium = os.environ.get("SIGNALBOX_CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        sys.exit("There is no Chromium: install it, or name it in SIGNALBOX_CHROMIUM.")
    everything = len(sys.argv) > 1
    to = Path(sys.argv[1]) if everything else DOCS
    to.mkdir(parents=True, exist_ok=True)
    # One folder for both, which start one after the other: the second one finds the catalogue loaded.
    with tempfile.TemporaryDirectory(prefix="sb-") as data:
        for scenes, faults in ((SCENES, ""), (FAILING, SOME_FAIL)):
            with Serving(Path(data), faults) as url:
                asyncio.run(take_all(chromium, url, scenes, to, everything=everything))


class Serving:
    """A server on a free port, with all in ``data``; mail is set up but goes nowhere, as nothing is approved."""

    def __init__(self, data: Path, faults: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        env = {
            **os.environ, "SIGNALBOX_DATA_DIR": str(data), "SIGNALBOX_MODEL": "offline", "SIGNALBOX_FAULTS": faults,
            "SIGNALBOX_SMTP_URL": "smtp://127.0.0.1:9", "SIGNALBOX_MAIL_FROM": "careers@signalbox.example",
            "SIGNALBOX_BUDGET_USER_USD": "0.5",
        }  # fmt: skip
        program = Path(sys.executable).parent / "signalbox"
        self._process = subprocess.Popen([program, "serve", "--port", str(self._port)], env=env)

    def __enter__(self) -> str:
        url = f"http://127.0.0.1:{self._port}"
        while True:
            if self._process.poll() is not None:
                sys.exit("The server did not start.")
            try:
                if httpx.get(f"{url}/readyz").status_code == 200:
                    return url
            except httpx.TransportError:
                time.sleep(0.2)

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()


async def take_all(chromium: str, url: str, scenes: dict[str, Scene], to: Path, *, everything: bool) -> None:
    async with async_playwright() as play:
        browser = await play.chromium.launch(executable_path=chromium, args=FLAGS)
        for name, scene in scenes.items():
            page = await opened(browser, url, LOOKS["desktop-light"])
            await say(page, scene.says)
            for look in LOOKS if everything else scene.kept:
                # As the same user, in a window that was always so large: nothing of how it was played is left over.
                state = await page.context.storage_state()
                seen = await opened(browser, page.url, {**LOOKS[look], "storage_state": state})
                await seen.get_by_test_id("message-assistant").last.wait_for()
                await settled(seen)
                await scene.show(seen)
                await settled(seen)
                await take(seen, to / f"{name}-{look}.png".removeprefix("-"))
            await page.context.close()
        await browser.close()


async def opened(browser: Browser, url: str, look: dict[str, Any]) -> Page:
    context = await browser.new_context(**look, reduced_motion="reduce", locale="en-GB", device_scale_factor=1)
    page = await context.new_page()
    await page.goto(url)
    await page.get_by_test_id("composer").wait_for()
    return page


async def say(page: Page, messages: tuple[str, ...]) -> None:
    for message in messages:
        await page.get_by_test_id("composer").fill(message)
        await page.get_by_test_id("composer").press("Enter")
        await page.wait_for_function(ANSWERED, arg=message, timeout=30_000)


async def settled(page: Page) -> None:
    await page.mouse.move(2, 2)
    await page.evaluate("() => document.activeElement?.blur()")
    await page.wait_for_timeout(700)


async def take(page: Page, path: Path) -> None:
    picture = await page.screenshot(path=path, animations="disabled", caret="hide")
    await page.context.close()
    print(f"{path.name}: {len(picture) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
