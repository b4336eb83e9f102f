"""Blocks of rows as float64 matrices, for matrix products."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.row_batches import (
    Batch,
    Dense,
    Rows,
    Sparse,
    keep_entries,
    n_features,
    n_rows,
    stack,
    take,
)

BLOCK_NUMBERS = 1 << 20
DENSE_FEATURES = 1 << 14  # a block of sparse rows with at most this many becomes dense for the product


def blocks(rows: Rows, numbers: int = BLOCK_NUMBERS) -> Iterator[tuple[slice, Any]]:
    """Yield (slice, matrix) for each block of rows; the matrix is float64, or CSR for sparse rows."""
    return ((part, block(rows, part)) for part in slices(rows, numbers))


def slices(rows: Rows, numbers: int = BLOCK_NUMBERS) -> Iterator[slice]:
    """Return an iterator over slices of rows; each slice has about the same number of entries."""
    n = n_rows(rows)
    width = n_features(rows) if isinstance(rows, Dense) else 1 + int(rows.starts[-1]) // max(1, n)
    step = max(1, numbers // width)
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def block(rows: Rows, part: slice) -> Any:
    """Return the rows of a slice as a float64 array, or as a CSR array for sparse rows."""
    if isinstance(rows, Dense):
        return rows.values[part].astype(np.float64, copy=False)
    from scipy.sparse import csr_array

    starts = rows.starts[part.start : part.stop + 1].astype(np.int64)
    entries = slice(starts[0], starts[-1])
    signed = np.dtype(rows.indices.dtype.str.replace("u", "i"))
    return csr_array(
        (rows.values[entries].astype(np.float64, copy=False), rows.indices[entries].view(signed),
         (starts - starts[0]).astype(signed)),
        shape=(len(starts) - 1, rows.n_features),
    )  # fmt: skip


def spread(rows: Rows, part: slice) -> Any:
    """Return the rows of a slice as float64; sparse rows with few features become a dense array."""
    matrix = block(rows, part)
    return matrix.toarray() if isinstance(rows, Sparse) and rows.n_features <= DENSE_FEATURES else matrix


def alike(rows: Rows, model: Rows) -> Rows:
    """Return rows in the layout of `model`, dense or compressed.

    If dense rows are converted to compressed rows, the rows of `model` are appended to the result.
    """
    if isinstance(rows, Dense) and isinstance(model, Sparse):
        return stack([rows, model])
    if isinstance(rows, Sparse) and isinstance(model, Dense):
        return Dense(block(rows, slice(0, n_rows(rows))).toarray())
    return rows


def select_rows(rows: Rows, which: NDArray[Any]) -> Any:
    """Return the rows with the numbers `which`, in that order, as a float64 matrix."""
    return block(take(rows, which), slice(0, len(which)))


def matrix_ldexp(matrix: Any, exponent: int | NDArray[np.int64]) -> Any:
    """Return matrix·2^exponent; `exponent` is one number, or one number for each column."""
    with np.errstate(under="ignore"):
        if isinstance(matrix, np.ndarray):
            return np.ldexp(matrix, exponent)
        copy = matrix.copy()
        of_entry = exponent[matrix.indices] if isinstance(exponent, np.ndarray) else exponent
        copy.data = np.ldexp(matrix.data, of_entry)
        return copy


def squared_lengths(matrix: Any) -> NDArray[np.float64]:
    """Return ‖xᵢ‖² of each row, in floating point."""
    with np.errstate(under="ignore"):
        if isinstance(matrix, np.ndarray):
            return np.einsum("ij,ij->i", matrix, matrix)
        return np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()


def native(rows: Rows) -> Any:
    """Return all rows as an array or a CSR array, without a copy if possible."""
    return rows.values if isinstance(rows, Dense) else block(rows, slice(0, n_rows(rows)))


def with_columns(batch: Batch, columns: NDArray[np.int64]) -> Batch:
    """Return the batch with the given columns only, in rising order."""
    rows: Rows
    if isinstance(batch.rows, Dense):
        rows = Dense(np.ascontiguousarray(batch.rows.values[:, columns]))
    else:
        place = np.full(batch.n_features, -1, np.int64)
        place[columns] = np.arange(len(columns))
        moved = place[batch.rows.indices]
        renumbered = batch.rows._replace(indices=moved.astype(batch.rows.indices.dtype))
        rows = keep_entries(renumbered, moved >= 0, len(columns))
    return Batch(rows, batch.labels, batch.importance)
