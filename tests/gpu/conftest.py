"""Fixtures of the tests of the dual form, for the same runs on a device."""

from tests.training.dual.conftest import both_of, naive, naive_kernels, ours, problems, same_run, updates

__all__ = ["both_of", "naive", "naive_kernels", "ours", "problems", "same_run", "updates"]
