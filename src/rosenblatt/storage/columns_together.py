"""`Columns` in a file: many perceptrons that learn together, one in each row of an array."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import TIES
from rosenblatt.engine.shared import SHARINGS
from rosenblatt.engine.together import CLOCK
from rosenblatt.errors import BadInput
from rosenblatt.learning.columns import Columns, can_learn_together
from rosenblatt.learning.panel_memory import WIDEST, empty_panels
from rosenblatt.learning.sharing import KEEPERS, check_shared
from rosenblatt.storage.choices import decode_rule, encode_rule
from rosenblatt.storage.sections import Draft, Section
from rosenblatt.storage.states import (
    decode_false_positives,
    decode_pockets,
    decode_start,
    encode_false_positives,
    encode_start,
)

COUNTS = ("mistakes", "updates", "exact_decisions", "since")
POCKET = ("best_run", "best_errors", "run", "standing")


def encode_columns(draft: Draft, state: Columns) -> None:
    encode_rule(draft, state.rule)
    draft["keep"], draft["tie"], draft["offset"] = state.keep, state.tie, bool(state.offset)
    draft["by_feature"] = state.by_feature
    # the ways have no fields, so that all of them are equal: their types tell them apart
    draft["sharing"] = next(
        (name for name, way in SHARINGS.items() if type(way) is type(state.sharing)), None
    )
    draft["examples_seen"], draft["epochs"] = state.examples_seen, state.epochs
    encode_start(draft, state.start)
    draft.finite("weights", state.current())
    if state.keep != "last":
        draft.finite("late", _beside(state))
    for name in (*COUNTS, "length2"):
        draft.array(name, state.clock(name))
    encode_false_positives(draft, state.clock("false_positives"))
    if state.pocket is not None:
        part = draft.part("pocket")
        for name in POCKET:
            part.array(name, getattr(state.pocket, name))
        part.array("ratchet", [state.pocket.ratchet], np.bool_)


def _beside(state: Columns) -> NDArray[np.float64]:
    """`beside` of all panels, a column in each row."""
    width = state.n_features + 1
    if not state.by_feature:
        return state.panels[0].beside[:, :width]
    return np.concatenate([panel.beside[:width, : panel.clocks.size].T for panel in state.panels])


def decode_columns(section: Section, n_features: int) -> Columns:
    """Columns whose arrays agree with each other, and with so many features."""
    width = n_features + 1
    weights = section.finite("weights", (None, width))
    n = len(weights)
    if not n:
        raise section.wrong("weights", "there are none")
    rule, keep, tie = decode_rule(section), section.text("keep", KEEPERS), section.text("tie", TIES)
    sharing = SHARINGS[section.text("sharing", SHARINGS)] if "sharing" in section else None
    _check_make(section, rule, keep, tie, sharing)
    state = Columns(
        rule, keep, 1.0 if section.flag("offset") else 0.0, tie, n_features, section.flag("by_feature"), [],
        decode_start(section, n, n_features), sharing, None, section.whole("examples_seen"),
        section.whole("epochs"),
    )  # fmt: skip
    beside = section.finite("late", (n, width)) if keep != "last" else None
    if not state.offset and (weights[:, -1].any() or (beside is not None and beside[:, -1].any())):
        raise section.wrong("weights", "an offset where there is none")
    if "pocket" in section:
        (state.pocket,) = decode_pockets(section.part("pocket"), 1)
    clocks = _clocks(section, weights, state.examples_seen, sharing is not None)
    state.panels = empty_panels(
        n, n_features, state.by_feature, keep != "last", WIDEST if sharing is None else n
    )
    state.write(weights, beside, clocks)
    if keep == "averaged" and beside is not None and _may_overflow(state.examples_seen, weights, beside):
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(state.kept()).all():
                raise section.wrong("late", "the mean of the weights overflows")
    return state


def _may_overflow(looks: int, weights: NDArray[np.float64], beside: NDArray[np.float64]) -> bool:
    """Whether looks·weights − beside could be infinite: all means would take as much memory again."""
    largest, latest = (max(float(part.max()), -float(part.min())) for part in (weights, beside))
    return not np.isfinite(looks * largest + latest)


def _check_make(section: Section, rule: Any, keep: str, tie: str, sharing: Any) -> None:
    """Refuse a rule or keeper that no loop for many columns knows."""
    if sharing is None and not can_learn_together(rule, keep, "given"):
        raise section.wrong("rule", "no loop learns many columns together by this rule and keeper")
    if sharing is not None:
        try:
            check_shared(rule, keep, tie, "given")
        except BadInput as error:
            raise section.wrong("sharing", str(error)) from error


def _clocks(
    section: Section, weights: NDArray[np.float64], examples_seen: int, shared: bool
) -> NDArray[Any]:
    clocks = np.zeros(len(weights), CLOCK)
    for name in COUNTS:
        clocks[name] = section.counts(name, (len(weights),))
    clocks["false_positives"] = decode_false_positives(section, clocks["mistakes"], shared)
    if (clocks["since"] > examples_seen).any():
        raise section.wrong("since", "a column begins after the last look")
    clocks["length2"] = length2 = section.positive("length2", (len(weights),))
    with np.errstate(over="ignore"):
        found = np.einsum("cj,cj->c", weights, weights)
    if (length2 * (1.0 + 1e-6) < found).any():  # it bounds rounding, so decisions rest on it
        raise section.wrong("length2", "less than the squared length of the weights")
    return clocks
