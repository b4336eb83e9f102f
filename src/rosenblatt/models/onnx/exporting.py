"""`to_onnx`: a classifier as a file that runs without Python."""

from __future__ import annotations

import json
import os
from typing import Any, Literal

from rosenblatt.data.whole_files import replacing
from rosenblatt.models.onnx.graph import Graph
from rosenblatt.models.onnx.outlines import outline
from rosenblatt.models.onnx.output import class_names
from rosenblatt.models.onnx.probabilities import add_probabilities
from rosenblatt.version import __version__


def to_onnx(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    input_type: Literal["float64", "float32"] = "float64",
) -> Any:
    """A fitted classifier as an ``onnx.ModelProto``, written to `path` if one is given.

    model: a `Perceptron` (two classes, many, or a table of labels), `KernelPerceptron`,
    `PolynomialThreshold` or `Learner`, with any rule, any keeper and any of the package's kernels. A kernel
    of your own is refused: no operators stand for it. Needs ``pip install 'rosenblatt[onnx]'``.

    The graph has one input, ``X``, with a row for each of N examples (N is free) and a column for each
    feature, and two outputs:

    * ``label``: what `predict` answers. Strings stay strings; whole numbers, bools and floats become
      int64; a table of labels becomes a table of 0 and 1 in int64.
    * ``scores``: what `decision_function` gives, in double.

    and, of a model that has been calibrated, a third, ``probabilities``: what `predict_proba` gives.

    Features that have names are in the order of ``feature_names`` in the model's metadata; for a `Learner`
    of named features that is the order in which it met them (a feature that a row lacks is 0 there). How
    rows of a file became features, where the model knows that, is ``reading`` there, as JSON: what
    ``read(other, like=…)`` takes.

    All is computed in double precision, whatever input_type, which says what ``X`` holds; float32 data
    gives the same scores either way. The package decides signs, and which score is the largest, exactly. A
    graph must round: where scores differ from 0, or from each other, by less than the rounding of their
    sums, its label may be another one. Sums of whole numbers below 2^53 are exact here too. A graph does
    not check X: NaN or infinity, which `predict` refuses, gives a label that means nothing.

    Operator set 17, which onnxruntime has from 1.12 on; checked by ``onnx.checker``. Support rows and
    vectors are written out as dense doubles, 2 GB at most: more is refused. A committee (keep="voted")
    holds a number for each of its vectors and each row of X while it runs: give it X in parts.

    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.models.onnx import to_onnx
    >>> model = Perceptron().fit([[0.0, 1.0], [2.0, 0.0]], ["cold", "warm"])
    >>> graph = to_onnx(model).graph
    >>> [given.name for given in graph.input], [given.name for given in graph.output]
    (['X'], ['label', 'scores'])
    """
    found = outline(model)
    graph = Graph(found.n_features, input_type)
    scores = found.answer.add_to(graph, found.scores.add_to(graph))
    if found.calibration is not None:
        add_probabilities(graph, scores, found.calibration, len(found.answer.classes))
    facts = {"classes": json.dumps(class_names(found.answer.classes).tolist())}
    if found.feature_names:
        facts["feature_names"] = json.dumps(found.feature_names)
    if reading := getattr(model, "reading_", None):
        facts["reading"] = json.dumps(reading)
    proto = graph.model(f"{type(model).__name__} of rosenblatt {__version__}", facts, __version__)
    if path is not None:
        content = proto.SerializeToString()
        with replacing(path) as fresh, open(fresh, "wb") as file:
            file.write(content)
    return proto
