"""Blocks of rows that several threads learn from.

One thread gathers each block and computes its Gram matrix for all threads; faster threads prepare more
blocks. The threads synchronise once for each stage of several blocks; threads that finish early prepare the
next stage.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from threading import Barrier, BrokenBarrierError
from typing import Any

import numpy as np

from rosenblatt.loops.threads import each_in_threads
from rosenblatt.numeric.next_row import Given, Listed
from rosenblatt.numeric.row_batches import Dense, read_only
from rosenblatt.training.orders import looks_of, parts_of

BLOCKS_EACH = 2  # blocks in a stage for each thread
FEWEST_BLOCKS = 8  # blocks in a stage


class Stage:
    """Hold some blocks of `size` steps in reused memory; the last block may be shorter.

    `which` holds the indices of the visited rows, and `values` the rows. grams[k] begins with the Gram
    matrix of block k.
    """

    def __init__(self, rows: Dense, size: int, n_blocks: int) -> None:
        self._all, self.size = rows.values, size
        self._room = np.empty((0, 0), rows.values.dtype)
        self._shape = n_blocks * size, rows.values.shape[1]
        self.grams = np.empty((n_blocks, size * size), rows.values.dtype)

    def begin(self, looks: Given | Listed) -> None:
        """Set the steps whose blocks `make` will compute."""
        self._unmade = count()
        self._is_gathered = isinstance(looks, Listed)
        if isinstance(looks, Listed):
            if not self._room.size:
                self._room = np.empty(self._shape, self._all.dtype)
            self.which, self.values = looks.rows, self._room[: len(looks.rows)]
        else:
            self.which = np.arange(looks.start, looks.stop, dtype=np.uint32)
            self.values = self._all[looks.start : looks.stop]

    def make(self) -> None:
        """Compute blocks until all are computed; threads that call this together share the work."""
        n, size = len(self.which), self.size
        for k in self._unmade:  # each number goes to only one thread
            if k * size >= n:
                return
            part = slice(k * size, min((k + 1) * size, n))
            block = self.values[part]
            if self._is_gathered:
                np.take(self._all, self.which[part], axis=0, out=block, mode="clip")
            height = len(block)
            with np.errstate(over="ignore", invalid="ignore", under="ignore"):
                np.matmul(block, block.T, out=self.grams[k, : height * height].reshape(height, height))

    def rows(self) -> Dense:
        return Dense(read_only(self.values))


def learn_in_stages(
    rows: Dense, order: Given | Listed, size: int, n_threads: int, learn: Callable[[int, Stage, int], Any]
) -> None:
    """Call learn(thread, stage, number of steps before it) for each stage, in `n_threads` threads.

    An exception in one thread stops all of them.
    """
    n_blocks = max(FEWEST_BLOCKS, BLOCKS_EACH * n_threads)
    parts = list(parts_of(order, n_blocks * size))
    stages = [Stage(rows, size, n_blocks) for _ in parts[:2]]  # one is in use while the next is prepared
    stages[0].begin(parts[0])
    meetings = count(1)

    def begin_next() -> None:
        if (number := next(meetings)) < len(parts):
            stages[number % 2].begin(parts[number])

    meeting = Barrier(n_threads, begin_next)

    def run(thread: int) -> None:
        before = 0
        try:
            stages[0].make()
            for number, part in enumerate(parts):
                meeting.wait()  # this stage is complete, and no thread needs the previous one
                learn(thread, stages[number % 2], before)
                before += looks_of(part)
                if number + 1 < len(parts):
                    stages[(number + 1) % 2].make()
        except BrokenBarrierError:
            return  # the thread that broke the barrier raises the error
        except BaseException:
            meeting.abort()
            raise

    each_in_threads(run, range(n_threads))
