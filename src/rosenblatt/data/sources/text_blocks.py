"""Divide text into blocks of whole lines, or of whole rows if quoted cells may contain line ends.

A line (or a row) belongs to block k if its first byte is one of the bytes k·B … (k+1)·B − 1 of the
decompressed file. So the blocks do not depend on the number of readers, on their order, or on the
compression. The start of a row depends on the previous row, so plain text with quotes is scanned once, up
to the requested block.
"""

from __future__ import annotations

import os
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.archives import on_disk
from rosenblatt.data.sources.cells import QUOTE
from rosenblatt.data.sources.chunk import Buffers
from rosenblatt.data.sources.files import STANDARD_INPUT, UTF8_MARK, name_of, open_file, reading_errors
from rosenblatt.data.sources.parsing.quotes import ends_of_rows
from rosenblatt.data.sources.remote import Ranges, is_remote, stat_of_remote
from rosenblatt.data.sources.unchanged import change_error, check_unchanged, identity, stat_of, status
from rosenblatt.errors import BadInput

BLOCK = 1 << 21
READ_MORE = 1 << 16
SAMPLE, SAMPLES = 1 << 16, 16
"""Size in bytes and largest number of the pieces that `spread_lines` reads."""

LONGEST_CELL = 1 << 23
"""Largest number of bytes in a quoted cell with line ends; a longer one counts as unclosed."""

LONGEST_LINE = 1 << 26
"""Largest number of bytes in a line; longer lines are refused, before they fill the memory."""

Delimiters = Callable[[], bytes]
"""A function that returns the delimiter of quoted cells, or nothing if a line end always ends a row. It is
called when the first block is read, because it depends on the first lines of the file."""


NO_ENDS: NDArray[np.int64] = np.empty(0, np.int64)

_TEXTS = Buffers(bytearray)


@dataclass(frozen=True)
class Block:
    """Hold complete lines of one file, and the number of bytes before them."""

    text: NDArray[np.uint8]
    begins_file: bool
    before: int
    release: Callable[[], None]
    lines_before: int = -1  # known only for sources that cannot be read again


def line_too_long(path: str, line: int) -> BadInput:
    """Return the error for a line without a line end."""
    return BadInput(
        f"{name_of(path)} line {line}: no line end within {LONGEST_LINE >> 20} MB; end each row with one"
    )


def _no_quotes() -> bytes:
    return b""


def _letters(buffer: bytes | bytearray) -> NDArray[np.uint8]:
    """Return text as a read-only array, so that parsers are compiled for only one array type."""
    return np.frombuffer(memoryview(buffer).toreadonly(), np.uint8)


def end_of_rows(text: Any, filled: int, least: int, delimiters: bytes, at_end: bool) -> int:
    """Return the position after the first row that ends at or beyond `least`.

    The text begins with a row; the result is 0 if that row does not end in `text[:filled]`.

    >>> text = b'1,"two\\nlines"\\n3,4\\n'
    >>> end_of_rows(text, len(text), 1, b",", True), end_of_rows(text, len(text), 1, b"", True)
    (14, 7)
    """
    if not delimiters or text.find(QUOTE, 0, filled) < 0:
        return int(text.find(b"\n", max(0, least - 1), filled)) + 1
    start = len(UTF8_MARK) if text.startswith(UTF8_MARK) else 0
    end = rows_in(_letters(text)[start:filled], least - start, delimiters, at_end)[1]
    return end + start if end else 0


def rows_in(
    text: NDArray[np.uint8], least: int, delimiters: bytes, at_end: bool, ends: NDArray[np.int64] = NO_ENDS
) -> tuple[int, int]:
    """Call `parsing.quotes.ends_of_rows` for cells separated by these delimiters."""
    one, other = np.uint8(delimiters[0]), np.uint8(delimiters[-1])
    n, end = ends_of_rows(text, least, one, other, at_end, LONGEST_CELL, ends)
    return int(n), int(end)


class PlainText:
    """Read an uncompressed text file: any block at any time, and from several threads."""

    def __init__(self, path: str, delimiters: Delimiters = _no_quotes) -> None:
        self.path = path
        self._delimiters = delimiters
        self._starts = [0]  # positions of the first rows of the blocks found so far
        self._lock = threading.Lock()
        self._ranges: Ranges | None = None
        with reading_errors(path):
            if is_remote(path):
                self.stat: Any = stat_of_remote(path)
                self._ranges = Ranges(path, self.stat)
            else:
                with open(path, "rb") as file:
                    self.stat = os.fstat(file.fileno())
        self.n_bytes = self.stat.st_size

    @property
    def n_blocks(self) -> int:
        return max(1, -(-self.n_bytes // BLOCK))

    def block(self, number: int) -> Block:
        """Return block `number`; it is empty if a line from an earlier block extends beyond its end."""
        delimiters = self._delimiters()
        return self._of_rows(number, delimiters) if delimiters else self._of_lines(number)

    def _of_rows(self, number: int, delimiters: bytes) -> Block:
        """Return block `number` of a text whose quoted cells may contain line ends."""
        with self._lock:  # reading and searching take only a fraction of the parsing time
            while len(self._starts) <= number:
                self._next_rows(len(self._starts) - 1, delimiters).release()
            return self._next_rows(number, delimiters)

    def _next_rows(self, number: int, delimiters: bytes) -> Block:
        first, end = self._starts[number], min((number + 1) * BLOCK, self.n_bytes)
        if first >= end:  # a row of an earlier block covers this block
            if len(self._starts) == number + 1:
                self._starts.append(first)
            return Block(_letters(b""), False, first, _nothing)
        buffer, release = _TEXTS.take(end - first + READ_MORE + 1)  # and a newline
        filled = self._read(buffer, 0, min(end - first + READ_MORE, self.n_bytes - first), first)
        while True:
            at_end = first + filled == self.n_bytes
            stop = end_of_rows(buffer, filled, end - first, delimiters, at_end)
            if stop or at_end:
                break
            buffer, filled = self._read_more(buffer, filled, first)
        if len(self._starts) == number + 1:
            self._starts.append(first + stop if stop else self.n_bytes)
        if not stop:  # the last row of the file is not ended
            stop = filled
            if buffer[filled - 1] != ord("\n"):
                buffer[filled] = ord("\n")
                stop = filled + 1
        start = len(UTF8_MARK) if not number and buffer.startswith(UTF8_MARK) else 0
        return Block(_letters(buffer)[start:stop], number == 0, first + start, release)

    def _of_lines(self, number: int) -> Block:
        begin, end = number * BLOCK, min((number + 1) * BLOCK, self.n_bytes)
        first = max(0, begin - 1)  # the previous byte decides whether a line begins here
        buffer, release = _TEXTS.take(end - first + READ_MORE + 1)  # and a newline
        filled = self._read(buffer, 0, min(end - first + READ_MORE, self.n_bytes - first), first)
        start = buffer.find(b"\n", 0, filled) + 1 if number else 0
        if number and not (0 < start <= end - first):  # a line of an earlier block covers this block
            return Block(_letters(b""), False, end, release)
        if not number and buffer.startswith(UTF8_MARK):
            start = len(UTF8_MARK)
        while (
            not (stop := buffer.find(b"\n", end - first - 1, filled) + 1) and first + filled < self.n_bytes
        ):
            buffer, filled = self._read_more(buffer, filled, first)
        if not stop:  # the last line of the file is not ended
            buffer[filled] = ord("\n")
            stop = filled + (filled > start)
        return Block(_letters(buffer)[start:stop], number == 0, first + start, release)

    def _read_more(self, buffer: bytearray, filled: int, first: int) -> tuple[bytearray, int]:
        """Double the bytes in a buffer whose first byte is at position `first`."""
        more = min(filled, self.n_bytes - first - filled)
        if filled + more >= len(buffer):
            buffer = bytearray(buffer) + bytes(more + 1)
        return buffer, filled + self._read(buffer, filled, more, first + filled)

    def _read(self, buffer: bytearray, place: int, n_bytes: int, offset: int) -> int:
        if self._ranges is not None:
            with reading_errors(self.path):
                piece = self._ranges.read(offset, n_bytes)
            buffer[place : place + len(piece)] = piece
            if len(piece) < n_bytes:
                raise change_error(self.path)
            return len(piece)
        # open the file each time, because a folder may have more files than a process may keep open
        with (
            reading_errors(self.path),
            open(self._file(), "rb", buffering=0) as file,
            memoryview(buffer) as whole,
        ):
            self._expect(os.fstat(file.fileno()))
            file.seek(offset)
            done = 0
            while done < n_bytes:
                got = file.readinto(whole[place + done : place + n_bytes])
                if not got:
                    raise change_error(self.path)
                done += got
        return done

    def _file(self) -> str:
        return self.path

    def blocks(self) -> Iterator[Block]:
        """Yield all blocks in order."""
        return map(self.block, range(self.n_blocks))

    def fingerprint(self) -> list[Any]:
        """Return a value that changes with the file."""
        return stat_of(self.path, self.stat)

    def check_unchanged(self) -> None:
        """Raise an error if the file was modified while it was read."""
        check_unchanged(self.path, self.stat)

    def lines_before(self, n_bytes: int) -> int:
        """Return the number of lines that end in the first `n_bytes` bytes."""
        return lines_before(self.path, n_bytes)

    def _expect(self, now: os.stat_result) -> None:
        if identity(now) != identity(self.stat):
            raise change_error(self.path)


class TextStream:
    """Read text sequentially: compressed files, files not in UTF-8, and standard input."""

    def __init__(self, path: str, delimiters: Delimiters = _no_quotes, charset: str | None = None) -> None:
        self.path, self.charset = path, charset
        self.delimiters = delimiters
        self.comes_once = path in STANDARD_INPUT or not (
            is_remote(path) or os.path.isfile(on_disk(path))
        )  # a pipe
        with reading_errors(path):
            self.stat = None if self.comes_once else status(path)
        self._opened = ExitStack()
        weakref.finalize(self, self._opened.close)  # even if an error has left it in a reference cycle
        self._file: BinaryIO | None = None  # open from detection to the end of the first pass
        self._head = b""
        self._is_read = False

    def head(self, n_bytes: int) -> bytes:
        """Return the first bytes; they are stored, because the first block begins with them."""
        if self._file is None:
            self._file = self._opened.enter_context(open_file(self.path, self.charset))
        with reading_errors(self.path):
            self._head += self._file.read(max(0, n_bytes - len(self._head)))
        return self._head[:n_bytes]

    def blocks(self) -> Iterator[Block]:
        """Yield all blocks in order."""
        if self.comes_once and self._is_read:
            raise BadInput(
                f"{name_of(self.path)} can be read only once; for several passes give a file, or a cache"
            )
        self.head(0)
        file, head, opened_ = self._file, self._head, self._opened.pop_all()
        self._file, self._head, self._is_read = None, b"", True
        assert file is not None
        with opened_:
            yield from _in_blocks(file, self.path, head, self.delimiters())
        self.check_unchanged()

    def lines_before(self, n_bytes: int) -> int:
        """Return the number of lines that end in the first `n_bytes` bytes."""
        return lines_before(self.path, n_bytes, self.charset)

    def fingerprint(self) -> list[Any]:
        """Return a value that changes with the file; for standard input it is constant."""
        if self.stat is None:
            return [self.path]
        return [*stat_of(self.path, self.stat), *([self.charset] if self.charset else [])]

    def check_unchanged(self) -> None:
        """Raise an error if the file was modified while it was read."""
        if self.stat is not None:
            check_unchanged(self.path, self.stat)


class Spooled(PlainText):
    """Copy a source that can be read only once to a temporary file, for the lifetime of this object.

    The rows are read first for their statistics and then for training.
    """

    def __init__(self, stream: TextStream) -> None:
        place, kept = tempfile.mkstemp(prefix="rosenblatt-")
        weakref.finalize(self, _remove, kept)
        with open(place, "wb") as file:
            for block in stream.blocks():
                file.write(block.text.data)
                block.release()
        super().__init__(kept, stream.delimiters)
        self.path, self._kept = stream.path, kept  # error messages name the original

    def _file(self) -> str:
        return self._kept

    def lines_before(self, n_bytes: int) -> int:
        return lines_before(self._kept, n_bytes)

    def fingerprint(self) -> list[Any]:
        return [self.path]

    def check_unchanged(self) -> None:
        check_unchanged(self._kept, self.stat)


def _remove(path: str) -> None:
    with suppress(OSError):
        os.remove(path)


def _nothing() -> None:
    """Do nothing: there is no memory to release."""


def _in_blocks(file: BinaryIO, path: str, rest: bytes, delimiters: bytes) -> Iterator[Block]:
    """Yield blocks of text: first of `rest`, the bytes that were read already, then of the unread file."""
    offset, number, lines = 0, 0, 0  # offset is the position of the first byte of `rest`
    at_end = False
    while rest or not at_end:
        end = (number + 1) * BLOCK
        if offset >= end:  # the previous line was longer than a block
            yield Block(_letters(b""), False, offset, _nothing, lines)
            number += 1
            continue
        buffer, release = _TEXTS.take(BLOCK + 2 * READ_MORE + len(rest))
        buffer[: len(rest)] = rest
        filled, stop = len(rest), 0
        while True:
            if offset + filled >= end:
                stop = end_of_rows(buffer, filled, end - offset, delimiters, at_end=False)
                if stop:
                    break
            if filled > LONGEST_LINE and buffer.find(b"\n", filled - LONGEST_LINE, filled) < 0:
                raise line_too_long(path, lines + buffer.count(b"\n", 0, filled) + 1)
            if filled + READ_MORE >= len(buffer):
                buffer = bytearray(buffer) + bytes(len(buffer))
            wanted = max(READ_MORE, min(end - offset - filled, len(buffer) - 1 - filled))
            with reading_errors(path), memoryview(buffer) as whole:
                got = file.readinto(whole[filled : min(filled + wanted, len(buffer) - 1)])  # type: ignore[attr-defined]
            if not got:
                at_end = True
                if filled and buffer[filled - 1] != ord("\n"):
                    buffer[filled] = ord("\n")
                    filled += 1
                stop = end_of_rows(buffer, filled, end - offset, delimiters, at_end=True) or filled
                break
            filled += got
        rest = bytes(buffer[stop:filled])
        start = len(UTF8_MARK) if not number and buffer.startswith(UTF8_MARK) else 0
        n_lines = buffer.count(b"\n", 0, stop)
        yield Block(_letters(buffer)[start:stop], number == 0, offset + start, release, lines)
        offset += stop
        lines += n_lines
        number += 1


def spread_lines(path: str, first: int) -> bytes:
    """Return the lines of a local file after its first bytes: all, or samples from `SAMPLES` places."""
    if is_remote(path):
        return b""
    with reading_errors(path), open(path, "rb") as file:
        rest = os.fstat(file.fileno()).st_size - first
        distance = max(SAMPLE, rest // SAMPLES)
        parts = []
        for start in range(first, first + rest, distance):
            file.seek(start - 1)
            piece = file.read(SAMPLE + 1)
            parts.append(piece[piece.find(b"\n") + 1 : piece.rfind(b"\n") + 1])
    return b"".join(parts)


def lines_in(path: str, charset: str | None = None) -> int:
    """Return the number of lines of a file, not counting blank lines at its end."""
    ended = lines = 0
    with open_file(path, charset) as file:
        while piece := file.read(BLOCK):
            if filled := piece.rstrip():
                lines = ended + filled.count(b"\n") + 1
            ended += piece.count(b"\n")
    return lines


def lines_before(path: str, n_bytes: int, charset: str | None = None) -> int:
    """Return the number of lines that end in the first `n_bytes` bytes of a file.

    It is called only when an error message needs a line number.
    """
    count, left = 0, n_bytes
    with open_file(path, charset) as file:
        while left > 0 and (piece := file.read(min(left, BLOCK))):
            count += piece.count(b"\n")
            left -= len(piece)
    return count
