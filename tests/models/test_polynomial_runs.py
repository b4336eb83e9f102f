"""PolynomialThreshold: runs and what they tell."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import PolynomialThreshold
from rosenblatt.errors import BadInput
from tests.covering import all_pairs, all_turns
from tests.models.polynomial_problems import KEEPERS, XOR, both, real_numbers, updates, whole_numbers


@pytest.mark.parametrize(("way", "keep"), all_turns(["map", "kernel"], KEEPERS))
def test_a_pickled_model_decides_and_goes_on_as_the_original(keep, way):
    X, y = real_numbers(60, 2, 3, 4)
    model = PolynomialThreshold(way=way, keep=keep, random_state=0, epochs=2).fit(X, y)
    twin = pickle.loads(pickle.dumps(model))
    assert (twin.decision_function(X) == model.decision_function(X)).all()
    assert twin.way_ == model.way_ == way
    model.partial_fit(X[:20], y[:20])
    twin.partial_fit(X[:20], y[:20])
    assert updates(twin) == updates(model)
    assert (twin.decision_function(X) == model.decision_function(X)).all()


@pytest.mark.parametrize("way", ["map", "kernel"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_to_learn_in_parts_is_to_learn_in_one_pass(n_classes, way):
    X, y = real_numbers(60, 2, n_classes, 6)
    whole = PolynomialThreshold(way=way, order="given", epochs=1, random_state=0).fit(X, y)
    at_once = PolynomialThreshold(way=way, random_state=0).partial_fit(X, y)
    parts = PolynomialThreshold(way=way, random_state=0)
    for start in range(0, 60, 7):
        part = slice(start, start + 7)
        parts.partial_fit(X[part], y[part], classes=np.arange(n_classes) if start == 0 else None)
    assert updates(at_once) == updates(whole) == updates(parts)
    np.testing.assert_allclose(parts.decision_function(X), whole.decision_function(X), rtol=1e-9, atol=1e-9)
    assert (parts.predict(X) == whole.predict(X)).all()
    assert (parts.mistakes_, parts.examples_seen_) == (whole.mistakes_, 60)


@pytest.mark.parametrize(("way", "keep"), all_turns(["map", "kernel"], KEEPERS))
def test_two_warm_fits_of_two_passes_are_one_of_four(keep, way):
    X, y = real_numbers(50, 2, 3, 2)
    warm = PolynomialThreshold(way=way, keep=keep, epochs=2, warm_start=True, random_state=0)
    warm.fit(X, y).fit(X, y)
    once = PolynomialThreshold(way=way, keep=keep, epochs=4, random_state=0).fit(X, y)
    assert [[(d, look) for _, d, look in c] for c in updates(warm)] == [
        [(d, look) for _, d, look in c] for c in updates(once)
    ]
    assert (warm.epochs_, warm.mistakes_, warm.way_) == (4, once.mistakes_, way)
    np.testing.assert_allclose(warm.decision_function(X), once.decision_function(X), rtol=1e-9, atol=1e-9)
    assert (warm.predict(X) == once.predict(X)).all()


@pytest.mark.parametrize(
    ("way", "keep", "coef0"), all_pairs(["map", "kernel"], ["last", "averaged", "random"], [0.0, 0.4, 3.0])
)
def test_the_polynomial_of_any_constant_is_the_decision_function(coef0, keep, way):
    X, y = real_numbers(40, 3, 2, 6)
    model = PolynomialThreshold(3, way, coef0, keep=keep, epochs=3, random_state=4).fit(X, y)
    np.testing.assert_allclose(model.polynomial_(X), model.decision_function(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("way", ["map", "kernel"])
def test_a_homogeneous_polynomial_has_no_say_at_0_and_the_same_at_minus_x_for_even_degrees(way):
    X, y = real_numbers(40, 2, 2, 3)
    model = PolynomialThreshold(2, way, 0.0, random_state=0).fit(X, y)
    assert model.decision_function([[0.0, 0.0]]).tolist() == [0.0]
    assert (model.decision_function(-X) == model.decision_function(X)).all()
    assert (model.way_, model.n_monomials_) == (way, 3)


@pytest.mark.parametrize("coef0", [-1.0, math.nan, math.inf, "1", None])
def test_a_constant_that_makes_no_kernel_is_refused(coef0):
    with pytest.raises(BadInput, match=r"^coef0: expected a finite number of at least 0"):
        PolynomialThreshold(coef0=coef0).fit(*XOR)


def test_a_warm_start_with_another_constant_is_refused():
    model = PolynomialThreshold(coef0=0.0, warm_start=True).fit(*XOR)
    with pytest.raises(BadInput, match=r"coef0: 1.0 now, but learning began with 0.0"):
        model.set_params(coef0=1.0).fit(*XOR)
    assert model.set_params(coef0=0.0).fit(*XOR).epochs_ == 20


def test_a_warm_start_with_another_degree_or_other_columns_is_refused():
    X, y = real_numbers(30, 2, 2, 0)
    model = PolynomialThreshold(warm_start=True, random_state=0).fit(X, y)
    before = model.decision_function(X)
    with pytest.raises(BadInput, match=r"degree: 3 now, but learning began with 2"):
        model.set_params(degree=3).fit(X, y)
    with pytest.raises(BadInput, match=r"degree: 3 now"):
        model.partial_fit(X, y)
    model.set_params(degree=2)
    with pytest.raises(BadInput, match="4 features"):
        model.fit(np.hstack([X, X]), y)
    with pytest.raises(BadInput, match="4 features"):
        model.predict(np.hstack([X, X]))
    assert (model.decision_function(X) == before).all()
    assert model.set_params(degree=3, warm_start=False).fit(X, y).polynomial_.degree == 3


@pytest.mark.parametrize("way", ["map", "kernel"])
def test_validation_keeps_what_was_best_on_other_rows(way):
    X, y = real_numbers(120, 2, 3, 9)
    y = np.where(np.random.default_rng(0).random(120) < 0.2, (y + 1) % 3, y)
    model = PolynomialThreshold(way=way, epochs=6, random_state=5, validation=(X[80:], y[80:]))
    model.fit(X[:80], y[:80])
    errors = [record.validation_error for record in model.history_]
    assert model.best_epoch_ == 1 + int(np.argmin(errors))
    there = PolynomialThreshold(way=way, epochs=model.best_epoch_, random_state=5).fit(X[:80], y[:80])
    assert (there.decision_function(X) == model.decision_function(X)).all()
    assert np.mean(model.predict(X[80:]) != y[80:]) == pytest.approx(min(errors))
    assert model.epochs_ == 6


@pytest.mark.parametrize(("way", "keep"), all_turns(["map", "kernel"], KEEPERS))
def test_the_error_tracked_in_a_pass_is_that_of_a_run_which_ends_there(keep, way):
    X, y = real_numbers(80, 2, 3, 3)
    parameters = {"way": way, "keep": keep, "random_state": 2}
    model = PolynomialThreshold(epochs=3, track_error=True, **parameters).fit(X, y)
    ends = [PolynomialThreshold(epochs=t, **parameters).fit(X, y) for t in (1, 2, 3)]
    assert [record.training_error for record in model.history_] == [
        pytest.approx(np.mean(end.predict(X) != y)) for end in ends
    ]


@pytest.mark.parametrize("way", ["map", "kernel"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sparse_rows_are_dense_rows(dtype, way):
    X, y = whole_numbers(50, 3, 3, 7)
    X = (X * 0.3).astype(dtype)
    dense, sparse = (
        PolynomialThreshold(way=way, degree=3, random_state=0).fit(rows, y) for rows in (X, csr_array(X))
    )
    assert updates(dense) == updates(sparse)
    assert (dense.predict(X) == sparse.predict(csr_array(X))).all()
    for one, other in zip(dense.polynomial_.values(), sparse.polynomial_.values(), strict=True):
        np.testing.assert_allclose(one(X), other(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("way", ["map", "kernel"])
def test_rows_of_weight_0_are_absent(way):
    X, y = real_numbers(50, 2, 2, 1)
    weight = (np.arange(50) % 3 > 0).astype(float)
    X[weight == 0] = np.nan
    there = weight > 0
    model = PolynomialThreshold(way=way, order="given").fit(X, y, sample_weight=weight)
    want = PolynomialThreshold(way=way, order="given").fit(X[there], y[there])
    assert [(d, look) for _, d, look in updates(model)[0]] == [(d, look) for _, d, look in updates(want)[0]]
    assert model.predict(X[there]).tolist() == want.predict(X[there]).tolist()


def test_learning_does_not_write_into_what_it_was_given():
    X, y = real_numbers(50, 2, 2, 1)
    rows, labels = X.copy(), y.copy()
    for model in both(rows, labels, random_state=0):
        model.predict(rows)
        model.polynomial_(rows)
    assert (rows == X).all()
    assert (labels == y).all()


def test_grid_search_finds_the_degree():
    X = np.random.default_rng(3).uniform(-2, 2, size=(200, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    model = make_pipeline(StandardScaler(), PolynomialThreshold(keep="averaged", random_state=0))
    search = GridSearchCV(model, {"polynomialthreshold__degree": [1, 2]}, cv=3).fit(X, y)
    assert search.best_params_["polynomialthreshold__degree"] == 2
    assert search.best_score_ > 0.9


def test_a_callback_sees_every_pass_and_may_end_the_run():
    seen = []
    model = PolynomialThreshold(epochs=9, callbacks=lambda epoch: seen.append(epoch) or len(seen) == 3)
    model.fit(*whole_numbers(30, 2, 2, 0))
    assert (len(seen), model.epochs_) == (3, 3)
