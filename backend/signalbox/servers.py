"""PostgreSQL and Valkey as processes on a folder: how each is made, started, asked for its state and ended.

Who may do so and when is decided in `embedded`.
"""

import abc
import enum
import importlib
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import psycopg

from signalbox.errors import ConfigurationError
from signalbox.system_user import Owner, as_user, let_pass, let_read, owner_of_data

START_TIMEOUT_S = 60.0  # a crash recovery reads at most max_wal_size of WAL
STOP_TIMEOUT_S = 20.0  # a shutdown writes a checkpoint
KILL_TIMEOUT_S = 10.0
LOG_LIMIT_BYTES = 10_000_000
POSTGRES_MAJOR = "18"
POSTGRES_SOCKET = ".s.PGSQL.5432"

# A small machine's share of memory, no helper processes we have no use for, and no durability given up.
_POSTGRES_OPTIONS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "300",  # eight a process: room for many workers on one folder
    "shared_buffers": "64MB",
    "max_wal_size": "256MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_logical_replication_workers": "0",
    "wal_compression": "on",
    "io_method": "sync",
    "max_parallel_maintenance_workers": "0",  # containers give /dev/shm only 64 MB
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
}
_VALKEY_OPTIONS = {
    "port": "0",
    "unixsocketperm": "700",
    "appendonly": "yes",
    "appendfsync": "everysec",
    "save": "",  # the append-only file is the copy on disk
    "maxmemory-policy": "noeviction",
}

Progress = Callable[[str], None]


class State(enum.Enum):
    READY = enum.auto()
    STARTING = enum.auto()  # it answers, though not yet to work
    SILENT = enum.auto()  # something listens and does not answer
    ABSENT = enum.auto()


class Server(abc.ABC):
    """One server on the data folder. Every method is called with the folder's start lock held."""

    title: ClassVar[str]
    program: ClassVar[str]
    stop_signal: ClassVar[signal.Signals]

    def __init__(self, folder: Path, sockets: Path, marker: str, patience_s: float) -> None:
        self.folder = folder
        self.sockets = sockets
        self.log = folder.with_suffix(".log")
        # In the command line of each of the server's processes; unlike the working directory, a root
        # without CAP_SYS_PTRACE (any container) can read that of another user's process.
        self.marker = marker
        self.child: subprocess.Popen[bytes] | None = None
        self._patience_s = patience_s

    @abc.abstractmethod
    def probe(self) -> State: ...

    @abc.abstractmethod
    def prepare(self, progress: Progress) -> None:
        """Makes what the server needs before it can be launched. Nothing runs on the folder meanwhile."""

    @abc.abstractmethod
    def launch(self) -> subprocess.Popen[bytes]: ...

    def ensure(self, progress: Progress, abandoned: threading.Event) -> None:
        """Returns once it answers: the one that runs, or a new one after a dead or silent one is gone.

        Raises ConfigurationError with the end of its log if it does not come up.
        """
        if self._answers(self._patience_s, abandoned):
            return
        self._end(signal.SIGKILL, KILL_TIMEOUT_S)
        self.prepare(progress)
        progress(f"starting {self.title} ...")
        _fresh_log(self.log)
        self.child = self.launch()
        if not self._answers(START_TIMEOUT_S, abandoned):
            self._end(signal.SIGKILL, KILL_TIMEOUT_S)
            raise ConfigurationError(f"{self.title} did not start. The end of {self.log}:\n{_tail(self.log)}")

    def stop(self, *, own: bool) -> None:
        """Stops it cleanly, by force after STOP_TIMEOUT_S. ``own`` spares what this process did not start."""
        self._end(self.stop_signal, STOP_TIMEOUT_S, own=own)

    def _answers(self, patience_s: float, abandoned: threading.Event) -> bool:
        """True once it is ready; False when it is not running, or silent for ``patience_s``."""
        started = heard = time.monotonic()
        while (state := self.probe()) is not State.READY:
            now = time.monotonic()
            if state is State.STARTING:
                heard = now
            elif now - heard > patience_s or (state is State.ABSENT and not self.is_alive()):
                return False
            if now - started > START_TIMEOUT_S:
                return False
            if abandoned.wait(0.02):
                raise ConfigurationError("The start was given up.")
        return True

    def is_alive(self) -> bool:
        """Whether there is a process of this server at all."""
        return (self.child is not None and self.child.poll() is None) or bool(self._processes())

    def _processes(self, *, own: bool = False) -> list[Any]:
        """Its live processes as psutil sees them, the server itself first."""
        psutil = importlib.import_module("psutil")  # comes with the extra that brings the servers
        root = None
        if self.child is not None and self.child.poll() is None:  # asking also takes a dead child's zombie away
            root = self.child.pid
        found = [
            process
            for process in psutil.process_iter(["name", "cmdline", "status", "ppid"])
            if process.info["name"] == self.program
            and process.info["status"] != psutil.STATUS_ZOMBIE
            and (process.pid == root or self.marker in " ".join(process.info["cmdline"] or ()))
        ]
        pids = {process.pid for process in found}
        found.sort(key=lambda process: process.info["ppid"] in pids)
        if own:
            return [process for process in found if root in {process.pid, process.info["ppid"]}]
        return found

    def _end(self, first: signal.Signals, timeout_s: float, *, own: bool = False) -> None:
        for number in (first, signal.SIGKILL):
            processes = self._processes(own=own)
            # A gentle signal goes to the server itself, which ends its children in the right order.
            for process in processes if number is signal.SIGKILL else processes[:1]:
                with suppress(ProcessLookupError):
                    os.kill(process.pid, number)
            deadline = time.monotonic() + timeout_s
            while processes and time.monotonic() < deadline:
                time.sleep(0.02)
                processes = self._processes(own=own)
            if not processes:
                return
        raise ConfigurationError(f"{self.title}, process {processes[0].pid}, cannot be ended. Do so by hand.")

    def _spawn(self, command: list[str], owner: Owner | None = None) -> subprocess.Popen[bytes]:
        # Its own session: Ctrl+C in the terminal must reach us, not the servers.
        with self.log.open("ab") as log:
            return subprocess.Popen(  # noqa: S603 - our own arguments
                command,
                cwd="/",
                env=_spawn_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                umask=0o077,
                **as_user(owner),
            )


class Postgres(Server):
    title = "PostgreSQL"
    program = "postgres"
    stop_signal = signal.SIGINT  # "fast": sessions are ended, data is checkpointed

    def __init__(self, binaries: Path, folder: Path, sockets: Path, marker: str, patience_s: float) -> None:
        super().__init__(folder, sockets, marker, patience_s)
        self._binaries = binaries
        self.url = f"postgresql://postgres@/postgres?host={sockets}&port=5432"

    def probe(self) -> State:
        try:
            psycopg.connect(self.url, connect_timeout=2, autocommit=True).close()
        except psycopg.OperationalError as error:
            if not _accepts(self.sockets / POSTGRES_SOCKET):
                return State.ABSENT
            if isinstance(error, psycopg.errors.ConnectionTimeout):
                return State.SILENT
            full = re.search("too many clients|connection slots", str(error))
            return State.READY if full else State.STARTING
        return State.READY

    def prepare(self, progress: Progress) -> None:
        owner = owner_of_data(self.folder)
        if owner is not None:
            let_read(self._binaries.parent)
            for folder in (self.folder.parent, self.sockets.parent, self._binaries):
                let_pass(folder, owner.uid)
        if not (self.folder / "PG_VERSION").exists():
            progress("creating the database folder ...")
            self._create(owner)
        if owner is not None:  # only now: whose a temporary socket folder may be is told by the database's owner
            os.chown(self.sockets, *owner)
        self._check_version()
        for path in (self.folder / "postmaster.pid", self.sockets / f"{POSTGRES_SOCKET}.lock"):
            self._remove_if_stale(path)

    def launch(self) -> subprocess.Popen[bytes]:
        options = _POSTGRES_OPTIONS | {
            "cluster_name": self.marker,
            "unix_socket_directories": str(self.sockets),
        }
        command = [str(self._binaries / "postgres"), "-D", str(self.folder), "-p", "5432"]
        for option in options.items():
            command += ["-c", "=".join(option)]
        return self._spawn(command, owner_of_data(self.folder))

    def _create(self, owner: Owner | None) -> None:
        # Made aside and renamed: a start that is killed half-way leaves nothing that looks like a database.
        for leftover in self.folder.parent.glob("postgres.new.*"):
            shutil.rmtree(leftover, ignore_errors=True)
        fresh = Path(tempfile.mkdtemp(prefix="postgres.new.", dir=self.folder.parent))
        if owner is not None:
            os.chown(fresh, *owner)
        # The builtin locale sorts alike on every machine and needs no locale data of the system.
        locale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--encoding=UTF8"]
        command = [
            str(self._binaries / "initdb"),
            "-D",
            str(fresh),
            "-U",
            "postgres",
            "--auth=trust",
            *locale,
        ]
        made = subprocess.run(  # noqa: S603 - our own arguments
            command,
            check=False,
            capture_output=True,
            text=True,
            env=_spawn_environment(),
            cwd="/",
            **as_user(owner),
        )
        if made.returncode != 0:
            shutil.rmtree(fresh, ignore_errors=True)
            raise ConfigurationError(f"The database folder {self.folder} cannot be made:\n{made.stderr.strip()}")
        fresh.rename(self.folder)
        _sync_folder(self.folder.parent)

    def _check_version(self) -> None:
        version = (self.folder / "PG_VERSION").read_text().strip()
        if version != POSTGRES_MAJOR:
            raise ConfigurationError(
                f"{self.folder} was made by PostgreSQL {version}, this is {POSTGRES_MAJOR}. Dump it with the "
                "old version and load the dump, or set SIGNALBOX_DATA_DIR to a new folder."
            )

    def _remove_if_stale(self, pid_file: Path) -> None:
        """After a crash the pid may be another program's by now, for which PostgreSQL would refuse to start.

        Only we start servers here and none is left, so the file is stale unless someone started one by hand.
        PostgreSQL's own check of the folder's shared memory still stands behind this one.
        """
        psutil = importlib.import_module("psutil")
        with suppress(FileNotFoundError, ValueError, IndexError):
            pid = int(pid_file.read_text().splitlines()[0])
            try:
                by_hand = str(self.folder) in psutil.Process(pid).cmdline()
            except psutil.ZombieProcess:  # killed, yet kill() finds it until its parent asks for it
                by_hand = False
            except psutil.NoSuchProcess:
                return  # PostgreSQL sees that itself
            if not by_hand:
                pid_file.unlink()


class Valkey(Server):
    title = "Valkey"
    program = "valkey-server"
    stop_signal = signal.SIGTERM  # writes and syncs the append-only file

    def __init__(self, binary: Path, folder: Path, sockets: Path, marker: str, patience_s: float) -> None:
        super().__init__(folder, sockets, marker, patience_s)
        self._binary = binary
        self._socket = sockets / "valkey.sock"
        self.url = f"unix://{self._socket}?db=0"

    def probe(self) -> State:
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(2)
                connection.connect(str(self._socket))
                connection.sendall(b"PING\r\n")
                reply = connection.recv(64)
        except (TimeoutError, BlockingIOError):
            return State.SILENT
        except OSError:
            return State.ABSENT
        if reply.startswith(b"-LOADING"):
            return State.STARTING
        return State.READY if reply else State.ABSENT

    def prepare(self, progress: Progress) -> None:
        del progress  # nothing here takes long
        self.folder.mkdir(mode=0o700, exist_ok=True)

    def launch(self) -> subprocess.Popen[bytes]:
        options = _VALKEY_OPTIONS | {
            "dir": str(self.folder),
            "unixsocket": str(self._socket),
            "proc-title-template": f"{{title}} {{unixsocket}} {self.marker}",
        }
        command = [str(self._binary)]
        for name, value in options.items():
            command += [f"--{name}", value]
        return self._spawn(command)


def _spawn_environment() -> dict[str, str]:
    """Ours holds keys, unknown locales and PG* variables: the servers get none of it."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "TMPDIR") if name in os.environ}
    return kept | {"LC_ALL": "C"}


def _accepts(path: Path) -> bool:
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1)
            connection.connect(str(path))
    except OSError:
        return False
    return True


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


def _fresh_log(log: Path) -> None:
    if log.exists() and log.stat().st_size > LOG_LIMIT_BYTES:
        log.replace(log.with_suffix(".log.1"))
    log.touch(mode=0o600)


def _tail(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return "\n".join(f"  {line}" for line in lines[-8:])
