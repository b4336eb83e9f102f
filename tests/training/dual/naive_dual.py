"""The kernel perceptron once more: plain Python, one pair of rows at a time, every sum in its order.

`gram[i][j]` is K(xᵢ, xⱼ). A column is one class against the rest, with labels −1 and +1. Its vector is the
sum of its updates, each a row and a delta, and its score on a row the sum of delta·(K + offset) in their
order.

A rule is a function of one look that returns the coefficient of the update, 0 where there is none:

    rule(y, agreement, mistake, square)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

ANSWER_TO_ZERO = {"mistake": 0, "negative": -1, "positive": 1}


class Update(NamedTuple):
    """w ← w + delta·φ(x of this row), at this look."""

    row: int
    delta: float
    look: int


class Column(NamedTuple):
    """One class against the rest: its updates in order, and the steps that were mistakes."""

    updates: list[Update]
    mistakes: list[int]
    false_positives: int


# ---------------------------------------------------------------- the rules


def within(agreement: float, tau: float, mistake: bool) -> bool:
    """Return whether agreement ≤ tau; with tau = 0, whether it is a mistake, which depends on `tie`."""
    return mistake or (tau > 0.0 and agreement <= tau)


def rosenblatt(y, agreement, mistake, square, rate=1.0):
    return rate if mistake else 0.0


def margin(y, agreement, mistake, square, tau=1.0, rate=1.0):
    return rate if within(agreement, tau, mistake) else 0.0


def uneven_margin(y, agreement, mistake, square, tau_positive=1.0, tau_negative=0.0, rate=1.0):
    return rate if within(agreement, tau_positive if y > 0 else tau_negative, mistake) else 0.0


def passive_aggressive(y, agreement, mistake, square):
    return max(0.0, 1.0 - agreement) / square if square > 0.0 else 0.0


def passive_aggressive_1(y, agreement, mistake, square, C=1.0):
    return min(C, max(0.0, 1.0 - agreement) / square) if square > 0.0 else 0.0


def passive_aggressive_2(y, agreement, mistake, square, C=1.0):
    return max(0.0, 1.0 - agreement) / (square + 1.0 / (2.0 * C)) if square > 0.0 else 0.0


# ---------------------------------------------------------------- the walk


def score(terms: Sequence[Any], values: Sequence[float], offset: float) -> float:
    """Σ delta·(K + offset), where values[row] is K of a row with the visited one."""
    total = 0.0
    for row, delta, *_ in terms:
        total += delta * (values[row] + offset)
    return total


def is_mistake(s: float, y: int, tie: str) -> bool:
    return (s > 0.0) != (y > 0) if s != 0.0 else y != ANSWER_TO_ZERO[tie]


def columns_of(classes: Sequence[Any]) -> list[list[int]]:
    """Labels of each column: two classes have one, more have one each."""
    names = sorted(set(classes))
    return [[1 if c == name else -1 for c in classes] for name in (names if len(names) > 2 else names[1:])]


def learn(
    gram: Sequence[Sequence[float]],
    classes: Sequence[Any],
    looks: Sequence[int],
    rule: Callable[..., float] = rosenblatt,
    offset: bool = False,
    tie: str = "mistake",
    weights: Sequence[float] | None = None,
) -> list[Column]:
    """Look at the rows in this order, all passes in one list, and learn as the rule says."""
    learned = []
    for labels in columns_of(classes):
        updates, mistakes, false_positives = [], [], 0
        for look, i in enumerate(looks):
            y, s = labels[i], score(updates, gram[i], float(offset))
            wrong = is_mistake(s, y, tie)
            if wrong:
                mistakes.append(look)
                false_positives += y < 0
            coefficient = rule(y, y * s, wrong, gram[i][i] + offset)
            if coefficient != 0.0:
                coefficient *= 1.0 if weights is None else weights[i]
                updates.append(Update(i, coefficient * y, look))
        learned.append(Column(updates, mistakes, false_positives))
    return learned


# ---------------------------------------------------------------- the keepers


def average(column: Column, values: Sequence[float], looks: int, offset: bool) -> float:
    """The mean of the scores that the vectors after each look have on a row."""
    total, made, s = 0.0, 0, 0.0
    for look in range(looks):
        while made < len(column.updates) and column.updates[made].look == look:
            row, delta, _ = column.updates[made]
            s += delta * (values[row] + offset)
            made += 1
        total += s
    return total / looks


def after(column: Column, look: int) -> list[Update]:
    """The updates made up to a look."""
    return [update for update in column.updates if update.look <= look]


def survival(column: Column, looks: int) -> list[int]:
    """Return the number of steps that each vector lasted, including the step that made it."""
    lasted = [0]
    made = {update.look for update in column.updates}
    for look in range(looks):
        if look in made:
            lasted.append(1)
        else:
            lasted[-1] += 1
    return lasted


def votes(column: Column, values: Sequence[float], looks: int, offset: bool, tie: str) -> float:
    """Σ survival × sign of the score; a score of 0 votes as `tie` says, for no if it says neither."""
    total, s = 0, 0.0
    for k, lasted in enumerate(survival(column, looks)):
        if k > 0:
            row, delta, _ = column.updates[k - 1]
            s += delta * (values[row] + offset)
        total += lasted * ((ANSWER_TO_ZERO[tie] or -1) if s == 0.0 else 1 if s > 0.0 else -1)
    return float(total)
