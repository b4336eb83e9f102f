"""Every kernel once more, as its docstring has it: lists of floats, one rounding for each operation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

Vector = Sequence[float]


def rows(X: Any) -> list[list[float]]:
    """The rows of any matrix as lists of floats."""
    X = X.toarray() if hasattr(X, "toarray") else X
    return [[float(value) for value in row] for row in X]


def linear(x: Vector, z: Vector) -> float:
    total = 0.0
    for a, b in zip(x, z, strict=True):
        total += a * b
    return total


def polynomial(x: Vector, z: Vector, degree: int = 3, gamma: float = 1.0, coef0: float = 1.0) -> float:
    base = gamma * linear(x, z) + coef0
    value = base
    for _ in range(1, degree):
        value *= base
    return value


def gaussian(x: Vector, z: Vector, gamma: float = 1.0) -> float:
    total = 0.0
    for a, b in zip(x, z, strict=True):
        total += (a - b) * (a - b)
    return math.exp(-gamma * total)


def laplacian(x: Vector, z: Vector, gamma: float = 1.0) -> float:
    total = 0.0
    for a, b in zip(x, z, strict=True):
        total += abs(a - b)
    return math.exp(-gamma * total)


def gram(formula: Callable[[Vector, Vector], float], X: Any, Z: Any = None) -> list[list[float]]:
    """K of all rows of X with all rows of Z."""
    left = rows(X)
    right = left if Z is None else rows(Z)
    return [[formula(x, z) for z in right] for x in left]
