"""Parse request bodies that are Arrow IPC streams.

The columns are `y`, `id`, and either `x` (a list or text per row) or one column per feature.
"""

from __future__ import annotations

from struct import unpack_from
from typing import Any

import numpy as np
import pyarrow as pa

from rosenblatt.serve.jobs import Refusal
from rosenblatt.serve.request_bodies import LARGEST_NUMBER, check_number

LABELS = ("int", "uint", "halffloat", "float", "double", "bool", "string", "large_string")
COMPRESSED = b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18"  # magic numbers of zstd and lz4
DICTIONARY, BATCH = 2, 3  # message types


def read_columns(body: bytes) -> tuple[Any, list[Any] | None, list[Any] | None]:
    """Return the examples (a matrix or a list), the labels and the ids; each is None if absent."""
    batch, places = _read_batch(body)
    labels = _cells(batch, places, "y")
    for label in dict.fromkeys(labels or ()):
        if not isinstance(label, (str, int, float)) or label != label:
            raise Refusal(422, f"y: expected texts or numbers, got {label!r:.60}")
    examples: Any = None
    if "x" in places:
        column = batch.column(places["x"])
        examples = _matrix(column)
        if examples is None:
            examples = _to_list(column)
    elif features := [name for name in places if name not in ("y", "id")]:
        examples = [
            {name: value for name, value in row.items() if value is not None}
            for row in _to_list(batch.select(features))
        ]
    return examples, labels, _cells(batch, places, "id")


def _read_batch(body: bytes) -> tuple[Any, dict[str, int]]:
    """Return all rows as one record batch, and a dict from column name to column index."""
    try:
        if any(mark in body for mark in COMPRESSED) and any(
            is_compressed(message.metadata) for message in pa.ipc.MessageReader.open_stream(body)
        ):  # it could expand from a few bytes to gigabytes
            raise Refusal(422, "the Arrow stream is compressed; write it without compression")
        reader = pa.ipc.open_stream(body)
        names, batches = reader.schema.names, list(reader)
        for batch in batches:
            batch.validate(full=True)
            _ = batch.columns  # raises KeyError for a type unknown to pyarrow
    except KeyError as error:  # an unknown type number
        raise Refusal(
            422, "a column has an unknown type; give numbers, texts or lists of numbers"
        ) from error
    except (pa.ArrowException, OSError, ValueError) as error:
        raise Refusal(400, f"the body is not an Arrow IPC stream: {error!s:.200}") from error
    check_number(sum(batch.num_rows for batch in batches))
    places = {name: place for place, name in enumerate(names)}
    if len(places) < len(names):
        raise Refusal(422, "the table has two columns of one name")
    if len(batches) > 1:
        batches = pa.Table.from_batches(batches).combine_chunks().to_batches()
    return batches[0], places


def _cells(batch: Any, places: dict[str, int], name: str) -> list[Any] | None:
    if name not in places:
        return None
    cells = batch.column(places[name])
    kind = str(cells.type)
    if not kind.startswith(LABELS):
        raise Refusal(422, f"{name}: a column of {kind}; give texts or numbers")
    return _to_list(cells)


def _to_list(cells: Any) -> list[Any]:
    try:
        return cells.to_pylist()
    except (pa.ArrowException, OverflowError, ValueError) as error:  # such as a time beyond the year 9999
        raise Refusal(
            422, f"a column has a value that cannot be read ({error!s:.100}); give numbers or texts"
        ) from error


def _matrix(column: Any) -> Any:
    """Return a column of equally long lists of numbers as a matrix, or None for any other column."""
    kind = column.type
    is_fixed = pa.types.is_fixed_size_list(kind)
    if not (is_fixed or pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        return None
    if not (pa.types.is_floating(kind.value_type) or pa.types.is_integer(kind.value_type)):
        return None
    n = len(column)
    # the values of an unsliced column of fixed-size lists are already a matrix
    is_plain = is_fixed and not column.offset and len(column.values) == n * kind.list_size
    values = column.values if is_plain else column.flatten()
    if column.null_count or values.null_count:
        raise Refusal(422, "x: a value is missing; give all of them")
    if not is_fixed and len(set(column.value_lengths().to_pylist())) > 1:
        raise Refusal(422, "x: lists of different lengths; give the same features in each row")
    matrix = values.to_numpy(zero_copy_only=False).astype(np.float64, copy=False).reshape(n, -1)
    if matrix.size and not np.abs(matrix).max() <= LARGEST_NUMBER:
        raise Refusal(422, f"x: a number that is not finite, or beyond ±{LARGEST_NUMBER:g}")
    return matrix


def is_compressed(metadata: Any) -> bool:
    """Return whether an Arrow message contains compressed buffers.

    The message is a flatbuffer that pyarrow has already verified.
    """
    content = memoryview(metadata)
    message = unpack_from("<I", content)[0]
    header, kind = _field(content, message, 2), _field(content, message, 1)
    if not header or not kind:
        return False
    batch = header + unpack_from("<I", content, header)[0]
    if content[kind] == DICTIONARY:
        data = _field(content, batch, 1)
        batch = data + unpack_from("<I", content, data)[0]
    return content[kind] in (DICTIONARY, BATCH) and _field(content, batch, 3) > 0


def _field(content: memoryview, table: int, number: int) -> int:
    """Return the position of a field of a flatbuffer table, or 0 if it is absent."""
    fields = table - unpack_from("<i", content, table)[0]
    place = 4 + 2 * number
    if place >= unpack_from("<H", content, fields)[0]:
        return 0
    offset: int = unpack_from("<H", content, fields + place)[0]
    return table + offset if offset else 0
