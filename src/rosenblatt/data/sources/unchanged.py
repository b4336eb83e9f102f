"""Check that files have not changed since they were opened."""

from __future__ import annotations

import os
from typing import Any

from rosenblatt.data.sources.archives import on_disk
from rosenblatt.data.sources.files import reading_errors
from rosenblatt.data.sources.remote import RemoteStat, is_remote, stat_of_remote
from rosenblatt.errors import BadInput


def stat_of(path: str, stat: os.stat_result | RemoteStat) -> list[Any]:
    """Return the path, size and modification time of a file, which identify its state."""
    if isinstance(stat, RemoteStat):
        return [path, *stat]
    return [os.path.abspath(path), stat.st_size, stat.st_mtime_ns]


def identity(stat: os.stat_result | RemoteStat) -> tuple[Any, ...]:
    """Return values that change when a file is replaced or modified."""
    if isinstance(stat, RemoteStat):
        return tuple(stat)
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns


def status(path: str) -> os.stat_result | RemoteStat:
    """Return the status of a file, with its size and modification time."""
    return stat_of_remote(path) if is_remote(path) else os.stat(on_disk(path))


def check_unchanged(path: str, before: os.stat_result | RemoteStat) -> None:
    """Raise an error if the status of a file differs from `before`."""
    with reading_errors(path):
        if identity(status(path)) != identity(before):
            raise change_error(path)


def change_error(path: str) -> BadInput:
    return BadInput(
        f"{path}: the file changed while it was read; read it again when it is complete, or read a copy"
    )
