"""Kernel values of training rows with the support, kept while they fit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.dual.spaces import Space
from rosenblatt.dual.support import Support, as_matrix
from rosenblatt.errors import bad_value
from rosenblatt.examples import Rows, n_rows, take

UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
SMALLEST = 256 * 256 * 8  # one block of kernel values


def as_bytes(size: Any) -> int:
    """ "2GB", "500 MB" or a number of bytes.

    >>> as_bytes("2GB"), as_bytes(1e9)
    (2000000000, 1000000000)
    >>> as_bytes("1KB")
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: cache_size: expected at least 0.53MB, one block of kernel values, got '1KB'
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
        raise bad_value("cache_size", size, f"at least {SMALLEST / 1e6:.2g}MB, one block of kernel values")
    return int(number)


class Gram:
    """K of the rows of one training set, in `space`.

    A whole chunk of support rows gets room for its kernel values with all rows, as long as the rooms
    together stay within `cache_bytes`; a value is filled in when it is first asked for. What has no room is
    made anew each time.
    """

    def __init__(self, kernel: Any, rows: Rows, space: Space, cache_bytes: int) -> None:
        self._kernel, self._rows, self._space = kernel, rows, space
        self._left = cache_bytes
        self._rooms: list[tuple[Any, NDArray[np.bool_]] | None] = []

    def block(self, which: NDArray[Any]) -> tuple[Any, Any]:
        """Some training rows as a matrix, and their ‖x‖²."""
        return as_matrix(take(self._rows, which), slice(0, len(which)), self._space)

    def with_support(
        self, which: NDArray[Any], X: Any, x2: Any, support: Support
    ) -> Iterator[tuple[slice, Any]]:
        """K(x, z) for the rows X (numbers `which`) and all support rows z, part by part."""
        for part, rows, is_whole in support.parts():
            Z, z2 = support.matrix(part, rows, self._space)
            room = self._room(part.start // support.chunk, support.chunk) if is_whole else None
            if room is None:
                yield part, self._kernel.matrix(X, Z, x2, z2, self._space)
                continue
            values, is_known = room
            missing = np.flatnonzero(~is_known[which])
            if len(missing):
                rows_missing = self._space.numbers(missing)
                made = self._kernel.matrix(X[rows_missing], Z, x2[rows_missing], z2, self._space)
                values[self._space.numbers(which[missing])] = made
                is_known[which[missing]] = True
            yield part, values[self._space.numbers(which)]

    def _room(self, q: int, chunk: int) -> tuple[Any, NDArray[np.bool_]] | None:
        while len(self._rooms) <= q:
            n = n_rows(self._rows)
            size = 8 * n * chunk
            if size > self._left:
                self._rooms.append(None)
                continue
            self._left -= size
            self._rooms.append((self._space.empty((n, chunk)), np.zeros(n, np.bool_)))
        return self._rooms[q]
