"""Distances of all pairs of rows that no matrix product gives."""

from __future__ import annotations

import numpy as np

from rosenblatt.compiling import compiled, compiled_sums


@compiled_sums
def absolute_distances(X, Z, out):
    """out[i, j] ← ‖xᵢ − zⱼ‖₁."""
    for i in range(X.shape[0]):
        for j in range(Z.shape[0]):
            total = 0.0
            for k in range(X.shape[1]):
                total += abs(np.float64(X[i, k]) - np.float64(Z[j, k]))
            out[i, j] = total


@compiled_sums
def squared_distances(X, Z, out):
    """out[i, j] ← ‖xᵢ − zⱼ‖², from the differences."""
    for i in range(X.shape[0]):
        for j in range(Z.shape[0]):
            total = 0.0
            for k in range(X.shape[1]):
                difference = np.float64(X[i, k]) - np.float64(Z[j, k])
                total += difference * difference
            out[i, j] = total


@compiled
def sparse_distances(values, columns, starts, z_values, z_columns, z_starts, is_squared, out):
    """The same for compressed rows, each with its columns in rising order: of squares, or of sizes."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            a, b = starts[i], z_starts[j]
            a_end, b_end = starts[i + 1], z_starts[j + 1]
            total = 0.0
            while a < a_end or b < b_end:
                difference = 0.0
                a_first = b >= b_end or (a < a_end and columns[a] <= z_columns[b])
                b_first = a >= a_end or (b < b_end and z_columns[b] <= columns[a])
                if a_first:
                    difference += values[a]
                    a += 1
                if b_first:
                    difference -= z_values[b]
                    b += 1
                total += difference * difference if is_squared else abs(difference)
            out[i, j] = total
