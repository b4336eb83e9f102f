"""How far the scores of a graph may be from those of the package, by the rounding of their sums alone.

Written from the formulas, with plain numpy: a sum of n products is off by at most n roundings of the sum of
their sizes, in whatever order it is made, and there are two of them to be off.
"""

from __future__ import annotations

import numpy as np

from rosenblatt import KernelPerceptron, Perceptron, PolynomialThreshold, kernels
from rosenblatt.learning.one_column import OneColumn
from rosenblatt.models.kernel_runs import drawn_look

U = 2.0**-53


def off_by(model, X):
    """A bound for each row (first axis) and column (second axis). Of a committee: twice the votes of the
    members whose own score is in doubt."""
    X = np.asarray(X, np.float64)
    if isinstance(model, Perceptron):
        return _linear(model._state, X) if hasattr(model, "_state") else None
    if isinstance(model, PolynomialThreshold):
        return _dual(model._learner_.set_params(keep=model.keep, tie=model.tie), X, model.n_monomials_)
    assert isinstance(model, KernelPerceptron)
    return _dual(model, X, 0)


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
    if getattr(state, "is_committee", False):
        states = [state] if isinstance(state, OneColumn) else state.states
        return np.column_stack([_linear_votes(own, X) for own in states])
    weights = np.abs(np.atleast_2d(state.kept()))
    return 2 * (X.shape[1] + 4) * U * (np.abs(X) @ weights[:, :-1].T + weights[:, -1])


def _linear_votes(state, X):
    """Members are sums; the sizes of their terms bound the size of each product."""
    lifted = np.column_stack([np.abs(X), np.full(len(X), state.offset)])
    size, vector = lifted @ np.abs(state.start), state.start.copy()
    doubtful = _doubtful(X, vector, state.offset, size, X.shape[1] + 8)
    unsure = state.keeper.survival[0] * doubtful
    support = _as_array(state.committee()) if state.support else None
    for k in range(1, int(state.keeper.members[0])):
        row = np.append(support[state.keeper.row[k]], state.offset)
        factor, delta = state.keeper.factor[k], state.keeper.delta[k]
        vector = factor * vector + delta * row
        size = abs(factor) * size + abs(delta) * (lifted @ np.abs(row))
        unsure = unsure + state.keeper.survival[k] * _doubtful(
            X, vector, state.offset, size, X.shape[1] + k + 8
        )
    return 2.0 * unsure


def _doubtful(X, vector, offset, size, terms):
    return np.abs(X @ vector[:-1] + offset * vector[-1]) <= 4 * terms * U * size


def _dual(model, X, n_monomials):
    state, keep = model._state.deciding(model.keep)
    if not len(state.support):
        return np.zeros((len(X), state.n_columns))
    support = _as_array(state.support.rows())
    values, size, error = _kernel(model.kernel_, X, support)
    size = size + state.offset
    if keep == "voted":
        looks = state.looks
        return np.column_stack(
            [_dual_votes(own, values + state.offset, size, error, looks) for own in state.records]
        )
    columns = []
    for record in state.records:
        terms = record.terms(keep, state.looks, drawn_look(model._seed, state.looks))
        mass = np.bincount(terms.member, np.abs(terms.weight) / terms.looks, len(support))
        count = len(terms.member) + len(support) + n_monomials + 16
        columns.append((error + 2 * count * U * size) @ mass)
    return np.column_stack(columns)


def _dual_votes(record, values, size, error, looks):
    scores = np.cumsum(record.delta * values[:, record.member], axis=1)
    count = np.arange(len(record.member)) + 16
    mass = np.abs(record.delta) * (error[:, record.member] + 2 * count * U * size[:, record.member])
    doubtful = np.abs(scores) <= 2 * np.cumsum(mass, axis=1)
    return 2.0 * (doubtful @ record.survival(looks)[1:])


def _kernel(kernel, X, Z):
    """K, a bound on its size and on its error."""
    d = X.shape[1]
    if isinstance(kernel, kernels.Linear | kernels.Polynomial):
        degree = getattr(kernel, "degree", 1)
        gamma, coef0 = getattr(kernel, "gamma", 1.0), getattr(kernel, "coef0", 0.0)
        size = (gamma * (np.abs(X) @ np.abs(Z).T) + coef0) ** degree
        return (gamma * (X @ Z.T) + coef0) ** degree, size, 2 * degree * (d + 8) * U * size
    if isinstance(kernel, kernels.Gaussian):
        values = np.exp(-kernel.gamma * ((X[:, None] - Z[None]) ** 2).sum(axis=2))
        reach = (np.linalg.norm(X, axis=1)[:, None] + np.linalg.norm(Z, axis=1)) ** 2
        return values, values, 2 * (d + 8) * U * (kernel.gamma * reach + 2.0) * values
    distances = np.abs(X[:, None] - Z[None]).sum(axis=2)
    values = np.exp(-kernel.gamma * distances)
    return values, values, 2 * (d + 8) * U * (kernel.gamma * distances + 2.0) * values


def _as_array(rows):
    if hasattr(rows, "indices"):
        dense = np.zeros((len(rows.starts) - 1, rows.n_features))
        for i in range(len(dense)):
            part = slice(int(rows.starts[i]), int(rows.starts[i + 1]))
            np.add.at(dense[i], rows.indices[part], rows.values[part])
        return dense
    return rows.values.astype(np.float64)
