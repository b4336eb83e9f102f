"""Fixtures for the tests of foundations."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def naive(load) -> ModuleType:
    """Least squares in exact rationals."""
    return load(Path(__file__).parent / "naive_curve.py")
