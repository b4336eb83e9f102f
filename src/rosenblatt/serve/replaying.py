"""The model of a log at any position, and a checked copy of a log."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from rosenblatt.errors import BadInput
from rosenblatt.serve.log import Log
from rosenblatt.serve.recovery import Recovered, begin_at, learn_from

LINES = 10  # of a stretch


@dataclass
class Rebuilt:
    """The model, and the lines of the stretch that was asked for."""

    recovered: Recovered
    stretch: list[dict[str, Any]] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        recovered = self.recovered
        return {
            "position": recovered.learned,
            "mistakes": recovered.statistics.mistakes,
            "updates": recovered.model.counters()["updates"],
            "error": recovered.statistics.error,
            "not_learned": recovered.not_learned,
            "alarms": recovered.statistics.alarms,
            "stretch": self.stretch,
        }


def rebuilt(path: str, upto: int | None = None, first: int | None = None) -> Rebuilt:
    """Learn the log again up to a position, from the last snapshot before it, or before the stretch.

    All entries up to the position are checked. Without `upto` the whole log is, its end included.
    """
    log = Log(path, writes=False, checks=upto is None)
    try:
        return _rebuilt(log, path, upto, first)
    finally:
        log.close()


def _rebuilt(log: Log, path: str, upto: int | None, first: int | None) -> Rebuilt:
    cut = log.state.cut.position
    last = log.position if upto is None else upto
    if last > log.position:
        raise BadInput(f"{path}: ends at position {log.position}, before {last}; give less")
    if first is not None and not 1 <= first <= last:
        raise BadInput(f"{path}: from {first} upto {last} has no examples; give positions that rise")
    start = last if first is None else first - 1
    if upto is not None and last > cut:
        for _ in log.entries(cut + 1, last):
            pass
    known = [each for each in log.snapshots() if cut <= each.position <= start]
    reasons = []
    for snapshot in known:
        try:
            found = Rebuilt(begin_at(log, snapshot))
            break
        except (BadInput, OSError) as error:
            reasons.append(f"{snapshot.file}: {error}")
    else:
        raise BadInput(
            f"{path}: has no snapshot to begin with at position {start} or before "
            f"({'; '.join(reasons) or f'the log was cut at {cut}'}); ask for a later one"
        )
    learn_from(log, found.recovered, start)
    if first is not None:
        step = max(1, -(-(last - start) // LINES))
        for end in range(start + step, last + step, step):
            _one_line(log, found, min(end, last))
    return found


def _one_line(log: Log, found: Rebuilt, end: int) -> None:
    recovered = found.recovered
    begin, mistakes = recovered.learned, recovered.statistics.mistakes
    updates = recovered.model.counters()["updates"]
    learn_from(log, recovered, end)
    made = recovered.statistics.mistakes - mistakes
    found.stretch.append(
        {
            "from": begin + 1,
            "upto": end,
            "mistakes": made,
            "updates": recovered.model.counters()["updates"] - updates,
            "error": made / (end - begin),
        }
    )


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
