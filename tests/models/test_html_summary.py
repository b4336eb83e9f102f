"""The HTML of a fitted estimator: scikit-learn's diagram, then the rule, the counters and the curve."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html import unescape

import pyarrow as pa
import pytest
import sklearn
from sklearn.base import BaseEstimator

from rosenblatt import (
    AutoPerceptron,
    Features,
    KernelPerceptron,
    Perceptron,
    PolynomialThreshold,
    load,
    save,
)
from rosenblatt.models.html_summary import MOST_POINTS, summary
from rosenblatt.training.run import Epoch

MODELS = [
    Perceptron(random_state=0),
    Perceptron(random_state=0, rule="margin", keep="voted"),
    KernelPerceptron(random_state=0),
    PolynomialThreshold(random_state=0),
    AutoPerceptron(effort="none"),
]


def below_the_diagram(model):
    whole = model._repr_html_()
    assert "sk-container" in whole
    return whole[whole.index('<div class="rosenblatt-run">') :]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_fitted_model_shows_its_rule_its_counters_and_the_curve_of_mistakes(model, noisy):
    model = sklearn.clone(model).fit(*noisy)
    if isinstance(model, AutoPerceptron):
        rule, history = model._record.parameters["rule"], model._record.history
    else:
        rule, history = model._state.rule, model.history_
    html = below_the_diagram(model)
    total = sum(epoch.mistakes for epoch in history)
    assert f"Rule {rule}: {total:,} mistakes and " in unescape(html)
    tree = ET.fromstring(html)
    points = tree.find(".//polyline").get("points").split()
    assert len(points) == len(history)
    heights = [-float(point.split(",")[1]) for point in points]
    mistakes = [epoch.mistakes for epoch in history]
    assert heights.index(max(heights)) == mistakes.index(max(mistakes))
    assert tree.find("svg").get("aria-label").startswith(f"{mistakes[0]:,} mistake")


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_an_unfitted_model_shows_the_diagram_of_scikit_learn_only(model):
    html = model._repr_html_()
    assert "rosenblatt-run" not in html
    assert "Not fitted" in html
    same = BaseEstimator._repr_html_inner(model)
    assert re.sub(r"sk-(container|estimator)-id-\d+", "", html) == re.sub(
        r"sk-(container|estimator)-id-\d+", "", same
    )


def test_text_display_shows_no_html(noisy):
    model = Perceptron(epochs=1).fit(*noisy)
    with sklearn.config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert list(model._repr_mimebundle_()) == ["text/plain"]
    assert "rosenblatt-run" in model._repr_mimebundle_()["text/html"]


def test_the_name_of_a_rule_is_escaped():
    html = summary("<script>alert('x')</script>", 1, 1, 2, [Epoch(1, 1, 1, 2, 0.1)])
    assert "<script>" not in html
    assert "Rule <script>alert('x')</script>: 1 mistake and 1 update in 2 steps." in unescape(html)


def test_a_long_run_has_a_short_curve_that_keeps_its_largest_value():
    history = [Epoch(k + 1, 900 if k == 1234 else k % 7, 1, 1, 0.1) for k in range(2000)]
    points = ET.fromstring(summary("r", 1, 1, 1, history)).find(".//polyline").get("points").split()
    assert len(points) == MOST_POINTS
    assert sum(point.endswith(",4.0") for point in points) == 1  # 900 mistakes, at the top


def test_loaded_models_and_past_states_show_what_they_know(noisy, tmp_path):
    model = KernelPerceptron(random_state=0).fit(*noisy)
    past = below_the_diagram(model.as_of(20))
    assert "20 steps" in past
    assert "<svg" not in past
    save(model, tmp_path / "model")
    assert below_the_diagram(load(tmp_path / "model")) == below_the_diagram(model)


def test_fitted_features_show_their_columns_and_the_kind_of_each():
    table = pa.table({"<age>": [20, 30, None] * 9, "size": range(27), "city": ["Rome", "Oslo", "Rome"] * 9})
    assert "rosenblatt-columns" not in Features()._repr_html_()
    whole = Features(leave_out=["size"]).fit(table)._repr_html_()
    tree = ET.fromstring(whole[whole.index('<div class="rosenblatt-columns">') :])
    assert [line.text for line in tree] == [
        "3 columns, 4 features.", "numbers, standardised: <age>", "dropped: size", "categories: city",
    ]  # fmt: skip


def test_the_colours_are_those_of_the_page():
    html = summary("r", 1, 1, 1, [Epoch(1, 1, 1, 2, 0.1), Epoch(2, 0, 0, 2, 0.1)])
    assert set(re.findall(r'(?:stroke|fill)="([^"]*)"', html)) == {"currentColor", "none"}
