"""`KernelTrace`: every step of a run with a kernel, where w is a sum over support rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt import kernels
from rosenblatt.errors import BadInput, bad_value, counted
from rosenblatt.numeric.row_batches import Batch, as_rows, n_features, n_rows
from rosenblatt.proof.verdict import interval, through_origin
from rosenblatt.traces.claims import ROUNDINGS, Claim, Claims, claims_of_run
from rosenblatt.traces.step_sequence import PATIENCE, RunStep, StepSequence
from rosenblatt.training.backends import OnHost
from rosenblatt.training.dual.support import with_squares

if TYPE_CHECKING:
    from rosenblatt.proof.feature_space import Widest

AT_ONCE = 1 << 20  # kernel values computed together


@dataclass(frozen=True, slots=True)
class KernelStep(RunStep):
    """Record one step of a run with a kernel: the example, the score before it, and the support after it.

    Parameters
    ----------
    epoch : int
        The pass, counted from 1.
    index : int
        The row of the example.
    x : tuple of float
        The example.
    y : int
        Its label, −1 or +1.
    score : float
        The decision value before the step.
    agreement : float
        The functional margin, y times the score.
    mistake : bool
        Whether the example was misclassified.
    updated : bool
        Whether the weights changed.
    coefficient : float
        The change of the coefficient of the row; 0 without an update.
    support : int
        The number of support rows after the step.
    agreement_after : float
        The functional margin of the example after the step.
    norm_squared : float
        The squared norm ‖w‖² in feature space after the step, Σ cᵢcⱼK(xᵢ, xⱼ). With an offset, 1 is added
        to K, so the norm includes b².

    Examples
    --------
    >>> from rosenblatt import trace
    >>> trace([[2, 1]], [1], kernel="linear", epochs=1)[0].norm_squared
    5.0
    """

    coefficient: float
    support: int
    agreement_after: float
    norm_squared: float


class KernelTrace(StepSequence[KernelStep]):
    """Hold the steps of a run with a kernel in order, and the points and settings of the run.

    It is a sequence of `KernelStep`; `trace` records it. A file cannot contain a custom kernel function;
    set `kernel` after `from_jsonl`.

    Parameters
    ----------
    steps : sequence of KernelStep
        The steps.
    points : ndarray of shape (n_rows, n_features), Dense or Sparse
        The points of the run.
    labels : ndarray of int8
        Their labels, −1 or +1.
    settings : dict
        The settings of the run.
    cycle : Cycle, default=None
        The cycle of a run that repeats itself.
    separated : bool, default=False
        Whether the last pass visited every row with a weight above 0 and made no mistake.

    Examples
    --------
    >>> from rosenblatt import trace
    >>> steps = trace([[-1, -1], [-1, 1], [1, -1], [1, 1]], [-1, 1, 1, -1], kernel="polynomial", degree=2)
    >>> steps.separated
    True
    """

    FORMAT = "rosenblatt-kernel-trace"
    STEP = KernelStep
    VECTORS = ("x",)
    TITLES = ("coefficient", "support")

    # ------------------------------------------------------------ w, as a sum over the support

    @property
    def kernel(self) -> kernels.Kernel:
        """Kernel of the run, with its parameters as numbers."""
        if "_kernel" not in vars(self):
            named = dict(self.settings["kernel"])
            name = named.pop("name")
            if name not in kernels.KERNELS:
                raise BadInput(
                    f"kernel: {name!r} is a user-defined function, which a file cannot store; "
                    "set trace.kernel to it"
                )
            self._kernel = kernels.KERNELS[name](**named)
        return self._kernel

    @kernel.setter
    def kernel(self, kernel: Any) -> None:
        self._kernel = kernels.as_kernel(kernel)

    @property
    def support(self) -> NDArray[np.int64]:
        """Support rows at the end of the run, in the order of their first update."""
        return self.sum_after(len(self))[0]

    @property
    def coefficients(self) -> NDArray[np.float64]:
        """Coefficients of the support rows at the end: w = Σ coefficient·φ(x)."""
        return self.sum_after(len(self))[1]

    def sum_after(self, steps: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the support rows and their coefficients after a number of steps.

        Parameters
        ----------
        steps : int
            The number of steps.

        Returns
        -------
        tuple of (ndarray of int64, ndarray of float64)
            The rows, in the order of their first update, and their coefficients.

        Raises
        ------
        BadInput
            If the run has fewer steps.
        """
        if not 0 <= steps <= len(self):
            raise bad_value("steps", steps, f"a number of steps of this run, 0 to {len(self)}")
        sums: dict[int, float] = {}
        for step in self.steps[:steps]:
            if step.updated:
                sums[step.index] = sums.get(step.index, 0.0) + step.coefficient
        return np.array(list(sums), np.int64), np.array(list(sums.values()), np.float64)

    def scores(self, X: ArrayLike, after: int | None = None) -> NDArray[np.float64]:
        """Return the scores Σ coefficient·K(x, z) of points z, with the w that results from `after` steps.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)
            The points z.
        after : int, default=None
            The number of steps; by default all.

        Returns
        -------
        ndarray of shape (n_points,)
            The decision values.

        Raises
        ------
        BadInput
            If X has a different number of features than the run, or `after` is out of range.

        Examples
        --------
        >>> from rosenblatt import kernels, trace
        >>> xor = [[-1, -1], [-1, 1], [1, -1], [1, 1]]
        >>> steps = trace(xor, [-1, 1, 1, -1], kernel=kernels.Polynomial(2, 1.0, 0.0))
        >>> steps.scores([[1, 1], [3, -1]]).tolist(), steps.scores([[1, 1]], after=1).tolist()
        ([-4.0, 12.0], [-4.0])
        """
        rows, coefficients = self.sum_after(len(self) if after is None else after)
        points = as_rows(X)
        if n_features(points) != self.points.shape[1]:
            raise BadInput(f"X: {n_features(points)} features, the run has {self.points.shape[1]}")
        return self.products(points, rows) @ coefficients

    def products(self, points: Any, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the kernel values between points and rows of the run, plus 1 if the run has an offset.

        Parameters
        ----------
        points : Dense or Sparse
            The points.
        rows : ndarray of int64
            The rows of the run.

        Returns
        -------
        ndarray of shape (n_points, n_rows)
            The kernel values.
        """
        found = np.empty((n_rows(points), len(rows)))
        if not len(rows):
            return found
        X, x2 = with_squares(points, OnHost())
        Z, z2 = with_squares(as_rows(self.points[rows]), OnHost())
        step = max(1, AT_ONCE // len(rows))
        for start in range(0, len(found), step):
            part = slice(start, start + step)
            found[part] = self.kernel.matrix(X[part], Z, x2[part], z2, OnHost())
        return found + float(self.settings["offset"])

    def squares(self) -> NDArray[np.float64]:
        """Return K(x, x) of each row, plus 1 if there is an offset.

        Returns
        -------
        ndarray of shape (n_rows,)
            The squared norms in feature space.
        """
        X, x2 = with_squares(as_rows(self.points), OnHost())
        diagonal: NDArray[np.float64] = self.kernel.diagonal(X, x2, OnHost())
        return diagonal + float(self.settings["offset"])

    # ------------------------------------------------------------ the proof, step by step

    def check_claims(
        self,
        coefficients: ArrayLike | None = None,
        tolerance: float = 1e-9,
        time_limit: float | None = PATIENCE,
    ) -> Claims:
        """Check both claims of the mistake bound at each update, in feature space.

        The claims use the margin of the given w*, which may be smaller than the largest possible margin.
        The latter lies in the interval proved by ``mistake_bound(X, y, kernel=…)``.

        Parameters
        ----------
        coefficients : array-like of shape (n_rows,), default=None
            The separator w* = Σ coefficient·φ(x); by default the separator with the largest margin that a
            search finds.
        tolerance : float, default=1e-9
            The tolerance, relative to the change by an update.
        time_limit : float or None, default=5.0
            The time limit of the search in seconds.

        Returns
        -------
        Claims
            The claims, with the progress and growth of each update.

        Raises
        ------
        BadInput
            If the rule has no such claims, or no separator was found.

        Examples
        --------
        >>> from rosenblatt import kernels, trace
        >>> xor = [[-1, -1], [-1, 1], [1, -1], [1, 1]]
        >>> steps = trace(xor, [-1, 1, 1, -1], kernel=kernels.Polynomial(2, 1.0, 0.0))
        >>> print(steps.check_claims())
        2 mistakes, margin 1.41421, radius 2, bound 2: both claims hold at every mistake
        """
        of_rule = claims_of_run(self.settings)
        star = self._star(coefficients, time_limit)
        rows = np.flatnonzero(star)
        products = self.products(as_rows(self.points), rows) @ star[rows]
        length2 = float(star[rows] @ products[rows])
        if not length2 > 0.0:
            raise BadInput("coefficients: their w* has length 0 in feature space; it separates nothing")
        products /= np.sqrt(length2)
        claims, norm2, longest2 = [], 0.0, 0.0
        for number, step in enumerate(self.steps):
            if step.updated:
                progress = step.coefficient * products[step.index]
                claims.append(Claim(number, float(progress), step.norm_squared - norm2))
            norm2 = step.norm_squared
            longest2 = max(longest2, norm2)
        weights, present = self._weights()
        radius = float((weights * np.sqrt(self.squares()))[present].max())
        return Claims(
            float((self.labels * weights * products)[present].min()),
            radius,
            claims,
            tolerance * of_rule.rate * radius,
            tolerance * of_rule.growth(radius) + ROUNDINGS * longest2,
            0.0,
            0.0,
            of_rule,
        )

    def _weights(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the weight of each row, and the rows with a weight above 0."""
        weights = np.asarray(self.settings.get("sample_weight") or np.ones(len(self.labels)), np.float64)
        return weights, np.flatnonzero(weights)

    def _star(self, coefficients: ArrayLike | None, time_limit: float | None) -> NDArray[np.float64]:
        """Return the coefficients of w*, one for each row, after checking them."""
        if coefficients is not None:
            star = np.asarray(coefficients, np.float64).ravel()
            if star.size != len(self.labels):
                raise BadInput(f"coefficients: {star.size} for {len(self.labels)} rows")
            if not np.isfinite(star).all():
                raise BadInput("coefficients: those of a separator are finite numbers")
            return star
        found = self.widest(time_limit)
        if not found.low > 0.0:
            why = (
                f"no hyperplane{self._place} separates these points in the kernel's feature space (proved)"
                if found.separable is False
                else "no separator was found in feature space; give more time_limit, or coefficients"
            )
            raise BadInput(f"check_claims: {why}, so there is no w* to check against")
        star = np.zeros(len(self.labels))
        star[found.rows] = found.coefficients
        return star

    @property
    def _place(self) -> str:
        return through_origin(self.settings["offset"])

    def widest(self, time_limit: float | None = PATIENCE, tolerance: float = 1e-6) -> Widest:
        """Search for the separator with the largest margin in feature space; return it with its proof.

        Parameters
        ----------
        time_limit : float or None, default=5.0
            The time limit of the search in seconds.
        tolerance : float, default=1e-6
            The search ends when the relative width of the interval for the margin is at most this number.

        Returns
        -------
        Widest
            The interval and the separator; see `proof.feature_space.Widest`.
        """
        from rosenblatt.proof.clock import Clock
        from rosenblatt.proof.feature_space import widest_separator
        from rosenblatt.training.progress import Progress

        weights, present = self._weights()
        batch = Batch(as_rows(self.points[present]), self.labels[present], weights[present])
        with Progress(False, None, "steps") as bar:
            clock = Clock(time_limit, bar)
            offset = bool(self.settings["offset"])
            found = widest_separator(batch, self.kernel, offset, tolerance, clock)[0]
        return found._replace(rows=present[found.rows])

    def bound_sentence(self, time_limit: float | None = PATIENCE) -> str:
        """Return text that compares the mistakes of the run with their bound in feature space.

        Parameters
        ----------
        time_limit : float or None, default=5.0
            The time limit of the search for the bound in seconds.

        Returns
        -------
        str
            Sentences; empty if the theorem does not apply to the rule.

        Examples
        --------
        >>> from rosenblatt import kernels, trace
        >>> bits, labels = [[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1]
        >>> print(trace(bits, labels, kernel=kernels.Polynomial(2), until="separated").bound_sentence())
        21 mistakes; at most 105 in any order of the points.
        The largest K(x, x) is 9, the largest margin through the origin in feature space 0.29277 (proved,
        relative width 3e-12).
        """
        from rosenblatt.proof.feature_space import bound_between

        try:
            claims = claims_of_run(self.settings)
        except BadInput:
            return ""
        try:
            found = self.widest(time_limit)
        except BadInput as error:  # a custom kernel need not be an inner product
            return f"No bound is known: {error}."
        made, bound = counted(self.mistakes, "mistake"), bound_between(found, claims)
        if claims.threshold > 0.0:
            made = f"{made} and {counted(self.updates, 'update')}"
        if bound is None:
            why = f"no hyperplane{self._place} separates the points in feature space (proved)"
            return (
                f"{made}, and no bound: {why if found.separable is False else 'none was proved in time'}."
            )
        square = "K(x, x) + 1" if self.settings["offset"] else "K(x, x)"
        return (
            f"{made}; at most {np.floor(bound[1] * (1.0 + 1e-9)):,.0f} in any order of the points.\n"
            f"The largest {square} is {found.radius**2:.6g}, the largest margin{self._place} in feature "
            f"space {interval(found.low, found.high)}."
        )

    def _bound(self, time_limit: float | None) -> tuple[Claims | None, str]:
        return None, self.bound_sentence(time_limit)

    def _cells(self, step: KernelStep) -> list[str]:
        return [f"{step.coefficient:+g}" if step.updated else "", str(step.support)]
