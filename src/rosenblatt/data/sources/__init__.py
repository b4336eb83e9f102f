"""Read files, tables and iterables as rows with labels: in chunks (`read`) or in one piece (`read_table`).

Names are imported on first use, because the command line needs FORMATS before it needs numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rosenblatt.data.sources.formats import FORMATS

if TYPE_CHECKING:
    from rosenblatt.data.sources.chunk import Chunk
    from rosenblatt.data.sources.encoding import Encoding
    from rosenblatt.data.sources.labelled_table import Table
    from rosenblatt.data.sources.reading import read, read_table
    from rosenblatt.data.sources.text_cells import words_of

_HOMES = {
    "Chunk": "chunk", "Encoding": "encoding", "Table": "labelled_table", "read": "reading",
    "read_table": "reading", "words_of": "text_cells",
}  # fmt: skip

__all__ = ["FORMATS", "Chunk", "Encoding", "Table", "read", "read_table", "words_of"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"rosenblatt.data.sources.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'rosenblatt.data.sources' has no attribute {name!r}")
