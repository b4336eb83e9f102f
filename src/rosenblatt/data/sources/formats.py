"""The file formats: how each is recognised, read and written. A new format is one entry of `FORMATS`."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

Function = str | Callable[..., Any]
"""A function, or "module:function", which is imported when it is first needed."""


class Format(NamedTuple):
    """State how files of a format are recognised, read and written.

    For text, `read` turns a `TextHead` into a `TextFormat`. For a binary format it returns a `Source`, from
    the paths, the name of the format, the `Options`, the reading settings of a model or None, the number of
    threads and the number of malformed rows to skip. `write` writes chunks to a `Target` and returns the
    number of rows; it is None if the format is only read.
    """

    title: str
    read: Function
    write: Function | None = None
    extensions: tuple[str, ...] = ()
    begins: re.Pattern[bytes] | None = None
    """The first bytes of a file whose name does not show its format."""
    is_text: bool = True
    has_columns: bool = True
    """False if the label comes first in each line, and features have numbers or names but no columns."""


PLACE = "rosenblatt.data.sources."
FORMATS: dict[str, Format] = {
    "svmlight": Format(
        "svmlight text", PLACE + "text_formats:open_svmlight", PLACE + "writing:write_lines",
        (".svm", ".svmlight", ".libsvm"), has_columns=False,
    ),
    "vw": Format(
        "Vowpal Wabbit text", PLACE + "text_formats:open_vw", PLACE + "writing:write_lines", (".vw",),
        has_columns=False,
    ),
    "csv": Format("csv", PLACE + "text_formats:open_delimited", PLACE + "writing:write_csv", (".csv",)),
    "tsv": Format("tsv", PLACE + "text_formats:open_delimited", PLACE + "writing:write_csv", (".tsv",)),
    "jsonl": Format(
        "JSON lines", PLACE + "text_formats:open_json", None, (".jsonl", ".ndjson", ".json"),
        re.compile(rb"\s*\{\s*\""),
    ),
    "fasttext": Format(
        "fastText lines", PLACE + "text_formats:open_fasttext",
        begins=re.compile(rb"(\xef\xbb\xbf)?\s*__label__\S"),
    ),
    "parquet": Format(
        "Parquet", PLACE + "arrow_source:read_arrow_files", PLACE + "writing:write_arrow",
        (".parquet", ".pq"), re.compile(b"PAR1"), is_text=False,
    ),
    "arrow": Format(
        "Arrow IPC", PLACE + "arrow_source:read_arrow_files", PLACE + "writing:write_arrow",
        (".arrow", ".arrows", ".feather", ".ipc"), re.compile(rb"ARROW1|\xff{4}"), is_text=False,
    ),
    "npy": Format(
        "NumPy", PLACE + "numpy_source:read_numpy_files", PLACE + "writing:write_npy", (".npy",),
        re.compile(rb"\x93NUMPY"), is_text=False,
    ),
    "npz": Format(
        "NumPy", PLACE + "numpy_source:read_numpy_files", PLACE + "writing:write_npz", (".npz",),
        re.compile(rb"PK\x03\x04(?s:.){0,248}\.npy"), is_text=False,
    ),
}  # fmt: skip
"""The formats by name; .txt, .data and .dat show no format because they are used for any kind of table."""


def import_function(function: Function) -> Callable[..., Any]:
    """Return a function, after importing it if it is given as text.

    >>> import_function("rosenblatt.data.sources.files:extension_of")("a.csv.gz")
    '.csv'
    """
    if callable(function):
        return function
    module, name = function.split(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found


def format_with(extension: str) -> str | None:
    """Return the format of files with this extension, or None.

    >>> format_with(".feather"), format_with(".txt")
    ('arrow', None)
    """
    return next((name for name, form in FORMATS.items() if extension in form.extensions), None)


def is_text(name: str | None) -> bool:
    """Return whether this is the name of a text format."""
    return name in FORMATS and FORMATS[name].is_text


def writable_formats() -> list[str]:
    """Return the formats in which rows can be written."""
    return [name for name, form in FORMATS.items() if form.write is not None]
