"""Sparse rows against scikit-learn: by Zipf's law, the frequent features first, and drawn evenly."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import SGDClassifier

from benchmarks.engine.dense import passes, peer_passes
from benchmarks.timing import Figure, seconds, show


def data(n: int, entries: int, n_features: int, zipf: bool):
    """Rows with so many features each, drawn by Zipf's law or evenly; labels by a hyperplane."""
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


def figure(job: str, X, y, epochs: int, order: str, wanted: float, keep: str = "last") -> Figure:
    model, peer = passes(epochs, order, keep), peer_passes(epochs, order == "shuffled")
    if keep == "averaged":
        peer = SGDClassifier(
            loss="perceptron", penalty=None, learning_rate="constant", eta0=1.0, average=True,
            max_iter=epochs, tol=None, shuffle=order == "shuffled", random_state=0,
        )  # fmt: skip
    ours, theirs = seconds(lambda: model.fit(X, y), lambda: peer.fit(X, y), repeats=3 if epochs > 1 else 5)
    looks = epochs * X.nnz
    return Figure(
        f"{job}, {order}, {epochs} pass{'es' * (epochs > 1)}{', averaged' * (keep == 'averaged')}",
        f"{looks / ours / 1e6:.0f} M entries/s",
        f"{looks / theirs / 1e6:.0f} M entries/s",
        theirs / ours,
        wanted,
        f"{model.mistakes_ / epochs / len(y):.0%} mistakes",
        "scikit-learn",
    )


def main() -> None:
    figures = []
    X, y = data(300_000, 56, 2**20, zipf=True)
    for epochs in (1, 10):
        for order, wanted in (("given", 1.8), ("shuffled", 2.5)):
            figures.append(figure("sparse 300,000 × 56 of 2^20, Zipf", X, y, epochs, order, wanted))
    X, y = data(400_000, 75, 2**24, zipf=False)
    for keep, wanted in (("last", 1.2), ("averaged", 1.0)):
        figures.append(figure("sparse 400,000 × 75 of 2^24, uniform", X, y, 1, "given", wanted, keep))
    show("Sparse rows, against scikit-learn's Perceptron", figures)


if __name__ == "__main__":
    main()
