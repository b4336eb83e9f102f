"""Rows of three classes for the tests of models."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

Examples = tuple[NDArray[np.float64], NDArray[np.int64]]


@pytest.fixture(scope="module")
def three() -> Examples:
    """90 rows of three classes in rings around 0."""
    X = np.random.default_rng(5).normal(size=(90, 2))
    return X, np.digitize(np.linalg.norm(X, axis=1), [0.8, 1.4])
