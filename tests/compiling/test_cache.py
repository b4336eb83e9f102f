"""Machine code on disk is used again only while every compiled source is the same."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rosenblatt
from rosenblatt.compiling import COMPILED_SOURCES, PACKAGE, sources_digest

LEARN = """
from rosenblatt import Learner
from rosenblatt.loops.walk import walk
learner = Learner()
learner.learn([3.0, 0.0], 1)
print(learner.weights[0], len(walk.stats.cache_hits), len(walk.stats.cache_misses))
"""


@pytest.fixture
def copy(tmp_path):
    """A copy of the package that a test may change, and a way to run it with a cache of its own."""
    shutil.copytree(PACKAGE, tmp_path / "rosenblatt", ignore=shutil.ignore_patterns("__pycache__"))

    def run() -> list[str]:
        environment = {
            **os.environ,
            "PYTHONPATH": str(tmp_path),
            "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
            "PYTHONSAFEPATH": "1",
        }
        code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n" + LEARN
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.split()

    run.package = tmp_path / "rosenblatt"
    return run


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_a_changed_rule_is_compiled_anew_and_an_unchanged_one_is_not(copy):
    weight, hits, misses = copy()
    assert (weight, hits, misses) == ("3.0", "0", "1")
    assert copy() == ["3.0", "1", "0"], "the second process must find the machine code on disk"
    rule = copy.package / "rules" / "rosenblatt.py"
    rule.write_text(
        rule.read_text().replace("return rule.rate, 1.0, memory", "return 2.0 * rule.rate, 1.0, memory")
    )
    assert copy() == ["6.0", "0", "1"], "stale machine code of the old rule was run"


def test_the_digest_covers_every_file_that_is_compiled():
    compiled = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if any(mark in path.read_text() for mark in ("@compiled", "@inlined", ".of("))
    }
    covered = tuple(name if name.endswith(".py") else f"{name}/" for name in COMPILED_SOURCES)
    assert not {path for path in compiled if not path.startswith(covered)}


def test_the_digest_follows_the_contents(tmp_path):
    package = tmp_path / "rosenblatt"
    shutil.copytree(PACKAGE, package)
    before = sources_digest(package)
    sources_digest.cache_clear()
    assert before == sources_digest(Path(rosenblatt.__file__).parent)
    (package / "keepers" / "last.py").write_text("# changed\n")
    sources_digest.cache_clear()
    assert sources_digest(package) != before
    sources_digest.cache_clear()
