"""A bad parameter is refused in a sentence that names the rule, the parameter and what was got."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from rosenblatt import Learner, Perceptron, rules
from rosenblatt.errors import BadInput
from tests.covering import once_for_arrays
from tests.rules import problems
from tests.rules.rule_runs import train_perceptron, weights

X, Y = [[0.0, 1.0], [1.0, 0.0]], [-1, 1]

PARAMETERS = [
    (cls, field)
    for cls in rules.RULES.values()
    for field in cls._fields
    if field not in ("covariance", "eta")
]
ABOVE_ZERO = ("rate", "C", "fade", "alpha", "r", "b", "a", "delta")
NO_NUMBER = ["2", "", None, True, False, [1.0], 1j]


def pair_name(pair):
    cls, field = pair
    return f"{cls.__name__}.{field}"


def check_refusal(rule, where, got):
    """The sentence with which `rule` is refused, from each place that takes a rule."""
    sentence = f"^{re.escape(where)}: expected .*, got {re.escape(repr(got))}$"
    with pytest.raises(BadInput, match=sentence):
        rules.as_rule(rule)
    with pytest.raises(BadInput, match=sentence):
        Perceptron(rule=rule).fit(X, Y)
    with pytest.raises(BadInput, match=sentence):
        Learner(rule=rule)


def test_every_parameter_of_every_rule_is_tested_here():
    assert {field for _, field in PARAMETERS} == {
        "rate", "tau", "tau_positive", "tau_negative", "C", "alpha", "fade", "r", "b", "a", "delta",
    }  # fmt: skip


@pytest.mark.parametrize("parameter", PARAMETERS, ids=pair_name)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -1.0, -1e-300])
def test_a_parameter_is_finite_and_not_negative(parameter, value):
    cls, field = parameter
    check_refusal(cls(**{field: value}), pair_name(parameter), value)


@pytest.mark.parametrize("parameter", PARAMETERS, ids=pair_name)
@pytest.mark.parametrize("value", NO_NUMBER, ids=repr)
def test_a_parameter_is_a_number_and_truth_is_not_one(parameter, value):
    cls, field = parameter
    check_refusal(cls(**{field: value}), pair_name(parameter), value)


@pytest.mark.parametrize("value", [np.True_, np.array([1.0, 2.0]), np.array([1.0])], ids=repr)
def test_numpys_truth_values_and_arrays_are_no_numbers_either(value):
    check_refusal(rules.Rosenblatt(rate=value), "Rosenblatt.rate", value)


@pytest.mark.parametrize("parameter", PARAMETERS, ids=pair_name)
def test_zero_is_refused_where_it_would_stop_all_learning(parameter):
    cls, field = parameter
    rule = cls(**{field: 0})
    if field in ABOVE_ZERO:
        check_refusal(rule, pair_name(parameter), 0.0)
    else:
        assert getattr(rules.as_rule(rule), field) == 0.0


def test_alpha_is_at_most_one():
    check_refusal(rules.Alma(alpha=1.5), "Alma.alpha", 1.5)
    assert rules.as_rule(rules.Alma(alpha=1)) == rules.Alma(alpha=1.0)


@pytest.mark.parametrize("parameter", PARAMETERS, ids=pair_name)
@pytest.mark.parametrize("value", [1, np.float32(0.5), np.int8(1)], ids=repr)
def test_any_number_in_range_becomes_a_float(parameter, value):
    cls, field = parameter
    rule = rules.as_rule(cls(**{field: value}))
    assert type(rule) is cls
    assert type(getattr(rule, field)) is float
    assert getattr(rule, field) == float(value)
    assert all(
        type(other) is (str if name == "covariance" else float) for name, other in rule._asdict().items()
    )


@pytest.mark.parametrize("value", [0.5, 1.0, math.nan, -1.0, "0.7", True], ids=repr)
@pytest.mark.parametrize("cls", [rules.ConfidenceWeighted, rules.Scw1, rules.Scw2])
def test_eta_is_a_probability_above_a_half(cls, value):
    check_refusal(cls(eta=value), f"{cls.__name__}.eta", value)


@pytest.mark.parametrize("value", ["half", "", None, 1.0, True], ids=repr)
@pytest.mark.parametrize("cls", [cls for cls in rules.RULES.values() if "covariance" in cls._fields])
def test_a_covariance_is_one_of_two_words(cls, value):
    check_refusal(cls(covariance=value), f"{cls.__name__}.covariance", value)


@pytest.mark.parametrize("name", once_for_arrays(rules.RULES))
def test_a_name_means_the_rule_with_its_defaults(name):
    rule = rules.as_rule(name)
    assert rule == rules.RULES[name]()
    assert rules.name_of(rule) == name
    data = problems.noisy()
    assert (weights(train_perceptron(name, *data)) == weights(train_perceptron(rule, *data))).all()
