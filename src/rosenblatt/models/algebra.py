"""Polynomials as lists of terms that print as algebra."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput, counted
from rosenblatt.kernels.monomials import format_powers

MOST_TERMS = 40  # terms that are printed


class Term(NamedTuple):
    """A term coefficient·Π feature^power; `powers` maps feature names to powers (empty: a constant)."""

    coefficient: float
    powers: dict[str, int]

    @property
    def degree(self) -> int:
        """Sum of the powers."""
        return sum(self.powers.values())

    @property
    def monomial(self) -> str:
        """Monomial as text, such as x²·y; an empty string for the constant term."""
        return format_powers(self.powers)


class Algebra:
    """A polynomial p(x) = Σ coefficient·monomial that prints as algebra, terms of highest degree first.

    >>> p = Algebra([(), (0, 0), (0, 1)], np.array([2.0, 0.5, -1.0]), ["x1", "x2"])
    >>> print(p)
    0.5·x1² − x1·x2 + 2
    >>> p([[2.0, 1.0]])
    array([2.])
    >>> p.terms[0]
    Term(coefficient=0.5, powers={'x1': 2})
    """

    def __init__(
        self, powers: Sequence[tuple[int, ...]], coefficients: NDArray[np.float64], names: Sequence[str]
    ) -> None:
        order = sorted(
            (j for j in range(len(powers)) if coefficients[j] != 0.0),
            key=lambda j: (-len(powers[j]), powers[j]),
        )
        self._powers = [powers[j] for j in order]
        self.terms = [
            Term(float(coefficients[j]), {names[k]: powers[j].count(k) for k in sorted(set(powers[j]))})
            for j in order
        ]

    @property
    def degree(self) -> int:
        """Largest degree of a term."""
        return max((term.degree for term in self.terms), default=0)

    def __len__(self) -> int:
        return len(self.terms)

    def __call__(self, X: Any) -> NDArray[np.float64]:
        """Return the value of the polynomial for each row."""
        rows = np.asarray(X.toarray() if hasattr(X, "toarray") else X, np.float64)
        needed = 1 + max((max(power) for power in self._powers if power), default=-1)
        if rows.ndim != 2 or rows.shape[1] < needed:
            raise BadInput(f"X: expected rows of at least {needed} features, got shape {rows.shape}")
        values = np.zeros(len(rows))
        for term, power in zip(self.terms, self._powers, strict=True):
            values += term.coefficient * np.prod(rows[:, list(power)], axis=1)
        return values

    def __str__(self) -> str:
        if not self.terms:
            return "0"
        shown = self.terms
        if len(shown) > MOST_TERMS:  # print the largest terms, in their original order
            largest = sorted(range(len(shown)), key=lambda k: -abs(shown[k].coefficient))[:MOST_TERMS]
            shown = [self.terms[k] for k in sorted(largest)]
        text = "".join(_with_sign(term) for term in shown)
        text = text.removeprefix(" + ")
        text = "−" + text.removeprefix(" − ") if text.startswith(" − ") else text
        left = len(self.terms) - len(shown)
        return text + (f" + … ({counted(left, 'more term')})" if left else "")

    def __repr__(self) -> str:
        return f"<Algebra: {self}>"


def _with_sign(term: Term) -> str:
    """Return the term with its sign in front."""
    sign = " − " if term.coefficient < 0 else " + "
    size = f"{abs(term.coefficient):.6g}"
    if not term.powers:
        return sign + size
    return sign + (term.monomial if size == "1" else f"{size}·{term.monomial}")
