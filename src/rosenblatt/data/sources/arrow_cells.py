"""Convert pyarrow columns to numpy arrays: numbers, labels, importance, categories and words.

Faults of a row are collected in `RowFaults`, so an invalid cell removes only its row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rosenblatt.data.sources.cells import number_in
from rosenblatt.data.sources.chunk import BadLine
from rosenblatt.data.sources.parsing.joined_columns import all_finite
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import WHOLE

LABEL_NEEDED = "the label"


class RowFaults:
    """Record which rows of a batch cannot be read, and why.

    >>> faults = RowFaults(3, missing="error")
    >>> faults.note_missing(np.array([1]), 2, "age")
    >>> faults.kept.tolist(), faults.bad[0].line, faults.bad[0].column
    ([True, False, True], 1, 2)
    """

    def __init__(self, n_rows: int, missing: str) -> None:
        self.kept = np.ones(n_rows, np.bool_)
        self._missing = missing
        self._bad: dict[int, BadLine] = {}
        self.infinite: list[BadLine] = []  # cells that are treated as missing

    @property
    def bad(self) -> tuple[BadLine, ...]:
        return tuple(self._bad[row] for row in sorted(self._bad))

    def note(self, rows: NDArray[Any], column: int, problem: Callable[[int], str]) -> None:
        """Mark rows as unreadable; problem(row) describes the fault in `column`, counted from 1."""
        self.kept[rows] = False
        for row in rows.tolist():
            self._bad.setdefault(row, BadLine(row, column, problem(row)))

    def note_missing(self, rows: NDArray[Any], column: int, name: str, needed: str = "") -> None:
        """Mark rows with a missing value; `needed` names a value without which a row is useless.

        With missing="mark", rows without a label are dropped.
        """
        if self._missing == "drop" or (self._missing == "mark" and needed == LABEL_NEEDED):
            self.kept[rows] = False
        elif needed:
            self.note(
                rows,
                column,
                lambda row: f"column {name!r}, {needed}, has no value; drop the row or fill it in",
            )
        elif self._missing == "error":
            self.note(
                rows,
                column,
                lambda row: (
                    f"column {name!r} has no value; fill it in, leave the column out "
                    f"(leave_out=[{name!r}]), or let missing values count as zero (missing='zero') or "
                    "drop their row (missing='drop')"
                ),
            )


def is_text(kind: Any) -> bool:
    """Return whether an Arrow type holds strings.

    >>> is_text(pa.large_string()), is_text(pa.binary())
    (True, False)
    """
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def is_number(kind: Any) -> bool:
    """Return whether an Arrow type holds numbers or only nulls.

    >>> is_number(pa.bool_()), is_number(pa.date32())
    (True, False)
    """
    types = pa.types
    tests = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_null)
    return any(is_of(kind) for is_of in tests)


def is_small(kind: Any) -> bool:
    """Return whether float32 can represent every number of an Arrow type."""
    if pa.types.is_integer(kind):
        return kind.bit_width <= 16
    return pa.types.is_float32(kind) or pa.types.is_float16(kind) or pa.types.is_boolean(kind)


def field_in(batch: Any, place: int) -> Any:
    """Return a column of a record batch or a table as one array."""
    column = batch.column(place)
    if isinstance(column, pa.ChunkedArray):
        return column.unify_dictionaries().combine_chunks() if column.num_chunks else _empty(column.type)
    return column


def _empty(kind: Any) -> Any:
    return pa.array([], kind)


# ---------------------------------------------------------------- numbers


def write_numbers(
    column: Any, name: str, place: int, faults: RowFaults, numbers: NDArray[np.floating[Any]]
) -> NDArray[np.int64]:
    """Write a column into `numbers`, with 0 for missing values, and record invalid values in `faults`.

    Return the rows with a missing value.
    """
    if pa.types.is_decimal(column.type) or pa.types.is_null(column.type):
        column = column.cast(pa.float64())
    if pa.types.is_integer(column.type) and column.type.bit_width == 64:
        _note_rounded(column, name, place, faults)
    numbers[:] = column.to_numpy(zero_copy_only=False)
    if all_finite(numbers):
        return np.empty(0, np.int64)
    missing = np.flatnonzero(np.isnan(numbers))
    endless = np.flatnonzero(np.isinf(numbers))
    faults.note_missing(missing, place, name)
    faults.note(
        endless,
        place,
        lambda row: (
            f"column {name!r} holds {numbers[row]}, expected a finite number; drop the row or fill it in"
        ),
    )
    numbers[missing] = 0.0
    return missing


def without_infinite(column: Any, name: str, place: int, faults: RowFaults | None) -> Any:
    """Return a column in which infinite numbers are missing, and record them in `faults`.

    >>> faults = RowFaults(2, missing="mark")
    >>> without_infinite(pa.array([1.0, float("inf")]), "a", 1, faults).to_pylist(), faults.infinite[0].line
    ([1.0, None], 1)
    """
    if not pa.types.is_floating(column.type):
        return column
    is_infinite = pc.is_inf(column)
    if not pc.any(is_infinite).as_py():
        return column
    if faults is not None:
        rows = np.flatnonzero(is_infinite.fill_null(False).to_numpy(zero_copy_only=False))
        cells = column.take(pa.array(rows)).to_pylist()
        faults.infinite += [
            BadLine(row, place, f"column {name!r} holds {cell}")
            for row, cell in zip(rows.tolist(), cells, strict=True)
        ]
    return pc.if_else(is_infinite, pa.scalar(None, column.type), column)


def _note_rounded(column: Any, name: str, place: int, faults: RowFaults) -> None:
    """Record integers that a double cannot represent."""
    extremes = pc.min_max(column).as_py()
    if extremes["min"] is None or (extremes["min"] >= -WHOLE and extremes["max"] <= WHOLE):
        return
    numbers = column.to_pylist()
    lost = [
        row for row, number in enumerate(numbers) if number is not None and int(float(number)) != number
    ]
    faults.note(
        np.array(lost, np.int64),
        place,
        lambda row: (
            f"column {name!r}: {numbers[row]} has more digits than a double holds and would be rounded; "
            "leave the column out, or subtract a constant from it first"
        ),
    )


# ---------------------------------------------------------------- categories and words


def codes_in(column: Any) -> tuple[NDArray[np.int64], Any]:
    """Return (index of each cell's word, words); the index of a missing cell is −1.

    The words are a pyarrow array of large strings.

    >>> codes, words = codes_in(pa.array(["red", None, "red"]))
    >>> codes, words.to_pylist()
    (array([ 0, -1,  0]), ['red'])
    """
    if not pa.types.is_dictionary(column.type):
        column = column.cast(pa.large_string()).dictionary_encode()
    codes = column.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    words = column.dictionary.cast(pa.large_string())
    if words.null_count:
        nothing = np.flatnonzero(words.is_null().to_numpy(zero_copy_only=False))
        codes = np.where(np.isin(codes, nothing), -1, codes)
        words = words.fill_null("")
    return codes, words


def n_missing(column: Any) -> int:
    """Return the number of missing cells.

    >>> n_missing(pa.array([1.0, None, float("nan")])), n_missing(pa.array(["a", None]).dictionary_encode())
    (2, 1)
    """
    if pa.types.is_dictionary(column.type):
        return int((codes_in(column)[0] < 0).sum())
    return int(pc.sum(column.is_null(nan_is_null=True)).as_py() or 0)


def strings_in(column: Any) -> Any:
    """Return a text column (which may be dictionary-encoded) as a pyarrow array of large strings.

    >>> strings_in(pa.array(["red", None, "red"]).dictionary_encode()).to_pylist()
    ['red', None, 'red']
    """
    if not pa.types.is_dictionary(column.type):
        return column.cast(pa.large_string())
    codes, words = codes_in(column)
    return words.take(pa.array(codes, mask=codes < 0))


# ---------------------------------------------------------------- labels and importance


def labels_in(column: Any, name: str, place: int, as_text: bool, faults: RowFaults) -> NDArray[Any]:
    """Return the labels as text, as int64 if all are whole numbers, or as float64."""
    if is_number(column.type) and not as_text:
        return _number_labels(column, name, place, faults)
    try:
        codes, words = codes_in(column)
    except pa.ArrowException as error:  # a list, or bytes that are not UTF-8
        raise BadInput(
            f"target: column {name!r} holds {column.type}, expected numbers or texts ({error!s:.100})"
        ) from error
    faults.note_missing(np.flatnonzero(codes < 0), place, name, LABEL_NEEDED)
    texts = words.to_pylist()
    if as_text:
        return np.array([*texts, ""])[codes]
    numbers = [number_in(text) for text in texts]
    labels = np.array([np.nan if number is None else number for number in numbers] + [0.0])[codes]
    faults.note(
        np.flatnonzero(np.isnan(labels)),
        place,
        lambda row: (
            f"expected a number as label, as in the first rows, got {texts[codes[row]]!r} in column "
            f"{name!r}"
        ),
    )
    return labels


def _number_labels(column: Any, name: str, place: int, faults: RowFaults) -> NDArray[Any]:
    missing = column.is_null(nan_is_null=True).to_numpy(zero_copy_only=False)
    faults.note_missing(np.flatnonzero(missing), place, name, LABEL_NEEDED)
    if not pa.types.is_integer(column.type):
        column = column.cast(pa.int64() if pa.types.is_boolean(column.type) else pa.float64())
    labels = (column.fill_null(0) if column.null_count else column).to_numpy(zero_copy_only=False)
    if labels.dtype.kind != "f":
        return labels.astype(np.int64) if labels.dtype != np.uint64 else labels.copy()
    faults.note(
        np.flatnonzero(np.isinf(labels)),
        place,
        lambda row: f"column {name!r}, the label, holds {labels[row]}, expected a finite number",
    )
    return labels.astype(np.float64)


def importance_in(column: Any, name: str, place: int, faults: RowFaults) -> NDArray[np.float64]:
    """Return the importance of each row, which must be finite and at least 0."""
    if not is_number(column.type):
        raise BadInput(f"weight: column {name!r} holds {column.type}, expected numbers")
    importance = column.cast(pa.float64()).to_numpy(zero_copy_only=False).astype(np.float64)
    missing = np.isnan(importance)
    faults.note_missing(np.flatnonzero(missing), place, name, "the weight")
    faults.note(
        np.flatnonzero(~missing & ~((importance >= 0) & np.isfinite(importance))),
        place,
        lambda row: f"column {name!r}: weight {importance[row]}; give finite weights of at least 0",
    )
    return importance
