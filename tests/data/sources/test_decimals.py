"""Decimals become the doubles that Python's float() returns, in any notation."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt.data.sources.parsing.decimals import nearest_double, number_at
from rosenblatt.data.sources.svmlight import SvmlightText
from rosenblatt.numeric.compiling import jit_uncached


@jit_uncached
def compiled_nearest_double(mantissa, power):
    return nearest_double(mantissa, power)


@jit_uncached
def compiled_number_at(text, at):
    return number_at(text, at)


def bits(number):
    return struct.pack("<d", number)


def as_read(*texts):
    """Return the numbers that the reader parses."""
    line = " ".join(f"{index}:{text}" for index, text in enumerate(texts, 1))
    return SvmlightText().parse(np.frombuffer(f"0 {line}\n".encode(), np.uint8)).X.data


HARD = [
    "9007199254740993",  # 2^53 + 1, halfway
    "9007199254740993.0000000000000000000000000001",
    "9007199254740992999e-3",
    "0.1e1", "1e22", "1e23", "8.5e22", "123456789012345678e-22", "9999999999999999999", "1e-22", "1e-23",
    "2.2250738585072011e-308", "2.2250738585072014e-308", "4.9e-324", "2.4703282292062327e-324",
    "1.7976931348623157e308", "179769313486231570814e288", "0.1000000000000000055511151231257827",
    "6.02214076e23", "3.14159265358979323846264338327950288", "10141204801825835211973625643008",
    "5708990770823839524233143877797980545530986496", "-0", "-0.0", "0e999999999999999999999",
    "+1", ".5", "5.", "0." + "0" * 400 + "1e401", "1" + "0" * 400 + "e-400",
    "00000000000000000000000000001.50000000000000000000",
    "1E5", "1e+05", "18446744073709551615", "18446744073709551616", "99999999999999999999",
]  # fmt: skip


@pytest.mark.parametrize("text", HARD)
def test_hard_decimals_are_read_as_python_reads_them(text):
    assert bits(as_read(text)[0]) == bits(float(text))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_double_written_by_repr_is_read_back_bit_for_bit(number):
    assert bits(as_read(repr(number))[0]) == bits(number)


@given(st.integers(0, 10**19 - 1), st.integers(-22, 22))
@example(9007199254740993, 0)
@example(9007199254740993, -1)
@example(10**19 - 1, 22)
def test_certain_results_of_the_compiled_parser_are_the_nearest_double(mantissa, power):
    value, sure = compiled_nearest_double(np.uint64(mantissa), power)
    assert not sure or bits(value) == bits(float(f"{mantissa}e{power}"))


@given(st.floats(1e-5, 1e15), st.integers(-1, 1))
def test_midpoints_between_doubles_and_their_neighbours_round_as_python_does(number, nudge):
    """The cases that decide a rounding: exactly halfway, and one unit of the last digit to either side."""
    exact, step = number.as_integer_ratio(), math.ulp(number).as_integer_ratio()
    halfway = (2 * exact[0] * step[1] + step[0] * exact[1]) * 10**80 // (2 * exact[1] * step[1])
    text = f"{halfway + nudge}e-80"
    assert bits(as_read(text)[0]) == bits(float(text))
    short = f"{(halfway + nudge) // 10**66}e-14"
    assert bits(as_read(short, "1")[0]) == bits(float(short))


def quotients_near_halfway(power):
    """Mantissas m < 10^19 for which m / 10^power is within 2^-90 of halfway between two doubles.

    Halfway is M·2^-s with M odd, of 54 bits. 10^power · M = m · 2^s + r · 2^power with a small r where
    5^power · M ≡ r modulo 2^(s - power), which fixes the low bits of M.
    """
    s = ((10**power << 54) // 10**19).bit_length()
    modulus = 1 << (s - power)
    for r in (-3, -1, 1, 3):
        low = r * pow(5, -power, modulus) % modulus
        for high in range(1 << 53, 1 << 54, max(modulus, 1 << 47)):
            yield 10**power * (high + low) >> s


def products_near_halfway(power):
    """Mantissas m < 10^19 for which m · 10^power is within 2^-100 of halfway between two doubles.

    The product m · 5^power has 53 + t bits; it is r from halfway where it is ≡ 2^(t-1) + r modulo 2^t.
    """
    for t in range(40, 64):
        for r in range(-99, 100, 2):
            low_bits = (2 ** (t - 1) + r) * pow(5, -power, 2**t) % 2**t
            least = 2 ** (52 + t) // 5**power + 1
            m = least + (low_bits - least) % 2**t
            if 2**53 < m < 10**19 and (m * 5**power).bit_length() == 53 + t:
                yield m


@pytest.mark.parametrize("power", range(16, 23))
def test_decimals_a_hair_from_halfway_are_rounded_as_python_rounds_them(power):
    texts = [f"{m}e-{power}" for m in quotients_near_halfway(power)]
    texts += [f"{m}e{power}" for m in products_near_halfway(power)]
    assert len(texts) > 300
    assert as_read(*texts).tobytes() == np.array([float(text) for text in texts]).tobytes()


@given(st.text("0123456789.eE+-", min_size=1, max_size=30))
def test_any_string_of_number_letters_is_read_as_python_reads_it_or_left_to_python(text):
    raw = np.frombuffer(text.encode() + b"\n", np.uint8)
    value, sure, end = compiled_number_at(raw, np.uint64(0))
    assert end == len(text)
    if sure:
        assert bits(value) == bits(float(text))


def test_nearly_all_doubles_are_decided_without_python():
    numbers = np.random.default_rng(0).normal(size=2000)
    raw = [np.frombuffer(f"{number!r}\n".encode(), np.uint8) for number in numbers.tolist()]
    sure = [compiled_number_at(text, np.uint64(0))[1] for text in raw]
    assert np.mean(sure) > 0.99
