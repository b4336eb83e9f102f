"""Functions that are compiled with their callers have the answers, constants and errors of plain Python."""

from __future__ import annotations

import gc
import os

import numpy as np
import pytest

from rosenblatt.numeric.compiling import inline, jit_uncached, part

pytestmark = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")


@inline
def twice(x):
    return 2.0 * x


@part
def root(x):
    if x < 0.0:
        raise ValueError("a root of less than nothing")
    return twice(np.sqrt(x)) / 2.0


@part
def word(x):
    return "large" if x > 1.0 else "small"


@jit_uncached
def roots(numbers, out):
    for k in range(numbers.size):
        out[k] = root(numbers[k])
    return word(out[0])


def test_a_part_does_in_a_loop_what_it_does_in_python():
    numbers, out = np.array([4.0, 2.0, 0.0]), np.empty(3)
    assert roots(numbers, out) == word(2.0) == "large"
    assert out.tolist() == [root(x) for x in numbers]


def test_an_error_in_a_part_comes_to_python_in_its_words():
    with pytest.raises(ValueError, match="a root of less than nothing"):
        roots(np.array([-1.0]), np.empty(1))


def test_no_machine_code_is_made_of_a_part_alone():
    roots(np.ones(1), np.empty(1))
    (code,) = roots.overloads.values()
    names = [function.name for function in code.library.get_defined_functions()]
    assert any("roots" in name for name in names)
    assert not any("twice" in name for name in names), names


@pytest.mark.parametrize("is_on", [True, False])
def test_garbage_is_collected_after_compiling_if_it_was_before(is_on):
    (gc.enable if is_on else gc.disable)()
    try:
        jit_uncached(lambda x: x + 1.0)(1.0)
        assert gc.isenabled() == is_on
    finally:
        gc.enable()
