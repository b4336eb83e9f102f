"""Digests that identify the rows and labels of a data set."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.blocks import blocks
from rosenblatt.numeric.row_batches import Rows, n_features, n_rows


def digest_of(rows: Rows, labels: NDArray[np.int8]) -> str:
    """Return the SHA-256 digest of the nonzero entries, their positions and the labels.

    The digest is the same for dense and sparse rows, for float32 and float64, and for 0 and −0. For each
    row it covers the number of nonzero entries, their columns (unless all entries are nonzero), their
    values, and the label.
    """
    hashed = hashlib.sha256(f"{n_rows(rows)} rows, {n_features(rows)} features;".encode())
    counts, columns, values = hashlib.sha256(), hashlib.sha256(), hashlib.sha256()
    for _, matrix in blocks(rows):
        count, column, value = _nonzeros(matrix)
        counts.update(np.ascontiguousarray(count, "<u8").data)
        columns.update(np.ascontiguousarray(column, "<u8").data)
        values.update(np.ascontiguousarray(value, "<f8").data)
    hashed.update(labels.astype("i1").tobytes())
    for part in (counts, columns, values):
        hashed.update(part.digest())
    return hashed.hexdigest()


def digest_of_digests(n_rows: int, n_features: int, digests: Iterable[str]) -> str:
    """Return the SHA-256 digest of the digests of all blocks of `labelled_rows.BLOCK_ROWS` rows."""
    hashed = hashlib.sha256(f"{n_rows} rows, {n_features} features, in blocks;".encode())
    for digest in digests:
        hashed.update(bytes.fromhex(digest))
    return hashed.hexdigest()


def _nonzeros(matrix: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
    """Return the number of nonzero entries of each row, their columns, and their values.

    The columns of rows without a zero are left out.
    """
    n, d = matrix.shape
    if isinstance(matrix, np.ndarray):
        if matrix.all():
            return np.full(n, d), np.empty(0), matrix
        in_row, column = np.nonzero(matrix)
        value = matrix[in_row, column]
    else:
        stored = np.flatnonzero(matrix.data)
        in_row = np.repeat(np.arange(n), np.diff(matrix.indptr))[stored]
        column, value = matrix.indices[stored], matrix.data[stored]
    count = np.bincount(in_row, minlength=n)
    return count, column[count[in_row] < d], value
