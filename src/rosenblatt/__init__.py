"""rosenblatt: the perceptron family, made fast, exact, proved and visible.

Names are imported when they are first used, so that ``import rosenblatt`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rosenblatt.version import __version__

_HOMES = {
    "halfspace_by_lp": "rosenblatt.certificates.lp",
    "load": "rosenblatt.models.saving",
    "mistake_bound": "rosenblatt.certificates.bound",
    "overlap": "rosenblatt.certificates.regression",
    "over_orders": "rosenblatt.models.over_orders",
    "read": "rosenblatt.sources.reading",
    "save": "rosenblatt.models.saving",
    "separability_table": "rosenblatt.certificates.table",
    "separate": "rosenblatt.certificates.separating",
    "to_onnx": "rosenblatt.exports.exporting",
    "trace": "rosenblatt.traces.tracing",
    "verify": "rosenblatt.certificates.verify",
    "BadInput": "rosenblatt.errors",
    "KernelPerceptron": "rosenblatt.models.kernel_perceptron",
    "KernelTrace": "rosenblatt.traces.kernel_record",
    "Learner": "rosenblatt.online.learner",
    "Perceptron": "rosenblatt.models.perceptron",
    "PolynomialThreshold": "rosenblatt.models.polynomial_threshold",
    "Proof": "rosenblatt.certificates.proof",
    "Trace": "rosenblatt.traces.record",
    "Verdict": "rosenblatt.certificates.verdict",
}
_ROOMS = (
    "budgets",
    "errors",
    "examples",
    "foundations",
    "geometry",
    "kernels",
    "lectures",
    "plots",
    "rules",
    "keepers",
    "teachers",
)

__all__ = ["__version__", *_HOMES, *_ROOMS]  # noqa: PLE0604

if TYPE_CHECKING:
    from rosenblatt import (
        budgets,
        errors,
        examples,
        foundations,
        geometry,
        keepers,
        kernels,
        lectures,
        plots,
        rules,
    )
    from rosenblatt.certificates.bound import mistake_bound
    from rosenblatt.certificates.lp import halfspace_by_lp
    from rosenblatt.certificates.proof import Proof
    from rosenblatt.certificates.regression import overlap
    from rosenblatt.certificates.separating import separate
    from rosenblatt.certificates.table import separability_table
    from rosenblatt.certificates.verdict import Verdict
    from rosenblatt.certificates.verify import verify
    from rosenblatt.errors import BadInput
    from rosenblatt.exports.exporting import to_onnx
    from rosenblatt.models.kernel_perceptron import KernelPerceptron
    from rosenblatt.models.over_orders import over_orders
    from rosenblatt.models.perceptron import Perceptron
    from rosenblatt.models.polynomial_threshold import PolynomialThreshold
    from rosenblatt.models.saving import load, save
    from rosenblatt.online import teachers
    from rosenblatt.online.learner import Learner
    from rosenblatt.sources.reading import read
    from rosenblatt.traces.kernel_record import KernelTrace
    from rosenblatt.traces.record import Trace
    from rosenblatt.traces.tracing import trace


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name == "teachers":
        return import_module("rosenblatt.online.teachers")
    if name in _ROOMS:
        return import_module(f"rosenblatt.{name}")
    raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
