"""Data for the dual form: real numbers with noise, and small whole numbers full of ties."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

Labelled = tuple[NDArray[np.float64], NDArray[np.int64]]


def noisy(n: int = 60, d: int = 3, n_classes: int = 2, seed: int = 0, wrong: float = 0.2) -> Labelled:
    """Rings around the origin, a class each, some labels wrong; every number is a float32."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, d)).astype(np.float32).astype(np.float64)
    lengths = np.linalg.norm(X, axis=1)
    y = np.searchsorted(np.quantile(lengths, np.arange(1, n_classes) / n_classes), lengths)
    swapped = generator.random(n) < wrong
    y[swapped] = generator.integers(0, n_classes, swapped.sum())
    y[:n_classes] = np.arange(n_classes)
    return X, y.astype(np.int64)


@st.composite
def small_integers(draw, most_rows: int = 10, n_classes: int = 2) -> Labelled:
    """Rows of small whole numbers, duplicates and a zero row among them, with any labels."""
    d = draw(st.integers(1, 3))
    row = st.lists(st.integers(-2, 2), min_size=d, max_size=d)
    X = draw(st.lists(row, min_size=n_classes, max_size=most_rows))
    X += [X[i] for i in draw(st.lists(st.integers(0, len(X) - 1), max_size=4))] + [[0] * d]
    others = st.lists(
        st.integers(0, n_classes - 1), min_size=len(X) - n_classes, max_size=len(X) - n_classes
    )
    y = draw(st.permutations([*range(n_classes), *draw(others)]))
    return np.array(X, dtype=np.float64), np.array(y)
