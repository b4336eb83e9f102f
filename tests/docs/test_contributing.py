"""The rule that CONTRIBUTING.md adds, added as it says."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from rosenblatt import rules

ROOT = Path(__file__).parents[2]


def test_the_first_rule_passes_its_test(monkeypatch):
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rule, test = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    module: dict[str, object] = {"__name__": "normalised"}
    exec(rule, module)
    monkeypatch.setattr(rules, "Normalised", module["Normalised"], raising=False)
    monkeypatch.setitem(rules.RULES, "normalised", module["Normalised"])
    names: dict[str, Any] = {}
    exec(test, names)
    names["test_the_compiled_rule_equals_its_formula"]()
    names["naive"] = lambda X, y, rate: X[0]
    with pytest.raises(AssertionError):
        names["test_the_compiled_rule_equals_its_formula"]()


def test_the_first_rule_passes_make_lint():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rule, test = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    for path, code in (
        ("src/rosenblatt/rules/normalised.py", rule),
        ("tests/rules/test_normalised.py", test),
    ):
        for command in (["check"], ["format", "--check"]):
            words = [sys.executable, "-m", "ruff", *command, "--stdin-filename", path, "-"]
            done = subprocess.run(words, input=code, cwd=ROOT, capture_output=True, text=True)
            assert done.returncode == 0, done.stdout + done.stderr


def test_every_make_target_that_is_named_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in (ROOT / "CONTRIBUTING.md", ROOT / "README.md"):
        named = re.findall(r"(?:`|^)make\s([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert named
        assert set(named) <= targets, page


def test_make_test_tries_the_same_examples_everywhere_and_test_properties_prints_its_seed():
    fixed, fresh = settings.get_profile("rosenblatt"), settings.get_profile("thorough")
    assert (fixed.derandomize, fixed.database, fresh.derandomize) == (True, None, False)
    recipes = dict(
        re.findall(r"^([a-z-]+):.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    )
    assert "hypothesis" not in recipes["test"]
    assert "SEED=$(SEED) repeats this run" in recipes["test-properties"]
    assert "--hypothesis-seed=$(SEED)" in recipes["test-properties"]
    assert re.search(
        r"^timeout .* make test-properties \|\| echo", (ROOT / ".ci/run").read_text(), re.MULTILINE
    )


def test_make_installs_every_extra_but_those_of_benchmarks_and_gpus():
    """Otherwise a package that is missing shows only where it is used, such as the server's httptools."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    (installed,) = re.findall(r"^EXTRAS := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    of_others = {
        extra for name in installed.split(",") for extra in re.findall(r"\[(\w+)\]", " ".join(extras[name]))
    }
    assert {*installed.split(","), *of_others} >= extras.keys() - {"bench", "gpu"}
