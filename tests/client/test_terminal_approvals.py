"""Approvals at the terminal: shown whole, decided by a clear answer only, and then the answer goes on."""

import asyncio
import json
import os
import sys
from datetime import UTC, datetime

import pytest
from badly_behaved import Answer, Asked, Wire, as_json, frame, problem, run_of
from test_terminal import Recorded, Script, Terminal, command, own

from signalbox.blocks import ApprovalRequired, ApprovalResolved
from signalbox.envelope import Event
from signalbox.events import Complete, RunStarted, SnapshotRun
from signalbox.terminal import Chat

MAIL = {"to": ["a@example.org"], "subject": "Hi", "body": "One line.", "copies": 2, "reply_to": None}
ASKS: list[Event] = [
    RunStarted(attempt=1, user_message_id="m"),
    ApprovalRequired(
        approval_id="ap_1", tool="send_email", arguments=MAIL, risk="It cannot be taken back.",
        expires_at=datetime(2030, 1, 2, 3, 4, tzinfo=UTC),
    ),
    Complete(status="waiting"),
]  # fmt: skip
GOES_ON: list[Event] = [ApprovalResolved(approval_id="ap_1", decision="approved"), *run_of("Sent.", answer_id="a")[1:]]


class Approving:
    """A server with one run that waits until something is decided."""

    def __init__(self, *, refuse: Answer | None = None) -> None:
        self.decided: list[dict[str, object]] = []
        self.cancelled = False
        self.standing: str | None = None
        self._refuse = refuse

    def __call__(self, asked: Asked) -> Answer:
        if asked.path.endswith("/cancel"):
            self.cancelled = True
            return as_json({"run_id": "r_1", "conversation_id": "c_1", "status": "cancelled", "attempt": 1})
        if asked.path.endswith("/approvals"):
            return as_json({"approvals": [self._question(self.standing)]})
        if "/approvals/" in asked.path:
            self.decided.append(json.loads(asked.body))
            refuse, self._refuse = self._refuse, None
            return refuse or as_json(self._question("approved"))
        if asked.method == "POST":
            return as_json({"run_id": "r_1", "conversation_id": "c_1"}, 202)
        if "/events" not in asked.path:
            return as_json({"status": "ready", "conversations": []})
        after = [Complete(status="cancelled")] if self.cancelled else GOES_ON if self.decided else []
        sent = [frame(event, seq=seq) for seq, event in enumerate([*ASKS, *after], 1)][asked.after :]
        return Answer(sent) if sent else Answer(status=204)

    @staticmethod
    def _question(decision: str | None) -> dict[str, object]:
        return {
            "approval_id": "ap_1", "run_id": "r_1", "tool": "send_email", "arguments": MAIL, "digest": "d",
            "risk": "It cannot be taken back.", "expires_at": "2030-01-02T03:04:00Z", "decision": decision,
        }  # fmt: skip


async def approving(serve: Approving, *lines: str, typed: tuple[str, ...] = ()) -> str:
    async with Wire(serve) as wire, wire.client() as client, asyncio.timeout(60):
        screen = Recorded()
        await Chat(client, screen, Script("mail ann", *lines, typed=typed)).run()
    return screen.text


async def test_what_is_to_be_approved_is_shown_whole_and_the_answer_goes_on_after_the_yes():
    serve = Approving()
    text = await approving(serve, "a")
    assert serve.decided == [{"decision": "approve", "digest": "d"}]
    for part in ("May send_email do this?", "a@example.org", "subject: Hi", "One line.", "copies: 2", "reply_to: -"):
        assert part in text
    assert "It cannot be taken back." in text
    assert "until 2030-01-02 03:04 UTC" in text
    assert text.index("May send_email") < text.index("approve, edit, reject or later?") < text.index("✓ Approved")
    assert text.rstrip().endswith("Sent.")
    assert text.count("May send_email") == 1


async def test_what_was_typed_ahead_is_no_answer():
    serve = Approving()
    await approving(serve, "reject", "not now", typed=("approve",))
    assert [each["decision"] for each in serve.decided] == ["reject"]


async def test_nothing_but_a_clear_answer_decides():
    serve = Approving()
    text = await approving(serve, "", "hm", "ok?", "l")
    assert serve.decided == []
    assert text.count("Nothing is done until you have decided.") == 3
    assert "/approvals asks again" in text


async def test_later_can_be_now_and_the_end_of_input_decides_nothing():
    serve = Approving()
    await approving(serve, "later", "/approvals", "r", "wrong address")
    assert serve.decided == [{"decision": "reject", "note": "wrong address", "digest": "d"}]
    serve = Approving()
    assert "Nothing is done until you decide" in await approving(serve)
    assert serve.decided == []


async def test_what_was_put_off_is_shown_again_when_it_is_asked_again():
    text = await approving(Approving(), "later", "/approvals", "later", "/approvals", "a")
    asked = text.split("May send_email do this?")
    assert len(asked) == 4
    assert all("One line." in part and "approve, edit, reject or later?" in part for part in asked[1:])


async def test_fields_are_shown_and_asked_in_the_order_they_come_in():
    text = await approving(Approving(), "e", "", "", "", "", "", "l")
    box, _, edit = text.partition("Enter keeps a value")
    for part in (box, edit.partition("Nothing was changed")[0]):
        places = [part.index(f"{name}:" if f"{name}:" in part else f"{name} [") for name in MAIL]
        assert places == sorted(places), part


async def test_the_way_back_from_an_edit_or_a_reason_decides_nothing_and_shows_the_question_again():
    serve = Approving()
    text = await approving(serve, "e", "b@example.org", "Other", "Dear B,", "/back", "r", "/BACK", "/back", "l")
    assert serve.decided == []
    assert text.count("May send_email do this?") == 4
    assert "Approve it like this?" not in text


async def test_what_was_decided_elsewhere_meanwhile_is_not_asked_again():
    serve = Approving()
    serve.standing = "rejected"
    text = await approving(serve, "never read as an answer")
    assert "This was decided meanwhile: rejected." in text
    assert "approve, edit, reject or later?" not in text
    assert serve.decided == []


class Silent(Script):
    """Says its lines, then nothing more, with a person before it who waits."""

    def __init__(self, *lines: str) -> None:
        super().__init__(*lines)
        self.quiet = asyncio.Event()

    async def line(self, prompt: str) -> str | None:
        if not self._lines:
            self.quiet.set()
            await asyncio.Event().wait()
        return await super().line(prompt)


@pytest.mark.parametrize("lines", [(), ("e", "b@example.org"), ("e", "", "", "Dear B,"), ("r",)])
async def test_an_interrupt_at_a_question_decides_nothing_and_only_the_second_one_leaves(lines: tuple[str, ...]):
    serve = Approving()
    async with Wire(serve) as wire, wire.client() as client, asyncio.timeout(60):
        screen, script = Recorded(), Silent("mail ann", *lines)
        chat = Chat(client, screen, script)
        running = asyncio.create_task(chat.run())
        await script.quiet.wait()
        chat.interrupt()
        assert "Nothing was decided. /back shows the question again." in screen.text
        done, _ = await asyncio.wait([running], timeout=0.05)
        assert not done
        chat.interrupt()
        await running
    assert (serve.decided, serve.cancelled) == ([], False)


async def test_an_edit_asks_field_by_field_and_sends_what_was_changed_after_a_yes():
    serve = Approving()
    text = await approving(
        serve, "e", "b@example.org, c@example.org", "", "Dear B,", "", "bye", ".", "3", "me@example.org", "y"
    )
    assert serve.decided == [
        {
            "decision": "edit", "digest": "d",
            "arguments": {
                "to": ["b@example.org", "c@example.org"], "body": "Dear B,\n\nbye", "copies": 3,
                "reply_to": "me@example.org",
            },
        }
    ]  # fmt: skip
    assert "Approve it like this?" in text


async def test_an_edit_without_a_yes_or_without_a_change_asks_again():
    serve = Approving()
    text = await approving(serve, "e", "", "", "", "", "", "e", "", "New", "", "", "", "n", "r", "")
    assert serve.decided == [{"decision": "reject", "digest": "d"}]
    assert "Nothing was changed." in text


async def test_a_refused_edit_is_told_and_asked_again():
    serve = Approving(refuse=problem(400, "bad_request", "The arguments do not fit 'send_email': to.0: no address."))
    text = await approving(serve, "e", "nobody", "", "", "", "", "y", "a")
    assert "to.0: no address." in text
    assert [each["decision"] for each in serve.decided] == ["edit", "approve"]


async def test_who_comes_too_late_is_told_and_sees_what_became_of_it():
    serve = Approving(refuse=problem(409, "decided", "This approval was rejected before."))
    text = await approving(serve, "a", "/quit")
    assert "This approval was rejected before." in text
    assert text.index("was rejected before") < text.index("Sent.")
    assert len(serve.decided) == 1


async def test_a_question_can_be_answered_by_cancelling_the_run():
    serve = Approving()
    text = await approving(serve, "/cancel")
    assert (serve.decided, serve.cancelled) == ([], True)
    assert "(stopped)" in text


async def test_a_conversation_that_was_left_waiting_asks_again_when_it_is_opened():
    serve = Approving()
    stored = {
        "conversation_id": "c_1", "cursor": "0a1b2c3d-3",
        "messages": [
            {
                "message_id": "m", "run_id": "r_1", "role": "user", "content": "mail ann", "status": "complete",
                "agent": None, "blocks": [], "citations": [],
            }
        ],
        "runs": [SnapshotRun(run_id="r_1", status="waiting").model_dump()],
    }  # fmt: skip
    answer = lambda asked: as_json(stored) if asked.path.endswith("/messages") else serve(asked)  # noqa: E731
    async with Wire(answer) as wire, wire.client() as client, asyncio.timeout(60):
        screen = Recorded()
        await Chat(client, screen, Script("y"), conversation_id="c_1").run()
    assert serve.decided == [{"decision": "approve", "digest": "d"}]
    assert screen.text.startswith("you> mail ann")
    assert screen.text.count("May send_email") == 1
    assert screen.text.rstrip().endswith("Sent.")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
async def test_at_a_terminal_ctrl_c_in_an_edit_leaves_what_was_typed_and_the_way_back_open():
    import pty

    serve = Approving()
    main, child = pty.openpty()
    async with Wire(serve) as wire:
        process = await asyncio.create_subprocess_exec(
            *command(wire.url, "k"), stdin=child, stdout=child, stderr=child, start_new_session=True,
            env={"PATH": os.environ["PATH"], "TERM": "xterm"}, preexec_fn=lambda: own(child),
        )  # fmt: skip
        terminal = Terminal(main)
        for prompt, typed in [
            ("you> ", "mail ann\r"), ("[a/e/r/l] ", "e\r"), ("to [a@example.org]: ", "\r"), ("subject [Hi]: ", "\r"),
            ("| ", "Dear\r"), ("| ", "hal"), ("hal", "\x03"), ("Nothing was decided", ""), ("| hal", "f\r"),
            ("| ", "/back\r"), ("May send_email do this?", ""), ("[a/e/r/l] ", "\x03"), ("Nothing was decided", ""),
            ("[a/e/r/l] ", "\x03"),
        ]:  # fmt: skip
            await terminal.until(prompt)
            os.write(main, typed.encode())
        await terminal.until("signalbox chat --url")
        assert await asyncio.wait_for(process.wait(), 60) == 0
    assert serve.decided == []
    terminal.close()
    os.close(child)
