"""Plays a conversation in a real browser on a fresh server with the offline model, and takes the README's pictures."""

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
from playwright.async_api import Browser, Page, async_playwright

ROOT = Path(__file__).parents[1]
TO = ROOT / "docs" / "screenshots"
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
]
LOOKS = (
    (DESKTOP, "desktop", "light"),
    (DESKTOP, "desktop", "dark"),
    (PHONE, "phone", "light"),
    (PHONE, "phone", "dark"),
)
# Name of the picture, what is said, and what of the answer to show.
SCENES = {
    "jobs": (("I am a data engineer with 6 years of Python and SQL", "Find data engineer jobs"), "block-jobs_data"),
    "skills": (("What skills do I need to become a nurse?",), "block-skill_gap"),
    "pay": (("What does a nurse earn?",), "block-salary_range"),
    "approval": (
        (
            "My name is Ada Lovelace and I live in London",
            "Write an email to Jane Doe at Acme asking about the data engineer role",
            "Leave out the rest of the blanks",
            "send it to jane.doe@acme.example",
        ),
        "approval-card",
    ),
}
# The last turn asks this, and is over or waits for a decision.
ANSWERED = """(message) => {
  const turn = [...document.querySelectorAll("[data-run]")].at(-1);
  return turn?.querySelector("[data-testid=message-user]")?.innerText.includes(message)
    && turn.querySelector("[data-testid=run-details], [data-testid=approve]:enabled");
}"""


def main() -> None:
    chromium = os.environ.get("SIGNALBOX_CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        sys.exit("There is no Chromium: install it, or name it in SIGNALBOX_CHROMIUM.")
    TO.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="sb-") as data, Serving(Path(data)) as url:
        asyncio.run(take_all(chromium, url))


class Serving:
    """A server on a free port, with all in ``data``; mail is set up but goes nowhere, as nothing is approved."""

    def __init__(self, data: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        env = {
            **os.environ, "SIGNALBOX_DATA_DIR": str(data), "SIGNALBOX_MODEL": "offline",
            "SIGNALBOX_SMTP_URL": "smtp://127.0.0.1:9", "SIGNALBOX_MAIL_FROM": "careers@signalbox.example",
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


async def take_all(chromium: str, url: str) -> None:
    async with async_playwright() as play:
        browser = await play.chromium.launch(executable_path=chromium, args=FLAGS)
        for size, device, scheme in LOOKS:
            page = await opened(browser, url, size, scheme)
            await say(page, SCENES["jobs"][0])
            await show(page, "block-jobs_data")
            await take(page, f"{device}-{scheme}")
        for name, (messages, part) in SCENES.items():
            page = await opened(browser, url, DESKTOP, "light")
            await say(page, messages)
            await show(page, part)
            await take(page, name)
        await browser.close()


async def opened(browser: Browser, url: str, size: dict[str, int], scheme: str) -> Page:
    context = await browser.new_context(
        viewport=size, color_scheme=scheme, reduced_motion="reduce", locale="en-GB", device_scale_factor=1
    )
    page = await context.new_page()
    await page.goto(url)
    await page.get_by_test_id("composer").wait_for()
    return page


async def say(page: Page, messages: tuple[str, ...]) -> None:
    for message in messages:
        await page.get_by_test_id("composer").fill(message)
        await page.get_by_test_id("composer").press("Enter")
        await page.wait_for_function(ANSWERED, arg=message, timeout=30_000)


async def show(page: Page, part: str) -> None:
    """The part from its beginning; what was asked last stands at the end of the list anyway."""
    if part != "approval-card":
        await page.get_by_test_id(part).last.evaluate("(node) => node.scrollIntoView({ block: 'start' })")
    await page.mouse.move(2, 2)
    await page.evaluate("() => document.activeElement?.blur()")
    await page.wait_for_timeout(700)


async def take(page: Page, name: str) -> None:
    path = TO / f"{name}.png"
    await page.screenshot(path=path, animations="disabled", caret="hide")
    await page.context.close()
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
