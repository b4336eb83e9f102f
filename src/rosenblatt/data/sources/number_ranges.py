"""Ranges of numbers between quantiles: piecewise-linear features, bins, and pairs of columns.

A column with the knots k₀ < k₁ < … < kₘ, quantiles and frequent values of the training rows, has m ranges.
Its piecewise features are clip((x − kⱼ)/(kⱼ₊₁ − kⱼ), 0, 1), one for each range, so a linear model of them
is a continuous function of x with a separate slope in each range (Gorishniy, Rubachev & Babenko, 2022). As
bins, only the range that contains x is a feature.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

PIECES = 16
"""The number of ranges of a column, or fewer if quantiles are equal."""

FEW = PIECES // 2

MOST_COLUMNS, MOST_PAIRS, MOST_LEVELS = 48, 64, 32
"""Limits on the columns that may form pairs, on the chosen pairs, and on the categories of a column."""

Codes = NDArray[np.int64]


def knots_of(numbers: NDArray[np.float64]) -> tuple[float, ...]:
    """Return the distinct quantiles of numbers; a column of one value has a single knot.

    If there are few values, each of them is a knot. A value that is frequent enough to fill a range, such
    as the 0 of a column that is mostly 0, is also a knot; the other knots are quantiles of the other
    numbers.

    >>> knots_of(np.arange(33.0))[:3], knots_of(np.array([5.0, 7.0, 5.0]))
    ((0.0, 2.0, 4.0), (5.0, 7.0))
    >>> knots_of(np.concatenate([np.zeros(900), np.arange(100.0, 251.0)]))[:3]
    (0.0, 100.0, 110.0)
    """
    if not numbers.size:
        return ()
    values, counts = np.unique(numbers, return_counts=True)
    if len(values) > PIECES:
        is_frequent = np.zeros(len(values), np.bool_)
        pieces, n = PIECES, len(numbers)
        while (more := ~is_frequent & (counts * pieces > n)).any() and more.sum() < pieces:
            is_frequent |= more
            pieces, n = PIECES - int(is_frequent.sum()), int(counts[~is_frequent].sum())
        others = np.repeat(values[~is_frequent], counts[~is_frequent])
        with np.errstate(over="ignore", invalid="ignore"):
            quantiles = np.quantile(others, np.linspace(0.0, 1.0, pieces + 1))
        values = np.unique(np.concatenate([values[is_frequent], quantiles]))
    return tuple(values[np.isfinite(values)].tolist())


def edges_of(knots: Sequence[float], in_pair: bool = False) -> NDArray[np.float64]:
    """Return the edges between the ranges; with few knots, each is treated as a value with its own range.

    In a pair with another column, two neighbouring ranges are one.

    >>> edges_of([0, 1, 2]), edges_of(range(9), in_pair=True)
    (array([1., 2.]), array([2., 4., 6.]))
    """
    if len(knots) <= FEW:
        return np.array(knots[1:], np.float64)
    edges = np.array(knots[1:-1], np.float64)
    return edges[1::2] if in_pair else edges


def write_pieces(numbers: NDArray[np.float64], knots: Sequence[float], pieces: Any) -> None:
    """Write the piecewise features of a column into the arrays `pieces`, one for each range.

    >>> pieces = np.empty((2, 4))
    >>> write_pieces(np.array([-5.0, 5.0, 15.0, 99.0]), (0.0, 10.0, 20.0), pieces)
    >>> pieces
    array([[0. , 0.5, 1. , 1. ],
           [0. , 0. , 0.5, 1. ]])
    """
    for piece, low, high in zip(pieces, knots[:-1], knots[1:], strict=True):
        scale = 1.0 if np.isfinite(high - low) else 0.5  # the difference may overflow
        np.clip(numbers, low, high, out=piece)
        piece *= scale
        piece -= low * scale
        piece /= high * scale - low * scale


def names_of_pieces(name: str, knots: Sequence[float]) -> list[str]:
    """Return the names of the piecewise features of a column.

    >>> names_of_pieces("age", (18.0, 30.5, 90.0))
    ['age from 18 to 30.5', 'age from 30.5 to 90']
    """
    return [f"{name} from {low:.6g} to {high:.6g}" for low, high in pairwise(knots)]


def name_of_ranges(name: str) -> str:
    """Return the name of the column of categories that holds the ranges of a column."""
    return f"{name} range"


def names_of_ranges(edges: Sequence[float]) -> list[str]:
    """Return the names of the ranges, the smallest first.

    >>> names_of_ranges([20.0, 30.5])
    ['below 20', '20 to 30.5', '30.5 and more']
    """
    if not len(edges):
        return ["any"]
    between = [f"{low:.6g} to {high:.6g}" for low, high in pairwise(edges)]
    return [f"below {edges[0]:.6g}", *between, f"{edges[-1]:.6g} and more"]


def ranges_in(numbers: NDArray[np.float64], edges: NDArray[np.float64]) -> Any:
    """Return the range of each number as a category; NaN is missing.

    >>> ranges_in(np.array([1.0, 25.0, np.nan]), np.array([20.0, 30.5])).to_pylist()
    ['below 20', '20 to 30.5', None]
    """
    codes = np.searchsorted(edges, numbers, side="right").astype(np.int32)
    return pa.DictionaryArray.from_arrays(
        pa.array(codes, mask=np.isnan(numbers)),
        pa.array(names_of_ranges(edges.tolist()), pa.large_string()),
    )


# ---------------------------------------------------------------- which pairs of columns


def choose_pairs(columns: Mapping[str, Codes], labels: Codes) -> tuple[tuple[str, str], ...]:
    """Return the pairs of columns that predict the labels better than either column alone.

    `columns` holds the category of each row as a number, −1 if it is missing. A pair's gain is the mutual
    information of the pair and the labels less that of its better column, each reduced by its expected
    value under independence, (cells − 1)(classes − 1)/2n (Miller, 1955). A pair is chosen if its gain
    exceeds twice the standard deviation of the estimate under independence; the largest gains come first.

    >>> a, b, c = np.random.default_rng(0).integers(0, 2, (3, 1000))
    >>> choose_pairs({"a": a, "b": b, "c": c}, a ^ b)
    (('a', 'b'),)
    """
    labels = np.unique(labels, return_inverse=True)[1]
    dense = {name: np.unique(codes, return_inverse=True)[1] for name, codes in columns.items()}
    usable = {name: codes for name, codes in dense.items() if codes.size and 0 < codes.max() < MOST_LEVELS}
    alone = {name: _information(codes, labels)[0] for name, codes in usable.items()}
    best = set(sorted(alone, key=lambda name: -alone[name])[:MOST_COLUMNS])
    gains = []
    for one, other in combinations([name for name in usable if name in best], 2):
        bits, deviation = _information(usable[one] * MOST_LEVELS + usable[other], labels)
        gain = bits - max(alone[one], alone[other], 0.0)
        if gain > 2 * deviation:
            gains.append((gain, (one, other)))
    gains.sort(key=lambda each: -each[0])
    return tuple(pair for _, pair in gains[:MOST_PAIRS])


def _information(codes: Codes, labels: Codes) -> tuple[float, float]:
    """Return (mutual information with the labels less its bias, standard deviation), in nats.

    >>> _information(np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1]))
    (-0.125, 0.1767766952966369)
    """
    n, n_labels = len(labels), int(labels.max()) + 1
    counts = np.bincount(codes * n_labels + labels, minlength=(int(codes.max()) + 1) * n_labels)
    counts = counts.reshape(-1, n_labels)
    counts = counts[counts.any(axis=1)]
    shares = counts / n
    expected = shares.sum(axis=1, keepdims=True) * shares.sum(axis=0)
    there = counts > 0
    information = float((shares[there] * np.log(shares[there] / expected[there])).sum())
    freedom = (len(counts) - 1) * (n_labels - 1)
    return information - freedom / (2 * n), float(np.sqrt(2 * freedom)) / (2 * n)
