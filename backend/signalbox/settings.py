"""What an operator can set, read from the environment and ``.env``; it must not know who uses a value.

Every problem is reported with the variable's name, what is wrong and what to do; a secret is never shown.
"""

import difflib
import hashlib
import os
import re
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from dotenv import dotenv_values
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticUndefined
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from signalbox.errors import ConfigurationError
from signalbox.model_settings import MemorySettings, ModelSettings
from signalbox.setting_words import expected, wrong
from signalbox.tool_settings import ToolSettings, folder

PREFIX = "SIGNALBOX_"
ENV_FILE = Path(".env")  # of the working directory
# Escaped as \uXXXX, a character outside the BMP takes a surrogate pair: twelve bytes of JSON.
JSON_BYTES_PER_CHAR = 12
BODY_OVERHEAD_BYTES = 8_192  # ids, profile fields and the envelope around the message

# Kubernetes and Docker links set these for a service that is named "signalbox"; the tests read the last one.
_NOT_SETTINGS = re.compile(r"SIGNALBOX_(SERVICE_(HOST|PORT).*|PORT_\d+_(TCP|UDP|SCTP).*|SHARED|ROOT)")
_MAIL_ADDRESS = re.compile(r"[^\s@<>()\[\],;:\\\"]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?")
_ORIGIN = re.compile(r"\*|[a-z][a-z0-9+.-]*://[^/\s,?#]+")
_SECRET_FILE = "secret_key"  # noqa: S105 - a file's name
SECRET_MIN_CHARS = 16


def _lower(value: Any) -> Any:
    return value.strip().lower() if isinstance(value, str) else value


def _listening_port(value: Any) -> Any:
    # A Kubernetes service named "signalbox" puts its own address into SIGNALBOX_PORT.
    return 8000 if isinstance(value, str) and value.startswith("tcp://") else value


def _origins(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return tuple(origin.strip().removesuffix("/") for origin in value.split(",") if origin.strip())


def _check_origins(origins: tuple[str, ...]) -> tuple[str, ...]:
    for origin in origins:
        if not _ORIGIN.fullmatch(origin):
            raise ValueError(f"'{origin}' is not an origin; write scheme://host or scheme://host:port")
    return origins


def _url(value: SecretStr, schemes: Mapping[str, str], example: str) -> SecretStr:
    """The URL with its scheme written the one way our clients know; the message never shows the URL."""
    scheme, separator, rest = value.get_secret_value().strip().partition("://")
    if not separator or scheme not in schemes:
        raise ValueError(f"is not a URL we can use; write it like {example}")
    return SecretStr(f"{schemes[scheme]}://{rest}")


def _database_url(value: SecretStr) -> SecretStr:
    schemes = dict.fromkeys(("postgresql", "postgres", "postgresql+psycopg"), "postgresql")
    return _url(value, schemes, "postgresql://user:password@host:5432/name")


def _redis_url(value: SecretStr) -> SecretStr:
    schemes = {"redis": "redis", "rediss": "rediss", "unix": "unix", "valkey": "redis", "valkeys": "rediss"}
    return _url(value, schemes, "redis://user:password@host:6379/0")


def _smtp_url(value: SecretStr) -> SecretStr:
    url = value.get_secret_value().strip()
    try:
        parts = urlsplit(url)
        known = parts.scheme in {"smtp", "smtps"} and parts.hostname and parts.port != 0
    except ValueError:
        known = False
    if not known or parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError(
            "is not a URL we can use; write it like smtp://user:password@host:587 or smtps://user:password@host:465, "
            "with / ? # @ : % in the user name or password as %2F %3F %23 %40 %3A %25"
        )
    if bool(parts.username) != bool(parts.password):
        raise ValueError("needs both a user name and a password, or neither")
    return SecretStr(url)


def _mail_address(value: str) -> str:
    if not value.isascii() or not _MAIL_ADDRESS.fullmatch(value.strip()):
        raise ValueError("is not an e-mail address; write it like assistant@example.com")
    return value.strip()


def _check_secret(value: SecretStr) -> SecretStr:
    if len(value.get_secret_value().strip()) < SECRET_MIN_CHARS:
        raise ValueError(f"is too short to sign with; use at least {SECRET_MIN_CHARS} random characters")
    return value


def _parse_keys(text: str) -> dict[str, str]:
    """``key:user,key2:user2`` as sha256(key) -> user. Errors count entries: a key must never be shown."""
    users: dict[str, str] = {}
    entries = [entry.strip() for entry in text.split(",")]
    for number, entry in enumerate(entries, start=1):
        if not entry:
            continue  # a trailing comma
        key, _, user = (part.strip() for part in entry.rpartition(":"))
        if not key or not user:
            raise ValueError(f"entry {number} of {len(entries)} is not of the form key:user")
        digest = hashlib.sha256(key.encode()).hexdigest()
        if users.setdefault(digest, user) != user:
            raise ValueError(f"entry {number} of {len(entries)} repeats a key for another user")
    return users


def _check_keys(value: SecretStr) -> SecretStr:
    _parse_keys(value.get_secret_value())
    return value


class Settings(ToolSettings, ModelSettings, MemorySettings, BaseSettings):
    """One process's configuration. Made by `load_settings`; frozen, so a running server keeps it."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=ENV_FILE,
        env_file_encoding="utf-8-sig",  # editors on Windows write a byte order mark
        env_ignore_empty=True,
        extra="ignore",  # `load_settings` names unknown ones, with a suggestion
        frozen=True,
        hide_input_in_errors=True,
        populate_by_name=True,
    )

    data_dir: Annotated[Path, AfterValidator(folder)] = Field(
        Path(".data"),
        description="Folder of everything that is kept: the embedded servers' data and the generated secret.",
        validate_default=True,
    )
    database_url: Annotated[SecretStr, AfterValidator(_database_url)] | None = Field(
        None, description="PostgreSQL with pgvector; when unset, one is started under the data folder."
    )
    redis_url: Annotated[SecretStr, AfterValidator(_redis_url)] | None = Field(
        None, description="Redis or Valkey; when unset, one is started under the data folder."
    )
    api_keys: Annotated[SecretStr, AfterValidator(_check_keys)] = Field(
        SecretStr(""), description="Keys that clients may use, as key:user,key2:user2; empty for none."
    )
    secret_key: Annotated[SecretStr, AfterValidator(_check_secret)] | None = Field(
        None, description="Signs the anonymous cookie; when unset, one is generated in the data folder."
    )
    smtp_url: Annotated[SecretStr, AfterValidator(_smtp_url)] | None = Field(
        None,
        description="Mail server that approved e-mails go out by, as smtp://user:password@host:587 or "
        "smtps://user:password@host:465; when unset, drafts can be copied but not sent.",
    )
    mail_from: Annotated[str, AfterValidator(_mail_address)] | None = Field(
        None, description="Address that e-mails are sent from; needed with a mail server."
    )
    mail_timeout_s: float = Field(
        20, ge=0.1, le=120, allow_inf_nan=False, description="Seconds that the mail server gets to take an e-mail."
    )
    heartbeat_s: float = Field(
        15, ge=0.05, le=20, allow_inf_nan=False, description="Seconds of silence before a stream's heartbeat."
    )
    buffer_ttl_s: int = Field(
        600,
        ge=1,
        le=86_400 * 7,
        description="Seconds a conversation's events stay resumable after the last one.",
    )
    buffer_events: int = Field(
        20_000, ge=100, le=1_000_000, description="Events of one conversation that stay resumable at most."
    )
    send_timeout_s: float = Field(
        30, ge=0.05, le=600, allow_inf_nan=False, description="Seconds a client may refuse to take bytes."
    )
    grace_s: float = Field(
        10, ge=0, le=600, allow_inf_nan=False, description="Seconds that running answers get at shutdown."
    )
    lease_s: float = Field(
        15,
        ge=0.5,
        le=3_600,
        allow_inf_nan=False,
        description="Seconds after which a silent worker loses a run.",
    )
    max_runs: int = Field(
        256, ge=0, le=100_000, description="Answers that this process works on at once; 0 leaves them to workers."
    )
    max_runs_per_user: int = Field(
        64, ge=1, le=100_000, description="Answers to one user that are worked on at once; more of them wait."
    )
    max_waiting_per_user: int = Field(
        200, ge=1, le=1_000_000, description="Messages of one user that may wait for an answer; more are refused."
    )
    max_attempts: int = Field(
        5, ge=1, le=100, description="Workers that one answer may cost before it is given up as dead."
    )
    approval_s: float = Field(
        86_400, ge=1, le=86_400 * 30, allow_inf_nan=False, description="Seconds that a user has to approve an action."
    )
    retention_days: float = Field(
        30,
        ge=0.01,
        le=36_500,
        allow_inf_nan=False,
        description="Days that the steps of finished answers are kept.",
    )
    max_message_chars: int = Field(32_000, ge=1, le=1_000_000, description="Longest message in characters.")
    max_body_bytes: int = Field(
        524_288, ge=1_024, le=67_108_864, description="Largest request body in bytes, whatever it holds."
    )
    log_level: Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(_lower)] = Field(
        "info", description="Least severe level that is logged: debug, info, warning or error."
    )
    log_json: bool = Field(False, description="Log one JSON object a line instead of readable text.")
    cors_origins: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_origins), AfterValidator(_check_origins)] = (
        Field((), description="Comma-separated origins whose pages may call this server.")
    )
    cookie_secure: bool = Field(False, description="Send the cookie over HTTPS only.")
    host: str = Field("127.0.0.1", min_length=1, description="Address to listen on.")
    port: Annotated[int, BeforeValidator(_listening_port)] = Field(
        8000, ge=0, le=65_535, description="Port to listen on; 0 takes a free one."
    )
    web_dir: Path | None = Field(
        None, description="Folder with a build of the web page to serve at / instead of the packaged one."
    )

    @model_validator(mode="after")
    def _parts_fit_together(self) -> Self:
        least = self.max_message_chars * JSON_BYTES_PER_CHAR + BODY_OVERHEAD_BYTES
        if self.max_body_bytes < least:
            raise ValueError(
                f"{PREFIX}MAX_BODY_BYTES: a message of {self.max_message_chars} characters may take {least} "
                f"bytes of JSON; raise it to that, or lower {PREFIX}MAX_MESSAGE_CHARS"
            )
        if self.provider() == "groq" and not (self.groq_api_key or self.model_base_url):
            raise ValueError(
                f"{PREFIX}MODEL: a provider's model needs a key; set GROQ_API_KEY, or {PREFIX}MODEL_BASE_URL "
                "for a server that needs none, or choose auto, offline or scripted"
            )
        if self.smtp_url is not None and self.mail_from is None:
            raise ValueError(
                f"{PREFIX}SMTP_URL: e-mails need a sender; set {PREFIX}MAIL_FROM to an address that this mail server "
                "may send for"
            )
        return self

    def provider(self) -> str:
        """Who answers, with ``auto`` decided: "offline", "scripted", "local", one of ``providers``, or "groq", which
        stands for ``model_base_url``, too.
        """
        own = self.model.rpartition("@")[2]
        match self.model:
            case "offline" | "scripted" | "local" as chosen:
                return chosen
            case "auto":
                return "groq" if self.groq_api_key else "offline"
            case _:
                return own if any(entry.startswith(f"{own}=") for entry in self.providers) else "groq"

    def short_keys(self) -> list[int]:
        """The places of API keys (from 1) that are too short to be hard to guess."""
        entries = self.api_keys.get_secret_value().split(",")
        keys = [entry.strip().rpartition(":")[0].strip() for entry in entries]
        return [at for at, key in enumerate(keys, start=1) if key and len(key) < SECRET_MIN_CHARS]

    def users(self) -> Mapping[str, str]:
        """The SHA-256 (hex) of each API key -> its user id; comparing digests leaks no timing of the key."""
        return _parse_keys(self.api_keys.get_secret_value())

    def cookie_secret(self) -> str:
        """The signing secret: the one that is set, else the data folder's, made once for all its processes.

        Touches the disk. Raises ConfigurationError if the folder cannot be used.
        """
        if self.secret_key is not None:
            return self.secret_key.get_secret_value().strip()
        path = self.data_dir / _SECRET_FILE
        try:
            self.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not path.exists():
                _create_secret(path)
            secret = path.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not text"
            raise ConfigurationError(
                f"The secret file {path} cannot be used: {why}. Set {PREFIX}SECRET_KEY, or {PREFIX}DATA_DIR "
                "to a folder this user may write to."
            ) from error
        if len(secret) < SECRET_MIN_CHARS:
            raise ConfigurationError(f"The secret file {path} is damaged. Delete it to have a new one made.")
        return secret


def _create_secret(path: Path) -> None:
    # Written aside and linked into place: a reader never sees half a secret, and of two processes one wins.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mode 0600
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(32))
            file.flush()
            os.fsync(file.fileno())
        os.link(name, path)
    except FileExistsError:
        pass  # the other process was first; its secret holds
    finally:
        Path(name).unlink()


def load_settings(**overrides: Any) -> Settings:
    """Settings from ``overrides`` (None means not given), then the environment, then ``.env``.

    Raises ConfigurationError listing every problem at once.
    """
    given = {name: value for name, value in overrides.items() if value is not None}
    problems = [*_unknown_names(), *(_unknown(name) for name in given if name not in Settings.model_fields)]
    settings: Settings | None = None
    try:
        settings = Settings(**given)
    except ValidationError as error:
        problems += [_explain(detail) for detail in error.errors(include_input=False, include_url=False)]
    if problems or settings is None:
        # The ValidationError is not chained: its traceback is the one place where input could show.
        raise ConfigurationError("The configuration is not valid:\n" + "\n".join(f"  {line}" for line in problems))
    return settings


def describe_settings() -> list[tuple[str, str, str]]:
    """(variable, default, description) of every setting, in the order of the class; for help and docs."""
    return [
        (_variable(name), _default_text(field), field.description or "")
        for name, field in Settings.model_fields.items()
    ]


def _variable(name: str) -> str:
    field = Settings.model_fields.get(name)
    return field.validation_alias if field and isinstance(field.validation_alias, str) else PREFIX + name.upper()


def _default_text(field: FieldInfo) -> str:
    default = field.default
    if default is PydanticUndefined or default is None or default == ():
        return ""
    if isinstance(default, SecretStr):
        return default.get_secret_value()
    return str(default).lower() if isinstance(default, bool) else str(default)


def _unknown_names() -> Iterator[str]:
    known = {_variable(name) for name in Settings.model_fields}
    for where, names in (("", list(os.environ)), (f" in {ENV_FILE}", _env_file_names())):
        for name in names:
            upper = name.upper()
            if upper.startswith(PREFIX) and upper not in known and not _NOT_SETTINGS.fullmatch(upper):
                yield _unknown(upper.removeprefix(PREFIX), where)


def _env_file_names() -> list[str]:
    try:
        return list(dotenv_values(ENV_FILE, encoding="utf-8-sig", interpolate=False))
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ConfigurationError(f"{ENV_FILE.absolute()} cannot be read: {why}. Mend or remove it.") from error


def _unknown(name: str, where: str = "") -> str:
    nearest = difflib.get_close_matches(name.lower(), Settings.model_fields, n=1, cutoff=0)
    return f"{PREFIX}{name.upper()}{where}: there is no such setting. Did you mean {_variable(nearest[0])}?"


def _explain(detail: ErrorDetails) -> str:
    message = wrong(detail)
    if not detail["loc"]:
        return f"{message}."  # about several settings at once: the text names them
    first = str(detail["loc"][0])
    name = next((name for name in Settings.model_fields if first in {name, _variable(name)}), first)
    field = Settings.model_fields[name]
    default = _default_text(field)
    advice = f"Set {expected(field)}" + (f" (default {default})." if default else ", or leave it unset.")
    if detail["type"] == "greater_than_equal" and name == "heartbeat_s":
        message = "is too small (0 would switch heartbeats off, and proxies then cut idle streams)"
    if detail["type"] == "less_than_equal" and name == "heartbeat_s":
        message = "is too large (clients take 45 seconds without a byte for a dead connection, proxies even fewer)"
    return f"{_variable(name)}: {message[0].lower()}{message[1:]}. {advice}"
