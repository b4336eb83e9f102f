"""Shared by all tests: hypothesis profiles, and where real data is."""

from __future__ import annotations

import os
from pathlib import Path

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
