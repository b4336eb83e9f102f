"""over_orders as a table and as pictures, and what it refuses."""

from __future__ import annotations

import signal
import threading
import time
from itertools import count

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from rosenblatt import (
    KernelPerceptron,
    Perceptron,
    over_orders,
)
from rosenblatt.errors import BadInput
from tests.patience import HANGS

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])

# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"orders": 0}, r"orders: expected a number of orders \(1 or more\).* got 0"),
        ({"orders": "shuffled"}, "orders: expected a number of orders.* got 'shuffled'"),
        ({"orders": [1, -2]}, "orders: -2 is not a seed; seeds are whole numbers from 0"),
        ({"orders": [[0, 1], [0, 120]]}, "orders: number 1: order: row 120 does not exist"),
        ({"starts": 0}, r"starts: expected a number of starts \(1 or more\), or a list .* got 0"),
        ({"starts": ["middle"]}, "init: got 'middle', expected one of 'zeros', 'unit'"),
        ({"starts": [[1.0, 2.0]]}, "init: 2 weights for 5 features"),
        ({"n_jobs": 0}, "n_jobs: expected a number of threads"),
        ({"test": 0.2}, r"test: expected a pair \(X, y\) of other rows, or None, got 0.2"),
        ({"test": ([[1.0]], [0])}, "test: 1 features, the training rows have 5"),
        ({"test": (np.ones((1, 5)), [[0, 1]])}, "test: y of shape"),
        ({"orders": []}, r"orders: expected a number of orders.* got \[\]"),
        ({"orders": [[0, 1], "given"]}, "orders: number 1: order: expected a sequence of row numbers"),
        ({"test": (np.ones((2, 5)), [0])}, "test: y: 1 labels for 2 rows"),
        ({"test": (np.ones((1, 5)), ["0"])}, "test: none of its labels is a class of y .*'0', y has"),
        ({"sample_weight": [1.0]}, "sample_weight: Sample weights must be 1D, one for each of 120 rows"),
        ({"y": np.zeros(120)}, "y: only one class"),
        ({"X": np.full((120, 5), np.inf), "starts": 2}, "X: Input contains infinity in row 0, column 0"),
        ({"X": np.full((120, 5), 1e200), "starts": 2}, r"starts: the rows are too long .*MaxAbsScaler"),
        ({"estimator": Perceptron}, "estimator: expected an estimator of this package"),
        ({"estimator": make_pipeline(Perceptron())}, "Pipeline has no parameter .* its last step"),
        ({"estimator": Perceptron(order="given")}, "its order is 'given', so all 100 orders would be the"),
        ({"estimator": KernelPerceptron(), "starts": 2}, "starts: this estimator has no parameter 'init'"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_refusal_gives_the_reason(noisy, change, message, n_jobs):
    X, y = noisy
    arguments = {"estimator": Perceptron(), "X": X, "y": y, "n_jobs": n_jobs, **change}
    with pytest.raises(BadInput, match=message):
        over_orders(**arguments)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_names_its_run(noisy, n_jobs):
    X, y = noisy

    def refuse(record):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough") as caught:
        over_orders(Perceptron(callbacks=refuse), X, y, orders=[7], n_jobs=n_jobs)
    assert caught.value.__notes__ == ["in run 0 of over_orders, with random_state=7"]


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("moment", [1, 20, 3000])  # while runs are still being handed out, and after
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_an_interrupt_ends_runs_that_would_not_end(n_jobs, moment):
    main = threading.main_thread().ident
    passes = count(1)

    def press(record):
        if next(passes) == moment:
            signal.pthread_kill(main, signal.SIGINT)

    learner = Perceptron(until="separated", epochs=None, callbacks=press)
    before = set(threading.enumerate())
    with pytest.raises(KeyboardInterrupt):
        over_orders(learner, *XOR, orders=50, n_jobs=n_jobs)
    # the pool does not know a thread whose start was interrupted; that one ends by itself
    deadline = time.monotonic() + HANGS
    while set(threading.enumerate()) - before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not set(threading.enumerate()) - before


# ---------------------------------------------------------------- the pictures


def bars(panel):
    return sum(bar.get_height() for bar in panel.patches)


def test_the_histograms_hold_every_run_where_its_figure_is(pyplot, noisy):
    X, y = noisy
    spread = over_orders(Perceptron(), X[:80], y[:80], orders=40, test=(X[80:], y[80:]))
    panels = spread.plot()
    figures = [spread.accuracy, spread.test_accuracy, spread.margin, spread.mistakes]
    labels = [panel.get_xlabel().split(" (")[0] for panel in panels]
    assert labels == [
        "accuracy on the training rows", "accuracy on the test rows", "margin", "mistakes during training",
    ]  # fmt: skip
    for panel, values in zip(panels, figures, strict=True):
        assert bars(panel) == 40
        edges = [bar.get_x() for bar in panel.patches]
        edges.append(edges[-1] + panel.patches[-1].get_width())
        expected, _ = np.histogram(values, edges)
        assert [bar.get_height() for bar in panel.patches] == expected.tolist()
        assert panel.lines[0].get_xdata()[0] == np.median(values)
        low, high = panel.get_xlim()
        assert low <= values.min()
        assert values.max() <= high
    assert panels[0].get_xlim() == panels[1].get_xlim()


@pytest.mark.parametrize("make", [
    lambda X, y: over_orders(Perceptron(), X, y, orders=1),
    lambda X, y: over_orders(Perceptron(), X, y, orders=1, test=(X[:1], y[:1])),
    lambda X, y: over_orders(Perceptron(keep="voted"), X, y, orders=5),
    lambda X, y: over_orders(Perceptron(offset=False), [[0.0], [0.0]], [0, 1], orders=5),
    lambda X, y: over_orders(Perceptron(offset=False), [[1e-200], [-1e-200]], [0, 1], orders=5),
    lambda X, y: over_orders(Perceptron(until="separated"), [[0.0, 0.0], [1.0, 1.0]], [0, 1], orders=300),
], ids=["one run", "one test row", "voted", "w = 0", "tiny", "many runs"])  # fmt: skip
def test_every_spread_can_be_drawn(pyplot, noisy, make, tmp_path):
    spread = make(*noisy)
    panels = spread.plot()
    panels[0].figure.savefig(tmp_path / "spread.png")
    assert bars(panels[0]) == len(spread)
    assert len(panels) == len(set(spread.figures()) - {"updates", "epochs"})


def test_the_lines_are_where_the_score_is_zero(pyplot, separable):
    X, y = separable
    spread = over_orders(Perceptron(until="separated", epochs=None), X, y, orders=25)
    axes = spread.plot_lines()
    *points, lines = axes.collections
    assert sum(len(group.get_offsets()) for group in points) == len(y)
    for group, label in zip(points, (0, 1), strict=True):
        np.testing.assert_array_equal(group.get_offsets(), X[y == label])
    segments = lines.get_segments()
    assert len(segments) == 25
    corners = np.array([axes.get_xlim(), axes.get_ylim()])
    diagonal = np.linalg.norm(corners[:, 1] - corners[:, 0])
    for (w0, w1, b), segment in zip(spread.lines, segments, strict=True):
        np.testing.assert_allclose(segment @ [w0, w1] + b, 0.0, atol=1e-9 * np.hypot(w0, w1))
        assert np.linalg.norm(segment[1] - segment[0]) == pytest.approx(2 * diagonal)
    best = int(spread.margin.argmax())
    np.testing.assert_array_equal(axes.lines[0].get_xydata(), segments[best])
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts == ["class 0", "class 1", "25 runs", f"largest margin, {spread.margin[best]:.3g}"]


def test_other_starts_have_a_colour_of_their_own(pyplot, separable):
    spread = over_orders(Perceptron(until="separated"), *separable, orders=10, starts=3)
    panels = spread.plot()
    assert len(panels) == 3
    for panel in panels:
        of_first, of_others = panel.containers
        assert sum(bar.get_height() for bar in of_first) == 10
        assert sum(bar.get_height() for bar in of_others) == 20
    (legend,) = panels[0].figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["first start", "other starts", "median"]
    _, axes = pyplot.subplots(1, 3)
    assert list(spread.plot(ax=axes)) == list(axes)
    assert axes[0].get_legend() is not None
    with pytest.raises(BadInput, match=r"ax: 1 axes for 3 figures \(accuracy, margin, mistakes\)"):
        spread.plot(ax=axes[0])
