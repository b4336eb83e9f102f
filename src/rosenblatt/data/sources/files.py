"""The files that are meant: in which format they are, and their bytes, whichever way they are kept: plain,
.gz, .bz2, .xz, .zst, or standard input."""

from __future__ import annotations

import bz2
import glob
import gzip
import io
import lzma
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from rosenblatt.errors import BadInput, bad_choice

STANDARD_INPUT = ("-", "/dev/stdin")

TEXT_FORMATS = ("svmlight", "vw", "csv", "tsv")
BINARY_FORMATS = ("parquet", "arrow", "npy", "npz")
FORMATS = (*TEXT_FORMATS, *BINARY_FORMATS)

EXTENSIONS = {
    ".svm": "svmlight", ".svmlight": "svmlight", ".libsvm": "svmlight", ".vw": "vw",
    ".csv": "csv", ".tsv": "tsv", ".npy": "npy", ".npz": "npz",
    ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow", ".arrows": "arrow", ".feather": "arrow",
    ".ipc": "arrow",
}  # fmt: skip
"""What a name says. .txt, .data and .dat say nothing: people call all kinds of tables that."""

PACKED = (".gz", ".bz2", ".xz", ".zst")

MAGIC = {
    b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow",
    b"\x93NUMPY": "npy", b"PK\x03\x04": "npz",
}  # fmt: skip
"""What the first bytes say of files that are not text."""

PAIR = re.compile(rb"(qid|\d+):[^:,;]+")
VW_LINE = re.compile(rb"[^|,;\"]*\|[^|]*")


def name_of(path: str) -> str:
    return "standard input" if path in STANDARD_INPUT else path


# ---------------------------------------------------------------- which files, in which format


def found(paths: Any) -> list[str]:
    """The files that a path, a pattern, a folder, or a list of such things means; in sorted order where a
    pattern or a folder means several.

    >>> found(["-"])
    ['-']
    >>> found("no/such/*.svm")
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: no/such/*.svm: no file has such a name; check the pattern
    """
    if isinstance(paths, (str, os.PathLike)):
        return _found_by_one(os.fspath(paths))
    listed = [path for each in paths for path in found(each)] if isinstance(paths, Iterable) else []
    if not listed:
        raise BadInput(f"path: expected a file, a folder, a pattern or a list of these, got {paths!r}")
    return listed


def _found_by_one(path: str) -> list[str]:
    if path in STANDARD_INPUT:
        return ["-"]
    if os.path.isdir(path):
        names = sorted(name for name in os.listdir(path) if not name.startswith((".", "_")))
        files = [file for name in names if os.path.isfile(file := os.path.join(path, name))]
        if not files:
            raise BadInput(f"{path}: is a folder without files in it; give a file, or another folder")
        return files
    if os.path.exists(path):
        return [path]
    if glob.has_magic(path):
        matches = sorted(file for file in glob.glob(path, recursive=True) if os.path.isfile(file))
        if not matches:
            raise BadInput(f"{path}: no file has such a name; check the pattern")
        return matches
    raise BadInput(f"{path}: there is no such file; check its name")


def format_of(path: str, head: bytes, given: str | None = None, likely: str | None = None) -> str:
    """The format: as given, else as the name says, else as is likely, else as the first bytes look.

    >>> format_of("train.svm.gz", b""), format_of("train", b"1 |text free money"), format_of("x", b"a,b")
    ('svmlight', 'vw', 'csv')
    """
    if given is not None:
        if given not in FORMATS:
            raise bad_choice("format", given, FORMATS)
        return given
    stem, extension = os.path.splitext(path.lower())
    if extension in PACKED:
        extension = os.path.splitext(stem)[1]
    if extension in EXTENSIONS:
        return EXTENSIONS[extension]
    for magic, format_ in MAGIC.items():
        if head.startswith(magic):
            return format_
    return likely if likely in TEXT_FORMATS else _text_format(head)


def _text_format(head: bytes) -> str:
    for line in head[: 1 << 16].splitlines():
        if VW_LINE.fullmatch(line.rstrip(b"\r")):
            return "vw"
        tokens = line.partition(b"#")[0].split()
        if len(tokens) > 1:
            return "svmlight" if PAIR.fullmatch(tokens[1]) else "csv"
        if tokens and re.search(rb"[,;]", tokens[0]):
            return "csv"
        # a lone token may be the label of a row without features: the next line tells more
    return "csv"


# ---------------------------------------------------------------- their bytes


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
    name = name_of(path)
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


# ---------------------------------------------------------------- whether they are as they were


def stat_of(path: str, stat: os.stat_result) -> list[Any]:
    """What tells a file from a changed one: its path, size and time of change."""
    return [os.path.abspath(path), stat.st_size, stat.st_mtime_ns]


def identity(stat: os.stat_result) -> tuple[int, ...]:
    """What is another number when a file is replaced or written to."""
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns


def check_unchanged(path: str, before: os.stat_result) -> None:
    """Refuses what was read of a file if it is not as it was before."""
    with reading_errors(path):
        if identity(os.stat(path)) != identity(before):
            raise changed(path)


def changed(path: str) -> BadInput:
    return BadInput(
        f"{path}: the file changed while it was read; read it again when it is complete, or read a copy"
    )
