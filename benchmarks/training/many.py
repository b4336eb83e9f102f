"""Many classes and many labels, against scikit-learn; and prediction against the matrix product in it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
from sklearn.linear_model import Perceptron as PeerPerceptron
from sklearn.linear_model import SGDClassifier

from benchmarks.data import mnist
from benchmarks.timing import Figure, seconds, show
from rosenblatt import Perceptron
from rosenblatt.data.sources import read_table

SOME = 5  # labels that the peer learns, of a thousand
SAME = {"loss": "perceptron", "penalty": None, "learning_rate": "constant", "eta0": 1.0}


def peer_averaged(n_jobs: int | None = None) -> SGDClassifier:
    return SGDClassifier(**SAME, average=True, max_iter=10, tol=None, random_state=0, n_jobs=n_jobs)


def ours(keep: str) -> Perceptron:
    return Perceptron(keep=keep, epochs=10, random_state=0, n_jobs=2)


def ten_digits(folder: Path) -> Figure:
    (X, y), (X_test, y_test) = mnist(folder, "train"), mnist(folder, "t10k")
    X, X_test = X / np.float32(255), X_test / np.float32(255)
    mine, theirs = ours("averaged"), peer_averaged()
    here, peer, peer_threads = seconds(
        lambda: mine.fit(X, y), lambda: theirs.fit(X, y), lambda: peer_averaged(2).fit(X, y), repeats=3
    )
    errors = [1 - model.score(X_test, y_test) for model in (mine, theirs)]
    return Figure(
        "many/mnist",
        "MNIST, ten classes, 10 passes, averaged",
        here,
        peer,
        "s",
        30.0,
        f"{peer_threads / here:.0f}× with n_jobs=2 there too",
        "scikit-learn",
        errors=(100 * errors[0], 100 * errors[1]),
    )


def sector(folder: Path) -> list[Figure]:
    (X, y, _), (X_test, y_test, _) = (
        read_table(folder / name, n_features=55_197) for name in ("sector.scale.bz2", "sector.t.scale.bz2")
    )
    for rows in (X, X_test):  # the only type that the peer accepts
        rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    figures = []
    for keep, peer in (
        ("last", PeerPerceptron(max_iter=10, tol=None, random_state=0)),
        ("averaged", peer_averaged()),
    ):
        mine = ours(keep)
        here, there = seconds(lambda mine=mine: mine.fit(X, y), lambda peer=peer: peer.fit(X, y), repeats=5)
        errors = [1 - model.score(X_test, y_test) for model in (mine, peer)]
        figures.append(
            Figure(
                f"many/sector-{keep}",
                f"sector, 105 classes, 10 passes, {keep}",
                here,
                there,
                "s",
                10.0,
                against="scikit-learn",
                errors=(100 * errors[0], 100 * errors[1]),
            )
        )
    return figures


def a_thousand_labels(n: int = 200_000, d: int = 256, labels: int = 1000) -> list[Figure]:
    generator = np.random.default_rng(0)
    X = generator.standard_normal((n, d), dtype=np.float32)
    teacher = generator.standard_normal((d, labels), dtype=np.float32)
    Y = np.empty((n, labels), np.bool_)
    for first in range(0, n, 10_000):
        part = slice(first, first + 10_000)
        noise = generator.standard_normal((10_000, labels), dtype=np.float32)
        Y[part] = X[part] @ teacher + 4 * noise > 0
    model = Perceptron(epochs=1, random_state=0, n_jobs=2)

    def some_of_them() -> None:
        for c in range(SOME):
            PeerPerceptron(max_iter=1, tol=None, random_state=0).fit(X, Y[:, c])

    here, some = seconds(lambda: model.fit(X, Y), some_of_them, repeats=3)
    there = some * labels / SOME
    fit = Figure(
        "many/thousand-labels",
        f"{n:,} × {d} float32, {labels:,} labels, one pass",
        here,
        there,
        "s",
        50.0,
        f"{model.mistakes_ / n / labels:.1%} mistakes; the peer: {SOME} labels, times {labels // SOME}",
        "scikit-learn",
    )
    return [fit, prediction(X[:20_000], d, labels)]


def prediction(X: np.ndarray, d: int, classes: int) -> Figure:
    """The class of each row, of a thousand: the matrix product, and the search for the largest."""
    generator = np.random.default_rng(1)
    model = Perceptron(init=generator.standard_normal((classes, d)), epochs=1, order="given")
    model.fit(X[:classes], np.arange(classes))
    weights = np.ascontiguousarray(model.coef_, dtype=np.float32)
    here, product = seconds(lambda: model.predict(X), lambda: X @ weights.T, repeats=15)
    began = time.perf_counter()
    (X @ weights.T).argmax(axis=1)
    whole = time.perf_counter() - began
    return Figure(
        "many/predict",
        f"predict {len(X):,} × {d} float32, {classes:,} classes",
        here,
        product,
        "s",
        1 / 1.3,
        f"numpy's product and argmax: {whole * 1000:.0f} ms",
        beside="the matrix product alone",
    )


def main() -> None:
    figures = []
    if "ROSENBLATT_DATA" in os.environ:
        data = Path(os.environ["ROSENBLATT_DATA"])
        figures += [ten_digits(data / "mnist"), *sector(data / "sector")]
    else:
        print("without ROSENBLATT_DATA: no MNIST, no sector\n")
    figures += a_thousand_labels()
    show("Many classes and labels, 2 threads, against scikit-learn", figures)


if __name__ == "__main__":
    main()
