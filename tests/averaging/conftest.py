"""Fixtures for the tests of averaging strategies: the references and data of the rules serve here too."""

from __future__ import annotations

from tests.rules.conftest import naive, naive_keepers, problems, train_perceptron, weights

__all__ = ["naive", "naive_keepers", "problems", "train_perceptron", "weights"]
