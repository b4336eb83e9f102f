"""The numbers of a dict whose names are known are read as Python would read them, or not at all."""

from __future__ import annotations

import os
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.numeric.dicts import addresses, reader

pytestmark = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="interpreted code takes the long way"
)

NAMES = ["a", "ä", "名", "long name of a feature", ""]


def read(x, names=NAMES):
    """The values, or None."""
    values = np.full(len(names), np.nan)
    return values.tolist() if reader()(x, addresses(names), values) else None


def copy_text(name):
    """The same text in another place, as each line of a file brings it."""
    return name.encode().decode()


@given(st.lists(st.floats(), min_size=5, max_size=5))
def test_every_number_comes_as_it_is(numbers):
    found = read({copy_text(name): number for name, number in zip(NAMES, numbers, strict=True)})
    assert np.array(found).tobytes() == np.array(numbers).tobytes()


@given(st.lists(st.text(max_size=3), unique=True), st.lists(st.text(max_size=3), unique=True))
def test_other_names_or_another_order_are_reported(names, others):
    ones = [1.0] * len(names)
    assert read(dict.fromkeys(map(copy_text, names), 1.0), names) == ones
    assert read(dict.fromkeys(map(copy_text, others), 1.0), names) == (ones if others == names else None)


@pytest.mark.parametrize(
    "number", [7, True, -1, -1.0, np.float32(0.5), np.int8(3), Decimal("0.25"), Fraction(1, 3)]
)
def test_every_text_that_python_parses_as_a_number_is_accepted(number):
    assert read({"a": number}, ["a"]) == [float(number)]


class Broken:
    def __float__(self):
        raise ZeroDivisionError


@pytest.mark.parametrize("value", ["1.5", None, [], 10**400, 1j, Broken()])
def test_text_that_is_not_a_number_is_left_to_the_slow_parser(value):
    assert read({"a": 1.0, "b": value}, ["a", "b"]) is None
    assert sys.exc_info()[0] is None


@pytest.mark.parametrize("names", [[1, 2], [(1, 2), "b"], [None, 3.5]])
def test_names_that_are_no_texts_are_the_same_only_where_they_are_the_same_object(names):
    assert read(dict.fromkeys(names, 1.0), names) == [1.0, 1.0]
    assert read({"a": 1.0, "b": 1.0}, names) is None


def test_a_dict_from_which_names_were_taken_is_read_without_them():
    x = {"a": 1.0, "gone": 2.0, "b": 3.0}
    del x["gone"]
    assert read(x, ["a", "b"]) == [1.0, 3.0]


def test_nothing_is_held_and_nothing_let_go():
    name, number, text = "a name of its own", 12.75, "a text"
    x, y = {name: number}, {name: text}
    before = [sys.getrefcount(thing) for thing in (name, number, text, x, y)]
    for _ in range(100):
        assert read(x, [name]) == [12.75]
        assert read(y, [name]) is None
    assert [sys.getrefcount(thing) for thing in (name, number, text, x, y)] == before
