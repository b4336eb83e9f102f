"""KernelPerceptron: tables, classes and weights, as scikit-learn has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from rosenblatt import KernelPerceptron
from rosenblatt.budgets import Forgetron
from tests.models.kernel_configurations import each_configuration

# ---------------------------------------------------------------- names and tables


LAYOUTS = {
    "csr of int32": lambda X: with_index_type(sparse.csr_array(X), np.int32),
    "csr of int64": lambda X: with_index_type(sparse.csr_matrix(X), np.int64),
    "csc": sparse.csc_array,
    "coo": sparse.coo_matrix,
    "float32": lambda X: X.astype(np.float32),
    "Fortran order": np.asfortranarray,
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "int8": lambda X: X.astype(np.int8),
    "lists": lambda X: X.tolist(),
}


def with_index_type(matrix: Any, kind: type) -> Any:
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


def test_balanced_in_parts_goes_by_all_rows_so_far(three):
    X, y = three
    model = KernelPerceptron(class_weight="balanced", gamma=1.0)
    by_hand = KernelPerceptron(gamma=1.0)
    for part in np.split(np.arange(90), [30, 50]):
        seen = np.bincount(y[: part[-1] + 1], minlength=3)
        model.partial_fit(X[part], y[part], classes=range(3))
        by_hand.partial_fit(X[part], y[part], range(3), (seen.sum() / (3 * seen))[y[part]])
    np.testing.assert_allclose(model.dual_coef_, by_hand.dual_coef_, rtol=1e-12)
