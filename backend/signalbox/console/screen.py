"""What a terminal shows of a conversation: the view's growth, printed once and never taken back."""

from rich.console import Console, RenderableType
from rich.text import Text

from signalbox.blocks import ApprovalRequired
from signalbox.client import ApiError, ConnectionLost, State
from signalbox.console.prose import Prose
from signalbox.console.rendering import block, plain, printable, tool_line, usage_line
from signalbox.events import (
    AgentStarted,
    AnyEvent,
    Complete,
    Error,
    Gap,
    Handoff,
    IntentClassified,
    Retracted,
    Rewind,
    Thinking,
    ToolResult,
)
from signalbox.view import ConversationView, RunView


class Screen:
    """Prints a run as its view grows: text as it comes, each block once, whatever was resent or replaced.

    ``notices`` takes what is about the connection, so that a piped answer stays clean.
    """

    def __init__(self, out: Console, notices: Console) -> None:
        self._out = out
        self._notices = notices
        self._open_line = False
        self._troubled = False
        self._prose = Prose()
        self._last: AnyEvent | None = None
        # By run: one that waited for its user goes on after others have come and gone.
        self._shown: dict[tuple[str, str], str] = {}
        self._blocks: dict[str, list[AnyEvent]] = {}

    def begin(self) -> None:
        self._prose = Prose()

    def line(self, what: RenderableType) -> None:
        self._last = None
        self.end_line()
        self._out.print(what)

    def ends_with(self, one: AnyEvent) -> bool:
        """Whether this block is the last that was shown: nothing has pushed it up since."""
        return one == self._last

    def notice(self, text: str, style: str = "yellow") -> None:
        if self._out.is_terminal:
            self.end_line()
        self._notices.print(plain(text, style))

    def state(self, state: State) -> None:
        """Tell about the connection, but only once there is something to tell."""
        match state:
            case "resuming":
                self.notice("The connection was lost; resuming.")
            case "offline":
                self.notice("The server cannot be reached; trying again. The answer goes on without us.")
            case "live" if self._troubled:
                self.notice("Connected again.")
        self._troubled = state in {"resuming", "offline"}

    def trouble(self, exc: ApiError | ConnectionLost) -> None:
        if isinstance(exc, ConnectionLost):
            self.notice(f"✗ {exc.public} What was said is kept; try again later.", "red")
        else:
            self.line(plain(f"✗ {exc.detail}", "red"))

    def end_line(self) -> None:
        for text, style in self._prose.end():
            self._write(text, style)
        if self._open_line:
            self._write("\n", "")

    def event(self, view: ConversationView, event: AnyEvent, run_id: str) -> None:
        match event:
            case Thinking() if self._out.is_terminal:
                self.line(plain(f"… {event.label}", "dim"))
            case IntentClassified():
                self.line(plain(f"{event.intent} · {event.confidence:.0%} sure · decided by {event.source}", "dim"))
            case Handoff():
                self.line(plain(f"{event.from_agent} hands over to {event.to_agent}: {event.reason}", "dim"))
            case AgentStarted():
                self.line(plain(f"→ {event.agent}", "dim"))
            case ToolResult():
                run = view.run(run_id)
                asked = [one.tool for one in run.blocks if isinstance(one, ApprovalRequired)] if run is not None else []
                self.line(tool_line(event, acts=event.tool in asked))
            case Rewind() | Retracted():
                self._taken_back(event, run_id)
            case Gap():
                self.notice("Some events were lost on the way; showing what is stored.")
            case Error():
                again = " Sending it again may help." if event.retry else ""
                self.line(plain(f"✗ {event.content}{again}", "red"))
        self.catch_up(view, run_id)
        if isinstance(event, Complete) and (run := view.run(run_id)) is not None:
            self._close(run)

    def _taken_back(self, event: Rewind | Retracted, run_id: str) -> None:
        if isinstance(event, Rewind):
            self._shown.pop((run_id, event.message_id), None)
            self.line(Text("(this part of the answer starts anew)", "dim"))
        else:
            self.line(Text("(taken back: the message and what was said to it)", "dim"))

    def catch_up(self, view: ConversationView, run_id: str) -> None:
        """Print what the run has that is not shown yet."""
        for message in view.answers(run_id):
            place = (run_id, message.message_id)
            shown = self._shown.get(place, "")
            if message.text == shown or not message.text:
                continue
            if not message.text.startswith(shown):
                self.line(Text("(the answer again, whole)", "dim"))
                shown = ""
            self._shown[place] = message.text
            self._say(message.text[len(shown) :])
        run = view.run(run_id)
        seen = self._blocks.setdefault(run_id, [])
        for one in run.blocks if run is not None else ():
            if one not in seen:
                seen.append(one)
                shape = block(one, width=self._out.width)
                if shape is not None:
                    self.line(shape)
                    self._last = one

    def _close(self, run: RunView) -> None:
        self.end_line()
        if run.status == "cancelled":
            self.line(Text("(stopped)", "yellow"))
        if run.usage and run.over:
            self.line(usage_line(run.usage))

    def _say(self, text: str) -> None:
        if not self._out.is_terminal:
            self._write(printable(text), "")
            return
        for piece, style in self._prose.feed(printable(text)):
            self._write(piece, style)

    def _write(self, text: str, style: str) -> None:
        if text:
            self._last = None
            self._out.out(text, style=style or None, end="", highlight=False)
            self._out.file.flush()
            self._open_line = not text.endswith("\n")
