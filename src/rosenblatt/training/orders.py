"""The orders in which a pass visits the rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import rules
from rosenblatt.errors import BadInput, bad_choice
from rosenblatt.loops.search import NONE, first_to_act_on, worst_to_act_on
from rosenblatt.numeric.next_row import Given, Listed
from rosenblatt.numeric.row_batches import Dense, n_rows, present_rows, tie_label
from rosenblatt.training.overflow_errors import trouble

ORDERS = ("given", "shuffled", "first_mistake", "worst_mistake")
SEARCHES = {
    "first_mistake": first_to_act_on,
    "worst_mistake": worst_to_act_on,
}
SEGMENT_BYTES = 1 << 26  # a segment takes some milliseconds: often enough to show progress or stop


def as_order(order: Any, n_rows: int) -> str | NDArray[np.uint64]:
    """Check an order, and return it as a name or as an array of row indices for one pass."""
    if isinstance(order, str):
        if order not in ORDERS:
            raise bad_choice("order", order, (*ORDERS, "a sequence of row numbers"))
        return order
    try:
        listed = np.asarray(order)
        if listed.dtype.kind not in "iu" or listed.ndim != 1 or not listed.size:
            raise TypeError
    except (TypeError, ValueError) as error:
        raise BadInput(
            f"order: expected one of {', '.join(ORDERS)} or a sequence of row numbers, got {order!r}"
        ) from error
    if listed.min() < 0 or listed.max() >= n_rows:
        wrong = listed[(listed < 0) | (listed >= n_rows)][0]
        raise BadInput(f"order: row {wrong} does not exist, X has rows 0…{n_rows - 1}")
    return listed.astype(np.uint64)


class Passes:
    """Determine the order in which passes visit the rows of a batch.

    The batch may be for one classifier or, unless the order searches the rows, for many.
    """

    def __init__(self, batch: Any, seed: int) -> None:
        self._batch, self._seed = batch, seed
        self._n_rows, self._present = n_rows(batch.rows), present_rows(batch.importance)
        width = batch.rows.values.strides[0] if isinstance(batch.rows, Dense) else 1 << 10
        self._size = max(1, SEGMENT_BYTES // max(1, width))

    def looks(self, order: Any) -> int:
        """Return the number of steps in one pass, not counting rows with weight 0."""
        if isinstance(order, np.ndarray):
            return len(self._present_rows(order))
        return self._n_rows if self._present is None else len(self._present)

    def rows(self, order: str | NDArray[Any], epoch: int) -> NDArray[Any]:
        """Return the rows that pass number `epoch` visits, in order; the order must not search the rows."""
        if isinstance(order, np.ndarray):
            return row_numbers(self._n_rows, self._present_rows(order))
        if order == "shuffled":
            return shuffle_rows(self._n_rows, self._present, self._seed, epoch)
        return row_numbers(self._n_rows, self._present)

    def segments(self, order: Any, epoch: int, column: Any = None) -> Iterable[Given | Listed]:
        """Return the steps of pass number `epoch` in segments; a given segment is returned as it is.

        An order that searches the rows needs the classifier, which must learn from each segment before the
        next is requested.
        """
        if isinstance(order, (Given, Listed)):
            return [order]
        if isinstance(order, str) and order in SEARCHES:
            return self._search_steps(order, column)
        n, size = self._n_rows, self._size
        if isinstance(order, str) and order == "given" and self._present is None:
            return [Given(start, min(start + size, n)) for start in range(0, n, size)]
        rows = self.rows(order, epoch)
        if isinstance(order, np.ndarray) and not rows.size:
            raise BadInput("order: every row it names has sample weight 0; there is nothing to learn from")
        return [Listed(rows[start : start + size]) for start in range(0, len(rows), size)]

    def _present_rows(self, order: NDArray[Any]) -> NDArray[Any]:
        """Return the rows of a sequence that have positive weight."""
        return order if self._present is None else order[np.isin(order, self._present)]

    def _search_steps(self, order: str, column: Any) -> Iterator[Given | Listed]:
        """Yield steps on rows for which the rule updates.

        When no such row is left, the remaining steps visit the rows in order and change nothing.
        """
        batch, rows = self._batch, row_numbers(self._n_rows, self._present)
        everywhere = Listed(rows)
        search = rules.loop_for(column.rule, SEARCHES[order])
        for look in range(len(rows)):
            status, row = search(
                batch.rows, batch.labels, everywhere, column.offset, tie_label(column.tie), column.rule,
                column.memory, column.weights, column.scale, float(column.tally["norm2"][0]),
            )  # fmt: skip
            if status:
                raise trouble(status, batch.rows, int(row))
            if row == NONE:
                yield Listed(rows[look:])
                return
            yield Listed(np.array([row], rows.dtype))


def shuffle_rows(
    n_rows: int, present: NDArray[np.int64] | None, seed: int, epoch: int
) -> NDArray[np.unsignedinteger[Any]]:
    """Return the order of one pass, which depends only on the seed and the number of the pass.

    So a resumed run needs no stored generator state to continue as if it had never stopped.
    """
    rows = row_numbers(n_rows, present)
    np.random.default_rng([seed, epoch]).shuffle(rows)
    return rows


def row_numbers(n_rows: int, chosen: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return the chosen row indices (None for all) as unsigned integers, of 4 bytes if these suffice."""
    number = np.uint32 if n_rows <= 1 << 32 else np.uint64
    return np.arange(n_rows, dtype=number) if chosen is None else chosen.astype(number)


def looks_of(order: Given | Listed) -> int:
    """Return the number of steps in a segment."""
    return order.stop - order.start if isinstance(order, Given) else len(order.rows)


def parts_of(order: Given | Listed, size: int) -> Iterator[Given | Listed]:
    """Yield a segment in parts of `size` steps."""
    for start in range(0, looks_of(order), size):
        if isinstance(order, Given):
            yield Given(order.start + start, min(order.start + start + size, order.stop))
        else:
            yield Listed(order.rows[start : start + size])
