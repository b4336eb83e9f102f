"""Folders and files that no other user can write to; compiled code is loaded only from such files.

On Windows, owners and modes are not checked: its temporary and application folders belong to one user.
"""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from itertools import takewhile
from pathlib import Path

HAS_OWNERS = hasattr(os, "geteuid")
WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def private_folder(path: Path) -> Path | None:
    """Return the real path of a folder that only the current user can write to, or None.

    Missing folders are created with mode 0700. The folder must be a real folder (not a link), belong to the
    current user, and not be writable by its group or others. Only the current user and root may be able to
    rename a folder above it.
    """
    folder = Path(os.path.abspath(path))
    missing = list(takewhile(lambda each: not os.path.lexists(each), (folder, *folder.parents)))
    try:
        if HAS_OWNERS and not _is_out_of_reach((missing or [folder])[-1].parent.resolve()):
            return None
        for each in reversed(missing):
            each.mkdir(mode=0o700, exist_ok=True)
        real = folder.resolve()
        if folder.is_symlink() or not os.access(real, os.W_OK | os.X_OK):
            return None
        if HAS_OWNERS and not (_is_own(os.lstat(folder)) and _is_out_of_reach(real.parent)):
            return None
        return real
    except OSError:
        return None


def read_private_file(path: Path) -> bytes:
    """Return the content of a file; raise PermissionError if another user owns it or can write to it."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if HAS_OWNERS and not (stat.S_ISREG(status.st_mode) and _is_own(status)):
            raise PermissionError(f"{path}: other users can write to it")
        return file.read()


def write_private_file(path: Path, content: bytes) -> None:
    """Replace the content of a file in one step; no other user can read or write the file."""
    descriptor, beside = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name[:50]}.")
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
        os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise


def _is_own(status: os.stat_result) -> bool:
    return status.st_uid == os.geteuid() and not status.st_mode & WRITABLE_BY_OTHERS


def _is_out_of_reach(folder: Path) -> bool:
    """Return whether no other user can replace an entry of the folder, or the folder itself."""
    for each in (folder, *folder.parents):
        status = os.stat(each)
        is_writable = status.st_mode & WRITABLE_BY_OTHERS and not status.st_mode & stat.S_ISVTX
        if is_writable or status.st_uid not in (0, os.geteuid()):
            return False
    return True
