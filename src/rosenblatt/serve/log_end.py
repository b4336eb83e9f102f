"""The files beside a log: the record of its end, and its snapshots.

The .end file repeats the number of the last transaction outside of SQLite's files. A damaged write-ahead
log makes SQLite drop everything behind the damage without an error; this file shows that something is
missing.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from hashlib import sha256
from typing import NamedTuple

from rosenblatt.serve.changes import DamagedLog

SYNC_EVERY = 1.0  # seconds between two calls of fsync


class End(NamedTuple):
    """The last transaction: its number, the number of examples, the digest of the state."""

    transactions: int
    position: int
    digest: str

    def as_bytes(self) -> bytes:
        """Return the content of the file, of constant length, with a checksum.

        >>> End.parse(End(3, 12, "0f").as_bytes()), End.parse(b"damaged")
        (End(transactions=3, position=12, digest='0f'), None)
        """
        text = f"{self.transactions:020d} {self.position:020d} {self.digest}"
        return f"{text} {sha256(text.encode()).hexdigest()[:16]}\n".encode()

    @staticmethod
    def parse(content: bytes) -> End | None:
        """Return the record, or None if the content is not one."""
        parts = content.split(b" ")
        if len(parts) != 4 or not (parts[0].isdigit() and parts[1].isdigit()):
            return None
        found = End(int(parts[0]), int(parts[1]), parts[2].decode("latin-1"))
        return found if found.as_bytes() == content else None


class EndFile:
    """The .end file, open for writing."""

    def __init__(self, path: str) -> None:
        number = os.open(path + ".end", os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        self._file = os.fdopen(number, "r+b", buffering=0)
        if End.parse(self._file.read(1000)) is None:
            self._file.truncate(0)
        self._synced = 0.0

    def write(self, end: End) -> None:
        """Overwrite the record; the old one stays true where the disk takes no more."""
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
    """Return the record of a log's end, None where there is none."""
    try:
        with open(path + ".end", "rb") as file:
            content = file.read(1000)
    except FileNotFoundError:
        return None
    found = End.parse(content)
    if found is None and content:
        raise DamagedLog(
            f"{path}.end: is damaged; it records where the log ends, so that a loss is noticed. "
            f"{how_to_go_on(path)}"
        )
    return found


def how_to_go_on(path: str) -> str:
    """Return the advice for a log whose end is lost or unknown."""
    return (
        "Restore the log, its .end file and its snapshots from a backup; or go on with the entries that "
        f"are there: rosenblatt serve --log {os.path.basename(path)} --accept-loss"
    )


def snapshot_name(path: str, position: int) -> str:
    """Return the name of the snapshot file of a position."""
    return f"{os.path.basename(path)}.{position:012d}.safetensors"


def snapshot_files(path: str) -> dict[int, str]:
    """Return the snapshot files beside a log: their names by position, in rising order."""
    folder, base = os.path.split(path)
    pattern = re.compile(rf"{re.escape(base)}\.(\d{{12}})\.safetensors")
    try:
        found = (pattern.fullmatch(name) for name in os.listdir(folder or "."))
        return {
            int(each[1]): each[0] for each in sorted(filter(None, found), key=lambda each: int(each[1]))
        }
    except FileNotFoundError:
        return {}


def remove_unfinished(path: str) -> None:
    """Remove snapshots that a killed process has not finished; readable ones stay."""
    folder, base = os.path.split(path)
    pattern = re.compile(rf"\.{re.escape(base)}\.\d{{0,12}}.*\.part")
    for name in filter(pattern.fullmatch, os.listdir(folder)):
        with suppress(OSError):
            os.unlink(os.path.join(folder, name))


def set_aside(path: str, position: int) -> list[str]:
    """Rename snapshots that are newer than a position; return their new names."""
    folder, renamed = os.path.dirname(path), []
    for newer, name in snapshot_files(path).items():
        if newer > position:
            renamed.append(name.removesuffix(".safetensors") + ".lost.safetensors")
            os.replace(os.path.join(folder, name), os.path.join(folder, renamed[-1]))
    return renamed
