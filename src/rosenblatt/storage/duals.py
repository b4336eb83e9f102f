"""`DualState` in a model file, with and without a budget: each weight vector is a sum over support rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt import budgets, kernels
from rosenblatt.budgets import Slots
from rosenblatt.loops.blocked import COLUMN
from rosenblatt.numeric.row_batches import TIES, Dense, Rows, n_rows, stack
from rosenblatt.storage import fields
from rosenblatt.storage.fields import Found, Part, Schema, Section, counts, decode, encode, finite, whole
from rosenblatt.storage.parameters import BUDGET, KERNEL, RULE
from rosenblatt.storage.separate_states import FALSE_POSITIVES, clocks_of
from rosenblatt.storage.support_rows import decode_rows, encode_rows
from rosenblatt.training.backends import OnHost, as_backend
from rosenblatt.training.dual.dual_state import DualState, dual_rule
from rosenblatt.training.dual.limited_support import KEEPERS as ON_A_BUDGET
from rosenblatt.training.dual.limited_support import check_budget
from rosenblatt.training.dual.support import Support, is_whole, squared_lengths_of

CLOCKS: Schema = {
    **dict.fromkeys(("mistakes", "settled", "terms"), counts("n")),
    "mass": fields.positive("n"),
    "false_positives": FALSE_POSITIVES,
}
ROUNDED = 1.0 + 1e-9


def _check_kernel(section: Section, found: Found) -> None:
    if isinstance(getattr(found.kernel, "gamma", 1.0), str):
        raise section.wrong("kernel", "its gamma is not a number")
    found["kernel"] = kernels.as_kernel(found.kernel)


def _check_rule(section: Section, found: Found) -> None:
    with section.blaming("rule"):
        dual_rule(found.rule)


DUAL: Schema = {
    "kernel": KERNEL.then(_check_kernel),
    "rule": RULE.then(_check_rule),
    "offset": fields.FLAG,
    "tie": fields.text(TIES),
    "device": fields.text(("cpu", "cuda")),  # the number of the card does not matter
    "looks": whole(),
    "epochs": whole(),
    "rows_given": whole(),
    "largest2": fields.positive(1),
}


def encode_dual(state: Any) -> Part:
    device = "cpu" if state.backend.name == "cpu" else "cuda"
    part = encode(DUAL, {**vars(state), "device": device, "largest2": [state.largest2]})
    if state.has_past:
        part["unlimited"] = _encode_unlimited(state)
    else:
        part["budgeted"] = _encode_budgeted(state)
    return part


def decode_dual(section: Section, n_features: int) -> DualState:
    """Return a dual state; check that its arrays match each other and the number of features."""
    found = decode(section, DUAL, n_features=n_features)
    # the device it was trained on, if this machine has one
    found["backend"] = OnHost() if found.device == "cpu" else as_backend("auto")
    kind = "budgeted" if "budgeted" in section else "unlimited"
    state = (_decode_budgeted if kind == "budgeted" else _decode_unlimited)(section.part(kind), found)
    state.looks, state.epochs, state.rows_given = found.looks, found.epochs, found.rows_given
    state.largest2 = float(found.largest2[0])
    with np.errstate(over="ignore"):
        longest2 = [squared_lengths_of(part).max() for part in state.stored_rows()]
        if any(square > state.largest2 * ROUNDED for square in longest2):
            raise section.wrong("largest2", "less than the squared length of a support row")
    _check_moments(section, state)
    return state


def _check_moments(section: Section, state: DualState) -> None:
    """Raise an error if an update is later than the last step, or if a support row was never given."""
    moments, origins = state.moments()
    if any(len(looks) and looks.max() >= state.looks for looks in moments):
        raise section.wrong("looks", "an update was made after the last step")
    if any(len(origin) and origin.max() >= state.rows_given for origin in origins):
        raise section.wrong("rows_given", "a support row was never given")


def _some(section: Section, found: Found) -> None:
    if not found.n:
        raise section.wrong(next(reversed(found)), "there are no columns")


# ---------------------------------------------------------------- without a budget


def _all_updates(found: Found) -> int:
    return sum(found.updates.tolist())


OF_UPDATES: Schema = {
    "member": counts(_all_updates),
    "look": counts(_all_updates),
    "delta": finite(_all_updates),
}
UNLIMITED: Schema = {
    "is_whole": fields.FLAG,
    "updates": counts("n").then(_some),
    **OF_UPDATES,
    **CLOCKS,
    "origin": counts("n_support"),
    "roots": finite("n_support", least=0.0),
}


def _encode_unlimited(state: DualState) -> Part:
    values = {
        "is_whole": state.is_whole,
        "updates": [record.size for record in state.records],
        **{
            name: np.concatenate([getattr(record, name) for record in state.records]) for name in OF_UPDATES
        },
        **clocks_of(state.clocks(), CLOCKS),
        "origin": state.support.origin,
        "roots": state.support.roots,
    }
    part = encode(UNLIMITED, values)
    groups: list[list[Rows]] = []  # adjacent parts with the same layout and dtypes, so that no type changes
    for rows in state.stored_rows():
        if groups and _layout(groups[-1][-1]) == _layout(rows):
            groups[-1].append(rows)
        else:
            groups.append([rows])
    part["groups"] = [sum(map(n_rows, group)) for group in groups]
    part.update({f"rows_{k}": encode_rows(stack(group)) for k, group in enumerate(groups)})
    return part


def _layout(rows: Rows) -> tuple[Any, ...]:
    return rows.values.dtype, None if isinstance(rows, Dense) else rows.indices.dtype


def _decode_unlimited(section: Section, make: Found) -> DualState:
    found = decode(section, UNLIMITED)
    state = DualState(make.kernel, make.rule, make.offset, make.tie, found.n, make.backend)
    state.support, state.is_whole = _decode_support(section, found, make), found.is_whole
    if found.member.size and found.member.max() >= len(state.support):
        raise section.wrong("member", f"an update on no row: there are {len(state.support)} support rows")
    if state.is_whole and not all(is_whole(rows) for rows in state.stored_rows()):
        raise section.wrong("is_whole", "a support row has numbers that are not whole")
    state._coefficients = np.zeros((max(64, len(state.support)), found.n))
    clocks = found.clocks(COLUMN, ("updates", *CLOCKS))
    for c, (member, look, delta) in enumerate(found.shares(OF_UPDATES, found.updates)):
        if (look[1:] <= look[:-1]).any():
            raise section.wrong("look", "the updates of a column are not in order")
        with np.errstate(over="ignore", invalid="ignore"):
            state.add(np.full(len(member), c), member, delta, look)
        state.records[c].clock[:] = clocks[c]
    if not np.isfinite(state.coefficients).all():
        raise section.wrong("delta", "the coefficients overflow")
    return state


def _decode_support(section: Section, found: Found, make: Found) -> Support:
    support = Support(make.backend.chunk)
    for k, size in enumerate(section.list_of("groups")):
        first = len(support)
        if type(size) is not int or not 1 <= size <= found.n_support - first:
            raise section.wrong("groups", "expected numbers of rows")
        rows = decode_rows(section.part(f"rows_{k}"), size, make.n_features)
        own = slice(first, first + size)
        support.append(rows, found.origin[own], found.roots[own])
    if len(support) != found.n_support:
        raise section.wrong("groups", f"{len(support)} rows, expected {found.n_support}")
    return support


# ---------------------------------------------------------------- on a budget


def _side(found: Found) -> int:
    return int(found.size) if isinstance(found.budget, budgets.WITH_MATRIX) else 0


def _check_the_budget(section: Section, found: Found) -> None:
    found["size"] = found.budget.size
    with section.blaming("budget"):
        check_budget(found.budget, found.rule, ON_A_BUDGET[0])


SLOTS: Schema = {
    "used": counts("n", most="size"),
    "coefficient": finite("n", "size").then(_some),  # so the file is as large as the budget
    "total": finite("n", "size"),
    "memory": finite("n", 3),
    "matrix": finite("n", _side, _side),
    "arrived": counts("n", "size"),
    "touched": counts("n", "size"),
    "joined": counts("n", "size"),
    "random": fields.numbers(np.uint64, "n"),
}
BUDGETED: Schema = {
    "budget": BUDGET.then(_check_the_budget),
    **SLOTS,
    "roots": finite("n", "size", least=0.0),
    "origin": counts(lambda found: sum(found.used.tolist())),
    "updates": counts("n"),
    **CLOCKS,
}


def _encode_budgeted(state: DualState) -> Part:
    supports = state.limited_supports
    values = {
        "budget": state.budget,
        **fields.each([support.slots for support in supports], SLOTS),
        **fields.each(supports, ["roots"]),
        "origin": np.concatenate([support.origin for support in supports]),
        **clocks_of(state.clocks(), ("updates", *CLOCKS)),
    }
    rows = {f"rows_{c}": encode_rows(own.rows) for c, own in enumerate(supports) if own.rows is not None}
    return Part(encode(BUDGETED, values) | rows)


def _decode_budgeted(section: Section, make: Found) -> DualState:
    found = decode(section, BUDGETED, rule=make.rule)
    state = DualState(make.kernel, make.rule, make.offset, make.tie, found.n, make.backend, found.budget)
    clocks, origins = found.clocks(COLUMN, ("updates", *CLOCKS)), found.shares(["origin"], found.used)
    for c, support in enumerate(state.limited_supports):
        own = {name: found[name][c : c + 1] if found[name].ndim == 1 else found[name][c] for name in SLOTS}
        support.slots = Slots(row=np.full(found.size, -1, np.int64), **own)
        support.roots, (support.origin,), state.records[c].clock[:] = found.roots[c], origins[c], clocks[c]
        if found.used[c]:
            support.rows = decode_rows(section.part(f"rows_{c}"), int(found.used[c]), make.n_features)
    return state
