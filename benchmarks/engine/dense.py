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


def one_pass(order: str = "given"):
    return Perceptron(order=order, epochs=1, random_state=0)


def peer_pass(shuffle: bool = False):
    return Peer(max_iter=1, tol=None, shuffle=shuffle, random_state=0)


def main() -> None:
    figures = []
    for n, d in ((2_000_000, 128), (300_000, 784)):
        X, y = data(n, d, noise=0.0, margin=0.5)
        flat = X.ravel()
        ours, peer, read = seconds(
            lambda X=X, y=y: one_pass().fit(X, y),
            lambda X=X, y=y: peer_pass().fit(X, y),
            lambda flat=flat: read_all(flat),
        )
        size = X.nbytes / 1e9
        made = one_pass().fit(X, y)
        note = f"{made.mistakes_:,} mistakes, {made.exact_decisions_:,} decided exactly"
        job = f"{n:,}×{d} float32, separable"
        figures += [
            Figure(
                job,
                f"{size / ours:.1f} GB/s",
                f"{size / peer:.1f} GB/s",
                peer / ours,
                8.0,
                note,
                "scikit-learn",
            ),
            Figure(
                f"{job}: of bandwidth",
                f"{size / ours:.1f} GB/s",
                f"{size / read:.1f} GB/s",
                read / ours,
                0.8,
            ),
        ]
    X, y = data(8_000_000, 28, noise=0.1)
    ours, peer = seconds(lambda: one_pass().fit(X, y), lambda: peer_pass().fit(X, y))
    made = one_pass().fit(X, y)
    figures.append(
        Figure("8,000,000×28 float32, 10 % noise", f"{ours:.3f} s", f"{peer:.3f} s", peer / ours, 5.0,
               f"{made.mistakes_:,} mistakes", "scikit-learn")
    )  # fmt: skip
    ours, peer = seconds(
        lambda: one_pass("shuffled").fit(X, y), lambda: peer_pass(True).fit(X, y), repeats=3
    )
    figures.append(
        Figure(
            "8,000,000×28 float32, 10 % noise, shuffled",
            f"{ours:.3f} s",
            f"{peer:.3f} s",
            peer / ours,
            1.0,
            "not asked for",
            "scikit-learn",
        )
    )
    show("Dense rows, one pass, against scikit-learn's Perceptron", figures)


if __name__ == "__main__":
    main()
