"""`mistake_bound`: the perceptron's proved mistake bound, compared with the mistakes of a training run."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt import rules
from rosenblatt.errors import BadInput, ProofRejected, counted
from rosenblatt.geometry import angle, l2_norm
from rosenblatt.numeric.row_batches import Batch, Dense, Sparse
from rosenblatt.proof.clock import Clock
from rosenblatt.proof.findings import check_offset, claims_about, label_rows, prove_margin
from rosenblatt.proof.labelled_rows import LabelledRows, RowsInMemory
from rosenblatt.proof.parts import Gordan
from rosenblatt.proof.proof import Proof
from rosenblatt.proof.separation import check_tolerance, decide
from rosenblatt.proof.verdict import bound_report, rows_cancel, through_origin
from rosenblatt.training.compile_time import Stopwatch
from rosenblatt.training.initial_states import begin
from rosenblatt.training.linear_state import LinearState
from rosenblatt.training.progress import Progress
from rosenblatt.training.run import Plan, run

if TYPE_CHECKING:
    from collections.abc import Callable

    from rosenblatt.kernels import Kernel
    from rosenblatt.proof.feature_space import KernelBound

ROUNDING = 1e-12  # relative rounding error of the formula in doubles
PATIENCE = 5.0  # time limit of the training run in seconds
GLIMPSE = 0.2


@dataclass(frozen=True)
class Bound:
    """Hold the mistake bound of a perceptron run, and the quantities that determine the bound.

    Novikoff's theorem is about w̃ = (w, b) and the points x̃ = (x, 1), so with an offset, `radius` and
    `margin` refer to these points. A row of weight c counts as the point c·x̃. If the rule also updates on
    correct predictions with a small margin, the bound is on its updates, which include all mistakes.

    Parameters
    ----------
    separable : bool or None
        Whether a hyperplane separates the points; None if undecided.
    offset : bool
        Whether the run has an offset.
    radius : float
        The largest norm of a point; with an offset, max √(‖x‖²+1).
    margin : tuple of float
        A proved interval for the largest margin, the maximum over w̃ of min y(w·x+b)/‖w̃‖.
    bound : tuple of float or None
        An interval that contains the bound of the theorem; no run from these initial weights makes more
        mistakes than its upper end. None if there is no bound, or if it is not known.
    mistakes, passes : int
        The numbers of mistakes and complete passes of a training run over the rows in the given order.
    separated : bool
        Whether that run completed a pass without mistakes within its time limit.
    reached : float
        A proved lower bound on the margin of the run's last w̃; 0 if it does not separate the rows.
    proof : Proof
        The proof of `separable` and `margin`.
    updates : int
        The number of updates in the run.
    claims : TwoClaims
        The two inequalities from which the rule's bound follows.
    weighted : bool
        Whether the rows have weights.

    Examples
    --------
    >>> mistake_bound([[0.0], [0.1]], [1, -1]).separable
    True
    """

    separable: bool | None
    offset: bool
    radius: float
    margin: tuple[float, float]
    bound: tuple[float, float] | None
    mistakes: int
    passes: int
    separated: bool
    reached: float
    proof: Proof
    updates: int
    claims: rules.TwoClaims
    weighted: bool

    @property
    def cancelling(self) -> int:
        """Number of rows in the combination that proves that the convex hulls of the classes intersect."""
        return sum(len(part.rows) for part in self.proof.parts if isinstance(part, Gordan))

    def __repr__(self) -> str:
        return f"<Bound: {self.bound}, {counted(self.mistakes, 'mistake')}>"

    def __str__(self) -> str:
        point = "(x, 1)" if self.offset else "x"
        point = f"c·{point}, c the weight of the row" if self.weighted else point
        lifted = "" if point == "x" else f" of the points {point}"
        why = (
            f"is known: it is not decided whether a hyperplane{through_origin(self.offset)} separates them"
        )
        if self.separable is False:
            why = f"exists: {rows_cancel(self.cancelling, self.offset)}"
        return bound_report(self, lifted, "", why)


@overload
def mistake_bound(
    X: Any, y: ArrayLike | None = ..., offset: bool | None = ...,
    init: ArrayLike | tuple[ArrayLike, float] = ..., time_limit: float | None = ...,
    tolerance: float = ..., progress: bool | None = ..., kernel: None = ..., degree: int = ...,
    gamma: float | Literal["scale", "auto"] = ..., coef0: float = ...,
    rule: str | tuple[Any, ...] = ..., sample_weight: ArrayLike | None = ...,
) -> Bound: ...  # fmt: skip


@overload
def mistake_bound(
    X: Any, y: ArrayLike | None = ..., *, offset: bool | None = ...,
    init: ArrayLike | tuple[ArrayLike, float] = ..., time_limit: float | None = ...,
    tolerance: float = ..., progress: bool | None = ...,
    kernel: str | Kernel | Callable[[Any, Any], Any], degree: int = ...,
    gamma: float | Literal["scale", "auto"] = ..., coef0: float = ...,
    rule: str | tuple[Any, ...] = ..., sample_weight: ArrayLike | None = ...,
) -> KernelBound: ...  # fmt: skip


def mistake_bound(
    X: Any,
    y: ArrayLike | None = None,
    offset: bool | None = None,
    init: ArrayLike | tuple[ArrayLike, float] = "zeros",
    time_limit: float | None = None,
    tolerance: float = 1e-2,
    progress: bool | None = None,
    kernel: str | Kernel | Callable[[Any, Any], Any] | None = None,
    degree: int = 3,
    gamma: float | Literal["scale", "auto"] = "scale",
    coef0: float = 1.0,
    rule: str | tuple[Any, ...] = "rosenblatt",
    sample_weight: ArrayLike | None = None,
) -> Bound | KernelBound:
    """Return the proved bound (radius/margin)² on a perceptron's mistakes, and those of a training run.

    From w₀ ≠ 0, the bound is the largest t with t·margin + w₀·w* ≤ √(‖w₀‖² + t·radius²), where w* is the
    unit vector with the largest margin. With a learning rate η, w₀ is replaced by w₀/η. For a rule that
    updates on functional margins up to a threshold τ, the bound is on updates; from w₀ = 0 it is (radius² +
    2τ/η)/margin². With a kernel, the bound is max K(x, x)/margin², with the margin in the kernel's feature
    space.

    Parameters
    ----------
    X : array-like, sparse matrix, table or source
        The rows. Without `y`, a source from `read` or the result of `cluster.rows(…)`; then the rows need
        not fit into memory, and the time limit may end the training run within a pass.
    y : array-like of shape (n_rows,), default=None
        Their labels, of two classes.
    offset : bool or None, default=None
        Whether the perceptron has an offset; None means True without a kernel and False with a kernel.
    init : {"zeros", "unit"}, array or (array, float), default="zeros"
        The initial weights, as in `Perceptron`.
    time_limit : float or None, default=None
        The time limit of the proof in seconds.
    tolerance : float, default=1e-2
        The search ends when the relative width of the interval for the margin is at most this number.
    progress : bool or None, default=None
        None shows progress on a terminal after two seconds; True always; False never.
    kernel : str, kernel object, callable or None, default=None
        The kernel of a `KernelPerceptron`.
    degree : int, default=3
        The degree of a polynomial kernel given by its name.
    gamma : float, "scale" or "auto", default="scale"
        The gamma of a kernel given by its name.
    coef0 : float, default=1.0
        The constant of a polynomial kernel given by its name.
    rule : str or rule object, default="rosenblatt"
        A rule with a mistake bound (see `rules.two_claims`).
    sample_weight : array-like of shape (n_rows,), default=None
        The weights of the rows. A row of weight c counts as the point c·x (c·(x, 1) with an offset); rows
        of weight 0 are left out.

    Returns
    -------
    Bound or KernelBound
        The bound; a `KernelBound` with a kernel.

    Raises
    ------
    BadInput
        If the rule has no such bound, or the data cannot be used.

    References
    ----------
    Novikoff, "On convergence proofs on perceptrons" (1962).

    Examples
    --------
    >>> bound = mistake_bound([[0.0], [0.1]], [1, -1])
    >>> bound.mistakes, [round(end) for end in bound.bound]
    (203, [405, 405])
    >>> margin = mistake_bound([[2, 1], [0, 2]], [1, -1], rule="margin")
    >>> [round(end, 4) for end in margin.bound], str(margin).splitlines()[1]
    ([6.4762, 6.4762], 'Bound on updates, and so on mistakes: 6.47619, in any order of the points.')
    >>> xor = [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    >>> bound = mistake_bound(xor, [0, 1, 1, 0], kernel="polynomial", degree=2, gamma=1.0)
    >>> [round(end, 6) for end in bound.margin], [round(end, 6) for end in bound.bound]
    ([1.414214, 1.414214], [4.5, 4.5])
    """
    check_tolerance(tolerance)
    offset = kernel is None if offset is None else offset
    check_offset(offset)
    if y is None and (kernel is not None or sample_weight is not None):
        what = "kernel" if kernel is not None else "sample_weight"
        raise BadInput(f"{what}: needs all rows in memory; give X and y")
    rules.two_claims(rule)  # raises an error for a rule without a bound before any row is read
    with Progress(progress, None, "steps") as bar:
        clock = Clock(time_limit, bar)
        rows = label_rows(X, y, sample_weight)
        claims = claims_about(rows.importance, rule)
        if kernel is not None:
            assert isinstance(rows, RowsInMemory)
            if not (isinstance(init, str) and init == "zeros"):
                raise BadInput(
                    "init: with a kernel w starts at zero and has no weights to set; leave init out"
                )
            from rosenblatt.kernels import as_kernel
            from rosenblatt.proof.feature_space import kernel_bound

            kernel = as_kernel(kernel, degree, gamma, coef0, rows=rows.batch.rows)
            found = kernel_bound(rows.batch, kernel, offset, tolerance, clock, PATIENCE, rule)
            if found.contradiction is None or sample_weight is None:
                return found
            present = np.flatnonzero(np.asarray(sample_weight))  # rows of weight 0 are not in the batch
            one, other = (int(present[row]) for row in found.contradiction)
            return replace(found, contradiction=(one, other))
        state = begin(rows.n_features, rule, offset=offset, init=init)
        points = rows.transform(_lift if offset else _times_weights, rows.n_features + offset)
        verdict = decide(points, False, tolerance, clock)
    # a run that provably never ends is kept short
    patience = min(GLIMPSE, PATIENCE) if verdict.separable is False else PATIENCE
    converged = _real_run(state, rows, min(patience, clock.seconds_left), progress)
    start, w = (state.start, state.current()) if offset else (state.start[:-1], state.current()[:-1])
    bound = None
    if verdict.separable:
        assert verdict.hyperplane is not None
        bound = _bound(claims, start, verdict.radius, verdict.margin, verdict.hyperplane[0])
    return Bound(
        separable=verdict.separable,
        offset=offset,
        radius=verdict.radius,
        margin=verdict.margin,
        bound=bound,
        mistakes=state.mistakes,
        passes=state.epochs,
        separated=converged,
        reached=_margin_of(points, w),
        proof=verdict.proof,
        updates=state.updates,
        claims=claims,
        weighted=sample_weight is not None,
    )


def _times_weights(batch: Batch) -> Batch:
    """Return the batch of points c·x, where c is the weight of the row."""
    if not batch.importance.size:
        return batch
    weights = batch.importance
    if isinstance(batch.rows, Dense):
        return replace(batch, rows=Dense(np.ascontiguousarray(batch.rows.values * weights[:, None])))
    starts = batch.rows.starts.astype(np.int64)
    counts = starts[1:] - starts[:-1]
    return replace(batch, rows=batch.rows._replace(values=batch.rows.values * np.repeat(weights, counts)))


def _lift(batch: Batch) -> Batch:
    """Return the batch of points c·(x, 1), where c is the weight of the row."""
    rows: Dense | Sparse
    if isinstance(batch.rows, Dense):
        values = batch.rows.values
        rows = Dense(np.column_stack([values, np.ones(batch.n_rows, values.dtype)]))
        return _times_weights(Batch(rows, batch.labels, batch.importance))
    from scipy.sparse import csr_array, hstack

    from rosenblatt.numeric.blocks import block
    from rosenblatt.numeric.row_batches import as_rows

    matrix = block(batch.rows, slice(0, batch.n_rows))
    ones = csr_array(np.ones((batch.n_rows, 1)))
    rows = as_rows(hstack([matrix, ones], format="csr"))
    return _times_weights(Batch(rows, batch.labels, batch.importance))


def _bound(
    claims: rules.TwoClaims,
    start: NDArray[np.float64],
    radius: float,
    margin: tuple[float, float],
    w: NDArray[np.float64],
) -> tuple[float, float]:
    """Return a lower and an upper end for the theorem's bound, because w* is known only approximately."""
    low, high = margin
    norm = l2_norm(start)
    apart_from_start = angle(start, w) if norm else 0.0
    # margin·w* is in the hull of the points, where w·x/‖w‖ ≥ low; hence w·w*/‖w‖ ≥ low/high
    apart = math.acos(min(1.0, low / high))
    farthest = norm * math.cos(max(0.0, apart_from_start - apart))
    nearest = norm * math.cos(min(math.pi, apart_from_start + apart))
    least = claims.most_updates(radius, high, farthest, norm**2)
    most = claims.most_updates(radius, low, nearest, norm**2)
    return min(least * (1.0 - ROUNDING), sys.float_info.max), most * (1.0 + ROUNDING)


def _real_run(state: LinearState, rows: LabelledRows, patience: float, progress: bool | None) -> bool:
    """Train in the given order until a pass makes no mistake or the time limit is reached.

    Return whether the last pass was complete and without mistakes. If the rows are not in memory, the time
    limit may end the run in the middle of a pass.
    """
    watch = Stopwatch()

    def is_over(_: Any = None) -> bool:
        return watch.learning > patience

    if isinstance(rows, RowsInMemory):
        plan = Plan(epochs=None, until="separated", order="given", callbacks=[is_over], progress=progress)
        return run(state, rows.batch, plan).has_converged
    part = Plan(epochs=1, order="given", has_all_rows=False)
    while True:
        before = state.mistakes
        for batch in rows:
            for _ in state.on(batch, part).one_pass("given"):
                pass
            if is_over():
                return False
        state.epochs += 1
        if state.mistakes == before:
            return True


def _margin_of(points: LabelledRows, w: NDArray[np.float64]) -> float:
    """Return a proved lower bound on the margin of w on all points; 0 if w does not separate them."""
    if not np.isfinite(w).all():
        return 0.0
    try:
        margin, _ = prove_margin(points, False, tuple(w.tolist()), 0.0)
    except ProofRejected:
        return 0.0
    return 0.0 if math.isinf(margin) else margin
