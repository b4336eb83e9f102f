"""Support rows in a model file: dense, or compressed with rising column indices in each row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.row_batches import Dense, Rows, Sparse, n_rows, read_only
from rosenblatt.storage.fields import Part, Section

NUMBERS = (np.float32, np.float64)
INDICES = (np.uint32, np.uint64)


def encode_rows(rows: Rows) -> Part:
    if isinstance(rows, Dense):
        return Part(layout="dense", values=rows.values)
    rows = _rising(rows)
    used = int(rows.starts[-1])
    return Part(
        layout="compressed", n_features=int(rows.n_features), values=rows.values[:used],
        indices=rows.indices[:used], starts=rows.starts,
    )  # fmt: skip


def decode_rows(section: Section, n: int, n_features: int) -> Rows:
    """Return rows of the expected shape; check that every number is finite and every index valid."""
    if section.text("layout", ("dense", "compressed")) == "dense":
        values = section.array("values", NUMBERS, (n, n_features))
        _refuse_infinite(section, values)
        return Dense(read_only(values))
    if section.whole("n_features", 1) != n_features:
        raise section.wrong("n_features", f"expected {n_features}")
    indices = section.array("indices", INDICES, (None,))
    values = section.array("values", NUMBERS, (len(indices),))
    starts = section.array("starts", indices.dtype.type, (n + 1,))
    _refuse_infinite(section, values)
    _refuse_strays(section, indices, starts, n_features)
    return Sparse(read_only(values), read_only(indices), read_only(starts), n_features)


def _refuse_infinite(section: Section, values: NDArray[Any]) -> None:
    if not np.isfinite(values).all():
        raise section.wrong("values", "a number is not finite")


def _refuse_strays(section: Section, indices: NDArray[Any], starts: NDArray[Any], n_features: int) -> None:
    """Raise an error if an index or a start would make a loop read outside the arrays."""
    # loops read the indices as unsigned integers, scipy reads the same memory as signed ones
    most = np.iinfo(indices.dtype.str.replace("u", "i")).max
    if len(indices) > most or int(starts[0]) != 0 or int(starts[-1]) != len(indices):
        raise section.wrong("starts", f"expected to go from 0 to {len(indices)}, the number of entries")
    if not (starts[1:] >= starts[:-1]).all():
        raise section.wrong("starts", "a row ends before it begins")
    if len(indices) and int(indices.max()) >= min(n_features, int(most)):
        raise section.wrong("indices", f"a column is outside 0…{n_features - 1}")
    rises = indices[1:] > indices[:-1]
    inner = starts[1:-1].astype(np.int64)
    rises[inner[(inner > 0) & (inner < len(indices))] - 1] = True  # the next entry begins another row
    if not rises.all():
        raise section.wrong("indices", "the columns of a row do not rise")


def _rising(rows: Sparse) -> Sparse:
    """Return the same rows with rising column indices; features with names can be in any order."""
    used = int(rows.starts[-1])
    number = np.repeat(np.arange(n_rows(rows)), (rows.starts[1:] - rows.starts[:-1]).astype(np.int64))
    order = np.lexsort((rows.indices[:used], number))
    if (order == np.arange(used)).all():
        return rows
    return rows._replace(values=rows.values[:used][order], indices=rows.indices[:used][order])
