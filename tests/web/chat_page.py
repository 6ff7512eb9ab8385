"""The page as a user of it sees it: what can be done there, and what stands there when all is done."""

import asyncio
import json
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from playwright.async_api import CDPSession, Locator, Page, expect
from playwright.async_api import TimeoutError as TooLate

# Everything that lasts, in its order: who says what, typed results, and what can be pressed.
_FINAL = """() => {
  const lasting = ["message-user", "message-assistant", "quick-reply", "approval-card", "run-error"];
  const chosen = [...lasting.map((id) => `[data-testid=${id}]`), "[data-testid^=block-]"].join(", ");
  return [...document.querySelectorAll(chosen)].map((node) => [
    node.dataset.testid,
    (node.innerText ?? "").replace(/\\s+/g, " ").trim(),
    ["aria-disabled", "aria-pressed", "data-status"].map((name) => node.getAttribute(name)).join(" ").trim(),
  ]);
}"""
_OVER = """() => {
  const turn = [...document.querySelectorAll("[data-run]")].at(-1);
  const there = turn?.querySelector("[data-testid=run-details]") && !turn.querySelector("[aria-busy=true]");
  return there && !document.querySelector("[data-testid=stop]");
}"""
_SCROLLER = """() => {
  let node = document.querySelector("[data-testid=message-assistant], [data-testid=message-user]");
  while (node && !(/auto|scroll/.test(getComputedStyle(node).overflowY) && node.scrollHeight > node.clientHeight + 1))
    node = node.parentElement;
  return node ?? document.scrollingElement;
}"""
# What the newest answer showed at every change of the page: how many ticks of it, and how many messages stood there.
WATCH = """() => {
  const seen = (window.seen = []);
  const look = () => {
    const answers = document.querySelectorAll("[data-testid=message-assistant]");
    const ticks = (answers[answers.length - 1]?.textContent.match(/@\\d{6}@/g) ?? []).length;
    const now = { at: performance.timeOrigin + performance.now(), messages: answers.length, ticks };
    const last = seen[seen.length - 1];
    if (last?.ticks !== now.ticks || last?.messages !== now.messages) seen.push(now);
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
}"""

_SEEN = """(state) => {
  Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
  if (state === "visible") document.dispatchEvent(new Event("resume"));
  document.dispatchEvent(new Event("visibilitychange"));
  if (state === "hidden") document.dispatchEvent(new Event("freeze"));
}"""


@dataclass(frozen=True)
class Seen:
    """``at`` in milliseconds of the clock on the wall."""

    at: float
    messages: int
    ticks: int


class Chat:
    """One tab."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self._tools: CDPSession | None = None

    def part(self, test_id: str) -> Locator:
        return self.page.get_by_test_id(test_id)

    @property
    def answers(self) -> Locator:
        return self.part("message-assistant")

    @property
    def questions(self) -> Locator:
        return self.part("message-user")

    @property
    def turn(self) -> Locator:
        """The last question with its answers and all that belongs to them."""
        return self.page.locator("[data-run]").last

    async def send(self, message: str) -> None:
        composer = self.part("composer")
        await composer.fill(message)
        await composer.press("Enter")
        await expect(self.questions.last).to_contain_text(re.sub(r"\s+", " ", message[:60]).strip())

    async def ask(self, message: str, *, timeout: float = 60) -> Locator:
        """Send it, wait for all of its answer, and return that turn."""
        await self.send(message)
        return await self.answered(timeout=timeout)

    async def answered(self, *, timeout: float = 60) -> Locator:
        await self.page.wait_for_function(_OVER, timeout=timeout * 1000)
        return self.turn

    async def conversation_id(self) -> str:
        await self.page.wait_for_url(re.compile(r"/c/"))
        return self.page.url.rpartition("/c/")[2].split("?")[0]

    async def final(self) -> list[list[str]]:
        """The whole conversation as it stands, in a window so high that all of it is rendered."""
        size = self.page.viewport_size
        await self.page.set_viewport_size({"width": size["width"], "height": 12_000})
        await self.page.wait_for_timeout(150)
        found = await self.page.evaluate(_FINAL)
        await self.page.set_viewport_size(size)
        return found

    async def shows(self, wanted: list[list[str]]) -> None:
        """Exactly this stands there, once what is looked up for it has come."""
        with suppress(TimeoutError):
            async with asyncio.timeout(30):
                while await self.final() != wanted:  # noqa: ASYNC110 - the page tells nobody
                    await asyncio.sleep(0.2)
        assert await self.final() == wanted

    async def ticks(self) -> int:
        """How many of a ``/ticks`` answer stand there; they are checked to be the first ones, each once."""
        text = await self.answers.last.text_content() if await self.answers.count() else ""
        numbers = [int(number) for number in re.findall(r"@(\d{6})@", text or "")]
        assert numbers == list(range(len(numbers))), f"{len(numbers)} ticks, and not the first ones in order"
        return len(numbers)

    async def until_ticks(self, count: int, *, timeout: float = 60) -> None:
        await self.page.wait_for_function(
            """(count) => {
              const answers = document.querySelectorAll("[data-testid=message-assistant]");
              return (answers[answers.length - 1]?.textContent.match(/@\\d{6}@/g) ?? []).length >= count;
            }""",
            arg=count,
            timeout=timeout * 1000,
        )

    async def seen(self) -> list[Seen]:
        return [Seen(**each) for each in await self.page.evaluate("() => window.seen ?? []")]

    async def from_bottom(self) -> float:
        """Pixels between the end of what is shown and the end of the conversation."""
        return await self.page.evaluate(f"() => {{ const s = ({_SCROLLER})(); {_DISTANCE} }}")

    async def until_at_end(self) -> None:
        """The end of the conversation is in view. What has just come is followed a frame later."""
        await self.page.wait_for_function(f"() => {{ {_AT_END} }}")

    async def scroll_top(self) -> float:
        return await self.page.evaluate(f"() => ({_SCROLLER})().scrollTop")

    async def scroll_to(self, top: float) -> None:
        await self.page.evaluate(f"(top) => {{ ({_SCROLLER})().scrollTop = top }}", top)

    async def talk(self, *messages: str) -> str:
        """Have a conversation without looking at it; what the tests are about is then opened at its address."""
        # A new visitor's first requests go side by side, and each may make them a user: the last one counts.
        with suppress(TooLate):
            await self.page.wait_for_load_state("networkidle", timeout=3_000)
        conversation: str | None = None
        for message in messages:
            more = {"conversation_id": conversation} if conversation else {}
            run = await self.api("POST", "/v1/chat", message=message, **more)
            conversation = run["conversation_id"]
            await self._over(run["run_id"])
        assert conversation is not None
        return conversation

    async def _over(self, run_id: str) -> None:
        async with asyncio.timeout(120):
            while (await self.api("GET", f"/v1/runs/{run_id}"))["status"] in {"pending", "running"}:  # noqa: ASYNC110
                await asyncio.sleep(0.03)

    async def open(self, conversation: str) -> None:
        await self.page.goto(f"{self.url}/c/{conversation}")
        await self.answers.last.wait_for()

    async def opened_after(self, *messages: str) -> Locator:
        """A conversation that went like this, opened: its last turn."""
        await self.open(await self.talk(*messages))
        return self.turn

    async def stored(self) -> dict[str, Any]:
        return await self.api("GET", f"/v1/conversations/{await self.conversation_id()}/messages")

    async def until_copied(self, text: str) -> None:
        """The clipboard ends with ``text``. A page writes into it a moment after the click."""
        copied = "async (text) => (await navigator.clipboard.readText()).trim().endsWith(text)"
        await self.page.wait_for_function(copied, arg=text)

    async def another_run(self, run: str | None) -> None:
        """The last turn is not that of ``run`` any more."""
        await expect(self.turn).not_to_have_attribute("data-run", run or "")

    async def panel(self, name: str) -> Locator:
        """Open a panel by its button, or by its entry in the menu where there is no room for one."""
        button = self.part(f"open-{name}")
        if await button.is_visible():
            await button.click()
        else:
            label = await button.get_attribute("aria-label")
            await self.part("open-more").click()
            await self.page.get_by_role("button", name=label, exact=True).click()
        panel = self.part(f"panel-{name}")
        await expect(panel).to_be_visible()
        return panel

    async def freeze(self) -> None:
        """As phones do to a page in the background: it is told that nobody looks, then nothing of it runs any more.

        Chromium does so to hidden pages only, and those of a headless browser are never hidden: the debugger stops it.
        """
        await self.page.evaluate(_SEEN, "hidden")
        self._tools = await self.page.context.new_cdp_session(self.page)
        await self._tools.send("Debugger.enable")
        await self._tools.send("Debugger.pause")

    async def wake(self) -> None:
        await self._tools.send("Debugger.resume")
        await self._tools.detach()
        await self.page.evaluate(_SEEN, "visible")

    async def api(self, method: str, path: str, **body: Any) -> Any:
        """What the server says to this tab's user, beside the page."""
        request = self.page.context.request
        response = await request.fetch(f"{self.url}{path}", method=method, **({"data": body} if body else {}))
        assert response.ok, await response.text()
        return json.loads(await response.text() or "null")


_DISTANCE = "return s.scrollHeight - s.clientHeight - s.scrollTop;"
_AT_END = f"const s = ({_SCROLLER})(); return s.scrollHeight - s.clientHeight - s.scrollTop < 60;"
