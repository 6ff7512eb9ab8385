"""The file that names external MCP servers: the usual ``{"mcpServers": {...}}`` with what an operator decides added.

Every problem is reported with its place in the file and what to do; a secret is never shown.
"""

import difflib
import hashlib
import json
import os
import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator, model_validator

from signalbox.errors import ConfigurationError, said_by_check
from signalbox.tools.base import Effect, Guard

MOST_SERVERS: Final = 50
MAX_FILE_BYTES: Final = 1_000_000
# One underscore at most between two others: two part the server's name from the tool's.
_NAME: Final = re.compile(r"[a-z0-9]+(?:[_-][a-z0-9]+)*")
_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_HEADER: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")

Secrets = dict[str, SecretStr]


def _checked_headers(headers: Secrets) -> Secrets:
    """By their names in lower case: to a server two spellings are one header."""
    found: Secrets = {}
    for name, value in headers.items():
        if not _HEADER.fullmatch(name):
            raise ValueError(f"'{name[:100]}' is no name of an HTTP header")
        if re.search(r"[\r\n\0]", value.get_secret_value()):
            raise ValueError(f"the value of '{name}' has more than one line")
        if not value.get_secret_value().isascii():
            raise ValueError(f"the value of '{name}' has characters that no HTTP header takes")
        if name.lower() in found:
            raise ValueError(f"'{name}' is given twice; to a server both spellings are one header")
        found[name.lower()] = value
    return found


class Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Credentials(Strict):
    """What one user's calls carry beside the server's own headers and environment, and instead of those so named."""

    headers: Secrets = Field(default_factory=dict)
    env: Secrets = Field(default_factory=dict)

    @field_validator("headers")
    @classmethod
    def _headers(cls, value: Secrets) -> Secrets:
        return _checked_headers(value)


class ServerConfig(Strict):
    """One server: a ``command`` that speaks over stdin and stdout, or a ``url`` that speaks streamable HTTP.

    ``allow``: names of tools that may be used at all, ``*`` matching anything. ``effects``: what a tool's call does, by
    such a pattern too, the exact name first; what matches nothing is irreversible, so the user is asked each time.
    ``trust_first_use``: definitions are approved when they are first seen, later changes never are. ``users``: what
    single users' calls carry, by user id; with ``users_only`` nobody else may call. ``contact_data``: tools of the
    effect "read" that are sent e-mail addresses, phone numbers and the like as they are; in others' they are masked.
    ``ask_after_untrusted``: when the user is asked about a model's "read", once a text that others wrote was read:
    where it holds what is known of them (personal), always, or never.
    """

    type: Literal["stdio", "http", "streamable-http", "streamable_http"] | None = None
    command: str | None = Field(None, min_length=1, max_length=1_000)
    args: tuple[str, ...] = Field((), max_length=200)
    env: Secrets = Field(default_factory=dict)
    cwd: Path | None = None
    url: str | None = Field(None, max_length=2_000)
    headers: Secrets = Field(default_factory=dict)
    enabled: bool = True
    timeout_s: float = Field(30, gt=0, le=3_600)
    connect_s: float = Field(20, gt=0, le=300)
    allow: tuple[str, ...] = Field(("*",), max_length=500)
    effects: dict[str, Effect] = Field(default_factory=dict)
    contact_data: tuple[str, ...] = Field((), max_length=500)
    trust_first_use: bool = False
    ask_after_untrusted: Guard = "personal"
    users: dict[str, Credentials] = Field(default_factory=dict)
    users_only: bool = False

    @field_validator("headers")
    @classmethod
    def _headers(cls, value: Secrets) -> Secrets:
        return _checked_headers(value)

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.command is None) == (self.url is None):
            raise ValueError("give either a 'command' (stdio) or a 'url' (streamable HTTP)")
        if self.type is not None and (self.type == "stdio") != (self.url is None):
            raise ValueError(f"'type' is '{self.type}', which does not go with the rest")
        if self.url is not None:
            parts = urlsplit(self.url)
            if parts.scheme not in {"http", "https"} or not parts.hostname:
                raise ValueError("'url' must be like https://host/mcp")
            if parts.username or parts.password:
                raise ValueError("'url' holds a password; put it into 'headers' as an Authorization header")
            if self.args or self.env or self.cwd:
                raise ValueError("'args', 'env' and 'cwd' belong to a 'command', not to a 'url'")
        elif self.headers:
            raise ValueError("'headers' belong to a 'url', not to a 'command'")
        if self.users_only and not self.users:
            raise ValueError("'users_only' needs 'users', or nobody may call anything")
        for user, own in self.users.items():
            self._check_user(user[:60], own)
        return self

    def _check_user(self, user: str, own: Credentials) -> None:
        """What went unused would leave this user's calls with everybody's credentials."""
        if self.url is not None and own.env:
            raise ValueError(f"'env' of the user '{user}' belongs to a 'command', not to a 'url'; give 'headers'")
        if self.url is None and own.headers:
            raise ValueError(f"'headers' of the user '{user}' belong to a 'url', not to a 'command'; give 'env'")
        if not own.headers and not own.env:
            raise ValueError(f"the user '{user}' has neither 'headers' nor 'env': give credentials, or leave them out")

    def headers_for(self, own: Credentials) -> dict[str, str]:
        return {name: value.get_secret_value() for name, value in (self.headers | own.headers).items()}

    def env_for(self, own: Credentials) -> dict[str, str]:
        return {name: value.get_secret_value() for name, value in (self.env | own.env).items()}

    @property
    def endpoint(self) -> str:
        """Where the server is, for people, with a digest of all that says so. Nothing secret, though arguments and a
        query may be.
        """
        parts = urlsplit(self.url or "")
        shown = f"{parts.scheme}://{parts.netloc}{parts.path}" if self.url else self.command
        whole = [self.url, self.command, self.args, None if self.cwd is None else str(self.cwd)]
        return f"{shown} ({hashlib.sha256(json.dumps(whole).encode()).hexdigest()[:16]})"

    def allows(self, tool: str) -> bool:
        return any(fnmatchcase(tool, pattern) for pattern in self.allow)

    def may_have_contact_data(self, tool: str) -> bool:
        """Of other than reads the user is asked, and sees what is sent."""
        return self.effect(tool) != "read" or any(fnmatchcase(tool, pattern) for pattern in self.contact_data)

    def effect(self, tool: str) -> Effect:
        return self._said_of(tool) or "irreversible"

    def is_classified(self, tool: str) -> bool:
        """Whether the operator said what it does."""
        return self._said_of(tool) is not None

    def _said_of(self, tool: str) -> Effect | None:
        exact = self.effects.get(tool)
        if exact is not None:
            return exact
        return next((effect for pattern, effect in self.effects.items() if fnmatchcase(tool, pattern)), None)


def load_mcp_config(path: Path | None) -> Mapping[str, ServerConfig]:
    """The servers of the file by their names; none without a file. Touches the disk.

    Raises ``ConfigurationError`` listing every problem at once.
    """
    if path is None:
        return {}
    told = _read(path)
    servers = told.get("mcpServers")
    if not isinstance(servers, dict) or len(told) != 1:
        raise ConfigurationError(
            f'{path}: the file must be {{"mcpServers": {{"name": {{...}}}}}} and nothing beside it.'
        )
    if len(servers) > MOST_SERVERS:
        raise ConfigurationError(f"{path}: {len(servers)} servers are more than the {MOST_SERVERS} that are allowed.")
    problems: list[str] = []
    found: dict[str, ServerConfig] = {}
    for name, entry in servers.items():
        if not _NAME.fullmatch(name) or len(name) > 30:
            problems.append(
                f"mcpServers: '{name[:60]}' is no name for a server; use up to 30 lower-case letters and digits, with "
                "single '-' or '_' between them."
            )
            continue
        try:
            found[name] = ServerConfig.model_validate(_expanded(entry))
        except ValidationError as exc:
            problems += [_explain(name, detail) for detail in exc.errors(include_input=False, include_url=False)]
        except LookupError as exc:
            problems.append(
                f"mcpServers.{name}: the environment variable {exc.args[0]} is not set. Set it, or write a value."
            )
    if problems:
        raise ConfigurationError(f"{path} is not valid:\n" + "\n".join(f"  {line}" for line in problems))
    return found


def _read(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise ConfigurationError(f"{path} is larger than {MAX_FILE_BYTES:,} bytes.")
        told = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as exc:
        why = exc.strerror if isinstance(exc, OSError) else "it is not UTF-8 text"
        raise ConfigurationError(f"{path} cannot be read: {why}. Mend SIGNALBOX_MCP_CONFIG, or the file.") from exc
    except (json.JSONDecodeError, RecursionError) as exc:
        where = f"line {exc.lineno}: {exc.msg}" if isinstance(exc, json.JSONDecodeError) else "it is nested too deeply"
        raise ConfigurationError(f"{path} is not valid JSON: {where}.") from exc
    if not isinstance(told, dict):
        raise ConfigurationError(f'{path}: the file must be {{"mcpServers": {{"name": {{...}}}}}}.')
    return told


def _expanded(value: Any, depth: int = 0) -> Any:
    """``${NAME}`` and ``${NAME:-otherwise}`` in every text, from this process's environment. Raises ``LookupError``."""
    if depth > 10:
        return value
    if isinstance(value, dict):
        return {key: _expanded(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_expanded(item, depth + 1) for item in value]
    return _VARIABLE.sub(_variable, value) if isinstance(value, str) else value


def _variable(match: re.Match[str]) -> str:
    name, otherwise = match.groups()
    found = os.environ.get(name)
    if found:
        return found
    if otherwise is None:
        raise LookupError(name)
    return str(otherwise)


def _explain(server: str, detail: Any) -> str:
    place = ".".join(str(part)[:60] for part in detail["loc"])
    where = f"mcpServers.{server}" + (f".{place}" if place else "")
    if detail["type"] == "extra_forbidden":
        nearest = difflib.get_close_matches(str(detail["loc"][-1]), ServerConfig.model_fields, n=1, cutoff=0)
        return f"{where}: there is no such field. Did you mean '{nearest[0]}'?"
    message = said_by_check(detail["msg"])
    return f"{where}: {message[0].lower()}{message[1:]}."
