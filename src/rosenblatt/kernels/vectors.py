"""Convert vectors and matrices for kernels that are called as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.kernels.kernel_hooks import pair, pairs
from rosenblatt.kernels.kernel_parameters import build_kernel
from rosenblatt.numeric.blocks import alike, block
from rosenblatt.numeric.row_batches import Rows, as_rows, check_finite, is_sparse, n_features, n_rows

Values = NDArray[np.float64]


def call_kernel(kernel: Any, x: Any, z: Any) -> Any:
    """Return K(x, z) for a built-in kernel, computed by the plain loop that defines decisions."""
    known = build_kernel(type(kernel), kernel._asdict(), None)

    def one_row(left: Rows, i: int, right: Rows, values: Values) -> None:
        if values.size == 1:  # interpret the loop: for one number, compiling is not worthwhile
            values[0] = pair(known, left, i, right, 0)
        else:
            pairs(known, right, np.arange(values.size), left, i, values)

    return of_all_pairs(x, z, one_row)


def of_all_pairs(x: Any, z: Any, one_row: Callable[[Rows, int, Rows, Values], None]) -> Any:
    """Return the kernel values of all pairs of rows of x and z, in a shape that matches x and z.

    `one_row(left, i, right, values)` computes the values of one row of x. The result is a number for two
    vectors, a vector for a vector and a matrix, and a matrix for two matrices.
    """
    (left, x_is_one), (right, z_is_one) = _vectors("x", x), _vectors("z", z)
    if n_features(left) != n_features(right):
        raise BadInput(
            f"z: {n_features(right)} features, but x has {n_features(left)}; K(x, z) needs vectors of the "
            "same length"
        )
    values = np.empty((n_rows(left), n_rows(right)))
    left = alike(left, right)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for i in range(len(values)):
            one_row(left, i, right, values[i])
    if x_is_one and z_is_one:
        return float(values[0, 0])
    return values[0] if x_is_one else values[:, 0] if z_is_one else values


def map_rows(X: Any, phi: Callable[[Any], Values], width: int | None = None) -> Values:
    """Return φ of each row of X, or of one vector.

    `phi` computes φ for a matrix of float64; `width` is the number of features that X must have, if known.
    """
    rows, is_one = _vectors("X", X)
    if width is not None and n_features(rows) != width:
        raise BadInput(f"X: {n_features(rows)} features, but this map takes vectors of {width}")
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        found = phi(block(rows, slice(0, n_rows(rows))))
    if not np.isfinite(found).all():
        raise BadInput("X: a product of its numbers is too large for a double; divide the features first")
    return found[0] if is_one else found


def _vectors(name: str, x: Any) -> tuple[Rows, bool]:
    """Return x as rows, and whether it was a single vector."""
    try:
        dimensions = x.ndim if hasattr(x, "ndim") else np.ndim(x)
    except ValueError:
        dimensions = 2  # rows of different lengths, for which `as_rows` raises an error
    if dimensions not in (1, 2):
        what = f"{dimensions} dimensions" if dimensions else repr(x)
        raise BadInput(f"{name}: expected a vector such as [1, 2], or a matrix of rows, got {what}")
    if dimensions == 1:
        x = (x if is_sparse(x) else np.asarray(x)).reshape(1, -1)
    try:
        rows = as_rows(x)
        check_finite(rows, None)
    except BadInput as refusal:
        raise BadInput(name + str(refusal).removeprefix("X")) from None
    return rows, bool(dimensions == 1)
