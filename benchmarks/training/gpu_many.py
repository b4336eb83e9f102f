"""Many labels on a GPU: ``python -m benchmarks.training.gpu_many``, with CUDA, torch and Triton.

First what must be equal (bits of every weight, mistakes of every column), then how long it takes.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import torch

from benchmarks.data import mnist
from rosenblatt import Perceptron
from rosenblatt.gpu.device_trainer import DeviceColumns
from rosenblatt.gpu.torch_backend import OnDevice
from rosenblatt.loops.column_targets import LabelTable
from rosenblatt.numeric.next_row import Listed
from rosenblatt.numeric.row_batches import as_rows
from rosenblatt.training.initial_states import Recipe, begin_columns
from rosenblatt.training.many_batch import ManyBatch
from rosenblatt.training.orders import shuffle_rows


def same(a: Perceptron, b: Perceptron) -> bool:
    return bool(
        np.array_equal(a.coef_, b.coef_)
        and np.array_equal(a.intercept_, b.intercept_)
        and np.array_equal(a.mistakes_per_class_, b.mistakes_per_class_)
        and np.array_equal(a.false_positives_per_class_, b.false_positives_per_class_)
        and a.updates_ == b.updates_
    )


def equal_on_random_data() -> None:
    generator = np.random.default_rng(0)
    settings = 0
    for kind in (np.float32, np.float64, np.int8):
        for columns in (3, 70):
            X = generator.standard_normal((3000, 40)) * (1 if kind is not np.int8 else 2)
            X = X.astype(kind)
            V = generator.standard_normal((40, columns))
            Y = (X @ V + 6 * generator.standard_normal((3000, columns)) > 0).astype(int)
            weight = generator.integers(0, 3, 3000) * 0.37
            for keep in ("last", "averaged"):
                for rule in ("rosenblatt", "margin", "uneven_margin"):
                    for target in (Y, generator.integers(0, columns, 3000)):
                        for sample_weight in (None, weight):
                            chosen = {"keep": keep, "rule": rule, "random_state": 0, "epochs": 2}
                            here = Perceptron(**chosen).fit(X, target, sample_weight)
                            there = Perceptron(device="cuda", **chosen).fit(X, target, sample_weight)
                            assert same(here, there), (kind, columns, keep, rule)
                            settings += 1
    print(f"{settings} settings of random data: the same bits and mistakes")


def mnist_ten_classes(folder: Path) -> None:
    X, y = mnist(folder, "train")
    chosen = {"keep": "averaged", "random_state": 0, "epochs": 10}
    here = Perceptron(n_jobs=-1, **chosen).fit(X, y)
    for _ in range(2):
        began = time.perf_counter()
        there = Perceptron(device="cuda", **chosen).fit(X, y)
        taken = time.perf_counter() - began
    print(f"MNIST, ten classes, 10 passes, averaged: {taken:.2f} s, the same bits: {same(here, there)}")


def a_thousand_labels(n: int = 1_000_000, d: int = 1024, labels: int = 1000) -> None:
    torch.manual_seed(0)
    there = torch.randn(n, d, device="cuda")
    teacher = torch.randn(d, labels, device="cuda")
    Y = torch.empty(n, labels, dtype=torch.bool, device="cuda")
    for part in there.split(50_000):
        first = (part.data_ptr() - there.data_ptr()) // (4 * d)
        noise = 8 * torch.randn(len(part), labels, device="cuda")
        Y[first : first + len(part)] = part @ teacher + noise > 0
    X, Y = there.cpu().numpy(), Y.cpu().numpy()
    del there, teacher
    torch.cuda.empty_cache()
    rows = as_rows(X)
    batch = ManyBatch(rows, LabelTable(Y.view(np.uint8)), np.empty(0), np.empty((0, 2)))
    order = Listed(shuffle_rows(n, None, 0, 0))
    for part in (Listed(order.rows[:20_000]), order):
        state = begin_columns(Recipe(), rows, labels)
        began = time.perf_counter()
        lesson = DeviceColumns(state, batch, OnDevice("cuda"))
        torch.cuda.synchronize()
        put = time.perf_counter() - began
        began = time.perf_counter()
        lesson.learn(part)
        lesson.bring_back()
        taken = time.perf_counter() - began
    print(
        f"{n:,} × {d:,}, {labels:,} labels, one pass: {taken:.2f} s with the data on the card "
        f"(put there in {put:.2f} s); {state.mistakes / n / labels:.1%} mistakes, "
        f"{state.exact_decisions:,} settled by exact sums"
    )
    weights = state.current()
    del lesson
    torch.cuda.empty_cache()
    for c in (0, labels // 2, labels - 1):
        alone = Perceptron(order=order.rows, epochs=1).fit(X, Y[:, c])
        assert np.array_equal(alone.coef_[0], weights[c, :-1])
        assert alone.mistakes_ == state.clock("mistakes")[c]
    print("three of its columns learned alone on the CPU: the same bits")
    began = time.perf_counter()
    Perceptron(device="cuda", epochs=1, random_state=0).fit(X, Y)
    print(f"the same by Perceptron.fit, reading and checking included: {time.perf_counter() - began:.2f} s")


def main() -> None:
    print(torch.cuda.get_device_name())
    equal_on_random_data()
    mnist_ten_classes(Path(os.environ["ROSENBLATT_DATA"]) / "mnist")
    a_thousand_labels()


if __name__ == "__main__":
    main()
