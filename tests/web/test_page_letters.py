"""E-mails: the draft, the question whether to send it, and a real mailbox that gets what was approved, once."""

import re

import pytest
from playwright.async_api import expect

STEPS = (
    "My name is Ada Lovelace and I live in London",
    "Write an email to Jane Doe at Acme asking about the data engineer role",
    "Leave out the rest of the blanks",
)


@pytest.fixture
async def asked(visit, offline, request):
    """A chat that has been told to send, and the address it would go to."""
    chat = await visit(offline)
    address = f"{re.sub(r'[^a-z]', '', request.node.name)[-40:]}@acme.example"
    await chat.open(await chat.talk(*STEPS))
    await chat.send(f"send it to {address}")
    await chat.part("approval-card").wait_for()
    return chat, address


def mails(post, address):
    return [kept for kept in post.kept if address in kept.to]


async def test_a_draft_shows_subject_and_text_and_can_be_copied(visit, offline):
    chat = await visit(offline, permissions=["clipboard-read", "clipboard-write"])
    answer = await chat.opened_after(*STEPS[:2])
    block = answer.locator("[data-testid=block-email_draft]")
    await expect(block).to_contain_text("Jane Doe")
    await expect(block).to_contain_text("Data engineer at Acme")
    await expect(block).to_contain_text("would like to introduce myself")
    await block.get_by_role("button", name=re.compile("copy", re.IGNORECASE)).first.click()
    await chat.page.wait_for_function(
        "async () => (await navigator.clipboard.readText()).includes('would like to introduce myself')"
    )


async def test_nothing_is_sent_before_it_is_approved_and_then_once(asked, post, visit, offline):
    chat, address = asked
    card = chat.part("approval-card")
    for words in (address, "Data engineer at Acme", "would like to introduce myself"):
        await expect(card).to_contain_text(words)
    other = await visit(offline, f"/c/{await chat.conversation_id()}", like=chat)
    await other.part("approve").wait_for()
    assert mails(post, address) == []
    await expect(card.get_by_test_id("approve")).to_be_enabled()
    await card.get_by_test_id("approve").click()
    await expect(chat.turn).to_contain_text("Sent to")
    await expect(other.turn).to_contain_text("Sent to")
    await expect(chat.part("approve")).to_have_count(0)
    await expect(other.part("approve")).to_have_count(0)
    sent = mails(post, address)
    assert len(sent) == 1
    assert "would like to introduce myself" in sent[0].text
    await chat.page.reload()
    await expect(chat.part("approval-card")).to_contain_text(re.compile("approved|sent", re.IGNORECASE))
    await expect(chat.part("approve")).to_have_count(0)
    assert len(mails(post, address)) == 1


async def test_an_open_question_survives_a_reload_and_a_double_click_sends_once(asked, post):
    chat, address = asked
    await chat.page.reload()
    await expect(chat.part("approve")).to_be_enabled()
    await chat.part("approve").dblclick()
    await expect(chat.turn).to_contain_text("Sent to")
    assert len(mails(post, address)) == 1


async def test_what_was_edited_is_what_is_sent(asked, post):
    chat, address = asked
    await expect(chat.part("edit-approval")).to_be_enabled()
    await chat.part("edit-approval").click()
    editor = chat.page.get_by_role("dialog")
    await editor.get_by_label(re.compile("subject", re.IGNORECASE)).fill("A better subject")
    await editor.get_by_label(re.compile("body|text|message", re.IGNORECASE)).first.fill(
        "Dear Jane,\n\nmy own words.\n\nAda"
    )
    await editor.get_by_test_id("approve-edited").click()
    await expect(chat.turn).to_contain_text("Sent to")
    (mail,) = mails(post, address)
    assert mail.message["subject"] == "A better subject"
    assert "my own words" in mail.text
    assert "would like to introduce myself" not in mail.text


async def test_escape_leaves_the_editor_and_nothing_is_sent(asked, post):
    chat, address = asked
    await expect(chat.part("edit-approval")).to_be_enabled()
    await chat.part("edit-approval").click()
    editor = chat.page.get_by_role("dialog")
    await editor.get_by_label(re.compile("subject", re.IGNORECASE)).fill("Never mind")
    await chat.page.keyboard.press("Escape")
    await expect(editor).to_be_hidden()
    await expect(chat.part("edit-approval")).to_be_focused()
    await expect(chat.part("approve")).to_be_visible()
    assert mails(post, address) == []


async def test_a_rejected_mail_is_never_sent(asked, post):
    chat, address = asked
    await chat.part("reject").click()
    await chat.page.get_by_label(re.compile("why", re.IGNORECASE)).fill("Not yet")
    await chat.part("reject-confirm").click()
    await expect(chat.part("approve")).to_have_count(0)
    await expect(chat.turn).to_contain_text("I did not send it")
    await expect(chat.part("approval-card").first).to_contain_text(
        re.compile("reject|declined|not approved", re.IGNORECASE)
    )
    await expect(chat.part("lookup-failed")).to_have_count(0)
    assert mails(post, address) == []


async def test_a_mail_server_that_refuses_is_told_as_such(asked, post):
    chat, address = asked
    post.refuse[address] = "550 no such user"
    await expect(chat.part("approve")).to_be_enabled()
    await chat.part("approve").click()
    await expect(chat.turn).to_contain_text(re.compile("not sent|could not|refused", re.IGNORECASE))
    assert mails(post, address) == []


async def test_an_answer_that_waits_can_be_stopped_and_is_so_in_every_tab_and_after_a_reload(
    asked, post, visit, offline
):
    chat, address = asked
    other = await visit(offline, f"/c/{await chat.conversation_id()}", like=chat)
    await expect(other.part("approve")).to_be_enabled()
    await chat.part("stop-waiting").click()
    for tab in (chat, other):
        await expect(tab.part("approval-card").last).to_contain_text("the run was cancelled")
        await expect(tab.part("run-stopped")).to_be_visible()
        for gone in ("approve", "reject", "stop-waiting", "stop"):
            await expect(tab.part(gone)).to_have_count(0)
    await expect(chat.part("composer")).to_be_focused()
    stood = await chat.final()
    await chat.page.reload()
    await expect(chat.part("run-stopped")).to_be_visible()
    await chat.shows(stood)
    assert (await chat.stored())["runs"][-1]["status"] == "cancelled"
    await chat.ask("Thanks")
    assert mails(post, address) == []


async def test_what_was_stopped_can_be_asked_again_and_is_then_sent(asked, post):
    chat, address = asked
    await chat.part("stop-waiting").click()
    await chat.turn.get_by_test_id("retry-error").click()
    await expect(chat.part("approve")).to_be_enabled()
    await chat.part("approve").click()
    await expect(chat.turn).to_contain_text("Sent to")
    assert len(mails(post, address)) == 1
