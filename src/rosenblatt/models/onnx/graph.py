"""Build ONNX graphs from core operators in double precision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput, bad_choice, needs_extra

OPSET = 17  # supported by onnxruntime 1.12 and later
IR_VERSION = 8
OPSET_OF_TEXTS, IR_VERSION_OF_TEXTS = 19, 9  # compares texts; supported by onnxruntime 1.15 and later
OUTPUTS = ("label", "scores", "probabilities")
MOST_BYTES = 2_000_000_000  # a protobuf message is limited to 2 GiB
INPUT_TYPES = ("float64", "float32")


def refuse_too_large(n_bytes: int, what: str) -> None:
    """Raise an error for arrays that are too large for an ONNX file.

    >>> refuse_too_large(1_000_000_000, "10 columns of 12,500,000 features")
    """
    if n_bytes > MOST_BYTES:
        raise BadInput(
            f"to_onnx: {what} are {n_bytes / 1e9:.1f} GB as dense float64, and an ONNX file is "
            "limited to 2 GB; train with fewer features"
        )


class Graph:
    """Hold the nodes and constants of a graph.

    Its input is the matrix X with one row per example; or, if `columns` states which columns of a table are
    numbers, each column by name, as a matrix of one column.
    """

    def __init__(self, n_features: int, input_type: str, columns: Mapping[str, bool] | None = None) -> None:
        if not isinstance(input_type, str) or input_type not in INPUT_TYPES:
            raise bad_choice("input_type", input_type, INPUT_TYPES)
        with needs_extra("onnx", "to_onnx"):
            import onnx.checker
            import onnx.helper
            import onnx.numpy_helper
        self.onnx: Any = onnx
        self.n_features = n_features
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._outputs: list[Any] = []
        self._bytes = 0
        kinds = self.onnx.TensorProto
        kind = kinds.DOUBLE if input_type == "float64" else kinds.FLOAT
        make_input = self.onnx.helper.make_tensor_value_info
        self._has_columns = columns is not None
        is_double = input_type == "float64"
        self.columns: dict[str, str] = {}
        """The columns by name; numbers in double precision."""
        if columns is None:
            self._inputs = [make_input("X", kind, ["N", n_features])]
            self.rows = "X" if is_double else self.node("Cast", "X", to=kinds.DOUBLE)
            """X in double precision."""
            return
        if taken := [name for name in OUTPUTS if name in columns]:
            raise BadInput(
                f"to_onnx: column {taken[0]!r} has the name of an output; rename it, and train again"
            )
        self._inputs = [
            make_input(name, kind if is_number else kinds.STRING, ["N", 1])
            for name, is_number in columns.items()
        ]
        for name, is_number in columns.items():
            converts = is_number and not is_double
            self.columns[name] = self.node("Cast", name, to=kinds.DOUBLE) if converts else name

    def constant(self, values: NDArray[Any] | float) -> str:
        """Add an array to the graph and return its name."""
        array = np.ascontiguousarray(values).reshape(np.shape(values))
        self._bytes += array.nbytes
        refuse_too_large(self._bytes, "the numbers of this model")
        name = f"constant_{len(self._constants)}"
        self._constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def node(self, operator: str, *inputs: str | NDArray[Any] | float, **attributes: Any) -> str:
        """Add an operator and return the name of its result; operands are constants or names of values."""
        names = [given if isinstance(given, str) else self.constant(given) for given in inputs]
        result = f"{operator}_{len(self._nodes)}"
        self._nodes.append(self.onnx.helper.make_node(operator, names, [result], **attributes))
        return result

    def as_int64(self, value: str) -> str:
        """Cast a value to int64 and return its name."""
        return self.node("Cast", value, to=self.onnx.TensorProto.INT64)

    def zeros(self, n_columns: int) -> str:
        """Add a matrix of zeros with as many rows as X and return its name."""
        n = self.node("Shape", self.rows, start=0, end=1)
        shape = self.node("Concat", n, np.array([n_columns]), axis=0)
        return self.node("ConstantOfShape", shape, value=self.onnx.numpy_helper.from_array(np.zeros(1)))

    def output(self, name: str, value: str, kind: int, n_columns: int | None) -> None:
        """Add an output of this name: a vector, or a matrix with `n_columns` columns."""
        self._nodes.append(self.onnx.helper.make_node("Identity", [value], [name]))
        shape = ["N"] if n_columns is None else ["N", n_columns]
        self._outputs.append(self.onnx.helper.make_tensor_value_info(name, kind, shape))

    def model(self, described: str, facts: dict[str, str], version: str) -> Any:
        """Return the complete model, after ONNX has checked it."""
        helper = self.onnx.helper
        graph = helper.make_graph(
            self._nodes, "rosenblatt", self._inputs, self._outputs, self._constants, described
        )
        model = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", OPSET_OF_TEXTS if self._has_columns else OPSET)],
            # the default of the library may be too new for a runtime
            ir_version=IR_VERSION_OF_TEXTS if self._has_columns else IR_VERSION,
            producer_name="rosenblatt",
            producer_version=version,
            doc_string=described,
        )
        helper.set_model_props(model, facts)
        self.onnx.checker.check_model(model, full_check=True)
        return model
