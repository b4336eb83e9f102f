"""The bytes of a file, whichever way they are kept: plain, .gz, .bz2, .xz, .zst, or standard input."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from rosenblatt.errors import BadInput

STANDARD_INPUT = ("-", "/dev/stdin")


def _zstandard(file: BinaryIO) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(file), "zstd")


PACKINGS: dict[re.Pattern[bytes], Callable[[BinaryIO], Any]] = {
    re.compile(rb"\x1f\x8b\x08"): lambda file: gzip.GzipFile(fileobj=file),
    re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"): bz2.BZ2File,
    re.compile(rb"\xfd7zXZ\0"): lzma.LZMAFile,
    re.compile(rb"\x28\xb5\x2f\xfd"): _zstandard,
}
"""Known by their first bytes, not by a name: standard input and misnamed downloads have none."""

DAMAGED = (EOFError, ValueError, lzma.LZMAError, zlib.error)

PIECE = 1 << 20

UTF8_MARK = b"\xef\xbb\xbf"


class _StandardInput(io.RawIOBase):
    """Standard input as a file of its own, which can be closed without closing that of the process."""

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        if sys.stdin is None:
            raise BadInput("standard input is closed; send rows to it, or give a file")
        standard: Any = sys.stdin.buffer
        piece = standard.read1(len(room))
        room[: len(piece)] = piece
        return len(piece)


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """The unpacked bytes of a file or of standard input, to be read piece by piece.

    >>> with opened("no/such/file.svm") as file:
    ...     pass
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: no/such/file.svm: there is no such file; check its name
    """
    with reading_errors(path):
        raw = _StandardInput() if path in STANDARD_INPUT else open(path, "rb", buffering=0)  # noqa: SIM115
    with raw, io.BufferedReader(raw, PIECE) as file:
        with reading_errors(path):
            head = file.peek(16)
        unpack = next((unpack for mark, unpack in PACKINGS.items() if mark.match(head)), None)
        if unpack is None:
            yield file
        else:
            with unpack(file) as unpacked:
                yield unpacked


def is_packed(path: str) -> bool:
    """Whether the bytes of a file can only be had one after another: it is packed, or no plain file."""
    if path in STANDARD_INPUT or not (os.path.isfile(path) or os.path.isdir(path)):
        return os.path.exists(path) or path in STANDARD_INPUT
    with reading_errors(path), open(path, "rb") as file:
        head = file.read(16)
    return any(mark.match(head) for mark in PACKINGS)


def contents(path: str) -> bytes:
    """All bytes of a file, unpacked.

    >>> contents("no/such/file.svm")
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: no/such/file.svm: there is no such file; check its name
    """
    with opened(path) as file, reading_errors(path):
        content: bytes = file.read()
    if not content:
        raise BadInput(f"{path}: the file is empty; give one with at least one row")
    return content


@contextmanager
def reading_errors(path: str) -> Iterator[None]:
    """What goes wrong while a file is opened, read or unpacked, as a sentence."""
    name = "standard input" if path in STANDARD_INPUT else path
    try:
        yield
    except BadInput:
        raise
    except FileNotFoundError:
        raise BadInput(f"{name}: there is no such file; check its name") from None
    except DAMAGED as error:
        raise BadInput(
            f"{name}: the packed data is damaged or cut short ({error}); fetch the file again"
        ) from error
    except OSError as error:
        if os.path.isdir(path):  # Windows calls it a lack of permission
            raise BadInput(f"{name}: is a folder; give one of the files in it") from None
        if error.errno is None:
            raise BadInput(
                f"{name}: the packed data is damaged or cut short ({error}); fetch the file again"
            ) from error
        raise BadInput(f"{name}: cannot be read ({error.strerror}); check its permissions") from error


def as_text(content: bytes, name: str) -> bytes:
    """The bytes of a text file: without a byte-order mark, lines ended by a newline.

    >>> as_text(b"\\xef\\xbb\\xbf1 1:2\\r3 1:4", "old.svm")
    b'1 1:2\\n3 1:4'
    """
    if b"\0" in content[: 1 << 16]:
        raise BadInput(
            f"{name}: is a binary file, expected text; give its format "
            "(and save text as UTF-8: UTF-16 looks like this)"
        )
    content = content.removeprefix(UTF8_MARK)
    if b"\n" not in content:
        content = content.replace(b"\r", b"\n")
    return content
