"""Statistics of the columns from one pass: means, deviations, missing values, word frequencies."""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.number_ranges import knots_of

TOGETHER = 1 << 16
"""Number of values of a column whose mean and deviation are computed together."""

KNOTS = 256
MOST_RANKED = 1 << 16
"""Largest number of values of a column that are stored for ranks; if there are more rows, only every
second, fourth, … row is used."""


class Scale(NamedTuple):
    """Scale numbers by an affine map (subtract, then divide) or to ranks among known values.

    >>> numbers = np.array([1.0, 5.0])
    >>> Scale(3.0, 2.0).apply(numbers)
    >>> numbers
    array([-1.,  1.])
    """

    centre: float = 0.0
    divisor: float = 1.0
    knots: tuple[float, ...] = ()

    def apply(self, numbers: NDArray[np.float64]) -> None:
        """Scale the numbers in place."""
        if self.knots:
            numbers[:] = np.interp(numbers, self.knots, np.linspace(-1.0, 1.0, len(self.knots)))
        elif self.divisor != 1.0 or self.centre != 0.0:
            numbers -= self.centre
            numbers /= self.divisor


@dataclass(frozen=True)
class Statistics:
    """Store the statistics of the columns.

    `scales` holds the scale of each number column, and `gaps` the number columns with missing values.
    `n_rows` is the number of rows, `missing` the number of missing values in each column, and `counts` the
    number of texts with each hashed word, or these numbers for each of two classes. `knots` holds the
    quantiles of number columns, and `pairs` the pairs of columns that were chosen.
    """

    scales: Mapping[str, Scale] = field(default_factory=dict)
    gaps: tuple[str, ...] = ()
    n_rows: int = 0
    missing: Mapping[str, int] = field(default_factory=dict)
    counts: NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, np.uint32), compare=False)
    knots: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    pairs: tuple[tuple[str, str], ...] = ()

    @property
    def word_factors(self) -> NDArray[np.float64]:
        """Return the factor of each hashed word, or an empty array; it is negative for unknown words."""
        return self.idf if self.counts.ndim == 1 else self.count_ratios

    @cached_property
    def count_ratios(self) -> NDArray[np.float64]:
        """Return abs(log(p/q)) of each hashed word, or −1 if no training text contains it.

        p and q are the shares of the word in the words of the two classes, where each text counts a word
        once, and each word has one more text in both classes (Wang & Manning, ACL 2012).

        >>> known = Statistics(counts=np.array([[2, 0, 0], [0, 2, 0]], np.uint32))
        >>> known.count_ratios.round(2)
        array([ 1.1,  1.1, -1. ])
        """
        ratios = np.full(self.counts.shape[1], -1.0)
        there = np.flatnonzero(self.counts.any(axis=0))
        p, q = (np.log(counts) - np.log(counts.sum()) for counts in 1.0 + self.counts[:, there])
        ratios[there] = np.abs(p - q)  # the order of the classes makes no difference, not even in rounding
        return ratios

    @cached_property
    def idf(self) -> NDArray[np.float64]:
        """Return 1 + log((1 + texts)/(1 + texts with the word)) of each hashed word, or an empty array.

        The value of a word that no training text contains is negative. The model has no weight for such a
        word, so the length of a text is computed without it.
        """
        if not self.counts.size:
            return np.empty(0)
        idf = np.full(self.counts.size, -1.0 - math.log(1.0 + self.n_rows))
        there = np.flatnonzero(self.counts)
        idf[there] = 1.0 + np.log((1.0 + self.n_rows) / (1.0 + self.counts[there]))
        return idf

    @cached_property
    def _packed_counts(self) -> str:
        return base64.b64encode(zlib.compress(self.counts.astype("<u4").tobytes(), 1)).decode("ascii")

    def settings(self) -> dict[str, Any]:
        """Return the statistics for JSON."""
        return {
            "scales": {name: [s.centre, s.divisor, *s.knots] for name, s in self.scales.items()},
            "gaps": list(self.gaps),
            "n_rows": self.n_rows,
            "missing": dict(self.missing),
            **({"counts": self._packed_counts} if self.counts.size else {}),
            **({"are_counts_by_class": True} if self.counts.ndim == 2 else {}),
            **({"knots": {name: list(knots) for name, knots in self.knots.items()}} if self.knots else {}),
            **({"pairs": [list(pair) for pair in self.pairs]} if self.pairs else {}),
        }

    @staticmethod
    def from_settings(settings: Mapping[str, Any]) -> Statistics:
        """Return the statistics restored from `settings()`.

        >>> counts = np.array([2, 0, 1, 0], np.uint32)
        >>> known = Statistics({"age": Scale(30.0, 12.5)}, ("age",), 2, {"age": 1}, counts)
        >>> again = Statistics.from_settings(known.settings())
        >>> again == known, again.idf.round(2)
        (True, array([ 1.  , -2.1 ,  1.41, -2.1 ]))
        """
        return Statistics(
            {name: Scale(c, d, tuple(knots)) for name, (c, d, *knots) in settings["scales"].items()},
            tuple(settings["gaps"]),
            settings["n_rows"],
            settings["missing"],
            _unpack(settings) if "counts" in settings else np.empty(0, np.uint32),
            {name: tuple(knots) for name, knots in settings.get("knots", {}).items()},
            tuple((one, other) for one, other in settings.get("pairs", ())),
        )


def _unpack(settings: Mapping[str, Any]) -> NDArray[np.uint32]:
    counts = np.frombuffer(zlib.decompress(base64.b64decode(settings["counts"])), "<u4").astype(np.uint32)
    return counts.reshape(2, -1) if settings.get("are_counts_by_class") else counts


class Moments:
    """Collect mean, deviation, largest value, missing values and a sample of a column, part by part.

    >>> moments = Moments()
    >>> moments.add(np.array([1.0, 2.0, np.nan])), moments.add(np.array([6.0]))
    (None, None)
    >>> moments.n_missing, moments.mean, round(moments.deviation, 3)
    (1, 3.0, 2.16)
    """

    def __init__(self) -> None:
        self.n_missing = self._n_merged = 0
        self.largest = self._mean = self._squares = 0.0
        self._pending: list[NDArray[np.float64]] = []
        self._n_pending = 0
        self._sample: list[NDArray[np.float64]] = []
        self._every, self._n_seen, self._n_sample = 1, 0, 0

    def add(self, numbers: NDArray[np.float64]) -> None:
        """Add values; NaN is a missing value.

        They are merged in blocks of `TOGETHER`, so the result does not depend on the division into parts.
        """
        missing = np.isnan(numbers)
        self.n_missing += int(missing.sum())
        known = numbers[np.isfinite(numbers)]
        if not known.size:
            return
        self._keep(known)
        self.largest = max(self.largest, float(np.abs(known).max()))
        self._pending.append(known)
        self._n_pending += known.size
        while self._n_pending >= TOGETHER:
            block = np.concatenate(self._pending)
            self._merge(block[:TOGETHER])
            self._pending, self._n_pending = [block[TOGETHER:]], block.size - TOGETHER

    def _merge(self, known: NDArray[np.float64]) -> None:
        self._n_merged, self._mean, self._squares = self._with(known)

    def _with(self, known: NDArray[np.float64]) -> tuple[int, float, float]:
        """Return number, mean and squares with a block, by the method of Chan, Golub & LeVeque (1983)."""
        with np.errstate(over="ignore", invalid="ignore"):
            mean = float(known.mean())
            squares = float(np.square(known - mean).sum())
            apart = mean - self._mean
            n = self._n_merged + known.size
            return (
                n,
                self._mean + apart * known.size / n,
                self._squares + (squares + apart * apart * self._n_merged * known.size / n),
            )

    def _totals(self) -> tuple[int, float, float]:
        """Return number, mean and squares of all values; those that wait for a full block stay pending."""
        if not self._n_pending:
            return self._n_merged, self._mean, self._squares
        return self._with(np.concatenate(self._pending))

    def _keep(self, known: NDArray[np.float64]) -> None:
        """Add every n-th value to the sample, and double n when the sample is too large."""
        first = -self._n_seen % self._every
        self._n_seen += known.size
        self._sample.append(known[first :: self._every].copy())
        self._n_sample += len(self._sample[-1])
        while self._n_sample > MOST_RANKED:
            every = np.concatenate(self._sample)[::2]
            self._sample, self._n_sample, self._every = [every], len(every), 2 * self._every

    @property
    def knots(self) -> tuple[float, ...]:
        """Return the distinct quantiles of the sample."""
        return knots_of(np.concatenate(self._sample)) if self._n_seen else ()

    @property
    def mean(self) -> float:
        return self._totals()[1]

    @property
    def deviation(self) -> float:
        n, _, squares = self._totals()
        return math.sqrt(squares / n) if n else 0.0

    def scale(self, numbers: str) -> Scale:
        """Return the scale of the column for the option "given", "standard", "largest" or "rank".

        Ranges, for the options "piecewise" and "bins", have no scale.
        """
        if numbers == "rank" and self._n_seen:
            knots = np.quantile(np.concatenate(self._sample), np.linspace(0.0, 1.0, KNOTS + 1))
            rising = np.unique(knots)
            return Scale(knots=tuple(knots.tolist())) if len(rising) > 1 else Scale(float(rising[0]))
        largest = Scale(0.0, self.largest or 1.0)
        if numbers != "standard":
            return largest if numbers == "largest" else Scale()
        if not (math.isfinite(self.mean) and math.isfinite(self.deviation)):
            return largest  # the squares overflow
        return Scale(self.mean, self.deviation or 1.0)


def merge_moments(columns: Iterable[tuple[str, Moments]], numbers: str) -> Statistics:
    """Return the scales of the columns, and the names of the columns with missing values."""
    every = dict(columns)
    gaps = tuple(name for name, moments in every.items() if moments.n_missing)
    is_scaled = numbers in ("standard", "largest", "rank")
    scales = {name: moments.scale(numbers) for name, moments in every.items()} if is_scaled else {}
    return Statistics(scales, gaps)
