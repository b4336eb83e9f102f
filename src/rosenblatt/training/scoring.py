"""Decision values of weights, means and committees on rows; the sign of each value is exact."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rosenblatt.averaging import Voted
from rosenblatt.loops.decide import NEEDS_SUMS, find_mistakes
from rosenblatt.loops.search import scores, scores_of_mean
from rosenblatt.loops.threads import in_stretches
from rosenblatt.loops.votes import count_votes, replay, settle_votes
from rosenblatt.loops.walk import squared_length
from rosenblatt.numeric.blocks import DENSE_FEATURES, block, spread
from rosenblatt.numeric.row_batches import Dense, Rows, Sparse, n_rows, take, tie_label
from rosenblatt.numeric.rows import ROUNDING, SMALL
from rosenblatt.training.linear_state import Mean
from rosenblatt.training.overflow_errors import trouble

BLOCK_BYTES = 1 << 25  # bytes of a block of the committee's rows, or of its scores


def mean_scores(weights: NDArray[np.float64], mean: Mean, offset: float, rows: Rows) -> NDArray[np.float64]:
    """Return w·x + b for every row, where w is a rounded mean; the sign is that of the exact mean."""
    values, norm2 = np.empty(n_rows(rows)), squared_length(weights)
    spread = mean.spread(math.sqrt(norm2))
    status, row = scores_of_mean(
        rows, offset, weights, norm2, spread, np.empty((0, 1, weights.size)), mean.looks, values
    )
    if status == NEEDS_SUMS:
        status, row = scores_of_mean(
            rows, offset, weights, norm2, spread, mean.parts(None), mean.looks, values
        )
    if status:
        raise trouble(status, rows, int(row))
    return values


def linear_scores(weights: NDArray[np.float64], offset: float, rows: Rows) -> NDArray[np.float64]:
    """Return w·x + b for every row, with its exact sign."""
    values = np.empty(n_rows(rows))
    status, row = scores(rows, offset, weights, squared_length(weights), values)
    if status:
        raise trouble(status, rows, int(row))
    return values


def wrong(values: NDArray[np.float64], labels: NDArray[np.int8], tie: str) -> NDArray[np.bool_]:
    """Return whether each row is misclassified."""
    errors = np.empty(values.shape, np.bool_)
    find_mistakes(values.ravel(), labels.ravel(), tie_label(tie), errors.reshape(-1))
    return errors


def second_of_two(values: NDArray[np.float64], tie: str) -> NDArray[np.int64]:
    """Return the predicted class number, 0 or 1, for each decision value: 1 if the value is positive."""
    return (values >= 0.0 if tie == "positive" else values > 0.0).astype(np.int64)


def votes(
    committee: Voted, start: NDArray[np.float64], support: Rows, offset: float, tie: str, rows: Rows
) -> NDArray[np.float64]:
    """Return Σ survival × sign over the members of a committee for every row.

    `support` holds the rows of the committee's updates.
    """
    counted = np.empty(n_rows(rows))
    doubt = _doubt(committee, start, support, offset)

    def count(stretch: slice) -> None:
        counted[stretch] = _count_votes(
            committee, start, support, offset, tie, part_of(rows, stretch), doubt
        )

    in_stretches(count, len(counted), len(counted) * int(committee.members[0]))
    return counted


def _count_votes(
    committee: Voted, start: NDArray[np.float64], support: Rows, offset: float, tie: str, rows: Rows,
    doubt: NDArray[np.float64],
) -> NDArray[np.float64]:  # fmt: skip
    """Return the votes on these rows.

    doubt[k] bounds the rounding error of member k on a row of norm 1.
    """
    members = int(committee.members[0])
    n = n_rows(rows)
    # the initial vector votes first: it has no row
    running = linear_scores(start, offset, rows)
    at_zero = -1.0 if tie_label(tie) <= 0.0 else 1.0
    counted: NDArray[np.float64] = committee.survival[0] * np.where(
        running == 0.0, at_zero, np.sign(running)
    )
    if members == 1:
        return counted
    n_features = len(start) - 1
    z_norm = np.sqrt(_squared_norms(rows) + offset + SMALL) * (1.0 + 1e-9)
    vector = start.copy()
    width = n_features if isinstance(support, Dense) or n_features <= DENSE_FEATURES else 1024
    size = max(1, BLOCK_BYTES // (8 * width))
    for first in range(1, members, size):
        end = min(first + size, members)
        part = take(support, committee.row[first:end])
        step = max(1, BLOCK_BYTES // (8 * (end - first)))
        for z_first in range(0, n, step):
            chosen = slice(z_first, min(z_first + step, n))
            z = part_of(rows, chosen)
            products = _products(z, part) + offset
            unsure = np.zeros(products.shape, np.bool_)
            if count_votes(
                products, first, committee.delta, committee.factor, committee.survival, doubt,
                z_norm[chosen], running[chosen], counted[chosen], unsure,
            ):  # fmt: skip
                status, row = settle_votes(
                    support, committee.row, first, committee.delta, committee.factor,
                    committee.survival, offset, at_zero, z, vector.copy(), unsure, counted[chosen],
                )  # fmt: skip
                if status:
                    raise trouble(status, z, int(row))
        replay(support, committee.row, first, end, committee.delta, committee.factor, offset, vector)
    return counted


def _doubt(
    committee: Voted, start: NDArray[np.float64], support: Rows, offset: float
) -> NDArray[np.float64]:
    """Return for each member a bound on the rounding error of its running sum on a row of norm 1."""
    lengths = np.sqrt(_squared_norms(support) + offset)
    members = int(committee.members[0])
    doubt: NDArray[np.float64] = np.zeros(members)
    longest = int(np.diff(support.starts.astype(np.int64)).max()) if isinstance(support, Sparse) else 0
    terms = max(len(start) - 1, longest) + 8
    magnitude = float(np.linalg.norm(start))
    doubt[0] = terms * ROUNDING * magnitude
    for member in range(1, members):
        factor = abs(committee.factor[member])
        added = abs(committee.delta[member]) * lengths[committee.row[member]]
        magnitude = factor * magnitude + added
        doubt[member] = factor * doubt[member - 1] + ROUNDING * terms * (added + magnitude)
    return doubt + 1e-145  # products may have underflowed


def _squared_norms(rows: Rows) -> NDArray[np.float64]:
    values = rows.values.astype(np.float64) if isinstance(rows, Sparse) else rows.values
    if isinstance(rows, Dense):
        return np.einsum("ij,ij->i", values, values, dtype=np.float64)
    sums = np.concatenate([[0.0], np.cumsum(values * values)])
    squares = sums[rows.starts[1:].astype(np.int64)] - sums[rows.starts[:-1].astype(np.int64)]
    return np.maximum(squares, 0.0) + 1e-12 * sums[-1]  # covers the rounding of the cumulative sum


def part_of(rows: Rows, chosen: slice) -> Rows:
    """Return the rows of a slice; dense rows are not copied."""
    if isinstance(rows, Dense):
        return Dense(rows.values[chosen])
    return take(rows, np.arange(chosen.start, chosen.stop))


def _products(z: Rows, part: Rows) -> NDArray[np.float64]:
    """Return x·z for each row z and each row x of `part`, by one matrix product."""
    # scipy multiplies sparse by dense much faster than sparse by sparse
    product = block(z, slice(0, n_rows(z))) @ spread(part, slice(0, n_rows(part))).T
    return np.ascontiguousarray(product.toarray() if hasattr(product, "toarray") else product)
