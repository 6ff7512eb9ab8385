"""How one e-mail leaves by SMTP, once, and what is known of it afterwards. It knows no user and no conversation.

Whatever goes wrong before the text is handed over means "not sent". From then on only the server's answer counts: where
that does not come, nobody can tell, and nothing here tries again.
"""

import asyncio
import contextlib
import email.policy
import ipaddress
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Final
from urllib.parse import unquote, urlsplit

import structlog
from aiosmtplib import (
    SMTP,
    SMTPAuthenticationError,
    SMTPConnectError,
    SMTPException,
    SMTPRecipientRefused,
    SMTPResponseException,
    SMTPServerDisconnected,
    SMTPTimeoutError,
)

from signalbox.settings import Settings
from signalbox.tools.result import Err, Ok, Result

logger = structlog.get_logger(__name__)

UNKNOWN: Final = "could not tell whether it was sent"
# So says a run of a call that it had begun before its server stopped, and that was not approved again.
_BEGUN_BEFORE: Final = "may have happened already"
LONGEST_ADDRESS: Final = 254  # RFC 5321, 4.5.3.1.3
_LONGEST_LOCAL: Final = 64
_LOCAL = re.compile(r"[^\s@<>()\[\],;:\\\"']+(?:'[^\s@<>()\[\],;:\\\"']+)*")
_LABEL = re.compile(r"(?!-)[^\W_](?:[\w-]{0,61}[^\W_])?")
_CLOSING_S: Final = 2.0
_LONGEST_REPLY: Final = 160
_WANTS_LOGIN: Final = frozenset({530, 534, 535, 538})
_SAY_OPERATOR: Final = "the operator has to check SIGNALBOX_SMTP_URL"


@dataclass(frozen=True, slots=True)
class Letter:
    """What is to go out. Addresses are bare and have been checked; ``message_id`` names this very sending."""

    to: tuple[str, ...]
    subject: str
    body: str
    message_id: str
    reply_to: str | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """What the mail server has taken over. ``to``: whom it goes to; ``refused``: whom the server would not take, each
    with the reason. Answers go to ``reply_to``, or to ``sender`` if that is None.
    """

    to: tuple[str, ...]
    subject: str
    message_id: str
    sent_at: datetime
    refused: tuple[str, ...] = ()
    sender: str = ""
    reply_to: str | None = None


def address_problem(address: str) -> str | None:
    """What is wrong with a bare address (``jane@example.com``); None if nothing is."""
    local, at, domain = address.rpartition("@")
    if not at or not local or not domain:
        return "it is not of the form name@example.com"
    if any(unicodedata.category(character)[0] in "CZ" for character in address):
        return "it has a space or an invisible character in it"
    if len(address.encode("utf-8")) > LONGEST_ADDRESS or len(local.encode("utf-8")) > _LONGEST_LOCAL:
        return "it is too long"
    if not _LOCAL.fullmatch(local) or local.startswith(".") or local.endswith(".") or ".." in local:
        return f"“{local[:40]}” cannot stand before the @"
    labels = domain.split(".")
    if len(labels) < 2 or labels[-1].isdigit() or not all(_LABEL.fullmatch(label) for label in labels):
        return f"“{domain[:60]}” is no domain like example.com"
    return None


def may_have_been_sent(err: Err) -> bool:
    """Whether the mail behind this failure may be on its way all the same."""
    if err.done is None:  # as it was recorded before failures said so themselves
        return UNKNOWN in err.note or _BEGUN_BEFORE in err.note
    return err.done == "unknown"


class Mailer:
    """The server's way to send mail. Safe to use from many tasks: each mail has a connection of its own.

    The password leaves the process only over TLS, or to this very machine; it is in no error and no log.
    """

    def __init__(self, url: str, *, sender: str, timeout_s: float) -> None:
        parts = urlsplit(url)
        self.sender = sender
        self._tls = parts.scheme == "smtps"
        self._host = parts.hostname or "localhost"
        self._port = parts.port or (465 if self._tls else 587)
        self._user = unquote(parts.username or "")
        self._password = unquote(parts.password or "")
        self._near = _is_loopback(self._host)
        self._timeout_s = timeout_s

    async def send(self, letter: Letter) -> Result[Sent]:
        """Send it once, within the time limit. ``Err`` where it was not sent, or where nobody can tell (see
        ``may_have_been_sent``). Cancelling it leaves that open too.
        """
        attempt = _Attempt()
        client = SMTP(
            hostname=self._host,
            port=self._port,
            use_tls=self._tls,
            # On one's own machine nobody stands between, and certificates there are rarely made out to "localhost".
            validate_certs=not self._near,
            timeout=self._timeout_s,
            local_hostname=self.sender.rpartition("@")[2],  # asking DNS for our own name can take seconds
        )
        try:
            async with asyncio.timeout(self._timeout_s):
                result = _certain(await self._delivered(client, letter, attempt))
            await _leave(client)
        except (SMTPException, OSError, UnicodeError) as exc:  # a TimeoutError is an OSError
            result = _certain(self._failed(exc, attempt))
            logger.warning(
                "a mail was not confirmed as sent", error=type(exc).__name__, handed_over=attempt.handed_over
            )
        finally:
            client.close()
        return result

    async def _delivered(self, client: SMTP, letter: Letter, attempt: "_Attempt") -> Result[Sent]:
        await client.connect()
        if (why := await self._logged_in(client)) is not None:
            return why
        wide = _international(letter)
        if wide and not client.supports_extension("smtputf8"):
            return Err(
                "invalid_arguments",
                f"this mail server cannot write to {' or '.join(wide)}: it takes addresses in plain ASCII only",
                retryable=False,
            )
        await client.mail(self.sender, options=["SMTPUTF8", "BODY=8BITMIME"] if wide else [])
        taken, refused = await _recipients(client, letter.to)
        if not taken:
            return self._none_taken(client, refused)
        now = datetime.now(UTC)
        content = _written(letter, self.sender, now, wide=bool(wide))
        attempt.handed_over = True
        try:
            await client.data(content)
        except SMTPResponseException:
            attempt.handed_over = False  # the server has answered: it did not take it
            raise
        return Ok(
            Sent(
                to=tuple(taken),
                subject=letter.subject,
                message_id=letter.message_id,
                sent_at=now,
                refused=tuple(f"{each.recipient} ({self._said(each)})" for each in refused),
                sender=self.sender,
                reply_to=letter.reply_to,
            )
        )

    async def _logged_in(self, client: SMTP) -> Err | None:
        if not self._user:
            return None
        if client.get_transport_info("sslcontext") is None and not self._near:
            return Err(
                "auth",
                "the mail server offers no encryption, and the password is not sent without it; the operator has to "
                "set SIGNALBOX_SMTP_URL to a server with STARTTLS, or to smtps://",
                retryable=False,
            )
        try:
            await client.login(self._user, self._password)
        except (SMTPTimeoutError, SMTPServerDisconnected):
            raise
        except SMTPResponseException as exc:
            if exc.code < 500:  # RFC 5321: 4xx is for now, 5xx for good
                raise
            return _unauthorized("refused this server's user name or password")
        except SMTPException:
            return _unauthorized("offers no way to log in that could be used")
        return None

    def _none_taken(self, client: SMTP, refused: Sequence[SMTPRecipientRefused]) -> Err:
        if any(each.code in _WANTS_LOGIN for each in refused):
            return _unauthorized("wants a user name and password")
        if not client.is_connected:
            return Err("unavailable", f"the mail server closed the connection: {self._said(refused[-1])}")
        who = "; ".join(f"{each.recipient} ({self._said(each)})" for each in refused)
        for_now = all(each.code < 500 for each in refused)
        later = " for now; it may work later" if for_now else ""
        return Err("invalid_arguments", f"the mail server refused {who}{later}", retryable=for_now)

    def _failed(self, exc: Exception, attempt: "_Attempt") -> Err:  # noqa: PLR0911 - one return a failure
        if attempt.handed_over:
            late = isinstance(exc, TimeoutError)
            how = "did not confirm it in time" if late else "broke the connection off"
            note = f"{UNKNOWN}: the text was handed over, but the mail server {how}"
            return Err("timeout" if late else "unavailable", note, retryable=False, done="unknown")
        match exc:
            case SMTPAuthenticationError():
                return Err("auth", f"the mail server did not let this server in for now: {self._said(exc)}")
            case SMTPResponseException() if exc.code in _WANTS_LOGIN:
                return _unauthorized("wants a user name and password")
            case SMTPResponseException():
                for_now = exc.code < 500
                much = "for now; it may work later" if for_now else "for good"
                return Err("unavailable", f"the mail server refused it {much}: {self._said(exc)}", retryable=for_now)
            case TimeoutError():
                return Err("timeout", f"the mail server did not answer within {self._timeout_s:g} seconds")
            case SMTPConnectError():
                return Err("unavailable", f"the mail server cannot be reached; if that lasts, {_SAY_OPERATOR}")
            case SMTPServerDisconnected() | ConnectionError():
                return Err("unavailable", "the mail server broke the connection off before it had the text")
            case UnicodeError():
                return Err("invalid_arguments", "the mail cannot be written in a form that mail servers take", False)
            case OSError():
                return Err("unavailable", f"no encrypted connection to the mail server came about; {_SAY_OPERATOR}")
            case _:
                return Err("unavailable", "the mail server does not keep to the protocol", retryable=False)

    def _said(self, exc: SMTPResponseException) -> str:
        """The server's own words, on one line, without what they must not hold."""
        text = "".join(c if unicodedata.category(c)[0] != "C" else " " for c in str(exc.message))
        text = " ".join(text.split())[:_LONGEST_REPLY]
        if self._password:
            text = text.replace(self._password, "…")
        return f"{exc.code} {text}".strip()


@dataclass(slots=True)
class _Attempt:
    """``handed_over``: the text is, or may be, with the server, and its answer is still out."""

    handed_over: bool = field(default=False)


def _certain(result: Result[Sent]) -> Result[Sent]:
    """A failure before the text was handed over, or that the server spoke itself: it was not sent."""
    return replace(result, done="no") if isinstance(result, Err) and result.done is None else result


def build_mailer(settings: Settings) -> Mailer | None:
    """None where the operator has set no mail server up."""
    if settings.smtp_url is None or settings.mail_from is None:
        return None
    return Mailer(settings.smtp_url.get_secret_value(), sender=settings.mail_from, timeout_s=settings.mail_timeout_s)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _international(letter: Letter) -> tuple[str, ...]:
    addresses = (*letter.to, *([letter.reply_to] if letter.reply_to else []))
    return tuple(address for address in addresses if not address.isascii())


async def _recipients(client: SMTP, to: Sequence[str]) -> tuple[list[str], list[SMTPRecipientRefused]]:
    taken: list[str] = []
    refused: list[SMTPRecipientRefused] = []
    for address in to:
        if refused and not client.is_connected:
            return [], refused  # 421: the server has hung up, and took nobody
        try:
            await client.rcpt(address, encoding="utf-8")
            taken.append(address)
        except SMTPRecipientRefused as exc:
            refused.append(exc)
    return (taken if client.is_connected else []), refused


async def _leave(client: SMTP) -> None:
    """Say goodbye, as servers like; whatever comes of it, the mail's fate is sealed."""
    with contextlib.suppress(SMTPException, OSError):
        async with asyncio.timeout(_CLOSING_S):
            await client.quit()


def _written(letter: Letter, sender: str, now: datetime, *, wide: bool) -> bytes:
    policy = (email.policy.SMTPUTF8 if wide else email.policy.SMTP).clone(cte_type="7bit")
    message = EmailMessage(policy=policy)
    message["From"] = sender
    message["To"] = ", ".join(letter.to)
    if letter.reply_to:
        message["Reply-To"] = letter.reply_to
    message["Subject"] = letter.subject
    message["Date"] = format_datetime(now)
    message["Message-ID"] = letter.message_id
    message.set_content(letter.body, charset="utf-8")
    return message.as_bytes()


def _unauthorized(what: str) -> Err:
    return Err("auth", f"the mail server {what}; {_SAY_OPERATOR}", retryable=False)
