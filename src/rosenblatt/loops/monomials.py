"""All monomials of a row: each is one of lower degree times one feature."""

from __future__ import annotations

from rosenblatt.compiling import compiled


@compiled
def monomials(X, parent, feature, out):
    """out[i, j] ← the monomial j of row i; monomial 0 is 1, and j is monomial parent[j] times
    feature[j]."""
    for i in range(X.shape[0]):
        out[i, 0] = 1.0
        for j in range(1, parent.size):
            out[i, j] = out[i, parent[j]] * X[i, feature[j]]
