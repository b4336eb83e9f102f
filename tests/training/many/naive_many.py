"""Many classes and labels as the textbook has them. Scores are exact; weights are rounded to doubles."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np


def table(y: Any) -> Any:
    """A column for each class: 1 where a row is of it."""
    return (np.asarray(y)[:, None] == np.unique(y)).astype(np.int64)


def exact_rows(X: Any, offset: bool) -> list[list[Fraction]]:
    """The rows in exact numbers, with the 1 that b is the weight of."""
    return [[*(Fraction(float(value)) for value in row), Fraction(int(offset))] for row in np.asarray(X)]


def dot(w: list[Fraction], x: list[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(w, x, strict=True)), Fraction(0))


def winner(weights: Any, intercepts: Any, x: Any) -> int:
    """The class of the largest score, the first of equals."""
    row = [*map(Fraction, map(float, x)), Fraction(1)]
    scores = [
        dot([*map(Fraction, map(float, w)), Fraction(float(b))], row)
        for w, b in zip(weights, intercepts, strict=True)
    ]
    return scores.index(max(scores))


class Run(NamedTuple):
    """All W that a run went through (one after each look), and of each mistake the class that missed the
    row and the one that took it."""

    vectors: list[list[list[Fraction]]]
    mistakes: list[int]
    takers: list[int]
    updates: int


def ultraconservative(
    X: Any, y: Any, looks: Iterable[int], sharing: str, tau: float = 0.0, C: float | None = None,
    offset: bool = True, weight: Any = None,
) -> Run:  # fmt: skip
    """Crammer & Singer's family. tau: the margin; C: the limit of passive-aggressive steps (None: 1)."""
    rows, k = exact_rows(X, offset), int(max(y)) + 1
    W = [[Fraction(0)] * len(rows[0]) for _ in range(k)]
    vectors, mistakes, takers, updates = [], [], [], 0
    for i in looks:
        x, own = rows[i], int(y[i])
        score = [dot(w, x) for w in W]
        first = max((r for r in range(k) if r != own), key=lambda r: score[r])
        if score[first] >= score[own]:
            mistakes.append(own)
            takers.append(first)
        E = [r for r in range(k) if r != own and score[own] - score[r] <= Fraction(tau)]
        share = shares(sharing, E, score, own)
        Psi2 = (1 + sum(s * s for s in share.values())) * dot(x, x)
        loss = Fraction(tau) - sum(s * (score[own] - score[r]) for r, s in share.items())
        step = (
            Fraction(1)
            if C is None
            else min(Fraction(C), round_to_double(loss / Psi2))
            if Psi2
            else Fraction(0)
        )
        if E and step:
            step *= Fraction(1) if weight is None else Fraction(float(weight[i]))
            for r, part in {own: Fraction(-1), **share}.items():
                W[r] = [round_to_double(a - step * part * b) for a, b in zip(W[r], x, strict=True)]
            updates += 1
        vectors.append([list(w) for w in W])
    return Run(vectors, mistakes, takers, updates)


def shares(sharing: str, E: list[int], score: list[Fraction], own: int) -> dict[int, Fraction]:
    """What each rival in the error set pays; the sum is 1."""
    if not E:
        return {}
    if sharing == "worst":
        return {max(E, key=lambda r: (score[r], -r)): Fraction(1)}
    ahead = {r: max(Fraction(0), score[r] - score[own]) for r in E}
    total = sum(ahead.values())
    if sharing == "uniform" or total == 0:
        return dict.fromkeys(E, round_to_double(Fraction(1, len(E))))
    return {r: round_to_double(part / total) for r, part in ahead.items()}


def round_to_double(quotient: Fraction) -> Fraction:
    """As a double has it: exact quotients of quotients would have millions of digits."""
    return Fraction(float(quotient))


def mean(vectors: list[list[list[Fraction]]]) -> list[list[Fraction]]:
    """The mean W of a run."""
    n = len(vectors)
    columns = len(vectors[0])
    return [
        [sum((W[r][j] for W in vectors), Fraction(0)) / n for j in range(len(vectors[0][0]))]
        for r in range(columns)
    ]
