"""Runs: initial weights, ties, when they stop, history, callbacks, validation and progress."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from rosenblatt import KernelPerceptron, Perceptron, PolynomialThreshold
from rosenblatt.budgets import Forgetron
from rosenblatt.training.run import Epoch

ORDERS = ["given", "shuffled", "first_mistake", "worst_mistake"]
OF_EITHER_KIND = pytest.mark.parametrize("kind", [Perceptron, KernelPerceptron])


# ---------------------------------------------------------------- what sign(0) means


@pytest.mark.parametrize(
    ("tie", "mistakes", "error", "answer"),
    [("mistake", 2, 1.0, "no"), ("negative", 1, 0.5, "no"), ("positive", 1, 0.5, "yes")],
)
def test_a_score_of_zero_answers_what_tie_says(tie, mistakes, error, answer):
    # a zero row without an offset scores 0 for ever
    X, y = [[0.0], [0.0]], ["no", "yes"]
    model = Perceptron(tie=tie, offset=False, epochs=1).fit(X, y)
    assert (model.mistakes_, model.training_error(X, y)) == (mistakes, error)
    assert model.decision_function(X).tolist() == [0.0, 0.0]
    assert model.predict(X).tolist() == [answer, answer]


@pytest.mark.parametrize(("tie", "answer"), [("negative", "no"), ("positive", "yes")])
def test_a_committee_that_is_divided_evenly_answers_what_tie_says(tie, answer):
    # negative: w = 1 for one look, then w = 0, which says no; positive: w = 0, which says yes, then −1
    X, y = [[1.0], [1.0]], ["yes", "no"]
    model = Perceptron(keep="voted", tie=tie, offset=False, order="given", epochs=1).fit(X, y)
    assert model.decision_function([[1.0]]).tolist() == [0.0]
    assert model.predict([[1.0]]).tolist() == [answer]


def test_the_notes_first_example():
    X, y = [[2.0, 1.0], [0.0, 2.0], [-0.5, -2.0]], [1, -1, 1]
    model = Perceptron(offset=False, tie="negative", order="given", epochs=None, until="separated").fit(
        X, y
    )
    assert model.coef_.tolist() == [[2.0, -1.0]]
    assert [record.mistakes for record in model.history_] == [2, 0]


def test_the_unit_start_is_one_over_root_d_with_no_offset():
    X = [[1.0, 2.0, 3.0, 4.0], [-1.0, -1.0, -1.0, -1.0]]  # right at once: nothing is added
    model = Perceptron(init="unit", epochs=3).fit(X, [1, 0])
    assert model.coef_.tolist() == [[0.5, 0.5, 0.5, 0.5]]
    assert model.intercept_.tolist() == [0.0]
    assert model.mistakes_ == 0


# ---------------------------------------------------------------- where it starts


@pytest.mark.parametrize("b", [None, -0.25])
@pytest.mark.parametrize("kind", [list, np.array, lambda w: np.array(w, np.float32)])
def test_it_starts_at_the_weights_it_is_given(b, kind):
    X, y = [[1.0, 0.0], [-1.0, 0.0]], [1, 0]
    w = kind([2.0, -3.0])
    model = Perceptron(init=w if b is None else (w, b), epochs=1).fit(X, y)
    assert model.coef_.tolist() == [[2.0, -3.0]]
    assert model.intercept_.tolist() == [0.0 if b is None else b]
    assert list(w) == [2.0, -3.0]


def test_learning_does_not_write_into_the_start_it_was_given(noisy):
    X, y = noisy
    start = np.ones(X.shape[1])
    Perceptron(init=start).fit(X, y)
    assert start.tolist() == [1.0] * X.shape[1]


def test_a_pair_of_numbers_is_two_weights_not_weights_and_offset():
    model = Perceptron(init=(2.0, 1.0), epochs=1).fit([[1.0, 1.0], [-1.0, -1.0]], [1, 0])
    assert model.coef_.tolist() == [[2.0, 1.0]]


# ---------------------------------------------------------------- when it stops


MANY = [{}, {"multiclass": "ultraconservative"}, {"rule": "alma"}, {"keep": "pocket"}]
"""With a column for each class: in panels, shared, and apart."""
IN_EVERY_ORDER = [
    *(Perceptron(order=order) for order in ORDERS),
    *(Perceptron(**way, allow_new_classes=True) for way in MANY[:2]),
    *(KernelPerceptron(order=order) for order in ORDERS[:2]),
]


@pytest.mark.parametrize("model", IN_EVERY_ORDER, ids=str)
def test_epochs_are_made_all_of_them_even_once_everything_is_right(model, separable):
    X, y = separable
    model.set_params(epochs=60, random_state=0).fit(X, y)
    assert (model.epochs_, len(model.history_), model.examples_seen_) == (60, 60, 60 * len(y))
    assert model.history_[-1].mistakes == 0
    assert model.converged_


@pytest.mark.parametrize(
    "model",
    [*IN_EVERY_ORDER, KernelPerceptron(order=[*range(59, -1, -1)]), KernelPerceptron(budget=100)],
    ids=str,
)
def test_until_separated_stops_after_the_first_pass_without_a_mistake(model, separable):
    model.set_params(epochs=None, until="separated", random_state=0, keep="last").fit(*separable)
    mistakes = [record.mistakes for record in model.history_]
    assert mistakes[-1] == 0
    assert all(mistakes[:-1])
    assert model.converged_
    assert model.training_error(*separable) == 0.0


def test_until_separated_goes_on_though_two_close_points_take_203_mistakes():
    # the lifted points (0, 1) and (0.1, 1) have a margin of 0.05: the error stands at ½ for 102 passes
    model = Perceptron(order="given", epochs=None, until="separated", track_error=True)
    model.fit([[0.0], [0.1]], [1, 0])
    assert model.mistakes_ == 203
    assert {record.training_error for record in model.history_[:-2]} == {0.5}
    assert model.history_[-1].training_error == 0.0


def test_a_rule_with_a_margin_stops_at_a_pass_without_a_mistake_though_it_still_learns():
    X, y = [[1.0], [-1.0]], [1, 0]
    model = Perceptron(rule="margin", offset=False, order="given", epochs=9, until="separated").fit(X, y)
    # w: 1 (a mistake), 2 (right, agreement 1 ≤ tau); then nothing is left to learn
    assert [(record.mistakes, record.updates) for record in model.history_] == [(1, 2), (0, 0)]


# ---------------------------------------------------------------- what it tells


def test_history_has_a_record_of_each_pass_and_they_add_up(noisy):
    X, y = noisy
    model = Perceptron(rule="margin", epochs=6, random_state=1).fit(X, y)
    assert [record.epoch for record in model.history_] == [1, 2, 3, 4, 5, 6]
    assert sum(record.mistakes for record in model.history_) == model.mistakes_
    assert sum(record.updates for record in model.history_) == model.updates_
    assert sum(record.examples_seen for record in model.history_) == model.examples_seen_
    assert 0 < model.mistakes_ < model.updates_ < model.examples_seen_
    assert all(record.seconds > 0 for record in model.history_)
    assert {record.training_error for record in model.history_} == {None}
    assert {record.validation_error for record in model.history_} == {None}


@OF_EITHER_KIND
def test_callbacks_see_each_record_and_one_that_returns_true_ends_the_run(kind, noisy):
    seen: list[Epoch] = []

    def third_pass(record: Epoch) -> bool:
        return record.epoch == 3

    model = kind(callbacks=[third_pass, seen.append], random_state=0).fit(*noisy)
    assert model.epochs_ == 3
    assert seen == model.history_  # the one that stops does not keep the record from the others
    same = kind(epochs=3, random_state=0).fit(*noisy)
    assert (model.decision_function(noisy[0]) == same.decision_function(noisy[0])).all()


@pytest.mark.parametrize("answer", [None, False, np.False_, "yes", 1])
@OF_EITHER_KIND
def test_a_callback_that_does_not_return_true_lets_the_run_go_on(kind, answer, noisy):
    assert kind(callbacks=lambda record: answer, epochs=3).fit(*noisy).epochs_ == 3


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
@pytest.mark.parametrize("warm", [False, True], ids=["fit", "warm fit"])
@pytest.mark.parametrize(
    "model", [Perceptron(), KernelPerceptron(), KernelPerceptron(budget=Forgetron(10))], ids=str
)
def test_a_callback_that_raises_leaves_what_was_learned_before(model, warm, error, noisy):
    X, y = noisy
    model.set_params(random_state=0, callbacks=None, warm_start=False).fit(X, y)
    before, history, seen = model.decision_function(X), model.history_, model.examples_seen_

    def burst(record: Epoch) -> None:
        if record.epoch % 10 == 3:
            raise error

    model.set_params(callbacks=burst, warm_start=warm)
    with pytest.raises(error):
        model.fit(X, 1 - y)
    assert (model.decision_function(X) == before).all()
    assert model.history_ is history
    assert (model.epochs_, model.examples_seen_) == (10, seen)


# ---------------------------------------------------------------- validation


@pytest.mark.parametrize(
    "model",
    [
        *(Perceptron(keep=keep) for keep in ("last", "averaged", "voted")),
        *(KernelPerceptron(kernel="linear", keep=keep) for keep in ("last", "averaged")),
        *(PolynomialThreshold(way=way) for way in ("map", "kernel")),
        *(Perceptron(**way, allow_new_classes=True) for way in MANY),
    ],
    ids=str,
)
def test_validation_keeps_the_weights_of_the_best_pass_and_says_which(model, noisy):
    X, y = noisy
    train, held = slice(0, 80), slice(80, 120)
    model.set_params(epochs=8, random_state=5, validation=(X[held], y[held])).fit(X[train], y[train])
    errors = [record.validation_error for record in model.history_]
    assert len(set(errors)) > 1
    assert model.best_epoch_ == 1 + int(np.argmin(errors))  # of equal ones the first
    assert model.training_error(X[held], y[held]) == min(errors)
    there = clone(model).set_params(epochs=model.best_epoch_, validation=None).fit(X[train], y[train])
    assert (there.decision_function(X) == model.decision_function(X)).all()


def test_the_counters_of_a_run_with_validation_are_those_of_the_whole_run(noisy):
    X, y = noisy
    model = Perceptron(epochs=8, random_state=5, validation=(X[80:], y[80:])).fit(X[:80], y[:80])
    plain = Perceptron(epochs=8, random_state=5).fit(X[:80], y[:80])
    assert model.best_epoch_ < 8
    assert (model.epochs_, model.mistakes_, model.examples_seen_) == (8, plain.mistakes_, 640)


def test_a_part_held_out_is_not_learned_from_and_has_as_much_of_either_class(noisy):
    X, y = noisy
    rare = np.flatnonzero(y == 1)[:20]
    X, y = np.vstack([X[y == 0][:40], X[rare]]), np.repeat([0, 1], [40, 20])
    seen: list[Epoch] = []
    model = Perceptron(validation=0.25, epochs=3, random_state=0, callbacks=seen.append).fit(X, y)
    assert {record.examples_seen for record in model.history_} == {45}
    assert all(round(record.validation_error * 15, 9).is_integer() for record in model.history_)
    assert [record.validation_error for record in seen] == [
        record.validation_error for record in model.history_
    ]


# ---------------------------------------------------------------- progress


def test_progress_is_shown_on_stderr_when_asked_for(noisy, capsys):
    Perceptron(progress=True).fit(*noisy)
    shown = capsys.readouterr()
    assert "mistakes" in shown.err
    assert shown.out == ""


@pytest.mark.parametrize("progress", [False, None])
@OF_EITHER_KIND
def test_a_short_run_shows_nothing_unless_asked(kind, progress, noisy, capsys):
    kind(progress=progress).fit(*noisy)
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "")
