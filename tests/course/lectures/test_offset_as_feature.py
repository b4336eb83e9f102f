"""The offset is the weight of a feature that is always 1: true in both directions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Learner, Perceptron, trace

coordinates = st.one_of(
    st.integers(-3, 3).map(float), st.floats(-10.0, 10.0, allow_subnormal=False), st.just(0.1)
)


@st.composite
def labelled_rows(draw):
    rows = draw(st.integers(2, 8))
    features = draw(st.integers(1, 3))
    X = draw(
        st.lists(st.lists(coordinates, min_size=features, max_size=features), min_size=rows, max_size=rows)
    )
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=rows - 2, max_size=rows - 2))
    return np.array(X), np.array([-1, 1, *y])


def with_ones(X, column):
    return np.insert(X, column, 1.0, axis=1)


@given(labelled_rows(), st.sampled_from(["given", "first_mistake", "worst_mistake"]))
def test_learning_with_offset_is_learning_without_on_points_with_a_one(data, order):
    X, y = data
    offset = Perceptron(order=order, epochs=5).fit(X, y)
    lifted = Perceptron(order=order, epochs=5, offset=False).fit(with_ones(X, X.shape[1]), y)
    assert lifted.coef_[0, :-1].tolist() == offset.coef_[0].tolist()
    assert lifted.coef_[0, -1] == offset.intercept_[0]
    assert lifted.intercept_[0] == 0.0
    assert [e.mistakes for e in lifted.history_] == [e.mistakes for e in offset.history_]


@given(labelled_rows(), st.data())
def test_a_constant_feature_anywhere_can_be_taken_out_and_made_an_offset(data, choice):
    X, y = data
    column = choice.draw(st.integers(0, X.shape[1]))
    lifted = trace(with_ones(X, column), y, offset=False, epochs=4)
    bare = trace(np.delete(lifted.points, column, axis=1), y, offset=True, epochs=4)
    for with_one, with_offset in zip(lifted, bare, strict=True):
        w = list(with_one.weights)
        assert w.pop(column) == with_offset.offset
        assert tuple(w) == with_offset.weights
        assert with_one.mistake == with_offset.mistake
        assert with_one.norm_squared == pytest.approx(with_offset.norm_squared, rel=1e-12)


@given(labelled_rows())
def test_one_example_at_a_time_too(data):
    X, y = data
    offset, lifted = Learner(offset=True), Learner(offset=False)
    for x, label in zip(X, y.tolist(), strict=True):
        assert offset.answer(x) == lifted.answer([*x, 1.0])
        assert offset.reveal(label) == lifted.reveal(label)
    assert [*offset.weights, offset.offset_weight] == lifted.weights.tolist()
