"""Fixtures for the tests of kernels: each kernel beside its formula, and its values in both ways."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rosenblatt.kernels import KERNELS
from rosenblatt.kernels.kernel_hooks import pairs
from rosenblatt.numeric.row_batches import as_rows, n_features, n_rows
from rosenblatt.training.backends import OnHost
from rosenblatt.training.dual.support import with_squares

EVERY_KERNEL: dict[str, tuple[str, dict[str, Any]]] = {
    "linear": ("linear", {}),
    "gaussian": ("gaussian", {"gamma": 0.3}),
    "narrow gaussian": ("gaussian", {"gamma": 40.0}),
    "laplacian": ("laplacian", {"gamma": 0.2}),
    "quadratic": ("polynomial", {"degree": 2, "gamma": 0.5, "coef0": 0.25}),
    "cubic": ("polynomial", {"degree": 3, "gamma": 1.0, "coef0": 1.0}),
    "homogeneous": ("polynomial", {"degree": 3, "gamma": 0.7, "coef0": 0.0}),
    "homogeneous of even degree": ("polynomial", {"degree": 4, "gamma": 1.0, "coef0": 0.0}),
    "of the eleventh degree": ("polynomial", {"degree": 11, "gamma": 0.1, "coef0": 0.5}),
    "of the first degree": ("polynomial", {"degree": 1, "gamma": 2.0, "coef0": 3.0}),
}


@pytest.fixture(scope="session")
def naive(load) -> ModuleType:
    """The kernels as their docstrings have them."""
    return load(Path(__file__).parent / "naive_kernels.py")


@pytest.fixture(scope="session", params=EVERY_KERNEL)
def both(request, naive: ModuleType) -> tuple[Any, Callable[..., float]]:
    """Each kernel twice: ours, and the formula with the same parameters."""
    name, parameters = EVERY_KERNEL[request.param]
    return KERNELS[name](**parameters), partial(getattr(naive, name), **parameters)


def _laid_out(X: NDArray[np.float64], layout: str) -> Any:
    values = np.asarray(X, dtype=np.float64 if layout.endswith("64") else np.float32)
    return values if layout.startswith("dense") else csr_array(values)


@pytest.fixture(scope="session")
def laid_out() -> Callable[..., Any]:
    """X as a matrix of that layout: float64 or float32, all numbers or only those that are not 0."""
    return _laid_out


@pytest.fixture(scope="session")
def plain() -> Callable[..., NDArray[np.float64]]:
    """K(x, z) of all rows by the compiled plain loop."""

    def values(kernel: Any, X: Any, Z: Any = None) -> NDArray[np.float64]:
        left = as_rows(X)
        right = left if Z is None else as_rows(Z)
        found = np.empty((n_rows(left), n_rows(right)))
        for i in range(n_rows(left)):
            pairs(kernel, right, np.arange(n_rows(right)), left, i, found[i])
        return found

    return values


@pytest.fixture(scope="session")
def fast() -> Callable[..., tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """K(x, z) of all rows at matrix speed, and how far it may be from the plain loop."""

    def values(kernel: Any, X: Any, Z: Any = None, backend: Any = None):
        backend = backend or OnHost()
        left, right = as_rows(X), as_rows(X if Z is None else Z)
        X, x2 = with_squares(left, backend)
        Z, z2 = with_squares(right, backend)
        found = backend.get(kernel.matrix(X, Z, x2, z2, backend))
        roots = [kernel.roots(backend.get(kernel.diagonal(M, m2, backend))) for M, m2 in ((X, x2), (Z, z2))]
        error = kernel.error(n_features(left), max(float(x2.max()), float(z2.max())))
        return found, error * np.outer(*roots) + 1e-290

    return values
