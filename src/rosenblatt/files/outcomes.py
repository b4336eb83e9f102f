"""How a run ended, in a file: counters and the history of its passes."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.files.sections import Draft, Section
from rosenblatt.training.run import Epoch

COUNTERS = ("mistakes", "updates", "examples_seen", "epochs", "exact_decisions", "best_epoch")
WHOLE_OF_AN_EPOCH = ("epoch", "mistakes", "updates", "examples_seen")
ERRORS_OF_AN_EPOCH = ("training_error", "validation_error")  # NaN stands for None
LARGEST_SEED = (1 << 63) - 1


def encode_outcome(draft: Draft, record: Any) -> None:
    """Counters, history, and how the run ended; not how long it took: equal runs, equal files."""
    for name in COUNTERS:
        draft[name] = int(getattr(record, name))
    draft["converged"] = bool(record.converged)
    if record.mistakes_per_class is not None:
        draft.array("mistakes_per_class", record.mistakes_per_class, np.int64)
    part = draft.part("history")
    for name in WHOLE_OF_AN_EPOCH:
        part.array(name, [getattr(epoch, name) for epoch in record.history], np.int64)
    for name in ERRORS_OF_AN_EPOCH:
        values = [getattr(epoch, name) for epoch in record.history]
        part.array(name, [np.nan if value is None else value for value in values], np.float64)


def decode_outcome(section: Section, n_columns: int) -> dict[str, Any]:
    """The fields that `encode_outcome` wrote."""
    found: dict[str, Any] = {name: section.whole(name) for name in COUNTERS}
    found["converged"] = section.flag("converged")
    if section.has_array("mistakes_per_class"):
        found["mistakes_per_class"] = section.counts("mistakes_per_class", (n_columns,))
    found["history"] = _decode_history(section.part("history"))
    return found


def _decode_history(part: Section) -> list[Epoch]:
    counts = [part.counts("epoch", (None,))]
    shape = counts[0].shape
    counts += [part.counts(name, shape) for name in WHOLE_OF_AN_EPOCH[1:]]
    errors = [part.array(name, np.float64, shape) for name in ERRORS_OF_AN_EPOCH]
    passes = zip(*(array.tolist() for array in (*counts, *errors)), strict=True)
    return [
        Epoch(*fields[:4], None, *(None if error != error else error for error in fields[4:]))
        for fields in passes
    ]
