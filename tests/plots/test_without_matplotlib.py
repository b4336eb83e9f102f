"""matplotlib is optional: without it every picture says what to install."""

from __future__ import annotations

import sys

import pytest

from rosenblatt import Perceptron, over_orders, plots, separability_table, trace
from rosenblatt.errors import BadInput

X, Y = [[2.0, 1.0], [0.0, 2.0], [-0.5, -2.0]], [1, -1, 1]


@pytest.mark.parametrize(
    "picture",
    [
        lambda: plots.decision_regions(Perceptron().fit(X, Y), X, Y),
        lambda: plots.margins(Perceptron().fit(X, Y), X, Y),
        lambda: plots.mistakes_and_bound(Perceptron().fit(X, Y)),
        lambda: plots.agreement(trace(X, Y)),
        lambda: plots.errors_by_pass(Perceptron().fit(X, Y)),
        lambda: plots.order_spread(over_orders(Perceptron(), X, Y, orders=2)),
        lambda: plots.order_lines(over_orders(Perceptron(), X, Y, orders=2)),
        lambda: plots.separability(separability_table(X, Y)),
    ],
)
def test_without_matplotlib_the_error_states_what_to_install(monkeypatch, picture):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(BadInput, match=r"pip install 'rosenblatt\[plots\]'"):
        picture()
