"""The compiled loop makes the same decisions and the same weights as the formula, written naively."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import rules
from tests.rules import naive_rules as naive
from tests.rules import problems
from tests.rules.rule_runs import train_perceptron, weights


def close(got, want):
    """Equal but for rounding, beside the largest of the weights."""
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9 * np.abs(want).max())


FIXED = ("rosenblatt", "margin", "uneven_margin")


@given(draw=st.data())
def test_rules_of_fixed_coefficient_decide_exact_ties_as_the_formula_does(draw):
    """Whole numbers and thresholds that scores meet exactly; times 0.1, scores that miss them by less
    than rounding would show. Zero rows, every tie, any start."""
    X, y = problem = draw.draw(problems.small_integers())
    unit = draw.draw(st.sampled_from([1.0, 0.1]))
    X = X * unit
    name = draw.draw(st.sampled_from(FIXED))
    taus = st.sampled_from([0.0, unit * unit, 2.0 * unit * unit])
    parameters = {field: draw.draw(taus) for field in rules.RULES[name]._fields if field.startswith("tau")}
    tie = draw.draw(st.sampled_from(["mistake", "negative", "positive"]))
    offset = draw.draw(st.booleans())
    start = draw.draw(st.lists(st.integers(-2, 2), min_size=problem.width, max_size=problem.width))
    start[-1] *= offset  # there is no b without an offset
    layout = draw.draw(st.sampled_from(["dense64", "csr64"]))
    formula = partial(getattr(naive, name), **parameters)
    looks = list(naive.looks(formula, X, y, 3, offset, tie, [float(wj) for wj in start]))
    model = train_perceptron(
        rules.RULES[name](**parameters), problems.laid_out(X, layout), y,
        epochs=3, offset=offset, tie=tie, init=(start[:-1], start[-1]),
    )  # fmt: skip
    assert model.mistakes_ == sum(look.mistake for look in looks)
    assert model.updates_ == sum(look.updated for look in looks)
    assert weights(model).tolist() == looks[-1].w


@pytest.mark.parametrize("tie", ["mistake", "negative", "positive"])
def test_a_zero_row_without_offset_has_a_score_of_zero_whatever_was_learned(both, tie):
    rule, formula = both
    X, y = np.array([[0.0, 0.0], [1.0, 2.0], [0.0, 0.0], [2.0, -1.5]]), np.array([1, 1, -1, -1])
    looks = list(naive.looks(formula, X, y, epochs=3, offset=False, tie=tie))
    model = train_perceptron(rule, X, y, epochs=3, offset=False, tie=tie)
    zero_rows = {"mistake": 2, "negative": 1, "positive": 1}[tie]  # of each pass, wrong for ever
    assert model.history_[-1].mistakes == zero_rows
    assert model.mistakes_ == sum(look.mistake for look in looks)
    close(weights(model), looks[-1].w)
