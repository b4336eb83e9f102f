"""The smallest total hinge loss of a hyperplane, with a proof from both sides (`least_hinge_loss`).

The loss min Σ max(0, 1 − yᵢ(w·xᵢ+b)) is the value of a linear program. Its dual is: maximise Σ αᵢ, where
0 ≤ αᵢ ≤ 1 and Σ αᵢyᵢ(xᵢ, 1) = 0. HiGHS solves both in floating point, on a working set of rows: a row
whose functional margin is at least 1 has no effect. The rows with 0 < αᵢ < 1 have functional margin 1, so
two exact linear systems give (w, b) and α as fractions. If both are feasible, they have the same value.
Otherwise, a rounded (w, b) still proves an upper bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.errors import ProofRejected
from rosenblatt.numeric.blocks import matrix_ldexp, select_rows
from rosenblatt.numeric.integers import as_dyadic
from rosenblatt.proof.clock import Clock, TimeIsUp, run_to_limit
from rosenblatt.proof.clouds import column_exponents
from rosenblatt.proof.findings import Findings, check_offset, label_in_memory
from rosenblatt.proof.integer_nearest import signed_integers
from rosenblatt.proof.labelled_rows import RowsInMemory
from rosenblatt.proof.loss_bounds import dual_bound, total_hinge_loss
from rosenblatt.proof.nearest_points import Vector
from rosenblatt.proof.nullspace import independent, solve
from rosenblatt.proof.parts import HingeLoss, Number
from rosenblatt.proof.proof import Proof
from rosenblatt.proof.proved_facts import fraction_interval
from rosenblatt.proof.verdict import ended_sentence, through_origin
from rosenblatt.training.progress import Progress

FIRST = 2000  # rows of the first working set, and rows that one pass adds to it
INSIDE = 1e-9  # distance of αᵢ from 0 and 1 above which the row counts as having functional margin 1
NEAR = 1e-7  # distance of a functional margin from 1 below which it is taken to be 1
LONGER = 1.0 + 2.0**-20  # factor that lifts functional margins just below 1 to at least 1


@dataclass(frozen=True)
class LeastHingeLoss:
    """State the smallest total hinge loss of any hyperplane.

    Parameters
    ----------
    interval : tuple of Fraction
        A proved interval for the smallest Σ max(0, 1 − yᵢ(w·xᵢ+b)).
    hyperplane : tuple of (ndarray, float)
        (w, b), rounded to doubles. Before rounding, its loss is the upper end of the interval.
    alpha : dict of int to Fraction
        The dual solution: αᵢ for each row with αᵢ > 0. Their sum is the lower end of the interval.
    proof : Proof
        The proof.
    seconds : float
        The duration of the search in seconds.
    ended : str
        Why the search ended: "proved" (the interval is one number), "searched", "time" or "interrupted".

    Examples
    --------
    >>> least_hinge_loss([[0.0], [1.0], [1.0], [3.0]], [0, 0, 1, 1]).interval
    (Fraction(2, 1), Fraction(2, 1))
    """

    interval: tuple[Fraction, Fraction]
    hyperplane: tuple[NDArray[np.float64], float]
    alpha: dict[int, Fraction]
    proof: Proof
    seconds: float
    ended: str

    @property
    def exact(self) -> bool:
        """Whether the smallest loss is known exactly."""
        return self.interval[0] == self.interval[1]

    def __repr__(self) -> str:
        return f"<LeastHingeLoss: {fraction_interval(*self.interval)}>"

    def __str__(self) -> str:
        place = through_origin(self.proof.offset)
        text = (
            f"The smallest total hinge loss of a hyperplane{place} is {fraction_interval(*self.interval)}."
        )
        return f"{text}\n{ended_sentence(self.ended)}" if self.ended in ("time", "interrupted") else text


def least_hinge_loss(
    X: Any,
    y: ArrayLike,
    offset: bool = True,
    time_limit: float | None = None,
    progress: bool | None = None,
) -> LeastHingeLoss:
    """Return the smallest total hinge loss of any hyperplane, as a proved interval of fractions.

    It is 0 if and only if the classes are separable. The loss has no regularisation.

    Parameters
    ----------
    X : array-like, sparse matrix or table
        The rows.
    y : array-like of shape (n_rows,)
        Their labels, of two classes (or one).
    offset : bool, default=True
        Whether hyperplanes w·x + b = 0 have an offset b; without one, they contain the origin.
    time_limit : float or None, default=None
        The time limit in seconds, after which the interval found so far is returned. An exact linear system
        that was started is completed.
    progress : bool or None, default=None
        None shows progress on a terminal after two seconds; True always; False never.

    Returns
    -------
    LeastHingeLoss
        The interval with its proof; prints as a sentence.

    Raises
    ------
    BadInput
        If there are more than two classes, or the data cannot be used.

    References
    ----------
    Bennett & Mangasarian, Optimization Methods and Software 1 (1992).

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [2.0], [3.0], [5.0]]
    >>> print(least_hinge_loss(X, [0, 1, 0, 1, 0, 1]))
    The smallest total hinge loss of a hyperplane is 24/5 = 4.8 (proved).
    """
    check_offset(offset)
    rows = label_in_memory(X, y)
    search = _HingeSearch(rows, bool(offset))
    with Progress(progress, None, "steps") as bar:
        clock = Clock(time_limit, bar)
        ended = run_to_limit(lambda: search.run(clock))
    part, findings = search.part(), search.findings
    interval, shape = (search.least, search.most), (rows.n_rows, rows.n_features)
    if not search.most:
        findings.add_separator(part.w, part.b)
    parts = (*findings.parts(), findings.in_given_columns(part))
    return LeastHingeLoss(
        interval=interval,
        hyperplane=_as_doubles(parts[-1]),
        alpha={i: Fraction(w, part.total) for i, w in zip(part.rows, part.weights, strict=True)},
        proof=Proof(bool(offset), *shape, rows.classes, findings.overview.digest, parts),
        seconds=clock.seconds_elapsed,
        ended="proved" if interval[0] == interval[1] else ended,
    )


def _as_doubles(part: HingeLoss) -> tuple[NDArray[np.float64], float]:
    """Return the hyperplane of the part as doubles."""
    numbers = [float(Fraction(number) / part.divisor) for number in (*part.w, part.b)]
    return np.array(numbers[:-1]), numbers[-1]


class _HingeSearch:
    """Hold the best hyperplane and the best dual solution found."""

    def __init__(self, rows: RowsInMemory, offset: bool) -> None:
        self.findings = Findings(rows, offset)
        self._batch, self._offset = self.findings.batch, offset
        self._exponents = column_exponents(self._batch)
        zero, sign = (0.0,) * self._batch.n_features, float(np.sign(self._batch.labels.sum() + 0.5))
        self._plane = HingeLoss(zero, sign if offset else 0.0, 1, (), (), 1)
        self._dual = self._plane
        self.least, self.most = Fraction(0), total_hinge_loss(self._batch, offset, self._plane)

    def part(self) -> HingeLoss:
        """Return the part with the best bounds."""
        return self._plane._replace(
            rows=self._dual.rows, weights=self._dual.weights, total=self._dual.total
        )

    def run(self, clock: Clock) -> None:
        """Solve the linear program on growing working sets, and make each solution exact."""
        batch = self._batch
        rng = np.random.default_rng(0)
        working = np.sort(rng.permutation(batch.n_rows)[:FIRST])
        while True:
            clock.tick(f"linear program of {len(working)} rows; loss at most {float(self.most):.6g}")
            v, alpha = self._solve_program(working, clock)
            margins = self._margins(v)
            outside = np.setdiff1d(np.flatnonzero(margins < 1.0 - NEAR), working)
            self._make_exact(working, v, alpha, margins, clock)
            if self.least == self.most or not len(outside):
                return
            worst = outside[np.argsort(margins[outside], kind="stable")[:FIRST]]
            working = np.union1d(working, worst)

    def _margins(self, v: Vector) -> Vector:
        """Return the functional margins of all rows in floating point, under (w, b) for scaled columns."""
        labels = self._batch.labels.astype(np.float64)
        scaled = matrix_ldexp(
            select_rows(self._batch.rows, np.arange(self._batch.n_rows)), -self._exponents
        )
        b = v[-1] if self._offset else 0.0
        return np.asarray((scaled @ v[: self._batch.n_features] + b) * labels)

    def _solve_program(self, working: NDArray[np.int64], clock: Clock) -> tuple[Vector, Vector]:
        """Return (w, b) for scaled columns and α of the working set."""
        from scipy.optimize import linprog
        from scipy.sparse import csr_array, hstack, identity

        n, labels = len(working), self._batch.labels[working].astype(np.float64)[:, None]
        scaled = csr_array(matrix_ldexp(select_rows(self._batch.rows, working), -self._exponents))
        signed = [scaled.multiply(labels), *([csr_array(labels)] if self._offset else [])]
        matrix = -hstack([*signed, identity(n)], format="csr")
        width = matrix.shape[1] - n
        limit = {} if np.isinf(clock.seconds_left) else {"time_limit": clock.seconds_left}
        found = linprog(
            np.repeat([0.0, 1.0], [width, n]),
            A_ub=matrix,
            b_ub=-np.ones(n),
            bounds=np.repeat([[-np.inf, np.inf], [0.0, np.inf]], [width, n], axis=0),
            method="highs",
            options=limit,
        )
        clock.check()
        if found.x is None or found.ineqlin.marginals is None:
            raise TimeIsUp
        return found.x[:width], -found.ineqlin.marginals

    def _make_exact(
        self, working: NDArray[np.int64], v: Vector, alpha: Vector, margins: Vector, clock: Clock
    ) -> None:
        """Adopt the rounded (w, b), then the exact solutions of the two linear systems."""
        w, b = _unscale(v, self._exponents, self._offset)
        for factor in (1.0, LONGER):
            self._adopt_plane(tuple((w * factor).tolist()), b * factor, 1)
        clock.check()
        inside = working[(alpha > INSIDE) & (alpha < 1.0 - INSIDE)]
        ones = working[alpha >= 1.0 - INSIDE]
        near = working[np.abs(margins[working] - 1.0) < NEAR]
        active = np.array(list(dict.fromkeys([*inside.tolist(), *near.tolist()])), np.int64)
        if len(inside):
            self._solve_dual(inside, ones, clock)
        elif len(ones):
            self._adopt_dual(ones.tolist(), [1] * len(ones), 1)
        if len(active) and self.least < self.most:
            self._solve_plane(active, np.append(w, b) if self._offset else w, clock)

    def _signed_rows(self, which: NDArray[np.int64]) -> tuple[list[list[int]], int]:
        """Return yᵢ(xᵢ, 1) as integers with a common power of two, and the integer that stands for 1."""
        points, exponent = signed_integers(self._batch, which)
        up, one = max(0, exponent), 1 << max(0, -exponent)
        labels = self._batch.labels[which].tolist()
        offset = [[one * label] if self._offset else [] for label in labels]
        return [[x << up for x in p] + o for p, o in zip(points, offset, strict=True)], one

    def _solve_dual(self, inside: NDArray[np.int64], ones: NDArray[np.int64], clock: Clock) -> None:
        """Solve Σ αᵢyᵢ(xᵢ, 1) = 0, where αᵢ = 1 for the rows `ones` and 0 for all but those `inside`."""
        vectors, _ = self._signed_rows(np.concatenate([inside, ones]))
        free, fixed = vectors[: len(inside)], vectors[len(inside) :]
        rows, columns = independent(free)
        if len(rows) < len(inside):
            return
        right = [-sum(vector[c] for vector in fixed) for c in columns]
        answer = solve([[free[r][c] for r in rows] for c in columns], [right], clock)
        if answer is not None:
            (numbers,), total = _positive(*answer)
            weights = [*numbers, *[total] * len(ones)]
            self._adopt_dual([*inside[rows].tolist(), *ones.tolist()], weights, total)

    def _solve_plane(self, active: NDArray[np.int64], plane: Vector, clock: Clock) -> None:
        """Solve yᵢ(w·xᵢ+b) = 1 for the active rows; weights that are not determined stay as they are."""
        vectors, one = self._signed_rows(active)
        rows, columns = independent(vectors)
        chosen = set(columns)
        kept, exponent = as_dyadic([0.0 if c in chosen else x for c, x in enumerate(plane.tolist())])
        kept, unit = [k << max(0, exponent) for k in kept], 1 << max(0, -exponent)
        right = [one * unit - sum(x * k for x, k in zip(vectors[r], kept, strict=True) if k) for r in rows]
        answer = solve([[vectors[r][c] for c in columns] for r in rows], [right], clock)
        if answer is None:
            return
        (numbers,), denominator = _positive(*answer)
        whole = [k * denominator for k in kept]
        for c, number in zip(columns, numbers, strict=True):
            whole[c] = number
        b = whole.pop() if self._offset else 0
        self._adopt_plane(tuple(whole), b, unit * denominator)

    def _adopt_plane(self, w: tuple[Number, ...], b: Number, divisor: int) -> None:
        part = HingeLoss(w, b, divisor, (), (), 1)
        try:
            loss = total_hinge_loss(self._batch, self._offset, part)
        except ProofRejected:
            return
        if loss < self.most:
            self._plane, self.most = part, loss

    def _adopt_dual(self, rows: list[int], weights: list[int], total: int) -> None:
        kept = [(i, weight) for i, weight in zip(rows, weights, strict=True) if weight]
        part = self._dual._replace(
            rows=tuple(i for i, _ in kept), weights=tuple(weight for _, weight in kept), total=total
        )
        try:
            bound = dual_bound(self._batch, self._offset, part)
        except ProofRejected:
            return
        if bound > self.least:
            self._dual, self.least = part, bound


def _unscale(v: Vector, exponents: NDArray[np.int64], offset: bool) -> tuple[Vector, float]:
    with np.errstate(all="ignore"):
        return np.ldexp(v[: len(exponents)], -exponents), float(v[-1]) if offset else 0.0


def _positive(numerators: list[list[int]], denominator: int) -> tuple[list[list[int]], int]:
    """Return the same fractions with a positive denominator."""
    sign = 1 if denominator > 0 else -1
    return [[sign * number for number in each] for each in numerators], sign * denominator
