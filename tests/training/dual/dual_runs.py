"""Kernels as models take them and as formulas, and runs of models beside those of the plain loop."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import KernelPerceptron
from rosenblatt.training.dual.dual_state import DualState
from tests.kernels import naive_kernels

Both = tuple[dict[str, Any], Callable[..., float]]

ROUNDING = 1e-9
"""Smaller updates than this are rounding errors."""

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


def overlap(X: Any, Z: Any) -> NDArray[np.float64]:
    """A kernel of one's own: Σ min(x, z) of numbers made positive."""
    return np.minimum(np.exp2(X)[:, None, :], np.exp2(Z)[None, :, :]).sum(axis=2)


def overlap_of_two(x: list[float], z: list[float]) -> float:
    return float(overlap(np.array([x]), np.array([z]))[0, 0])


def both_of(name: str) -> Both:
    """A kernel twice, by its name: as parameters of a model, and as a formula."""
    kernel, parameters = EVERY_KERNEL[name]
    if kernel == "overlap":
        return {"kernel": overlap}, overlap_of_two
    return {"kernel": kernel, **parameters}, partial(getattr(naive_kernels, kernel), **parameters)


def updates(model: KernelPerceptron) -> list[list[tuple[int, float, int]]]:
    """Return (row, delta, step) of all updates of each column, in order."""
    return updates_of(model._state)


def updates_of(state: DualState) -> list[list[tuple[int, float, int]]]:
    """Return the updates of a state as `updates` does for a model."""
    return [
        list(zip(state.support.origin[r.member].tolist(), r.delta.tolist(), r.look.tolist(), strict=True))
        for r in state.records
    ]


def same_run(model: KernelPerceptron, columns: list[Any]) -> None:
    """Check that a model has made the updates and mistakes of the naive run, in their order."""
    assert updates(model) == [[tuple(update) for update in column.updates] for column in columns]
    assert model.mistakes_per_class_.tolist() == [len(column.mistakes) for column in columns]
    assert model.false_positives_per_class_.tolist() == [column.false_positives for column in columns]
    assert model.updates_ == sum(len(column.updates) for column in columns)


def close_run(model: KernelPerceptron, columns: list[Any]) -> None:
    """Check the same, but for rounding of the amounts.

    A passive-aggressive update makes the margin 1. Whether the same row is updated again, by an amount of
    the size of a rounding error, depends on the processor.
    """
    assert model.mistakes_per_class_.tolist() == [len(column.mistakes) for column in columns]
    for found, column in zip(updates(model), columns, strict=True):
        want = [(u.row, u.delta, u.look) for u in column.updates if abs(u.delta) > ROUNDING]
        found = [update for update in found if abs(update[1]) > ROUNDING]
        assert [(row, look) for row, _, look in found] == [(row, look) for row, _, look in want]
        np.testing.assert_allclose([u[1] for u in found], [u[1] for u in want], rtol=1e-6, atol=ROUNDING)
