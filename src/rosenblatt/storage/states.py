"""`State` in a file, and several of the same make (`Separate`): a row of each array for each of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import rules
from rosenblatt.arithmetic.examples import TIES, n_rows, stack, take
from rosenblatt.engine.votes import replay
from rosenblatt.engine.walk import TALLY, TOO_LARGE, TOO_SMALL
from rosenblatt.errors import BadInput
from rosenblatt.keepers import Averaged, Last, Pocket, Voted
from rosenblatt.keepers.pocket import IN_POCKET, NOT_COMPARED
from rosenblatt.learning.counting import UNKNOWN
from rosenblatt.learning.one_column import OneColumn
from rosenblatt.learning.separately import Separate
from rosenblatt.storage.choices import decode_rule, encode_rule
from rosenblatt.storage.sections import Draft, Section
from rosenblatt.storage.support_rows import decode_rows, encode_rows

CLOCKS = ("examples_seen", "mistakes", "updates", "exact_decisions")
KEEPERS: dict[str, type] = {"last": Last, "averaged": Averaged, "voted": Voted, "pocket": Pocket}
ANY_COUNT = np.iinfo(np.int64).max


def encode_state(draft: Draft, state: OneColumn) -> None:
    encode_states(draft, [state])


def decode_state(section: Section, n_features: int) -> OneColumn:
    states = decode_states(section, n_features)
    if len(states) != 1:
        raise section.wrong("weights", f"{len(states)} vectors, expected one")
    return states[0]


def encode_separate(draft: Draft, state: Separate) -> None:
    encode_states(draft.part("states"), state.states)
    encode_start(draft, state.start)
    draft["epochs"] = state.epochs


def decode_separate(section: Section, n_features: int) -> Separate:
    states = decode_states(section.part("states"), n_features)
    start = decode_start(section, len(states), n_features)
    return Separate(states, start, section.whole("epochs"))


def encode_start(draft: Draft, start: NDArray[np.float64]) -> None:
    """Where columns begin: one (w, b) for all of them, or one for each."""
    draft["one_start_for_all"] = start.ndim == 1
    if not _is_zero(start):
        draft.array("start", np.atleast_2d(start))
    elif start.ndim == 2:
        draft["starts"] = len(start)


def decode_start(section: Section, n_columns: int, n_features: int) -> NDArray[np.float64]:
    one = section.flag("one_start_for_all")
    if section.has_array("start"):
        start = section.finite("start", (1 if one else None, n_features + 1))
    else:
        start = np.zeros((1 if one else section.whole("starts", 1, n_columns), n_features + 1))
    if not 1 <= len(start) <= n_columns:  # fewer where classes have come late
        raise section.wrong("start", f"{len(start)} of them for {n_columns} columns")
    return start[0] if one else start


def _is_zero(array: NDArray[np.float64]) -> bool:
    return not np.ascontiguousarray(array).view(np.int64).any()  # −0.0 is not left out


# ---------------------------------------------------------------- states


def encode_states(draft: Draft, states: Sequence[OneColumn]) -> None:
    """States of the same rule, keeper, offset and tie."""
    model = states[0]
    encode_rule(draft, model.rule)
    draft["keep"] = next(name for name, cls in KEEPERS.items() if cls is type(model.keeper))
    draft["offset"], draft["tie"] = bool(model.offset), model.tie
    draft.finite("weights", np.stack([state.weights for state in states]))
    start = np.stack([state.start for state in states])
    if not _is_zero(start):
        draft.finite("start", start)
    for name in (*CLOCKS, "scale", "norm2"):
        draft.array(name, np.concatenate([state.tally[name] for state in states]))
    encode_false_positives(draft, np.concatenate([state.tally["false_positives"] for state in states]))
    draft.array("epochs", [state.epochs for state in states], np.int64)
    for name in getattr(model.memory, "_fields", ()):
        draft.finite(f"memory.{name}", np.array([getattr(state.memory, name) for state in states]))
    _ENCODERS[type(model.keeper)](draft.part("keeper"), states)


def decode_states(section: Section, n_features: int) -> list[OneColumn]:
    """States whose arrays agree with each other, and with so many features."""
    width = n_features + 1
    weights = section.finite("weights", (None, width))
    n = len(weights)
    if not n:
        raise section.wrong("weights", "there are none")
    start = section.finite("start", (n, width)) if section.has_array("start") else np.zeros((n, width))
    rule, offset = decode_rule(section), section.flag("offset")
    if not offset and (weights[:, -1].any() or start[:, -1].any()):
        raise section.wrong("weights", "an offset where there is none")
    tie, keep = section.text("tie", TIES), section.text("keep", KEEPERS)
    tally, memories = _tallies(section, n), _memories(section, rule, n, width)
    epochs = section.counts("epochs", (n,)).tolist()
    states = [
        OneColumn(
            rule, memories[k], None, weights[k], tally[k : k + 1], float(offset), tie, start[k], epochs[k]
        )
        for k in range(n)
    ]
    _DECODERS[keep](section.part("keeper"), states)
    return states


def encode_false_positives(draft: Draft, counts: NDArray[np.int64]) -> None:
    """Those of every column, if they are known of all of them."""
    if (counts >= 0).all():
        draft.array("false_positives", counts)


def decode_false_positives(
    section: Section, mistakes: NDArray[np.int64], shared: bool = False
) -> NDArray[np.int64]:
    """Those of every column; an earlier version wrote none. shared: a class may have taken more rows than
    others took of it."""
    if not section.has_array("false_positives"):
        return np.full(len(mistakes), UNKNOWN)
    found = section.counts("false_positives", mistakes.shape)
    if found.sum() != mistakes.sum() if shared else (found > mistakes).any():
        raise section.wrong("false_positives", "they do not go with the mistakes")
    return found


def _tallies(section: Section, n: int) -> NDArray[Any]:
    tally = np.zeros(n, TALLY)
    for name in CLOCKS:
        tally[name] = section.counts(name, (n,))
    tally["false_positives"] = decode_false_positives(section, tally["mistakes"])
    tally["scale"] = scale = section.finite("scale", (n,))
    if not ((scale > TOO_SMALL) & (scale < TOO_LARGE)).all():
        raise section.wrong("scale", f"not between {TOO_SMALL:g} and {TOO_LARGE:g}")
    tally["norm2"] = norm2 = section.array("norm2", np.float64, (n,))
    if (norm2 < 0.0).any():
        raise section.wrong("norm2", "a squared length below 0")
    return tally


def _memories(section: Section, rule: Any, n: int, width: int) -> list[Any]:
    fresh = rules.widened(rule, rules.start(rule), width)
    if fresh is None:
        return [None] * n
    fields = [
        section.finite(f"memory.{name}", (n, *value.shape))
        if isinstance(value, np.ndarray)
        else section.finite(f"memory.{name}", (n,), least=value)
        for name, value in fresh._asdict().items()
    ]
    return [
        type(fresh)(*(float(part) if np.ndim(part) == 0 else part.copy() for part in parts))
        for parts in zip(*fields, strict=True)
    ]


# ---------------------------------------------------------------- keepers, each its own way


def _encode_last(draft: Draft, states: Sequence[OneColumn]) -> None:
    pass


def _decode_last(section: Section, states: list[OneColumn]) -> None:
    for state in states:
        state.keeper = Last()


def _encode_averaged(draft: Draft, states: Sequence[OneColumn]) -> None:
    draft.finite("late", np.stack([state.keeper.correction for state in states]))
    draft.finite("before", np.concatenate([state.keeper.before for state in states]))
    draft.array("looks", np.concatenate([state.keeper.looks for state in states]))


def _decode_averaged(section: Section, states: list[OneColumn]) -> None:
    n, width = len(states), len(states[0].weights)
    beside = section.finite("late", (n, width))
    before, looks = section.finite("before", (n,)), section.counts("looks", (n,))
    for k, state in enumerate(states):
        state.keeper = Averaged(beside[k], before[k : k + 1], looks[k : k + 1])
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(state.kept()).all():
                raise section.wrong("late", "the mean of the weights overflows")


def _encode_pocket(draft: Draft, states: Sequence[OneColumn]) -> None:
    draft.finite("best", np.stack([state.keeper.best for state in states]))
    for name in ("best_run", "best_errors", "run", "standing"):
        draft.array(name, np.concatenate([getattr(state.keeper, name) for state in states]))
    draft.array("ratchet", [state.keeper.ratchet for state in states], np.bool_)


def _decode_pocket(section: Section, states: list[OneColumn]) -> None:
    best = section.finite("best", (len(states), len(states[0].weights)))
    for k, (state, clocks) in enumerate(zip(states, decode_pockets(section, len(states)), strict=True)):
        state.keeper = clocks._replace(best=best[k])
        if not state.offset and best[k, -1]:
            raise section.wrong("best", "an offset where there is none")


def decode_pockets(section: Section, n: int) -> list[Pocket]:
    """The clocks of so many pockets; what is in them comes from elsewhere."""
    best_run, run = section.counts("best_run", (n,)), section.counts("run", (n,))
    best_errors = section.counts("best_errors", (n,), most=ANY_COUNT)
    standing = section.counts("standing", (n,), NOT_COMPARED, IN_POCKET)
    ratchet = section.array("ratchet", np.bool_, (n,))
    return [
        Pocket(np.empty(0), best_run[part], best_errors[part], run[part], standing[part], bool(ratchet[k]))
        for k in range(n)
        for part in [slice(k, k + 1)]
    ]


def _encode_voted(draft: Draft, states: Sequence[OneColumn]) -> None:
    members = [int(state.keeper.members[0]) for state in states]
    if any(state.stored != n for state, n in zip(states, members, strict=True)):
        raise BadInput("keep: a committee can be saved once the rows of all its members are stored")
    draft.array("members", members, np.int64)
    for name in ("row", "delta", "factor", "survival"):
        used = [getattr(state.keeper, name)[:n] for state, n in zip(states, members, strict=True)]
        draft.array(name, np.concatenate(used))
    draft.array("support_rows", [state.support_rows for state in states], np.int64)
    parts = [part for state in states for part in state.support]
    if parts:
        encode_rows(draft.part("support"), stack(parts))


def _decode_voted(section: Section, states: list[OneColumn]) -> None:
    n, width = len(states), len(states[0].weights)
    members = section.counts("members", (n,), 1)
    support_rows = section.counts("support_rows", (n,))
    total = sum(members.tolist())
    row, survival = section.counts("row", (total,), -1), section.counts("survival", (total,))
    delta, factor = section.finite("delta", (total,)), section.finite("factor", (total,))
    n_support = sum(support_rows.tolist())
    support = decode_rows(section.part("support"), n_support, width - 1) if n_support else None
    ends, first_rows = np.cumsum(members), np.cumsum(support_rows)
    for k, state in enumerate(states):
        part = slice(int(ends[k] - members[k]), int(ends[k]))
        places = row[part]
        if places[0] != -1 or ((places[1:] < 0) | (places[1:] >= support_rows[k])).any():
            raise section.wrong("row", "a member of the committee has no row")
        state.keeper = Voted(places, delta[part], factor[part], survival[part], members[k : k + 1])
        state.stored, state.support_rows = int(members[k]), int(support_rows[k])
        if support is not None and support_rows[k]:
            own = np.arange(first_rows[k] - support_rows[k], first_rows[k])
            state.support = [support if len(own) == n_rows(support) else take(support, own)]
        _refuse_overflow(section, state)


def _refuse_overflow(section: Section, state: OneColumn) -> None:
    """Every vector of the committee must be finite. An infinite one would leave its mark on the last."""
    if len(state.keeper.row) == 1:
        return
    vector = state.start.copy()
    replay(
        state.committee(), state.keeper.row, 1, state.stored, state.keeper.delta, state.keeper.factor,
        state.offset, vector,
    )  # fmt: skip
    if not np.isfinite(vector).all():
        raise section.wrong("delta", "a vector of the committee overflows")


_ENCODERS: dict[type, Any] = {
    Last: _encode_last,
    Averaged: _encode_averaged,
    Voted: _encode_voted,
    Pocket: _encode_pocket,
}
_DECODERS: dict[str, Any] = {
    "last": _decode_last,
    "averaged": _decode_averaged,
    "voted": _decode_voted,
    "pocket": _decode_pocket,
}
