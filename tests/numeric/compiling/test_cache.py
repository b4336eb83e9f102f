"""Machine code on disk is used again only while every compiled source is the same."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rosenblatt
from rosenblatt.numeric.code_cache import COMPILED_SOURCES, PACKAGE, group_of, sources_digest

LEARN = """
from rosenblatt import Learner
from rosenblatt.loops.walk import walk
learner = Learner()
learner.learn([3.0, 0.0], 1)
print(learner.weights[0], len(walk.stats.cache_hits), len(walk.stats.cache_misses))
"""


@pytest.fixture
def copy(tmp_path):
    """A copy of the package that a test may change, and a function that runs it with a separate cache."""
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
def test_a_changed_rule_is_recompiled_but_no_comment_docstring_or_moved_line(copy):
    weight, hits, misses = copy()
    assert (weight, hits, misses) == ("3.0", "0", "1")
    loop = copy.package / "loops" / "walk.py"
    text = loop.read_text()
    assert "# scalar" in text
    loop.write_text(
        "# a line more\n" + text.replace("# scalar", "# its size").replace('"""The loop', '"""A loop')
    )
    assert copy() == ["3.0", "1", "0"], "the second process must find the machine code on disk"
    rule = copy.package / "rules" / "rosenblatt.py"
    rule.write_text(
        rule.read_text().replace("return rule.rate, 1.0, memory", "return 2.0 * rule.rate, 1.0, memory")
    )
    assert copy() == ["6.0", "0", "1"], "stale machine code of the old rule was run"


COMPILED = re.compile(r"^@(jit|inline|\w+\.of\()|^\w+ = jit", re.MULTILINE)


@functools.cache
def compiled_files() -> list[str]:
    return [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if COMPILED.search(path.read_text()) and path.name != "compiling.py"
    ]


def covers(group: str, file: str) -> bool:
    return file.startswith(tuple(n if n.endswith(".py") else f"{n}/" for n in COMPILED_SOURCES[group]))


def test_every_file_that_is_compiled_is_covered_by_the_digest_of_its_group():
    assert not [file for file in compiled_files() if not covers(group_of(file), file)]


@pytest.mark.parametrize("group", COMPILED_SOURCES)
def test_a_group_calls_nothing_that_is_compiled_outside_it(group):
    for file in filter(lambda file: group_of(file) == group, compiled_files()):
        imported = re.findall(
            r"^from rosenblatt\.([\w.]+) import", (PACKAGE / file).read_text(), re.MULTILINE
        )
        paths = [name.replace(".", "/") + ".py" for name in imported]
        assert not [path for path in paths if path in compiled_files() and not covers(group, path)]


def test_no_code_for_a_user_defined_rule_is_stored_on_disk():
    """An index that names such a rule cannot be read where its module is not: `f = jit(_f)` is chosen
    by `is_packaged`, and `@jit` would be compiled into a loop for any rule."""
    for file in compiled_files():
        text = (PACKAGE / file).read_text()
        if "jit_uncached(" not in text:  # loops for the rules of the package alone
            continue
        taken = re.findall(r"^@jit(?:_sums)?\ndef \w+\(([^)]*)\)", text, re.MULTILINE)
        assert not [names for names in taken if re.search(r"\b(rule|memory)\b", names)], file


def test_no_two_compiled_functions_share_a_place_on_disk():
    for file in compiled_files():
        names = re.findall(r"^@jit\w*\ndef (\w+)", (PACKAGE / file).read_text(), re.MULTILINE)
        assert len(names) == len(set(names)), file


def test_the_digest_depends_on_the_sources_of_its_own_group_only(tmp_path):
    package = tmp_path / "rosenblatt"
    shutil.copytree(PACKAGE, package)
    loops, parsers = digests(package)
    assert (loops, parsers) == digests(Path(rosenblatt.__file__).parent)
    keeper = package / "averaging" / "last.py"
    text = keeper.read_text()
    keeper.write_text(text + "\n# a comment\n")
    assert digests(package) == (loops, parsers)
    keeper.write_text(text + "\nANOTHER = 1\n")
    changed = digests(package)
    assert changed[0] != loops
    assert changed[1] == parsers


def digests(package: Path) -> tuple[str, str]:
    sources_digest.cache_clear()
    try:
        return sources_digest("loops", package), sources_digest("parsers", package)
    finally:
        sources_digest.cache_clear()


def test_a_digest_that_was_remembered_costs_no_reading(tmp_path, monkeypatch):
    package = tmp_path / "rosenblatt"
    shutil.copytree(PACKAGE, package)
    before = digests(package)
    monkeypatch.setattr(Path, "read_bytes", lambda path: pytest.fail(f"{path.name} was read"))
    assert digests(package) == before
