"""Fixtures of the tests of the dual form, for the same runs on a device."""

from tests.training.dual.conftest import ours

__all__ = ["ours"]
