"""Nested columns as plain ones: the numbers of a vector, the words of a list, the fields of a struct."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rosenblatt.data.sources.arrow_cells import is_number, is_text
from rosenblatt.data.sources.sparse_fields import are_sparse
from rosenblatt.errors import BadInput


def is_vector(kind: Any) -> bool:
    """Return whether an Arrow type is a list of numbers."""
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    return is_list and is_number(kind.value_type)


def is_list_of_words(kind: Any) -> bool:
    """Return whether an Arrow type is a list of texts, such as tags."""
    return (pa.types.is_list(kind) or pa.types.is_large_list(kind)) and is_text(kind.value_type)


def join_words(value: Any) -> Any:
    """Return a list of texts as one text, and every other value unchanged.

    >>> join_words(["new", "on sale"]), join_words([1, 2])
    ('new on sale', [1, 2])
    """
    is_words = isinstance(value, list) and all(isinstance(part, str) for part in value)
    return " ".join(value) if is_words else value


def expand_batch(batch: Any, name: str = "table") -> Any:
    """Return a record batch in which vectors and structs are columns a[0], a[1], … and a.b.

    Text views, as polars writes them, become large strings. A list of texts becomes one text.

    >>> batch = pa.record_batch({"a": [[1.0, 2.0], None], "s": [{"b": ["x"]}, {"b": ["y", "z"]}]})
    >>> expand_batch(batch).to_pydict()
    {'a[0]': [1.0, None], 'a[1]': [2.0, None], 's.b': ['x', 'y z']}
    """
    batch = _without_views(batch)
    kinds = (is_vector, is_list_of_words, pa.types.is_struct)
    nested = [any(is_kind(field.type) for is_kind in kinds) for field in batch.schema]
    if not any(nested) or are_sparse(batch.schema):
        return batch
    names: list[str] = []
    columns: list[Any] = []
    for field, column in zip(batch.schema, batch.columns, strict=True):
        if pa.types.is_struct(field.type):
            parts = [pc.struct_field(column, k) for k in range(field.type.num_fields)]
            fields = [f"{field.name}.{each.name}" for each in field.type]
        elif is_vector(field.type):
            parts = _vector_parts(column, f"{name}: column {field.name!r}")
            fields = [f"{field.name}[{k}]" for k in range(len(parts))]
        else:
            is_words = is_list_of_words(field.type)
            parts, fields = [pc.binary_join(column, " ") if is_words else column], [field.name]
        names += fields
        columns += parts
    return expand_batch(pa.record_batch(columns, names=names), name)


def _without_views(batch: Any) -> Any:
    """Return the batch with large strings for views, for which pyarrow lacks most functions."""
    columns = batch.columns
    plain = [_plain(column) for column in columns]
    if all(new is old for new, old in zip(plain, columns, strict=True)):
        return batch
    return pa.record_batch(plain, names=batch.schema.names)


def _plain(column: Any) -> Any:
    if pa.types.is_string_view(column.type):
        return column.cast(pa.large_string())
    if pa.types.is_binary_view(column.type):
        return column.cast(pa.large_binary())
    if pa.types.is_dictionary(column.type) and pa.types.is_string_view(column.type.value_type):
        return pa.DictionaryArray.from_arrays(column.indices, column.dictionary.cast(pa.large_string()))
    return column


def _vector_parts(column: Any, what: str) -> list[Any]:
    """Return the numbers of each place of the vectors in a column."""
    lengths = pc.unique(pc.list_value_length(column).drop_null()).to_pylist()
    if len(lengths) > 1:
        raise BadInput(
            f"{what} has lists of {min(lengths)} to {max(lengths)} numbers; give vectors of one length, or "
            "leave the column out"
        )
    size = lengths[0] if lengths else 0
    if not size:
        return []
    places = np.cumsum(column.is_valid().to_numpy(zero_copy_only=False)) - 1
    rows = pa.array(np.maximum(places, 0), mask=column.is_null().to_numpy(zero_copy_only=False))
    numbers = column.drop_null().flatten().to_numpy(zero_copy_only=False).reshape(-1, size)
    return [pa.array(np.ascontiguousarray(numbers[:, k])).take(rows) for k in range(size)]


def sources_of(names: Iterable[str], wanted: Sequence[str] | None) -> list[str]:
    """Return the columns from which the wanted ones are made; None stands for all.

    >>> sources_of(["a", "b", "s"], ["a[1]", "s.x"])
    ['a', 's']
    """
    if wanted is None:
        return list(names)
    whole = set(wanted)
    begun = {each[:k] for each in whole for k, letter in enumerate(each) if letter in "[."}
    return [name for name in names if name in whole or name in begun]


def expand_object(known: dict[str, Any], nested: frozenset[str]) -> dict[str, Any]:
    """Return an object in which the lists and objects of the nested keys are plain values.

    >>> expand_object({"a": [1, 2], "s": {"b": "x"}}, frozenset("as"))
    {'a[0]': 1, 'a[1]': 2, 's.b': 'x'}
    """
    plain: dict[str, Any] = {}
    for key, value in known.items():
        if key not in nested or not isinstance(value, list | dict):
            plain |= {key: value}
            continue
        parts = (
            {f"{key}[{k}]": part for k, part in enumerate(value)}
            if isinstance(value, list)
            else {f"{key}.{name}": part for name, part in value.items()}
        )
        plain |= expand_object(parts, frozenset(parts))
    return plain
