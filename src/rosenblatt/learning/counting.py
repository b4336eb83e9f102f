"""What states count: mistakes and their two kinds, updates, looks.

A mistake is a false positive (answered +, the label is −) or a false negative (answered −, the label is
+). A score of 0 that is a mistake counts by the label that it was wrong about. Where classes share their
mistakes each of them is both: its own class missed the row, and the rival of the largest score took it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

UNKNOWN = np.iinfo(np.int64).min // 2
"""The false positives of a column that were not counted from its first look on: files of earlier versions
have none. No run is long enough to count from here up to 0, so they stay unknown."""


class Counters(NamedTuple):
    """The counters of a state at one moment, totals over its columns. None: not known."""

    mistakes: int = 0
    false_positives: int | None = 0
    false_negatives: int | None = 0
    updates: int = 0
    examples_seen: int = 0

    def since(self, before: Counters) -> dict[str, Any]:
        """What was counted after `before`, by name."""
        pairs = zip(self, before, strict=True)
        made = [None if now is None or then is None else now - then for now, then in pairs]
        return dict(zip(self._fields, made, strict=True))


def counters_of(state: Any) -> Counters:
    """The counters of a state, or of a learner, as they are now."""
    return Counters(*(getattr(state, name) for name in Counters._fields))


class Counted:
    """A state of one column or many, each with clocks of its own."""

    sharing: Any = None  # how classes share a mistake; None: each column has its own
    examples_seen: Any  # looks so far

    def clocks(self) -> NDArray[Any]:
        """The clocks of every column, by name."""
        raise NotImplementedError

    def clock(self, name: str) -> NDArray[Any]:
        """A clock of every column."""
        found: NDArray[Any] = self.clocks()[name]
        return found

    def total(self, name: str) -> int:
        """A clock, summed over the columns."""
        return int(self.clock(name).sum())

    def counters(self) -> Counters:
        """All that is counted, as it is now."""
        clocks, looks = self.clocks(), self.examples_seen
        mistakes, updates = int(clocks["mistakes"].sum()), int(clocks["updates"].sum())
        taken = clocks["false_positives"]
        if (taken < 0).any():
            return Counters(mistakes, None, None, updates, looks)
        false_positives = int(taken.sum())
        missed = mistakes if self.sharing is not None else mistakes - false_positives
        return Counters(mistakes, false_positives, missed, updates, looks)

    @property
    def mistakes(self) -> int:
        return self.total("mistakes")

    @property
    def updates(self) -> int:
        return self.total("updates")

    def false_positives_per_column(self) -> NDArray[np.int64] | None:
        """How often each column took a row that was not its own; None where it is not known of all."""
        taken = self.clock("false_positives")
        return None if (taken < 0).any() else taken.astype(np.int64)

    def false_negatives_per_column(self) -> NDArray[np.int64] | None:
        """How often each column missed a row of its own; None where it is not known of all."""
        taken = self.false_positives_per_column()
        if taken is None:
            return None
        mistakes = self.clock("mistakes").astype(np.int64)
        return mistakes if self.sharing is not None else mistakes - taken

    @property
    def false_positives(self) -> int | None:
        taken = self.false_positives_per_column()
        return None if taken is None else int(taken.sum())

    @property
    def false_negatives(self) -> int | None:
        missed = self.false_negatives_per_column()
        return None if missed is None else int(missed.sum())
