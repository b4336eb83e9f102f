"""A copy of a log, of the record of its end and of its snapshots, made while the service runs."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress

from rosenblatt.errors import BadInput
from rosenblatt.serve.log import Log
from rosenblatt.serve.replaying import Rebuilt, rebuilt


def back_up(path: str, folder: str) -> Rebuilt:
    """Copy a log and its snapshots to a folder, and return the model rebuilt from the copy.

    The log is checked before it is copied, and the copy is checked too.
    """
    log = Log(path, writes=False)  # one read transaction: all of it is of this moment
    try:
        os.makedirs(folder, exist_ok=True)
        if found := [name for name in os.listdir(folder) if name.startswith(log.name)]:
            raise BadInput(f"{folder}: has {found[0]} already; give an empty folder")
        for snapshot in log.snapshots():
            # the service removes old snapshots at any time; the first or the last two are there
            with suppress(FileNotFoundError):
                shutil.copy(os.path.join(os.path.dirname(log.path), snapshot.file), folder)
        copy = os.path.join(folder, log.name)
        log.copy_to(copy)
    finally:
        log.close()
    return rebuilt(copy)
