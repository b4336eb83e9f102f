"""Signs of decision values are exact, for one row or many; weights have names."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array, csr_matrix

from rosenblatt import Perceptron

KEEPERS = ["last", "averaged", "voted", "pocket"]


def sign(number: Fraction) -> int:
    return (number > 0) - (number < 0)


def exact_sign(w: list[float], x: list[float]) -> int:
    return sign(sum((Fraction(a) * Fraction(b) for a, b in zip(w, x, strict=True)), Fraction(0)))


wide = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e150, max_value=1e150)


@given(start=arrays(np.float64, 4, elements=wide), rows=arrays(np.float64, (6, 3), elements=wide))
@example(
    start=np.array([1e16, 1.0, -1e16, 0.0]), rows=np.array([[1.0, s, 1.0] for s in (0, 1, -1, 1e-9, 2, 3)])
)
@example(start=np.array([0.1, 0.2, -0.3, 0.0]), rows=np.ones((6, 3)))
@example(start=np.array([1e-160, 1e-170, 1.0, 0.0]), rows=np.tile([1e-160, -1e-150, 0.0], (6, 1)))
def test_the_sign_of_a_decision_equals_that_of_the_exact_sum(start, rows):
    # only a zero row is visited, so only b changes
    X, y = np.vstack([np.zeros(3), rows]), [1, 0, 0, 0, 0, 0, 0]
    model = Perceptron(init=(start[:3], start[3]), order=[0], epochs=1).fit(X, y)
    w = [*model.coef_[0], *model.intercept_]
    expected = [exact_sign(w, [*row, 1.0]) for row in rows]
    for layout in (rows, csr_matrix(rows), np.asfortranarray(rows)):
        assert np.sign(model.decision_function(layout)).tolist() == expected
    assert model.predict(rows).tolist() == [int(side > 0) for side in expected]


@pytest.mark.parametrize("keep", KEEPERS)
@pytest.mark.parametrize("layout", [np.asarray, csr_array, lambda X: X.astype(np.float32)])
def test_one_row_is_decided_as_it_is_among_many(layout, keep, noisy):
    X, y = noisy
    rows = layout(X)
    model = Perceptron(keep=keep, random_state=0).fit(rows, y)
    together = model.decision_function(rows)
    alone = [model.decision_function(rows[i : i + 1])[0] for i in range(len(y))]
    assert together.tolist() == alone
    assert model.predict(rows).tolist() == [model.predict(rows[i : i + 1])[0] for i in range(len(y))]


# ---------------------------------------------------------------- weights by name


def test_weights_have_the_names_of_the_columns_and_the_largest_comes_first():
    frame = pd.DataFrame({"width": [1.0, 0.0], "height": [-3.0, 0.0], "depth": [0.5, 0.0]})
    model = Perceptron(order="given").fit(frame, ["yes", "no"])
    assert list(model.weights_by_name().items()) == [("height", -3.0), ("width", 1.0), ("depth", 0.5)]


def test_weights_of_columns_without_names_are_numbered_and_equal_ones_keep_their_order():
    model = Perceptron(order="given").fit([[1.0, -2.0, 1.0], [0.0, 0.0, 0.0]], [1, 0])
    assert list(model.weights_by_name().items()) == [("x1", -2.0), ("x0", 1.0), ("x2", 1.0)]


def test_a_committee_has_no_weights_to_name(noisy):
    with pytest.raises(AttributeError, match="keep='averaged'"):
        Perceptron(keep="voted").fit(*noisy).weights_by_name()
