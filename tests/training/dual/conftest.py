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
from rosenblatt.training.backends import OnHost

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


@pytest.fixture(scope="session")
def both_of(naive_kernels: ModuleType) -> Callable[[str], Both]:
    """A kernel twice, by its name: as parameters of a model, and as a formula."""

    def find(name: str) -> Both:
        kernel, parameters = EVERY_KERNEL[name]
        if kernel == "overlap":
            return {"kernel": overlap}, overlap_of_two
        return {"kernel": kernel, **parameters}, partial(getattr(naive_kernels, kernel), **parameters)

    return find


@pytest.fixture(scope="session", params=EVERY_KERNEL)
def both(request, both_of: Callable[[str], Both]) -> Both:
    """Each kernel twice."""
    return both_of(request.param)


@pytest.fixture(scope="session", params=[name for name in EVERY_KERNEL if name != "of your own"])
def ours(request, both_of: Callable[[str], Both]) -> Both:
    """The kernels of the package alone: no one can say how a function rounds, or what it makes of CSR."""
    return both_of(request.param)


@pytest.fixture
def set_sizes(monkeypatch) -> Callable[..., None]:
    """Other sizes than those that are fast; blocks do not grow, unless that is asked for. short: the
    features up to which rows make their values themselves, however few they are."""

    def size(**sizes: int) -> None:
        if "short" in sizes:
            sizes["many"] = 0
        if "block" in sizes:
            sizes.setdefault("largest_block", sizes["block"])
        for name, value in sizes.items():
            monkeypatch.setattr(OnHost, name, value)

    return size


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


@pytest.fixture(scope="session")
def close_run(updates) -> Callable[..., None]:
    """A model has made the updates and mistakes of the naive run, but for rounding of their amounts."""

    def check(model: KernelPerceptron, columns: list[Any]) -> None:
        assert model.mistakes_per_class_.tolist() == [len(column.mistakes) for column in columns]
        for found, column in zip(updates(model), columns, strict=True):
            assert [(row, look) for row, _, look in found] == [(u.row, u.look) for u in column.updates]
            deltas = [u.delta for u in column.updates]
            np.testing.assert_allclose([delta for _, delta, _ in found], deltas, rtol=1e-6, atol=1e-9)

    return check
