"""The types of the public API as a user's program sees them, under mypy --strict."""

from __future__ import annotations

import os
import subprocess
import sys
from inspect import signature
from pathlib import Path
from typing import get_overloads

import pytest

from rosenblatt import mistake_bound, trace

PROGRAM = Path(__file__).parent / "user_program.py"


@pytest.mark.parametrize(
    "command", [[], ["-m", "mypy", "--strict", "--config-file="]], ids=["python", "mypy"]
)
def test_a_users_program_runs_and_has_the_expected_types(command, tmp_path):
    if command:
        pytest.importorskip("mypy", reason="checks types with mypy; install the group lint")
    environment = {**os.environ, "MYPY_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, *command, str(PROGRAM)],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("function", [trace, mistake_bound])
def test_the_types_of_a_function_with_several_results_name_all_parameters(function):
    variants = get_overloads(function)
    assert len(variants) == 2
    for variant in variants:
        assert list(signature(variant).parameters) == list(signature(function).parameters)
