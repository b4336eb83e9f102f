"""Perceptrons: every rule, keeper, kind of classes and tie."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Perceptron, rules
from tests.covering import all_pairs, all_turns

NAMES = ("tumours", "irises", "digits")
KEEPERS = ("last", "averaged", "pocket")
ONE_BY_ONE = [name for name, cls in rules.RULES.items() if not rules.keeps_arrays(cls)]


@pytest.mark.parametrize(
    ("name", "keep", "rule"),
    all_pairs(NAMES, KEEPERS, ["rosenblatt", "forgetting", "passive_aggressive_1"]),
)
def test_real_data_gets_the_same_labels(data_sets, agrees, name, keep, rule):
    X, y = data_sets[name]
    model = Perceptron(rule=rule, keep=keep, epochs=3, order="given").fit(X[::2], y[::2])
    # two classes may have the same vector in their pockets: then every row is a tie of theirs
    is_clear = keep != "pocket" or len(np.unique(model.coef_, axis=0)) == len(model.coef_)
    agrees(model, X, most_in_doubt=0.02 if is_clear else 1.0)


@pytest.mark.parametrize(
    ("rule", "keep"), [*all_turns(ONE_BY_ONE, ["last", "averaged"]), ("arow", "averaged")]
)
def test_every_rule_is_exported(agrees, rule, keep):
    generator = np.random.default_rng(3)
    X = generator.normal(size=(80, 6))
    y = X[:, 0] - X[:, 1] + 0.3 * generator.normal(size=80) > 0
    agrees(Perceptron(rule=rule, keep=keep, epochs=4, order="given").fit(X, y), X)


@pytest.mark.parametrize(
    ("sharing", "keep"), all_turns(["worst", "uniform", "proportional"], ["last", "averaged", "pocket"])
)
def test_classes_that_share_mistakes(data_sets, agrees, sharing, keep):
    X, y = data_sets["irises"]
    model = Perceptron(multiclass="ultraconservative", sharing=sharing, keep=keep, order="given")
    agrees(model.fit(X, y), X)


@pytest.mark.parametrize("keep", KEEPERS)
@pytest.mark.parametrize("classes", [2, 3])
def test_classes_that_come_late_have_a_column_each(data_sets, agrees, keep, classes):
    X, y = data_sets["irises"]
    model = Perceptron(allow_new_classes=True, keep=keep)
    for c in range(classes):
        model.partial_fit(X[y <= c], y[y <= c])
    agrees(model, X)


@pytest.mark.parametrize(
    ("keep", "tie", "as_sparse"), all_pairs(KEEPERS, ["mistake", "positive", "negative"], [False, True])
)
def test_tables_of_labels_come_out_as_0_and_1(data_sets, agrees, run_onnx, keep, tie, as_sparse):
    X, y = data_sets["irises"]
    Y = np.column_stack([y == 0, y == 1, y > 0, X[:, 0] > 5.8]).astype(np.int64)
    Y = scipy.sparse.csr_array(Y) if as_sparse else Y
    model = Perceptron(keep=keep, tie=tie, order="given").fit(X, Y)
    agrees(model, X)
    label, _ = run_onnx(model, X)
    assert label.dtype == np.int64
    assert set(np.unique(label)) == {0, 1}


@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize("input_type", ["float64", "float32"])
def test_either_type_of_input_is_computed_in_double(data_sets, agrees, offset, input_type):
    X, y = data_sets["tumours"]
    X = X.astype(input_type)
    for keep in KEEPERS:
        agrees(Perceptron(keep=keep, offset=offset, order="given", epochs=3).fit(X, y), X, input_type)


@pytest.mark.parametrize("tie", ["mistake", "negative", "positive"])
def test_a_score_of_0_answers_as_the_package_does(run_onnx, tie):
    model = Perceptron(tie=tie, order="given", until="separated", epochs=None, offset=False)
    model.fit([[1.0, 1.0], [-1.0, -1.0]], ["no", "yes"])
    label, scores = run_onnx(model, [[1.0, -1.0], [0.0, 0.0]])
    assert scores.tolist() == [0.0, 0.0]
    assert label.tolist() == model.predict([[1.0, -1.0], [0.0, 0.0]]).tolist()
    assert label[0] == ("yes" if tie == "positive" else "no")


@pytest.mark.parametrize(
    ("classes", "kind"),
    [
        (["cat", "dog"], object),
        (["ähre", "木", ""], object),
        ([False, True], np.int64),
        ([-1.0, 1.0], np.int64),
        (np.array([3, 250], np.uint8), np.int64),
        (np.array(["a", "b", "c"], object), object),
        (np.array([7, 2**40], object), np.int64),
    ],
)
def test_classes_of_every_kind_come_back_equal(run_onnx, classes, kind):
    classes = np.asarray(classes)
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(30, 3)), classes[np.arange(30) % len(classes)]
    model = Perceptron(order="given").fit(X, y)
    label, _ = run_onnx(model, X)
    assert label.dtype == kind
    assert (label == model.predict(X)).all()


@pytest.mark.parametrize(("keep", "name"), all_turns(KEEPERS, NAMES))
def test_no_row_and_one_row_can_be_predicted(data_sets, run_onnx, keep, name):
    X, y = data_sets[name]
    model = Perceptron(keep=keep, epochs=1, order="given").fit(X, y)
    label, scores = run_onnx(model, X[:0])
    assert len(label) == len(scores) == 0
    label, scores = run_onnx(model, X[:1])
    assert label.tolist() == model.predict(X[:1]).tolist()
    assert scores.shape == model.decision_function(X[:1]).shape


whole = st.integers(-4, 4).map(float)


@st.composite
def small_problems(draw):
    d, n = draw(st.integers(1, 4)), draw(st.integers(2, 12))
    X = np.array(draw(st.lists(st.lists(whole, min_size=d, max_size=d), min_size=n, max_size=n)))
    n_classes = draw(st.integers(2, min(3, n)))
    y = np.arange(n) % n_classes
    others = np.array(draw(st.lists(st.lists(whole, min_size=d, max_size=d), min_size=1, max_size=6)))
    return X, y, np.vstack([X, others])


@given(
    small_problems(),
    st.sampled_from(["last", "pocket"]),
    st.sampled_from(["mistake", "positive", "negative"]),
    st.booleans(),
    st.booleans(),
)
def test_sums_of_whole_numbers_are_exact_so_all_labels_and_scores_are_equal(
    run_onnx, problem, keep, tie, offset, late
):
    X, y, asked = problem
    model = Perceptron(keep=keep, tie=tie, offset=offset, allow_new_classes=late, epochs=3, order="given")
    model.fit(X, y)
    label, scores = run_onnx(model, asked)
    assert (label == model.predict(asked)).all()
    assert (scores == model.decision_function(asked)).all()
