"""Fixtures for the tests of the dual form: naive references, data, and models beside them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rosenblatt import KernelPerceptron

TESTS = Path(__file__).parents[2]
Both = tuple[dict[str, Any], Callable[..., float]]

EVERY_KERNEL: dict[str, tuple[str, dict[str, Any]]] = {
    "linear": ("linear", {}),
    "quadratic": ("polynomial", {"degree": 2, "gamma": 1.0, "coef0": 1.0}),
    "homogeneous": ("polynomial", {"degree": 3, "gamma": 0.3, "coef0": 0.0}),
    "of the seventh degree": ("polynomial", {"degree": 7, "gamma": 0.5, "coef0": 0.5}),
    "gaussian": ("gaussian", {"gamma": 0.3}),
    "narrow gaussian": ("gaussian", {"gamma": 10.0}),
    "laplacian": ("laplacian", {"gamma": 0.4}),
    "of your own": ("overlap", {}),
}


@pytest.fixture(scope="session")
def naive(load) -> ModuleType:
    """The kernel perceptron in plain Python."""
    return load(TESTS / "training" / "dual" / "naive_dual.py")


@pytest.fixture(scope="session")
def naive_kernels(load) -> ModuleType:
    return load(TESTS / "kernels" / "naive_kernels.py")


@pytest.fixture(scope="session")
def problems(load) -> ModuleType:
    """Data to learn from."""
    return load(TESTS / "training" / "dual" / "kernel_problems.py")


def overlap(X: Any, Z: Any) -> NDArray[np.float64]:
    """A kernel of one's own: Σ min(x, z) of numbers made positive."""
    return np.minimum(np.exp2(X)[:, None, :], np.exp2(Z)[None, :, :]).sum(axis=2)


def overlap_of_two(x: list[float], z: list[float]) -> float:
    return float(overlap(np.array([x]), np.array([z]))[0, 0])


@pytest.fixture(scope="session", params=EVERY_KERNEL)
def both(request, naive_kernels: ModuleType) -> Both:
    """Each kernel twice: as parameters of a model, and as a formula."""
    return _both(request.param, naive_kernels)


@pytest.fixture(scope="session", params=[name for name in EVERY_KERNEL if name != "of your own"])
def ours(request, naive_kernels: ModuleType) -> Both:
    """The kernels of the package alone: no one can say how a function rounds, or what it makes of CSR."""
    return _both(request.param, naive_kernels)


def _both(name: str, naive_kernels: ModuleType) -> Both:
    kernel, parameters = EVERY_KERNEL[name]
    if kernel == "overlap":
        return {"kernel": overlap}, overlap_of_two
    return {"kernel": kernel, **parameters}, partial(getattr(naive_kernels, kernel), **parameters)


@pytest.fixture(scope="session")
def updates() -> Callable[[KernelPerceptron], list[list[tuple[int, float, int]]]]:
    """(row, delta, look) of all updates of each column, in order."""

    def read(model: KernelPerceptron) -> list[list[tuple[int, float, int]]]:
        state = model._state
        return [
            list(
                zip(state.support.origin[r.member].tolist(), r.delta.tolist(), r.look.tolist(), strict=True)
            )
            for r in state.records
        ]

    return read


@pytest.fixture(scope="session")
def same_run(updates) -> Callable[..., None]:
    """A model has made the updates and mistakes of the naive run, in their order."""

    def check(model: KernelPerceptron, columns: list[Any]) -> None:
        assert updates(model) == [[tuple(update) for update in column.updates] for column in columns]
        assert model.mistakes_per_class_.tolist() == [len(column.mistakes) for column in columns]
        assert model.false_positives_per_class_.tolist() == [column.false_positives for column in columns]
        assert model.updates_ == sum(len(column.updates) for column in columns)

    return check
