"""How a run ended, in a file: counters and the history of its passes."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.learning.run import Epoch
from rosenblatt.storage.sections import Draft, Section

COUNTERS = ("mistakes", "updates", "examples_seen", "epochs", "exact_decisions", "best_epoch")
KINDS = ("false_positives", "false_negatives")  # None where they are not known
PER_CLASS = ("mistakes_per_class", "false_positives_per_class", "false_negatives_per_class")
WHOLE_OF_AN_EPOCH = ("epoch", "mistakes", "updates", "examples_seen")
ERRORS_OF_AN_EPOCH = ("training_error", "validation_error")  # NaN stands for None
LARGEST_SEED = (1 << 63) - 1
NOT_KNOWN = -1  # stands for None in an array of counts


def encode_outcome(draft: Draft, record: Any) -> None:
    """Counters, history, and how the run ended; not how long it took: equal runs, equal files."""
    for name in COUNTERS:
        draft[name] = int(getattr(record, name))
    for name in KINDS:
        draft[name] = getattr(record, name)
    draft["converged"] = bool(record.converged)
    for name in PER_CLASS:
        if (counts := getattr(record, name)) is not None:
            draft.array(name, counts, np.int64)
    part = draft.part("history")
    for name in WHOLE_OF_AN_EPOCH:
        part.array(name, [getattr(epoch, name) for epoch in record.history], np.int64)
    for name in ERRORS_OF_AN_EPOCH:
        values = [getattr(epoch, name) for epoch in record.history]
        part.array(name, [np.nan if value is None else value for value in values], np.float64)
    for name in KINDS:
        values = [getattr(epoch, name) for epoch in record.history]
        part.array(name, [NOT_KNOWN if value is None else value for value in values], np.int64)


def decode_outcome(section: Section, n_columns: int) -> dict[str, Any]:
    """The fields that `encode_outcome` wrote."""
    found: dict[str, Any] = {name: section.whole(name) for name in COUNTERS}
    for name in KINDS:
        if name in section:
            found[name] = section.whole(name, 0, found["mistakes"])
    found["converged"] = section.flag("converged")
    for name in PER_CLASS:
        if section.has_array(name):
            found[name] = section.counts(name, (n_columns,))
    found["history"] = _decode_history(section.part("history"))
    return found


def _decode_history(part: Section) -> list[Epoch]:
    shape = part.counts("epoch", (None,)).shape
    columns: dict[str, list[Any]] = {name: part.counts(name, shape).tolist() for name in WHOLE_OF_AN_EPOCH}
    for name in ERRORS_OF_AN_EPOCH:
        errors = part.array(name, np.float64, shape).tolist()
        columns[name] = [None if error != error else error for error in errors]
    for name in KINDS:
        columns[name] = _kind_of_mistakes(part, name, columns["mistakes"])
    rows = zip(*columns.values(), strict=True)
    return [Epoch(seconds=None, **dict(zip(columns, row, strict=True))) for row in rows]


def _kind_of_mistakes(part: Section, name: str, mistakes: list[int]) -> list[int | None]:
    """One of the two kinds, pass by pass; an earlier version wrote none."""
    if not part.has_array(name):
        return [None] * len(mistakes)
    found = part.counts(name, (len(mistakes),), NOT_KNOWN).tolist()
    if any(count > total for count, total in zip(found, mistakes, strict=True)):
        raise part.wrong(name, "more than there are mistakes")
    return [None if count == NOT_KNOWN else count for count in found]
