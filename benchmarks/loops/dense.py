"""Dense rows, one pass in the given order, against scikit-learn and the memory's read bandwidth."""

from __future__ import annotations

import numpy as np
from numba import njit
from sklearn.linear_model import Perceptron as Peer

from benchmarks.timing import Figure, seconds, show
from rosenblatt import Perceptron


@njit(nogil=True, fastmath=True)
def read_all(values):
    """Read all numbers, to measure the memory bandwidth of one core."""
    total = np.float32(0)
    for i in range(values.size):
        total += values[i]
    return total


def data(n: int, d: int, noise: float, margin: float = 0.0):
    """Gaussian rows labelled by a hyperplane, shifted away from it by the margin."""
    generator = np.random.default_rng(0)
    X = generator.standard_normal((n, d), dtype=np.float32)
    w = generator.standard_normal(d).astype(np.float32)
    w /= np.linalg.norm(w)
    y = np.where(X @ w > 0, 1, -1)
    if margin:
        for start in range(0, n, 100_000):
            rows = slice(start, start + 100_000)
            X[rows] += (margin * y[rows]).astype(np.float32)[:, None] * w
    if noise:
        y[generator.random(n) < noise] *= -1
    return X, y


@njit(nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"})
def bare_loop(values, labels):
    """Run only the arithmetic of one pass: dot product, norm, comparison, update."""
    n, d = values.shape
    w = np.zeros(d + 1)
    w2, mistakes = 0.0, 0
    for i in range(n):
        s, x2 = w[d], 1.0
        for j in range(d):
            x = np.float64(values[i, j])
            s += w[j] * x
            x2 += x * x
        if s * labels[i] <= 0.0 or not s * s > 1e-28 * w2 * x2:
            mistakes += 1
            w2 = 0.0
            for j in range(d):
                w[j] += labels[i] * np.float64(values[i, j])
            w[d] += labels[i]
            for j in range(d + 1):
                w2 += w[j] * w[j]
    return mistakes


def passes(epochs: int, order: str = "given", keep: str = "last"):
    return Perceptron(order=order, epochs=epochs, keep=keep, random_state=0)


def peer_passes(epochs: int, shuffle: bool = False):
    return Peer(max_iter=epochs, tol=None, shuffle=shuffle, random_state=0)


def separable(n: int, d: int, aim: float, reading: float) -> list[Figure]:
    """Compare one pass over separable rows with scikit-learn and with reading alone."""
    X, y = data(n, d, noise=0.0, margin=0.5)
    flat, labels = X.ravel(), y.astype(np.int8)
    ours, peer, read, bare = seconds(
        lambda: passes(1).fit(X, y),
        lambda: peer_passes(1).fit(X, y),
        lambda: read_all(flat),
        lambda: bare_loop(X, labels),
    )
    size, made = X.nbytes / 1e9, passes(1).fit(X, y)
    key, job = f"dense/{n}x{d}", f"{n:,} × {d} float32, separable, one pass"
    note = f"{made.mistakes_:,} mistakes, {made.exact_decisions_:,} decided exactly"
    return [
        Figure(key, job, size / ours, size / peer, "GB/s", aim, note, "scikit-learn"),
        Figure(
            f"{key}/reading", "the same", size / ours, size / read, "GB/s", reading, beside="reading alone"
        ),
        Figure(f"{key}/bare", "the same", size / ours, size / bare, "GB/s", reading, beside="bare loop"),
    ]


def noisy() -> list[Figure]:
    """Compare one pass over narrow rows, a quarter of them mistakes."""
    X, y = data(8_000_000, 28, noise=0.1)
    labels = y.astype(np.int8)
    key, job = "dense/8000000x28-noise", "8,000,000 × 28 float32, 10 % noise, one pass"
    ours, peer, bare = seconds(
        lambda: passes(1).fit(X, y), lambda: peer_passes(1).fit(X, y), lambda: bare_loop(X, labels)
    )
    made = passes(1).fit(X, y)
    inside = made.history_[0].seconds
    figures = [
        Figure(key, job, ours, peer, aim=6.0, note=f"{made.mistakes_:,} mistakes", against="scikit-learn"),
        Figure(f"{key}/bare", "the same, the loop alone", inside, bare, aim=68 / 75, beside="bare loop"),
    ]
    ours, peer = seconds(
        lambda: passes(1, "shuffled").fit(X, y), lambda: peer_passes(1, True).fit(X, y), repeats=3
    )
    figures.append(Figure(f"{key}-shuffled", f"{job}, shuffled", ours, peer, against="scikit-learn"))
    return figures


def main() -> None:
    figures = [
        *separable(2_000_000, 128, 8.0, 0.8),
        *separable(300_000, 784, 8.0, 0.8),
        *separable(1_000_000, 150, 6.5, 0.8),
        *separable(3_000_000, 50, 6.5, 0.5),
        *noisy(),
    ]
    show("Dense rows, one pass, against scikit-learn's Perceptron", figures)


if __name__ == "__main__":
    main()
