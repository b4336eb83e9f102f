"""Polynomial least squares, solved in the Chebyshev basis.

Minimise Σ s·(y − w·φ(x))² + λ‖w‖², with φ(x) = 1, x, …, x^degree for each column. Let c be the coefficients
of the same polynomial in the Chebyshev basis T, so that w = M·c. Then c solves the least-squares problem

    √S·T·c ≈ √S·y,    √λ·M·c ≈ 0.

T is well conditioned, but the rows of M differ by many powers of ten. QR with column pivoting, with the
rows sorted by decreasing size, has an error in each row that is small relative to that row (Cox and Higham,
Stability of Householder QR factorization for weighted least squares problems, 1998).

If λ = 0 and several w attain the minimum, a tiny λ selects the shortest one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular

from rosenblatt.course.foundations.chebyshev import ChebyshevSum, Interval, chebyshev_rows, powers_of
from rosenblatt.errors import BadInput

VANISHING = 1e-40  # tiny penalty, relative to the largest entry of the rows
NOTHING = 8 * np.finfo(np.float64).eps  # coefficients that contribute less to f are rounding errors

Doubles = NDArray[np.float64]


class Minimiser(NamedTuple):
    """The coefficients w, and the same polynomial in the Chebyshev basis."""

    w: Doubles
    curve: ChebyshevSum


class Problem:
    """Hold weighted rows, and compute the minimiser for any λ.

    >>> x = np.array([[0.0], [1.0], [2.0]])
    >>> problem = Problem(x, np.array([1.0, 2.0, 5.0]), np.ones(3), [Interval(1.0, 1.0)], degree=2)
    >>> problem.minimiser(l2=0.0).w.round(12)
    array([1., 0., 1.])
    """

    def __init__(
        self, X: Doubles, y: Doubles, weight: Doubles, intervals: Sequence[Interval], degree: int
    ) -> None:
        self.intervals, self.degree = tuple(intervals), degree
        self._powers, self._exponents = powers_of(intervals, degree)
        root = np.sqrt(weight)
        rows = chebyshev_rows(X, intervals, degree) * root[:, None]
        # reduce to independent rows: other directions contain only rounding errors
        left, sizes, right = np.linalg.svd(rows, full_matrices=False)
        kept = sizes > sizes.max() * max(rows.shape) * np.finfo(np.float64).eps
        self._rows, self._y = sizes[kept, None] * right[kept], left.T[kept] @ (root * y)

    def minimiser(self, l2: float) -> Minimiser:
        """Return the w that minimises Σ s·(y − w·φ(x))² + l2·‖w‖²."""
        n, n_terms = self._rows.shape
        rows, targets = self._rows, self._y
        if l2 > 0.0 or n < n_terms:
            with np.errstate(over="ignore"):
                penalty = np.ldexp(self._powers, -self._exponents[:, None])
            largest = np.abs(penalty).max()
            if not np.isfinite(largest):
                raise BadInput("X: its powers are beyond the largest double; scale the columns")
            factor = np.sqrt(l2) if l2 > 0.0 else VANISHING * np.abs(rows).max() / largest
            rows = np.vstack([factor * penalty, rows])
            targets = np.concatenate([np.zeros(n_terms), targets])
        c = _solve(rows, targets)
        c += _solve(rows, targets - rows @ c)  # one step of iterative refinement
        w = self._powers @ c
        w[np.abs(w) <= NOTHING * n_terms * np.abs(c).max(initial=0.0)] = 0.0
        with np.errstate(over="ignore", under="ignore"):
            return Minimiser(np.ldexp(w, -self._exponents), ChebyshevSum(self.intervals, c))


def _solve(rows: Doubles, targets: Doubles) -> Doubles:
    """Return the least-squares solution c of rows·c ≈ targets, for rows of full column rank."""
    order = np.argsort(-np.abs(rows).max(axis=1), kind="stable")
    q, r, pivots = qr(rows[order], mode="economic", pivoting=True)
    if not np.diag(r).all():  # the penalty underflows
        return np.asarray(np.linalg.lstsq(rows, targets, rcond=None)[0])
    c = np.empty(rows.shape[1])
    c[pivots] = solve_triangular(r, q.T @ targets[order])
    return c
