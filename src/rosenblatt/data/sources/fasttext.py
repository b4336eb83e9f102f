"""fastText lines, such as ``__label__spam free money``: one text per line, with the class in front.

The column "text" holds the text, the column "label" the class without its prefix.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rosenblatt.data.sources.chunk import NEWLINE, BadLine
from rosenblatt.data.sources.field_inference import infer_fields
from rosenblatt.data.sources.field_roles import BY_FORMAT
from rosenblatt.data.sources.source import TextRows
from rosenblatt.data.sources.table_fields import FieldFeatures
from rosenblatt.data.sources.text_files import TableText
from rosenblatt.errors import BadInput

PREFIX = "__label__"
TEXT, LABEL = "text", "label"
SCHEMA = pa.schema({TEXT: pa.string(), LABEL: pa.string()})


@dataclass(frozen=True)
class FastTextLines(TableText):
    """Read blocks of fastText lines.

    >>> form = infer_fasttext(b"__label__spam free money\\n__label__ham lunch at noon\\n")
    >>> text = b"__label__ham at noon\\n__label__a __label__b x\\n"
    >>> chunk = form.parse(np.frombuffer(text, np.uint8), False)
    >>> chunk.y, [(line.line, line.problem) for line in chunk.bad]
    (array(['ham'], dtype='<U3'), [(1, 'has 2 labels, expected one')])
    """

    columns: FieldFeatures

    def settings(self) -> dict[str, Any]:
        return {"format": "fasttext", **self.columns.settings()}

    def read(self, text: NDArray[np.uint8], begins_file: bool) -> TextRows:
        """Return the texts and labels of a block of whole lines."""
        batch, numbers, bad = _batch(text.tobytes())
        n_lines = int(np.count_nonzero(text == NEWLINE))
        return TextRows(batch, lambda row, column: (numbers[row], 1), bad, text.size, n_lines)


def infer_fasttext(head: bytes, name: str = "text", **field_options: Any) -> FastTextLines:
    """Return the parser for a file, derived from its first lines."""
    if field_options.get("target") not in (None, LABEL):
        raise BadInput(
            f"{name}: target: got {field_options['target']!r}, but in fastText lines the label comes first "
            "in each line; leave it out"
        )
    whole = head[: head.rfind(b"\n") + 1] or head
    own = {"target": LABEL, "text": [TEXT], "weight": None}
    columns = infer_fields(pa.Table.from_batches([_batch(whole)[0]]), name, **{**field_options, **own})
    assert isinstance(columns, FieldFeatures)
    return FastTextLines(replace(columns, reasons=dict.fromkeys(columns.reasons, BY_FORMAT)))


def like_fasttext(columns: FieldFeatures, name: str) -> FastTextLines:
    """Return a parser for lines with these columns, which must be a text and a label."""
    columns.places_in([TEXT, LABEL], name)
    return FastTextLines(columns)


def _batch(content: bytes) -> tuple[Any, list[int], list[BadLine]]:
    """Return texts and labels, the number of the line of each row, and the lines that cannot be read."""
    rows: list[dict[str, str | None]] = []
    numbers: list[int] = []
    bad: list[BadLine] = []
    for number, line in enumerate(content.split(b"\n")):
        try:
            words = line.decode().split()
        except UnicodeDecodeError:
            bad.append(BadLine(number, 1, "is not UTF-8 text; give its encoding with charset="))
            continue
        labels = [word.removeprefix(PREFIX) for word in words if word.startswith(PREFIX)]
        if len(labels) > 1:
            bad.append(BadLine(number, 1, f"has {len(labels)} labels, expected one"))
        elif words:
            text = " ".join(word for word in words if not word.startswith(PREFIX))
            rows.append({TEXT: text, LABEL: labels[0] if labels else None})
            numbers.append(number)
    return pa.RecordBatch.from_pylist(rows, SCHEMA), numbers, bad
