"""`PerceptronRecord`: all that a linear perceptron is, in terms that need no scikit-learn.

`models.saving` makes one of a `Perceptron` and back; the command line works with it as it is. With `run`
and `run_arrays` the same file is the checkpoint of a run that goes on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.learning.columns import Columns
from rosenblatt.learning.one_column import OneColumn
from rosenblatt.learning.separately import Separate
from rosenblatt.learning.settings import PERCEPTRON, fixed_in
from rosenblatt.learning.state import LinearState
from rosenblatt.storage import fields
from rosenblatt.storage.columns_together import decode_columns, encode_columns
from rosenblatt.storage.container import Path
from rosenblatt.storage.fields import Found, Kind, Schema, decode
from rosenblatt.storage.kinds import load_as, save_as
from rosenblatt.storage.names import CLASSES as CLASS_NAMES
from rosenblatt.storage.names import decode_dtype, texts
from rosenblatt.storage.outcomes import LARGEST_SEED, OUTCOME, Ended
from rosenblatt.storage.parameters import parameters
from rosenblatt.storage.sections import Draft, Section
from rosenblatt.storage.states import decode_separate, decode_state, encode_separate, encode_state

KIND = "perceptron"
TWO_CLASSES, CLASSES, LABELS = "two_classes", "classes", "labels"
TARGETS = (TWO_CLASSES, CLASSES, LABELS)


@dataclass
class PerceptronRecord(Ended):
    """A perceptron that has learned something, or is at it.

    parameters: those of `Perceptron`; what is left out is as by default. target: "two_classes" (one column;
    the second class is the positive one), "classes" (a column for each) or "labels" (a column for each
    label; classes are then 0, 1, …). like: what the table of labels was made of, "sparse" or a type of
    numbers. The counters are those of the end of the run; `state` may be of an earlier pass, chosen by
    validation. began: the parameters that must not change while learning goes on, as they were when it
    began. reading: how a file becomes features. run: how far an unfinished run has come. Both are JSON for
    somebody else; of what is in them only the size is checked.
    """

    state: LinearState
    classes: NDArray[Any]
    target: str = TWO_CLASSES
    parameters: dict[str, Any] = field(default_factory=dict)
    began: dict[str, Any] | None = None
    label_names: list[str] | None = None
    like: Any = None
    constant_labels: NDArray[np.int64] | None = None
    feature_names: list[str] | None = None
    seed: int = 0
    class_totals: NDArray[np.float64] | None = None
    device: str | None = None
    reading: dict[str, Any] | None = None
    run: dict[str, Any] | None = None
    run_arrays: dict[str, NDArray[Any]] = field(default_factory=dict)

    @property
    def n_features(self) -> int:
        return self.state.n_features

    @property
    def n_columns(self) -> int:
        return self.state.n_columns


# ---------------------------------------------------------------- in a file


STATES: dict[str, tuple[type, Any, Any]] = {
    "one": (OneColumn, encode_state, decode_state),
    "together": (Columns, encode_columns, decode_columns),
    "separately": (Separate, encode_separate, decode_separate),
}


def kind_of(state: Any) -> str:
    return next(name for name, (cls, _, _) in STATES.items() if isinstance(state, cls))


STATE = Kind(
    lambda draft, name, state: STATES[kind_of(state)][1](draft.part(name), state),
    lambda section, name, found: STATES[found.state_kind][2](section.part(name), found.n_features),
)
LIKE = fields.plain(
    lambda section, name, found: (
        "sparse" if section.text(name) == "sparse" else decode_dtype(section, name)
    ),
    lambda like: like if isinstance(like, str) else np.dtype(like).str,
)


def _check_target(section: Section, found: Found) -> None:
    """Classes and columns must agree."""
    state, classes, target = found.state, found.classes, found.target
    if (target == TWO_CLASSES) != isinstance(state, OneColumn):
        raise section.wrong("target", f"{target!r} does not go with this kind of state")
    n_columns = state.n_columns
    expected = 2 if target == TWO_CLASSES else n_columns
    if len(classes) != expected:
        raise section.wrong("classes", f"{len(classes)} of them, expected {expected}")
    if target == LABELS and (classes.dtype.kind != "i" or (classes != np.arange(n_columns)).any()):
        raise section.wrong("classes", "those of labels are 0, 1, 2, …")
    if target == LABELS and getattr(state, "sharing", None) is not None:
        raise section.wrong("target", "labels do not share their mistakes")
    found.update({"n_columns": n_columns, "n_classes": len(classes)})


def _write_run_arrays(draft: Draft, name: str, arrays: dict[str, NDArray[Any]]) -> None:
    part = draft.part(name)
    part["names"] = list(arrays)
    for k, array in enumerate(arrays.values()):
        part.array(str(k), array)


def _read_run_arrays(section: Section, name: str, found: Found) -> dict[str, NDArray[Any]]:
    part = section.part(name)
    names = part.listed("names")
    if not all(isinstance(each, str) for each in names) or len(set(names)) < len(names):
        raise part.wrong("names", "expected texts, each once")
    return {each: part.any_array(str(k)) for k, each in enumerate(names)}


def _totals(found: Found) -> tuple[int, ...]:
    """The weights of classes; of labels, of both sides of each."""
    return (found.n_classes, 2) if found.target == LABELS else (found.n_classes,)


FIELDS: Schema = {
    "parameters": parameters(PERCEPTRON),
    "began": parameters(PERCEPTRON, fixed_in(PERCEPTRON)).optional(),
    "n_features": fields.whole(1),
    "target": fields.text(TARGETS),
    "seed": fields.whole(0, LARGEST_SEED),
    "state_kind": fields.text(STATES).of(lambda record: kind_of(record.state)),
    "state": STATE,
    "classes": CLASS_NAMES.then(_check_target),
    "like": LIKE.optional(),
    "label_names": texts("n_classes").optional(),
    "feature_names": texts("n_features").optional(),
    "constant_labels": fields.counts(None, most=lambda found: found.n_classes - 1).optional(),
    "class_totals": fields.finite(_totals, least=0.0).optional(),
    **OUTCOME,
    "device": fields.text().optional(null=True),
    "reading": fields.JSON.optional(null=True),
    "run": fields.JSON.optional(null=True),
    "run_arrays": Kind(_write_run_arrays, _read_run_arrays),
}


def save_perceptron(record: PerceptronRecord, path: Path) -> None:
    """Write a record to a file, or leave what was there as it was."""
    save_as(KIND, FIELDS, record, path)


def load_perceptron(path: Path) -> PerceptronRecord:
    """The record in a file. Nothing in the file is run, and everything is checked."""
    record: PerceptronRecord = load_as({KIND: decode_perceptron}, path)
    return record


def decode_perceptron(section: Section) -> PerceptronRecord:
    record: PerceptronRecord = decode(section, FIELDS).made(PerceptronRecord)
    return record
