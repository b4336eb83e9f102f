"""`PanelColumns` in a model file: a matrix with the weights of one classifier per row, and a second matrix.

The second matrix is the one that the averaging strategy needs, if any. A variance of 1, the initial one, is
stored as 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.loops.shared import SHARINGS
from rosenblatt.loops.together import CLOCK
from rosenblatt.numeric.row_batches import TIES
from rosenblatt.rules import facts
from rosenblatt.storage import fields
from rosenblatt.storage.fields import Found, Part, Schema, Section, counts, decode, encode, finite
from rosenblatt.storage.parameters import RULE
from rosenblatt.storage.separate_states import FALSE_POSITIVES, POCKETS, START, clocks_of, pocket_of, width
from rosenblatt.training.panel_columns import PanelColumns, can_share_panels
from rosenblatt.training.shared_trainer import KEEPERS, check_shared, check_sharing

COUNTS = ("mistakes", "updates", "exact_decisions", "since")
CLOCKS = (*COUNTS, "length2", "false_positives")


def _check_make(section: Section, found: Found) -> None:
    """Raise an error if no loop for many classifiers supports the rule and averaging strategy."""
    if found.sharing is None and not can_share_panels(found.rule, found.keep, "given"):
        raise section.wrong("rule", "this rule and averaging cannot train many classifiers together")
    if found.sharing is not None:
        with section.blaming("sharing"):
            check_shared(found.rule, found.keep, found.tie, "given")
            check_sharing(found.rule, SHARINGS[found.sharing])
    found["n"] = len(section.finite("weights", (None, width(found))))
    if not found.n:
        raise section.wrong("weights", "there are none")


def _check_arrays(section: Section, found: Found) -> None:
    weights, beside = found.weights, found.late
    if beside is None and found.keep != "last":
        beside = section.finite("late", weights.shape)  # raises an error if the array is missing
    if not found.offset and (weights[:, -1].any() or (beside is not None and beside[:, -1].any())):
        raise section.wrong("weights", "an offset in a model without one")
    if found.sharing is not None and facts(found.rule).has_variances:
        variance = section.finite("variance", weights.shape)
        if not (
            (variance >= 0.0) & (variance <= 1.0)
        ).all():  # the screening of rivals relies on this range
            raise section.wrong("variance", "a variance is not between 0 and 1")
    elif found.variance is not None:
        raise section.wrong("variance", "this rule has none")
    if (found.since > found.examples_seen).any():
        raise section.wrong("since", "a classifier begins after the last step")
    with np.errstate(over="ignore"):
        length2 = np.einsum("cj,cj->c", weights, weights)
    if (found.length2 * (1.0 + 1e-6) < length2).any():  # decisions rely on this bound
        raise section.wrong("length2", "less than the squared length of the weights")


COLUMNS: Schema = {
    "rule": RULE,
    "keep": fields.text(KEEPERS),
    "tie": fields.text(TIES),
    "offset": fields.FLAG,
    "by_feature": fields.FLAG,
    "sharing": fields.text(SHARINGS).optional(null=True),
    "examples_seen": fields.whole(),
    "epochs": fields.whole().then(_check_make),
    "start": START,
    "weights": finite("n", width),
    "late": finite("n", width).optional(),
    "variance": finite("n", width).optional(),
    **dict.fromkeys(COUNTS, counts("n")),
    "length2": fields.positive("n").then(_check_arrays),
    "false_positives": FALSE_POSITIVES,
    "pocket": fields.part(
        lambda pocket: encode(POCKETS, fields.each([pocket], POCKETS)),
        lambda section, found: pocket_of(decode(section, POCKETS, n=1), 0, np.empty(0)),
    ).optional(),
}


def encode_panels(state: PanelColumns) -> Part:
    # the sharing strategies have no fields, so all of them compare equal: compare their types
    sharing = next((name for name, way in SHARINGS.items() if type(way) is type(state.sharing)), None)
    values = {"sharing": sharing, "weights": state.whole(beside=False), "late": state.whole(beside=True)}
    if state.variance is not None:  # most are 1: as zeros, they are packed
        values["variance"] = np.where(state.variance == 1.0, 0.0, state.variance)
    return encode(COLUMNS, {**vars(state), **values, **clocks_of(state.clocks(), CLOCKS)})


def decode_panels(section: Section, n_features: int) -> PanelColumns:
    """Return the classifiers of a panel; check that the arrays match each other and `n_features`."""
    found = decode(section, COLUMNS, n_features=n_features)
    weights, keep, beside = found.weights, found.keep, None if found.keep == "last" else found.late
    state = PanelColumns(
        rule=found.rule, keep=keep, offset=float(found.offset), tie=found.tie, start=found.start,
        epochs=found.epochs, sharing=None if found.sharing is None else SHARINGS[found.sharing],
        by_feature=found.by_feature, panels=[], pocket=found.pocket, examples_seen=found.examples_seen,
        variance=None if found.variance is None else np.where(found.variance == 0.0, 1.0, found.variance),
    )  # fmt: skip
    state.fill(weights, beside, found.clocks(CLOCK, CLOCKS))
    if keep == "averaged" and _may_overflow(state.examples_seen, weights, beside):
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(state.returned_weights()).all():
                raise section.wrong("late", "the mean of the weights overflows")
    return state


def _may_overflow(looks: int, weights: NDArray[np.float64], beside: Any) -> bool:
    """Return whether looks·weights − beside could be infinite, from the largest values only."""
    largest, latest = (max(float(part.max()), -float(part.min())) for part in (weights, beside))
    return not np.isfinite(looks * largest + latest)
