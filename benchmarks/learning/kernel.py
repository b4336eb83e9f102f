"""Kernel perceptrons: MNIST against scikit-learn's SVC, prediction against one matrix product, budgets."""

from __future__ import annotations

import os
import resource
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.svm import SVC

from benchmarks import data
from benchmarks.timing import Figure, seconds, show
from rosenblatt import KernelPerceptron, budgets, kernels, rules
from rosenblatt.data.sources import read_table


def main() -> None:
    folder = os.environ.get("ROSENBLATT_DATA")
    figures = [
        stream(),
        many_classes("26 classes, 15,000 × 16, Gaussian, fit", 1.35),
        many_classes("the same, crowds further apart", 2.0),
        prediction(),
    ]  # the stream first: its memory is what it adds to the peak
    if folder:
        figures = [*mnist(Path(folder) / "mnist"), *figures]
    show("Kernels", figures)
    if folder:
        error_against_budget(Path(folder) / "ijcnn1")


def mnist(folder: Path) -> list[Figure]:
    """The same kernel, (γ x·z + 1)^4 with γ by "scale", on the same pixels."""
    (X, y), (Z, t) = data.mnist(folder, "train"), data.mnist(folder, "t10k")
    KernelPerceptron(epochs=1).fit(X[:500], y[:500]).predict(Z[:500])  # compiles
    ours = KernelPerceptron(kernel="polynomial", degree=4, epochs=5, random_state=0)
    peer = SVC(kernel="poly", degree=4, coef0=1.0)
    taken = {}
    for name, model in (("ours", ours), ("peer", peer)):
        began = time.perf_counter()
        model.fit(X, y)
        fitted = time.perf_counter()
        error = 100 * float((model.predict(Z) != t).mean())
        taken[name] = (fitted - began, time.perf_counter() - fitted, error)
    (fit, predict, error), (peer_fit, peer_predict, peer_error) = taken["ours"], taken["peer"]
    note = f"{error:.2f} % error, SVC {peer_error:.2f} %; {len(ours.support_):,} support rows"
    return [
        Figure(
            "MNIST, degree 4, fit", f"{fit:.1f} s", f"{peer_fit:.1f} s", peer_fit / fit, 5.0, note, "SVC"
        ),
        Figure(
            "MNIST, degree 4, predict",
            f"{predict:.2f} s",
            f"{peer_predict:.1f} s",
            peer_predict / predict,
            5.0,
            "",
            "SVC",
        ),
    ]


def many_classes(job: str, apart: float) -> Figure:
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
    return Figure(job, f"{here:.2f} s", f"{there:.2f} s", there / here, 2.0, note, "SVC")


def prediction() -> Figure:
    """10,000 rows against 10,000 support rows, and one matrix product of that size."""
    generator = np.random.default_rng(0)
    X = generator.standard_normal((10_000, 784))
    Z = generator.standard_normal((10_000, 784))
    y = generator.integers(0, 2, 10_000)
    model = KernelPerceptron(
        kernel=kernels.Polynomial(4, 1 / 784), rule=rules.Margin(tau=1e300), epochs=1, order="given"
    ).fit(X, y)  # every look is an update
    assert len(model.support_) == 10_000
    ours, product = seconds(lambda: model.decision_function(Z), lambda: Z @ X.T, repeats=3)
    return Figure(
        "predict, 10,000 rows × 10,000 support rows of 784", f"{ours:.2f} s",
        f"matrix product {product:.2f} s", product / ours, 1 / 1.5,
    )  # fmt: skip


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
    return Figure("1,000,000×50, Gaussian, budget 1,000", f"{taken:.0f} s", "120 s", 120 / taken, 1.0, note)


KINDS = (
    budgets.Projectron,
    budgets.ProjectronPlusPlus,
    budgets.Forgetron,
    budgets.RandomBudget,
    budgets.Oldest,
    None,
)


def error_against_budget(folder: Path) -> None:
    """The error on the test set after one pass, for each budget and size, beside no budget at all."""
    train, test = read_table(folder / "ijcnn1.trn.bz2"), read_table(folder / "ijcnn1.tst.bz2")
    title = "ijcnn1, Gaussian γ = 2, one pass: error in % on the test set, averaged (last)"
    table = Table(title=title, title_justify="left", box=None)
    sizes = (50, 100, 200, 500, 1000)
    for name in ("budget", *map(str, sizes), "seconds of the last"):
        table.add_column(name, justify="right")
    for kind in KINDS:
        cells = []
        for size in sizes if kind else [None]:
            model = KernelPerceptron(gamma=2.0, epochs=1, budget=kind and kind(size), random_state=0)
            began = time.perf_counter()
            model.fit(train.X, train.y)
            taken = time.perf_counter() - began
            right = [model.set_params(keep=keep).score(test.X, test.y) for keep in ("averaged", "last")]
            cells.append(f"{100 - 100 * right[0]:.1f} ({100 - 100 * right[1]:.1f})")
        name = kind.__name__ if kind else f"none: {len(model.support_):,} rows"
        table.add_row(name, *[""] * (len(sizes) - len(cells)), *cells, f"{taken:.1f}")
    Console(width=150).print(table, "")


if __name__ == "__main__":
    main()
