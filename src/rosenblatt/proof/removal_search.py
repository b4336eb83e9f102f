"""Search for a few rows whose removal makes the classes separable; prove how many must be removed.

1. *Upper bound*: every hyperplane proves that removing its errors suffices (`low_error_planes`). Then each
   removed row is added back if the rest with this row can still be separated, so no smaller part of the
   result suffices.
2. *Lower bound*: rows that sum to zero with positive weights contain an error of every hyperplane. The
   search collects many such *conflicts* without a common row. First come pairs of equal rows with different
   labels, then conflicts with only one removed row, then all others.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.agreements import agreement_signs
from rosenblatt.numeric.blocks import select_rows
from rosenblatt.numeric.row_batches import Batch, take
from rosenblatt.proof.clock import Clock, TimeIsUp
from rosenblatt.proof.clouds import Framed, column_exponents
from rosenblatt.proof.duplicates import opposite_pairs
from rosenblatt.proof.findings import Findings, as_floats
from rosenblatt.proof.labelled_rows import RowsInMemory
from rosenblatt.proof.low_error_planes import low_error_planes
from rosenblatt.proof.nearest_points import ZERO, Nearest, Search
from rosenblatt.proof.part_numbers import whole_hyperplane
from rosenblatt.proof.parts import Gordan, Number, Numbers, Part, RestSeparator
from rosenblatt.proof.proof_search import cancelling, search_margin

SHARES = (0.3, 0.4, 0.6)  # of the time left: for one conflict, hyperplanes, and adding rows back
ZERO_NORM = 1e-9  # relative norm below which the hulls count as intersecting; exact arithmetic checks it
MOST_EXACT_NUMBERS = 1 << 16  # most entries of the rows in an exact search that may be omitted


class RemovalSearch:
    """Hold the best hyperplane found, the rows that it requires to remove, and the conflicts."""

    def __init__(self, rows: RowsInMemory, offset: bool) -> None:
        self.findings = Findings(rows, offset)
        self._batch, self._offset = self.findings.batch, offset
        self._plane: tuple[Numbers, Number] = (0.0,) * self._batch.n_features, 0.0  # all rows are on it
        self._is_removed = np.ones(rows.n_rows, np.bool_)
        self._is_used = np.zeros(rows.n_rows, np.bool_)
        self._conflicts: list[Gordan] = []
        self._any_conflict: Gordan | None = None  # counts if no other conflict is found
        self._candidates: list[NDArray[np.int64]] = []  # rows of conflicts that are not yet exact

    @property
    def is_exact(self) -> bool:
        """Whether the number of conflicts equals the number of removed rows."""
        return len(self._conflicts) == int(self._is_removed.sum())

    def parts(self) -> tuple[Part, ...]:
        """Return the proved parts, with column numbers of the original data."""
        found: list[Part] = [*self._conflicts]
        if not found and self._any_conflict is not None:
            found.append(self._any_conflict)
        if self.findings.separator is not None:
            found = [self.findings.separator]
        else:
            found.append(RestSeparator(tuple(np.flatnonzero(self._is_removed).tolist()), *self._plane))
        return tuple(self.findings.in_given_columns(part) for part in found)

    def run(self, clock: Clock) -> None:
        """Search until both bounds are as good as these methods find, or the time limit is reached."""
        for pair in opposite_pairs(self._batch):
            self._add_conflict(Gordan(pair, (1, 1)))
        if self._offset:  # remove the smaller class
            self._propose((0.0,) * self._batch.n_features, float(np.sign(self._batch.labels.sum() + 0.5)))
        with suppress(TimeIsUp):
            self._decide(clock.share(SHARES[0]))
        if self.findings.separable:
            self._is_removed[:] = False
            return
        self._cloud = Framed(self._batch, self._offset, column_exponents(self._batch))
        self._groups = self._cloud.groups.copy()
        with suppress(TimeIsUp):
            for plane in low_error_planes(self._batch, self._offset, clock.share(SHARES[1])):
                self._propose(*plane)
        with suppress(TimeIsUp):
            self._add_back(clock.share(SHARES[2]))
        if self._is_removed.any():
            self._collect_conflicts(clock)
        else:
            self.findings.add_separator(*self._plane)

    def _propose(self, w: Numbers, b: Number) -> bool:
        """Adopt a hyperplane if it has fewer errors than the best one."""
        whole = whole_hyperplane(self._batch.n_features, self._offset, w, b)
        is_error = agreement_signs(self._batch, whole) <= 0
        is_better = bool(is_error.sum() < self._is_removed.sum())
        if is_better:
            self._plane, self._is_removed = (w, b), is_error
        return is_better

    def _removed_rows(self) -> NDArray[np.int64]:
        """Return the removed rows; those closest to their side of the best hyperplane come first."""
        rows = np.flatnonzero(self._is_removed)
        w, b = as_floats(*self._plane)
        matrix = select_rows(self._batch.rows, rows)
        with np.errstate(all="ignore"):
            margins = (matrix @ w + b) * self._batch.labels[rows]
        return rows[np.argsort(-np.nan_to_num(margins), kind="stable")]

    def _add_back(self, clock: Clock) -> None:
        """Add each removed row back if the rest with this row can be separated."""
        for row in self._removed_rows():
            if not self._is_removed[row]:
                continue
            allowed = ~self._is_removed
            allowed[row] = True
            clock.tick(f"{int(self._is_removed.sum())} rows are removed; adding rows back")
            found = self._search(allowed, clock)
            if found is not None and found.status == ZERO:
                self._candidates.append(found.rows)

    def _search(self, allowed: NDArray[np.bool_], clock: Clock) -> Nearest | None:
        """Search for a hyperplane that separates the allowed rows, or for a conflict among them.

        Adopt a hyperplane at once. Return None if the allowed rows do not have all classes.
        """
        self._cloud.groups[:] = np.where(allowed, self._groups, -1)
        if len(np.unique(self._groups[allowed])) < len(np.unique(self._groups)):
            return None
        found: Nearest | None = None
        for found in Search(self._cloud, clock).run(0.99, ZERO_NORM):
            if found.lower > 0.0 and self._propose(*self._cloud.hyperplane(found)):
                break
        return found

    def _collect_conflicts(self, clock: Clock) -> None:
        """Prove conflicts without a common row, until no more are found."""
        for rows in sorted(self._candidates, key=len):
            self._make_exact(rows, clock)
        for row in self._removed_rows():
            if not self._is_used[row]:
                allowed = ~self._is_removed & ~self._is_used
                allowed[row] = True
                self._find_conflict(allowed, clock)
        while not self.is_exact:
            clock.tick(f"{len(self._conflicts)} conflicts without a common row")
            if not self._find_conflict(~self._is_used, clock) and not self._decide_rest(clock):
                return

    def _find_conflict(self, allowed: NDArray[np.bool_], clock: Clock) -> bool:
        found = self._search(allowed, clock)
        return found is not None and found.status == ZERO and self._make_exact(found.rows, clock)

    def _make_exact(self, rows: NDArray[np.int64], clock: Clock) -> bool:
        """Add these rows as a conflict if they sum exactly to zero; return whether they do."""
        if self._is_used[rows].any():
            return False
        gordan = cancelling(self._batch, self._offset, rows, clock)
        if gordan is not None:
            self._add_conflict(gordan)
        return gordan is not None

    def _decide(self, clock: Clock) -> None:
        """Search all rows for a separating hyperplane or for any conflict."""
        if not self._conflicts:
            search_margin(self.findings, 0.99, clock)
            self._any_conflict = self.findings.gordan

    def _decide_rest(self, clock: Clock) -> bool:
        """Search the unused rows exactly, if they are few; return whether there is a conflict."""
        rest = np.flatnonzero(~self._is_used)
        if len(rest) * self._batch.n_features > MOST_EXACT_NUMBERS:
            return False
        batch = Batch(take(self._batch.rows, rest), self._batch.labels[rest], self._batch.importance)
        part = Findings(RowsInMemory(batch, (-1, 1)), self._offset)
        search_margin(part, 0.99, clock)
        if part.gordan is not None:
            self._add_conflict(part.gordan._replace(rows=tuple(rest[list(part.gordan.rows)].tolist())))
        return part.gordan is not None

    def _add_conflict(self, part: Gordan) -> None:
        self._conflicts.append(part)
        self._is_used[list(part.rows)] = True
