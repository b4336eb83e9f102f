"""The polynomial of least squares, in ball arithmetic: numbers that carry a proven bound on their error.

Minimise Σ s·(y − w·φ(x))² + λ‖w‖², with φ(x) = 1, x, …, x^degree for each column. The minimiser solves

    (ΦᵀSΦ + λI) w = ΦᵀSy,

the normal equations, which nobody should solve in doubles: at degree 20 their condition number is beyond
10¹⁶. With 256 bits it does not matter; where the balls of the solution come out too wide, the bits are
doubled. Once each coefficient is known to more digits than a double has, it is rounded once. Exact
rationals would do as well, but grow to thousands of digits: 70 ms, not 5, for 200 points and degree 20.

Where λ = 0 and many w are as good, the shortest is taken: the limit of the minimisers as λ → 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.twofold import Twofold
from rosenblatt.course.foundations.chebyshev import ChebyshevSum, Interval, powers_in_chebyshev
from rosenblatt.course.foundations.least_squares_rows import ReducedRows, WholeRows, merged
from rosenblatt.errors import BadInput

Doubles = NDArray[np.float64]


class Attempt(NamedTuple):
    """Bits of the balls; flint's way to solve; −log₂ of the λ, relative to the system, that stands for 0.

    Elimination ("lu") is up to four times as fast, but its balls grow by 1/λ for each dimension that only
    λ settles; from an approximate inverse ("precond") they grow once.
    """

    bits: int
    algorithm: str = "precond"
    vanishing: int = 0


LADDER = (Attempt(256, "lu"), *(Attempt(bits) for bits in (256, 512, 1024, 2048, 4096)))
VANISHING = tuple(Attempt(2 * vanishing + 512, vanishing=vanishing) for vanishing in (512, 2048, 8192))
PRIME = (1 << 61) - 1

# flint has one precision for the whole process
_PRECISION = Lock()


class Balls(NamedTuple):
    """w, and c, the same polynomial in Chebyshev's basis, as balls."""

    w: list[Any]
    c: list[Any]


class Minimiser(NamedTuple):
    """w, rounded once, and the same polynomial in a form that can be evaluated without loss."""

    w: Doubles
    curve: ChebyshevSum


class Problem:
    """Rows in parts, all whole or all reduced; the minimiser over all parts, or without one, for any λ.

    >>> x = np.array([[0.0], [1.0], [2.0]])
    >>> parts = [WholeRows(x, np.array([1.0, 2.0, 5.0]), np.ones(3))]
    >>> Problem(parts, [Interval(1.0, 1.0)], degree=2).minimiser(l2=0.0).w
    array([1., 0., 1.])
    """

    def __init__(
        self, parts: Sequence[WholeRows] | Sequence[ReducedRows], intervals: Sequence[Interval], degree: int
    ) -> None:
        self.parts: list[WholeRows | ReducedRows] = list(parts)
        self.intervals = tuple(intervals)
        self.degree = degree
        self.n_terms = 1 + degree * len(intervals)
        self._n_given = len(parts)
        self._in_chebyshev = [powers_in_chebyshev(interval, degree) for interval in intervals]
        self._largest = max(float(np.abs(part.y).max(initial=0.0)) for part in parts)
        self._chosen: dict[int | None, list[int]] = {}
        self._made: dict[tuple[int, int], tuple[Any, Any]] = {}
        self._written: dict[tuple[int, int], list[list[Any]]] = {}

    def minimiser(self, l2: float, without: int | None = None) -> Minimiser:
        """Return the w that minimises Σ s·(y − w·φ(x))² + l2·‖w‖² over all parts but one."""
        if without not in self._chosen:
            self._chosen[without] = self._choose(without)
        with _PRECISION:
            found = self._solved(self._chosen[without], l2)
        if found is None:
            raise BadInput(
                f"X: no polynomial of degree {self.degree} could be found with {VANISHING[-1].bits} bits; "
                "the numbers are too near each other or too far from 1: scale the columns"
            )
        return found

    def _choose(self, without: int | None) -> list[int]:
        """Return the parts to learn from.

        Reduced ones are merged, since each knows its rank only up to rounding.
        """
        chosen = [number for number in range(self._n_given) if number != without]
        few = [part for number in chosen if isinstance(part := self.parts[number], ReducedRows)]
        if len(few) < 2:
            return chosen
        self.parts.append(merged(few))
        return [len(self.parts) - 1]

    def _solved(self, chosen: Sequence[int], l2: float) -> Minimiser | None:
        before = None
        unique = l2 > 0.0 or self._independent(chosen)
        for attempt in LADDER if unique else VANISHING:
            with _bits(attempt.bits):
                found = self._balls(chosen, attempt, l2)
                other = found if unique else before
                if found is not None and other is not None and self._settled(found, other):
                    return self._rounded(found)
            before = found
        return None

    def _independent(self, chosen: Sequence[int]) -> bool:
        """Return whether λ = 0 has one solution: whether the terms, or the rows if fewer, are independent.

        The rank is counted modulo a prime. A positive result is certain; a negative one is almost
        certain, and the limit λ → 0 is right in any case. Reduced rows are independent.
        """
        from flint import nmod_mat

        X = [row for k in chosen if isinstance(part := self.parts[k], WholeRows) for row in part.X.tolist()]
        if not X:
            return True
        rows = [[1, *(power for x in row for power in _powers_modulo(x, self.degree))] for row in X]
        rank = nmod_mat(len(rows), self.n_terms, [entry for row in rows for entry in row], PRIME).rank()
        return bool(rank == min(len(rows), self.n_terms))

    def _balls(self, chosen: Sequence[int], attempt: Attempt, l2: float) -> Balls | None:
        """Return the solution as balls; None if these bits do not suffice."""
        by_rows = sum(len(self.parts[number].y) for number in chosen) < self.n_terms
        try:
            w = (self._by_rows if by_rows else self._by_terms)(chosen, attempt, l2)
        except ZeroDivisionError:
            return None
        return Balls(w, self._to_chebyshev(w))

    def _by_terms(self, chosen: Sequence[int], attempt: Attempt, l2: float) -> list[Any]:
        """Solve (ΦᵀSΦ + λI) w = ΦᵀSy, with as many unknowns as terms."""
        from flint import arb_mat

        system, targets = arb_mat(self.n_terms, self.n_terms), arb_mat(self.n_terms, 1)
        for number in chosen:
            of_rows, of_targets = self._moments(number, attempt.bits)
            system, targets = system + of_rows, targets + of_targets
        ridge = _ridge(system, attempt, l2)
        for k in range(self.n_terms):
            system[k, k] += ridge
        w = system.solve(targets, algorithm=attempt.algorithm)
        return [w[k, 0] for k in range(self.n_terms)]

    def _by_rows(self, chosen: Sequence[int], attempt: Attempt, l2: float) -> list[Any]:
        """Solve (ΦΦᵀ + λS⁻¹) a = y for w = Φᵀa: the same w, with as many unknowns as rows."""
        from flint import arb, arb_mat

        rows = [row for number in chosen for row in self._rows(number, attempt.bits)]
        y = [arb(target) for number in chosen for target in self.parts[number].y.tolist()]
        weight = [arb(weight) for number in chosen for weight in self.parts[number].weight.tolist()]
        phi = arb_mat(len(rows), self.n_terms, [entry for row in rows for entry in row])
        system = phi * phi.transpose()
        ridge = _ridge(system, attempt, l2)
        for i in range(len(rows)):
            system[i, i] += ridge / weight[i]
        w = phi.transpose() * system.solve(arb_mat(len(y), 1, y), algorithm=attempt.algorithm)
        return [w[k, 0] for k in range(self.n_terms)]

    def _moments(self, number: int, bits: int) -> tuple[Any, Any]:
        """Return ΦᵀSΦ and ΦᵀSy of one part."""
        from flint import arb, arb_mat

        if (number, bits) not in self._made:
            part, rows = self.parts[number], self._rows(number, bits)
            weight = [arb(weight) for weight in part.weight.tolist()]
            phi = arb_mat(len(rows), self.n_terms, [entry for row in rows for entry in row])
            heavy = phi
            if (part.weight != 1.0).any():
                entries = [entry * s for row, s in zip(rows, weight, strict=True) for entry in row]
                heavy = arb_mat(len(rows), self.n_terms, entries)
            heavy = heavy.transpose()
            self._made[number, bits] = heavy * phi, heavy * arb_mat(len(rows), 1, part.y.tolist())
        return self._made[number, bits]

    def _rows(self, number: int, bits: int) -> list[list[Any]]:
        """Return Φ of one part."""
        if (number, bits) not in self._written:
            part = self.parts[number]
            written = self._whole(part) if isinstance(part, WholeRows) else self._from_chebyshev(part)
            self._written[number, bits] = list(written)
        return self._written[number, bits]

    def _whole(self, part: WholeRows) -> Iterator[list[Any]]:
        """Yield 1, x, …, x^degree, and so on for each column."""
        from flint import arb

        for row in part.X.tolist():
            terms = [arb(1)]
            for number in row:
                x, power = arb(number), arb(1)
                for _ in range(self.degree):
                    power = power * x
                    terms.append(power)
            yield terms

    def _from_chebyshev(self, part: ReducedRows) -> Iterator[list[Any]]:
        """Yield rows of Chebyshev's basis as rows of powers: r·K, since c = K·w."""
        from flint import arb, arb_mat

        n, degree = len(part.rows), self.degree
        blocks = []
        for j, in_chebyshev in enumerate(self._in_chebyshev):
            of_column = np.column_stack(
                [part.rows[:, :1], part.rows[:, 1 + j * degree : 1 + (j + 1) * degree]]
            )
            blocks.append(
                arb_mat(n, degree + 1, of_column.ravel().tolist())
                * arb_mat(degree + 1, degree + 1, [arb(entry) for line in in_chebyshev for entry in line])
            )
        for i in range(n):
            yield [arb(float(part.rows[i, 0]))] + [
                block[i, k] for block in blocks for k in range(1, degree + 1)
            ]

    def _to_chebyshev(self, w: Sequence[Any]) -> list[Any]:
        c = list(w)
        for j, in_chebyshev in enumerate(self._in_chebyshev):
            first = 1 + j * self.degree
            of_column = w[first : first + self.degree]
            for k, line in enumerate(in_chebyshev):
                total = sum(
                    (power * entry for power, entry in zip(of_column, line[1:], strict=True)), 0 * w[0]
                )
                if k == 0:
                    c[0] = c[0] + total
                else:
                    c[first + k - 1] = total
        return c

    def _settled(self, attempt: Balls, other: Balls) -> bool:
        """Return whether two solutions agree.

        Each w must agree to 60 bits, or be negligible beside the others, and each c to 110 bits of the
        largest. A solution agrees with itself if its balls are narrow.
        """
        from flint import arb

        size = max(abs(entry).mid() for entry in attempt.c)
        enough = max(size * arb(2) ** -110, arb(self._largest) * arb(2) ** -200)
        if any(_apart(*pair) > enough for pair in zip(attempt.c, other.c, strict=True)):
            return False
        nothing = max(size, arb(self._largest)) * arb(2) ** -150
        return all(
            _apart(mine, its) <= abs(mine).lower() * arb(2) ** -60
            or max(abs(mine).upper(), abs(its).upper()) * reach <= nothing
            for mine, its, reach in zip(attempt.w, other.w, self._reaches(), strict=True)
        )

    def _reaches(self) -> Iterator[Any]:
        """Yield the largest |x|ᵏ of each term."""
        from flint import arb

        yield arb(1)
        for centre, half in self.intervals:
            largest = arb(abs(centre)) + arb(half)
            for k in range(self.degree):
                yield largest ** (k + 1)

    def _rounded(self, solution: Balls) -> Minimiser:
        from flint import arb

        size = max(abs(entry).mid() for entry in solution.c)
        mantissa, power = size.man_exp()
        exponent = int(power) + int(mantissa).bit_length()
        scaled = [entry.mid() * arb(2) ** -exponent for entry in solution.c]
        high = [float(entry) for entry in scaled]
        low = [float(entry - arb(part)) for entry, part in zip(scaled, high, strict=True)]
        curve = ChebyshevSum(self.intervals, Twofold(np.array(high), np.array(low)), exponent)
        w = [0.0 if entry.contains(0) else float(entry.mid()) for entry in solution.w]
        return Minimiser(np.array(w), curve)


def _powers_modulo(x: float, degree: int) -> Iterator[int]:
    """Yield x, …, x^degree modulo the prime; a double is a fraction, and 2 is invertible."""
    numerator, denominator = x.as_integer_ratio()
    residue = numerator * pow(denominator, -1, PRIME) % PRIME
    power = 1
    for _ in range(degree):
        power = power * residue % PRIME
        yield power


def _ridge(system: Any, attempt: Attempt, l2: float) -> Any:
    """Return λ, or the small value that stands for λ → 0."""
    from flint import arb

    if not attempt.vanishing:
        return arb(l2)
    trace = sum((system[k, k] for k in range(system.nrows())), arb(0))
    return trace.mid() * arb(2) ** -attempt.vanishing


def _apart(a: Any, b: Any) -> Any:
    """Return the largest possible difference of two balls."""
    return abs(a - b).upper()


def _bits(bits: int) -> Any:
    from flint import ctx

    return ctx.workprec(bits)
