"""Sparse rows against scikit-learn: by Zipf's law, the frequent features first, and drawn evenly."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numba import njit
from sklearn.linear_model import SGDClassifier

from benchmarks.loops.dense import passes, peer_passes
from benchmarks.timing import Figure, seconds, show


def data(n: int, entries: int, n_features: int, zipf: bool):
    """Return rows of features drawn by Zipf's law or evenly, labelled by a hyperplane."""
    generator = np.random.default_rng(0)
    if zipf:  # the density of rank r is about 1/r: its logarithm is uniform
        columns = (np.exp(generator.random((n, entries)) * np.log(n_features)) - 1).astype(np.int32)
    else:
        columns = generator.integers(0, n_features, (n, entries), dtype=np.int32)
    columns.sort(axis=1)
    values = generator.random(n * entries, dtype=np.float32)
    starts = np.arange(0, n * entries + 1, entries, dtype=np.int32)
    X = sp.csr_matrix((values, columns.ravel(), starts), shape=(n, n_features))
    X.sum_duplicates()
    w = generator.standard_normal(n_features).astype(np.float32)
    return X, np.where(X @ w > 0, 1, -1)


@njit(nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"})
def bare_loop(values, indices, starts, labels, n_features, epochs):
    """Run only the arithmetic of `epochs` passes: sum, bound on its rounding, comparison, update."""
    w = np.zeros(n_features + 1)
    mistakes = 0
    for _ in range(epochs):
        for i in range(labels.size):
            s, magnitude = w[n_features], abs(w[n_features])
            for k in range(starts[i], starts[i + 1]):
                term = w[indices[k]] * np.float64(values[k])
                s += term
                magnitude += abs(term)
            if s * labels[i] <= 0.0 or not abs(s) > 1e-14 * magnitude:
                mistakes += 1
                for k in range(starts[i], starts[i + 1]):
                    w[indices[k]] += labels[i] * np.float64(values[k])
                w[n_features] += labels[i]
    return mistakes


def figure(key: str, job: str, X, y, epochs: int, order: str, aim: float, keep: str = "last") -> Figure:
    model, peer = passes(epochs, order, keep), peer_passes(epochs, order == "shuffled")
    if keep == "averaged":
        peer = SGDClassifier(
            loss="perceptron", penalty=None, learning_rate="constant", eta0=1.0, average=True,
            max_iter=epochs, tol=None, shuffle=order == "shuffled", random_state=0,
        )  # fmt: skip
    parts = (
        X.data,
        X.indices.view(np.uint32),
        X.indptr.view(np.uint32),
        y.astype(np.int8),
        X.shape[1],
        epochs,
    )
    ours, theirs, bare = seconds(
        lambda: model.fit(X, y), lambda: peer.fit(X, y), lambda: bare_loop(*parts),
        repeats=3 if epochs > 1 else 5,
    )  # fmt: skip
    entries = epochs * X.nnz
    averaged = keep == "averaged"
    return Figure(
        f"sparse/{key}-{order}-{epochs}{'-averaged' * averaged}",
        f"{job}, {order} order, {epochs} pass{'es' * (epochs > 1)}{', averaged' * averaged}, entries",
        entries / ours, entries / theirs, "/s", aim,
        f"{model.mistakes_ / epochs / len(y):.0%} mistakes; a bare loop, in order, last weights: "
        f"{entries / bare / 1e6:.0f} M/s",
        "scikit-learn",
    )  # fmt: skip


def main() -> None:
    figures = []
    X, y = data(300_000, 56, 2**20, zipf=True)
    for epochs in (1, 10):
        for order, aim in (("given", 1.8), ("shuffled", 2.5)):
            figures.append(figure("zipf", "300,000 × 56 of 2^20, Zipf", X, y, epochs, order, aim))
    X, y = data(400_000, 75, 2**24, zipf=False)
    for keep, aim in (("last", 1.2), ("averaged", 1.0)):
        figures.append(figure("uniform", "400,000 × 75 of 2^24, uniform", X, y, 1, "given", aim, keep))
    show("Sparse rows, against scikit-learn's Perceptron", figures)


if __name__ == "__main__":
    main()
