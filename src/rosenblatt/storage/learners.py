"""`Learner` in a file: its parameters, the names of its features and classes, and its state.

A challenge that was answered and not revealed yet is not kept: after loading, pose it again.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from rosenblatt import budgets
from rosenblatt.arithmetic.examples import Dense, plain
from rosenblatt.errors import BadInput
from rosenblatt.learning.dual.dual_state import dual_rule
from rosenblatt.learning.dual.limited_support import check_budget
from rosenblatt.learning.initial_states import Recipe, initial_columns
from rosenblatt.learning.online.by_classes import ClassesState
from rosenblatt.learning.online.by_kernel import KernelState
from rosenblatt.learning.online.learner import Learner
from rosenblatt.learning.online.one_example import LearnerRecord
from rosenblatt.learning.separate_columns import SeparateColumns
from rosenblatt.learning.settings import LEARNER
from rosenblatt.storage import fields
from rosenblatt.storage.container import Path
from rosenblatt.storage.duals import decode_dual, encode_dual
from rosenblatt.storage.fields import Found, Part, Schema, Section, decode, encode, save_as
from rosenblatt.storage.names import LABELS, decode_labels, encode_labels
from rosenblatt.storage.parameters import parameters
from rosenblatt.storage.perceptrons import STATES as LINEAR_STATES
from rosenblatt.storage.perceptrons import kind_of
from rosenblatt.storage.separate_states import decode_two_classes, encode_separate

KIND = "learner"
MOST_ROOM = 1 << 16  # for features that have no names yet; a learner doubles its room when it is full
NAMED = {"named": True, "numbered": False}
FEATURES = fields.value(
    lambda section, name, found: NAMED[section.text(name, NAMED)],
    lambda is_named: "named" if is_named else "numbered",
)


# ---------------------------------------------------------------- states, each of its own kind


def _encode_classes(state: ClassesState) -> Part:
    many = state.columns
    # a class whose first example was refused has no column
    part = Part(classes=encode_labels(state.classes[: many.n_columns] if many else []))
    if many is not None:
        kind = kind_of(many)
        part[kind] = LINEAR_STATES[kind][0](many)
    return part


def _decode_classes(section: Section, n_features: int, learner: Learner) -> ClassesState:
    init = learner.init if isinstance(learner.init, str) else "zeros"
    recipe = Recipe(learner.rule, learner.keep, bool(learner.offset), learner.tie, init)
    announced = learner.record().announced
    state = ClassesState(1, announced, str(learner.multiclass), learner.sharing, recipe)
    labels, many = decode_labels(section, "classes"), None
    if kind := next((kind for kind in ("together", "separately") if kind in section), None):
        many = LINEAR_STATES[kind][1](section.part(kind), n_features)
    n_columns = 0 if many is None else many.n_columns
    if n_columns != len(labels):
        raise section.wrong("classes", f"{len(labels)} of them for {n_columns} columns")
    if not isinstance(learner.init, str) and not n_columns:
        _refuse_other_start(section, learner.init, n_features, learner.offset)
    state.resume(labels, many, n_features, learner.init)
    return state


def _refuse_other_start(section: Section, init: Any, n_features: int, offset: bool) -> None:
    """Raise an error unless `init` has the right number of features: the first class begins there."""
    w = init[0] if isinstance(init, tuple) else init
    with suppress(BadInput):
        if w.shape[-1] == n_features:
            initial_columns(init, 1, n_features, offset)
            return
    raise section.wrong("n_features", f"expected {w.shape[-1]}, the number of weights to begin with")


def _decode_kernel(section: Section, n_features: int, learner: Learner) -> KernelState:
    state = KernelState(1, learner.kernel, learner.rule, learner.keep, learner.offset, learner.tie, None)
    dual = decode_dual(section, n_features)
    if dual.n_columns != 1:
        raise section.wrong("state", f"{dual.n_columns} columns, expected one")
    if dual.has_past != (learner.budget is None):
        raise section.wrong("state", "it does not match the budget")
    state.resume(dual, n_features)
    return state


STATES: dict[str, tuple[type, Any, Any]] = {
    "linear": (SeparateColumns, encode_separate, lambda section, n, _: decode_two_classes(section, n)),
    "classes": (ClassesState, _encode_classes, _decode_classes),
    "kernel": (KernelState, lambda state: encode_dual(state.dual), _decode_kernel),
}


# ---------------------------------------------------------------- the learner


def _learner(section: Section, found: Found) -> None:
    """Build a learner that has learned nothing yet, to find errors in its parameters now."""
    budget = found.parameters["budget"]
    with section.blaming("parameters"):
        learner = found["learner"] = Learner.of(_record(found, None))
        if budget is not None:
            check_budget(budgets.as_budget(budget), dual_rule(learner.rule), learner.keep)


def _check_kind(section: Section, found: Found) -> None:
    kind, learner = found.state_kind, found.learner
    expected = "kernel" if learner.kernel is not None else "classes" if learner.multiclass else "linear"
    if kind is not None and kind != expected:
        raise section.wrong("state_kind", f"{kind!r}, but the parameters require {expected!r}")


def _read_state(section: Section, name: str, found: Found) -> Any:
    if found.state_kind is None:
        return None
    n_features, names = section.whole("n_features", 1), len(found.feature_names)
    if found.features and not names <= n_features <= max(MOST_ROOM, 4 * names):
        raise section.wrong("n_features", f"{n_features} is too few for {names} named features")
    state = STATES[found.state_kind][2](section.part(name), n_features, found.learner)
    if found.features and any(isinstance(part, Dense) for part in state.held()):
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


def _record(found: Found, state: Any) -> LearnerRecord:
    return LearnerRecord(found.parameters, found.announced, found.feature_names, found.features, state)


def save_learner(learner: Learner, path: Path) -> None:
    """Write a learner to a file, or leave the old file as it was."""
    parameters, announced, feature_names, is_named, state = learner.record()
    kind = next((name for name, (cls, _, _) in STATES.items() if type(state) is cls), None)
    values = {
        "parameters": parameters,
        "announced": None if announced is None else list(dict.fromkeys(map(plain, announced))),
        "feature_names": [plain(name) for name in feature_names],
        "features": is_named,
        "state_kind": kind,
        "n_features": None if kind is None else state.n_features,
        "state": None if kind is None else STATES[kind][1](state),
    }
    save_as(KIND, encode(FIELDS, values), path)


def decode_learner(section: Section) -> Learner:
    found = decode(section, FIELDS)
    return Learner.of(_record(found, found.state))
