"""Streams of several classes: late classes, runs in parts, and changing row layouts."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rosenblatt import Perceptron
from rosenblatt.errors import BadInput

LAYOUTS = [np.asarray, sparse.csr_array, lambda X: X.astype(np.float32), lambda X: X.astype(int)]


def pieces(X, y, cuts):
    bounds = [0, *cuts, len(y)]
    return [(X[a:b], y[a:b]) for a, b in pairwise(bounds)]


@pytest.mark.parametrize("keep", ["last", "averaged"])
def test_a_class_that_comes_late_is_a_perceptron_begun_at_that_batch(engine, keep, whole):
    X, y = whole
    y = np.sort(y)  # classes 0, 1, 2, 3, one after another
    generator = np.random.default_rng(0)
    y[20:] = np.minimum(y[20:], generator.integers(0, 4, size=40))
    stream = Perceptron(keep=keep, allow_new_classes=True, init=np.array([0.5, -1.0, 2.0]))
    arrived: dict[int, int] = {}
    cuts = [1, 9, 18, 25, 33, 40, 48]
    for number, (some, labels) in enumerate(pieces(X, y, cuts)):
        stream.partial_fit(engine.rows(some), labels)
        for c in labels.tolist():
            arrived.setdefault(c, number)
    assert len(set(arrived.values())) > 2
    assert stream.classes_.tolist() == sorted(arrived, key=lambda c: (arrived[c], c))
    for column, c in enumerate(stream.classes_.tolist()):
        one = Perceptron(keep=keep, init=np.array([0.5, -1.0, 2.0]))
        for some, labels in pieces(X, y, cuts)[arrived[c] :]:
            one.partial_fit(engine.rows(some), labels == c, classes=[False, True])
        assert stream.coef_[column].tolist() == one.coef_[0].tolist()
        assert stream.intercept_[column] == one.intercept_[0]
        assert stream.mistakes_per_class_[column] == one.mistakes_
        assert stream.false_positives_per_class_[column] == one.false_positives_


def test_a_class_once_seen_keeps_its_column():
    X = np.eye(4)
    stream = Perceptron(allow_new_classes=True)
    stream.partial_fit(X[:2], ["pear", "fig"])
    assert stream.classes_.tolist() == ["fig", "pear"]
    stream.partial_fit(X, ["apple", "pear", "elderberry", "fig"])
    assert stream.classes_.tolist() == ["fig", "pear", "apple", "elderberry"]
    stream.partial_fit(X[:1], ["apple"])
    assert stream.classes_.tolist() == ["fig", "pear", "apple", "elderberry"]
    assert set(stream.predict(X)) <= set(stream.classes_)
    for _ in range(5):
        stream.partial_fit(X, ["apple", "pear", "elderberry", "fig"])
    assert stream.predict(X).tolist() == ["apple", "pear", "elderberry", "fig"]


def test_one_class_is_enough_to_begin_where_more_may_come(whole):
    X, _ = whole
    stream = Perceptron(allow_new_classes=True).partial_fit(X[:5], ["a"] * 5)
    assert stream.predict(X[:3]).tolist() == ["a"] * 3
    stream.partial_fit(X[:5], ["b", "a", "a", "b", "a"])
    assert stream.coef_.shape == (2, 3)
    lead = stream.decision_function(X)
    assert lead.shape == (60,)
    assert (stream.predict(X) == np.where(lead > 0, "b", "a")).all()


def test_balanced_weights_of_labels_count_both_sides_of_each_so_far(tagged_rows):
    X, Y = tagged_rows
    stream = Perceptron(class_weight="balanced")
    ones = [Perceptron(class_weight="balanced") for _ in range(7)]
    for start in (0, 25):
        part = slice(start, start + 25)
        stream.partial_fit(X[part], Y[part])
        for c, one in enumerate(ones):
            one.partial_fit(X[part], Y[part, c], classes=[0, 1])
    assert stream.coef_.tolist() == [one.coef_[0].tolist() for one in ones]


@given(
    kinds=st.lists(st.sampled_from(range(4)), min_size=4, max_size=4),
    pickled=st.booleans(),
    multiclass=st.sampled_from(["one_vs_rest", "ultraconservative"]),
)
def test_the_kind_of_rows_may_change_in_mid_stream(kinds, pickled, multiclass, whole):
    """Small whole numbers are the same in every kind of row, so the run must be too."""
    X, y = whole
    stream = Perceptron(keep="averaged", multiclass=multiclass)
    for kind, (some, labels) in zip(kinds, pieces(X, y, [15, 30, 45]), strict=True):
        stream.partial_fit(LAYOUTS[kind](some), labels, classes=range(4))
        if pickled:
            stream = pickle.loads(pickle.dumps(stream))
    once = Perceptron(keep="averaged", epochs=1, order="given", multiclass=multiclass).fit(X, y)
    assert (stream.coef_ == once.coef_).all()
    assert stream.mistakes_ == once.mistakes_
    assert (stream.predict(LAYOUTS[kinds[0]](X)) == once.predict(X)).all()


def test_labels_in_pieces_are_one_pass_whatever_tables_they_come_in(tagged_rows):
    X, Y = tagged_rows
    stream = Perceptron().partial_fit(X[:25], Y[:25]).partial_fit(X[25:], sparse.csc_array(Y[25:]))
    once = Perceptron(epochs=1, order="given").fit(X, Y)
    assert (stream.coef_ == once.coef_).all()
    with pytest.raises(BadInput, match="Y: a table of 3 labels, but learning began with 7"):
        stream.partial_fit(X, Y[:, :3])
    with pytest.raises(BadInput, match="y: classes here, but learning began with a table of labels"):
        stream.partial_fit(X, Y[:, 0])
    classes = Perceptron().partial_fit(X, Y[:, 0] + Y[:, 1])
    with pytest.raises(BadInput, match="y: a table of labels here, but learning began with classes"):
        classes.partial_fit(X, Y)


def test_a_warm_start_on_labels_after_classes_is_refused(crowd, tagged_rows):
    """Classes 0, 1, 2 and a table of three labels have the same names; they are not the same task."""
    (X, y), (_, Y) = crowd, tagged_rows
    X, y, Y = X[:50], np.arange(50) % 3, Y[:, :3]
    for first, then in ((y, Y), (Y, y), (y % 2, Y[:, :2]), (Y[:, :2], y % 2)):
        model = Perceptron(warm_start=True, epochs=1, random_state=0).fit(X, first)
        coef = model.coef_.copy()
        with pytest.raises(BadInput):
            model.fit(X, then)
        assert (model.coef_ == coef).all()
