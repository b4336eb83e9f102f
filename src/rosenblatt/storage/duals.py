"""`DualState` and `BudgetState` in a file: w of each column as a sum over support rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import budgets, kernels
from rosenblatt.arithmetic.examples import TIES, Dense, Rows, n_rows, stack
from rosenblatt.budgets import Slots
from rosenblatt.errors import BadInput
from rosenblatt.learning.backends import Backend, OnHost, as_backend
from rosenblatt.learning.dual.budgeted import KEEPERS as ON_A_BUDGET
from rosenblatt.learning.dual.budgeted import BudgetState, check_budget
from rosenblatt.learning.dual.dual_state import DualState, dual_rule
from rosenblatt.learning.dual.support import Support, is_whole, squared_lengths_of
from rosenblatt.storage.choices import decode_choice, decode_rule, encode_choice, encode_rule
from rosenblatt.storage.sections import Draft, Section
from rosenblatt.storage.states import decode_false_positives, encode_false_positives
from rosenblatt.storage.support_rows import decode_rows, encode_rows

COUNTS = ("mistakes", "settled", "terms")
SHARED = ("looks", "epochs", "rows_given")
ROUNDED = 1.0 + 1e-9

Dual = DualState | BudgetState


def encode_dual(draft: Draft, state: Dual) -> None:
    encode_choice(draft.part("kernel"), state.kernel, "kernel")
    encode_rule(draft, state.rule)
    draft["offset"], draft["tie"] = bool(state.offset), state.tie
    draft["device"] = "cpu" if state.backend.name == "cpu" else "cuda"
    for name in SHARED:
        draft[name] = int(getattr(state, name))
    draft.array("largest2", [state.largest2], np.float64)
    if isinstance(state, BudgetState):
        _encode_budgeted(draft.part("budgeted"), state)
    else:
        _encode_unlimited(draft.part("unlimited"), state)


def decode_dual(section: Section, n_features: int) -> Dual:
    """A state whose arrays agree with each other, and with so many features."""
    kernel = _decode_kernel(section)
    rule = decode_rule(section)
    try:
        dual_rule(rule)
    except BadInput as error:
        raise section.wrong("rule", str(error)) from error
    make = (kernel, rule, section.flag("offset"), section.text("tie", TIES))
    if "budgeted" in section:
        state: Dual = _decode_budgeted(section.part("budgeted"), make, _backend(section), n_features)
    else:
        state = _decode_unlimited(section.part("unlimited"), make, _backend(section), n_features)
    for name in SHARED:
        setattr(state, name, section.whole(name))
    state.largest2 = float(section.positive("largest2", (1,))[0])
    with np.errstate(over="ignore"):
        longest2 = [squared_lengths_of(part).max() for part in support_rows(state)]
        if any(square > state.largest2 * ROUNDED for square in longest2):
            raise section.wrong("largest2", "less than the squared length of a support row")
    _check_moments(section, state)
    return state


def support_rows(state: Dual) -> list[Rows]:
    """The support rows, in pieces."""
    if isinstance(state, BudgetState):
        return [column.rows for column in state.columns if column.rows is not None]
    return [rows for _, rows, _ in state.support.parts()]


def _decode_kernel(section: Section) -> Any:
    kernel = decode_choice(section.part("kernel"), "kernel")
    if isinstance(getattr(kernel, "gamma", 1.0), str):
        raise section.wrong("kernel", "its gamma is not a number")
    return kernels.as_kernel(kernel)


def _backend(section: Section) -> Backend:
    """Where it was learned, if there is such a place here. Which of several cards it was is no matter."""
    return OnHost() if section.text("device", ("cpu", "cuda")) == "cpu" else as_backend("auto")


def _check_moments(section: Section, state: Dual) -> None:
    """Nothing may have happened after the last look, nor on a row that was never given."""
    if isinstance(state, BudgetState):
        moments = [
            array[: column.used]
            for column in state.columns
            for array in (column.slots.joined, column.slots.touched)
        ]
        origins = [column.origin for column in state.columns]
    else:
        moments, origins = [record.look for record in state.records], [state.support.origin]
    if any(len(looks) and looks.max() >= state.looks for looks in moments):
        raise section.wrong("looks", "an update was made after the last look")
    if any(len(origin) and origin.max() >= state.rows_given for origin in origins):
        raise section.wrong("rows_given", "a support row was never given")


# ---------------------------------------------------------------- without a budget


def _encode_unlimited(draft: Draft, state: DualState) -> None:
    records = state.records
    draft["is_whole"] = bool(state.is_whole)
    draft.array("updates", [record.size for record in records], np.int64)
    draft.array("member", np.concatenate([record.member for record in records]))
    draft.array("look", np.concatenate([record.look for record in records]))
    draft.finite("delta", np.concatenate([record.delta for record in records]))
    for name in (*COUNTS, "mass"):
        draft.array(name, state.clock(name))
    encode_false_positives(draft, state.clock("false_positives"))
    draft.array("origin", state.support.origin)
    draft.finite("roots", state.support.roots)
    groups = _alike([rows for _, rows, _ in state.support.parts()])
    draft["groups"] = [n_rows(group) for group in groups]
    for k, group in enumerate(groups):
        encode_rows(draft.part(f"rows_{k}"), group)


def _alike(parts: list[Rows]) -> list[Rows]:
    """Neighbours of the same layout and numbers in one piece: nothing changes its type in a file."""
    groups: list[list[Rows]] = []
    for part in parts:
        if groups and _layout(groups[-1][-1]) == _layout(part):
            groups[-1].append(part)
        else:
            groups.append([part])
    return [stack(group) for group in groups]


def _layout(rows: Rows) -> tuple[Any, ...]:
    return rows.values.dtype, None if isinstance(rows, Dense) else rows.indices.dtype


def _decode_unlimited(
    section: Section, make: tuple[Any, Any, bool, str], backend: Backend, n_features: int
) -> DualState:
    updates = section.counts("updates", (None,))
    n, total = len(updates), sum(updates.tolist())
    if not n:
        raise section.wrong("updates", "there are no columns")
    support = _decode_support(section, backend, n_features)
    member = section.counts("member", (total,), 0, max(0, len(support) - 1))
    look, delta = section.counts("look", (total,)), section.finite("delta", (total,))
    if total and not len(support):
        raise section.wrong("member", "an update on no row")
    state = DualState(*make, n, backend)
    state.support = support
    state.is_whole = section.flag("is_whole")
    if state.is_whole and not all(is_whole(rows) for _, rows, _ in support.parts()):
        raise section.wrong("is_whole", "a support row has numbers that are not whole")
    state._coefficients = np.zeros((max(64, len(support)), n))
    clocks = {name: section.counts(name, (n,)) for name in COUNTS}
    clocks["false_positives"] = decode_false_positives(section, clocks["mistakes"])
    mass = section.positive("mass", (n,))
    ends = np.cumsum(updates)
    for c, record in enumerate(state.records):
        part = slice(int(ends[c] - updates[c]), int(ends[c]))
        if (look[part][1:] <= look[part][:-1]).any():
            raise section.wrong("look", "the updates of a column are not in order")
        with np.errstate(over="ignore", invalid="ignore"):
            state.add(c, member[part], delta[part], look[part])
        record.clock["updates"], record.clock["mass"] = updates[c], mass[c]
        for name, values in clocks.items():
            record.clock[name] = values[c]
    if not np.isfinite(state.coefficients).all():
        raise section.wrong("delta", "the coefficients overflow")
    return state


def _decode_support(section: Section, backend: Backend, n_features: int) -> Support:
    origin = section.counts("origin", (None,))
    roots = section.finite("roots", (len(origin),), least=0.0)
    support = Support(backend.chunk)
    for k, size in enumerate(section.listed("groups")):
        first = len(support)
        if type(size) is not int or not 1 <= size <= len(origin) - first:
            raise section.wrong("groups", "expected numbers of rows")
        rows = decode_rows(section.part(f"rows_{k}"), size, n_features)
        support.append(rows, origin[first : first + size], roots[first : first + size])
    if len(support) != len(origin):
        raise section.wrong("groups", f"{len(support)} rows, expected {len(origin)}")
    return support


# ---------------------------------------------------------------- on a budget


SLOTS = ("arrived", "touched", "joined")


def _encode_budgeted(draft: Draft, state: BudgetState) -> None:
    columns = state.columns
    encode_choice(draft.part("budget"), state.budget, "budget")
    draft.array("used", np.concatenate([column.slots.used for column in columns]))
    for name in ("coefficient", "total", "memory", "matrix"):
        draft.finite(name, np.stack([getattr(column.slots, name) for column in columns]))
    for name in SLOTS:
        draft.array(name, np.stack([getattr(column.slots, name) for column in columns]))
    draft.array("random", np.concatenate([column.slots.random for column in columns]))
    draft.finite("roots", np.stack([column.roots for column in columns]))
    draft.array("origin", np.concatenate([column.origin for column in columns]))
    for name in ("updates", *COUNTS, "mass"):
        draft.array(name, state.clock(name))
    encode_false_positives(draft, state.clock("false_positives"))
    for c, column in enumerate(columns):
        if column.rows is not None:
            encode_rows(draft.part(f"rows_{c}"), column.rows)


def _decode_budgeted(
    section: Section, make: tuple[Any, Any, bool, str], backend: Backend, n_features: int
) -> BudgetState:
    budget = decode_choice(section.part("budget"), "budget")
    coefficient = section.finite(
        "coefficient", (None, budget.size)
    )  # so the file is as large as the budget
    n = len(coefficient)
    if not n:
        raise section.wrong("coefficient", "there are no columns")
    try:
        check_budget(budget, make[1], ON_A_BUDGET[0])
    except BadInput as error:
        raise section.wrong("budget", str(error)) from error
    arrays = _decode_slots(section, budget, n)
    state = BudgetState(*make, n, budget, 0, backend)
    used = section.counts("used", (n,), 0, budget.size)
    origin = section.counts("origin", (sum(used.tolist()),))
    roots = section.finite("roots", (n, budget.size), least=0.0)
    counts = {name: section.counts(name, (n,)) for name in ("updates", *COUNTS)}
    counts["false_positives"] = decode_false_positives(section, counts["mistakes"])
    mass = section.positive("mass", (n,))
    ends = np.cumsum(used)
    for c, column in enumerate(state.columns):
        fields = {name: array[c] for name, array in arrays.items()}
        column.slots = Slots(
            coefficient=coefficient[c],
            used=used[c : c + 1],
            row=np.full(budget.size, -1, np.int64),
            **fields,
        )
        column.roots, column.origin = roots[c], origin[ends[c] - used[c] : ends[c]]
        column.clock["mass"] = mass[c]
        for name, values in counts.items():
            column.clock[name] = values[c]
        if used[c]:
            column.rows = decode_rows(section.part(f"rows_{c}"), int(used[c]), n_features)
    return state


def _decode_slots(section: Section, budget: Any, n: int) -> dict[str, NDArray[Any]]:
    size = budget.size
    side = size if isinstance(budget, budgets.WITH_MATRIX) else 0
    found: dict[str, NDArray[Any]] = {name: section.counts(name, (n, size)) for name in SLOTS}
    found["total"] = section.finite("total", (n, size))
    found["memory"] = section.finite("memory", (n, 3))
    found["matrix"] = section.finite("matrix", (n, side, side))
    random = section.array("random", np.uint64, (n,))
    found["random"] = random.reshape(n, 1)
    return found
