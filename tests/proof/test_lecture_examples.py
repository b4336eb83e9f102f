"""The notes' own data: what can be separated in them, and what proves it (M14, M15)."""

from __future__ import annotations

import pytest

from rosenblatt import halfspace_by_lp, mistake_bound, separate, verify

CYCLE = [[0.0, 1.0], [0.0, -1.0], [-1.0, 0.5]], [1, 1, -1]
XOR = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]], [-1, 1, 1, -1]


def test_003_cycle_without_offset_is_quasi_separable_and_two_points_cancel():
    verdict = separate(*CYCLE, offset=False)
    assert verdict.kind == "quasi-separable"
    assert verdict.margin == (0.0, 0.0)
    assert verdict.support.tolist() == [0, 1]
    assert verdict.separated.tolist() == [2]
    assert verify(verdict, *CYCLE).kind == "quasi-separable"
    assert halfspace_by_lp(*CYCLE, offset=False).found is False


@pytest.mark.parametrize("offset", [True, False])
def test_no_halfspace_computes_xor(offset):
    verdict = separate(*XOR, offset=offset)
    assert verdict.kind == "overlapping"
    assert mistake_bound(*XOR, offset=offset).bound is None
