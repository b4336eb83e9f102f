"""The default settings of `fit`."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from rosenblatt.models.default_settings import passes_over


@pytest.mark.parametrize(
    ("n_bytes", "comes_once", "passes"),
    [(None, False, 10), (10**8, False, 10), (2 * 10**8, False, 3), (6 * 10**8, False, 1), (100, True, 1)],
)
def test_large_files_get_fewer_passes(n_bytes, comes_once, passes):
    assert passes_over(SimpleNamespace(n_bytes=n_bytes, comes_once=comes_once)) == passes
