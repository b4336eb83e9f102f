"""A bad parameter is refused in a sentence that names the rule, the parameter and what was found."""

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
NO_NUMBER = ["2", None, True, [1.0], 1j]
MAY_BE_ZERO = ("tau", "tau_positive", "tau_negative")
WRONG = {
    "covariance": ["half", "", None, 1.0, True],
    "eta": [0.5, 1.0, math.nan, -1.0, "0.7", True],
    "alpha": [1.5, math.nan, -1e-300, 0.0, *NO_NUMBER],
}
"""What the ranges of the rules exclude; the other parameters are finite and not negative."""
PARAMETERS = [(cls, field) for cls in rules.RULES.values() for field in cls._fields]


def wrong_values():
    for cls, field in PARAMETERS:
        values = [math.nan, math.inf, -math.inf, -1.0, -1e-300, *NO_NUMBER]
        values += [] if field in MAY_BE_ZERO else [0.0]
        yield from ((cls, field, value) for value in WRONG.get(field, values))
    yield from ((rules.Rosenblatt, "rate", value) for value in (np.True_, np.array([1.0, 2.0])))


@pytest.mark.parametrize(
    ("cls", "field", "value"), list(wrong_values()), ids=lambda part: getattr(part, "__name__", repr(part))
)
def test_a_value_outside_the_range_is_refused_everywhere_with_the_same_sentence(cls, field, value):
    rule = cls(**{field: value})
    sentence = f"^{re.escape(f'{cls.__name__}.{field}')}: expected .*, got {re.escape(repr(value))}$"
    with pytest.raises(BadInput, match=sentence):
        rules.as_rule(rule)
    with pytest.raises(BadInput, match=sentence):
        Perceptron(rule=rule).fit(X, Y)
    with pytest.raises(BadInput, match=sentence):
        Learner(rule=rule)


@pytest.mark.parametrize(("cls", "field"), [pair for pair in PARAMETERS if pair[1] not in WRONG])
@pytest.mark.parametrize("value", [0, 1, np.float32(0.5), np.int8(1)], ids=repr)
def test_any_number_in_range_becomes_a_float(cls, field, value):
    if value == 0 and field not in MAY_BE_ZERO:
        value = 1e-300
    rule = rules.as_rule(cls(**{field: value}))
    assert type(rule) is cls
    assert type(getattr(rule, field)) is float
    assert getattr(rule, field) == float(value)


@pytest.mark.parametrize("name", once_for_arrays(rules.RULES))
def test_a_name_means_the_rule_with_its_defaults(name):
    rule = rules.as_rule(name)
    assert rule == rules.RULES[name]()
    assert rules.name_of(rule) == name
    data = problems.noisy()
    assert (weights(train_perceptron(name, *data)) == weights(train_perceptron(rule, *data))).all()
