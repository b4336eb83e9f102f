"""JSON lines: one object per line, whose keys are the columns; an absent key is a missing value."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import json as arrow_json

from rosenblatt.data.sources.cells import is_missing, lines_in, number_in
from rosenblatt.data.sources.chunk import NEWLINE, BadLine
from rosenblatt.data.sources.encoding import FieldOptions
from rosenblatt.data.sources.field_inference import infer_fields
from rosenblatt.data.sources.field_roles import LABEL, LEFT_OUT, NUMBER, WEIGHT
from rosenblatt.data.sources.json_objects import HALF_OF_A_PAIR, distinct_pairs
from rosenblatt.data.sources.nested_columns import expand_object, join_words
from rosenblatt.data.sources.source import HEAD, TextRows
from rosenblatt.data.sources.table_fields import FieldFeatures
from rosenblatt.data.sources.text_files import TableText
from rosenblatt.errors import BadInput

ENOUGH_NUMBERS = 0.5
"""If at least this share of a key's values are numbers, the other values are malformed."""

MOST_CELLS, MOST_CELLS_OF_BLOCK = 10_000_000, 30_000_000
"""Largest numbers of rows times columns in the first lines and in a block. An absent key takes no space
in the file, so few bytes could otherwise fill the memory with missing values."""


@dataclass(frozen=True)
class JsonLines(TableText):
    """Read blocks of JSON lines.

    >>> form = infer_json(b'{"width": 1, "kind": "ham"}\\n{"width": 2.5, "kind": "spam"}\\n')
    >>> text = b'{"kind": "ham", "width": 4}\\n{"width": "x"}\\n'
    >>> chunk = form.parse(np.frombuffer(text, np.uint8), False)
    >>> chunk.X, chunk.y, chunk.bad[0].problem.split(";")[0]
    (array([[4.]]), array(['ham'], dtype='<U3'), "'width' is 'x', expected a number")
    """

    columns: FieldFeatures
    kinds: Mapping[str, Any]  # Arrow type of each column
    nested: frozenset[str] = frozenset()  # keys of vectors and objects, which are several columns

    def settings(self) -> dict[str, Any]:
        return {"format": "jsonl", **self.columns.settings()}

    def read(self, text: NDArray[np.uint8], begins_file: bool) -> TextRows:
        """Return the values of a block of whole lines."""
        batch, numbers, bad = self._batch(text)
        ends = np.flatnonzero(text == NEWLINE)

        def place_of(row: int, column: int) -> tuple[int, int]:
            number = numbers[row]
            line = text[ends[number - 1] + 1 if number else 0 : ends[number]].tobytes()
            name = json.dumps(batch.schema.names[column - 1], ensure_ascii=False)
            return number, line.find(name.encode()) + 1 or 1

        return TextRows(batch, place_of, bad, text.size, len(ends))

    def _batch(self, text: NDArray[np.uint8]) -> tuple[Any, list[int], list[BadLine]]:
        """Return the values of a block, their lines, and the lines that cannot be read."""
        schema = pa.schema(dict(self.kinds))
        content = text.tobytes()
        numbers = [number for number, line in enumerate(content.split(b"\n")) if line.strip()]
        if not numbers:
            return pa.RecordBatch.from_pylist([], schema), [], []
        _check_size(len(numbers), len(self.kinds), MOST_CELLS_OF_BLOCK)
        if self.nested:
            return self._one_by_one(content, schema)
        try:
            table = arrow_json.read_json(
                pa.BufferReader(content),
                arrow_json.ReadOptions(use_threads=False, block_size=len(content) + 1),
                arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
            )
            table.validate(full=True)  # Arrow accepts text that is not UTF-8
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return self._one_by_one(content, schema)
        if table.num_rows != len(numbers):
            return self._one_by_one(content, schema)
        (batch,) = table.select(schema.names).combine_chunks().to_batches()
        return batch, numbers, []

    def _one_by_one(self, content: bytes, schema: Any) -> tuple[Any, list[int], list[BadLine]]:
        """Return the result of `_batch`, for a block in which some values have another type than usual."""
        rows: list[dict[str, Any]] = []
        numbers: list[int] = []
        bad: list[BadLine] = []
        for number, line in enumerate(content.split(b"\n")):
            if not line.strip():
                continue
            try:
                known = expand_object(object_in(line), self.nested)
                rows.append({name: _as(kind, known.get(name), name) for name, kind in self.kinds.items()})
                numbers.append(number)
            except BadInput as error:
                bad.append(BadLine(number, 1, str(error)))
        return pa.RecordBatch.from_pylist(rows, schema), numbers, bad


def _check_size(n_rows: int, n_columns: int, most: int, name: str = "JSON lines") -> None:
    if n_rows * n_columns > most:
        raise BadInput(
            f"{name}: {n_rows:,} objects with {n_columns:,} different names are a table of "
            f"{n_rows * n_columns:,} cells, most of them missing; write svmlight or Vowpal Wabbit text, "
            "which leaves missing values out"
        )


def object_in(line: bytes) -> dict[str, Any]:
    """Return the JSON object on a line.

    >>> object_in(b"[1, 2]")
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: expected an object, as in {"width": 1.5, "kind": "ham"}, got a list
    """
    try:
        found = json.loads(line)
        if not isinstance(found, dict) or line.count(b":") != len(found):
            json.loads(line, object_pairs_hook=distinct_pairs)
        if b"\\u" in line:
            json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BadInput(HALF_OF_A_PAIR) from None
    except BadInput:
        raise
    except (ValueError, RecursionError) as error:
        raise BadInput(f"is not JSON ({str(error)[:80]}); write one object per line") from None
    if not isinstance(found, dict):
        raise BadInput(
            f'expected an object, as in {{"width": 1.5, "kind": "ham"}}, got a {type(found).__name__}'
        )
    return found


def _as(kind: Any, value: Any, name: str) -> Any:
    """Return a value converted to an Arrow type; raise an error if it has another type."""
    value = join_words(value)
    if isinstance(value, dict | list):
        raise BadInput(f"{name!r} is a {type(value).__name__}, expected one value; give flat objects")
    if value is None or not pa.types.is_string(kind):
        number = number_in(value) if isinstance(value, str) else value
        if number is None and value is not None and not is_missing(value):
            raise BadInput(
                f"{name!r} is {value[:40]!r}, expected a number; correct it, or name it among the "
                "categories"
            )
        if number is None or pa.types.is_boolean(kind):
            return number
        try:
            return float(number)
        except OverflowError:
            return math.inf if number > 0 else -math.inf
    return value if isinstance(value, str) else json.dumps(value)


def _objects(head: bytes, name: str) -> tuple[list[dict[str, Any]], frozenset[str]]:
    """Return the objects of the first lines, and the keys that hold vectors or objects.

    The first line must be an object; later lines that are not objects are malformed and skipped.
    """
    lines = list(lines_in(head))
    if len(lines) > 1 and len(head) >= HEAD and not head.endswith(b"\n"):
        lines.pop()
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(lines):
        try:
            rows.append(object_in(line))
        except BadInput as error:
            if number == 0:
                raise BadInput(f"{name} line 1: {error}") from None
    if not any(rows):
        raise BadInput(
            f"{name}: there are no rows, only blank lines or empty objects; give a file with rows"
        )
    values = {key: [row[key] for row in rows if row.get(key) is not None] for key in rows[0]}
    nested = frozenset(key for key, some in values.items() if 2 * sum(map(_is_nested, some)) > len(some))
    return [expand_object(row, nested) for row in rows], nested


def _is_nested(value: Any) -> bool:
    """Return whether a value is an object or a list of numbers."""
    return isinstance(value, dict) or (
        isinstance(value, list) and bool(value) and all(type(part) in (int, float, bool) for part in value)
    )


def infer_json(head: bytes, name: str = "text", **field_options: Any) -> JsonLines:
    """Return the parser for a file, derived from its first lines.

    Numbers and booleans are numbers, everything else is text. `field_options` is as in `infer_fields`.
    """
    options = FieldOptions(**field_options)
    rows, nested = _objects(head, name)
    first = list(rows[0])
    later = [
        column for column in dict.fromkeys(key for row in rows for key in row) if column not in rows[0]
    ]
    names = [*first[:-1], *later, *first[-1:]]  # the last column is the label by default
    _check_size(len(rows), len(names), MOST_CELLS, name)
    convertible = {*options.text, *options.categories, *options.dates}
    kinds: dict[str, Any] = {}
    label = names[-1] if options.target is None else options.target
    for place, column in enumerate(names):
        values = [row[column] for row in rows if row.get(column) is not None]
        called = {column, place, str(place), place - len(names)}
        flat = [value for value in map(join_words, values) if not isinstance(value, dict | list)]
        if 2 * len(flat) < len(values):
            if not called & set(options.leave_out):
                raise BadInput(
                    f"{name}: {column!r} holds lists or objects, expected one value each; give flat "
                    f"objects, or leave it out (leave_out=[{column!r}])"
                )
            kinds[column] = pa.null()
        elif called & convertible or not _are_numbers(flat, 1.0 if label in called else ENOUGH_NUMBERS):
            kinds[column] = pa.string()
        else:
            kinds[column] = pa.bool_() if all(type(value) is bool for value in flat) else pa.float64()
    cells = [
        pa.array([_as_or_none(kind, row.get(column), column) for row in rows], kind)
        for column, kind in kinds.items()
    ]
    columns = infer_fields(pa.Table.from_arrays(cells, names), name, **field_options)
    assert isinstance(columns, FieldFeatures)
    return JsonLines(columns, {column: kinds[column] for column in columns.used_columns}, nested)


def _are_numbers(values: list[Any], share: float) -> bool:
    """Return whether at least `share` of the values are numbers."""
    n_numbers = sum(type(value) in (int, float, bool) for value in values)
    return bool(values) and n_numbers >= share * len(values)


def _as_or_none(kind: Any, value: Any, name: str) -> Any:
    try:
        return None if pa.types.is_null(kind) else _as(kind, value, name)
    except BadInput:  # the line is reported when its block is parsed
        return None


def like_json(columns: FieldFeatures, head: bytes, name: str) -> JsonLines:
    """Return a parser for objects with these columns; each column must occur in the first objects."""
    rows, nested = _objects(head, name)
    columns.places_in(list(dict.fromkeys(key for row in rows for key in row)), name)
    numbers = {NUMBER, WEIGHT} if columns.text_labels else {NUMBER, WEIGHT, LABEL}
    return JsonLines(
        columns,
        {
            name: pa.float64() if columns.read_as(name, role) in numbers else pa.string()
            for name, role in columns.columns
            if role != LEFT_OUT
        },
        nested,
    )
