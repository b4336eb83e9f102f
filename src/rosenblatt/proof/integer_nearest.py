"""Wolfe's method in exact integer arithmetic, for cases that floating point cannot decide.

The steps are as in `nearest_points`, but without rounding. The point of least norm in an affine hull solves
a linear system, which the library FLINT solves in fractions. So z, the margin and the weights are exact,
there is no doubt whether z = 0, and the method ends because no corral occurs twice. Integers with many
digits are slow, so the search starts from a corral found in floating point and needs only the last few
steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.agreements import agreement_signs
from rosenblatt.numeric.blocks import select_rows
from rosenblatt.numeric.integers import as_dyadic, divide_by_gcd
from rosenblatt.numeric.row_batches import Batch
from rosenblatt.proof.clock import Clock

Integers = list[int]
MOST_NEWCOMERS = 100


class ExactNearest(NamedTuple):
    """Hold the exact solution for all rows, z = Σ weightsᵢ·yᵢxᵢ up to a positive factor.

    All numbers are integers, computed from integer rows: the true rows divided by 2^exponent.
    `levels` contains, for each group, the smallest product of its rows with z.
    """

    rows: NDArray[np.int64]
    weights: Integers
    z: Integers
    levels: Integers
    exponent: int

    @property
    def is_zero(self) -> bool:
        """Whether z = 0, so that the classes are not separable."""
        return not any(self.z)


def signed_integers(batch: Batch, which: Sequence[int] | NDArray[Any]) -> tuple[list[Integers], int]:
    """Return yᵢxᵢ of the selected rows as integers, and the exponent of their common power of two."""
    matrix = select_rows(batch.rows, np.asarray(which))
    dense = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
    numbers, exponent = as_dyadic((dense * batch.labels[which][:, None]).ravel())
    d = batch.n_features
    return [numbers[k * d : (k + 1) * d] for k in range(len(which))], exponent


def nearest_exactly(
    batch: Batch, offset: bool, start: NDArray[np.int64], weights: Integers, clock: Clock
) -> ExactNearest:
    """Return the exact solution for all rows, starting from an approximate corral and its weights."""
    groups = (batch.labels < 0).astype(np.int8) if offset else np.zeros(batch.n_rows, np.int8)
    n_groups = int(groups.max()) + 1
    working = list(
        dict.fromkeys([*start.tolist(), *(int(np.argmax(groups == g)) for g in range(n_groups))])
    )
    held: list[int] | None = None
    while True:
        points, exponent = signed_integers(batch, working)
        search = Corral(points, [int(groups[i]) for i in working], n_groups, clock)
        if held is None:
            search.begin(list(range(len(start))), weights)
        else:
            search.begin([working.index(i) for i in held], weights)
        search.descend()
        held, weights = [working[k] for k in search.members], search.weights
        found = ExactNearest(np.array(held), search.weights, search.z, search.levels, exponent)
        newcomers = _rows_below(batch, groups, found)
        if not len(newcomers):
            return found
        known = set(working)
        working += [int(i) for i in newcomers if int(i) not in known][:MOST_NEWCOMERS]


def _rows_below(batch: Batch, groups: NDArray[np.int8], found: ExactNearest) -> NDArray[np.int64]:
    """Return the rows whose product with z is smaller than the level of their group."""
    if found.is_zero:
        return np.empty(0, np.int64)
    up, down = max(0, -found.exponent), max(0, found.exponent)
    below = np.zeros(batch.n_rows, np.bool_)
    for label in (1, -1):
        of_label = batch.labels == label
        if of_label.any():
            level = found.levels[int(groups[np.argmax(of_label)])]
            # yᵢxᵢ·z < level is the sign of a functional margin with the offset −yᵢ·level
            w = [number << up for number in found.z] + [-label * level << down]
            below |= of_label & (agreement_signs(batch, w) < 0)
    return np.flatnonzero(below)


class Corral:
    """Run Wolfe's method on a few integer points, each of which belongs to a group."""

    def __init__(self, points: list[Integers], groups: list[int], n_groups: int, clock: Clock) -> None:
        from flint import fmpz_mat

        self._points, self._groups, self._n_groups, self._clock = points, groups, n_groups, clock
        self._matrix = fmpz_mat(points)
        self.members: list[int] = []
        self.weights: Integers = []
        self.z: Integers = [0] * len(points[0])
        self.levels: Integers = [0] * n_groups

    def begin(self, members: list[int], weights: Integers) -> None:
        """Start from the point Σ weight·member, where all weights are positive.

        The weights must have the same sum in each group. If the members are affinely dependent, or a group
        has no member, start from one point of each group.
        """
        has_all = {self._groups[k] for k in members} == set(range(self._n_groups))
        if not has_all or self._affine_weights(members) is None:
            members, weights = [self._groups.index(g) for g in range(self._n_groups)], [1] * self._n_groups
        self._come_inside(members, weights)

    def descend(self) -> None:
        """Iterate until no point has a smaller product with z than its group's corral points, or z = 0."""
        from flint import fmpz_mat

        while any(self.z):
            self._clock.tick(f"whole numbers: {len(self.members)} points determine the distance")
            products = [int(p) for p in (self._matrix * fmpz_mat(len(self.z), 1, self.z)).entries()]
            drops = [product - self.levels[g] for product, g in zip(products, self._groups, strict=True)]
            newcomer = min(range(len(drops)), key=drops.__getitem__)
            if drops[newcomer] >= 0:
                return
            self._come_inside([*self.members, newcomer], [*self.weights, 0])

    def _come_inside(self, members: list[int], weights: Integers) -> None:
        """Move towards the affine hull's least-norm point; remove each point whose weight reaches 0."""
        while True:
            target = self._affine_weights(members)
            assert target is not None, "a newcomer below the level of its group is independent"
            if min(target) > 0:
                self._settle(members, target)
                return
            # scale both to the same sum in each group
            total, goal = sum(weights), sum(target)
            here, there = [w * goal for w in weights], [t * total for t in target]
            # here + (there − here)·num/den: the smallest step at which a weight becomes 0
            num, den = 1, 1
            for h, t in zip(here, there, strict=True):
                if t <= 0 and h * den < num * (h - t):
                    num, den = h, h - t
            moved = [h * (den - num) + t * num for h, t in zip(here, there, strict=True)]
            stay = [k for k, weight in enumerate(moved) if weight > 0]
            members, weights = [members[k] for k in stay], divide_by_gcd([moved[k] for k in stay])

    def _settle(self, members: list[int], weights: Integers) -> None:
        self.members, self.weights = members, weights
        columns = zip(*(self._points[k] for k in members), strict=True)
        self.z = [sum(w * x for w, x in zip(weights, column, strict=True)) for column in columns]
        self.z = divide_by_gcd(self.z)
        for g in range(self._n_groups):
            first = next(k for k in members if self._groups[k] == g)
            self.levels[g] = sum(x * z for x, z in zip(self._points[first], self.z, strict=True))

    def _affine_weights(self, members: list[int]) -> Integers | None:
        """Return the weights of the affine hull's least-norm point, as integers up to a common factor.

        Return None if the points are affinely dependent. The weights minimise ‖Σ λp‖² with Σ λ = 1 in each
        group: they solve [G E; Eᵀ 0][λ; μ] = [0; 1].
        """
        from flint import fmpz_mat

        size, n_groups = len(members), self._n_groups
        points = fmpz_mat([self._points[k] for k in members])
        gram = (points * points.transpose()).tolist()
        membership = [[int(self._groups[k] == g) for g in range(n_groups)] for k in members]
        system = [gram[k] + membership[k] for k in range(size)]
        system += [[membership[k][g] for k in range(size)] + [0] * n_groups for g in range(n_groups)]
        right = [0] * size + [1] * n_groups
        try:
            solution = fmpz_mat(system).solve(fmpz_mat(size + n_groups, 1, right))
        except ZeroDivisionError:
            return None
        numerators, _ = solution.numer_denom()
        weights = [int(number) for number in numerators.entries()[:size]]
        return divide_by_gcd(weights if sum(weights) > 0 else [-weight for weight in weights])
