"""Fixtures of the tests of the dual form, for the same runs on a device."""

from tests.training.dual.conftest import naive, naive_kernels, ours, problems, same_run, updates

__all__ = ["naive", "naive_kernels", "ours", "problems", "same_run", "updates"]
