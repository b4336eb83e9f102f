"""On a version of Numba that was not tested, every path of learning has the same mistakes and bits."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PUBLIC = {**os.environ, "ROSENBLATT_NUMBA": "public"}
pytestmark = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")


ONE_PATH = "not (path_leaves or alone or kernel) or (in and blocks and (Rosenblatt or Arow))"
"""Of the central suite the theory, and one path of two rules: each loop is compiled anew."""


def run_python(*arguments: object, **variables: object) -> subprocess.CompletedProcess[str]:
    environment = PUBLIC | {name: str(value) for name, value in variables.items()}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_the_central_suite_holds_with_the_public_interface_of_numba():
    suite = [HERE / "test_one_fact_on_every_path.py", HERE / "test_hard_decisions.py"]
    options = ["-p", "no:xdist", "-p", "no:cacheprovider", "-o", "addopts=", "-q", "-k", ONE_PATH]
    place = ["--import-mode=importlib", "--rootdir", HERE.parents[1]]
    done = run_python("-m", "pytest", *options, *place, *suite)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout


PRIVATE = """
import sys
from rosenblatt import Learner
from rosenblatt.numeric.compiling import USES_INTERNALS
from rosenblatt.data.sources.parsing import letters
from rosenblatt.loops import together, votes
print(USES_INTERNALS, "rosenblatt.numeric.numba_internals" in sys.modules)
"""


def test_the_private_interface_is_not_imported():
    assert run_python("-c", PRIVATE).stdout.split() == ["False", "False"]


SMALL = """
from rosenblatt.numeric.dicts import addresses, reader
import numpy as np
values = np.empty(2)
print(reader()({"a": 1, "b": 2.5}, addresses(["a", "b"]), values), values.tolist())
from rosenblatt.numeric.dicts import _read
print(sum(_read.stats.cache_hits.values()))
"""


@pytest.mark.parametrize(("ending", "size"), [("nbi", 0), ("nbc", 50)])
def test_a_damaged_file_of_numba_is_compiled_again_and_replaced(ending, size, tmp_path):
    runs = [run_python("-c", SMALL, NUMBA_CACHE_DIR=tmp_path)]
    files = list(tmp_path.rglob(f"*.{ending}"))
    assert files, "Numba stores its code below the folder of the digest"
    for file in files:
        os.truncate(file, size)
    runs += [run_python("-c", SMALL, NUMBA_CACHE_DIR=tmp_path) for _ in range(2)]
    assert [run.stdout.splitlines() for run in runs] == [
        ["True [1.0, 2.5]", hits] for hits in ("0", "0", "1")
    ], [run.stderr for run in runs]
