"""Fixtures for the tests of averaging strategies: those of the rules, whose references and data serve here too."""

from __future__ import annotations

from tests.rules.conftest import naive, naive_keepers, problems, trained, weights

__all__ = ["naive", "naive_keepers", "problems", "trained", "weights"]
