"""Separating hyperplanes by linear programming, for comparison with `separate`."""

from __future__ import annotations

import math
import time
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.errors import bad_value
from rosenblatt.numeric.agreements import agreement_signs
from rosenblatt.numeric.blocks import block
from rosenblatt.numeric.integers import to_doubles
from rosenblatt.numeric.row_batches import Batch, n_rows, tie_label
from rosenblatt.proof.findings import check_offset, label_in_memory
from rosenblatt.proof.part_numbers import whole_hyperplane

SIMPLE = 10**6  # the largest denominator of the fractions tried in place of the solver's doubles


class Halfspace(NamedTuple):
    """Hold the solver's result, and whether exact arithmetic confirms it.

    A solver's status code proves nothing; `separate` returns a proof.

    Parameters
    ----------
    found : bool or None
        True if the solver found a hyperplane, False if it reported that there is none, None if it gave up.
    w : ndarray of shape (n_features,)
        The weights that the solver found; zeros if it found none.
    b : float
        The offset that the solver found; 0 if it found none.
    consistent : bool
        Whether every point is on the side of its class, in exact arithmetic. A point with w·x + b = 0 is on
        the side of the class that `tie` names; if `tie` is "mistake", it is on neither side.
    status : str
        The solver's message.
    seconds : float
        The run time of the solver.
    tie : str, default="mistake"
        The prediction for a score of 0.

    Examples
    --------
    >>> halfspace_by_lp([[0.0], [3.0]], [-1, 1]).consistent
    True
    """

    found: bool | None
    w: NDArray[np.float64]
    b: float
    consistent: bool
    status: str
    seconds: float
    tie: Literal["mistake", "negative", "positive"] = "mistake"


def halfspace_by_lp(
    X: Any,
    y: ArrayLike,
    offset: bool = True,
    time_limit: float | None = None,
    tie: Literal["mistake", "negative", "positive"] = "mistake",
) -> Halfspace:
    """Use linear programming (HiGHS) to find a hyperplane (w, b) with each class on its own side.

    By default the separation is strict: yᵢ(w·xᵢ+b) ≥ 1 for all rows. Any strict separator can be scaled to
    satisfy this, so the program is feasible if and only if the data are separable, up to the tolerances of
    HiGHS. With tie="positive" the conditions are w·x + b ≥ 0 for the second class and w·x + b < 0 (scaled:
    ≤ −1) for the first, as in lecture notes `000`; with tie="negative" the conditions are > 0 and ≤ 0. With
    an offset, the three programs are equivalent, since b can be moved slightly, and the strict one is
    solved.

    Parameters
    ----------
    X : array-like, sparse matrix or table of shape (n_rows, n_features)
        The rows.
    y : array-like of shape (n_rows,)
        Their labels, of two classes.
    offset : bool, default=True
        Whether hyperplanes have an offset; without one, they contain the origin.
    time_limit : float or None, default=None
        The time limit of the solver in seconds.
    tie : {"mistake", "negative", "positive"}, default="mistake"
        The prediction for a score of 0.

    Returns
    -------
    Halfspace
        The solver's result and its exact check.

    Raises
    ------
    BadInput
        If there are more than two classes, or a parameter is out of range.

    Examples
    --------
    >>> line = halfspace_by_lp([[0.0], [1.0], [3.0]], [-1, -1, 1])
    >>> line.found, line.consistent
    (True, True)
    >>> halfspace_by_lp([[0.0], [1.0], [3.0]], [-1, 1, -1]).found
    False
    >>> X, y = [[0.0, 1.0], [0.0, -1.0], [-1.0, 0.5]], [1, 1, -1]
    >>> [halfspace_by_lp(X, y, offset=False, tie=tie).consistent for tie in ("mistake", "positive")]
    [False, True]
    """
    from scipy.optimize import linprog

    if time_limit is not None and not (isinstance(time_limit, (int, float)) and time_limit > 0):
        raise bad_value("time_limit", time_limit, "a positive number of seconds, or None for no limit")
    check_offset(offset)
    answered = tie_label(tie)
    batch = label_in_memory(X, y).batch
    began = time.perf_counter()
    labels = batch.labels.astype(np.float64)
    matrix = block(batch.rows, slice(0, n_rows(batch.rows)))
    ones = np.full((batch.n_rows, 1), float(offset))
    if isinstance(matrix, np.ndarray):
        constraints = -labels[:, None] * np.hstack([matrix, ones])
    else:
        from scipy.sparse import csr_array, hstack

        constraints = hstack([matrix, csr_array(ones)]).multiply(-labels[:, None]).tocsr()
    d = batch.n_features + 1
    may_be_zero = labels == answered
    result = linprog(
        np.zeros(d),
        A_ub=constraints,
        b_ub=np.where(may_be_zero & (not offset), 0.0, -1.0),
        bounds=(None, None),
        method="highs",
        options={} if time_limit is None else {"time_limit": float(time_limit)},
    )
    seconds = time.perf_counter() - began
    solution = np.zeros(d) if result.x is None else np.asarray(result.x) + 0.0  # no negative zeros
    found = {0: True, 2: False}.get(result.status)
    if not offset:
        solution[-1] = 0.0
    consistent = False
    if found and np.isfinite(solution).all():
        consistent = _is_consistent(batch, offset, solution, may_be_zero)
        if not consistent and not offset and may_be_zero.any():
            # 1/3 is rounded, which can change a score of exactly 0; 3·w is not
            simple = _simple(solution)
            consistent = _is_consistent(batch, offset, simple, may_be_zero)
            solution = simple if consistent else solution
    return Halfspace(
        found, solution[:-1], float(solution[-1]), consistent, str(result.message), seconds, tie
    )


def _is_consistent(
    batch: Batch, offset: bool, solution: NDArray[np.float64], may_be_zero: NDArray[np.bool_]
) -> bool:
    *w, b = solution.tolist()
    signs = agreement_signs(batch, whole_hyperplane(batch.n_features, offset, tuple(w), b))
    return bool(((signs > 0) | (may_be_zero & (signs == 0))).all())


def _simple(solution: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return an integer vector in nearly the same direction.

    Examples
    --------
    >>> _simple(np.array([1 / 3, 0.5, 0.0])).tolist()
    [2.0, 3.0, 0.0]
    """
    fractions = [Fraction(number).limit_denominator(SIMPLE) for number in solution.tolist()]
    common = math.lcm(*(fraction.denominator for fraction in fractions))
    return to_doubles([int(fraction * common) for fraction in fractions])
