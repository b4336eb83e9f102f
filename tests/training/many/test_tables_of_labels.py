"""Multilabel tables in every form that scikit-learn accepts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.metrics import accuracy_score

from rosenblatt import Perceptron
from rosenblatt.errors import BadInput

TABLES = {
    "ints": np.asarray,
    "bytes": lambda Y: Y.astype(np.uint8),
    "booleans": lambda Y: Y.astype(bool),
    "floats": lambda Y: Y.astype(np.float64),
    "objects": lambda Y: Y.astype(object),
    "columns first": np.asfortranarray,
    "lists": lambda Y: Y.tolist(),
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "coo matrix": sparse.coo_matrix,
    "booleans, lil": lambda Y: sparse.lil_array(Y.astype(bool)),
    "pandas": lambda Y: pd.DataFrame(Y, columns=[f"label {c}" for c in range(Y.shape[1])]),
    "polars": lambda Y: pl.DataFrame(Y, schema=[f"label {c}" for c in range(Y.shape[1])]),
}


def plain(answer):
    return answer.toarray() if sparse.issparse(answer) else np.asarray(answer)


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_means_the_same_whatever_it_is_made_of(kind, tagged_rows, alone, same):
    X, Y = tagged_rows
    settings = {"epochs": 3, "random_state": 0}
    model = Perceptron(**settings).fit(X, TABLES[kind](Y))
    same(model, alone(X, Y, **settings))
    assert model.classes_.tolist() == list(range(7))
    assert (plain(model.predict(X)) == (model.decision_function(X) > 0)).all()
    assert model.training_error(X, TABLES[kind](Y)) == (plain(model.predict(X)) != Y).mean()
    assert model.score(X, Y) == accuracy_score(Y, model.predict(X))


def test_the_names_of_a_frame_name_the_labels(tagged_rows):
    X, Y = tagged_rows
    frame = pd.DataFrame(Y, columns=list("abcdefg"))
    model = Perceptron(random_state=0, class_weight={"c": 3.0}).fit(X, frame)
    by_number = Perceptron(random_state=0, class_weight={2: 3.0}).fit(X, Y)
    assert (model.coef_ == by_number.coef_).all()
    assert model.label_names_ == list("abcdefg")
    assert model.weights_by_name("d") == by_number.weights_by_name(3)
    with pytest.raises(BadInput, match=r"of: got 'z', expected one of the classes 'a', 'b', 'c'"):
        model.weights_by_name("z")
    model.set_params(class_weight=None).fit(
        X, Y.sum(axis=1) % 3
    )  # now they are classes, and nothing of the labels is left
    assert not hasattr(model, "label_names_")
    assert not hasattr(model, "constant_labels_")
    assert set(model.weights_by_name(2)) == {"x0", "x1", "x2", "x3"}


def test_one_column_of_labels_is_a_table_if_it_is_sparse(tagged_rows):
    X, Y = tagged_rows
    model = Perceptron(random_state=0).fit(X, sparse.csr_array(Y[:, :1]))
    one = Perceptron(random_state=0).fit(X, Y[:, 0])
    assert model.coef_.tolist() == one.coef_.tolist()
    assert model.decision_function(X).shape == (50, 1)
    assert model.predict(X).toarray()[:, 0].tolist() == one.predict(X).tolist()


def test_thousands_of_labels_are_learned_in_one_reading():
    generator = np.random.default_rng(1)
    X = sparse.random_array((300, 200), density=0.05, rng=generator, format="csr")
    Y = sparse.random_array((300, 4000), density=0.002, rng=generator, format="csr")
    Y.data[:] = 1
    positive = np.bincount(Y.indices, minlength=4000)
    with pytest.warns(UserWarning, match=r"label columns are constant"):
        model = Perceptron(epochs=2, random_state=0, class_weight="balanced").fit(X, Y)
    assert model.constant_labels_.tolist() == np.flatnonzero(positive == 0).tolist()
    for c in (0, 1999, 3999, int(positive.argmax())):
        if positive[c]:
            one = Perceptron(epochs=2, random_state=0, class_weight="balanced").fit(X, Y.toarray()[:, c])
            assert model.coef_[c].tolist() == one.coef_[0].tolist()


@pytest.mark.parametrize(
    ("Y", "sentence"),
    [
        (np.array([[0, 1], [2, 0]]), r"Y: 2 in row 1, column 0; a label is 0 or 1"),
        (np.array([[0, 1], [0.5, 0]]), r"Y: 0.5 in row 1, column 0"),
        (np.array([[0, 1], [np.nan, 0]]), r"Y: Input y contains NaN in row 1, column 0"),
        (np.array([[0, 1], [-1, 1]]), r"Y: -1 in row 1, column 0"),
        (sparse.csr_array([[0, 1], [0, 3]]), r"Y: 3 in row 1, column 1"),
        (sparse.csr_array([[0, 1], [0, np.nan]]), r"Y: Input y contains NaN in row 1, column 1"),
        (np.array([["a", "b"], ["b", "a"]]), r"Y: Unknown label type.*give 0 and 1"),
        (np.zeros((2, 0)), r"Y: a table of labels without columns"),
        (np.zeros((3, 2)), r"Y: 3 rows of labels for 2 rows of X"),
    ],
    ids=str,
)
def test_a_contradicting_table_is_refused_with_the_position(Y, sentence):
    with pytest.raises(BadInput, match=sentence):
        Perceptron().fit([[1.0], [2.0]], Y)


def test_a_warning_turned_into_an_error_does_not_change_the_model(tagged_rows):
    """Under -W error the warning is an exception; like every other it must change nothing."""
    X, Y = tagged_rows
    model = Perceptron(epochs=1, random_state=0).fit(X, Y)
    coef = model.coef_.copy()
    with pytest.raises(UserWarning, match=r"constant"):
        model.fit(X, np.where(np.arange(7) == 2, 0, Y))
    assert (model.coef_ == coef).all()
    assert model.constant_labels_.size == 0


@pytest.mark.parametrize("weight", [0.0, -1.0, np.inf, np.nan, "much", None])
def test_the_weight_of_a_label_is_a_number_above_0(weight, tagged_rows):
    """0 would make its positive rows absent for one column and present for the others."""
    with pytest.raises(BadInput, match=r"class_weight: expected .*"):
        Perceptron(class_weight={2: weight}).fit(*tagged_rows)
    with pytest.raises(BadInput, match=r"class_weight: 7 is not a label; the labels are 0…6"):
        Perceptron(class_weight={7: 1.0}).fit(*tagged_rows)
