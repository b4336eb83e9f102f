"""Values of kernels by the plain loop and at matrix speed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.kernels.kernel_hooks import pairs
from rosenblatt.numeric.row_batches import as_rows, n_features, n_rows
from rosenblatt.training.backends import OnHost
from rosenblatt.training.dual.support import with_squares


def plain(kernel: Any, X: Any, Z: Any = None) -> NDArray[np.float64]:
    """Return K(x, z) of all rows by the compiled plain loop."""
    left, right = as_rows(X), as_rows(X if Z is None else Z)
    found = np.empty((n_rows(left), n_rows(right)))
    for i in range(n_rows(left)):
        pairs(kernel, right, np.arange(n_rows(right)), left, i, found[i])
    return found


def fast(kernel: Any, X: Any, Z: Any = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return K(x, z) of all rows at matrix speed, and how far it may be from the plain loop."""
    backend = OnHost()
    left, right = as_rows(X), as_rows(X if Z is None else Z)
    X, x2 = with_squares(left, backend)
    Z, z2 = with_squares(right, backend)
    found = backend.get(kernel.matrix(X, Z, x2, z2, backend))
    roots = [kernel.roots(backend.get(kernel.diagonal(M, m2, backend))) for M, m2 in ((X, x2), (Z, z2))]
    error = kernel.error(n_features(left), max(float(x2.max()), float(z2.max())))
    return found, error * np.outer(*roots) + 1e-290


def check_bound(kernel: Any, X: Any, Z: Any = None) -> None:
    """Check that the values at matrix speed are within their bound of the plain loop."""
    found, doubt = fast(kernel, X, Z)
    assert (np.abs(found - plain(kernel, X, Z)) <= doubt).all()
