"""`PerceptronRecord`, the contents of a linear perceptron without scikit-learn, and `Ended`, its outcome.

`models.saving` converts a `Perceptron` to a record and back; the command line uses the record directly.
With the field `run` the same file is the checkpoint of an unfinished run.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.feature_names import Vocabulary
from rosenblatt.storage import fields
from rosenblatt.storage.container import Path
from rosenblatt.storage.fields import Found, Part, Schema, Section, counts, decode, encode
from rosenblatt.storage.names import CLASSES as CLASS_NAMES
from rosenblatt.storage.names import VOCABULARY, decode_dtype, texts
from rosenblatt.storage.panel_states import decode_panels, encode_panels
from rosenblatt.storage.parameters import parameters
from rosenblatt.storage.separate_states import decode_separate, decode_two_classes, encode_separate
from rosenblatt.training.calibration import METHODS, Above, Calibration, Isotonic, Platt, method_of
from rosenblatt.training.linear_state import LinearState
from rosenblatt.training.panel_columns import PanelColumns
from rosenblatt.training.run import Answers, Epoch
from rosenblatt.training.settings import PERCEPTRON, fixed_in

KIND = "perceptron"
TWO_CLASSES, CLASSES, LABELS = "two_classes", "classes", "labels"
TARGETS = (TWO_CLASSES, CLASSES, LABELS)
TWO_KINDS = ("false_positives", "false_negatives")
LARGEST_SEED = (1 << 63) - 1


@dataclass(kw_only=True)
class Ended:
    """Hold counters, history, and how the run ended; no durations, so that equal runs give equal files."""

    mistakes: int = 0
    updates: int = 0
    examples_seen: int = 0
    epochs: int = 0
    exact_decisions: int = 0
    best_epoch: int = 0
    false_positives: int = 0
    false_negatives: int = 0
    converged: bool = False
    mistakes_per_class: NDArray[np.int64] | None = None
    false_positives_per_class: NDArray[np.int64] | None = None
    false_negatives_per_class: NDArray[np.int64] | None = None
    history: list[Epoch] = field(default_factory=list)


@dataclass(kw_only=True)
class ModelRecord(Ended):
    """Hold what every trained estimator has.

    `parameters` are the parameters of the estimator; missing parameters have their defaults. `began` holds
    the parameters that must not change while training continues, as they were at the beginning.
    `calibration` describes how decision values become probabilities.
    """

    state: Any
    classes: NDArray[Any]
    parameters: dict[str, Any] = field(default_factory=dict)
    began: dict[str, Any] | None = None
    seed: int = 0
    class_totals: NDArray[np.float64] | None = None
    feature_names: list[str] | None = None
    device: str | None = None
    calibration: Calibration | None = None


@dataclass(kw_only=True)
class PerceptronRecord(ModelRecord):
    """Hold the contents of a trained perceptron, or of one whose training is unfinished.

    `target` is "two_classes" (one classifier; the second class is the positive one), "classes" (one
    classifier per class) or "labels" (one classifier per label; the classes are then 0, 1, …). `like` is
    the form of the label table, "sparse" or a numeric dtype. `threshold` is a decision value, for two
    classes only: the second class is predicted above it.

    The counters describe the end of the run; `state` may be the state after an earlier pass, chosen by
    validation. `reading` describes how a file becomes features, `vocabulary` holds the names of hashed
    features, and `estimator` describes the estimator that contains the perceptron, if there is one. `run`
    is the position of an unfinished run. `run`, `reading` and `estimator` are JSON for other modules; only
    their size is checked here.
    """

    state: LinearState
    target: str = TWO_CLASSES
    label_names: list[str] | None = None
    like: Any = None
    constant_labels: NDArray[np.int64] | None = None
    reading: dict[str, Any] | None = None
    vocabulary: Vocabulary | None = None
    threshold: float | None = None
    estimator: dict[str, Any] | None = None
    run: dict[str, Any] | None = None

    @property
    def n_features(self) -> int:
        return self.state.n_features

    @property
    def n_columns(self) -> int:
        return self.state.n_columns

    def answers(self) -> Answers:
        """Return the object that predicts with this model."""
        own = self.state.answers()
        return own if self.threshold is None else Above(own, self.threshold)


# ---------------------------------------------------------------- the outcome of a run


PASSES: Schema = {
    **dict.fromkeys(("epoch", "mistakes", "updates", "examples_seen"), counts("passes")),
    **dict.fromkeys(("training_error", "validation_error"), fields.numbers(np.float64, "passes")),
    **dict.fromkeys(TWO_KINDS, counts("passes")),
}


def _encode_history(history: list[Epoch]) -> Part:
    passes = {name: [getattr(epoch, name) for epoch in history] for name in PASSES}
    return encode(PASSES, passes)  # an error that is None becomes NaN


def _decode_history(section: Section, found: Found) -> list[Epoch]:
    passes = decode(section, PASSES)
    del passes["passes"]
    for kind in TWO_KINDS:
        if (passes[kind] > passes.mistakes).any():
            raise section.wrong(kind, "more than there are mistakes")
    rows = zip(*(array.tolist() for array in passes.values()), strict=True)
    known: Any = ([None if x != x else x for x in row] for row in rows)  # x != x: NaN
    return [Epoch(seconds=None, **dict(zip(passes, row, strict=True))) for row in known]


_BY_TYPE = {
    "int": fields.whole(),
    "bool": fields.FLAG,
    "NDArray[np.int64] | None": counts("n_columns").optional(),
    "list[Epoch]": fields.part(_encode_history, _decode_history),
}
OUTCOME: Schema = {
    **{each.name: _BY_TYPE[str(each.type)] for each in dataclasses.fields(Ended)},
    **dict.fromkeys(TWO_KINDS, fields.whole(0, "mistakes")),
}
"""The fields of `Ended`, in the same order; reading them needs the number of classifiers."""


# ---------------------------------------------------------------- calibrations

PLATT: Schema = {"slope": fields.finite("n_columns"), "shift": fields.finite("n_columns")}
ISOTONIC: Schema = {
    "sizes": fields.counts("n_columns", least=1),
    "x": fields.finite(lambda found: int(found.sizes.sum())),
    "y": fields.finite(lambda found: len(found.x), least=0.0),
}


def _encode_calibration(calibration: Calibration) -> Part:
    if isinstance(calibration, Platt):
        part = encode(PLATT, calibration._asdict())
    else:
        x, y = np.concatenate(calibration.x), np.concatenate(calibration.y)
        part = encode(ISOTONIC, {"sizes": [len(each) for each in calibration.x], "x": x, "y": y})
    return Part({"method": method_of(calibration), **part})


def _decode_calibration(section: Section, found: Found) -> Calibration:
    """Read one curve for two classes, otherwise one curve per class.

    The number of classes must be known.
    """
    n_columns = 1 if found.n_classes == 2 else found.n_columns
    if section.text("method", METHODS) == "platt":
        sigmoid = decode(section, PLATT, n_columns=n_columns)
        return Platt(sigmoid.slope, sigmoid.shift)
    curves = decode(section, ISOTONIC, n_columns=n_columns)
    if curves.y.size and curves.y.max() > 1.0:
        raise section.wrong("y", "a probability is above 1")
    x, y = zip(*curves.shares(("x", "y"), curves.sizes), strict=True)
    if any((each[1:] <= each[:-1]).any() for each in x):
        raise section.wrong("x", "the points of a curve do not rise")
    return Isotonic(x, y)


CALIBRATION = fields.part(_encode_calibration, _decode_calibration)


# ---------------------------------------------------------------- a perceptron


STATES: dict[str, tuple[Any, Any]] = {
    "one": (encode_separate, decode_two_classes),
    "together": (encode_panels, decode_panels),
    "separately": (encode_separate, decode_separate),
}
"""The functions that write and read each kind of linear state."""


def kind_of(state: LinearState) -> str:
    if isinstance(state, PanelColumns):
        return "together"
    return "one" if state.has_two_classes else "separately"


STATE = fields.value(
    lambda section, name, found: STATES[found.state_kind][1](section.part(name), found.n_features)
)
LIKE = fields.value(
    lambda section, name, found: (
        "sparse" if section.text(name) == "sparse" else decode_dtype(section, name)
    ),
    lambda like: like if isinstance(like, str) else np.dtype(like).str,
)


def _check_target(section: Section, found: Found) -> None:
    """Check that classes and columns agree."""
    state, classes, target = found.state, found.classes, found.target
    if (target == TWO_CLASSES) != state.has_two_classes:
        raise section.wrong("target", f"{target!r} does not match this kind of state")
    n_columns = state.n_columns
    expected = 2 if target == TWO_CLASSES else n_columns
    if len(classes) != expected:
        raise section.wrong("classes", f"{len(classes)} of them, expected {expected}")
    if target == LABELS and (classes.dtype.kind != "i" or (classes != np.arange(n_columns)).any()):
        raise section.wrong("classes", "the classes of a table of labels are 0, 1, 2, …")
    if target == LABELS and state.sharing is not None:
        raise section.wrong("target", "labels do not share their mistakes")
    found.update({"n_columns": n_columns, "n_classes": len(classes)})


def _read_threshold(section: Section, name: str, found: Found) -> float:
    value = section.fields()[name]
    if found.target != TWO_CLASSES or type(value) is not float or not math.isfinite(value):
        raise section.wrong(name, "expected a finite number, for a model of two classes")
    return value


FIELDS: Schema = {
    "parameters": parameters(PERCEPTRON),
    "began": parameters(PERCEPTRON, fixed_in(PERCEPTRON)).optional(),
    "n_features": fields.whole(1),
    "target": fields.text(TARGETS),
    "seed": fields.whole(0, LARGEST_SEED),
    "state_kind": fields.text(STATES),
    "state": STATE,
    "classes": CLASS_NAMES.then(_check_target),
    "like": LIKE.optional(),
    "label_names": texts("n_classes").optional(),
    "feature_names": texts("n_features").optional(),
    "constant_labels": counts(None, most=lambda found: found.n_classes - 1).optional(),
    "class_totals": fields.finite(
        lambda found: (found.n_classes, 2) if found.target == LABELS else (found.n_classes,), least=0.0
    ).optional(),
    **OUTCOME,
    "device": fields.text().optional(null=True),
    "reading": fields.JSON.optional(null=True),
    "vocabulary": VOCABULARY.optional(),
    "calibration": CALIBRATION.optional(),
    "threshold": fields.value(_read_threshold).optional(),
    "estimator": fields.JSON.optional(),
    "run": fields.JSON.optional(null=True),
    "run_arrays": fields.value(lambda *_: None, lambda _: Part(names=[])),  # format 4 has it, empty
}


def save_perceptron(record: PerceptronRecord, path: Path) -> None:
    """Write a record to a file atomically."""
    state, kind = record.state, kind_of(record.state)
    found = {"n_features": state.n_features, "state_kind": kind, "state": STATES[kind][0](state)}
    fields.save_as(KIND, encode(FIELDS, {**vars(record), **found, "run_arrays": None}), path)


def load_perceptron(path: Path) -> PerceptronRecord:
    """Return the record in a file. No code from the file is run, and everything is checked."""
    record: PerceptronRecord = fields.load_as({KIND: decode_perceptron}, path)
    return record


def decode_perceptron(section: Section) -> PerceptronRecord:
    return decode(section, FIELDS).build(PerceptronRecord)
