"""The cells of the rows of a source, to show next to what was computed from their features."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator
from typing import Any

from rosenblatt.data.sources.source import innermost

MOST_LETTERS = 120


def chunks_with_cells(source: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the chunks of a source with their cells as a record batch, or None if these are not known."""
    inner = innermost(source)
    has_cells = getattr(inner, "columns", None) is not None and not source.comes_once
    tables = inner.tables() if has_cells else None
    for chunk in source.chunks():
        batch = None if tables is None else next(tables, None)
        yield chunk, batch if batch is not None and batch.num_rows == len(chunk) else None


def first_line_of(source: Any, n_rows: int) -> int | None:
    """Return the line number of the first of `n_rows` rows if each later line is exactly one row."""
    inner = innermost(source)
    found: int | None = inner.first_line(n_rows) if hasattr(inner, "first_line") else None
    return found


def cells_as_text(batch: Any, i: int, left_out: Collection[str] = ()) -> str:
    """Return the cells of a row as one line of text, shortened to MOST_LETTERS.

    >>> import pyarrow as pa
    >>> cells_as_text(pa.record_batch({"a": [1, 2], "b": ["x", None], "y": [0, 1]}), 1, ["y"])
    '2 | '
    """
    names = [name for name in batch.schema.names if name not in left_out]
    cells = [batch.column(name)[i].as_py() for name in names]
    text = " | ".join(" ".join(_cell_text(cell).split()) for cell in cells)
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 1]}…"


def _cell_text(cell: Any) -> str:
    if cell is None:
        return ""
    return f"{cell:.10g}" if isinstance(cell, float) else str(cell)


def texts_of_rows(source: Any, rows: Collection[int]) -> dict[int, str]:
    """Return the cells of some rows of a source as text, without their labels, if they are known."""
    settings, before, wanted = source.settings(), 0, sorted(rows)
    found: dict[int, str] = {}
    labels = {name for name, role in settings.get("columns", ()) if role in ("label", "weight")}
    for chunk, batch in chunks_with_cells(source):
        if batch is not None:
            here = wanted[bisect_left(wanted, before) : bisect_left(wanted, before + len(chunk))]
            found |= {i: cells_as_text(batch, i - before, labels) for i in here}
        before += len(chunk)
        chunk.release()
    return found
