"""Widen arrays of weights for new features."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def widen(array: NDArray[np.float64], width: int, begins: float = 0.0) -> NDArray[np.float64]:
    """Return a copy of (w, b) along the last axis, with new features between w and b set to `begins`.

    Examples
    --------
    >>> widen(np.array([1.0, 2.0, 9.0]), 5)
    array([1., 2., 0., 0., 9.])
    """
    wide = np.full((*array.shape[:-1], width), begins)
    wide[..., : array.shape[-1] - 1] = array[..., :-1]
    wide[..., -1] = array[..., -1]
    return wide


def widen_matrix(matrix: NDArray[np.float64], width: int, begins: float) -> NDArray[np.float64]:
    """Return a feature-by-feature matrix with rows and columns for new features.

    The new diagonal entries have the value `begins`; the other new entries are 0.

    Examples
    --------
    >>> widen_matrix(np.array([[1.0, 2.0], [2.0, 9.0]]), 3, 5.0)
    array([[1., 0., 2.],
           [0., 5., 0.],
           [2., 0., 9.]])
    """
    wide = widen(np.ascontiguousarray(widen(matrix, width).T), width)
    new = np.arange(len(matrix) - 1, width - 1)
    wide[new, new] = begins
    return np.ascontiguousarray(wide.T)
