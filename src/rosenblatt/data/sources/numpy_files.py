"""NumPy files: .npz with X (or the fields of scipy.sparse) and y, .npy with the label in a column.

No code from a file is run: arrays of Python objects would need pickle and are refused.
"""

from __future__ import annotations

import io
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.labels import tidy_labels
from rosenblatt.data.sources.labelled_table import Table, target_field
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import as_rows, check_finite


def read_npy(content: bytes, name: str = "array", target: str | int | None = None) -> Table:
    """Return the table in a two-dimensional .npy file; y is column `target`, by default the last.

    >>> import io, numpy as np
    >>> file = io.BytesIO()
    >>> np.save(file, np.array([[1, 2, -1], [3, 4, 1]]))
    >>> read_npy(file.getvalue())
    Table(X=array([[1., 2.],
           [3., 4.]]), y=array([-1,  1]), feature_names=None)
    """
    if not content.startswith(b"\x93NUMPY"):
        raise BadInput(f"{name}: is not an .npy file; write it with numpy.save")
    array = _load(content, name)
    if array.ndim != 2 or array.dtype.kind not in "fiub" or array.shape[1] < 2:
        raise BadInput(
            f"{name}: expected a table of numbers with features and a label column, "
            f"got {array.dtype} of shape {array.shape}; save one, or X and y in an .npz file"
        )
    label = target_field(target, array.shape[1], None, name)
    return _check_table(np.delete(array, label, axis=1), array[:, label], name)


def read_npz(content: bytes, name: str = "arrays") -> Table:
    """Return the table in an .npz file that holds y and either X or the arrays of `scipy.sparse.save_npz`.

    >>> import io, numpy as np
    >>> file = io.BytesIO()
    >>> np.savez(file, X=np.eye(2, dtype=np.float32), y=["ham", "spam"])
    >>> X, y, _ = read_npz(file.getvalue())
    >>> X.dtype, y
    (dtype('float32'), array(['ham', 'spam'], dtype='<U4'))
    """
    if not content.startswith(b"PK"):
        raise BadInput(f"{name}: is not an .npz file; write it with numpy.savez(file, X=X, y=y)")
    arrays = _load(content, name)
    has_sparse = {"format", "shape", "data"} <= set(arrays)
    if "y" not in arrays or not ("X" in arrays or has_sparse):
        raise BadInput(
            f"{name}: has {sorted(arrays)}, expected arrays X and y (or y and the fields of "
            "scipy.sparse.save_npz); write it with numpy.savez(file, X=X, y=y)"
        )
    return _check_table(arrays["X"] if "X" in arrays else _sparse(content, name), arrays["y"], name)


def _load(content: bytes, name: str) -> Any:
    """Return the array in a file, or its arrays by name."""
    try:
        with warnings.catch_warnings(action="ignore"):  # numpy warns about headers written by Python 2
            loaded = np.load(io.BytesIO(content), allow_pickle=False)
            if isinstance(loaded, np.ndarray):
                return loaded
            with loaded:
                arrays = dict(loaded)
    except MemoryError as error:
        raise BadInput(
            f"{name}: declares arrays larger than memory ({error}); save or fetch it again"
        ) from error
    except Exception as error:  # numpy raises errors of many classes if a header is damaged
        if "pickle" in str(error):
            raise BadInput(
                f"{name}: holds Python objects, which only pickle can read, and pickle runs code; save "
                "arrays of numbers or text (y.astype(str)), sparse X as the fields of scipy.sparse.save_npz"
            ) from error
        raise BadInput(f"{name}: is damaged or cut short ({error}); save or fetch it again") from error
    for key, array in arrays.items():
        if not isinstance(array, np.ndarray):  # numpy returns bytes if a member is no array
            raise BadInput(f"{name}: {key} is not an array; save or fetch it again")
    return arrays


def _sparse(content: bytes, name: str) -> Any:
    from scipy import sparse

    try:
        return sparse.csr_array(sparse.load_npz(io.BytesIO(content)))
    except (ValueError, KeyError, TypeError, IndexError, NotImplementedError) as error:
        raise BadInput(f"{name}: its sparse matrix is broken ({error}); save it again") from error


def _check_table(X: Any, y: NDArray[Any], name: str) -> Table:
    if y.ndim != 1 or y.dtype.kind not in "fiubUS":
        raise BadInput(f"{name}: y: expected a label for each row, got {y.dtype} of shape {y.shape}")
    try:
        check_finite(as_rows(X), None)
    except BadInput as error:
        raise BadInput(f"{name}: {error}") from error
    if len(y) != X.shape[0]:
        raise BadInput(f"{name}: {len(y)} labels for {X.shape[0]} rows of X; give one label for each row")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        row = int(np.argmin(np.isfinite(y)))
        raise BadInput(f"{name}: y: label {y[row]} in row {row} is not finite; drop the row or fill it in")
    if X.dtype != np.float32:
        X = X.astype(np.float64)
    return Table(X, tidy_labels(y))
