"""The cost of second-order rules, compared with Rosenblatt's rule and with their arithmetic alone."""

from __future__ import annotations

import time

import numpy as np
from sklearn.linear_model import SGDClassifier

from benchmarks.loops import sparse
from benchmarks.timing import Figure, seconds, show
from rosenblatt import Perceptron, rules
from rosenblatt.numeric.compiling import jit_sums

MOST = 2.5  # times a pass of Rosenblatt's rule


def one_pass(rule: object) -> Perceptron:
    return Perceptron(rule=rule, epochs=1, order="given")


def averaged() -> SGDClassifier:
    """The peer: stochastic gradient descent with a mean, one pass in the given order."""
    return SGDClassifier(average=True, max_iter=1, tol=None, shuffle=False)


def dense(n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of noise, labels by a hyperplane, a twentieth of them wrong: 40 million numbers."""
    generator = np.random.default_rng(0)
    X = generator.standard_normal((40_000_000 // n_features, n_features), dtype=np.float32)
    y = X @ generator.standard_normal(n_features).astype(np.float32) > 0
    return X, np.where(y ^ (generator.random(len(y)) < 0.05), 1, -1)


def passes(key: str, job: str, X: object, y: np.ndarray) -> list[Figure]:
    """Compare a pass of diagonal AROW with a pass of Rosenblatt's rule and of the peer."""
    ours, plain, peer = seconds(
        lambda: one_pass("arow").fit(X, y), lambda: one_pass("rosenblatt").fit(X, y),
        lambda: averaged().fit(X, y), repeats=3,
    )  # fmt: skip
    made, first = one_pass("arow").fit(X, y), one_pass("rosenblatt").fit(X, y)
    note = f"{made.updates_:,} updates, {made.mistakes_:,} mistakes; of Rosenblatt {first.mistakes_:,}"
    key, job = f"second_order/{key}", f"{job}: one pass of AROW"
    return [
        Figure(f"{key}/rosenblatt", job, ours, plain, aim=1 / MOST, note=note, beside="rule rosenblatt"),
        Figure(f"{key}/sgd", job, ours, peer, against="scikit-learn's averaged SGD"),
    ]


@jit_sums
def bare(matrix: np.ndarray, X: np.ndarray, along: np.ndarray) -> None:
    """Run only the arithmetic of a full covariance: Σx, and a symmetric rank-one update of Σ."""
    for i in range(X.shape[0]):
        x, total = X[i], 0.0
        along[:] = 0.0
        for j in range(x.size):
            row = matrix[j]
            for m in range(x.size):
                along[m] += row[m] * x[j]
        for j in range(x.size):
            total += along[j] * x[j]
        root = 1.0 / np.sqrt(total + 1.0)
        for j in range(x.size):
            along[j] *= root
        for j in range(x.size):
            row, share = matrix[j], along[j]
            for m in range(x.size):
                row[m] -= share * along[m]


def full(n_features: int = 500, n_rows: int = 2000) -> Figure:
    """Compare the updates per second of AROW with a full matrix with the bare arithmetic."""
    generator = np.random.default_rng(0)
    X = generator.standard_normal((n_rows, n_features))
    y = np.where(generator.random(n_rows) > 0.5, 1, -1)
    rule = rules.Arow(covariance="full")
    ours, _ = seconds(lambda: one_pass(rule).fit(X, y), lambda: None, repeats=3)
    updates = one_pass(rule).fit(X, y).updates_
    bare(np.eye(n_features), X[:2], np.empty(n_features))
    began = time.perf_counter()
    bare(np.eye(n_features), X, np.empty(n_features))
    alone = n_rows / (time.perf_counter() - began)
    return Figure(
        f"second_order/full-{n_features}", f"updates of AROW with full covariance, {n_features} features",
        updates / ours, alone, "/s", 0.5, f"{updates:,} updates", beside="bare arithmetic",
    )  # fmt: skip


def main() -> None:
    figures = passes("sparse", "sparse 2^20, Zipf, 75 a row", *sparse.data(400_000, 75, 2**20, zipf=True))
    for n_features in (28, 784):
        figures += passes(f"dense-{n_features}", f"dense, {n_features} features", *dense(n_features))
    show("Second order: one pass", [*figures, full()])


if __name__ == "__main__":
    main()
