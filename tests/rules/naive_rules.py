"""Every rule once more, as its docstring has it: plain lists and floats, no speed, no tricks.

A rule here is a function of one example that returns the new w, or None if it does not update:

    rule(w, x, y, agreement, mistake, k)

w = (w₁, …, w_d, b) and x = (x₁, …, x_d, 1) (or 0 in the last place, without an offset). agreement is
y·w·x as a fraction, so nothing has been rounded yet; k counts the updates made so far.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from tests.training.dual.naive_dual import is_mistake

Vector = list[float]


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    return math.fsum(aj * bj for aj, bj in zip(a, b, strict=True))


def exact_dot(a: Sequence[float], b: Sequence[float]) -> Fraction:
    return sum((Fraction(aj) * Fraction(bj) for aj, bj in zip(a, b, strict=True)), Fraction(0))


def plus(w: Vector, coefficient: float, x: Vector) -> Vector:
    return [wj + coefficient * xj for wj, xj in zip(w, x, strict=True)]


def times(scale: float, w: Vector) -> Vector:
    return [scale * wj for wj in w]


def within(agreement: float | Fraction, tau: float, mistake: bool) -> bool:
    """Return whether agreement ≤ tau; with tau = 0, whether it is a mistake, which depends on `tie`."""
    return agreement <= tau if tau > 0.0 else mistake


# ---------------------------------------------------------------- the rules


def rosenblatt(w, x, y, agreement, mistake, k, rate=1.0):
    """w ← w + rate·y·x on a mistake."""
    return plus(w, rate * y, x) if mistake else None


def margin(w, x, y, agreement, mistake, k, tau=1.0, rate=1.0):
    """w ← w + rate·y·x when agreement ≤ tau."""
    return plus(w, rate * y, x) if within(agreement, tau, mistake) else None


def uneven_margin(w, x, y, agreement, mistake, k, tau_positive=1.0, tau_negative=0.0, rate=1.0):
    """w ← w + rate·y·x when agreement ≤ the tau of the label."""
    tau = tau_positive if y > 0 else tau_negative
    return plus(w, rate * y, x) if within(agreement, tau, mistake) else None


def passive_aggressive(w, x, y, agreement, mistake, k):
    """w ← w + loss/‖x‖²·y·x."""
    loss, x2 = max(0.0, 1.0 - float(agreement)), dot(x, x)
    return plus(w, loss / x2 * y, x) if loss and x2 else None


def passive_aggressive_1(w, x, y, agreement, mistake, k, C=1.0):
    """w ← w + min(C, loss/‖x‖²)·y·x."""
    loss, x2 = max(0.0, 1.0 - float(agreement)), dot(x, x)
    return plus(w, min(C, loss / x2) * y, x) if loss and x2 else None


def passive_aggressive_2(w, x, y, agreement, mistake, k, C=1.0):
    """w ← w + loss/(‖x‖² + 1/(2C))·y·x."""
    loss, x2 = max(0.0, 1.0 - float(agreement)), dot(x, x)
    return plus(w, loss / (x2 + 1.0 / (2.0 * C)) * y, x) if loss and x2 else None


def alma(w, x, y, agreement, mistake, k, alpha=0.9):
    """w ← w + √(2/k)·y·x̂, then w ← w/max(1, ‖w‖), when y w·x̂ ≤ (1 − alpha)·(√8/alpha)/√k; k from 1."""
    k, length = k + 1, math.sqrt(dot(x, x))
    tau = (1.0 - alpha) * (math.sqrt(8.0) / alpha) / math.sqrt(k)
    if length == 0.0 or not within(float(agreement) / length, tau, mistake):
        return None
    w = plus(w, math.sqrt(2.0 / k) * y / length, x)
    return times(1.0 / max(1.0, math.sqrt(dot(w, w))), w)


def romma(w, x, y, agreement, mistake, k):
    """On a mistake, the shortest v with y v·x ≥ 1 and v·w ≥ ‖w‖²."""
    return relaxed(w, x, y, agreement) if mistake and any(x) else None


def aggressive_romma(w, x, y, agreement, mistake, k):
    """The same whenever agreement < 1."""
    return relaxed(w, x, y, agreement) if float(agreement) < 1.0 and any(x) else None


def relaxed(w, x, y, agreement):
    s, w2, x2 = y * agreement, exact_dot(w, w), exact_dot(x, x)
    p = w2 * x2
    if p >= y * s and p > s * s:
        shrink, coefficient = (p - y * s) / (p - s * s), w2 * (y - s) / (p - s * s)
        return plus(times(float(shrink), w), float(coefficient), x)
    return times(y / float(x2), x)


def forgetting(w, x, y, agreement, mistake, k, fade=2.0):
    """On mistake k: w ← (1 − λ)·w + λ·y·x with λ = fade/(fade + k)."""
    faded = fade / (fade + k)
    return plus(times(1.0 - faded, w), faded * y, x) if mistake else None


# ---------------------------------------------------------------- the walk


class Look(NamedTuple):
    """One step of a run; `w` is the vector after it, the same list if it did not change."""

    row: int
    agreement: float
    mistake: bool
    updated: bool
    w: Vector


def lifted(X, offset: bool) -> list[Vector]:
    """(x, 1) for each row, or (x, 0) without an offset."""
    X = X.toarray() if hasattr(X, "toarray") else X
    return [[*map(float, x), 1.0 if offset else 0.0] for x in X]


def looks(
    rule: Callable[..., Vector | None], X, y, epochs=1, offset=True, tie="mistake", init=None, order=None
) -> Iterator[Look]:
    """Train on the rows in the given order or in another one, pass by pass."""
    rows, labels = lifted(X, offset), [int(label) for label in y]
    w, k = [0.0] * len(rows[0]) if init is None else init, 0
    for i in list(range(len(rows)) if order is None else order) * epochs:
        score = exact_dot(w, rows[i])
        mistake = is_mistake(score, labels[i], tie)
        new = rule(w, rows[i], labels[i], labels[i] * score, mistake, k)
        w, k = (w, k) if new is None else (new, k + 1)
        yield Look(i, float(labels[i] * score), mistake, new is not None, w)
