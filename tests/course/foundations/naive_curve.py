"""The polynomial of least squares as the lecture notes have it, in exact rationals."""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq, fmpq_mat


def rational(number) -> fmpq:
    return fmpq(*float(number).as_integer_ratio())


def powers(row, degree: int) -> list[fmpq]:
    """1, then x, …, x^degree of each column."""
    return [fmpq(1)] + [rational(x) ** k for x in row for k in range(1, degree + 1)]


def minimiser(X, y, degree: int, l2: float = 0.0, weight=None) -> list[Fraction]:
    """(ΦᵀSΦ + λI) w = ΦᵀSy; λ = 0 needs as many independent rows as terms."""
    weight = [1.0] * len(y) if weight is None else weight
    rows = [powers(row, degree) for row in X]
    n = len(rows[0])
    system = fmpq_mat(n, n)
    targets = fmpq_mat(n, 1)
    for row, target, s in zip(rows, y, weight, strict=True):
        for i in range(n):
            targets[i, 0] += rational(s) * row[i] * rational(target)
            for j in range(n):
                system[i, j] += rational(s) * row[i] * row[j]
    for i in range(n):
        system[i, i] += rational(l2)
    w = system.solve(targets)
    return [Fraction(int(w[i, 0].p), int(w[i, 0].q)) for i in range(n)]


def shortest(X, y, degree: int) -> list[Fraction]:
    """The shortest w with Φw = y, for independent rows: w = Φᵀ(ΦΦᵀ)⁻¹y."""
    phi = fmpq_mat([powers(row, degree) for row in X])
    w = phi.transpose() * (phi * phi.transpose()).solve(fmpq_mat([[rational(target)] for target in y]))
    return [Fraction(int(w[i, 0].p), int(w[i, 0].q)) for i in range(w.nrows())]


def value(w: list[Fraction], row, degree: int) -> Fraction:
    terms = [Fraction(1)] + [Fraction(float(x)) ** k for x in row for k in range(1, degree + 1)]
    return sum((a * b for a, b in zip(w, terms, strict=True)), Fraction(0))
