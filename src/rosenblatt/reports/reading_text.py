"""The reading settings of a model file, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rosenblatt.data.sources.described_fields import columns_by_treatment
from rosenblatt.data.sources.field_roles import CATEGORY, TEXT
from rosenblatt.data.sources.formats import FORMATS
from rosenblatt.data.sources.table_fields import FieldFeatures

NOT_FILES = {
    "texts": "text files in folders of classes", "table": "a table", "numpy": "NumPy",
    "iterable": "rows in Python",
}  # fmt: skip
MISSING = {
    "error": "no missing values", "drop": "rows with missing values dropped", "zero": "missing values as 0",
    "mark": "missing values marked",
}  # fmt: skip


def reading_lines(reading: Mapping[str, Any]) -> list[str]:
    """Return how files are read: the format, then a line for each treatment of columns.

    >>> reading_lines({"format": "svmlight", "first_index": 1})
    ['svmlight text, features numbered from 1']
    >>> reading_lines({"format": "vw", "bits": 18})
    ['Vowpal Wabbit text, hashed to 2^18 features']
    >>> columns = FieldFeatures((("x", "number"), ("y", "number"), ("kind", "label")), missing="mark")
    >>> reading_lines({"format": "csv", **columns.settings()})
    ['csv, missing values marked', 'numbers: x, y', 'label: kind']
    """
    form = str(reading.get("format", "rows"))
    first, columns = [FORMATS[form].title if form in FORMATS else NOT_FILES.get(form, form)], None
    if "dialect" in reading:
        dialect = reading["dialect"]
        first += [f"separated by {dialect['delimiter']!r}"] if dialect["delimiter"] not in ",\t" else []
        first += [] if dialect["header"] else ["without a header"]
    if "first_index" in reading:
        first.append(f"features numbered from {reading['first_index']}")
    if "columns" in reading:
        columns = FieldFeatures.from_settings(reading)
        first.append(MISSING[columns.missing])
    if "sparse" in reading:
        first.append(f"sparse rows, label: {reading['target']}")
    if "bits" in reading and (columns is None or columns.names(CATEGORY, TEXT)):
        first.append(f"hashed to 2^{reading['bits']} features")
    return [", ".join(first), *(columns_by_treatment(columns) if columns is not None else ())]
