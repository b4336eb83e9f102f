"""`KernelRecord`: the complete contents of a kernel estimator, without scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.kernels import Monomials, Polynomial, n_monomials
from rosenblatt.storage import fields
from rosenblatt.storage.container import Path
from rosenblatt.storage.duals import decode_dual, encode_dual
from rosenblatt.storage.fields import Found, Part, Schema, Section, decode, encode, save_as
from rosenblatt.storage.names import CLASSES, texts
from rosenblatt.storage.parameters import decode_parameters, encode_parameters, parameters
from rosenblatt.storage.perceptrons import CALIBRATION, LARGEST_SEED, OUTCOME, ModelRecord
from rosenblatt.training.dual.dual_state import DualState
from rosenblatt.training.settings import KERNEL, POLYNOMIAL, fixed_in

KERNEL_PERCEPTRON, POLYNOMIAL_THRESHOLD = "kernel_perceptron", "polynomial_threshold"
HIGHEST_DEGREE = 1000  # limit for a polynomial whose monomials are listed or counted


@dataclass(kw_only=True)
class KernelRecord(ModelRecord):
    """Hold the contents of a fitted kernel perceptron or polynomial threshold.

    `is_past` is True for an earlier state of a longer run (`as_of`); such a record cannot be trained
    further, and has fewer counters. `polynomial` holds the parameters of a `PolynomialThreshold`; then
    `parameters` are those of the `KernelPerceptron` that learns the same. `written_out` is the explicit
    feature space of a `PolynomialThreshold`, in which w itself is stored.
    """

    state: DualState
    n_features: int
    began: dict[str, Any]
    class_totals: NDArray[np.float64]
    is_past: bool = False
    written_out: Monomials | None = None
    polynomial: dict[str, Any] | None = None


def _check_columns(section: Section, found: Found) -> None:
    n, n_columns = len(found.classes), found.state.n_columns
    if n < 2 or n_columns != (n if n > 2 else 1):
        raise section.wrong("classes", f"{n} of them for {n_columns} columns")
    found.update(n_columns=n_columns, n_classes=n)


FIELDS: Schema = {
    "parameters": parameters(KERNEL),
    "began": parameters(KERNEL, fixed_in(KERNEL)),
    "state": fields.part(encode_dual, lambda section, found: decode_dual(section, found.known_features)),
    "classes": CLASSES.then(_check_columns),
    "n_features": fields.whole(1),
    "seed": fields.whole(0, LARGEST_SEED),
    "device": fields.text(),
    "is_past": fields.FLAG,
    "class_totals": fields.finite("n_classes", least=0.0),
    "feature_names": texts("n_features").optional(),
    "monomial_weights": fields.finite(None).optional(),
    "calibration": CALIBRATION.optional(),
    **OUTCOME,
}


def save_kernel_perceptron(record: KernelRecord, path: Path) -> None:
    """Write a record to a file atomically."""
    terms, polynomial, kernel = record.written_out, record.polynomial, record.state.kernel
    weights = None if terms is None else terms.weights
    part = encode(FIELDS, {**vars(record), "monomial_weights": weights})
    if polynomial is None:
        save_as(KERNEL_PERCEPTRON, part, path)
        return
    if polynomial["degree"] != kernel.degree or kernel.degree > HIGHEST_DEGREE:
        raise BadInput(
            f"degree: {polynomial['degree']}, learned with {kernel.degree}; a model can be saved "
            f"with the degree that it was learned with, up to {HIGHEST_DEGREE}"
        )
    if polynomial["coef0"] != kernel.coef0:
        raise BadInput(
            f"coef0: {polynomial['coef0']}, learned with {kernel.coef0}; a model can be saved with "
            "the coef0 that it was learned with"
        )
    save_as(
        POLYNOMIAL_THRESHOLD, Part(parameters=encode_parameters(polynomial, POLYNOMIAL), learner=part), path
    )


def decode_kernel_perceptron(section: Section, polynomial: dict[str, Any] | None = None) -> KernelRecord:
    found = decode(section, FIELDS, known_features=section.whole("n_features", 1), polynomial=polynomial)
    found["written_out"] = None if polynomial is None else _monomials_of(section, found)
    return found.build(KernelRecord)


def _monomials_of(section: Section, found: Found) -> Monomials | None:
    """Return the monomials of the model, or None if the file does not store their weights."""
    weights, kernel, n_features = found.monomial_weights, found.state.kernel, found.n_features
    if weights is None:
        return None
    if not isinstance(kernel, Polynomial) or kernel.degree > HIGHEST_DEGREE:
        raise section.wrong("monomial_weights", f"no polynomial of a degree up to {HIGHEST_DEGREE}")
    if len(weights) != n_monomials(n_features, kernel.degree, kernel.coef0):
        raise section.wrong("monomial_weights", f"{len(weights)} of them are too few or too many")
    terms = kernel.monomials(n_features)
    if (terms.weights != weights).any():
        raise section.wrong("monomial_weights", "not those of the monomials")
    return terms


def decode_polynomial_threshold(section: Section) -> KernelRecord:
    parameters = decode_parameters(section.part("parameters"), POLYNOMIAL)
    record = decode_kernel_perceptron(section.part("learner"), parameters)
    kernel = record.state.kernel
    if not (isinstance(kernel, Polynomial) and kernel.gamma == 1.0):
        raise section.wrong("learner", "its kernel is not (x·z + coef0)^degree")
    if not parameters["degree"] == kernel.degree <= HIGHEST_DEGREE or record.parameters["kernel"] != kernel:
        raise section.wrong(
            "parameters", f"the degree is not that of the kernel, or above {HIGHEST_DEGREE}"
        )
    if parameters["coef0"] != kernel.coef0:
        raise section.wrong("parameters", "coef0 is not that of the kernel")
    if record.is_past or not record.state.has_past:
        raise section.wrong("learner", "on a budget, or of the past")
    return record
