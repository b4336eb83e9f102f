"""`Findings`: the facts proved so far, and the best unproved candidates of the searches."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.data.importance import as_importance
from rosenblatt.data.labels import as_labels, check_labels, classes_of
from rosenblatt.errors import BadInput, ProofRejected, bad_value
from rosenblatt.numeric.agreements import empty_columns
from rosenblatt.numeric.blocks import blocks, matrix_ldexp, squared_lengths, with_columns
from rosenblatt.numeric.integers import as_dyadic, root_above, to_doubles
from rosenblatt.numeric.row_batches import TIES, Batch, Sparse, as_rows, check_finite, n_rows, plain, take
from rosenblatt.proof.clouds import Framed
from rosenblatt.proof.digests import digest_of_digests
from rosenblatt.proof.faces import Kind
from rosenblatt.proof.labelled_rows import (
    Agreement,
    LabelledRows,
    RowsInMemory,
    digests_of,
    rows_without_labels,
)
from rosenblatt.proof.nearest_points import Nearest
from rosenblatt.proof.nullspace import whole
from rosenblatt.proof.part_numbers import whole_hyperplane
from rosenblatt.proof.parts import (
    Collinearity,
    Combination,
    Gordan,
    Growth,
    HingeLoss,
    Maximality,
    Number,
    Numbers,
    Overlap,
    Part,
    QuasiSeparation,
    RestSeparator,
    Separator,
    contradiction,
)
from rosenblatt.proof.proof import Proof
from rosenblatt.proof.ties import common_label
from rosenblatt.proof.verdict import Verdict
from rosenblatt.proof.verify import (
    combination_margin,
    separated_rows,
    separator_margin,
)
from rosenblatt.rules import TwoClaims, two_claims

FIRST = 500  # rows of each class in the initial working set
WHOLE_BITS = 52
ROUNDINGS = 32  # multiples of a hyperplane that are tried, to find one that still separates after rounding


def check_offset(offset: Any) -> None:
    """Raise an error unless `offset` is True or False."""
    if not isinstance(offset, (bool, np.bool_)):
        raise bad_value("offset", offset, "True or False")


def label_rows(X: Any, y: ArrayLike | None, weight: ArrayLike | None = None) -> LabelledRows:
    """Return rows with labels −1 and +1; without `y`, X is a source or cluster that contains the labels."""
    if y is not None:
        return label_in_memory(X, y, weight)
    rows = rows_without_labels(X)
    if len(rows.classes) < 2:
        raise BadInput(f"{rows.name}: only one class; two classes are needed")
    return rows


def label_in_memory(X: Any, y: ArrayLike, weight: ArrayLike | None = None) -> RowsInMemory:
    """Return rows in memory with labels −1 and +1; if there is a single class, all labels are +1.

    All rows must be finite; rows of weight 0 are removed.
    """
    rows = as_rows(X)
    check_finite(rows, None)
    given = check_labels(y, n_rows(rows))
    classes = classes_of(given)
    if len(classes) > 2:
        raise BadInput(
            f"y: {len(classes)} classes, but a hyperplane has two sides; separability_table(X, y), on the "
            "command line --table, tests every class against the rest and every pair of classes; y == "
            "CLASS, on the command line --positive CLASS, takes one class against the rest"
        )
    batch = Batch(rows, as_labels(given, classes), as_importance(weight, n_rows(rows)))
    if (present := batch.present()) is not None:
        batch = Batch(take(rows, present), batch.labels[present], batch.importance[present])
    return RowsInMemory(batch, class_names(classes))


def claims_about(importance: NDArray[np.float64], rule: Any) -> TwoClaims:
    """Return the two inequalities from which the rule's mistake bound follows, for rows with these weights.

    Raise an error if the rule has no such bound.
    """
    heaviest = float(importance.max()) if importance.size else 1.0
    return two_claims(rule).for_weights(heaviest)


def class_names(classes: NDArray[Any]) -> tuple[Any, ...]:
    """Return the class labels as plain strings or numbers, which a proof can store."""
    names = tuple(plain(label) for label in classes)
    for name in names:
        if not isinstance(name, (str, int, float)):
            raise BadInput(
                f"y: a proof stores classes as names or numbers, but {name!r} is of type "
                f"{type(name).__name__}; give y as strings"
            )
    return names


class Findings:
    """Collect the proved parts and the best unproved candidates while searches run."""

    def __init__(self, rows: LabelledRows, offset: bool) -> None:
        self._given, self.offset = rows, offset
        # columns of zeros do not matter, and hashed text has a million of them
        self.used_columns, self.rows = np.arange(rows.n_features), rows
        if isinstance(rows, RowsInMemory) and isinstance(rows.batch.rows, Sparse):
            self.used_columns = np.setdiff1d(self.used_columns, list(empty_columns(rows.batch)))
            if len(self.used_columns) not in (0, rows.n_features):
                self.rows = RowsInMemory(with_columns(rows.batch, self.used_columns), rows.classes)
        self.separator: Separator | None = None
        self.combination: Combination | None = None
        self.gordan: Gordan | None = None
        self.gordan_labels = np.empty(0, np.int8)
        self.kind_part: Kind | None = None
        self.maximality: Maximality | None = None  # of the quasi-separation `kind_part`
        # whether some w makes no mistake if a score of 0 predicts the class of all rows in `gordan`
        self.is_weak: bool | None = None
        self.last_rows = np.empty(0, np.int64)
        self.last_weights: list[int] = []
        self.start: tuple[NDArray[np.int64], NDArray[np.float64]] | None = None  # of the next search
        self._best_separator: tuple[float, Numbers, Number] | None = None
        self._best_combination: tuple[float, Nearest] | None = None
        self._smallest: Agreement = 0, 0, 0  # the separator's smallest functional margin

    @property
    def batch(self) -> Batch:
        """All rows in memory, without columns that are zero in every row."""
        assert isinstance(self.rows, RowsInMemory)
        return self.rows.batch

    @cached_property
    def overview(self) -> Overview:
        """Facts about all rows that are computed in one pass over the data."""
        return _overview(self._given)

    @property
    def separable(self) -> bool | None:
        """Whether the classes are separable; None if undecided."""
        return True if self.separator else False if self.gordan else None

    @property
    def margin(self) -> tuple[float, float]:
        """Proved interval for the largest margin."""
        if self.gordan:
            return 0.0, 0.0
        lower = self.separator.margin if self.separator else 0.0
        upper = self.combination.margin if self.combination else math.inf
        return lower, max(lower, upper) if lower == math.inf else upper

    @property
    def n_separated(self) -> int:
        """The number of rows off the hyperplane of the separator or quasi-separation, or 0."""
        if self.separator is not None:
            return self.rows.n_rows
        return self.kind_part.separated if isinstance(self.kind_part, QuasiSeparation) else 0

    @property
    def most_separated(self) -> int:
        """A proved upper bound on the number of rows that one direction separates.

        The rows that sum to zero are on the hyperplane of every direction with no row on the wrong side.
        """
        if self.gordan is None:
            return self.rows.n_rows
        if isinstance(self.kind_part, Overlap) or self.maximality is not None:
            return self.n_separated
        return self.rows.n_rows - len(self.gordan.rows)

    def is_wider_than(self, tolerance: float) -> bool:
        """Return whether the interval for the margin is wider than tolerance × its upper end."""
        lower, upper = self.margin
        return upper > lower and not upper - lower <= tolerance * upper

    # ------------------------------------------------------------ candidates from floating-point searches

    def propose(self, found: Nearest, cloud: Framed, is_metric: bool) -> None:
        """Keep the result of a search if it is the best so far; `settle_proposals` proves it later."""
        self.last_rows, self.last_weights = found.rows, self._whole_weights(found)
        if found.lower > 0.0 and (self._best_separator is None or found.lower > self._best_separator[0]):
            self._best_separator = (found.lower, *cloud.hyperplane(found))
        if is_metric and (self._best_combination is None or found.upper < self._best_combination[0]):
            self._best_combination = (found.upper, found)

    def settle_proposals(self) -> None:
        """Prove the best candidates in exact arithmetic and add them to the findings."""
        if self._best_separator is not None:
            _, w, b = self._best_separator
            self.add_separator(w, b)
        if self._best_combination is not None:
            found = self._best_combination[1]
            self.add_combination(found.rows, self._whole_weights(found))
        self._best_separator = self._best_combination = None

    def _whole_weights(self, found: Nearest) -> list[int]:
        """Return the weights of a search result as integers, with exactly the same sum in each group."""
        group = self.batch.labels[found.rows] if self.offset else np.zeros(len(found.rows))
        weights = [0] * len(group)
        for g in np.unique(group):
            places = np.flatnonzero(group == g)
            for place, weight in zip(places, whole(found.weights[places], 1 << WHOLE_BITS), strict=True):
                weights[place] = weight
        return weights

    # ------------------------------------------------------------ exact parts

    def add_separator(self, w: Numbers, b: Number, check: Callable[[], None] | None = None) -> None:
        """Store (w, b) if it separates all rows with a larger margin than the current separator.

        `check` is called after each block of rows and may raise an exception to end the search.
        """
        try:
            margin, smallest = prove_margin(self.rows, self.offset, w, b, check)
        except ProofRejected:
            return
        if self.separator is None or margin > self.separator.margin:
            self.separator, self._smallest = Separator(w, b, margin), smallest

    def add_combination(self, rows: NDArray[np.int64], weights: list[int]) -> None:
        """Store this combination of rows if it proves a smaller upper bound than the current one."""
        part = Combination(tuple(rows.tolist()), tuple(weights), 0.0)
        try:
            margin = combination_margin(self.batch, self.offset, part)
        except ProofRejected:
            return
        if self.combination is None or margin < self.combination.margin:
            self.combination = part._replace(margin=margin)

    def add_gordan(self, part: Gordan, labels: NDArray[np.int8] | None = None) -> None:
        """Store a combination of rows that sums to zero; `labels` are the labels of its rows."""
        self.gordan = part
        self.gordan_labels = self.batch.labels[list(part.rows)] if labels is None else labels

    def adopt(self, parts: Sequence[Part]) -> None:
        """Add verified parts about the original data, from which the search continues."""
        for part in parts:
            if isinstance(part, Separator):
                self.add_separator(self._in_used_columns(part).w, part.b)
            elif isinstance(part, Combination):
                self.combination, rows = part, np.array(part.rows, np.int64)
                self.last_rows, self.last_weights = rows, list(part.weights)
                self.start = rows, to_doubles(part.weights)
            elif isinstance(part, Gordan):
                which = np.array(part.rows, np.int64)
                chosen = self._given.choose(np.sort(which))
                self.add_gordan(part, chosen.labels[np.argsort(np.argsort(which))])
            elif isinstance(part, (QuasiSeparation, Overlap)) and isinstance(self._given, RowsInMemory):
                self.kind_part = self._in_used_columns(part)
            elif isinstance(part, Maximality) and isinstance(self._given, RowsInMemory):
                self.maximality = self._in_used_columns(part)

    def _in_used_columns(self, part: Any) -> Any:
        """Return a part about the original data as a part about `batch`."""
        if self.rows is self._given:
            return part
        place = {int(c): k for k, c in enumerate([*self.used_columns, self._given.n_features])}
        if isinstance(part, (Overlap, Maximality)):
            relations = tuple({place[c]: k for c, k in r.items()} for r in part.relations)
            return part._replace(columns=tuple(place[c] for c in part.columns), relations=relations)
        return part._replace(w=tuple(part.w[c] for c in self.used_columns))

    def parts(self) -> tuple[Part, ...]:
        """Return the proved parts, with column numbers of the original data."""
        if self.gordan is not None:
            found: tuple[Part | None, ...] = (self.gordan, self.kind_part, self.maximality)
        else:
            found = (self.separator, self.combination)
        return tuple(self.in_given_columns(part) for part in found if part is not None)

    def in_given_columns(self, part: Any) -> Any:
        """Return a part about `batch` as a part about the original data."""
        if self.rows is self._given:
            return part
        places = [*self.used_columns.tolist(), self._given.n_features]
        if isinstance(part, (Separator, QuasiSeparation, RestSeparator, HingeLoss)):
            zero: Number = 0.0 if isinstance(part.b, float) else 0
            w = [zero] * self._given.n_features
            for place, number in zip(places, part.w, strict=False):
                w[place] = number
            return part._replace(w=tuple(w))
        if isinstance(part, (Overlap, Maximality)):
            relations = tuple({places[c]: k for c, k in r.items()} for r in part.relations)
            return part._replace(columns=tuple(places[c] for c in part.columns), relations=relations)
        if isinstance(part, Collinearity):
            return part._replace(relation={places[c]: k for c, k in part.relation.items()})
        return part._replace(column=places[part.column]) if isinstance(part, Growth) else part

    # ------------------------------------------------------------ verdict

    def verdict(self, seconds: float, ended: str) -> Verdict:
        """Return a verdict with all facts proved so far."""
        given, parts = self._given, self.parts()
        digest, squared, exponent, _ = self.overview
        proof = Proof(self.offset, given.n_rows, given.n_features, given.classes, digest, parts)
        direction, separated, hyperplane = None, np.empty(0, np.int64), None
        for part in parts:
            if isinstance(part, QuasiSeparation):
                direction = as_floats(part.w, part.b)
                assert isinstance(given, RowsInMemory)
                separated = separated_rows(given.batch, self.offset, part)
            elif isinstance(part, Separator):
                hyperplane = self._in_doubles(part)
        support = self.gordan or self.combination
        return Verdict(
            separable=self.separable,
            kind=self._kind(),
            margin=self.margin,
            radius=root_above(squared, 1, exponent),
            hyperplane=hyperplane,
            mistake_bound=self._mistake_bound(squared, exponent),
            support=np.array(sorted(support.rows), np.int64) if support else np.empty(0, np.int64),
            direction=direction,
            separated=separated,
            most_separated=self.most_separated,
            consistent={tie: self._is_consistent(label) for tie, label in TIES.items()},
            proof=proof,
            seconds=seconds,
            ended=ended,
            contradiction=contradiction(self.gordan, self.gordan_labels) if self.gordan else None,
        )

    def _in_doubles(self, part: Separator) -> tuple[NDArray[np.float64], float]:
        """Return the separating hyperplane as doubles.

        Try several multiples until one still separates the rows after rounding. If none does, return the
        rounded hyperplane itself.
        """
        if all(isinstance(number, float) for number in (*part.w, part.b)):
            return as_floats(part.w, part.b)
        for factor in range(ROUNDINGS, 2 * ROUNDINGS):
            w, b = as_floats([factor * number for number in part.w], factor * part.b)
            with suppress(ProofRejected):
                prove_margin(self._given, self.offset, tuple(w.tolist()), b)
                return w, b
        return as_floats(part.w, part.b)

    def _kind(self) -> str:
        if self.separator is not None:
            return "separable"
        if self.gordan is None:
            return "undecided"
        if self.kind_part is None:
            return "not separable"
        return "overlapping" if isinstance(self.kind_part, Overlap) else "quasi-separable"

    def _is_consistent(self, tie: float) -> bool | None:
        """Return whether some hyperplane makes no mistake if a score of 0 predicts the label `tie`."""
        if self.gordan is None or tie == 0.0:
            return self.separable
        answers_them = not self.offset and tie == common_label(self.gordan_labels)
        return self.is_weak if answers_them else False

    def _mistake_bound(self, squared: int, exponent: int) -> int | None:
        """Return ⌊R²·‖w̃‖²/(minᵢ aᵢ·w̃)²⌋ with w̃ = (w, b), a = y(x, 1) and R² = max ‖x‖² + 1.

        Without an offset, w̃ = w, a = yx and R² = max ‖x‖².
        """
        if self.separator is None:
            return None
        w = whole_hyperplane(self.rows.n_features, self.offset, self.separator.w, self.separator.b)
        smallest, power, _ = self._smallest
        # a common power of two for squared·2^(2·exponent), 1 and (smallest·2^power)²
        low = min(2 * exponent, 2 * power, 0)
        radius2 = (squared << (2 * exponent - low)) + (int(self.offset) << -low)
        return radius2 * sum(n * n for n in w) // (smallest * smallest << (2 * power - low))


class Overview(NamedTuple):
    """Hold facts about all rows from one pass; max ‖xᵢ‖² equals radius2·2^(2·exponent)."""

    digest: str
    radius2: int
    exponent: int
    first_rows: NDArray[np.int64]  # indices of the first FIRST rows of each class


def _overview(rows: LabelledRows) -> Overview:
    digests, found, of_class = zip(*rows.map(_look_first), strict=True)
    lowest = min(exponent for _, exponent in found)
    radius2, exponent = max(found, key=lambda each: each[0] << 2 * (each[1] - lowest))
    first = np.concatenate([np.concatenate(some)[:FIRST] for some in zip(*of_class, strict=True)])
    digest = digest_of_digests(rows.n_rows, rows.n_features, chain(*digests))
    return Overview(digest, radius2, exponent, np.sort(first))


def _look_first(first: int, batch: Batch) -> tuple[list[str], tuple[int, int], list[NDArray[np.int64]]]:
    """Return the digests of a block, its squared radius, and its first rows of each class."""
    of_class = [first + np.flatnonzero(batch.labels == label)[:FIRST] for label in (-1, 1)]
    return digests_of(first, batch), squared_radius(batch), of_class


def prove_margin(
    rows: LabelledRows, offset: bool, w: Numbers, b: Number, check: Callable[[], None] | None = None
) -> tuple[float, Agreement]:
    """Return the margin of a hyperplane, rounded down, and the smallest functional margin, its numerator.

    Raise `ProofRejected` if the hyperplane does not separate the rows.
    """
    whole = whole_hyperplane(rows.n_features, offset, w, b)
    smallest = rows.smallest_agreement(whole, check)
    return separator_margin(whole, smallest), smallest


def squared_radius(batch: Batch) -> tuple[int, int]:
    """Return max ‖xᵢ‖² exactly, as a pair (n, e) with value n·2^(2e)."""
    best, best_exponent = 0, 0
    for _, matrix in blocks(batch.rows):
        # after scaling by a power of two no square overflows, and only rows near zero underflow
        scale = -int(np.frexp(float(abs(matrix).max()))[1])
        squares = squared_lengths(matrix_ldexp(matrix, scale))
        # the relative rounding error is 2^-52 per term: rows this close to the longest are summed exactly
        near = np.flatnonzero(squares >= squares.max() * (1.0 - (matrix.shape[1] + 4) * 2.0**-51))
        distinct = {_row_values(matrix, int(i)).tobytes(): int(i) for i in near}
        for i in distinct.values():
            numbers, exponent = as_dyadic(_row_values(matrix, i))
            total = sum(number * number for number in numbers)
            common = min(exponent, best_exponent)
            if total << 2 * (exponent - common) > best << 2 * (best_exponent - common):
                best, best_exponent = total, exponent
    return best, best_exponent


def _row_values(matrix: Any, i: int) -> NDArray[np.float64]:
    if isinstance(matrix, np.ndarray):
        return matrix[i]
    return np.asarray(matrix.data[matrix.indptr[i] : matrix.indptr[i + 1]])


def as_floats(w: Sequence[Number], b: Number) -> tuple[NDArray[np.float64], float]:
    """Return (w, b) as doubles; integers are first scaled by a common power of two, then rounded."""
    if all(isinstance(number, float) for number in (*w, b)):
        return np.array(w), float(b)
    doubles = to_doubles([int(number) for number in (*w, b)])
    largest = float(np.abs(doubles).max()) or 1.0
    doubles = np.ldexp(doubles, -math.frexp(largest)[1])
    return doubles[:-1], float(doubles[-1])
