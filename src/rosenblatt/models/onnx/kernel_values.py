"""K(x, z) of all rows of X with all support rows, by the formulas of `rosenblatt.kernels`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.kernels import Gaussian, Laplacian, Linear, Polynomial, name_of
from rosenblatt.kernels.gaussian import FAR
from rosenblatt.models.onnx.graph import Graph


def kernel_values(graph: Graph, kernel: Any, support: NDArray[np.float64]) -> str:
    """Add a matrix of kernel values with a column for each support row and return its name."""
    if isinstance(kernel, Linear):
        return _products(graph, support, 1.0)
    if isinstance(kernel, Polynomial):
        return _polynomial(graph, kernel, support)
    if isinstance(kernel, Gaussian):
        return _gaussian(graph, kernel, support)
    assert isinstance(kernel, Laplacian)
    return graph.node("Exp", graph.node("Mul", _distances(graph, support, _absolute), -kernel.gamma))


def refuse_custom(kernel: Any) -> None:
    """Raise an error for a kernel that is a Python function, since no operators stand for it."""
    if not isinstance(kernel, Linear | Polynomial | Gaussian | Laplacian):
        raise BadInput(
            f"to_onnx: the kernel {name_of(kernel)!r} is a Python function, which no ONNX graph can hold; "
            "train with 'linear', 'polynomial', 'gaussian' or 'laplacian'"
        )


def _products(graph: Graph, support: NDArray[np.float64], factor: float) -> str:
    """Add factor·x·z to the graph.

    The factor is in the constant: onnxruntime fuses a product and the multiplication after it into one
    operator, which has its factor in float32.
    """
    return graph.node("MatMul", graph.rows, (factor * support).T)


def _polynomial(graph: Graph, kernel: Polynomial, support: NDArray[np.float64]) -> str:
    base = graph.node("Add", _products(graph, support, kernel.gamma), kernel.coef0)
    degree, power = kernel.degree, ""
    while True:  # by squaring, as the kernel itself: whole numbers stay whole, which Pow does not promise
        if degree & 1:
            power = graph.node("Mul", power, base) if power else base
        degree >>= 1
        if not degree:
            return power
        base = graph.node("Mul", base, base)


def _gaussian(graph: Graph, kernel: Gaussian, support: NDArray[np.float64]) -> str:
    squares = (support * support).sum(axis=1)
    if kernel.gamma * squares.max() > FAR:  # a product would lose too many digits
        distances = _distances(graph, support, _squared)
        return graph.node("Exp", graph.node("Mul", distances, -kernel.gamma))
    # −γ‖x − z‖² = 2γ x·z − γ‖x‖² − γ‖z‖². An x so far out that digits are lost is far from every z: K is 0
    x2 = graph.node("ReduceSumSquare", graph.rows, axes=[1], keepdims=1)
    exponent = graph.node(
        "Sub", _products(graph, support, 2.0 * kernel.gamma), graph.node("Mul", x2, kernel.gamma)
    )
    exponent = graph.node("Sub", exponent, kernel.gamma * squares)
    return graph.node("Exp", graph.node("Min", exponent, 0.0))


def _absolute(helper: Any, difference: str, term: str) -> Any:
    return helper.make_node("Abs", [difference], [term])


def _squared(helper: Any, difference: str, term: str) -> Any:
    return helper.make_node("Mul", [difference, difference], [term])


def _distances(graph: Graph, support: NDArray[np.float64], measured: Any) -> str:
    """Add Σ over the features of |x − z| or (x − z)² to the graph, one feature after another.

    The plain loop sums in the same order; all differences at once would need a number for each row,
    support row and feature.
    """
    helper, double = graph.onnx.helper, graph.onnx.TensorProto.DOUBLE
    n_support = len(support)
    as_column = graph.constant(np.array([1]))
    body = helper.make_graph(
        [
            helper.make_node("Unsqueeze", ["x", as_column], ["x_column"]),
            helper.make_node("Sub", ["x_column", "z"], ["difference"]),
            measured(helper, "difference", "term"),
            helper.make_node("Add", ["before", "term"], ["after"]),
        ],
        "one_feature",
        [
            helper.make_tensor_value_info("before", double, ["N", n_support]),
            helper.make_tensor_value_info("x", double, ["N"]),
            helper.make_tensor_value_info("z", double, [n_support]),
        ],
        [helper.make_tensor_value_info("after", double, ["N", n_support])],
    )
    return graph.node(
        "Scan", graph.zeros(n_support), graph.rows, support.T, body=body, num_scan_inputs=2,
        scan_input_axes=[1, 0],
    )  # fmt: skip
