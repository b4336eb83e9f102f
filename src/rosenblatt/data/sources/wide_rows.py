"""Rows of thousands of unquoted cells, read as a single column of cells.

pyarrow's csv reader needs 4 KB of memory per column, whatever the number of rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from rosenblatt.data.sources.chunk import NEWLINE

MANY = 2048
"""Number of columns from which rows are read in this way."""


def read_wide_rows(
    text: Any, delimiter: bytes, n_columns: int, kinds: Mapping[int, Any]
) -> dict[int, Any] | None:
    r"""Return the columns with these places and Arrow types; empty cells are missing.

    Quotes are ordinary characters. Return None unless each line has as many cells as there are columns;
    raise `pyarrow.ArrowInvalid` for cells of other types.

    >>> found = read_wide_rows(b"1,a,x\n,b,\n", b",", 3, {0: pa.float64(), 2: pa.string()})
    >>> {place: column.to_pylist() for place, column in found.items()}
    {0: [1.0, None], 2: ['x', None]}
    """
    content = bytes(text).replace(b"\r\n", b"\n")
    content += b"" if content.endswith(b"\n") else b"\n"
    letters = np.frombuffer(content, np.uint8)
    ends = letters[(letters == ord(delimiter)) | (letters == NEWLINE)]
    n_lines, rest = divmod(len(ends), n_columns)
    is_regular = (
        not rest and content.count(b"\n") == n_lines and (ends[n_columns - 1 :: n_columns] == NEWLINE).all()
    )
    if not is_regular or b"\r" in content:
        return None
    cells = csv.read_csv(
        pa.BufferReader(content.replace(delimiter, b"\n")),
        csv.ReadOptions(column_names=["cell"], block_size=len(content) + 1, use_threads=False),
        csv.ParseOptions(delimiter=delimiter.decode(), quote_char=False, ignore_empty_lines=False),
        csv.ConvertOptions(column_types={"cell": pa.string()}, null_values=[""], strings_can_be_null=True),
    )["cell"].combine_chunks()
    columns: dict[int, Any] = {}
    for kind in dict.fromkeys(kinds.values()):
        places = [place for place, each in kinds.items() if each == kind]
        numbers = np.array(places)[:, None] + n_columns * np.arange(n_lines)
        some = cells.take(pa.array(numbers.ravel()))
        if kind == pa.float64():
            some = pc.ascii_trim(some, " \t").cast(kind)
        for k, place in enumerate(places):
            column = some.slice(k * n_lines, n_lines)
            columns[place] = column.dictionary_encode() if pa.types.is_dictionary(kind) else column
    return columns
