"""Fixtures for the tests of budgets: naive references, and models beside them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def naive() -> ModuleType:
    """The budgets as their papers have them, and the walk."""
    path = Path(__file__).parent / "naive_budgets.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
