"""Every budget once more, as its paper has it: lists of terms, whole Gram matrices, no speed.

w = Σ coefficient·φ(row) over a list of terms. A budget here is a function of the terms and of the one that
an update would add; it returns the terms after the update:

    budget(w, new, K, memory, size, ...)

K is the Gram matrix of all rows (with 1 added to it where there is an offset) and memory a dict that lasts
for the whole run of one column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from tests.training.dual.naive_dual import is_mistake, rosenblatt


class Term(NamedTuple):
    """A row in the support, the step at which it was added, and its coefficient."""

    row: int
    came: int
    coefficient: float


Terms = list[Term]


class Look(NamedTuple):
    """What one look did; `w` are the terms after it."""

    mistake: bool
    updated: bool
    w: Terms
    y: int


def score(w: Terms, i: int, K) -> float:
    return sum(term.coefficient * K[term.row, i] for term in w)


def times(phi: float, w: Terms) -> Terms:
    return [term._replace(coefficient=phi * term.coefficient) for term in w]


def largest_square(K, i: int, memory: dict[str, Any]) -> float:
    memory["largest"] = max(memory.get("largest", 0.0), K[i, i])
    return memory["largest"]


# ---------------------------------------------------------------- the budgets


def keep_all(w, new, K, memory, size):
    return [*w, new]


def oldest(w, new, K, memory, size):
    """When there are more than `size` terms, the first leaves."""
    return [*w, new][-size:]


def random_budget(w, new, K, memory, size):
    """When there are `size` terms, the new one takes the place of one drawn at random."""
    if len(w) < size:
        return [*w, new]
    memory["random"], k = draw_number(memory["random"], size)
    return [*w[:k], new, *w[k + 1 :]]


def draw_number(state: int, n: int) -> tuple[int, int]:
    """splitmix64: the next state, and a number from 0 to n − 1."""
    whole = (1 << 64) - 1
    state = (state + 0x9E3779B97F4A7C15) & whole
    z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & whole
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & whole
    return state, ((z ^ (z >> 31)) >> 11) % n


def forgetron(w, new, K, memory, size):
    """Steps (1) w' = w + y·φ(x), (2) w'' = φ·w', (3) the oldest leaves; φ is the largest for which
    Q + Ψ(σφ, μφ) ≤ 15/32·M, where Ψ(λ, μ) = λ² + 2λ − 2λμ."""
    memory["M"] = memory.get("M", 0) + 1
    largest = largest_square(K, new.row, memory)
    w = [*w, new]
    if len(w) <= size:
        return w
    first = w[0]
    sigma = abs(first.coefficient)
    mu = np.sign(first.coefficient) * score(w, first.row, K) / largest
    Q = memory.get("Q", 0.0)
    room = 15 / 32 * memory["M"] - Q

    def psi(phi: float) -> float:
        return (phi * sigma) ** 2 + 2 * phi * sigma - 2 * (phi * sigma) * (phi * mu)

    roots = np.roots([sigma**2 - 2 * sigma * mu, 2 * sigma, -room])
    inside = [float(root.real) for root in roots if abs(root.imag) < 1e-12 and 0 < root.real < 1]
    phi = 1.0 if psi(1.0) <= room else max(inside)
    memory["Q"] = Q + psi(phi)
    memory.setdefault("phi", []).append(phi)
    return times(phi, w)[1:]


class Projection(NamedTuple):
    """Pφ(x) = Σ d·φ(support row), its square length and that of δ = φ(x) − Pφ(x)."""

    d: Any
    length2: float
    rest2: float


def projection(w: Terms, i: int, K) -> Projection:
    rows = [term.row for term in w]
    if not rows:
        return Projection([], 0.0, K[i, i])
    d = np.linalg.solve(K[np.ix_(rows, rows)], K[rows, i])
    return Projection(d, d @ K[rows, i], K[i, i] - d @ K[rows, i])


def add_direction(w: Terms, change: float, d) -> Terms:
    """w + change·Pφ(x)."""
    return [
        term._replace(coefficient=term.coefficient + change * part) for term, part in zip(w, d, strict=True)
    ]


def projectron(w, new, K, memory, size, eta=0.1):
    """w gains y·Pφ(x) if ‖δ‖ ≤ eta·√K(x, x) or the budget is used up, else y·φ(x). An eta below 0.01 is
    taken for 0.01."""
    found = projection(w, new.row, K)
    is_near = found.rest2 <= max(eta, 0.01) ** 2 * K[new.row, new.row]
    return add_direction(w, new.coefficient, found.d) if len(w) == size or is_near else [*w, new]


def inside_the_margin(w, i, agreement, K, eta):
    """τ of Projectron++ for a row that is right by less than 1."""
    found, loss = projection(w, i, K), 1.0 - agreement
    if loss <= 0 or found.length2 <= 1e-4 * K[i, i]:
        return 0.0, found
    rest = np.sqrt(max(0.0, found.rest2))
    tau = min(loss / found.length2, 2 * (loss - rest / eta) / found.length2, 1.0)
    return max(0.0, tau), found


# ---------------------------------------------------------------- the walk


def walk(
    budget: Callable[..., Terms], K, y, order: Iterable[int], size: int, weight=None, rule=rosenblatt,
    tie="mistake", memory: dict[str, Any] | None = None, margin_eta: float | None = None,
) -> Iterator[Look]:  # fmt: skip
    """Look at the rows in this order, and learn on the budget; margin_eta: as Projectron++ does."""
    memory = {} if memory is None else memory
    w: Terms = []
    for look, i in enumerate(order):
        s, factor = score(w, i, K), 1.0 if weight is None else weight[i]
        mistake, updated = is_mistake(s, y[i], tie), True
        if coefficient := rule(y[i], y[i] * s, mistake, K[i, i]):
            w = budget(w, Term(i, look, coefficient * factor * y[i]), K, memory, size)
        elif margin_eta is not None:
            tau, found = inside_the_margin(w, i, y[i] * s, K, margin_eta)
            w, updated = add_direction(w, tau * factor * y[i], found.d), tau > 0
        else:
            updated = False
        yield Look(mistake, updated, w, y[i])


# ---------------------------------------------------------------- what is kept


def coefficients(w: Terms, n: int):
    """The coefficient of each of n rows."""
    total = np.zeros(n)
    for term in w:
        total[term.row] += term.coefficient
    return total


def mean(looks: list[Look], n: int):
    """Return the mean of w over all steps, as the coefficients of n rows."""
    return np.mean([coefficients(look.w, n) for look in looks], axis=0)


def mean_since(looks: list[Look], n: int):
    """For each term of the last w, the mean of its coefficient over the steps since it was added."""
    total = np.zeros(n)
    for term in looks[-1].w:
        history = [[t.coefficient for t in look.w if t.came == term.came] for look in looks[term.came :]]
        total[term.row] += np.mean(history)
    return total
