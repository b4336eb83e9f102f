"""Text cut into blocks of whole lines.

A line belongs to block k when its first byte is one of the bytes k·B … (k+1)·B − 1 of the unpacked file. So
where the blocks are does not depend on who reads them, in which order, or how the file is packed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.chunk import Buffers
from rosenblatt.data.sources.files import (
    STANDARD_INPUT,
    UTF8_MARK,
    changed,
    check_unchanged,
    identity,
    name_of,
    opened,
    reading_errors,
    stat_of,
)
from rosenblatt.errors import BadInput

BLOCK = 1 << 21
READ_MORE = 1 << 16

_TEXTS = Buffers(bytearray)


@dataclass(frozen=True)
class Block:
    """Whole lines of one file, the last one ended; and how many bytes of the file stand before them."""

    text: NDArray[np.uint8]
    begins_file: bool
    before: int
    release: Callable[[], None]
    lines_before: int = -1  # known only of what cannot be read again


class PlainText:
    """A file of text that is not packed: any of its blocks can be read at any time, by several threads."""

    def __init__(self, path: str) -> None:
        self.path = path
        with reading_errors(path), open(path, "rb") as file:
            self.stat = os.fstat(file.fileno())
        self.n_bytes = self.stat.st_size

    @property
    def n_blocks(self) -> int:
        return max(1, -(-self.n_bytes // BLOCK))

    def block(self, number: int) -> Block:
        """The block of that number; it may be empty, where a line is longer than a block."""
        begin, end = number * BLOCK, min((number + 1) * BLOCK, self.n_bytes)
        first = max(0, begin - 1)  # the byte before tells whether a line begins at the next
        buffer, release = _TEXTS.take(end - first + READ_MORE + 1)  # and a newline
        filled = self._read(buffer, 0, min(end - first + READ_MORE, self.n_bytes - first), first)
        start = buffer.find(b"\n", 0, filled) + 1 if number else 0
        if number and not (0 < start <= end - first):  # a line that began before ends in no line of ours
            return Block(np.empty(0, np.uint8), False, end, release)
        if not number and buffer.startswith(UTF8_MARK):
            start = len(UTF8_MARK)
        while (
            stop := buffer.find(b"\n", end - first - 1, filled) + 1
        ) == 0 and first + filled < self.n_bytes:
            more = min(filled, self.n_bytes - first - filled)
            if filled + more >= len(buffer):
                buffer = bytearray(buffer) + bytes(more + 1)
            filled += self._read(buffer, filled, more, first + filled)
        if not stop:  # the last line of the file is not ended
            buffer[filled] = ord("\n")
            stop = filled + (filled > start)
        return Block(np.frombuffer(buffer, np.uint8)[start:stop], number == 0, first + start, release)

    def _read(self, buffer: bytearray, place: int, n_bytes: int, offset: int) -> int:
        # opened anew each time: a folder may have more files than a process may hold open
        with (
            reading_errors(self.path),
            open(self.path, "rb", buffering=0) as file,
            memoryview(buffer) as whole,
        ):
            self._expect(os.fstat(file.fileno()))
            file.seek(offset)
            done = 0
            while done < n_bytes:
                got = file.readinto(whole[place + done : place + n_bytes])
                if not got:
                    raise changed(self.path)
                done += got
        return done

    def blocks(self) -> Iterator[Block]:
        """All blocks, one after another."""
        return map(self.block, range(self.n_blocks))

    def fingerprint(self) -> list[Any]:
        """What tells the file from a changed one."""
        return stat_of(self.path, self.stat)

    def check_unchanged(self) -> None:
        """Refuses what was read if the file was written to in the meantime."""
        check_unchanged(self.path, self.stat)

    def _expect(self, now: os.stat_result) -> None:
        if identity(now) != identity(self.stat):
            raise changed(self.path)


class TextStream:
    """Text that can only be read from its beginning to its end: packed files, standard input."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.comes_once = path in STANDARD_INPUT or not os.path.isfile(path)  # a pipe
        self.stat = None if self.comes_once else os.stat(path)
        self._opened = ExitStack()
        self._file: BinaryIO | None = None  # standard input, once its head has been looked at
        self._head: bytes | None = None

    def head(self, n_bytes: int) -> bytes:
        """The first bytes. Standard input is read for them, and they come again with the first block."""
        if not self.comes_once:
            with opened(self.path) as file, reading_errors(self.path):
                return file.read(n_bytes)
        if self._file is None:
            self._file = self._opened.enter_context(opened(self.path))
            with reading_errors(self.path):
                self._head = self._file.read(n_bytes)
        return self._head or b""

    def blocks(self) -> Iterator[Block]:
        """All blocks, one after another."""
        if not self.comes_once:
            with opened(self.path) as file:
                yield from _in_blocks(file, self.path, b"")
            self.check_unchanged()
            return
        self.head(0)
        assert self._file is not None
        if self._head is None:
            raise BadInput(
                f"{name_of(self.path)} can be read only once; for several passes give a file, or a cache"
            )
        head, self._head = self._head, None
        yield from _in_blocks(self._file, self.path, head)

    def fingerprint(self) -> list[Any]:
        """What tells the file from a changed one; nothing can tell standard input."""
        return [self.path] if self.stat is None else stat_of(self.path, self.stat)

    def check_unchanged(self) -> None:
        """Refuses what was read if the file was written to in the meantime."""
        if self.stat is not None:
            check_unchanged(self.path, self.stat)


def _nothing() -> None:
    """There is no memory to give back."""


def _in_blocks(file: BinaryIO, path: str, rest: bytes) -> Iterator[Block]:
    """The blocks of what has been read already and of what the file still holds."""
    offset, number, lines = 0, 0, 0  # offset: of the first byte of `rest`
    at_end = False
    while not at_end:
        end = (number + 1) * BLOCK
        if offset >= end:  # the line before was longer than a block
            yield Block(np.empty(0, np.uint8), False, offset, _nothing, lines)
            number += 1
            continue
        buffer, release = _TEXTS.take(BLOCK + 2 * READ_MORE + len(rest))
        buffer[: len(rest)] = rest
        filled, stop = len(rest), 0
        while True:
            if offset + filled >= end:
                stop = buffer.find(b"\n", max(0, end - offset - 1), filled) + 1
                if stop:
                    break
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
                stop = filled
                break
            filled += got
        rest = bytes(buffer[stop:filled])
        start = len(UTF8_MARK) if not number and buffer.startswith(UTF8_MARK) else 0
        n_lines = buffer.count(b"\n", 0, stop)
        yield Block(
            np.frombuffer(buffer, np.uint8)[start:stop], number == 0, offset + start, release, lines
        )
        offset += stop
        lines += n_lines
        number += 1


def lines_before(path: str, n_bytes: int) -> int:
    """How many lines of a file end in its first bytes; counted only when an error is to name a line."""
    count, left = 0, n_bytes
    with opened(path) as file:
        while left > 0 and (piece := file.read(min(left, BLOCK))):
            count += piece.count(b"\n")
            left -= len(piece)
    return count
