"""Text labels in Arrow columns (from pyarrow, polars or pandas), without a Python object for each label."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.row_batches import CHUNK


class ArrowWords:
    """Hold a column of Arrow text without missing values; `np.asarray` converts it to Python strings."""

    def __init__(self, chunks: list[Any]) -> None:
        self._chunks = chunks
        self.shape = (sum(len(chunk) for chunk in chunks),)

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        return np.array([word for chunk in self._chunks for word in chunk.to_pylist()], object)

    def first_words(self) -> set[str]:
        """Return the distinct words in the first rows."""
        found: set[str] = set()
        left = CHUNK
        for chunk in self._chunks:
            found.update(chunk[:left].to_pylist())
            left -= len(chunk)
            if left <= 0:
                break
        return found

    def places_among(self, classes: list[str]) -> NDArray[np.int8]:
        """Return the index of each word among the classes, or −1 if it is not among them."""
        import pyarrow
        from pyarrow import compute

        column = pyarrow.chunked_array(self._chunks)
        if column.type == pyarrow.string_view():
            column = column.cast(pyarrow.large_string())
        places = compute.index_in(column, pyarrow.array(classes, column.type))
        return places.fill_null(-1).cast(pyarrow.int8()).to_numpy()


def arrow_words(y: Any) -> ArrowWords | None:
    """Return y as Arrow text, or None if y is anything else or has missing values."""
    kind = getattr(y, "dtype", None)
    if hasattr(y, "array") and (
        hasattr(kind, "pyarrow_dtype") or getattr(kind, "storage", "") == "pyarrow"
    ):
        y = y.array.__arrow_array__()  # a pandas series
    elif not (hasattr(y, "__arrow_c_stream__") or hasattr(y, "__arrow_c_array__")) or hasattr(y, "iloc"):
        return None
    elif hasattr(y, "columns") or hasattr(y, "column_names"):
        return None  # y is a table
    import pyarrow

    column = y if isinstance(y, (pyarrow.Array, pyarrow.ChunkedArray)) else pyarrow.chunked_array(y)
    chunks = column.chunks if isinstance(column, pyarrow.ChunkedArray) else [column]
    texts = {pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()}
    return ArrowWords(chunks) if column.type in texts and not column.null_count else None
