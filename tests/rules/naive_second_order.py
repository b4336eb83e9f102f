"""Second-order rules as their papers have them: whole vectors and matrices, no speed.

A rule here takes w, x̃, y, its parameter and what it remembers (None at first), and returns the new
w and memory.
"""

from __future__ import annotations

import math

import numpy as np


def diagonal_arow(w, x, y, r, memory):
    if memory is None:
        memory = np.ones(len(x))
    agreement = y * (w @ x)
    if agreement >= 1.0:
        return w, memory
    beta = 1.0 / (x @ (memory * x) + r)
    return w + (1.0 - agreement) * beta * y * memory * x, memory - beta * (memory * x) ** 2


def second_order(w, x, y, a, memory):
    if memory is None:
        memory = a * np.eye(len(x)), np.zeros(len(x))
    if y * (w @ x) > 0.0:
        return w, memory
    correlation, total = memory[0] + np.outer(x, x), memory[1] + y * x
    return np.linalg.solve(correlation, total), (correlation, total)


def adaptive(w, x, y, a, memory):
    if memory is None:
        memory = np.full(len(x), a)
    if y * (w @ x) > 0.0:
        return w, memory
    return w + x * (y - w * x) / (memory + x * x), memory + x * x


def cautious(w, x, y, phi, memory):
    if memory is None:
        memory = np.ones(len(x))
    square = x @ (memory * x)
    if y * (w @ x) > phi * math.sqrt(square):
        return w, memory
    return w + y * x, memory - (memory * x) ** 2 / (square + 1.0)


def vectors(rule, parameter, X, y, epochs=1, offset=True):
    """w after each look."""
    rows = np.column_stack([X, np.full(len(X), float(offset))])
    w, memory, found = np.zeros(rows.shape[1]), None, []
    for _ in range(epochs):
        for x, label in zip(rows, y, strict=True):
            w, memory = rule(w, x, label, parameter, memory)
            found.append(w)
    return np.array(found)
