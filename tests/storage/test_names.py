"""Classes, features and parameters of every type come back as they were, without any pickle."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import KernelPerceptron, Learner, Perceptron, kernels, rules
from rosenblatt.errors import BadInput
from rosenblatt.models.saving import load, save
from rosenblatt.storage.fields import Part, Section
from rosenblatt.storage.names import decode_texts, encode_texts

DAY, HOUR = datetime.date(2024, 2, 2), datetime.datetime(2024, 2, 2, 10, 30, tzinfo=datetime.UTC)
CLASSES = {
    "texts": ["b", "a", "ccc"],
    "wider texts": np.array(["b", "a", "ccc"], "U20"),
    "no text": ["", "a", "b"],
    "any characters": ["ü\ud800", "\U0001f600", "a\0b"],
    "bytes": [b"b", b"a\xff", b"ccc"],
    "objects": np.array(["b", "a", "ccc"], object),
    "whole numbers": [5, -3, 100],
    "small ones": np.array([5, -3, 100], np.int8),
    "large ones": np.array([5, 2, 2**64 - 1], np.uint64),
    "of another byte order": np.array([5, 2, 100], ">i4"),
    "whole floats": [5.0, -3.0, 2.0**60],
    "half floats": np.array([5, -3, 100], np.float16),
    "days": np.array(["2024-02-02", "2023-01-01", "2025-01-01"], "M8[D]"),
    "quarters of an hour": np.array(["2024-02-02", "2023-01-01", "2025-01-01"], "M8[15m]"),
    "stretches of time": np.array([3, 1, 2], "m8[ns]"),
    "dates": np.array([DAY, DAY.replace(day=1), DAY.replace(day=3)], object),
    "moments": np.array([HOUR, HOUR.replace(hour=1), HOUR.replace(hour=2)], object),
    "numbers as objects": np.array([10**50, 1.0, 2], object),
    "numpy's strings": np.array(["b", "a", "ccc"], np.dtypes.StringDType()),
}


@pytest.mark.parametrize("kind", CLASSES)
def test_classes_come_back_with_type_and_value(kind, zoo, tmp_path):
    names = np.asarray(CLASSES[kind])
    model = Perceptron(epochs=1, random_state=0).fit(zoo.X, names[zoo.MANY])
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.classes_.dtype == model.classes_.dtype
    assert loaded.classes_.tolist() == model.classes_.tolist()
    assert [type(name) for name in loaded.classes_.tolist()] == [
        type(name) for name in model.classes_.tolist()
    ]
    assert loaded.predict(zoo.X).tolist() == model.predict(zoo.X).tolist()
    assert (
        loaded.partial_fit(zoo.X, names[zoo.MANY]).mistakes_
        == model.partial_fit(zoo.X, names[zoo.MANY]).mistakes_
    )


def test_classes_that_no_file_can_hold_are_refused(zoo, tmp_path):
    numbers = np.array([decimal.Decimal(3), decimal.Decimal(1), decimal.Decimal(2)], object)
    model = Perceptron(epochs=1).fit(zoo.X, numbers[zoo.MANY])
    with pytest.raises(
        BadInput, match="a Decimal as a class or name cannot be saved; use texts or numbers"
    ):
        save(model, tmp_path / "model")
    learner = Learner(multiclass="one_vs_rest")
    learner.learn([1.0], decimal.Decimal(3))
    with pytest.raises(BadInput, match="a Decimal as a class or name cannot be saved"):
        save(learner, tmp_path / "model")
    if np.dtype(np.longdouble).itemsize > 8:
        model = Perceptron(epochs=1).fit(zoo.X, np.array([3, 1, 2], np.longdouble)[zoo.MANY])
        with pytest.raises(BadInput, match=r"classes: an array of .* cannot be saved"):
            save(model, tmp_path / "model")


@pytest.mark.parametrize(
    "labels", [["a", "b"], [1, "b"], [True, 2.0], [b"x", DAY], [HOUR, 10**70], ["", "\ud800"], [3.0, -4.0]]
)
def test_classes_and_names_of_a_learner_come_back(labels, tmp_path):
    learner = Learner(multiclass="one_vs_rest", classes=labels[:1])
    learner.learn({labels[0]: 1.0, "x": 2.0}, labels[0])
    learner.learn({labels[1]: 1.0}, labels[1])
    save(learner, tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.classes == learner.classes == labels
    assert [type(label) for label in loaded.classes] == [type(label) for label in labels]
    assert loaded.weights == learner.weights
    assert loaded.feature_names == learner.feature_names


@given(st.lists(st.text(st.characters()), max_size=20))
def test_any_texts_come_back(texts):
    part = Part()
    encode_texts(part, "names", texts)
    assert decode_texts(Section(*part.split()), "names") == texts


def test_names_of_features_and_labels_are_checked_after_loading_too(zoo, tmp_path):
    table = pd.DataFrame(zoo.LABELS, columns=["a", "b", "c", "d"])
    model = Perceptron(epochs=1).fit(zoo.TABLE, table)
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.label_names_ == ["a", "b", "c", "d"]
    assert loaded.feature_names_in_.tolist() == ["width", "höhe", "depth"]
    assert loaded.predict(zoo.TABLE).dtype == model.predict(zoo.TABLE).dtype
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(zoo.TABLE.rename(columns={"width": "other"}))
    with pytest.raises(ValueError, match="column 1 is 'z' here and was 'b'"):
        loaded.partial_fit(zoo.TABLE, table.rename(columns={"b": "z"}))


PARAMETERS = {
    "a rule by name": {"rule": "passive_aggressive_2"},
    "a rule with parameters": {"rule": rules.UnevenMargin(tau_positive=2, rate=0.5)},
    "numpy's scalars": {"epochs": np.int64(2), "offset": np.bool_(True), "random_state": np.int32(3)},
    "weights by class": {"class_weight": {np.int64(0): 2, 1: np.float64(0.5)}},
    "an order": {"order": np.array([3, 1, 2, 0])},
    "a start": {"init": np.array([1.0, 2.0, 3.0])},
    "a start with an offset": {"init": (np.array([1.0, 2.0, 3.0]), 0.25)},
    "no limit": {"epochs": None, "until": "separated", "callbacks": None, "validation": None},
    "a part to hold out": {"validation": 0.25, "n_jobs": -1, "progress": False, "track_error": True},
}


@pytest.mark.parametrize("kind", PARAMETERS)
def test_parameters_come_back(kind, same, tmp_path):
    X = np.vstack([np.eye(3), -np.eye(3), 2 * np.eye(3), [[-1.0, -2.0, 1.0]]])
    y = (X.sum(axis=1) > 0).astype(int)
    model = Perceptron(**{"epochs": 2, **PARAMETERS[kind]}).fit(X, y)
    save(model, tmp_path / "model")
    same(model, load(tmp_path / "model"))


def test_weights_keep_their_labels_types(zoo, tmp_path):
    model = Perceptron(class_weight={"no": 1, "yes": 2.5}).fit(zoo.X, np.where(zoo.TWO, "yes", "no"))
    save(model, tmp_path / "model")
    assert load(tmp_path / "model").class_weight == {"no": 1, "yes": 2.5}
    late = Perceptron(class_weight={True: 2.0, b"x": 1, 3.0: 4}, allow_new_classes=True)
    late.partial_fit(zoo.X, zoo.MANY)
    save(late, tmp_path / "model")
    assert load(tmp_path / "model").class_weight == late.class_weight


def test_a_kernel_keeps_the_width_it_was_given_and_the_one_it_found(zoo, tmp_path):
    for kernel in ("gaussian", kernels.Gaussian(gamma="auto"), kernels.Polynomial(degree=2, gamma="scale")):
        model = KernelPerceptron(kernel=kernel, epochs=1).fit(zoo.X, zoo.TWO)
        save(model, tmp_path / "model")
        loaded = load(tmp_path / "model")
        assert (loaded.kernel, loaded.gamma, loaded.kernel_) == (kernel, "scale", model.kernel_)
        loaded.partial_fit(zoo.X, zoo.TWO)
