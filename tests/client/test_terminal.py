"""The chat as a whole: against a server on a socket, with scripted lines, a pipe and a real terminal."""

import asyncio
import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from badly_behaved import Answer, Asked, Wire, as_json, frame, problem, run_of
from rich.console import Console

from signalbox.blocks import Suggestion, SuggestionChosen, Suggestions
from signalbox.console.screen import Screen
from signalbox.envelope import Event
from signalbox.events import AnyEvent, Chunk, Complete, RunStarted, SnapshotMessage, SnapshotRun
from signalbox.terminal import Chat, ChatUnavailable, KnownUsers, converse
from signalbox.view import ConversationView

REPLIES = Suggestions(text="?", suggestions=tuple(Suggestion(id=f"s_{n}", label=f"L{n}", message="m") for n in (1, 2)))


class Script:
    """Lines one after another, then the end; ``typed`` are given while the first answer is written."""

    interactive = False

    def __init__(self, *lines: str, typed: tuple[str, ...] = ()) -> None:
        self._lines = list(lines)
        self._typed = typed

    async def line(self, prompt: str) -> str | None:
        return self._lines.pop(0) if self._lines else None

    @contextmanager
    def listening(self, on_line: Callable[[str], object]) -> Iterator[None]:
        typed, self._typed = self._typed, ()
        for line in typed:
            on_line(line)
        yield

    @contextmanager
    def aside(self) -> Iterator[None]:
        yield


def server(*runs: list[Event], cut_after: int | None = None) -> Callable[[Asked], Answer]:
    """Plays ``runs``, one a message; every run's first connection is cut after that many events."""
    posts = 0
    looked: set[str] = set()

    def answer(asked: Asked) -> Answer:
        nonlocal posts
        if asked.method == "GET" and "/events" not in asked.path:
            return as_json({"status": "ready", "conversations": []})
        if asked.path.endswith("/cancel"):
            return as_json({"run_id": "r_1", "conversation_id": "c_1", "status": "running", "attempt": 1}, 202)
        if asked.method == "POST":
            posts += 1
            return as_json({"run_id": f"r_{posts}", "conversation_id": "c_1"}, 202)
        number = int(asked.path.split("/")[3].removeprefix("r_"))
        sent = [frame(event, seq=seq, run_id=f"r_{number}") for seq, event in enumerate(runs[number - 1], 1)]
        if cut_after is not None and asked.path not in looked:
            looked.add(asked.path)
            return Answer(sent[:cut_after], end="cut")
        ends = isinstance(runs[number - 1][-1], Complete)
        return Answer(sent[asked.after :], end="done" if ends else "hold")

    return answer


class Recorded(Screen):
    def __init__(self) -> None:
        self.console = Console(file=io.StringIO(), record=True, width=100, highlight=False)
        super().__init__(self.console, self.console)

        self._grew = asyncio.Event()

    @property
    def text(self) -> str:
        return self.console.export_text(clear=False)

    def event(self, view: ConversationView, event: AnyEvent, run_id: str) -> None:
        super().event(view, event, run_id)
        self._grew.set()

    async def says(self, text: str) -> None:
        while text not in self.text:
            self._grew.clear()
            await self._grew.wait()


def posted(wire: Wire) -> list[dict[str, object]]:
    return [json.loads(asked.body) for asked in wire.asked if asked.path == "/v1/chat"]


async def test_a_conversation_goes_on_and_new_starts_another():
    runs = [run_of("Hello ", "you", answer_id=f"a_{n}") for n in range(3)]
    async with Wire(server(*runs)) as wire, wire.client() as client:
        screen = Recorded()
        await Chat(client, screen, Script("hi", "", "again", "/new", "other", "/quit", "never")).run()
    bodies = posted(wire)
    assert [(body["message"], body.get("conversation_id")) for body in bodies] == [
        ("hi", None),
        ("again", "c_1"),
        ("other", None),
    ]
    assert screen.text.count("Hello you\n") == 3


async def test_a_number_chooses_a_quick_reply_and_any_other_text_does_not():
    with_replies = [*run_of("What?")[:-1], REPLIES, Complete(status="succeeded")]
    chosen = [RunStarted(attempt=1, user_message_id="m"), SuggestionChosen(suggestion_id="s_2"), *with_replies[1:]]
    async with Wire(server(with_replies, chosen, run_of("x"), run_of("y"))) as wire, wire.client() as client:
        screen = Recorded()
        await Chat(client, screen, Script("hm", "2", "7", "2")).run()
    assert [(body.get("message"), body.get("suggestion_id")) for body in posted(wire)] == [
        ("hm", None), (None, "s_2"), ("7", None), ("2", None),
    ]  # fmt: skip
    assert "1) L1" in screen.text


async def test_commands_of_the_chat_stay_here_and_others_go_to_the_server():
    async with Wire(server(run_of("x"))) as wire, wire.client() as client:
        screen = Recorded()
        await Chat(client, screen, Script("/help", "/cancel", "/job_search python")).run()
    assert [body["message"] for body in posted(wire)] == ["/job_search python"]
    assert "Ctrl+C" in screen.text
    assert "Nothing is being answered" in screen.text


async def test_a_drop_is_said_and_the_answer_is_whole():
    async with Wire(server(run_of("Hel", "lo ", "you"), cut_after=2)) as wire, wire.client() as client:
        screen = Recorded()
        await Chat(client, screen, Script("hi")).run()
    assert screen.text.splitlines()[1:] == ["HelThe connection was lost; resuming.", "Connected again.", "lo you"]


async def test_cancel_stops_the_answer_and_the_chat_goes_on():
    begun: list[Event] = [
        RunStarted(attempt=1, user_message_id="m"),
        Chunk(message_id="m_2", agent="a", content="partial"),
    ]
    serve = server(begun, run_of("next answer"), run_of("last answer"))

    def answer(asked: Asked) -> Answer:
        if asked.path.endswith("/cancel"):
            begun.append(Complete(status="cancelled"))
        return serve(asked)

    async with Wire(answer) as wire, wire.client(idle_s=0.1) as client:
        screen = Recorded()
        chat = Chat(client, screen, Script("long", "next", typed=("typed ahead",)))
        running = asyncio.create_task(chat.run())
        async with asyncio.timeout(30):
            await screen.says("partial")
            chat.interrupt()
            await running
    assert "(stopped)" in screen.text
    assert [body["message"] for body in posted(wire)] == ["long", "typed ahead", "next"]


async def test_a_second_interrupt_leaves_at_once():
    begun: list[Event] = [
        RunStarted(attempt=1, user_message_id="m"),
        Chunk(message_id="m_2", agent="a", content="partial"),
    ]
    async with Wire(server(begun)) as wire, wire.client() as client:
        screen = Recorded()
        chat = Chat(client, screen, Script("long"))
        running = asyncio.create_task(chat.run())
        async with asyncio.timeout(30):
            await screen.says("partial")
            chat.interrupt()
            chat.interrupt()
            await running
    assert [body["message"] for body in posted(wire)] == ["long"]


async def test_an_interrupt_before_the_server_confirmed_drops_the_message():
    asked = asyncio.Event()

    def answer(_: Asked) -> Answer:
        asked.set()
        return Answer(end="mute")

    async with Wire(answer) as wire, wire.client() as client:
        screen = Recorded()
        chat = Chat(client, screen, Script("hi"))
        running = asyncio.create_task(chat.run())
        async with asyncio.timeout(30):
            await asked.wait()
            chat.interrupt()
            await running
    assert "may or may not have arrived" in screen.text


async def test_a_refusal_is_shown_and_the_chat_goes_on():
    turns = iter([problem(413, "payload_too_large", "Too long.")])
    serve = server(run_of("fine"))
    async with Wire(lambda asked: next(turns, None) or serve(asked)) as wire, wire.client() as client:
        screen = Recorded()
        await Chat(client, screen, Script("x", "y")).run()
    assert "✗ Too long." in screen.text
    assert "fine" in screen.text


async def test_a_lost_server_is_said_and_the_chat_goes_on():
    down = problem(503, "store_unavailable", "No database.", retry=True)
    async with Wire(lambda _: down) as wire, wire.client(give_up_after=0.05) as client:
        screen = Recorded()
        await Chat(client, screen, Script("x", "/help")).run()
    assert "cannot be reached: No database." in screen.text
    assert "/quit" in screen.text


async def test_an_old_conversation_is_shown_and_its_running_answer_followed():
    def message(run: int, role: str, text: str) -> dict[str, object]:
        made = SnapshotMessage(
            message_id=f"m{run}{role}", run_id=f"r_{run}", role=role, content=text, status="complete"
        )
        return made.model_dump(mode="json")

    stored = {
        "conversation_id": "c_1", "cursor": "0a1b2c3d-0",
        "messages": [
            message(8, "user", "old question"), message(8, "assistant", "old answer"),
            message(1, "user", "new question"),
        ],
        "runs": [SnapshotRun(run_id="r_1", status="running").model_dump()],
    }  # fmt: skip
    serve = server(run_of("new ", "answer"))
    answer = lambda asked: as_json(stored) if asked.path.endswith("/messages") else serve(asked)  # noqa: E731
    async with Wire(answer) as wire, wire.client() as client:
        screen = Recorded()
        await Chat(client, screen, Script(), conversation_id="c_1").run()
    assert screen.text.splitlines() == ["you> old question", "old answer", "you> new question", "new answer"]


async def test_no_server_is_told_with_what_to_do():
    with pytest.raises(
        ChatUnavailable, match=r"No server answers at http://127.0.0.1:1. Start one with: signalbox serve"
    ):
        await converse("127.0.0.1:1/", key="k", conversation_id=None)


@pytest.mark.parametrize("url", ["ftp://x", "http://", "http://[::1"])
async def test_a_url_that_cannot_work_is_told(url: str):
    with pytest.raises(ChatUnavailable, match="URL"):
        await converse(url, key="k", conversation_id=None)


async def test_a_missing_key_and_a_strange_server_are_told():
    async with Wire(lambda asked: problem(401, "unauthorized", "A key is needed.")) as wire:
        with pytest.raises(ChatUnavailable, match=r"A key is needed. Here: signalbox chat --key"):
            await converse(wire.url, key="wrong", conversation_id=None)
    async with Wire(lambda _: Answer([b"<html>"], content_type="text/html")) as wire:
        with pytest.raises(ChatUnavailable, match="does not answer like a Signalbox server"):
            await converse(wire.url, key="k", conversation_id=None)


def test_known_users_are_kept_for_their_owner_only(tmp_path: Path):
    users = KnownUsers(tmp_path / "state" / "users.json")
    assert users.cookie("http://a") is None
    users.keep("http://a", "one")
    users.keep("http://b", "two")
    assert (users.cookie("http://a"), users.cookie("http://b")) == ("one", "two")
    assert (tmp_path / "state" / "users.json").stat().st_mode & 0o077 == 0


def command(url: str, key: str | None) -> list[str]:
    call = f"converse({url!r}, key={key!r}, conversation_id=None)"
    return [sys.executable, "-c", f"import asyncio; from signalbox.terminal import converse; asyncio.run({call})"]


async def test_piped_lines_are_answered_until_they_end_and_only_answers_reach_the_output(tmp_path: Path):
    users = {"set-cookie": "signalbox_user=anon_1; Path=/; HttpOnly"}
    serve = server(*[run_of("Hello ", "**you** — 🙂", answer_id=f"a_{n}") for n in range(2)])

    def answer(asked: Asked) -> Answer:
        given = serve(asked)
        return given if "cookie" in asked.headers else Answer(given.pieces, given.status, given.content_type, users)

    async with Wire(answer) as wire:
        process = await asyncio.create_subprocess_exec(
            *command(wire.url, None), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE, env={**os.environ, "XDG_STATE_HOME": str(tmp_path)},
        )  # fmt: skip
        out, err = await asyncio.wait_for(process.communicate("first\r\n\nsécond \xff".encode("latin-1")), 120)
    assert process.returncode == 0
    assert out.decode().splitlines() == ["you> first", "Hello **you** — 🙂", "you> s�cond �", "Hello **you** — 🙂"]
    assert "Connected to" in err.decode()
    assert json.loads((tmp_path / "signalbox" / "users.json").read_text()) == {wire.url: "anon_1"}


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
async def test_at_a_terminal_ctrl_c_stops_the_answer_then_leaves_and_the_terminal_is_as_before():
    import pty
    import termios

    begun: list[Event] = [
        RunStarted(attempt=1, user_message_id="m"),
        Chunk(message_id="m_2", agent="a", content="part "),
    ]
    serve = server(begun)

    def answer(asked: Asked) -> Answer:
        if asked.path.endswith("/cancel"):
            begun.append(Complete(status="cancelled"))
            wire.hang_up()
        return serve(asked)

    main, child = pty.openpty()
    before = termios.tcgetattr(child)
    async with Wire(answer) as wire:
        process = await asyncio.create_subprocess_exec(
            *command(wire.url, "k"), stdin=child, stdout=child, stderr=child, start_new_session=True,
            env={**os.environ, "TERM": "xterm"}, preexec_fn=lambda: own(child),
        )  # fmt: skip
        terminal = Terminal(main)
        await terminal.until("you> ")
        os.write(main, b"hello\r")
        await terminal.until("part ")
        os.write(main, b"\x03")
        await terminal.until("(stopped)")
        await terminal.until("you> ")
        os.write(main, b"\x03")
        await terminal.until("signalbox chat --url")
        assert await asyncio.wait_for(process.wait(), 60) == 0
    assert termios.tcgetattr(child)[3] == before[3]
    terminal.close()
    os.close(child)


def own(fd: int) -> None:
    import fcntl
    import termios

    fcntl.ioctl(fd, termios.TIOCSCTTY, 0)


class Terminal:
    """The other end of a pseudo-terminal."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._text = ""
        self._more = asyncio.Event()
        asyncio.get_running_loop().add_reader(fd, self._read)

    def _read(self) -> None:
        self._text += os.read(self._fd, 65_536).decode("utf-8", "replace")
        self._more.set()

    async def until(self, text: str) -> None:
        """Wait for ``text`` and drop everything up to it."""
        try:
            async with asyncio.timeout(120):
                while text not in self._text:
                    self._more.clear()
                    await self._more.wait()
        except TimeoutError:
            raise AssertionError(f"{text!r} never came; there is: {self._text!r}") from None
        self._text = self._text.partition(text)[2]

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._fd)
        os.close(self._fd)
