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
from rosenblatt.learning.run import Epoch
from rosenblatt.learning.separately import Separate
from rosenblatt.learning.settings import PERCEPTRON, fixed_in
from rosenblatt.learning.state import LinearState
from rosenblatt.storage.columns_together import decode_columns, encode_columns
from rosenblatt.storage.container import Path, naming, read, write
from rosenblatt.storage.kinds import expect_kind, new_draft
from rosenblatt.storage.names import (
    decode_classes,
    decode_dtype,
    decode_texts,
    encode_classes,
    encode_texts,
)
from rosenblatt.storage.outcomes import LARGEST_SEED, decode_outcome, encode_outcome
from rosenblatt.storage.parameters import decode_parameters, encode_parameters
from rosenblatt.storage.sections import Draft, Section
from rosenblatt.storage.states import decode_separate, decode_state, encode_separate, encode_state

KIND = "perceptron"
TWO_CLASSES, CLASSES, LABELS = "two_classes", "classes", "labels"
TARGETS = (TWO_CLASSES, CLASSES, LABELS)


@dataclass
class PerceptronRecord:
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


def save_perceptron(record: PerceptronRecord, path: Path) -> None:
    """Write a record to a file, or leave what was there as it was."""
    draft = new_draft(KIND)
    encode_perceptron(draft, record)
    write(path, draft.arrays, draft.document)


def load_perceptron(path: Path) -> PerceptronRecord:
    """The record in a file. Nothing in the file is run, and everything is checked."""
    arrays, document = read(path)
    with naming(path):
        section = Section(document, arrays)
        expect_kind(section, KIND)
        return decode_perceptron(section)


def encode_perceptron(draft: Draft, record: PerceptronRecord) -> None:
    encode_parameters(draft.part("parameters"), record.parameters, PERCEPTRON)
    if record.began is not None:
        encode_parameters(draft.part("began"), record.began, PERCEPTRON)
    draft["n_features"], draft["target"], draft["seed"] = record.n_features, record.target, record.seed
    draft["state_kind"] = next(name for name, cls in STATES.items() if isinstance(record.state, cls))
    _ENCODERS[type(record.state)](draft.part("state"), record.state)
    encode_classes(draft, "classes", record.classes)
    if record.like is not None:
        draft["like"] = record.like if isinstance(record.like, str) else np.dtype(record.like).str
    for name in ("label_names", "feature_names"):
        if (names := getattr(record, name)) is not None:
            encode_texts(draft, name, names)
    for name, number in (("constant_labels", np.int64), ("class_totals", np.float64)):
        if (values := getattr(record, name)) is not None:
            draft.array(name, values, number)
    encode_outcome(draft, record)
    draft["device"], draft["reading"], draft["run"] = record.device, record.reading, record.run
    part = draft.part("run_arrays")
    part["names"] = list(record.run_arrays)
    for k, array in enumerate(record.run_arrays.values()):
        part.array(str(k), array)


def decode_perceptron(section: Section) -> PerceptronRecord:
    n_features = section.whole("n_features", 1)
    state = _DECODERS[section.text("state_kind", STATES)](section.part("state"), n_features)
    classes = decode_classes(section, "classes")
    target = section.text("target", TARGETS)
    n_columns = _check_target(section, state, classes, target)
    named = {
        name: decode_texts(section, name) if section.has_array(f"{name}.ends") else None
        for name in ("label_names", "feature_names")
    }
    for name, expected in (("label_names", len(classes)), ("feature_names", n_features)):
        if named[name] is not None and len(named[name] or ()) != expected:
            raise section.wrong(name, f"expected {expected} of them")
    began = None
    if "began" in section:
        began = decode_parameters(section.part("began"), PERCEPTRON, fixed_in(PERCEPTRON))
    return PerceptronRecord(
        state=state,
        classes=classes,
        target=target,
        parameters=decode_parameters(section.part("parameters"), PERCEPTRON),
        began=began,
        like=_decode_like(section),
        constant_labels=_optional(section, "constant_labels", len(classes)),
        seed=section.whole("seed", 0, LARGEST_SEED),
        class_totals=_decode_totals(section, len(classes), target),
        device=section.text("device") if "device" in section else None,
        reading=section.part("reading").fields() if "reading" in section else None,
        run=section.part("run").fields() if "run" in section else None,
        run_arrays=_decode_run_arrays(section.part("run_arrays")),
        **named,  # type: ignore[arg-type]
        **decode_outcome(section, n_columns),
    )


def _check_target(section: Section, state: Any, classes: NDArray[Any], target: str) -> int:
    """Classes and columns must agree. Returns the number of columns."""
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
    return n_columns


def _decode_like(section: Section) -> Any:
    if "like" not in section:
        return None
    return "sparse" if section.text("like") == "sparse" else decode_dtype(section, "like")


def _optional(section: Section, name: str, most: int) -> NDArray[np.int64] | None:
    return section.counts(name, (None,), 0, most - 1) if section.has_array(name) else None


def _decode_totals(section: Section, n_classes: int, target: str) -> NDArray[np.float64] | None:
    if not section.has_array("class_totals"):
        return None
    return section.finite("class_totals", (n_classes, 2) if target == LABELS else (n_classes,), least=0.0)


def _decode_run_arrays(part: Section) -> dict[str, NDArray[Any]]:
    names = part.listed("names")
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise part.wrong("names", "expected texts, each once")
    return {name: part.any_array(str(k)) for k, name in enumerate(names)}


STATES: dict[str, type] = {"one": OneColumn, "together": Columns, "separately": Separate}
_ENCODERS: dict[type, Any] = {OneColumn: encode_state, Columns: encode_columns, Separate: encode_separate}
_DECODERS: dict[str, Any] = {
    "one": decode_state,
    "together": decode_columns,
    "separately": decode_separate,
}
