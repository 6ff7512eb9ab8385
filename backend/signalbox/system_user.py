"""Whom PostgreSQL runs as when we are root, which it refuses to be, and the way there for that user."""

import os
import pwd
import stat
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

from signalbox.errors import ConfigurationError

SYSTEM_USER = "pgserver"


class Owner(NamedTuple):
    uid: int
    gid: int


def owner_of_data(folder: Path) -> Owner | None:
    """Whoever owns the data, else a system user made for it; None when we are not root and run it ourselves."""
    if os.geteuid() != 0:
        return None
    if folder.exists() and (status := folder.stat()).st_uid != 0:
        return Owner(status.st_uid, status.st_gid)
    try:
        return _system_user()
    except KeyError:
        command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", SYSTEM_USER]
    try:
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - our own arguments
        return _system_user()
    except (OSError, subprocess.CalledProcessError, KeyError) as error:
        raise ConfigurationError(
            f"PostgreSQL does not run as root, and the system user '{SYSTEM_USER}' cannot be made. "
            "Run as another user, or set SIGNALBOX_DATABASE_URL."
        ) from error


def as_user(owner: Owner | None) -> dict[str, Any]:
    return {} if owner is None else {"user": owner.uid, "group": owner.gid, "extra_groups": []}


def let_pass(folder: Path, uid: int) -> None:
    """Lets ``uid`` walk to ``folder``; what lies beside the way stays as readable as it was."""
    for part in (folder, *folder.parents):
        status = part.stat()
        if status.st_uid != uid and not status.st_mode & stat.S_IXOTH:
            part.chmod(stat.S_IMODE(status.st_mode) | stat.S_IXOTH)


def let_read(install: Path) -> None:
    """Opens a wheel that was unpacked under a strict umask, its bundled libraries included."""
    if (install / "bin" / "postgres").stat().st_mode & stat.S_IROTH:
        return
    package = install.parent
    for top in (package, *package.parent.glob(f"{package.name}.libs")):
        for path in (top, *top.rglob("*")):
            mode = stat.S_IMODE(path.stat().st_mode)
            path.chmod(mode | stat.S_IROTH | (stat.S_IXOTH if mode & stat.S_IXUSR else 0))


def _system_user() -> Owner:
    entry = pwd.getpwnam(SYSTEM_USER)
    return Owner(entry.pw_uid, entry.pw_gid)
