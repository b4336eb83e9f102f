"""KernelPerceptron: fit and fit again, when it stops, what it tells and what was learned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rosenblatt import KernelPerceptron
from rosenblatt.budgets import Forgetron
from rosenblatt.kernels import Polynomial
from tests.models.kernel_configurations import each_configuration, overlap

# ---------------------------------------------------------------- fit and fit again


@each_configuration()
def test_to_fit_again_forgets_what_was_learned(settings, three, noisy):
    model = KernelPerceptron(random_state=0, **settings).fit(*noisy)
    fresh = KernelPerceptron(random_state=0, **settings).fit(*three)
    model.fit(*three)
    assert model.n_features_in_ == 2
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.mistakes_ == fresh.mistakes_
    assert (model.decision_function(three[0]) == fresh.decision_function(three[0])).all()


@each_configuration()
def test_the_same_seed_gives_the_same_run(settings, three):
    def run(seed: Any) -> list[Any]:
        model = KernelPerceptron(random_state=seed, epochs=2, **settings).fit(*three)
        return [model.mistakes_per_class_.tolist(), model.decision_function(three[0]).tolist()]

    assert run(7) == run(7)
    assert run(np.random.RandomState(7)) == run(np.random.RandomState(7))
    assert run(7) != run(8)


@each_configuration()
def test_parts_in_the_order_given_are_one_pass(settings, three):
    X, y = three
    whole = KernelPerceptron(order="given", epochs=1, gamma=0.7, random_state=0, **settings).fit(X, y)
    parts = KernelPerceptron(gamma=0.7, random_state=0, **settings)
    for part in np.array_split(np.arange(90), 6):
        parts.partial_fit(X[part], y[part], classes=[0, 1, 2])
    assert parts.mistakes_per_class_.tolist() == whole.mistakes_per_class_.tolist()
    assert parts.support_.tolist() == whole.support_.tolist()
    np.testing.assert_allclose(parts.decision_function(X), whole.decision_function(X), rtol=1e-9, atol=1e-9)
    assert (parts.epochs_, parts.examples_seen_) == (6, 90)


def test_classes_are_announced_in_the_first_call(three):
    X, y = three
    first = np.flatnonzero(y == 1)[:5]
    model = KernelPerceptron().partial_fit(X[first], y[first], classes=[2, 0, 1])
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict(X[:3]).shape == (3,)
    model.partial_fit(X, y)
    model.partial_fit(X, y, classes=[0, 1, 2, 2])
    with pytest.raises(ValueError, match=r"classes: got \[0, 1\], learning began with \[0, 1, 2\]"):
        model.partial_fit(X, y, classes=[0, 1])


def test_the_classes_of_the_first_part_are_all_unless_announced(three):
    X, y = three
    two = np.flatnonzero(y < 2)
    model = KernelPerceptron().partial_fit(X[two], y[two])
    assert model.classes_.tolist() == [0, 1]
    with pytest.raises(
        ValueError, match=r"y: label 2 in row \d+ is not one of the classes \[0, 1\]; announce"
    ):
        model.partial_fit(X, y)
    with pytest.raises(ValueError, match=r"y: only one class, 1, .*classes=\[\.\.\.\]"):
        KernelPerceptron().partial_fit(X[:1], [1])


# ---------------------------------------------------------------- when it stops, what it tells


def test_any_labels_of_distinct_rows_are_separated_by_a_gaussian(noisy):
    X, _ = noisy
    y = np.random.default_rng(0).integers(0, 4, size=len(X))
    model = KernelPerceptron(gamma=1.0, keep="last", epochs=None, until="separated", random_state=0).fit(
        X, y
    )
    assert model.converged_
    assert (model.predict(X) == y).all()


@each_configuration()
def test_history_has_a_record_of_each_pass_and_they_add_up(settings, three):
    model = KernelPerceptron(epochs=4, random_state=1, **settings).fit(*three)
    assert [record.epoch for record in model.history_] == [1, 2, 3, 4]
    assert sum(record.mistakes for record in model.history_) == model.mistakes_
    assert sum(record.updates for record in model.history_) == model.updates_
    assert {record.examples_seen for record in model.history_} == {90}
    assert model.mistakes_ == model.mistakes_per_class_.sum() <= model.updates_
    assert all(record.seconds > 0 for record in model.history_)
    assert model.converged_ == (model.history_[-1].mistakes == 0)


@pytest.mark.parametrize("budget", [None, 10])
def test_progress_is_shown_on_stderr_when_asked_for(budget, noisy, capsys):
    KernelPerceptron(progress=True, budget=budget).fit(*noisy)
    shown = capsys.readouterr()
    assert "mistakes" in shown.err
    assert "support rows" in shown.err
    assert shown.out == ""


# ---------------------------------------------------------------- what was learned


@each_configuration()
def test_decision_values_are_the_sum_over_the_support(settings, three):
    X, y = three
    model = KernelPerceptron(gamma=0.5, random_state=0, **settings).fit(X, y)
    if settings.get("keep") == "voted":
        with pytest.raises(AttributeError, match="decision_function or predict"):
            _ = model.dual_coef_
        assert not hasattr(model, "dual_coef_")
        return
    distance2 = ((X[:, None, :] - model.support_vectors_[None]) ** 2).sum(axis=2)
    K = {
        "gaussian": lambda: np.exp(-0.5 * distance2),
        Polynomial(degree=2): lambda: (1.0 + X @ model.support_vectors_.T) ** 2,
        overlap: lambda: overlap(X, model.support_vectors_),
    }[model.kernel]() + model.offset
    np.testing.assert_allclose(model.decision_function(X), K @ model.dual_coef_.T, rtol=1e-9, atol=1e-9)
    assert (model.support_vectors_ == X[model.support_]).all()


@each_configuration()
def test_what_is_given_out_may_be_written_to(settings, noisy):
    X, y = noisy
    model = KernelPerceptron(random_state=0, **settings).fit(X, y)
    before = model.decision_function(X)
    model.support_[:] = 0
    if settings.get("keep") != "voted":
        model.dual_coef_[:] = 0.0
    assert (model.decision_function(X) == before).all()


def test_learning_does_not_write_into_what_it_was_given(three):
    X, y = three
    rows, labels, weight = X.copy(), y.copy(), np.ones(90)
    KernelPerceptron(kernel="polynomial", class_weight="balanced").fit(rows, labels, sample_weight=weight)
    assert (rows == X).all()
    assert (labels == y).all()
    assert (weight == 1.0).all()


# ---------------------------------------------------------------- validation, warm start, tracked errors


@pytest.mark.parametrize("budget", [None, Forgetron(10)], ids=str)
def test_a_warm_start_goes_on_where_the_last_run_ended(budget, three):
    X, y = three
    twice = KernelPerceptron(epochs=2, random_state=0, warm_start=True, budget=budget, gamma=1.0).fit(X, y)
    twice.fit(X, y)
    once = KernelPerceptron(epochs=4, random_state=0, budget=budget, gamma=1.0).fit(X, y)
    assert twice.mistakes_ == once.mistakes_
    assert twice.epochs_ == 4
    np.testing.assert_allclose(twice.decision_function(X), once.decision_function(X), rtol=1e-9, atol=1e-9)
