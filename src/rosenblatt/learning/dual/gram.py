"""Rows of Gram matrices: of a block, made when needed; of a data set, kept while they fit."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import bad_value
from rosenblatt.learning.backends import Backend, OnHost
from rosenblatt.learning.dual.points import Points

UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
SMALLEST = 10**6  # room for one block of kernel values


def as_bytes(size: Any) -> int:
    """ "2GB", "500 MB" or a number of bytes.

    >>> as_bytes("2GB"), as_bytes(1e9)
    (2000000000, 1000000000)
    >>> as_bytes("1KB")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: cache_size: expected at least 1MB, room for one block of kernel values, ...
    """
    number: float | None = None
    if isinstance(size, str):
        match = re.fullmatch(r"\s*([0-9.]+(?:e[0-9]+)?)\s*([kmgt]?i?b)?\s*", size.lower())
        if match:
            unit = (match[2] or "b").upper().replace("I", "")
            try:
                number = float(match[1]) * UNITS[unit]
            except ValueError:
                number = None
    elif isinstance(size, (int, float, np.number)) and not isinstance(size, bool):
        number = float(size)
    if number is None or not np.isfinite(number):
        raise bad_value("cache_size", size, "a size such as '2GB' or '500MB', or a number of bytes")
    if number < SMALLEST:
        raise bad_value("cache_size", size, "at least 1MB, room for one block of kernel values")
    return int(number)


class KeptRows:
    """K of some rows with all n rows of a data set, within `cache_bytes`; first come, first kept."""

    def __init__(self, n: int, cache_bytes: int, backend: Backend) -> None:
        self._n, self._backend = n, backend
        self._most = cache_bytes // (8 * n)
        self._rows: dict[int, Any] = {}

    def __contains__(self, row: int) -> bool:
        return row in self._rows

    def __getitem__(self, row: int) -> Any:
        return self._rows[row]

    @property
    def room(self) -> int:
        """For how many more rows."""
        return max(0, self._most - len(self._rows))

    def keep(self, row: int, part: slice, values: Any) -> None:
        """Some values of a row; all of them at once are kept where they are."""
        if part.start == 0 and part.stop == self._n:
            self._rows[row] = values
            return
        if row not in self._rows:
            self._rows[row] = self._backend.empty((self._n,))
        self._rows[row][part] = values


class BlockGram:
    """K̃ of a block's rows with all rows of the block, made for the rows that need it.

    values[place[i]] is that of row i, on the backend (or on the host, if `on_host`); place[i] = −1: not
    made.
    """

    def __init__(
        self, kernel: Any, X: Any, x2: Any, offset: float, backend: Backend, on_host: bool
    ) -> None:
        self._kernel, self._X, self._x2, self._offset, self._backend = kernel, X, x2, offset, backend
        self._kept_in: Backend = OnHost() if on_host else backend
        self._n = X.shape[0]
        self._made = 0
        self.place = np.full(self._n, -1, np.int64)
        self.values = self._kept_in.zeros((0, self._n))

    def add(self, positions: NDArray[np.int64]) -> None:
        new = positions[self.place[positions] < 0]
        if not len(new):
            return
        X, x2 = self._X, self._x2
        if len(new) < self._n:
            numbers = self._backend.numbers(new)
            X, x2 = X[numbers], x2[numbers]
        made = self._kernel.matrix(X, self._X, x2, self._x2, self._backend)
        made += self._offset
        if self._kept_in.is_host:
            made = self._backend.get(made)
        end = self._made + len(new)
        if not self._made:
            self.values = made
        elif end > len(self.values):
            grown = self._kept_in.zeros((max(2 * len(self.values), end), self._n))
            grown[: self._made] = self.values[: self._made]
            self.values = grown
        self.values[self._made : end] = made
        self.place[new] = np.arange(self._made, end)
        self._made = end


class WholeGram:
    """K̃ of all rows of a data set with each other, where a device has room for it."""

    def __init__(self, kernel: Any, points: Points, offset: float, backend: Backend) -> None:
        self.values = backend.empty((points.n, points.n))
        for part, X, x2 in points.parts(points.n):
            for where, Z, z2 in points.parts(part.stop - part.start):
                self.values[part, where] = kernel.matrix(X, Z, x2, z2, backend)
            self.values[part] += offset

    def of_block(self, which: NDArray[np.int64]) -> WholeBlock:
        return WholeBlock(self.values, which)


class WholeBlock(NamedTuple):
    """A block of a `WholeGram`: everything has been made."""

    values: Any
    place: NDArray[np.int64]

    def add(self, positions: NDArray[np.int64]) -> None:
        pass
