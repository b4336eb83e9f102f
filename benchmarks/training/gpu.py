"""Kernel perceptrons on a CUDA device: the same mistakes as on the CPU, and how fast.

Not part of `make bench`: it needs a device, torch, and MNIST under ROSENBLATT_DATA.

    python -m benchmarks.training.gpu
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks import data
from rosenblatt import KernelPerceptron, kernels, rules

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))


KERNELS = (kernels.Polynomial(3, 0.5), kernels.Gaussian(0.3), kernels.Linear(), kernels.Laplacian(0.2))
RULES = ("rosenblatt", rules.Margin(0.3), rules.UnevenMargin(0.4, 0.1))


def main() -> None:
    import torch

    print(torch.cuda.get_device_name(), torch.__version__)
    same_mistakes_as_on_the_cpu()
    from freund_schapire_1999 import experiment

    folder = Path(os.environ["ROSENBLATT_DATA"]) / "mnist"
    train, test = data.mnist(folder, "train"), data.mnist(folder, "t10k")
    same_on_mnist(train, test)
    experiment(2, train, test, "cuda", passes=(0.1, 1))  # warm-up: kernels are compiled, memory is taken
    total = 0.0
    for degree in range(1, 7):
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        run = experiment(degree, train, test, "cuda")
        total += run.fit_seconds + run.test_seconds
        last = run.moments[-1]
        print(
            f"degree {degree}: fit {run.fit_seconds:.2f} s, test {run.test_seconds:.2f} s, "
            f"{last.mistakes:,} mistakes, {last.support:,} support rows, "
            f"voted {last.errors['voted']:.2f} %, "
            f"peak {torch.cuda.max_memory_allocated() / 1e9:.1f} GB",
            flush=True,
        )
    print(f"the whole table: {total:.2f} s (wanted: under 5)")


def same_mistakes_as_on_the_cpu() -> None:
    """Kernels, rules, classes, offsets and weights, on random rows and on rows full of ties."""
    generator = np.random.default_rng(0)
    compared = 0
    for trial in range(24):
        n, k = int(generator.integers(50, 5000)), int(generator.integers(2, 6))
        X = (
            generator.standard_normal((n, 5))
            if trial % 2
            else generator.integers(-2, 3, (n, 5)).astype(float)
        )
        y = np.concatenate([np.arange(k), generator.integers(0, k, n - k)])
        weight = generator.random(n) if trial % 5 == 0 else None
        settings = {
            "kernel": KERNELS[trial % 4],
            "rule": RULES[trial % 3],
            "offset": trial % 3 == 0,
            "epochs": 3,
            "random_state": 0,
        }
        here, there = (KernelPerceptron(device=d, **settings).fit(X, y, weight) for d in ("cpu", "cuda"))
        for mine, yours in zip(here._state.records, there._state.records, strict=True):
            assert np.array_equal(mine.look, yours.look), settings
            assert np.array_equal(mine.delta, yours.delta), settings
        assert np.array_equal(here.mistakes_per_class_, there.mistakes_per_class_)
        assert np.array_equal(here.false_positives_per_class_, there.false_positives_per_class_)
        for keep in ("last", "averaged", "voted", "random"):
            mine, yours = (model.set_params(keep=keep).predict(X) for model in (here, there))
            assert np.array_equal(mine, yours), (settings, keep)
        compared += here.mistakes_
    print(f"24 runs, {compared:,} mistakes: the same on the CPU and the device, predictions too")


def same_on_mnist(train, test) -> None:
    models = []
    for device in ("cpu", "cuda"):
        began = time.perf_counter()
        model = KernelPerceptron(kernel=kernels.Polynomial(4), epochs=2, random_state=0, device=device)
        models.append(model.fit(*train))
        print(f"MNIST, degree 4, two passes on {device}: {time.perf_counter() - began:.1f} s", flush=True)
    here, there = models
    assert np.array_equal(here.support_, there.support_)
    assert all(
        np.array_equal(a.look, b.look)
        for a, b in zip(here._state.records, there._state.records, strict=True)
    )
    assert np.array_equal(here.predict(test[0]), there.predict(test[0]))
    print(
        f"the same {here.mistakes_:,} mistakes, support and predictions; {there.exact_decisions_} settled"
    )


if __name__ == "__main__":
    main()
