"""Files with the record of a run's updates: a few bytes for each update."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rosenblatt.errors import BadInput
from rosenblatt.loops.recorded_updates import UPDATE
from rosenblatt.storage import fields
from rosenblatt.storage.container import Path
from rosenblatt.storage.fields import Schema, Section, decode, encode
from rosenblatt.training.update_record import UpdateRecord

KIND = "updates"
FIELDS: Schema = {
    "n_rows": fields.whole(0, 1 << 40),
    "n_steps": fields.whole(),
    "keep": fields.text(("last", "averaged")),
    "offset": fields.whole(0, 1),
    "rows_digest": fields.text(),
    "split": fields.JSON,
    "row": fields.numbers(np.uint32, "n"),
    "step": fields.numbers(np.uint32, "n"),
    "column": fields.numbers(np.uint16, "n"),
    "coefficient": fields.finite("n"),
    "beta": fields.finite("n").optional(),
    "shrink": fields.finite("n").optional(),
}
USUAL = {"beta": 0.0, "shrink": 1.0}
"""Values that are not stored if all updates have them."""


def save_update_record(record: UpdateRecord, path: Path) -> None:
    """Write a record to a file atomically."""
    if max(record.n_steps, record.n_rows) >= 1 << 32:
        raise BadInput(f"record: {record.n_steps:,} steps are more than a record holds; make fewer passes")
    columns: dict[str, Any] = {name: record.updates[name] for name in UPDATE.names or ()}
    columns |= {name: None for name, value in USUAL.items() if (record.updates[name] == value).all()}
    values = {**vars(record), "offset": int(record.offset), "rows_digest": record.digest, **columns}
    fields.save_as(KIND, encode(FIELDS, values), path)


def load_update_record(path: Path) -> UpdateRecord:
    """Return the record in a file, after checks."""
    record: UpdateRecord = fields.load_as({KIND: _decode}, path)
    return record


def _decode(section: Section) -> UpdateRecord:
    found = decode(section, FIELDS)
    updates = np.zeros(len(found.row), UPDATE)
    for name in UPDATE.names or ():
        updates[name] = USUAL[name] if found[name] is None else found[name]
    if len(updates) and (updates["row"].max() >= found.n_rows or updates["step"].max() >= found.n_steps):
        raise section.wrong("row", "an update of a row or a step that does not exist")
    part, seed = found.split.get("part", 0.5), found.split.get("seed", 0)
    if not (type(part) is float and math.isfinite(part) and type(seed) is int):
        raise section.wrong("split", "expected a fraction and a seed")
    return UpdateRecord(
        updates,
        found.n_steps,
        found.keep,
        float(found.offset),
        found.n_rows,
        found.rows_digest,
        found.split,
    )
