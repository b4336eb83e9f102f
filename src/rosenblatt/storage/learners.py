"""`Learner` in a file: its parameters, the names of its features and classes, and its state.

A challenge that was answered and not revealed yet is not kept: after loading, ask it again.
"""

from __future__ import annotations

from typing import Any

from rosenblatt import budgets
from rosenblatt.arithmetic.examples import Dense, plain
from rosenblatt.errors import BadInput
from rosenblatt.learning.columns import Columns
from rosenblatt.learning.dual.budgeted import BudgetState, check_budget
from rosenblatt.learning.dual.dual_state import dual_rule
from rosenblatt.learning.one_column import OneColumn
from rosenblatt.learning.online.by_classes import ClassesState
from rosenblatt.learning.online.by_kernel import KernelState
from rosenblatt.learning.online.learner import Learner
from rosenblatt.learning.separately import Separate
from rosenblatt.learning.settings import LEARNER, settings_of
from rosenblatt.learning.starts import initial_columns
from rosenblatt.storage.columns_together import decode_columns, encode_columns
from rosenblatt.storage.container import Path, naming, read, write
from rosenblatt.storage.duals import decode_dual, encode_dual, support_rows
from rosenblatt.storage.kinds import expect_kind, new_draft
from rosenblatt.storage.names import decode_labels, encode_labels
from rosenblatt.storage.parameters import decode_parameters, encode_parameters
from rosenblatt.storage.sections import Draft, Section
from rosenblatt.storage.states import decode_separate, decode_state, encode_separate, encode_state

KIND = "learner"
MOST_ROOM = 1 << 16  # for features that have no names yet; a learner doubles its room when it is full
FEATURES = {"named": True, "numbered": False}
STATES: dict[str, type] = {"linear": OneColumn, "classes": ClassesState, "kernel": KernelState}


def save_learner(learner: Learner, path: Path) -> None:
    """Write a learner to a file, or leave what was there as it was."""
    draft = new_draft(KIND)
    encode_learner(draft, learner)
    write(path, draft.arrays, draft.document)


def load_learner(path: Path) -> Learner:
    """The learner in a file. Nothing in the file is run, and everything is checked."""
    arrays, document = read(path)
    with naming(path):
        section = Section(document, arrays)
        expect_kind(section, KIND)
        return decode_learner(section)


def encode_learner(draft: Draft, learner: Learner) -> None:
    stored = [name for name, setting in settings_of(LEARNER).items() if setting.kinds]
    encode_parameters(draft.part("parameters"), {name: getattr(learner, name) for name in stored}, LEARNER)
    if learner._announced is not None:
        encode_labels(draft, "announced", list(dict.fromkeys(map(plain, learner._announced))))
    encode_labels(draft, "feature_names", [plain(name) for name in learner._slots])
    draft["features"] = next((name for name, named in FEATURES.items() if named is learner._named), None)
    state = learner._state
    draft["state_kind"] = next((name for name, cls in STATES.items() if type(state) is cls), None)
    if state is not None:
        draft["n_features"] = state.n_features
        _ENCODERS[type(state)](draft.part("state"), state)


def _encode_classes(draft: Draft, state: ClassesState) -> None:
    # a class whose first example was refused has no column
    encode_labels(draft, "classes", state.classes[: state._many.n_columns] if state._many else [])
    if isinstance(state._many, Columns):
        encode_columns(draft.part("together"), state._many)
    elif state._many is not None:
        encode_separate(draft.part("separately"), state._many)


def _encode_kernel(draft: Draft, state: KernelState) -> None:
    encode_dual(draft, state._dual)


def decode_learner(section: Section) -> Learner:
    parameters = decode_parameters(section.part("parameters"), LEARNER)
    budget = parameters.pop("budget")
    announced = decode_labels(section, "announced") if "announced" in section else None
    try:
        # without its budget, whose slots it would make: only the arrays of the file can justify them
        learner = Learner(**parameters, classes=announced)
        if budget is not None:
            _refuse_stray_budget(learner, budget)
            learner.budget = budget
    except BadInput as error:
        raise section.wrong("parameters", str(error)) from error
    for name in decode_labels(section, "feature_names"):
        learner._slots[name]  # a name gets the next number when it is asked for
    learner._named = FEATURES[section.text("features", FEATURES)] if "features" in section else None
    if "state_kind" in section:
        _decode_state(section, learner)
    return learner


def _refuse_stray_budget(learner: Learner, budget: Any) -> None:
    if learner.kernel is None:
        raise BadInput("budget: there is no kernel")
    check_budget(budgets.as_budget(budget), dual_rule(learner.rule), learner.keep)


def _decode_state(section: Section, learner: Learner) -> None:
    kind = section.text("state_kind", STATES)
    expected = "kernel" if learner.kernel is not None else "classes" if learner.multiclass else "linear"
    if kind != expected:
        raise section.wrong("state_kind", f"{kind!r}, where the parameters say {expected!r}")
    n_features = section.whole("n_features", 1)
    names = len(learner._slots)
    if learner._named and not names <= n_features <= max(MOST_ROOM, 4 * names):
        raise section.wrong("n_features", f"{n_features} is no room for {names} named features")
    learner._state = _DECODERS[kind](section.part("state"), n_features, learner)
    if learner._named and any(isinstance(part, Dense) for part in _stored_rows(learner._state)):
        raise section.wrong(
            "state", "rows of named features are compressed, since there may be more of them"
        )


def _stored_rows(state: Any) -> list[Any]:
    if isinstance(state, KernelState):
        return support_rows(state._dual)
    many = state._many if isinstance(state, ClassesState) else state
    states = many.states if isinstance(many, Separate) else [many] if isinstance(many, OneColumn) else []
    return [part for each in states for part in each.support]


def _decode_linear(section: Section, n_features: int, learner: Learner) -> OneColumn:
    return decode_state(section, n_features)


def _decode_classes(section: Section, n_features: int, learner: Learner) -> ClassesState:
    state = ClassesState(
        1, learner._announced, str(learner.multiclass), learner.sharing, learner.rule, learner.keep,
        learner.offset, learner.tie, learner.init if isinstance(learner.init, str) else "zeros",
    )  # fmt: skip
    state._recipe = state._recipe._replace(init=learner.init)
    labels = decode_labels(section, "classes")
    state._numbers = {label: number for number, label in enumerate(labels)}
    state._many, state.n_features = None, n_features
    if "together" in section:
        state._many = decode_columns(section.part("together"), n_features)
    elif "separately" in section:
        state._many = decode_separate(section.part("separately"), n_features)
    n_columns = 0 if state._many is None else state._many.n_columns
    if n_columns != len(labels):
        raise section.wrong("classes", f"{len(labels)} of them for {n_columns} columns")
    if not isinstance(learner.init, str) and not n_columns:
        _refuse_other_start(section, learner.init, n_features, learner.offset)
    return state


def _refuse_other_start(section: Section, init: Any, n_features: int, offset: bool) -> None:
    """The first class to come begins at `init`, which must be of so many features."""
    w = init[0] if isinstance(init, tuple) else init
    try:
        if w.shape[-1] == n_features:
            initial_columns(init, 1, n_features, offset)
            return
    except BadInput:
        pass
    raise section.wrong("n_features", f"expected {w.shape[-1]}, the number of weights to begin with")


def _decode_kernel(section: Section, n_features: int, learner: Learner) -> KernelState:
    state = KernelState(1, learner.kernel, learner.rule, learner.keep, learner.offset, learner.tie, None)
    state.n_features = n_features
    state._dual = decode_dual(section, n_features)
    if state._dual.n_columns != 1:
        raise section.wrong("state", f"{state._dual.n_columns} columns, expected one")
    if isinstance(state._dual, BudgetState) != (learner.budget is not None):
        raise section.wrong("state", "it does not go with the budget")
    return state


_ENCODERS: dict[type, Any] = {
    OneColumn: encode_state,
    ClassesState: _encode_classes,
    KernelState: _encode_kernel,
}
_DECODERS: dict[str, Any] = {
    "linear": _decode_linear,
    "classes": _decode_classes,
    "kernel": _decode_kernel,
}
