"""Graphs that include the features of a table's columns."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from rosenblatt import AutoPerceptron, Features, Perceptron, load, save
from rosenblatt.errors import BadInput
from rosenblatt.models.onnx import to_onnx


def people(n=300, seed=0):
    """Rows with gaps in each column and repeated numbers; two columns act only together."""
    r = np.random.default_rng(seed)
    visits = np.where(r.random(n) < 0.6, 0, r.integers(0, 90, n)) * 1.0
    table = pd.DataFrame(
        {
            "age": r.normal(40, 12, n), "visits": visits,
            "city": r.choice(["Rome", "Oslo", "Bern & Co", "NA "], n), "kind": r.choice(["a", "b"], n),
        }
    )  # fmt: skip
    score = np.where((table.kind == "a") ^ (table.visits > 0), 1.0, -1.0) + 0.1 * (table.age - 40)
    for column in table:
        table.loc[r.random(n) < 0.05, column] = np.nan if table[column].dtype.kind == "f" else None
    return table, score


def two_classes(score):
    return np.where(score > 0, "yes", "no")


def three_classes(score):
    return np.digitize(score, [-1.0, 1.0])


def run(proto, table, input_type="float64"):
    """Return (label, scores) by onnxruntime."""
    session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    columns = {
        given.name: table[given.name].fillna("").to_numpy(object)[:, None]
        if "string" in given.type
        else table[given.name].to_numpy(input_type)[:, None]
        for given in session.get_inputs()
    }
    return session.run(["label", "scores"], columns)


def holds(model, proto, table, input_type="float64"):
    labels, scores = run(proto, table, input_type)
    expected = model.decision_function(table)
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-9)
    assert labels.tolist() == model.predict(table).tolist()


PAIRS = [("kind", "visits"), ("kind", "city")]


@pytest.mark.parametrize("numbers", ["given", "standard", "largest", "rank", "piecewise", "bins"])
@pytest.mark.parametrize("pairs", [(), PAIRS])
@pytest.mark.parametrize("classes_of", [two_classes, three_classes])
def test_a_pipeline_has_the_scores_of_predict(numbers, pairs, classes_of):
    (X, score), (others, _) = people(), people(seed=1)
    model = make_pipeline(
        Features(numbers=numbers, pairs=pairs), Perceptron(keep="averaged", random_state=0)
    ).fit(X, classes_of(score))  # fmt: skip
    holds(model, to_onnx(model), others)


@pytest.mark.parametrize("missing", ["mark", "zero"])
def test_a_table_of_numbers_needs_no_names(missing):
    (X, score), (others, _) = people(), people(seed=1)
    model = make_pipeline(Features(missing=missing), Perceptron(keep="averaged", random_state=0))
    model.fit(X[["age", "visits"]], two_classes(score))
    holds(model, to_onnx(model), others[["age", "visits"]])


@pytest.mark.parametrize("effort", ["none", "quick"])
@pytest.mark.parametrize("classes_of", [two_classes, three_classes])
def test_an_auto_perceptron_is_exported_also_after_loading(effort, classes_of, tmp_path):
    (X, score), (others, _) = people(), people(seed=1)
    model = AutoPerceptron(effort=effort).fit(X, classes_of(score))
    proto = to_onnx(model, tmp_path / "model.onnx")
    holds(model, proto, others)
    save(model, tmp_path / "model.safetensors")
    holds(model, to_onnx(load(tmp_path / "model.safetensors")), others)
    assert [given.name for given in proto.graph.output][:2] == ["label", "scores"]


def test_probabilities_are_those_of_the_model():
    X, score = people()
    model = AutoPerceptron().fit(X, two_classes(score))
    proto = to_onnx(model)
    session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    columns = {
        name: X[name].fillna("").to_numpy(object)[:, None]
        if X[name].dtype.kind == "O"
        else X[name].to_numpy()[:, None]
        for name in X
    }
    np.testing.assert_allclose(
        session.run(["probabilities"], columns)[0], model.predict_proba(X), rtol=1e-9
    )


def test_numbers_may_be_float32():
    X, score = people()
    X = X.astype({"age": np.float32, "visits": np.float32}).astype({"age": float, "visits": float})
    model = AutoPerceptron(effort="none").fit(X, two_classes(score))
    holds(model, to_onnx(model, input_type="float32"), X, "float32")


def test_columns_that_onnx_cannot_express_are_refused_with_the_reason():
    texts = pd.DataFrame({"a": np.arange(40.0), "t": ["a fine long film", "a poor long film"] * 20})
    y = [0, 1] * 20
    with pytest.raises(BadInput, match="column 't' is text, and ONNX has no operator that splits text"):
        to_onnx(AutoPerceptron().fit(texts, y))
    dates = pd.DataFrame(
        {"a": np.random.default_rng(0).normal(size=40), "d": pd.date_range("2020", periods=40)}
    )
    with pytest.raises(BadInput, match="column 'd' is a date"):
        to_onnx(make_pipeline(Features(), Perceptron()).fit(dates, y))
    X, score = people()
    with pytest.raises(BadInput, match="ONNX has no hash function"):
        to_onnx(make_pipeline(Features(bits=10), Perceptron()).fit(X, two_classes(score)))
    with pytest.raises(BadInput, match="train with names='all'"):
        to_onnx(AutoPerceptron(names="none").fit(X, two_classes(score)))
    named = X.rename(columns={"age": "scores"})
    with pytest.raises(BadInput, match="column 'scores' has the name of an output"):
        to_onnx(AutoPerceptron().fit(named, two_classes(score)))
