"""Files next to a log (lock, end record, snapshots), and the translation of disk and SQLite errors.

The .end file repeats the number of the last transaction outside of SQLite's files. If the write-ahead log
is damaged, SQLite drops everything after the damage without an error; the .end file reveals the loss.
"""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from rosenblatt.errors import BadInput
from rosenblatt.serve.log_records import End

OWN_ENDINGS = ("", "-wal", "-shm", ".end", ".lock", ".new")
SNAPSHOT = re.compile(r"\.(\d{12})\.safetensors")
SYNC_EVERY = 1.0  # seconds between two calls of fsync


class LogFailed(OSError):
    """Signal that a transaction could not be written, with the reason; no part of it is in the log."""


class DamagedLog(BadInput):
    """Signal that the log is damaged or incomplete."""


class Lock:
    """Lock a file until the process ends; raise `BadInput` if another process holds the lock.

    `what` is the name of the locked file in messages.
    """

    def __init__(self, path: str, what: str) -> None:
        self._number: int | None = None
        try:
            number = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise OSError(
                error.errno, f"the log cannot be written here ({error.strerror})", what
            ) from error
        try:
            _lock(number)
        except OSError as error:
            holder = os.read(number, 20).decode(errors="replace").strip()
            os.close(number)
            raise BadInput(
                f"{what}: is in use by another process ({holder or 'with an unknown process number'}); one "
                "log is one stream of learning. End that one first, or follow it: rosenblatt serve --follow"
            ) from error
        os.truncate(path, 0)
        os.write(number, str(os.getpid()).encode())
        self._number = number

    def release(self) -> None:
        if self._number is not None:
            with suppress(OSError):
                os.close(self._number)
            self._number = None


def _lock(number: int) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        locking: Any = msvcrt
        locking.locking(number, locking.LK_NBLCK, 1)
    else:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)


class EndFile:
    """An .end file, open for writing."""

    def __init__(self, path: str) -> None:
        number = os.open(path + ".end", os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        self._file = os.fdopen(number, "r+b", buffering=0)
        if End.parse(self._file.read(1000)) is None:
            self._file.truncate(0)
        self._synced = 0.0

    def write(self, end: End) -> None:
        """Overwrite the record; if the disk refuses, the old record is still valid."""
        with suppress(OSError):
            self._file.seek(0)
            self._file.write(end.as_bytes())
            if time.monotonic() - self._synced > SYNC_EVERY:
                os.fsync(self._file.fileno())
                self._synced = time.monotonic()

    def close(self) -> None:
        with suppress(OSError):
            os.fsync(self._file.fileno())
        self._file.close()


def read_end(path: str) -> End | None:
    """Return the end record of a log, or None if there is no .end file."""
    try:
        with open(path + ".end", "rb") as file:
            content = file.read(1000)
    except FileNotFoundError:
        return None
    found = End.parse(content)
    if found is None and content:
        raise DamagedLog(
            f"{path}.end: is damaged; it records where the log ends, so that a loss is noticed. "
            f"{advice_after_loss(path)}"
        )
    return found


def advice_after_loss(path: str) -> str:
    """Return advice on how to continue with a log whose end is lost or unknown."""
    return (
        "Restore the log, its .end file and its snapshots from a backup; or continue with the remaining "
        f"entries: rosenblatt serve --log {os.path.basename(path)} --accept-loss"
    )


def check_log_path(path: str) -> None:
    """Raise `BadInput` for the path of a device, pipe or folder, and for a name that is not UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise BadInput(f"{os.fsencode(path)!r}: a log needs a name in UTF-8; give another") from error
    if os.path.exists(path) and not os.path.isfile(path):
        raise BadInput(f"{path}: is not a regular file; name a log, or a file that does not exist yet")


def belongs_to_log(path: str, file: str) -> bool:
    """Return whether a file has the name of a log or of one of its files.

    >>> belongs_to_log("/a/x.log", "/a/x.log.end"), belongs_to_log("/a/x.log", "/a/x.log.safetensors")
    (True, False)
    """
    log, other = os.path.realpath(path), os.path.realpath(file)
    ending = other.removeprefix(log)
    is_snapshot = SNAPSHOT.fullmatch(ending) is not None
    return other.startswith(log) and (ending in OWN_ENDINGS or is_snapshot)


def snapshot_files(path: str) -> dict[int, str]:
    """Return a dict from position to file name for the snapshots of a log, in ascending order."""
    folder, base = os.path.split(path)
    pattern = re.compile(re.escape(base) + SNAPSHOT.pattern)
    try:
        found = (pattern.fullmatch(name) for name in os.listdir(folder or "."))
        return {
            int(each[1]): each[0] for each in sorted(filter(None, found), key=lambda each: int(each[1]))
        }
    except FileNotFoundError:
        return {}


def is_snapshot_of(position: int, file: Any) -> bool:
    """Return whether a file name from the log is that of a snapshot of this position.

    >>> is_snapshot_of(12, "x.log.000000000012.safetensors"), is_snapshot_of(12, "../x.safetensors")
    (True, False)
    """
    ending = rf"[^/\0]+\.{position:012d}\.safetensors"
    return isinstance(file, str) and re.fullmatch(ending, file) is not None


def remove_unfinished(path: str) -> None:
    """Remove partially written snapshots of a killed process."""
    folder, base = os.path.split(path)
    pattern = re.compile(rf"\.{re.escape(base)}\.\d{{0,12}}.*\.part")
    for name in filter(pattern.fullmatch, os.listdir(folder)):
        with suppress(OSError):
            os.unlink(os.path.join(folder, name))


def set_aside(path: str, position: int) -> list[str]:
    """Rename snapshots that are newer than a position, and return their new names."""
    folder, renamed = os.path.dirname(path), []
    for newer, name in snapshot_files(path).items():
        if newer > position:
            renamed.append(name.removesuffix(".safetensors") + ".lost.safetensors")
            os.replace(os.path.join(folder, name), os.path.join(folder, renamed[-1]))
    return renamed


ENVIRONMENT = {
    sqlite3.SQLITE_FULL: "there is no space left for the log on its disk; free some. The examples learned "
    "before are not lost",
    sqlite3.SQLITE_READONLY: "the log cannot be written here; give a folder that may be written to",
    sqlite3.SQLITE_CANTOPEN: "the log cannot be written here; give a folder that may be written to",
    sqlite3.SQLITE_PERM: "the log cannot be written here; give a folder that may be written to",
    sqlite3.SQLITE_BUSY: "the log is in use by another program; close it there",
    sqlite3.SQLITE_LOCKED: "the log is in use by another program; close it there",
}
"""SQLite's errors that say nothing about the content of the file."""


@contextmanager
def translate_errors(path: str, writes: bool = False) -> Iterator[None]:
    """Turn SQLite's errors into `LogFailed` (disk or access) or `DamagedLog` (invalid content)."""
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in ENVIRONMENT:
            raise LogFailed(None, ENVIRONMENT[code], path) from error
        if writes and isinstance(error, sqlite3.OperationalError):
            raise LogFailed(None, f"the log cannot be written ({error}); check its disk", path) from error
        raise DamagedLog(
            f"{path}: is damaged, or is not a log ({error}); restore it from a backup"
        ) from error
    except UnicodeDecodeError as error:  # damaged text in a row or in SQLite's message
        raise DamagedLog(f"{path}: is damaged ({error}); restore it from a backup") from error
    except MemoryError as error:  # caused by a damaged length
        raise DamagedLog(
            f"{path}: is damaged, or does not fit into memory; restore it from a backup"
        ) from error
