"""Kernel perceptrons on real data: the plain loop's mistakes, and errors that others report."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from rosenblatt import KernelPerceptron, PolynomialThreshold, kernels
from rosenblatt.data.sources import read_table


@pytest.fixture
def mnist(data):
    def images_and_labels(part, n):
        with gzip.open(data / "mnist" / f"{part}-images-idx3-ubyte.gz") as file:
            X = np.frombuffer(file.read(16 + 784 * n), np.uint8, offset=16).reshape(-1, 784)
        with gzip.open(data / "mnist" / f"{part}-labels-idx1-ubyte.gz") as file:
            return X.astype(np.float32), np.frombuffer(file.read(8 + n), np.uint8, offset=8)

    return images_and_labels


def plain_mistakes(gram, labels, order):
    """(look, row) of every mistake of one column: terms are added in the order of the mistakes."""
    rows, deltas, found = [], [], []
    for look, i in enumerate(order):
        terms = np.array(deltas) * gram[rows, i]
        score = np.cumsum(terms)[-1] if rows else 0.0  # numpy adds up one by one
        if labels[i] * score <= 0.0:
            rows.append(i)
            deltas.append(labels[i])
            found.append((look, i))
    return found


@pytest.mark.data
def test_the_mistakes_on_mnist_equal_those_of_the_plain_loop(mnist):
    X, y = mnist("train", 1500)
    products = X.astype(np.int64) @ X.T.astype(np.int64) + 1  # exact, and so is its double
    gram = products.astype(np.float64) * products * products  # (1 + x·z)^3 as `pair` makes it
    model = KernelPerceptron(kernel=kernels.Polynomial(3), epochs=2, order="given").fit(X, y)
    for digit, record in enumerate(model._state.records):
        labels = np.where(y == digit, 1.0, -1.0)
        rows = model._state.support.origin[record.member]
        assert list(zip(record.look.tolist(), rows.tolist(), strict=True)) == plain_mistakes(
            gram, labels, [*range(1500)] * 2
        )


@pytest.mark.data
def test_a_fifth_of_mnist_gives_an_error_below_5_per_cent(mnist):
    X, y = mnist("train", 12_000)
    Z, t = mnist("t10k", 10_000)
    model = KernelPerceptron(kernel="polynomial", degree=4, epochs=2, random_state=0).fit(X, y)
    errors = {keep: 1 - model.set_params(keep=keep).score(Z, t) for keep in ("last", "averaged", "voted")}
    assert errors["averaged"] < 0.05
    assert errors["voted"] < 0.05
    assert errors["averaged"] < errors["last"]


@pytest.mark.data
def test_a_budget_costs_little_on_ijcnn1(data):
    train, test = (
        read_table(data / "ijcnn1" / "ijcnn1.trn.bz2"),
        read_table(data / "ijcnn1" / "ijcnn1.tst.bz2"),
    )
    X, y, Z, t = train.X[:20_000], train.y[:20_000], test.X[:20_000], test.y[:20_000]
    free = KernelPerceptron(gamma=2.0, epochs=1, random_state=0).fit(X, y)
    tight = KernelPerceptron(gamma=2.0, epochs=1, random_state=0, budget=300).fit(X, y)
    assert len(tight.support_) == 300 < len(free.support_)
    assert 1 - tight.score(Z, t) < 1 - free.score(Z, t) + 0.03


@pytest.mark.data
def test_map_and_kernel_agree_on_banknotes(data):
    with gzip.open(data / "uci_classic" / "banknote_authentication.csv.gz", "rt") as file:
        rows = np.array(
            [line.split(",") for line in file.read().split("\n") if line[:1] in "-0123456789" and line]
        )
    X, y = rows[:, :4].astype(float), rows[:, 4].astype(float).astype(int)
    models = [
        PolynomialThreshold(degree=3, way=way, random_state=0, epochs=5).fit(X, y)
        for way in ("map", "kernel")
    ]
    assert models[0].mistakes_ == models[1].mistakes_
    assert np.array_equal(models[0].predict(X), models[1].predict(X))
    assert models[0].score(X, y) > 0.99
