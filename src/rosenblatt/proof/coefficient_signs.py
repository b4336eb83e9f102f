"""Decide in which directions the infinite coefficients of a logistic regression grow.

`coefficient_facts` states the theorem: coefficient j tends to +∞ if and only if eⱼ is in the cone of the
separated rows, projected on the span V of all directions. Nonnegative least squares on a growing working
set of rows either represents eⱼ by rows, whose weights are then computed exactly, or has a residual, which
is a direction in which the coefficient has the other sign. If rounding errors prevent both, Wolfe's method
decides in exact integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.agreements import agreement_signs
from rosenblatt.numeric.blocks import blocks
from rosenblatt.numeric.integers import as_dyadic, divide_by_gcd
from rosenblatt.numeric.row_batches import Batch, take
from rosenblatt.proof.clock import Clock, TimeIsUp
from rosenblatt.proof.clouds import column_exponents
from rosenblatt.proof.coefficient_facts import CoefficientFacts
from rosenblatt.proof.faces import quasi_separation
from rosenblatt.proof.integer_nearest import Corral, Integers
from rosenblatt.proof.nullspace import lifted_integers, null_vectors, pivots, product, solve
from rosenblatt.proof.parts import Collinearity, Growth, Part, QuasiSeparation
from rosenblatt.proof.verify import growth_sum

RESIDUAL = 1e-9  # a residual at most this long may be 0
ON_PLANE = 1e-11  # a product of unit vectors above −ON_PLANE counts as not negative
SINGULAR = 1e-13  # smallest eigenvalue of a Gram matrix, relative to the largest, that shows full rank
DIRECTION_BITS = (20, 53)
MOST_NEWCOMERS = 100
Vector = NDArray[np.float64]
Result = TypeVar("Result")


class SignSearch:
    """Find, for each coefficient that is not finite, a proof of its sign or of both signs.

    Parameters
    ----------
    batch, offset
        All rows, and whether there is an intercept.
    direction : list of int
        (w, b) with a positive functional margin in all rows `separated`, and 0 in the others.
    span : list of list of int
        A basis of the vectors whose functional margin is 0 in the other rows.
    """

    def __init__(
        self,
        batch: Batch,
        offset: bool,
        direction: Integers,
        separated: NDArray[np.int64],
        span: list[Integers],
        clock: Clock,
    ) -> None:
        self._batch, self._offset, self._direction, self._clock = batch, offset, direction, clock
        self._separated, self._span = separated, span
        self._rows = Batch(take(batch.rows, separated), batch.labels[separated], np.empty(0))
        self._width = batch.n_features + offset
        self._columns = [list(column) for column in zip(*span, strict=True)]  # column j of the basis
        self._spans_all = len(span) == self._width
        self._project()
        self._more = 2 * len(span) + 20

    def _project(self) -> None:
        """Compute the coordinates of the rows and of the unit vectors on the span, scaled to length 1."""
        exponents = column_exponents(self._rows)
        powers = [*exponents.tolist(), 0][: self._width]
        tops = [max(n.bit_length() + e for n, e in zip(v, powers, strict=True) if n) for v in self._span]
        basis = np.array(
            [
                [_quotient(n, e - top) for n, e in zip(vector, powers, strict=True)]
                for vector, top in zip(self._span, tops, strict=True)
            ]
        ).T
        points = np.empty((len(self._separated), len(self._span)))
        for part, matrix in blocks(self._rows.rows):
            self._clock.check()
            dense = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
            with np.errstate(under="ignore"):
                features = np.ldexp(dense, -exponents) @ basis[: self._rows.n_features]
            points[part] = (features + (basis[-1] if self._offset else 0.0)) * self._rows.labels[part, None]
        largest = np.abs(points).max(axis=0)
        sizes = np.where(largest > 0.0, np.frexp(largest)[1], 0)
        self._powers = [top + int(size) for top, size in zip(tops, sizes, strict=True)]
        points, units = np.ldexp(points, -sizes), np.ldexp(basis, -sizes)
        self._points = points / np.maximum(np.linalg.norm(points, axis=1), 1e-300)[:, None]
        self._units = units / np.maximum(np.linalg.norm(units, axis=1), 1e-300)[:, None]
        top = max(n.bit_length() + e for n, e in zip(self._direction, powers, strict=False) if n)
        here = [_quotient(n, e - top) for n, e in zip(self._direction, powers, strict=False)]
        self._inside = np.linalg.lstsq(units, np.array(here), rcond=None)[0]
        self._inside /= np.linalg.norm(self._inside)
        self._margins = self._points @ self._inside
        self._first = np.argsort(self._margins, kind="stable")[: 4 * len(self._span) + 100]

    # ------------------------------------------------------------ parts

    def parts(self, unidentified: set[int], facts: CoefficientFacts) -> Iterator[Part]:
        """Yield proofs that decide the coefficients, and add them to `facts`."""
        for relation in self._if_affordable(self._collinearities) or ():
            columns = {j: n for j, n in enumerate(relation) if n}
            unidentified |= set(columns)
            facts.add_collinearity(set(columns))
            yield Collinearity(columns)
        signs: dict[int, set[int]] = {}

        def note(w: Integers) -> None:
            facts.add_direction(w)
            for j, number in enumerate(w):
                if number:
                    signs.setdefault(j, set()).add(1 if number > 0 else -1)

        note(self._direction)
        for j in range(self._width):
            self._clock.check()
            if j in unidentified or not any(self._columns[j]):
                continue
            while len(seen := signs.get(j, set())) < 2:
                sign = min(seen, default=0)
                part = self._if_affordable(
                    partial(self._decide, j, sign) if sign else partial(self._tilt, j)
                )
                if part is None:
                    break
                yield part
                if isinstance(part, Growth):
                    facts.add_growth(part, growth_sum(self._batch, self._offset, part))
                    break
                note([int(number) for number in (*part.w, part.b)])

    def _if_affordable(self, search: Callable[[], Result]) -> Result | None:
        """Return the result, or None if an exact step would take longer than the time that is left."""
        try:
            return search()
        except TimeIsUp:
            self._clock.check()  # raises again if the time limit is reached
            return None

    def _tilt(self, j: int) -> QuasiSeparation:
        """Return a direction in which coefficient j is positive, near one in which it is 0."""
        vector = next(v for v in self._span if v[j])
        tilt = [*(n if vector[j] > 0 else -n for n in vector), *([] if self._offset else [0])]
        shift = 0
        while True:
            shift = 2 * shift + 4
            part = self._part_of([(d << shift) + t for d, t in zip(self._direction, tilt, strict=True)])
            if part is not None:
                return part

    def _decide(self, j: int, sign: int) -> Growth | QuasiSeparation:
        """Return a proof that coefficient j has this sign, or a direction with the other sign."""
        from scipy.optimize import nnls

        goal, working = sign * self._units[j], self._first
        part = self._step_away(j, sign, goal)
        if part is not None:
            return part
        while True:
            self._clock.tick(f"coefficient {j}: {len(working)} rows")
            points = self._points[working].T
            try:
                weights, length = nnls(points, goal)
            except RuntimeError:  # too many iterations
                break
            if length <= RESIDUAL:
                growth = self._exact_growth(j, sign, working[weights > 0.0])
                if growth is not None:
                    return growth
                break
            away = points @ weights - goal
            products = self._points @ away
            below = np.flatnonzero(products < -ON_PLANE * length)
            fresh = np.setdiff1d(below[np.argsort(products[below], kind="stable")][: self._more], working)
            if not len(fresh):
                # with a share of the first direction, every separated row stays separated
                inside = float(goal @ self._inside)
                share = -0.5 * float(goal @ away) / inside if inside > 0.0 else 0.0
                part = self._exact_direction(j, sign, away + share * self._inside)
                if part is not None:
                    return part
                break
            working = np.concatenate([working, fresh])
        return self._decide_exactly(j, sign, working)

    def _step_away(self, j: int, sign: int, goal: Vector) -> QuasiSeparation | None:
        """Return a direction with the other sign that is one step from the first direction, or None."""
        slopes = self._points @ goal
        falls = slopes > 0.0
        longest = float((self._margins[falls] / slopes[falls]).min()) if falls.any() else np.inf
        needed = float(goal @ self._inside)
        if not longest > needed * (1.0 + 1e-6):
            return None
        step = (needed + min(longest, 3.0 * needed + 1e-9)) / 2
        return self._exact_direction(j, sign, self._inside - step * goal)

    # ------------------------------------------------------------ exact results

    def _exact_growth(self, j: int, sign: int, support: NDArray[np.int64]) -> Growth | None:
        """Return a proof of the sign with exact weights on these rows, or None if there is none."""
        vectors, goal = self._span_products(support), [sign * number for number in self._columns[j]]
        is_square = len(vectors) == len(goal)
        columns = list(range(len(goal))) if is_square else pivots(vectors)
        if len(columns) < len(vectors):
            return None
        table = [[vector[c] for vector in vectors] for c in columns]
        answer = solve(table, [[goal[c] for c in columns]], self._clock)
        if answer is None:
            return None
        (weights,), common = answer
        weights = divide_by_gcd(weights if common > 0 else [-weight for weight in weights])
        if min(weights) < 0:
            return None
        if not is_square:  # the equations of the other columns must hold too
            total = product([weights], vectors)[0]
            factor = next(Fraction(t, g) for t, g in zip(total, goal, strict=True) if g)
            if factor <= 0 or any(t != factor * g for t, g in zip(total, goal, strict=True)):
                return None
        return self._growth(j, sign, support, weights)

    def _growth(self, j: int, sign: int, support: NDArray[np.int64], weights: Integers) -> Growth:
        kept = [(int(self._separated[i]), w) for i, w in zip(support, weights, strict=False) if w]
        return Growth(j, sign, tuple(i for i, _ in kept), tuple(w for _, w in kept))

    def _exact_direction(self, j: int, sign: int, found: Vector) -> QuasiSeparation | None:
        """Return an exact direction near `found` in which coefficient j has the other sign, or None."""
        fractions, exponents = np.frexp(found)
        for bits in DIRECTION_BITS:
            rounded = np.ldexp(np.round(np.ldexp(fractions, bits)), exponents - bits)
            numbers, power = as_dyadic(rounded)
            shifts = [power - own for own in self._powers]
            lowest = min(shifts)
            w = self._combine([n << (s - lowest) for n, s in zip(numbers, shifts, strict=True)])
            part = self._part_of(w)
            if part is not None and w[j] * sign < 0:
                return part
        return None

    def _decide_exactly(self, j: int, sign: int, working: NDArray[np.int64]) -> Growth | QuasiSeparation:
        """Decide as `_decide` does, with Wolfe's method in exact integers."""
        goal = [-sign * number for number in self._columns[j]]
        while True:
            search = Corral([goal, *self._span_products(working)], [0] * (len(working) + 1), 1, self._clock)
            search.begin([0], [1])
            search.descend()
            if not any(search.z):
                members = zip(search.members, search.weights, strict=True)
                support = {k - 1: weight for k, weight in members if k > 0}
                return self._growth(j, sign, working[list(support)], list(support.values()))
            w = self._combine(search.z)
            part = self._part_of(w)
            if part is not None:
                return part
            below = np.flatnonzero(agreement_signs(self._rows, w) <= 0)
            working = np.concatenate([working, np.setdiff1d(below, working)[:MOST_NEWCOMERS]])

    def _collinearities(self) -> list[Integers]:
        """Return a basis of the vectors whose functional margin is 0 in all rows."""
        from scipy.linalg import qr

        eigenvalues = np.linalg.eigvalsh(self._points.T @ self._points)
        if eigenvalues[0] > SINGULAR * eigenvalues[-1]:
            return []
        order = qr(self._points.T, mode="r", pivoting=True)[1]
        working = np.asarray(order[: len(self._span)], np.int64)
        while True:
            table = [list(column) for column in zip(*self._span_products(working), strict=True)]
            found = [self._combine(vector) for vector in null_vectors(table, self._clock)]
            off = [np.flatnonzero(agreement_signs(self._rows, w)) for w in found]
            fresh = np.unique(np.concatenate([*off, np.empty(0, np.int64)]))[:MOST_NEWCOMERS]
            if not len(fresh):
                return found
            working = np.union1d(working, fresh)

    def _span_products(self, which: NDArray[np.int64]) -> list[Integers]:
        """Return the products of each row with a basis of the rows' span, as integers with one scale."""
        rows = lifted_integers(self._rows, self._offset, which)
        return rows if self._spans_all else product(rows, self._columns)

    def _combine(self, factors: Integers) -> Integers:
        """Return Σ factor·vector over the basis of the span, as (w, b) up to a positive factor."""
        w = [sum(f * n for f, n in zip(factors, column, strict=True) if f) for column in self._columns]
        return divide_by_gcd([*w, *([] if self._offset else [0])])

    def _part_of(self, w: Integers) -> QuasiSeparation | None:
        """Return the part for this direction, or None unless it separates all separated rows."""
        part = quasi_separation(self._batch, w)
        return part if part is not None and part.separated == len(self._separated) else None


def _quotient(number: int, power: int) -> float:
    """Return number·2^power as a double; 0 if it is too small."""
    bits = number.bit_length()
    return float(np.ldexp(number / (1 << bits), bits + power)) if number else 0.0
