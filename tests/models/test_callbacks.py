"""Callbacks of scikit-learn 1.9 (SLEP 23): one task for each pass of a fit."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import AutoPerceptron, KernelPerceptron, Perceptron, PolynomialThreshold, load, save
from rosenblatt.errors import BadInput

callback = pytest.importorskip(
    "sklearn.callback", reason="needs scikit-learn 1.9, the first with callbacks"
)


class Recorder:
    """Store the calls and the fitted models; ask to stop after some passes."""

    def __init__(self, stop_after=None):
        self.stop_after, self.calls, self.fitted, self.data = stop_after, [], [], []

    def setup(self, estimator, context):
        self.calls.append("setup")

    def teardown(self, estimator, context):
        self.calls.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.calls.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, X, y, metadata, fitted_estimator):
        self.calls.append(f"end {context.task_name}")
        self.fitted.append(fitted_estimator)
        self.data.append((X, y, metadata))
        return self.stop_after is not None and context.task_id + 1 == self.stop_after


class Counter:
    """Count the tasks, without a fitted model."""

    def __init__(self):
        self.n = 0

    def setup(self, estimator, context): ...
    def teardown(self, estimator, context): ...
    def on_fit_task_begin(self, estimator, context): ...
    def on_fit_task_end(self, estimator, context):
        self.n += 1


MODELS = [
    Perceptron(epochs=4, random_state=0),
    Perceptron(epochs=4, random_state=0, keep="averaged", rule="arow"),
    Perceptron(epochs=4, random_state=0, keep="voted"),
    Perceptron(epochs=4, random_state=0, keep="pocket", allow_new_classes=True, n_jobs=2),
    Perceptron(epochs=4, random_state=0, validation=0.2),
    KernelPerceptron(epochs=4, random_state=0),
    KernelPerceptron(epochs=4, random_state=0, budget=20, keep="last"),
    PolynomialThreshold(epochs=4, random_state=0, way="map"),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_the_model_of_each_pass_is_that_of_a_fit_of_so_many_passes(model, noisy):
    X, y = noisy
    recorder = Recorder()
    observed = clone(model).set_callbacks(recorder).fit(X, y)
    passes = [f"{when} pass" for _ in range(4) for when in ("begin", "end")]
    assert recorder.calls == ["setup", "begin fit", *passes, "end fit", "teardown"]
    assert all(data[0] is X and data[1] is y for data in recorder.data)
    for k, fitted in enumerate(recorder.fitted[:4], start=1):
        short = clone(model).set_params(epochs=k).fit(X, y)
        assert fitted.decision_function(X).tobytes() == short.decision_function(X).tobytes()
        assert (fitted.mistakes_, fitted.epochs_) == (short.mistakes_, short.epochs_)
        assert [e.mistakes for e in fitted.history_] == [e.mistakes for e in short.history_]
    plain = clone(model).fit(X, y)
    for same in (observed, recorder.fitted[-1]):
        assert same.decision_function(X).tobytes() == plain.decision_function(X).tobytes()


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_callback_that_returns_true_stops_the_run(model, noisy):
    X, y = noisy
    recorder = Recorder(stop_after=2)
    stopped = clone(model).set_callbacks(recorder).fit(X, y)
    assert stopped.epochs_ == 2
    short = clone(model).set_params(epochs=2).fit(X, y)
    assert stopped.decision_function(X).tobytes() == short.decision_function(X).tobytes()
    assert recorder.calls[-2:] == ["end fit", "teardown"]


def test_both_kinds_of_callbacks_see_every_pass(noisy):
    X, y = noisy
    records = []
    model = Perceptron(epochs=5, random_state=0, callbacks=records.append)
    model.set_callbacks(counter := Counter()).fit(X, y)
    assert len(records) == 5
    assert counter.n == 6  # with the task of the fit


def test_the_model_of_a_pass_keeps_nothing_of_an_earlier_fit(noisy):
    X, y = noisy
    model = Perceptron(random_state=0, epochs=2).fit(X, np.stack([y, 1 - y], axis=1)).fit(X, y)
    model.calibrate(X, y).set_callbacks(recorder := Recorder())
    model.fit(X, y)
    assert not hasattr(recorder.fitted[0], "calibration_")
    assert not hasattr(recorder.fitted[0], "label_names_")


def test_sample_weights_reach_the_callbacks(noisy):
    X, y = noisy
    weight = np.linspace(1.0, 2.0, len(y))
    Perceptron(epochs=1).set_callbacks(recorder := Recorder()).fit(X, y, sample_weight=weight)
    assert recorder.data[0][2]["sample_weight"] is weight


def test_callbacks_end_after_an_error(noisy):
    X, y = noisy

    class Failing(Counter):
        ended = False

        def on_fit_task_end(self, estimator, context):
            raise RuntimeError("a full disk")

        def teardown(self, estimator, context):
            self.ended = True

    model = Perceptron().set_callbacks(failing := Failing())
    with pytest.raises(RuntimeError, match="a full disk"):
        model.fit(X, y)
    assert failing.ended
    assert not hasattr(model, "coef_")
    with pytest.raises(BadInput, match="epochs"):
        Perceptron(epochs=0).set_callbacks(Counter()).fit(X, y)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_the_scoring_monitor_records_the_accuracy_of_each_pass(model, noisy):
    X, y = noisy
    monitor = callback.ScoringMonitor(scoring="accuracy")
    model = clone(model).set_callbacks(monitor).fit(X, y)
    rows = monitor.get_logs().data
    scores = [row["accuracy"] for row in rows if row["task_name"] == "pass"]
    expected = [
        clone(model).set_callbacks().set_params(epochs=k).fit(X, y).score(X, y) for k in (1, 2, 3, 4)
    ]
    assert scores == expected


@pytest.mark.parametrize("epochs", [3, None])
def test_the_progress_bar_shows_the_passes(epochs, capsys):
    X = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [1.0, 3.0]]
    model = Perceptron(epochs=epochs, until="separated", order="given", random_state=0)
    model.set_callbacks(callback.ProgressBar()).fit(X, [0, 1, 1, 0])
    shown = capsys.readouterr().out
    assert "Perceptron" in shown
    assert "100%" in shown


def test_callbacks_of_a_pipeline_reach_the_perceptron(noisy):
    X, y = noisy
    pipeline = make_pipeline(StandardScaler(), Perceptron(epochs=3, random_state=0))
    counter = Counter()
    counter.max_propagation_depth = None
    pipeline.set_callbacks(counter).fit(X, y)
    assert counter.n == 1 + 1 + 1 + 3  # the pipeline, its two steps, and three passes
    assert not hasattr(pipeline[-1], "_skl_callbacks")
    assert cross_val_score(pipeline, X, y, cv=2).shape == (2,)


def test_a_stream_reports_its_passes(noisy):
    X, y = noisy
    recorder = Recorder()
    model = Perceptron(epochs=3, order="given").set_callbacks(recorder)
    model.fit_stream([(X, y)])
    assert [call for call in recorder.calls if call.startswith("end")] == ["end pass"] * 3 + ["end fit"]
    for k, fitted in enumerate(recorder.fitted[:3], start=1):
        short = Perceptron(epochs=k, order="given").fit(X, y)
        assert fitted.coef_.tobytes() == short.coef_.tobytes()
    assert model.coef_.tobytes() == fitted.coef_.tobytes()


def test_the_passes_of_an_auto_perceptron_are_reported_and_can_be_stopped(noisy):
    X, y = noisy
    recorder = Recorder(stop_after=2)
    model = AutoPerceptron(effort="none", epochs=3).set_callbacks(recorder).fit(X, y)
    assert recorder.calls.count("end pass") == 2
    short = AutoPerceptron(effort="none", epochs=2).fit(X, y)
    for same in (model, recorder.fitted[1]):
        assert same.decision_function(X).tobytes() == short.decision_function(X).tobytes()
    assert recorder.fitted[0].columns_ == model.columns_


def test_a_model_with_callbacks_can_be_saved_and_pickled(noisy, tmp_path):
    X, y = noisy
    model = Perceptron(epochs=2, random_state=0).set_callbacks(Counter()).fit(X, y)
    save(model, tmp_path / "model")
    assert load(tmp_path / "model").coef_.tobytes() == model.coef_.tobytes()
    model.set_callbacks(callback.ScoringMonitor(scoring="accuracy")).fit(X, y)
    assert pickle.loads(pickle.dumps(model)).coef_.tobytes() == model.coef_.tobytes()


WITHOUT = """
import sys
sys.modules["sklearn.callback"] = None
from rosenblatt import Perceptron
model = Perceptron(order="given").fit([[2.0, 1.0], [0.0, 2.0]], [1, 0])
print(model.mistakes_, hasattr(model, "set_callbacks"))
"""


def test_models_learn_with_a_scikit_learn_that_has_no_callbacks():
    printed = subprocess.run([sys.executable, "-c", WITHOUT], check=True, capture_output=True, text=True)
    assert printed.stdout.split() == ["2", "False"]
