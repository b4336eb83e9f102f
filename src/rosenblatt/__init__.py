"""rosenblatt: fast and exact learning with the perceptron family, with proofs and traces.

Names are imported when they are first used, so that ``import rosenblatt`` takes almost no time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rosenblatt.version import __version__

_HOMES = {
    "explain": "rosenblatt.explanations.model_explanations",
    "halfspace_by_lp": "rosenblatt.proof.linear_program",
    "least_hinge_loss": "rosenblatt.proof.hinge_loss",
    "load": "rosenblatt.models.saving",
    "mistake_bound": "rosenblatt.proof.novikoff_bound",
    "overlap": "rosenblatt.proof.regression",
    "over_orders": "rosenblatt.comparisons.over_orders",
    "read": "rosenblatt.data.sources.reading",
    "rows_to_remove": "rosenblatt.proof.removal",
    "save": "rosenblatt.models.saving",
    "separability_table": "rosenblatt.comparisons.separability_table",
    "separate": "rosenblatt.proof.separation",
    "to_onnx": "rosenblatt.models.onnx.exporting",
    "trace": "rosenblatt.traces.tracing",
    "tune": "rosenblatt.models.tuning",
    "verify": "rosenblatt.proof.verify",
    "AutoPerceptron": "rosenblatt.models.auto_perceptron",
    "BadInput": "rosenblatt.errors",
    "Client": "rosenblatt.serve.client",
    "Features": "rosenblatt.models.features",
    "KernelPerceptron": "rosenblatt.models.kernel_perceptron",
    "KernelTrace": "rosenblatt.traces.kernel_trace",
    "Learner": "rosenblatt.training.online.learner",
    "Perceptron": "rosenblatt.models.perceptron",
    "PolynomialThreshold": "rosenblatt.models.polynomial_threshold",
    "Proof": "rosenblatt.proof.proof",
    "Trace": "rosenblatt.traces.linear_trace",
    "Verdict": "rosenblatt.proof.verdict",
}
_PACKAGES = (
    "averaging",
    "budgets",
    "cluster",
    "errors",
    "examples",
    "foundations",
    "geometry",
    "kernels",
    "lectures",
    "plots",
    "rules",
    "teachers",
)

__all__ = ["__version__", *_HOMES, *_PACKAGES]  # noqa: PLE0604

if TYPE_CHECKING:  # `as` marks names for export, which mypy --strict requires
    from rosenblatt import averaging as averaging
    from rosenblatt import budgets as budgets
    from rosenblatt import cluster as cluster
    from rosenblatt import errors as errors
    from rosenblatt import examples as examples
    from rosenblatt import foundations as foundations
    from rosenblatt import geometry as geometry
    from rosenblatt import kernels as kernels
    from rosenblatt import lectures as lectures
    from rosenblatt import plots as plots
    from rosenblatt import rules as rules
    from rosenblatt import teachers as teachers
    from rosenblatt.comparisons.over_orders import over_orders as over_orders
    from rosenblatt.comparisons.separability_table import separability_table as separability_table
    from rosenblatt.data.sources.reading import read as read
    from rosenblatt.errors import BadInput as BadInput
    from rosenblatt.explanations.model_explanations import explain as explain
    from rosenblatt.models.auto_perceptron import AutoPerceptron as AutoPerceptron
    from rosenblatt.models.features import Features as Features
    from rosenblatt.models.kernel_perceptron import KernelPerceptron as KernelPerceptron
    from rosenblatt.models.onnx.exporting import to_onnx as to_onnx
    from rosenblatt.models.perceptron import Perceptron as Perceptron
    from rosenblatt.models.polynomial_threshold import PolynomialThreshold as PolynomialThreshold
    from rosenblatt.models.saving import load as load
    from rosenblatt.models.saving import save as save
    from rosenblatt.models.tuning import tune as tune
    from rosenblatt.proof.hinge_loss import least_hinge_loss as least_hinge_loss
    from rosenblatt.proof.linear_program import halfspace_by_lp as halfspace_by_lp
    from rosenblatt.proof.novikoff_bound import mistake_bound as mistake_bound
    from rosenblatt.proof.proof import Proof as Proof
    from rosenblatt.proof.regression import overlap as overlap
    from rosenblatt.proof.removal import rows_to_remove as rows_to_remove
    from rosenblatt.proof.separation import separate as separate
    from rosenblatt.proof.verdict import Verdict as Verdict
    from rosenblatt.proof.verify import verify as verify
    from rosenblatt.serve.client import Client as Client
    from rosenblatt.traces.kernel_trace import KernelTrace as KernelTrace
    from rosenblatt.traces.linear_trace import Trace as Trace
    from rosenblatt.traces.tracing import trace as trace
    from rosenblatt.training.online.learner import Learner as Learner


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _PACKAGES:
        return import_module(f"rosenblatt.{name}")
    raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
