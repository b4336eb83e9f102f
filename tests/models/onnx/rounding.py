"""How far the scores of a graph may be from those of the package, by the rounding of their sums alone.

Written from the formulas, with plain numpy: a sum of n products is off by at most n roundings of the sum of
their sizes, in whatever order it is made, and there are two of them to be off.
"""

from __future__ import annotations

import numpy as np

from rosenblatt import Perceptron, PolynomialThreshold
from rosenblatt.training.dual.dual_decisions import random_step

U = 2.0**-53


def off_by(model, X):
    """Return a bound for each row (first axis) and column (second axis)."""
    X = np.asarray(X, np.float64)
    if isinstance(model, Perceptron):
        return _linear(model._state, X) if hasattr(model, "_state") else None
    assert isinstance(model, PolynomialThreshold)
    return _dual(model, X, model.n_monomials_)


def in_doubt(values, off):
    """Where the label may differ: for each row, or for each entry of a vector."""
    if values.ndim == 1:
        return (np.abs(values) <= off) & (off > 0.0)
    best = values.argmax(axis=1)[:, None]
    reach = off + np.take_along_axis(off, best, 1)
    near = (np.take_along_axis(values, best, 1) - values <= reach) & (reach > 0.0)
    np.put_along_axis(near, best, False, 1)
    return near.any(axis=1)


def _linear(state, X):
    weights = np.abs(np.atleast_2d(state.returned_weights()))
    return 2 * (X.shape[1] + 4) * U * (np.abs(X) @ weights[:, :-1].T + weights[:, -1])


def _dual(model, X, n_monomials):
    state, keep = model._state.deciding(model.keep)
    if not len(state.support):
        return np.zeros((len(X), state.n_columns))
    support = _as_array(state.support.rows())
    size, error = _kernel(model.kernel_, X, support)
    size = size + state.offset
    columns = []
    for record in state.records:
        terms = record.terms(keep, state.looks, random_step(model._seed, state.looks))
        mass = np.bincount(terms.member, np.abs(terms.weight) / terms.looks, len(support))
        count = len(terms.member) + len(support) + n_monomials + 16
        columns.append((error + 2 * count * U * size) @ mass)
    return np.column_stack(columns)


def _kernel(kernel, X, Z):
    """Bounds on the size of (γ·x·z + coef0)^degree and on its error."""
    size = (kernel.gamma * (np.abs(X) @ np.abs(Z).T) + kernel.coef0) ** kernel.degree
    return size, 2 * kernel.degree * (X.shape[1] + 8) * U * size


def _as_array(rows):
    if hasattr(rows, "indices"):
        dense = np.zeros((len(rows.starts) - 1, rows.n_features))
        for i in range(len(dense)):
            part = slice(int(rows.starts[i]), int(rows.starts[i + 1]))
            np.add.at(dense[i], rows.indices[part], rows.values[part])
        return dense
    return rows.values.astype(np.float64)
