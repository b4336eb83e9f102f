"""Shared by all tests: hypothesis profiles, where real data is, how to load a naive reference."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "rosenblatt",
    deadline=None,  # the first call compiles
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("rosenblatt")


@pytest.fixture
def data() -> Path:
    """The folder of real data; tests that need it are skipped where there is none."""
    folder = os.environ.get("ROSENBLATT_DATA")
    if not folder:
        pytest.skip("needs real data: set ROSENBLATT_DATA to a folder that has it")
    return Path(folder)


@pytest.fixture(scope="session")
def load() -> Callable[[Path], ModuleType]:
    """A module from its file: the naive references are not on the path."""

    def from_file(path: Path) -> ModuleType:
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return from_file
