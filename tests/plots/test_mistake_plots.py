"""The pictures of runs: mistakes below their bound, errors by pass, agreement over the steps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import scale

from rosenblatt import (
    KernelPerceptron,
    Perceptron,
    PolynomialThreshold,
    mistake_bound,
    plots,
    separate,
    trace,
)
from rosenblatt.errors import BadInput
from rosenblatt.plots.agreement_lines import agreements, states_of, wrong_again

POINTS, SIDES = [[2.0, 1.0], [0.0, 2.0], [-0.5, -2.0]], [1, -1, 1]
XOR, ODD = [[-1, -1], [-1, 1], [1, -1], [1, 1]], [0, 1, 1, 0]


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


def bound_line(ax):
    (line,) = [line for line in ax.lines if str(line.get_label()).startswith("bound")]
    return line.get_ydata()[0]


# ---------------------------------------------------------------- mistakes and bound


def test_the_mistakes_of_a_trace_add_up_step_by_step(pyplot):
    steps = trace(XOR, ODD, epochs=5)
    line = plots.mistakes_and_bound(steps).lines[0]
    assert line.get_xdata().tolist() == list(range(len(steps) + 1))
    assert line.get_ydata().tolist() == np.cumsum([0, *(step.mistake for step in steps)]).tolist()
    assert line.axes.get_ylim()[1] > max(line.get_ydata())


@pytest.mark.parametrize(
    "model",
    [Perceptron(random_state=0), KernelPerceptron(random_state=0), PolynomialThreshold(random_state=0)],
)
def test_the_mistakes_of_a_model_add_up_pass_by_pass(pyplot, tumours, model, legend):
    model.fit(*tumours)
    ax = plots.mistakes_and_bound(model, bound=False)
    assert (
        ax.lines[0].get_ydata().tolist() == np.cumsum([0, *(r.mistakes for r in model.history_)]).tolist()
    )
    assert ax.lines[0].get_xdata()[-1] == model.examples_seen_
    assert legend(ax) == [f"{model.mistakes_} mistakes"]


@pytest.mark.parametrize(("offset", "init"), [(True, "zeros"), (False, "zeros"), (True, "unit")])
def test_the_bound_equals_that_of_the_offset_and_the_start_of_the_run(pyplot, offset, init):
    expected = mistake_bound(POINTS, SIDES, offset=offset, init=init).bound[1]
    settings = {"offset": offset, "init": init, "until": "separated", "epochs": None}
    steps = trace(POINTS, SIDES, **settings)
    model = Perceptron(**settings).fit(POINTS, SIDES)
    for ax in (plots.mistakes_and_bound(steps), plots.mistakes_and_bound(model, POINTS, SIDES)):
        assert np.isclose(bound_line(ax), expected)
        assert ax.lines[0].get_ydata().max() <= bound_line(ax)


def test_a_kernel_has_the_bound_of_its_feature_space(pyplot):
    settings = {"kernel": "polynomial", "degree": 2, "gamma": 1.0}
    expected = mistake_bound(XOR, ODD, **settings).bound[1]
    models = [KernelPerceptron(**settings), PolynomialThreshold(degree=2)]
    for model in models:
        ax = plots.mistakes_and_bound(model.fit(XOR, ODD), XOR, ODD)
        assert np.isclose(bound_line(ax), expected)


def test_a_bound_given_by_the_caller_is_drawn_in_every_form(pyplot):
    steps = trace(POINTS, SIDES, until="separated", epochs=None)
    bound, verdict = mistake_bound(POINTS, SIDES), separate(POINTS, SIDES)
    claims = steps.check_claims(*verdict.hyperplane)
    for given_, expected in (
        (7, 7.0), (bound, bound.bound[1]), (verdict, verdict.mistake_bound), (claims, claims.bound),
    ):  # fmt: skip
        assert np.isclose(bound_line(plots.mistakes_and_bound(steps, bound=given_)), expected)
        pyplot.close("all")


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: (trace(XOR, ODD), None, None), "no hyperplane separates the classes (proved)"),
        (lambda: (trace(POINTS, SIDES, rule="alma"), None, None), "do not hold for 'alma': its steps"),
        (lambda: (Perceptron().fit(XOR, ODD), None, None), "give X and y to compute one"),
        (
            lambda: (Perceptron(class_weight="balanced").fit(XOR, ODD), XOR, ODD),
            "the sample weights from class_weight",
        ),
        (
            lambda: (Perceptron().fit(XOR, [0, 1, 2, 2]), XOR, [0, 1, 2, 2]),
            "one binary classifier, and there are 3",
        ),
        (
            lambda: (KernelPerceptron(budget=2, keep="last").fit(XOR, ODD), XOR, ODD),
            "a model with a budget",
        ),
        (
            lambda: (Perceptron(rule="romma").fit(POINTS, SIDES), POINTS, SIDES),
            "do not hold for 'romma': the old w is rescaled",
        ),
        (
            lambda: (KernelPerceptron(kernel="linear").fit(XOR, ODD), XOR, ODD),
            "through the origin in feature space",
        ),
    ],
)
def test_if_there_is_no_bound_the_title_gives_the_reason(pyplot, make, why, legend):
    run, X, y = make()
    ax = plots.mistakes_and_bound(run, X, y)
    title = ax.get_title().replace("\n", " ")
    assert title.startswith("no bound: ")
    assert why in title
    assert len(legend(ax)) == 1


# ---------------------------------------------------------------- errors by pass


def test_the_errors_equal_those_of_the_history(pyplot, tumours, legend):
    model = Perceptron(epochs=8, validation=0.25, track_error=True, random_state=0).fit(*tumours)
    ax = plots.errors_by_pass(model)
    learning, training, held_out = (line.get_ydata().tolist() for line in ax.lines)
    assert learning == [r.mistakes / r.examples_seen for r in model.history_]
    assert training == [r.training_error for r in model.history_]
    assert held_out == [r.validation_error for r in model.history_]
    (ring,) = ax.collections
    assert ring.get_offsets().tolist() == [[model.best_epoch_, min(held_out)]]
    assert legend(ax)[-1] == f"used: pass {model.best_epoch_}"


# ---------------------------------------------------------------- agreement


@st.composite
def runs(draw):
    n = draw(st.integers(2, 6))
    number = st.integers(-4, 4)
    X = draw(st.lists(st.lists(number, min_size=2, max_size=2), min_size=n, max_size=n))
    y = [1, -1, *draw(st.lists(st.sampled_from([-1, 1]), min_size=n - 2, max_size=n - 2))]
    return trace(np.array(X, float), y, offset=draw(st.booleans()), epochs=3,
                 order=draw(st.sampled_from(["given", "shuffled"])))  # fmt: skip


@given(runs())
def test_the_agreements_equal_those_of_the_steps(steps):
    """A naive reference: w and b after each step, from the record of the step itself."""
    states = states_of(steps)
    found = agreements(steps, states, np.arange(len(steps.labels)))
    weights, offset = np.array(steps.settings["start"][:-1]), steps.settings["start"][-1]
    expected = {0: steps.labels * (steps.points @ weights + offset)}
    for number, step in enumerate(steps, start=1):
        now = steps.labels * (steps.points @ np.array(step.weights) + step.offset)
        assert now[step.index] == step.agreement_after
        expected[number] = now
    assert np.array_equal(found, [expected[number] for number in states.steps.tolist()])
    assert states.steps[0] == 0
    assert states.steps[-1] == len(steps)
    # an update lifts its own point by ‖x‖², and by 1 more with an offset
    for before, after, number in zip(found, found[1:], states.steps[1:-1], strict=False):
        step = steps[number - 1]
        lift = float(np.dot(step.x, step.x)) + float(steps.settings["offset"])
        assert after[step.index] - before[step.index] == lift


@pytest.mark.parametrize("most", [10, 10**8])
def test_many_points_are_drawn_as_quantiles(pyplot, tumours, legend, most, monkeypatch):
    monkeypatch.setattr("rosenblatt.plots.agreement_lines.MOST_COUNTED", most)
    X, y = tumours
    steps = trace(X[:60, :5], y[:60], epochs=3)
    ax = plots.agreement(steps)
    states = states_of(steps)
    found = agreements(steps, states, np.arange(60))
    assert np.allclose(ax.lines[0].get_ydata(), np.median(found, axis=1))
    again = f"{wrong_again(found).sum()} misclassified again"
    assert legend(ax) == ["smallest to largest", "the middle half", "median of 60 points",
                          again if most > 10 else f"at least {again}"]  # fmt: skip


# ---------------------------------------------------------------- all of them


@pytest.mark.parametrize(
    ("picture", "sentence"),
    [
        (lambda: plots.mistakes_and_bound(Perceptron()), "model: this Perceptron has learned nothing yet"),
        (lambda: plots.mistakes_and_bound(LogisticRegression().fit(XOR, ODD)),
         "model: this LogisticRegression has no record of its passes"),
        (lambda: plots.mistakes_and_bound(trace(XOR, ODD), bound="12"), "bound: expected a number"),
        (lambda: plots.errors_by_pass(Perceptron().fit(XOR, ODD), ax=3), "ax: expected the axes of one"),
        (lambda: plots.agreement(Perceptron().fit(XOR, ODD)), "trace: expected what rosenblatt.trace"),
        (lambda: plots.agreement(trace(XOR, ODD), points=[4]),
         "points: there is no row 4; the rows of this trace are 0…3"),
        (lambda: plots.mistakes_and_bound(trace(XOR, ODD), bound=-1), "bound: expected a number"),
        (lambda: plots.agreement(trace(XOR, ODD), points=0.5), "points: expected numbers of rows"),
        (lambda: plots.separability(3), "table: expected what separability_table(X, y) returns, got 3"),
        (lambda: plots.order_spread(3), "spread: expected what over_orders(model, X, y) returns, got 3"),
    ],
)  # fmt: skip
def test_input_that_cannot_be_drawn_gets_a_message_and_no_figure(pyplot, picture, sentence):
    with pytest.raises(BadInput) as caught:
        picture()
    assert str(caught.value).startswith(sentence)
    assert not pyplot.get_fignums()


def test_a_run_with_a_kernel_has_its_mistakes_below_that_bound(pyplot):
    title = plots.mistakes_and_bound(trace(XOR, ODD, kernel="linear", epochs=2)).get_title()
    assert "through the origin in feature space" in title.replace("\n", " ")
    ax = plots.mistakes_and_bound(trace(XOR, ODD, kernel="gaussian", gamma=0.5, epochs=2))
    assert ax.lines[0].get_ydata().tolist() == [0, 1, 2, 3, 4, 4, 4, 4, 4]
    assert [text.get_text() for text in ax.get_legend().texts][1] == "bound: at most 5"


def test_a_bound_far_above_the_mistakes_has_a_logarithmic_scale(pyplot):
    steps = trace(POINTS, SIDES)
    assert plots.mistakes_and_bound(steps, bound=10**6).get_yscale() == "symlog"
    assert plots.mistakes_and_bound(steps, bound=5).get_yscale() == "linear"


def test_a_bound_that_was_not_decided_in_time_is_reported(pyplot, tumours):
    ax = plots.mistakes_and_bound(Perceptron().fit(*tumours), *tumours, time_limit=0.0)
    assert ax.get_title().replace("\n", " ") == (
        "no bound: not decided within 0 s whether a hyperplane separates the classes"
    )


def test_points_that_become_wrong_again_have_another_colour(pyplot, legend):
    steps = trace(
        [[3, 1], [3, -1], [-2, -3], [-3, 3], [1, 1]], [1, 1, 1, -1, -1], until="separated", epochs=None
    )
    ax = plots.agreement(steps)
    lines = [line for line in ax.lines if str(line.get_label()).startswith("row")]
    assert [line.get_label() for line in lines] == [f"row {i} ({sign})" for i, sign in enumerate("+++−−")]
    colours = [line.get_color() for line in lines]
    assert [colour == colours[0] for colour in colours] == [True, False, False, False, True]
    assert legend(ax)[1] == "2 of 5 misclassified again"
    marks = sum(len(c.get_offsets()) for c in ax.collections)
    assert marks == steps.updates


def test_labels_moved_away_from_their_lines_have_leader_lines(pyplot):
    chance = np.random.default_rng(0)
    X = chance.normal(size=(10, 2))
    steps = trace(X, np.where(X @ [1.0, 0.5] > 0, 1, -1), epochs=3)
    ax = plots.agreement(steps)
    lines = [line for line in ax.lines if str(line.get_label()).startswith("row")]
    assert [name.get_text() for name in ax.texts] == [line.get_label() for line in lines]
    for name, line in zip(ax.texts, lines, strict=True):
        assert name.arrow_patch is not None
        assert name.xy == (line.get_xdata()[-1], line.get_ydata()[-1]), "it begins where its line ends"
