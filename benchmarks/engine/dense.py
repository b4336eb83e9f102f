"""Dense rows, one pass in the given order, against scikit-learn and the memory's read bandwidth."""

from __future__ import annotations

import numpy as np
from numba import njit
from sklearn.linear_model import Perceptron as Peer

from benchmarks.timing import Figure, seconds, show
from rosenblatt import Perceptron


@njit(nogil=True, fastmath=True)
def read_all(values):
    """Nothing but reading: what the memory can give to one core."""
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
    """The decisions of one pass and nothing else: dot product, norm, comparison, update."""
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


def separable(n: int, d: int, wanted: float, reading: float) -> list[Figure]:
    """One pass over rows with a margin, against scikit-learn, reading alone and a bare loop. reading: what
    is wanted of the speed of reading; 0: 15 GB/s are wanted."""
    X, y = data(n, d, noise=0.0, margin=0.5)
    flat, labels = X.ravel(), y.astype(np.int8)
    ours, peer, read, bare = seconds(
        lambda: passes(1).fit(X, y),
        lambda: peer_passes(1).fit(X, y),
        lambda: read_all(flat),
        lambda: bare_loop(X, labels),
    )
    size, made = X.nbytes / 1e9, passes(1).fit(X, y)
    job = f"{n:,}×{d} float32, separable"
    of_reading = Figure(
        f"{job}: of bandwidth", f"{size / ours:.1f} GB/s", f"{size / read:.1f} GB/s", read / ours, reading,
        f"a bare loop: {size / bare:.1f} GB/s",
    )  # fmt: skip
    if not reading:
        of_reading.peer, of_reading.ratio, of_reading.wanted = "15 GB/s", size / ours / 15.0, 1.0
        of_reading.note += f", reading: {size / read:.1f} GB/s"
    return [
        Figure(
            job, f"{size / ours:.1f} GB/s", f"{size / peer:.1f} GB/s", peer / ours, wanted,
            f"{made.mistakes_:,} mistakes, {made.exact_decisions_:,} decided exactly", "scikit-learn",
        ),
        of_reading,
    ]  # fmt: skip


def noisy() -> list[Figure]:
    """One pass over narrow rows, a quarter of them mistakes."""
    X, y = data(8_000_000, 28, noise=0.1)
    labels, job = y.astype(np.int8), "8,000,000×28 float32, 10 % noise"
    ours, peer, bare = seconds(
        lambda: passes(1).fit(X, y), lambda: peer_passes(1).fit(X, y), lambda: bare_loop(X, labels)
    )
    made = passes(1).fit(X, y)
    inside = made.history_[0].seconds
    figures = [
        Figure(job, f"{ours:.3f} s", f"{peer:.3f} s", peer / ours, 6.0, f"{made.mistakes_:,} mistakes",
               "scikit-learn"),
        Figure(f"{job}: of a bare loop", f"{inside:.3f} s", f"{bare:.3f} s", bare / inside, 68 / 75,
               f"{bare_loop(X, labels):,} mistakes there; ours: the loop without fit around it"),
    ]  # fmt: skip
    ours, peer = seconds(
        lambda: passes(1, "shuffled").fit(X, y), lambda: peer_passes(1, True).fit(X, y), repeats=3
    )
    figures.append(
        Figure(f"{job}, shuffled", f"{ours:.3f} s", f"{peer:.3f} s", peer / ours, 1.0, "not asked for",
               "scikit-learn")
    )  # fmt: skip
    return figures


def main() -> None:
    figures = [
        *separable(2_000_000, 128, 8.0, 0.8),
        *separable(300_000, 784, 8.0, 0.8),
        *separable(1_000_000, 150, 6.5, 0.0),
        *separable(3_000_000, 50, 6.5, 0.0),
        *noisy(),
    ]
    show("Dense rows, one pass, against scikit-learn's Perceptron", figures)


if __name__ == "__main__":
    main()
