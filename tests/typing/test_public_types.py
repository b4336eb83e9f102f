"""The types of the public API as a user's program sees them, under mypy --strict."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
