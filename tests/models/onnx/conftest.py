"""Graphs run by onnxruntime, and held against the package."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris

from rosenblatt.models.onnx import to_onnx


def run(proto, X):
    """(label, scores) by onnxruntime."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        proto.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(["label", "scores"], {"X": X})


@pytest.fixture(scope="session")
def run_onnx():
    def exported_and_run(model, X, input_type="float64"):
        return run(to_onnx(model, input_type=input_type), np.asarray(X, input_type))

    return exported_and_run


@pytest.fixture(scope="session")
def rounding(load):
    return load(Path(__file__).parent / "rounding.py")


@pytest.fixture(scope="session")
def agrees(run_onnx, rounding):
    """Scores differ by no more than rounding can explain, and labels only where that decides: rows that
    are few."""

    def check(model, X, input_type="float64", most_in_doubt=0.02):
        X = np.asarray(X, input_type)
        label, scores = run_onnx(model, X, input_type)
        expected, values = model.predict(X), model.decision_function(X)
        expected = expected.toarray() if hasattr(expected, "toarray") else expected
        assert label.shape == expected.shape
        assert scores.shape == values.shape
        assert scores.dtype == np.float64
        off = rounding.off_by(model, X)
        if values.ndim == 1:
            off = off.sum(axis=1)  # one column, or the lead of one of two
        assert (np.abs(scores - values) <= off).all()
        if label.ndim == 2:
            label, expected, values, off = (table.ravel() for table in (label, expected, values, off))
        doubtful = rounding.in_doubt(values, off)
        assert (label == expected)[~doubtful].all()
        assert doubtful.mean() <= most_in_doubt

    return check


@pytest.fixture(scope="session")
def data_sets():
    """Real ones: two classes of 30 real features, three of 4, and ten of 64 whole numbers."""
    return {
        "tumours": load_breast_cancer(return_X_y=True),
        "irises": load_iris(return_X_y=True),
        "digits": load_digits(return_X_y=True),
    }
