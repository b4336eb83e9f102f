"""Tables of probabilities: moments by the definition, in fractions; two variables; two columns."""

from __future__ import annotations

import math
import statistics
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.course.foundations import (
    Discrete,
    correlation,
    covariance,
)
from rosenblatt.errors import BadInput

HALF = Fraction(1, 2)
fractions = st.fractions(-5, 5, max_denominator=6)


def as_shares(counts):
    return {outcome: Fraction(count, sum(counts.values())) for outcome, count in counts.items()}


tables = st.dictionaries(fractions, st.integers(1, 9), min_size=1, max_size=6).map(as_shares)


# ---------------------------------------------------------------- one variable


@given(tables)
def test_mean_and_variance_equal_those_of_the_definition_to_the_last_digit(table):
    ours = Discrete(table)
    mean = sum(x * p for x, p in table.items())
    assert ours.mean == mean
    assert ours.variance == sum(x * x * p for x, p in table.items()) - mean**2
    assert isinstance(ours.variance, Fraction)
    assert ours.deviation == pytest.approx(math.sqrt(ours.variance), rel=1e-15)


@given(st.dictionaries(st.floats(-1e6, 1e6), st.integers(1, 9), min_size=1, max_size=6))
def test_floats_are_computed_exactly_and_rounded_once(counts):
    table = {x: count / sum(counts.values()) for x, count in counts.items()}
    whole = sum(map(Fraction, table.values()))
    exact = Discrete({Fraction(x): Fraction(p) / whole for x, p in table.items()})
    ours = Discrete(table)
    assert (ours.mean, ours.variance) == (float(exact.mean), float(exact.variance))
    assert isinstance(ours.mean, float)


def test_thirds_as_floats_add_up_to_1_within_rounding_and_what_is_further_off_is_refused():
    assert Discrete({0: 1 / 3, 3: 1 / 3, 6: 1 / 3}).mean == 3.0
    assert Discrete(dict.fromkeys(range(10), 0.1)).mean == pytest.approx(4.5, rel=1e-15)
    with pytest.raises(BadInput, match=r"add up to 0\.999"):
        Discrete({0: 0.333, 3: 0.333, 6: 0.333})


def test_decimals_and_text_are_exact():
    assert Discrete({0: Decimal("0.1"), 1: "9/10"}).mean == Fraction(9, 10)
    assert Discrete({Decimal("0.5"): 1}).mean == HALF
    assert Discrete({np.int64(2**62): 1}).variance == 0  # no overflow of numpy's integers


def test_outcomes_outside_the_table_have_probability_0():
    coin = Discrete({0: "1/4", 1: "3/4"})
    assert coin.probability(7) == 0
    assert coin.log_probability([0, 7]).tolist() == [pytest.approx(math.log(0.25)), -math.inf]
    assert coin.log_likelihood(np.array([0, 1])) == pytest.approx(math.log(3 / 16))
    assert Discrete({0: 0.25, 1: 0.75}).probability(np.array([0, 2])).tolist() == [0.25, 0.0]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), tables)
def test_no_other_table_makes_the_data_more_likely(data, other):
    fitted = Discrete.fit(data)
    assert sum(fitted.table.values()) == 1
    rival = Discrete(
        as_shares({x: 1 + int(10 * abs(k)) for x, k in zip(range(4), [*other, 0, 0, 0], strict=False)})
    )
    assert fitted.log_likelihood(data) >= rival.log_likelihood(data) - 1e-12


# ---------------------------------------------------------------- two columns


@given(st.lists(st.tuples(fractions, fractions), min_size=1, max_size=8))
def test_columns_are_the_table_in_which_each_row_has_the_same_probability(rows):
    x, y = zip(*rows, strict=True)
    products, first, second = (Discrete.fit(part) for part in ([a * b for a, b in rows], x, y))
    assert covariance(x, y) == products.mean - first.mean * second.mean
    assert covariance(x, x) == Discrete.fit(x).variance


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=3, max_size=8))
def test_the_correlation_equals_that_of_the_standard_library(rows):
    x, y = zip(*rows, strict=True)
    if len(set(x)) > 1 and len(set(y)) > 1:
        assert correlation(x, y) == pytest.approx(statistics.correlation(x, y), rel=1e-12, abs=1e-12)
        floats = correlation([float(number) for number in x], [float(number) for number in y])
        assert floats == pytest.approx(correlation(x, y), rel=1e-12, abs=1e-12)


def test_the_correlation_of_huge_and_tiny_numbers_does_not_overflow():
    assert correlation([1e300, -1e300], [1e-300, 2e-300]) == -1.0
    assert correlation([10**400, 0], [0, 1]) == -1.0


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Discrete({}), "table: expected a probability for each outcome, as a dict, got {}"),
        (
            lambda: Discrete([0.5, 0.5]),
            r"table: expected a probability for each outcome, as a dict, got \[0",
        ),
        (
            lambda: Discrete({0: "1/2", 1: "1/3"}),
            'table: the probabilities add up to 5/6, expected 1; .*"1/3"',
        ),
        (
            lambda: Discrete({0: "-1/2", 1: "3/2"}),
            r"P\(0\): expected a probability, from 0 to 1, got '-1/2'",
        ),
        (lambda: Discrete({0: math.nan}), r"P\(0\): expected a finite number, got nan"),
        (lambda: Discrete({math.inf: 1}).mean, "outcome: expected a finite number, got inf"),
        (lambda: Discrete({0: 1}).probability({}), "x: expected an outcome such as"),
        (lambda: Discrete({0: 1}).sample(-1), "n: expected a whole number of at least 0"),
        (lambda: Discrete.fit([]), "data: empty"),
        (lambda: Discrete({1e300: 0.5, -1e300: 0.5}).variance, "beyond the largest double"),
        (lambda: covariance([1, 2], [1]), "x, y: columns of different length, 2 and 1 numbers"),
        (lambda: covariance([1, 2], ["a", "b"]), "y: expected numbers"),
        (lambda: covariance([1e200, -1e200], [1e200, -1e200]), "overflows; divide the columns"),
        (lambda: correlation([1, 2], [3, 3]), "y: all numbers are the same"),
    ],
)
def test_an_invalid_value_is_refused_with_a_message(make, message):
    with pytest.raises(BadInput, match=message):
        make()


def test_a_random_variable_gives_each_outcome_a_number():
    coins = Discrete({"HH": "1/4", "HT": "1/4", "TH": "1/4", "TT": "1/4"})
    heads = coins.map(lambda toss: toss.count("H"))
    assert heads == Discrete({2: "1/4", 1: "1/2", 0: "1/4"})
    assert (heads.mean, heads.variance) == (1, HALF)
    assert coins.expectation(lambda toss: toss.count("H")) == heads.mean
    with pytest.raises(BadInput, match="outcome: expected a finite number, got 'HH'"):
        coins.mean  # noqa: B018
    with pytest.raises(BadInput, match="function: no value for the outcome 'HT'"):
        coins.map({"HH": 1})


def test_draws_follow_the_table_and_outcomes_of_probability_0_never_occur():
    table = Discrete({"a": "1/2", "b": 0, "c": "3/8", "d": "1/8"})
    drawn = table.sample(40_000, random_state=0)
    assert drawn.tolist() == table.sample(40_000, random_state=0).tolist()
    seen = Discrete.fit(drawn)
    assert seen.probability("b") == 0
    for outcome in "acd":
        assert float(seen.probability(outcome)) == pytest.approx(
            float(table.probability(outcome)), abs=0.01
        )
