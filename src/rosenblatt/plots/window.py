"""The plane of two features, its visible window, and the predictions of a model on a grid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.errors import BadInput, bad_value, is_integer
from rosenblatt.numeric.blocks import native
from rosenblatt.numeric.row_batches import Rows, Sparse, is_table, n_features
from rosenblatt.plots.classifiers import LabelledPredictions

Vector = NDArray[np.float64]
MOST_NUMBERS = 4_000_000
"""The most entries of grid points computed at a time."""
AIR = 0.08


class Plane(NamedTuple):
    """The plane in which two features vary and all others have the values in `held`.

    The visible window extends from `low` to `high`.
    """

    first: int
    second: int
    held: Vector
    low: Vector
    high: Vector

    def coordinates(self, rows: Rows) -> Vector:
        """Return the two plotted features of the rows."""
        return two_columns(rows, self.first, self.second)

    def ticks(self, resolution: int) -> tuple[Vector, Vector]:
        """Return the coordinates of the grid along both axes."""
        return (
            np.linspace(self.low[0], self.high[0], resolution),
            np.linspace(self.low[1], self.high[1], resolution),
        )

    def evaluate(self, question: Callable[[Any], NDArray[Any]], resolution: int, like: Any) -> NDArray[Any]:
        """Return a function's values on the grid, row by row from the bottom; shape (resolution², …)."""
        across, up = self.ticks(resolution)
        lines = max(1, MOST_NUMBERS // (resolution * len(self.held)))
        answers = []
        for start in range(0, resolution, lines):
            part = up[start : start + lines]
            rows = np.tile(self.held, (resolution * len(part), 1))
            rows[:, self.first] = np.tile(across, len(part))
            rows[:, self.second] = np.repeat(part, resolution)
            answers.append(question(_as_table(rows, like)))
        return np.concatenate(answers)

    def line(self, w: Vector, b: float) -> tuple[Vector, float]:
        """Return (w, b) of the line in which the hyperplane w·x + b = 0 intersects the plane."""
        chosen = [self.first, self.second]
        rest = np.delete(np.arange(len(w)), chosen)
        return w[chosen], b + float(w[rest] @ self.held[rest])

    def room(self, point: Vector, direction: Vector) -> tuple[float, float]:
        """Return the distances from a point at which a line enters and leaves the window.

        Distances are positive along `direction` and negative against it. If the first distance is not less
        than the second, the line misses the window.
        """
        moves = direction != 0.0
        if ((point < self.low) | (point > self.high))[~moves].any():
            return 0.0, 0.0
        with np.errstate(over="ignore"):
            ends = np.array([self.low - point, self.high - point])[:, moves] / direction[moves]
        return float(ends.min(axis=0).max()), float(ends.max(axis=0).min())


def plane_of(seen: LabelledPredictions, features: Sequence[Any], held: ArrayLike | None) -> Plane:
    """Return the plane of two features (numbers or names), with a window that contains all points."""
    first, second = _axis_columns(seen, features)
    low, high = ends_of_view(two_columns(seen.rows, first, second))
    return Plane(first, second, _fixed_values(seen.rows, held), low, high)


def ends_of_view(points: Vector) -> tuple[Vector, Vector]:
    """Return the lower left and the upper right corner of a window that contains all points."""
    low, high = points.min(axis=0), points.max(axis=0)
    reach = np.where(high > low, high - low, 1.0)
    if not np.isfinite(reach).all():
        raise BadInput("X: the values are too far apart to draw; scale the columns first")
    return low - AIR * reach, high + AIR * reach


def two_columns(rows: Rows, first: int, second: int) -> Vector:
    """Return two columns of the rows as a dense array."""
    if isinstance(rows, Sparse):
        return np.asarray(native(rows)[:, [first, second]].toarray(), np.float64)
    return np.asarray(rows.values[:, [first, second]], np.float64)


def medians(rows: Rows) -> Vector:
    """Return the median of each column.

    Examples
    --------
    >>> from rosenblatt.examples import as_rows
    >>> medians(as_rows([[1.0, 0.0], [5.0, 0.0], [2.0, 7.0]]))
    array([2., 0.])
    """
    if not isinstance(rows, Sparse):
        return np.median(rows.values, axis=0).astype(np.float64)
    by_column = native(rows).tocsc()
    middle = np.zeros(n_features(rows))
    # the median of a column is 0 if more than half of its entries are zeros
    for column in np.flatnonzero(2 * np.diff(by_column.indptr) >= by_column.shape[0]):
        middle[column] = np.median(by_column[:, [int(column)]].toarray())
    return middle


def _axis_columns(seen: LabelledPredictions, features: Sequence[Any]) -> tuple[int, int]:
    d = len(seen.names)
    if d < 2:
        raise BadInput("X has 1 feature, a plane needs two; plots.margins draws the distances of any model")
    if isinstance(features, str) or not hasattr(features, "__len__") or len(features) != 2:
        raise bad_value("features", features, "two columns, by number or name")
    found = []
    for feature in features:
        if isinstance(feature, str) and feature in seen.names:
            found.append(seen.names.index(feature))
        elif is_integer(feature) and 0 <= feature < d:
            found.append(int(feature))
        else:
            raise BadInput(
                f"features: {feature!r} is not a column of X; the columns are 0…{d - 1}, named "
                f"{', '.join(seen.names[:5])}" + ", …" * (d > 5)
            )
    if found[0] == found[1]:
        raise bad_value("features", features, "two different columns")
    return found[0], found[1]


def _fixed_values(rows: Rows, held: ArrayLike | None) -> Vector:
    if held is None:
        return medians(rows)
    values = np.asarray(held, np.float64)
    if values.shape != (n_features(rows),) or not np.isfinite(values).all():
        raise bad_value("held", held, f"a finite value for each of {n_features(rows)} features, or None")
    return values


def _as_table(rows: Vector, like: Any) -> Any:
    """Return the rows as a table of the same type as X, for models that need column names."""
    if not is_table(like):
        return rows
    import narwhals as nw

    frame = nw.from_native(like, eager_only=True)
    columns = {name: rows[:, column] for column, name in enumerate(frame.columns)}
    return nw.from_dict(columns, backend=frame.implementation).to_native()
