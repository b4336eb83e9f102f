"""Renumber the features of a classifier during training so that its weights are close in memory.

The features of sparse rows are numbered in order of first occurrence (`numeric.feature_numbers`). The
classifier learns with one weight for each of these features. The weights are written back under their
original numbers before anything else reads them.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt import averaging, rules
from rosenblatt.numeric.feature_numbers import FeatureNumbers
from rosenblatt.numeric.row_batches import Batch, Sparse, read_only
from rosenblatt.training.orders import SEARCHES
from rosenblatt.training.run import Plan

if TYPE_CHECKING:
    from rosenblatt.training.separate_columns import Column

FEWEST_PASSES = 4
"""Renumbering took 1.5 to 2.5 times as long as a pass, and reduced the time of each later pass to between a
third and a half (20newsgroups and spamassassin, 2²⁰ and 2²² hashed features)."""

FEWEST_FEATURES, MOST_FEATURES = 1 << 19, 1 << 23
"""With fewer features the weights fit into the caches of a core: at 2¹⁸ features a pass became a fifth
faster, too little to repay the cost in ten passes. With more features, the extra memory would not be small
compared with the data."""

FEWEST_ENTRIES, MOST_ENTRIES = 1 << 18, 1 << 25
"""With fewer entries no time is saved; with more, the copy of the indices takes more than 128 MB."""

SAMPLE, MOST_PER_LINE, LINE = 1 << 14, 1.5, 3
"""Consider the features that occur twice among the first entries. Of hashed features, 1.0 to 1.05 lie in
the same cache line of 2³ weights. If there are more, features are already numbered by frequency, and
renumbering saves no time: with Zipf's law (2.5 per line), ten passes on a busy core took 0.94 s with
renumbering and 0.81 s without."""


class RenumberedRows(NamedTuple):
    """Hold rows with renumbered features, and the numbers of the features."""

    rows: Sparse
    numbers: FeatureNumbers


def renumber_features(rows: Sparse) -> RenumberedRows:
    """Renumber the features of rows in order of first appearance."""
    numbers = FeatureNumbers(rows.n_features)
    indices = numbers.learn(rows.indices[: int(rows.starts[-1])])
    return RenumberedRows(rows._replace(indices=read_only(indices), n_features=len(numbers)), numbers)


def is_scattered(rows: Sparse) -> bool:
    """Return whether the weights that are used often are far apart in memory.

    >>> often, starts = np.tile(np.arange(1000, dtype=np.uint32), 2), np.array([0, 2000], np.uint32)
    >>> near, far = (Sparse(np.ones(2000), indices, starts, 2**20) for indices in (often, often * 1000))
    >>> is_scattered(near), is_scattered(far)
    (False, True)
    """
    some = np.sort(rows.indices[: min(SAMPLE, int(rows.starts[-1]))])
    often = np.unique(some[1:][some[1:] == some[:-1]])
    lines = np.unique(often >> LINE)
    return bool(often.size <= MOST_PER_LINE * lines.size)


def renumber(column: Column, batch: Batch, plan: Plan) -> RenumberedRows | None:
    """Return the rows with features numbered by first occurrence, or None if renumbering is not useful.

    Renumbering is impossible if a rule shrinks w (and so changes weights of features that never occur), if
    a committee stores rows, or if an order searches all rows with the state's weights.
    """
    rows, order = batch.rows, plan.order
    if not isinstance(rows, Sparse) or isinstance(column.keeper, averaging.Voted):
        return None
    pays = (
        FEWEST_FEATURES <= rows.n_features <= MOST_FEATURES
        and FEWEST_ENTRIES <= int(rows.starts[-1]) <= MOST_ENTRIES
        and (plan.epochs is None or plan.epochs >= FEWEST_PASSES)
        and rules.facts(column.rule).is_additive
        and not (isinstance(order, str) and order in SEARCHES)
        and is_scattered(rows)
    )
    return renumber_features(rows) if pays else None


def narrow_column(column: Column, numbers: FeatureNumbers) -> Column:
    """Return the same classifier with only the weights of the occurring features.

    It shares the counters of `column`.
    """

    def part_of(full: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.zeros(len(numbers) + 1) if is_untouched else numbers.gather(full)

    is_untouched = (
        column.began_at_zero and not column.tally["updates"][0]
    )  # reading the zeros would allocate their memory
    near = copy.copy(column)
    near.weights = part_of(column.weights)
    if names := averaging.by_feature(column.keeper):
        near.keeper = column.keeper._replace(
            **{name: part_of(getattr(column.keeper, name)) for name in names}
        )
    return near


def write_back(near: Column, column: Column, numbers: FeatureNumbers) -> None:
    """Write the weights learned by the narrow classifier into `column`."""
    numbers.put_back(near.weights, column.weights)
    for name in averaging.by_feature(column.keeper):
        numbers.put_back(getattr(near.keeper, name), getattr(column.keeper, name))
