"""Chunk: some rows of a source with their labels, and the buffers that hold parsed rows."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.row_batches import Dense, Rows, Sparse, n_rows

ALL_ONE: NDArray[np.float64] = np.empty(0)
"""The importance of rows that all have weight 1."""

NEWLINE = ord("\n")


@dataclass(frozen=True)
class Chunk:
    """Hold some rows of a source with their labels and weights.

    Parameters
    ----------
    rows : Dense or Sparse
        The rows.
    y : ndarray or None
        Their labels; None if the rows have none.
    importance : ndarray of float64
        The weight of each row; empty if all are 1.
    n_bytes : int, default=0
        The number of bytes of the source in this chunk.
    n_lines : int, default=0
        The number of lines of the source in this chunk.
    bad : tuple of BadLine, default=()
        The lines that were skipped.
    release : callable
        A function that makes the memory of the rows available for reuse.
    n_dropped : int, default=0
        The number of rows dropped for a missing value.
    is_sorted : bool, default=True
        Whether the indices of sparse rows rise.
    infinite : tuple of BadLine, default=()
        The infinite cells, which were treated as missing values.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.examples import as_rows
    >>> chunk = Chunk(as_rows([[1.0, 2.0]]), np.array(["ham"]))
    >>> chunk.X, chunk.y, len(chunk)
    (array([[1., 2.]]), array(['ham'], dtype='<U3'), 1)
    """

    rows: Rows
    y: NDArray[Any] | None  # None: the rows have no labels
    importance: NDArray[np.float64] = field(default_factory=lambda: ALL_ONE)  # empty: all 1
    n_bytes: int = 0  # bytes of the source in this chunk
    n_lines: int = 0
    bad: tuple[BadLine, ...] = ()  # lines that were skipped
    release: Callable[[], None] = lambda: None  # the memory of the rows may be used again
    n_dropped: int = 0  # rows dropped for a missing value, on request
    is_sorted: bool = True  # whether the indices of sparse rows rise
    infinite: tuple[BadLine, ...] = ()  # cells treated as missing values

    @property
    def X(self) -> Any:  # noqa: N802
        """Return the rows as a numpy array or a scipy.sparse.csr_array, without a copy."""
        if isinstance(self.rows, Dense):
            return self.rows.values
        from scipy.sparse import csr_array

        rows = self.rows
        signed = (array.view(array.dtype.str.replace("u", "i")) for array in (rows.indices, rows.starts))
        indices, starts = signed
        X = csr_array((rows.values, indices, starts), shape=(len(self), rows.n_features), copy=False)
        X.has_canonical_format = self.is_sorted  # parsers ensure that each index occurs once, in order
        return X

    @property
    def weight(self) -> NDArray[np.float64] | None:
        """Return the weight of each row, for `sample_weight`, or None if all weights are 1."""
        return self.importance if self.importance.size else None

    def __len__(self) -> int:
        return n_rows(self.rows)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle everything except `release`; the arrays of the copy are read-only."""
        kept = {name: value for name, value in vars(self).items() if name != "release"}
        return _rebuild, (kept,)


def _rebuild(kept: dict[str, Any]) -> Chunk:
    for array in kept["rows"][:3]:
        array.flags.writeable = False
    return Chunk(**kept)


@dataclass(frozen=True)
class BadLine:
    """Locate a line that cannot be read, and describe its problem.

    `line` is counted from 0 in its block, `column` from 1.
    """

    line: int
    column: int
    problem: str


MOST_EXPLAINED = 500
"""Largest number of malformed lines in a block that are described, since that is slow."""


def explain_lines(
    text: NDArray[np.uint8], places: list[int], explain: Callable[[bytes], tuple[int, str]]
) -> tuple[BadLine, ...]:
    """Return the bad lines of a block; `places` are positions in these lines.

    explain(line) returns the column and the problem.
    """
    if not places:
        return ()
    ends = np.flatnonzero(text == NEWLINE)
    bad: list[BadLine] = []
    for number in np.unique(np.searchsorted(ends, places)).tolist():
        if len(bad) < MOST_EXPLAINED:
            begin = int(ends[number - 1]) + 1 if number else 0
            bad.append(BadLine(number, *explain(text[begin : int(ends[number])].tobytes())))
        else:
            bad.append(BadLine(number, 1, "the line cannot be read"))
    return tuple(bad)


class Buffers:
    """Reuse memory for parsed text, since new memory costs more time than parsing.

    A chunk that is never released keeps its buffer; the next chunk then gets another one.
    """

    def __init__(self, make: Callable[[int], Any]) -> None:
        self._make = make
        self._free: deque[tuple[int, Any]] = deque()

    def __reduce__(self) -> tuple[Any, ...]:
        return Buffers, (self._make,)  # other processes allocate new memory

    def take(self, size: int) -> tuple[Any, Callable[[], None]]:
        """Return a buffer for text of `size` bytes, and a function that returns it to this pool."""
        size = 1 << max(0, size - 1).bit_length()  # blocks differ by about a line and should share buffers
        try:
            held, buffer = self._free.pop()
        except IndexError:
            held, buffer = 0, None
        if buffer is None or held < size:
            held, buffer = size, self._make(size)
        return buffer, partial(self._free.append, (held, buffer))


def sparse_rows(
    values: NDArray[Any], indices: NDArray[Any], starts: NDArray[Any], n_features: int
) -> Sparse:
    """Return compressed rows for a compiled loop; the arrays become read-only."""
    for array in (values, indices, starts):
        array.flags.writeable = False
    return Sparse(values, indices, starts, n_features)
