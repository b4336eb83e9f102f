"""Sets of rows that the model tests share: one that a hyperplane separates, one that none does, rings."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

Examples = tuple[NDArray[np.float64], NDArray[np.int64]]


@pytest.fixture(scope="session")
def separable() -> Examples:
    """60 points in the plane, a good way off the line 2x₀ − x₁ + 0.5 = 0; labels 0 and 1."""
    points = np.random.default_rng(7).normal(size=(90, 2))
    side = points @ [2.0, -1.0] + 0.5
    far = np.abs(side) > 0.4
    return points[far][:60], (side[far] > 0).astype(np.int64)[:60]


@pytest.fixture(scope="session")
def noisy() -> Examples:
    """120 rows of five features whose labels follow a hyperplane only most of the time."""
    generator = np.random.default_rng(11)
    X = generator.normal(size=(120, 5))
    y = X @ [1.0, -2.0, 0.5, 0.0, 1.0] + generator.normal(size=120) > 0.3
    return X, y.astype(np.int64)


@pytest.fixture(scope="module")
def three() -> Examples:
    """90 rows of three classes in rings around 0."""
    X = np.random.default_rng(5).normal(size=(90, 2))
    return X, np.digitize(np.linalg.norm(X, axis=1), [0.8, 1.4])
