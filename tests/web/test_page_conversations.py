"""The list of conversations: titles, search, rename, delete, and an address for each."""

import re

import pytest
from playwright.async_api import expect

BUTTON = re.compile("delete", re.IGNORECASE)


@pytest.fixture
async def chat(visit, scripted):
    """A user with three conversations, the newest of which is open."""
    chat = await visit(scripted)
    for message in (
        "/general other words about lighthouses",
        "/general other words about bakeries",
        "/general a plan for me",
    ):
        await chat.page.goto(chat.url)
        await chat.ask(f"/general {message}")
    await expect(chat.part("conversation-item")).to_have_count(3)
    return chat


def item(chat, text):
    return chat.part("conversation-item").filter(has_text=text)


async def menu(chat, text, name):
    row = item(chat, text)
    await row.hover()
    await row.get_by_role("button").click()
    await chat.page.get_by_role("button", name=name, exact=True).click()


async def test_each_has_a_title_and_an_address_and_the_newest_is_first(chat):
    await expect(chat.part("conversation-item")).to_contain_text(["plan", "bakeries", "lighthouses"])
    await item(chat, "lighthouses").get_by_role("link").click()
    await expect(chat.questions.last).to_contain_text("lighthouses")
    await expect(chat.questions).to_have_count(1)
    address = chat.page.url
    await chat.page.go_back()
    await expect(chat.questions.last).to_contain_text("a plan for me")
    await chat.page.goto(address)
    await expect(chat.questions.last).to_contain_text("lighthouses")
    assert await chat.page.title() not in {"", "undefined"}


async def test_search_finds_what_was_said_and_says_so_when_there_is_nothing(chat):
    search = chat.page.get_by_role("searchbox")
    await search.fill("bakeries")
    await expect(chat.part("conversation-item")).to_have_count(1)
    await expect(chat.part("conversation-item")).to_contain_text("bakeries")
    await search.fill("Quoted words")
    await expect(chat.part("conversation-item")).to_have_count(1)
    await expect(chat.part("conversation-item")).to_contain_text("plan")
    await search.fill("zebra xylophone")
    await expect(chat.part("conversation-item")).to_have_count(0)
    await expect(chat.page.get_by_text(re.compile("nothing|no conversation", re.IGNORECASE)).first).to_be_visible()
    await search.fill("")
    await expect(chat.part("conversation-item")).to_have_count(3)


async def test_rename_lasts(chat):
    await menu(chat, "bakeries", "Rename")
    box = chat.part("rename")
    await box.fill("Bread <b>and</b> butter")
    await box.press("Enter")
    await expect(item(chat, "Bread <b>and</b> butter")).to_have_count(1)
    await chat.page.reload()
    await expect(item(chat, "Bread <b>and</b> butter")).to_have_count(1)


async def test_delete_asks_first_and_then_it_is_gone_everywhere(chat, visit, scripted):
    await item(chat, "lighthouses").get_by_role("link").click()
    await expect(chat.questions.last).to_contain_text("lighthouses")
    gone = await chat.conversation_id()
    await menu(chat, "lighthouses", "Delete")
    sure = chat.page.get_by_role("alertdialog").or_(chat.page.get_by_role("dialog"))
    await sure.get_by_role("button", name=re.compile("cancel|keep", re.IGNORECASE)).click()
    await expect(chat.part("conversation-item")).to_have_count(3)
    await menu(chat, "lighthouses", "Delete")
    await sure.get_by_role("button", name=BUTTON).click()
    await expect(chat.part("conversation-item")).to_have_count(2)
    await expect(chat.questions).to_have_count(0)
    assert gone not in chat.page.url
    response = await chat.page.context.request.get(f"{chat.url}/v1/conversations/{gone}/messages")
    assert response.status == 404


async def test_an_address_of_nothing_says_so(visit, scripted, faults):
    faults.allow("Failed to load resource.*404")
    chat = await visit(scripted, "/c/c_ffffffffffffffffffff", wait=False)
    await expect(
        chat.page.get_by_text(re.compile("not found|no such|does not exist|not here|gone", re.IGNORECASE)).first
    ).to_be_visible()


async def test_another_users_conversation_is_not_shown(chat, visit, scripted, faults):
    faults.allow("Failed to load resource.*404")
    stranger = await visit(scripted, f"/c/{await chat.conversation_id()}", wait=False)
    await expect(
        stranger.page.get_by_text(re.compile("not found|no such|does not exist|not here|gone", re.IGNORECASE)).first
    ).to_be_visible()
    await expect(stranger.questions).to_have_count(0)


async def test_a_new_conversation_starts_empty(chat):
    await (
        chat.page.get_by_role("link", name=re.compile("new", re.IGNORECASE))
        .or_(chat.page.get_by_role("button", name=re.compile("new", re.IGNORECASE)))
        .first.click()
    )
    await expect(chat.questions).to_have_count(0)
    await expect(chat.part("composer")).to_be_focused()
    await chat.ask("/general other words, anew")
    await expect(chat.part("conversation-item")).to_have_count(4)
