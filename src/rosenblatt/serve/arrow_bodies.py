"""Bodies that are Arrow IPC streams, from anybody: what they say is held against their bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from rosenblatt.serve.arrow_layout import is_compressed, plain_batch, remember
from rosenblatt.serve.protocol import LARGEST_NUMBER, refuse_number
from rosenblatt.serve.work import Refused

LABELS = ("int", "uint", "halffloat", "float", "double", "bool", "string", "large_string")
COMPRESSED = b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18"  # how bytes begin that zstd or lz4 has made


def columns_in(body: bytes) -> tuple[Any, list[Any] | None, list[Any] | None]:
    """Examples, labels and ids: columns y and id, and either x (lists of numbers, or texts) or a column for
    each feature. None for what is not there; examples are a matrix, or a list."""
    if (plain := plain_batch(body)) is not None:
        refuse_number(len(plain[1]))
        return _checked(plain[0]), _labels(plain[1].tolist()), None
    batch, places = _batch(body)
    labels = _labels(_cells(batch, places, "y"))
    examples: Any = None
    if "x" in places:
        column = batch.column(places["x"])
        examples = _matrix(column)
        if examples is None:
            examples = column.to_pylist()
    elif features := [name for name in places if name not in ("y", "id")]:
        examples = [
            {name: value for name, value in row.items() if value is not None}
            for row in batch.select(features).to_pylist()
        ]
    return examples, labels, _cells(batch, places, "id")


def _labels(labels: list[Any] | None) -> list[Any] | None:
    for label in dict.fromkeys(labels or ()):
        if not isinstance(label, (str, int, float)) or label != label:
            raise Refused(422, f"y: expected texts or numbers, got {label!r:.60}")
    return labels


def _batch(body: bytes) -> tuple[Any, dict[str, int]]:
    """All rows, and where each column stands."""
    try:
        if any(mark in body for mark in COMPRESSED):
            _refuse_compressed(body)
        reader = pa.ipc.open_stream(body)
        names, batches = reader.schema.names, list(reader)
        for batch in batches:
            batch.validate(full=True)
            _ = batch.columns  # a KeyError where Python has no such type
        remember(body, batches)
    except KeyError as error:  # pyarrow's, of the number of a type
        raise Refused(
            422, "a column has an unknown type; give numbers, texts or lists of numbers"
        ) from error
    except (pa.ArrowException, OSError, ValueError) as error:
        raise Refused(400, f"the body is no Arrow IPC stream: {error!s:.200}") from error
    refuse_number(sum(batch.num_rows for batch in batches))
    places = {name: place for place, name in enumerate(names)}
    if len(places) < len(names):
        raise Refused(422, "the table has two columns of one name")
    if len(batches) > 1:
        batches = pa.Table.from_batches(batches).combine_chunks().to_batches()
    return batches[0], places


def _refuse_compressed(body: bytes) -> None:
    """Few bytes may become gigabytes."""
    messages = pa.ipc.MessageReader.open_stream(body)
    if any(is_compressed(message.metadata) for message in messages):
        raise Refused(422, "the Arrow stream is compressed; write it without compression")


def _cells(batch: Any, places: dict[str, int], name: str) -> list[Any] | None:
    if name not in places:
        return None
    cells = batch.column(places[name])
    kind = str(cells.type)
    if not kind.startswith(LABELS):
        raise Refused(422, f"{name}: a column of {kind}; give texts or numbers")
    return cells.to_pylist()


def _matrix(column: Any) -> Any:
    """Lists of numbers that are all as long, as a matrix; None where they are something else."""
    kind = column.type
    is_fixed = pa.types.is_fixed_size_list(kind)
    if not (is_fixed or pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        return None
    if not (pa.types.is_floating(kind.value_type) or pa.types.is_integer(kind.value_type)):
        return None
    n = len(column)
    # values of lists that begin at the beginning and have one length need not be gathered
    is_plain = is_fixed and not column.offset and len(column.values) == n * kind.list_size
    values = column.values if is_plain else column.flatten()
    if column.null_count or values.null_count:
        raise Refused(422, "x: a value is missing; give all of them")
    if not is_fixed and len(set(column.value_lengths().to_pylist())) > 1:
        raise Refused(422, "x: lists of different lengths; give the same features in each row")
    return _checked(values.to_numpy(zero_copy_only=False).astype(np.float64, copy=False).reshape(n, -1))


def _checked(matrix: Any) -> Any:
    if matrix.size and not np.abs(matrix).max() <= LARGEST_NUMBER:
        raise Refused(422, f"x: a number that is not finite, or beyond ±{LARGEST_NUMBER:g}")
    return matrix
