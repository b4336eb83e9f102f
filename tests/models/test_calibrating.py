"""`calibrate` and `predict_proba`: stored, exported, and dropped when learning continues."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator

from rosenblatt import KernelPerceptron, Perceptron, PolynomialThreshold, load, save
from rosenblatt.errors import BadInput
from rosenblatt.models.onnx import to_onnx

MODELS = {
    "linear": lambda: Perceptron(keep="averaged", random_state=0, epochs=2),
    "two columns": lambda: Perceptron(allow_new_classes=True, random_state=0, epochs=2),
    "kernel": lambda: KernelPerceptron(kernel="linear", random_state=0, epochs=2),
    "polynomial": lambda: PolynomialThreshold(random_state=0, epochs=2),
}


def rows(n_classes, seed=0):
    random = np.random.default_rng(seed)
    y = random.integers(0, n_classes, 200)
    return random.normal(size=(200, 4)) + np.eye(4)[y], np.array(["one", "two", "three"])[y]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("method", ["platt", "isotonic"])
@pytest.mark.parametrize("model", MODELS)
def test_probabilities_are_scikit_learns_and_the_same_from_a_file_and_in_onnx(
    tmp_path, model, method, n_classes
):
    (X, y), (X_new, y_new) = rows(n_classes), rows(n_classes, 1)
    fitted = MODELS[model]().fit(X, y)
    assert fitted.calibrate(X_new, y_new, method=method) is fitted
    probabilities = fitted.predict_proba(X)
    theirs = {"platt": "sigmoid", "isotonic": "isotonic"}[method]
    peer = CalibratedClassifierCV(FrozenEstimator(fitted), method=theirs).fit(X_new, y_new)
    assert np.allclose(probabilities, peer.predict_proba(X), atol=1e-6)
    save(fitted, tmp_path / "m.safetensors")
    assert np.array_equal(load(tmp_path / "m.safetensors").predict_proba(X), probabilities)
    if model != "kernel":  # a graph holds no support rows
        session = onnxruntime.InferenceSession(to_onnx(fitted).SerializeToString())
        assert np.allclose(session.run(["probabilities"], {"X": X})[0], probabilities, atol=1e-9)


@pytest.mark.parametrize("model", MODELS)
def test_without_calibration_there_is_no_predict_proba_and_the_error_reports_how_to_have_it(model):
    X, y = rows(2)
    fitted = MODELS[model]().fit(X, y)
    assert not hasattr(fitted, "predict_proba")
    with pytest.raises(
        AttributeError, match=r"call calibrate\(X, y\) with rows that it was not trained on"
    ):
        fitted.predict_proba(X)
    assert not hasattr(clone(fitted.calibrate(X, y)), "predict_proba")


@pytest.mark.parametrize("model", MODELS)
def test_to_learn_on_drops_the_probabilities_of_what_was(model):
    X, y = rows(2)
    fitted = MODELS[model]().fit(X, y).calibrate(X, y)
    assert not hasattr(fitted.partial_fit(X, y), "predict_proba")
    assert not hasattr(fitted.calibrate(X, y).fit(X, y), "predict_proba")


def test_rows_of_one_class_and_tables_of_labels_are_refused():
    X, y = rows(2)
    with pytest.raises(BadInput, match="rows of every class are needed"):
        MODELS["linear"]().fit(X, y).calibrate(X[y == "one"], y[y == "one"])
    labels = np.column_stack([y == "one", y == "two"]).astype(int)
    with pytest.raises(BadInput, match="not for tables of labels"):
        Perceptron(epochs=1).fit(X, labels).calibrate(X, labels)
    with pytest.raises(BadInput, match="method: got 'spline'"):
        MODELS["linear"]().fit(X, y).calibrate(X, y, method="spline")


def test_a_threshold_from_a_file_decides_in_python_and_in_onnx(tmp_path):
    X, y = rows(2)
    fitted = MODELS["linear"]().fit(X, y)
    fitted.threshold_ = 1.5
    save(fitted, tmp_path / "m.safetensors")
    again = load(tmp_path / "m.safetensors")
    above = fitted.decision_function(X) > 1.5
    assert 0 < above.sum() < (fitted.decision_function(X) > 0.0).sum()
    assert np.array_equal(again.predict(X), again.classes_[above.astype(int)])
    session = onnxruntime.InferenceSession(to_onnx(again).SerializeToString())
    assert session.run(["label"], {"X": X})[0].tolist() == again.predict(X).tolist()
