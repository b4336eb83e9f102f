"""Kernels on real data: MNIST against scikit-learn's SVC, which takes minutes, and errors by budget."""

from __future__ import annotations

import os
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table
from sklearn.svm import SVC

from benchmarks import data
from benchmarks.results import Measured, record
from benchmarks.timing import Figure, show
from rosenblatt import KernelPerceptron, budgets
from rosenblatt.data.sources import read_table


def main() -> None:
    folder = os.environ.get("ROSENBLATT_DATA")
    if not folder:
        print("without ROSENBLATT_DATA: no MNIST, no ijcnn1\n")
        return
    show("Kernels on MNIST", mnist(Path(folder) / "mnist"))
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
    note = f"{len(ours.support_):,} support rows"
    return [
        Figure(
            "kernel_sets/mnist-fit",
            "MNIST, degree 4, five passes, fit",
            fit,
            peer_fit,
            "s",
            5.0,
            note,
            "SVC",
            errors=(error, peer_error),
        ),
        Figure(
            "kernel_sets/mnist-predict",
            "MNIST, degree 4, predict 10,000 rows",
            predict,
            peer_predict,
            "s",
            5.0,
            against="SVC",
        ),
    ]


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
    sizes, found = (50, 100, 200, 500, 1000), {}
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
            errors = [100 - 100 * share for share in right]
            cells.append(f"{errors[0]:.1f} ({errors[1]:.1f})")
            key = f"kernel_sets/ijcnn1/{kind.__name__ if kind else 'none'}/{size or len(model.support_)}"
            for keep, error in zip(("averaged", "last"), errors, strict=True):
                found[f"{key}/{keep}"] = Measured(error, "%", n=len(test.y))
        name = kind.__name__ if kind else f"none: {len(model.support_):,} rows"
        table.add_row(name, *[""] * (len(sizes) - len(cells)), *cells, f"{taken:.1f}")
    record("kernel_sets", found)
    Console(width=150).print(table, "")


if __name__ == "__main__":
    main()
