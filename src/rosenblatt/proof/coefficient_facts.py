"""Facts about the coefficients of a logistic regression that follow from the checked parts of a proof.

Let aᵢ = yᵢ(xᵢ, 1), and let C be the set of all w̃ = (w, b) with aᵢ·w̃ ≥ 0 for every row. A row is *separated*
if aᵢ·w̃ > 0 for some w̃ in C. Along every sequence of weights β whose likelihood tends to its supremum, aᵢ·β
tends to infinity for the separated rows and to a finite limit for the others (Albert & Anderson 1984). The
vectors v with aᵢ·v = 0 for all rows that are not separated are the linear span V of C. Hence:

* If vⱼ = 0 for all v in V, eⱼ is a linear combination of rows that are not separated, and βⱼ tends to a
  finite limit. Otherwise βⱼ has no common finite limit: it diverges, or its limit depends on the sequence.
* If vⱼ is not 0 for all v in V, βⱼ tends to +∞ if some u = Σ λᵢaᵢ with λᵢ ≥ 0 satisfies u·v = vⱼ for all v
  in V (Farkas), and to −∞ if some such u satisfies u·v = −vⱼ for all v in V. If neither exists, C has
  vectors with wⱼ > 0 and with wⱼ < 0: the data do not determine the limit.
* If vⱼ ≠ 0 for some v with aᵢ·v = 0 in all rows, βⱼ is not identified.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import ProofRejected
from rosenblatt.numeric.agreements import agreement_signs
from rosenblatt.numeric.blocks import with_columns
from rosenblatt.numeric.integers import Dyadic
from rosenblatt.numeric.row_batches import Batch
from rosenblatt.proof.parts import Growth

Limit = Literal["finite", "+inf", "-inf", "±inf", "not finite", "not identified"]
Relation = dict[int, int]


class CoefficientFacts:
    """Collect what the parts of a proof imply about each coefficient; the last one is the intercept.

    The argument `width` is the number of coefficients.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._span: list[Relation] | None = None  # a basis of V; None if unknown
        self._spans_all = False  # whether V contains every vector
        self._moving: set[int] = set()
        self._positive: set[int] = set()
        self._negative: set[int] = set()
        self._growing: dict[int, Limit] = {}
        self._unidentified: set[int] = set()

    def add_direction(self, direction: Sequence[int | float]) -> None:
        """Add a vector (w, b) of C that separates at least one row."""
        self._positive |= {j for j, number in enumerate(direction) if number > 0}
        self._negative |= {j for j, number in enumerate(direction) if number < 0}

    def separate_all(self) -> None:
        """State that all rows are separated."""
        self._spans_all = True

    def add_span(self, relations: Iterable[Relation], empty: set[int], all_rows: bool) -> None:
        """Add a basis of V: relations and empty columns of the rows that are not separated.

        `all_rows` states that no row is separated.
        """
        self._span = [*relations, *({column: 1} for column in empty)]
        moving = {column for relation in self._span for column, factor in relation.items() if factor}
        if all_rows:
            self._unidentified |= moving
        else:
            self._moving |= moving

    def add_collinearity(self, columns: set[int]) -> None:
        """Add columns that are linearly dependent in all rows, each with a factor other than 0."""
        self._unidentified |= columns

    def add_growth(self, part: Growth, total: list[int]) -> None:
        """Check that `total`, a combination of rows, proves the sign of a coefficient on V."""
        j = part.column
        if not 0 <= j < self._width or part.sign not in (1, -1):
            raise ProofRejected("a growth is about a column of the data or the offset, and its sign is ±1")
        if self._spans_all:
            is_multiple = total[j] * part.sign > 0 and not any(total[:j]) and not any(total[j + 1 :])
        elif self._span is None:
            raise ProofRejected("no part before the growth determines which rows are separated")
        else:
            values = [(sum(total[c] * k for c, k in v.items()), v.get(j, 0)) for v in self._span]
            here, own = next(((value, own) for value, own in values if own), (0, 0))
            is_multiple = here * own * part.sign > 0 and all(
                value * own == here * other for value, other in values
            )
        if not is_multiple:
            raise ProofRejected(f"the combination does not prove the sign of coefficient {j}")
        self._growing[j] = "+inf" if part.sign > 0 else "-inf"

    def limits(self) -> tuple[Limit | None, ...]:
        """Return what is proved about each coefficient; None if nothing is proved."""
        return tuple(map(self._limit, range(self._width)))

    def _limit(self, j: int) -> Limit | None:
        if j in self._unidentified:
            return "not identified"
        if j in self._growing:
            return self._growing[j]
        if j in self._positive and j in self._negative:
            return "±inf"
        if self._spans_all or j in self._moving or j in self._positive or j in self._negative:
            return "not finite"
        return None if self._span is None else "finite"


def dependent_columns(batch: Batch, offset: bool, relation: Relation) -> set[int]:
    """Check that a linear relation of columns holds in every row, and return these columns."""
    columns = {column for column, factor in relation.items() if factor}
    if not columns or not all(0 <= column < batch.n_features + offset for column in columns):
        raise ProofRejected("a collinearity needs columns of the data, with factors other than 0")
    if agreement_signs(*in_columns_of(relation, batch)).any():
        raise ProofRejected(f"column {min(columns)} does not satisfy its relation")
    return columns


def in_columns_of(relation: Relation, batch: Batch) -> tuple[Batch, list[int]]:
    """Return the batch restricted to a relation's columns, and their factors, the offset's last."""
    used = (column for column, factor in relation.items() if factor and column < batch.n_features)
    columns = sorted(used) or [0]
    factors = [relation.get(column, 0) for column in columns]
    return with_columns(batch, np.array(columns, np.int64)), [*factors, relation.get(batch.n_features, 0)]


def lifted_sum(features: Dyadic, balance: int, offset: bool) -> list[int]:
    """Return Σ λᵢyᵢ(xᵢ, 1) times a power of two, given Σ λᵢyᵢxᵢ and Σ λᵢyᵢ."""
    if not offset:
        return features.integers
    up, down = max(0, features.exponent), max(0, -features.exponent)
    return [*(number << up for number in features.integers), balance << down]


def rows_on_hyperplane(n_rows: int, separated: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows that are not among the separated rows."""
    on = np.ones(n_rows, np.bool_)
    on[separated] = False
    return np.flatnonzero(on)
