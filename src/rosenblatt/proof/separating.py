"""Prove whether two classes can be separated, and by what margin (`separate`).

Searches propose and exact arithmetic decides: the result of a search counts only after `verify`'s own
functions have established it, so rounding can cost time but never correctness. The searches, in the order
of their cost:

1. trivial cases: one class only; the same point with both labels;
2. Wolfe's method in floating point on the points as they are (`nearest`), which also gives the margin;
3. the same with every column scaled to the same size, which decides some cases that 2 cannot;
4. Wolfe's method in whole numbers (`exactly`), which always decides.

If nothing separates, facial reduction distinguishes quasi-separation from overlap (`faces`), and whether
a w without mistakes exists if a score of 0 is a prediction (`ties`).
"""

from __future__ import annotations

import threading
from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.arithmetic.blocks import with_columns
from rosenblatt.arithmetic.examples import Batch, Sparse, take
from rosenblatt.arithmetic.integers import as_doubles
from rosenblatt.engine.threads import one_blas_thread
from rosenblatt.errors import bad_value
from rosenblatt.learning.progress import Progress
from rosenblatt.proof import faces
from rosenblatt.proof.clock import Clock, TimeIsUp
from rosenblatt.proof.clouds import Framed, column_exponents
from rosenblatt.proof.duplicates import refuted_at_a_glance
from rosenblatt.proof.exactly import nearest_exactly
from rosenblatt.proof.findings import Findings, check_offset, labelled
from rosenblatt.proof.nearest import ZERO, Nearest, Search
from rosenblatt.proof.nullspace import cancelling_weights, lifted_integers
from rosenblatt.proof.proof import Gordan
from rosenblatt.proof.ties import cancelling_class, weakly_separable
from rosenblatt.proof.verdict import Verdict

ZEROS = (1e-9, 1e-11, 1e-13)
"""Below these parts of the longest point, ‖z‖ is asked whether it is 0; exact arithmetic answers."""


BLACKBOARD = 256
"""Data of so few numbers get their exact margin, which costs nothing there, whatever the tolerance."""


def separate(
    X: Any,
    y: ArrayLike | None = None,
    offset: bool = True,
    time_limit: float | None = None,
    tolerance: float = 1e-2,
    progress: bool | None = None,
) -> Verdict:
    """Prove whether a hyperplane separates two classes, and by what margin.

    Parameters
    ----------
    X : array-like, sparse matrix, table or source
        The rows; or a source from `read`, without `y`, whose rows need not fit into memory (see
        `separating_pieces`).
    y : array-like of shape (n_rows,), default=None
        Their labels, of two classes (or one).
    offset : bool, default=True
        Whether hyperplanes w·x + b = 0 may miss the origin.
    time_limit : float or None, default=None
        Seconds after which the facts proved so far are returned; Ctrl-C does the same.
    tolerance : float, default=1e-2
        The relative width of the interval for the margin at which the search ends; 0 requests the exact
        value.
    progress : bool or None, default=None
        None shows progress on a terminal after two seconds; True always; False never.

    Returns
    -------
    Verdict
        The facts with their proof; prints as a report.

    Raises
    ------
    BadInput
        If there are more than two classes, or the data cannot be used.

    Examples
    --------
    >>> verdict = separate([[0.0, 0.0], [4.0, 3.0]], ["a", "b"])
    >>> verdict.separable, verdict.margin
    (True, (2.5, 2.5))
    >>> xor = [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    >>> print(separate(xor, [0, 1, 1, 0]))
    The classes 0 and 1 cannot be separated by a hyperplane (4 rows of 2 features): they overlap.
    4 rows prove that the convex hulls of the classes intersect, so no hyperplane separates them: 0,
    1, 2, 3. Rows are counted from 0.
    The farthest point is 1.41421 from the origin.
    The perceptron never stops making mistakes on them, however a score of 0 is counted.
    A logistic regression on these data has a finite estimate.
    """
    check_tolerance(tolerance)
    check_offset(offset)
    with Progress(progress, None, "steps") as bar:
        clock = Clock(time_limit, bar)
        if y is None:
            from rosenblatt.proof.separating_pieces import settled_in_pieces

            return settled_in_pieces(X, bool(offset), float(tolerance), clock)
        batch, classes = labelled(X, y)
        return settled(Findings(batch, bool(offset), classes), float(tolerance), clock)


def check_tolerance(tolerance: Any) -> None:
    """Raise an error unless the tolerance is a relative width of at least 0 and below 1."""
    if not isinstance(tolerance, (int, float)) or not 0.0 <= tolerance < 1.0:
        raise bad_value("tolerance", tolerance, "a relative width of at least 0 and below 1")


def settled(findings: Findings, tolerance: float, clock: Clock) -> Verdict:
    """Search until everything is proved, the time is over, or Ctrl-C is pressed.

    Matrix products use one thread, so that the proof does not depend on the number of threads of the
    BLAS; they are also too short to be shared. Callers that search in several threads ensure this
    themselves.
    """
    ended = "proved"
    is_alone = threading.current_thread() is threading.main_thread()
    try:
        with one_blas_thread() if is_alone else nullcontext():
            _search(findings, tolerance, clock)
    except TimeIsUp:
        ended = "time"
    except faces.TooLarge:
        ended = "size"
    except KeyboardInterrupt:
        ended = "interrupted"
    return findings.verdict(clock.elapsed, ended)


def _search(findings: Findings, tolerance: float, clock: Clock) -> None:
    batch, offset = findings.batch, findings.offset
    if offset and (batch.labels == batch.labels[0]).all():
        findings.add_separator((0.0,) * batch.n_features, float(batch.labels[0]))
        return
    glance = refuted_at_a_glance(batch, offset)
    columns = column_exponents(batch)
    if glance is not None:
        findings.gordan = glance
    else:
        clock.check()
        same = np.full_like(columns, columns.max())
        _float_search(findings, Framed(batch, offset, same), tolerance, clock, is_metric=True)
        if findings.separable is None and (columns != same).any():
            _float_search(findings, Framed(batch, offset, columns), tolerance, clock, is_metric=False)
        is_needed = findings.separable is None or findings.is_wider_than(tolerance)
        is_cheap = batch.n_rows * batch.n_features <= BLACKBOARD and findings.is_wider_than(0.0)
        if is_needed or is_cheap:
            _exact_search(findings, is_needed, clock)
    if findings.gordan is not None:
        findings.kind_part = faces.overlap_or_not(batch, offset, columns, findings.gordan, clock)
        if not offset and cancelling_class(batch, findings.gordan) is not None:
            findings.is_weak = weakly_separable(batch, findings.gordan, findings.kind_part, clock)


def _float_search(
    findings: Findings, cloud: Framed, tolerance: float, clock: Clock, is_metric: bool
) -> None:
    """Run Wolfe's method in one frame. A frame that stretches columns decides, but gives no margin."""
    search = Search(cloud, clock)
    found: Nearest | None = None
    try:
        for zero in ZEROS:
            for found in search.run(max(tolerance, 1e-6), zero):
                findings.propose(found, cloud, is_metric)
            if found is None or found.status != ZERO:
                break
            gordan = cancelling(findings.batch, findings.offset, found.rows, clock)
            if gordan is not None:
                findings.gordan = gordan
                return
    finally:
        findings.settle_proposals()


def cancelling(batch: Batch, offset: bool, rows: NDArray[np.int64], clock: Clock) -> Gordan | None:
    """Return positive weights with which these rows sum to zero exactly, or None."""
    those = Batch(take(batch.rows, rows), batch.labels[rows], batch.importance)
    if isinstance(those.rows, Sparse):
        those = with_columns(those, np.unique(those.rows.indices).astype(np.int64))
    weights = cancelling_weights(lifted_integers(those, offset, np.arange(len(rows))), clock)
    if weights is None:
        return None
    kept = [(int(i), weight) for i, weight in zip(rows, weights, strict=True) if weight]
    return Gordan(tuple(i for i, _ in kept), tuple(weight for _, weight in kept))


def _exact_search(findings: Findings, is_needed: bool, clock: Clock) -> None:
    """Find the exact nearest points.

    If they are not needed to decide, a hyperplane in doubles is preferred to an exact one.
    """
    batch, offset = findings.batch, findings.offset
    found = nearest_exactly(batch, offset, findings.last_rows, findings.last_weights, clock)
    if found.is_zero:
        findings.gordan = Gordan(tuple(found.rows.tolist()), tuple(found.weights))
        return
    up, down = max(0, found.exponent), max(0, -found.exponent)
    level = sum(found.levels[1:], -found.levels[0]) if len(found.levels) == 2 else 0
    # w = 2z and b = μ₋ − μ₊ (over 2^exponent) is midway between the classes
    whole = [*(2 * number << down for number in found.z), level << up]
    numbers = as_doubles(whole)
    if numbers is not None or is_needed:
        *w, b = numbers or whole
        findings.add_separator(tuple(w), b)
    findings.add_combination(found.rows, found.weights)
