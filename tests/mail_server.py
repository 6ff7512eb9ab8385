"""A real SMTP server on the loopback interface that keeps what it gets, and can be told to misbehave."""

import asyncio
import email
import email.policy
import socket
import ssl
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import Path

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult


@dataclass
class Kept:
    """One mail as it arrived: the envelope, the raw bytes, and the message in them."""

    sender: str
    to: tuple[str, ...]
    options: tuple[str, ...]
    raw: bytes

    @property
    def message(self) -> EmailMessage:
        return email.message_from_bytes(self.raw, policy=email.policy.default)

    @property
    def text(self) -> str:
        return self.message.get_content().replace("\r\n", "\n").rstrip("\n")


@dataclass
class Mailbox:
    """``refuse``: the reply that an address gets; ``at``: the reply to a whole command ("MAIL", "DATA", "EHLO").
    "hang" never answers there; "drop" breaks the connection off, for DATA after the text is in.
    """

    port: int = 0
    host: str = "127.0.0.1"
    kept: list[Kept] = field(default_factory=list)
    refuse: dict[str, str] = field(default_factory=dict)
    at: dict[str, str] = field(default_factory=dict)
    logins: list[tuple[str, str, bool]] = field(default_factory=list)
    password: str = ""

    def url(self, login: str = "", scheme: str = "smtp") -> str:
        return f"{scheme}://{login}{'@' if login else ''}{self.host}:{self.port}"

    async def handle_EHLO(self, server, session, envelope, hostname, responses):  # noqa: N802
        await self._misbehave("EHLO", server)
        session.host_name = hostname
        return responses

    async def handle_MAIL(self, server, session, envelope, address, options):  # noqa: N802
        if reply := await self._misbehave("MAIL", server):
            return reply
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):  # noqa: N802
        if address in self.refuse:
            return self.refuse[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):  # noqa: N802
        if reply := await self._misbehave("DATA", server):
            return reply
        self.kept.append(
            Kept(envelope.mail_from, tuple(envelope.rcpt_tos), tuple(envelope.mail_options), envelope.original_content)
        )
        return "250 taken"

    async def _misbehave(self, command, server):
        what = self.at.get(command)
        if what == "hang":
            await asyncio.Event().wait()
        if what == "drop":
            server.transport.abort()
            return "250 OK"
        return what

    def authenticate(self, server, session, envelope, mechanism, data):
        user, password = data.login.decode(), data.password.decode()
        self.logins.append((user, password, session.ssl is not None))
        return AuthResult(success=password == self.password, handled=False)


@contextmanager
def mailbox(*, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None, wrapped: bool = False, **options):
    """Options of the server besides: ``password`` demands a login, ``utf8=False`` takes plain ASCII only."""
    box = Mailbox(port=free_port(), host=host, password=options.get("password", ""))
    login = {"authenticator": box.authenticate, "auth_required": True, "auth_require_tls": False}
    controller = Controller(
        box,
        hostname=host,
        port=box.port,
        enable_SMTPUTF8=options.get("utf8", True),
        ssl_context=tls if wrapped else None,
        tls_context=None if wrapped else tls,
        **(login if box.password else {}),
    )
    controller.start()
    try:
        yield box
    finally:
        controller.stop()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def self_signed(folder: Path) -> ssl.SSLContext:
    """A certificate that nobody has signed, for "localhost"."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    subprocess.run(
        [*command, "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=localhost"],
        check=True,
        capture_output=True,
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(cert, key)
    return context
