"""Rows and runs for polynomial threshold functions."""

from __future__ import annotations

import numpy as np

from rosenblatt import PolynomialThreshold

XOR = (np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]), np.array([0, 1, 1, 0]))

KEEPERS = ["last", "averaged", "voted", "random"]


def both(X, y, **parameters):
    """The model by the map and the model by the kernel."""
    return [PolynomialThreshold(way=way, **parameters).fit(X, y) for way in ("map", "kernel")]


def whole_numbers(n, d, n_classes, seed):
    """Rows of −2 … 2, many of them twice and with other labels: full of scores that are exactly 0."""
    generator = np.random.default_rng(seed)
    X = generator.integers(-2, 3, size=(n, d)).astype(float)
    return X, np.r_[np.arange(n_classes), generator.integers(0, n_classes, n - n_classes)]


def real_numbers(n, d, n_classes, seed):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, d))
    y = np.searchsorted(np.linspace(0, 2, n_classes + 1)[1:-1] * d / 2, (X**2).sum(axis=1))
    y[:n_classes] = np.arange(n_classes)
    return X, y
