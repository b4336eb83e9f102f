"""Shared by all tests: hypothesis profiles, where real data is, how to load a naive reference, the lab."""

from __future__ import annotations

import importlib.util
import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from numpy.typing import NDArray

SHARED = {
    "deadline": None,  # the first call compiles
    "database": None,  # failures of an earlier run must not change which examples are tried
    "print_blob": True,  # the line that repeats a failure elsewhere
    "suppress_health_check": [HealthCheck.too_slow],
}
settings.register_profile("rosenblatt", max_examples=25, derandomize=True, **SHARED)
settings.register_profile("thorough", max_examples=300, derandomize=False, **SHARED)
settings.load_profile("rosenblatt")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shuffle the tests if a seed is given, so that runs that are cut short reach different tests."""
    seed = config.getoption("--hypothesis-seed")
    if seed is not None:
        random.Random(str(seed)).shuffle(items)


@pytest.fixture
def random_seed(pytestconfig: pytest.Config) -> str:
    """The seed of `make test-properties`, for properties that draw their cases themselves; else empty."""
    return str(pytestconfig.getoption("--hypothesis-seed") or "")


@pytest.fixture
def data() -> Path:
    """Return the folder of real data, or skip the test if there is none."""
    folder = os.environ.get("ROSENBLATT_DATA")
    if not folder:
        pytest.skip("needs real data: set ROSENBLATT_DATA to a folder that has it")
    return Path(folder)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Make SIGINT interrupt this process and its children, even if it was started with SIGINT ignored.

    `nohup` and a script's `&` start processes that ignore SIGINT, and their children inherit that.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


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


@pytest.fixture(scope="session")
def lab_address() -> Iterator[str]:
    """The lab as a process of its own, as `rosenblatt lab` starts it; its address."""
    command = [sys.executable, "-m", "rosenblatt.cli.main", "lab", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if found := re.search(r"http://127.0.0.1:\d+", line):
                break
        else:
            raise AssertionError("the lab did not start:\n" + "".join(lines))
        yield found.group()
        process.terminate()


@pytest.fixture
def pyplot() -> Iterator[Any]:
    """Pictures are drawn without a display, and none is left open."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    plt.close("all")
    yield plt
    plt.close("all")


Examples = tuple[NDArray[np.float64], NDArray[np.int64]]


@pytest.fixture(scope="session")
def separable() -> Examples:
    """60 points in the plane, a good way off the line 2x₀ − x₁ + 0.5 = 0; labels 0 and 1."""
    points = np.random.default_rng(7).normal(size=(90, 2))
    side = points @ [2.0, -1.0] + 0.5
    far = np.abs(side) > 0.4
    return points[far][:60], (side[far] > 0).astype(np.int64)[:60]


@pytest.fixture(scope="session")
def noisy() -> Examples:
    """120 rows of five features whose labels follow a hyperplane only most of the time."""
    generator = np.random.default_rng(11)
    X = generator.normal(size=(120, 5))
    y = X @ [1.0, -2.0, 0.5, 0.0, 1.0] + generator.normal(size=120) > 0.3
    return X, y.astype(np.int64)
