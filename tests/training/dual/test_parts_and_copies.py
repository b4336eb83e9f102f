"""A run in parts equals one run, and copies are independent."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import KernelPerceptron
from tests.rules.problems import laid_out
from tests.training.dual import kernel_problems as problems
from tests.training.dual.dual_runs import updates


def in_parts(model, X, y, cuts, sample_weight=None):
    for first, end in zip((0, *cuts), (*cuts, len(y)), strict=True):
        weights = None if sample_weight is None else sample_weight[first:end]
        model.partial_fit(X[first:end], y[first:end], classes=np.unique(y), sample_weight=weights)
    return model


# ---------------------------------------------------------------- parts


@given(draw=st.data(), n_classes=st.integers(2, 3), offset=st.booleans(), chunk=st.integers(1, 3))
def test_learning_in_parts_equals_one_pass_in_the_given_order(both, draw, n_classes, offset, chunk):
    parameters, _ = both
    X, y = draw.draw(problems.small_integers(n_classes=n_classes))
    cuts = sorted(draw.draw(st.sets(st.integers(1, len(y) - 1), max_size=4)))
    whole = KernelPerceptron(**parameters, offset=offset, order="given", epochs=1).fit(X, y)
    parts = in_parts(KernelPerceptron(**parameters, offset=offset), X, y, cuts)
    assert updates(parts) == updates(whole)
    assert parts.mistakes_per_class_.tolist() == whole.mistakes_per_class_.tolist()
    assert parts.false_positives_per_class_.tolist() == whole.false_positives_per_class_.tolist()
    assert parts.examples_seen_ == whole.examples_seen_ == len(y)
    assert parts.support_.tolist() == whole.support_.tolist()
    assert parts.epochs_ == len(cuts) + 1


@pytest.mark.parametrize(
    "layouts", [("dense64", "csr64"), ("csr32", "dense64"), ("dense32", "csr64", "dense64")]
)
def test_parts_of_unlike_layouts(layouts, ours):
    """Dense and sparse rows meet in one support, float32 and float64 too."""
    parameters, _ = ours
    X, y = problems.noisy(n=60, n_classes=3, seed=3)
    X[np.abs(X) < 0.4] = 0.0
    whole = KernelPerceptron(**parameters, order="given", epochs=1).fit(X, y)
    model = KernelPerceptron(**parameters)
    for k, (rows, labels) in enumerate(zip(np.split(X, 6), np.split(y, 6), strict=True)):
        rows = laid_out(rows, layouts[k % len(layouts)])
        model.partial_fit(rows, labels, classes=[0, 1, 2])
    assert updates(model) == updates(whole)
    for layout in layouts:
        assert (model.predict(laid_out(X, layout)) == whole.predict(X)).all()


def test_predictions_do_not_depend_on_the_layout_of_rows(ours):
    parameters, _ = ours
    X, y = problems.noisy(n=60, n_classes=3, seed=4)
    X[np.abs(X) < 0.4] = 0.0
    model = KernelPerceptron(**parameters, order="given", epochs=2).fit(X, y)
    for layout in ("dense32", "csr64", "csr32"):
        rows = laid_out(X, layout)
        other = KernelPerceptron(**parameters, order="given", epochs=2).fit(rows, y)
        for keep in ("last", "averaged", "voted"):
            model.keep = other.keep = keep
            want = model.decision_function(X)
            for got in (
                model.decision_function(rows),
                other.decision_function(X),
                other.decision_function(rows),
            ):
                np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)


# ---------------------------------------------------------------- copies


@pytest.mark.parametrize("layout", ["dense64", "csr32"])
@pytest.mark.parametrize(
    "twin", [copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))]
)
def test_copies_decide_in_the_same_way_and_are_independent(layout, twin, ours):
    parameters, _ = ours
    X, y = problems.noisy(n=80, n_classes=3, seed=6)
    X = laid_out(X, layout)
    model = KernelPerceptron(**parameters, random_state=3).partial_fit(X[:50], y[:50])
    model.decision_function(X)  # matrices that it has made by now are not part of it
    other = twin(model)
    before = updates(model)
    for keep in ("last", "averaged", "voted", "random"):
        model.keep = other.keep = keep
        assert (model.decision_function(X) == other.decision_function(X)).all()
    other.partial_fit(X[50:], y[50:])
    assert updates(model) == before != updates(other)
    assert model.examples_seen_ == 50
    model.partial_fit(X[50:], y[50:])
    assert updates(model) == updates(other)
    assert model.support_.tolist() == other.support_.tolist()
