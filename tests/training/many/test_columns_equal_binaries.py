"""Each column ends with the very bits of a binary Perceptron that learned it alone, by every engine."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from rosenblatt import Perceptron
from rosenblatt.rules import Margin, Rosenblatt, UnevenMargin
from rosenblatt.training.panel_columns import PanelColumns
from rosenblatt.training.separate_columns import SeparateColumns
from tests.covering import all_turns, case_id
from tests.training.many.conftest import ENGINES

FIXED = [Rosenblatt(rate=0.3), Margin(tau=0.7), UnevenMargin(1.1, 0.2)]


@pytest.mark.parametrize(("n_jobs", "keep"), all_turns([1, 2, 3], ["last", "averaged"]))
def test_a_column_has_the_bits_that_it_would_have_alone(engine, keep, n_jobs, crowd, naive, alone, same):
    X, y = crowd
    rows, settings = engine.rows(X), {"keep": keep, "epochs": 3, "random_state": 4}
    model = Perceptron(n_jobs=n_jobs, **settings).fit(rows, y)
    assert isinstance(model._state, PanelColumns)
    same(model, alone(rows, naive.table(y), **settings))


@pytest.mark.parametrize(("engine", "rule"), all_turns(ENGINES, FIXED), indirect=["engine"], ids=case_id)
def test_so_it_has_by_every_rule_of_fixed_steps(engine, rule, crowd, naive, alone, same):
    X, y = crowd
    rows, settings = engine.rows(X), {"rule": rule, "epochs": 2, "order": "given"}
    same(Perceptron(**settings).fit(rows, y), alone(rows, naive.table(y), **settings))


@pytest.mark.parametrize("tie", ["mistake", "negative", "positive"])
@pytest.mark.parametrize("offset", [True, False], ids=["offset", "no offset"])
def test_a_score_of_exactly_0_is_decided_as_it_is_alone(engine, offset, tie, whole, naive, alone, same):
    X, y = whole
    settings = {"offset": offset, "tie": tie, "epochs": 3, "random_state": 4}
    rows = engine.rows(X)
    model = Perceptron(**settings).fit(rows, y)
    assert model.exact_decisions_ > 20
    same(model, alone(rows, naive.table(y), **settings))


@pytest.mark.parametrize(
    "init",
    [
        "unit",
        np.array([1.0, -2.0, 0.5, 0.0]),
        np.arange(28.0).reshape(7, 4) - 13.0,
        (np.ones((7, 4)), np.arange(7.0) - 3.0),
    ],
    ids=["unit", "one for all", "one for each", "one for each, with b"],
)
def test_a_column_begins_where_it_is_told_to(engine, init, tagged_rows, alone, same):
    X, Y = tagged_rows
    rows, settings = engine.rows(X), {"init": init, "epochs": 2, "random_state": 0, "keep": "averaged"}
    same(Perceptron(**settings).fit(rows, Y), alone(rows, Y, **settings))


@pytest.mark.parametrize("order", ["given", "shuffled", [3, 3, 17, 0, 88, 41, 5, 5, 60] * 3], ids=case_id)
def test_absent_rows_are_not_looked_at_and_heavy_ones_move_w_further(
    order, engine, crowd, naive, alone, same
):
    X, y = crowd
    weight = np.random.default_rng(0).choice([0.0, 1.0, 2.5, 1e-3], size=len(y))
    weight[3] = 1.0
    rows, settings = engine.rows(X), {"order": order, "epochs": 2, "random_state": 7, "keep": "averaged"}
    model = Perceptron(**settings).fit(rows, y, sample_weight=weight)
    same(model, alone(rows, naive.table(y), sample_weight=weight, **settings))


@pytest.mark.parametrize("class_weight", ["balanced", {0: 3.0, 4: 0.25}], ids=case_id)
def test_class_weights_multiply_the_weight_of_each_row(class_weight, engine, crowd, naive, alone, same):
    X, y = crowd
    y = np.where(y == 3, 0, y)  # one class much larger than the others
    classes, counts = np.unique(y, return_counts=True)
    each = len(y) / (len(classes) * counts)
    if isinstance(class_weight, dict):
        each = np.array([class_weight.get(c, 1.0) for c in classes])
    importance = each[np.searchsorted(classes, y)]
    rows, settings = engine.rows(X), {"epochs": 2, "random_state": 7}
    model = Perceptron(class_weight=class_weight, **settings).fit(rows, y)
    same(model, alone(rows, naive.table(y), sample_weight=importance, **settings))


@pytest.mark.parametrize("class_weight", ["balanced", {0: 3.0, 6: 0.25}], ids=case_id)
def test_class_weights_of_labels_are_those_of_the_two_sides_of_each(class_weight, engine, tagged_rows):
    X, Y = tagged_rows
    rows, settings = engine.rows(X), {"epochs": 2, "random_state": 7}
    weight = np.random.default_rng(1).choice([0.0, 1.0, 2.0], size=len(X))
    model = Perceptron(class_weight=class_weight, **settings).fit(rows, Y, sample_weight=weight)
    for c in range(Y.shape[1]):
        sides = class_weight if class_weight == "balanced" else {1: class_weight.get(c, 1.0)}
        one = Perceptron(class_weight=sides, **settings).fit(rows, Y[:, c], sample_weight=weight)
        assert model.coef_[c].tolist() == one.coef_[0].tolist()
        assert model.mistakes_per_class_[c] == one.mistakes_
        assert model.false_positives_per_class_[c] == one.false_positives_


ONE_BY_ONE = {
    "forgetting, averaged": {"rule": "forgetting", "keep": "averaged"},
    "pocket": {"keep": "pocket"},
    "first mistake": {"order": "first_mistake"},
    "worst mistake": {"order": "worst_mistake", "keep": "averaged"},
}


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_what_has_no_common_loop_is_learned_one_by_one(name, layout, crowd, naive, alone, same):
    X, y = crowd
    rows, settings = layout(X), {"epochs": 2, "order": "given", **ONE_BY_ONE[name]}
    model = Perceptron(n_jobs=2, **settings).fit(rows, y)
    assert isinstance(model._state, SeparateColumns)
    same(model, alone(rows, naive.table(y), **settings))


@given(
    X=arrays(np.float64, st.tuples(st.integers(4, 18), st.integers(1, 4)), elements=st.integers(-3, 3)),
    seed=st.integers(0, 2**16),
    offset=st.booleans(),
)
def test_every_engine_makes_the_same_mistakes(X, seed, offset, engines, alone):
    """So no order of summation, precision, block, panel or thread has a say in what is learned."""
    Y = np.random.default_rng(seed).integers(0, 2, size=(len(X), 5))
    Y[0], Y[1] = 0, 1
    settings = {"offset": offset, "epochs": 2, "random_state": seed}
    want = np.vstack([one.coef_ for one in alone(X, Y, **settings)])
    for engine in engines():
        model = Perceptron(n_jobs=1 + seed % 3, **settings).fit(engine.rows(X), Y)
        assert (model.coef_ == want).all(), engine.name


@pytest.mark.parametrize("n_columns", [1, 2, 15, 16, 17, 47, 48, 65, 300])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_any_number_of_labels_is_learned_without_touching_a_knob(layout, n_columns, alone):
    """The panels, blocks and lanes of the shipped settings, at and about their edges."""
    generator = np.random.default_rng(n_columns)
    X = generator.normal(size=(150, 9))
    Y = (X @ generator.normal(size=(9, n_columns)) + generator.normal(size=(150, n_columns)) > 0).astype(
        int
    )
    settings = {"epochs": 2, "random_state": 0, "keep": "averaged"}
    rows = layout(X)
    model = Perceptron(n_jobs=2, **settings).fit(rows, sparse.csr_array(Y))
    assert model.coef_.shape == (n_columns, 9)
    some = sorted({0, n_columns // 2, n_columns - 1})
    for c, one in zip(some, alone(rows, Y[:, some], **settings), strict=True):
        assert model.coef_[c].tolist() == one.coef_[0].tolist()
        assert model.mistakes_per_class_[c] == one.mistakes_
        assert model.false_positives_per_class_[c] == one.false_positives_


def test_a_label_without_a_row_is_learned_as_never(engine, tagged_rows):
    X, Y = tagged_rows
    Y = Y.copy()
    Y[:, 2], Y[:, 5] = 0, 1
    with pytest.warns(UserWarning, match=r"2 of 7 label columns are constant \(2, 5\).*constant_labels_"):
        model = Perceptron(epochs=3, random_state=0).fit(engine.rows(X), Y)
    assert model.constant_labels_.tolist() == [2, 5]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answer = model.predict(engine.rows(X))
    assert not answer[:, 2].any()
    assert answer[:, 5].all()
    others = [0, 1, 3, 4, 6]
    assert (model.coef_[others] == Perceptron(epochs=3, random_state=0).fit(
        engine.rows(X), Y[:, others]).coef_).all()  # fmt: skip
