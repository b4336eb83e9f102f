"""Ultraconservative updates (Crammer & Singer): their definition, their bound, and what they exclude."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from rosenblatt import Perceptron
from rosenblatt.errors import BadInput
from rosenblatt.rules import Margin, PassiveAggressive1
from tests.covering import covering
from tests.training.many import naive_many as naive

SHARINGS = ["worst", "uniform", "proportional"]
LAYOUTS = {"dense": np.asarray, "single": lambda X: X.astype(np.float32), "sparse": sparse.csr_array}


def ultraconservative(sharing="worst", **settings):
    return Perceptron(multiclass="ultraconservative", sharing=sharing, **settings)


def passes(y, epochs):
    return list(range(len(y))) * epochs


def numbers(W):
    return [[float(value) for value in w] for w in W]


def weights_of(model):
    return np.column_stack([model.coef_, model.intercept_])


STEPS = {
    "rosenblatt": ("rosenblatt", {}),
    "margin": (Margin(tau=2.0), {"tau": 2.0}),
    "passive-aggressive": (PassiveAggressive1(C=0.2), {"tau": 1.0, "C": 0.2}),
}
WEIGHTS = ["none", "some absent", "of classes"]


@pytest.mark.parametrize(
    ("step", "sharing", "layout", "keep", "offset", "weights", "numbers_are_whole"),
    covering(
        list(STEPS), SHARINGS, list(LAYOUTS), ["last", "averaged"], [True, False], WEIGHTS, [True, False]
    ),
)
def test_it_follows_the_paper(
    step, sharing, layout, keep, offset, weights, numbers_are_whole, whole, crowd
):
    """Scores of small integers are often equal."""
    X, y = whole if numbers_are_whole else crowd
    X, k = X.astype(np.float32).astype(np.float64), y.max() + 1
    rule, how = STEPS[step]
    weight = {
        "none": None,
        "some absent": np.random.default_rng(3).choice([0.0, 1.0, 2.0, 0.5], size=len(y)),
        "of classes": np.where(y == 0, 2.0, 1.0),
    }[weights]
    looks = [i for i in passes(y, 2) if weight is None or weight[i]]
    run = naive.ultraconservative(X, y, looks, sharing, offset=offset, weight=weight, **how)
    model = ultraconservative(sharing, rule=rule, keep=keep, offset=offset, epochs=2, order="given")
    if weights == "of classes":
        model.set_params(class_weight={0: 2.0}).fit(LAYOUTS[layout](X), y)
    else:
        model.fit(LAYOUTS[layout](X), y, sample_weight=weight)
    assert model.mistakes_per_class_.tolist() == np.bincount(run.mistakes, minlength=k).tolist()
    assert model.false_negatives_per_class_.tolist() == model.mistakes_per_class_.tolist()
    assert model.false_positives_per_class_.tolist() == np.bincount(run.takers, minlength=k).tolist()
    assert (model.mistakes_, model.updates_) == (len(run.mistakes), run.updates)
    want = numbers(naive.mean(run.vectors) if keep == "averaged" else run.vectors[-1])
    np.testing.assert_allclose(weights_of(model), want, rtol=1e-8, atol=1e-8)
    if (step, keep, sharing, numbers_are_whole) == ("rosenblatt", "last", "worst", True):
        assert weights_of(model).tolist() == want


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_pocket_holds_a_vector_of_the_run_that_no_longer_run_beats(layout, whole):
    """The ratchet: a vector comes in only with fewer errors, so the pocket never gets worse."""
    X, y = whole
    run = naive.ultraconservative(X, y, passes(y, 3), "worst")
    rows, errors = LAYOUTS[layout](X), []
    for epochs in (1, 2, 3):
        model = ultraconservative(keep="pocket", epochs=epochs, order="given").fit(rows, y)
        held = weights_of(model)
        assert held.tolist() in [numbers(W) for W in run.vectors] or not held.any()
        errors.append(
            sum(
                naive.winner(w[:, :-1], w[:, -1], x) != c for w in [held] for x, c in zip(X, y, strict=True)
            )
        )
    assert errors == sorted(errors, reverse=True)
    last = weights_of(ultraconservative(epochs=3, order="given").fit(rows, y))
    assert errors[-1] <= sum(
        naive.winner(last[:, :-1], last[:, -1], x) != c for x, c in zip(X, y, strict=True)
    )


@given(
    X=arrays(np.float64, st.tuples(st.integers(4, 14), st.integers(1, 3)), elements=st.integers(-3, 3)),
    seed=st.integers(0, 2**16), size=st.sampled_from([0, 0, 30, -30, 150, -170]), offset=st.booleans(),
)  # fmt: skip
def test_near_ties_are_decided_exactly_for_any_size_of_the_rows(X, seed, size, offset):
    generator = np.random.default_rng(seed)
    X = X * (1.0 + generator.choice([0.0, 2.0**-52, 2.0**-20], size=X.shape)) * 10.0**size
    y = np.concatenate([np.arange(3), generator.integers(0, 3, size=len(X) - 3)])
    run = naive.ultraconservative(X, y, passes(y, 2), "worst", offset=offset)
    for layout in (np.asarray, sparse.csr_array):
        model = ultraconservative(epochs=2, order="given", offset=offset).fit(layout(X), y)
        assert model.mistakes_ == len(run.mistakes)
        assert weights_of(model).tolist() == numbers(run.vectors[-1])


# ---------------------------------------------------------------- theorems


def apart(seed, k, margin):
    """Rows that some W of length 1 puts ahead of every rival by the margin or more; that W's margin, R."""
    generator = np.random.default_rng(seed)
    W = generator.normal(size=(k, 5))
    W /= np.linalg.norm(W)
    X = generator.normal(size=(400, 5))
    scores = np.sort(X @ W.T, axis=1)
    X = X[scores[:, -1] - scores[:, -2] > margin]
    y = (X @ W.T).argmax(axis=1)
    scores = np.sort(X @ W.T, axis=1)
    return X, y, (scores[:, -1] - scores[:, -2]).min(), np.linalg.norm(X, axis=1).max()


@given(seed=st.integers(0, 10**6), k=st.integers(3, 6), sharing=st.sampled_from(SHARINGS))
def test_on_separable_rows_there_are_at_most_two_radius_over_margin_squared_mistakes(seed, k, sharing):
    X, y, margin, radius = apart(seed, k, 0.1)
    assume(len(set(y.tolist())) == k == y.max() + 1)
    model = ultraconservative(sharing, until="separated", epochs=None, offset=False, order="given").fit(
        X, y
    )
    assert model.converged_
    assert (model.predict(X) == y).all()
    assert 0 < model.mistakes_ <= 2.0 * (radius / margin) ** 2


WAYS = [*itertools.product(SHARINGS, ["rosenblatt", "margin"]), ("worst", "passive_aggressive_1")]


@given(seed=st.integers(0, 10**6), steps=st.sampled_from(WAYS))
def test_weights_added_to_a_class_are_subtracted_from_its_rivals(seed, steps):
    """Σ over the classes of w stays 0, because the shares of a mistake add up to 1."""
    X, y, _, _ = apart(seed, 4, 0.0)
    assume(len(set(y.tolist())) == 4)
    sharing, rule = steps
    model = ultraconservative(sharing, rule=rule, epochs=2, order="given").fit(X, y)
    total = np.abs(weights_of(model)).sum(axis=0)
    assert total.max() > 0
    assert (np.abs(weights_of(model).sum(axis=0)) <= 1e-12 * total).all()


def test_with_two_classes_it_is_the_binary_perceptron_twice(crowd):
    """Two classes with a column each mirror each other, and their difference is the binary w, doubled."""
    X, y = crowd[0], crowd[1] > 2
    two = ultraconservative(allow_new_classes=True, epochs=3, random_state=0).fit(X, y)
    one = Perceptron(epochs=3, random_state=0).fit(X, y)
    assert (two.coef_[1] == -two.coef_[0]).all()
    assert (two.coef_[1] == one.coef_[0]).all()
    assert two.mistakes_ == one.mistakes_
    assert (two.predict(X) == one.predict(X)).all()


def test_a_class_that_comes_late_shares_from_then_on(whole):
    X, y = whole
    y = np.where(np.arange(60) < 30, y % 2, y)
    stream = ultraconservative(allow_new_classes=True, keep="averaged").partial_fit(X[:30], y[:30])
    assert stream.coef_.shape == (2, 3)
    stream.partial_fit(X[30:], y[30:])
    first = naive.ultraconservative(X[:30], y[:30], range(30), "worst")
    assert len(first.vectors[-1]) == 2
    # before its first example, a class has w = 0 and is no rival
    W = [*numbers(first.vectors[-1]), [0.0] * 4, [0.0] * 4]
    rest = ultraconservative(init=(np.array(W)[:, :-1], np.array(W)[:, -1])).partial_fit(X[30:], y[30:])
    assert (stream._state.current() == rest._state.current()).all()
    assert stream.mistakes_ == len(first.mistakes) + rest.mistakes_


# ---------------------------------------------------------------- refusals

REFUSED = {
    "alma": ({"rule": "alma"}, "rule: 'alma' does not suit.*shrinks w to length 1.*one_vs_rest"),
    "romma": ({"rule": "romma"}, "rule: 'romma' does not suit.*multiplies"),
    "forgetting": ({"rule": "forgetting"}, "rule: 'forgetting' does not suit.*shrinks"),
    "uneven": ({"rule": "uneven_margin"}, "rule: 'uneven_margin' does not suit.*a class is neither"),
    "voted": ({"keep": "voted"}, "keep: 'voted' does not suit.*averaged"),
    "tie": ({"tie": "positive"}, "tie: 'positive' applies to two classes only"),
    "search": (
        {"order": "worst_mistake"},
        "order: 'worst_mistake' searches by the score of one classifier",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_settings_that_shared_mistakes_exclude_are_refused_with_the_reason(name, crowd):
    settings, sentence = REFUSED[name]
    with pytest.raises(BadInput, match=sentence):
        Perceptron(multiclass="ultraconservative").set_params(**settings).fit(*crowd)


def test_labels_cannot_share_a_mistake(tagged_rows):
    with pytest.raises(BadInput, match=r"multiclass: 'ultraconservative'.*labels.*use .*one_vs_rest"):
        ultraconservative().fit(*tagged_rows)
