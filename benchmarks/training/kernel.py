"""Kernel perceptrons: short rows against scikit-learn's SVC, predictions against a product, a stream."""

from __future__ import annotations

import resource
import time

import numpy as np
from sklearn.svm import SVC

from benchmarks.timing import Figure, seconds, show
from rosenblatt import KernelPerceptron, kernels, rules


def main() -> None:
    figures = [
        stream(),
        many_classes("26-classes", "26 classes, 15,000 × 16, Gaussian, ten passes", 1.35),
        many_classes("26-classes-apart", "the same, clusters further apart", 2.0),
        prediction(),
    ]  # the stream first: its memory is what it adds to the peak
    show("Kernels", figures)


def many_classes(key: str, job: str, apart: float) -> Figure:
    """15,000 × 16 in 26 classes of three Gaussian crowds each, whose centres are so far apart, ten passes:
    short rows and much support."""
    generator = np.random.default_rng(0)
    centres = apart * generator.standard_normal((78, 16))
    crowd = generator.integers(0, 78, 15_000)
    X, y = centres[crowd] + generator.standard_normal((15_000, 16)), crowd // 3
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    ours = KernelPerceptron(kernel="gaussian", epochs=10, random_state=0)
    here, there = seconds(lambda: ours.fit(X, y), lambda: SVC().fit(X, y), repeats=3)
    note = f"{len(ours.support_):,} support rows, {ours.mistakes_:,} mistakes"
    return Figure(f"kernel/{key}", job, here, there, "s", 2.0, note, "SVC")


def prediction() -> Figure:
    """10,000 rows against 10,000 support rows, and one matrix product of that size."""
    generator = np.random.default_rng(0)
    X = generator.standard_normal((10_000, 784))
    Z = generator.standard_normal((10_000, 784))
    y = generator.integers(0, 2, 10_000)
    model = KernelPerceptron(
        kernel=kernels.Polynomial(4, 1 / 784), rule=rules.Margin(tau=1e300), epochs=1, order="given"
    ).fit(X, y)  # every step is an update
    assert len(model.support_) == 10_000
    ours, product = seconds(lambda: model.decision_function(Z), lambda: Z @ X.T, repeats=3)
    return Figure(
        "kernel/predict",
        "predict 10,000 rows with 10,000 support rows of 784",
        ours,
        product,
        "s",
        1 / 1.5,
        beside="one matrix product",
    )


def stream() -> Figure:
    """1,000,000 rows of 50, Gaussian, at most 1,000 support rows, one pass."""
    generator = np.random.default_rng(0)
    X = generator.standard_normal((1_000_000, 50), dtype=np.float32)
    y = (X[:, :10] ** 2).sum(axis=1) > (X[:, 10:20] ** 2).sum(axis=1)
    model = KernelPerceptron(budget=1000, gamma=0.02, epochs=1, random_state=0)
    KernelPerceptron(budget=10, epochs=1).fit(X[:500], y[:500])  # compiles
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    model.fit(X, y)
    taken = time.perf_counter() - began
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / 1e9
    note = f"{model.mistakes_:,} mistakes, {grown:.2f} GB beyond the data (at most 1.5)"
    return Figure(
        "kernel/stream",
        "1,000,000 × 50, Gaussian, budget 1,000, one pass",
        taken,
        120.0,
        note=note,
        beside="aim",
    )


if __name__ == "__main__":
    main()
