"""Distances between all pairs of rows, for kernels that need more than a matrix product."""

from __future__ import annotations

import numpy as np

from rosenblatt.numeric.compiling import jit, jit_sums
from rosenblatt.numeric.pairs import absolute_distance, squared_distance


@jit_sums
def absolute_distances(X, Z, out):
    """Write ‖xᵢ − zⱼ‖₁ to out[i, j]."""
    for i in range(X.shape[0]):
        for j in range(Z.shape[0]):
            total = 0.0
            for k in range(X.shape[1]):
                total += abs(np.float64(X[i, k]) - np.float64(Z[j, k]))
            out[i, j] = total


@jit_sums
def squared_distances(X, Z, out):
    """Write ‖xᵢ − zⱼ‖², from the differences, to out[i, j]."""
    for i in range(X.shape[0]):
        for j in range(Z.shape[0]):
            total = 0.0
            for k in range(X.shape[1]):
                difference = np.float64(X[i, k]) - np.float64(Z[j, k])
                total += difference * difference
            out[i, j] = total


@jit
def sparse_distances(left, right, is_squared, out):
    """Write the squared or the absolute distance between all pairs of `Sparse` rows to `out`."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = (
                squared_distance(left, i, right, j) if is_squared else absolute_distance(left, i, right, j)
            )
