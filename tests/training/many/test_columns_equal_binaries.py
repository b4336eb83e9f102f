"""Each binary classifier of a multiclass run has the bits of one trained alone, in every engine."""

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
from tests.covering import case_id, covering
from tests.training.many import naive_many as naive
from tests.training.many.conftest import ENGINES

FIXED = [Rosenblatt(rate=0.3), Margin(tau=0.7), UnevenMargin(1.1, 0.2)]
INITS = {
    "zeros": lambda d, k: "zeros",
    "unit": lambda d, k: "unit",
    "one for all": lambda d, k: np.linspace(1.0, -2.0, d),
    "one for each": lambda d, k: np.arange(float(d * k)).reshape(k, d) - 13.0,
    "one for each, with b": lambda d, k: (np.ones((k, d)), np.arange(float(k)) - 3.0),
}
ORDERS = ["given", "shuffled", [3, 3, 17, 0, 41, 5, 5, 9] * 3]
WEIGHTS = ["none", "some absent", "of classes", "balanced"]


@pytest.mark.parametrize(
    ("engine", "rule", "data", "keep", "n_jobs", "offset", "tie", "init", "order", "weights"),
    covering(
        ENGINES, FIXED, ["classes", "whole", "tags"], ["last", "averaged"], [1, 2, 3], [True, False],
        ["mistake", "negative", "positive"], list(INITS), ORDERS, WEIGHTS,
    ),
    indirect=["engine"],
    ids=case_id,
)  # fmt: skip
def test_a_column_has_the_bits_that_it_would_have_alone(
    engine,
    rule,
    data,
    keep,
    n_jobs,
    offset,
    tie,
    init,
    order,
    weights,
    crowd,
    whole,
    tagged_rows,
    alone,
    same,
):
    X, y = {"classes": crowd, "whole": whole, "tags": tagged_rows}[data]
    Y = y if data == "tags" else naive.table(y)
    settings = {"rule": rule, "keep": keep, "offset": offset, "tie": tie, "order": order}
    settings |= {"epochs": 2, "random_state": 4}
    start = INITS[init](X.shape[1], Y.shape[1])
    if isinstance(start, tuple) and not offset:
        start = start[0]
    class_weight, weight, each = None, None, None
    if weights == "some absent":
        weight = each = np.random.default_rng(0).choice([0.0, 1.0, 2.5, 1e-3], size=len(y))
        weight[3] = 1.0
    elif weights != "none" and data != "tags":
        classes, counts = np.unique(y, return_counts=True)
        by_class = {0: 3.0, 3: 0.25}
        factors = np.array([by_class.get(c, 1.0) for c in classes])
        if weights == "balanced":
            factors, by_class = len(y) / (len(classes) * counts), "balanced"
        class_weight, each = by_class, factors[np.searchsorted(classes, y)]
    rows = engine.rows(X)
    model = Perceptron(n_jobs=n_jobs, class_weight=class_weight, init=start, **settings)
    model.fit(rows, y, sample_weight=weight)
    assert isinstance(model._state, PanelColumns)
    same(model, alone(rows, Y, sample_weight=each, init=start, **settings))
    assert init != "zeros" or model.exact_decisions_ > 0


@pytest.mark.parametrize("class_weight", ["balanced", {0: 3.0, 6: 0.25}], ids=case_id)
def test_class_weights_of_labels_equal_those_of_the_two_sides_of_each(class_weight, engine, tagged_rows):
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
    "first mistake": {"order": "first_mistake"},
    "worst mistake": {"order": "worst_mistake", "keep": "averaged"},
}


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_settings_without_a_shared_loop_are_trained_one_by_one(name, layout, crowd, alone, same):
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
    """The order of summation, the precision, blocks, panels and threads do not change what is learned."""
    Y = np.random.default_rng(seed).integers(0, 2, size=(len(X), 5))
    Y[0], Y[1] = 0, 1
    settings = {"offset": offset, "epochs": 2, "random_state": seed}
    want = np.vstack([one.coef_ for one in alone(X, Y, **settings)])
    for engine in engines():
        model = Perceptron(n_jobs=1 + seed % 3, **settings).fit(engine.rows(X), Y)
        assert (model.coef_ == want).all(), engine.name


@pytest.mark.parametrize("n_columns", [1, 2, 15, 16, 17, 47, 48, 65, 300])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_any_number_of_labels_is_learned_with_default_sizes(layout, n_columns, alone):
    """Test the default sizes of panels, blocks and lanes at their boundaries."""
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
