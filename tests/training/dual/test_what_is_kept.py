"""The last vector, the mean, the votes and a random vector, all computed from the record of updates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import KernelPerceptron
from tests.covering import all_turns
from tests.kernels import naive_kernels
from tests.training.dual import kernel_problems as problems
from tests.training.dual import naive_dual as naive

KEEPERS = ["last", "averaged", "voted", "random"]


def in_force(model, columns):
    """A look after which the vectors of all columns were those that keep="random" has drawn."""
    place = {row: k for k, row in enumerate(model.support_.tolist())}
    for look in range(model.examples_seen_):
        coefficients = np.zeros((len(columns), len(place)))
        for c, column in enumerate(columns):
            for row, delta, _ in naive.after(column, look):
                coefficients[c, place[row]] += delta
        if (coefficients == model.dual_coef_).all():
            return look
    raise AssertionError("it is none of the vectors that there were")


def values_of(keep, model, column, values, look):
    """The decision value of one column on a row, given K of all training rows with that row."""
    offset, looks = float(model.offset), model.examples_seen_
    if keep == "averaged":
        return naive.average(column, values, looks, offset)
    if keep == "voted":
        return naive.votes(column, values, looks, offset, model.tie)
    return naive.score(column.updates if keep == "last" else naive.after(column, look), values, offset)


def naive_values(keep, model, columns, gram):
    look = in_force(model, columns) if keep == "random" else None
    found = np.array([[values_of(keep, model, column, row, look) for column in columns] for row in gram])
    return found[:, 0] if len(columns) == 1 else found


@pytest.mark.parametrize(("keep", "n_classes", "offset"), all_turns(KEEPERS, [2, 3], [False, True]))
def test_every_averaging_strategy_matches_its_definition(keep, n_classes, offset, both):
    parameters, kernel = both
    X, y = problems.noisy(n=50, n_classes=n_classes, seed=1)
    Z, _ = problems.noisy(n=30, seed=2)
    columns = naive.learn(naive_kernels.gram(kernel, X), y.tolist(), [*range(50)] * 3, offset=offset)
    model = KernelPerceptron(
        **parameters, keep=keep, offset=offset, epochs=3, order="given", random_state=5
    ).fit(X, y)
    want = naive_values(keep, model, columns, naive_kernels.gram(kernel, Z, X))
    got = model.decision_function(Z)
    if keep == "voted":
        assert got.tolist() == want.tolist()
    else:
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9 * np.abs(want).max())
    answers = want.argmax(axis=1) if n_classes > 2 else (want > 0.0).astype(int)
    assert model.predict(Z).tolist() == answers.tolist()


@given(
    draw=st.data(), n_classes=st.integers(2, 4), tie=st.sampled_from(["mistake", "negative", "positive"])
)
def test_small_integers_full_of_ties_have_the_votes_and_predictions_of_the_plain_loop(
    ours, draw, n_classes, tie
):
    """Of equal scores the first class wins; with two a score of 0 is the first, or what tie says."""
    parameters, kernel = ours
    X, y = draw.draw(problems.small_integers(n_classes=n_classes))
    gram = naive_kernels.gram(kernel, X)
    columns = naive.learn(gram, y.tolist(), [*range(len(y))] * 2, tie=tie)
    model = KernelPerceptron(**parameters, keep="voted", tie=tie, epochs=2, order="given").fit(X, y)
    assert model.decision_function(X).tolist() == naive_values("voted", model, columns, gram).tolist()
    want = naive_values("last", model, columns, gram)
    positive = want >= 0.0 if tie == "positive" else want > 0.0
    answers = want.argmax(axis=1) if n_classes > 2 else positive
    assert model.set_params(keep="last").predict(X).tolist() == answers.astype(int).tolist()


# ---------------------------------------------------------------- survival


def test_a_vector_is_drawn_by_its_survival():
    """Over many seeds, the longest-lived vector is drawn as often as its share of the steps."""
    X, y = problems.noisy(n=30, seed=4, wrong=0.0)
    chosen = []
    for seed in range(300):
        model = KernelPerceptron(gamma=1.0, keep="random", order="given", epochs=2, random_state=seed).fit(
            X, y
        )
        chosen.append(tuple(model.dual_coef_[0].tolist()))
    assert model.survival_[0] == 0
    assert not any(max(map(abs, vector)) == 0.0 for vector in chosen), "w = 0 lasted no look"
    assert len(set(chosen)) > 3
    most_often = max(chosen.count(vector) for vector in set(chosen)) / 300
    assert abs(most_often - model.survival_.max() / model.examples_seen_) < 0.1


# ---------------------------------------------------------------- coefficients


@pytest.mark.parametrize("keep", ["last", "averaged", "random"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_coefficients_and_support_rows_determine_the_model(keep, n_classes, both):
    parameters, kernel = both
    X, y = problems.noisy(n=50, n_classes=n_classes, seed=6)
    model = KernelPerceptron(**parameters, keep=keep, offset=True, epochs=3, random_state=1).fit(X, y)
    assert (model.support_vectors_ == X[model.support_]).all()
    assert model.dual_coef_.shape == (n_classes if n_classes > 2 else 1, len(model.support_))
    values = np.array(naive_kernels.gram(kernel, X, model.support_vectors_)) + 1.0
    want = values @ model.dual_coef_.T
    np.testing.assert_allclose(
        model.decision_function(X),
        want[:, 0] if n_classes == 2 else want,
        rtol=1e-9,
        atol=1e-9 * np.abs(want).max(),
    )


def test_keep_may_be_changed_after_fit(both):
    parameters, _ = both
    X, y = problems.noisy(n=50, n_classes=3, seed=8)
    model = KernelPerceptron(**parameters, epochs=3, random_state=2).fit(X, y)
    for keep in KEEPERS:
        fresh = KernelPerceptron(**parameters, keep=keep, epochs=3, random_state=2).fit(X, y)
        model.keep = keep
        assert (model.decision_function(X) == fresh.decision_function(X)).all()
        assert (model.predict(X) == fresh.predict(X)).all()
        if keep != "voted":
            assert (model.dual_coef_ == fresh.dual_coef_).all()


@pytest.mark.parametrize(("looks", "n_classes"), all_turns([1, 7, 40, 57, 80], [2, 3]))
def test_the_past_of_a_run_is_a_run_that_ended_there(looks, n_classes, both):
    parameters, _ = both
    X, y = problems.noisy(n=40, n_classes=n_classes, seed=14)
    chosen = {**parameters, "offset": True, "random_state": 1}
    model = KernelPerceptron(order="given", epochs=2, **chosen).fit(X, y)
    shorter = KernelPerceptron(order=[*range(40), *range(40)][:looks], epochs=1, **chosen).fit(X, y)
    before = model.as_of(looks)
    assert before.support_.tolist() == shorter.support_.tolist()
    assert before.examples_seen_ == shorter.examples_seen_ == looks
    assert before.updates_ == shorter.updates_
    for keep in KEEPERS:
        before.keep = shorter.keep = keep
        got, want = before.decision_function(X), shorter.decision_function(X)
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)
        if keep != "voted":
            assert before.dual_coef_.tolist() == shorter.dual_coef_.tolist()
    staged = model.staged_predict(X, [(keep, looks) for keep in KEEPERS])
    for keep, answers in zip(KEEPERS, staged, strict=True):
        before.keep = keep
        assert answers.tolist() == before.predict(X).tolist()


# ---------------------------------------------------------------- one row and many


@pytest.mark.parametrize(("keep", "n_classes"), all_turns(KEEPERS, [2, 3, 5]))
def test_one_row_is_answered_as_it_is_among_many(keep, n_classes, ours):
    """On a lattice scores of classes differ only by rounding, so the other rows could matter."""
    parameters, _ = ours
    generator = np.random.default_rng(9)
    X = 0.1 * generator.integers(-2, 3, size=(60, 2))
    y = np.append(np.arange(n_classes), generator.integers(0, n_classes, 60 - n_classes))
    model = KernelPerceptron(**parameters, keep=keep, epochs=2, random_state=0).fit(X, y)
    together = model.predict(X).tolist()
    assert [model.predict(x[None, :])[0] for x in X[:25]] == together[:25]
    assert model.predict(X[::-1]).tolist() == together[::-1]
    assert model.predict(np.repeat(X, 40, axis=0)).tolist() == np.repeat(together, 40).tolist()


@pytest.mark.parametrize("n_classes", [3, 4])
def test_scores_that_differ_only_by_rounding(n_classes):
    """The largest of the plain sums decides, the first of equals."""
    generator = np.random.default_rng(10)
    X = 0.1 * generator.integers(-2, 3, size=(150, 2))
    y = np.append(np.arange(n_classes), generator.integers(0, n_classes, 150 - n_classes))
    gram = naive_kernels.gram(naive_kernels.linear, X)
    columns = naive.learn(gram, y.tolist(), [*range(150)] * 2)
    model = KernelPerceptron("linear", keep="last", epochs=2, order="given").fit(X, y)
    want = naive_values("last", model, columns, gram)
    ranked = np.sort(want, axis=1)
    assert (ranked[:, -1] - ranked[:, -2] < 1e-12).sum() > 10, "the data must have what it is to test"
    assert model.predict(X).tolist() == want.argmax(axis=1).tolist()
