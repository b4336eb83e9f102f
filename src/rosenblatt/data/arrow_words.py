"""Text labels in Arrow columns (from pyarrow, polars or pandas), without a Python object for each label."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.parsing.label_words import match, match_text
from rosenblatt.numeric.row_batches import CHUNK

INLINE = 12  # longest word in bytes that Arrow stores inside its string view


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
        found = np.empty(len(self), np.int8)
        start = 0
        for chunk in self._chunks:
            _find(chunk, classes, found[start : start + len(chunk)])
            start += len(chunk)
        return found


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


def _find(chunk: Any, classes: list[str], found: NDArray[np.int8]) -> None:
    import pyarrow

    words = [word.encode() for word in classes]
    if chunk.type == pyarrow.string_view():
        if max(map(len, words)) <= INLINE:  # the view then contains the whole word and its length
            views = np.frombuffer(chunk.buffers()[1], np.uint64).reshape(-1, 2)
            known = b"".join(len(word).to_bytes(4, "little") + word.ljust(INLINE, b"\0") for word in words)
            some = views[chunk.offset : chunk.offset + len(chunk)]
            match(some, np.frombuffer(known, np.uint64).reshape(-1, 2), found)
            return
        chunk = chunk.cast(pyarrow.large_string())
    kind = np.int32 if chunk.type == pyarrow.string() else np.int64
    starts = np.frombuffer(chunk.buffers()[1], kind)[chunk.offset : chunk.offset + len(chunk) + 1]
    width = -(-max(1, *map(len, words)) // 8)
    keys = np.frombuffer(b"".join(word.ljust(8 * width, b"\0") for word in words), np.uint64)
    lengths = np.array([len(word) for word in words])
    match_text(
        _pieces(chunk.buffers()[2], int(starts[-1])), starts, keys.reshape(-1, width), lengths, found
    )


def _pieces(text: Any, size: int) -> NDArray[np.uint64]:
    """Return text as 8-byte integers, padded so that reading past the end of a word is safe."""
    n = size // 8 + 2
    if text is not None and text.size >= 8 * n:
        return np.frombuffer(text, np.uint64, n)
    padded = np.zeros(8 * n, np.uint8)
    if text is not None:
        padded[:size] = np.frombuffer(text, np.uint8, size)
    padded.flags.writeable = False
    return padded.view(np.uint64)
