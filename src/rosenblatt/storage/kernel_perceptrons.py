"""`KernelRecord`: all that a kernel perceptron is, in terms that need no scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.kernels import Monomials, Polynomial, n_monomials
from rosenblatt.learning.dual.budgeted import BudgetState
from rosenblatt.learning.run import Epoch
from rosenblatt.learning.settings import KERNEL, POLYNOMIAL, fixed_in
from rosenblatt.storage.container import Path, write
from rosenblatt.storage.duals import Dual, decode_dual, encode_dual
from rosenblatt.storage.kinds import new_draft
from rosenblatt.storage.names import decode_classes, decode_texts, encode_classes, encode_texts
from rosenblatt.storage.outcomes import LARGEST_SEED, decode_outcome, encode_outcome
from rosenblatt.storage.parameters import decode_parameters, encode_parameters
from rosenblatt.storage.sections import Draft, Section

KERNEL_PERCEPTRON, POLYNOMIAL_THRESHOLD = "kernel_perceptron", "polynomial_threshold"
HIGHEST_DEGREE = 1000  # of a polynomial that is written out or counted


@dataclass
class KernelRecord:
    """A kernel perceptron that has learned something.

    is_past: it is a moment of a longer run (`as_of`), cannot learn on, and has fewer counters. written_out:
    the feature space in which `PolynomialThreshold` holds w itself.
    """

    state: Dual
    classes: NDArray[Any]
    n_features: int
    parameters: dict[str, Any]
    began: dict[str, Any]
    seed: int
    class_totals: NDArray[np.float64]
    feature_names: list[str] | None = None
    device: str = "cpu"
    is_past: bool = False
    written_out: Monomials | None = None
    history: list[Epoch] = field(default_factory=list)
    converged: bool = False
    best_epoch: int = 0
    mistakes: int = 0
    false_positives: int | None = None
    false_negatives: int | None = None
    mistakes_per_class: NDArray[np.int64] | None = None
    false_positives_per_class: NDArray[np.int64] | None = None
    false_negatives_per_class: NDArray[np.int64] | None = None
    updates: int = 0
    examples_seen: int = 0
    epochs: int = 0
    exact_decisions: int = 0


@dataclass
class PolynomialRecord:
    """A `PolynomialThreshold`: its parameters, and the kernel perceptron that does the work."""

    parameters: dict[str, Any]
    learner: KernelRecord


def save_kernel_perceptron(record: KernelRecord, path: Path) -> None:
    """Write a record to a file, or leave what was there as it was."""
    draft = new_draft(KERNEL_PERCEPTRON)
    encode_kernel_perceptron(draft, record)
    write(path, draft.arrays, draft.document)


def save_polynomial_threshold(record: PolynomialRecord, path: Path) -> None:
    """Write a record to a file, or leave what was there as it was."""
    draft = new_draft(POLYNOMIAL_THRESHOLD)
    kernel = record.learner.state.kernel
    if record.parameters["degree"] != kernel.degree or kernel.degree > HIGHEST_DEGREE:
        raise BadInput(
            f"degree: {record.parameters['degree']}, learned with {kernel.degree}; a model can be saved "
            f"with the degree that it was learned with, up to {HIGHEST_DEGREE}"
        )
    if record.parameters["coef0"] != kernel.coef0:
        raise BadInput(
            f"coef0: {record.parameters['coef0']}, learned with {kernel.coef0}; a model can be saved with "
            "the coef0 that it was learned with"
        )
    # coef0 came later: where it is 1, as it always was, the file is one that earlier versions read too
    parameters = {
        name: value for name, value in record.parameters.items() if (name, value) != ("coef0", 1.0)
    }
    encode_parameters(draft.part("parameters"), parameters, POLYNOMIAL)
    encode_kernel_perceptron(draft.part("learner"), record.learner)
    write(path, draft.arrays, draft.document)


def decode_polynomial_threshold(section: Section) -> PolynomialRecord:
    parameters = decode_parameters(section.part("parameters"), POLYNOMIAL)
    learner = decode_kernel_perceptron(section.part("learner"), may_be_written_out=True)
    kernel = learner.state.kernel
    if not (isinstance(kernel, Polynomial) and kernel.gamma == 1.0):
        raise section.wrong("learner", "its kernel is not (x·z + coef0)^degree")
    if (
        not parameters["degree"] == kernel.degree <= HIGHEST_DEGREE
        or learner.parameters["kernel"] != kernel
    ):
        raise section.wrong(
            "parameters", f"the degree is not that of the kernel, or above {HIGHEST_DEGREE}"
        )
    if parameters["coef0"] != kernel.coef0:
        raise section.wrong("parameters", "coef0 is not that of the kernel")
    if learner.is_past or isinstance(learner.state, BudgetState):
        raise section.wrong("learner", "on a budget, or of the past")
    return PolynomialRecord(parameters, learner)


def encode_kernel_perceptron(draft: Draft, record: KernelRecord) -> None:
    encode_parameters(draft.part("parameters"), record.parameters, KERNEL)
    encode_parameters(draft.part("began"), record.began, KERNEL)
    encode_dual(draft.part("state"), record.state)
    encode_classes(draft, "classes", record.classes)
    draft["n_features"], draft["seed"], draft["device"] = record.n_features, record.seed, record.device
    draft["is_past"] = record.is_past
    draft.array("class_totals", record.class_totals, np.float64)
    if record.feature_names is not None:
        encode_texts(draft, "feature_names", record.feature_names)
    if record.written_out is not None:
        draft.array("monomial_weights", record.written_out.weights)
    encode_outcome(draft, record)


def decode_kernel_perceptron(section: Section, may_be_written_out: bool = False) -> KernelRecord:
    n_features = section.whole("n_features", 1)
    state = decode_dual(section.part("state"), n_features)
    classes = decode_classes(section, "classes")
    if len(classes) < 2 or state.n_columns != (len(classes) if len(classes) > 2 else 1):
        raise section.wrong("classes", f"{len(classes)} of them for {state.n_columns} columns")
    names = decode_texts(section, "feature_names") if section.has_array("feature_names.ends") else None
    if names is not None and len(names) != n_features:
        raise section.wrong("feature_names", f"expected {n_features} of them")
    return KernelRecord(
        state=state,
        classes=classes,
        n_features=n_features,
        parameters=decode_parameters(section.part("parameters"), KERNEL),
        began=decode_parameters(section.part("began"), KERNEL, fixed_in(KERNEL)),
        seed=section.whole("seed", 0, LARGEST_SEED),
        class_totals=section.finite("class_totals", (len(classes),), least=0.0),
        feature_names=names,
        device=section.text("device"),
        is_past=section.flag("is_past"),
        written_out=_decode_written_out(section, state, n_features) if may_be_written_out else None,
        **decode_outcome(section, state.n_columns),
    )


def _decode_written_out(section: Section, state: Dual, n_features: int) -> Monomials | None:
    """The monomials, of which the file must have the weights: they are many, and cost memory."""
    if not section.has_array("monomial_weights"):
        return None
    kernel = state.kernel
    if not isinstance(kernel, Polynomial) or kernel.degree > HIGHEST_DEGREE:
        raise section.wrong("monomial_weights", f"no polynomial of a degree up to {HIGHEST_DEGREE}")
    weights = section.finite("monomial_weights", (None,))
    if len(weights) != n_monomials(n_features, kernel.degree, kernel.coef0):
        raise section.wrong("monomial_weights", f"{len(weights)} of them are too few or too many")
    terms = kernel.monomials(n_features)
    if (terms.weights != weights).any():
        raise section.wrong("monomial_weights", "not those of the monomials")
    return terms
