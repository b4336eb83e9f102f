"""Kernel perceptrons of every kind: averaging strategies, a user-defined kernel, budgets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rosenblatt.budgets import Forgetron, Oldest, Projectron, ProjectronPlusPlus, RandomBudget
from rosenblatt.kernels import Polynomial
from rosenblatt.rules import Margin


def overlap(X, Z):
    """A kernel of the user's: Σ min(|x|, |z|) where the signs agree."""
    same = np.sign(X[:, None, :]) == np.sign(Z[None, :, :])
    return (same * np.minimum(np.abs(X)[:, None, :], np.abs(Z)[None, :, :])).sum(axis=2)


CONFIGURATIONS = {
    "averaged": {},
    "last": {"keep": "last", "offset": True},
    "voted": {"keep": "voted"},
    "random": {"keep": "random"},
    "polynomial": {"kernel": Polynomial(degree=2), "rule": Margin(tau=0.5)},
    "a function": {"kernel": overlap},
    **{
        cls.__name__: {"budget": cls(size=12), "keep": "last"}
        for cls in (Oldest, RandomBudget, Forgetron, Projectron, ProjectronPlusPlus)
    },
}


def each_configuration(but: tuple[str, ...] = ()) -> Any:
    chosen = {name: settings for name, settings in CONFIGURATIONS.items() if name not in but}
    return pytest.mark.parametrize("settings", chosen.values(), ids=chosen)
