"""Fixtures for the tests of the dual form."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rosenblatt.training.backends import OnHost
from tests.training.dual.dual_runs import EVERY_KERNEL, Both, both_of


@pytest.fixture(scope="session", params=EVERY_KERNEL)
def both(request) -> Both:
    """Each kernel twice: as parameters of a model, and as a formula."""
    return both_of(request.param)


@pytest.fixture(scope="session", params=[name for name in EVERY_KERNEL if name != "of your own"])
def ours(request) -> Both:
    """The kernels of the package; the rounding of user-defined functions is unknown."""
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
