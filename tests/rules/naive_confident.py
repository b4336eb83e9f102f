"""The second-order rules as their papers have them: a full matrix, whole vectors, no speed.

Each takes the rule, m = y w·x̃, v = x̃ᵀΣx̃ and the weight c of the example, and returns (what Σx̃ is multiplied
by in the step, β of the tightening), or None where there is nothing to learn.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np


def arow(rule, m, v, c):
    return ((1 - m) / (v + rule.r / c), 1 / (v + rule.r / c)) if m < 1 else None


def narow(rule, m, v, c):
    r = v / (rule.b * v - 1) if v > 1 / rule.b else np.inf
    answer = m if r == np.inf else r * m / (v + r)
    return (c * (1 - v / (v + r / c)) - m / (v + r / c), 1 / (v + r / c)) if answer < 1 else None


def normalherd(rule, m, v, c):
    C = rule.C * c
    return ((1 - m) / (v + 1 / C), (C * C * v + 2 * C) / (1 + C * v) ** 2) if m < 1 else None


def confidenceweighted(rule, m, v, c, most=np.inf):
    phi = NormalDist().inv_cdf(rule.eta)
    if m >= min(1, c) * phi * np.sqrt(v):
        return None
    phi = c * phi
    root = np.sqrt(m**2 * phi**4 / 4 + v * phi**2 * (1 + phi**2))
    return with_beta(min(most, (-m * (1 + phi**2 / 2) + root) / (v * (1 + phi**2))), v, phi)


def scw1(rule, m, v, c):
    return confidenceweighted(rule, m, v, 1, c * rule.C)


def scw2(rule, m, v, c):
    phi = NormalDist().inv_cdf(rule.eta)
    if m >= phi * np.sqrt(v):
        return None
    n = v + 1 / (2 * c * rule.C)
    gamma = phi * np.sqrt(phi**2 * m**2 * v**2 + 4 * n * v * (n + v * phi**2))
    return with_beta((gamma - (2 * m * n + phi**2 * m * v)) / (2 * (n**2 + n * v * phi**2)), v, phi)


def with_beta(alpha, v, phi):
    u = (-alpha * v * phi + np.sqrt(alpha**2 * v**2 * phi**2 + 4 * v)) ** 2 / 4
    return alpha, alpha * phi / (np.sqrt(u) + v * alpha * phi)


def by_sigma(rule, X, y, weights):
    """w after each look, of a rule that has Σ."""
    w, S, found = np.zeros(X.shape[1]), np.eye(X.shape[1]), []
    act = globals()[type(rule).__name__.lower()]
    for x, label, c in zip(X, y, weights, strict=True):
        made = act(rule, label * (w @ x), x @ S @ x, c) if x.any() else None
        if made is not None:
            alpha, beta = made
            along = S @ x
            w, S = w + alpha * label * along, S - beta * np.outer(along, along)
            S = S if rule.covariance == "full" else np.diag(np.diag(S))
        found.append(w)
    return np.array(found)


def secondorder(rule, X, y, weights):
    w, theta, found = np.zeros(X.shape[1]), np.zeros(X.shape[1]), []
    A = rule.a * np.eye(X.shape[1])
    for x, label, c in zip(X, y, weights, strict=True):
        if label * (w @ x) <= 0:
            A = A + c * (np.outer(x, x) if rule.covariance == "full" else np.diag(x * x))
            theta = theta + c * label * x
            w = np.linalg.solve(A, theta)
        found.append(w)
    return np.array(found)


def adagrad(rule, X, y, weights):
    w, G, found = np.zeros(X.shape[1]), np.zeros(X.shape[1]), []
    for x, label, c in zip(X, y, weights, strict=True):
        if label * (w @ x) <= 0:
            G = G + (c * x) ** 2
            w = w + rule.rate * c * label * x / (rule.delta + np.sqrt(G))
        found.append(w)
    return np.array(found)


def vectors(rule, X, y, epochs=1, offset=True, weights=None):
    """w after each look. weights: of the examples."""
    weights = np.ones(len(X)) if weights is None else weights
    rows = np.tile(np.column_stack([X, np.full(len(X), float(offset))]), (epochs, 1))
    learn = {"SecondOrder": secondorder, "Adagrad": adagrad}.get(type(rule).__name__, by_sigma)
    return learn(rule, rows, np.tile(y, epochs), np.tile(weights, epochs))
