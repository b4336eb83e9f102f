"""What is in a file, who can read it, and what is refused."""

from __future__ import annotations

import json
import sys

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import Perceptron, PolynomialThreshold, read
from rosenblatt.data.sources.encoding import Encoding
from rosenblatt.errors import BadInput
from rosenblatt.models.onnx import graph, to_onnx

X, Y = np.array([[0.0, 1.0], [2.0, 0.0], [1.0, 3.0]]), ["cold", "warm", "cold"]


@pytest.fixture
def model():
    return Perceptron(random_state=0).fit(pd.DataFrame(X, columns=["rain", "sun"]), Y)


def test_a_file_holds_what_is_returned(model, tmp_path):
    path = tmp_path / "weather.onnx"
    proto = to_onnx(model, path)
    assert onnx.load(path) == proto
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    assert session.run(["label"], {"X": X})[0].tolist() == Y
    assert [file.name for file in tmp_path.iterdir()] == ["weather.onnx"]


def test_a_file_that_cannot_be_written_leaves_nothing_behind(model, tmp_path):
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError):
        to_onnx(model, str(tmp_path / "taken"))
    assert [file.name for file in tmp_path.iterdir()] == ["taken"]


def test_names_classes_and_maker_are_in_the_metadata(model):
    proto = to_onnx(model)
    facts = {entry.key: json.loads(entry.value) for entry in proto.metadata_props}
    assert facts == {"feature_names": ["rain", "sun"], "classes": ["cold", "warm"]}
    assert proto.producer_name == "rosenblatt"
    assert proto.doc_string.startswith("Perceptron of rosenblatt ")


def test_how_rows_of_a_file_became_features_is_in_the_metadata_and_makes_the_same_of_others(tmp_path):
    mails = tmp_path / "mails.csv"
    mails.write_text("size,sender,kind\n1.5,friend,ham\n9,shop,spam\n2,friend,ham\n")
    model = Perceptron(random_state=0).fit_stream(
        read(str(mails), bits=4, encoding=Encoding(numbers="standard"))
    )
    path = tmp_path / "mails.onnx"
    facts = {entry.key: json.loads(entry.value) for entry in to_onnx(model, path).metadata_props}
    (chunk,) = read(str(mails), like=facts["reading"])
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    assert session.run(["label"], {"X": chunk.X.toarray()})[0].tolist() == model.predict(chunk.X).tolist()
    assert json.loads(json.dumps(model.reading_)) == facts["reading"]
    assert {"size", "sender=friend", "sender=shop"} <= set(
        " or ".join(facts["feature_names"]).split(" or ")
    )


def test_names_of_labels_are_in_the_metadata():
    labels = pd.DataFrame({"wet": [0, 0, 1], "hot": [0, 1, 0]})
    proto = to_onnx(Perceptron().fit(X, labels))
    assert {entry.key: json.loads(entry.value) for entry in proto.metadata_props} == {
        "classes": ["wet", "hot"]
    }


def test_the_operator_set_is_one_that_runtimes_have_had_for_long(model):
    proto = to_onnx(model)
    assert [(opset.domain, opset.version) for opset in proto.opset_import] == [("", 17)]
    assert proto.ir_version == 8


def test_every_number_is_a_double_and_the_batch_is_free():
    for model in (Perceptron(), PolynomialThreshold()):
        proto = to_onnx(model.fit(X, Y))
        kinds = {tensor.data_type for tensor in proto.graph.initializer}
        assert onnx.TensorProto.FLOAT not in kinds
        (given,) = proto.graph.input
        assert given.type.tensor_type.shape.dim[0].dim_param == "N"
        assert given.type.tensor_type.shape.dim[1].dim_value == 2


def test_the_input_may_be_float32(model):
    (given,) = to_onnx(model, input_type="float32").graph.input
    assert given.type.tensor_type.elem_type == onnx.TensorProto.FLOAT


def test_another_input_type_is_refused(model):
    with pytest.raises(BadInput, match="input_type: got 'int8', expected one of 'float64', 'float32'"):
        to_onnx(model, input_type="int8")


def test_without_onnx_the_sentence_reports_how_to_get_it(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(
        BadInput, match=r"to_onnx needs the extra 'onnx' .*; pip install 'rosenblatt\[onnx\]'"
    ):
        to_onnx(model)


@pytest.mark.parametrize("unfitted", [Perceptron(), PolynomialThreshold()])
def test_a_model_that_has_learned_nothing_is_refused(unfitted):
    with pytest.raises(NotFittedError):
        to_onnx(unfitted)


def test_something_else_is_refused_by_name():
    pipeline = make_pipeline(StandardScaler(), Perceptron()).fit(X, Y)
    with pytest.raises(BadInput, match=r"got a Pipeline, expected a Perceptron, .* give the last step"):
        to_onnx(pipeline)


def test_dates_as_classes_are_refused():
    days = np.array(["2020-01-01", "2020-01-02", "2020-01-01"], "datetime64[ns]")
    with pytest.raises(BadInput, match="ONNX has strings and int64; use such classes"):
        to_onnx(Perceptron().fit(X, days))


def test_whole_numbers_too_large_for_int64_are_refused():
    with pytest.raises(BadInput, match="ONNX has strings and int64"):
        to_onnx(Perceptron().fit(X, np.array([1, 2**63, 1], np.uint64)))


def test_a_name_that_is_no_text_is_refused():
    with pytest.raises(BadInput, match="a class cannot be written in UTF-8"):
        to_onnx(Perceptron().fit(X, ["a", "\ud800", "a"]))


def test_constants_count_together(monkeypatch, model):
    monkeypatch.setattr(graph, "MOST_BYTES", 16)
    with pytest.raises(BadInput, match="the numbers of this model are"):
        to_onnx(model)
