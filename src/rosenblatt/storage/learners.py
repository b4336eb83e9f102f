"""`Learner` in a model file: its parameters, the names of its features and classes, and its state.

A pending prediction (a challenge that was answered, but whose label was not revealed yet) is not stored:
after loading, present the challenge again.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from rosenblatt import budgets
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import Dense, plain
from rosenblatt.storage import fields
from rosenblatt.storage.container import Path
from rosenblatt.storage.duals import decode_dual, encode_dual
from rosenblatt.storage.fields import Found, Part, Schema, Section, decode, encode, save_as
from rosenblatt.storage.names import LABELS, decode_labels, encode_labels
from rosenblatt.storage.parameters import parameters
from rosenblatt.storage.perceptrons import STATES as LINEAR_STATES
from rosenblatt.storage.perceptrons import kind_of
from rosenblatt.storage.separate_states import decode_two_classes, encode_separate
from rosenblatt.training.dual.dual_state import dual_rule
from rosenblatt.training.dual.limited_support import check_budget
from rosenblatt.training.initial_states import initial_columns
from rosenblatt.training.online.learner import Learner, LearnerRecord
from rosenblatt.training.settings import LEARNER

KIND = "learner"
MOST_ROOM = 1 << 16  # limit on spare features without names; a learner doubles its capacity when full
NAMED = {"named": True, "numbered": False}
FEATURES = fields.value(
    lambda section, name, found: NAMED[section.text(name, NAMED)],
    lambda is_named: "named" if is_named else "numbered",
)


# ---------------------------------------------------------------- states by kind


def _encode_classes(record: LearnerRecord) -> Part:
    many = record.state
    # a class whose first example was refused has no classifier
    part = Part(classes=encode_labels(list(record.classes)[: many.n_columns] if many is not None else []))
    if many is not None:
        kind = kind_of(many)
        part[kind] = LINEAR_STATES[kind][0](many)
    return part


def _decode_classes(section: Section, n_features: int, found: Found) -> Any:
    learner: Learner = found.learner
    found["classes"], many = decode_labels(section, "classes"), None
    if kind := next((kind for kind in ("together", "separately") if kind in section), None):
        many = LINEAR_STATES[kind][1](section.part(kind), n_features)
    n_columns = 0 if many is None else many.n_columns
    if n_columns != len(found.classes):
        raise section.wrong("classes", f"{len(found.classes)} of them for {n_columns} columns")
    if not isinstance(learner.init, str) and not n_columns:
        _refuse_other_start(section, learner.init, n_features, learner.offset)
    return many


def _refuse_other_start(section: Section, init: Any, n_features: int, offset: bool) -> None:
    """Raise an error unless `init` has one weight per feature, since the first class starts at `init`."""
    w = init[0] if isinstance(init, tuple) else init
    with suppress(BadInput):
        if w.shape[-1] == n_features:
            initial_columns(init, 1, n_features, offset)
            return
    raise section.wrong("n_features", f"expected {w.shape[-1]}, the number of weights to begin with")


def _decode_kernel(section: Section, n_features: int, found: Found) -> Any:
    dual = decode_dual(section, n_features)
    if dual.n_columns != 1:
        raise section.wrong("state", f"{dual.n_columns} columns, expected one")
    if dual.has_past != (found.learner.budget is None):
        raise section.wrong("state", "it does not match the budget")
    return dual


STATES: dict[str, tuple[Any, Any]] = {
    "linear": (
        lambda record: encode_separate(record.state),
        lambda section, n, _: decode_two_classes(section, n),
    ),
    "classes": (_encode_classes, _decode_classes),
    "kernel": (lambda record: encode_dual(record.state), _decode_kernel),
}


def _kind_for(learner: Learner) -> str:
    """Return the kind of state that the parameters of a learner require."""
    return "kernel" if learner.kernel is not None else "classes" if learner.multiclass else "linear"


# ---------------------------------------------------------------- the learner


def _learner(section: Section, found: Found) -> None:
    """Build an untrained learner from the parameters, to find errors in the parameters early."""
    budget = found.parameters["budget"]
    with section.blaming("parameters"):
        learner = found["learner"] = Learner.of(_record(found))
        if budget is not None:
            check_budget(budgets.as_budget(budget), dual_rule(learner.rule), learner.keep)


def _check_kind(section: Section, found: Found) -> None:
    kind, expected = found.state_kind, _kind_for(found.learner)
    if kind is not None and kind != expected:
        raise section.wrong("state_kind", f"{kind!r}, but the parameters require {expected!r}")


def _read_state(section: Section, name: str, found: Found) -> Any:
    if found.state_kind is None:
        return None
    n_features, names = section.whole("n_features", 1), len(found.feature_names)
    if found.features and not names <= n_features <= max(MOST_ROOM, 4 * names):
        raise section.wrong("n_features", f"{n_features} is too few for {names} named features")
    state = STATES[found.state_kind][1](section.part(name), n_features, found)
    held = [] if state is None else state.stored_rows()
    if found.features and any(isinstance(part, Dense) for part in held):
        raise section.wrong(
            "state", "rows of named features are compressed, since there may be more of them"
        )
    return state


FIELDS: Schema = {
    "parameters": parameters(LEARNER),
    "announced": LABELS.optional(),
    "feature_names": LABELS,
    "features": FEATURES.optional(null=True).then(_learner),
    "state_kind": fields.text(STATES).optional(null=True).then(_check_kind),
    "n_features": fields.whole(1).optional(),
    "state": fields.Kind(fields.value(_read_state).optional().write, _read_state),
}


def _record(found: Found) -> LearnerRecord:
    """Return the record of the fields read so far; the state is None until it has been read."""
    state, n_features, classes = (found.get(name) for name in ("state", "n_features", "classes"))
    return LearnerRecord(
        found.parameters, found.announced, found.feature_names, found.features, state, n_features,
        classes or (),
    )  # fmt: skip


def save_learner(learner: Learner, path: Path) -> None:
    """Write a learner to a file atomically."""
    record = learner.record()
    announced, n_features = record.announced, record.n_features
    kind = None if n_features is None else _kind_for(learner)
    values = {
        "parameters": record.parameters,
        "announced": None if announced is None else list(dict.fromkeys(map(plain, announced))),
        "feature_names": [plain(name) for name in record.feature_names],
        "features": record.is_named,
        "state_kind": kind,
        "n_features": n_features,
        "state": None if kind is None else STATES[kind][0](record),
    }
    save_as(KIND, encode(FIELDS, values), path)


def decode_learner(section: Section) -> Learner:
    return Learner.of(_record(decode(section, FIELDS)))
