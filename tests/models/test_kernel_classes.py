"""KernelPerceptron: tables, classes and weights, as scikit-learn has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import KernelPerceptron
from rosenblatt.budgets import Forgetron
from rosenblatt.kernels import Gaussian
from tests.models.kernel_configurations import each_configuration

# ---------------------------------------------------------------- names and tables


def test_a_frame_made_by_set_output_brings_its_names():
    frame = load_breast_cancer(as_frame=True)
    model = make_pipeline(StandardScaler(), KernelPerceptron(random_state=0)).set_output(transform="pandas")
    model.fit(frame.data, frame.target)
    assert model[-1].feature_names_in_.tolist() == frame.data.columns.tolist()
    plain = make_pipeline(StandardScaler(), KernelPerceptron(random_state=0))
    plain.fit(frame.data.to_numpy(), frame.target)
    assert not hasattr(plain[-1], "feature_names_in_")
    assert (plain[-1].dual_coef_ == model[-1].dual_coef_).all()


def test_names_in_another_order_are_refused():
    frame = load_iris(as_frame=True)
    model = KernelPerceptron().fit(frame.data, frame.target)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.data.iloc[:, ::-1])
    with pytest.raises(ValueError, match="feature names should match"):
        model.partial_fit(frame.data.iloc[:, ::-1], frame.target)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(frame.data.to_numpy())


TABLES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.mark.parametrize("library", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("budget", [None, 10])
def test_a_table_is_its_numbers(library, budget, three):
    X, y = three
    table = library({"a": X[:, 0], "b": X[:, 1]})
    model = KernelPerceptron(budget=budget, random_state=0, keep="last").fit(table, y)
    plain = KernelPerceptron(budget=budget, random_state=0, keep="last").fit(X, y)
    assert model.support_.tolist() == plain.support_.tolist()
    assert (model.decision_function(table) == plain.decision_function(X)).all()
    assert (
        model.partial_fit(table, y).mistakes_per_class_ == plain.partial_fit(X, y).mistakes_per_class_
    ).all()


LAYOUTS = {
    "csr of int32": lambda X: indexed(sparse.csr_array(X), np.int32),
    "csr of int64": lambda X: indexed(sparse.csr_matrix(X), np.int64),
    "csc": sparse.csc_array,
    "coo": sparse.coo_matrix,
    "float32": lambda X: X.astype(np.float32),
    "Fortran order": np.asfortranarray,
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "int8": lambda X: X.astype(np.int8),
    "lists": lambda X: X.tolist(),
}


def indexed(matrix: Any, kind: type) -> Any:
    matrix.indices, matrix.indptr = matrix.indices.astype(kind), matrix.indptr.astype(kind)
    return matrix


@pytest.mark.parametrize("laid_out", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("kernel", ["gaussian", "laplacian", "polynomial", "linear"])
@pytest.mark.parametrize("budget", [None, Forgetron(10)], ids=str)
def test_the_same_numbers_in_another_layout_give_the_same_mistakes(laid_out, kernel, budget):
    generator = np.random.default_rng(2)
    X, y = generator.integers(-2, 3, size=(70, 6)).astype(float), generator.integers(0, 3, size=70)
    settings = {"kernel": kernel, "budget": budget, "keep": "last", "epochs": 2, "random_state": 0}
    model, plain = (KernelPerceptron(**settings).fit(rows, y) for rows in (laid_out(X), X))
    assert model.mistakes_per_class_.tolist() == plain.mistakes_per_class_.tolist()
    assert model.support_.tolist() == plain.support_.tolist()
    assert model.predict(laid_out(X)).tolist() == plain.predict(X).tolist()
    got = model.support_vectors_
    assert np.asarray(got.toarray() if sparse.issparse(got) else got).tolist() == X[plain.support_].tolist()


# ---------------------------------------------------------------- classes


NAMES = {
    "words": np.array(["ant", "bee", "cat"]),
    "objects": np.array(["ant", "bee", "cat"], dtype=object),
    "whole floats": np.array([-1.0, 0.0, 5.0]),
    "large numbers": np.array([-(2**40), 3, 2**40]),
    "uint8": np.array([0, 7, 255], dtype=np.uint8),
}


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
@each_configuration()
def test_classes_may_be_called_anything(settings, names, three):
    X, y = three
    plain = KernelPerceptron(random_state=0, epochs=3, **settings).fit(X, y)
    model = KernelPerceptron(random_state=0, epochs=3, **settings).fit(X, names[y])
    assert model.classes_.tolist() == names.tolist()
    assert (model.decision_function(X) == plain.decision_function(X)).all()
    assert model.predict(X).tolist() == names[plain.predict(X)].tolist()
    assert model.predict(X).dtype == names.dtype


@pytest.mark.parametrize(
    "y", [[False, True], ["no", "yes"], np.array(["no", "yes"], object), [-1, 1]], ids=str
)
def test_of_two_classes_the_second_is_the_positive_one(y, noisy):
    X, labels = noisy
    model = KernelPerceptron(random_state=0).fit(X, np.array(y)[labels])
    assert model.classes_.tolist() == list(y)
    assert model.decision_function(X).shape == (120,)
    assert model.dual_coef_.shape == (1, len(model.support_))
    assert ((model.decision_function(X) > 0) == (model.predict(X) == y[1])).all()


@each_configuration(but=("RandomBudget",))  # there each class draws numbers of its own
def test_with_more_classes_each_has_a_perceptron_against_the_rest(settings, three):
    X, y = three
    settings = {"gamma": 0.5, "order": "given", "epochs": 3, "random_state": 0, **settings}
    together = KernelPerceptron(**settings).fit(X, y)
    apart = [KernelPerceptron(**settings).fit(X, y == c) for c in range(3)]
    values = np.column_stack([model.decision_function(X) for model in apart])
    assert together.mistakes_per_class_.tolist() == [model.mistakes_ for model in apart]
    np.testing.assert_allclose(together.decision_function(X), values, rtol=1e-9, atol=1e-12)
    assert (together.predict(X) == values.argmax(axis=1)).all()


def test_it_agrees_with_one_versus_rest(three):
    X, y = three
    model = KernelPerceptron(gamma=0.5, order="given").fit(X, y)
    wrapped = OneVsRestClassifier(KernelPerceptron(gamma=0.5, order="given")).fit(X, y)
    assert (wrapped.predict(X) == model.predict(X)).all()


def test_ten_classes_have_ten_columns():
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(200, 4)), np.arange(200) % 10
    model = KernelPerceptron(random_state=0, epochs=2).fit(X, y)
    assert model.decision_function(X).shape == (200, 10)
    assert model.dual_coef_.shape == (10, len(model.support_))
    assert model.mistakes_per_class_.shape == (10,)
    assert len(model.survival_) == 10
    assert all(survival.sum() == 400 for survival in model.survival_)


@each_configuration(but=("polynomial", "a function"))
def test_of_equal_scores_the_first_class_wins(settings, three):
    X, y = three
    model = KernelPerceptron(gamma=1.0, random_state=0, **{**settings, "offset": False}).fit(X, y)
    far = np.array([[1e6, 0.0], [0.0, -1e6]])  # where every K is 0
    if settings.get("keep") != "voted":
        assert (model.decision_function(far) == 0.0).all()
    assert model.predict(far).tolist() == [0, 0]


@pytest.mark.parametrize(("tie", "answer"), [("mistake", "a"), ("negative", "a"), ("positive", "b")])
@pytest.mark.parametrize("keep", ["last", "averaged", "voted", "random"])
def test_a_score_of_0_is_the_first_of_two_classes_unless_tie_says_otherwise(tie, answer, keep, noisy):
    X, y = noisy
    model = KernelPerceptron(gamma=1.0, keep=keep, tie=tie, random_state=0).fit(X, np.array(["a", "b"])[y])
    assert model.predict(np.full((1, 5), 1e6)).tolist() == [answer]


# ---------------------------------------------------------------- weights


@each_configuration()
@pytest.mark.parametrize("order", ["given", "shuffled"])
def test_a_row_of_weight_0_is_absent(settings, order, three):
    X, y = three
    weight = np.where(np.arange(90) % 4 == 2, 0.0, 1.0)
    there = np.flatnonzero(weight)
    holed = X.copy()
    holed[weight == 0.0] = np.nan  # what is absent may be anything
    model, plain = KernelPerceptron(order=order, **settings), KernelPerceptron(order=order, **settings)
    for each in (model, plain):
        each.set_params(random_state=0, epochs=3)
    if order == "given":
        plain.fit(X[there], y[there])
        model.fit(holed, y, sample_weight=weight)
        assert model.support_.tolist() == there[plain.support_].tolist()
    else:
        plain.fit(X, y, sample_weight=weight)
        model.fit(holed, y, sample_weight=weight)
    assert model.kernel_ == plain.kernel_
    assert model.mistakes_per_class_.tolist() == plain.mistakes_per_class_.tolist()
    assert (model.decision_function(X) == plain.decision_function(X)).all()
    assert model.examples_seen_ == 3 * len(there)


@pytest.mark.parametrize("settings", [{}, {"gamma": 2.0, "kernel": Gaussian(gamma="scale")}], ids=str)
@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
@pytest.mark.parametrize("absent", [np.nan, np.inf, 1e6])
def test_an_absent_row_has_no_say_in_the_scale(settings, learn, absent, three):
    X, y = three
    weight, holed = np.ones(90), X.copy()
    weight[5], holed[5] = 0.0, absent
    model, plain = KernelPerceptron(**settings), KernelPerceptron(**settings)
    getattr(model, learn)(holed, y, sample_weight=weight)
    getattr(plain, learn)(X[weight > 0], y[weight > 0])
    assert model.kernel_ == plain.kernel_


def test_weights_of_1_are_no_weights(three):
    X, y = three
    plain = KernelPerceptron(random_state=0).fit(X, y)
    model = KernelPerceptron(random_state=0).fit(X, y, sample_weight=np.ones(90))
    assert (model.dual_coef_ == plain.dual_coef_).all()


@each_configuration()
def test_balanced_is_the_dict_that_it_says(settings, three):
    X, y = three
    counts = np.bincount(y)
    weights = {c: 90 / (3 * counts[c]) for c in range(3)}
    balanced = KernelPerceptron(class_weight="balanced", random_state=0, **settings).fit(X, y)
    given = KernelPerceptron(class_weight=weights, random_state=0, **settings).fit(X, y)
    by_hand = KernelPerceptron(random_state=0, **settings)
    by_hand.fit(X, y, sample_weight=[weights[label] for label in y])
    for other in (given, by_hand):
        assert (balanced.decision_function(X) == other.decision_function(X)).all()


def test_balanced_counts_rows_by_their_weight(three):
    X, y = three
    weight = np.random.default_rng(0).uniform(0.1, 2.0, size=90)
    totals = np.bincount(y, weights=weight)
    model = KernelPerceptron(class_weight="balanced", random_state=0).fit(X, y, sample_weight=weight)
    by_hand = KernelPerceptron(random_state=0).fit(X, y, weight * (weight.sum() / (3 * totals))[y])
    np.testing.assert_allclose(model.dual_coef_, by_hand.dual_coef_, rtol=1e-12)


def test_balanced_in_parts_goes_by_all_rows_so_far(three):
    X, y = three
    model = KernelPerceptron(class_weight="balanced", gamma=1.0)
    by_hand = KernelPerceptron(gamma=1.0)
    for part in np.split(np.arange(90), [30, 50]):
        seen = np.bincount(y[: part[-1] + 1], minlength=3)
        model.partial_fit(X[part], y[part], classes=range(3))
        by_hand.partial_fit(X[part], y[part], range(3), (seen.sum() / (3 * seen))[y[part]])
    np.testing.assert_allclose(model.dual_coef_, by_hand.dual_coef_, rtol=1e-12)


def test_a_class_that_a_dict_does_not_name_weighs_1(three):
    X, y = three
    model = KernelPerceptron(class_weight={1: 3.0}, random_state=0).fit(X, y)
    same = KernelPerceptron(class_weight={0: 1, 1: 3, 2: 1.0}, random_state=0).fit(X, y)
    assert (model.dual_coef_ == same.dual_coef_).all()
