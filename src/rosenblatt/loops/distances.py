"""Distances of all pairs of rows that no matrix product gives."""

from __future__ import annotations

from rosenblatt.compiling import compiled, compiled_sums


@compiled_sums
def absolute_distances(X, Z, out):
    """out[i, j] ← ‖xᵢ − zⱼ‖₁."""
    for i in range(X.shape[0]):
        for j in range(Z.shape[0]):
            total = 0.0
            for k in range(X.shape[1]):
                total += abs(X[i, k] - Z[j, k])
            out[i, j] = total


@compiled
def sparse_absolute_distances(values, columns, starts, z_values, z_columns, z_starts, out):
    """The same for compressed rows, each with its columns in rising order."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            a, b = starts[i], z_starts[j]
            a_end, b_end = starts[i + 1], z_starts[j + 1]
            total = 0.0
            while a < a_end and b < b_end:
                if columns[a] == z_columns[b]:
                    total += abs(values[a] - z_values[b])
                    a += 1
                    b += 1
                elif columns[a] < z_columns[b]:
                    total += abs(values[a])
                    a += 1
                else:
                    total += abs(z_values[b])
                    b += 1
            for k in range(a, a_end):
                total += abs(values[k])
            for k in range(b, b_end):
                total += abs(z_values[k])
            out[i, j] = total
