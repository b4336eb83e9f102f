"""Rebuild a model from a snapshot and the log after it; back up a log with a check of the copy."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.loops.one_by_one import NOT_LEARNED, WRONG
from rosenblatt.models.loaded import LoadedModel, open_learner
from rosenblatt.numeric.row_batches import Rows, Sparse
from rosenblatt.serve.example_bytes import kind_of, unpack
from rosenblatt.serve.log import Log
from rosenblatt.serve.log_files import DamagedLog, is_snapshot_of, translate_errors
from rosenblatt.serve.log_records import Entry, Snapshot
from rosenblatt.serve.statistics import Statistics
from rosenblatt.training.scoring import part_of

TOGETHER = 20_000  # examples learned in one call
TOGETHER_BYTES = 1 << 26
STRETCHES = 10  # intervals for which a replay returns counts


class Recovered:
    """A model, the number of examples of the log that it has learned, and its statistics."""

    def __init__(self, model: LoadedModel, learned: int = 0, statistics: Statistics | None = None) -> None:
        self.model, self.learned = model, learned
        self.statistics = statistics or Statistics()
        self.not_learned = 0

    def learn(
        self, rows: Rows, labels: list[Any], answers: Sequence[Any], times: Sequence[tuple[int, float]]
    ) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
        """Learn rows; return the outcome of each row, and whether its answer was wrong.

        answers: for each row, [answer] if an answer was given before the label was known, otherwise None.
        times: for each commit, the number of rows up to and including it, and its time.
        """
        before = self.model.counters()["updates"]
        outcomes = self.model.learn(rows, labels)
        updates = self.model.counters()["updates"] - before
        wrong = outcomes == WRONG
        for place, answer in enumerate(answers):
            if answer is not None:
                wrong[place] = answer[0] != labels[place]
        first = 0
        for last, at in times:
            # updates are known only for all commits together and are counted with the first
            self.statistics.count(wrong[first:last], at, 0 if first else updates)
            first = last
        self.learned += len(labels)
        self.not_learned += int((outcomes == NOT_LEARNED).sum())
        return outcomes, wrong

    def facts(self) -> dict[str, Any]:
        """Return the position, the counters and the alarms."""
        return {
            "position": self.learned,
            "mistakes": self.statistics.mistakes,
            "updates": self.model.counters()["updates"],
            "error": self.statistics.error,
            "not_learned": self.not_learned,
            "alarms": self.statistics.alarms,
        }

    def learn_entries(
        self, entries: list[Entry], names: list[str], all_labels: list[Any], last: int | None = None
    ) -> None:
        """Learn entries of one kind up to position `last`; `names` and `all_labels` come from the log."""
        n_names = entries[-1].n_names
        rows, numbers = unpack([entry.body for entry in entries], n_names or 1)
        begin, end = entries[0].position - 1, entries[-1].mark.position
        first, stop = self.learned - begin, (end if last is None else min(end, last)) - begin
        if first > 0 or stop < len(numbers):  # the range starts or ends within an entry
            rows, numbers = part_of(rows, slice(first, stop)), numbers[first:stop]
        # features are numbered in order of first appearance
        if n_names and isinstance(rows, Sparse):
            needed = int(rows.indices.max(initial=0)) + 1
            self.model.expect_names(names[self.model.n_names : needed])
        answers: list[Any] = []
        times: list[tuple[int, float]] = []
        for entry in entries:
            answers += entry.parse_notes().get("answers") or [None] * entry.n
            if times and times[-1][1] // 60 == entry.at // 60:  # statistics need only the minute
                times.pop()
            times.append((min(entry.mark.position - begin, stop) - first, entry.at))
        labels = [all_labels[number] for number in numbers.tolist()]
        self.learn(rows, labels, answers[first:stop], times)


def learn_from(log: Log, recovered: Recovered, last: int | None = None) -> None:
    """Learn the entries after the model's position, up to `last` or the end of the log."""
    if recovered.learned >= (log.position if last is None else last):
        return
    for entries in group_entries(log.entries(recovered.learned + 1, last)):
        recovered.learn_entries(entries, log.names, log.labels, last)


def group_entries(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Yield lists of consecutive entries that can be learned in one call."""
    some: list[Entry] = []
    n = size = 0
    for entry in entries:
        if some and (
            n >= TOGETHER or size >= TOGETHER_BYTES or kind_of(entry.body) != kind_of(some[0].body)
        ):
            yield some
            some, n, size = [], 0, 0
        some.append(entry)
        n, size = n + entry.n, size + len(entry.body)
    if some:
        yield some


def open_snapshot(
    log: Log, upto: int | None = None, say: Callable[[str], None] = lambda _: None
) -> tuple[Recovered | None, str]:
    """Return the model of the newest readable snapshot up to a position.

    If no snapshot is readable, return None and the reasons why the snapshots could not be read.
    """
    reasons: list[str] = []
    for snapshot in log.snapshots():
        if upto is not None and not log.state.cut.position <= snapshot.position <= upto:
            continue
        try:
            if not is_snapshot_of(snapshot.position, snapshot.file):
                raise BadInput(f"is listed as the snapshot of position {snapshot.position}")
            model = open_learner(os.path.join(os.path.dirname(log.path), snapshot.file))
            return Recovered(model, snapshot.position, Statistics.parse(snapshot.statistics)), ""
        except (BadInput, OSError) as error:
            reasons.append(f"{snapshot.file}: {error}")
            say(f"snapshot {reasons[-1]}; an older snapshot is used")
    return None, "; ".join(reasons)


def recover(log: Log, say: Callable[[str], None] = lambda _: None) -> Recovered:
    """Return the model of the newest readable snapshot after learning the rest of the log."""
    began = time.perf_counter()
    recovered, reasons = open_snapshot(log, None, say)
    if recovered is None:
        raise BadInput(
            f"{log.path}: none of its snapshots can be read ({reasons or 'there is none'}); restore "
            "one from a backup"
        )
    position = recovered.learned
    learn_from(log, recovered)
    if recovered.learned > position:
        say(
            f"{recovered.learned - position:,} examples after the snapshot of {position:,} were learned "
            f"from the log in {time.perf_counter() - began:.1f} s"
        )
    return recovered


def write_snapshot(log: Log, model: LoadedModel, position: int, statistics: str) -> Snapshot:
    """Write a snapshot next to the log, completely or not at all; the caller adds it to the log."""
    name = f"{os.path.basename(log.path)}.{position:012d}.safetensors"
    model.save(os.path.join(os.path.dirname(log.path), name))
    return Snapshot(position, name, time.time(), statistics)


# ---------------------------------------------------------------- replays and backups


def rebuild_model(
    path: str,
    upto: int | None = None,
    first: int | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> tuple[Recovered, list[dict[str, Any]]]:
    """Return the model as it was at position `upto` of a log, and its counts from `first` to `upto`.

    The model is rebuilt from the last snapshot before `first` (without `first`, before `upto`) and the
    entries after that snapshot. The counts are those of ten intervals of equal length. The whole log is
    checked, including its end. With `upto`, damage elsewhere than in the entries up to `upto` is only
    passed to `say`.
    """
    with closing(_open_for_replay(path, upto is not None, say)) as log:
        cut, last = log.state.cut.position, log.position if upto is None else upto
        if last > log.position:
            raise BadInput(
                f"{path}: ends at position {log.position}, before {last}; give a smaller position"
            )
        if first is not None and not 1 <= first <= last:
            raise BadInput(
                f"{path}: there are no examples from {first} to {last}; give increasing positions"
            )
        start = last if first is None else first - 1
        if upto is not None and last > cut:
            for _ in log.entries(cut + 1, last):
                pass
        recovered, reasons = open_snapshot(log, start)
        if recovered is None:
            raise BadInput(
                f"{path}: has no snapshot to begin with at position {start} or before "
                f"({reasons or f'the log was cut at {cut}'}); request a later one"
            )
        learn_from(log, recovered, start)
        step = max(1, -(-(last - start) // STRETCHES))
        ends = range(start + step, last + step, step)
        return recovered, [_learn_stretch(log, recovered, min(end, last)) for end in ends]


def _open_for_replay(path: str, may_be_damaged: bool, say: Callable[[str], None]) -> Log:
    """Return the log for reading; report its damage, or raise `DamagedLog` if it must be whole."""
    try:
        return Log(path, writes=False)
    except DamagedLog as error:
        if not may_be_damaged:
            raise
        log = Log(path, writes=False, checks=False)
        try:
            if log.state.cut.position:  # the digests of the entries do not cover the labels before the cut
                with translate_errors(log.path):
                    log.check_rows()
        except BaseException:
            log.close()
            raise
        say(str(error))
        return log


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
    # a single read transaction, so that the copy is consistent
    with closing(Log(path, writes=False)) as log:
        os.makedirs(folder, exist_ok=True)
        base = os.path.basename(log.path)  # of the log itself if `path` is a link, as in its snapshots
        if found := [name for name in os.listdir(folder) if name.startswith(base)]:
            raise BadInput(f"{folder}: has {found[0]} already; give an empty folder")
        for snapshot in log.snapshots():
            # a running service may delete old snapshots, but at least one usable snapshot always exists
            with suppress(FileNotFoundError):
                shutil.copy(os.path.join(os.path.dirname(log.path), snapshot.file), folder)
        copy = os.path.join(folder, base)
        log.copy_to(copy)
    return rebuild_model(copy)[0]
