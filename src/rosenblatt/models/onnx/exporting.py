"""`to_onnx`: convert a classifier to ONNX, so that it runs without Python."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rosenblatt.data.whole_files import replacing
from rosenblatt.models.onnx.column_features import ColumnFeatures, input_columns
from rosenblatt.models.onnx.graph import Graph
from rosenblatt.models.onnx.graph_scores import Weights
from rosenblatt.models.onnx.outlines import Outline, outline
from rosenblatt.models.onnx.output import add_probabilities, class_names
from rosenblatt.version import __version__

if TYPE_CHECKING:
    import onnx


def to_onnx(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    input_type: Literal["float64", "float32"] = "float64",
) -> onnx.ModelProto:
    """Convert a fitted classifier to an ``onnx.ModelProto``, and write it to `path` if one is given.

    The graph has one input, ``X``, with one row per example and one column per feature (the number of rows
    is free), and two outputs:

    * ``label``: the result of `predict`. Strings stay strings; whole numbers, bools and floats become
      int64; several labels per row become an int64 table of 0 and 1.
    * ``scores``: the result of `decision_function`, in double.

    A calibrated model has a third output, ``probabilities``: the result of `predict_proba`.

    The columns of ``X`` follow the order of ``feature_names`` in the model's metadata. For a `Learner` with
    named features, this is the order of their first appearance; a feature that is missing from a row is 0.
    If the model stores the reading options of its training file, the metadata entry ``reading`` contains
    them as JSON, for ``read(other, like=…)``.

    Of an `AutoPerceptron`, or a pipeline of `Features` and `Perceptron`, the graph includes the features.
    It has one input for each column, by name and of shape (rows, 1): numbers, with NaN for a missing value,
    or texts for categories, with "" for a missing value. Columns of text and dates are refused.

    Parameters
    ----------
    model : Perceptron, PolynomialThreshold, Learner, AutoPerceptron or Pipeline
        The classifier, with any rule. Kernel models and voted committees are refused, because their graphs
        would contain every support row.
    path : str or PathLike, default=None
        The file to write.
    input_type : {"float64", "float32"}, default="float64"
        The type of ``X``. All computation is in double precision.

    Returns
    -------
    onnx.ModelProto
        The model, checked by ``onnx.checker``.

    Raises
    ------
    BadInput
        If the model cannot be converted, such as a kernel model.

    Notes
    -----
    `predict` determines the sign of a score, and the largest score, exactly. A graph computes rounded
    scores. If they differ from 0, or from each other, by less than their rounding error, the label may
    differ from that of `predict`. (Sums of integers below 2^53 are exact in a graph too.) The graph does
    not check X: for NaN or infinity, where `predict` raises an error, the label is meaningless.

    The operator set is 17, for onnxruntime 1.12 or later; with columns as inputs it is 19, for 1.15 or
    later. Weights are written as dense doubles, 2 GB at most. `to_onnx` needs
    ``pip install 'rosenblatt[onnx]'``.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.models.onnx import to_onnx
    >>> model = Perceptron().fit([[0.0, 1.0], [2.0, 0.0]], ["cold", "warm"])
    >>> graph = to_onnx(model).graph
    >>> [given.name for given in graph.input], [given.name for given in graph.output]
    (['X'], ['label', 'scores'])
    """
    found = outline(model)
    graph, weights = _graph_of(found, input_type)
    scores = found.answer.add_to(graph, weights.add_to(graph))
    if found.calibration is not None:
        add_probabilities(graph, scores, found.calibration, len(found.answer.classes))
    facts = {"classes": json.dumps(class_names(found.answer.classes).tolist())}
    if found.feature_names and found.table is None:
        facts["feature_names"] = json.dumps(found.feature_names)
    if found.table is None and (reading := getattr(model, "reading_", None)):
        facts["reading"] = json.dumps(reading)
    proto = graph.model(f"{type(model).__name__} of rosenblatt {__version__}", facts, __version__)
    if path is not None:
        content = proto.SerializeToString()
        with replacing(path) as fresh, open(fresh, "wb") as file:
            file.write(content)
    return proto


def _graph_of(found: Outline, input_type: str) -> tuple[Graph, Any]:
    """Return a graph with the features as `rows`, and the scores to compute from them."""
    if found.table is None:
        return Graph(found.n_features, input_type), found.scores
    assert isinstance(found.scores, Weights)
    fields, known, places_of = found.table
    graph = Graph(found.n_features, input_type, input_columns(fields))
    features = ColumnFeatures(graph, fields, known)
    graph.rows = features.add()
    places, signs = places_of(features.names)
    w = np.where(places[:, None] >= 0, found.scores.w[places] * signs[:, None], 0.0)
    return graph, found.scores._replace(w=w)
