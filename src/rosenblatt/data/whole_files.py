"""Write files atomically: a file with the final name is always complete."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield the name of a new empty file in the same folder, which replaces `path` at the end.

    The new file gets the permissions of the old file, and its bytes are on the disk before it is renamed.
    If anything fails, it is removed, and the old file stays unchanged. Only regular files are accepted; if
    `path` is a link, the file that it points to is replaced.
    """
    target = os.path.realpath(path)
    mode = _mode_of(target)
    folder, name = os.path.split(target)
    _remove_leftovers(folder, name)
    fresh, held = _create(folder, name)
    if fcntl is None:  # Windows has no such locks, and does not rename a file that is open
        os.close(held)
    try:
        if mode is not None:
            os.chmod(fresh, mode)
        yield fresh
        _settle(fresh, os.O_RDWR)
        os.replace(fresh, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(fresh)
        raise
    finally:
        if fcntl is not None:
            os.close(held)
    if os.name != "nt":
        with suppress(OSError):  # the file is complete even if its folder cannot be flushed
            _settle(folder, os.O_RDONLY)


def _create(folder: str, name: str) -> tuple[str, int]:
    """Create a temporary file in `folder`; return its path and a descriptor.

    The file is locked until the descriptor is closed.
    """
    while True:
        fresh = os.path.join(folder, f".{name[:40]}.{secrets.token_hex(8)}.part")
        held = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        # another process may remove the file before it is locked: then create another one
        if fcntl is None or not _lock(held) or os.path.exists(fresh):
            return fresh, held
        os.close(held)


def _remove_leftovers(folder: str, name: str) -> None:
    """Remove temporary files for `name` that a killed process left; a running process locks its files."""
    if fcntl is None:
        return
    pattern = re.compile(rf"\.{re.escape(name[:40])}\.[0-9a-f]{{16}}\.part")
    with suppress(OSError):
        for path in [os.path.join(folder, each) for each in os.listdir(folder) if pattern.fullmatch(each)]:
            with suppress(OSError):
                found = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
                try:
                    if _lock(found):
                        os.unlink(path)
                finally:
                    os.close(found)


def _lock(number: int) -> bool:
    """Lock an open file for this process; return False if another process holds the lock."""
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def whole_or_nothing(path: str) -> Iterator[str]:
    """Yield a name like `replacing`, or `path` itself if it is a pipe or a device."""
    if os.path.exists(path) and not os.path.isfile(path):
        yield path
        return
    with replacing(path) as fresh:
        yield fresh


def _mode_of(target: str) -> int | None:
    """Return the permissions of an existing file, or None if there is no file."""
    try:
        found = os.stat(target).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found):
        raise IsADirectoryError(errno.EISDIR, "is a folder, not a regular file")
    if not stat.S_ISREG(found):
        raise OSError(errno.EINVAL, "is not a regular file")
    return stat.S_IMODE(found)


def _settle(path: str, how: int) -> None:
    """Flush a file or a folder to the disk."""
    number = os.open(path, how)
    try:
        os.fsync(number)
    finally:
        os.close(number)
