"""The terminal chat: reads lines, shows events as they come, and stays usable while the connection comes and goes."""

import asyncio
import json
import os
import signal
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from contextlib import aclosing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeAlias

import httpx
from rich.console import Console
from rich.text import Text

from signalbox.client import ApiError, ApprovalInfo, Client, ConnectionLost
from signalbox.console.decision import Choice, Dialog
from signalbox.console.keyboard import Keyboard, Lines
from signalbox.console.rendering import approval, plain
from signalbox.console.screen import Screen
from signalbox.errors import SignalboxError
from signalbox.events import Snapshot
from signalbox.view import OVER, ConversationView, reduce, sent

Work: TypeAlias = Coroutine[Any, Any, None]

PROMPT: Final = "you> "
HELP: Final = """/new        start a new conversation
/cancel     stop the answer that is being written (Ctrl+C does too; a second Ctrl+C leaves)
/approvals  decide on what waits for you
/quit       leave (Ctrl+D does too)
/help       this list
A number chooses a quick reply. Other commands go to the server, e.g. /job_search python in Berlin."""


class ChatUnavailable(SignalboxError):
    """There is nothing to chat with; the text says what to do."""

    code = "chat_unavailable"


class Chat:
    """One user at one terminal. ``run`` returns when they leave."""

    def __init__(self, client: Client, screen: Screen, lines: Lines, *, conversation_id: str | None = None) -> None:
        self.conversation_id = conversation_id
        self.view = ConversationView()
        self._client = client
        self._screen = screen
        self._lines = lines
        self._ahead: deque[str] = deque()
        self._dialog = Dialog(screen, lines)
        self._cursors: dict[str, str] = {}
        self._later: set[str] = set()
        self._answer: asyncio.Task[None] | None = None
        self._run_id: str | None = None
        self._stopping = False
        self._wish = asyncio.Event()
        self._left = asyncio.Event()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            talk = group.create_task(self._talk(group))
            leave = group.create_task(self._left.wait())
            await asyncio.wait([talk, leave], return_when=asyncio.FIRST_COMPLETED)
            for task in (talk, leave, self._answer):
                if task is not None:
                    task.cancel()
        self._screen.end_line()

    def interrupt(self) -> None:
        """Ctrl+C: stop the answer; with none, or the second time, leave. At a question only the second one leaves."""
        if self._dialog.interrupt():
            return
        if self._answer is None or self._stopping:
            self._left.set()
            return
        self._stopping = True
        if self._run_id is None:
            # Without a run there is nothing to cancel at the server yet: drop the request itself.
            self._screen.notice("Dropped; the message may or may not have arrived.")
            self._answer.cancel()
            return
        self._screen.notice("Stopping. Once more to leave.")
        self._wish.set()

    async def _talk(self, group: asyncio.TaskGroup) -> None:
        if self.conversation_id is not None:
            await self._answered(group, self._go_on(self.conversation_id))
            await self._approvals(group)
        while not self._left.is_set():
            self._screen.end_line()
            ahead = bool(self._ahead)
            line = self._ahead.popleft() if ahead else await self._lines.line(PROMPT)
            if line is None:
                break
            if line.strip() and (ahead or not self._lines.interactive):  # nobody saw it beside the prompt
                self._screen.line(plain(f"{PROMPT}{line}", "dim"))
            await self._obey(line.strip(), group)

    async def _obey(self, line: str, group: asyncio.TaskGroup) -> None:
        match line:
            case "":
                pass
            case "/quit" | "/exit":
                self._left.set()
            case "/help":
                self._screen.line(Text(HELP, "dim"))
            case "/cancel":
                self._screen.line(Text("Nothing is being answered.", "dim"))
            case "/new":
                self.conversation_id, self.view = None, ConversationView()
                self._screen.line(Text("A new conversation.", "dim"))
            case "/approvals":
                self._later.clear()
                if self._undecided() is None:
                    self._screen.line(Text("Nothing waits for you.", "dim"))
                await self._approvals(group)
            case _:
                await self._answered(group, self._say(line))
                await self._approvals(group)

    def _typed(self, line: str) -> None:
        """A line typed while an answer is being written: a command acts at once, anything else waits its turn."""
        match line.strip():
            case "/cancel":
                self.interrupt()
            case "/quit" | "/exit":
                self._left.set()
            case _:
                self._ahead.append(line)

    # -- one answer

    async def _answered(self, group: asyncio.TaskGroup, work: Work) -> None:
        """Run ``work`` as a task of its own, so that it can be stopped without leaving."""
        self._stopping, self._run_id, self._wish = False, None, asyncio.Event()
        self._answer = group.create_task(self._guarded(work))
        cancel = group.create_task(self._cancel_when_wished())
        with self._lines.listening(self._typed):
            await asyncio.wait([self._answer])
        cancel.cancel()
        self._answer = None

    async def _guarded(self, work: Work) -> None:
        try:
            await work
        except (ApiError, ConnectionLost) as exc:
            self._screen.trouble(exc)

    async def _cancel_when_wished(self) -> None:
        await self._wish.wait()
        if self._run_id is not None:
            await self._guarded(self._cancel(self._run_id))

    async def _cancel(self, run_id: str) -> None:
        await self._client.cancel(run_id)

    async def _say(self, line: str) -> None:
        offered = self.view.open_suggestions
        number = int(line) if line.isascii() and line.isdecimal() and len(line) < 4 else 0
        if offered and number > len(offered):
            self._screen.line(plain(f"There is no reply {number}: choose 1 to {len(offered)}, or write.", "yellow"))
            return
        chosen = offered[number - 1] if 0 < number <= len(offered) else None
        run = await self._client.send(
            None if chosen else line,
            conversation_id=self.conversation_id,
            suggestion_id=chosen.id if chosen else None,
        )
        self.conversation_id = run.conversation_id
        self.view = sent(self.view, run.run_id, chosen.message if chosen else line)
        await self._follow(run.run_id)

    async def _go_on(self, conversation_id: str) -> None:
        """Show what was said before, then the answer that is still being written, if there is one."""
        transcript = await self._client.messages(conversation_id)
        self.view = reduce(self.view, Snapshot(messages=transcript.messages, runs=transcript.runs))
        going = [run.run_id for run in transcript.runs if run.status not in OVER]
        for message in self.view.messages:
            if message.role == "user":
                self._screen.line(plain(f"{PROMPT}{message.text}", "dim"))
                if message.run_id not in going:
                    self._screen.catch_up(self.view, message.run_id)
        for run_id in going:
            await self._follow(run_id)

    async def _follow(self, run_id: str) -> None:
        self._run_id = run_id
        self._screen.begin()
        stream = self._client.stream(run_id=run_id, cursor=self._cursors.get(run_id), on_state=self._screen.state)
        try:
            async with aclosing(stream) as events:
                async for event in events:
                    self.view = reduce(self.view, event)
                    self._screen.event(self.view, event, run_id)
        finally:
            if stream.cursor is not None:
                self._cursors[run_id] = stream.cursor  # one that waits goes on from here
        run = self.view.run(run_id)
        if run is not None and run.holed and run.over and self.conversation_id is not None:
            # Parts of it were lost in mid-run; now that it is over, the store has it whole.
            transcript = await self._client.messages(self.conversation_id)
            self.view = reduce(self.view, Snapshot(messages=transcript.messages, runs=transcript.runs))
            self._screen.catch_up(self.view, run_id)
        self._screen.end_line()

    # -- approvals

    async def _approvals(self, group: asyncio.TaskGroup) -> None:
        """Ask about what waits for the user, one after the other; they may decide later."""
        while not self._left.is_set() and (place := self._undecided()) is not None:
            self._screen.end_line()
            asked = await self._asked(*place)
            if asked is None:
                return
            if asked.decision is not None:
                self._screen.notice(f"This was decided meanwhile: {asked.decision}.", "dim")
                self._later.add(asked.approval_id)
                await self._answered(group, self._follow(asked.run_id))
                continue
            choice = await self._dialog.choose(asked.arguments)
            match choice.what:
                case "later":
                    self._later.add(asked.approval_id)
                    self._screen.notice("Nothing is done until you decide: /approvals asks again.", "dim")
                case "leave":
                    self._left.set()
                case "again":
                    pass
                case _:
                    await self._answered(group, self._decide(asked, choice))

    def _undecided(self) -> tuple[str, str] | None:
        """Run and approval of the first open question that was not put off."""
        for run in self.view.runs:
            for one in run.open_approvals if run.status == "waiting" else ():
                if one.approval_id not in self._later:
                    return run.run_id, one.approval_id
        return None

    async def _asked(self, run_id: str, approval_id: str) -> ApprovalInfo | None:
        """The question as the server keeps it, shown just above the prompt: an event may have shown a very long one
        cut, or a while ago.
        """
        try:
            all_of_run = await self._client.approvals(run_id)
        except (ApiError, ConnectionLost) as exc:
            self._screen.trouble(exc)
            return None  # truth: the user has just been told what went wrong
        asked = next((each for each in all_of_run if each.approval_id == approval_id), None)
        run = self.view.run(run_id)
        open_ones = run.open_approvals if run is not None else ()
        shown = [one.arguments for one in open_ones if self._screen.ends_with(one)]
        if asked is not None and asked.decision is None and asked.arguments not in shown:
            self._screen.line(approval(asked.tool, asked.arguments, asked.risk, asked.expires_at))
        return asked

    async def _decide(self, asked: ApprovalInfo, choice: Choice) -> None:
        self._run_id = asked.run_id
        try:
            if choice.what == "cancel":
                await self._client.cancel(asked.run_id)
            elif choice.what in {"approve", "edit", "reject"}:
                await self._client.decide(
                    asked.run_id,
                    asked.approval_id,
                    choice.what,
                    arguments=choice.arguments or None,
                    note=choice.note or None,
                    digest=asked.digest,
                )
        except ApiError as exc:
            if exc.code != "decided":
                raise
            self._screen.trouble(exc)  # elsewhere, or too late: the run tells what became of it
            self._later.add(asked.approval_id)
        await self._follow(asked.run_id)


class KnownUsers:
    """Which anonymous user this person is at which server, so that ``--conversation`` works another day."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @classmethod
    def at_home(cls) -> "KnownUsers":
        state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
        return cls(Path(state) / "signalbox" / "users.json")

    def cookie(self, url: str) -> str | None:
        cookie = self._all().get(url)
        return cookie if isinstance(cookie, str) else None

    def keep(self, url: str, cookie: str) -> None:
        users = {**self._all(), url: cookie}
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = self._path.with_suffix(".new")
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:  # noqa: PTH123 - a mode
            json.dump(users, file, indent=1)
        fresh.replace(self._path)

    def _all(self) -> dict[str, object]:
        if not self._path.exists():
            return {}
        users = json.loads(self._path.read_text())
        return users if isinstance(users, dict) else {}


async def converse(url: str, *, key: str | None, conversation_id: str | None) -> None:
    """Chat with the server at ``url`` until the user leaves. Raises ``ChatUnavailable``."""
    url = (url if "://" in url else f"http://{url}").rstrip("/")
    screen = Screen(Console(highlight=False), Console(stderr=True, highlight=False))
    users = KnownUsers.at_home()
    try:
        cookie = None if key else await asyncio.to_thread(users.cookie, url)
    except (OSError, ValueError) as exc:
        screen.notice(f"The list of known users could not be read ({exc}); you are a new user.")
        cookie = None  # truth: the user has just been told
    try:
        client = Client(url, api_key=key, user_cookie=cookie)
    except ValueError as exc:
        raise ChatUnavailable(str(exc)) from exc
    async with client:
        await _greet(client, url, screen)
        if not key and client.user_cookie and client.user_cookie != cookie:
            try:
                await asyncio.to_thread(users.keep, url, client.user_cookie)
            except (OSError, ValueError) as exc:
                screen.notice(f"Next time you will be a new user ({exc}).")
        keyboard = Keyboard()
        chat = Chat(client, screen, keyboard, conversation_id=conversation_id)
        with _interrupts(chat.interrupt), keyboard.restored():
            await chat.run()
        if chat.conversation_id is not None and keyboard.interactive:
            screen.notice(f"Go on with: signalbox chat --url {url} --conversation {chat.conversation_id}", "dim")


async def _greet(client: Client, url: str, screen: Screen) -> None:
    try:
        if not await client.ready():
            screen.notice("The server is not ready yet; waiting for it.")
        await client.conversations(limit=1)
    except ConnectionLost as exc:
        raise ChatUnavailable(f"No server answers at {url}. Start one with: signalbox serve") from exc
    except ApiError as exc:
        if exc.status == httpx.codes.UNAUTHORIZED:
            raise ChatUnavailable(f"{exc.detail} Here: signalbox chat --key KEY") from exc
        raise ChatUnavailable(f"{url} does not answer like a Signalbox server: {exc.detail}") from exc
    screen.notice(f"Connected to {url}. /help lists the commands.", "dim")


@contextmanager
def _interrupts(act: Callable[[], None]) -> Iterator[None]:
    """Ctrl+C calls ``act`` on the loop, where the platform and the thread allow it."""
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError, RuntimeError, ValueError):
        loop.add_signal_handler(signal.SIGINT, act)
    try:
        yield
    finally:
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.remove_signal_handler(signal.SIGINT)
