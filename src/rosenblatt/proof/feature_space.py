"""The mistake bound in the feature space of a kernel: max K̃(x, x)/γ², with γ computed from kernel values.

K̃ is the kernel K, or K + 1 with an offset, and φ maps a row to the feature space of K̃. γ is the largest
margin in feature space: the maximum over w of min yᵢ⟨w, φ(xᵢ)⟩/‖w‖. With Qᵢⱼ = yᵢyⱼK̃(xᵢ, xⱼ), every λ ≥ 0
that sums to 1 proves an interval for γ:

    min (Qλ)ᵢ/√(λᵀQλ) ≤ γ ≤ √(λᵀQλ).

Wolfe's method (`nearest_points`) finds λ for a working set of rows, represented by points with the same
Gram matrix. The two ends of the interval are then computed from the kernel values of all rows, and widened
by the rounding error of these kernel values.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt import kernels, rules
from rosenblatt.errors import BadInput, counted
from rosenblatt.loops.column_targets import Classes
from rosenblatt.numeric.integers import common_exponent
from rosenblatt.numeric.row_batches import Batch, Dense, n_features, take
from rosenblatt.numeric.rows import ROUNDING
from rosenblatt.proof.clock import Clock, TimeIsUp
from rosenblatt.proof.duplicates import opposite_duplicates
from rosenblatt.proof.findings import claims_about
from rosenblatt.proof.labelled_rows import RowsInMemory
from rosenblatt.proof.nearest_points import Search, Vector
from rosenblatt.proof.separation import decide
from rosenblatt.proof.verdict import RowNames, bound_report, through_origin
from rosenblatt.training.backends import OnHost
from rosenblatt.training.compile_time import Stopwatch
from rosenblatt.training.dual.dual_state import DualState, block_values, overflow
from rosenblatt.training.dual.support import as_matrix, with_squares
from rosenblatt.training.many_batch import ManyBatch
from rosenblatt.training.run import Plan, run
from rosenblatt.training.scoring import part_of

FIRST_SAMPLE = 1000
WORST = 500  # rows added to the working set after each pass over all rows
MOST_WORKING = 6000
GLIMPSE = 0.2  # time limit in seconds of a training run that provably never ends
BLOCK = 512
WRITTEN_OUT = 1000  # the largest number of monomials for which separability is decided exactly
WHOLE = 2.0**53


@dataclass(frozen=True)
class KernelBound:
    """Hold the mistake bound of a kernel perceptron that starts at zero, with its radius and margin.

    As in `Bound`, a row of weight c counts as the point c·φ(x), and the bound is on updates if the rule
    also updates on correct predictions.

    Parameters
    ----------
    kernel : kernel object
        The kernel with its parameters as numbers.
    separable : bool or None
        Whether a hyperplane in feature space separates the points; None if undecided.
    offset : bool
        Whether the run has an offset.
    radius : float
        An upper bound on √(max K(x, x)), or on √(max K(x, x) + 1) with an offset, equal up to rounding
        errors.
    margin : tuple of float
        A proved interval for the largest margin in feature space. For a custom kernel the proof assumes
        that kernel values have a relative error of at most 1e-11.
    bound : tuple of float or None
        An interval that contains the bound; None if no positive margin is proved.
    mistakes, passes : int
        The numbers of mistakes and complete passes of a training run over the rows in the given order.
    separated : bool
        Whether that run completed a pass without mistakes within its time limit.
    reached : float
        A proved lower bound on the margin of the run's last w; 0 if w does not separate the rows.
    updates : int
        The number of updates in the run.
    claims : TwoClaims
        The two inequalities from which the rule's bound follows.
    contradiction : tuple of int or None, default=None
        Two equal rows with different labels, if there are any: no kernel separates them. Without such rows,
        a Gaussian or Laplacian kernel separates all rows, because the Gram matrix of different rows is
        positive definite (Micchelli 1986); then `separable` is True even if `margin` starts at 0.

    Examples
    --------
    >>> from rosenblatt import mistake_bound
    >>> xor = [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    >>> mistake_bound(xor, [0, 1, 1, 0], kernel="polynomial", degree=2, gamma=1.0).separable
    True
    """

    kernel: Any
    separable: bool | None
    offset: bool
    radius: float
    margin: tuple[float, float]
    bound: tuple[float, float] | None
    mistakes: int
    passes: int
    separated: bool
    reached: float
    updates: int
    claims: rules.TwoClaims
    contradiction: tuple[int, int] | None = None

    def __repr__(self) -> str:
        return f"<KernelBound: {self.bound}, {counted(self.mistakes, 'mistake')}>"

    def __str__(self) -> str:
        place = through_origin(self.offset)
        where = f" in the feature space of the {kernels.name_of(self.kernel)} kernel"
        fate = f"exists: no hyperplane{place} separates them" if self.separable is False else "is known"
        why = f"{fate}{where}; the largest margin{place} is at most {self.margin[1]:.3g}"
        if self.contradiction is not None:
            names = RowNames()
            why = f"exists. {names.equal(self.contradiction)} {names.said[:-1]}"
        elif self.separable and self.bound is None:
            why = (
                f"is known{where}. A hyperplane{place} separates the points there, because no two equal "
                f"rows have different labels; its largest margin is at most {self.margin[1]:.3g}"
            )
        return bound_report(self, " of the points (φ(x), 1)" if self.offset else "", where, why)


class Widest(NamedTuple):
    """Hold the proved interval for the largest margin in feature space, and a separator with margin `low`.

    The separator is w* = Σ coefficients·φ(x) over `rows`, of unit length up to rounding; `rows` is empty if
    no separator was found. `separable` is None if undecided. `contradiction` is as in `KernelBound`.
    """

    separable: bool | None
    radius: float
    low: float
    high: float
    rows: NDArray[np.int64]
    coefficients: Vector
    contradiction: tuple[int, int] | None = None


def widest_separator(
    batch: Batch, kernel: Any, offset: bool, tolerance: float, clock: Clock
) -> tuple[Widest, _Space]:
    """Return the separator with the largest margin found within the time limit, and the feature space.

    All rows must be finite and belong to two classes.
    """
    space = _Space(batch, kernel, offset)
    none = np.empty(0, np.int64), np.empty(0)
    found = Widest(None, space.radius, 0.0, space.radius, *none)
    equal = opposite_duplicates(batch)
    if space.smallest2 == 0.0 or equal is not None:
        space.check_zero_rows()
        return found._replace(separable=False, high=0.0, contradiction=equal), space
    try:
        for narrower in _narrowing(space, tolerance, clock):
            found = narrower
            clock.check()
    except (TimeIsUp, KeyboardInterrupt):
        pass
    if found.low > 0.0:
        return found._replace(separable=True), space
    separates_different_rows = isinstance(kernel, (kernels.Gaussian, kernels.Laplacian))
    is_separable = True if separates_different_rows else _by_monomials(batch, kernel, offset, clock)
    return Widest(is_separable, space.radius, found.low, found.high, *none), space


def kernel_bound(
    batch: Batch,
    kernel: Any,
    offset: bool,
    tolerance: float,
    clock: Clock,
    patience: float,
    rule: Any = "rosenblatt",
) -> KernelBound:
    """Return the bound, and the results of a training run that lasts at most `patience` seconds.

    All rows must be finite and belong to two classes.
    """
    claims = claims_about(batch.importance, rule)
    found, space = widest_separator(batch, kernel, offset, tolerance, clock)
    patience = min(patience, GLIMPSE) if found.separable is False else patience
    state = DualState(kernel, rule, offset, "mistake", 1)
    last_mistakes = _real_run(state, batch, min(patience, clock.seconds_left))
    return KernelBound(
        kernel=kernel,
        separable=found.separable,
        offset=offset,
        radius=found.radius,
        margin=(found.low, found.high),
        bound=bound_between(found, claims),
        mistakes=state.mistakes,
        passes=state.epochs,
        separated=last_mistakes == 0,
        reached=_margin_reached(space, state) if last_mistakes == 0 else 0.0,
        updates=state.total("updates"),
        claims=claims,
        contradiction=found.contradiction,
    )


def bound_between(found: Widest, claims: rules.TwoClaims) -> tuple[float, float] | None:
    """Return an interval that contains the bound; None if no positive margin is proved.

    For Rosenblatt's rule the bound is max K(x, x)/γ².
    """
    if not (found.separable and found.low > 0.0):
        return None
    least, most = (claims.most_updates(found.radius, margin) for margin in (found.high, found.low))
    return least * (1.0 - 1e-12), most * (1.0 + 1e-12)


class _Space:
    """Represent each row by the point c·yᵢφ(xᵢ), where c is its weight; only products are computed."""

    def __init__(self, batch: Batch, kernel: Any, offset: bool) -> None:
        self.batch, self.kernel, self.offset = batch, kernel, 1.0 if offset else 0.0
        self.n = batch.n_rows
        weights = batch.importance if batch.importance.size else np.ones(self.n)
        self.labels = batch.labels * weights
        squares, roots, self._largest2 = [], [], 0.0
        for part, X, x2 in self._blocks():
            self._largest2 = max(self._largest2, float(x2.max()))
            _, square, root = block_values(kernel, X, x2, self.offset, self._largest2, OnHost())
            squares.append(square * weights[part] ** 2)
            roots.append(root * weights[part])
        self.roots = np.concatenate(roots)
        if min(float(square.min()) for square in squares) < 0.0:
            raise _not_an_inner_product()
        self.squares = np.concatenate(squares)
        self.smallest2 = float(self.squares.min())
        # rounded up: the largest K̃(x, x) plus its maximum error
        self.radius = math.sqrt(
            float(np.concatenate(squares).max()) + self.error * float(self.roots.max()) ** 2
        )

    @property
    def error(self) -> float:
        """Upper bound on the error of K̃(x, z), relative to √(K̃(x, x)·K̃(z, z))."""
        return float(self.kernel.error(n_features(self.batch.rows), self._largest2)) + 8.0 * ROUNDING

    def check_zero_rows(self) -> None:
        """Raise an error if the first row with K̃(x, x) = 0 has a nonzero product with any row."""
        zero = np.flatnonzero(self.squares == 0.0)[:1]
        if len(zero) and self.products(zero, np.ones(1)).any():
            raise _not_an_inner_product()

    def _blocks(self) -> Iterator[tuple[slice, Any, Any]]:
        for start in range(0, self.n, BLOCK):
            part = slice(start, min(start + BLOCK, self.n))
            yield part, *with_squares(part_of(self.batch.rows, part), OnHost())

    def gram(self, which: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the K̃ matrix of the selected rows."""
        X, x2 = with_squares(take(self.batch.rows, which), OnHost())
        values: NDArray[np.float64] = self.kernel.matrix(X, X, x2, x2, OnHost()) + self.offset
        return values

    def products(self, which: NDArray[np.int64], weights: Vector) -> Vector:
        """Return (Qλ)ᵢ for every row i, where λ is `weights` on the rows `which` and 0 elsewhere."""
        Z, z2 = with_squares(take(self.batch.rows, which), OnHost())
        signed = weights * self.labels[which]
        found = np.empty(self.n)
        for part, X, x2 in self._blocks():
            found[part] = (self.kernel.matrix(X, Z, x2, z2, OnHost()) + self.offset) @ signed
        return found * self.labels

    def ends(self, which: NDArray[np.int64], weights: Vector) -> tuple[float, float, Vector]:
        """Return the lower and the upper bound on the margin that the weights λ/Σλ prove, and Qλ."""
        products = self.products(which, weights)
        if not np.isfinite(products).all():
            raise overflow(self.kernel, self._largest2)
        off = self.error + (len(which) + 12) * ROUNDING
        mass = float(weights @ self.roots[which])
        square = float(weights @ products[which])
        if square < -2.0 * off * mass * mass:
            raise _not_an_inner_product()
        longest = math.sqrt(max(0.0, square) + off * mass * mass)
        lowest = float((products - off * mass * self.roots).min())
        total = float(weights.sum())
        upper = longest / total * (1.0 + 1e-12)
        lower = lowest / longest * (1.0 - 1e-12) if longest > 0.0 else 0.0
        return max(0.0, lower), upper, products


def _not_an_inner_product() -> BadInput:
    return BadInput(
        "kernel: not positive semi-definite: a combination of rows has a negative square length; "
        "the bound holds for inner products, so it needs a kernel that is one"
    )


class _Factored:
    """Give `Search` points that have this Gram matrix: the rows of the matrix's Cholesky factor."""

    def __init__(self, gram: NDArray[np.float64], labels: Vector) -> None:
        from scipy.linalg.lapack import dpstrf

        factor, pivots, rank, _ = dpstrf(gram, lower=1)
        place = pivots - 1
        self._points = np.zeros((len(gram), rank))
        self._points[place] = np.tril(factor)[:, :rank]
        self._points *= labels[:, None]
        self.n, self.dimension = len(gram), rank
        self.groups = np.zeros(len(gram), np.int8)

    def points(self, which: NDArray[np.int64]) -> Any:
        return self._points[which]

    def products(self, z: Vector) -> Iterator[tuple[slice, Vector]]:
        yield slice(0, self.n), self._points @ z


def _narrowing(space: _Space, tolerance: float, clock: Clock) -> Iterator[Widest]:
    """Yield ever narrower intervals for the margin, with the separator that attains the lower end."""
    rng = np.random.default_rng(0)
    working = np.sort(rng.permutation(space.n)[:FIRST_SAMPLE])
    best = Widest(None, space.radius, 0.0, space.radius, np.empty(0, np.int64), np.empty(0))
    while True:
        cloud = _Factored(space.gram(working), space.labels[working])
        if cloud.dimension == 0:
            return
        *_, found = Search(cloud, clock).run(max(tolerance / 2.0, 1e-12), 1e-9)
        rows = working[found.rows]
        lower, upper, products = space.ends(rows, found.weights)
        if lower > best.low:
            square = float(found.weights @ products[rows])
            unit = space.labels[rows] * found.weights / math.sqrt(square)
            best = best._replace(low=lower, rows=rows, coefficients=unit)
        best = best._replace(high=max(best.low, min(best.high, upper)))
        yield best
        level = float(found.weights @ products[rows])
        outside = np.setdiff1d(np.argsort(products, kind="stable")[:WORST], working)
        outside = outside[products[outside] < level * (1.0 - tolerance / 4.0)]
        if best.high - best.low <= tolerance * best.high or not len(outside) or len(working) > MOST_WORKING:
            return
        working = np.sort(np.concatenate([working, outside]))


def _by_monomials(batch: Batch, kernel: Any, offset: bool, clock: Clock) -> bool | None:
    """Decide exactly, on all monomials of a row, whether a polynomial separates the rows.

    Return None if the kernel is not polynomial, if there are too many monomials, or if a monomial is not
    exact as a double. Scaling the monomials does not change separability, so they are computed without
    coefficients.
    """
    if isinstance(kernel, kernels.Linear):
        degree, has_lower = 1, False
    elif isinstance(kernel, kernels.Polynomial):
        degree, has_lower = kernel.degree, kernel.coef0 > 0.0
    else:
        return None
    if kernels.n_monomials(batch.n_features, degree) > WRITTEN_OUT:
        return None
    X = as_matrix(batch.rows, OnHost())
    dense = (X if isinstance(X, np.ndarray) else X.toarray()).astype(np.float64)
    if degree > 1:  # products of entries must be exact
        with np.errstate(over="ignore"):
            # after division by a common power of two, all entries are integers
            dense = np.ldexp(dense, -common_exponent(dense.ravel()))
            if not np.abs(dense).max() ** degree <= WHOLE:
                return None
    terms = kernels.Monomials(batch.n_features, degree)
    kept = [
        j
        for j, power in enumerate(terms.powers)
        if len(power) == degree or (has_lower and len(power) < degree) or (offset and not power)
    ]
    points = Batch(Dense(np.ascontiguousarray(terms.plain(dense)[:, kept])), batch.labels, batch.importance)
    return decide(RowsInMemory(points, ("-", "+")), False, 0.5, clock).separable


def _real_run(state: DualState, batch: Batch, patience: float) -> int:
    """Train in the given order until a pass makes no mistake or the time limit is reached.

    Return the number of mistakes in the last pass.
    """
    watch = Stopwatch()
    state.cache_bytes = 10**9
    plan = Plan(
        epochs=None,
        until="separated",
        order="given",
        callbacks=[lambda _: watch.learning > patience],
        progress=False,
    )
    classes = Classes((batch.labels > 0).astype(np.int64))
    return run(state, ManyBatch(batch.rows, classes, batch.importance), plan).history[-1].mistakes


def _margin_reached(space: _Space, state: DualState) -> float:
    """Return a proved lower bound on the margin of the last w."""
    if not len(state.support):
        return 0.0
    coefficients = state.coefficients[:, 0] / space.labels[state.support.origin]
    return space.ends(state.support.origin, coefficients)[0] if (coefficients >= 0.0).all() else 0.0
