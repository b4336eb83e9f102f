"""The linear kernel: the perceptron itself, in dual form."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.kernels.kernel_hooks import from_products, pair
from rosenblatt.kernels.vectors import call_kernel
from rosenblatt.numeric.pairs import dot
from rosenblatt.numeric.rows import ROUNDING


class Linear(NamedTuple):
    """Compute the inner product K(x, z) = x·z: the perceptron itself, in dual form.

    Examples
    --------
    >>> Linear()
    Linear()
    >>> Linear()([1, 2], [3, -1])
    1.0
    """

    def __call__(self, x: ArrayLike, z: ArrayLike) -> float | NDArray[np.float64]:
        """Return K(x, z) of two vectors; for a matrix, one value per row."""
        return call_kernel(self, x, z)

    def matrix(self, X: Any, Z: Any, x2: Any, z2: Any, backend: Any) -> Any:
        """Return K for all pairs of rows; see `Kernel.matrix`."""
        return backend.product(X, Z, x2, z2)

    def is_of_products(self, largest2: float) -> bool:
        """Return whether K can be computed from inner products; see `Kernel.is_of_products`."""
        return True

    def diagonal(self, X: Any, x2: Any, backend: Any) -> Any:
        """Return K(x, x) of each row; see `Kernel.diagonal`."""
        return x2 + 0.0

    def roots(self, diagonal: NDArray[Any]) -> NDArray[Any]:
        """Return root(x) of each row for the error bound; see `Kernel.roots`."""
        return np.sqrt(diagonal)

    def error(self, n_features: int, largest2: float) -> float:
        """Return the factor `error` of the error bound; see `Kernel.error`."""
        return 2.0 * (n_features + 4) * ROUNDING


@pair.of(Linear)
def _(kernel, left, i, right, j):
    return dot(left, i, right, j)


@from_products.of(Linear)
def _(kernel, values, x2, z2, work):
    pass
