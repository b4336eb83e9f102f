"""One process at a time: a lock that goes when the process does, however it ends."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from rosenblatt.errors import BadInput


class Lock:
    """Held from the beginning; `BadInput` if another process has it. what: the thing that is locked."""

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
                f"{what}: is in use by another process ({holder or 'which does not say its number'}); one "
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
