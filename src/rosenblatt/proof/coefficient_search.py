"""Search for the limit of every coefficient of a logistic regression, with proofs.

`coefficient_facts` states the theorems. `CoefficientSearch` finds a direction that separates as many rows
as possible: it drops the rows that a direction separates and repeats the search on the others, until these
overlap, which proves that no separated row is missing. Columns with values on one side only (an empty cell
of a table) are tried first, because they need one pass over the data. Then `signs_of_coefficients` decides
in which directions the coefficients grow.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.agreements import agreement_signs, empty_columns
from rosenblatt.numeric.integers import divide_by_gcd
from rosenblatt.numeric.row_batches import Batch, take
from rosenblatt.proof.clock import Clock
from rosenblatt.proof.coefficient_facts import CoefficientFacts, Limit, rows_on_hyperplane
from rosenblatt.proof.coefficient_signs import SignSearch
from rosenblatt.proof.faces import Kind, one_sided_columns, quasi_separation
from rosenblatt.proof.findings import Findings
from rosenblatt.proof.integer_nearest import Integers
from rosenblatt.proof.labelled_rows import RowsInMemory
from rosenblatt.proof.part_numbers import whole_hyperplane
from rosenblatt.proof.parts import Maximality, Overlap, Part, Separator
from rosenblatt.proof.proof_search import search_rows

MOST_NUMBERS = 1 << 27  # most entries of the separated rows for the search for signs


class CoefficientSearch:
    """Collect the proved parts about a regression on two classes while the search runs.

    `run` may end with `TimeIsUp` or `TooLarge`; the parts proved before remain valid.
    """

    def __init__(self, rows: RowsInMemory, offset: bool) -> None:
        self.findings = Findings(rows, offset)
        self._classes, self._n_given, self.offset = rows.classes, rows.n_features, offset
        self._batch = self.findings.batch
        self._facts = CoefficientFacts(self._batch.n_features + offset)
        self._direction: Integers = [0] * (self._batch.n_features + 1)
        self._left = np.arange(self._batch.n_rows)
        self._more: list[Part] = []

    def run(self, tolerance: float, clock: Clock) -> None:
        """Find the separated rows, then the limits of the coefficients."""
        span = self._separate_rows(tolerance, clock)
        if span is None:
            return
        empty = empty_columns(self._batch)
        self._facts.add_collinearity(empty)
        separated = rows_on_hyperplane(self._batch.n_rows, self._left)
        if len(separated) * len(span) <= MOST_NUMBERS:
            search = SignSearch(self._batch, self.offset, self._direction, separated, span, clock)
            for part in search.parts(empty, self._facts):
                self._more.append(part)

    def parts(self) -> tuple[Part, ...]:
        """Return the proved parts, with column numbers of the original data."""
        more = self._more
        if self.findings.separable is None and any(self._direction):
            quasi = quasi_separation(self._batch, self._direction)
            more = [*([] if quasi is None else [quasi]), *more]
        return (*self.findings.parts(), *map(self.findings.in_given_columns, more))

    def limits(self) -> tuple[Limit | None, ...]:
        """Return the limit of each coefficient of the original data, the intercept last."""
        found = self._facts.limits()
        if len(found) == self._n_given + self.offset:
            return found
        used = self.findings.used_columns
        unused: Limit | None = "not identified" if any(found) else None
        limits = [unused] * self._n_given
        for column, limit in zip(used.tolist(), found, strict=False):
            limits[column] = limit
        return (*limits, *found[len(used) :])

    @property
    def most_separated(self) -> int:
        """An upper bound on the number of rows that one direction separates."""
        return self.findings.most_separated

    def _separate_rows(self, tolerance: float, clock: Clock) -> list[Integers] | None:
        """Drop separated rows until the others overlap, or none is left.

        Return a basis of the vectors whose functional margin is 0 in the rows that are left; None if no row
        is separated.
        """
        findings, batch = self.findings, self._batch
        width = batch.n_features + self.offset
        while len(self._left):
            clock.check()
            is_first = len(self._left) == batch.n_rows
            rows = batch if is_first else those_rows(batch, self._left)
            direction = _one_sided_direction(rows, self.offset)
            if direction is None:
                part, maximality = self._search(rows, is_first, tolerance, clock)
                if isinstance(part, Overlap):
                    return self._add_overlap(part, rows, is_first)
                direction = whole_hyperplane(batch.n_features, self.offset, part.w, part.b)
                if maximality is not None:
                    numbers = self._left[list(maximality.rows)]
                    self._add_direction(rows, direction)
                    places = np.searchsorted(self._left, numbers).tolist()
                    overlap = Overlap(tuple(places), *maximality[1:])
                    return self._add_overlap(overlap, those_rows(batch, self._left), is_first=False)
            self._add_direction(rows, direction)
        if findings.separator is None:
            findings.add_separator(tuple(self._direction[:-1]), self._direction[-1])
        self._facts.separate_all()
        return [[int(i == j) for i in range(width)] for j in range(width)]

    def _search(
        self, rows: Batch, is_first: bool, tolerance: float, clock: Clock
    ) -> tuple[Separator | Kind, Maximality | None]:
        """Return a separator of the rows that are left, a quasi-separation, or their overlap.

        Also return the proof that no direction separates more rows than the quasi-separation, if known.
        """
        findings = self.findings
        part = findings if is_first else Findings(RowsInMemory(rows, self._classes), self.offset)
        try:
            search_rows(part, tolerance, clock)
        finally:
            if part.gordan is not None and not is_first:
                numbers = tuple(self._left[list(part.gordan.rows)].tolist())
                findings.add_gordan(part.gordan._replace(rows=numbers), part.gordan_labels)
                findings.kind_part = quasi_separation(self._batch, self._direction)
        found, maximality = part.separator or part.kind_part, part.maximality
        assert found is not None
        if is_first or maximality is None:
            return found if is_first else part.in_given_columns(found), maximality
        return part.in_given_columns(found), part.in_given_columns(maximality)

    def _add_direction(self, rows: Batch, direction: Integers) -> None:
        """Add a direction of the rows that are left, and drop the rows that it separates."""
        separated = rows_on_hyperplane(self._batch.n_rows, self._left)
        dominant = self._direction
        if len(separated):
            direction = dominated_sum(those_rows(self._batch, separated), dominant, direction)
        self._direction = divide_by_gcd(direction)
        self._facts.add_direction(self._direction)
        self._left = self._left[agreement_signs(rows, self._direction) == 0]
        if self.findings.gordan is not None:
            self.findings.kind_part = quasi_separation(self._batch, self._direction)

    def _add_overlap(self, part: Overlap, rows: Batch, is_first: bool) -> list[Integers] | None:
        """Add the proof that the rows that are left overlap."""
        empty = empty_columns(rows) - set(part.columns)
        self._facts.add_span(part.relations, empty, all_rows=is_first)
        if is_first:
            return None
        numbers = tuple(self._left[list(part.rows)].tolist())
        self.findings.maximality = Maximality(numbers, *part[1:])
        width = rows.n_features + self.offset
        relations = [*part.relations, *({column: 1} for column in sorted(empty))]
        return [[relation.get(column, 0) for column in range(width)] for relation in relations]


def _one_sided_direction(rows: Batch, offset: bool) -> Integers | None:
    """Return the sum of all directions along one column, or None if there is none.

    If there is one class only, the intercept alone separates all rows.
    """
    if offset and (rows.labels == rows.labels[0]).all():
        return [*([0] * rows.n_features), int(rows.labels[0])]
    signs = one_sided_columns(rows)
    return [*signs.tolist(), 0] if signs.any() else None


def those_rows(batch: Batch, which: NDArray[np.int64]) -> Batch:
    """Return the batch of the rows with these numbers."""
    if len(which) == batch.n_rows:
        return batch
    return Batch(take(batch.rows, which), batch.labels[which], np.empty(0))


def dominated_sum(rows: Batch, dominant: Integers, other: Integers) -> Integers:
    """Return 2^k·dominant + other for the smallest tried k with a positive functional margin in all rows.

    All rows have a positive functional margin under `dominant`.
    """
    shift = 0
    while True:
        total = [(d << shift) + o for d, o in zip(dominant, other, strict=True)]
        if (agreement_signs(rows, total) > 0).all():
            return total
        shift = 2 * shift + 4
