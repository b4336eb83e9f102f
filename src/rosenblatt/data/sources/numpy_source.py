"""NumPy files as chunks: .npy is memory-mapped unless it is compressed, .npz is read as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.labels import tidy_labels
from rosenblatt.data.sources.chunk import Chunk
from rosenblatt.data.sources.files import contents, is_packed
from rosenblatt.data.sources.labelled_table import target_field
from rosenblatt.data.sources.numpy_files import read_npy, read_npz
from rosenblatt.data.sources.unchanged import check_unchanged, stat_of
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import as_rows

PART_BYTES = 1 << 22


class NumpyFiles:
    """Read rows of .npy or .npz files, in parts of some megabytes."""

    n_bad = n_dropped = 0
    comes_once = False

    def __init__(self, paths: Sequence[str], form: str, target: str | int | None) -> None:
        self.name = paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
        self._paths, self._form, self._target = list(paths), form, target
        self._stats = [os.stat(path) for path in paths if path != "-"]
        self._tables = [_table(path, form, target) for path in paths]
        widths = {X.shape[1] for X, _ in self._tables}
        if len(widths) > 1:
            raise BadInput(
                f"{self.name}: the files have {sorted(widths)} features; give files with equal numbers of "
                "features"
            )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle only the names of the files; another process opens them again."""
        return NumpyFiles, (self._paths, self._form, self._target)

    @property
    def n_bytes(self) -> int | None:
        return sum(len(y) * _row_bytes(X) for X, y in self._tables)

    @property
    def _parts(self) -> list[tuple[int, slice]]:
        parts = []
        for number, (X, y) in enumerate(self._tables):
            step = max(1, PART_BYTES // _row_bytes(X))
            parts += [(number, slice(first, first + step)) for first in range(0, len(y), step)]
        return parts

    @property
    def n_parts(self) -> int | None:
        return len(self._parts)

    def settings(self) -> dict[str, Any]:
        return {"format": "numpy", "target": self._target}

    def fingerprint(self) -> list[Any]:
        if len(self._stats) < len(self._paths):
            return ["-"]
        return [stat_of(path, stat) for path, stat in zip(self._paths, self._stats, strict=True)]

    def __iter__(self) -> Iterator[Chunk]:
        return self.chunks()

    def chunks(self, order: Sequence[int] | None = None, skip: int = 0) -> Iterator[Chunk]:
        """Yield the parts in the given order, leaving out the first `skip`."""
        parts = self._parts
        for part in (range(len(parts)) if order is None else order)[skip:]:
            number, some = parts[part]
            X, y = self._tables[number]
            rows = as_rows(X[some])
            yield Chunk(rows, tidy_labels(np.asarray(y[some])), n_bytes=len(y[some]) * _row_bytes(X))
        for path, stat in zip(self._paths, self._stats, strict=False):
            check_unchanged(path, stat)


def _row_bytes(X: Any) -> int:
    if hasattr(X, "indptr"):
        return max(1, (X.data.nbytes + X.indices.nbytes) // max(1, X.shape[0]))
    return max(1, X.shape[1] * X.dtype.itemsize)


def _table(path: str, form: str, target: str | int | None) -> tuple[Any, NDArray[Any]]:
    """Return X and y; a plain .npy file with the label first or last is memory-mapped."""
    if form == "npz":
        if target is not None:
            raise BadInput(f"{path}: target: got {target!r}, but npz has the label in y; leave it out")
        X, y, _ = read_npz(contents(path), path)
        return X, y
    if is_packed(path) or os.path.getsize(path) < PART_BYTES:
        X, y, _ = read_npy(contents(path), path, target)
        return X, y
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception:  # numpy raises errors of many classes if a header is damaged
        array = None
    if array is None or array.ndim != 2 or array.dtype.kind not in "fiub" or array.shape[1] < 2:
        X, y, _ = read_npy(contents(path), path, target)  # raises an error that names the fault
        return X, y
    label = target_field(target, array.shape[1], None, path)
    if label == 0:
        return array[:, 1:], array[:, 0]
    if label == array.shape[1] - 1:
        return array[:, :-1], array[:, -1]
    return _Without(array, label), array[:, label]


class _Without:
    """View a matrix without one of its columns, which is removed when rows are read."""

    def __init__(self, array: NDArray[Any], column: int) -> None:
        self._array, self._column = array, column
        self.shape = (array.shape[0], array.shape[1] - 1)
        self.dtype = array.dtype

    def __getitem__(self, some: slice) -> NDArray[Any]:
        return np.delete(self._array[some], self._column, axis=1)
