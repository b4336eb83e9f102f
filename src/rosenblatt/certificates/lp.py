"""A consistent halfspace by linear programming: the other way (M14), and a cross-check of `separate`."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.arithmetic.blocks import block
from rosenblatt.certificates.findings import check_offset, labelled
from rosenblatt.certificates.proof import Separator
from rosenblatt.certificates.verify import separator_margin
from rosenblatt.errors import ProofRejected, bad_value
from rosenblatt.examples import n_rows


class Halfspace(NamedTuple):
    """What the solver answers, and whether it is true.

    found: what the solver says: True, False (infeasible), or None (it gave up). consistent: whether (w, b)
    really has every point strictly on its side, by exact arithmetic. A status code proves nothing;
    `separate` does.
    """

    found: bool | None
    w: NDArray[np.float64]
    b: float
    consistent: bool
    status: str
    seconds: float


def halfspace_by_lp(
    X: Any, y: ArrayLike, offset: bool = True, time_limit: float | None = None
) -> Halfspace:
    """Find (w, b) with yᵢ(w·xᵢ+b) ≥ 1 for all rows, as a linear program, through HiGHS.

    Any strict separator can be scaled to one that has this, so the program is feasible if and only if the
    data are separable; HiGHS answers up to its own tolerances.

    >>> line = halfspace_by_lp([[0.0], [1.0], [3.0]], [-1, -1, 1])
    >>> line.found, line.consistent
    (True, True)
    >>> halfspace_by_lp([[0.0], [1.0], [3.0]], [-1, 1, -1]).found
    False
    """
    from scipy.optimize import linprog

    if time_limit is not None and not (isinstance(time_limit, (int, float)) and time_limit > 0):
        raise bad_value("time_limit", time_limit, "a positive number of seconds, or None for no limit")
    check_offset(offset)
    batch, _ = labelled(X, y)
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
    result = linprog(
        np.zeros(d),
        A_ub=constraints,
        b_ub=np.full(batch.n_rows, -1.0),
        bounds=(None, None),
        method="highs",
        options={} if time_limit is None else {"time_limit": float(time_limit)},
    )
    seconds = time.perf_counter() - began
    solution = np.zeros(d) if result.x is None else np.asarray(result.x)
    found = {0: True, 2: False}.get(result.status)
    w, b = solution[:-1], float(solution[-1]) if offset else 0.0
    consistent = False
    if found and np.isfinite(solution).all():
        with suppress(ProofRejected):
            separator_margin(batch, offset, Separator(tuple(w.tolist()), b, 0.0))
            consistent = True
    return Halfspace(found, w, b, consistent, str(result.message), seconds)
