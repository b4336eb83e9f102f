"""read: one call for every kind of labelled file."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rosenblatt.errors import BadInput, bad_choice, bad_value
from rosenblatt.sources.opening import STANDARD_INPUT, as_text, contents

if TYPE_CHECKING:
    from rosenblatt.sources.table import Table

FORMATS = ("svmlight", "csv", "tsv", "npy", "npz")

EXTENSIONS = {
    ".svm": "svmlight", ".svmlight": "svmlight", ".libsvm": "svmlight",
    ".csv": "csv", ".tsv": "tsv", ".npy": "npy", ".npz": "npz",
}  # fmt: skip
"""What a name says. .txt, .data and .dat say nothing: people call all kinds of tables that."""

PACKINGS = (".gz", ".bz2", ".xz")

PAIR = re.compile(rb"(qid|\d+):[^:,;]+")


def read(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    target: str | int | None = None,
    n_features: int | None = None,
) -> Table:
    """Rows and labels of a file, in memory.

    `format` is one of FORMATS; by default the file's extension decides, and where it says nothing the
    first line does. Text may be packed (.gz, .bz2, .xz). "-" is standard input and needs a format.
    `target` is the label's column, by name or number (csv, tsv, npy; by default the last one).
    `n_features` is how many features X has: svmlight text does not say, so give it where train and test
    files must agree; from other formats it is checked. Every error, a missing file too, is a BadInput.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = folder + "/train.svm"
    ...     with open(path, "w") as file:
    ...         _ = file.write("+1 1:0.5 3:2  # a comment\\n-1 2:25e-2\\n")
    ...     X, y, feature_names = read(path)
    >>> X.toarray()
    array([[0.5 , 0.  , 2.  ],
           [0.  , 0.25, 0.  ]])
    >>> y
    array([ 1, -1])
    """
    name = os.fspath(path)
    if format is not None and format not in FORMATS:
        raise bad_choice("format", format, FORMATS)
    if n_features is not None and (not isinstance(n_features, int) or n_features < 1):
        raise bad_value("n_features", n_features, "a whole number of at least 1")
    if name in STANDARD_INPUT:
        if format is None:
            raise BadInput(f"format: standard input has no name to tell it by; give one of {FORMATS}")
        content, name = contents(name), "standard input"
    else:
        content = contents(name)
        format = format or _format_of(name, content)  # noqa: A001
    table = _parsed(content, name, format, target, n_features)
    if n_features is not None and table.X.shape[1] != n_features:
        raise BadInput(
            f"{name}: has {table.X.shape[1]} features, expected {n_features}; "
            "give the file that fits, or another n_features"
        )
    return table


def _parsed(
    content: bytes, name: str, format_: str, target: str | int | None, n_features: int | None
) -> Table:
    # each reader is imported when its format comes: numba, scipy and pyarrow take their time
    if format_ in ("svmlight", "npz") and target is not None:
        where = "starts each line" if format_ == "svmlight" else "is the array y"
        raise BadInput(f"{name}: target: got {target!r}, but the label {where} in {format_}; leave it out")
    if format_ == "svmlight":
        from rosenblatt.sources.svmlight import read_svmlight

        return read_svmlight(as_text(content, name), name, n_features)
    if format_ in ("csv", "tsv"):
        from rosenblatt.sources.delimited import read_delimited

        return read_delimited(as_text(content, name), name, target, b"\t" if format_ == "tsv" else None)
    from rosenblatt.sources.numpy_files import read_npy, read_npz

    return read_npy(content, name, target) if format_ == "npy" else read_npz(content, name)


def _format_of(name: str, content: bytes) -> str:
    stem, extension = os.path.splitext(name.lower())
    if extension in PACKINGS:
        extension = os.path.splitext(stem)[1]
    if extension in EXTENSIONS:
        return EXTENSIONS[extension]
    if content.startswith(b"\x93NUMPY"):
        return "npy"
    if content.startswith(b"PK\x03\x04"):
        return "npz"
    return "svmlight" if _looks_like_svmlight(content) else "csv"


def _looks_like_svmlight(content: bytes) -> bool:
    for line in content[: 1 << 16].splitlines():
        tokens = line.partition(b"#")[0].split()
        if len(tokens) > 1:
            return PAIR.fullmatch(tokens[1]) is not None
        if tokens and re.search(rb"[,;]", tokens[0]):
            return False
        # a lone token may be the label of a row without features: the next line tells more
    return False
