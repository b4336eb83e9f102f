"""The record of one column's updates: all that any keeper needs, since w is their sum.

Updates k = 1, 2, … changed w by deltaₖ·φ(x of support row memberₖ) at look lookₖ (counted from 0). With N
looks in all:

* last: every delta counts in full;
* averaged: w after each look, so deltaₖ counts at N − lookₖ of N looks;
* voted: the vector after update k survived from lookₖ to the next update;
* random: the vector in force after one look, drawn at random: a vector is drawn by its survival.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.blocked import COLUMN

KEEPERS = ("last", "averaged", "voted", "random")


class Terms(NamedTuple):
    """Σ deltaₖ·timesₖ·φ(support row memberₖ)/looks, in the order in which the plain loop adds. times: of
    the looks that a mean is over, those with delta in w; None: no mean is meant, and looks is 1."""

    member: NDArray[np.int64]
    delta: NDArray[np.float64]
    times: NDArray[np.int64] | None = None
    looks: int = 1

    @property
    def weight(self) -> NDArray[np.float64]:
        """What multiplies each φ in the sum, which is not divided by the looks: rounding that would take
        the exact sign from sums of whole numbers."""
        return self.delta if self.times is None else self.delta * self.times

    def summed(self, n_support: int) -> NDArray[np.float64]:
        """Σ weight of each support row."""
        return np.bincount(self.member, self.weight, n_support).astype(np.float64)

    def merged(self, n_support: int) -> NDArray[np.float64]:
        """One coefficient for each support row."""
        return self.summed(n_support) / self.looks


class Record:
    """Updates of one column, in arrays with room to grow, and its clocks (`loops.blocked.COLUMN`)."""

    def __init__(self) -> None:
        self._member = np.empty(64, np.int64)
        self._delta = np.empty(64)
        self._look = np.empty(64, np.int64)
        self.clock = np.zeros(1, COLUMN)
        self.size = 0

    def append(
        self, member: NDArray[np.int64], delta: NDArray[np.float64], look: NDArray[np.int64]
    ) -> None:
        end = self.size + len(member)
        if end > len(self._member):
            more = max(end, 2 * len(self._member)) - len(self._member)
            self._member, self._delta, self._look = (
                np.concatenate([array, np.empty(more, array.dtype)])
                for array in (self._member, self._delta, self._look)
            )
        part = slice(self.size, end)
        self._member[part], self._delta[part], self._look[part] = member, delta, look
        self.size = end

    @property
    def member(self) -> NDArray[np.int64]:
        return self._member[: self.size]

    @property
    def delta(self) -> NDArray[np.float64]:
        return self._delta[: self.size]

    @property
    def look(self) -> NDArray[np.int64]:
        return self._look[: self.size]

    def survival(self, looks: int) -> NDArray[np.int64]:
        """Looks that each vector lasted, of `looks` in all; the first is w = 0 at the start."""
        return np.diff(self.look, prepend=0, append=looks)

    def terms(self, keep: str, looks: int, drawn: int = 0) -> Terms:
        """What the keeper keeps after `looks` looks; `drawn` is the look that "random" goes by."""
        if keep == "averaged":
            return Terms(self.member, self.delta, looks - self.look, max(1, looks))
        end = int(np.searchsorted(self.look, drawn, side="right")) if keep == "random" else self.size
        return Terms(self.member[:end], self.delta[:end])

    def until(self, looks: int) -> Record:
        """The record as it was after so many looks. Its clocks have no more than the updates."""
        end = int(np.searchsorted(self.look, looks, side="left"))
        before = Record()
        before.append(self.member[:end], self.delta[:end], self.look[:end])
        before.clock["updates"] = end
        return before

    def copy(self) -> Record:
        twin = Record()
        twin.append(self.member, self.delta, self.look)
        twin.clock = self.clock.copy()
        return twin
