"""Find files, detect their format, and open them as decompressed UTF-8 bytes."""

from __future__ import annotations

import bz2
import codecs
import glob
import gzip
import io
import json
import lzma
import os
import re
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, BinaryIO

from rosenblatt.data.sources.archives import (
    CONVERSIONS,
    OFFICE,
    ZIP,
    archive_and_member,
    is_archive,
    members,
    opened_member,
)
from rosenblatt.data.sources.formats import FORMATS, format_with, is_text
from rosenblatt.data.sources.json_objects import HALF_OF_A_PAIR, distinct_pairs
from rosenblatt.data.sources.remote import (
    RemoteFile,
    fetched_copy,
    find_remote,
    is_remote,
)
from rosenblatt.errors import BadInput, bad_choice, bad_value

STANDARD_INPUT = ("-", "/dev/stdin")

NO_FORMAT = (".txt", ".data", ".dat", ".text", "")

PACKED = (".gz", ".bz2", ".xz", ".zst")

OF_OTHERS = {
    b"\x89PNG": "a picture (PNG)", b"\xff\xd8\xff": "a picture (JPEG)", b"GIF8": "a picture (GIF)",
    b"II*\0": "a picture (TIFF)", b"MM\0*": "a picture (TIFF)", b"RIFF": "a sound, film or picture (RIFF)",
    b"%PDF": "a PDF document", b"{\\rtf": "an RTF document", b"SQLite format 3": "an SQLite database",
    b"\xd0\xcf\x11\xe0": "an old Office document", b"\x89HDF": "an HDF5 file",
    b"PK\x03\x04": "a zip archive (name it .zip, if tables are in it)", b"7z\xbc\xaf": "a 7z archive",
    b"Rar!": "a RAR archive", b"\x80\x04\x95": "a pickle, which may run code",
    b"<!DOCTYPE": "an HTML page", b"<html": "an HTML page",
}  # fmt: skip
"""Kinds of files without rows, by their first bytes."""

PAIR = re.compile(rb"(qid|\d+):[^:,;]+")
VW_LINE = re.compile(rb"[^|,;\"]*\|[^|]*")


def name_of(path: str) -> str:
    return "standard input" if path in STANDARD_INPUT else path


# ---------------------------------------------------------------- which files, in which format


def find_files(paths: Any) -> list[str]:
    """Return the files of a path, a pattern, a folder, or a list of these.

    The files of a pattern or a folder are sorted.

    >>> find_files(["-"])
    ['-']
    >>> find_files("no/such/*.svm")
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: no/such/*.svm: no file matches; check the pattern
    """
    if isinstance(paths, (str, os.PathLike)):
        return _find_one(os.fspath(paths))
    listed = [path for each in paths for path in find_files(each)] if isinstance(paths, Iterable) else []
    if not listed:
        raise BadInput(f"path: expected a file, a folder, a pattern or a list of these, got {paths!r}")
    return listed


def _find_one(path: str) -> list[str]:
    if path in STANDARD_INPUT:
        return ["-"]
    if is_remote(path):
        return [each if is_read_in_ranges(each) else fetched_copy(each) for each in find_remote(path)]
    if is_archive(path):
        return _of_one_kind(path, members(path))
    if archive_and_member(path)[1]:
        return [path]
    if os.path.isdir(path):
        names = sorted(name for name in os.listdir(path) if not name.startswith((".", "_")))
        files = [file for name in names if os.path.isfile(file := os.path.join(path, name))]
        if not files:
            raise BadInput(f"{path}: is a folder without files in it; give a file, or another folder")
        return [each for file in files for each in (_find_one(file) if is_archive(file) else [file])]
    if os.path.exists(path):
        return [path]
    if glob.has_magic(path):
        matches = sorted(file for file in glob.glob(path, recursive=True) if os.path.isfile(file))
        if not matches:
            raise BadInput(f"{path}: no file matches; check the pattern")
        return matches
    raise BadInput(f"{path}: there is no such file; check its name")


def is_read_in_ranges(path: str) -> bool:
    """Return whether a remote file is read in ranges (text and Parquet); other files are downloaded."""
    form = format_with(extension_of(path))
    return form == "parquet" or is_text(form) or (form is None and not path.lower().endswith(ZIP))


def extension_of(path: str) -> str:
    """Return the extension that identifies the format, ignoring one that identifies the compression.

    >>> extension_of("days.CSV.gz")
    '.csv'
    """
    stem, extension = os.path.splitext(path.lower())
    return os.path.splitext(stem)[1] if extension in PACKED else extension


def _of_one_kind(path: str, files: list[str]) -> list[str]:
    """Return the files of an archive; raise an error unless all are texts of one format."""
    kinds = sorted({extension_of(file) for file in files})
    if len(kinds) > 1:
        raise BadInput(
            f"{path}: the archive has files of several kinds ({', '.join(kinds)[:80]}); name one of them, "
            f"as in {files[0]}"
        )
    if not (kinds[0] in NO_FORMAT or is_text(format_with(kinds[0]))):
        raise BadInput(
            f"{path}: the archive has {kinds[0]} files, but only csv and other text is read from an "
            "archive; extract them first"
        )
    return files


def format_of(path: str, head: bytes, given: str | None = None, likely: str | None = None) -> str:
    """Return the format: as given, by the file name, by default (`likely`), or by the first bytes.

    >>> format_of("train.svm.gz", b""), format_of("train", b"1 |text free money"), format_of("x", b"a,b")
    ('svmlight', 'vw', 'csv')
    """
    if given is not None:
        if given not in FORMATS:
            raise bad_choice("format", given, FORMATS)
        return given
    if (by_name := format_with(extension_of(path))) is not None:
        return by_name
    shown = next((name for name, form in FORMATS.items() if form.begins and form.begins.match(head)), None)
    if shown is not None and not is_text(shown):
        return shown
    looks = shown or _format_of_lines(head)
    return likely if likely and is_text(likely) and (likely == "jsonl") == (looks == "jsonl") else looks


def _format_of_lines(head: bytes) -> str:
    for line in head[: 1 << 16].splitlines():
        if VW_LINE.fullmatch(line.rstrip(b"\r")):
            return "vw"
        tokens = line.partition(b"#")[0].split()
        if len(tokens) > 1:
            return "svmlight" if PAIR.fullmatch(tokens[1]) else "csv"
        if tokens and re.search(rb"[,;]", tokens[0]):
            return "csv"
        # a single token may be the label of a row without features, so the next line decides
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
"""Compressions by first bytes, since standard input and misnamed downloads have no useful extension."""

DAMAGED = (EOFError, ValueError, NotImplementedError, lzma.LZMAError, zlib.error, zipfile.BadZipFile)

PIECE = 1 << 20

DETECTED = "detected"
"""Character encoding that is detected by the first bytes of each file."""

JSON_ARRAY = re.compile(rb"(\xef\xbb\xbf)?\s*\[\s*\{")
"""Start of an array of objects, as `DataFrame.to_json(orient="records")` writes it."""

UTF8_MARK = b"\xef\xbb\xbf"


class _StandardInput(io.RawIOBase):
    """Wrap standard input as a file; closing it does not close the process's standard input."""

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        if sys.stdin is None:
            raise BadInput("standard input is closed; send rows to it, or give a file")
        standard: Any = sys.stdin.buffer
        piece = standard.read1(len(room))
        room[: len(piece)] = piece
        return len(piece)


def charset_of(name: str | None) -> str | None:
    """Return Python's name of a character encoding, or None for UTF-8.

    >>> charset_of("Latin1"), charset_of("UTF8"), charset_of(None)
    ('iso8859-1', None, None)
    """
    if name is None:
        return None
    try:
        known = codecs.lookup(name)
        b"".decode(name)
    except (LookupError, TypeError):
        raise bad_value(
            "charset", name, "an encoding that Python knows, such as utf-16, latin-1 or cp1252"
        ) from None
    return None if known.name in ("utf-8", "utf-8-sig", "ascii") else known.name


def _lines_of_array(content: bytes, name: str) -> bytes:
    """Return the elements of a JSON array as lines."""
    try:
        rows = json.loads(content.removeprefix(UTF8_MARK), object_pairs_hook=distinct_pairs)
        return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)
    except BadInput as error:
        raise BadInput(f"{name}: {error}") from None
    except UnicodeEncodeError:
        raise BadInput(f"{name}: {HALF_OF_A_PAIR}") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{name}: is not a JSON array ({str(error)[:80]}); fetch the file again") from None


def has_carriage_returns(head: bytes) -> bool:
    """Return whether all lines, or some lines of text without quotes, end with only a carriage return.

    >>> has_carriage_returns(b"1,2\\r3,4\\r"), has_carriage_returns(b"1,2\\r\\n3,4\\r\\n")
    (True, False)
    """
    text = head.rstrip(b"\r")
    n_alone = text.count(b"\r") - text.count(b"\r\n")
    if b"\n" not in text:
        return n_alone > 0
    return b'"' not in text and 10 * n_alone > text.count(b"\n")


def detected_charset(head: bytes) -> str | None:
    """Return the encoding of text that is not UTF-8, by its first bytes, or None if it is UTF-8.

    A byte-order mark states UTF-16. Otherwise the text is Windows-1252 (or Latin-1, if it contains bytes
    that Windows-1252 does not define), unless most lines that are not ASCII are valid UTF-8.

    >>> detected_charset("café".encode()), detected_charset("café".encode("cp1252"))
    (None, 'cp1252')
    """
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if head.isascii():
        return None
    n_utf8 = n_others = 0
    for line in head[: head.rfind(b"\n") + 1 or len(head)].splitlines():
        if not line.isascii():
            try:
                line.decode()
                n_utf8 += 1
            except UnicodeDecodeError:
                n_others += 1
    if n_others <= n_utf8 or b"\0" in head:
        return None
    return "iso8859-1" if re.search(rb"[\x81\x8d\x8f\x90\x9d]", head) else "cp1252"


class _InUtf8(io.RawIOBase):
    """Convert bytes in another encoding to UTF-8.

    If lines of the first piece end with a carriage return alone, all of them become newlines.
    """

    def __init__(self, file: BinaryIO, charset: str, name: str) -> None:
        self._file, self._charset, self._name = file, charset, name
        self._decoder = codecs.getincrementaldecoder(charset)()
        self._ready, self._is_over, self._done = b"", False, 0
        self._ends: io.IncrementalNewlineDecoder | None = None  # converts carriage returns

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        while not self._ready and not self._is_over:
            piece = self._file.read(PIECE)
            self._is_over = not piece
            try:
                text = self._decoder.decode(piece, self._is_over)
            except UnicodeDecodeError as error:
                raise BadInput(
                    f"{self._name}: is not {self._charset} text ({error.reason}, near byte "
                    f"{self._done + error.start:,}); name its encoding"
                ) from None
            if not self._done:
                text = text.removeprefix("\ufeff")
                if has_carriage_returns(text.encode(errors="replace")):
                    self._ends = io.IncrementalNewlineDecoder(None, translate=True)
            self._ready = (self._ends.decode(text, self._is_over) if self._ends else text).encode()
            self._done += len(piece)
        piece, self._ready = self._ready[: len(room)], self._ready[len(room) :]
        room[: len(piece)] = piece
        return len(piece)


@contextmanager
def open_file(path: str, charset: str | None = None) -> Iterator[BinaryIO]:
    """Open a file or standard input for reading decompressed bytes, converted from `charset` to UTF-8.

    `DETECTED` also converts carriage returns to newlines if the first bytes have no newline, and a JSON
    array to one line for each element.

    >>> with open_file("no/such/file.svm") as file:
    ...     pass
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: no/such/file.svm: there is no such file; check its name
    """
    with reading_errors(path):
        raw: Any
        if is_remote(path):
            raw = RemoteFile(path)
        elif archive_and_member(path)[1]:
            raw = opened_member(path)
        else:
            raw = _StandardInput() if path in STANDARD_INPUT else open(path, "rb", buffering=0)  # noqa: SIM115
    with raw, io.BufferedReader(raw, PIECE) as file:
        with reading_errors(path):
            head = file.peek(16)
        unpack = next((unpack for mark, unpack in PACKINGS.items() if mark.match(head)), nullcontext)
        with unpack(file) as unpacked:
            if charset == DETECTED:
                unpacked = io.BufferedReader(unpacked, PIECE)
                head = unpacked.peek(PIECE)
                if JSON_ARRAY.match(head):
                    with unpacked:
                        lines = _lines_of_array(unpacked.read(), name_of(path))
                    head, unpacked = b"", io.BytesIO(lines)
                charset = detected_charset(head) or ("utf-8" if has_carriage_returns(head) else None)
            if charset is None:
                yield unpacked
            else:
                yield io.BufferedReader(_InUtf8(unpacked, charset, name_of(path)), PIECE)


def is_packed(path: str) -> bool:
    """Return whether a file can only be read sequentially: it is compressed, or not a regular file."""
    if archive_and_member(path)[1]:
        return True
    if is_remote(path):
        with RemoteFile(path) as file:
            head = file.read(16)
        return any(mark.match(head) for mark in PACKINGS)
    if path in STANDARD_INPUT or not (os.path.isfile(path) or os.path.isdir(path)):
        return os.path.exists(path) or path in STANDARD_INPUT
    with reading_errors(path), open(path, "rb") as file:
        head = file.read(16)
    return any(mark.match(head) for mark in PACKINGS)


def contents(path: str) -> bytes:
    """Return all bytes of a file, decompressed.

    >>> contents("no/such/file.svm")
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: no/such/file.svm: there is no such file; check its name
    """
    with open_file(path) as file, reading_errors(path):
        content: bytes = file.read()
    if not content:
        raise BadInput(f"{path}: the file is empty; give one with at least one row")
    return content


@contextmanager
def reading_errors(path: str) -> Iterator[None]:
    """Convert errors from opening, reading or decompressing a file to messages that name it."""
    name = name_of(path)
    try:
        yield
    except BadInput:
        raise
    except FileNotFoundError:
        raise BadInput(f"{name}: there is no such file; check its name") from None
    except DAMAGED as error:
        raise BadInput(
            f"{name}: the compressed data is damaged or cut short ({error}); fetch the file again"
        ) from error
    except OSError as error:
        if os.path.isdir(path):  # Windows reports a permission error for folders
            raise BadInput(f"{name}: is a folder; give one of the files in it") from None
        if error.errno is None:
            raise BadInput(
                f"{name}: the compressed data is damaged or cut short ({error}); fetch the file again"
            ) from error
        raise BadInput(f"{name}: cannot be read ({error.strerror}); check its permissions") from error


def as_text(content: bytes, name: str) -> bytes:
    """Return the bytes of a text file without a byte-order mark, with every line ended by a newline.

    >>> as_text(b"\\xef\\xbb\\xbf1 1:2\\r3 1:4", "old.svm")
    b'1 1:2\\n3 1:4'
    """
    for magic, kind in OF_OTHERS.items():
        if content.startswith(magic):
            offices = (kind for mark, kind in OFFICE.items() if mark.encode() in content)
            kind = next(offices, kind) if magic.startswith(b"PK") else kind
            how = CONVERSIONS.get(kind, "give a table or text, such as csv").format(name)
            raise BadInput(f"{name}: is {kind}; {how}")
    if b"\0" in content[: 1 << 16]:
        raise BadInput(
            f"{name}: is a binary file, expected text; give its format, or its encoding (UTF-16 without a "
            "byte-order mark: charset='utf-16-le')"
        )
    content = content.removeprefix(UTF8_MARK)
    if b"\n" not in content:
        content = content.replace(b"\r", b"\n")
    return content
