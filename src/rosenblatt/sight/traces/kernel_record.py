"""`KernelTrace`: every step of a run with a kernel, where w is a sum over support rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt import kernels
from rosenblatt.arithmetic.examples import Batch, as_rows, n_features, n_rows
from rosenblatt.errors import BadInput, bad_value, counted
from rosenblatt.learning.backends import OnHost
from rosenblatt.learning.dual.support import with_squares
from rosenblatt.proof.verdict import interval, through_origin
from rosenblatt.sight.traces.claims import ROUNDINGS, Claim, Claims, claims_of_run
from rosenblatt.sight.traces.looks import Looks, MistakeOfAKind, cells_before

PATIENCE = 5.0  # seconds that the search for w* may take
AT_ONCE = 1 << 20  # kernel values made at once


@dataclass(frozen=True, slots=True)
class KernelStep(MistakeOfAKind):
    """One look: what was asked, what came of it.

    coefficient: what the look added to the coefficient of its row, 0 where it changed nothing; support: the
    rows that w is a sum over; norm_squared: ‖w‖² in feature space, Σ cᵢcⱼK(xᵢ, xⱼ). All after the look.
    With an offset 1 is added to K, so ‖w‖² has b² in it.
    """

    epoch: int
    index: int
    x: tuple[float, ...]
    y: int
    score: float
    agreement: float
    mistake: bool
    updated: bool
    coefficient: float
    support: int
    agreement_after: float
    norm_squared: float


class KernelTrace(Looks[KernelStep]):
    """The steps of a run with a kernel, in order, with the points and the settings that made them.

    `kernel` is the kernel with its parameters in numbers. A file cannot hold a function of your own: set it
    after `from_jsonl`.
    """

    FORMAT = "rosenblatt-kernel-trace"
    VECTORS = ("x",)

    @classmethod
    def _step(cls, **fields: Any) -> KernelStep:
        return KernelStep(**fields)

    def _replay(self, title: str) -> Any:
        from rosenblatt.sight.traces.kernel_replay import kernel_replay

        return kernel_replay(self, title)

    # ------------------------------------------------------------ w, as a sum over the support

    @property
    def kernel(self) -> Any:
        """K, with its parameters in numbers."""
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
        """The rows that w is a sum over at the end, in the order in which they came."""
        return self.sum_after(len(self))[0]

    @property
    def coefficients(self) -> NDArray[np.float64]:
        """w = Σ coefficient·φ(x) over the support at the end."""
        return self.sum_after(len(self))[1]

    def sum_after(self, steps: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The support after so many steps, in the order in which it came, and its coefficients."""
        if not 0 <= steps <= len(self):
            raise bad_value("steps", steps, f"a number of steps of this run, 0 to {len(self)}")
        sums: dict[int, float] = {}
        for step in self.steps[:steps]:
            if step.updated:
                sums[step.index] = sums.get(step.index, 0.0) + step.coefficient
        return np.array(list(sums), np.int64), np.array(list(sums.values()), np.float64)

    def scores(self, X: ArrayLike, after: int | None = None) -> NDArray[np.float64]:
        """Σ coefficient·K(x, z) of any points z, by w as it was after so many steps; at the end by default.

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
        """K of some points with rows of the run, 1 more where there is an offset; shape (points, rows)."""
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
        """K(x, x) of each row, 1 more where there is an offset."""
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
        """Check both claims of the mistake bound at each update, in feature space, as `Trace.check_claims`.

        coefficients: one for each row, of the separator w* = Σ coefficient·φ(x); by default that of the
        widest separator, which is searched for `time_limit` seconds. The margin of the claims is the margin
        of this w*, and no more: the largest there is lies in the interval that
        ``mistake_bound(X, y, kernel=…)`` proves.

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
        """The weight of each row, and the rows that have one above 0."""
        weights = np.asarray(self.settings.get("sample_weight") or np.ones(len(self.labels)), np.float64)
        return weights, np.flatnonzero(weights)

    def _star(self, coefficients: ArrayLike | None, time_limit: float | None) -> NDArray[np.float64]:
        """One coefficient of w* for each row."""
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

    def widest(self, time_limit: float | None = PATIENCE, tolerance: float = 1e-6) -> Any:
        """The widest separator in feature space with the margin proved for it; see
        `proof.feature_space.Widest`."""
        from rosenblatt.learning.progress import Progress
        from rosenblatt.proof.clock import Clock
        from rosenblatt.proof.feature_space import widest_separator

        weights, present = self._weights()
        batch = Batch(as_rows(self.points[present]), self.labels[present], weights[present])
        with Progress(False, None, "steps") as bar:
            clock = Clock(time_limit, bar)
            offset = bool(self.settings["offset"])
            found = widest_separator(batch, self.kernel, offset, tolerance, clock)[0]
        return found._replace(rows=present[found.rows])

    def bound_sentence(self, time_limit: float | None = PATIENCE) -> str:
        """The mistakes beside their bound in feature space; empty where the theorem is not about this run.

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
        except BadInput as error:  # a function of one's own need not be an inner product
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

    # ------------------------------------------------------------ the table

    def _titles(self) -> list[str]:
        length = "‖w‖² + b²" if self.settings["offset"] else "‖w‖²"
        return ["pass", "row", "x", "y", "score", "agreement", "", "coefficient", "support",
                "agreement after", length]  # fmt: skip

    def _cells(self, step: KernelStep) -> list[str]:
        return [
            *cells_before(step),
            f"{step.coefficient:+g}" if step.updated else "",
            str(step.support),
            f"{step.agreement_after + 0.0:g}",
            f"{step.norm_squared:g}",
        ]
