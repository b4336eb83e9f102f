"""Batches: rows and labels, the data structure that all packages share.

All user data (numpy, scipy sparse, pandas, polars, pyarrow) become rows that a compiled loop can read:
`Dense` or `Sparse`, both NamedTuples of read-only arrays. The conventions are:

* numbers: float32 and float64 are used as they are, including memory-mapped arrays; they are copied only if
  the rows are not contiguous. Integers of up to 16 bits become float32, wider integers float64.
* sparse rows: each column occurs at most once, in order; other rows are copied and summed.
* labels: −1 and +1, as int8 (`data.targets` creates them).
* ties: the label predicted for a score of exactly 0, as a number (`TIES`).
* zero rows: allowed. Without an offset their score is always 0, so `tie` alone decides.
* not finite: detected by the loop that reads the row (its score is NaN or infinite), which saves a
  pass over all memory. Indices of sparse rows are checked here, because a loop with a wrong index would
  read memory outside the arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput, bad_choice, counted

TIES = {"mistake": 0.0, "negative": -1.0, "positive": 1.0}
"""The label predicted for a score of exactly 0. The label 0.0 is neither of the two labels, so such a
score is always a mistake."""


WHOLE = 1 << 53
"""Every integer up to this one is exactly a double."""


CHUNK = 1 << 15
"""Number of rows that are processed together, so that they are read from memory only once."""


class Dense(NamedTuple):
    """Hold rows as a C-ordered matrix of float32 or float64.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_features)
        The matrix.

    Examples
    --------
    >>> as_rows([[1, 2], [3, 4]])
    Dense(values=array([[1., 2.],
           [3., 4.]]))
    """

    values: NDArray[np.floating[Any]]


class Sparse(NamedTuple):
    """Hold compressed rows: row i has `values[starts[i]:starts[i+1]]` in the columns `indices[...]`.

    Parameters
    ----------
    values : ndarray of float32 or float64
        The values of all rows.
    indices : ndarray of unsigned int
        The column of each value.
    starts : ndarray of unsigned int
        The position of the first value of each row, and the end of the last row.
    n_features : int
        The number of columns.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> as_rows(csr_array([[0.0, 2.0], [3.0, 0.0]])).indices
    array([1, 0], dtype=uint32)
    """

    values: NDArray[np.floating[Any]]
    indices: NDArray[np.unsignedinteger[Any]]
    starts: NDArray[np.unsignedinteger[Any]]
    n_features: int


Rows = Dense | Sparse


@dataclass(frozen=True)
class Batch:
    """Hold examples as a loop reads them: rows, labels −1 and +1, and weights.

    Parameters
    ----------
    rows : Dense or Sparse
        The rows.
    labels : ndarray of int8
        The label of each row.
    importance : ndarray of float64
        The weight of each row; empty if all are 1.

    Examples
    --------
    >>> Batch(as_rows([[1.0], [2.0]]), np.array([1, -1], np.int8), np.array([1.0, 0.0])).present()
    array([0])
    """

    rows: Rows
    labels: NDArray[np.int8]
    importance: NDArray[np.float64]

    @property
    def n_rows(self) -> int:
        """Return the number of rows."""
        return len(self.labels)

    @property
    def n_features(self) -> int:
        """Return the number of features."""
        return n_features(self.rows)

    def present(self) -> NDArray[np.int64] | None:
        """Return the indices of the rows with a weight above 0, or None if all weights are above 0.

        Returns
        -------
        ndarray of int64 or None
            The indices of these rows.
        """
        return present_rows(self.importance)


def present_rows(importance: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """Return the indices of the rows with a weight above 0, or None if all weights are above 0.

    Parameters
    ----------
    importance : ndarray of float64
        The weight of each row; empty if all are 1.

    Returns
    -------
    ndarray of int64 or None
        The indices of these rows.

    Examples
    --------
    >>> present_rows(np.array([1.0, 0.0, 2.0]))
    array([0, 2])
    """
    if not importance.size or importance.all():
        return None
    return np.flatnonzero(importance)


def n_rows(rows: Rows) -> int:
    """Return the number of rows.

    Parameters
    ----------
    rows : Dense or Sparse
        The rows.

    Returns
    -------
    int
        The number of rows.

    Examples
    --------
    >>> n_rows(as_rows([[1.0, 2.0]]))
    1
    """
    return rows.values.shape[0] if isinstance(rows, Dense) else len(rows.starts) - 1


def n_features(rows: Rows) -> int:
    """Return the number of features.

    Parameters
    ----------
    rows : Dense or Sparse
        The rows.

    Returns
    -------
    int
        The number of columns.

    Examples
    --------
    >>> n_features(as_rows([[1.0, 2.0]]))
    2
    """
    return int(rows.values.shape[1]) if isinstance(rows, Dense) else rows.n_features


def chunks(n: int) -> list[slice]:
    """Return slices of n rows, each so small that the labels of its rows fit into a cache.

    Parameters
    ----------
    n : int
        The number of rows.

    Returns
    -------
    list of slice
        The slices.

    Examples
    --------
    >>> chunks(40000)
    [slice(0, 32768, None), slice(32768, 40000, None)]
    """
    return [slice(start, min(start + CHUNK, n)) for start in range(0, n, CHUNK)]


def plain(label: Any) -> Any:
    """Return a NumPy scalar as the equivalent Python object; return other objects unchanged.

    Parameters
    ----------
    label : object
        The value.

    Returns
    -------
    object
        The same value.

    Examples
    --------
    >>> plain(np.int64(3))
    3
    """
    return label.item() if isinstance(label, np.generic) else label


def class_name(label: Any) -> str:
    """Return the name of a class as text; whole numbers are written without a decimal point.

    Parameters
    ----------
    label : object
        The class.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> class_name(1.0), class_name("spam"), class_name(0.5)
    ('1', 'spam', '0.5')
    """
    is_whole = isinstance(label, float) and label.is_integer() and abs(label) < 1e15
    return str(int(label) if is_whole else label)


def tie_label(tie: str) -> float:
    """Return the label that a score of 0 predicts, as a number.

    Parameters
    ----------
    tie : {"mistake", "negative", "positive"}
        The name.

    Returns
    -------
    float
        0.0, −1.0 or 1.0.

    Raises
    ------
    BadInput
        If the name is unknown.

    Examples
    --------
    >>> tie_label("positive")
    1.0
    """
    if not isinstance(tie, str) or tie not in TIES:
        raise bad_choice("tie", tie, TIES)
    return TIES[tie]


# ---------------------------------------------------------------- rows


def as_rows(X: Any) -> Rows:
    """Return the rows of X, without a copy if possible.

    Parameters
    ----------
    X : array-like, sparse matrix or table of shape (n_rows, n_features)
        The data.

    Returns
    -------
    Dense or Sparse
        The rows.

    Raises
    ------
    BadInput
        If X is not a table of numbers.

    Examples
    --------
    >>> n_rows(as_rows([[1, 2], [3, 4]]))
    2
    """
    if is_sparse(X):
        return _sparse_rows(X)
    if not isinstance(X, np.ndarray) and is_table(X):
        X = _table_values(X)
    elif hasattr(X, "__arrow_c_stream__") and not hasattr(X, "__array__"):  # a relation of DuckDB
        import pyarrow as pa

        X = _table_values(pa.table(X))
    return _dense_rows(X)


def is_sparse(X: object) -> bool:
    """Return whether X is a scipy sparse matrix or array.

    Parameters
    ----------
    X : object
        The data.

    Returns
    -------
    bool
        True for scipy.sparse types.

    Examples
    --------
    >>> is_sparse(np.zeros((1, 1)))
    False
    """
    # no need to import scipy: a scipy matrix exists only if scipy is imported
    return type(X).__module__.startswith("scipy.sparse")


def is_table(X: object) -> bool:
    """Return whether X is a dataframe or table (pandas, polars, pyarrow, or anything narwhals supports).

    Parameters
    ----------
    X : object
        The data.

    Returns
    -------
    bool
        True for tables.

    Examples
    --------
    >>> is_table(np.zeros((1, 1)))
    False
    """
    return type(X).__module__.split(".", 1)[0] in ("pandas", "polars", "pyarrow", "modin", "cudf")


def column_names(X: Any) -> list[str] | None:
    """Return the column names of a table, or None if X has none.

    Parameters
    ----------
    X : object
        The data.

    Returns
    -------
    list of str or None
        The names.

    Examples
    --------
    >>> import pandas as pd
    >>> column_names(pd.DataFrame({"age": [20]}))
    ['age']
    """
    if not is_table(X) or not hasattr(X, "shape") or len(X.shape) != 2:
        return None
    names = getattr(X, "column_names", None)  # pyarrow's columns are arrays, not names
    return [str(name) for name in (X.columns if names is None else names)]


def _dense_rows(X: Any) -> Dense:
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise BadInput("X: some values are masked; drop these rows or fill the values in first")
    try:
        values = np.asarray(X)
        if values.dtype.kind in "OUS" and values.ndim > 0:
            values = _numbers_from_objects(values)
    except ValueError as error:
        if "inhomogeneous" in str(error):
            raise BadInput(_ragged_message(X)) from error
        raise BadInput(f"X: expected a table of numbers, got {_shape_of(X)}: {error}") from error
    if values.dtype.kind == "c":
        raise BadInput(f"X: Complex data not supported, got {values.dtype}; split it into two columns")
    if values.dtype.kind not in "fiub":
        raise BadInput(f"X: expected numbers, got {values.dtype}; convert the columns to numbers first")
    if values.ndim != 2:
        raise BadInput(
            f"X: Expected 2D array, got {values.ndim}D array of shape {values.shape} instead. Reshape "
            "your data: X.reshape(-1, 1) if it has one feature, X.reshape(1, -1) if it is one row"
        )
    _refuse_empty(values.shape)
    _refuse_rounding(values)
    values = np.ascontiguousarray(values, dtype=_float_type(values.dtype))
    return Dense(read_only(values))


def _sparse_rows(X: Any) -> Sparse:
    if X.ndim != 2:
        raise BadInput(f"X: expected two dimensions, got a sparse array of shape {X.shape}")
    if X.dtype.kind == "c":
        raise BadInput(f"X: Complex data not supported, got {X.dtype}; split it into two columns")
    if X.dtype.kind not in "fiub":
        raise BadInput(f"X: expected numbers, got {X.dtype}; convert the columns to numbers first")
    _refuse_empty(X.shape)
    csr = X.tocsr()
    _refuse_rounding(csr.data)
    pointers, d = csr.indptr, X.shape[1]
    used = int(pointers[-1]) if len(pointers) == X.shape[0] + 1 else -1
    rising = bool((pointers[1:] >= pointers[:-1]).all())
    if not (rising and pointers[0] == 0 and 0 <= used <= min(len(csr.data), len(csr.indices))):
        raise BadInput("X: the row pointers of this sparse matrix are broken; rebuild it from its entries")
    if not csr.has_canonical_format:  # scipy caches this property
        csr = csr.copy()
        csr.sum_duplicates()
        used = int(csr.indptr[-1])
    values = np.ascontiguousarray(csr.data, dtype=_float_type(csr.dtype))
    indices, starts = _as_unsigned(csr.indices), _as_unsigned(csr.indptr)
    if indices.dtype != starts.dtype:
        indices, starts = indices.astype(np.uint64), starts.astype(np.uint64)
    if used and int(indices[:used].max()) >= d:
        raise BadInput(f"X: a column index of this sparse matrix is outside 0…{d - 1}; rebuild it")
    return Sparse(read_only(values), read_only(indices), read_only(starts), d)


def take(rows: Rows, chosen: NDArray[Any]) -> Rows:
    """Return a copy of the chosen rows.

    Parameters
    ----------
    rows : Dense or Sparse
        The rows.
    chosen : ndarray of int
        The indices of the rows.

    Returns
    -------
    Dense or Sparse
        The chosen rows.

    Examples
    --------
    >>> take(as_rows([[1.0], [2.0], [3.0]]), np.array([2, 0])).values
    array([[3.],
           [1.]])
    """
    if isinstance(rows, Dense):
        return Dense(read_only(rows.values[chosen]))
    counts = (rows.starts[chosen + 1] - rows.starts[chosen]).astype(np.int64)
    starts = np.zeros(len(chosen) + 1, rows.starts.dtype)
    np.cumsum(counts, out=starts[1:])
    entries = np.repeat(rows.starts[chosen].astype(np.int64) - starts[:-1].astype(np.int64), counts)
    entries += np.arange(int(starts[-1]))
    return Sparse(
        read_only(rows.values[entries]),
        read_only(rows.indices[entries]),
        read_only(starts),
        rows.n_features,
    )


def keep_entries(rows: Sparse, chosen: NDArray[np.bool_], n_features: int) -> Sparse:
    """Return compressed rows with only the chosen entries, in their order, as rows of `n_features` columns.

    Parameters
    ----------
    rows : Sparse
        The rows.
    chosen : ndarray of bool
        Whether to keep each entry.
    n_features : int
        The number of columns of the result.

    Returns
    -------
    Sparse
        The rows without the other entries.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> rows = as_rows(csr_array([[5.0, 2.0], [3.0, 4.0]]))
    >>> keep_entries(rows, rows.indices < 1, 1).values
    array([5., 3.])
    """
    ends = np.concatenate([[0], np.cumsum(chosen)])
    return Sparse(
        read_only(rows.values[: len(chosen)][chosen]),
        read_only(rows.indices[: len(chosen)][chosen]),
        read_only(ends[rows.starts.astype(np.int64)].astype(rows.starts.dtype)),
        n_features,
    )


def stack(parts: Sequence[Rows]) -> Rows:
    """Return the parts concatenated by rows.

    If the parts differ, float32 becomes float64, and dense rows become sparse.

    Parameters
    ----------
    parts : sequence of Dense or Sparse
        The parts.

    Returns
    -------
    Dense or Sparse
        All rows.

    Examples
    --------
    >>> n_rows(stack([as_rows([[1.0]]), as_rows([[2.0], [3.0]])]))
    3
    """
    if all(isinstance(part, Dense) for part in parts):
        return Dense(read_only(np.concatenate([part.values for part in parts])))
    sparse = [part if isinstance(part, Sparse) else _spread(part) for part in parts]
    shifts = np.cumsum([0, *(int(part.starts[-1]) for part in sparse)])
    starts = [
        part.starts[1:].astype(np.int64) + shift for part, shift in zip(sparse, shifts[:-1], strict=True)
    ]
    number = np.result_type(*(part.starts.dtype for part in sparse))
    return Sparse(
        read_only(np.concatenate([part.values for part in sparse])),
        read_only(np.concatenate([part.indices for part in sparse]).astype(number)),
        read_only(np.concatenate([[0], *starts]).astype(number)),
        max(part.n_features for part in sparse),
    )


def _spread(rows: Dense) -> Sparse:
    """Return dense rows as compressed rows that store every entry."""
    n, d = rows.values.shape
    indices = np.tile(np.arange(d, dtype=np.uint32), n)
    return Sparse(rows.values.ravel(), indices, np.arange(0, n * d + 1, d, dtype=np.uint32), d)


def to_dense(rows: Rows, i: int) -> NDArray[np.float64]:
    """Return row i as a dense float64 vector.

    Parameters
    ----------
    rows : Dense or Sparse
        The rows.
    i : int
        The index of the row.

    Returns
    -------
    ndarray of shape (n_features,)
        The row.

    Examples
    --------
    >>> to_dense(as_rows([[1.0, 2.0]]), 0)
    array([1., 2.])
    """
    if isinstance(rows, Dense):
        return rows.values[i].astype(np.float64)
    vector = np.zeros(rows.n_features)
    entries = slice(int(rows.starts[i]), int(rows.starts[i + 1]))
    np.add.at(vector, rows.indices[entries], rows.values[entries])
    return vector


def first_not_finite(rows: Rows, i: int) -> tuple[int, Any] | None:
    """Return the column and value of the first entry of row i that is NaN or infinite, or None.

    Parameters
    ----------
    rows : Dense or Sparse
        The rows.
    i : int
        The index of the row.

    Returns
    -------
    tuple of (int, float) or None
        The entry; None if all are finite.

    Examples
    --------
    >>> first_not_finite(as_rows([[1.0, np.inf]]), 0)
    (1, np.float64(inf))
    """
    entries = slice(int(rows.starts[i]), int(rows.starts[i + 1])) if isinstance(rows, Sparse) else i
    row = rows.values[entries]
    bad = np.flatnonzero(~np.isfinite(row))
    if not bad.size:
        return None
    column = rows.indices[entries][bad[0]] if isinstance(rows, Sparse) else bad[0]
    return int(column), row[bad[0]]


def check_finite(rows: Rows, present: NDArray[Any] | None) -> None:
    """Raise an error if a row contains NaN or infinity.

    Learning orders that may leave out rows call this function, since their loop would not detect the entry.

    Parameters
    ----------
    rows : Dense or Sparse
        The rows.
    present : ndarray of int or None
        The rows to check; None for all.

    Raises
    ------
    BadInput
        If a number is not finite; the message names the row and column.

    Examples
    --------
    >>> check_finite(as_rows([[1.0, 2.0]]), None)
    """
    if isinstance(rows, Sparse):
        entries = np.flatnonzero(~np.isfinite(rows.values))
        bad = np.searchsorted(rows.starts, entries, side="right") - 1
    else:
        bad = np.concatenate(
            [
                part.start + np.flatnonzero(~np.isfinite(rows.values[part]).all(axis=1))
                for part in chunks(n_rows(rows))
            ]
        )
    for row in bad if present is None else np.intersect1d(bad, present):
        place = first_not_finite(rows, int(row))
        assert place is not None
        raise not_finite(int(row), *place)


def not_finite(row: int, column: int, value: Any) -> BadInput:
    """Return the error for an entry that is NaN or infinite.

    Parameters
    ----------
    row : int
        The row.
    column : int
        The column.
    value : float
        The value.

    Returns
    -------
    BadInput
        The error, to be raised by the caller.

    Examples
    --------
    >>> str(not_finite(3, 1, np.nan))[:45]
    'X: Input contains NaN in row 3, column 1; dro'
    """
    what = "NaN" if np.isnan(value) else "infinity"
    return BadInput(
        f"X: Input contains {what} in row {row}, column {column}; "
        "drop the row or fill the value in first (sklearn.impute does this)"
    )


def _table_values(X: Any) -> NDArray[Any]:
    import narwhals as nw

    try:
        table = nw.from_native(X, eager_only=True)
    except TypeError as error:
        if hasattr(X, "collect"):
            raise BadInput(f"X: a {type(X).__name__} has no rows yet; collect() it first") from error
        raise BadInput(
            f"X: Expected 2D array, got a {type(X).__name__} of one column. Reshape your data: "
            "give a table (X.to_frame()), or X.to_numpy().reshape(-1, 1)"
        ) from error
    bad = [name for name, kind in table.schema.items() if not (kind.is_numeric() or kind == nw.Boolean)]
    bad = [name for name in bad if table.schema[name] != nw.Object]
    if bad:
        raise BadInput(
            f"X: column {bad[0]!r} holds {table.schema[bad[0]]}, expected numbers; "
            f"encode or drop it ({counted(len(bad), 'such column')} in all)"
        )
    kinds = [
        _float_type(np.dtype(np.float32 if kind == nw.Float32 else np.float64))
        for kind in table.schema.values()
    ]
    # columns are written one by one into C order: no second copy of the whole table
    values = np.empty(table.shape, dtype=np.result_type(*kinds) if kinds else np.float64)
    for column, series in enumerate(table.iter_columns()):
        try:
            numbers = series.to_numpy()
            _refuse_rounding(numbers)
            values[:, column] = numbers
        except BadInput:
            raise
        except (TypeError, ValueError) as error:
            raise BadInput(
                f"X: column {series.name!r} is not all numbers ({error}); fill in or drop missing values"
            ) from error
    return values


def _ragged_message(X: Any) -> str:
    lengths = [len(row) if hasattr(row, "__len__") else 1 for row in X]
    row = next((i for i, length in enumerate(lengths) if length != lengths[0]), None)
    if row is None:
        return "X: a value is itself a list (inhomogeneous shape); give one number per column"
    return (
        f"X: row {row} has {lengths[row]} values and row 0 has {lengths[0]} (inhomogeneous shape); "
        "give all rows the same columns"
    )


def _numbers_from_objects(values: NDArray[Any]) -> NDArray[np.float64]:
    try:
        return values.astype(np.float64)
    except TypeError as error:
        raise TypeError(f"X: argument must be a string or a number: {error}") from error
    except ValueError:
        flat = values.reshape(len(values), -1)
        for (row, column), cell in np.ndenumerate(flat):
            try:
                float(cell)
            except (TypeError, ValueError):
                raise ValueError(
                    f"row {row}, column {column} holds {plain(cell)!r}, which could not be converted to "
                    "float; encode or drop the column"
                ) from None
        raise


def _float_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return float32 if it holds every value of `dtype`, otherwise float64."""
    return np.dtype(np.float32 if np.can_cast(dtype, np.float32) else np.float64)


def _refuse_rounding(values: NDArray[Any]) -> None:
    """Raise an error for an integer that a double cannot represent, because rounding would change it."""
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or not values.size:
        return
    if int(values.max()) <= WHOLE and int(values.min()) >= -WHOLE:
        return
    lost = np.flatnonzero(values.astype(np.float64).astype(object) != values.astype(object))
    if len(lost):
        raise BadInput(
            f"X: {int(values.flat[lost[0]])} has more digits than a double holds and would be rounded; "
            "subtract a constant from the column, or divide it, first"
        )


def _as_unsigned(index: NDArray[Any]) -> NDArray[Any]:
    """Return a view of an index array as unsigned integers.

    A signed index costs a wrap-around check per access.
    """
    return np.ascontiguousarray(index).view(np.dtype(index.dtype.str.replace("i", "u")))


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view of an array.

    The compiler then sees one array type, whether or not the user's memory is writable.

    Parameters
    ----------
    array : ndarray
        The array.

    Returns
    -------
    ndarray
        The view.

    Examples
    --------
    >>> read_only(np.zeros(2)).flags.writeable
    False
    """
    view = array.view(np.ndarray)
    if view is array:
        view = array[...]
    view.flags.writeable = False
    return view


def _refuse_empty(shape: tuple[int, ...]) -> None:
    if shape[0] == 0:
        raise BadInput(f"X: Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required.")
    if shape[1] == 0:
        raise BadInput(
            f"X: Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required."
        )


def _shape_of(X: Any) -> str:
    return f"{type(X).__name__} of shape {X.shape}" if hasattr(X, "shape") else type(X).__name__
