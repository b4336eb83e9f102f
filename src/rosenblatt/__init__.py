"""rosenblatt: the perceptron family, made fast, exact, proved and visible.

Names are imported when they are first used, so that ``import rosenblatt`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "KernelPerceptron": "rosenblatt.models.kernel_perceptron",
    "Learner": "rosenblatt.online.learner",
    "Perceptron": "rosenblatt.models.perceptron",
    "PolynomialThreshold": "rosenblatt.models.polynomial_threshold",
    "Proof": "rosenblatt.certificates.proof",
    "Trace": "rosenblatt.traces.record",
    "Verdict": "rosenblatt.certificates.verdict",
    "halfspace_by_lp": "rosenblatt.certificates.lp",
    "mistake_bound": "rosenblatt.certificates.bound",
    "over_orders": "rosenblatt.models.over_orders",
    "overlap": "rosenblatt.certificates.regression",
    "separability_table": "rosenblatt.certificates.table",
    "separate": "rosenblatt.certificates.separating",
    "trace": "rosenblatt.traces.tracing",
    "verify": "rosenblatt.certificates.verify",
}
_ROOMS = (
    "budgets",
    "errors",
    "examples",
    "geometry",
    "kernels",
    "lectures",
    "rules",
    "keepers",
    "teachers",
)

__all__ = ["__version__", *_HOMES, *_ROOMS]  # noqa: PLE0604

if TYPE_CHECKING:
    from rosenblatt import budgets, errors, examples, geometry, keepers, kernels, lectures, rules
    from rosenblatt.certificates.bound import mistake_bound
    from rosenblatt.certificates.lp import halfspace_by_lp
    from rosenblatt.certificates.proof import Proof
    from rosenblatt.certificates.regression import overlap
    from rosenblatt.certificates.separating import separate
    from rosenblatt.certificates.table import separability_table
    from rosenblatt.certificates.verdict import Verdict
    from rosenblatt.certificates.verify import verify
    from rosenblatt.models.kernel_perceptron import KernelPerceptron
    from rosenblatt.models.over_orders import over_orders
    from rosenblatt.models.perceptron import Perceptron
    from rosenblatt.models.polynomial_threshold import PolynomialThreshold
    from rosenblatt.online import teachers
    from rosenblatt.online.learner import Learner
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
