"""Rows of the Gram matrix of a data set, kept while they fit."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import bad_value

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

    def __init__(self, n: int, cache_bytes: int) -> None:
        self._n = n
        self._room = cache_bytes // (8 * n)
        self._rows: dict[int, NDArray[np.float64]] = {}

    def __contains__(self, row: int) -> bool:
        return row in self._rows

    def __getitem__(self, row: int) -> NDArray[np.float64]:
        return self._rows[row]

    def make_room(self, row: int) -> bool:
        """Whether there is room for one more; its values are to be written."""
        if len(self._rows) >= self._room:
            return False
        self._rows[row] = np.empty(self._n)
        return True
