"""Data that the theory speaks of: separable sets with a known margin, noise, and exact ties."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_array


class Separable(NamedTuple):
    """Rows of whole numbers and a separator of whole numbers; all is about the lifted points.

    With u = `separator` and the lifted points x̃: `least` is the smallest y u·x̃, `radius2` the largest
    ‖x̃‖². So the margin of u is least/‖u‖, and integers say whether a bound holds, without rounding.
    """

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    offset: bool
    separator: NDArray[np.float64]
    least: int
    radius2: int

    @property
    def novikoff(self) -> float:
        """(radius/margin)²."""
        return self.radius2 * self.length2 / self.least**2

    @property
    def length2(self) -> int:
        return int(self.separator @ self.separator)

    @property
    def lifted(self) -> NDArray[np.float64]:
        return np.column_stack([self.X, np.full(len(self.X), float(self.offset))])

    def normalised_margin(self, w: NDArray[np.float64]) -> float:
        """The smallest y w·x̃/(‖w‖‖x̃‖)."""
        cosines = self.y * (self.lifted @ w) / np.linalg.norm(self.lifted, axis=1)
        return float(cosines.min() / np.linalg.norm(w))


@st.composite
def separable(draw, most_rows: int = 20, widest: int = 5) -> Separable:
    """Choose w* and b*, draw points, drop those inside a margin, label the others by their side."""
    offset = draw(st.booleans())
    d = draw(st.integers(1, 4))
    w = np.array(draw(st.lists(st.integers(-3, 3), min_size=d, max_size=d).filter(any)))
    b = draw(st.integers(-3, 3)) if offset else 0
    gap = draw(st.integers(1, 4))
    point = st.lists(st.integers(-widest, widest), min_size=d, max_size=d)
    drawn = np.array(draw(st.lists(point, max_size=most_rows)), dtype=int).reshape(-1, d)
    drawn = drawn[np.abs(drawn @ w + b) >= gap]
    X = np.vstack([drawn, 4 * w, -4 * w])  # both sides have a point: |b| < 4‖w‖²
    X = X[draw(st.permutations(range(len(X))))]
    sides = X @ w + b
    lifted2 = (X * X).sum(axis=1) + int(offset)
    return Separable(
        X.astype(np.float64), np.sign(sides), offset, np.append(w, b).astype(np.float64),
        int(np.abs(sides).min()), int(lifted2.max()),
    )  # fmt: skip


def fitting(rule: Any, **size: Any) -> Labelled:
    """Noise where the rule stands it. ROMMA's w grows without end on data that cannot be separated, and
    rounding grows with it, so its labels are all right."""
    return noisy(**size, wrong=0.0 if "Romma" in type(rule).__name__ else 0.2)


class Labelled(NamedTuple):
    """Rows and labels that nothing is known about."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]

    @property
    def width(self) -> int:
        return self.X.shape[1] + 1


@st.composite
def small_integers(draw, most_rows: int = 12, widest: int = 2) -> Labelled:
    """Rows of small whole numbers, zero rows among them, with any labels: many scores are exactly 0."""
    d = draw(st.integers(1, 3))
    row = st.lists(st.integers(-widest, widest), min_size=d, max_size=d)
    X = draw(st.lists(row, min_size=2, max_size=most_rows))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=len(X), max_size=len(X)).filter(both_classes))
    return Labelled(np.array(X, dtype=np.float64), np.array(y))


def both_classes(y) -> bool:
    return len(set(y)) == 2


def noisy(n: int = 40, d: int = 5, seed: int = 0, density: float = 1.0, wrong: float = 0.2) -> Labelled:
    """Real numbers, rows of unlike length, some labels wrong; no score is near a threshold."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, d)) * generator.uniform(0.3, 2.0, size=(n, 1))
    X[generator.random((n, d)) >= density] = 0.0
    y = np.where(X @ generator.normal(size=d) + 0.3 > 0, 1, -1)
    y[generator.random(n) < wrong] *= -1
    assert both_classes(y.tolist())
    return Labelled(X, y)


def laid_out(X: NDArray[np.float64], layout: str, index: type = np.int32):
    """X as a matrix of that layout: float64 or float32, all numbers or only those that are not 0."""
    values = np.asarray(X, dtype=np.float64 if layout.endswith("64") else np.float32)
    if layout.startswith("dense"):
        return values
    csr = csr_array(values)
    csr.indices, csr.indptr = csr.indices.astype(index), csr.indptr.astype(index)
    return csr


def shrunk_by_forgetting(fade: float, mistakes: int) -> float:
    """log₁₀ of Π (1 − λₖ) for k from 1: how small the first mistakes have become."""
    return -sum(math.log10((fade + k) / k) for k in range(1, mistakes))
