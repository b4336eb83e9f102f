"""How a run ended, in a file: counters and the history of its passes."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.learning.run import Epoch
from rosenblatt.storage import fields
from rosenblatt.storage.fields import Found, Schema, counts, decode, encode
from rosenblatt.storage.sections import Section

KINDS = ("false_positives", "false_negatives")  # None where they are not known
LARGEST_SEED = (1 << 63) - 1
NOT_KNOWN = -1  # stands for None in an array of counts


@dataclass(kw_only=True)
class Ended:
    """Counters, history, and how the run ended; not how long it took: equal runs, equal files."""

    mistakes: int = 0
    updates: int = 0
    examples_seen: int = 0
    epochs: int = 0
    exact_decisions: int = 0
    best_epoch: int = 0
    false_positives: int | None = None
    false_negatives: int | None = None
    converged: bool = False
    mistakes_per_class: NDArray[np.int64] | None = None
    false_positives_per_class: NDArray[np.int64] | None = None
    false_negatives_per_class: NDArray[np.int64] | None = None
    history: list[Epoch] = field(default_factory=list)


def _of_passes(history: list[Epoch], name: str) -> NDArray[np.float64]:
    """A field of all passes; NaN stands for None."""
    return np.array([getattr(epoch, name) for epoch in history], np.float64)


def _counts(history: list[Epoch], name: str) -> list[int]:
    return [NOT_KNOWN if (count := getattr(epoch, name)) is None else count for epoch in history]


SOME_COUNTS = counts("passes", least=NOT_KNOWN).optional()
PASSES: Schema = {
    **dict.fromkeys(("epoch", "mistakes", "updates", "examples_seen"), counts("passes")),
    **{name: fields.numbers(np.float64, "passes") for name in ("training_error", "validation_error")},
    **{
        name: counts("passes", least=NOT_KNOWN).of(partial(_counts, name=name)).optional() for name in KINDS
    },
}


def _decode_history(section: Section, found: Found) -> list[Epoch]:
    passes = decode(section, PASSES)
    n = passes.pop("passes")
    for kind in KINDS:  # an earlier version wrote none
        if passes[kind] is None:
            passes[kind] = np.full(n, NOT_KNOWN)
        if (passes[kind] > passes.mistakes).any():
            raise section.wrong(kind, "more than there are mistakes")
    rows = zip(*(array.tolist() for array in passes.values()), strict=True)
    known: Any = ([None if x != x or x == NOT_KNOWN else x for x in row] for row in rows)  # x != x: NaN
    return [Epoch(seconds=None, **dict(zip(passes, row, strict=True))) for row in known]


_BY_TYPE = {
    "int": fields.whole(),
    "int | None": fields.whole(0, "mistakes").optional(null=True),
    "bool": fields.FLAG,
    "NDArray[np.int64] | None": counts("n_columns").optional(),
    "list[Epoch]": fields.part(
        lambda draft, history: encode(draft, PASSES, history, _of_passes), _decode_history
    ),
}
OUTCOME: Schema = {each.name: _BY_TYPE[str(each.type)] for each in dataclasses.fields(Ended)}
"""The fields of `Ended`, as they stand there; the number of columns must be known."""
