"""Fixtures for the tests of keepers: those of the rules, whose references and data serve here too."""

from __future__ import annotations

import importlib.util
from pathlib import Path

_spec = importlib.util.spec_from_file_location(
    "fixtures_of_rules", Path(__file__).parent.parent / "rules" / "conftest.py"
)
assert _spec is not None
assert _spec.loader is not None
_shared = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_shared)

naive = _shared.naive
naive_keepers = _shared.naive_keepers
problems = _shared.problems
both = _shared.both
trained = _shared.trained
weights = _shared.weights
