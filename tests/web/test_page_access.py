"""For everybody: no serious fault by axe, all by keyboard alone, on a phone, in the dark, in words."""

import re

import pytest
from browsing import FRONTEND
from playwright.async_api import expect
from told import UNTIL_ENOUGH

PHONE = {"width": 320, "height": 640}
AXE = FRONTEND / "node_modules" / "axe-core" / "axe.min.js"
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")


@pytest.fixture(scope="session")
def axe():
    if not AXE.is_file():
        pytest.skip("axe-core is not installed; run scripts/web")
    return AXE.read_text()


async def faults_of(chat, axe):
    """What axe calls serious or critical, as rule and place; of a page whose parts have come to rest."""
    await chat.page.wait_for_function(
        """() => document.getAnimations().every(
          (one) => one.playState !== "running" || one.effect?.getComputedTiming().endTime === Infinity)"""
    )
    await chat.page.evaluate(axe)  # not by a script element: the page's policy would stop that
    found = await chat.page.evaluate(
        "(rules) => window.axe.run(document, { runOnly: rules, resultTypes: ['violations'] })", list(RULES)
    )
    return [
        f"{fault['id']}: {node['target']}: {node.get('failureSummary', '')}"
        for fault in found["violations"]
        if fault["impact"] in {"serious", "critical"}
        for node in fault["nodes"]
    ]


LOOKS = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": PHONE, "color_scheme": "light", "has_touch": True, "is_mobile": True},
}


@pytest.mark.parametrize("look", LOOKS)
async def test_no_serious_fault_on_the_main_views(visit, offline, axe, look):
    chat = await visit(offline, **LOOKS[look])
    assert await faults_of(chat, axe) == [], "the empty page"
    conversation = await chat.talk(
        "I am a data engineer with Python and SQL", "Find data engineer jobs", "What does a nurse earn?",
        "What skills do I need to become a nurse?", "Write an email to Jane Doe at Acme about the data engineer role",
        "I applied for the data engineer job at Acme yesterday",
    )  # fmt: skip
    await chat.open(conversation)
    size = chat.page.viewport_size
    await chat.page.set_viewport_size({"width": size["width"], "height": 9_000})
    await expect(chat.part("job-card").first).to_be_visible()
    assert await faults_of(chat, axe) == [], "a conversation with all kinds of results"
    await chat.page.set_viewport_size(size)
    assert await faults_of(chat, axe) == [], "the same as it is looked at"


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("panel", ["profile", "applications", "events", "settings"])
async def test_no_serious_fault_in_a_panel(visit, offline, axe, look, panel):
    chat = await visit(offline, **LOOKS[look])
    await chat.opened_after("I applied for the data engineer job at Acme yesterday")
    await chat.panel(panel)
    await chat.page.wait_for_timeout(100)
    assert await faults_of(chat, axe) == []


async def test_no_serious_fault_around_an_approval(visit, offline, axe):
    chat = await visit(offline)
    conversation = await chat.talk(
        "My name is Ada Lovelace and I live in London",
        "Write an email to Jane Doe at Acme about the data engineer role", "Leave out the rest of the blanks",
    )  # fmt: skip
    await chat.open(conversation)
    await chat.send("send it to axe@acme.example")
    await expect(chat.part("edit-approval")).to_be_enabled()
    assert await faults_of(chat, axe) == []
    await chat.part("edit-approval").click()
    await chat.page.get_by_role("dialog").wait_for()
    assert await faults_of(chat, axe) == []


async def focused(chat):
    return await chat.page.evaluate(
        """() => {
          const node = document.activeElement;
          const marked = (box) => {
            const style = getComputedStyle(box);
            return (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none";
          };
          const box = node.getBoundingClientRect();
          return {
            id: node.closest("[data-testid]")?.dataset.testid ?? "",
            tag: node.tagName,
            name: node.getAttribute("aria-label") ?? node.innerText ?? "",
            outlined: marked(node) || marked(node.parentElement),
            seen: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight,
          };
        }"""
    )


async def tab_to(chat, test_id, *, most=60, key="Tab"):
    """Press Tab until a part has the focus; on the way everything focused can be seen and shows that it is."""
    for _ in range(most):
        await chat.page.keyboard.press(key)
        at = await focused(chat)
        if at["tag"] in {"BODY", "HTML"}:
            continue
        assert at["seen"], f"the focus is on something that is not in view: {at}"
        assert at["outlined"], f"nothing shows that it has the focus: {at}"
        if at["id"] == test_id:
            return
    raise AssertionError(f"no way by keyboard to {test_id}")


async def test_a_conversation_by_keyboard_alone(visit, offline):
    chat = await visit(offline)
    await expect(chat.part("composer")).to_be_focused()
    await chat.page.keyboard.type("hmm")
    await chat.page.keyboard.press("Enter")
    await chat.answered()
    await expect(chat.part("composer")).to_be_focused()
    await tab_to(chat, "quick-reply", key="Shift+Tab")
    await chat.page.keyboard.press("Enter")
    await expect(chat.questions).to_have_count(2)
    await chat.answered()
    await tab_to(chat, "conversation-item", key="Tab")


async def test_a_dialog_keeps_the_focus_and_gives_it_back(visit, offline):
    chat = await visit(offline)
    named = re.compile("profile", re.IGNORECASE)
    opener = chat.page.get_by_role("button", name=named).first
    await opener.focus()
    await chat.page.keyboard.press("Enter")
    panel = chat.part("panel-profile")
    await expect(panel).to_be_visible()
    for _ in range(12):
        await chat.page.keyboard.press("Tab")
        inside = await chat.page.evaluate(
            "() => Boolean(document.activeElement.closest('[role=dialog], [data-testid=panel-profile]')) "
            "|| document.activeElement === document.body "
            "|| document.activeElement.hasAttribute('data-base-ui-focus-guard')"
        )
        assert inside
    await chat.page.keyboard.press("Escape")
    await expect(panel).to_be_hidden()
    await expect(opener).to_be_focused()


MENU = {"events": "Events", "settings": "Settings", "in-mind": "What is kept in mind"}


@pytest.mark.parametrize("name", ["profile", "applications", *MENU])
async def test_every_panel_is_reached_and_left_by_keyboard_where_there_is_little_room(visit, offline, axe, name):
    chat = await visit(offline, viewport=PHONE)
    await chat.opened_after("Hello")
    await chat.part("composer").focus()
    opener = "open-more" if name in MENU else f"open-{name}"
    await tab_to(chat, opener, key="Shift+Tab")
    await chat.page.keyboard.press("Enter")
    if name in MENU:
        await expect(chat.page.get_by_role("button", name=MENU[name], exact=True)).to_be_visible()
        while (await focused(chat))["name"].strip() != MENU[name]:
            await chat.page.keyboard.press("Tab")
        await chat.page.keyboard.press("Enter")
    panel = chat.part("in-mind" if name == "in-mind" else f"panel-{name}")
    await expect(panel).to_be_visible()
    await chat.page.wait_for_timeout(300)  # until it has slid in
    assert await faults_of(chat, axe) == []
    inside = "() => document.activeElement.closest('[role=dialog]') !== null"
    assert await chat.page.evaluate(inside), "it has the focus"
    await chat.page.keyboard.press("Escape")
    await expect(panel).to_be_hidden()
    await expect(chat.part(opener)).to_be_focused()


async def test_an_answer_that_waits_is_stopped_by_keyboard(visit, offline, axe):
    chat = await visit(offline, viewport=PHONE)
    await chat.open(
        await chat.talk(
            "My name is Ada Lovelace and I live in London",
            "Write an email to Jane Doe at Acme about the data engineer role", "Leave out the rest of the blanks",
            "send it to keys@acme.example",
        )
    )  # fmt: skip
    await expect(chat.part("approve")).to_be_enabled()
    assert await faults_of(chat, axe) == []
    await chat.part("composer").focus()
    await tab_to(chat, "stop-waiting", key="Shift+Tab")
    await chat.page.keyboard.press("Enter")
    await expect(chat.part("run-stopped")).to_be_visible()
    await expect(chat.part("composer")).to_be_focused()
    assert await faults_of(chat, axe) == []


async def test_what_happens_is_told_to_those_who_do_not_see_it(visit, scripted, enough):
    chat = await visit(scripted)
    live = chat.page.locator("[aria-live]:not([aria-live=off]), [role=status], [role=log], [role=alert]")
    assert await live.count() > 0
    assert await chat.page.locator("main, [role=main]").count() == 1
    assert await chat.page.locator("nav, [role=navigation]").count() >= 1
    assert await chat.page.evaluate("document.documentElement.lang") == "en"
    for name in ("composer", "send"):
        label = await chat.part(name).evaluate(
            "(n) => n.getAttribute('aria-label') || n.labels?.[0]?.innerText || n.innerText || n.title"
        )
        assert label.strip(), name
    # An answer that comes word by word is not read out word by word.
    await chat.send(UNTIL_ENOUGH)
    await chat.until_ticks(20)
    loud = await chat.turn.evaluate(
        "(n) => n.closest('[aria-live=polite], [aria-live=assertive], [role=log]') !== null"
    )
    busy = await chat.turn.evaluate("(n) => n.closest('[aria-busy=true]') !== null")
    assert not loud or busy
    enough.set()
    await chat.answered()


@pytest.mark.parametrize("width", [320, 390])
async def test_a_phone_shows_everything_without_sideways_scrolling(visit, offline, width):
    chat = await visit(offline, viewport={"width": width, "height": 700}, is_mobile=True, has_touch=True)
    await chat.opened_after(
        "Find nursing jobs", "compare the first two", "What does a nurse earn?",
        "What skills do I need to become a nurse?", "Write an email to Jane Doe at Acme about the data engineer role",
    )  # fmt: skip
    wide = "document.scrollingElement.scrollWidth - document.documentElement.clientWidth"
    for top in (0, 600, 1_500, 3_000, 10_000):
        await chat.scroll_to(top)
        await chat.page.wait_for_timeout(50)
        assert await chat.page.evaluate(wide) <= 0
    composer = await chat.part("composer").bounding_box()
    assert composer["x"] >= 0
    assert composer["x"] + composer["width"] <= width
    for name in ("profile", "applications", "events", "settings"):
        panel = await chat.panel(name)
        assert await chat.page.evaluate(wide) <= 0, name
        box = await panel.bounding_box()
        assert box["x"] >= -1, name
        assert box["x"] + box["width"] <= width + 1, name
        await chat.page.keyboard.press("Escape")
        await expect(panel).to_be_hidden()


async def test_fingers_hit_what_they_aim_at(visit, offline):
    chat = await visit(offline, viewport={"width": 390, "height": 800}, is_mobile=True, has_touch=True)
    await chat.opened_after("Find nursing jobs")
    small = await chat.page.evaluate(
        """() => [...document.querySelectorAll("button, a[href], [role=button], select, input:not([type=hidden])")]
          .filter((n) => n.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
          .filter((n) => getComputedStyle(n).display !== "inline" && !n.classList.contains("visually-hidden"))
          .map((n) => [n, n.closest("label") ?? n])
          .map(([n, hit]) => [n.getAttribute("aria-label") ?? n.innerText, hit.getBoundingClientRect()])
          .filter(([, box]) => box.width > 1 && (box.width < 24 || box.height < 24))
          .map(([name, box]) => `${name}: ${Math.round(box.width)}x${Math.round(box.height)}`)"""
    )
    assert small == []


async def test_the_dark_is_dark(visit, scripted):
    light = await visit(scripted, color_scheme="light")
    dark = await visit(scripted, color_scheme="dark")
    shade = """() => {
      const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g).map(Number);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    }"""
    assert await light.page.evaluate(shade) > 200
    assert await dark.page.evaluate(shade) < 60
