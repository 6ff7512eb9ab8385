"""Asks at the terminal what to do about an approval: approve, edit, reject, or later. It knows no client."""

import asyncio
import json
import os
import shlex
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from signalbox.console.keyboard import Lines
from signalbox.console.rendering import arguments_shown, plain
from signalbox.console.screen import Screen

PROMPT: Final = "approve, edit, reject or later? [a/e/r/l] "
What: TypeAlias = Literal["approve", "edit", "reject", "later", "cancel", "leave", "again"]
_ANSWERS: Final[Mapping[str, What]] = {
    "a": "approve", "approve": "approve", "y": "approve", "yes": "approve", "e": "edit", "edit": "edit",
    "r": "reject", "reject": "reject", "n": "reject", "no": "reject", "l": "later", "later": "later",
    "/cancel": "cancel", "/quit": "leave", "/exit": "leave",
}  # fmt: skip
BACK: Final = "/back"
LONG: Final = 80


class _Back(Exception):
    """The user wants to see the question again."""


@dataclass(frozen=True, slots=True)
class Choice:
    """``cancel`` stops the run, ``leave`` the chat; ``again``: what is asked is to be shown and asked anew.
    ``arguments`` are those that were changed.
    """

    what: What
    arguments: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""


class Dialog:
    """Only lines typed after the question count as answers: what was typed ahead was meant for the chat."""

    def __init__(self, screen: Screen, lines: Lines) -> None:
        self._screen = screen
        self._lines = lines
        self._asking = False
        self._warned = False

    async def choose(self, arguments: Mapping[str, Any]) -> Choice:
        """Ask until the answer is clear; the end of input means later."""
        self._asking = True
        try:
            while True:
                choice = await self._answer(arguments)
                if choice is not None:
                    return choice
                self._screen.line(plain("Nothing is done until you have decided.", "dim"))
        except _Back:
            return Choice("again")
        finally:
            self._asking = False

    def interrupt(self) -> bool:
        """Ctrl+C at a question is no answer to it. False if there is none, or the second time at the same line."""
        if not self._asking or self._warned:
            return False
        self._warned = True
        with self._lines.aside():
            self._screen.notice(f"Nothing was decided. {BACK} shows the question again. Ctrl+C once more leaves.")
        return True

    async def _answer(self, arguments: Mapping[str, Any]) -> Choice | None:
        answer = await self._line(PROMPT)
        match _ANSWERS.get("l" if answer is None else answer.strip().lower()):
            case "edit":
                return await self._edit(arguments)
            case "reject":
                note = await self._line("Why? (may be left empty) ")
                return Choice("reject", note=(note or "").strip())
            case None:
                return None
            case what:
                return Choice(what)

    async def _line(self, prompt: str) -> str | None:
        """Raises ``_Back`` if that is what was typed."""
        self._warned = False
        line = await self._lines.line(prompt)
        if line is not None and not self._lines.interactive:  # nobody saw it beside the prompt
            self._screen.line(plain(f"{prompt}{line}", "dim"))
        if line is not None and line.strip().lower() == BACK:
            raise _Back
        return line

    async def _edit(self, arguments: Mapping[str, Any]) -> Choice:
        """The arguments one by one, then all of them once more for a yes."""
        self._screen.line(plain(f"Enter keeps a value, {BACK} goes back and changes nothing.", "dim"))
        changed: dict[str, Any] = {}
        for name, value in arguments.items():
            new = await self._edited(name, value)
            if new is not None and new != value:
                changed[name] = new
        if not changed:
            self._screen.line(plain("Nothing was changed.", "dim"))
            return Choice("again")
        self._screen.line(arguments_shown({**arguments, **changed}))
        sure = await self._line("Approve it like this? [y/n] ")
        return Choice("edit", changed) if (sure or "").strip().lower() in {"y", "yes"} else Choice("again")

    async def _edited(self, name: str, value: Any) -> Any:
        """The new value, or None to keep the old one."""
        if isinstance(value, str) and ("\n" in value or len(value) > LONG or name == "body"):
            return await self._text(name, value)
        shown = ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else value
        line = await self._line(f"{name} [{plain(str(shown))}]: ")
        return _read(line.strip(), value) if line and line.strip() else None

    async def _text(self, name: str, value: str) -> str | None:
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
        if editor and self._lines.interactive:
            return await self._in_editor(editor, value)
        self._screen.line(
            plain(
                f"{name}: the new text. A line with only a dot ends it, Enter keeps the old one, {BACK} goes back.",
                "dim",
            )
        )
        lines: list[str] = []
        while (line := await self._line("| ")) is not None and line.strip() != ".":
            if not lines and not line.strip():
                return None
            lines.append(line.rstrip())
        return "\n".join(lines) or None

    async def _in_editor(self, editor: str, text: str) -> str | None:
        try:
            path = await asyncio.to_thread(_kept, text)
            try:
                process = await asyncio.create_subprocess_exec(*shlex.split(editor), str(path))
                if await process.wait():
                    self._screen.notice(f"{editor} failed; the text stays as it was.")
                    return None
                return (await asyncio.to_thread(path.read_text, "utf-8", "replace")).rstrip("\n") or None
            finally:
                await asyncio.to_thread(path.unlink, missing_ok=True)
        except (OSError, ValueError) as exc:
            self._screen.notice(f"The text could not be edited with {editor} ({exc}); it stays as it was.")
            return None  # truth: the user has just been told, and the text stays


def _kept(text: str) -> Path:
    handle, name = tempfile.mkstemp(prefix="signalbox-", suffix=".txt")  # mode 0600
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    return Path(name)


def _read(line: str, value: Any) -> Any:
    """What was typed in place of ``value``, as its kind; the server says if it does not fit."""
    if value is None or isinstance(value, str):
        return line
    if isinstance(value, list):
        return [part.strip() for part in line.split(",") if part.strip()]
    try:
        return json.loads(line)
    except ValueError:
        return line
