"""NumPy files: .npy is memory-mapped unless it is compressed, .npz is read as a whole."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.labels import tidy_labels
from rosenblatt.data.sources.chunk import Chunk
from rosenblatt.data.sources.files import contents, is_packed
from rosenblatt.data.sources.labelled_table import target_field
from rosenblatt.data.sources.numpy_files import read_npy, read_npz
from rosenblatt.data.sources.source import Part, RowSource
from rosenblatt.data.sources.unchanged import check_unchanged, stat_of
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import as_rows

if TYPE_CHECKING:
    from rosenblatt.data.sources.reading import Options

PART_BYTES = 1 << 22


class NumpyFile:
    """Read a .npy or .npz file, in parts of some megabytes."""

    comes_once = False

    def __init__(self, path: str, form: str, target: str | int | None) -> None:
        self.name = self.path = path
        self._form, self._target = form, target
        self._stat = None if path == "-" else os.stat(path)
        self._X, self._y = _table(path, form, target)
        self._step = max(1, PART_BYTES // _row_bytes(self._X))
        self.n_features = self._X.shape[1]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle only the name of the file; another process opens it again."""
        return NumpyFile, (self.path, self._form, self._target)

    @property
    def n_bytes(self) -> int:
        return len(self._y) * _row_bytes(self._X)

    @property
    def n_parts(self) -> int:
        return -(-len(self._y) // self._step)

    def part(self, number: int, columns: Any) -> Part:
        """Return some rows of the arrays."""
        some = slice(number * self._step, (number + 1) * self._step)
        y = tidy_labels(np.asarray(self._y[some]))
        return Part(
            Chunk(as_rows(self._X[some]), y, n_bytes=len(y) * _row_bytes(self._X)), lambda bad: self.name
        )

    def settings(self) -> dict[str, Any]:
        return {"format": "numpy", "target": self._target}

    def fingerprint(self) -> Any:
        return "-" if self._stat is None else stat_of(self.path, self._stat)

    def check_unchanged(self) -> None:
        """Raise an error if the file was modified while it was read."""
        if self._stat is not None:
            check_unchanged(self.path, self._stat)


def read_numpy_files(paths: Sequence[str], form: str, options: Options, *_: Any) -> RowSource:
    """Return the rows of .npy or .npz files."""
    source = RowSource(files := [NumpyFile(path, form, options.target) for path in paths])
    widths = {file.n_features for file in files}
    if len(widths) > 1:
        raise BadInput(
            f"{source.name}: the files have {sorted(widths)} features; give files with equal numbers of "
            "features"
        )
    return source


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
