"""The nearest points of two convex hulls, by Wolfe's method on a working set.

With an offset, the largest margin is half the distance between the hulls of the two classes: minimise
‖Σ λᵢyᵢxᵢ‖ over λ ≥ 0 that sums to 1 in each class. Without an offset, the largest margin is the distance of
the origin from the hull of all yᵢxᵢ: the same problem with one group instead of two.

Wolfe (1976), for any number of groups: keep a *corral*, a set of affinely independent points whose affine
hull has its least-norm point z inside their convex hull. All corral points of a group then have the same
product μ with z. If no point of any group has a smaller product than μ, z is the solution. Otherwise the
point whose product is below μ by the largest amount joins the corral, and points leave until the least-norm
point is inside again. Each step decreases ‖z‖, so no corral occurs twice and the method ends. A corral has
at most d + 2 points (d + 1 without an offset), so when z = 0, the proof of inseparability (Gordan's
theorem) needs only these points.

Most points never matter, so the steps use only a working set of rows. Once the problem is solved for the
working set, a pass over all rows finds the rows with the smallest products and adds them to the set.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rosenblatt.loops import corral as loops
from rosenblatt.numeric.blocks import squared_lengths
from rosenblatt.proof.clock import Clock

Vector = NDArray[np.float64]
FIRST_SAMPLE = 1000
SAMPLE_NUMBERS = 1 << 26  # the most entries of a sample with more than FIRST_SAMPLE rows
PATIENCE = 10  # steps without progress after which the search stops
ENOUGH = 4.0
"""Once ‖z‖ has decreased by this factor, all rows are read again. If the hulls of the working set barely
intersect, finding a common point takes thousands of steps; with more rows the hulls may intersect more
deeply."""
NO_POINTS = np.empty((0, 0))
OPTIMUM, ZERO, STALLED = "optimum", "zero", "stalled"


class Cloud(Protocol):
    """Define the interface of a set of points pᵢ = yᵢxᵢ (centred and scaled), each of which has a group."""

    n: int
    dimension: int
    groups: NDArray[np.int8]

    def points(self, which: NDArray[np.int64]) -> Any:
        """Return the selected points as a dense or CSR matrix."""

    def products(self, z: Vector) -> Iterator[tuple[slice, Vector]]:
        """Yield the products pᵢ·z of all points, in blocks."""


class Nearest(NamedTuple):
    """Hold the result of a search: z = Σ λᵢpᵢ, its rows and weights, and the smallest pᵢ·z of each group.

    status: "optimum" (within tolerance), "zero" (‖z‖ below the threshold), or "stalled" (rounding errors
    prevent further progress).
    """

    status: str
    rows: NDArray[np.int64]
    weights: Vector
    z: Vector
    lowest: Vector

    @property
    def upper(self) -> float:
        """Upper bound ‖z‖ on the distance of the hulls."""
        return float(np.linalg.norm(self.z))

    @property
    def lower(self) -> float:
        """Lower bound Σ lowest/‖z‖ on the distance of the hulls, up to rounding."""
        return float(self.lowest.sum()) / self.upper if self.upper else 0.0


class Search:
    """Run Wolfe's method on a cloud of points."""

    def __init__(
        self,
        cloud: Cloud,
        clock: Clock,
        seed: int = 0,
        start: tuple[NDArray[np.int64], Vector] | None = None,
        rows: NDArray[np.int64] | None = None,
    ) -> None:
        """Begin with one point of each group, or with the rows and weights of an earlier corral.

        `rows` are the first working set; None takes a random sample.
        """
        self._cloud, self._clock = cloud, clock
        self.n_groups = int(cloud.groups.max()) + 1
        rng = np.random.default_rng(seed)
        self._most = max(100, min(cloud.dimension, SAMPLE_NUMBERS // cloud.dimension))
        sample = max(FIRST_SAMPLE, self._most)
        by_group = [np.flatnonzero(cloud.groups == g) for g in range(self.n_groups)]
        first = np.concatenate([np.sort(rng.permutation(some)[:sample]) for some in by_group])
        first = first if rows is None else rows
        if start is not None:
            first = np.concatenate([first, np.setdiff1d(start[0], first)])
        self._is_in = np.zeros(cloud.n, np.bool_)
        self._is_in[first] = True
        self._working = _Working(cloud.points(first), cloud.groups[first], first, self.n_groups)
        if start is not None:
            place = {int(row): k for k, row in enumerate(first)}
            self._working.begin([place[int(row)] for row in start[0]], start[1])

    @property
    def rows(self) -> NDArray[np.int64]:
        """The rows of the working set."""
        return self._working.rows

    @property
    def scale(self) -> float:
        """The norm of the longest point in the working set."""
        return self._working.scale

    def current_result(self) -> Nearest:
        """Return the current point, which proves an upper bound, without a pass over all rows."""
        working = self._working
        lowest = np.full(self.n_groups, -math.inf)
        return Nearest(STALLED, working.corral_rows(), working.weights.copy(), working.z, lowest)

    def run(self, tolerance: float, zero: float) -> Iterator[Nearest]:
        """Yield a result after each pass over all rows; the last one is final.

        z counts as 0 if its norm, relative to the longest point in the working set, is at most `zero`.
        """
        may_look = False
        while True:
            status = self._working.descend(tolerance / 4, zero, may_look, self._clock)
            answer, worst = self._look_at_all(status)
            done = status == ZERO or answer.lower >= (1.0 - tolerance) * answer.upper
            if not done and not len(worst) and may_look:  # no row to add: solve to the full tolerance
                may_look = False
                continue
            if not done and not len(worst):  # no row outside the working set matters
                answer = answer._replace(status=STALLED)
                done = True
            yield answer
            if done:
                return
            may_look = True
            self._is_in[worst] = True
            self._working.extend(self._cloud.points(worst), self._cloud.groups[worst], worst)

    def _look_at_all(self, status: str) -> tuple[Nearest, NDArray[np.int64]]:
        """Return the result with each group's smallest product over all rows, and the rows to add."""
        working = self._working
        z, levels = working.z, working.levels()
        most = self._most
        lowest = np.full(self.n_groups, math.inf)
        below: list[list[tuple[Vector, NDArray[np.int64]]]] = [[] for _ in range(self.n_groups)]
        for part, product in self._cloud.products(z):
            groups, inside = self._cloud.groups[part], self._is_in[part]
            for g in range(self.n_groups):
                of_group = groups == g
                if of_group.any():
                    lowest[g] = min(lowest[g], float(product[of_group].min()))
                places = np.flatnonzero(of_group & ~inside & (product < levels[g]))
                if len(places) > most:
                    places = places[np.argpartition(product[places], most)[:most]]
                below[g].append((product[places], part.start + places))
            self._clock.check()
        chosen = []
        for parts in below:
            products = np.concatenate([product for product, _ in parts])
            rows = np.concatenate([rows for _, rows in parts])
            chosen.append(rows[np.argsort(products, kind="stable")[:most]])
        found = Nearest(status, working.corral_rows(), working.weights.copy(), z, lowest)
        return found, np.concatenate(chosen)


class _Working:
    """Hold the working set and its corral."""

    def __init__(
        self, points: Any, groups: NDArray[np.int8], rows: NDArray[np.int64], n_groups: int
    ) -> None:
        self._points, self._groups, self.rows, self._n_groups = points, groups, rows, n_groups
        squares = squared_lengths(points)
        self._square = float(squares.max()) or 1.0
        # Gram + anchor·EEᵀ (E: group membership) is invertible if the points are affinely independent
        self._anchor = float(squares.mean()) or 1.0
        self._corral: list[int] = []
        self._factor = np.zeros((64, 64))
        self._held = np.empty((64, points.shape[1])) if isinstance(points, np.ndarray) else None
        places = []
        for g in range(n_groups):
            of_group = np.flatnonzero(groups == g)
            mean = np.asarray(points[of_group].mean(axis=0)).ravel()
            distance = squares[of_group] - 2.0 * (points[of_group] @ mean)
            places.append(int(of_group[np.argmin(distance)]))
        self.weights = np.ones(n_groups)
        self.begin(places, self.weights)

    def begin(self, places: list[int], weights: Vector) -> None:
        """Start from these points with positive weights, unless rounding prevents it."""
        before, self._corral = (self._corral, self.weights), []
        groups = self._groups[places]
        sums = np.bincount(groups, weights, self._n_groups)
        if not (sums > 0.0).all() or not all(self._join(place) for place in places):
            self._corral = []
            for place in before[0]:
                self._join(place)
            self.weights = before[1]
            return
        self.weights = weights / sums[groups]

    def extend(self, points: Any, groups: NDArray[np.int8], rows: NDArray[np.int64]) -> None:
        if isinstance(points, np.ndarray):
            self._points = np.concatenate([self._points, points])
        else:
            from scipy.sparse import vstack

            self._points = vstack([self._points, points], format="csr")
        self._groups = np.concatenate([self._groups, groups])
        self.rows = np.concatenate([self.rows, rows])
        self._square = max(self._square, float(squared_lengths(points).max()))

    @property
    def scale(self) -> float:
        """The norm of the longest point."""
        return math.sqrt(self._square)

    def corral_rows(self) -> NDArray[np.int64]:
        return self.rows[self._corral]

    @property
    def z(self) -> Vector:
        """Σ λᵢpᵢ over the corral."""
        if self._held is not None:
            z = np.empty(self._held.shape[1])
            loops.combine(self._held, self.weights, z)
            return z
        everywhere = np.zeros(len(self.rows))
        everywhere[self._corral] = self.weights
        return np.asarray(self._points.T @ everywhere)

    def levels(self, products: Vector | None = None) -> Vector:
        """Return, for each group, the product μ that its corral points have with z."""
        if products is None:
            products = self._products(self.z)
        groups = self._groups[self._corral]
        return np.asarray(
            np.bincount(groups, self.weights * products[self._corral], self._n_groups), np.float64
        )

    def _products(self, z: Vector) -> Vector:
        products = np.empty(len(self.rows))
        if self._held is not None:
            loops.products(self._points, z, products)
        else:
            matrix = self._points
            loops.sparse_products(matrix.data, matrix.indices, matrix.indptr, z, products)
        return products

    def descend(self, tolerance: float, zero: float, may_look: bool, clock: Clock) -> str:
        """Iterate until Σ (μ − smallest product) ≤ tolerance·‖z‖² or ‖z‖ ≈ 0, and return the status.

        With may_look, stop earlier, once a pass over all rows is worthwhile.
        """
        smallest, candidates = np.empty(self._n_groups), np.empty(self._n_groups, np.int64)
        least, idle, first = math.inf, 0, math.inf
        while True:
            z = self.z
            square = float(z @ z)
            first = square if first == math.inf else first
            # every exact step decreases ‖z‖; with rounding errors a corral could recur forever
            least, idle = (square, 0) if square < least else (least, idle + 1)
            if idle > PATIENCE:
                return STALLED
            if square <= zero * zero * self._square:
                return ZERO
            products = self._products(z)
            loops.lowest(products, self._groups, smallest, candidates)
            drops = self.levels(products) - smallest
            gap, newcomer = float(drops.sum()), int(candidates[drops.argmax()])
            if gap <= tolerance * square:
                return OPTIMUM
            if may_look and square < first / ENOUGH**2:
                return OPTIMUM
            if newcomer in self._corral or not self._join(newcomer):
                return STALLED
            self.weights = np.append(self.weights, 0.0)
            if not self._come_inside():
                return STALLED
            clock.tick(
                f"{len(self._corral)} points determine the distance, at most {math.sqrt(square):.6g}"
            )

    def _come_inside(self) -> bool:
        """Move towards the least-norm point of the affine hull; remove each point whose weight reaches 0.

        Return False if rounding errors prevent it.
        """
        while True:
            groups = self._groups[self._corral]
            target = np.empty(len(groups))
            held = NO_POINTS if self._held is None else self._held
            loops.affine_weights(self._factor, len(groups), groups, self._n_groups, held, target)
            if not np.isfinite(target).all():
                return False
            outside = target <= 1e-14
            if not outside.any():
                self.weights = target
                return True
            change = self.weights - target
            reach = np.full(len(target), math.inf)
            np.divide(self.weights, change, out=reach, where=outside & (change > 0.0))
            reach[outside & (change <= 0.0)] = 0.0
            first = int(reach.argmin())
            self.weights = self.weights - min(1.0, float(reach[first])) * change
            self._leave(first)
            if not (groups[np.arange(len(groups)) != first] == groups[first]).any():
                return False  # rounding would empty a group, whose weights must sum to 1

    def _join(self, newcomer: int) -> bool:
        size = len(self._corral)
        if size + 1 >= len(self._factor):
            self._factor = _enlarge(self._factor, 2 * len(self._factor), 2 * len(self._factor))
            if self._held is not None:
                self._held = _enlarge(self._held, 2 * len(self._held), self._held.shape[1])
        together = self._anchor * (self._groups[self._corral] == self._groups[newcomer])
        products = np.empty(size + 1)
        if self._held is not None:
            self._held[size] = self._points[newcomer]
            loops.products(self._held, self._held[size], products)
        else:
            point = self._points[[newcomer]].toarray()[0]
            products[:] = self._products(point)[[*self._corral, newcomer]]
        products[:size] += together
        products[size] += self._anchor
        if not loops.join(self._factor, size, products):
            return False
        self._corral.append(newcomer)
        return True

    def _leave(self, k: int) -> None:
        size = len(self._corral)
        loops.leave(self._factor, size, k)
        if self._held is not None:
            self._held[k : size - 1] = self._held[k + 1 : size]
        del self._corral[k]
        self.weights = np.delete(self.weights, k)


def _enlarge(array: Vector, rows: int, columns: int) -> Vector:
    grown = np.zeros((rows, columns))
    grown[: array.shape[0], : array.shape[1]] = array
    return grown
