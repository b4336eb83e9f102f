"""Which files are meant, and in which format they are."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable
from typing import Any

from rosenblatt.data.sources.opening import STANDARD_INPUT
from rosenblatt.errors import BadInput, bad_choice

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
