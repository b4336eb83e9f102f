"""The inner steps of Wolfe's method: products with all points, and the Cholesky factor of a Gram matrix.

The products are computed here and not by a BLAS: for so few points, BLAS threads cost more than they gain,
and ten times more if another process uses the cores.

Points are added to and removed from the Cholesky factor one at a time. L is lower triangular in the first
`size` rows and columns of a square array, and L·Lᵀ is the Gram matrix of the points of a corral
(`proof.nearest_points`). Each change costs size² operations instead of size³.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.numeric.compiling import jit, jit_sums

DEPENDENT = 1e-13
"""A point whose square distance from the span of the others is below this part of its own square length
is treated as dependent on them."""


@jit_sums
def products(points, z, out):
    """Write pointᵢ·z to out[i] for the first out.size rows of the matrix `points`."""
    for i in range(out.size):
        total = 0.0
        for j in range(z.size):
            total += points[i, j] * z[j]
        out[i] = total


@jit_sums
def sparse_products(values, columns, starts, z, out):
    """Write pointᵢ·z to out[i] for compressed rows."""
    for i in range(out.size):
        total = 0.0
        for k in range(starts[i], starts[i + 1]):
            total += values[k] * z[columns[k]]
        out[i] = total


@jit
def lowest(product, groups, values, places):
    """Write the smallest product of each group g to values[g] and its index to places[g]."""
    for g in range(values.size):
        values[g] = np.inf
    for i in range(product.size):
        g = groups[i]
        if product[i] < values[g]:
            values[g] = product[i]
            places[g] = i


@jit
def combine(points, weights, z):
    """Write Σ weightᵢ·pointᵢ to z."""
    for j in range(z.size):
        z[j] = 0.0
    for i in range(weights.size):
        for j in range(z.size):
            z[j] += weights[i] * points[i, j]


@jit_sums
def join(L, size, products):
    """Add a point to the factor, given its products with the points in the factor and, last, with itself.

    Return whether the point is independent of the points in the factor; a dependent point is not added.
    """
    for i in range(size):
        rest = products[i]
        for j in range(i):
            rest -= L[i, j] * L[size, j]
        L[size, i] = rest / L[i, i]
    rest = products[size]
    for j in range(size):
        rest -= L[size, j] * L[size, j]
    if not rest > DEPENDENT * products[size]:
        return False
    L[size, size] = np.sqrt(rest)
    return True


@jit
def leave(L, size, k):
    """Remove point k: drop its row of L, and make L triangular again by rotating the columns."""
    for i in range(k, size - 1):
        for j in range(i + 2):
            L[i, j] = L[i + 1, j]
    for i in range(k, size - 1):
        length = np.hypot(L[i, i], L[i, i + 1])
        cosine, sine = L[i, i] / length, L[i, i + 1] / length
        L[i, i], L[i, i + 1] = length, 0.0
        for below in range(i + 1, size - 1):
            left, right = L[below, i], L[below, i + 1]
            L[below, i] = cosine * left + sine * right
            L[below, i + 1] = cosine * right - sine * left


@jit_sums
def solve(L, size, x):
    """Replace x by (L·Lᵀ)⁻¹ x."""
    for i in range(size):
        rest = x[i]
        for j in range(i):
            rest -= L[i, j] * x[j]
        x[i] = rest / L[i, i]
    for i in range(size - 1, -1, -1):
        x[i] /= L[i, i]
        for j in range(i):
            x[j] -= L[i, j] * x[i]


@jit
def affine_weights(L, size, groups, n_groups, points, weights):
    """Write the weights λ of the point of least norm in the affine hull to `weights`.

    λ sums to 1 in each of one or two groups: λ = Σ c_g·(LLᵀ)⁻¹e_g, where e_g marks the members of group g,
    and c is chosen so that the sums are 1. The weights are NaN if there is no such c.

    A Gram matrix determines ‖Σ λp‖ only to the square root of the rounding error. So λ is refined once from
    `points` (which is empty for sparse points): at the least norm, all points of a group have the same
    product with z = Σ λp, and (LLᵀ)⁻¹ applied to the differences of these products is the error of λ.
    """
    solved = np.zeros((n_groups, size))
    sums = np.zeros((2, 2))
    for g in range(n_groups):
        for i in range(size):
            solved[g, i] = 1.0 if groups[i] == g else 0.0
        solve(L, size, solved[g])
        for i in range(size):
            sums[g, groups[i]] += solved[g, i]
    for i in range(weights.size):
        weights[i] = 0.0
    _add_with_sums(solved, sums, n_groups, 1.0, 1.0, weights)
    if points.shape[0] == 0:
        return
    z, off = np.empty(points.shape[1]), np.empty(size)
    combine(points, weights, z)
    products(points, z, off)
    means, counts = np.zeros(2), np.zeros(2)
    for i in range(size):
        means[groups[i]] += off[i]
        counts[groups[i]] += 1.0
    for i in range(size):
        off[i] -= means[groups[i]] / counts[groups[i]]
    solve(L, size, off)
    surplus = np.zeros(2)
    for i in range(size):
        surplus[groups[i]] += off[i]
        weights[i] -= off[i]
    _add_with_sums(solved, sums, n_groups, surplus[0], surplus[1], weights)


@jit
def _add_with_sums(solved, sums, n_groups, first, second, weights):
    """Add Σ c_g·solved_g to `weights`, with c such that the group sums grow by `first` and `second`."""
    if n_groups == 1:
        c, d = first / sums[0, 0], 0.0
    else:
        determinant = sums[0, 0] * sums[1, 1] - sums[0, 1] * sums[1, 0]
        c = (first * sums[1, 1] - second * sums[1, 0]) / determinant
        d = (second * sums[0, 0] - first * sums[0, 1]) / determinant
    for i in range(weights.size):
        weights[i] += c * solved[0, i]
        if n_groups == 2:
            weights[i] += d * solved[1, i]
