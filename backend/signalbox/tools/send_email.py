"""Sends one e-mail for the user: the tool that cannot be taken back, so it only runs once they have approved it."""

import hashlib
import re
import unicodedata
import uuid
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import AfterValidator, BeforeValidator, Field

from signalbox.tools.base import Arguments, Effect, Kit, Tool
from signalbox.tools.mailing import Letter, Mailer, Sent, address_problem
from signalbox.tools.result import Err, Result

MOST_RECIPIENTS: Final = 5
LONGEST_SUBJECT: Final = 200
LONGEST_BODY: Final = 20_000
_BETWEEN = re.compile(r"[,;\s]+")


def _listed(value: Any) -> Any:
    """One address, or several in one text as people type them, as a tuple: a strict reader takes no list for one."""
    if isinstance(value, str):
        return tuple(part for part in _BETWEEN.split(value) if part)
    return tuple(value) if isinstance(value, list) else value


def _address(value: str) -> str:
    value = value.strip()
    if (problem := address_problem(value)) is not None:
        raise ValueError(f"“{value[:80]}” is not an e-mail address: {problem}")
    return value


def _once(addresses: tuple[str, ...]) -> tuple[str, ...]:
    first: dict[str, str] = {}
    for address in addresses:
        first.setdefault(address.casefold(), address)
    return tuple(first.values())


def _one_line(value: str) -> str:
    value = value.strip()
    if not value or any(unicodedata.category(each) in {"Cc", "Cs", "Zl", "Zp"} for each in value):
        raise ValueError("a subject is one line of text")
    return value


def _text(value: str) -> str:
    value = value.replace("\r\n", "\n").replace("\r", "\n")
    if not value.strip():
        raise ValueError("there is no text in it")
    if any(unicodedata.category(each) in {"Cc", "Cs"} and each not in "\n\t" for each in value):
        raise ValueError("it holds control characters; write plain text")
    return value


Address = Annotated[str, AfterValidator(_address)]


class Mail(Arguments):
    """What goes out, exactly as it stands here. ``to``: one address or a few, all of which see each other.
    ``reply_to``: where answers should go, if not to the address of this server.
    """

    to: Annotated[tuple[Address, ...], BeforeValidator(_listed), AfterValidator(_once)] = Field(
        min_length=1, max_length=MOST_RECIPIENTS
    )
    subject: Annotated[str, AfterValidator(_one_line)] = Field(min_length=1, max_length=LONGEST_SUBJECT)
    body: Annotated[str, AfterValidator(_text)] = Field(min_length=1, max_length=LONGEST_BODY)
    reply_to: Address | None = None


class SendEmail:
    """Sends it once. ``Err``: it was not sent, or nobody can tell (``mailing.may_have_been_sent``), and it is not
    tried again. ``ready`` tells whether this server can send mail at all: ask before you ask the user.
    """

    name: ClassVar[str] = "send_email"
    effect: ClassVar[Effect] = "irreversible"
    # Longer than the longest time limit that can be set: it is the mailer that knows how far a mail has got.
    timeout_s: ClassVar[float] = 130.0

    def __init__(self, mailer: Mailer | None) -> None:
        self._mailer = mailer

    @property
    def risk(self) -> str:
        """What a user should know before they approve."""
        told = "The e-mail goes out to the addresses above exactly as it stands here, and cannot be taken back."
        if self._mailer is None:
            return told
        sender = self._mailer.sender
        return f"{told} It comes from {sender}; replies go to the address for replies, or to {sender} if none is given."

    @classmethod
    def make(cls, kit: Kit) -> Self:
        return cls(kit.mailer)

    @property
    def ready(self) -> bool:
        return self._mailer is not None

    async def run(self, arguments: Mail, key: str = "") -> Result[Sent]:
        if self._mailer is None:
            return Err(
                "unavailable",
                "this server cannot send mail: its operator has to set SIGNALBOX_SMTP_URL and SIGNALBOX_MAIL_FROM",
                retryable=False,
                done="no",
            )
        return await self._mailer.send(
            Letter(
                to=arguments.to,
                subject=arguments.subject,
                body=arguments.body,
                message_id=_message_id(key, self._mailer.sender),
                reply_to=arguments.reply_to,
            )
        )


def can_send(tools: Mapping[str, Tool[Any, Any]]) -> bool:
    """Whether there is a tool to send mail with, and it could."""
    tool = tools.get(SendEmail.name)
    return tool is not None and bool(getattr(tool, "ready", True))


def _message_id(key: str, sender: str) -> str:
    """The same for each try of one call, by which a repetition can be told wherever the mail arrives."""
    name = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:40] if key else uuid.uuid4().hex
    return f"<{name}@{sender.rpartition('@')[2]}>"
