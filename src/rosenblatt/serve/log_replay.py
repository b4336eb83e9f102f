"""Rebuild the model at any position of a log, and back up a log with a check of the copy."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from typing import Any

from rosenblatt.errors import BadInput
from rosenblatt.serve.log import Log
from rosenblatt.serve.recovery import Recovered, learn_from, open_snapshot

STRETCHES = 10  # intervals for which counts are returned


def rebuild_model(
    path: str, upto: int | None = None, first: int | None = None
) -> tuple[Recovered, list[dict[str, Any]]]:
    """Return the model as it was at position `upto` of a log, and its counts from `first` to `upto`.

    The model is rebuilt from the last snapshot before `first` (without `first`, before `upto`) and the
    entries after that snapshot. The counts are those of ten intervals of equal length. All entries up to
    `upto` are checked; without `upto` the whole log is checked, including its end.
    """
    log = Log(path, writes=False, checks=upto is None)
    try:
        cut, last = log.state.cut.position, log.position if upto is None else upto
        if last > log.position:
            raise BadInput(f"{path}: ends at position {log.position}, before {last}; give less")
        if first is not None and not 1 <= first <= last:
            raise BadInput(f"{path}: from {first} upto {last} has no examples; give positions that rise")
        start = last if first is None else first - 1
        if upto is not None and last > cut:
            for _ in log.entries(cut + 1, last):
                pass
        recovered, reasons = open_snapshot(log, start)
        if recovered is None:
            raise BadInput(
                f"{path}: has no snapshot to begin with at position {start} or before "
                f"({reasons or f'the log was cut at {cut}'}); ask for a later one"
            )
        learn_from(log, recovered, start)
        step = max(1, -(-(last - start) // STRETCHES))
        ends = range(start + step, last + step, step)
        return recovered, [_learn_stretch(log, recovered, min(end, last)) for end in ends]
    finally:
        log.close()


def _learn_stretch(log: Log, recovered: Recovered, end: int) -> dict[str, Any]:
    """Learn the examples up to a position, and return the counts for this interval."""
    before = recovered.facts()
    learn_from(log, recovered, end)
    after = recovered.facts()
    counts = {name: after[name] - before[name] for name in ("mistakes", "updates")}
    error = counts["mistakes"] / (end - before["position"])
    return {"from": before["position"] + 1, "upto": end, **counts, "error": error}


def back_up(path: str, folder: str) -> Recovered:
    """Copy a log and its snapshots to a folder, and return the model rebuilt from the copy.

    The log is checked before it is copied, and the copy is checked afterwards.
    """
    log = Log(path, writes=False)  # a single read transaction, so that the copy is consistent
    try:
        os.makedirs(folder, exist_ok=True)
        if found := [name for name in os.listdir(folder) if name.startswith(log.name)]:
            raise BadInput(f"{folder}: has {found[0]} already; give an empty folder")
        for snapshot in log.snapshots():
            # a running service may delete old snapshots, but at least one usable snapshot always exists
            with suppress(FileNotFoundError):
                shutil.copy(os.path.join(os.path.dirname(log.path), snapshot.file), folder)
        copy = os.path.join(folder, log.name)
        log.copy_to(copy)
    finally:
        log.close()
    return rebuild_model(copy)[0]
