"""Text files: blocks of whole lines, and the parser that turns them into rows."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.chunk import BadLine, Chunk
from rosenblatt.data.sources.files import as_text, is_packed, name_of
from rosenblatt.data.sources.source import HEAD, Part, TextRows
from rosenblatt.data.sources.text_blocks import Block, PlainText, Spooled, TextStream, lines_in


class TextFormat(Protocol):
    """Define a parser for blocks of whole lines.

    A parser of tables is a `TableText`. A parser may have `row_delimiters`, the delimiter of quoted cells
    that may contain line ends.
    """

    def parse(self, text: NDArray[np.uint8], begins_file: bool) -> Chunk: ...

    def settings(self) -> dict[str, Any]:
        """Return the settings with which another file is read into the same features."""


class TableText:
    """Parse blocks of a text table; `columns` holds the treatment of its columns."""

    columns: Any

    def read(self, text: NDArray[np.uint8], begins_file: bool) -> TextRows:
        """Return the cells of a block of whole lines; the last line must end with a newline."""
        raise NotImplementedError

    def parse(self, text: NDArray[np.uint8], begins_file: bool) -> Chunk:
        """Return the rows of a block of whole lines."""
        return self.read(text, begins_file).chunk(self.columns)


class TextFile:
    """Read a text file in blocks; `form` parses them, or is called to make the parser before the first one.

    `begun` is the open file if its first bytes have been read already.
    """

    def __init__(
        self,
        path: str,
        form: TextFormat | Callable[[], TextFormat],
        begun: TextStream | None = None,
        charset: str | None = None,
    ) -> None:
        self.path, self.name = path, name_of(path)
        self._form, self._charset = form, charset
        this = weakref.proxy(self)  # a strong reference from the file would keep this object alive

        def delimiters() -> bytes:
            return getattr(this.form, "row_delimiters", b"")

        self._file: PlainText | TextStream
        if begun is not None:
            self._file = begun
            begun.delimiters = delimiters
        elif charset or is_packed(path):
            self._file = TextStream(path, delimiters, charset)
        else:
            self._file = PlainText(path, delimiters)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle only the name and settings of the file; another process opens it again."""
        return TextFile, (self.path, self._form, None, self._charset)

    @property
    def form(self) -> TextFormat:
        if not hasattr(self._form, "parse"):
            self._form = self._form()
        return self._form  # type: ignore[return-value]

    @property
    def n_bytes(self) -> int | None:
        """Return the decompressed size, or None if it is unknown."""
        return self._file.n_bytes if isinstance(self._file, PlainText) else None

    @property
    def n_parts(self) -> int | None:
        return self._file.n_blocks if isinstance(self._file, PlainText) else None

    @property
    def comes_once(self) -> bool:
        return isinstance(self._file, TextStream) and self._file.comes_once

    def settings(self) -> dict[str, Any]:
        return self.form.settings()

    def first_line(self, n_rows: int) -> int | None:
        """Return the line number of the first row if each later line is exactly one row, otherwise None."""
        if self.comes_once:
            return None
        header = getattr(self.form, "lines_before", 0)
        is_regular = header < 2 and lines_in(self.path, self._charset) == header + n_rows
        return header + 1 if is_regular else None

    def fingerprint(self) -> list[Any]:
        return self._file.fingerprint()

    def check_unchanged(self) -> None:
        """Raise an error if the file was modified while it was read."""
        self._file.check_unchanged()

    def record_names(self, recorder: Any) -> None:
        """Let the parser of rows without columns record the names that it hashes."""
        self._form = replace(self.form, recorder=recorder)  # type: ignore[type-var]

    def spool(self) -> TextFile:
        """Copy what can be read only once to a temporary file, and return this file."""
        assert isinstance(self._file, TextStream)
        self._file = Spooled(self._file)
        return self

    def part(self, number: int, columns: Any) -> Part:
        """Return the rows of a block."""
        assert isinstance(self._file, PlainText)
        return self._parsed(self._file.block(number), columns)

    def parts(self, columns: Any) -> Iterator[Callable[[], Part]]:
        """Yield, for each block, a function that parses it; the blocks are read by this generator."""
        return (partial(self._parsed, block, columns) for block in self._file.blocks())

    def _parsed(self, block: Block, columns: Any) -> Part:
        form: Any = self.form
        if isinstance(form, TableText):
            form = form if form.columns is columns else replace(form, columns=columns)  # type: ignore[type-var]
            rows = form.read(block.text, block.begins_file)
        else:
            rows = form.parse(block.text, block.begins_file)

        def where(bad: BadLine) -> str:
            above = block.lines_before if block.lines_before >= 0 else self._file.lines_before(block.before)
            return f"{self.name} line {above + bad.line + 1}, column {bad.column}"

        return Part(rows, where, release=block.release)


def open_texts(
    paths: Sequence[str], form: TextFormat, begun: TextStream | None, charset: str | None
) -> list[TextFile]:
    """Return the files; those after the first may have their columns in another order.

    `begun` is the first file if its first bytes have been read already.
    """
    return [
        TextFile(
            path,
            form
            if path == paths[0] or not hasattr(form, "for_file")
            else partial(_form_for, form, path, charset),
            begun if begun is not None and path == begun.path else None,
            charset,
        )
        for path in paths
    ]


def _form_for(form: Any, path: str, charset: str | None) -> Any:
    return form.for_file(as_text(TextStream(path, charset=charset).head(HEAD), path), path)
