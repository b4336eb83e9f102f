"""KernelPerceptron: fit and fit again, when it stops, what it tells and what was learned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rosenblatt import KernelPerceptron
from rosenblatt.budgets import Forgetron
from rosenblatt.kernels import Polynomial
from rosenblatt.training import Epoch
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


def test_rows_are_numbered_over_all_parts(three):
    X, y = three
    model = KernelPerceptron(gamma=1.0)
    for part in np.array_split(np.arange(90), 5):
        model.partial_fit(X[part], y[part], classes=[0, 1, 2])
    assert (model.support_vectors_ == X[model.support_]).all()


# ---------------------------------------------------------------- when it stops, what it tells


def test_epochs_are_made_all_of_them(separable):
    X, y = separable
    model = KernelPerceptron(epochs=60, random_state=0).fit(X, y)
    assert (model.epochs_, len(model.history_), model.examples_seen_) == (60, 60, 60 * len(y))
    assert model.history_[-1].mistakes == 0
    assert model.converged_


@pytest.mark.parametrize(
    "order", ["given", "shuffled", list(range(60))[::-1]], ids=["given", "shuffled", "list"]
)
@pytest.mark.parametrize("budget", [None, 100], ids=str)
def test_until_separated_stops_after_the_first_pass_without_a_mistake(order, budget, separable):
    model = KernelPerceptron(order=order, epochs=None, until="separated", random_state=0, budget=budget)
    model.fit(*separable)
    mistakes = [record.mistakes for record in model.history_]
    assert mistakes[-1] == 0
    assert all(mistakes[:-1])
    assert model.converged_
    assert (model.set_params(keep="last").predict(separable[0]) == separable[1]).all()


def test_any_labels_of_distinct_rows_are_separated_by_a_gaussian(noisy):
    X, _ = noisy
    y = np.random.default_rng(0).integers(0, 4, size=len(X))
    model = KernelPerceptron(gamma=1.0, keep="last", epochs=None, until="separated", random_state=0).fit(
        X, y
    )
    assert model.converged_
    assert (model.predict(X) == y).all()


def test_epochs_are_the_most_passes_of_until_separated(noisy):
    model = KernelPerceptron(kernel="linear", epochs=3, until="separated", random_state=0).fit(*noisy)
    assert model.epochs_ == 3
    assert not model.converged_


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


def test_callbacks_see_each_record_and_one_that_returns_true_ends_the_run(three):
    seen: list[Epoch] = []

    def third_pass(record: Epoch) -> bool:
        return record.epoch == 3

    model = KernelPerceptron(callbacks=[third_pass, seen.append], random_state=0).fit(*three)
    assert model.epochs_ == 3
    assert seen == model.history_
    same = KernelPerceptron(epochs=3, random_state=0).fit(*three)
    assert (model.dual_coef_ == same.dual_coef_).all()


def test_one_callback_needs_no_list(noisy):
    seen: list[Epoch] = []
    KernelPerceptron(callbacks=seen.append, epochs=2).fit(*noisy)
    assert [record.epoch for record in seen] == [1, 2]


@pytest.mark.parametrize("answer", [None, False, np.False_, "yes", 1])
def test_a_callback_that_does_not_return_true_lets_the_run_go_on(answer, noisy):
    assert KernelPerceptron(callbacks=lambda record: answer, epochs=3).fit(*noisy).epochs_ == 3


@pytest.mark.parametrize("budget", [None, Forgetron(10)], ids=str)
def test_a_callback_that_raises_leaves_what_was_learned_before(budget, noisy):
    X, y = noisy
    model = KernelPerceptron(random_state=0, epochs=2, budget=budget).fit(X, y)
    before, history = model.decision_function(X), model.history_

    def burst(record: Epoch) -> None:
        raise KeyboardInterrupt

    for warm in (False, True):
        model.set_params(callbacks=burst, warm_start=warm)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, 1 - y)
        assert (model.decision_function(X) == before).all()
        assert model.history_ is history


@pytest.mark.parametrize("budget", [None, 10])
def test_progress_is_shown_on_stderr_when_asked_for(budget, noisy, capsys):
    KernelPerceptron(progress=True, budget=budget).fit(*noisy)
    shown = capsys.readouterr()
    assert "mistakes" in shown.err
    assert "support rows" in shown.err
    assert shown.out == ""


@pytest.mark.parametrize("progress", [False, None])
def test_a_short_run_shows_nothing_unless_asked(progress, noisy, capsys):
    KernelPerceptron(progress=progress).fit(*noisy)
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "")


@each_configuration()
def test_the_same_cache_or_none_makes_the_same_run(settings, three):
    plain, small = (
        KernelPerceptron(cache_size=size, random_state=0, **settings).fit(*three) for size in ("2GB", "1MB")
    )
    assert small.mistakes_per_class_.tolist() == plain.mistakes_per_class_.tolist()
    assert small.support_.tolist() == plain.support_.tolist()


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


def test_all_that_is_kept_is_in_the_record_of_one_run(noisy):
    X, y = noisy
    model = KernelPerceptron(random_state=0).fit(X, y)
    for keep in ("last", "averaged", "voted", "random"):
        fresh = KernelPerceptron(keep=keep, random_state=0).fit(X, y)
        assert (model.set_params(keep=keep).decision_function(X) == fresh.decision_function(X)).all()
    assert model.survival_.sum() == model.examples_seen_
    assert len(model.survival_) == model.updates_ + 1


# ---------------------------------------------------------------- validation, warm start, tracked errors


@pytest.mark.parametrize("keep", ["last", "averaged", "voted"])
def test_validation_keeps_what_was_best_on_other_rows_and_says_when(keep, three):
    X, y = three
    model = KernelPerceptron(
        kernel="linear", keep=keep, epochs=8, random_state=5, validation=(X[60:], y[60:])
    )
    model.fit(X[:60], y[:60])
    errors = [record.validation_error for record in model.history_]
    assert model.best_epoch_ == 1 + int(np.argmin(errors))
    there = KernelPerceptron(kernel="linear", keep=keep, epochs=model.best_epoch_, random_state=5)
    there.fit(X[:60], y[:60])
    assert (there.decision_function(X) == model.decision_function(X)).all()
    assert np.mean(model.predict(X[60:]) != y[60:]) == pytest.approx(min(errors))
    assert model.epochs_ == 8


def test_the_error_tracked_in_a_pass_is_that_of_a_run_which_ends_there(three):
    X, y = three
    model = KernelPerceptron(epochs=3, random_state=2, track_error=True).fit(X, y)
    ends = [KernelPerceptron(epochs=t, random_state=2).fit(X, y) for t in (1, 2, 3)]
    assert [record.training_error for record in model.history_] == [
        pytest.approx(np.mean(end.predict(X) != y)) for end in ends
    ]


@pytest.mark.parametrize("budget", [None, Forgetron(10)], ids=str)
def test_a_warm_start_goes_on_where_the_last_run_ended(budget, three):
    X, y = three
    twice = KernelPerceptron(epochs=2, random_state=0, warm_start=True, budget=budget, gamma=1.0).fit(X, y)
    twice.fit(X, y)
    once = KernelPerceptron(epochs=4, random_state=0, budget=budget, gamma=1.0).fit(X, y)
    assert twice.mistakes_ == once.mistakes_
    assert twice.epochs_ == 4
    np.testing.assert_allclose(twice.decision_function(X), once.decision_function(X), rtol=1e-9, atol=1e-9)
