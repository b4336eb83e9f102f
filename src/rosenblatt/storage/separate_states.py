"""`SeparateColumns` in a model file: arrays with one row per classifier, and the averaging strategy.

This module also has the fields that `panel_states` needs: initial weights, false positives, and the
counters of pockets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import rules
from rosenblatt.averaging import Averaged, Last, Pocket, Voted
from rosenblatt.averaging.pocket import IN_POCKET, NOT_COMPARED
from rosenblatt.errors import BadInput
from rosenblatt.loops.votes import replay
from rosenblatt.loops.walk import TALLY, TOO_LARGE, TOO_SMALL
from rosenblatt.numeric.row_batches import TIES, n_rows, stack, take
from rosenblatt.storage import fields
from rosenblatt.storage.fields import Found, Kind, Part, Schema, Section, counts, decode, encode, finite
from rosenblatt.storage.parameters import RULE
from rosenblatt.storage.support_rows import decode_rows, encode_rows
from rosenblatt.training.separate_columns import Column, SeparateColumns

COUNTS = ("examples_seen", "mistakes", "updates", "exact_decisions")
CLOCKS = (*COUNTS, "scale", "norm2", "false_positives")
ANY_COUNT = np.iinfo(np.int64).max


def width(found: Found) -> int:
    """Return the length of (w, b), which is the number of features plus 1."""
    return int(found.n_features) + 1


# ---------------------------------------------------------------- fields shared with panels


def _write_start(part: Part, name: str, start: NDArray[np.float64]) -> None:
    part["one_start_for_all"] = start.ndim == 1
    if not _is_zero(start):
        part[name] = np.atleast_2d(start)
    elif start.ndim == 2:
        part["starts"] = len(start)


def _read_start(section: Section, name: str, found: Found) -> NDArray[np.float64]:
    one, n = section.flag("one_start_for_all"), found.n
    if section.has_array(name):
        start = section.finite(name, (1 if one else None, width(found)))
    else:
        start = np.zeros((1 if one else section.whole("starts", 1, n), width(found)))
    if not 1 <= len(start) <= n:  # fewer if some classes appeared later
        raise section.wrong(name, f"{len(start)} of them for {n} columns")
    return start[0] if one else start


START = Kind(_write_start, _read_start)
"""The initial weights (w, b): one vector for all classifiers, or one per classifier."""


def _is_zero(array: NDArray[np.float64]) -> bool:
    return not np.ascontiguousarray(array).view(np.int64).any()  # keep −0.0


def clocks_of(clocks: NDArray[Any], names: Iterable[str]) -> dict[str, Any]:
    """Return the named counters of all classifiers, as a dict of arrays."""
    return {name: clocks[name] for name in names}


def _check_false_positives(section: Section, found: Found) -> None:
    taken, mistakes = found.false_positives, found.mistakes
    # with shared mistakes, a class may win more foreign rows than it loses of its own
    shared = found.get("sharing") is not None
    if taken.sum() != mistakes.sum() if shared else (taken > mistakes).any():
        raise section.wrong("false_positives", "they do not match the mistakes")


FALSE_POSITIVES = counts("n").then(_check_false_positives)
"""The false positives of every classifier."""

POCKETS: Schema = {
    "best_run": counts("n"),
    "best_errors": counts("n", most=ANY_COUNT),
    "run": counts("n"),
    "standing": counts("n", least=NOT_COMPARED, most=IN_POCKET),
    "ratchet": fields.numbers(np.bool_, "n"),
}
"""The counters of pockets; their vectors are stored in other fields."""


def pocket_of(found: Found, k: int, best: NDArray[np.float64]) -> Pocket:
    clocks = {name: found[name][k : k + 1] for name in POCKETS if name != "ratchet"}
    return Pocket(best=best, **clocks, ratchet=bool(found.ratchet[k]))


# ---------------------------------------------------------------- averaging strategies


def _restore_averaged(section: Section, found: Found, columns: list[Column]) -> None:
    for k, column in enumerate(columns):
        own = slice(k, k + 1)
        column.keeper = Averaged(found.late[k], found.before[own], found.looks[own])
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(column.returned_weights()).all():
                raise section.wrong("late", "the mean of the weights overflows")


def _restore_pocket(section: Section, found: Found, columns: list[Column]) -> None:
    for k, column in enumerate(columns):
        column.keeper = pocket_of(found, k, found.best[k])
        if not column.offset and column.keeper.best[-1]:
            raise section.wrong("best", "an offset in a model without one")


def _restore_voted(section: Section, found: Found, columns: list[Column]) -> None:
    members, n_support, support = found.members, found.support_rows, None
    if total := sum(n_support.tolist()):
        support = decode_rows(section.part("support"), total, found.n_features)
    last_rows, shares = np.cumsum(n_support), found.shares(OF_MEMBERS, members)
    for k, (column, (row, delta, factor, survival)) in enumerate(zip(columns, shares, strict=True)):
        if row[0] != -1 or ((row[1:] < 0) | (row[1:] >= n_support[k])).any():
            raise section.wrong("row", "a member of the committee has no row")
        column.keeper = Voted(row, delta, factor, survival, members[k : k + 1])
        column.stored, column.support_rows = int(members[k]), int(n_support[k])
        if support is not None and n_support[k]:
            own = np.arange(last_rows[k] - n_support[k], last_rows[k])
            column.support = [support if len(own) == n_rows(support) else take(support, own)]
        _refuse_infinite_members(section, column)


def _refuse_infinite_members(section: Section, column: Column) -> None:
    """Raise an error if a vector of the committee is infinite; checking the last vector suffices."""
    if len(column.keeper.row) == 1:
        return
    vector = column.start.copy()
    replay(
        column.committee(), column.keeper.row, 1, column.stored, column.keeper.delta, column.keeper.factor,
        column.offset, vector,
    )  # fmt: skip
    if not np.isfinite(vector).all():
        raise section.wrong("delta", "a vector of the committee overflows")


def _all_members(found: Found) -> int:
    return sum(found.members.tolist())


AVERAGED: Schema = {"late": finite("n", width), "before": finite("n"), "looks": counts("n")}
OF_MEMBERS: Schema = {
    "row": counts(_all_members, least=-1),
    "delta": finite(_all_members),
    "factor": finite(_all_members),
    "survival": counts(_all_members),
}
VOTED: Schema = {"members": counts("n", least=1), **OF_MEMBERS, "support_rows": counts("n")}
KEEPERS: dict[str, tuple[type, Schema, Callable[[Section, Found, list[Column]], None]]] = {
    "last": (Last, {}, lambda section, found, columns: None),
    "averaged": (Averaged, AVERAGED, _restore_averaged),
    "voted": (Voted, VOTED, _restore_voted),
    "pocket": (Pocket, {"best": finite("n", width), **POCKETS}, _restore_pocket),
}
"""For each averaging strategy: its class, its fields for many classifiers, and the function that assigns
the fields to the classifiers."""


def _encode_keepers(keep: str, columns: Sequence[Column]) -> Part:
    schema = KEEPERS[keep][1]
    if keep != "voted":  # the fields of a file are the first fields of the NamedTuple, in its order
        stacked = map(np.stack, zip(*(column.keeper for column in columns), strict=True))
        return encode(schema, dict(zip(schema, stacked, strict=False)))
    if any(column.stored != column.keeper.members[0] for column in columns):
        raise BadInput("keep: a committee can be saved once the rows of all its members are stored")
    of_members = {
        name: np.concatenate([getattr(column.keeper, name)[: column.stored] for column in columns])
        for name in OF_MEMBERS
    }
    n_support = [column.support_rows for column in columns]
    members = [column.stored for column in columns]
    part = encode(schema, {"members": members, **of_members, "support_rows": n_support})
    if support := [own for column in columns for own in column.support]:
        part["support"] = encode_rows(stack(support))
    return part


# ---------------------------------------------------------------- columns


def _decode_memories(section: Section, found: Found) -> list[Any]:
    fresh = rules.widen(found.rule, rules.start(found.rule), width(found))
    if fresh is None:
        return [None] * found.n
    arrays = [
        section.finite(f"memory.{own}", (found.n, *value.shape))
        if isinstance(value, np.ndarray)
        else section.finite(f"memory.{own}", (found.n,), least=value)
        for own, value in fresh._asdict().items()
    ]
    memories = [
        type(fresh)(*(float(own) if np.ndim(own) == 0 else own.copy() for own in parts))
        for parts in zip(*arrays, strict=True)
    ]
    if flaw := next(filter(None, map(rules.flaw, memories)), ""):
        raise section.wrong("memory", flaw)
    return memories


def _check_numbers(section: Section, found: Found) -> None:
    starts = [array for array in (found.weights, found.start) if array is not None]
    if not found.n:
        raise section.wrong("weights", "there are none")
    if not found.offset and any(array[:, -1].any() for array in starts):
        raise section.wrong("weights", "an offset in a model without one")
    if not ((found.scale > TOO_SMALL) & (found.scale < TOO_LARGE)).all():
        raise section.wrong("scale", f"not between {TOO_SMALL:g} and {TOO_LARGE:g}")
    if (found.norm2 < 0.0).any():
        raise section.wrong("norm2", "a squared length below 0")


COLUMNS: Schema = {
    "rule": RULE,
    "keep": fields.text(KEEPERS),
    "offset": fields.FLAG,
    "tie": fields.text(TIES),
    "weights": finite("n", width),
    "start": finite("n", width).optional(),
    **dict.fromkeys(COUNTS, counts("n")),
    "scale": finite("n"),
    "norm2": fields.numbers(np.float64, "n").then(_check_numbers),
    "false_positives": FALSE_POSITIVES,
    "epochs": counts("n"),
}
"""Classifiers with the same rule, averaging strategy, offset and tie."""


def encode_columns(columns: Sequence[Column], epochs: int) -> Part:
    first, tally = columns[0], np.concatenate([column.tally for column in columns])
    keep = keep_of(first)
    start = np.stack([column.start for column in columns])
    values = {
        **vars(first),
        "keep": keep,
        "weights": np.stack([column.weights for column in columns]),
        "start": None if _is_zero(start) else start,
        **clocks_of(tally, CLOCKS),
        "epochs": [epochs - column.first_pass for column in columns],
    }
    part = encode(COLUMNS, values)
    for own in getattr(first.memory, "_fields", ()):
        array = np.array([getattr(column.memory, own) for column in columns])
        part[f"memory.{own}"] = fields.refuse_overflow(f"memory.{own}", array)
    part["keeper"] = _encode_keepers(keep, columns)
    return part


def decode_columns(section: Section, n_features: int) -> tuple[list[Column], NDArray[np.int64]]:
    """Return the classifiers and the passes of each one; check that all arrays fit `n_features`."""
    found = decode(section, COLUMNS, n_features=n_features)
    memories = _decode_memories(section, found)
    n, tally = found.n, found.clocks(TALLY, CLOCKS)
    start = np.zeros((n, n_features + 1)) if found.start is None else found.start
    columns = [
        Column(
            found.rule, memories[k], Last(), found.weights[k], tally[k : k + 1],
            float(found.offset), found.tie, start[k],
        )
        for k in range(n)
    ]  # fmt: skip
    _, schema, give = KEEPERS[found.keep]
    keeper = section.part("keeper")
    give(keeper, decode(keeper, schema, n=n, n_features=n_features), columns)
    return columns, found.epochs


SEPARATE: Schema = {
    "states": fields.part(
        lambda state: encode_columns(state.columns, state.epochs),
        lambda section, found: decode_columns(section, found.n_features),
    ).then(lambda section, found: found.update(n=len(found.states[0]))),
    "start": START,
    "epochs": fields.whole(),
}


def encode_separate(state: SeparateColumns) -> Part:
    """Return the part of a file that stores the state; with two classes, it is a single classifier."""
    if state.has_two_classes:
        return encode_columns(state.columns, state.epochs)
    return encode(SEPARATE, {**vars(state), "states": state})


def decode_separate(section: Section, n_features: int) -> SeparateColumns:
    found = decode(section, SEPARATE, n_features=n_features)
    columns, epochs = found.states
    for column, n in zip(columns, epochs.tolist(), strict=True):
        column.first_pass = found.epochs - n
    return _state_of(columns, found.start, found.epochs)


def decode_two_classes(section: Section, n_features: int) -> SeparateColumns:
    columns, epochs = decode_columns(section, n_features)
    if len(columns) != 1:
        raise section.wrong("weights", f"{len(columns)} vectors, expected one")
    return _state_of(columns, columns[0].start, int(epochs[0]), has_two_classes=True)


def _state_of(
    columns: list[Column], start: NDArray[np.float64], epochs: int, has_two_classes: bool = False
) -> SeparateColumns:
    first = columns[0]
    return SeparateColumns(
        rule=first.rule, keep=keep_of(first), offset=first.offset, tie=first.tie, start=start,
        epochs=epochs, columns=columns, has_two_classes=has_two_classes,
    )  # fmt: skip


def keep_of(column: Column) -> str:
    """Return the name of a classifier's averaging strategy."""
    return next(name for name, (cls, _, _) in KEEPERS.items() if cls is type(column.keeper))
