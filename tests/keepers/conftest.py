"""Fixtures for the tests of keepers: those of the rules, whose references and data serve here too."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from tests.rules.conftest import (
    EVERY_RULE,
    both_of,
    naive,  # noqa: F401
    naive_keepers,  # noqa: F401
    problems,  # noqa: F401
    trained,  # noqa: F401
    weights,  # noqa: F401
)

FEW = ("rosenblatt", "alma", "forgetting")
"""A fixed step, steps that remember, a w that shrinks; all rules meet all keepers in the tests of rules."""


@pytest.fixture(
    scope="session",
    params=[name if name in FEW else pytest.param(name, marks=pytest.mark.matrix) for name in EVERY_RULE],
)
def both(request: pytest.FixtureRequest, naive: ModuleType) -> tuple[Any, Callable[..., Any]]:  # noqa: F811
    """A rule twice: ours, and the naive one with the same parameters."""
    return both_of(request.param, naive)
