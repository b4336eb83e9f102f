"""The order of visiting rows: a range of consecutive rows, or a list of rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.compiling import dispatch_by_class
from rosenblatt.numeric.prefetch import AHEAD
from rosenblatt.numeric.rows import fetch, fetch_place


class Given(NamedTuple):
    """Visit rows start, start + 1, …, stop − 1."""

    start: int
    stop: int


class Listed(NamedTuple):
    """Visit rows in the order of a list."""

    rows: NDArray[np.unsignedinteger[Any]]


@dispatch_by_class
def looks(order):
    """Return the number of steps in the order."""


@dispatch_by_class
def row_at(order, look):
    """Return the row that is visited in step `look`."""


@dispatch_by_class
def fetch_ahead(order, look, rows):
    """Prefetch the row of a later step, if the hardware would not predict it."""


@looks.of(Given)
def _(order):
    return order.stop - order.start


@row_at.of(Given)
def _(order, look):
    return order.start + look


@fetch_ahead.of(Given)
def _(order, look, rows):
    pass


@looks.of(Listed)
def _(order):
    return order.rows.size


@row_at.of(Listed)
def _(order, look):
    return np.int64(order.rows[look])


@fetch_ahead.of(Listed)
def _(order, look, rows):
    if look + 2 * AHEAD < order.rows.size:
        fetch_place(rows, np.int64(order.rows[look + 2 * AHEAD]))
    if look + AHEAD < order.rows.size:
        fetch(rows, np.int64(order.rows[look + AHEAD]))
